//! `.zkey`: a proving key for PLONK.
//!
//! | section | content |
//! |---|---|
//! | 1 header | protocol u32: 2 for PLONK |
//! | 2 plonk header | n8q u32, q; n8r u32, r; variables, public_inputs, domain n, additions, constraints u32; k1, k2; Qm, Ql, Qr, Qo, Qc, S1, S2, S3 in G1; X_2 in G2 |
//! | 3 additions | of each variable that the witness lacks: two variables u32, two factors |
//! | 4 A map, 5 B map, 6 C map | the variable of the wire, u32, for each constraint |
//! | 7 Qm, 8 Ql, 9 Qr, 10 Qo, 11 Qc | a polynomial each |
//! | 12 sigma | three polynomials |
//! | 13 Lagrange | a polynomial for each public input, at least one |
//! | 14 powers of tau | n + 6 points of G1: tau^i times the generator |
//!
//! A polynomial is n coefficients and its values at the 4n powers of the root of unity of order 4n. Scalars are in Montgomery form with
//! R = 2^256, points as in the keys for [Groth16](crate::snarkjs::Zkey).

mod elements;
mod header;
mod wires;

use std::path::Path;
use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::msm::{Curve, Group, Instance};

use crate::Result;
use crate::plonk::VerifyingKey;
use crate::snarkjs::PointSection;
use crate::snarkjs::container::{Container, Format};
use crate::snarkjs::curve::SCALAR_BYTES;
use crate::snarkjs::source::Source;
use header::Header;

pub use elements::Elements;
pub use wires::{Addition, Wires};

const FORMAT: Format = Format {
    magic: b"zkey",
    version: 1,
    sections: &[
        "header",
        "plonk header",
        "additions",
        "A map",
        "B map",
        "C map",
        "Qm",
        "Ql",
        "Qr",
        "Qo",
        "Qc",
        "sigma",
        "Lagrange",
        "powers of tau",
    ],
};

/// Points beyond the size of the domain, for the blinding of the polynomials.
const EXTRA_POINTS: usize = 6;

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
    /// Every polynomial that the prover uses, in the file's order.
    pub const ALL: [Self; 9] =
        [Self::QM, Self::QL, Self::QR, Self::QO, Self::QC, Self::S1, Self::S2, Self::S3, Self::L0];

    /// Returns the number of its section, and the number of polynomials before it there.
    fn place(self) -> (u32, usize) {
        match self {
            Self::QM => (7, 0),
            Self::QL => (8, 0),
            Self::QR => (9, 0),
            Self::QO => (10, 0),
            Self::QC => (11, 0),
            Self::S1 => (12, 0),
            Self::S2 => (12, 1),
            Self::S3 => (12, 2),
            Self::L0 => (13, 0),
        }
    }
}

/// A proving key; clones share the file's bytes.
#[derive(Clone, Debug)]
pub struct Zkey {
    container: Container,
    header: Header,
    /// The code path that decodes its points.
    isa: Isa,
}

impl Zkey {
    /// Maps a file. The file must not be changed or shortened while it is used: the system would end the process.
    ///
    /// Checks that all sections exist and have the lengths of the header, and checks the points of the header, every addition and every wire.
    /// Polynomials and powers of tau are checked when they are read. Points are decoded with the best code path of this process, or the one of
    /// [`Zkey::read_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`Zkey::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    pub(in crate::snarkjs) fn read(source: Source) -> Result<Self> {
        let container = Container::open(source, &FORMAT)?;
        let isa = Isa::best();
        let header = Header::read(isa, &container)?;
        let key = Self { container, header, isa };
        wires::check_additions(key.container.section(3)?, &key.header)?;
        for wire in Wire::ALL {
            wires::check_wires(key.container.section(4 + wire as u32)?, &key.header)?;
        }
        for number in 7..=13 {
            key.elements(number)?;
        }
        key.point_section()?;
        Ok(key)
    }

    /// Returns the same key with points that are decoded by this code path from now on.
    pub fn read_with(self, isa: Isa) -> Self {
        Self { isa, ..self }
    }

    /// Returns the curve.
    pub fn curve(&self) -> Curve {
        self.header.facts.curve
    }

    /// Returns the number of values of a witness, including the constant 1.
    pub fn witness_values(&self) -> usize {
        (self.header.variables - self.header.additions) as usize
    }

    /// Returns the number of variables: the values of a witness and the sums of additions.
    pub fn variables(&self) -> usize {
        self.header.variables as usize
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.header.public_inputs as usize
    }

    /// Returns the number of constraints.
    pub fn constraints(&self) -> usize {
        self.header.constraints as usize
    }

    /// Returns log2 of the size of the domain, from 3 on.
    pub fn domain_log(&self) -> u32 {
        self.header.domain_log
    }

    /// Returns the additions: variable number [`Zkey::witness_values`] + i is the sum of addition i.
    pub fn additions(&self) -> impl ExactSizeIterator<Item = Addition<'_>> {
        let section = self.container.section(3).expect("checked when the file was opened");
        wires::additions(section, &self.header).expect("checked when the file was opened")
    }

    /// Returns the variables of a wire, one for each constraint.
    pub fn wires(&self, wire: Wire) -> Wires<'_> {
        let section = self.container.section(4 + wire as u32);
        let section = section.expect("checked when the file was opened");
        Wires::of(section, &self.header).expect("checked when the file was opened")
    }

    /// Returns the n coefficients of a polynomial.
    pub fn coefficients(&self, polynomial: Polynomial) -> Elements<'_> {
        let start = 5 * self.of_polynomial(polynomial).1;
        self.polynomial_elements(polynomial).range(start, self.domain())
    }

    /// Returns the values of a polynomial at the 4n powers of the root of unity of order 4n.
    pub fn values(&self, polynomial: Polynomial) -> Elements<'_> {
        let start = 5 * self.of_polynomial(polynomial).1 + self.domain();
        self.polynomial_elements(polynomial).range(start, 4 * self.domain())
    }

    /// Returns the number of the section, and the elements of one size before the polynomial.
    fn of_polynomial(&self, polynomial: Polynomial) -> (u32, usize) {
        let (number, before) = polynomial.place();
        (number, before * self.domain())
    }

    fn polynomial_elements(&self, polynomial: Polynomial) -> Elements<'_> {
        self.elements(polynomial.place().0).expect("checked when the file was opened")
    }

    /// Returns the powers of tau: n + 6 points of G1.
    pub fn points(&self) -> PointSection {
        self.point_section().expect("checked when the file was opened")
    }

    /// Returns the verifying key for the proofs of this key.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.header.verifying_key()
    }

    /// Checks that every point is in its group and every scalar below r. Takes long for large keys of BLS12-381.
    pub fn check(&self) -> Result<()> {
        (7..=13).try_for_each(|number| self.elements(number)?.check())?;
        self.points().check()
    }

    /// Returns the file.
    pub(in crate::snarkjs) fn source(&self) -> &Source {
        self.container.source()
    }

    /// Returns its name in errors.
    pub fn name(&self) -> &str {
        self.container.source().name()
    }

    /// Returns the bytes of the file.
    pub fn file_bytes(&self) -> usize {
        self.container.source().bytes().len()
    }

    fn domain(&self) -> usize {
        1 << self.header.domain_log
    }

    /// Returns all elements of a section of polynomials.
    fn elements(&self, number: u32) -> Result<Elements<'_>> {
        let polynomials = match number {
            12 => 3,
            13 => u64::from(self.header.public_inputs.max(1)),
            _ => 1,
        };
        let part = self.container.section(number)?;
        let start = part.clone();
        let count = polynomials * 5 * self.domain() as u64;
        let bytes = part.all(count, SCALAR_BYTES, "scalars")?;
        Ok(Elements::new(start, bytes.as_chunks().0, self.header.facts))
    }

    fn point_section(&self) -> Result<PointSection> {
        let instance = Instance::new(self.curve(), Group::G1);
        let part = self.container.section(14)?;
        let count = (self.domain() + EXTRA_POINTS) as u64;
        PointSection::new(self.isa, self.container.source(), part, instance, count)
    }
}
