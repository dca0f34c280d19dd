//! Many inversions for the price of one: Montgomery's trick (Math. Comp. 48, 1987, section 10.3.1).

use super::Field;

/// Inverts all with one call of `invert`. Zeros take part as ones and stay zeros.
pub fn batch_invert<F: Field>(elements: &mut [F], invert: impl Fn(F) -> F) {
    // before[i] = the product of all elements in front of i.
    let mut before = Vec::with_capacity(elements.len());
    let mut product = F::ONE;
    for x in elements.iter() {
        before.push(product);
        product *= F::conditional_select(x, &F::ONE, x.is_zero());
    }
    // inverse = 1 / the product of all elements up to i.
    let mut inverse = invert(product);
    for (x, before) in elements.iter_mut().zip(before).rev() {
        let zero = x.is_zero();
        let inverted = inverse * before;
        inverse *= F::conditional_select(x, &F::ONE, zero);
        *x = F::conditional_select(&inverted, &F::ZERO, zero);
    }
}
