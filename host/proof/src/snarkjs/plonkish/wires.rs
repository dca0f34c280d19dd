//! The variables of a circuit: which of them a wire has at each constraint, and those that are sums of two others.

use proofmill_algebra::field::PrimeField;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::elements::from_montgomery;
use super::sizes::Sizes;
use crate::Result;
use crate::plonk::Scalar;
use crate::snarkjs::container::Part;
use crate::snarkjs::curve::{SCALAR_BYTES, is_below};

/// Bytes of the number of a variable.
const VARIABLE: usize = 4;

/// Bytes of an addition.
const ADDITION: usize = 2 * VARIABLE + 2 * SCALAR_BYTES;

/// The variables of a wire. Each is below the number of variables, which was checked when the file was opened.
#[derive(Clone, Copy, Debug)]
pub struct Wires<'a>(&'a [[u8; VARIABLE]]);

impl<'a> Wires<'a> {
    /// Wraps the variables of a section without checks.
    pub(super) fn of(section: Part<'a>, sizes: &Sizes) -> Result<Self> {
        let count = u64::from(sizes.constraints);
        Ok(Self(section.all(count, VARIABLE, "variables")?.as_chunks().0))
    }

    /// Returns the number of constraints.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the variable at this constraint; `None` beyond the last constraint.
    pub fn get(&self, constraint: usize) -> Option<usize> {
        self.0.get(constraint).map(|bytes| u32::from_le_bytes(*bytes) as usize)
    }
}

/// Checks the variables of a wire. An error names the first that does not exist.
pub(super) fn check_wires(section: Part<'_>, sizes: &Sizes) -> Result<()> {
    let Wires(all) = Wires::of(section.clone(), sizes)?;
    let wrong = |bytes: &[u8; VARIABLE]| u32::from_le_bytes(*bytes) >= sizes.variables;
    match parallel(|| all.par_iter().position_first(wrong)) {
        None => Ok(()),
        Some(number) => {
            let found = u32::from_le_bytes(all[number]);
            let problem = format!(
                "constraint {number}: variable {found}, where there are {}",
                sizes.variables
            );
            Err(section.wrong(section.at() + number * VARIABLE, problem).into())
        }
    }
}

/// A variable that is the sum of two earlier ones, each times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition<'a> {
    /// The two variables.
    pub variables: [usize; 2],
    /// Their factors in Montgomery form, which was checked when the file was opened.
    factors: [&'a Scalar; 2],
}

impl<'a> Addition<'a> {
    /// Returns the factors; F is the scalar field of the key's curve.
    pub fn factors<F: PrimeField>(&self) -> [F; 2] {
        self.factors.map(|bytes| from_montgomery(bytes).expect("checked when the file was opened"))
    }

    fn of(bytes: &'a [u8; ADDITION]) -> Self {
        let (variables, factors) = bytes.split_at(2 * VARIABLE);
        let variable = |bytes: &[u8; VARIABLE]| u32::from_le_bytes(*bytes) as usize;
        let variables = variables.as_chunks().0;
        let factors = factors.as_chunks().0;
        Self {
            variables: [variable(&variables[0]), variable(&variables[1])],
            factors: [&factors[0], &factors[1]],
        }
    }
}

/// Returns the additions of a section without checks.
pub(super) fn additions<'a>(
    section: Part<'a>,
    sizes: &Sizes,
) -> Result<impl ExactSizeIterator<Item = Addition<'a>> + use<'a>> {
    let bytes = section.all(sizes.additions.into(), ADDITION, "additions")?;
    Ok(bytes.as_chunks().0.iter().map(Addition::of))
}

/// Checks the additions. An error names the first with a later variable, or a factor that is not below r.
pub(super) fn check_additions(section: Part<'_>, sizes: &Sizes) -> Result<()> {
    let first = (sizes.variables - sizes.additions) as usize;
    for (number, addition) in additions(section.clone(), sizes)?.enumerate() {
        let problem = if let Some(later) =
            addition.variables.into_iter().find(|&variable| variable >= first + number)
        {
            format!("variable {later} in the sum that is variable {}", first + number)
        } else if addition.factors.iter().any(|factor| !is_below(*factor, sizes.facts.scalar)) {
            "a factor is not below r".to_owned()
        } else {
            continue;
        };
        let at = section.at() + number * ADDITION;
        return Err(section.wrong(at, format!("addition {number}: {problem}")).into());
    }
    Ok(())
}
