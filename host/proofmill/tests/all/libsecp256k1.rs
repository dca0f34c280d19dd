//! Keys and signatures in every form, good and damaged, against libsecp256k1's own parsing and verification.

use proofmill::ecdsa::{self, Encoded, Item, Policy};
use proofmill_testkit::random::Random;
use secp256k1_library as library;

const ITEMS: usize = 6000;

/// A signature of a random digest under a random key, in any of the forms.
fn item(random: &mut Random) -> Item {
    let mut bytes = || std::array::from_fn(|_| random.bits() as u8);
    let secret =
        library::SecretKey::from_secret_bytes(bytes()).expect("nearly every number is one");
    let digest: [u8; 32] = bytes();
    let signature = secret.sign_ecdsa(library::Message::from_digest(digest));
    let key = secret.public_key();
    let signature = match random.below(2) {
        0 => Encoded::Der(signature.serialize_der().to_vec()),
        _ => Encoded::Compact(signature.serialize_compact().to_vec()),
    };
    let key = match random.below(3) {
        0 => key.serialize().to_vec(),
        1 => key.serialize_uncompressed().to_vec(),
        _ => {
            let mut hybrid = key.serialize_uncompressed().to_vec();
            hybrid[0] = 6 | hybrid[64] & 1;
            hybrid
        }
    };
    Item { key, signature, digest }
}

/// Changes a bit, or the length.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len() as u64) as usize;
    match random.below(6) {
        0 => bytes.truncate(at),
        1 => bytes.push(random.bits() as u8),
        2 => bytes.insert(at, 0),
        // What has a meaning stands in front.
        3 => bytes[at % 6] ^= 1 << random.below(8),
        _ => bytes[at] ^= 1 << random.below(8),
    }
}

fn library_accepts(item: &Item, low_s: bool) -> bool {
    let signature = match &item.signature {
        Encoded::Der(der) => library::ecdsa::Signature::from_der(der),
        Encoded::Compact(compact) => library::ecdsa::Signature::from_compact(compact),
    };
    let Ok(signature) = signature else { return false };
    let mut normal = signature;
    normal.normalize_s();
    let Ok(key) = library::PublicKey::from_slice(&item.key) else { return false };
    let digest = library::Message::from_digest(item.digest);
    (!low_s || normal == signature) && library::ecdsa::verify(&normal, digest, &key).is_ok()
}

#[test]
fn outcomes_are_those_of_libsecp256k1() {
    let mut random = Random::new(0x6563_6473_6131);
    let items: Vec<Item> = (0..ITEMS)
        .map(|number| {
            let mut item = item(&mut random);
            let part = match (number % 4, &mut item.signature) {
                (0, _) => return item,
                (1, _) => &mut item.key,
                (_, Encoded::Der(bytes) | Encoded::Compact(bytes)) => bytes,
            };
            damage(part, &mut random);
            item
        })
        .collect();
    let device = proofmill::open("cpu:").unwrap();
    for low_s in [false, true] {
        let outcomes = ecdsa::verify_batch(&*device, &items, Policy { low_s }).unwrap();
        for (item, outcome) in items.iter().zip(&outcomes) {
            assert_eq!(outcome.is_valid(), library_accepts(item, low_s), "{outcome}: {item:02x?}");
        }
        let bad: Vec<_> = (0..ITEMS).filter(|&at| !outcomes[at].is_valid()).collect();
        let found = ecdsa::find_invalid(&*device, &items, Policy { low_s }).unwrap();
        assert_eq!(found.iter().map(|bad| bad.index).collect::<Vec<_>>(), bad);
        assert!(bad.len() > ITEMS / 2 && bad.len() < ITEMS * 4 / 5, "{} of {ITEMS}", bad.len());
    }
}
