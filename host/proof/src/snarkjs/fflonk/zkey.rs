//! `.zkey`: a proving key for FFLONK over BN254, with the sections of [`plonkish`](crate::snarkjs::plonkish).
//!
//! | section | content |
//! |---|---|
//! | 1 header | 10 for FFLONK |
//! | 2 fflonk header | ...; w3, w4, w8, wr; X_2 in G2; C0 in G1 |
//! | 7 QL, 8 QR, 9 QM, 10 QO, 11 QC, 12 sigma 1, 13 sigma 2, 14 sigma 3 | a polynomial each |
//! | 15 Lagrange | a polynomial for each public input, at least one |
//! | 16 powers of tau | 9n + 18 points of G1: tau^i times the generator |
//! | 17 C0 | the 8n coefficients of C0, which combines those of sections 7 to 14 |
//!
//! w3, w4, w8 and wr are roots of unity that follow from n ([`Roots`]). The last two rows of the domain have no constraints.

use std::path::Path;
use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::msm::{Curve, Group, Instance};

use crate::Result;
use crate::fflonk::{Roots, VerifyingKey};
use crate::snarkjs::container::{Format, Part};
use crate::snarkjs::plonkish::{Elements, Layout, PlonkishKey, SAME_LENGTH, Sizes, scalar};
use crate::snarkjs::source::Source;
use crate::snarkjs::zkey::header::{FFLONK, any_point, point};

/// A proving key for FFLONK.
pub type Zkey = PlonkishKey<Header>;

/// The number of the section of C0.
const C0: u32 = 17;

static LAYOUT: Layout = Layout {
    format: Format {
        magic: b"zkey",
        version: 1,
        sections: &[
            "header",
            "fflonk header",
            "additions",
            "A map",
            "B map",
            "C map",
            "QL",
            "QR",
            "QM",
            "QO",
            "QC",
            "sigma 1",
            "sigma 2",
            "sigma 3",
            "Lagrange",
            "powers of tau",
            "C0",
        ],
    },
    protocol: FFLONK,
    polynomials: [(9, 0), (7, 0), (8, 0), (10, 0), (11, 0), (12, 0), (13, 0), (14, 0), (15, 0)],
    powers: 16,
    power_counts: [9, 18],
    free_rows: 2,
};

/// The header of a key for FFLONK: its verifying key. The points are of the groups, and X_2 is not the identity.
#[derive(Clone, Debug)]
pub struct Header(VerifyingKey);

impl Header {
    fn read(isa: Isa, part: &mut Part<'_>, sizes: &Sizes) -> Result<Self> {
        let &Sizes { facts, public_inputs, domain_log, k: [k1, k2], .. } = sizes;
        if facts.curve != Curve::Bn254 {
            let problem = format!("a key for fflonk on {}; snarkjs has it on bn254", facts.name);
            return Err(part.wrong(part.at(), problem).into());
        }
        for (name, expected) in Roots::new(domain_log).named() {
            let start = part.at();
            if scalar(part, facts, name)? != expected {
                let problem = format!("{name} is not the root of unity of 2^{domain_log} rows");
                return Err(part.wrong(start, problem).into());
            }
        }
        let x_g2 = point(isa, part, Instance::new(facts.curve, Group::G2), "X_2")?;
        let c0 = any_point(isa, part, Instance::new(facts.curve, Group::G1), "C0")?;
        let public_inputs = public_inputs as usize;
        Ok(Self(VerifyingKey { public_inputs, domain_log, k1, k2, c0, x_g2 }))
    }
}

impl PlonkishKey<Header> {
    /// Maps a file. The file must not be shortened while it is used: the system would end the process. If its content changes,
    /// reading returns an error.
    ///
    /// Checks that all sections exist and have the lengths of the header, and checks the points and roots of the header, every addition and
    /// every wire. Polynomials and powers of tau are checked when they are read. Points are decoded with the best code path of this process,
    /// or the one of [`PlonkishKey::read_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`PlonkishKey::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    pub(in crate::snarkjs) fn read(source: Source) -> Result<Self> {
        let key = Self::read_as(source, &LAYOUT, Header::read)?;
        key.scalars(C0, 8 * key.domain() as u64)?;
        Ok(key)
    }

    /// Returns the coefficients of C0: number 8k + i is number k of polynomial i of q_l, q_r, q_o, q_m, q_c, s1, s2, s3.
    pub fn c0(&self) -> Elements<'_> {
        let elements = self.scalars(C0, 8 * self.domain() as u64);
        elements.expect(SAME_LENGTH)
    }

    /// Returns the verifying key for the proofs of this key.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.header.0.clone()
    }

    /// Checks that every point is in its group and every scalar below r.
    pub fn check(&self) -> Result<()> {
        self.check_all()?;
        self.c0().check()
    }
}
