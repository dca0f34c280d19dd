//! The variables of a circuit: which of them a wire has at each constraint, and those that are sums of two others.

use proofmill_algebra::field::PrimeField;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::elements::from_montgomery;
use super::sizes::Sizes;
use crate::plonk::Scalar;
use crate::snarkjs::container::Part;
use crate::snarkjs::curve::{SCALAR_BYTES, is_below};
use crate::snarkjs::source::copy_of;
use crate::{FileError, Result};

/// Bytes of the number of a variable.
const VARIABLE: usize = 4;

/// Bytes of an addition.
const ADDITION: usize = 2 * VARIABLE + 2 * SCALAR_BYTES;

/// The variables of a wire. They are checked when they are read.
#[derive(Clone, Debug)]
pub struct Wires<'a> {
    section: Part<'a>,
    bytes: &'a [[u8; VARIABLE]],
    /// The number of variables.
    variables: u32,
}

impl<'a> Wires<'a> {
    /// Wraps the variables of a section. Checks their number, and not the variables.
    pub(super) fn of(section: Part<'a>, sizes: &Sizes) -> Result<Self> {
        let bytes = section.clone().all(sizes.constraints.into(), VARIABLE, "variables")?;
        Ok(Self { section, bytes: bytes.as_chunks().0, variables: sizes.variables })
    }

    /// Checks all variables. An error names the first that does not exist.
    pub(super) fn check(&self) -> Result<()> {
        let numbers = (0..self.len()).into_par_iter();
        match parallel(|| numbers.find_map_first(|number| self.read(number).err())) {
            None => Ok(()),
            Some(wrong) => Err(wrong.into()),
        }
    }

    /// Returns the number of constraints.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether there are no constraints.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the variable at this constraint, below the number of variables; `None` beyond the last constraint, and an error if the file
    /// changed to a variable that does not exist.
    #[inline]
    pub fn get(&self, constraint: usize) -> Result<Option<usize>> {
        if constraint >= self.len() {
            return Ok(None);
        }
        self.read(constraint).map(Some).map_err(|wrong| wrong.after_opening().into())
    }

    #[inline]
    fn read(&self, number: usize) -> std::result::Result<usize, FileError> {
        let found = u32::from_le_bytes(copy_of(&self.bytes[number]));
        if found < self.variables {
            return Ok(found as usize);
        }
        let problem =
            format!("constraint {number}: variable {found}, where there are {}", self.variables);
        Err(self.section.wrong(self.section.at() + number * VARIABLE, problem))
    }
}

/// A variable that is the sum of two earlier ones, each times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addition {
    /// The two variables.
    pub variables: [usize; 2],
    /// Their factors in Montgomery form, below r.
    factors: [Scalar; 2],
}

impl Addition {
    /// Returns the factors; F is the scalar field of the key's curve.
    pub fn factors<F: PrimeField>(&self) -> [F; 2] {
        self.factors.each_ref().map(|bytes| from_montgomery(bytes).expect("it is below r"))
    }

    fn of(bytes: &[u8; ADDITION]) -> Self {
        let bytes = copy_of(bytes);
        let (variables, factors) = bytes.split_at(2 * VARIABLE);
        let (variables, factors) = (variables.as_chunks().0, factors.as_chunks().0);
        Self {
            variables: [0, 1].map(|i| u32::from_le_bytes(variables[i]) as usize),
            factors: [factors[0], factors[1]],
        }
    }
}

/// Reads the additions of a section. An item is an error if the addition has a later variable, or a factor that is not below r.
pub(super) fn additions<'a>(
    section: Part<'a>,
    sizes: &'a Sizes,
) -> Result<impl ExactSizeIterator<Item = Result<Addition>> + use<'a>> {
    let first = (sizes.variables - sizes.additions) as usize;
    let bytes = section.clone().all(sizes.additions.into(), ADDITION, "additions")?;
    let checked = move |(number, bytes)| {
        let addition = Addition::of(bytes);
        let Addition { variables, factors } = &addition;
        let problem = if let Some(later) = variables.iter().find(|&&it| it >= first + number) {
            format!("variable {later} in the sum that is variable {}", first + number)
        } else if factors.iter().any(|factor| !is_below(factor, sizes.facts.scalar)) {
            "a factor is not below r".to_owned()
        } else {
            return Ok(addition);
        };
        let at = section.at() + number * ADDITION;
        Err(section.wrong(at, format!("addition {number}: {problem}")).into())
    };
    Ok(bytes.as_chunks().0.iter().enumerate().map(checked))
}
