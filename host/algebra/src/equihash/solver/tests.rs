//! The solver against a plain one, against the expected number of solutions, and against the verifier's code.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

use super::*;
use crate::equihash::tests::{leaf, random_header};
use crate::equihash::{HEADER_BYTES, Indices, Shape, walk};

const PERSONALISATION: &[u8; 8] = b"ZcashPoW";

fn sequential(count: usize, work: &Work<'_>) {
    (0..count).for_each(work);
}

fn threads(count: usize, work: &Work<'_>) {
    std::thread::scope(|scope| (0..count).for_each(|i| drop(scope.spawn(move || work(i)))));
}

fn quiet<'a>(execute: &'a dyn Fn(usize, &Work<'_>)) -> Control<'a> {
    Control { execute, cancelled: &|| false, progress: &|_, _| () }
}

/// The leaves' strings as numbers of up to 128 bits.
fn strings((n, k): (u32, u32), header: &[u8; HEADER_BYTES]) -> Vec<u128> {
    let string = |index| {
        let bytes = leaf((n, k), header, index);
        bytes.iter().fold(0, |string, &byte| string << 8 | u128::from(byte))
    };
    (0..2 << (n / (k + 1))).map(string).collect()
}

/// All solutions, by joining lists of index lists.
fn plain((n, k): (u32, u32), header: &[u8; HEADER_BYTES]) -> Vec<Vec<u32>> {
    let group_bits = n / (k + 1);
    let strings = strings((n, k), header);
    let mut rows: Vec<_> = (0..).zip(strings).map(|(i, string)| (string, vec![i])).collect();
    for round in 1..=k {
        // The last round compares two groups.
        let groups = if round == k { k + 1 } else { round };
        let mut by_group: HashMap<u128, Vec<(u128, Vec<u32>)>> = HashMap::new();
        for row in rows {
            by_group.entry(row.0 >> (n - groups * group_bits)).or_default().push(row);
        }
        rows = by_group.into_values().flat_map(|equal| joined(&equal)).collect();
    }
    let mut solutions: Vec<_> = rows.into_iter().map(|(_, indices)| indices).collect();
    solutions.sort();
    solutions.dedup();
    solutions
}

/// All pairs without an index in common, the one with the lower first index first.
fn joined(rows: &[(u128, Vec<u32>)]) -> Vec<(u128, Vec<u32>)> {
    let mut pairs = Vec::new();
    for (a, left) in rows {
        for (b, right) in rows.iter().filter(|(_, right)| left[0] < right[0]) {
            if left.iter().all(|index| !right.contains(index)) {
                pairs.push((a ^ b, [&left[..], right].concat()));
            }
        }
    }
    pairs
}

/// The checks of `equihash_verify`.
fn assert_valid(leaves: &Leaves<'_>, solution: &[u32]) {
    let bits = (leaves.shape.n / (leaves.shape.k + 1) + 1) as u32;
    let packed = [&[0; 8][..], &encode(solution, bits)].concat();
    for isa in Isa::available() {
        let mut indices = Indices::new(solution.len(), bits);
        indices.read(&packed);
        let sums = walk(isa, leaves, indices.rows());
        assert!(!sums.xor_non_zero && !sums.bad_zero_order, "{sums:?}");
        assert!(!indices.are_out_of_order(isa) && !indices.have_duplicate(isa));
    }
}

/// Solves `nonces` random headers and returns the number of solutions, all of them valid.
fn count((n, k): (u32, u32), seed: u64, nonces: usize, parts: usize) -> usize {
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let shape = Shape::new(n, k, PERSONALISATION);
    let mut workspace = Workspace::new(Plan::new(&shape, parts, usize::MAX).unwrap());
    let solutions_of_one = |_| {
        let header = random_header(&mut rng);
        let leaves = Leaves::new(&shape, &header);
        let solutions = solve(Isa::best(), &leaves, &mut workspace, &quiet(&threads)).unwrap();
        solutions.iter().for_each(|solution| assert_valid(&leaves, solution));
        solutions.len()
    };
    (0..nonces).map(solutions_of_one).sum()
}

#[test]
fn solutions_are_those_of_a_plain_solver() {
    let mut rng = ChaCha20Rng::seed_from_u64(11);
    // Strings of one to three words.
    for (params, nonces) in [((48, 5), 100), ((40, 4), 40), ((32, 3), 40), ((72, 5), 3)] {
        let shape = Shape::new(params.0, params.1, PERSONALISATION);
        let mut workspace = Workspace::new(Plan::new(&shape, 1, usize::MAX).unwrap());
        for nonce in 0..nonces {
            let header = random_header(&mut rng);
            let leaves = Leaves::new(&shape, &header);
            let expected = plain(params, &header);
            for isa in Isa::available() {
                let found = solve(isa, &leaves, &mut workspace, &quiet(&sequential)).unwrap();
                assert_eq!(found, expected, "{params:?} nonce {nonce} {isa}");
            }
        }
    }
}

#[test]
fn parts_and_threads_do_not_change_solutions() {
    let mut rng = ChaCha20Rng::seed_from_u64(16);
    let shape = Shape::new(96, 5, PERSONALISATION);
    let mut workspaces: Vec<_> = [1, 2, 3, 4]
        .map(|parts| Workspace::new(Plan::new(&shape, parts, usize::MAX).unwrap()))
        .into();
    for _ in 0..4 {
        let header = random_header(&mut rng);
        let leaves = Leaves::new(&shape, &header);
        let solutions = |workspace| solve(Isa::best(), &leaves, workspace, &quiet(&threads));
        let found: Vec<_> = workspaces.iter_mut().map(solutions).collect();
        assert!(found.iter().all(|solutions| *solutions == found[0]), "{found:?}");
    }
}

/// About 2 of 2^k random indices each are expected, and 0.37 of them have no index twice if there are 32 of 512. The plain solver finds
/// 119 in the 200 nonces, too.
#[test]
fn nonces_have_the_expected_number_of_solutions() {
    assert_eq!(count((48, 5), 12, 200, 1), 119);
    let found = count((96, 5), 13, 6, 2);
    assert!((3..30).contains(&found), "{found} solutions of 6 nonces");
}

#[test]
#[ignore = "takes 20 s and 110 MB"]
fn zcash_nonces_have_1_88_solutions_on_average() {
    let found = count((200, 9), 14, 20, 4);
    // Five standard deviations of a Poisson distribution are 31.
    assert!((10..70).contains(&found), "{found} solutions of 20 nonces");
}

#[test]
#[ignore = "takes a minute and 1 GB"]
fn solutions_of_144_5_are_valid() {
    assert!(count((144, 5), 15, 3, 2) > 0);
}

#[test]
fn a_cancelled_solver_stops_between_buckets() {
    let shape = Shape::new(96, 5, PERSONALISATION);
    let mut workspace = Workspace::new(Plan::new(&shape, 2, usize::MAX).unwrap());
    let leaves = Leaves::new(&shape, &[5; HEADER_BYTES]);
    let expected = solve(Isa::best(), &leaves, &mut workspace, &quiet(&sequential)).unwrap();
    for polls in [0, 1, 20, 100, 150] {
        let seen = AtomicUsize::new(0);
        let cancelled = || seen.fetch_add(1, Ordering::Relaxed) >= polls;
        let control = Control { cancelled: &cancelled, ..quiet(&sequential) };
        assert_eq!(solve(Isa::best(), &leaves, &mut workspace, &control), Err(Cancelled));
        assert!(seen.load(Ordering::Relaxed) <= polls + workspace.plan().parts());
    }
    // A cancellation leaves nothing behind in the workspace.
    let progress = RefCell::new(Vec::new());
    let report = |done, all| progress.borrow_mut().push((done, all));
    let control = Control { progress: &report, ..quiet(&sequential) };
    assert_eq!(solve(Isa::best(), &leaves, &mut workspace, &control), Ok(expected));
    assert_eq!(progress.into_inner(), (1..=6).map(|step| (step, 6)).collect::<Vec<_>>());
}

#[test]
fn memory_is_bounded() {
    for (n, k, parts, most) in [
        (200, 9, 16, 160),
        (200, 9, 4, 110),
        (200, 9, 1, 100),
        (144, 5, 4, 980),
        (96, 5, 4, 16),
        (48, 5, 1, 1),
    ] {
        let plan = Plan::new(&Shape::new(n, k, PERSONALISATION), parts, usize::MAX).unwrap();
        let bytes = plan.memory_bytes();
        println!("({n},{k}) {parts} parts: {bytes} bytes");
        assert!(bytes <= most * 1_000_000, "({n},{k}) {bytes}");
    }
}

/// Plans with less and less memory have more and more runs, and find the same solutions.
#[test]
fn less_memory_takes_more_runs() {
    let mut rng = ChaCha20Rng::seed_from_u64(17);
    for (n, k, parts) in [(48, 5, 1), (96, 5, 3)] {
        let shape = Shape::new(n, k, PERSONALISATION);
        let whole = Plan::new(&shape, parts, usize::MAX).unwrap();
        assert_eq!((whole.runs.len(), whole.steps()), (1, k as usize + 1));
        let Err(Unplanned::Memory(least)) = Plan::new(&shape, parts, 1) else { panic!("a plan") };
        assert!(Plan::new(&shape, parts, least - 1).is_err());
        let limits = (0..=8).map(|i| least + (whole.memory_bytes() - least) * i / 8);
        let plans: Vec<_> =
            limits.map(|limit| (limit, Plan::new(&shape, parts, limit).unwrap())).collect();
        println!("{:?}", plans.iter().map(|(limit, plan)| (limit, &plan.runs)).collect::<Vec<_>>());
        assert!(plans.iter().all(|(limit, plan)| plan.memory_bytes() <= *limit));
        assert!(plans.is_sorted_by_key(|(_, plan)| std::cmp::Reverse(plan.runs.len())));
        assert!(plans[0].1.runs.len() > 1);
        let mut workspaces: Vec<_> =
            plans.into_iter().map(|(_, plan)| Workspace::new(plan)).collect();
        let mut solutions = 0;
        for _ in 0..10 {
            let header = random_header(&mut rng);
            let leaves = Leaves::new(&shape, &header);
            let solve = |workspace| solve(Isa::best(), &leaves, workspace, &quiet(&threads));
            let found: Vec<_> = workspaces.iter_mut().map(solve).collect();
            assert!(found.iter().all(|solutions| *solutions == found[0]), "{found:?}");
            solutions += found[0].as_ref().unwrap().len();
        }
        assert!(solutions > 0);
    }
}

/// With too few pages elements are dropped, but nothing wrong is found.
#[test]
fn too_few_pages_lose_solutions_only() {
    let mut rng = ChaCha20Rng::seed_from_u64(18);
    let shape = Shape::new(96, 5, PERSONALISATION);
    let mut plans = vec![Plan::new(&shape, 2, usize::MAX).unwrap()];
    let Err(Unplanned::Memory(least)) = Plan::new(&shape, 2, 1) else { panic!("a plan") };
    plans.push(Plan::new(&shape, 2, least).unwrap());
    for plan in plans {
        let (mut whole, words) = (Workspace::new(plan.clone()), plan.words());
        for eighths in 0..8 {
            let mut workspace = Workspace::new(plan.clone());
            workspace.words.truncate(words * eighths / 8);
            let header = random_header(&mut rng);
            let leaves = Leaves::new(&shape, &header);
            let found = solve(Isa::best(), &leaves, &mut workspace, &quiet(&threads)).unwrap();
            let all = solve(Isa::best(), &leaves, &mut whole, &quiet(&threads)).unwrap();
            assert!(found.iter().all(|solution| all.contains(solution)), "{eighths}: {found:?}");
        }
    }
}

#[test]
fn other_parameters_have_no_plan() {
    for (n, k) in [(16, 3), (256, 15), (24, 3)] {
        let plan = Plan::new(&Shape::new(n, k, PERSONALISATION), 2, usize::MAX);
        assert_eq!(plan.err(), Some(Unplanned::Parameters), "({n},{k})");
    }
}

#[test]
fn candidates_are_put_in_order() {
    let wanted = Some(vec![1, 5, 3, 7, 2, 8, 4, 6]);
    for leaves in [[1, 5, 3, 7, 2, 8, 4, 6], [6, 4, 8, 2, 7, 3, 5, 1], [2, 8, 4, 6, 3, 7, 5, 1]] {
        assert_eq!(solution(leaves.to_vec()), wanted);
    }
    assert_eq!(solution(vec![1, 5, 3, 7, 2, 8, 4, 5]), None);
}
