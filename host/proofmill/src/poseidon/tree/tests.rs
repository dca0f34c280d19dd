//! Trees against their definition, and proofs that are right and wrong.

use std::io::Cursor;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;

fn leaves(count: usize) -> Vec<u8> {
    let leaf = |i: usize| {
        let mut leaf = [0; ELEMENT_BYTES];
        leaf[..8].copy_from_slice(&(i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        leaf[16] = 7;
        leaf
    };
    (0..count).flat_map(leaf).collect()
}

fn device() -> Box<dyn Device> {
    crate::open("cpu:?threads=2").unwrap()
}

/// Builds all rows without an interruption.
fn defined(device: &dyn Device, arity: usize, leaves: &[u8]) -> Vec<u8> {
    let (mut rows, mut row) = (leaves.to_vec(), leaves.to_vec());
    while row.len() > ELEMENT_BYTES {
        row = crate::poseidon::hash(device, arity, row).unwrap();
        rows.extend_from_slice(&row);
    }
    rows
}

#[test]
fn rows_are_those_of_the_definition() {
    let device = device();
    // More than a piece of leaves among them, and more than a piece in the second row.
    for (arity, height) in [(2usize, 1), (2, 16), (4, 4), (8, 5), (11, 2), (11, 4)] {
        let count = arity.pow(height);
        let shape = Shape::new(arity, count as u64).unwrap();
        let leaves = leaves(count);
        let mut rows = Cursor::new(Vec::new());
        let root = build(&*device, shape, Leaves::Nodes, &mut &leaves[..], &mut rows).unwrap();
        let wanted = defined(&*device, arity, &leaves);
        assert!(rows.get_ref() == &wanted, "arity {arity}, height {height}");
        assert_eq!(root[..], wanted[wanted.len() - ELEMENT_BYTES..]);
        assert_eq!(shape.bytes(), Some(wanted.len() as u64));
        assert_eq!(Shape::of_tree(arity, wanted.len() as u64).unwrap(), shape);
    }
}

#[test]
fn columns_are_hashed_first() {
    let device = device();
    let columns = leaves(64 * 11);
    let shape = Shape::new(8, 64).unwrap();
    let mut rows = Cursor::new(Vec::new());
    build(&*device, shape, Leaves::Columns(11), &mut &columns[..], &mut rows).unwrap();
    let leaves = crate::poseidon::hash(&*device, 11, columns).unwrap();
    assert!(rows.get_ref() == &defined(&*device, 8, &leaves));
}

#[test]
fn each_leaf_has_a_proof_and_nothing_else_has() {
    let device = device();
    let shape = Shape::new(4, 64).unwrap();
    let mut rows = Cursor::new(Vec::new());
    let root = build(&*device, shape, Leaves::Nodes, &mut &leaves(64)[..], &mut rows).unwrap();
    for index in 0..64 {
        rows.set_position(0);
        let proof = prove(shape, &mut rows, index).unwrap();
        assert_eq!(proof.root(&*device).unwrap(), root);
        let text = serde_json::to_string(&proof).unwrap();
        assert_eq!(serde_json::from_str::<Proof>(&text).unwrap(), proof);
        let other = Proof { index: index ^ 1, ..proof.clone() };
        assert_ne!(other.root(&*device).unwrap(), root);
        let mut other = proof;
        other.siblings[1][2][0] ^= 1;
        assert_ne!(other.root(&*device).unwrap(), root);
    }
    rows.set_position(0);
    let problem = prove(shape, &mut rows, 64).unwrap_err().to_string();
    assert_eq!(problem, "index: is 64; there are 64 leaves");
}

#[test]
fn proofs_that_cannot_be_are_refused() {
    let device = device();
    let good = Proof { arity: 2, index: 1, leaf: [0; 32], siblings: vec![vec![[1; 32]]; 2] };
    assert!(good.root(&*device).is_ok());
    let problem = |change: &dyn Fn(&mut Proof)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof.root(&*device).unwrap_err().to_string()
    };
    assert_eq!(problem(&|it| it.index = 4), "proof: there are too few rows for leaf 4");
    assert_eq!(problem(&|it| it.siblings.clear()), "proof: no siblings");
    assert!(problem(&|it| it.arity = 3).contains("row 0 has 1 siblings; the arity is 3"));
    assert_eq!(problem(&|it| it.leaf = [0xff; 32]), "proof: the leaf is not below the modulus");
    let said = problem(&|it| it.siblings[1][0] = [0xff; 32]);
    assert_eq!(said, "proof: row 1: sibling 0 is not below the modulus");
    assert!(problem(&|it| (it.arity, it.siblings) = (1, vec![vec![]])).contains("arity: is 1"));
}

#[test]
fn input_that_cannot_be_is_named() {
    let device = device();
    let shape = Shape::new(8, 64).unwrap();
    let problem = |leaves: Leaves, from: &[u8]| {
        let mut rows = Cursor::new(Vec::new());
        build(&*device, shape, leaves, &mut &from[..], &mut rows).unwrap_err().to_string()
    };
    let mut wrong = leaves(64 * 2);
    wrong[70 * 32..][..32].fill(0xff);
    let said = problem(Leaves::Columns(2), &wrong);
    assert_eq!(said, "leaves: element 0 of number 35 is not below the modulus");
    let said = problem(Leaves::Nodes, &wrong[35 * 32..]);
    assert_eq!(said, "leaves: number 35 is not below the modulus");
    assert!(problem(Leaves::Nodes, &wrong[..100]).contains("the input ends"));
    assert_eq!(problem(Leaves::Columns(1), &wrong), "columns: 1 elements each; expected 2 to 36");
    for (arity, leaves) in [(8, 0), (8, 1), (8, 63), (2, 48)] {
        let problem = Shape::new(arity, leaves).unwrap_err().to_string();
        assert!(problem.contains("is not a power of the arity"), "{problem}");
    }
    assert!(Shape::new(1, 8).unwrap_err().to_string().starts_with("arity: is 1"));
    for bytes in [0, 32, 64, 97, u64::MAX] {
        assert!(Shape::of_tree(2, bytes).is_err(), "{bytes}");
    }
}

#[test]
fn nodes_as_text() {
    let mut node = [0; 32];
    node[0] = 0x12;
    assert_eq!(of_text("0x12"), Some(node));
    assert_eq!(of_text(&to_text(&node)), Some(node));
    for text in ["12", "0x", "0xg", &format!("0x{}", "1".repeat(65))] {
        assert_eq!(of_text(text), None, "{text}");
    }
}

/// Interrupts a build at every checkpoint: the input ends there, as if the process was killed.
#[test]
fn an_interrupted_tree_is_resumed() {
    let device = device();
    // Rows of whole and of broken pieces, of leaves and of columns.
    for (arity, height, each) in [(2usize, 17, 1), (8, 5, 3), (11, 5, 1)] {
        let count = arity.pow(height);
        let shape = Shape::new(arity, count as u64).unwrap();
        let kind = if each == 1 { Leaves::Nodes } else { Leaves::Columns(each) };
        let input = leaves(count * each);
        let mut whole = Cursor::new(Vec::new());
        let wanted = build(&*device, shape, kind, &mut &input[..], &mut whole).unwrap();
        let plan = Build::new(shape, kind).unwrap().with_checkpoints_every(Duration::ZERO);
        // Some bytes in front: a tree begins where the writer is.
        let mut rows = Cursor::new(vec![7; 5]);
        let mut last: Option<Checkpoint> = None;
        let piece = arity.pow(16_384usize.ilog(arity)) * each * ELEMENT_BYTES;
        for end in (0..input.len()).step_by(piece).skip(1) {
            rows.set_position(5);
            let before = last.clone();
            let keep = |checkpoint: Checkpoint| {
                let text = serde_json::to_string(&checkpoint).unwrap();
                last = Some(serde_json::from_str(&text).unwrap());
                assert_eq!(last.as_ref(), Some(&checkpoint));
                Ok(())
            };
            let from = &mut &input[..end + 7];
            plan.resume(&*device, from, &mut rows, before.as_ref(), keep).unwrap_err();
            let done = last.as_ref().map_or(0, Checkpoint::done);
            assert_eq!(done as usize, end / each / ELEMENT_BYTES);
        }
        rows.set_position(5);
        let reported = Arc::new(Mutex::new(Vec::new()));
        let watch = reported.clone();
        let plan = plan.with_progress(move |part| watch.lock().unwrap().push(part));
        let from = &mut &input[..];
        let root = plan.resume(&*device, from, &mut rows, last.as_ref(), |_| Ok(())).unwrap();
        assert_eq!(root, wanted);
        assert!(rows.get_ref()[..5] == [7; 5] && rows.get_ref()[5..] == whole.get_ref()[..]);
        let reported = reported.lock().unwrap();
        assert!(
            reported[0] >= 0.5 && reported.is_sorted() && reported.last() == Some(&1.0),
            "{reported:?}"
        );
    }
}

#[test]
fn changes_before_a_tree_is_resumed_are_errors() {
    let device = device();
    let shape = Shape::new(2, 1 << 15).unwrap();
    let input = leaves(1 << 15);
    let plan = Build::new(shape, Leaves::Nodes).unwrap().with_checkpoints_every(Duration::ZERO);
    let mut rows = Cursor::new(Vec::new());
    let mut last = None;
    let keep = |checkpoint| {
        last = Some(checkpoint);
        Ok(())
    };
    let short = &mut &input[..input.len() - 1];
    plan.resume(&*device, short, &mut rows, None, keep).unwrap_err();
    let (rows, last) = (rows.into_inner(), last.unwrap());
    assert_eq!(last.done(), 1 << 14);
    let problem = |input: &[u8], rows: &[u8], checkpoint: &Checkpoint, plan: &Build| {
        let mut rows = Cursor::new(rows.to_vec());
        let from = &mut &input[..];
        let resumed = plan.resume(&*device, from, &mut rows, Some(checkpoint), |_| Ok(()));
        resumed.unwrap_err().to_string()
    };
    let changed = |bytes: &[u8], place: usize| {
        let mut bytes = bytes.to_vec();
        bytes[place] ^= 1;
        bytes
    };
    let said = problem(&changed(&input, 32 * 16_383), &rows, &last, &plan);
    assert_eq!(said, "checkpoint: the input is not what was read");
    let said = problem(&input, &changed(&rows, 32 * 16_383), &last, &plan);
    assert_eq!(said, "checkpoint: row 0 of the tree is not what was written");
    let said = problem(&input, &changed(&rows, 32 * (1 << 15)), &last, &plan);
    assert_eq!(said, "checkpoint: row 1 of the tree is not what was written");
    let said = problem(&input, &rows[..1000], &last, &plan);
    assert_eq!(said, "checkpoint: row 0 of the tree is not what was written");
    for (arity, leaves, kind) in
        [(8, 1 << 15, Leaves::Nodes), (2, 1 << 14, Leaves::Nodes), (2, 1 << 15, Leaves::Columns(2))]
    {
        let other = Build::new(Shape::new(arity, leaves).unwrap(), kind).unwrap();
        assert_eq!(problem(&input, &rows, &last, &other), "checkpoint: is of another tree");
    }
    // Numbers that cannot be.
    let with = |change: &dyn Fn(&mut Checkpoint)| {
        let mut checkpoint = last.clone();
        change(&mut checkpoint);
        problem(&input, &rows, &checkpoint, &plan)
    };
    assert!(with(&|it| it.rows.truncate(3)).contains("another number of rows"));
    assert!(with(&|it| it.rows[3].0 = u64::MAX).contains("more nodes than there are"));
    assert!(with(&|it| it.rows[1].0 = 8193).contains("does not fit the one above"));
    assert!(with(&|it| it.rows[0].0 = 1 << 15).contains("does not fit the one above"));
    for text in ["{}", r#"{"arity":2,"leaves":2,"input":"00","rows":[]}"#] {
        assert!(serde_json::from_str::<Checkpoint>(text).is_err(), "{text}");
    }
}
