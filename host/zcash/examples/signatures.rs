//! Verifies batches of signatures beside the batch verifiers of the Zcash crates, all on one thread, and prints microseconds a
//! signature: the median of a few rounds, taken alternately.
//!
//! ```text
//! cargo run --release -p proofmill-zcash --example signatures [NUMBER OF SIGNATURES]
//! ```

use std::time::Instant;

use proofmill_algebra::Isa;
use proofmill_zcash::reddsa::{Signature, SignatureKind, find_invalid};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;
use reddsa::{SigType, SigningKey, VerificationKey, orchard};

const ROUNDS: usize = 9;

/// Signs with a random key.
fn signed<T: SigType>(kind: SignatureKind, rng: &mut ChaCha20Rng) -> Signature {
    let message: [u8; 32] = rng.random();
    let key = SigningKey::<T>::new(&mut *rng);
    let signature = key.sign(rng, &message).into();
    Signature { kind, key: VerificationKey::from(&key).into(), signature, message }
}

/// Verifies by the crate `redjubjub`.
fn redjubjub(signatures: &[Signature]) {
    let mut batch = redjubjub::batch::Verifier::new();
    for Signature { key, signature, message, .. } in signatures {
        let signature = redjubjub::Signature::<redjubjub::SpendAuth>::from(*signature);
        let key = redjubjub::VerificationKeyBytes::from(*key);
        batch.queue((key, signature, message));
    }
    batch.verify(ChaCha20Rng::seed_from_u64(2)).expect("they are valid");
}

/// Verifies by the crate `reddsa`, as `orchard` does.
fn redpallas(signatures: &[Signature]) {
    let mut batch = reddsa::batch::Verifier::<orchard::SpendAuth, orchard::Binding>::new();
    for Signature { key, signature, message, .. } in signatures {
        batch.queue(reddsa::batch::Item::from_spendauth(
            (*key).into(),
            (*signature).into(),
            message,
        ));
    }
    batch.verify(ChaCha20Rng::seed_from_u64(3)).expect("they are valid");
}

fn measure(name: &str, signatures: &[Signature], theirs: fn(&[Signature])) {
    let ours = |signatures: &[Signature]| {
        let invalid = find_invalid(signatures, Isa::best()).expect("random bytes");
        assert!(invalid.is_empty());
    };
    let seconds = |work: &dyn Fn(&[Signature])| {
        let start = Instant::now();
        work(signatures);
        start.elapsed().as_secs_f64() * 1e6 / signatures.len() as f64
    };
    let rounds = (0..ROUNDS).map(|_| [seconds(&ours), seconds(&theirs)]);
    let rounds: Vec<_> = rounds.collect();
    let [ours, theirs] = [0, 1].map(|who| {
        let mut times: Vec<_> = rounds.iter().map(|round| round[who]).collect();
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    println!("{name}: {ours:.2} µs, the crate {theirs:.2} µs, ratio {:.2}", theirs / ours);
}

fn main() {
    let count = std::env::args().nth(1).map_or(1000, |count| count.parse().expect("a number"));
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let of = |kind, signed: fn(SignatureKind, &mut ChaCha20Rng) -> Signature, rng: &mut _| {
        (0..count).map(|_| signed(kind, rng)).collect::<Vec<_>>()
    };
    let jubjub =
        of(SignatureKind::SaplingSpendAuth, signed::<::reddsa::sapling::SpendAuth>, &mut rng);
    let pallas = of(SignatureKind::OrchardSpendAuth, signed::<orchard::SpendAuth>, &mut rng);
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    one.install(|| {
        measure("RedJubjub", &jubjub, redjubjub);
        measure("RedPallas", &pallas, redpallas);
    });
}
