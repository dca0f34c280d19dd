//! Every body on its seeds, on seeds that were changed, and on random bytes.

use proofmill_fuzz_bodies::{TARGETS, Target};
use proofmill_testkit::random::Random;

/// Inputs a target: all that fits into this many, and fewer where an input costs much.
const INPUTS: u64 = 20_000;

/// One or more of the changes that fuzzers know.
fn changed(random: &mut Random, seeds: &[Vec<u8>]) -> Vec<u8> {
    let mut input = random.pick(seeds).clone();
    for _ in 0..=random.below(3) {
        let at = random.below(input.len() as u64 + 1) as usize;
        match random.below(8) {
            0 => input.truncate(at),
            1 => input.insert(at, random.bits() as u8),
            2 => {
                let other = random.pick(seeds);
                input.truncate(at);
                input.extend(other.iter().skip(at));
            }
            3 => input[at..].fill(*random.pick(&[0, 0xff])),
            4 if at < input.len() => input[at] = random.bits() as u8,
            5 => input.extend(random.bytes(at.min(64))),
            _ if at < input.len() => input[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
    input
}

fn examine(name: &str, inputs: u64) {
    let target: &Target = TARGETS.iter().find(|target| target.name == name).expect("a target");
    let seeds = (target.seeds)();
    seeds.iter().for_each(|seed| (target.run)(seed));
    (target.run)(&[]);
    let mut random = Random::new(0x7072_6f6f_666d);
    let longest = seeds.iter().map(Vec::len).max().expect("seeds") as u64;
    for number in 0..inputs {
        let input = if number % 8 == 0 {
            let length = random.below(longest + 2) as usize;
            random.bytes(length)
        } else {
            changed(&mut random, &seeds)
        };
        let outcome = std::panic::catch_unwind(|| (target.run)(&input));
        assert!(outcome.is_ok(), "{name}, input {number}: {input:02x?}");
    }
}

#[test]
fn field_elements() {
    examine("field_elements", INPUTS);
}

#[test]
fn points_sec1() {
    examine("points_sec1", INPUTS);
}

#[test]
fn points_zcash() {
    examine("points_zcash", INPUTS);
}

#[test]
fn points_pair() {
    examine("points_pair", INPUTS);
}

#[test]
fn equihash_headers() {
    examine("equihash_headers", INPUTS);
}

#[test]
fn ecdsa_der() {
    examine("ecdsa_der", INPUTS);
}

/// Each key may cost a square root, twice.
#[test]
fn ecdsa_files() {
    examine("ecdsa_files", INPUTS / 10);
}

/// Each input is some dozens of verifications.
#[test]
fn ecdsa_claims() {
    examine("ecdsa_claims", INPUTS / 20);
}

/// Each input opens a card and waits for threads.
#[test]
fn card_replies() {
    examine("card_replies", INPUTS / 20);
}
