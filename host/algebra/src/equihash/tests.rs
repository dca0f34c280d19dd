//! Every instruction set against leaves made with an independent BLAKE2b, by the definition.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use super::*;

/// Every (n, k) that the construction allows.
fn all_parameters() -> impl Iterator<Item = (u32, u32)> {
    (8..=512u32)
        .step_by(8)
        .flat_map(|n| (3..=16).map(move |k| (n, k)))
        .filter(|(n, k)| n % (k + 1) == 0 && n / (k + 1) < 32 && k < n)
}

/// The string of a leaf, with Zcash's personalisation.
pub(super) fn leaf((n, k): (u32, u32), header: &[u8; HEADER_BYTES], index: u32) -> Vec<u8> {
    let per_hash = 512 / n;
    let person = [&b"ZcashPoW"[..], &n.to_le_bytes(), &k.to_le_bytes()].concat();
    let digest = blake2b_simd::Params::new()
        .hash_length((per_hash * n / 8) as usize)
        .personal(&person)
        .to_state()
        .update(header)
        .update(&(index / per_hash).to_le_bytes())
        .finalize();
    let bytes = n as usize / 8;
    digest.as_bytes()[(index % per_hash) as usize * bytes..][..bytes].to_vec()
}

fn xor(a: &mut [u8], b: &[u8]) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

fn group_is_zero((n, k): (u32, u32), bits: &[u8], group: u32) -> bool {
    let width = (n / (k + 1)) as usize;
    (group as usize * width..(group as usize + 1) * width)
        .all(|bit| bits[bit / 8] >> (7 - bit % 8) & 1 == 0)
}

/// [`walk`] in the words of the definition.
fn model(params: (u32, u32), header: &[u8; HEADER_BYTES], indices: &[u32]) -> Walk {
    let mut x = vec![0; params.0 as usize / 8];
    let mut bad_zero_order = false;
    for (c, &index) in indices.iter().enumerate() {
        for level in (0..params.1).filter(|level| c % (2 << level) == 0) {
            bad_zero_order |= !group_is_zero(params, &x, level);
        }
        xor(&mut x, &leaf(params, header, index));
    }
    Walk { xor_non_zero: x.iter().any(|&byte| byte != 0), bad_zero_order }
}

fn in_rows(indices: &[u32]) -> Vec<[u32; STRIPS]> {
    let rows = indices.len() / STRIPS;
    (0..rows).map(|s| std::array::from_fn(|l| indices[l * rows + s])).collect()
}

pub(super) fn random_header(rng: &mut impl Rng) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    rng.fill_bytes(&mut header);
    header
}

#[test]
fn the_first_bits_are_the_highest_of_the_first_bytes() {
    for bits in 0..=512 {
        let mut expected = [0; 8];
        (0..bits).for_each(|bit| expected[bit / 64] |= 1 << (bit % 64 / 8 * 8 + 7 - bit % 8));
        assert_eq!(first_bits(bits), expected, "{bits}");
    }
}

#[test]
fn a_batch_is_its_headers_one_by_one() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    let shape = Shape::new(144, 5, b"ZcashPoW");
    let headers: Vec<_> = (0..BATCH).map(|_| random_header(&mut rng)).collect();
    let state = |leaves: &Leaves<'_>| (leaves.h, leaves.v, leaves.m0, leaves.m1_low);
    let expected: Vec<_> = headers.iter().map(|h| state(&Leaves::new(&shape, h))).collect();
    for isa in Isa::available() {
        for count in 0..=BATCH {
            let headers: Vec<_> = headers[..count].iter().collect();
            let found: Vec<_> = Leaves::batch(isa, &shape, &headers).iter().map(state).collect();
            assert_eq!(found, expected[..count], "{count} {isa}");
        }
    }
}

#[test]
fn strip_sums_are_those_of_the_leaves_for_all_parameters() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for (n, k) in all_parameters().filter(|(_, k)| *k <= 9) {
        let header = random_header(&mut rng);
        let shape = Shape::new(n, k, b"ZcashPoW");
        let leaves = Leaves::new(&shape, &header);
        let index_mask = u32::MAX >> (31 - n / (k + 1));
        let indices: Vec<u32> = (0..1 << k)
            .map(|i| if i == 0 { index_mask } else { rng.random::<u32>() & index_mask })
            .collect();
        let mut expected = [[0; STRIPS]; 8];
        for (l, strip) in indices.chunks(indices.len() / STRIPS).enumerate() {
            let mut x = vec![0; 64];
            strip.iter().for_each(|&index| xor(&mut x, &leaf((n, k), &header, index)));
            for (word, bytes) in expected.iter_mut().zip(x.chunks(8)) {
                word[l] = u64::from_le_bytes(bytes.try_into().unwrap());
            }
        }
        for isa in Isa::available() {
            let found = sums(isa, &leaves, &in_rows(&indices));
            assert_eq!(found.xor, expected, "({n},{k}) {isa}");
        }
    }
}

/// Pairs of equal leaves cancel, so a list of such pairs has no fault; then some pairs are modified, some of
/// them by leaves that collide in the first groups, and corrected in later ones.
#[test]
fn faults_are_those_of_the_definition() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let mut seen = std::collections::HashMap::new();
    for params @ (n, k) in [(48, 5), (40, 4), (24, 3), (72, 5), (80, 7), (40, 7)] {
        let shape = Shape::new(n, k, b"ZcashPoW");
        let index_mask = u32::MAX >> (31 - n / (k + 1));
        for _ in 0..60 {
            let header = random_header(&mut rng);
            let leaves = Leaves::new(&shape, &header);
            let mut indices: Vec<u32> =
                (0..1 << k).map(|_| rng.random::<u32>() & index_mask).collect();
            indices.chunks_mut(2).for_each(|pair| pair[1] = pair[0]);
            for _ in 0..rng.random_range(0..3) {
                let (from, to) = (rng.random_range(0..1 << k), rng.random_range(0..1 << k));
                let near = leaf(params, &header, indices[from]);
                let groups = rng.random_range(0..=2);
                indices[from] = (0..200)
                    .map(|_| rng.random::<u32>() & index_mask)
                    .find(|&other| {
                        let mut x = leaf(params, &header, other);
                        xor(&mut x, &near);
                        (0..groups).all(|group| group_is_zero(params, &x, group))
                    })
                    .unwrap_or(indices[from]);
                indices.swap(from ^ 1, to);
            }
            let expected = model(params, &header, &indices);
            *seen.entry((expected.xor_non_zero, expected.bad_zero_order)).or_insert(0) += 1;
            for isa in Isa::available() {
                assert_eq!(
                    walk(isa, &leaves, &in_rows(&indices)),
                    expected,
                    "({n},{k}) {isa} {indices:?}"
                );
            }
        }
    }
    assert_eq!(seen.len(), 4, "every combination of faults occurs: {seen:?}");
}

#[test]
fn division_by_multiplication_is_exact_for_all_parameters() {
    for (n, k) in all_parameters() {
        let shape = Shape::new(n, k, b"ZcashPoW");
        let (per_hash, indices) = (u64::from(512 / n), 2u64 << (n / (k + 1)));
        assert!(shape.reciprocal < 1 << 32, "({n},{k})");
        let excess = shape.reciprocal * per_hash - (1 << shape.reciprocal_shift);
        assert!(excess * (indices - 1) < 1 << shape.reciprocal_shift, "({n},{k})");
    }
}
