//! Equihash headers in files: the first byte chooses the parameter set.

use proofmill::equihash::{Params, read};

use crate::choose;

const SETS: [Params; 3] = [Params::N200_K9, Params::N144_K5, Params::N48_K5];

/// Checks that parsed headers have the parameter set's length and occur in the file, and that an error's offset is
/// inside it.
pub(crate) fn run(input: &[u8]) {
    let Some((params, content)) = choose(&SETS, input) else { return };
    match read::headers(content, params) {
        Ok(headers) => {
            assert!(!headers.is_empty());
            assert_eq!(headers.as_bytes().len(), headers.len() * params.header_bytes());
            let text =
                content.iter().take(64).all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
            let occurs = |header: &[u8]| content.windows(header.len()).any(|part| part == header);
            assert!(text || headers.iter().all(occurs));
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            let (read::Place::File(at) | read::Place::Line(_, at) | read::Place::Decoded(at)) =
                error.place
            else {
                unreachable!("a new kind of place: {error}");
            };
            assert!(at <= content.len(), "{error}");
        }
    }
}

/// Returns a header of each set: raw, twice, as hex, as a block, and framed as a node stores it.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let all = (0u8..).zip(SETS).flat_map(|(number, params)| {
        let mut header = vec![4; params.header_bytes()];
        let size = params.compact_size();
        let at = header.len() - params.solution_bytes() - size.len();
        header[at..at + size.len()].copy_from_slice(&size);
        let block = [&header[..], &[1, 4, 0, 0, 0x80, 0x85, 0x20, 0x2f, 0x89]].concat();
        let frame = [&[0x24, 0xe9, 0x27, 0x64], &(block.len() as u32).to_le_bytes()[..]].concat();
        let text = hex::encode(&header).into_bytes();
        let lines = [&text[..], b"\n", &text].concat();
        let framed = [&frame[..], &block, &[0; 16]].concat();
        [header.repeat(2), header, text, lines, block, framed]
            .map(|content| [vec![number], content].concat())
    });
    all.collect()
}
