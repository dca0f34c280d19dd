//! `ecdsa_verify` on every instruction set, alone and in batches, against libsecp256k1.

use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::ecdsa_verify::{Request, Signature, Verdict};
use proofmill_op::{Argument, Submit};
use proofmill_testkit::signatures::{library_accepts, random};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// Signatures on each side of the comparisons with libsecp256k1.
const MANY: usize = 10_000;

fn masks(device: &CpuDevice, signatures: &[Signature]) -> Vec<u8> {
    let bytes: Vec<u8> = signatures.iter().flat_map(Signature::to_bytes).collect();
    let ticket = device.submit(Request::new(bytes)).unwrap();
    let response = ticket.wait().unwrap();
    assert_eq!(response.cycles, None, "a processor has no such clock");
    response.verdicts.iter().map(|verdict| verdict.mask()).collect()
}

/// The same, one request each.
fn masks_one_by_one(device: &CpuDevice, signatures: &[Signature]) -> Vec<u8> {
    signatures.chunks(1).flat_map(|one| masks(device, one)).collect()
}

#[test]
fn random_signatures_are_valid() {
    let mut rng = ChaCha20Rng::seed_from_u64(70);
    let signatures: Vec<_> = (0..MANY).map(|_| random(&mut rng)).collect();
    assert!(signatures.iter().all(library_accepts));
    for isa in [Isa::words(), Isa::best()] {
        let device = CpuDevice::with_isa(Some(2), isa).unwrap();
        assert!(masks(&device, &signatures).iter().all(|&mask| mask == 0), "{isa}");
    }
    let device = CpuDevice::new(Some(1)).unwrap();
    assert!(masks_one_by_one(&device, &signatures).iter().all(|&mask| mask == 0));
}

#[test]
fn corrupted_signatures_are_not() {
    let mut rng = ChaCha20Rng::seed_from_u64(71);
    let signatures: Vec<_> = (0..MANY)
        .map(|_| {
            let mut signature = random(&mut rng);
            let Signature { s, r, hash, qx, qy } = &mut signature;
            let field = [s, r, hash, qx, qy].into_iter().nth(rng.random_range(0..5)).unwrap();
            match rng.random_range(0..8) {
                0 => *field = rng.random(),
                1 => field.fill(0),
                2 => field.fill(0xff),
                _ => field[rng.random_range(0..32)] ^= 1 << rng.random_range(0..8),
            }
            signature
        })
        .collect();
    let expected: Vec<_> = signatures.iter().map(library_accepts).collect();
    // A digest of which only the value modulo n counts might be hit; nothing else can stay valid.
    assert!(expected.iter().filter(|accepted| **accepted).count() < 2);
    let device = CpuDevice::new(Some(1)).unwrap();
    let one_by_one = masks_one_by_one(&device, &signatures);
    for isa in [Isa::words(), Isa::best()] {
        let device = CpuDevice::with_isa(Some(2), isa).unwrap();
        assert_eq!(masks(&device, &signatures), one_by_one, "{isa}");
    }
    for (mask, accepted) in one_by_one.iter().zip(expected) {
        assert_eq!(*mask == 0, accepted);
        assert!(*mask == 0 || mask & Verdict::FAILED_SIG_VER != 0, "{mask:#04x}");
        assert_eq!(mask & Verdict::TIMEOUT_FAIL, 0);
    }
    for bit in [Verdict::OUT_OF_RANGE_R, Verdict::OUT_OF_RANGE_S, Verdict::INVALID_KEY] {
        assert!(one_by_one.iter().any(|mask| mask & bit != 0));
    }
    assert!(one_by_one.contains(&Verdict::FAILED_SIG_VER));
}

/// Batches of every size around those of lanes and chunks, with bad ones in places that are not regular.
#[test]
fn verdicts_are_in_the_order_of_the_signatures() {
    let mut rng = ChaCha20Rng::seed_from_u64(72);
    let good: Vec<_> = (0..200).map(|_| random(&mut rng)).collect();
    for isa in Isa::available() {
        let device = CpuDevice::with_isa(Some(2), isa).unwrap();
        for count in [0, 1, 2, 7, 8, 9, 63, 64, 65, 129, 200] {
            let bad: Vec<_> = (0..count).map(|_| rng.random_range(0..3) == 0).collect();
            let mut signatures = good[..count].to_vec();
            for (signature, bad) in signatures.iter_mut().zip(&bad) {
                signature.hash[0] ^= u8::from(*bad);
            }
            let found = masks(&device, &signatures);
            let found: Vec<_> = found.iter().map(|mask| *mask != 0).collect();
            assert_eq!(found, bad, "{isa} {count}");
        }
    }
}

#[test]
fn all_invalid_numbers_are_reported_together_and_nothing_else() {
    let good = random(&mut ChaCha20Rng::seed_from_u64(73));
    let (zero, ones) = ([0; 32], [0xff; 32]);
    let (r, s, key) = (Verdict::OUT_OF_RANGE_R, Verdict::OUT_OF_RANGE_S, Verdict::INVALID_KEY);
    let cases = [
        (Signature { r: zero, ..good }, r),
        (Signature { r: ones, ..good }, r),
        (Signature { s: zero, ..good }, s),
        (Signature { s: ones, ..good }, s),
        (Signature { qx: ones, ..good }, key),
        (Signature { qy: ones, ..good }, key),
        (Signature { r: zero, s: ones, qy: ones, ..good }, r | s | key),
        // Not on the curve either, but that is not looked at.
        (Signature { r: zero, qx: zero, ..good }, r),
        (Signature { qx: zero, qy: zero, ..good }, key),
        (Signature { qx: good.qy, qy: good.qx, ..good }, key),
        (Signature::default(), r | s),
    ];
    let (signatures, expected): (Vec<_>, Vec<_>) = cases
        .map(|(signature, mask)| (signature, mask | Verdict::FAILED_SIG_VER))
        .into_iter()
        .unzip();
    for isa in Isa::available() {
        let device = CpuDevice::with_isa(Some(1), isa).unwrap();
        assert_eq!(masks(&device, &signatures), expected, "{isa}");
        assert_eq!(masks_one_by_one(&device, &signatures), expected, "{isa}");
    }
}

#[test]
fn a_part_of_a_signature_is_refused_at_once() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let request = Request::new(vec![0; 159]);
    let refused = device.submit(request).unwrap_err();
    assert!(refused.is_about(Argument::Signatures), "{refused}");
}
