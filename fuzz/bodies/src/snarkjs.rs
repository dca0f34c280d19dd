//! Files of circom and snarkjs: accepted values are in range and survive a round trip; an error has an offset inside the
//! file.

use std::fmt::Debug;
use std::sync::Arc;

use proofmill_algebra::curve::Curve as _;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::{bls12_381, bn254};
use proofmill_op::msm::{Check, Group, Stream as _, read};
use proofmill_proof::dev::{Circuit, InsecurePowersOfTau, Statement};
use proofmill_proof::groth16::{Curve, Scalar};
use proofmill_proof::snarkjs::{
    self, PlonkishKey, PointSection, Powers, PowersOfTau, Section, Witness, Zkey, fflonk, plonk,
};
use proofmill_proof::{Error, FileError, Result};

/// Returns the value, or `None` after a check of the error.
fn accepted<T>(input: &[u8], read: Result<T>) -> Option<T> {
    match read {
        Ok(value) => Some(value),
        Err(Error::File(wrong)) => {
            assert!(wrong.offset <= input.len() as u64 && wrong.file == "input", "{wrong}");
            assert!(!wrong.section.is_empty() && !wrong.problem.is_empty());
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// A proving key, as one for any protocol.
pub(crate) fn zkey(input: &[u8]) {
    plonk_zkey(input);
    fflonk_zkey(input);
    let read = Zkey::from_bytes("input", Arc::from(input));
    let Some(key) = accepted(input, read) else { return };
    assert!(key.public_inputs() < key.variables() && key.file_bytes() == input.len());
    for entry in key.coefficients().iter() {
        let entry = entry.expect("it was checked");
        assert!(entry.constraint < 1 << key.domain_log() && entry.signal < key.variables());
        assert!(is_scalar(key.curve(), &entry.value));
    }
    Section::ALL.into_iter().for_each(|section| points(&key.points(section)));
    if let Some(contributions) = accepted(input, key.contributions()) {
        assert!(contributions.list.len() * 392 < input.len());
        for contribution in &contributions.list {
            contribution.hash();
        }
    }
    let Some(verifying) = accepted(input, key.verifying_key()) else { return };
    assert_eq!(verifying.public_inputs(), key.public_inputs());
    let text = snarkjs::verifying_key::text(&verifying).expect("points of the groups");
    assert_eq!(snarkjs::verifying_key::parse("text", text.as_bytes()).expect("a key"), verifying);
}

/// Powers of tau.
pub(crate) fn ptau(input: &[u8]) {
    let read = PowersOfTau::from_bytes("input", Arc::from(input));
    let Some(file) = accepted(input, read) else { return };
    assert!(file.file_bytes() == input.len() && (file.power() as usize) < input.len());
    for powers in Powers::ALL {
        let count =
            if powers == Powers::TauG1 { (2 << file.power()) - 1 } else { 1 << file.power() };
        assert_eq!(file.powers(powers).count(), count);
        points(&file.powers(powers));
        for log in 0..=file.power() {
            if let Some(section) = accepted(input, file.lagrange(powers, log)) {
                assert_eq!(section.count(), 1 << log);
                points(&section);
            }
        }
    }
    accepted(input, file.beta_g2());
}

fn plonk_zkey(input: &[u8]) {
    let read = plonk::Zkey::from_bytes("input", Arc::from(input));
    let Some(key) = accepted(input, read) else { return };
    plonkish_zkey(input, &key);
    let verifying = key.verifying_key();
    let text = plonk::verifying_key::text(&verifying).expect("points of the groups");
    assert_eq!(plonk::verifying_key::parse("text", text.as_bytes()).expect("a key"), verifying);
}

fn fflonk_zkey(input: &[u8]) {
    let read = fflonk::Zkey::from_bytes("input", Arc::from(input));
    let Some(key) = accepted(input, read) else { return };
    plonkish_zkey(input, &key);
    let c0 = key.c0();
    for number in 0..c0.len() {
        accepted(input, c0.get::<bn254::Fr>(number));
    }
    let verifying = key.verifying_key();
    let text = fflonk::verifying_key::text(&verifying).expect("points of the groups");
    assert_eq!(fflonk::verifying_key::parse("text", text.as_bytes()).expect("a key"), verifying);
}

/// What keys for PLONK and FFLONK have in common.
fn plonkish_zkey<H>(input: &[u8], key: &PlonkishKey<H>) {
    assert!(key.public_inputs() < key.witness_values() && key.file_bytes() == input.len());
    let (first, n) = (key.witness_values(), 1 << key.domain_log());
    for (number, addition) in key.additions().enumerate() {
        let addition = addition.expect("it was checked");
        assert!(addition.variables.iter().all(|&variable| variable < first + number));
    }
    for wire in plonk::Wire::ALL {
        let wires = key.wires(wire);
        assert!(wires.len() == key.constraints() && wires.len() <= n);
        let mut variables = (0..n).filter_map(|i| wires.get(i).expect("it was checked"));
        assert!(variables.all(|variable| variable < key.variables()));
    }
    for polynomial in plonk::Polynomial::ALL {
        for elements in [key.coefficients(polynomial), key.values(polynomial)] {
            for number in 0..elements.len() {
                match key.curve() {
                    Curve::Bn254 => drop(accepted(input, elements.get::<bn254::Fr>(number))),
                    _ => drop(accepted(input, elements.get::<bls12_381::Fr>(number))),
                }
            }
        }
    }
    points(&key.points());
}

/// Checks that either all points are read and on the curve, or none is.
fn points(section: &PointSection) {
    let mut bytes = vec![0; section.bytes().expect("memory") as usize];
    if let Err(error) = section.read_at(0, &mut bytes) {
        assert!(error.get_ref().is_some_and(|inner| inner.is::<FileError>()), "{error}");
        return;
    }
    let instance = section.instance();
    match (instance.curve, instance.group) {
        (Curve::Bn254, Group::G1) => on_curve::<bn254::G1>(&bytes),
        (Curve::Bn254, Group::G2) => on_curve::<bn254::G2>(&bytes),
        (Curve::Bls12_381, Group::G1) => on_curve::<bls12_381::G1>(&bytes),
        (Curve::Bls12_381, Group::G2) => on_curve::<bls12_381::G2>(&bytes),
        _ => panic!("a curve without files"),
    }
}

fn on_curve<C: proofmill_algebra::curve::Curve<Base: Coordinate>>(points: &[u8]) {
    for (number, point) in points.chunks(pair::bytes::<C>()).enumerate() {
        read::point::<C>(number, point, Check::Curve).unwrap_or_else(|_| panic!("in {}", C::NAME));
    }
}

fn is_scalar(curve: Curve, value: &Scalar) -> bool {
    use proofmill_algebra::field::PrimeField as _;
    match curve {
        Curve::Bn254 => bn254::Fr::from_le_bytes(value).is_ok(),
        _ => bls12_381::Fr::from_le_bytes(value).is_ok(),
    }
}

/// A witness.
pub(crate) fn wtns(input: &[u8]) {
    let read = Witness::from_bytes("input", input.to_vec());
    let Some(witness) = accepted(input, read) else { return };
    assert_eq!(witness.values().len(), witness.count());
    assert!(witness.values()[0][0] == 1);
    assert!(witness.values().iter().all(|value| is_scalar(witness.curve(), value)));
}

/// Checks that an accepted value survives a round trip.
fn again<T: Debug + PartialEq>(
    input: &[u8],
    parse: impl Fn(&str, &[u8]) -> Result<T>,
    text: impl Fn(&T) -> String,
) {
    let Some(value) = accepted(input, parse("input", input)) else { return };
    assert_eq!(parse("text", text(&value).as_bytes()).expect("what was written"), value);
}

/// A verifying key.
pub(crate) fn vkey(input: &[u8]) {
    use snarkjs::verifying_key::{parse, text};
    again(input, parse, |key| text(key).expect("points of the groups"));
    again(input, plonk::verifying_key::parse, |key| {
        plonk::verifying_key::text(key).expect("points of the groups")
    });
    again(input, fflonk::verifying_key::parse, |key| {
        fflonk::verifying_key::text(key).expect("points of the groups")
    });
}

/// A proof.
pub(crate) fn proof(input: &[u8]) {
    use snarkjs::proof::{parse, text};
    again(input, parse, |proof| text(proof).expect("points of the groups"));
    again(input, plonk::proof::parse, |proof| {
        plonk::proof::text(proof).expect("points of the groups")
    });
    again(input, fflonk::proof::parse, |proof| {
        fflonk::proof::text(proof).expect("points of the groups")
    });
}

/// Public values.
pub(crate) fn public(input: &[u8]) {
    use snarkjs::public::{parse, text};
    for curve in [Curve::Bn254, Curve::Bls12_381] {
        again(input, |name, bytes| parse(name, bytes, curve), |values: &Vec<_>| text(values));
    }
}

/// Returns the files that snarkjs made for PLONK and FFLONK.
macro_rules! plonkish_seeds {
    ($name:literal) => {
        [
            include_bytes!(concat!("../../../host/proof/tests/snarkjs/plonk_bn254/", $name))
                .to_vec(),
            include_bytes!(concat!("../../../host/proof/tests/snarkjs/fflonk_bn254/", $name))
                .to_vec(),
        ]
    };
}

fn circuits() -> impl Iterator<Item = Circuit> {
    let chain = |curve| Circuit::new(curve, &Statement::Chain { constraints: 3 });
    [Curve::Bn254, Curve::Bls12_381].into_iter().map(move |curve| chain(curve).expect("a circuit"))
}

pub(crate) fn ptau_seeds() -> Vec<Vec<u8>> {
    let write = |curve| {
        let mut file = Vec::new();
        let powers = InsecurePowersOfTau::new(curve, 1, b"fuzz").expect("a curve with files");
        powers.write(&mut file).expect("memory");
        file
    };
    [Curve::Bn254, Curve::Bls12_381].map(write).into()
}

pub(crate) fn zkey_seeds() -> Vec<Vec<u8>> {
    let write = |circuit: Circuit| {
        let mut file = Vec::new();
        circuit.write_insecure_key(b"fuzz", &mut file).expect("memory");
        file
    };
    circuits().map(write).chain(plonkish_seeds!("circuit.zkey")).collect()
}

pub(crate) fn wtns_seeds() -> Vec<Vec<u8>> {
    let write = |circuit: Circuit| {
        let mut file = Vec::new();
        circuit.write_witness(&mut file).expect("memory");
        file
    };
    circuits().map(write).collect()
}

pub(crate) fn vkey_seeds() -> Vec<Vec<u8>> {
    let text = |file: Vec<u8>| {
        let key = Zkey::from_bytes("seed", file.into()).expect("a key");
        let key = key.verifying_key().expect("a key's points");
        snarkjs::verifying_key::text(&key).expect("a key's points").into_bytes()
    };
    let groth16 = zkey_seeds().into_iter().take(2).map(text);
    groth16.chain(plonkish_seeds!("verification_key.json")).collect()
}

/// Generators, and the identity.
pub(crate) fn proof_seeds() -> Vec<Vec<u8>> {
    let bn254 = proof_of(Curve::Bn254, &bn254::G1::GENERATOR, &bn254::G2::GENERATOR);
    let bls12_381 =
        proof_of(Curve::Bls12_381, &bls12_381::G1::GENERATOR, &bls12_381::G2::GENERATOR);
    [bn254, bls12_381].concat().into_iter().chain(plonkish_seeds!("proof.json")).collect()
}

fn proof_of<C, D>(
    curve: Curve,
    g1: &proofmill_algebra::curve::Affine<C>,
    g2: &proofmill_algebra::curve::Affine<D>,
) -> Vec<Vec<u8>>
where
    C: proofmill_algebra::curve::Curve<Base: Coordinate>,
    D: proofmill_algebra::curve::Curve<Base: Coordinate>,
{
    let (point, b) = (pair::encode(g1), pair::encode(g2));
    let identity = vec![0; point.len()];
    let proof = |a: &Vec<u8>| {
        let (a, b, c) = (a.clone(), b.clone(), point.clone());
        let proof = proofmill_proof::groth16::Proof { curve, a, b, c };
        snarkjs::proof::text(&proof).expect("points").into_bytes()
    };
    vec![proof(&point), proof(&identity)]
}

pub(crate) fn public_seeds() -> Vec<Vec<u8>> {
    let values: [Scalar; 4] = std::array::from_fn(|i| [i as u8 * 7; 32]);
    vec![snarkjs::public::text(&values).into_bytes(), b"[]".to_vec()]
}
