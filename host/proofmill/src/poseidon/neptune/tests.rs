//! Conversions, and what cannot be. `interop/hashes` compares digests and trees with those of `neptune`.

use blstrs::Scalar;
use ff::Field as _;
use generic_array::typenum::{U2, U4, U8, U37};

use super::batch_hasher::Batcher;
use super::column_tree_builder::{ColumnTreeBuilder, ColumnTreeBuilderTrait as _};
use super::tree_builder::{TreeBuilder, TreeBuilderTrait as _};
use super::*;
use crate::poseidon::tree::{self, Leaves};

#[test]
fn elements_become_canonical_integers_and_come_from_them() {
    let elements = [Scalar::ZERO, Scalar::ONE, -Scalar::ONE, Scalar::from(0x1234)];
    let bytes = to_bytes(&elements);
    assert_eq!((&bytes[32..34], &bytes[96..98]), (&[1, 0][..], &[0x34, 0x12][..]));
    assert_eq!(from_bytes::<Scalar>(&bytes).unwrap(), elements);
    // r itself, behind a good one.
    let mut wrong = to_bytes(&[Scalar::ZERO, -Scalar::ONE]);
    wrong[32] += 1;
    let problem = from_bytes::<Scalar>(&wrong).unwrap_err().to_string();
    assert_eq!(problem, "bytes: element 1 is not below r");
    let problem = from_bytes::<Scalar>(&bytes[..33]).unwrap_err().to_string();
    assert_eq!(problem, "bytes: 33 bytes are not whole elements");
}

#[test]
fn trees_are_those_of_files() {
    let leaves: Vec<Scalar> = (0..64).map(|i| Scalar::from(i).pow([5])).collect();
    let device = crate::open("cpu:?threads=1").unwrap();
    let shape = tree::Shape::new(4, 64).unwrap();
    let mut rows = std::io::Cursor::new(Vec::new());
    tree::build(&*device, shape, Leaves::Nodes, &mut &to_bytes(&leaves)[..], &mut rows).unwrap();
    let rows: Vec<Scalar> = from_bytes(rows.get_ref()).unwrap();
    for discarded in 0..3 {
        let mut builder = TreeBuilder::<Scalar, U4>::new(None, 64, discarded).unwrap();
        // Twice, in different pieces.
        for cut in [0, 40] {
            builder.add_leaves(&leaves[..cut]).unwrap();
            let (base, tree) = builder.add_final_leaves(&leaves[cut..]).unwrap();
            assert_eq!(base, leaves);
            assert_eq!(tree.len(), builder.tree_size(discarded));
            assert_eq!(tree, rows[rows.len() - tree.len()..]);
        }
    }
}

#[test]
fn uniform_roots_are_those_of_uniform_trees() {
    let column: GenericArray<Scalar, U2> = GenericArray::from([Scalar::ONE, -Scalar::ONE]);
    let mut builder = ColumnTreeBuilder::<Scalar, U2, U8>::new(None, None, 64).unwrap();
    let (_, tree) = builder.add_final_columns(&vec![column; 64]).unwrap();
    assert_eq!(tree.len(), builder.tree_size());
    assert_eq!(builder.compute_uniform_tree_root(&column).unwrap(), tree[8]);
}

#[test]
fn errors_name_the_argument() {
    let new = |leaves, rows| TreeBuilder::<Scalar, U8>::new(None, leaves, rows);
    let problem = |leaves, rows| new(leaves, rows).unwrap_err().to_string();
    assert_eq!(problem(63, 0), "leaves: a count of 63 is not a power of the arity 8");
    assert_eq!(problem(64, 2), "rows_to_discard: is 2; the root is row 2");
    let mut builder = new(8, 0).unwrap();
    let leaves = [Scalar::ONE; 9];
    let said = builder.add_leaves(&leaves).unwrap_err().to_string();
    assert_eq!(said, "leaves: 9 are too many; the tree takes 8 more");
    let said = builder.add_final_leaves(&leaves[..7]).unwrap_err().to_string();
    assert_eq!(said, "leaves: there are 7 of 8");
    let mut batcher = Batcher::<Scalar, U37>::new_cpu(1);
    let said = batcher.hash(&[GenericArray::default()]).unwrap_err().to_string();
    assert_eq!(said, "arity: is 37; expected 2 to 36");
    let mut batcher = Batcher::<Scalar, U2>::new_cpu(1);
    let said = batcher.hash_into_slice(&mut [], &[GenericArray::default()]).unwrap_err();
    assert_eq!(said.to_string(), "target_slice: 0 places for 1 digests");
}
