//! Changes of JSON: truncation, bit flips, and other values in place of each number.

use crate::changes::Emit;

/// Returns values to put in place of a number, including long and deeply nested ones.
fn others() -> Vec<String> {
    let few = ["", "0", "1", "-1", "00", "0x10", "1e400", "null", "[]", "{}", "\"", "\\u0000", "∞"];
    let widths = [32, 64, 128, 256, 384].map(|bits: u32| power_of_two(bits));
    let long = [100, 10_000, 1_000_000].map(|digits| "9".repeat(digits));
    let deep = ["[".repeat(100_000), "{\"a\":".repeat(100_000)];
    few.map(String::from).into_iter().chain(widths).chain(long).chain(deep).collect()
}

fn power_of_two(bits: u32) -> String {
    (0..bits).fold(vec![1], doubled).iter().rev().map(|digit| (b'0' + digit) as char).collect()
}

/// Doubles a number of decimal digits, the lowest first.
fn doubled(digits: Vec<u8>, _: u32) -> Vec<u8> {
    let mut carry = 0;
    let mut twice: Vec<u8> = Vec::with_capacity(digits.len() + 1);
    for digit in digits {
        let sum = 2 * digit + carry;
        twice.push(sum % 10);
        carry = sum / 10;
    }
    if carry > 0 {
        twice.push(carry);
    }
    twice
}

/// Returns the ranges of the numbers, with or without quotes.
fn numbers(text: &str) -> Vec<std::ops::Range<usize>> {
    let is_part = |at: usize| text.as_bytes()[at].is_ascii_digit();
    let starts = (0..text.len()).filter(|&at| is_part(at) && !(at > 0 && is_part(at - 1)));
    starts.map(|at| at..(at..text.len()).find(|&end| !is_part(end)).unwrap_or(text.len())).collect()
}

/// Passes all changes to `emit`.
pub fn changes(text: &str, emit: &mut Emit) {
    for end in 0..text.len() {
        emit(&format!("the first {end} bytes"), &text.as_bytes()[..end]);
    }
    for at in (0..text.len()).step_by(3) {
        let mut changed = text.as_bytes().to_vec();
        changed[at] ^= 1 << (at % 8);
        emit(&format!("a bit of byte {at}"), &changed);
    }
    let others = others();
    for place in numbers(text) {
        for other in &others {
            let changed = format!("{}{other}{}", &text[..place.start], &text[place.end..]);
            let case = format!("{:.20}… in place of byte {}", other, place.start);
            emit(&case, changed.as_bytes());
        }
    }
    for (place, mark) in text.match_indices(['[', '{', ',']) {
        for times in [2, 100_000] {
            let changed = format!("{}{}{}", &text[..place], mark.repeat(times), &text[place + 1..]);
            emit(&format!("{times} times byte {place}"), changed.as_bytes());
        }
    }
    emit("twice", text.repeat(2).as_bytes());
}
