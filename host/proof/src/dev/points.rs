//! Points in the form of the files: x and y, in G2 each with the coefficient of 1 first, as little-endian integers in
//! Montgomery form with R = 2^256 (BLS12-381: 2^384); the identity is zeros.

use std::io::{self, Write};

use proofmill_algebra::Isa;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::fixed_base::FixedBase;
use proofmill_algebra::lanes::affine::Point;
use proofmill_algebra::msm::Group;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::groups::radix;

/// Scalars that a thread processes at a time.
const PIECE: usize = 1 << 12;
/// Scalars whose points are in memory at a time.
const CHUNK: usize = 1 << 18;

/// Multiples of a group's generator, in the form of the files. Their coordinates consist of elements of P.
pub(super) struct Multiples<C: Group, P> {
    isa: Isa,
    base: FixedBase<C>,
    radix: C::Base,
    prime: std::marker::PhantomData<P>,
}

impl<C: Group<Base: Coordinate>, P: PrimeField> Multiples<C, P> {
    /// Builds a table for about `count` multiples.
    pub fn new(isa: Isa, count: usize) -> Self {
        let base = FixedBase::new(isa, &C::GENERATOR, count);
        Self { isa, base, radix: radix::<P, _>(), prime: std::marker::PhantomData }
    }

    /// Writes k G for every k. Runs in the caller's rayon pool.
    pub fn write(&self, out: &mut dyn Write, scalars: &[C::Scalar]) -> io::Result<()> {
        scalars.chunks(CHUNK).try_for_each(|chunk| {
            let pieces = || chunk.par_chunks(PIECE).map(|piece| self.piece(piece)).collect();
            let pieces: Vec<_> = parallel(pieces);
            pieces.iter().try_for_each(|piece| out.write_all(piece))
        })
    }

    fn piece(&self, scalars: &[C::Scalar]) -> Vec<u8> {
        let points = self.base.multiples_vartime(self.isa, scalars);
        in_montgomery_form(&self.radix, &Point::to_coordinates(self.isa, &points))
    }
}

/// Returns k G, in the form of the files.
pub(super) fn multiple<C: Group<Base: Coordinate>, P: PrimeField>(k: &C::Scalar) -> Vec<u8> {
    let point = Affine::from(Projective::<C>::generator().times_vartime(k));
    in_montgomery_form(&radix::<P, _>(), &[[point.x(), point.y()]])
}

fn in_montgomery_form<F: Coordinate>(radix: &F, points: &[[F; 2]]) -> Vec<u8> {
    let mut bytes = vec![0; points.as_flattened().len() * F::BYTES];
    for (to, from) in bytes.chunks_exact_mut(F::BYTES).zip(points.as_flattened()) {
        (*from * radix).write_le(to);
    }
    bytes
}
