//! `.zkey`: a proving key for PLONK, with the sections of [`plonkish`](crate::snarkjs::plonkish).
//!
//! | section | content |
//! |---|---|
//! | 1 header | 2 for PLONK |
//! | 2 plonk header | ...; Qm, Ql, Qr, Qo, Qc, S1, S2, S3 in G1; X_2 in G2 |
//! | 7 Qm, 8 Ql, 9 Qr, 10 Qo, 11 Qc | a polynomial each |
//! | 12 sigma | three polynomials |
//! | 13 Lagrange | a polynomial for each public input, at least one |
//! | 14 powers of tau | n + 6 points of G1: tau^i times the generator |

use std::path::Path;
use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::msm::{Group, Instance};

use crate::Result;
use crate::plonk::VerifyingKey;
use crate::snarkjs::container::{Format, Part};
use crate::snarkjs::plonkish::{Layout, PlonkishKey, Sizes};
use crate::snarkjs::source::Source;
use crate::snarkjs::zkey::header::{PLONK, any_point, point};

/// A proving key for PLONK.
pub type Zkey = PlonkishKey<Header>;

static LAYOUT: Layout = Layout {
    format: Format {
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
    },
    protocol: PLONK,
    polynomials: [(7, 0), (8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (12, 1), (12, 2), (13, 0)],
    powers: 14,
    power_counts: [1, 6],
    free_rows: 0,
};

/// The header of a key for PLONK: its verifying key. The points are of the groups, and X_2 is not the identity.
#[derive(Clone, Debug)]
pub struct Header(VerifyingKey);

impl Header {
    fn read(isa: Isa, part: &mut Part<'_>, sizes: &Sizes) -> Result<Self> {
        const POINTS: [&str; 8] = ["Qm", "Ql", "Qr", "Qo", "Qc", "S1", "S2", "S3"];
        let curve = sizes.facts.curve;
        let mut points = [const { Vec::new() }; 8];
        for (point, name) in points.iter_mut().zip(POINTS) {
            *point = any_point(isa, part, Instance::new(curve, Group::G1), name)?;
        }
        let [q_m, q_l, q_r, q_o, q_c, s1, s2, s3] = points;
        let x_g2 = point(isa, part, Instance::new(curve, Group::G2), "X_2")?;
        let (public_inputs, domain_log) = (sizes.public_inputs as usize, sizes.domain_log);
        let [k1, k2] = sizes.k;
        Ok(Self(VerifyingKey {
            curve,
            public_inputs,
            domain_log,
            k1,
            k2,
            q_m,
            q_l,
            q_r,
            q_o,
            q_c,
            s1,
            s2,
            s3,
            x_g2,
        }))
    }
}

impl PlonkishKey<Header> {
    /// Maps a file. The file must not be shortened while it is used: the system would end the process. If its content changes,
    /// reading returns an error.
    ///
    /// Checks that all sections exist and have the lengths of the header, and checks the points of the header, every addition and every wire.
    /// Polynomials and powers of tau are checked when they are read. Points are decoded with the best code path of this process, or the one of
    /// [`PlonkishKey::read_with`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::read(Source::open(path.as_ref())?)
    }

    /// Reads bytes in memory, under a name for errors, with the checks of [`PlonkishKey::open`].
    pub fn from_bytes(name: impl Into<String>, bytes: Arc<[u8]>) -> Result<Self> {
        Self::read(Source::new(name, bytes.into()))
    }

    pub(in crate::snarkjs) fn read(source: Source) -> Result<Self> {
        Self::read_as(source, &LAYOUT, Header::read)
    }

    /// Returns the verifying key for the proofs of this key.
    pub fn verifying_key(&self) -> VerifyingKey {
        self.header.0.clone()
    }

    /// Checks that every point is in its group and every scalar below r. Takes long for large keys of BLS12-381.
    pub fn check(&self) -> Result<()> {
        self.check_all()
    }
}
