//! The first table: leaves, cut from BLAKE2b digests.

use super::pages::Output;
use super::plan::Plan;
use super::{Cancelled, Control, Memory, for_each};
use crate::equihash::Leaves;
use crate::equihash::digests::{DIGESTS, Digests};
use crate::equihash::portable;
#[cfg(target_arch = "x86_64")]
use crate::equihash::{avx2, avx512};
use crate::isa::Isa;
#[cfg(target_arch = "x86_64")]
use crate::isa::Level;

/// Digests between two polls of the cancellation: some 100 us.
const POLL: usize = 256 * DIGESTS;
/// Zeros in front of a digest, where the padding of its first leaf is.
const PADDING: usize = 4;
/// A digest with its padding.
type Bytes = [u8; PADDING + 64];

/// Writes all leaves to table 0, each part its share.
pub(super) fn write(
    isa: Isa,
    leaves: &Leaves<'_>,
    plan: &Plan,
    memory: &mut Memory<'_>,
    control: &Control<'_>,
) -> Result<(), Cancelled> {
    let (digests, share) = (plan.digests(), plan.digests_of_part());
    let write = match plan.tables[0].width {
        2 => write_digests::<2>,
        3 => write_digests::<3>,
        4 => write_digests::<4>,
        5 => write_digests::<5>,
        6 => write_digests::<6>,
        7 => write_digests::<7>,
        8 => write_digests::<8>,
        width => unreachable!("a plan has no width {width}"),
    };
    let shares = memory.shares(plan.parts).into_iter();
    let outputs = shares.map(|free| plan.output(0, free)).collect();
    let outputs = for_each(control, outputs, |part, output| {
        let end = digests.min((part + 1) * share);
        for first in (part * share..end).step_by(POLL) {
            if (control.cancelled)() {
                return false;
            }
            write(isa, leaves, plan, first, end.min(first + POLL), output);
        }
        true
    })?;
    memory.put(outputs);
    Ok(())
}

/// Writes the leaves of digests `first` to `end`.
fn write_digests<const W: usize>(
    isa: Isa,
    leaves: &Leaves<'_>,
    plan: &Plan,
    first: usize,
    end: usize,
    output: &mut Output<'_>,
) {
    let mut digests: Digests = [[0; DIGESTS]; 8];
    let mut bytes = [0; PADDING + 64];
    for first in (first..end).step_by(DIGESTS) {
        compute(isa, leaves, first as u32, &mut digests);
        for i in 0..DIGESTS.min(end - first) {
            let (words, _) = bytes[PADDING..].as_chunks_mut();
            for (to, word) in words.iter_mut().zip(&digests) {
                *to = word[i].to_le_bytes();
            }
            cut_digest::<W>(plan, first + i, &bytes, output);
        }
    }
}

fn compute(isa: Isa, leaves: &Leaves<'_>, first: u32, digests: &mut Digests) {
    match isa.0 {
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => avx2::digests(leaves, first, digests),
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 | Level::Avx512Ifma => avx512::digests(leaves, first, digests),
        _ => portable::digests(leaves, first, digests),
    }
}

/// Writes the leaves of one digest, W - 1 words of string each.
#[inline(always)]
fn cut_digest<const W: usize>(plan: &Plan, number: usize, bytes: &Bytes, output: &mut Output<'_>) {
    let per_digest = 512 / plan.n;
    let leaf_bytes = plan.n / 8;
    for slot in 0..per_digest {
        let index = number * per_digest + slot;
        if index >= plan.leaves() {
            return;
        }
        let start = PADDING + slot * leaf_bytes;
        let end = start + leaf_bytes;
        let word = |at: usize| u32::from_be_bytes(*bytes[at..].first_chunk().expect("four bytes"));
        let mut element: [u32; W] =
            std::array::from_fn(|i| if i + 1 < W { word(end - 4 * (W - 1 - i)) } else { 0 });
        element[W - 1] = index as u32;
        let bucket = word(start) >> (32 - plan.bucket_bits);
        output.write(bucket as usize, element);
    }
}
