//! Trees of sectors: neptune's builders, proofmill's builders of the same names, and trees of files have the same nodes.

use std::io::Cursor;

use blstrs::Scalar;
use ff::Field as _;
use generic_array::GenericArray;
use generic_array::typenum::{U2, U8, U11};
use proofmill::poseidon::neptune::{from_bytes, to_bytes};
use proofmill::poseidon::tree::{Leaves, Shape, build};

use crate::painted::Source;

/// Nodes of a tree of the last tree of a sector: 32 bytes each.
const SECTOR_OF_2_KIB: usize = 64;
/// A sector of 16 MiB has two trees of arity 8, whose roots are hashed by arity 2.
const HALF_SECTOR_OF_16_MIB: usize = 1 << 18;

/// Source that differs in its imports alone: what it builds of a sector's columns, with neptune's modules and with ours.
macro_rules! built_with {
    ($name:ident: $($neptune:ident)::+) => {
        mod $name {
            use super::*;
            use $($neptune)::+::batch_hasher::Batcher;
            use $($neptune)::+::column_tree_builder::{ColumnTreeBuilder, ColumnTreeBuilderTrait as _};
            use $($neptune)::+::tree_builder::{TreeBuilder, TreeBuilderTrait as _};
            use $($neptune)::+::{Arity, BatchHasher as _};

            /// Leaves, and all rows above.
            pub fn column_tree<A: Arity<Scalar>>(columns: &[GenericArray<Scalar, A>]) -> (Vec<Scalar>, Vec<Scalar>) {
                let mut builder = ColumnTreeBuilder::<Scalar, A, U8>::new(
                    Some(Batcher::new_cpu(1 << 12)),
                    Some(Batcher::new_cpu(1 << 12)),
                    columns.len(),
                )
                .unwrap();
                let (last, others) = columns.split_last().unwrap();
                builder.add_columns(others).unwrap();
                let built = builder.add_final_columns(&[last.clone()]).unwrap();
                assert_eq!(built.1.len(), builder.tree_size());
                built
            }

            /// The root of columns that are all this one.
            pub fn uniform_root<A: Arity<Scalar>>(column: &GenericArray<Scalar, A>, count: usize) -> Scalar {
                ColumnTreeBuilder::<Scalar, A, U8>::new(None, None, count).unwrap().compute_uniform_tree_root(column).unwrap()
            }

            pub fn tree(leaves: &[Scalar], rows_to_discard: usize) -> (Vec<Scalar>, Vec<Scalar>) {
                let batcher = Batcher::new_cpu(1 << 12);
                let mut builder = TreeBuilder::<Scalar, U8>::new(Some(batcher), leaves.len(), rows_to_discard).unwrap();
                let height = builder.tree_height();
                assert_eq!(8usize.pow(height as u32), builder.leaf_count);
                builder.add_leaves(&leaves[..leaves.len() / 3]).unwrap();
                builder.reset();
                builder.add_leaves(&leaves[..leaves.len() / 2]).unwrap();
                builder.add_final_leaves(&leaves[leaves.len() / 2..]).unwrap()
            }

            pub fn hashes(preimages: &[GenericArray<Scalar, U2>]) -> Vec<Scalar> {
                let mut batcher = Batcher::<Scalar, U2>::new_cpu(preimages.len());
                let mut digests = vec![Scalar::ZERO; preimages.len()];
                batcher.hash_into_slice(&mut digests, preimages).unwrap();
                assert_eq!(batcher.hash(preimages).unwrap(), digests);
                assert_eq!(batcher.max_batch_size(), preimages.len());
                digests
            }
        }
    };
}

built_with!(theirs: neptune);
built_with!(ours: proofmill::poseidon::neptune);

fn columns<A: neptune::Arity<Scalar>>(count: usize, seed: u64) -> Vec<GenericArray<Scalar, A>> {
    let mut source = Source(seed);
    let column = |_| GenericArray::clone_from_slice(&source.elements(A::to_usize()));
    (0..count).map(column).collect()
}

/// All rows of the tree of these columns, from and to bytes as files have them.
fn rows_of_files<A: neptune::Arity<Scalar>>(columns: &[GenericArray<Scalar, A>]) -> Vec<Scalar> {
    let device = proofmill::open("cpu:").unwrap();
    let shape = Shape::new(8, columns.len() as u64).unwrap();
    let bytes = to_bytes(columns.iter().flatten());
    let mut rows = Cursor::new(Vec::new());
    build(&*device, shape, Leaves::Columns(A::to_usize()), &mut &bytes[..], &mut rows).unwrap();
    from_bytes(rows.get_ref()).unwrap()
}

/// The root, by all three.
fn compared<A: neptune::Arity<Scalar>>(columns: &[GenericArray<Scalar, A>]) -> Scalar {
    let (leaves, tree) = theirs::column_tree(columns);
    assert!(ours::column_tree(columns) == (leaves.clone(), tree.clone()));
    let root = *tree.last().unwrap();
    assert!(rows_of_files(columns) == [leaves, tree].concat());
    root
}

#[test]
fn column_trees_of_a_sector_of_2_kib() {
    compared(&columns::<U2>(SECTOR_OF_2_KIB, 2));
    compared(&columns::<U11>(SECTOR_OF_2_KIB, 11));
}

#[test]
#[ignore = "long"]
fn column_tree_of_a_sector_of_16_mib() {
    let roots = [1, 2].map(|half| compared(&columns::<U11>(HALF_SECTOR_OF_16_MIB, half)));
    let preimage = [GenericArray::from(roots)];
    assert_eq!(ours::hashes(&preimage), theirs::hashes(&preimage));
}

#[test]
fn trees_of_leaves_with_rows_discarded() {
    let leaves = Source(8).elements(512);
    for discarded in 0..3 {
        assert!(ours::tree(&leaves, discarded) == theirs::tree(&leaves, discarded), "{discarded}");
    }
}

#[test]
fn uniform_roots() {
    let column = &columns::<U11>(1, 5)[0];
    let root = theirs::uniform_root(column, 512);
    assert_eq!(ours::uniform_root(column, 512), root);
    assert_eq!(compared(&vec![column.clone(); 512]), root);
}

#[test]
fn batches() {
    let preimages = columns::<U2>(100, 3);
    assert_eq!(ours::hashes(&preimages), theirs::hashes(&preimages));
}

/// Conversions agree with those of the elements' own crate, and refuse what that refuses.
#[test]
fn elements_and_bytes() {
    let elements = Source(9).elements(10_000);
    let bytes = to_bytes(&elements);
    let theirs: Vec<u8> = elements.iter().flat_map(Scalar::to_bytes_le).collect();
    assert!(bytes == theirs && from_bytes::<Scalar>(&bytes).unwrap() == elements);
    for (top, is_element) in [(0x00, true), (0x73, false), (0x80, false), (0xff, false)] {
        let mut bytes = [0xff; 32];
        bytes[31] = top;
        assert_eq!(from_bytes::<Scalar>(&bytes).is_ok(), is_element);
        assert_eq!(bool::from(Scalar::from_bytes_le(&bytes).is_some()), is_element);
    }
}
