//! Trees over the hashes of columns.

use generic_array::GenericArray;

use super::batch_hasher::Batcher;
use super::tree_builder::{TreeBuilder, TreeBuilderTrait as _};
use super::{Arity, BatchHasher as _, NeptuneField};
use crate::Result;

/// Takes columns, and makes the tree of their hashes with the last ones.
pub trait ColumnTreeBuilderTrait<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    /// More columns.
    fn add_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<()>;

    /// The last columns. The hashes of all columns, and all rows above them.
    fn add_final_columns(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<(Vec<F>, Vec<F>)>;

    /// Forgets all columns.
    fn reset(&mut self);
}

/// Builds such trees of one shape, one after the other.
#[derive(Clone, Debug)]
pub struct ColumnTreeBuilder<F, ColumnArity, TreeArity> {
    /// Columns of a tree.
    pub leaf_count: usize,
    /// The batcher that hashes columns; `None` for the CPU.
    pub column_batcher: Option<Batcher<F, ColumnArity>>,
    tree_builder: TreeBuilder<F, TreeArity>,
}

impl<F, ColumnArity, TreeArity> ColumnTreeBuilderTrait<F, ColumnArity, TreeArity>
    for ColumnTreeBuilder<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    fn add_columns(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<()> {
        let leaves = self.hashed(columns)?;
        self.tree_builder.add_leaves(&leaves)
    }

    fn add_final_columns(
        &mut self,
        columns: &[GenericArray<F, ColumnArity>],
    ) -> Result<(Vec<F>, Vec<F>)> {
        let leaves = self.hashed(columns)?;
        self.tree_builder.add_final_leaves(&leaves)
    }

    fn reset(&mut self) {
        self.tree_builder.reset();
    }
}

impl<F, ColumnArity, TreeArity> ColumnTreeBuilder<F, ColumnArity, TreeArity>
where
    F: NeptuneField,
    ColumnArity: Arity<F>,
    TreeArity: Arity<F>,
{
    /// Creates a builder for trees of `leaf_count` columns, a power of the tree's arity.
    pub fn new(
        column_batcher: Option<Batcher<F, ColumnArity>>,
        tree_batcher: Option<Batcher<F, TreeArity>>,
        leaf_count: usize,
    ) -> Result<Self> {
        let tree_builder = TreeBuilder::new(tree_batcher, leaf_count, 0)?;
        Ok(Self { leaf_count, column_batcher, tree_builder })
    }

    /// Nodes above the leaves.
    pub fn tree_size(&self) -> usize {
        self.tree_builder.tree_size(0)
    }

    /// The root of a tree whose columns are all this one.
    pub fn compute_uniform_tree_root(
        &mut self,
        column: &GenericArray<F, ColumnArity>,
    ) -> Result<F> {
        let leaf = self.hashed(std::slice::from_ref(column))?[0];
        self.tree_builder.compute_uniform_tree_root(leaf)
    }

    fn hashed(&mut self, columns: &[GenericArray<F, ColumnArity>]) -> Result<Vec<F>> {
        let batcher = self.column_batcher.get_or_insert_with(|| Batcher::new_cpu(columns.len()));
        batcher.hash(columns)
    }
}
