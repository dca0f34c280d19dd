//! The final exponentiation: f^(k (p^12 - 1) / r).

use super::{Cyclotomic, Pairing};
use crate::isa::Isa;
use crate::tower::Fp12;

/// Returns f^(k (p^12 - 1) / r), which maps a Miller value to a pairing; 0 for 0. The [module](super) defines k.
pub fn final_exponentiation<E: Pairing>(isa: Isa, f: Fp12<E::Tower>) -> Fp12<E::Tower> {
    let inverse = f.invert().unwrap_or(Fp12::ZERO);
    let f = f.conjugate() * inverse; // f^(p^6 - 1)
    let f = f.frobenius(2) * f; // ^(p^2 + 1)
    match isa.machine() {
        Some(machine) => E::hard_part_in_lanes(machine, f),
        None => E::hard_part_in_words(f),
    }
}

/// The hard part on BLS curves with parameter z, of which `n` is the absolute value:
/// (z - 1)^2 (z + p) (z^2 + p^2 - 1) + 3 (Hayashida, Hayasaka, Teruya, ePrint 2020/875, section 5).
#[inline(always)]
pub fn bls12<F: Cyclotomic>(f: &F, n: u64, negative: bool) -> F {
    let a = power_of_z(f, n, negative).times(&f.inverse());
    let a = power_of_z(&a, n, negative).times(&a.inverse());
    let b = power_of_z(&a, n, negative).times(&a.frobenius(1));
    let c = power_of_z(&power_of_z(&b, n, negative), n, negative);
    let c = c.times(&b.frobenius(2)).times(&b.inverse());
    c.times(&f.squared()).times(f)
}

#[inline(always)]
fn power_of_z<F: Cyclotomic>(f: &F, n: u64, negative: bool) -> F {
    let power = f.power_by_few_bits(n);
    if negative { power.inverse() } else { power }
}

/// The hard part on BN curves with parameter u > 0: f^(l0 + l1 p + l2 p^2 + l3 p^3) with
///
/// ```text
/// l0 = 1 + 6 u + 12 u^2 + 12 u^3     l1 = 4 u + 6 u^2 + 12 u^3
/// l2 = 6 u + 6 u^2 + 12 u^3          l3 = -1 + 4 u + 6 u^2 + 12 u^3
/// ```
///
/// (Fuentes-Castaneda, Knapp, Rodriguez-Henriquez, SAC 2011, section 5): three powers by u, 10 multiplications,
/// 3 squarings.
#[inline(always)]
pub fn bn<F: Cyclotomic>(f: &F, u: u64) -> F {
    let f2u = f.power(u).squared();
    let f6u = f2u.squared().times(&f2u);
    let f6u2 = f6u.power(u);
    let f12u3 = f6u2.squared().power(u);
    let a = f12u3.times(&f6u2).times(&f6u);
    let l1 = a.times(&f2u.inverse());
    let l0 = a.times(&f6u2).times(f);
    let l3 = l1.times(&f.inverse());
    l0.times(&l1.frobenius(1)).times(&a.frobenius(2)).times(&l3.frobenius(3))
}
