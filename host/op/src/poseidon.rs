//! `poseidon`: hashes of field elements over the scalars of BLS12-381, as Filecoin uses them.
//!
//! Elements and digests are canonical integers below r, little-endian, [`ELEMENT_BYTES`] each. Preimages follow each other, and so
//! do their digests.

use std::fmt;
use std::str::FromStr;

pub use proofmill_algebra::poseidon::{Domain, ELEMENT_BYTES, MAX_ARITY, MIN_ARITY, Strength};

pub use crate::Progress;
use crate::{Argument, Capability, Data, Error, Operation, Result, SecretBytes};

/// A field with its S-box, rounds and domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub enum Instance {
    /// Filecoin's, over the scalars of BLS12-381: arities from [`MIN_ARITY`] to [`MAX_ARITY`], both strengths.
    #[default]
    Bls12_381,
}

impl Instance {
    /// The instances of this build.
    pub const ALL: [Self; 1] = [Self::Bls12_381];

    /// Returns its name in `spec/hashes`, without the name of the operation.
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
    /// The number of elements that a permutation takes, from [`MIN_ARITY`] to [`MAX_ARITY`].
    pub arity: usize,
    /// The strength, which decides the number of rounds.
    #[cfg_attr(feature = "serde", serde(with = "crate::forms::StrengthForm"))]
    pub strength: Strength,
    /// The domain, which decides the tag and the number of elements of a preimage.
    #[cfg_attr(feature = "serde", serde(with = "crate::forms::DomainForm"))]
    pub domain: Domain,
    /// The preimages one after the other.
    pub preimages: Data,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Request {
    /// Returns the request for hashes of the children of nodes in a Merkle tree of this arity, or of columns, with standard strength.
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

    /// Returns the request in another domain.
    pub fn in_domain(self, domain: Domain) -> Self {
        Self { domain, ..self }
    }

    /// Returns the request with another strength.
    pub fn with_strength(self, strength: Strength) -> Self {
        Self { strength, ..self }
    }

    /// Returns the number of elements of a preimage; an error if there is no such arity or length.
    pub fn elements(&self) -> Result<usize> {
        let arity = self.arity;
        if !(MIN_ARITY..=MAX_ARITY).contains(&arity) {
            let problem = format!("is {arity}; expected {MIN_ARITY} to {MAX_ARITY}");
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

    /// Returns the number of preimages; an error if there is no such arity or length, or if the bytes are not whole preimages.
    pub fn count(&self) -> Result<usize> {
        let (bytes, each) = (self.preimages.len(), self.elements()? * ELEMENT_BYTES);
        if !bytes.is_multiple_of(each) {
            let problem = format!("{bytes} bytes are not a whole number of {each}-byte preimages");
            return Err(Error::argument(Argument::Preimages, problem));
        }
        Ok(bytes / each)
    }
}

/// The layers of [`Layers`] to return.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Output {
    /// All layers, the lowest first.
    #[default]
    All,
    /// The uppermost layer.
    Last,
}

/// Layers of Merkle trees: nodes are hashed, the digests are hashed, and so on, in the domain of Merkle trees and with standard strength.
///
/// A device with memory of its own keeps them there. For a tree with [`Output::Last`], the leaves are sent and only the root is returned.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Layers {
    /// The field and all that goes with it.
    pub instance: Instance,
    /// The number of nodes that a hash takes in each layer, the lowest first, each from [`MIN_ARITY`] to [`MAX_ARITY`].
    pub arities: Vec<usize>,
    /// The nodes of the lowest layer one after the other: as many as one node of the uppermost layer takes, or a multiple, at least 1.
    pub nodes: Data,
    /// The layers to return.
    pub output: Output,
    /// The progress callback.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub progress: Option<Progress>,
}

impl Layers {
    /// Returns the request for all layers of trees of this height and arity, whose leaves follow each other.
    pub fn new(arity: usize, height: usize, leaves: impl Into<Data>) -> Self {
        Self {
            instance: Instance::default(),
            arities: vec![arity; height],
            nodes: leaves.into(),
            output: Output::default(),
            progress: None,
        }
    }

    /// Returns the request over columns of `elements` elements, whose hashes are the leaves.
    pub fn of_columns(mut self, elements: usize) -> Self {
        self.arities.insert(0, elements);
        self
    }

    /// Returns the request for these layers only.
    pub fn with_output(self, output: Output) -> Self {
        Self { output, ..self }
    }

    /// Returns the number of nodes of each layer, the given nodes first, then digests; an error if there is no such arity, or if the nodes are
    /// not whole trees.
    pub fn counts(&self) -> Result<Vec<usize>> {
        let is_arity = |arity: &usize| (MIN_ARITY..=MAX_ARITY).contains(arity);
        if let Some(wrong) = self.arities.iter().find(|arity| !is_arity(arity)) {
            let problem = format!("has {wrong}; expected {MIN_ARITY} to {MAX_ARITY}");
            return Err(Error::argument("arities", problem));
        }
        if self.arities.is_empty() {
            return Err(Error::argument("arities", "has none; expected at least 1"));
        }
        let bytes = self.nodes.len();
        if bytes == 0 || !bytes.is_multiple_of(ELEMENT_BYTES) {
            let problem = format!("{bytes} bytes are not some nodes of {ELEMENT_BYTES} bytes");
            return Err(Error::argument(Argument::Nodes, problem));
        }
        let mut counts = vec![bytes / ELEMENT_BYTES];
        for &arity in &self.arities {
            let below = counts[counts.len() - 1];
            if !below.is_multiple_of(arity) {
                let problem =
                    format!("{} do not make whole trees of arities {:?}", counts[0], self.arities);
                return Err(Error::argument(Argument::Nodes, problem));
            }
            counts.push(below / arity);
        }
        Ok(counts)
    }

    /// Returns the error for a node that is not below the modulus.
    pub fn too_large(&self, number: usize) -> Error {
        Error::argument(Argument::Nodes, format!("number {number} is not below the modulus"))
    }
}

/// The digests.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// A digest for each preimage.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub digests: Vec<u8>,
}

/// Shows the length only: preimages may be secret.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Response({} bytes)", self.digests.len())
    }
}

/// The digests of layers.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LayersResponse {
    /// The digests of the layers requested, one layer after the other.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub digests: Vec<u8>,
}

/// Shows the length only: nodes may be secret.
impl fmt::Debug for LayersResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LayersResponse({} bytes)", self.digests.len())
    }
}

/// Poseidon hashes.
pub struct Poseidon;

impl Operation for Poseidon {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "poseidon";

    fn capability(request: &Request) -> Capability {
        Capability::Poseidon(request.instance)
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.preimages]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response == other
    }

    fn progress_mut(request: &mut Request) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    fn items(request: &Request) -> Result<Option<usize>> {
        request.count().map(Some)
    }

    fn join(_: &Request, parts: Vec<Response>) -> Response {
        Response { digests: parts.into_iter().flat_map(|part| part.digests).collect() }
    }

    fn take_bytes(response: &mut Response) -> Option<SecretBytes> {
        Some(std::mem::take(&mut response.digests).into())
    }

    fn put_bytes(response: &mut Response, bytes: SecretBytes) {
        response.digests = bytes.into_plain();
    }
}

/// Layers of Merkle trees.
pub struct HashLayers;

impl Operation for HashLayers {
    type Request = Layers;
    type Response = LayersResponse;
    const NAME: &'static str = "poseidon_layers";

    fn capability(request: &Layers) -> Capability {
        Capability::Poseidon(request.instance)
    }

    fn data_mut(request: &mut Layers) -> Vec<&mut Data> {
        vec![&mut request.nodes]
    }

    fn same_result(response: &LayersResponse, other: &LayersResponse) -> bool {
        response == other
    }

    fn progress_mut(request: &mut Layers) -> Option<&mut Option<Progress>> {
        Some(&mut request.progress)
    }

    /// The trees.
    fn items(request: &Layers) -> Result<Option<usize>> {
        Ok(request.counts()?.pop())
    }

    /// Joins the same layer of all parts, layer by layer.
    fn join(request: &Layers, parts: Vec<LayersResponse>) -> LayersResponse {
        let concatenated = |parts: &[LayersResponse]| -> Vec<u8> {
            parts.iter().flat_map(|part| &part.digests).copied().collect()
        };
        let (Output::All, Ok(counts)) = (request.output, request.counts()) else {
            return LayersResponse { digests: concatenated(&parts) };
        };
        let of_a_tree: Vec<usize> =
            counts[1..].iter().map(|count| count / counts[counts.len() - 1]).collect();
        let bytes_of_a_tree = of_a_tree.iter().sum::<usize>() * ELEMENT_BYTES;
        let mut digests = vec![];
        let mut before = 0;
        for count in of_a_tree {
            for LayersResponse { digests: part } in &parts {
                let trees = part.len() / bytes_of_a_tree;
                let layer =
                    before * trees * ELEMENT_BYTES..(before + count) * trees * ELEMENT_BYTES;
                digests.extend_from_slice(&part[layer]);
            }
            before += count;
        }
        LayersResponse { digests }
    }

    fn take_bytes(response: &mut LayersResponse) -> Option<SecretBytes> {
        Some(std::mem::take(&mut response.digests).into())
    }

    fn put_bytes(response: &mut LayersResponse, bytes: SecretBytes) {
        response.digests = bytes.into_plain();
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
    fn layers_of_parts_are_joined_layer_by_layer() {
        // Three trees of four leaves: 6 and 3 digests.
        let request = Layers::new(2, 2, vec![0; 12 * ELEMENT_BYTES]);
        let digests = |numbers: &[u8]| LayersResponse {
            digests: numbers.iter().flat_map(|number| [*number; ELEMENT_BYTES]).collect(),
        };
        let parts = vec![digests(&[1, 2, 3, 4, 11, 12]), digests(&[5, 6, 13])];
        let joined = HashLayers::join(&request, parts);
        assert_eq!(joined, digests(&[1, 2, 3, 4, 5, 6, 11, 12, 13]));
        let roots = vec![digests(&[11, 12]), digests(&[13])];
        let joined = HashLayers::join(&request.with_output(Output::Last), roots);
        assert_eq!(joined, digests(&[11, 12, 13]));
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
    fn wrong_arguments_are_named() {
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
