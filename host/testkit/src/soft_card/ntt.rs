//! NTT of a card in software: two channels, transformed by the processor. Commands take effect when they come.

use std::collections::HashMap;

use proofmill_algebra::field::{Goldilocks, PrimeField};
use proofmill_algebra::ntt::{Transform, direct};
use proofmill_card::wire::constants::ntt::block::registers as at;
use proofmill_card::wire::constants::ntt::commands::{read, run, write};
use proofmill_card::wire::constants::ntt::{directions, fields, status};
use proofmill_card::wire::{Header, INDEX_OFFSET, bytes_at, put, u32_at, u64_at};

const CHANNELS: usize = 2;
const MEMORY: u64 = 1 << 20;
const LOGS: std::ops::RangeInclusive<u32> = 6..=20;
const PASS_LOG: u32 = 9;
const GRANULE: u64 = 1024;
const BEAT: usize = 64;

/// What stands in its registers, by their offsets.
pub(super) fn registers(queue: u32) -> Vec<(u32, u32)> {
    vec![
        (at::field::OFFSET, fields::goldilocks::NUMBER),
        (at::queue::OFFSET, queue),
        (at::lanes::OFFSET, CHANNELS as u32 * 8),
        (at::channels::OFFSET, CHANNELS as u32),
        (at::memory::OFFSET, MEMORY as u32),
        (at::memory::OFFSET + 4, 0),
        (at::least_log::OFFSET, *LOGS.start()),
        (at::most_log::OFFSET, *LOGS.end()),
        (at::pass_log::OFFSET, PASS_LOG),
    ]
}

/// The channels' granules that were written; the others are 0.
#[derive(Default)]
pub(super) struct Memory(HashMap<(u64, u64), [u8; GRANULE as usize]>);

impl Memory {
    /// Does what a command says; its reply.
    pub fn reply(&mut self, index: u64, packet: &[u8]) -> Vec<u8> {
        let (cmd, len) = match Header::of(packet).map(|header| header.cmd) {
            Some(write::NUMBER) => (write::REPLY, write::REPLY_LEN),
            Some(run::NUMBER) => (run::REPLY, run::REPLY_LEN),
            _ => (read::REPLY, read::REPLY_LEN),
        };
        let mut reply = vec![0; len as usize];
        put(&mut reply, 0, &Header { len, cmd }.to_bytes());
        put(&mut reply, INDEX_OFFSET, &index.to_le_bytes());
        match cmd {
            write::REPLY => {
                let data = bytes_at(packet, write::fields::data::OFFSET).expect("a whole command");
                let done = place(packet).map(|place| self.0.insert(place, data));
                let status = if done.is_some() { status::DONE } else { status::REFUSED };
                put(&mut reply, write::reply_fields::status::OFFSET, &[status as u8]);
            }
            run::REPLY => {
                use run::reply_fields as at;
                let (status, element) = self.run(packet);
                put(&mut reply, at::status::OFFSET, &u64::from(status).to_le_bytes());
                put(&mut reply, at::element::OFFSET, &element.to_le_bytes());
            }
            _ => {
                use read::reply_fields as at;
                let found = place(packet).map(|place| self.0.get(&place).copied());
                let status = if found.is_some() { status::DONE } else { status::REFUSED };
                put(&mut reply, at::status::OFFSET, &u64::from(status).to_le_bytes());
                let data = found.flatten().unwrap_or([0; GRANULE as usize]);
                put(&mut reply, at::data::OFFSET, &data);
            }
        }
        reply
    }

    /// Status and element of a run.
    fn run(&mut self, packet: &[u8]) -> (u32, u64) {
        use run::fields as at;
        let word = |offset| u64_at(packet, offset).expect("a whole command");
        let half = |offset| u32_at(packet, offset).expect("a whole command");
        let (start, scratch) = (word(at::elements::OFFSET), word(at::scratch::OFFSET));
        let (log, direction) = (half(at::log_size::OFFSET), half(at::direction::OFFSET));
        let count = word(at::count::OFFSET);
        let factor = |offset: u32| -> Option<Goldilocks> {
            let bytes: [u8; 32] = bytes_at(packet, offset)?;
            let (low, high) = bytes.split_at(8);
            high.iter().all(|&byte| byte == 0).then(|| Goldilocks::from_le_bytes(low).ok())?
        };
        let (shift, scale) = (factor(at::shift::OFFSET), factor(at::scale::OFFSET));
        let (Some(shift), Some(scale)) = (shift, scale) else { return (status::REFUSED, 0) };
        let beyond = |at: u64, bytes: u64| {
            !at.is_multiple_of(GRANULE) || bytes > MEMORY || at > MEMORY - bytes
        };
        if !LOGS.contains(&log) || direction > directions::INVERSE || count == 0 {
            return (status::REFUSED, 0);
        }
        let bytes = (8u64 << log) / CHANNELS as u64;
        if beyond(start, bytes.saturating_mul(count))
            || beyond(scratch, if log > PASS_LOG { bytes } else { 0 })
        {
            return (status::REFUSED, 0);
        }
        let mut elements: Vec<u8> =
            (0..count << log).flat_map(|i| self.element(start, i).to_le_bytes()).collect();
        let wrong = elements.chunks(8).position(|bytes| Goldilocks::from_le_bytes(bytes).is_err());
        if let Some(element) = wrong {
            return (status::NOT_CANONICAL, element as u64);
        }
        let transform = Transform::<Goldilocks>::forward(log).expect("a size of the card");
        for one in elements.chunks_mut(8 << log) {
            transformed(one, &transform, direction == directions::INVERSE, shift, scale);
        }
        for (i, bytes) in (0..).zip(elements.chunks(8)) {
            let (channel, address) = at_of(start, i);
            let granule =
                self.0.entry((channel, address / GRANULE)).or_insert([0; GRANULE as usize]);
            granule[(address % GRANULE) as usize..][..8].copy_from_slice(bytes);
        }
        (status::DONE, 0)
    }

    fn element(&self, start: u64, i: u64) -> u64 {
        let (channel, address) = at_of(start, i);
        let granule = self.0.get(&(channel, address / GRANULE));
        granule.and_then(|bytes| u64_at(bytes, (address % GRANULE) as u32)).unwrap_or(0)
    }
}

/// Channel and address of an element.
fn at_of(start: u64, i: u64) -> (u64, u64) {
    let beat = i * 8 / BEAT as u64;
    let (row, channel) = (beat / CHANNELS as u64, beat % CHANNELS as u64);
    (channel, start + row * BEAT as u64 + i * 8 % BEAT as u64)
}

/// Channel and granule of a command; none if it is refused.
fn place(packet: &[u8]) -> Option<(u64, u64)> {
    let field = u64_at(packet, write::fields::address::OFFSET)?;
    let (channel, address) = (field >> 56, field & ((1 << 56) - 1));
    let good = channel < CHANNELS as u64 && address < MEMORY && address.is_multiple_of(GRANULE);
    good.then_some((channel, address / GRANULE))
}

/// By the definition that the processor has, factors apart.
fn transformed(
    elements: &mut [u8],
    transform: &Transform<Goldilocks>,
    inverse: bool,
    shift: Goldilocks,
    scale: Goldilocks,
) {
    let scaled = |bytes: &[u8]| -> Vec<u8> {
        let mut factor = scale;
        let products = bytes.chunks(8).flat_map(|bytes| {
            let product = Goldilocks::from_le_bytes(bytes).expect("canonical") * factor;
            factor *= shift;
            product.to_le_bytes()
        });
        products.collect()
    };
    let mut result = vec![0; elements.len()];
    if inverse {
        // The processor's inverse has the factor 1 / n, which is to come with `scale`.
        direct(&transform.inverse(), elements, &mut result).expect("canonical");
        let n = Goldilocks::from(transform.size() as u64);
        let whole: Vec<u8> = result
            .chunks(8)
            .flat_map(|bytes| {
                (Goldilocks::from_le_bytes(bytes).expect("canonical") * n).to_le_bytes()
            })
            .collect();
        elements.copy_from_slice(&scaled(&whole));
    } else {
        direct(transform, &scaled(elements), &mut result).expect("canonical");
        elements.copy_from_slice(&result);
    }
}
