//! `.ptau`: powers of tau, the result of a ceremony's first phase, version 1.
//!
//! | section | content, for a power p and n = 2^p |
//! |---|---|
//! | 1 header | n8q u32, q; power, power of the ceremony u32 |
//! | 2, 3 | tau^i in G1 for i < 2n - 1; in G2 for i < n |
//! | 4, 5 | alpha tau^i and beta tau^i in G1 for i < n |
//! | 6 | beta in G2 |
//! | 7 contributions | of the ceremony; not read |
//! | 12 | Lagrange polynomials at tau in G1, of the sizes 1, 2, ..., 2n one after the other |
//! | 13, 14, 15 | the same up to size n: tau in G2, alpha tau and beta tau in G1 |
//!
//! Sections 12 to 15 are those of a file that is prepared for the second phase. Points are as in `.zkey`. The file is
//! mapped, and points are checked when they are read, so that memory does not grow with the file.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::msm::{Curve, Group, Instance};

use super::container::{Container, Format, Part};
use super::curve::{Facts, Prime};
use super::source::Source;
use super::zkey::PointSection;
use crate::Result;

const FORMAT: Format = Format {
    magic: b"ptau",
    version: 1,
    sections: &[
        "header",
        "tau in G1",
        "tau in G2",
        "alpha tau in G1",
        "beta tau in G1",
        "beta in G2",
        "contributions",
        "unused",
        "unused",
        "unused",
        "unused",
        "Lagrange tau in G1",
        "Lagrange tau in G2",
        "Lagrange alpha tau in G1",
        "Lagrange beta tau in G1",
    ],
};

/// The maximum power of snarkjs.
const MAX_POWER: u32 = 28;

/// A list of powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Powers {
    /// tau^i in G1.
    TauG1,
    /// tau^i in G2.
    TauG2,
    /// alpha tau^i in G1.
    AlphaTauG1,
    /// beta tau^i in G1.
    BetaTauG1,
}

impl Powers {
    /// Every list, in the file's order.
    pub const ALL: [Self; 4] = [Self::TauG1, Self::TauG2, Self::AlphaTauG1, Self::BetaTauG1];

    /// Returns the number of the section of the powers; that of the Lagrange polynomials is 10 more.
    fn number(self) -> u32 {
        2 + self as u32
    }

    fn group(self) -> Group {
        match self {
            Self::TauG2 => Group::G2,
            _ => Group::G1,
        }
    }
}

/// A file with powers of tau; clones share its bytes.
#[derive(Clone)]
pub struct PowersOfTau {
    container: Container,
    facts: &'static Facts,
    power: u32,
    ceremony_power: u32,
    isa: Isa,
}

impl PowersOfTau {
    /// Maps a file. The file must not be shortened while it is used: the system would end the process. If its content changes,
    /// reading returns an error.
    ///
    /// Checks that all sections exist and have the lengths of the header; those of the Lagrange polynomials may be missing. Points are
    /// checked when they are read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`PowersOfTau::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    fn read(source: Source) -> Result<Self> {
        let container = Container::open(source, &FORMAT)?;
        let mut part = container.section(1)?;
        let facts = Facts::read(&mut part, Prime::Base)?;
        let start = part.at();
        let power = part.u32("the power")?;
        let ceremony_power = part.u32("the power of the ceremony")?;
        let most = facts.two_adicity.min(MAX_POWER);
        if power > most {
            return Err(part.wrong(start, format!("power {power}, more than {most}")).into());
        }
        part.finish()?;
        let file = Self { container, facts, power, ceremony_power, isa: Isa::best() };
        for powers in Powers::ALL {
            file.section(powers)?;
            if let Some(part) = file.container.optional(powers.number() + 10) {
                file.lagrange_section(powers, part)?;
            }
        }
        file.point_section(file.container.section(6)?, Group::G2, 1)?;
        file.container.section(7)?;
        Ok(file)
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        self.facts.curve
    }

    /// Returns p: the file is for domains of at most 2^p points.
    pub fn power(&self) -> u32 {
        self.power
    }

    /// Returns the power of the ceremony, of which the file may be a part.
    pub fn ceremony_power(&self) -> u32 {
        self.ceremony_power
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        self.container.source().name()
    }

    /// Returns the bytes of the file.
    pub fn file_bytes(&self) -> usize {
        self.container.source().bytes().len()
    }

    /// Returns a list of powers: 2^(p + 1) - 1 of tau in G1, 2^p of the others.
    pub fn powers(&self, powers: Powers) -> PointSection {
        self.section(powers).expect("its length was checked when the file was opened")
    }

    /// Returns the 2^log values at tau of the Lagrange polynomials of a domain of 2^log points, for log up to p. Returns an error if the
    /// file is not prepared for the second phase.
    pub fn lagrange(&self, powers: Powers, log: u32) -> Result<PointSection> {
        assert!(log <= self.power, "a size of the file");
        let part = self.container.section(powers.number() + 10)?;
        let all = self.lagrange_section(powers, part)?;
        Ok(all.range((1 << log) - 1, 1 << log))
    }

    /// Returns beta in G2.
    pub fn beta_g2(&self) -> Result<Vec<u8>> {
        self.point_section(self.container.section(6)?, Group::G2, 1)?.point(0)
    }

    /// Returns the bytes of the file that follow the powers of tau in G1: as many as a point has, or fewer at the end of the file.
    pub(crate) fn after_tau_g1(&self) -> &[u8] {
        let section = self.powers(Powers::TauG1);
        let (start, end) = section.place();
        let all = self.container.source().bytes();
        &all[end..all.len().min(end + (end - start) / section.count())]
    }

    fn section(&self, powers: Powers) -> Result<PointSection> {
        let n = 1_u64 << self.power;
        let count = if powers == Powers::TauG1 { 2 * n - 1 } else { n };
        self.point_section(self.container.section(powers.number())?, powers.group(), count)
    }

    /// Returns the Lagrange polynomials of all sizes. Those of size 2n in G1 exist if the field has a root of unity of that order.
    fn lagrange_section(&self, powers: Powers, part: Part<'_>) -> Result<PointSection> {
        let is_longer = powers == Powers::TauG1 && self.power < self.facts.two_adicity;
        let sizes = self.power + 1 + u32::from(is_longer);
        self.point_section(part, powers.group(), (1 << sizes) - 1)
    }

    fn point_section(&self, part: Part<'_>, group: Group, count: u64) -> Result<PointSection> {
        let instance = Instance::new(self.curve(), group);
        PointSection::new(self.isa, self.container.source(), part, instance, count)
    }
}

impl fmt::Debug for PowersOfTau {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PowersOfTau({}: 2^{}, {})", self.name(), self.power, self.facts.name)
    }
}
