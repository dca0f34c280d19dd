//! `poseidon`: hashes of field elements over the scalars of BLS12-381, as Filecoin uses them.
//!
//! Elements and digests are canonical integers below r, little-endian, [`ELEMENT_BYTES`] each. Preimages follow each other, and so
//! do their digests.

use std::fmt;
use std::str::FromStr;

pub use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, LEAST_ARITY, MOST_ARITY, Strength};

pub use crate::msm::Progress;
use crate::{Data, Error, Result};

/// A field with its S-box, rounds and domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub enum Instance {
    /// Filecoin's, over the scalars of BLS12-381: arities from [`LEAST_ARITY`] to [`MOST_ARITY`], both strengths.
    #[default]
    Bls12_381,
}

impl Instance {
    /// All there are.
    pub const ALL: [Self; 1] = [Self::Bls12_381];

    /// Its name in `spec/hashes`, without the operation's.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bls12_381 => "bls12_381",
        }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Instance {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|instance| instance.name() == name).ok_or_else(|| {
            let all = Self::ALL.map(Self::name).join(", ");
            Error::argument("instance", format!("'{name}' is unknown; expected one of {all}"))
        })
    }
}

/// Preimages to hash.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The field and all that goes with it.
    pub instance: Instance,
    /// How many elements a permutation takes, from [`LEAST_ARITY`] to [`MOST_ARITY`].
    pub arity: usize,
    /// How many rounds there are.
    #[cfg_attr(feature = "serde", serde(with = "crate::forms::StrengthForm"))]
    pub strength: Strength,
    /// What is hashed, which decides the tag, and how many elements a preimage has.
    #[cfg_attr(feature = "serde", serde(with = "crate::forms::DomainForm"))]
    pub domain: Domain,
    /// The preimages one after the other.
    pub preimages: Data,
    /// Is called with the progress.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// As a Merkle tree of this arity hashes the children of its nodes, or columns: of standard strength.
    pub fn new(arity: usize, preimages: impl Into<Data>) -> Self {
        Self {
            instance: Instance::default(),
            arity,
            strength: Strength::default(),
            domain: Domain::default(),
            preimages: preimages.into(),
            progress: None,
        }
    }

    /// The same in another domain.
    pub fn in_domain(self, domain: Domain) -> Self {
        Self { domain, ..self }
    }

    /// The same with another strength.
    pub fn with_strength(self, strength: Strength) -> Self {
        Self { strength, ..self }
    }

    /// Elements of a preimage. An error if there is no such arity or length.
    pub fn elements(&self) -> Result<usize> {
        let arity = self.arity;
        if !(LEAST_ARITY..=MOST_ARITY).contains(&arity) {
            let problem = format!("is {arity}; expected {LEAST_ARITY} to {MOST_ARITY}");
            return Err(Error::argument("arity", problem));
        }
        self.domain.elements(arity).ok_or_else(|| {
            let length = match self.domain {
                Domain::ConstantLength(length) => format!("constant length {length}"),
                other => format!("{other:?}"),
            };
            Error::argument("domain", format!("{length} at arity {arity}; expected 1 to {arity}"))
        })
    }

    /// Number of preimages. An error if there is no such arity or length, or if these are no whole preimages.
    pub fn count(&self) -> Result<usize> {
        let (bytes, each) = (self.preimages.len(), self.elements()? * ELEMENT_BYTES);
        if !bytes.is_multiple_of(each) {
            let problem = format!("{bytes} bytes are not a whole number of {each}-byte preimages");
            return Err(Error::argument("preimages", problem));
        }
        Ok(bytes / each)
    }
}

/// Which layers of [`Layers`] are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Wanted {
    /// All of them, the lowest first.
    #[default]
    All,
    /// The uppermost one.
    Last,
}

/// Layers of Merkle trees: nodes are hashed, the digests are hashed, and so on, in the domain of Merkle trees and with standard strength.
///
/// A device with memory of its own keeps them there: of a tree with [`Wanted::Last`] the leaves go there, and only the root comes back.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers {
    /// The field and all that goes with it.
    pub instance: Instance,
    /// How many nodes a hash takes in each layer, the lowest first, each from [`LEAST_ARITY`] to [`MOST_ARITY`].
    pub arities: Vec<usize>,
    /// The nodes of the lowest layer one after the other: as many as one node of the uppermost layer takes, or a multiple, at least 1.
    pub nodes: Data,
    /// What is to be answered.
    pub wanted: Wanted,
    /// Is called with the progress.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Layers {
    /// All layers of trees of this height and arity, whose leaves follow each other.
    pub fn new(arity: usize, height: usize, leaves: impl Into<Data>) -> Self {
        Self {
            instance: Instance::default(),
            arities: vec![arity; height],
            nodes: leaves.into(),
            wanted: Wanted::default(),
            progress: None,
        }
    }

    /// The same over leaves that are hashes of columns of so many elements, which are given in their place.
    pub fn of_columns(mut self, elements: usize) -> Self {
        self.arities.insert(0, elements);
        self
    }

    /// The same, of which only this is answered.
    pub fn with(self, wanted: Wanted) -> Self {
        Self { wanted, ..self }
    }

    /// Nodes of each layer: of the lowest one those that are given, then digests. An error if there is no such arity, or if the nodes do not
    /// make whole trees.
    pub fn counts(&self) -> Result<Vec<usize>> {
        let is_arity = |arity: &usize| (LEAST_ARITY..=MOST_ARITY).contains(arity);
        if let Some(wrong) = self.arities.iter().find(|arity| !is_arity(arity)) {
            let problem = format!("has {wrong}; expected {LEAST_ARITY} to {MOST_ARITY}");
            return Err(Error::argument("arities", problem));
        }
        if self.arities.is_empty() {
            return Err(Error::argument("arities", "has none; expected at least 1"));
        }
        let bytes = self.nodes.len();
        if bytes == 0 || !bytes.is_multiple_of(ELEMENT_BYTES) {
            let problem = format!("{bytes} bytes are not some nodes of {ELEMENT_BYTES} bytes");
            return Err(Error::argument("nodes", problem));
        }
        let mut counts = vec![bytes / ELEMENT_BYTES];
        for &arity in &self.arities {
            let below = counts[counts.len() - 1];
            if !below.is_multiple_of(arity) {
                let problem =
                    format!("{} do not make whole trees of arities {:?}", counts[0], self.arities);
                return Err(Error::argument("nodes", problem));
            }
            counts.push(below / arity);
        }
        Ok(counts)
    }

    /// The error for a node that is not below the modulus.
    pub fn too_large(&self, number: usize) -> Error {
        Error::argument("nodes", format!("number {number} is not below the modulus"))
    }
}

/// The result.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// A digest for each preimage; or those of the layers that are wanted, one layer after the other.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub digests: Vec<u8>,
}

/// Only their number: they may be of secrets.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Response({} bytes)", self.digests.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instances_are_those_of_the_specification() {
        for instance in Instance::ALL {
            assert_eq!(instance.name().parse::<Instance>().unwrap(), instance);
            let name = format!("poseidon_{instance}");
            assert!(proofmill_spec::text(proofmill_spec::HASHES, &name).is_some(), "{name}");
        }
        let problem = "bn254".parse::<Instance>().unwrap_err().to_string();
        assert_eq!(problem, "instance: 'bn254' is unknown; expected one of bls12_381");
    }

    #[test]
    fn layers_are_whole_trees() {
        let of = |arities: &[usize], nodes: usize| Layers {
            arities: arities.to_vec(),
            ..Layers::new(2, 0, vec![0; nodes * ELEMENT_BYTES])
        };
        assert_eq!(of(&[11, 8, 8], 704).counts().unwrap(), [704, 64, 8, 1]);
        assert_eq!(of(&[2], 6).counts().unwrap(), [6, 3]);
        assert_eq!(Layers::new(8, 2, vec![]).of_columns(11).arities, [11, 8, 8]);
        let problem = |request: Layers| request.counts().unwrap_err().to_string();
        assert_eq!(problem(of(&[], 1)), "arities: has none; expected at least 1");
        assert_eq!(problem(of(&[8, 37], 8)), "arities: has 37; expected 2 to 36");
        assert_eq!(problem(of(&[8], 0)), "nodes: 0 bytes are not some nodes of 32 bytes");
        let short = Layers::new(2, 1, vec![0; 63]);
        assert_eq!(problem(short), "nodes: 63 bytes are not some nodes of 32 bytes");
        assert_eq!(problem(of(&[8, 8], 72)), "nodes: 72 do not make whole trees of arities [8, 8]");
    }

    #[test]
    fn what_cannot_be_is_named() {
        let of = |arity, bytes| Request::new(arity, vec![0; bytes]);
        assert_eq!(of(2, 0).count().unwrap(), 0);
        assert_eq!(of(8, 512).count().unwrap(), 2);
        assert_eq!(of(8, 512).in_domain(Domain::ConstantLength(1)).count().unwrap(), 16);
        let problem = |request: Request| request.count().unwrap_err().to_string();
        assert_eq!(
            problem(of(8, 33)),
            "preimages: 33 bytes are not a whole number of 256-byte preimages"
        );
        assert_eq!(problem(of(37, 0)), "arity: is 37; expected 2 to 36");
        assert_eq!(
            problem(of(4, 0).in_domain(Domain::ConstantLength(5))),
            "domain: constant length 5 at arity 4; expected 1 to 4"
        );
    }
}
