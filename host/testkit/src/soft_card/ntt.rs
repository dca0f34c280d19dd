//! A software model of the NTT engine: two channels, transformed by the CPU. Commands are executed on arrival.

use std::collections::HashMap;

use proofmill_algebra::Isa;
use proofmill_algebra::ntt::{Form, Transform, a_b_less_c, direct};
use proofmill_card::wire::constants::ntt::block::registers as at;
use proofmill_card::wire::constants::ntt::commands::{read, run, write};
use proofmill_card::wire::constants::ntt::{directions, fields, status};
use proofmill_card::wire::{Header, INDEX_OFFSET, bytes_at, put, u32_at, u64_at};
use proofmill_op::in_field;
use proofmill_op::ntt::Field;

const CHANNELS: usize = 2;
const MEMORY: u64 = 1 << 20;
const PASS_LOG: u32 = 9;
const GRANULE: u64 = 1024;
const BEAT: usize = 64;

/// Returns its registers with their offsets.
pub(super) fn registers(field: Field, queue: u32) -> Vec<(u32, u32)> {
    let number = match field {
        Field::Bn254Fr => fields::bn254_fr::NUMBER,
        Field::Bls12_381Fr => fields::bls12_381_fr::NUMBER,
        _ => fields::goldilocks::NUMBER,
    };
    let logs = logs(field);
    vec![
        (at::field::OFFSET, number),
        (at::queue::OFFSET, queue),
        (at::lanes::OFFSET, (CHANNELS * BEAT / field.bytes()) as u32),
        (at::channels::OFFSET, CHANNELS as u32),
        (at::memory::OFFSET, MEMORY as u32),
        (at::memory::OFFSET + 4, 0),
        (at::least_log::OFFSET, *logs.start()),
        (at::most_log::OFFSET, *logs.end()),
        (at::pass_log::OFFSET, PASS_LOG),
        (at::scalars::OFFSET, 0),
        (at::scalars::OFFSET + 4, 0),
    ]
}

/// Returns the supported sizes.
fn logs(field: Field) -> std::ops::RangeInclusive<u32> {
    if field == Field::Goldilocks { 6..=20 } else { 1..=20 }
}

/// The written granules of the channels; the others are 0.
#[derive(Default)]
pub(super) struct Memory(HashMap<(u64, u64), [u8; GRANULE as usize]>);

impl Memory {
    /// Executes a command and returns its reply.
    pub fn reply(&mut self, field: Field, index: u64, packet: &[u8]) -> Vec<u8> {
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
                let ran = in_field!(field, run_in(self, field, packet));
                let (status, element) = ran.expect("a field of this build");
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

    /// Loads the bytes of elements from `start` on.
    fn load(&self, start: u64, bytes: usize) -> Vec<u8> {
        let beats = (0..bytes.div_ceil(BEAT)).flat_map(|beat| {
            let (channel, address) = at_of(start, beat);
            let granule = self.0.get(&(channel, address / GRANULE));
            granule.and_then(|it| bytes_at(it, (address % GRANULE) as u32)).unwrap_or([0; BEAT])
        });
        beats.take(bytes).collect()
    }

    fn store(&mut self, start: u64, elements: &[u8]) {
        for (beat, bytes) in elements.chunks(BEAT).enumerate() {
            let (channel, address) = at_of(start, beat);
            let granule =
                self.0.entry((channel, address / GRANULE)).or_insert([0; GRANULE as usize]);
            granule[(address % GRANULE) as usize..][..bytes.len()].copy_from_slice(bytes);
        }
    }
}

/// Executes a run. Returns the status and the element.
fn run_in<F: Form<D>, const D: usize>(
    memory: &mut Memory,
    field: Field,
    packet: &[u8],
) -> proofmill_op::Result<(u32, u64)> {
    use run::fields as at;
    const REFUSED: proofmill_op::Result<(u32, u64)> = Ok((status::REFUSED, 0));
    let word = |offset| u64_at(packet, offset).expect("a whole command");
    let half = |offset| u32_at(packet, offset).expect("a whole command");
    let (start, scratch) = (word(at::elements::OFFSET), word(at::scratch::OFFSET));
    let (log, direction) = (half(at::log_size::OFFSET), half(at::direction::OFFSET));
    let count = word(at::count::OFFSET);
    let factor = |offset: u32| -> Option<F> {
        let bytes: [u8; 32] = bytes_at(packet, offset)?;
        let (low, high) = bytes.split_at(F::BYTES);
        high.iter().all(|&byte| byte == 0).then(|| F::from_le_bytes(low).ok())?
    };
    let (shift, scale) = (factor(at::shift::OFFSET), factor(at::scale::OFFSET));
    let (Some(shift), Some(scale)) = (shift, scale) else { return REFUSED };
    let beyond =
        |at: u64, bytes: u64| !at.is_multiple_of(GRANULE) || bytes > MEMORY || at > MEMORY - bytes;
    if !logs(field).contains(&log) || direction > directions::A_B_LESS_C || count == 0 {
        return REFUSED;
    }
    let combines = direction == directions::A_B_LESS_C;
    if combines && (count != 3 || (F::BYTES << log) < CHANNELS * BEAT) {
        return REFUSED;
    }
    let bytes = ((F::BYTES as u64) << log) / CHANNELS as u64;
    if beyond(start, bytes.saturating_mul(count))
        || beyond(scratch, if log > PASS_LOG && !combines { bytes } else { 0 })
    {
        return REFUSED;
    }
    let mut elements = memory.load(start, (count << log) as usize * F::BYTES);
    let wrong = elements.chunks(F::BYTES).position(|bytes| F::from_le_bytes(bytes).is_err());
    if let Some(element) = wrong {
        return Ok((status::NOT_CANONICAL, element as u64));
    }
    if combines {
        let (a, others) = elements.split_at_mut(F::BYTES << log);
        let (b, c) = others.split_at(F::BYTES << log);
        a_b_less_c::<F, D>(Isa::best(), a, b, c).expect("canonical");
        memory.store(start, a);
        return Ok((status::DONE, 0));
    }
    let transform = Transform::<F>::forward(log).expect("a size of the card");
    for one in elements.chunks_mut(F::BYTES << log) {
        transformed(one, &transform, direction == directions::INVERSE, shift, scale);
    }
    memory.store(start, &elements);
    Ok((status::DONE, 0))
}

/// Returns channel and address of a beat.
fn at_of(start: u64, beat: usize) -> (u64, u64) {
    (beat as u64 % CHANNELS as u64, start + (beat / CHANNELS * BEAT) as u64)
}

/// Returns channel and granule of a command, or `None` if it is refused.
fn place(packet: &[u8]) -> Option<(u64, u64)> {
    let field = u64_at(packet, write::fields::address::OFFSET)?;
    let (channel, address) = (field >> 56, field & ((1 << 56) - 1));
    let good = channel < CHANNELS as u64 && address < MEMORY && address.is_multiple_of(GRANULE);
    good.then_some((channel, address / GRANULE))
}

/// Multiplies each element by the next factor.
fn scaled<F: Form<D>, const D: usize>(elements: &[u8], shift: F, scale: F) -> Vec<u8> {
    let mut factor = scale;
    let products = elements.chunks(F::BYTES).flat_map(|bytes| {
        let product = F::from_le_bytes(bytes).expect("canonical") * factor;
        factor *= shift;
        product.to_le_bytes().as_ref().to_vec()
    });
    products.collect()
}

/// Transforms by the definition on the CPU, without the factors.
fn transformed<F: Form<D>, const D: usize>(
    elements: &mut [u8],
    transform: &Transform<F>,
    inverse: bool,
    shift: F,
    scale: F,
) {
    let mut result = vec![0; elements.len()];
    if inverse {
        // The CPU's inverse contains the factor 1 / n, which `scale` also contains.
        direct(&transform.inverse(), elements, &mut result).expect("canonical");
        let n = F::from(transform.size() as u64);
        elements.copy_from_slice(&scaled(&result, shift, scale * n));
    } else {
        direct(transform, &scaled(elements, shift, scale), &mut result).expect("canonical");
        elements.copy_from_slice(&result);
    }
}
