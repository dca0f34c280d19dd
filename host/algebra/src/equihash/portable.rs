//! One lane of plain `u64`.

use super::begin::{Begun, begin_lanes};
use super::digests::{Digests, digest_lanes};
use super::strips::walk_strips;
use super::{Leaves, STRIPS, StripSums};
use crate::blake2b::words::{add, rotr16, rotr24, rotr32, rotr63, xor};
use crate::blake2b::{SIGMA, columns, diagonals, four_g, g_first_half, g_second_half, rounds};

type V = u64;
const LANES: usize = 1;
const ROWS: usize = 1;

fn splat(word: u64) -> V {
    word
}
fn load(rows: &[[u32; STRIPS]], first: usize) -> V {
    rows[0][first].into()
}
fn load_words(words: &[u64], first: usize) -> V {
    words[first]
}
fn store_words(a: V, words: &mut [u64], first: usize) {
    words[first] = a;
}
fn xor_rows(a: V) -> V {
    a
}
fn and(a: V, b: V) -> V {
    a & b
}
fn or(a: V, b: V) -> V {
    a | b
}
fn sub(a: V, b: V) -> V {
    a.wrapping_sub(b)
}
fn shl(a: V, bits: u32) -> V {
    a << bits
}
fn shr(a: V, bits: u32) -> V {
    a >> bits
}
fn mul32(a: V, b: V) -> V {
    a * b
}
fn xor_where(a: V, slot: V, t: u64, w: V) -> V {
    if slot == t { a ^ w } else { a }
}

walk_strips!();
begin_lanes!();
digest_lanes!();

pub(super) fn walk(leaves: &Leaves<'_>, rows: &[[u32; STRIPS]]) -> StripSums {
    walk_any(leaves, rows)
}

pub(super) fn begin<const HEADERS: usize>(
    start: &[u64; 8],
    begun: &mut Begun<HEADERS>,
    count: usize,
) {
    begin_any(start, begun, count);
}

pub(super) fn digests(leaves: &Leaves<'_>, first: u32, digests: &mut Digests) {
    digests_any(leaves, first, digests);
}
