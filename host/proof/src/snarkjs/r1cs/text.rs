//! Constraints and numbers as text.

use std::fmt;

use num_bigint::BigUint;

use super::{Constraint, R1cs, Term};
use crate::groth16::Scalar;
use crate::snarkjs::Symbols;

/// Four limbs of 64 bits, lowest first.
type Limbs = [u64; 4];

/// Formats a scalar as the integer that it encodes.
pub fn decimal(value: &Scalar) -> String {
    magnitude(limbs(value)).to_string()
}

/// A scalar as a signed integer: numbers above r/2 are shown as negative ones.
#[derive(Clone, Copy)]
pub struct Signed {
    is_negative: bool,
    magnitude: Limbs,
}

impl Signed {
    /// Converts a number below the modulus.
    fn new(value: &Scalar, modulus: &[u64]) -> Self {
        let value = limbs(value);
        let negated = difference(modulus, &value);
        let is_negative = negated.iter().rev().lt(value.iter().rev());
        Self { is_negative, magnitude: if is_negative { negated } else { value } }
    }
}

impl fmt::Display for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        write!(f, "{sign}{}", magnitude(self.magnitude))
    }
}

fn limbs(value: &Scalar) -> Limbs {
    let (limbs, _) = value.as_chunks();
    std::array::from_fn(|i| u64::from_le_bytes(limbs[i]))
}

/// Subtracts a number from the modulus, which is larger.
fn difference(modulus: &[u64], value: &Limbs) -> Limbs {
    let mut borrow = false;
    std::array::from_fn(|i| {
        let (limb, first) = modulus[i].overflowing_sub(value[i]);
        let (limb, second) = limb.overflowing_sub(borrow.into());
        borrow = first || second;
        limb
    })
}

fn magnitude(limbs: Limbs) -> BigUint {
    BigUint::from_bytes_le(limbs.map(u64::to_le_bytes).as_flattened())
}

impl R1cs {
    /// Converts a scalar of this system for display.
    pub fn signed(&self, value: &Scalar) -> Signed {
        Signed::new(value, self.header.facts.scalar)
    }

    /// Returns a constraint's text, `[ A ] * [ B ] - [ C ] = 0`, with the names of its signals.
    pub fn text<'a>(
        &'a self,
        constraint: &'a Constraint,
        symbols: Option<&'a Symbols>,
    ) -> impl fmt::Display + use<'a> {
        let sum = |terms| Sum { system: self, terms, symbols };
        Text([constraint.a(), constraint.b(), constraint.c()].map(sum))
    }

    /// Returns a combination's text, such as `2*main.x - w12 + 1`.
    pub fn sum_text<'a>(
        &'a self,
        terms: &'a [Term],
        symbols: Option<&'a Symbols>,
    ) -> impl fmt::Display + use<'a> {
        Sum { system: self, terms, symbols }
    }
}

struct Sum<'a> {
    system: &'a R1cs,
    terms: &'a [Term],
    symbols: Option<&'a Symbols>,
}

struct Text<'a>([Sum<'a>; 3]);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c] = &self.0;
        write!(f, "[ {a} ] * [ {b} ] - [ {c} ] = 0")
    }
}

impl fmt::Display for Sum<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.terms.is_empty() {
            return f.write_str("0");
        }
        for (number, term) in self.terms.iter().enumerate() {
            let Signed { is_negative, magnitude } = self.system.signed(&term.coefficient);
            f.write_str(match (number, is_negative) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            })?;
            let coefficient = Signed { is_negative: false, magnitude };
            match (term.variable, magnitude) {
                (0, _) => write!(f, "{coefficient}")?,
                (variable, [1, 0, 0, 0]) => write_name(f, variable, self.symbols)?,
                (variable, _) => {
                    write!(f, "{coefficient}*")?;
                    write_name(f, variable, self.symbols)?;
                }
            }
        }
        Ok(())
    }
}

/// Writes a signal's name, or `w` with the variable's number if it has none.
fn write_name(f: &mut fmt::Formatter<'_>, variable: u32, symbols: Option<&Symbols>) -> fmt::Result {
    match symbols.and_then(|it| it.name(variable)) {
        Some(name) => f.write_str(&name),
        None => write!(f, "w{variable}"),
    }
}
