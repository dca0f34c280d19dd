//! The state of an interrupted tree.

use serde::{Deserialize, Serialize};

use super::rows::PIECE;
use super::{Leaves, Shape};
use crate::{Error, Result};

/// The data read and written for a tree: numbers of nodes, and the SHA-256 digests of their bytes. Its text form is JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Text", try_from = "Text")]
pub struct Checkpoint {
    arity: usize,
    leaves: u64,
    columns: Option<usize>,
    /// The digest of the input read.
    pub(super) input: [u8; 32],
    /// The number of nodes written of each row, and their digest.
    pub(super) rows: Vec<(u64, [u8; 32])>,
}

impl Checkpoint {
    pub(super) fn new(
        shape: Shape,
        leaves: Leaves,
        input: [u8; 32],
        rows: Vec<(u64, [u8; 32])>,
    ) -> Self {
        let columns = columns(leaves);
        Self { arity: shape.arity(), leaves: shape.leaves(), columns, input, rows }
    }

    /// Returns the number of completed leaves.
    pub fn done(&self) -> u64 {
        self.rows.first().map_or(0, |row| row.0)
    }

    /// Rejects a checkpoint of another tree, and numbers that no build of the tree reaches.
    pub(super) fn demand(&self, shape: Shape, leaves: Leaves) -> Result<()> {
        let wrong = |problem: &str| Err(Error::argument("checkpoint", problem));
        let columns = columns(leaves);
        if (self.arity, self.leaves, self.columns) != (shape.arity(), shape.leaves(), columns) {
            return wrong("is of another tree");
        }
        let lengths: Vec<u64> = shape.rows().collect();
        if self.rows.len() != lengths.len() {
            return wrong("has another number of rows than the tree");
        }
        let counts = self.rows.iter().map(|row| row.0);
        if counts.clone().zip(&lengths).any(|(count, length)| count > *length) {
            return wrong("has a row with more nodes than there are");
        }
        let arity = shape.arity() as u64;
        let mut waiting =
            counts.clone().zip(counts.skip(1)).map(|(row, above)| row.checked_sub(above * arity));
        if waiting.any(|count| count.is_none_or(|count| count >= PIECE.max(arity))) {
            return wrong("has a row that does not fit the one above");
        }
        Ok(())
    }
}

fn columns(leaves: Leaves) -> Option<usize> {
    match leaves {
        Leaves::Nodes => None,
        Leaves::Columns(elements) => Some(elements),
    }
}

/// The text form.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    arity: usize,
    leaves: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<usize>,
    input: String,
    rows: Vec<(u64, String)>,
}

impl From<Checkpoint> for Text {
    fn from(it: Checkpoint) -> Self {
        let rows = it.rows.iter().map(|(count, sum)| (*count, hex::encode(sum))).collect();
        let (arity, leaves, columns) = (it.arity, it.leaves, it.columns);
        Self { arity, leaves, columns, input: hex::encode(it.input), rows }
    }
}

impl TryFrom<Text> for Checkpoint {
    type Error = String;

    fn try_from(it: Text) -> std::result::Result<Self, String> {
        let sum = |text: &str| {
            let mut sum = [0; 32];
            hex::decode_to_slice(text, &mut sum)
                .map_err(|problem| format!("'{text}' is not a SHA-256 sum: {problem}"))?;
            Ok::<_, String>(sum)
        };
        let rows = it.rows.iter().map(|(count, text)| Ok((*count, sum(text)?)));
        let rows = rows.collect::<std::result::Result<_, String>>()?;
        let (arity, leaves, columns) = (it.arity, it.leaves, it.columns);
        Ok(Self { arity, leaves, columns, input: sum(&it.input)?, rows })
    }
}
