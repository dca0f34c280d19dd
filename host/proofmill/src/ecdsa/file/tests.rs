use std::io::{BufReader, Cursor, Read};

use super::*;
use crate::ecdsa::{Encoded, Hash};

const EXAMPLE: &str = include_str!("forms.jsonl");
const PAGE: &str = include_str!("../file.md");
const KEY: &str = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";

fn read(content: &[u8]) -> Vec<Result<Entry, ReadError>> {
    Reader::new(content).map_or_else(|error| vec![Err(error)], Iterator::collect)
}

fn entries(content: &[u8]) -> Vec<Entry> {
    read(content).into_iter().map(|entry| entry.unwrap()).collect()
}

/// The last word about a file that is broken.
fn problem(content: &[u8]) -> String {
    let last = read(content).pop().expect("at least an error");
    last.map_or_else(|error| error.to_string(), |entry| panic!("{entry:?}"))
}

/// Returns the reason why a line is no item.
fn rejected(line: &str) -> String {
    match &entries(line.as_bytes())[..] {
        [Entry { item: Err(Rejection::Malformed(problem)), .. }] => problem.clone(),
        other => panic!("{other:?}"),
    }
}

fn items(content: &[u8]) -> Vec<Item> {
    entries(content).into_iter().map(|entry| entry.item.unwrap()).collect()
}

fn compact(items: &[Item], keys: KeyForm) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut file, keys).unwrap();
    items.iter().for_each(|item| writer.write(item).unwrap().unwrap());
    assert_eq!(writer.finish().unwrap(), items.len() as u64);
    file.into_inner()
}

#[test]
fn the_example_is_read() {
    let found = entries(format!("\n  \r\n{EXAMPLE}\n\n").as_bytes());
    assert_eq!(found.iter().map(|entry| entry.number).collect::<Vec<_>>(), [3, 4, 5]);
    assert!(found[0].id.as_ref().unwrap().ends_with(":0"));
    assert_eq!(found[1].id, None);
    let items = items(EXAMPLE.as_bytes());
    assert!(matches!(&items[0].signature, Encoded::Der(der) if der[0] == 0x30));
    assert!(matches!(&items[1].signature, Encoded::Compact(both) if both.len() == 64));
    assert_eq!(items[2].digest, Hash::Sha256d.digest(b"hello"));
    assert_eq!(items[1].digest, Hash::Sha256.digest(b"hello"));
}

#[test]
fn the_compact_form_keeps_everything() {
    let items = items(EXAMPLE.as_bytes());
    for keys in [KeyForm::Compressed, KeyForm::Uncompressed] {
        let file = compact(&items, keys);
        assert_eq!(file.len(), 24 + 3 * (keys.bytes() + 96));
        let reader = Reader::new(&file[..]).unwrap();
        let back: Vec<Item> = reader.map(|entry| entry.unwrap().item.unwrap()).collect();
        let parsed = |items: &[Item]| crate::ecdsa::parse(items, Default::default());
        assert_eq!(parsed(&back), parsed(&items), "{keys:?}");
        assert_eq!(compact(&back, keys), file, "the same again");
    }
}

#[test]
fn the_page_shows_files_as_they_are() {
    assert!(PAGE.contains(EXAMPLE), "the lines");
    let (_, shown) = PAGE.split_once("```text\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    let shown: String = shown.split_whitespace().collect();
    let first = compact(&items(EXAMPLE.as_bytes())[..1], KeyForm::Compressed);
    assert_eq!(hex::encode(first), shown, "the first line in the compact form");
}

#[test]
fn a_line_that_is_wrong_is_a_rejected_item() {
    let digest = format!(r#""digest": "{}""#, "00".repeat(32));
    let line = |rest: &str| rejected(&format!(r#"{{"key": "{KEY}", {rest}}}"#));
    assert_eq!(rejected("{}"), "'key' is missing, at column 2");
    assert_eq!(rejected("{"), "the text ends inside an object, at column 1");
    assert!(rejected(r#"{"key": 2}"#).starts_with("integer `2`; expected a string"));
    assert!(rejected(r#"{"key": "", "kei": ""}"#).starts_with("'kei' is unknown, expected one"));
    assert!(rejected(r#"{"key": "", "key": ""}"#).starts_with("'key' occurs twice"));
    assert_eq!(line(&digest), "no signature: der or compact");
    assert_eq!(
        line(&format!(r#""der": "", "compact": "", {digest}"#)),
        "two signatures: der and compact"
    );
    assert_eq!(line(r#""der": """#), "nothing signed: digest, or message and hash");
    assert_eq!(line(r#""der": "", "message": """#), "a message without its hash");
    assert_eq!(line(r#""der": "", "hash": "sha256""#), "a hash without its message");
    assert_eq!(
        line(&format!(r#""der": "", "hash": "sha256", {digest}"#)),
        "a digest, and message or hash besides"
    );
    assert_eq!(line(r#""der": "", "digest": "0x00""#), "digest: 1 bytes; expected 32");
    assert_eq!(
        line(r#""der": "", "message": "", "hash": "md5""#),
        "hash: 'md5' is unknown; there are sha256 and sha256d"
    );
    assert_eq!(line(&format!(r#""der": "3g", {digest}"#)), "der: 'g' is not a hex digit");
    assert_eq!(line(&format!(r#""der": "3é", {digest}"#)), "der: 'é' is not a hex digit");
    assert_eq!(
        line(&format!(r#""compact": "0x345", {digest}"#)),
        "compact: an odd number of hex digits, 3"
    );
}

/// An array of an object's values, and what else is JSON; the first line decides what the file is.
#[test]
fn a_line_is_an_object() {
    let values = format!(r#"["{KEY}", "3006020101020101", null, "{}"]"#, "00".repeat(32));
    for line in [&values[..], "null", "7", "{}]", "\"{}\"", "]"] {
        let found = entries(format!("{EXAMPLE}{line}").as_bytes());
        assert!(matches!(&found[3].item, Err(Rejection::Malformed(_))), "{line}: {:?}", found[3]);
    }
}

/// Whoever shows a reason shows one line, and moves no cursor.
#[test]
fn quotations_in_a_reason_are_escaped() {
    let fields = ["key", "der", "message", "digest"].map(|name| format!(r#""{name}": """#));
    let field = format!(r#"{{{}, "\n\u001b[2J\u202e": ""}}"#, fields.join(", "));
    assert!(rejected(&field).starts_with(r"'\n\u{1b}[2J\u{202e}' is unknown, expected one"));
    let hash = format!(r#"{{{}, "hash": "a\nb"}}"#, fields[..3].join(", "));
    assert!(rejected(&hash).starts_with(r"hash: 'a\nb' is unknown"), "{}", rejected(&hash));
}

#[test]
fn reading_continues_after_a_wrong_line() {
    let long = format!(r#"{{"key": "{}"}}"#, "0".repeat(1 << 20));
    let file =
        [EXAMPLE.as_bytes(), b"{\n[]\n\xff\xfe\n", long.as_bytes(), b"\n", EXAMPLE.as_bytes()]
            .concat();
    let found = entries(&file);
    assert_eq!(found.len(), 10);
    let wrong: Vec<_> = found.iter().filter(|entry| entry.item.is_err()).collect();
    assert_eq!(wrong.iter().map(|entry| entry.number).collect::<Vec<_>>(), [4, 5, 6, 7]);
    let last = wrong[3].item.as_ref().unwrap_err().to_string();
    assert_eq!(last, "malformed: a line of more than 1048576 bytes");
    assert_eq!(found[9].number, 10);
}

/// A verifier holds many entries, so each entry is small, however long its line is.
#[test]
fn a_long_line_makes_a_small_entry() {
    let long = "ab".repeat(100_000);
    let field = |name: &str, value: &str| format!(r#""{name}": "{value}""#);
    let (digest, key, der) =
        (field("digest", &"00".repeat(32)), field("key", KEY), field("der", "00"));
    for (line, problem) in [
        (
            format!("{{{digest}, {der}, {}}}", field("key", &long)),
            "key: 100000 bytes; expected at most 72",
        ),
        (
            format!("{{{digest}, {key}, {}}}", field("der", &long)),
            "der: 100000 bytes; expected at most 72",
        ),
        (
            format!("{{{digest}, {key}, {}}}", field("compact", &long)),
            "compact: 100000 bytes; expected at most 72",
        ),
        (
            format!("{{{digest}, {key}, {der}, {}}}", field("id", &long)),
            "id: 200000 bytes; expected at most 1024",
        ),
        (format!("{{{}}}", field(&long, "")), "'abab"),
        (
            format!("{{{key}, {der}, {}, {}}}", field("message", ""), field("hash", &long)),
            "hash: 'abab",
        ),
    ] {
        let said = rejected(&line);
        assert!(said.starts_with(problem) && said.chars().count() <= 201, "{said}");
        assert_eq!(entries(line.as_bytes())[0].id, None);
    }
}

/// The longest line that is read, with and without an end.
#[test]
fn a_line_has_at_most_a_mebibyte() {
    let line = |length: usize| {
        let (start, end) = EXAMPLE.lines().nth(1).unwrap().split_at(1);
        format!("{start}{}{end}", " ".repeat(length - start.len() - end.len()))
    };
    for (length, taken) in [(1 << 20, true), ((1 << 20) + 1, false), (1 << 21, false)] {
        for end in ["", "\n", "\n\n"] {
            let found = entries(format!("{}{end}", line(length)).as_bytes());
            assert_eq!((found.len(), found[0].item.is_ok()), (1, taken), "{length}{end:?}");
        }
    }
}

#[test]
fn a_broken_file_is_an_error_with_its_place() {
    let nothing = "at its start: no signatures";
    assert_eq!(problem(b""), nothing);
    assert_eq!(problem(b"\n \n"), nothing);
    let neither = "neither JSON lines nor the compact form";
    assert_eq!(problem(b"\nhello"), format!("line 2: {neither}"));
    assert_eq!(problem(&[7; 100]), format!("line 1: {neither}"));

    let good = compact(&items(EXAMPLE.as_bytes()), KeyForm::Compressed);
    let with = |at: usize, byte: u8| {
        let mut file = good.clone();
        file[at] = byte;
        problem(&file)
    };
    assert_eq!(problem(&good[..23]), "at its start: it ends within its header of 24 bytes");
    assert!(with(1, b'q').starts_with("at its start: [89, 71, 6d, 73, 69, 67, 0d, 0a] is not"));
    assert_eq!(with(8, 2), "at its start: version 2; expected 1");
    assert_eq!(with(10, 34), "at its start: keys of 34 bytes; expected 33 or 65");
    assert!(with(12, 1).starts_with("at its start: [01, 00, 00, 00] at offset 12"));
    assert_eq!(with(16, 4), "record 4: the file ends at this point; its header announces 4");
    assert!(
        with(16, 2).starts_with("record 2: extra bytes after it, where the header announces 2")
    );
    assert!(
        with(16, 0).starts_with("at its start: extra bytes after it, where the header announces 0")
    );
    let cut = &good[..good.len() - 1];
    assert_eq!(problem(cut), "record 3: the file ends at this point; its header announces 3");
    assert_eq!(problem(&compact(&[], KeyForm::Compressed)), nothing);
}

/// Sizes in a header are never believed: nothing is allocated for them.
#[test]
fn an_announced_size_takes_no_memory() {
    let mut file = compact(&items(EXAMPLE.as_bytes()), KeyForm::Uncompressed);
    file[16..24].fill(0xff);
    let found = read(&file);
    assert_eq!(found.len(), 4);
    let error = found[3].as_ref().unwrap_err().to_string();
    assert_eq!(
        error,
        "record 4: the file ends at this point; its header announces 18446744073709551615"
    );
}

#[test]
fn an_unfinished_file_is_refused() {
    let mut file = Cursor::new(Vec::new());
    let mut writer = Writer::new(&mut file, KeyForm::Compressed).unwrap();
    writer.write(&items(EXAMPLE.as_bytes())[0]).unwrap().unwrap();
    assert!(problem(&file.into_inner()).ends_with("was the file finished?"));
}

/// A key of the file's own form is kept as it is, and whatever is wrong with it is found by whoever verifies.
#[test]
fn items_that_do_not_fit_the_compact_form_are_errors() {
    let mut writer = Writer::new(Cursor::new(Vec::new()), KeyForm::Compressed).unwrap();
    let mut written = |key: Vec<u8>, signature: Encoded<Vec<u8>>| {
        let item = Item { key, signature, digest: [1; 32] };
        writer.write(&item).unwrap().map_err(|rejection| rejection.to_string())
    };
    let both = Encoded::Compact(vec![1; 64]);
    assert_eq!(written(vec![2; 33], both.clone()), Ok(()));
    assert_eq!(written(vec![4; 65], both.clone()), Err("key: not on the curve".into()));
    assert!(written(vec![2; 32], both).unwrap_err().starts_with("key: 32 bytes"));
    let short = Encoded::Compact(vec![1; 63]);
    assert!(written(vec![2; 33], short).unwrap_err().starts_with("signature: 63 bytes"));
    assert_eq!(writer.finish().unwrap(), 1);
}

/// A source that gives a byte at a time, and one that fails.
#[test]
fn it_does_not_matter_in_which_portions_a_file_comes() {
    struct Slow<'a>(&'a [u8]);
    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            match (self.0.split_first(), out.first_mut()) {
                (Some((first, rest)), Some(out)) => {
                    (*out, self.0) = (*first, rest);
                    Ok(1)
                }
                (None, Some(_)) => Err(io::Error::other("the disk is gone")),
                _ => Ok(0),
            }
        }
    }
    let binary = compact(&items(EXAMPLE.as_bytes()), KeyForm::Compressed);
    for content in [EXAMPLE.as_bytes(), &binary] {
        let mut found: Vec<_> = Reader::new(BufReader::new(Slow(content))).unwrap().collect();
        let last = found.pop().unwrap().unwrap_err();
        assert!(matches!(last, ReadError::Io { .. }), "{last}");
        let found: Vec<_> = found.into_iter().map(|entry| entry.unwrap()).collect();
        assert_eq!(found, entries(content));
    }
}
