//! Square roots of many elements: powers with one exponent, computed in parallel. p is 3 modulo 4, or p - 1 is a multiple of 2^32.

mod two_adic;

use super::FEW;
use crate::bls12_381::{self, Fp, Fp2};
use crate::field::{Field, PrimeField};
use crate::isa::Isa;
use crate::lanes::{self, Prime};
use crate::once::Once;
#[cfg(feature = "pasta")]
use crate::{pallas, vesta};
use two_adic::Tables;

/// A field with square roots of many elements.
pub trait Roots: Field {
    /// Returns a root of each element, either of the two; none of an element that is no square.
    fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>>;
}

/// floor(p / 2^bits) for `bits` from 1 to 63.
fn exponent<F: PrimeField>(bits: u32) -> Vec<u64> {
    let p = F::MODULUS;
    let above = |i: usize| p.get(i + 1).map_or(0, |limb| limb << (64 - bits));
    (0..p.len()).map(|i| p[i] >> bits | above(i)).collect()
}

/// Each element to the power of floor(p / 2^bits).
fn powers<F: Prime<L>, const L: usize>(isa: Isa, elements: &mut [F], bits: u32) {
    let exponent = exponent::<F>(bits);
    match isa.machine().filter(|_| elements.len() > FEW) {
        Some(machine) => lanes::powers(machine, elements, &exponent),
        None => elements.iter_mut().for_each(|x| *x = x.pow_vartime(&exponent)),
    }
}

impl Roots for Fp {
    /// x^((p + 1) / 4), if its square is x.
    fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>> {
        let mut roots = elements.to_vec();
        powers(isa, &mut roots, 2);
        let root = |(x, power): (&Self, &Self)| {
            let root = *x * *power;
            (root.square() == *x).then_some(root)
        };
        elements.iter().zip(&roots).map(root).collect()
    }
}

/// Fields with p - 1 = 2^32 t, t odd.
macro_rules! two_adic {
    ($($(#[$condition:meta])* $field:ty;)*) => {$(
        $(#[$condition])*
        impl Roots for $field {
            fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>> {
                static TABLES: Once<Tables<$field>> = Once::new();
                let tables = TABLES.get_or_init(Tables::compute);
                let mut each = elements.to_vec();
                powers(isa, &mut each, two_adic::BITS + 1);
                elements.iter().zip(each).map(|(x, power)| tables.root(x, &power)).collect()
            }
        }
    )*};
}

two_adic! {
    bls12_381::Fr;
    #[cfg(feature = "pasta")]
    pallas::Fp;
    #[cfg(feature = "pasta")]
    vesta::Fp;
}

impl Roots for Fp2 {
    /// The complex method (Scott, ePrint 2020/1497) with one power for root, look and inverse: with s^2 = norm(a), t = (a0 + s) / 2 and e = t^((p - 3) / 4),
    /// t e is a root of t, and e its inverse, or, where t is no square, of -t, and -e its inverse. So
    ///
    /// * t e + (a1 e / 2) u is a root of a, or
    /// * -a1 e / 2 + t e u: its square is a1^2 e^2 / 4 - t^2 e^2 + a1 u with t^2 e^2 = -t, and t^2 - a0 t = a1^2 / 4.
    fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>> {
        let norms: Vec<_> = elements.iter().map(|a| a.c0.square() + a.c1.square()).collect();
        let of_norms = Fp::sqrt_each_vartime(isa, &norms);
        let half = Fp::from(2).invert().expect("p is odd");
        let mut t = vec![];
        for (a, s) in elements.iter().zip(&of_norms) {
            if let Some(s) = s {
                let sum = (a.c0 + s) * half;
                // a1 = 0 and s = -a0: the other root of the norm.
                t.push(if sum == Fp::ZERO { a.c0 } else { sum });
            }
        }
        let mut e = t.clone();
        powers(isa, &mut e, 2);
        let mut each = t.into_iter().zip(e);
        let root = |(a, s): (&Self, &Option<Fp>)| {
            s.as_ref()?;
            let (t, e) = each.next().expect("as many as norms with roots");
            let (direct, other) = (t * e, a.c1 * e * half);
            let root = if direct.square() == t {
                Self::new(direct, other)
            } else {
                Self::new(-other, direct)
            };
            debug_assert!(root.square() == *a);
            Some(root)
        };
        elements.iter().zip(&of_norms).map(root).collect()
    }
}
