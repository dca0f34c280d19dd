//! Proofs that a leaf is in a tree.

use std::io::{Read, Seek, SeekFrom};

use proofmill_algebra::field::{Bls12381Fr, PrimeField as _};
use serde::{Deserialize, Serialize};

use super::{ELEMENT_BYTES, Node, Shape};
use crate::{Device, Error, Result};

/// A leaf and the siblings on the path to the root.
///
/// Its text form is JSON: `arity`, `index`, `leaf` and a list of `siblings` for each row, from the leaves to below the root. Nodes are numbers,
/// `0x…`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The number of children of a node.
    pub arity: usize,
    /// The leaf's number, from 0 on.
    pub index: u64,
    /// The leaf.
    #[serde(with = "text::node")]
    pub leaf: Node,
    /// For each row, the other children of the same node, in order.
    #[serde(with = "text::rows")]
    pub siblings: Vec<Vec<Node>>,
}

/// Returns the proof for a leaf of a tree whose rows begin at the reader's position.
pub fn prove<R: Read + Seek>(shape: Shape, rows: &mut R, index: u64) -> Result<Proof> {
    if index >= shape.leaves() {
        let problem = format!("is {index}; there are {} leaves", shape.leaves());
        return Err(Error::argument("index", problem));
    }
    let mut place = rows.stream_position().map_err(reading)?;
    let (arity, mut at) = (shape.arity() as u64, index);
    let (mut leaf, mut siblings) = (None, Vec::new());
    for row in shape.rows().take_while(|&row| row > 1) {
        let first = at / arity * arity;
        rows.seek(SeekFrom::Start(place + first * ELEMENT_BYTES as u64)).map_err(reading)?;
        let mut children = vec![[0; ELEMENT_BYTES]; shape.arity()];
        rows.read_exact(children.as_flattened_mut()).map_err(reading)?;
        let own = children.remove((at - first) as usize);
        leaf.get_or_insert(own);
        siblings.push(children);
        place += row * ELEMENT_BYTES as u64;
        at /= arity;
    }
    let leaf = leaf.expect("a tree has more rows than the root");
    Ok(Proof { arity: shape.arity(), index, leaf, siblings })
}

fn reading(source: std::io::Error) -> Error {
    Error::Io { context: "the tree's rows".into(), source: source.into() }
}

impl Proof {
    /// Computes the root of the tree that contains the leaf, if the siblings are right. Compare it with a root that you trust.
    ///
    /// Returns an error if the number of siblings of a row does not match the arity, if there are no rows or fewer than the index
    /// needs, or if a node is not below r.
    pub fn root(&self, device: &dyn Device) -> Result<Node> {
        let wrong = |problem: String| Err(Error::argument("proof", problem));
        let is_element = |node: &Node| Bls12381Fr::from_le_bytes(node).is_ok();
        if !is_element(&self.leaf) {
            return wrong("the leaf is not below the modulus".into());
        }
        let (mut node, mut at) = (self.leaf, self.index);
        if self.siblings.is_empty() {
            return wrong("no siblings".into());
        }
        for (row, siblings) in self.siblings.iter().enumerate() {
            if siblings.len() + 1 != self.arity {
                let (found, arity) = (siblings.len(), self.arity);
                return wrong(format!("row {row} has {found} siblings; the arity is {arity}"));
            }
            if let Some(sibling) = siblings.iter().position(|node| !is_element(node)) {
                return wrong(format!("row {row}: sibling {sibling} is not below the modulus"));
            }
            let place = (at % self.arity as u64) as usize;
            let mut children = siblings.clone();
            children.insert(place, node);
            let digest = crate::poseidon::hash(device, self.arity, children.as_flattened())?;
            node = digest.try_into().expect("one digest of one preimage");
            at /= self.arity as u64;
        }
        if at > 0 {
            return wrong(format!("there are too few rows for leaf {}", self.index));
        }
        Ok(node)
    }
}

/// Formats a node as a number, `0x…` with all digits.
pub fn to_text(node: &Node) -> String {
    let mut bytes = *node;
    bytes.reverse();
    format!("0x{}", hex::encode(bytes))
}

/// Parses a node from a number `0x…` of at most 256 bits; `None` for any other text.
pub fn of_text(text: &str) -> Option<Node> {
    let digits = text.strip_prefix("0x").filter(|digits| !digits.is_empty())?;
    let mut node = [0; ELEMENT_BYTES];
    hex::decode_to_slice(format!("{digits:0>width$}", width = 2 * ELEMENT_BYTES), &mut node)
        .ok()?;
    node.reverse();
    Some(node)
}

/// Nodes in JSON.
mod text {
    use super::{Node, of_text, to_text};

    fn parsed<E: serde::de::Error>(text: &str) -> Result<Node, E> {
        of_text(text).ok_or_else(|| E::custom(format!("'{text}' is not a number 0x…")))
    }

    pub mod node {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        use super::{Node, parsed, to_text};

        pub fn serialize<S: Serializer>(node: &Node, to: S) -> Result<S::Ok, S::Error> {
            to_text(node).serialize(to)
        }

        pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Node, D::Error> {
            parsed(&String::deserialize(from)?)
        }
    }

    pub mod rows {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        use super::{Node, parsed, to_text};

        pub fn serialize<S: Serializer>(rows: &[Vec<Node>], to: S) -> Result<S::Ok, S::Error> {
            let text = |row: &Vec<Node>| row.iter().map(to_text).collect::<Vec<_>>();
            rows.iter().map(text).collect::<Vec<_>>().serialize(to)
        }

        pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<Vec<Node>>, D::Error> {
            let rows: Vec<Vec<String>> = Vec::deserialize(from)?;
            rows.iter().map(|row| row.iter().map(|text| parsed(text)).collect()).collect()
        }
    }
}
