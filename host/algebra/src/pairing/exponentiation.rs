//! The final exponentiation: f^(k (p^12 - 1) / r).

use super::Pairing;
use super::power::{power, power_by_few_bits};
use crate::tower::{Fp12, Tower};

/// f^(k (p^12 - 1) / r), which makes a pairing of a Miller value; 0 for 0. k is told at the [module](super).
pub fn final_exponentiation<E: Pairing>(f: Fp12<E::Tower>) -> Fp12<E::Tower> {
    let inverse = f.invert().unwrap_or(Fp12::ZERO);
    let f = f.conjugate() * inverse; // f^(p^6 - 1)
    let f = f.frobenius(2) * f; // ^(p^2 + 1)
    E::hard_part(f)
}

/// The hard part on BLS curves with parameter z, of which `n` is the absolute value:
/// (z - 1)^2 (z + p) (z^2 + p^2 - 1) + 3 (Hayashida, Hayasaka, Teruya, ePrint 2020/875, section 5).
pub fn bls12<T: Tower>(f: Fp12<T>, n: u64, negative: bool) -> Fp12<T> {
    let z = |f: Fp12<T>| {
        let power = power_by_few_bits(f, n);
        if negative { power.conjugate() } else { power }
    };
    let z_minus_1 = |f: Fp12<T>| z(f) * f.conjugate();
    let a = z_minus_1(z_minus_1(f));
    let b = z(a) * a.frobenius(1);
    let c = z(z(b)) * b.frobenius(2) * b.conjugate();
    c * f.cyclotomic_square() * f
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
pub fn bn<T: Tower>(f: Fp12<T>, u: u64) -> Fp12<T> {
    let f2u = power(f, u).cyclotomic_square();
    let f6u = f2u.cyclotomic_square() * f2u;
    let f6u2 = power(f6u, u);
    let f12u3 = power(f6u2.cyclotomic_square(), u);
    let a = f12u3 * f6u2 * f6u;
    let l1 = a * f2u.conjugate();
    let l0 = a * f6u2 * f;
    let l3 = l1 * f.conjugate();
    l0 * l1.frobenius(1) * a.frobenius(2) * l3.frobenius(3)
}
