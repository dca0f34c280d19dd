//! Powers of tau: `.ptau` of snarkjs, version 1, prepared for the second phase.

use std::io::{self, Write};

use proofmill_algebra::Isa;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::pairing::{Bls12381, Bn254};

use super::container::{HASH, begin, integers, note, section, whole_section};
use super::groups::{Groups, bytes, modulus, point_bytes};
use super::lagrange::{lagrange, powers, root};
use super::points::{Multiples, multiple};
use super::secrets::Secrets;
use crate::groth16::Curve;
use crate::{Error, Result};

/// Maximum power: its file has 19 GB on BN254.
pub const MAX_POWER: u32 = 24;

/// Bytes of the state of an unfinished hash in a contribution.
const PARTIAL_HASH: usize = 216;

/// A powers-of-tau file whose tau, alpha and beta are derived from a seed: INSECURE. snarkjs takes minutes to make one.
///
/// Its only contribution is named [`WARNING`](super::WARNING) and proves nothing. `snarkjs groth16 setup` makes keys with the
/// file, `snarkjs zkey verify` checks keys against it. `snarkjs powersoftau verify` refuses it, because of an invalid key in
/// its first challenge.
#[derive(Clone, Debug)]
pub struct InsecurePowersOfTau {
    curve: Curve,
    power: u32,
    seed: Vec<u8>,
}

impl InsecurePowersOfTau {
    /// Creates a file for circuits of at most 2^power constraints, from 1 to [`MAX_POWER`].
    pub fn new(curve: Curve, power: u32, seed: &[u8]) -> Result<Self> {
        if !(1..=MAX_POWER).contains(&power) {
            return Err(Error::argument("power", format!("{power} is not from 1 to {MAX_POWER}")));
        }
        if !matches!(curve, Curve::Bn254 | Curve::Bls12_381) {
            return Err(super::circuit::no_files(curve));
        }
        Ok(Self { curve, power, seed: seed.to_vec() })
    }

    /// Writes the file. Runs in the caller's rayon pool. Uses the best code path of this process.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let isa = Isa::best();
        match self.curve {
            Curve::Bls12_381 => write::<Bls12381>(isa, out, self.power, &self.seed),
            _ => write::<Bn254>(isa, out, self.power, &self.seed),
        }
    }
}

fn write<E: Groups>(isa: Isa, out: &mut dyn Write, power: u32, seed: &[u8]) -> io::Result<()> {
    let secrets = Secrets::<E::Fr>::new(seed);
    let Secrets { tau, alpha, beta, .. } = secrets;
    let n = 1_usize << power;
    let g1 = Multiples::<E::G1, E::Fp>::new(isa, 12 * n);
    let g2 = Multiples::<E::G2, E::Fp>::new(isa, 3 * n);
    let [g1_bytes, g2_bytes] = point_bytes::<E>();
    let of_g1 = |out: &mut dyn Write, number, scalars: &[_]| {
        section(out, number, scalars.len() as u64 * g1_bytes)?;
        g1.write(out, scalars)
    };
    let of_g2 = |out: &mut dyn Write, number, scalars: &[_]| {
        section(out, number, scalars.len() as u64 * g2_bytes)?;
        g2.write(out, scalars)
    };
    let times = |factor: E::Fr, scalars: &[E::Fr]| -> Vec<_> {
        scalars.iter().map(|scalar| factor * scalar).collect()
    };

    begin(out, b"ptau", 1, 11)?;
    section(out, 1, 4 + bytes::<E::Fp>() as u64 + 8)?;
    integers(out, &[bytes::<E::Fp>() as u32])?;
    out.write_all(&modulus::<E::Fp>())?;
    integers(out, &[power, power])?;
    let monomials = powers(tau, 2 * n - 1);
    of_g1(out, 2, &monomials)?;
    of_g2(out, 3, &monomials[..n])?;
    of_g1(out, 4, &times(alpha, &monomials[..n]))?;
    of_g1(out, 5, &times(beta, &monomials[..n]))?;
    whole_section(out, 6, &multiple::<E::G2, E::Fp>(&beta))?;
    whole_section(out, 7, &contribution::<E>(&secrets))?;
    let bases = all_bases(tau, power);
    of_g1(out, 12, &[&bases[..], &last_base(tau, power + 1)].concat())?;
    of_g2(out, 13, &bases)?;
    of_g1(out, 14, &times(alpha, &bases))?;
    of_g1(out, 15, &times(beta, &bases))
}

/// Returns the only contribution, with hashes of zeros: its name, its result, and its keys, which prove nothing.
fn contribution<E: Groups>(secrets: &Secrets<E::Fr>) -> Vec<u8> {
    let g1 = |k: &E::Fr| multiple::<E::G1, E::Fp>(k);
    let g2 = |k: &E::Fr| multiple::<E::G2, E::Fp>(k);
    let Secrets { tau, alpha, beta, .. } = secrets;
    let one = g1(&E::Fr::from(1));
    let mut bytes = 1_u32.to_le_bytes().to_vec();
    bytes.extend([g1(tau), g2(tau), g1(alpha), g1(beta), g2(beta)].concat());
    bytes.extend([&one, &g1(tau), &one, &g1(alpha), &one, &g1(beta)].map(Vec::as_slice).concat());
    bytes.extend([g2(tau), g2(alpha), g2(beta)].concat());
    bytes.extend([0; PARTIAL_HASH + HASH]);
    bytes.extend(note());
    bytes
}

/// Returns the Lagrange polynomials of all sizes up to 2^power at tau, ordered by size.
fn all_bases<F: PrimeField>(tau: F, power: u32) -> Vec<F> {
    (0..=power).flat_map(|log| lagrange(log, tau)).collect()
}

/// Returns those of size m = 2^log without their highest coefficients, w^i / m, because the file has no m-th power of tau.
fn last_base<F: PrimeField>(tau: F, log: u32) -> Vec<F> {
    let m = 1 << log;
    let highest =
        tau.pow_vartime(&[m as u64 - 1]) * F::from(m as u64).invert_vartime().expect("m is not 0");
    let powers = powers(root::<F>(log), m);
    lagrange(log, tau).iter().zip(powers).map(|(value, power)| *value - highest * power).collect()
}
