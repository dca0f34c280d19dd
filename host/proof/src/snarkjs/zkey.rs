//! `.zkey`: a proving key for Groth16.
//!
//! | section | content |
//! |---|---|
//! | 1 header | protocol u32: 1 for Groth16 |
//! | 2 groth16 header | n8q u32, q; n8r u32, r; variables, public_inputs, domain u32; alpha, beta in G1; beta, gamma in G2; delta in G1, G2 |
//! | 3 IC | public_inputs + 1 points of G1 |
//! | 4 coefficients | number u32; of each non-zero entry of A and B matrix u32, constraint u32, signal u32, value |
//! | 5 A, 6 B1, 7 B2 | a point of G1, G1, G2 for each variable |
//! | 8 C | a point of G1 for each variable that is neither 1 nor public |
//! | 9 H | a point of G1 for each point of the domain |
//! | 10 contributions | of the ceremony: [`Contributions`]; the prover does not read them |
//!
//! Points are affine, coordinates in Montgomery form with R = 2^256 (BLS12-381: 2^384), the identity is zeros.

mod coefficients;
pub(super) mod header;
mod points;

pub use coefficients::{Coefficient, Coefficients, Matrix};
pub use points::PointSection;

use std::path::Path;
use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::msm::{Curve, Group, Instance};

use super::container::{Container, Format};
use super::contributions::Contributions;
use super::source::Source;
use crate::Result;
use crate::groth16::VerifyingKey;
use header::Header;

pub(super) const FORMAT: Format = Format {
    magic: b"zkey",
    version: 1,
    sections: &[
        "header",
        "groth16 header",
        "IC",
        "coefficients",
        "A",
        "B1",
        "B2",
        "C",
        "H",
        "contributions",
    ],
};

/// A section of points that the prover uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Section {
    /// A_i(tau) in G1, for every variable.
    A,
    /// B_i(tau) in G1, for every variable.
    B1,
    /// B_i(tau) in G2, for every variable.
    B2,
    /// (beta A_i(tau) + alpha B_i(tau) + C_i(tau)) / delta in G1, for every private variable.
    C,
    /// L_{2i+1}(tau) / delta in G1, where L are the Lagrange polynomials of the domain of twice the size: they are the factors
    /// of the values of A B - C on the odd coset.
    H,
}

impl Section {
    /// Every section, in the file's order.
    pub const ALL: [Self; 5] = [Self::A, Self::B1, Self::B2, Self::C, Self::H];

    fn number(self) -> u32 {
        match self {
            Self::A => 5,
            Self::B1 => 6,
            Self::B2 => 7,
            Self::C => 8,
            Self::H => 9,
        }
    }

    /// Returns the group of its points.
    pub fn group(self) -> Group {
        match self {
            Self::B2 => Group::G2,
            _ => Group::G1,
        }
    }
}

/// A proving key; clones share the file's bytes.
#[derive(Clone, Debug)]
pub struct Zkey {
    container: Container,
    header: Header,
    /// A copy: the verifying key does not change with the file.
    ic: PointSection,
    /// The code path that decodes its points.
    isa: Isa,
}

impl Zkey {
    /// Maps a file. The file must not be shortened while it is used: the system would end the process. If its content changes,
    /// reading returns an error.
    ///
    /// Checks that all sections exist and have the lengths of the header, and checks the points of the header and every
    /// coefficient. Points of the other sections are checked when they are read.
    /// Points are decoded with the best code path of this process, or the one of [`Zkey::read_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`Zkey::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    pub(super) fn read(source: Source) -> Result<Self> {
        let container = Container::open(source, &FORMAT)?;
        let isa = Isa::best();
        let header = Header::read(isa, &container)?;
        let count = u64::from(header.public_inputs) + 1;
        let instance = Instance::new(header.facts.curve, Group::G1);
        let ic =
            PointSection::new(isa, container.source(), container.section(3)?, instance, count)?;
        let key = Self { ic: ic.in_memory(), container, header, isa };
        Coefficients::open(key.container.section(4)?, &key.header)?.check()?;
        for section in Section::ALL {
            key.section(section)?;
        }
        Ok(key)
    }

    /// Returns the same key with points that are decoded by this code path from now on.
    pub fn read_with(self, isa: Isa) -> Self {
        Self { ic: self.ic.read_with(isa), isa, ..self }
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        self.header.facts.curve
    }

    /// Returns the number of variables: values of a witness, including the constant 1.
    pub fn variables(&self) -> usize {
        self.header.variables as usize
    }

    /// Returns the number of values of a witness: the variables.
    pub fn witness_values(&self) -> usize {
        self.variables()
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.header.public_inputs as usize
    }

    /// Returns log2 of the size of the domain of the constraints.
    pub fn domain_log(&self) -> u32 {
        self.header.domain_log
    }

    /// Returns alpha in G1.
    pub fn alpha_g1(&self) -> &[u8] {
        &self.header.alpha_g1
    }

    /// Returns beta in G1.
    pub fn beta_g1(&self) -> &[u8] {
        &self.header.beta_g1
    }

    /// Returns beta in G2.
    pub fn beta_g2(&self) -> &[u8] {
        &self.header.beta_g2
    }

    /// Returns gamma in G2.
    pub fn gamma_g2(&self) -> &[u8] {
        &self.header.gamma_g2
    }

    /// Returns delta in G1.
    pub fn delta_g1(&self) -> &[u8] {
        &self.header.delta_g1
    }

    /// Returns delta in G2.
    pub fn delta_g2(&self) -> &[u8] {
        &self.header.delta_g2
    }

    /// Returns a section's points. Their number is that of the header.
    pub fn points(&self, section: Section) -> PointSection {
        self.section(section).expect("its length was checked when the file was opened")
    }

    /// Returns the entries of the matrices A and B.
    pub fn coefficients(&self) -> Coefficients<'_> {
        Coefficients::known(self.container.known(4), &self.header)
    }

    /// Reads the contributions to the ceremony.
    pub fn contributions(&self) -> Result<Contributions> {
        Contributions::read(self.isa, self.container.section(10)?, self.curve())
    }

    /// Returns the points of IC.
    pub(crate) fn ic_points(&self) -> PointSection {
        self.ic.clone()
    }

    /// Returns the verifying key for the proofs of this key. Returns an error if a point of IC is not in the group.
    pub fn verifying_key(&self) -> Result<VerifyingKey> {
        let Header { facts, alpha_g1, beta_g2, gamma_g2, delta_g2, .. } = &self.header;
        Ok(VerifyingKey {
            curve: facts.curve,
            alpha_g1: alpha_g1.clone(),
            beta_g2: beta_g2.clone(),
            gamma_g2: gamma_g2.clone(),
            delta_g2: delta_g2.clone(),
            ic: self.ic.checked()?,
        })
    }

    /// Checks that every point of every section is in its group. Takes long for large keys of BLS12-381.
    pub fn check(&self) -> Result<()> {
        self.ic.check()?;
        Section::ALL.into_iter().try_for_each(|section| self.points(section).check())
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        self.container.source().name()
    }

    /// Returns the bytes of the file.
    pub fn file_bytes(&self) -> usize {
        self.container.source().bytes().len()
    }

    /// Returns the file.
    pub(super) fn source(&self) -> &Source {
        self.container.source()
    }

    fn section(&self, section: Section) -> Result<PointSection> {
        let Header { variables, public_inputs, domain_log, .. } = self.header;
        let count = match section {
            Section::A | Section::B1 | Section::B2 => u64::from(variables),
            Section::C => u64::from(variables - public_inputs - 1),
            Section::H => 1 << domain_log,
        };
        let instance = Instance::new(self.curve(), section.group());
        let part = self.container.section(section.number())?;
        PointSection::new(self.isa, self.container.source(), part, instance, count)
    }
}
