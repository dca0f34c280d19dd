//! The circuit hash of snarkjs: BLAKE2b-512 of the key before the first contribution.
//!
//! ```text
//! alpha, beta in G1; beta, gamma = 1 in G2; delta = 1 in G1, G2
//! count, IC | n - 1, tau^(n + i) - tau^i | count, C with delta = 1 | count, A | count, B1 | count, B2
//! ```
//!
//! Counts are big-endian, 32 bits. The powers of tau are hashed in blocks of 2^14; where n is larger, the last block ends with
//! i = n - 1. If the file has no tau^(2n - 1), the bytes that follow its powers are taken as a point, on the curve or not.

use std::ops::Range;

use num_bigint::BigUint;
use proofmill_algebra::curve::{Affine, Curve};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_op::process::parallel_map;

use super::compose::Composer;
use super::equations::{Curves, read_points};
use super::unreduced;
use crate::Result;
use crate::snarkjs::contributions::{HASH, big_endian, hasher};
use crate::snarkjs::{PointSection, Powers, PowersOfTau, Section, Zkey};

/// Powers of tau in a block of snarkjs.
const BLOCK: usize = 1 << 14;
/// Points that a thread converts at a time.
const PIECE: usize = 1 << 11;
/// Points in memory at a time.
const CHUNK: usize = 1 << 16;

/// Computes the hash. The header, IC, A, B1 and B2 are the key's, which do not change with contributions.
pub fn compute<E: Curves>(
    key: &Zkey,
    powers: &PowersOfTau,
    composer: &Composer,
) -> Result<[u8; HASH]> {
    let mut hash = CircuitHash(hasher());
    let g1 = pair::encode(&<E::G1 as Curve>::GENERATOR);
    let g2 = pair::encode(&<E::G2 as Curve>::GENERATOR);
    for point in [key.alpha_g1(), key.beta_g1(), key.beta_g2(), &g2, &g1, &g2] {
        hash.0.update(&big_endian(point));
    }
    hash.section::<E::G1>(&key.ic_points())?;
    hash.quotients::<E>(powers, 1 << key.domain_log())?;
    let private = key.public_inputs() + 1..key.variables();
    hash.list(private.len(), |range| {
        composer.points::<E>(private.start + range.start..private.start + range.end)
    })?;
    hash.section::<E::G1>(&key.points(Section::A))?;
    hash.section::<E::G1>(&key.points(Section::B1))?;
    hash.section::<E::G2>(&key.points(Section::B2))?;
    Ok(*hash.0.finalize().as_array())
}

struct CircuitHash(blake2b_simd::State);

impl CircuitHash {
    fn count(&mut self, count: usize) {
        self.0.update(&(count as u32).to_be_bytes());
    }

    /// Hashes the number of points and the points, in chunks that the function returns.
    fn list<C: Curve<Base: Coordinate>>(
        &mut self,
        count: usize,
        points: impl Fn(Range<usize>) -> Result<Vec<Affine<C>>>,
    ) -> Result<()> {
        self.count(count);
        for start in (0..count).step_by(CHUNK) {
            self.points(&points(start..count.min(start + CHUNK))?);
        }
        Ok(())
    }

    fn points<C: Curve<Base: Coordinate>>(&mut self, points: &[Affine<C>]) {
        let each = pair::bytes::<C>();
        let mut bytes = vec![0; points.len() * each];
        for (bytes, point) in bytes.chunks_exact_mut(each).zip(points) {
            let (x, y) = bytes.split_at_mut(each / 2);
            point.x().write_be(x);
            point.y().write_be(y);
        }
        self.0.update(&bytes);
    }

    fn section<C: proofmill_algebra::msm::Group>(&mut self, section: &PointSection) -> Result<()> {
        self.list(section.count(), |range| {
            in_pieces(range, |piece| read_points::<C>(&section.range(piece.start, piece.len())))
        })
    }

    /// Hashes the differences of the powers of tau.
    fn quotients<E: Curves>(&mut self, powers: &PowersOfTau, n: usize) -> Result<()> {
        let tau = powers.powers(Powers::TauG1);
        self.count(n - 1);
        let count = if n - 1 > BLOCK { n } else { n - 1 };
        let known = count.min(tau.count() - n);
        for start in (0..known).step_by(CHUNK) {
            let differences = in_pieces(start..known.min(start + CHUNK), |piece| {
                let read = |first| read_points::<E::G1>(&tau.range(first, piece.len()));
                let (high, low) = (read(n + piece.start)?, read(piece.start)?);
                let pairs: Vec<_> = high.into_iter().zip(low.into_iter().map(|low| -low)).collect();
                Ok(Affine::sums_vartime(&pairs))
            })?;
            self.points(&differences);
        }
        if known < count {
            let low = read_points::<E::G1>(&tau.range(known, 1))?[0];
            self.points(&[beyond::<E>(powers.after_tau_g1(), low)]);
        }
        Ok(())
    }
}

/// Computes points in parallel.
fn in_pieces<C: Curve>(
    range: Range<usize>,
    points: impl Fn(Range<usize>) -> Result<Vec<Affine<C>>> + Sync,
) -> Result<Vec<Affine<C>>> {
    let piece = |i: usize| {
        let start = range.start + i * PIECE;
        points(start..range.end.min(start + PIECE))
    };
    let pieces = parallel_map(range.len().div_ceil(PIECE), &piece);
    Ok(pieces.into_iter().collect::<Result<Vec<_>>>()?.concat())
}

/// Subtracts a point from two coordinates in Montgomery form, which need not be those of a point.
fn beyond<E: Curves>(bytes: &[u8], low: Affine<E::G1>) -> Affine<E::G1> {
    let each = pair::bytes::<E::G1>() / 2;
    let integer = |limbs: &[u64]| {
        limbs.iter().rev().fold(BigUint::ZERO, |number, limb| (number << 64) + *limb)
    };
    let p = integer(BaseOf::<E>::MODULUS);
    let form = |element: BaseOf<E>| integer(element.to_montgomery().as_ref());
    let [x1, y1] = [0, 1].map(|i| {
        let part = bytes.get(i * each..).unwrap_or_default();
        BigUint::from_bytes_le(&part[..part.len().min(each)])
    });
    let (x2, y2) = (form(low.x()), form(-low.y()));
    let [x, y, z] = unreduced::sum(&p, 8 * each, [&x1, &y1], [&x2, &y2]).map(|number| {
        let mut bytes = (number % &p).to_bytes_le();
        bytes.resize(each, 0);
        BaseOf::<E>::from_le_bytes(&bytes).expect("below p")
    });
    let radix = (0..8 * each).fold(BaseOf::<E>::ONE, |power, _| power.double());
    let inverse = radix * z.invert_vartime().unwrap_or(BaseOf::<E>::ZERO);
    let over_radix = radix.invert_vartime().expect("a power of 2");
    let [x, y] = [x, y].map(|number| number * over_radix);
    let square = inverse.square();
    Affine::new_unchecked(x * square, y * square * inverse)
}

/// The coordinates of G1.
type BaseOf<E> = <<E as proofmill_algebra::pairing::Pairing>::G1 as Curve>::Base;
