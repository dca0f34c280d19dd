//! `equihash_verify` on every instruction set, against the definition written out with an independent BLAKE2b,
//! against the crate `equihash`, and on a real block.

use crate::definition::{in_solution, indices_of, mask_by_definition, solve_toy};
use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::Submit;
use proofmill_op::equihash_verify::{HEADER_BYTES, Network, Params, Request, Verdict};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Bits 1 to 4: what the crate `equihash` looks at.
const SOLUTION_BITS: u8 = Verdict::XOR_NON_ZERO
    | Verdict::BAD_IDX_ORDER
    | Verdict::BAD_ZERO_ORDER
    | Verdict::DUPLICATE_FND;

fn block_346() -> Vec<u8> {
    hex::decode(include_str!("../../../../examples/headers/mainnet-346.hex").trim()).unwrap()
}

fn masks(isa: Isa, params: Params, network: Network, headers: &[Vec<u8>]) -> Vec<u8> {
    let device = CpuDevice::with_isa(Some(2), isa).unwrap();
    let request = Request::new(params, network, headers.concat());
    let ticket = device.submit(request).unwrap();
    let response = ticket.wait().unwrap();
    response.verdicts.iter().map(|verdict| verdict.mask()).collect()
}

/// Asserts that all instruction sets agree with the definition, and the crate with both; gives the masks.
fn check(params: Params, network: Network, headers: &[Vec<u8>]) -> Vec<u8> {
    let expected: Vec<u8> =
        headers.iter().map(|h| mask_by_definition(params, network, h)).collect();
    for isa in Isa::available() {
        assert_eq!(masks(isa, params, network, headers), expected, "({params}) {isa}");
    }
    for (header, mask) in headers.iter().zip(&expected) {
        let (start, solution) =
            (&header[..HEADER_BYTES], &header[params.header_bytes() - params.solution_bytes()..]);
        let valid = equihash::is_valid_solution(
            params.n(),
            params.k(),
            &start[..108],
            &start[108..],
            solution,
        );
        assert_eq!(valid.is_ok(), mask & SOLUTION_BITS == 0, "({params}) mask {mask:#04x}");
    }
    expected
}

/// A header with these indices for a solution.
fn header_with(params: Params, start: &[u8], indices: &[u32]) -> Vec<u8> {
    [start, &params.compact_size(), &in_solution(params, indices)].concat()
}

fn random_start(rng: &mut impl Rng) -> Vec<u8> {
    let mut start = vec![0; HEADER_BYTES];
    rng.fill_bytes(&mut start);
    start
}

#[test]
fn block_346_and_modifications_of_it() {
    let good = block_346();
    let changed = |at: usize, to: &[u8]| {
        let mut header = good.clone();
        header[at..at + to.len()].copy_from_slice(to);
        header
    };
    let last = good.len() - 1;
    let headers = [
        good.clone(),
        changed(last, &[good[last] ^ 1]),           // the last index
        changed(110, &[good[110] ^ 1]),             // the nonce
        changed(104, &0x207fffffu32.to_le_bytes()), // the target
        changed(140, &[0xfe]),                      // the CompactSize
        changed(last, &[good[last] ^ 1]),
        good.clone(),
    ];
    assert_eq!(
        check(Params::N200_K9, Network::Main, &headers),
        [0, 0x03, 0x0b, 0x0b, 0x21, 0x03, 0]
    );
    assert_eq!(
        check(Params::N200_K9, Network::None, &headers),
        [0, 0x02, 0x0a, 0x0a, 0x20, 0x02, 0]
    );
}

#[test]
fn block_346_with_single_bits_flipped() {
    let mut rng = ChaCha20Rng::seed_from_u64(346);
    let headers: Vec<_> = (0..60)
        .map(|_| {
            let mut header = block_346();
            let bit = rng.random_range(0..8 * header.len());
            header[bit / 8] ^= 1 << (bit % 8);
            header
        })
        .collect();
    assert!(check(Params::N200_K9, Network::Main, &headers).iter().all(|mask| *mask != 0));
}

/// Valid solutions of the toy, then with subtrees exchanged, indices repeated and leaves moved: each of the
/// four bits occurs, in many combinations.
#[test]
fn toy_solutions_and_modifications_of_them() {
    let params = Params::N48_K5;
    let mut rng = ChaCha20Rng::seed_from_u64(48);
    let mut seen = std::collections::BTreeSet::new();
    let mut solutions = 0;
    while solutions < 20 {
        let start = random_start(&mut rng);
        for good in solve_toy(&start) {
            solutions += 1;
            assert_eq!(check(params, Network::None, &[header_with(params, &start, &good)]), [0]);
            let headers: Vec<_> = (0..40)
                .map(|_| {
                    let mut indices = good.clone();
                    for _ in 0..rng.random_range(1..3) {
                        spoil(&mut indices, &mut rng);
                    }
                    header_with(params, &start, &indices)
                })
                .collect();
            seen.extend(check(params, Network::None, &headers));
        }
    }
    for bit in [Verdict::XOR_NON_ZERO, Verdict::BAD_IDX_ORDER, Verdict::BAD_ZERO_ORDER] {
        assert!(seen.iter().any(|mask| mask & bit != 0) && seen.iter().any(|mask| mask & bit == 0));
    }
    assert!(seen.contains(&Verdict::BAD_IDX_ORDER), "only the order is wrong: {seen:?}");
    assert!(seen.contains(&Verdict::XOR_NON_ZERO), "a fault in the last subtree: {seen:?}");
    assert!(seen.iter().any(|mask| mask & Verdict::DUPLICATE_FND != 0), "{seen:?}");
}

fn spoil(indices: &mut [u32], rng: &mut impl Rng) {
    let half = 1 << rng.random_range(0..5);
    let at = rng.random_range(0..indices.len() / (2 * half)) * 2 * half;
    let (left, right) = indices[at..at + 2 * half].split_at_mut(half);
    match rng.random_range(0..4) {
        0 => left.swap_with_slice(right),
        1 => right.copy_from_slice(left),
        2 => right[0] = rng.random_range(0..512),
        _ => indices.shuffle(rng),
    }
}

/// Random, ascending, all equal, and alike in the bits that the search for duplicates looks at first.
#[test]
fn hostile_indices_in_all_parameter_sets() {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    for (n, k) in [(200, 9), (144, 5), (48, 5), (96, 5), (96, 3), (192, 7), (32, 3)] {
        let params = Params::new(n, k).unwrap();
        let largest = u32::MAX >> (32 - params.index_bits());
        let count = params.indices() as u32;
        let alike = |i: u32| (i << 16 | i << 12 | 5) & largest;
        let mut lists: Vec<Vec<u32>> = vec![
            (0..count).map(|i| i & largest).collect(),
            (0..count).rev().map(|i| i & largest).collect(),
            vec![largest; count as usize],
            vec![0; count as usize],
            (0..count).map(alike).collect(),
            (0..count).map(|i| alike(i / 2)).collect(),
        ];
        for _ in 0..10 {
            lists.push((0..count).map(|_| rng.random::<u32>() & largest).collect());
            let mut one_twice: Vec<u32> = (0..count).map(|i| i * (largest / count)).collect();
            one_twice[rng.random_range(0..count as usize)] =
                one_twice[rng.random_range(0..count as usize)];
            lists.push(one_twice);
        }
        let start = random_start(&mut rng);
        let headers: Vec<_> =
            lists.iter().map(|indices| header_with(params, &start, indices)).collect();
        for (header, indices) in headers.iter().zip(&lists) {
            let solution = &header[params.header_bytes() - params.solution_bytes()..];
            assert_eq!(&indices_of(params, solution), indices);
        }
        if params.collision_bits() >= 8 {
            check(params, Network::Main, &headers);
        } else {
            // The crate does not take these.
            let expected: Vec<u8> =
                headers.iter().map(|h| mask_by_definition(params, Network::Main, h)).collect();
            for isa in Isa::available() {
                assert_eq!(
                    masks(isa, params, Network::Main, &headers),
                    expected,
                    "({params}) {isa}"
                );
            }
        }
    }
}

#[test]
fn another_personalisation_is_another_puzzle() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let mut request = Request::new(Params::N200_K9, Network::None, block_346());
    request.personalisation.0 = *b"BgoldPoW";
    let ticket = device.submit(request).unwrap();
    let response = ticket.wait().unwrap();
    assert_eq!(response.verdicts[0].mask(), Verdict::XOR_NON_ZERO | Verdict::BAD_ZERO_ORDER);
}

#[test]
fn wrong_sizes_are_refused_at_once_and_no_headers_are_no_verdicts() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let mut header = block_346();
    header.pop();
    let request = Request::new(Params::N200_K9, Network::Main, header);
    assert!(device.submit(request).is_err());
    assert_eq!(masks(Isa::best(), Params::N200_K9, Network::Main, &[]), [0_u8; 0]);
}

#[test]
fn a_large_request_keeps_its_order() {
    let good = block_346();
    let mut bad = good.clone();
    bad[1000] ^= 1;
    let headers: Vec<_> =
        (0..200).map(|i| if i % 7 == 3 { bad.clone() } else { good.clone() }).collect();
    let found = masks(Isa::best(), Params::N200_K9, Network::Main, &headers);
    assert!(found.iter().enumerate().all(|(i, mask)| (*mask != 0) == (i % 7 == 3)), "{found:x?}");
}

#[test]
fn a_dropped_device_answers_the_requests_that_it_accepted() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let request = Request::new(Params::N200_K9, Network::Main, block_346().repeat(20));
    let tickets: Vec<_> = (0..5).map(|_| device.submit(request.clone()).unwrap()).collect();
    drop(device);
    for ticket in tickets {
        let response = ticket.wait().unwrap();
        assert!(
            response.verdicts.len() == 20
                && response.verdicts.iter().all(|verdict| verdict.is_valid())
        );
    }
}
