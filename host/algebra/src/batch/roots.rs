//! Square roots of many elements. For fields whose p is 3 modulo 4: powers with one exponent, computed in parallel.

use super::FEW;
use crate::bls12_381::{Fp, Fp2};
use crate::field::{Field, PrimeField};
use crate::isa::Isa;
use crate::lanes;

/// A field with square roots of many elements.
pub trait Roots: Field {
    /// Returns a root of each element, either of the two; none of an element that is no square.
    fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>>;
}

/// (p - 3) / 4.
fn exponent() -> Vec<u64> {
    let p = Fp::MODULUS;
    let above = |i: usize| p.get(i + 1).map_or(0, |limb| limb << 62);
    (0..p.len()).map(|i| p[i] >> 2 | above(i)).collect()
}

/// x^((p - 3) / 4) of each.
fn powers(isa: Isa, elements: &mut [Fp]) {
    match isa.machine().filter(|_| elements.len() > FEW) {
        Some(machine) => lanes::powers(machine, elements, &exponent()),
        None => elements.iter_mut().for_each(|x| *x = x.pow_vartime(&exponent())),
    }
}

impl Roots for Fp {
    /// x^((p + 1) / 4), if its square is x.
    fn sqrt_each_vartime(isa: Isa, elements: &[Self]) -> Vec<Option<Self>> {
        let mut roots = elements.to_vec();
        powers(isa, &mut roots);
        let root = |(x, power): (&Self, &Self)| {
            let root = *x * *power;
            (root.square() == *x).then_some(root)
        };
        elements.iter().zip(&roots).map(root).collect()
    }
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
        powers(isa, &mut e);
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
