//! The contract for PLONK.

use proofmill_algebra::curve::Curve as _;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::{Bn254Fr, PrimeField};
use proofmill_algebra::pairing::{Bn254, Pairing};

use super::groth16::negated;
use super::template::{Template, constant, g1, g2, lines};
use super::{ContractName, hex, require_bn254, words};
use crate::Result;
use crate::groth16::quotient::root;
use crate::plonk::{PreparedVerifyingKey, VerifyingKey};

type G2 = <Bn254 as Pairing>::G2;

/// Adds the public inputs from x_1 on as fractions.
const FRACTIONS: &str = "
let numerator := 0
let denominator := 1
let power := 1
for { let i := 0x20 } lt(i, @END@) { i := add(i, 0x20) } {
    let x := calldataload(add(inputs, i))
    ok := and(ok, lt(x, R))
    power := mulmod(power, OMEGA, R)
    let difference := add(mload(add(m, ZETA)), sub(R, power))
    x := mulmod(mulmod(x, power, R), denominator, R)
    numerator := addmod(mulmod(numerator, difference, R), x, R)
    denominator := mulmod(denominator, difference, R)
}
";

/// Adds x_0 to these.
const VALUE: &str = "
let x := calldataload(inputs)
ok := and(ok, lt(x, R))
x := add(mulmod(x, denominator, R), mulmod(numerator, first, R))
value := mulmod(scale, x, R)
";

/// The only public input.
const SINGLE_VALUE: &str = "
let x := calldataload(inputs)
ok := and(ok, lt(x, R))
value := mulmod(l0, x, R)
";

/// Writes the contract.
pub fn contract(key: &VerifyingKey, name: Option<&ContractName>) -> Result<String> {
    require_bn254("verifying key", key.curve)?;
    PreparedVerifyingKey::new(key)?;
    let log = key.domain_log;
    let scalar = |bytes: &[u8]| words(bytes).map(|word| hex(&word)).collect::<String>();
    let mut constants = vec![
        constant("N", &(1_u64 << log).to_string()),
        constant("OMEGA", &scalar(root::<Bn254Fr>(log).to_le_bytes().as_ref())),
        constant("K1", &scalar(&key.k1)),
        constant("K2", &scalar(&key.k2)),
    ];
    let points = [
        ("QM", &key.q_m),
        ("QL", &key.q_l),
        ("QR", &key.q_r),
        ("QO", &key.q_o),
        ("QC", &key.q_c),
        ("S1", &key.s1),
        ("S2", &key.s2),
        ("S3", &key.s3),
    ];
    constants.extend(points.into_iter().flat_map(|(name, point)| g1(name, point)));
    constants.extend(g2("NEG_TAU", &negated::<G2>(&key.x_g2)?));
    let one = pair::encode(&G2::GENERATOR);

    let public_inputs = key.public_inputs;
    let bytes = 32 * public_inputs;
    let copied = format!("calldatacopy(add(m, 0x200), inputs, {bytes:#x})");
    let squarings = vec!["power := mulmod(power, power, R)".to_owned(); log as usize];
    let value = match public_inputs {
        0 => vec![],
        1 => lines(SINGLE_VALUE),
        _ => lines(VALUE),
    };
    Template::new(include_str!("plonk.sol"), public_inputs)
        .with("DOMAIN", &format!("2^{log}"))
        .with_lines("ONE", &g2("ONE", &one).collect::<Vec<_>>())
        .with_lines("KEY", &constants)
        .with_lines("HASHED_PUBLIC", &[copied][..public_inputs.min(1)])
        .with("WIRES_AT", &format!("{:#x}", 0x200 + bytes))
        .with("FIRST_ROUND", &format!("{:#x}", 0x2c0 + bytes))
        .with_lines("SQUARINGS", &squarings)
        .with_lines("FRACTIONS", &fractions(public_inputs))
        .with_lines("VALUE", &value)
        .finish(name, "PlonkVerifier")
}

/// Returns the code that adds the public inputs from x_1 on as fractions.
pub fn fractions(public_inputs: usize) -> Vec<String> {
    match public_inputs {
        0 | 1 => lines("\nlet denominator := 1"),
        _ => lines(&FRACTIONS.replace("@END@", &format!("{:#x}", 32 * public_inputs))),
    }
}
