//! Equihash in the words of its definition (Zcash protocol specification, 7.7.1), slowly.

use std::collections::HashSet;

use proofmill_cpu::difficulty;
use proofmill_op::equihash_verify::{HEADER_BYTES, Network, Params, Verdict};

/// The error mask, each bit by its definition in `spec/wire/equihash_verify.toml`.
pub fn mask_by_definition(params: Params, network: Network, header: &[u8]) -> u8 {
    let (start, rest) = header.split_at(HEADER_BYTES);
    let (compact_size, solution) = rest.split_at(params.compact_size().len());
    let indices = indices_of(params, solution);
    let mut mask = 0;
    if let Some(limit) = network.pow_limit() {
        let bits = u32::from_le_bytes(start[104..108].try_into().unwrap());
        if !difficulty::meets(&difficulty::block_hash(header), bits, &limit) {
            mask |= Verdict::DIFFICULTY_FAIL;
        }
    }
    let mut x = vec![false; params.n() as usize];
    for (c, &index) in indices.iter().enumerate() {
        for level in (0..params.k() as usize).filter(|level| c % (2 << level) == 0) {
            let group = x.chunks(params.collision_bits() as usize).nth(level).unwrap();
            if group.contains(&true) {
                mask |= Verdict::BAD_ZERO_ORDER;
            }
        }
        x.iter_mut().zip(leaf(params, start, index)).for_each(|(x, bit)| *x ^= bit);
    }
    if x.contains(&true) {
        mask |= Verdict::XOR_NON_ZERO;
    }
    for level in 0..params.k() {
        for pair in indices.chunks(2 << level) {
            if pair[1 << level] <= pair[0] {
                mask |= Verdict::BAD_IDX_ORDER;
            }
        }
    }
    if indices.iter().collect::<HashSet<_>>().len() < indices.len() {
        mask |= Verdict::DUPLICATE_FND;
    }
    if compact_size != params.compact_size() {
        mask |= Verdict::BAD_SOLUTION_SIZE;
    }
    mask
}

/// The bits of a leaf.
fn leaf(params: Params, start: &[u8], index: u32) -> Vec<bool> {
    let person = [&b"ZcashPoW"[..], &params.n().to_le_bytes(), &params.k().to_le_bytes()].concat();
    let digest = blake2b_simd::Params::new()
        .hash_length(params.digest_bytes())
        .personal(&person)
        .to_state()
        .update(start)
        .update(&(index / params.indices_per_hash()).to_le_bytes())
        .finalize();
    let n = params.n() as usize;
    let number = (index % params.indices_per_hash()) as usize;
    bits_of(digest.as_bytes()).skip(number * n).take(n).collect()
}

fn bits_of(bytes: &[u8]) -> impl Iterator<Item = bool> {
    bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1))
}

/// A solution's indices.
pub fn indices_of(params: Params, solution: &[u8]) -> Vec<u32> {
    let bits: Vec<bool> = bits_of(solution).collect();
    bits.chunks(params.index_bits() as usize)
        .take(params.indices())
        .map(|index| index.iter().fold(0, |value, &bit| value << 1 | u32::from(bit)))
        .collect()
}

/// The solution with these indices.
pub fn in_solution(params: Params, indices: &[u32]) -> Vec<u8> {
    let width = params.index_bits();
    let bits: Vec<bool> = indices
        .iter()
        .flat_map(|index| (0..width).rev().map(move |bit| index >> bit & 1 == 1))
        .collect();
    bits.chunks(8)
        .map(|byte| byte.iter().enumerate().map(|(i, &bit)| u8::from(bit) << (7 - i)).sum())
        .collect()
}

/// Computes all solutions of the toy (48,5) for the first 140 bytes of a header, by Wagner's algorithm.
pub fn solve_toy(start: &[u8]) -> Vec<Vec<u32>> {
    let params = Params::N48_K5;
    let value =
        |bits: Vec<bool>| bits.into_iter().fold(0u64, |value, bit| value << 1 | u64::from(bit));
    let mut rows: Vec<(u64, Vec<u32>)> =
        (0..512).map(|index| (value(leaf(params, start, index)), vec![index])).collect();
    for level in 0..5 {
        let zeros = if level < 4 { 40 - 8 * level } else { 0 };
        let mut joined = Vec::new();
        for (i, (x, a)) in rows.iter().enumerate() {
            for (y, b) in &rows[i + 1..] {
                if (x ^ y) >> zeros == 0 && !a.iter().any(|index| b.contains(index)) {
                    let (first, second) = if a[0] < b[0] { (a, b) } else { (b, a) };
                    joined.push((x ^ y, [&first[..], second].concat()));
                }
            }
        }
        rows = joined;
    }
    rows.into_iter().map(|(_, indices)| indices).collect()
}
