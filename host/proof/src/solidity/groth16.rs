//! The contract for Groth16.

use proofmill_algebra::curve::Curve as Group;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::pairing::{Bn254, Pairing};

use super::template::{Template, g1, g2, lines};
use super::{ContractName, require_bn254};
use crate::Result;
use crate::groth16::suite::point;
use crate::groth16::{PreparedVerifyingKey, VerifyingKey};

/// The function of a key with public inputs.
const ADD_MULTIPLE: &str = "
// Adds a multiple of the point (x, y) to the sum at `sum`. ok is 0 if the factor is not below R.
function addMultiple(sum, x, y, factor) -> ok {
    let term := add(sum, 0x40)
    mstore(term, x)
    mstore(add(sum, 0x60), y)
    mstore(add(sum, 0x80), factor)
    ok := and(lt(factor, R), staticcall(gas(), EC_MUL, term, 0x60, term, 0x40))
    ok := and(ok, staticcall(gas(), EC_ADD, sum, 0x80, sum, 0x40))
}
";

/// Writes the contract.
pub fn contract(key: &VerifyingKey, name: Option<&ContractName>) -> Result<String> {
    require_bn254("verifying key", key.curve)?;
    PreparedVerifyingKey::new(key)?;
    let mut constants = Vec::new();
    constants.extend(g1("NEG_ALPHA", &negated::<<Bn254 as Pairing>::G1>(&key.alpha_g1)?));
    constants.extend(g2("BETA", &key.beta_g2));
    constants.extend(g2("NEG_GAMMA", &negated::<<Bn254 as Pairing>::G2>(&key.gamma_g2)?));
    constants.extend(g2("NEG_DELTA", &negated::<<Bn254 as Pairing>::G2>(&key.delta_g2)?));
    for (i, point) in key.ic.iter().enumerate() {
        constants.extend(g1(&format!("IC_{i}"), point));
    }
    let public_inputs = key.public_inputs();
    let mut function = Vec::new();
    if public_inputs > 0 {
        function.extend(lines(ADD_MULTIPLE));
        function.push(String::new());
    }
    let term = |i: usize| {
        let input = match i {
            0 => "publicInputs".to_owned(),
            _ => format!("add(publicInputs, {:#x})", 32 * i),
        };
        let ic = i + 1;
        format!("ok := and(ok, addMultiple(pairs, IC_{ic}_X, IC_{ic}_Y, calldataload({input})))")
    };
    Template::new(include_str!("groth16.sol"), public_inputs)
        .with_lines("KEY", &constants)
        .with_lines("ADD_MULTIPLE", &function)
        .with_lines("SUM", &(0..public_inputs).map(term).collect::<Vec<_>>())
        .finish(name, "Groth16Verifier")
}

/// Negates a point of the key.
pub fn negated<C: Group<Base: Coordinate>>(bytes: &[u8]) -> Result<Vec<u8>> {
    let negated = -point::<C>("verifying key", "a point", bytes)?;
    Ok(pair::encode(&negated))
}
