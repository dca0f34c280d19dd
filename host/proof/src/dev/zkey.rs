//! Proving keys: `.zkey` of snarkjs, version 1, for Groth16.

use std::io::{self, Write};

use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;

use super::container::{HASH, begin, integers, note, section, whole_section};
use super::groups::{Groups, bytes, modulus, point_bytes, radix};
use super::points::{Multiples, multiple};
use super::r1cs::Builder;
use super::secrets::Secrets;
use super::setup::{Scalars, domain_log};

/// The protocol's number.
const GROTH16: u32 = 1;

/// Writes the INSECURE key of a circuit.
pub(super) fn write<E: Groups>(
    isa: Isa,
    out: &mut dyn Write,
    circuit: &Builder<E::Fr>,
    seed: &[u8],
) -> io::Result<()> {
    let secrets = Secrets::new(seed);
    let scalars = Scalars::new(circuit, &secrets);
    let [g1_bytes, g2_bytes] = point_bytes::<E>();
    let on_g1 = 2 * scalars.a.len() + scalars.privates.len() + scalars.h.len();
    let g1 = Multiples::<E::G1, E::Fp>::new(isa, on_g1);
    let g2 = Multiples::<E::G2, E::Fp>::new(isa, scalars.b.len());

    begin(out, b"zkey", 1, 10)?;
    whole_section(out, 1, &GROTH16.to_le_bytes())?;
    whole_section(out, 2, &header::<E>(circuit, &secrets))?;
    let of_g1 = |out: &mut dyn Write, number, scalars: &[_]| {
        section(out, number, scalars.len() as u64 * g1_bytes)?;
        g1.write(out, scalars)
    };
    of_g1(out, 3, &scalars.public_inputs)?;
    coefficients(out, circuit)?;
    of_g1(out, 5, &scalars.a)?;
    of_g1(out, 6, &scalars.b)?;
    section(out, 7, scalars.b.len() as u64 * g2_bytes)?;
    g2.write(out, &scalars.b)?;
    of_g1(out, 8, &scalars.privates)?;
    of_g1(out, 9, &scalars.h)?;
    whole_section(out, 10, &contributions::<E>(&secrets))
}

/// Returns the header: fields, sizes, and the single points.
fn header<E: Groups>(circuit: &Builder<E::Fr>, secrets: &Secrets<E::Fr>) -> Vec<u8> {
    let integer = |number: usize| (number as u32).to_le_bytes();
    let g1 = |k| multiple::<E::G1, E::Fp>(k);
    let g2 = |k| multiple::<E::G2, E::Fp>(k);
    let Secrets { alpha, beta, delta, .. } = secrets;
    let gamma = E::Fr::from(1);
    [
        &integer(bytes::<E::Fp>())[..],
        &modulus::<E::Fp>(),
        &integer(bytes::<E::Fr>()),
        &modulus::<E::Fr>(),
        &integer(circuit.values().len()),
        &integer(circuit.public_inputs()),
        &integer(1 << domain_log(circuit)),
        &g1(alpha),
        &g1(beta),
        &g2(beta),
        &g2(&gamma),
        &g1(delta),
        &g2(delta),
    ]
    .concat()
}

/// Writes the terms of A and B: matrix, row, variable, and the coefficient times R^2, R = 2^256. The rows of the public
/// variables are among those of A.
fn coefficients<F: PrimeField>(out: &mut dyn Write, circuit: &Builder<F>) -> io::Result<()> {
    let [a, b, _] = circuit.matrices();
    let count = a.terms() + b.terms() + circuit.public_inputs() + 1;
    let r_squared = radix::<F, F>().square();
    section(out, 4, 4 + (count * (12 + bytes::<F>())) as u64)?;
    integers(out, &[count as u32])?;
    let mut term = |matrix, row, variable, coefficient: F| {
        integers(out, &[matrix, row, variable])?;
        out.write_all((coefficient * r_squared).to_le_bytes().as_ref())
    };
    for (row, (a, b)) in (0..).zip(a.rows().zip(b.rows())) {
        for (matrix, terms) in [(0, a), (1, b)] {
            for (variable, coefficient) in terms {
                term(matrix, row, *variable, *coefficient)?;
            }
        }
    }
    let public_inputs = circuit.constraints() as u32..;
    (0..=circuit.public_inputs() as u32)
        .zip(public_inputs)
        .try_for_each(|(i, row)| term(0, row, i, F::ONE))
}

/// Returns the only contribution, whose name is a warning. It does not prove that delta is unknown, so that `snarkjs zkey
/// verify` refuses the key, as it should.
fn contributions<E: Groups>(secrets: &Secrets<E::Fr>) -> Vec<u8> {
    let one = E::Fr::from(1);
    let g1 = |k| multiple::<E::G1, E::Fp>(k);
    [
        &[0; HASH][..], // of the circuit
        &1_u32.to_le_bytes(),
        &g1(&secrets.delta),
        &g1(&one),
        &g1(&secrets.delta),
        &multiple::<E::G2, E::Fp>(&secrets.delta),
        &[0; HASH], // of what went before
        &note(),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proofmill_algebra::bn254::Fr;
    use proofmill_algebra::pairing::Bn254;
    use proofmill_cpu::CpuDevice;

    use super::*;
    use crate::dev::{r1cs::Linear, wtns};
    use crate::groth16::{Devices, Prover, Settings, verify};
    use crate::snarkjs::{Witness, Zkey, public, verifying_key};

    #[test]
    fn a_circuit_without_public_values_is_proved() {
        let mut circuit = Builder::new(0);
        let root = Linear::variable(circuit.private(Fr::from(5)));
        circuit.constrain(&root, &root, &Linear::constant(Fr::from(25)));
        let (mut key, mut witness) = (Vec::new(), Vec::new());
        write::<Bn254>(Isa::best(), &mut key, &circuit, b"nothing public").unwrap();
        wtns::write(&mut witness, circuit.values()).unwrap();
        let key = Zkey::from_bytes("key", key.into()).unwrap();
        let witness = Witness::from_bytes("witness", witness).unwrap();
        let device = Arc::new(CpuDevice::new(Some(1)).unwrap());
        let prover = Prover::new(&key, Devices::one(device), Settings::default()).unwrap();
        let proved = prover.prove(&witness).unwrap();
        assert_eq!(public::text(&proved.public_inputs), "[\n]");
        let text = verifying_key::text(&key.verifying_key().unwrap()).unwrap();
        let verifying = verifying_key::parse("key", text.as_bytes()).unwrap();
        assert!(verify(&verifying, &[], &proved.proof).unwrap());
        assert!(verify(&verifying, &[[0; 32]], &proved.proof).is_err());
    }
}
