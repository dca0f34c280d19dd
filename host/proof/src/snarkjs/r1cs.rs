//! `.r1cs`: the constraints of a circuit, iden3's binary format, version 1.
//!
//! | section | content |
//! |---|---|
//! | 1 header | n8 u32, r (n8 bytes); variables, public outputs, public inputs, private inputs u32; labels u64; constraints u32 |
//! | 2 constraints | of each constraint A, B and C: number of terms u32; of each term variable u32, coefficient (n8 bytes) |
//! | 3 labels | of each variable the number of a signal u64 |
//! | 4 custom gates | number u32; of each its template's name, which a zero byte ends, number of parameters u32, parameters (n8 bytes) |
//! | 5 uses of custom gates | number u32; of each the gate u32, number of signals u32, signals u64 |
//!
//! A constraint is A·w times B·w = C·w for the vector w of variables, the witness, whose first value is 1. Sections 4 and 5
//! exist only for PLONK. Their content is reported, and [`R1cs::check`] does not evaluate it.

mod check;
mod gates;
#[cfg(test)]
pub(super) mod tests;
mod text;

pub use check::Violations;
pub use gates::CustomGates;
pub use text::{Signed, decimal};

use std::fmt;
use std::path::Path;

use proofmill_algebra::field::{Bn254Fp, PrimeField};
use proofmill_op::Bytes;
use proofmill_op::msm::Curve;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::container::{Container, Format, Part};
use super::curve::{Facts, Prime, SCALAR_BYTES, is, is_below};
use super::source::{Source, copy_of};
use crate::groth16::Scalar;
use crate::{Error, FileError, Result};

const FORMAT: Format = Format {
    magic: b"r1cs",
    version: 1,
    sections: &["header", "constraints", "labels", "custom gates", "uses of custom gates"],
};

/// Bytes of a term.
const TERM: usize = 4 + SCALAR_BYTES;

/// Bytes of a label.
const LABEL: usize = 8;

/// Constraints that a thread reads at a time. The start of each piece is kept.
const PIECE: usize = 1 << 10;

/// Primes of circom that are not supported: their names and limbs.
const OTHERS: [(&str, &[u64]); 5] = [
    ("goldilocks", &[0xffff_ffff_0000_0001]),
    ("grumpkin", Bn254Fp::MODULUS),
    ("pallas", &[0x992d_30ed_0000_0001, 0x2246_98fc_094c_f91b, 0, 1 << 62]),
    ("vesta", &[0x8c46_eb21_0000_0001, 0x2246_98fc_0994_a8dd, 0, 1 << 62]),
    ("secq256r1", &[u64::MAX, 0xffff_ffff, 0, 0xffff_ffff_0000_0001]),
];

/// A constraint system; clones share the file's bytes.
#[derive(Clone)]
pub struct R1cs {
    container: Container,
    header: Header,
    /// The offset of every [`PIECE`]-th constraint.
    starts: Vec<usize>,
    terms: [u64; 3],
    gates: CustomGates,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    facts: &'static Facts,
    variables: u32,
    public_outputs: u32,
    public_inputs: u32,
    private_inputs: u32,
    labels: u64,
    constraints: u32,
}

impl R1cs {
    /// Maps a file. The file must not be shortened while it is used: the system would end the process. If its content changes,
    /// reading returns an error.
    ///
    /// Checks every term: its variable exists and its coefficient is below r.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`R1cs::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: impl Into<Bytes>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    fn read(source: Source) -> Result<Self> {
        let container = Container::open(source, &FORMAT)?;
        let header = Header::read(container.section(1)?)?;
        container.section(3)?.all(header.variables.into(), LABEL, "labels")?;
        let gates = CustomGates::read(&container, header.labels)?;
        let (starts, terms) = find(container.section(2)?, header.constraints)?;
        let system = Self { container, header, starts, terms, gates };
        system.check_terms()?;
        Ok(system)
    }

    /// Returns the curve whose scalars the coefficients are.
    pub fn curve(&self) -> Curve {
        self.header.facts.curve
    }

    /// Returns the number of variables, including the constant 1.
    pub fn variables(&self) -> usize {
        self.header.variables as usize
    }

    /// Returns the number of public outputs. They follow the 1.
    pub fn public_outputs(&self) -> usize {
        self.header.public_outputs as usize
    }

    /// Returns the number of public inputs without the outputs. They follow the outputs.
    pub fn public_inputs(&self) -> usize {
        self.header.public_inputs as usize
    }

    /// Returns the number of private inputs of the circuit. Some may have no variable.
    pub fn private_inputs(&self) -> usize {
        self.header.private_inputs as usize
    }

    /// Returns the number of signals of the circuit before the compiler simplified it.
    pub fn labels(&self) -> u64 {
        self.header.labels
    }

    /// Returns the number of constraints.
    pub fn count(&self) -> usize {
        self.header.constraints as usize
    }

    /// Returns the numbers of terms in A, B and C.
    pub fn terms(&self) -> [u64; 3] {
        self.terms
    }

    /// Returns the custom gates.
    pub fn custom_gates(&self) -> &CustomGates {
        &self.gates
    }

    /// Returns an iterator over the constraints. An item is an error if the file changed to an invalid constraint, and the last one then.
    pub fn constraints(&self) -> impl ExactSizeIterator<Item = Result<Constraint>> {
        self.piece(0, self.count()).map(|read| read.map_err(Error::after_opening))
    }

    /// Returns a constraint by its number, or `None` if there are fewer; an error as from [`Self::constraints`].
    pub fn constraint(&self, number: usize) -> Option<Result<Constraint>> {
        (number < self.count()).then(|| {
            let first = number - number % PIECE;
            let mut piece = self.piece(first, number + 1);
            let last = (first..number).try_for_each(|_| piece.read().map(drop));
            last.and_then(|()| piece.read()).map_err(Error::after_opening)
        })
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        self.container.source().name()
    }

    /// Returns the bytes of the file.
    pub fn file_bytes(&self) -> usize {
        self.container.source().bytes().len()
    }

    /// Returns the constraints from `first`, which starts a piece, to `end`.
    fn piece(&self, first: usize, end: usize) -> Constraints<'_> {
        let mut part = self.container.known(2);
        if let Some(start) = self.starts.get(first / PIECE) {
            part = part.after(*start);
        }
        Constraints { header: &self.header, part, next: first, end }
    }

    /// Returns the pieces.
    fn pieces(&self) -> impl IndexedParallelIterator<Item = Constraints<'_>> {
        let first = |piece: usize| piece * PIECE;
        (0..self.starts.len())
            .into_par_iter()
            .map(move |piece| self.piece(first(piece), first(piece + 1).min(self.count())))
    }

    /// Checks all terms. An error names the first invalid one.
    fn check_terms(&self) -> Result<()> {
        let search = |mut piece: Constraints<'_>| piece.find_map(Result::err);
        let found = parallel(|| self.pieces().map(search).find_first(Option::is_some));
        found.flatten().map_or(Ok(()), Err)
    }
}

impl Header {
    fn read(mut part: Part<'_>) -> Result<Self> {
        let facts = prime(&mut part)?;
        let start = part.at();
        let variables = part.u32("the number of variables")?;
        let public_outputs = part.u32("the number of public outputs")?;
        let public_inputs = part.u32("the number of public inputs")?;
        let private_inputs = part.u32("the number of private inputs")?;
        let labels = part.u64("the number of labels")?;
        let constraints = part.u32("the number of constraints")?;
        let public = u64::from(public_outputs) + u64::from(public_inputs);
        if u64::from(variables) <= public {
            let problem = format!("{variables} variables cannot hold 1 and {public} public ones");
            return Err(part.wrong(start, problem).into());
        }
        part.finish()?;
        Ok(Self {
            facts,
            variables,
            public_outputs,
            public_inputs,
            private_inputs,
            labels,
            constraints,
        })
    }
}

/// Reads the prime. An error names circom's other primes.
fn prime(part: &mut Part<'_>) -> Result<&'static Facts> {
    let mut ahead = part.clone();
    let bytes = ahead.u32("a prime's length")?;
    for (name, limbs) in OTHERS {
        let mut prime = ahead.clone();
        if bytes as usize == 8 * limbs.len() && is(&prime.take(bytes as usize, "a prime")?, limbs) {
            let problem =
                format!("the prime of {name}; the curves that are read are {}", Facts::names());
            return Err(ahead.wrong(ahead.at(), problem).into());
        }
    }
    Facts::read(part, Prime::Scalar)
}

/// Returns the start of each piece, and the numbers of terms in A, B and C.
fn find(mut part: Part<'_>, constraints: u32) -> Result<(Vec<usize>, [u64; 3])> {
    let (mut starts, mut terms) = (Vec::new(), [0; 3]);
    for number in 0..constraints as usize {
        if number.is_multiple_of(PIECE) {
            starts.push(part.at());
        }
        for count in &mut terms {
            let found = terms_of(&mut part).map_err(|error| match error {
                Error::File(wrong) => {
                    let problem =
                        format!("constraint {number} of {constraints}: {}", wrong.problem);
                    Error::File(FileError { problem, ..wrong })
                }
                other => other,
            })?;
            *count += found.len() as u64;
        }
    }
    part.finish()?;
    Ok((starts, terms))
}

/// Takes the terms of a combination, without checks.
fn terms_of<'a>(part: &mut Part<'a>) -> Result<&'a [[u8; TERM]]> {
    let count = u64::from(part.u32("the number of terms")?);
    let bytes = usize::try_from(count * TERM as u64).unwrap_or(usize::MAX);
    Ok(part.shared(bytes, "the terms")?.as_chunks().0)
}

/// The constraint A·w times B·w = C·w: a copy of what the file contains.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// Its number, from 0.
    pub number: usize,
    /// The terms of A, B and C.
    terms: Vec<Term>,
    /// The number of terms of A, and of A and B.
    ends: [usize; 2],
}

impl Constraint {
    /// Reads a constraint. An error names the first term that is not one of this system.
    fn read(part: &mut Part<'_>, number: usize, header: &Header) -> Result<Self> {
        let (mut terms, mut ends) = (Vec::new(), [0; 3]);
        for (name, end) in ["A", "B", "C"].into_iter().zip(&mut ends) {
            let stored = terms_of(part)?;
            let first = part.at() - size_of_val(stored);
            for (i, stored) in stored.iter().enumerate() {
                let term = Term::of(stored);
                if let Some(problem) = term.problem(header) {
                    let problem = format!("constraint {number}: term {i} of {name}: {problem}");
                    return Err(part.wrong(first + i * TERM, problem).into());
                }
                terms.push(term);
            }
            *end = terms.len();
        }
        let [a, b, _] = ends;
        Ok(Self { number, terms, ends: [a, b] })
    }

    /// Returns the terms of A, the left factor.
    pub fn a(&self) -> &[Term] {
        &self.terms[..self.ends[0]]
    }

    /// Returns the terms of B, the right factor.
    pub fn b(&self) -> &[Term] {
        &self.terms[self.ends[0]..self.ends[1]]
    }

    /// Returns the terms of C, the product.
    pub fn c(&self) -> &[Term] {
        &self.terms[self.ends[1]..]
    }

    /// Returns the variables of all terms but the 1, ascending, each once.
    pub fn variables(&self) -> Vec<u32> {
        let mut variables: Vec<_> =
            self.terms.iter().map(|it| it.variable).filter(|&it| it != 0).collect();
        variables.sort_unstable();
        variables.dedup();
        variables
    }
}

/// A variable with its coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The number of the variable; 0 is the constant 1.
    pub variable: u32,
    /// The coefficient, canonical and below r.
    pub coefficient: Scalar,
}

impl Term {
    fn of(stored: &[u8; TERM]) -> Self {
        let stored = copy_of(stored);
        let (variable, _) = stored.split_first_chunk().expect("a term is longer");
        let coefficient = *stored.last_chunk().expect("the coefficient comes last");
        Self { variable: u32::from_le_bytes(*variable), coefficient }
    }

    fn problem(&self, header: &Header) -> Option<String> {
        let variables = header.variables;
        if self.variable >= variables {
            return Some(format!("variable {}, where there are {variables}", self.variable));
        }
        let is_scalar = is_below(&self.coefficient, header.facts.scalar);
        (!is_scalar).then(|| "the coefficient is not below r".to_owned())
    }
}

/// An iterator over constraints, in the file's order. Terms are checked when they are read.
struct Constraints<'a> {
    header: &'a Header,
    part: Part<'a>,
    next: usize,
    end: usize,
}

impl Constraints<'_> {
    /// Reads the next constraint. There is none after an error, since the end of the invalid one is unknown.
    fn read(&mut self) -> Result<Constraint> {
        let read = Constraint::read(&mut self.part, self.next, self.header);
        self.next = if read.is_ok() { self.next + 1 } else { self.end };
        read
    }
}

impl Iterator for Constraints<'_> {
    type Item = Result<Constraint>;

    fn next(&mut self) -> Option<Self::Item> {
        (self.next < self.end).then(|| self.read())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Constraints<'_> {}

impl fmt::Debug for R1cs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Header { facts, variables, constraints, .. } = self.header;
        let name = self.name();
        write!(
            f,
            "R1cs({name}: {constraints} constraints of {variables} variables, {})",
            facts.name
        )
    }
}
