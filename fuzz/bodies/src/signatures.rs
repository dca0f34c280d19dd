//! ECDSA signatures in DER and in files.

use std::io::Cursor;

use proofmill::ecdsa::file::{KeyForm, Reader, Writer};
use proofmill::ecdsa::{Encoded, Item, Policy, Signature, parse};

const LINES: &[u8] = include_bytes!("../../../examples/signatures/forms.jsonl");

fn parsed(item: &Item) -> Option<Signature> {
    parse(std::slice::from_ref(item), Policy::default()).remove(0).ok()
}

/// Checks that accepted DER is the unique encoding of its integers.
pub(crate) fn der(input: &[u8]) {
    let key = [&[4][..], &[1; 64]].concat();
    let item = Item { key, signature: Encoded::Der(input.to_vec()), digest: [0; 32] };
    let Some(Signature { r, s, .. }) = parsed(&item) else { return };
    let integer = |little: [u8; 32]| {
        let mut digits: Vec<u8> = little.into_iter().rev().skip_while(|&byte| byte == 0).collect();
        if digits.first().is_none_or(|&first| first >= 0x80) {
            digits.insert(0, 0);
        }
        [&[2, digits.len() as u8][..], &digits].concat()
    };
    let content = [integer(r), integer(s)].concat();
    assert_eq!([&[0x30, content.len() as u8][..], &content].concat(), input);
}

/// The DER of the examples, and of small and of large integers.
pub(crate) fn der_seeds() -> Vec<Vec<u8>> {
    let items = Reader::new(LINES).into_iter().flatten().flatten().flat_map(|entry| entry.item);
    let signatures = items.filter_map(|item| match item.signature {
        Encoded::Der(bytes) => Some(bytes),
        Encoded::Compact(_) => None,
    });
    let widest = [&[2, 33, 0][..], &[0xff; 32]].concat();
    let widest = [&[0x30, 70][..], &widest, &widest].concat();
    signatures.chain([vec![0x30, 6, 2, 1, 0, 2, 1, 0x7f], widest]).collect()
}

/// Checks that entries have ascending numbers, and that a file that parses survives a round trip.
pub(crate) fn files(input: &[u8]) {
    let Ok(reader) = Reader::new(input) else { return };
    let (mut last, mut items) = (0, Vec::new());
    for entry in reader {
        match entry {
            Ok(entry) => {
                assert!(entry.number > last);
                last = entry.number;
                items.extend(entry.item);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for keys in [KeyForm::Compressed, KeyForm::Uncompressed] {
        let (file, kept) = written(&items, keys);
        let again: Vec<Item> = match kept.is_empty() {
            true => continue,
            false => Reader::new(&file[..])
                .expect("a header")
                .map(|entry| entry.unwrap().item.unwrap())
                .collect(),
        };
        assert_eq!(again.len(), kept.len());
        for (again, item) in again.iter().zip(&kept) {
            assert_eq!(parsed(again), parsed(item));
        }
    }
}

/// A compact file of these items, and those that it holds.
fn written(items: &[Item], keys: KeyForm) -> (Vec<u8>, Vec<Item>) {
    let (mut file, mut kept) = (Cursor::new(Vec::new()), Vec::new());
    let mut writer = Writer::new(&mut file, keys).expect("memory");
    for item in items {
        if writer.write(item).expect("memory").is_ok() {
            kept.push(item.clone());
        }
    }
    assert_eq!(writer.finish().expect("memory"), kept.len() as u64);
    (file.into_inner(), kept)
}

/// The examples in each form.
pub(crate) fn file_seeds() -> Vec<Vec<u8>> {
    let items = Reader::new(LINES).into_iter().flatten().flatten().flat_map(|entry| entry.item);
    let items: Vec<Item> = items.collect();
    let compact = |keys| written(&items, keys).0;
    vec![LINES.to_vec(), compact(KeyForm::Compressed), compact(KeyForm::Uncompressed)]
}
