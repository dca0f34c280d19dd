//! Keys for circuits of gates with three wires and a permutation: what keys for PLONK and FFLONK have in common.
//!
//! | section | content |
//! |---|---|
//! | 1 header | protocol u32 |
//! | 2 | n8q u32, q; n8r u32, r; variables, public_inputs, domain n, additions, constraints u32; k1, k2; what the protocol adds |
//! | 3 additions | of each variable that the witness lacks: two variables u32, two factors |
//! | 4 A map, 5 B map, 6 C map | the variable of the wire, u32, for each constraint |
//! | from 7 on | polynomials, and the powers of tau, as the [`Layout`] of the protocol has them |
//!
//! A polynomial is n coefficients and its values at the 4n powers of the root of unity of order 4n. Scalars are in Montgomery form with
//! R = 2^256, points as in the keys for [Groth16](crate::snarkjs::Zkey).

mod elements;
mod sizes;
mod wires;

use proofmill_algebra::Isa;
use proofmill_op::msm::{Curve, Group, Instance};

use super::PointSection;
use super::container::{Container, Format, Part};
use super::curve::SCALAR_BYTES;
use super::source::Source;
use super::zkey::header::protocol;
use crate::{Error, Result};

pub use elements::Elements;
pub(super) use sizes::{Sizes, scalar};
pub use wires::{Addition, Wires};

/// Sizes and the places of sections are kept, so that they do not change with the file.
pub(super) const SAME_LENGTH: &str = "its length was checked when the file was opened";

/// A wire of a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wire {
    /// The left input.
    A,
    /// The right input.
    B,
    /// The output.
    C,
}

impl Wire {
    /// Every wire, in the file's order.
    pub const ALL: [Self; 3] = [Self::A, Self::B, Self::C];
}

/// A polynomial of the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polynomial {
    /// The selector of the product a b.
    QM,
    /// The selector of a.
    QL,
    /// The selector of b.
    QR,
    /// The selector of c.
    QO,
    /// The constants.
    QC,
    /// The permutation of a.
    S1,
    /// The permutation of b.
    S2,
    /// The permutation of c.
    S3,
    /// The polynomial that is 1 at the first point of the domain and 0 at the others.
    L0,
}

impl Polynomial {
    /// Every polynomial that the prover uses, in the order of PLONK's file.
    pub const ALL: [Self; 9] =
        [Self::QM, Self::QL, Self::QR, Self::QO, Self::QC, Self::S1, Self::S2, Self::S3, Self::L0];
}

/// The places of the contents in the file of a protocol.
#[derive(Debug)]
pub(super) struct Layout {
    /// The names of the sections.
    pub format: Format,
    /// The protocol's number.
    pub protocol: u32,
    /// For each of [`Polynomial::ALL`], the number of its section and the number of polynomials before it there. The last section has a
    /// polynomial for each public input, at least one.
    pub polynomials: [(u32, usize); 9],
    /// The number of the section of the powers of tau.
    pub powers: u32,
    /// The number of powers of tau: so many for each point of the domain, and so many more.
    pub power_counts: [usize; 2],
    /// Rows of the domain that no constraint has.
    pub free_rows: u32,
}

/// A proving key; clones share the file's bytes. `H` is what its protocol adds to the header.
#[derive(Clone, Debug)]
pub struct PlonkishKey<H> {
    container: Container,
    layout: &'static Layout,
    sizes: Sizes,
    pub(super) header: H,
    /// The code path that decodes its points.
    isa: Isa,
}

impl<H> PlonkishKey<H> {
    /// Reads a file. Checks that all sections exist and have the lengths of the header, and checks the header, every addition and every wire.
    pub(super) fn read_as(
        source: Source,
        layout: &'static Layout,
        header: impl FnOnce(Isa, &mut Part<'_>, &Sizes) -> Result<H>,
    ) -> Result<Self> {
        let container = Container::open(source, &layout.format)?;
        protocol(container.section(1)?, &[layout.protocol])?;
        let isa = Isa::best();
        let mut part = container.section(2)?;
        let sizes = Sizes::read(&mut part, layout.free_rows)?;
        let header = header(isa, &mut part, &sizes)?;
        part.finish()?;
        let key = Self { container, layout, sizes, header, isa };
        wires::additions(key.container.section(3)?, &key.sizes)?.try_for_each(|it| it.map(drop))?;
        for wire in Wire::ALL {
            Wires::of(key.container.section(4 + wire as u32)?, &key.sizes)?.check()?;
        }
        for number in key.polynomial_sections() {
            key.elements(number)?;
        }
        key.point_section()?;
        Ok(key)
    }

    /// Returns the same key with points that are decoded by this code path from now on.
    pub fn read_with(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Returns the file.
    pub(in crate::snarkjs) fn source(&self) -> &Source {
        self.container.source()
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        self.sizes.facts.curve
    }

    /// Returns the number of values of a witness, including the constant 1.
    pub fn witness_values(&self) -> usize {
        (self.sizes.variables - self.sizes.additions) as usize
    }

    /// Returns the number of variables: the values of a witness and the sums of additions.
    pub fn variables(&self) -> usize {
        self.sizes.variables as usize
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.sizes.public_inputs as usize
    }

    /// Returns the number of constraints.
    pub fn constraints(&self) -> usize {
        self.sizes.constraints as usize
    }

    /// Returns log2 of the size of the domain, from 3 on.
    pub fn domain_log(&self) -> u32 {
        self.sizes.domain_log
    }

    /// Returns the additions: variable number [`PlonkishKey::witness_values`] + i is the sum of addition i. An item is an error if the file
    /// changed to an invalid addition.
    pub fn additions(&self) -> impl ExactSizeIterator<Item = Result<Addition>> {
        let additions = wires::additions(self.container.known(3), &self.sizes);
        let additions = additions.expect(SAME_LENGTH);
        additions.map(|it| it.map_err(Error::after_opening))
    }

    /// Returns the variables of a wire, one for each constraint.
    pub fn wires(&self, wire: Wire) -> Wires<'_> {
        Wires::of(self.container.known(4 + wire as u32), &self.sizes).expect(SAME_LENGTH)
    }

    /// Returns the n coefficients of a polynomial.
    pub fn coefficients(&self, polynomial: Polynomial) -> Elements<'_> {
        let (elements, start) = self.of_polynomial(polynomial);
        elements.range(start, self.domain())
    }

    /// Returns the values of a polynomial at the 4n powers of the root of unity of order 4n.
    pub fn values(&self, polynomial: Polynomial) -> Elements<'_> {
        let (elements, start) = self.of_polynomial(polynomial);
        elements.range(start + self.domain(), 4 * self.domain())
    }

    /// Returns the elements of a polynomial's section, and the number of those before the polynomial.
    fn of_polynomial(&self, polynomial: Polynomial) -> (Elements<'_>, usize) {
        let (number, before) = self.layout.polynomials[polynomial as usize];
        let elements = self.elements(number).expect(SAME_LENGTH);
        (elements, 5 * before * self.domain())
    }

    /// Returns the powers of tau in G1.
    pub fn points(&self) -> PointSection {
        self.point_section().expect(SAME_LENGTH)
    }

    /// Checks the scalars of every polynomial and the powers of tau.
    pub(super) fn check_all(&self) -> Result<()> {
        self.polynomial_sections().try_for_each(|number| self.elements(number)?.check())?;
        self.points().check()
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        self.container.source().name()
    }

    /// Returns the bytes of the file.
    pub fn file_bytes(&self) -> usize {
        self.container.source().bytes().len()
    }

    /// Returns the number of points of the domain.
    pub(super) fn domain(&self) -> usize {
        1 << self.sizes.domain_log
    }

    /// Returns the numbers of the sections of polynomials, which follow each other.
    fn polynomial_sections(&self) -> impl Iterator<Item = u32> + use<H> {
        7..=self.last_section()
    }

    fn last_section(&self) -> u32 {
        self.layout.polynomials[Polynomial::L0 as usize].0
    }

    /// Returns all elements of a section of polynomials.
    fn elements(&self, number: u32) -> Result<Elements<'_>> {
        let polynomials = match number {
            last if last == self.last_section() => self.public_inputs().max(1),
            _ => self.layout.polynomials.iter().filter(|(section, _)| *section == number).count(),
        };
        self.scalars(number, 5 * polynomials as u64 * self.domain() as u64)
    }

    /// Returns the scalars of a section, which must be so many.
    pub(super) fn scalars(&self, number: u32, count: u64) -> Result<Elements<'_>> {
        let part = self.container.section(number)?;
        let start = part.clone();
        let bytes = part.all(count, SCALAR_BYTES, "scalars")?;
        Ok(Elements::new(start, bytes.as_chunks().0, self.sizes.facts))
    }

    fn point_section(&self) -> Result<PointSection> {
        let instance = Instance::new(self.curve(), Group::G1);
        let part = self.container.section(self.layout.powers)?;
        let [of_each, more] = self.layout.power_counts;
        let count = (of_each * self.domain() + more) as u64;
        PointSection::new(self.isa, self.container.source(), part, instance, count)
    }
}
