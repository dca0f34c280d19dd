//! Small files by hand, their truncations and changes, and circuits of `dev`.

use super::*;
use crate::dev::{Circuit, Statement};
use crate::snarkjs::{Symbols, Witness};
use proofmill_algebra::field::{Bls12381Fr, Bn254Fr};

fn number(number: u64) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize(SCALAR_BYTES, 0);
    bytes
}

/// Returns r - `number` of BN254.
fn minus(number: u64) -> Vec<u8> {
    let mut limbs = Bn254Fr::MODULUS.to_vec();
    limbs[0] -= number;
    limbs.into_iter().flat_map(u64::to_le_bytes).collect()
}

fn sum(terms: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = (terms.len() as u32).to_le_bytes().to_vec();
    for (variable, coefficient) in terms {
        bytes.extend(variable.to_le_bytes());
        bytes.extend(coefficient);
    }
    bytes
}

fn section(number: u32, content: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes()[..], &(content.len() as u64).to_le_bytes(), content].concat()
}

fn header(modulus: &[u64], numbers: [u32; 4], constraints: u32) -> Vec<u8> {
    let prime: Vec<u8> = modulus.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    let numbers = numbers.map(u32::to_le_bytes);
    let length = (prime.len() as u32).to_le_bytes();
    let labels = 9_u64.to_le_bytes();
    [&length[..], &prime, numbers.as_flattened(), &labels, &constraints.to_le_bytes()].concat()
}

fn file(sections: &[Vec<u8>]) -> Vec<u8> {
    let count = (sections.len() as u32).to_le_bytes();
    [&b"r1cs"[..], &1_u32.to_le_bytes(), &count, &sections.concat()].concat()
}

/// w2 w2 = w3, and (w2 - 2 w3 + 1) 3 = w1.
fn constraints() -> Vec<u8> {
    let first = [sum(&[(2, number(1))]), sum(&[(2, number(1))]), sum(&[(3, number(1))])];
    let factor = sum(&[(2, number(1)), (3, minus(2)), (0, number(1))]);
    let second = [factor, sum(&[(0, number(3))]), sum(&[(1, number(1))])];
    [first.concat(), second.concat()].concat()
}

fn sections() -> Vec<Vec<u8>> {
    let labels: Vec<u8> = [0_u64, 1, 2, 7].into_iter().flat_map(u64::to_le_bytes).collect();
    let header = header(Bn254Fr::MODULUS, [4, 1, 0, 1], 2);
    vec![section(1, &header), section(2, &constraints()), section(3, &labels)]
}

/// Two constraints of four variables, of which the first is an output.
pub(in crate::snarkjs) fn small() -> Vec<u8> {
    file(&sections())
}

fn read(bytes: Vec<u8>) -> Result<R1cs> {
    R1cs::from_bytes("small", bytes)
}

fn refuses(bytes: Vec<u8>, parts: &[&str]) {
    let error = read(bytes).unwrap_err().to_string();
    parts.iter().for_each(|part| assert!(error.contains(part), "'{part}' is not in: {error}"));
}

fn witness(values: [Vec<u8>; 4]) -> Witness {
    Witness::from_values(Curve::Bn254, values.concat()).unwrap()
}

/// The witness of 5 for w2: w3 = 25, w1 = 3 (5 - 50 + 1).
fn right() -> Witness {
    witness([number(1), minus(132), number(5), number(25)])
}

#[test]
fn a_small_file_is_read() {
    let system = read(small()).unwrap();
    assert_eq!((system.curve(), system.variables(), system.count()), (Curve::Bn254, 4, 2));
    let inputs = (system.public_outputs(), system.public_inputs(), system.private_inputs());
    assert_eq!((inputs, system.labels(), system.terms()), ((1, 0, 1), 9, [4, 2, 2]));
    assert_eq!((system.custom_gates().count(), system.constraints().len()), (0, 2));
    let text = |number| system.text(&system.constraint(number).unwrap().unwrap(), None).to_string();
    assert_eq!(text(0), "[ w2 ] * [ w2 ] - [ w3 ] = 0");
    assert_eq!(text(1), "[ w2 - 2*w3 + 1 ] * [ 3 ] - [ w1 ] = 0");
    assert!(system.constraint(2).is_none());
    let names = b"1,1,0,main.out\n2,2,0,main.x\n".to_vec();
    let names = Symbols::from_bytes("names", names, &system).unwrap();
    let text = system.text(&system.constraint(1).unwrap().unwrap(), Some(&names)).to_string();
    assert_eq!(text, "[ main.x - 2*w3 + 1 ] * [ 3 ] - [ main.out ] = 0");
}

#[test]
fn violated_constraints_are_found_with_their_values() {
    let system = read(small()).unwrap();
    assert_eq!(system.check(&right(), 10).unwrap(), Violations { count: 0, first: vec![] });
    let wrong = witness([number(1), minus(132), number(5), number(26)]);
    assert_eq!(system.check(&wrong, 10).unwrap(), Violations { count: 2, first: vec![0, 1] });
    assert_eq!(system.check(&wrong, 1).unwrap(), Violations { count: 2, first: vec![0] });
    assert_eq!(system.check(&wrong, 0).unwrap(), Violations { count: 2, first: vec![] });
    let second = system.constraint(1).unwrap().unwrap();
    let values = system.values(&second, &wrong).unwrap();
    assert_eq!(values.map(|it| system.signed(&it).to_string()), ["-46", "3", "-132"]);
    assert_eq!(second.variables(), [1, 2, 3]);
    let public = witness([number(1), number(7), number(5), number(25)]);
    assert_eq!(system.check(&public, 10).unwrap(), Violations { count: 1, first: vec![1] });
}

#[test]
fn a_witness_of_another_circuit_is_refused() {
    let system = read(small()).unwrap();
    let values = [number(1), number(2), number(3)].concat();
    let shorter = Witness::from_values(Curve::Bn254, values.clone()).unwrap();
    let error = system.check(&shorter, 1).unwrap_err().to_string();
    assert_eq!(error, "witness: has 3 values, the circuit has 4 variables");
    let other = Witness::from_values(Curve::Bls12_381, values).unwrap();
    let error = system.check(&other, 1).unwrap_err().to_string();
    assert_eq!(error, "witness: is over bls12_381, the circuit over bn254");
}

#[test]
fn numbers_are_signed_where_that_is_closer() {
    let system = read(small()).unwrap();
    let shown = |bytes: Vec<u8>| system.signed(&bytes.try_into().unwrap()).to_string();
    let half = "10944121435919637611123202872628637544274182200208017171849102093287904247808";
    let mut halved = Bn254Fr::MODULUS.to_vec();
    for i in 0..4 {
        halved[i] = halved[i] >> 1 | halved.get(i + 1).map_or(0, |next| next << 63);
    }
    let bytes = |limbs: &[u64]| limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    assert_eq!(shown(bytes(&halved)), half);
    halved[0] += 1;
    assert_eq!(shown(bytes(&halved)), format!("-{half}"));
    assert_eq!(
        [number(0), number(u64::MAX), minus(1)].map(shown),
        ["0", "18446744073709551615", "-1"]
    );
    let minus_one: Scalar = minus(1).try_into().unwrap();
    assert!(decimal(&minus_one).ends_with("8495616"));
}

#[test]
fn every_truncation_is_an_error_and_no_change_panics() {
    let whole = small();
    for length in 0..whole.len() {
        assert!(read(whole[..length].to_vec()).is_err(), "{length}");
    }
    for at in 0..whole.len() {
        for change in [1, 0x80, 0xff] {
            let mut changed = whole.clone();
            changed[at] ^= change;
            let Ok(system) = read(changed) else { continue };
            for constraint in system.constraints() {
                assert!(!system.text(&constraint.unwrap(), None).to_string().is_empty());
            }
            if system.require(&right()).is_ok() {
                system.check(&right(), 10).unwrap();
            }
        }
    }
}

#[test]
fn a_malformed_file_is_named_with_section_and_byte() {
    let change = |number: usize, content: &[u8]| {
        let mut changed = sections();
        changed[number - 1] = section(number as u32, content);
        file(&changed)
    };
    refuses(b"wtns".to_vec(), &["small: frame, byte 0: begins with 'wtns', not 'r1cs'"]);
    let header =
        |modulus: &[u64], numbers, constraints| change(1, &header(modulus, numbers, constraints));
    let prime = "section 1 (header), byte 28: the prime of";
    for (name, limbs) in OTHERS {
        refuses(header(limbs, [4, 1, 0, 1], 2), &[prime, name, "bn254 and bls12_381"]);
    }
    refuses(header(&[1, 2, 3, 4], [4, 1, 0, 1], 2), &["byte 28: the prime 0x0000000000000004000"]);
    refuses(
        header(Bn254Fr::MODULUS, [4, 3, 1, 0], 2),
        &["byte 60: 4 variables cannot hold 1 and 4"],
    );
    refuses(header(Bls12381Fr::MODULUS, [3, 1, 0, 1], 2), &["section 3 (labels)", "32 bytes"]);
    let many = header(Bn254Fr::MODULUS, [4, 1, 0, 1], u32::MAX);
    refuses(many, &["section 2 (constraints), byte", "constraint 2 of 4294967295"]);
    let few = header(Bn254Fr::MODULUS, [4, 1, 0, 1], 1);
    refuses(few, &["section 2 (constraints), byte", "extra bytes"]);

    let start = file(&sections()[..1]).len() + 12;
    let term = |at: usize, bytes: &[u8]| {
        let mut changed = constraints();
        changed[at..at + bytes.len()].copy_from_slice(bytes);
        change(2, &changed)
    };
    let at = |offset: usize| format!("section 2 (constraints), byte {}: ", start + offset);
    let problem = "constraint 0: term 0 of A: variable 4, where there are 4";
    refuses(term(4, &[4]), &[&at(4), problem]);
    let problem = "constraint 0: term 0 of B: the coefficient is not below r";
    refuses(term(48, &minus(0)), &[&at(44), problem]);
    let problem = "constraint 0 of 2: ends within the terms";
    refuses(term(0, &u32::MAX.to_le_bytes()), &[&at(4), problem]);
    let mut without = sections();
    without.pop();
    refuses(file(&without), &["section 3 (labels)", "is missing"]);
}

#[test]
fn custom_gates_are_reported() {
    let gates = |name: &[u8], gate: u32, signal: u64| {
        let list =
            [&2_u32.to_le_bytes()[..], name, &1_u32.to_le_bytes(), &number(7), b"B\0", &[0; 4]];
        let counts = [1, gate, 1].map(u32::to_le_bytes);
        let uses = [counts.as_flattened(), &signal.to_le_bytes()].concat();
        let mut all = sections();
        all.extend([section(4, &list.concat()), section(5, &uses)]);
        file(&all)
    };
    let system = read(gates(b"Range\0", 1, 8)).unwrap();
    let found = system.custom_gates();
    assert_eq!((found.count(), found.uses()), (2, 1));
    assert_eq!(found.names().collect::<Vec<_>>(), ["Range", "B"]);
    refuses(gates(b"Range\0", 2, 8), &["section 5", "use 0: custom gate 2, where there are 2"]);
    refuses(gates(b"Range\0", 1, 9), &["section 5", "use 0: signal 9, where there are 9"]);
    refuses(gates(b"\x1b\0", 1, 8), &["section 4", "custom gate 0: its name is not printable"]);
    let whole = gates(b"Range\0", 1, 8);
    (0..whole.len()).for_each(|length| assert!(read(whole[..length].to_vec()).is_err()));
}

#[test]
fn circuits_of_several_pieces_are_checked() {
    for curve in [Curve::Bn254, Curve::Bls12_381] {
        let constraints = 2 * PIECE + 5;
        let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
        let (mut file, mut values) = (Vec::new(), Vec::new());
        circuit.write_r1cs(&mut file).unwrap();
        circuit.write_witness(&mut values).unwrap();
        let system = R1cs::from_bytes("chain", file).unwrap();
        assert_eq!((system.count(), system.variables()), (constraints, circuit.variables()));
        let numbers = system.constraints().map(|it| it.unwrap().number);
        assert!(numbers.eq(0..constraints));
        for number in [0, PIECE - 1, PIECE, constraints - 1] {
            let found = system.constraint(number).unwrap().unwrap();
            let expected = system.constraints().nth(number).unwrap().unwrap();
            assert_eq!(format!("{found:?}"), format!("{expected:?}"));
        }
        let check = |values: Vec<u8>| {
            let witness = Witness::from_bytes("witness", values).unwrap();
            system.check(&witness, 10).unwrap().first
        };
        assert!(check(values.clone()).is_empty());
        // Variable 2 is x_0 and variable i + 2 is x_i, which constraint i - 1 computes and constraint i squares.
        let x = values.len() - (system.variables() - (PIECE + 2)) * SCALAR_BYTES;
        values[x] ^= 1;
        assert_eq!(check(values), [PIECE - 1, PIECE]);
    }
}
