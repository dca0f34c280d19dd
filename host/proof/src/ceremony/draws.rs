//! Field elements and points drawn from a seed, as snarkjs draws them: the words of ChaCha20 (RFC 8439, a counter from 0, a nonce
//! of zeros).
//!
//! An element is the first of the drawn integers that is below the modulus; the integer is its Montgomery form. A point is the first x with
//! a point, the sign of y by one more word, times the cofactor.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng as _, SeedableRng as _};
use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::tower::{Fp2, Tower};
use proofmill_algebra::{bls12_381, bn254};

/// A generator of elements and points.
pub struct Draws(ChaCha20Rng);

impl Draws {
    /// Creates a generator. The key of ChaCha20 is the first eight big-endian words of the hash.
    pub fn new(hash: &[u8]) -> Self {
        let mut seed = [0; 32];
        for (word, bytes) in seed.as_chunks_mut::<4>().0.iter_mut().zip(hash.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*bytes).to_le_bytes();
        }
        Self(ChaCha20Rng::from_seed(seed))
    }

    fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// Draws an element.
    pub fn element<F: PrimeField>(&mut self) -> F {
        loop {
            let mut form = F::ZERO.to_canonical();
            for limb in form.as_mut() {
                *limb = u64::from(self.word()) << 32 | u64::from(self.word());
            }
            if let Some(top) = form.as_mut().last_mut() {
                *top &= u64::MAX >> (u64::BITS - 1 - (F::BITS - 1) % u64::BITS);
            }
            if let Some(element) = F::from_montgomery(form).into_option() {
                return element;
            }
        }
    }

    /// Draws a point of the subgroup.
    pub fn point<C: Curve<Base: Drawn>>(&mut self) -> Projective<C> {
        let point = loop {
            let x = C::Base::draw(self);
            let is_larger = self.word() & 1 == 1;
            if let Some(point) = Affine::<C>::from_x(x).into_option() {
                break if point.y().is_larger_than_negative() == is_larger {
                    point
                } else {
                    -point
                };
            }
        };
        Projective::from(point).times_public(C::COFACTOR)
    }
}

/// A coordinate that can be drawn.
pub trait Drawn: Coordinate {
    /// Draws an element; over Fp2 the coefficient of 1 first.
    fn draw(draws: &mut Draws) -> Self;
}

impl Drawn for bn254::Fp {
    fn draw(draws: &mut Draws) -> Self {
        draws.element()
    }
}

impl Drawn for bls12_381::Fp {
    fn draw(draws: &mut Draws) -> Self {
        draws.element()
    }
}

impl<T: Tower> Drawn for Fp2<T> {
    fn draw(draws: &mut Draws) -> Self {
        let c0 = draws.element();
        Self::new(c0, draws.element())
    }
}
