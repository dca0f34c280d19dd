//! Maps from fields to the groups of BLS12-381, and the other parts of hashing to curves (RFC 9380;
//! `spec/hashes/hash_to_curve_bls12_381.toml`) except hash functions: [`FromBytes`] makes field elements of their output.
//!
//! Time depends on the field elements: hashed messages are public.

use crate::batch::{ClearedEach, Roots};
use crate::bls12_381::{Fp, Fp2, G1, G2};
use crate::curve::Affine;
use crate::field::{Field, PrimeField};
use crate::isa::Isa;

/// The primary numbers of `spec/hashes`.
#[allow(clippy::unreadable_literal)]
mod spec {
    include!(concat!(env!("OUT_DIR"), "/hash_to_curve.rs"));
}

/// Bytes of hash output for a coefficient: as many bits more than the modulus has as the curve's security level.
pub const COEFFICIENT_BYTES: usize = 64;

/// A field element from hash output.
pub trait FromBytes: Field {
    /// Bytes of hash output for an element.
    const HASHED: usize;

    /// Integers, big-endian, modulo p: section 5.2. Panics unless there are [`Self::HASHED`] bytes.
    fn from_hash(bytes: &[u8]) -> Self;

    /// The parity of the first coefficient that is not 0: sgn0, section 4.1.
    fn is_odd(&self) -> bool;
}

impl FromBytes for Fp {
    const HASHED: usize = COEFFICIENT_BYTES;

    fn from_hash(bytes: &[u8]) -> Self {
        let mut bytes: [u8; COEFFICIENT_BYTES] = bytes.try_into().expect("64 bytes");
        bytes.reverse();
        Self::reduce_wide_le(&bytes)
    }

    fn is_odd(&self) -> bool {
        self.to_canonical().as_ref()[0] & 1 == 1
    }
}

impl FromBytes for Fp2 {
    const HASHED: usize = 2 * COEFFICIENT_BYTES;

    fn from_hash(bytes: &[u8]) -> Self {
        let (c0, c1) = bytes.split_at(COEFFICIENT_BYTES);
        Self::new(Fp::from_hash(c0), Fp::from_hash(c1))
    }

    fn is_odd(&self) -> bool {
        if self.c0 == Fp::ZERO { self.c1.is_odd() } else { self.c0.is_odd() }
    }
}

/// A group that can be hashed to.
pub trait Mapped: ClearedEach<Base: FromBytes + Roots> {
    /// a, b and z of the simplified SWU map to E': y^2 = x^3 + a x + b.
    const SWU: [Self::Base; 3];

    /// Numerator and denominator of x, then of y / y', of the isogeny from E' at an x.
    fn isogeny(x: Self::Base) -> [Self::Base; 4];
}

impl Mapped for G1 {
    const SWU: [Fp; 3] =
        [Fp::constant(spec::g1::A), Fp::constant(spec::g1::B), Fp::constant(spec::g1::Z)];

    fn isogeny(x: Fp) -> [Fp; 4] {
        use spec::g1::{X_DEN, X_NUM, Y_DEN, Y_NUM};
        [&X_NUM[..], &X_DEN, &Y_NUM, &Y_DEN].map(|list| polynomial(x, list, Fp::constant))
    }
}

impl Mapped for G2 {
    const SWU: [Fp2; 3] =
        [Fp2::constant(spec::g2::A), Fp2::constant(spec::g2::B), Fp2::constant(spec::g2::Z)];

    fn isogeny(x: Fp2) -> [Fp2; 4] {
        use spec::g2::{X_DEN, X_NUM, Y_DEN, Y_NUM};
        [&X_NUM[..], &X_DEN, &Y_NUM, &Y_DEN].map(|list| polynomial(x, list, Fp2::constant))
    }
}

/// Coefficients lowest first.
fn polynomial<F: Field, T: Copy>(x: F, coefficients: &[T], element: fn(T) -> F) -> F {
    coefficients.iter().rev().fold(F::ZERO, |value, coefficient| value * x + element(*coefficient))
}

/// Points of the curve for field elements: simplified SWU (section 6.6.2), then the isogeny (section 6.6.3). Not of the subgroup; the
/// identity for the isogeny's kernel.
pub fn map_each_to_curve_vartime<C: Mapped>(isa: Isa, elements: &[C::Base]) -> Vec<Affine<C>> {
    let [a, b, z] = C::SWU;
    let right = |x: &C::Base| (x.square() + a) * x + b;
    let zuu: Vec<_> = elements.iter().map(|u| z * u.square()).collect();
    // -b / a (1 + 1 / t) = -b (1 + t) / (a t), and b / (z a) for t = 0.
    let (mut x, mut below): (Vec<_>, Vec<_>) = zuu
        .iter()
        .map(|zuu| match zuu.square() + zuu {
            t if t == C::Base::ZERO => (b, z * a),
            t => (-(b * (t + C::Base::ONE)), a * t),
        })
        .unzip();
    C::Base::batch_invert_vartime(&mut below);
    x.iter_mut().zip(below).for_each(|(x, inverse)| *x *= inverse);
    let mut roots = C::Base::sqrt_each_vartime(isa, &x.iter().map(right).collect::<Vec<_>>());
    // If g(x) is no square, g(z u^2 x) is one.
    let others: Vec<_> = (0..x.len()).filter(|&i| roots[i].is_none()).collect();
    others.iter().for_each(|&i| x[i] *= zuu[i]);
    let squares: Vec<_> = others.iter().map(|&i| right(&x[i])).collect();
    let found = C::Base::sqrt_each_vartime(isa, &squares);
    others.iter().zip(found).for_each(|(&i, root)| roots[i] = root);
    let isogenies: Vec<_> = x.into_iter().map(C::isogeny).collect();
    let mut inverses: Vec<_> =
        isogenies.iter().map(|[_, x_den, _, y_den]| *x_den * *y_den).collect();
    C::Base::batch_invert_vartime(&mut inverses);
    let signed = elements.iter().zip(roots);
    let points = signed.zip(isogenies.into_iter().zip(inverses));
    points
        .map(|((u, root), ([x_num, x_den, y_num, y_den], inverse))| {
            if inverse == C::Base::ZERO {
                return Affine::IDENTITY;
            }
            let root = root.expect("one of the two is a square");
            let y = if root.is_odd() == u.is_odd() { root } else { -root };
            Affine::new_unchecked(x_num * y_den * inverse, y * y_num * x_den * inverse)
        })
        .collect()
}

/// [`map_each_to_curve_vartime`] of one.
pub fn map_to_curve_vartime<C: Mapped>(u: C::Base) -> Affine<C> {
    map_each_to_curve_vartime(Isa::words(), &[u])[0]
}

/// Points of the subgroup, each from two field elements: section 3, behind hash_to_field.
pub fn each_to_group_vartime<C: Mapped>(isa: Isa, elements: &[[C::Base; 2]]) -> Vec<Affine<C>> {
    let mapped = map_each_to_curve_vartime::<C>(isa, elements.as_flattened());
    let (pairs, _) = mapped.as_chunks();
    let pairs: Vec<_> = pairs.iter().map(|&[p, q]| (p, q)).collect();
    C::clear_each_vartime(isa, Affine::sums_vartime(&pairs))
}

/// [`each_to_group_vartime`] of one.
pub fn to_group_vartime<C: Mapped>(u: [C::Base; 2]) -> Affine<C> {
    each_to_group_vartime(Isa::words(), &[u])[0]
}
