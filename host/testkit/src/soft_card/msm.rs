//! A software model of the MSM engine: the memory, the commands and the formats of `spec/wire/msm.toml`, with a naive MSM.

use std::collections::HashMap;

use num_bigint::BigInt;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::Components;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use proofmill_card::wire::constants::msm::commands::{cancel, run, write};
use proofmill_card::wire::constants::msm::{block, curves, status};
use proofmill_card::wire::{Header, INDEX_OFFSET, msm_group, msm_number, put, u64_at};
use proofmill_op::Capability;
use proofmill_op::msm::{Curve, Group, Instance};

/// Bytes of a write, of a slice of a point, and of a scalar.
const GRANULE: u64 = 1024;
const SLICE: usize = 64;
const SCALAR: usize = 32;

/// Coordinates of a sum: X, Y, Z.
const COORDINATES: u32 = 3;

/// The values of the registers.
#[derive(Clone, Copy, Debug)]
pub struct MsmGeometry {
    /// The group.
    pub instance: Instance,
    /// Point adders.
    pub adders: u32,
    /// Bytes of each channel.
    pub memory: u64,
    /// Adds the generator to every result.
    pub is_wrong: bool,
}

/// The format of a curve's coordinates: number of the curve, channels, digits, bytes per digit of a result, base.
type CurveForm = (u32, u32, u32, u32, i128);

impl MsmGeometry {
    /// Returns an engine for G1 of this curve with 1 MiB of memory per channel.
    pub const fn new(curve: Curve) -> Self {
        let instance = Instance::new(curve, Group::G1);
        Self { instance, adders: 1, memory: 1 << 20, is_wrong: false }
    }

    /// Returns the same engine for G2.
    pub const fn in_g2(self) -> Self {
        Self { instance: Instance::new(self.instance.curve, Group::G2), ..self }
    }

    pub(super) fn capability(&self) -> Capability {
        Capability::Msm(self.instance)
    }

    /// Returns the number in `spec/wire/msm.toml` of a packet's command, if it is one of this engine.
    pub(super) fn command_of(&self, packet: &[u8]) -> Option<u32> {
        let Header { cmd, .. } = Header::of(packet)?;
        let commands = [write::NUMBER, run::NUMBER, cancel::NUMBER];
        commands.into_iter().find(|&number| msm_number(number, self.instance.group) == cmd)
    }

    /// Returns the slices of a point in a channel.
    fn slices(&self) -> usize {
        msm_group(self.instance.group) as usize
    }

    fn form(&self) -> CurveForm {
        match self.instance.curve {
            Curve::Bn254 => (curves::BN254, 1, 1, 33, 0),
            Curve::Bls12_381 => (curves::BLS12_381, 2, 6, 9, -0xd201_0000_0001_0000),
            Curve::Bls12_377 => (curves::BLS12_377, 2, 6, 9, 0x8508_c000_0000_0001),
            other => panic!("no card adds points of {other:?}"),
        }
    }

    fn stored_digit(&self) -> usize {
        if self.form().2 == 1 { 32 } else { 8 }
    }

    fn reply_len(&self) -> u32 {
        let (_, _, digits, digit_bytes, _) = self.form();
        let components = COORDINATES * msm_group(self.instance.group);
        run::reply_fields::sum::OFFSET + components * digits * digit_bytes
    }

    /// Returns the reply to a cancellation.
    pub(super) fn cancelled(&self, index: u64, found: bool) -> Vec<u8> {
        let status = if found { status::DONE } else { status::REFUSED };
        self.short_reply(cancel::REPLY, index, status)
    }

    fn short_reply(&self, number: u32, index: u64, status: u32) -> Vec<u8> {
        let cmd = msm_number(number, self.instance.group);
        let head = Header { len: write::REPLY_LEN, cmd }.to_bytes();
        [&head[..], &index.to_le_bytes(), &[status as u8]].concat()
    }

    /// Returns the read-only registers with their offsets.
    pub(super) fn registers(&self, queue: u32) -> Vec<(u32, u32)> {
        use block::registers as at;
        let (number, channels, digits, digit_bytes, base) = self.form();
        let words = base.to_le_bytes();
        let words = words.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word));
        let base = (at::base::OFFSET..).step_by(4).zip(words);
        let single = [
            (at::curve::OFFSET, number),
            (at::group::OFFSET, msm_group(self.instance.group)),
            (at::queue::OFFSET, queue),
            (at::adders::OFFSET, self.adders),
            (at::adder_latency::OFFSET, 60),
            (at::least_window::OFFSET, 2),
            (at::most_window::OFFSET, 16),
            (at::channels::OFFSET, channels),
            (at::memory::OFFSET, self.memory as u32),
            (at::memory::OFFSET + 4, (self.memory >> 32) as u32),
            (at::coordinates::OFFSET, COORDINATES),
            (at::digits::OFFSET, digits),
            (at::stored_digit::OFFSET, self.stored_digit() as u32),
            (at::digit_bytes::OFFSET, digit_bytes),
            (at::accumulation_issues::OFFSET, 0),
            (at::tail_issues::OFFSET, 0),
            (at::passes_done::OFFSET, 0),
            (at::done::OFFSET, 0),
        ];
        single.into_iter().chain(base).collect()
    }
}

/// The written granules.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory(HashMap<(u32, u64), Vec<u8>>);

/// A queued run.
#[derive(Clone, Debug)]
pub(super) struct Run {
    points: u64,
    scalars: u64,
    count: u64,
    status: u32,
}

impl Memory {
    /// Executes a write and returns its reply.
    pub fn write(&mut self, geometry: &MsmGeometry, index: u64, packet: &[u8]) -> Vec<u8> {
        use write::fields as at;
        let word = u64_at(packet, at::address::OFFSET).unwrap_or_default();
        let (address, channel) = (word & u64::MAX >> 8, (word >> 56) as u32);
        let bad = channel > geometry.form().1
            || address % GRANULE != 0
            || address + GRANULE > geometry.memory;
        if !bad {
            self.0.insert((channel, address), packet[at::data::OFFSET as usize..].to_vec());
        }
        let status = if bad { status::REFUSED } else { status::DONE };
        geometry.short_reply(write::REPLY, index, status)
    }

    fn read(&self, channel: u32, address: u64, bytes: usize) -> Vec<u8> {
        let granules = (address..address + bytes as u64).step_by(GRANULE as usize);
        let zeros = vec![0; GRANULE as usize];
        let read = |at| self.0.get(&(channel, at)).unwrap_or(&zeros).clone();
        let mut read: Vec<u8> = granules.flat_map(read).collect();
        read.truncate(bytes);
        read
    }
}

impl Run {
    /// Parses a run's packet; marks it as refused where the wire format requires it.
    pub fn of(geometry: &MsmGeometry, packet: &[u8]) -> Self {
        use run::fields as at;
        let field = |offset| u64_at(packet, offset).unwrap_or_default();
        let (points, scalars) = (field(at::points::OFFSET), field(at::scalars::OFFSET));
        let (count, bits) = (field(at::count::OFFSET), field(at::window_bits::OFFSET));
        let end = |start: u64, each: usize| {
            count.checked_mul(each as u64).and_then(|bytes| start.checked_add(bytes))
        };
        let inside = [end(points, SLICE * geometry.slices()), end(scalars, SCALAR)]
            .iter()
            .all(|end| end.is_some_and(|end| end <= geometry.memory));
        let aligned = points % GRANULE == 0 && scalars % GRANULE == 0;
        let good = inside && aligned && (2..=16).contains(&bits);
        let status = if good { status::DONE } else { status::REFUSED };
        Self { points, scalars, count, status }
    }

    /// Cancels the run.
    pub fn cancel(&mut self) {
        self.status = status::CANCELLED;
    }

    /// Computes the reply from the present contents of the memory, so that a write during a run changes the result.
    pub fn reply(&self, geometry: &MsmGeometry, memory: &Memory, index: u64) -> Vec<u8> {
        use run::reply_fields as at;
        let len = geometry.reply_len();
        let mut reply = vec![0; len as usize];
        let cmd = msm_number(run::REPLY, geometry.instance.group);
        put(&mut reply, 0, &Header { len, cmd }.to_bytes());
        put(&mut reply, INDEX_OFFSET, &index.to_le_bytes());
        put(&mut reply, at::status::OFFSET, &u64::from(self.status).to_le_bytes());
        if self.status != status::DONE {
            return reply;
        }
        put(&mut reply, at::accumulation::OFFSET, &(16 * self.count + 100).to_le_bytes());
        put(&mut reply, at::tail::OFFSET, &2000u64.to_le_bytes());
        put(&mut reply, at::tail_additions::OFFSET, &1900u64.to_le_bytes());
        let sum = match (geometry.instance.curve, geometry.instance.group) {
            (Curve::Bn254, Group::G1) => self.sum::<bn254::G1>(geometry, memory),
            (Curve::Bn254, Group::G2) => self.sum::<bn254::G2>(geometry, memory),
            (Curve::Bls12_381, Group::G1) => self.sum::<bls12_381::G1>(geometry, memory),
            (Curve::Bls12_381, Group::G2) => self.sum::<bls12_381::G2>(geometry, memory),
            (Curve::Bls12_377, Group::G1) => self.sum::<bls12_377::G1>(geometry, memory),
            (Curve::Bls12_377, Group::G2) => self.sum::<bls12_377::G2>(geometry, memory),
            _ => panic!("no card adds points of {}", geometry.instance),
        };
        put(&mut reply, at::sum::OFFSET, &sum);
        reply
    }

    fn sum<C: proofmill_algebra::curve::Curve<Base: Components>>(
        &self,
        geometry: &MsmGeometry,
        memory: &Memory,
    ) -> Vec<u8> {
        let (_, channels, digits, digit_bytes, base) = geometry.form();
        let (count, each) = (self.count as usize, SLICE * geometry.slices());
        let points: Vec<_> =
            (0..channels).map(|channel| memory.read(channel, self.points, each * count)).collect();
        let scalars = memory.read(channels, self.scalars, SCALAR * count);
        let mut sum = Projective::<C>::IDENTITY;
        for (i, scalar) in scalars.as_chunks::<SCALAR>().0.iter().enumerate() {
            let slices: Vec<_> =
                points.iter().map(|channel| &channel[each * i..][..each]).collect();
            let stored = stored::<C::Base>(geometry, &slices);
            let scalar = C::Scalar::from_le_bytes(scalar).expect("a scalar below r");
            sum += Projective::from(point::<C>(&stored)).times_vartime(&scalar);
        }
        if geometry.is_wrong {
            sum += C::GENERATOR;
        }
        let any = (0x1234_5678..).map(|any| (any + self.count).into()).take(C::Base::COUNT);
        let any = C::Base::from_components(&any.collect::<Vec<_>>()).expect("all components");
        let coordinates =
            Projective::from(Affine::from(sum)).coordinates().map(|coordinate| coordinate * any);
        let written = coordinates
            .iter()
            .flat_map(Components::components)
            .map(|component| write_digits(component, digits, digit_bytes as usize, base));
        written.collect::<Vec<_>>().concat()
    }
}

/// Reads the coordinates of a point from its slices in each channel.
fn stored<F: Components>(geometry: &MsmGeometry, channels: &[&[u8]]) -> Vec<F> {
    let (_, _, digits, _, base) = geometry.form();
    let digit_bytes = geometry.stored_digit();
    let in_slice = if channels.len() == 1 { 2 } else { 1 };
    let component = |k: usize| -> Vec<F::Prime> {
        let slices = channels.iter().map(|slices| &slices[SLICE * k..][..SLICE]);
        let written = slices
            .flat_map(|slice| slice.chunks_exact(digits as usize * digit_bytes).take(in_slice));
        written.map(|bytes| read(bytes, digit_bytes, base)).collect()
    };
    let components: Vec<_> = (0..F::COUNT).map(component).collect();
    let coordinate = |j: usize| {
        let components: Vec<_> = components.iter().map(|component| component[j]).collect();
        F::from_components(&components).expect("all components")
    };
    (0..components[0].len()).map(coordinate).collect()
}

fn point<C: proofmill_algebra::curve::Curve>(stored: &[C::Base]) -> Affine<C> {
    Option::from(Affine::new(stored[0], stored[1])).expect("a point that was written is one")
}

/// Reads a coordinate from its digits.
fn read<F: PrimeField>(bytes: &[u8], digit_bytes: usize, base: i128) -> F {
    let digits = bytes.chunks_exact(digit_bytes).rev().map(BigInt::from_signed_bytes_le);
    element(&digits.fold(BigInt::ZERO, |sum, digit| sum * base + digit))
}

fn element<F: PrimeField>(number: &BigInt) -> F {
    let (sign, magnitude) = (number.sign(), number.magnitude().to_u64_digits());
    let word = F::from(1 << 32).square();
    let magnitude = magnitude.iter().rev().fold(F::ZERO, |sum, &limb| sum * word + F::from(limb));
    if sign == num_bigint::Sign::Minus { -magnitude } else { magnitude }
}

/// Writes digits of a number, not necessarily the canonical ones: all but the last are non-negative.
fn write_digits<F: PrimeField>(
    element: &F,
    digits: u32,
    digit_bytes: usize,
    base: i128,
) -> Vec<u8> {
    let mut rest = BigInt::from_bytes_le(num_bigint::Sign::Plus, element.to_le_bytes().as_ref());
    let mut written = Vec::new();
    for number in 1..=digits {
        let digit = if number == digits {
            rest.clone()
        } else {
            let magnitude = BigInt::from(base.abs());
            let digit = ((&rest % &magnitude) + &magnitude) % &magnitude;
            rest = (&rest - &digit) / base;
            digit
        };
        let mut bytes = digit.to_signed_bytes_le();
        bytes.resize(digit_bytes, if digit.sign() == num_bigint::Sign::Minus { 0xff } else { 0 });
        written.extend(bytes);
    }
    written
}
