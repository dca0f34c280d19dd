//! Joint verification of Groth16 proofs of one key, compared with blst and gnark.
//!
//! Ours is `PreparedVerifyingKey::find_invalid` from canonical bytes of points on. blst's program uses the same equation with random
//! numbers of the same 128 bits; gnark verifies one proof after the other, as it has no batch. All check that the points of the
//! proofs are in the subgroups.

use std::time::Instant;

use anyhow::{Context, Result, ensure};
use proofmill::groth16::{Curve, PreparedVerifyingKey, Proof, Scalar, VerifyingKey};
use proofmill_algebra::bls12_381::{Fr, G1, G2};
use proofmill_algebra::curve::{Affine, Curve as Group, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_algebra::encoding::zcash::{Zcash, encode_uncompressed};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_cpu::thread_pool;
use works::groth16::{self as written, Work};

use super::{scalar, verified};
use crate::peers::{Library, Peer, Peers};
use crate::report;
use crate::software::Rows;

/// Public inputs of a proof.
const PUBLICS: usize = 4;

/// Measures the rows.
pub fn rows(rows: &mut Rows, peers: &Peers, quick: bool) -> Result<()> {
    let (count, rounds) = (64, if quick { 2 } else { 21 });
    let Sample { key, proofs, written } = Sample::new(count)?;
    let path = report::write("inputs/groth16", &[written])?;
    let key = PreparedVerifyingKey::new(&key)?;
    let pool = thread_pool(Some(1))?;
    let ours = || {
        pool.install(|| {
            let start = Instant::now();
            verify(&key, &proofs)?;
            Ok(start.elapsed().as_secs_f64())
        })
    };
    let work = works::Work::Groth16(Work { proofs: path });
    let gnark = format!("{}, one after the other", Library::Gnark.name());
    let theirs = vec![
        Peer::new(peers, Library::Blst, work.clone()),
        Peer::new(peers, Library::Gnark, work).named(gnark),
    ];
    verified(rows, &format!("{count} Groth16 proofs of one key"), rounds, ours, theirs)
}

fn verify(key: &PreparedVerifyingKey, proofs: &[(Vec<Scalar>, Proof)]) -> Result<()> {
    let claims: Vec<_> =
        proofs.iter().map(|(public_inputs, proof)| (&public_inputs[..], proof)).collect();
    ensure!(key.find_invalid(&claims)?.is_empty(), "we find a proof invalid");
    Ok(())
}

/// A key, and proofs made with its secrets, for all sides.
struct Sample {
    key: VerifyingKey,
    proofs: Vec<(Vec<Scalar>, Proof)>,
    written: written::Proofs,
}

impl Sample {
    /// Creates a key and proofs. C is chosen so that A B = alpha beta + (sum of x_i IC_i) gamma + C delta.
    fn new(count: usize) -> Result<Self> {
        let [alpha, beta, gamma, delta] = [0, 1, 2, 3].map(|i| scalar("key", i));
        let ic: Vec<_> = (0..=PUBLICS).map(|i| scalar("IC", i)).collect();
        let divisor = Option::<Fr>::from(delta.invert()).context("delta is 0")?;
        let mut proofs = Vec::with_capacity(count);
        let mut others = Vec::with_capacity(count);
        for i in 0..count {
            let (a, b) = (scalar("A", i), scalar("B", i));
            let public_inputs: Vec<_> =
                (0..PUBLICS).map(|j| scalar("x", PUBLICS * i + j)).collect();
            let statement =
                public_inputs.iter().zip(&ic[1..]).fold(ic[0], |sum, (x, ic)| sum + *x * *ic);
            let c = (a * b - alpha * beta - statement * gamma) * divisor;
            let (a, b, c) = (point::<G1>(&a), point::<G2>(&b), point::<G1>(&c));
            let (encoded_a, encoded_c) = (pair::encode(&a), pair::encode(&c));
            proofs.push((
                public_inputs.iter().map(PrimeField::to_le_bytes).collect(),
                Proof { curve: Curve::Bls12_381, a: encoded_a, b: pair::encode(&b), c: encoded_c },
            ));
            let public_inputs =
                public_inputs.iter().map(|x| hex::encode(x.to_be_bytes())).collect();
            others.push(written::Proof { public_inputs, a: text(&a), b: text(&b), c: text(&c) });
        }
        let ic: Vec<_> = ic.iter().map(point::<G1>).collect();
        let (alpha, beta) = (point::<G1>(&alpha), point::<G2>(&beta));
        let (gamma, delta) = (point::<G2>(&gamma), point::<G2>(&delta));
        let key = VerifyingKey {
            curve: Curve::Bls12_381,
            alpha_g1: pair::encode(&alpha),
            beta_g2: pair::encode(&beta),
            gamma_g2: pair::encode(&gamma),
            delta_g2: pair::encode(&delta),
            ic: ic.iter().map(pair::encode).collect(),
        };
        let written = written::Proofs {
            alpha: text(&alpha),
            beta: text(&beta),
            gamma: text(&gamma),
            delta: text(&delta),
            ic: ic.iter().map(text).collect(),
            proofs: others,
        };
        Ok(Self { key, proofs, written })
    }
}

fn point<C: Group<Scalar = Fr>>(k: &Fr) -> Affine<C> {
    Projective::generator().times(k).into()
}

fn text<C: Zcash>(point: &Affine<C>) -> String {
    hex::encode(encode_uncompressed(point))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proofs_are_valid_and_differ() {
        let Sample { key, mut proofs, written } = Sample::new(3).unwrap();
        assert_eq!((written.proofs.len(), written.ic.len()), (3, PUBLICS + 1));
        assert_ne!(proofs[0], proofs[1]);
        let key = PreparedVerifyingKey::new(&key).unwrap();
        verify(&key, &proofs).unwrap();
        proofs[1].0[2][0] ^= 1;
        assert!(verify(&key, &proofs).is_err());
    }
}
