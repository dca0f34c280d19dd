//! Files of Poseidon trees: rows, inclusion proofs, and checkpoints of interrupted builds.

use std::io::Cursor;
use std::sync::OnceLock;

use proofmill::poseidon::tree::{
    Build, Checkpoint, Leaves, Proof, Shape, build, of_text, prove, to_text,
};
use proofmill::{Device, open};

use crate::choose;

/// Arities of trees with their numbers of leaves.
const SHAPES: [(usize, u64); 4] = [(2, 16), (4, 16), (8, 8), (11, 121)];

fn device() -> &'static dyn Device {
    static DEVICE: OnceLock<Box<dyn Device>> = OnceLock::new();
    &**DEVICE.get_or_init(|| open("cpu:?threads=1").expect("the processor"))
}

/// Returns the leaves of a small tree, numbered from 0.
fn leaves(shape: Shape) -> Vec<u8> {
    let leaf = |i: u64| [&i.to_le_bytes()[..], &[1; 23], &[0]].concat();
    (0..shape.leaves()).flat_map(leaf).collect()
}

fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.into_iter().map(|(arity, leaves)| Shape::new(arity, leaves).expect("a shape"))
}

/// Checks that a file of rows is refused unless its size is that of a tree, and that a proof can be read from it.
pub fn rows(input: &[u8]) {
    let Some((arity, rows)) = choose(&[2, 3, 4, 8, 11, 36], input) else { return };
    let Ok(shape) = Shape::of_tree(arity, rows.len() as u64) else { return };
    assert_eq!(shape.bytes(), Some(rows.len() as u64));
    let index = u64::from(input[0]) % shape.leaves();
    let proof = prove(shape, &mut Cursor::new(rows), index).expect("a leaf of this tree");
    let _ = proof.root(device());
    assert!(prove(shape, &mut Cursor::new(rows), shape.leaves()).is_err());
}

/// Returns the row files of small trees.
pub fn rows_seeds() -> Vec<Vec<u8>> {
    let chosen = [0, 2, 3, 4];
    let file = |(shape, chosen): (Shape, u8)| {
        let mut rows = Cursor::new(vec![]);
        build(device(), shape, Leaves::Nodes, &mut &leaves(shape)[..], &mut rows).expect("a tree");
        [&[chosen], &rows.into_inner()[..]].concat()
    };
    shapes().zip(chosen).map(file).collect()
}

/// Checks that an inclusion proof survives a round trip, and that its root is a value or an error.
pub fn proof(input: &[u8]) {
    let Ok(proof) = serde_json::from_slice::<Proof>(input) else { return };
    let text = serde_json::to_vec(&proof).expect("a proof as text");
    assert!(serde_json::from_slice::<Proof>(&text).is_ok_and(|again| again == proof));
    assert_eq!(of_text(&to_text(&proof.leaf)), Some(proof.leaf));
    let _ = proof.root(device());
}

/// Returns inclusion proofs of small trees.
pub fn proof_seeds() -> Vec<Vec<u8>> {
    let files = rows_seeds();
    let text = |(shape, file): (Shape, &Vec<u8>)| {
        let proof = prove(shape, &mut Cursor::new(&file[1..]), 3).expect("a leaf");
        serde_json::to_vec(&proof).expect("a proof as text")
    };
    shapes().zip(&files).map(text).collect()
}

/// Resumes a build from a checkpoint and complete rows: it is refused, or the tree equals one built without it.
pub fn checkpoint(input: &[u8]) {
    let Ok(checkpoint) = serde_json::from_slice::<Checkpoint>(input) else { return };
    let text = serde_json::to_vec(&checkpoint).expect("a checkpoint as text");
    assert!(serde_json::from_slice::<Checkpoint>(&text).is_ok_and(|again| again == checkpoint));
    static FILES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    for (shape, file) in shapes().zip(FILES.get_or_init(rows_seeds)) {
        let plan = Build::new(shape, Leaves::Nodes).expect("a small tree");
        let mut rows = Cursor::new(file[1..].to_vec());
        let from = &mut &leaves(shape)[..];
        let root = plan.resume(device(), from, &mut rows, Some(&checkpoint), |_| Ok(()));
        assert!(root.is_err() || rows.get_ref()[..] == file[1..]);
    }
}

/// Returns the last checkpoint of each small tree.
pub fn checkpoint_seeds() -> Vec<Vec<u8>> {
    let text = |shape| {
        let plan = Build::new(shape, Leaves::Nodes).expect("a small tree");
        let mut last = None;
        let keep = |checkpoint| {
            last = Some(checkpoint);
            Ok(())
        };
        let mut rows = Cursor::new(vec![]);
        plan.resume(device(), &mut &leaves(shape)[..], &mut rows, None, keep).expect("a tree");
        serde_json::to_vec(&last).expect("a checkpoint as text")
    };
    shapes().map(text).collect()
}
