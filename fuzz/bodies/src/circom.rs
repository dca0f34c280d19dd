//! Constraint systems, inputs and witness generators of circom; parameters of bellman; calls of EIP-2537.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use proofmill::eip2537::Operation;
use proofmill::snark::{Inputs, Limits, WitnessCalculator};
use proofmill_proof::bellman::{Parameters, read_verifying_key};
use proofmill_proof::dev::{Circuit, Statement};
use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::R1cs;
use proofmill_testkit::generator::{WAT, inputs as inputs_of};

use crate::choose;

/// The limits of a calculation: a changed generator may never end.
const LIMITS: Limits = Limits { max_bytes: 1 << 24, max_time: Duration::from_millis(20) };

/// A constraint system: every term names a variable, and the errors name the file.
pub(crate) fn r1cs(input: &[u8]) {
    let system = match R1cs::from_bytes("input", input.to_vec()) {
        Ok(system) => system,
        Err(error) => return assert!(error.to_string().contains("input"), "{error}"),
    };
    assert!(system.public_outputs() + system.public_inputs() < system.variables());
    assert_eq!(system.constraints().count(), system.count());
    for constraint in system.constraints() {
        let constraint = constraint.expect("it was checked");
        assert!(constraint.variables().iter().all(|it| (*it as usize) < system.variables()));
    }
}

pub(crate) fn r1cs_seeds() -> Vec<Vec<u8>> {
    let write = |curve| {
        let circuit = Circuit::new(curve, &Statement::Chain { constraints: 3 });
        let mut file = Vec::new();
        circuit.expect("a circuit").write_r1cs(&mut file).expect("memory");
        file
    };
    [Curve::Bn254, Curve::Bls12_381].map(write).into()
}

static GENERATOR: LazyLock<WitnessCalculator> = LazyLock::new(|| {
    let module = wat::parse_str(WAT).expect("a module");
    WitnessCalculator::from_bytes("generator", &module, LIMITS).expect("a generator")
});

/// The inputs of a circuit, as JSON: a witness has as many values as the generator declares.
pub(crate) fn inputs(input: &[u8]) {
    let inputs = Inputs::from_json("input", input.to_vec()).expect("a short file");
    match GENERATOR.calculate(&inputs) {
        Ok(witness) => assert_eq!(witness.count(), GENERATOR.values()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub(crate) fn inputs_seeds() -> Vec<Vec<u8>> {
    let witness = [1, 2, 3, 9].map(|first| {
        let mut value = [0; 32];
        value[0] = first;
        value
    });
    let other = br#"{"a":[-1,["0x10"]],"b":"7","c":{"d":[1e3,null,true]}}"#;
    vec![inputs_of(&witness).into_bytes(), other.to_vec()]
}

/// A module: whatever it does, the calculation ends.
pub(crate) fn wasm(input: &[u8]) {
    let calculator = match WitnessCalculator::from_bytes("input", input, LIMITS) {
        Ok(calculator) => calculator,
        Err(error) => return assert!(error.to_string().contains("input"), "{error}"),
    };
    let inputs = Inputs::from_json("inputs", br#"{"a":[2,3],"b":9}"#.to_vec());
    // A changed generator may compute any witness of the right length.
    if let Ok(witness) = calculator.calculate(&inputs.expect("a short file")) {
        assert_eq!(witness.count(), calculator.values());
    }
}

pub(crate) fn wasm_seeds() -> Vec<Vec<u8>> {
    vec![wat::parse_str(WAT).expect("a module")]
}

/// Parameters and verifying keys of bellman: the errors name the file.
pub(crate) fn bellman(input: &[u8]) {
    match Parameters::from_bytes("input", Arc::from(input)) {
        Ok(parameters) => assert!(parameters.used_bytes() <= input.len()),
        Err(error) => assert!(error.to_string().contains("input"), "{error}"),
    }
    match read_verifying_key("input", input) {
        Ok(key) => assert!(key.ic.len() * 96 < input.len()),
        Err(error) => assert!(error.to_string().contains("input"), "{error}"),
    }
}

/// Identities in the header, and lists of one or no points.
pub(crate) fn bellman_seeds() -> Vec<Vec<u8>> {
    let identity = |bytes: usize| {
        let mut point = vec![0; bytes];
        point[0] = 0x40;
        point
    };
    let header = [96, 96, 192, 192, 96, 192].map(identity).concat();
    let list = |bytes: usize| [&1u32.to_be_bytes()[..], &identity(bytes)].concat();
    let key = [&header[..], &list(96)].concat();
    let lists = [96, 96, 96, 96, 192].map(list).concat();
    vec![[&key[..], &lists].concat(), key]
}

const OPERATIONS: [(Operation, usize); 7] = [
    (Operation::G1Add, 128),
    (Operation::G1Msm, 128),
    (Operation::G2Add, 256),
    (Operation::G2Msm, 256),
    (Operation::PairingCheck, 32),
    (Operation::MapFpToG1, 128),
    (Operation::MapFp2ToG2, 256),
];

/// A call of EIP-2537: the result has its length, and a point is accepted as an operand.
pub(crate) fn eip2537(input: &[u8]) {
    let Some(((operation, bytes), input)) = choose(&OPERATIONS, input) else { return };
    let Ok(result) = operation.run(input) else { return };
    assert_eq!(result.len(), bytes);
    let add = match bytes {
        128 => Operation::G1Add,
        256 => Operation::G2Add,
        _ => return,
    };
    let identity = vec![0; bytes];
    assert_eq!(add.run(&[&result[..], &identity].concat()).as_ref(), Ok(&result));
}

pub(crate) fn eip2537_seeds() -> Vec<Vec<u8>> {
    let g1 = Operation::MapFpToG1.run(&[0; 64]).expect("a point");
    let g2 = Operation::MapFp2ToG2.run(&[0; 128]).expect("a point");
    let scalar = [vec![0; 31], vec![3]].concat();
    let calls: [Vec<u8>; 7] = [
        [&g1[..], &g1].concat(),
        [&g1[..], &scalar].concat(),
        [&g2[..], &g2].concat(),
        [&g2[..], &scalar].concat(),
        [&g1[..], &g2].concat(),
        vec![0; 64],
        vec![0; 128],
    ];
    calls.into_iter().zip(0u8..).map(|(call, number)| [vec![number], call].concat()).collect()
}
