//! Trees in memory, from leaves that come in pieces. [`crate::poseidon::tree`] builds larger ones from and to files.

use super::batch_hasher::Batcher;
use super::{Arity, NeptuneField};
use crate::poseidon::tree::Shape;
use crate::{Error, Result};

/// Takes leaves, and makes their tree with the last ones.
pub trait TreeBuilderTrait<F: NeptuneField, TreeArity: Arity<F>> {
    /// More leaves.
    fn add_leaves(&mut self, leaves: &[F]) -> Result<()>;

    /// The last leaves. All leaves, and all rows above those that are discarded, from below to the root.
    fn add_final_leaves(&mut self, leaves: &[F]) -> Result<(Vec<F>, Vec<F>)>;

    /// Forgets all leaves.
    fn reset(&mut self);
}

/// Builds trees of one shape, one after the other.
#[derive(Clone, Debug)]
pub struct TreeBuilder<F, TreeArity> {
    /// Leaves of a tree.
    pub leaf_count: usize,
    data: Vec<F>,
    shape: Shape,
    batcher: Batcher<F, TreeArity>,
    rows_to_discard: usize,
}

impl<F: NeptuneField, TreeArity: Arity<F>> TreeBuilderTrait<F, TreeArity>
    for TreeBuilder<F, TreeArity>
{
    fn add_leaves(&mut self, leaves: &[F]) -> Result<()> {
        let (room, more) = (self.leaf_count - self.data.len(), leaves.len());
        if more > room {
            let problem = format!("{more} are too many; the tree takes {room} more");
            return Err(Error::argument("leaves", problem));
        }
        self.data.extend_from_slice(leaves);
        Ok(())
    }

    fn add_final_leaves(&mut self, leaves: &[F]) -> Result<(Vec<F>, Vec<F>)> {
        self.add_leaves(leaves)?;
        let tree = self.build_tree(self.rows_to_discard);
        self.reset();
        tree
    }

    fn reset(&mut self) {
        self.data.clear();
    }
}

impl<F: NeptuneField, TreeArity: Arity<F>> TreeBuilder<F, TreeArity> {
    /// Creates a builder for trees of `leaf_count` leaves. It returns the leaves and all rows but the first `rows_to_discard` above them. An error if the
    /// number of leaves is no power of the arity, or if the root would be discarded.
    pub fn new(
        tree_batcher: Option<Batcher<F, TreeArity>>,
        leaf_count: usize,
        rows_to_discard: usize,
    ) -> Result<Self> {
        let shape = Shape::new(TreeArity::to_usize(), leaf_count as u64)?;
        let batcher = tree_batcher.unwrap_or_else(|| Batcher::new_cpu(leaf_count));
        let builder = Self { leaf_count, data: Vec::new(), shape, batcher, rows_to_discard };
        builder.demand_root(rows_to_discard)?;
        Ok(builder)
    }

    /// The tree of the leaves that were added: they, and the rows that are kept. An error if leaves are missing.
    pub fn build_tree(&mut self, rows_to_discard: usize) -> Result<(Vec<F>, Vec<F>)> {
        self.demand_root(rows_to_discard)?;
        if self.data.len() < self.leaf_count {
            let problem = format!("there are {} of {}", self.data.len(), self.leaf_count);
            return Err(Error::argument("leaves", problem));
        }
        let mut tree = Vec::with_capacity(self.tree_size(rows_to_discard));
        let mut row = self.batcher.hash_elements(&self.data)?;
        for number in 0.. {
            if number >= rows_to_discard {
                tree.extend_from_slice(&row);
            }
            if row.len() == 1 {
                break;
            }
            row = self.batcher.hash_elements(&row)?;
        }
        Ok((self.data.clone(), tree))
    }

    /// Nodes that are kept: without the leaves, and without as many rows above them.
    pub fn tree_size(&self, rows_to_discard: usize) -> usize {
        self.shape.rows().skip(1).skip(rows_to_discard).sum::<u64>() as usize
    }

    /// Rows above the leaves.
    pub fn tree_height(&self) -> usize {
        self.shape.rows().count() - 1
    }

    /// The root of a tree whose leaves are all this one.
    pub fn compute_uniform_tree_root(&mut self, leaf: F) -> Result<F> {
        let children = |node| vec![node; self.shape.arity()];
        (0..self.tree_height())
            .try_fold(leaf, |node, _| Ok(self.batcher.hash_elements(&children(node))?[0]))
    }

    fn demand_root(&self, rows_to_discard: usize) -> Result<()> {
        let height = self.tree_height();
        if rows_to_discard < height {
            return Ok(());
        }
        let problem = format!("is {rows_to_discard}; the root is row {height}");
        Err(Error::argument("rows_to_discard", problem))
    }
}
