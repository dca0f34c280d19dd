//! Inversion.

use super::Field;
use super::limbs::sub;

/// 1/x, and 0 for 0: x^(p-2).
pub fn fermat<F: Field, const N: usize>(x: &F, p: &[u64; N]) -> F {
    let mut two = [0; N];
    two[0] = 2;
    x.pow_vartime(&sub(p, &two).0)
}
