//! Verifying keys, as bellman's `VerifyingKey::write` writes them: the points in front of H in a file of parameters.

use std::sync::Arc;

use proofmill_algebra::bls12_381::{G1, G2};
use proofmill_algebra::encoding::{pair, zcash};
use proofmill_op::msm::{Curve, Group};

use super::parameters::{HEADER, point_bytes};
use crate::Result;
use crate::groth16::VerifyingKey;
use crate::snarkjs::source::Source;

/// Reads a verifying key: alpha, beta in G1 | beta, gamma in G2 | delta in G1, G2 | IC. The name is for errors.
pub fn read_verifying_key(name: &str, bytes: &[u8]) -> Result<VerifyingKey> {
    let mut reader = Reader { source: Source::new(name, Arc::<[u8]>::from(bytes).into()), at: 0 };
    let mut header = Vec::with_capacity(HEADER.len());
    for (part, group) in HEADER {
        header.push(reader.point(part, group)?);
    }
    let count = reader.take("IC", 4)?;
    let count = count.iter().fold(0, |count, &byte| count << 8 | usize::from(byte));
    let ic = (0..count).map(|_| reader.point("IC", Group::G1)).collect::<Result<_>>()?;
    let rest = reader.source.bytes().len() - reader.at;
    if rest > 0 {
        return Err(reader.wrong("end", format!("{rest} bytes after IC")));
    }
    let [alpha_g1, _, beta_g2, gamma_g2, _, delta_g2]: [Vec<u8>; HEADER.len()] =
        header.try_into().expect("a point of each");
    Ok(VerifyingKey { curve: Curve::Bls12_381, alpha_g1, beta_g2, gamma_g2, delta_g2, ic })
}

struct Reader {
    source: Source,
    at: usize,
}

impl Reader {
    fn wrong(&self, part: &str, problem: impl Into<String>) -> crate::Error {
        self.source.wrong(part, self.at, problem).into()
    }

    fn take(&mut self, part: &str, length: usize) -> Result<Vec<u8>> {
        let bytes = self.source.bytes().get(self.at..).and_then(|rest| rest.get(..length));
        let bytes = bytes.map(<[u8]>::to_vec);
        let bytes = bytes.ok_or_else(|| self.wrong(part, format!("{length} bytes are missing")))?;
        self.at += length;
        Ok(bytes)
    }

    /// Reads a point, and returns it in the form of this crate.
    fn point(&mut self, part: &str, group: Group) -> Result<Vec<u8>> {
        let start = self.at;
        let bytes = self.take(part, point_bytes(group))?;
        let point = match group {
            Group::G1 => zcash::decode_uncompressed::<G1>(&bytes).map(|point| pair::encode(&point)),
            Group::G2 => zcash::decode_uncompressed::<G2>(&bytes).map(|point| pair::encode(&point)),
        };
        let point = point.map_err(|problem| problem.to_string());
        let point = match point {
            // The encoding of the identity.
            Ok(point) if point.iter().all(|byte| *byte == 0) => Err("is the identity".into()),
            other => other,
        };
        point.map_err(|problem| self.source.wrong(part, start, problem).into())
    }
}
