//! Whatever a file holds, reading it ends: in whole headers, or in an error whose place is in the file.

use proofmill::equihash::Params;
use proofmill::equihash::read::{Place, headers};
use proofmill_testkit::random::Random;

const TOY: Params = Params::N48_K5;

/// A content that is right: headers, a block, or blocks as the node stores them; as bytes or as hex.
fn content(random: &mut Random) -> Vec<u8> {
    let mut header = random.bytes(TOY.header_bytes());
    header[..4].copy_from_slice(&[4, 0, 0, 0]);
    header[140] = TOY.compact_size()[0];
    let block = [&header[..], &[1, 4, 0, 0, 0x80, 0x85, 0x20, 0x2f, 0x89, 0]].concat();
    let size = (block.len() as u32).to_le_bytes();
    let stored = [&[0x24, 0xe9, 0x27, 0x64], &size[..], &block].concat();
    let bytes = match random.below(3) {
        0 => header.repeat(1 + random.below(3) as usize),
        1 => block,
        _ => [&stored[..], &stored, &[0; 9]].concat(),
    };
    match random.below(3) {
        0 => bytes,
        1 => hex::encode(&bytes).into_bytes(),
        _ => hex::encode(&bytes)
            .as_bytes()
            .chunks(400)
            .flat_map(|line| [line, b"\n"].concat())
            .collect(),
    }
}

#[test]
fn any_content_ends_in_headers_or_in_a_place() {
    let mut random = Random::new(11);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..50_000 {
        let mut content = content(&mut random);
        for _ in 0..random.below(4) {
            let at = random.below(content.len() as u64) as usize;
            match random.below(4) {
                0 => content.truncate(at.max(1)),
                1 => content[at] = *random.pick(&[0, 1, 4, 0xfd, 0xff, b'\n', b'0', b'x', 0x24]),
                2 => content.insert(at, random.bits() as u8),
                _ if content.len() > 1 => _ = content.remove(at),
                _ => {}
            }
        }
        match headers(&content, TOY) {
            Ok(found) => {
                read += 1;
                assert_eq!(found.as_bytes().len(), found.len() * TOY.header_bytes());
                assert!(!found.is_empty());
            }
            Err(error) => {
                refused += 1;
                let (Place::File(offset) | Place::Line(_, offset) | Place::Decoded(offset)) =
                    error.place
                else {
                    panic!("a place of a new kind: {error}");
                };
                assert!(offset <= content.len(), "{error}, in {} bytes", content.len());
            }
        }
    }
    assert!(read > 5_000 && refused > 5_000, "{read} read, {refused} refused");
}
