//! From the pairs of the last round to solutions, and to their bytes.

use super::pages::Tree;
use super::plan::Plan;

/// The nodes at one level of a candidate's tree, from left to right: references, and in the end the indices of leaves. At first there are the
/// references of two elements whose strings are equal.
pub(super) type Candidate = Vec<u32>;

/// Returns the descendants of candidates through these trees, the last one first. Candidates with a node twice are dropped: nearly all
/// false ones have one at one of the first levels.
pub(super) fn children(
    plan: &Plan,
    trees: &[Tree<'_>],
    candidates: Vec<Candidate>,
) -> Vec<Candidate> {
    let distance_bits = plan.distance_bits();
    let descendants = |mut nodes: Candidate| {
        for tree in trees.iter().rev() {
            if !are_different(&nodes) {
                return None;
            }
            let children = |&node: &u32| {
                let (first, distance) = (node >> distance_bits, node & ((1 << distance_bits) - 1));
                [first, first + distance].map(|position| tree.get(position))
            };
            nodes = nodes.iter().flat_map(children).collect::<Option<_>>()?;
        }
        Some(nodes)
    };
    candidates.into_iter().filter_map(descendants).collect()
}

/// Returns the solutions among candidates whose nodes are indices, sorted, none of them twice.
pub(super) fn solutions(candidates: Vec<Candidate>) -> Vec<Vec<u32>> {
    let mut solutions: Vec<_> = candidates.into_iter().filter_map(solution).collect();
    solutions.sort_unstable();
    solutions.dedup();
    solutions
}

/// Returns the solution of a candidate, in the order that verifiers require, from the leaves of its tree from left to right; `None` if an index
/// occurs twice. There are 2^k leaves. The leaves' strings are not checked.
pub fn solution(leaves: Vec<u32>) -> Option<Vec<u32>> {
    are_different(&leaves).then(|| in_order(leaves))
}

fn are_different(nodes: &[u32]) -> bool {
    let mut sorted = nodes.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// Swaps the subtrees of each inner node whose right one has the lower first index.
fn in_order(mut indices: Vec<u32>) -> Vec<u32> {
    let mut half = 1;
    while half < indices.len() {
        for node in indices.chunks_exact_mut(2 * half) {
            let (left, right) = node.split_at_mut(half);
            if left[0] > right[0] {
                left.swap_with_slice(right);
            }
        }
        half *= 2;
    }
    indices
}

/// Returns the bytes of a solution: its indices of `index_bits` bits, big-endian, one after the other.
pub fn encode(solution: &[u32], index_bits: u32) -> Vec<u8> {
    let (mut bytes, mut word, mut bits) = (Vec::new(), 0u64, 0);
    for &index in solution {
        word = word << index_bits | u64::from(index);
        bits += index_bits;
        while bits >= 8 {
            bits -= 8;
            bytes.push((word >> bits) as u8);
        }
    }
    if bits > 0 {
        bytes.push((word << (8 - bits)) as u8);
    }
    bytes
}
