//! The files of `dev`, without the readers of this crate.

mod file;
mod key;
mod powers;

use proofmill_proof::dev::{Circuit, InsecurePowersOfTau, Statement};
use proofmill_proof::groth16::Curve;

#[test]
fn what_there_is_no_file_of_is_refused_by_name() {
    let circuit = |curve, statement: Statement| Circuit::new(curve, &statement).unwrap_err();
    let powers = |curve, power| InsecurePowersOfTau::new(curve, power, b"").unwrap_err();
    let chain = |constraints| Statement::Chain { constraints };
    for (error, name) in [
        (circuit(Curve::Bls12_377, chain(1)), "curve: bls12_377"),
        (circuit(Curve::Bn254, chain(0)), "constraints: 0"),
        (circuit(Curve::Bn254, chain(usize::MAX)), "constraints: "),
        (circuit(Curve::Bn254, Statement::Sha256 { preimage: vec![0; 1 << 16] }), "preimage: "),
        (powers(Curve::Bn254, 0), "power: 0"),
        (powers(Curve::Bn254, 60), "power: 60"),
        (powers(Curve::Bls12_377, 3), "curve: bls12_377"),
    ] {
        assert!(error.to_string().starts_with(name), "{error}");
    }
}
