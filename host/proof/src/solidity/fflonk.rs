//! The contract for FFLONK.

use proofmill_algebra::curve::Curve as _;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::{Bn254Fr, Field, PrimeField};
use proofmill_algebra::pairing::{Bn254, Pairing};

use super::groth16::negated;
use super::plonk::fractions;
use super::template::{Template, constant, g1, g2, lines};
use super::{ContractName, hex, words};
use crate::Result;
use crate::fflonk::{PreparedVerifyingKey, VerifyingKey};
use crate::groth16::quotient::root;

type F = Bn254Fr;
type G2 = <Bn254 as Pairing>::G2;

/// Adds x_0 to the fractions.
const SUM: &str = "
let x := calldataload(inputs)
ok := and(ok, lt(x, R))
sum := addmod(mulmod(x, others, R), mulmod(numerator, first, R), R)
";

/// The only public input.
const SINGLE_SUM: &str = "
sum := calldataload(inputs)
ok := lt(sum, R)
";

/// Writes the contract.
pub fn contract(key: &VerifyingKey, name: Option<&ContractName>) -> Result<String> {
    PreparedVerifyingKey::new(key)?;
    let (log, public_inputs) = (key.domain_log, key.public_inputs);
    let omega = root::<F>(log);
    let scalar = |bytes: &[u8]| words(bytes).map(|word| hex(&word)).collect::<String>();
    let element = |value: F| scalar(value.to_le_bytes().as_ref());
    let step = (omega - F::ONE).invert_vartime().expect("a root of an order above 1");
    let mut constants = vec![
        constant("N", &(1_u64 << log).to_string()),
        constant("OMEGA", &element(omega)),
        constant("K1", &scalar(&key.k1)),
        constant("K2", &scalar(&key.k2)),
        constant("INV_STEP", &element(step)),
        constant("FACTOR", &element(factor(log, omega, public_inputs))),
    ];
    constants.extend(g1("C0", &key.c0));
    constants.extend(g2("NEG_TAU", &negated::<G2>(&key.x_g2)?));
    let one = pair::encode(&G2::GENERATOR);

    let bytes = 32 * public_inputs;
    let copied = format!("calldatacopy(add(m, 0x40), inputs, {bytes:#x})");
    let squarings = vec!["value := mulmod(value, value, R)".to_owned(); log as usize];
    let sum = match public_inputs {
        0 => vec![],
        1 => lines(SINGLE_SUM),
        _ => lines(SUM),
    };
    Template::new(include_str!("fflonk.sol"), public_inputs)
        .with("DOMAIN", &format!("2^{log}"))
        .with_lines("ONE", &g2("ONE", &one).collect::<Vec<_>>())
        .with_lines("KEY", &constants)
        .with_lines("HASHED_PUBLIC", &[copied][..public_inputs.min(1)])
        .with("POINT_AT", &format!("{:#x}", 0x40 + bytes))
        .with("FIRST_ROUND", &format!("{:#x}", 0x80 + bytes))
        .with_lines("SQUARINGS", &squarings)
        .with_lines("FRACTIONS", &fractions(public_inputs))
        .with_lines("SUM", &sum)
        .finish(name, "FflonkVerifier")
}

/// Returns the constant factor of the denominators whose inverse is part of a proof
/// ([`AtY::denominators`](crate::fflonk::challenges::AtY::denominators)), divided by n.
fn factor(log: u32, omega: F, public_inputs: usize) -> F {
    let power = |x: F, exponent: u64| x.pow_vartime(&[exponent]);
    let interpolations = power(F::from(8), 8) * power(F::from(4), 4) * power(F::from(3), 6);
    let lagrange = power(F::from(1 << log), public_inputs.max(1) as u64 - 1);
    -interpolations * omega.square() * power(F::ONE - omega, 6) * lagrange
}
