use super::*;

const TOY: Params = Params::N48_K5;
const SETS: [Params; 2] = [Params::N200_K9, TOY];

/// A header that is invalid but has the right form.
fn header(params: Params, fill: u8) -> Vec<u8> {
    let mut header = vec![fill; params.header_bytes()];
    header[..4].copy_from_slice(&[4, 0, 0, 0]);
    let size = params.compact_size();
    header[HEADER_BYTES..HEADER_BYTES + size.len()].copy_from_slice(&size);
    header
}

fn block(params: Params, transactions: &[u8]) -> Vec<u8> {
    [&header(params, 7)[..], transactions].concat()
}

/// One transaction of version 4, as far as it is looked at.
const V4: &[u8] = &[1, 4, 0, 0, 0x80, 0x85, 0x20, 0x2f, 0x89, 0, 0, 0];

fn hex(bytes: &[u8]) -> String {
    hex::encode(bytes)
}

fn count(content: &[u8], params: Params) -> usize {
    headers(content, params).unwrap_or_else(|error| panic!("{error}")).len()
}

fn problem(content: &[u8], params: Params) -> String {
    headers(content, params).expect_err("this was taken for headers").to_string()
}

#[test]
fn headers_are_found_in_every_form() {
    for params in SETS {
        let one = header(params, 1);
        let two = [&one[..], &header(params, 2)].concat();
        assert_eq!(count(&one, params), 1);
        assert_eq!(count(&two, params), 2);
        assert_eq!(count(&block(params, V4), params), 1);
        assert_eq!(count(hex(&one).as_bytes(), params), 1);
        assert_eq!(count(format!("  0x{}\r\n\n", hex(&one).to_uppercase()).as_bytes(), params), 1);
        assert_eq!(
            count(format!("{}\n{}", hex(&one), hex(&block(params, V4))).as_bytes(), params),
            2
        );
        assert_eq!(count(format!("{}\n{}\n", hex(&two), hex(&one)).as_bytes(), params), 3);
        let wrapped: Vec<String> =
            hex(&two).as_bytes().chunks(61).map(|it| String::from_utf8_lossy(it).into()).collect();
        assert_eq!(count(wrapped.join("\n").as_bytes(), params), 2);
    }
}

#[test]
fn a_nodes_block_file_is_read_up_to_its_zeros() {
    let block = block(TOY, V4);
    let frame =
        [&[0x24, 0xe9, 0x27, 0x64][..], &(block.len() as u32).to_le_bytes(), &block].concat();
    assert_eq!(count(&frame.repeat(3), TOY), 3);
    assert_eq!(count(&[&frame.repeat(2)[..], &[0; 100]].concat(), TOY), 2);
    assert_eq!(count(hex(&frame.repeat(2)).as_bytes(), TOY), 2);

    let mut other = frame.repeat(2);
    other[frame.len()] = 0xfa;
    assert!(problem(&other, TOY).starts_with(&format!("offset {}: [fa, e9", frame.len())));
    assert!(
        problem(&frame[..frame.len() - 1], TOY)
            .starts_with("offset 4: truncated: the block has 189 bytes")
    );
    assert!(problem(&[&frame[..], &[0x24]].concat(), TOY).contains("1 bytes left"));
    let mut bare = frame.clone();
    bare[8 + 177] = 0;
    assert!(problem(&bare, TOY).starts_with("offset 185: no transactions: their count is 0"));
}

#[test]
fn every_known_transaction_is_accepted_and_no_other() {
    for (version, group) in TRANSACTIONS {
        let start =
            [&[0xfd, 2, 0][..], &version.to_le_bytes(), &group.unwrap_or(0).to_le_bytes()].concat();
        assert_eq!(count(&block(TOY, &start), TOY), 1);
        let wrong =
            [&[1][..], &(version ^ 0x10).to_le_bytes(), &group.unwrap_or(0).to_le_bytes()].concat();
        assert!(problem(&block(TOY, &wrong), TOY).contains("version word"));
        if let Some(group) = group {
            let wrong = [&[1][..], &version.to_le_bytes(), &(group + 1).to_le_bytes()].concat();
            assert!(problem(&block(TOY, &wrong), TOY).contains("version group"));
        }
    }
}

#[test]
fn errors_name_the_position() {
    let one = header(Params::N200_K9, 1);
    let set = Params::N200_K9;
    assert!(
        problem(b"", set)
            .starts_with("offset 0: empty; expected a header of 1487 bytes for (200,9)")
    );
    assert!(problem(b" \n ", set).contains("nothing but white space"));
    assert!(
        problem(&one[..1486], set)
            .starts_with("offset 0: truncated: 1486 bytes, where a header for (200,9) has 1487")
    );
    assert!(problem(&one[..3], set).starts_with("offset 0: truncated: 3 bytes"));
    let smaller = header(Params::N144_K5, 1);
    let said = problem(&smaller, set);
    assert!(
        said.starts_with("offset 140: the solution's CompactSize is [64], not [fd, 40, 05]"),
        "{said}"
    );
    assert!(said.ends_with("it is that of (144,5)"), "{said}");
    let second = [&one[..], &one[..100]].concat();
    let said = problem(&second, set);
    assert!(
        said.starts_with("offset 1487: neither transactions (the first one's version"),
        "{said}"
    );
    assert!(said.contains("nor another header (truncated: 100 bytes"), "{said}");
    let third = [&one[..], &one, &one[..1000]].concat();
    assert!(problem(&third, set).starts_with("offset 2974: truncated: 1000 bytes"));
}

#[test]
fn errors_in_hex_name_the_position() {
    let (one, set) = (hex(&header(TOY, 1)), TOY);
    let broken = format!("{one}\n{}g{}", &one[..50], &one[51..]);
    assert!(problem(broken.as_bytes(), set).starts_with("offset 405: 'g' is not a hex digit"));
    let short = format!("{one}\n{}", &one[..352]);
    assert!(
        problem(short.as_bytes(), set)
            .starts_with("line 2, offset 0 of its decoded bytes: truncated: 176 bytes")
    );
    let odd = format!("{one}\n{}", &one[..353]);
    assert!(problem(odd.as_bytes(), set).contains("odd number of hex digits, 353"));
    let half = problem(&one.as_bytes()[..300], set);
    assert!(half.starts_with("offset 0 of the decoded bytes: truncated: 150 bytes"), "{half}");
    assert!(problem(b"hello", set).starts_with("offset 0: 'h' is not a hex digit"));
}
