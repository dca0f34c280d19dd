//! The contributions to the ceremony of a Groth16 key: section 10 of a `.zkey`.
//!
//! ```text
//! circuit hash 64 | count u32 | contribution ...
//! contribution: delta after it, s and s x in G1, sp x in G2 | transcript 64 | kind u32 | bytes u32 | parameters
//! parameters:   1, length u8, name | 2, log2 of iterations u8 | 3, length u8, hash of the beacon    in this order, each optional
//! ```
//!
//! x is the factor that the contributor multiplied delta with, s a random point, and sp a point that is hashed from the
//! transcript. The hashes are BLAKE2b-512 over points whose coordinates are big-endian.

use proofmill_algebra::Isa;
use proofmill_op::msm::{Curve, Group, Instance};

use super::container::Part;
use super::zkey::header::point;
use crate::Result;

/// Bytes of a hash.
pub(crate) const HASH: usize = 64;

/// log2 of the most iterations of a beacon, in snarkjs.
const MAX_LOG_ITERATIONS: u8 = 63;

/// The numbers of the parameters of a contribution.
const NAME: u8 = 1;
const ITERATIONS: u8 = 2;
const BEACON: u8 = 3;

/// The contributions to a key, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contributions {
    /// The hash of the key before the first contribution: of the circuit and the powers of tau.
    pub circuit_hash: [u8; HASH],
    /// The contributions.
    pub list: Vec<Contribution>,
}

/// A contribution: who made it and the proof of knowledge of its factor. The points are of their groups and not the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contribution {
    /// The name, if the contributor gave one.
    pub name: Option<String>,
    /// The source of its randomness.
    pub kind: Kind,
    /// delta in G1 after the contribution.
    pub delta_after: Vec<u8>,
    /// s, a random point of G1.
    pub s: Vec<u8>,
    /// s times the factor.
    pub s_x: Vec<u8>,
    /// A point of G2 hashed from the transcript, times the factor.
    pub sp_x: Vec<u8>,
    /// The hash of the circuit hash, the public keys before this contribution, s and `s_x`.
    pub transcript: [u8; HASH],
}

/// The source of a contribution's randomness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A participant's secret.
    Participant,
    /// A public value, hashed 2^`log_iterations` times with SHA-256.
    Beacon {
        /// The public value: 1 to 255 bytes.
        hash: Vec<u8>,
        /// log2 of the number of iterations, at most 63.
        log_iterations: u8,
    },
}

impl Contributions {
    /// Reads a section. An error names the first malformed contribution.
    pub(super) fn read(isa: Isa, mut part: Part<'_>, curve: Curve) -> Result<Self> {
        let circuit_hash = hash(&mut part, "the circuit hash")?;
        let count = part.u32("the number of contributions")?;
        // Not reserved: the number is the file's, and each contribution takes bytes of it.
        let mut list = Vec::new();
        for number in 1..=u64::from(count) {
            list.push(Contribution::read(isa, &mut part, curve, number)?);
        }
        part.finish()?;
        Ok(Self { circuit_hash, list })
    }
}

impl Contribution {
    fn read(isa: Isa, part: &mut Part<'_>, curve: Curve, number: u64) -> Result<Self> {
        let what = |field: &str| format!("{field} of contribution {number}");
        let mut point = |group, field| point(isa, part, Instance::new(curve, group), &what(field));
        let delta_after = point(Group::G1, "delta")?;
        let s = point(Group::G1, "s")?;
        let s_x = point(Group::G1, "s x")?;
        let sp_x = point(Group::G2, "sp x")?;
        let transcript = hash(part, &what("the transcript"))?;
        let start = part.at();
        let kind = part.u32(&what("the kind"))?;
        let bytes = part.u32(&what("the parameters' length"))?;
        let parameters = part.take(bytes as usize, &what("the parameters"))?;
        let wrong = |problem: &str| part.wrong(start, format!("contribution {number}: {problem}"));
        let Parameters { name, log_iterations, beacon } =
            Parameters::read(&parameters).map_err(&wrong)?;
        let kind = match (kind, log_iterations, beacon) {
            (0, None, None) => Kind::Participant,
            (1, Some(log_iterations), Some(hash)) => {
                if log_iterations > MAX_LOG_ITERATIONS {
                    let problem = format!("a beacon of 2^{log_iterations} iterations");
                    return Err(wrong(&problem).into());
                }
                Kind::Beacon { hash, log_iterations }
            }
            (0, ..) => return Err(wrong("the parameters of a beacon without its kind").into()),
            (1, ..) => return Err(wrong("a beacon without its hash or iterations").into()),
            _ => return Err(wrong(&format!("kind {kind}, not 0 or 1 (beacon)")).into()),
        };
        Ok(Self { name, kind, delta_after, s, s_x, sp_x, transcript })
    }

    /// Returns the contribution hash, which snarkjs prints and contributors publish.
    pub fn hash(&self) -> [u8; HASH] {
        let mut state = hasher();
        self.add_public_key(&mut state);
        *state.finalize().as_array()
    }

    /// Hashes the public key: delta, s, s x, sp x and the transcript.
    pub(crate) fn add_public_key(&self, state: &mut blake2b_simd::State) {
        for point in [&self.delta_after, &self.s, &self.s_x, &self.sp_x] {
            state.update(&big_endian(point));
        }
        state.update(&self.transcript);
    }
}

/// The parameters of a contribution.
#[derive(Default)]
struct Parameters {
    name: Option<String>,
    log_iterations: Option<u8>,
    beacon: Option<Vec<u8>>,
}

impl Parameters {
    fn read(mut bytes: &[u8]) -> std::result::Result<Self, &'static str> {
        let (mut found, mut last) = (Self::default(), 0);
        while let Some((&number, rest)) = bytes.split_first() {
            if number <= last {
                return Err("parameters are not in ascending order");
            }
            last = number;
            let (&first, rest) = rest.split_first().ok_or("the parameters end early")?;
            if number == ITERATIONS {
                (found.log_iterations, bytes) = (Some(first), rest);
                continue;
            }
            let (content, rest) =
                rest.split_at_checked(first.into()).ok_or("the parameters end early")?;
            match number {
                NAME => found.name = Some(String::from_utf8_lossy(content).into_owned()),
                BEACON if content.is_empty() => return Err("the hash of the beacon is empty"),
                BEACON => found.beacon = Some(content.to_vec()),
                _ => return Err("an unknown parameter"),
            }
            bytes = rest;
        }
        Ok(found)
    }
}

/// Starts BLAKE2b-512.
pub(crate) fn hasher() -> blake2b_simd::State {
    blake2b_simd::State::new()
}

/// Returns a point with big-endian coordinates, in G2 the coefficient of u first, as ceremonies hash it. The identity is zeros.
pub(crate) fn big_endian(point: &[u8]) -> Vec<u8> {
    let (x, y) = point.split_at(point.len() / 2);
    x.iter().rev().chain(y.iter().rev()).copied().collect()
}

fn hash(part: &mut Part<'_>, what: &str) -> Result<[u8; HASH]> {
    part.array(what)
}
