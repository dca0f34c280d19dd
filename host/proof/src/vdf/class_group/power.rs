//! Products of powers by Straus's method with signed digits.
//!
//! An exponent is written with odd digits below 2^[`WIDTH`] - 1 in magnitude, at most one in [`WIDTH`] + 1 places
//! (the width-w non-adjacent form). An inverse costs nothing in a class group, so signed digits halve the table. All
//! exponents share one chain of squarings.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

use super::{ClassGroup, Form};

/// The bits of a digit, with its sign.
const WIDTH: u32 = 5;

impl ClassGroup {
    /// Computes the product of all `form^exponent`. The forms belong to this group.
    pub(super) fn straus(&self, terms: &[(&Form, &BigUint)]) -> Form {
        let terms: Vec<(Vec<Form>, Vec<i32>)> = terms
            .iter()
            .map(|(form, exponent)| (self.odd_powers(form), digits(exponent)))
            .collect();
        let length = terms.iter().map(|(_, digits)| digits.len()).max().unwrap_or(0);
        let mut product: Option<Form> = None;
        for place in (0..length).rev() {
            product = product.map(|form| self.nudupl(&form));
            for (powers, digits) in &terms {
                if let Some(factor) = digits.get(place).and_then(|digit| select(powers, *digit)) {
                    product =
                        Some(product.map_or_else(|| factor.clone(), |p| self.nucomp(&p, &factor)));
                }
            }
        }
        product.unwrap_or_else(|| self.identity())
    }

    /// Computes the odd powers of `form` that digits need: form, form³, form⁵, …
    fn odd_powers(&self, form: &Form) -> Vec<Form> {
        let square = self.nudupl(form);
        let next = |power: &Form| Some(self.nucomp(power, &square));
        std::iter::successors(Some(form.clone()), next).take(1 << (WIDTH - 2)).collect()
    }
}

/// Returns the power of the table for an odd digit, and nothing for 0.
fn select(powers: &[Form], digit: i32) -> Option<Form> {
    let power = powers.get(digit.unsigned_abs() as usize / 2)?;
    match digit.signum() {
        0 => None,
        1 => Some(power.clone()),
        _ => Some(power.inverse()),
    }
}

/// Returns the signed digits of `exponent`, least significant first.
fn digits(exponent: &BigUint) -> Vec<i32> {
    let (mut rest, mut digits) = (exponent.clone(), Vec::new());
    while !rest.is_zero() {
        let mut digit = 0;
        if rest.bit(0) {
            digit = (&rest % (1u32 << WIDTH)).to_i32().unwrap_or(0);
            if digit >> (WIDTH - 1) == 1 {
                digit -= 1 << WIDTH;
            }
            rest =
                if digit < 0 { rest + digit.unsigned_abs() } else { rest - digit.unsigned_abs() };
        }
        digits.push(digit);
        rest >>= 1;
    }
    digits
}
