//! Class groups of imaginary quadratic orders, as groups of reduced binary quadratic forms.
//!
//! A form (a, b, c) is a x² + b x y + c y². Its discriminant is D = b² - 4 a c < 0. Forms that a substitution of
//! determinant 1 carries into each other are one element of the group, and each element has one reduced form:
//! |b| ≤ a ≤ c, with b ≥ 0 where one of them is an equality (Cohen, *A Course in Computational Algebraic Number Theory*,
//! §5.2 and §5.4). The identity is (1, 1, (1 - D)/4), the inverse of (a, b, c) is the class of (a, -b, c).
//!
//! Discriminants are odd (D = 1 mod 4) and have at most [`MAX_BITS`] bits. Chia's are -p for a prime p = 7 (mod 8). No
//! function tests that a discriminant is prime: a proof over a group of known order proves nothing.
//!
//! Running times depend on the values. No value is secret.

mod composition;
mod encoding;
mod euclid;
mod power;
#[cfg(test)]
pub(crate) mod tests;

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::vdf::prime::hash_prime;
use crate::{Error, Result};

pub use encoding::{Encoding, FORM_BYTES};

/// The largest number of bits of a discriminant.
pub const MAX_BITS: usize = 1_024;

/// The smallest number of bits of [`create_discriminant`].
const MIN_BITS: usize = 16;

/// The class group of a discriminant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassGroup {
    discriminant: BigInt,
    /// The integer part of |D|^(1/4), where composition stops Euclid's algorithm.
    quartic_root: BigUint,
}

/// A reduced, primitive, positive definite form (a, b, c).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    a: BigInt,
    b: BigInt,
    c: BigInt,
}

/// Computes Chia's discriminant of `bits` bits for `seed`: -p for the first prime p = 7 (mod 8) of [`hash_prime`].
///
/// `bits` is a multiple of 8 from 16 to [`MAX_BITS`].
pub fn create_discriminant(seed: &[u8], bits: usize) -> Result<BigInt> {
    if !(MIN_BITS..=MAX_BITS).contains(&bits) || !bits.is_multiple_of(8) {
        let problem = format!("is {bits}; expected a multiple of 8 from {MIN_BITS} to {MAX_BITS}");
        return Err(Error::argument("bits", problem));
    }
    if seed.is_empty() {
        return Err(Error::argument("seed", "is empty; expected at least 1 byte"));
    }
    let prime = hash_prime(seed, bits, &[0, 1, 2, bits - 1])?;
    Ok(BigInt::from_biguint(Sign::Minus, prime))
}

impl ClassGroup {
    /// Creates the class group of `discriminant`, which is negative, 1 modulo 4, and of at most [`MAX_BITS`] bits.
    pub fn new(discriminant: BigInt) -> Result<Self> {
        let problem = if !discriminant.is_negative() {
            "is not negative".to_string()
        } else if discriminant.bits() > MAX_BITS as u64 {
            format!("has {} bits; expected at most {MAX_BITS}", discriminant.bits())
        } else if !discriminant.mod_floor(&BigInt::from(4)).is_one() {
            "is not 1 modulo 4".to_string()
        } else {
            let quartic_root = discriminant.magnitude().sqrt().sqrt();
            return Ok(Self { discriminant, quartic_root });
        };
        Err(Error::argument("discriminant", problem))
    }

    /// Returns the discriminant.
    pub fn discriminant(&self) -> &BigInt {
        &self.discriminant
    }

    /// Returns the identity, (1, 1, (1 - D)/4).
    pub fn identity(&self) -> Form {
        Form { a: BigInt::one(), b: BigInt::one(), c: (1 - &self.discriminant) >> 2 }
    }

    /// Returns the class of (2, 1, (1 - D)/8), Chia's default element. It exists if D is 1 modulo 8.
    pub fn generator(&self) -> Result<Form> {
        self.form(BigInt::from(2), BigInt::one())
    }

    /// Creates the reduced form that is equivalent to (a, b, (b² - D)/4a).
    ///
    /// `a` is positive, 4a divides b² - D, and the three coefficients have no common factor.
    pub fn form(&self, a: BigInt, b: BigInt) -> Result<Form> {
        if !a.is_positive() {
            return Err(Error::argument("a", "is not positive"));
        }
        let (c, rest) = (&b * &b - &self.discriminant).div_rem(&(&a << 2));
        if !rest.is_zero() {
            return Err(Error::argument("b", "no form of this discriminant has these a and b"));
        }
        if !a.gcd(&b).gcd(&c).is_one() {
            return Err(Error::argument("a", "the form is not primitive"));
        }
        Ok(Form { a, b, c }.reduce())
    }

    /// Returns the inverse of `form`.
    pub fn inverse(&self, form: &Form) -> Result<Form> {
        self.check(form)?;
        Ok(form.inverse())
    }

    /// Computes the product of `f` and `g`.
    pub fn compose(&self, f: &Form, g: &Form) -> Result<Form> {
        self.check(f)?;
        self.check(g)?;
        Ok(self.nucomp(f, g))
    }

    /// Computes the square of `form`.
    pub fn square(&self, form: &Form) -> Result<Form> {
        self.check(form)?;
        Ok(self.nudupl(form))
    }

    /// Computes `form` to the power of `exponent`.
    pub fn pow(&self, form: &Form, exponent: &BigUint) -> Result<Form> {
        self.product_of_powers(&[(form, exponent)])
    }

    /// Computes the product of all `form^exponent`, with one common chain of squarings.
    pub fn product_of_powers(&self, terms: &[(&Form, &BigUint)]) -> Result<Form> {
        terms.iter().try_for_each(|(form, _)| self.check(form))?;
        Ok(self.straus(terms))
    }

    /// Returns an error if `form` has another discriminant.
    fn check(&self, form: &Form) -> Result<()> {
        if &form.b * &form.b - ((&form.a * &form.c) << 2) != self.discriminant {
            return Err(Error::argument("form", "has another discriminant than the group"));
        }
        Ok(())
    }
}

impl Form {
    /// Returns the coefficient of x².
    pub fn a(&self) -> &BigInt {
        &self.a
    }

    /// Returns the coefficient of x y.
    pub fn b(&self) -> &BigInt {
        &self.b
    }

    /// Returns the coefficient of y².
    pub fn c(&self) -> &BigInt {
        &self.c
    }

    fn inverse(&self) -> Self {
        Self { a: self.a.clone(), b: -&self.b, c: self.c.clone() }.reduce()
    }

    /// Reduces a positive definite form (Cohen, Algorithm 5.4.2).
    fn reduce(mut self) -> Self {
        loop {
            self.normalise();
            if self.a <= self.c {
                break;
            }
            std::mem::swap(&mut self.a, &mut self.c);
            self.b = -self.b;
        }
        if self.a == self.c {
            self.b = self.b.abs();
        }
        self
    }

    /// Substitutes x - q y for x, so that -a < b ≤ a.
    fn normalise(&mut self) {
        if self.b.magnitude() < self.a.magnitude() || self.a == self.b {
            return;
        }
        let q = (&self.b + &self.a - 1u32).div_floor(&(&self.a << 1));
        let half_sum = &self.b - &self.a * &q;
        self.b = &half_sum - &self.a * &q;
        self.c -= half_sum * q;
    }
}
