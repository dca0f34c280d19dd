//! What is read of trees of Poseidon: a file of rows, an inclusion proof, and the checkpoint of a tree that was interrupted.

use std::io::Cursor;
use std::sync::OnceLock;

use proofmill::poseidon::tree::{
    Build, Checkpoint, Leaves, Proof, Shape, build, of_text, prove, to_text,
};
use proofmill::{Device, open};

use crate::choose;

/// Arities of trees, and leaves of each.
const SHAPES: [(usize, u64); 4] = [(2, 16), (4, 16), (8, 8), (11, 121)];

fn device() -> &'static dyn Device {
    static DEVICE: OnceLock<Box<dyn Device>> = OnceLock::new();
    &**DEVICE.get_or_init(|| open("cpu:?threads=1").expect("the processor"))
}

/// A small tree's leaves: counted.
fn leaves(shape: Shape) -> Vec<u8> {
    let leaf = |i: u64| [&i.to_le_bytes()[..], &[1; 23], &[0]].concat();
    (0..shape.leaves()).flat_map(leaf).collect()
}

fn shapes() -> impl Iterator<Item = Shape> {
    SHAPES.into_iter().map(|(arity, leaves)| Shape::new(arity, leaves).expect("a shape"))
}

/// A file of rows: its size is a tree's or it is refused, and each proof from it is one that is read again.
pub fn rows(input: &[u8]) {
    let Some((arity, rows)) = choose(&[2, 3, 4, 8, 11, 36], input) else { return };
    let Ok(shape) = Shape::of_tree(arity, rows.len() as u64) else { return };
    assert_eq!(shape.bytes(), Some(rows.len() as u64));
    let index = u64::from(input[0]) % shape.leaves();
    let proof = prove(shape, &mut Cursor::new(rows), index).expect("a leaf of this tree");
    let _ = proof.root(device());
    assert!(prove(shape, &mut Cursor::new(rows), shape.leaves()).is_err());
}

/// The files of small trees.
pub fn rows_seeds() -> Vec<Vec<u8>> {
    let chosen = [0, 2, 3, 4];
    let file = |(shape, chosen): (Shape, u8)| {
        let mut rows = Cursor::new(vec![]);
        build(device(), shape, Leaves::Nodes, &mut &leaves(shape)[..], &mut rows).expect("a tree");
        [&[chosen], &rows.into_inner()[..]].concat()
    };
    shapes().zip(chosen).map(file).collect()
}

/// An inclusion proof: what is read is written again, and leads somewhere or is refused.
pub fn proof(input: &[u8]) {
    let Ok(proof) = serde_json::from_slice::<Proof>(input) else { return };
    let text = serde_json::to_vec(&proof).expect("a proof as text");
    assert!(serde_json::from_slice::<Proof>(&text).is_ok_and(|again| again == proof));
    assert_eq!(of_text(&to_text(&proof.leaf)), Some(proof.leaf));
    let _ = proof.root(device());
}

/// Proofs of small trees.
pub fn proof_seeds() -> Vec<Vec<u8>> {
    let files = rows_seeds();
    let text = |(shape, file): (Shape, &Vec<u8>)| {
        let proof = prove(shape, &mut Cursor::new(&file[1..]), 3).expect("a leaf");
        serde_json::to_vec(&proof).expect("a proof as text")
    };
    shapes().zip(&files).map(text).collect()
}

/// A checkpoint with the input and the rows that are there: it is refused, or the tree comes out as without it.
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

/// The last checkpoints of small trees.
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
