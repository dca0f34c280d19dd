//! The geometry of an engine according to its registers, and what follows from it: the places of points and the best windows
//! of scalars.

use std::ops::RangeInclusive;

use proofmill_op::msm::{Curve, Group, Instance};

use super::curve::OnCard;
use super::form::Form;

/// An engine.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// The group.
    pub instance: Instance,
    /// Point adders.
    pub adders: usize,
    /// Cycles from two points to their sum.
    pub adder_latency: u64,
    /// Bits that a window may have; an adder has 2^(most - 1) buckets.
    pub windows: RangeInclusive<u32>,
    /// Memory channels of points.
    pub channels: usize,
    /// Bytes of each channel.
    pub memory: u64,
    /// Coordinates of a sum.
    pub coordinates: usize,
    /// The form of coordinates.
    pub form: Form,
    /// The order of the group, lowest limb first.
    pub order: &'static [u64],
}

/// The windows of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cutting {
    /// Bits of a window.
    pub bits: u32,
    /// Windows.
    pub windows: usize,
    /// Passes over the points.
    pub passes: usize,
    /// Windows of an adder in a pass.
    pub each: usize,
}

impl Geometry {
    /// Bytes of a write, and what addresses are multiples of.
    pub const GRANULE: usize = 1024;
    /// Bytes of a point in a channel.
    pub const SLICE: usize = 64;

    /// Far more than any card has: up to these numbers, no count of cycles overflows.
    const MAX_ADDERS: usize = 1 << 10;
    const MAX_LATENCY: u64 = 1 << 20;

    /// Returns the number of writes for `count` items of `bytes` bytes.
    pub fn granules(count: usize, bytes: usize) -> usize {
        (count * bytes).div_ceil(Self::GRANULE)
    }

    /// The curve that has this number on the wire.
    pub fn instance(number: u32) -> Option<Instance> {
        use crate::wire::constants::msm::curves;
        let curve = match number {
            curves::BN254 => Curve::Bn254,
            curves::BLS12_381 => Curve::Bls12_381,
            #[cfg(feature = "bls12_377")]
            curves::BLS12_377 => Curve::Bls12_377,
            _ => return None,
        };
        Some(Instance::new(curve, Group::G1))
    }

    /// Returns the problem with its registers, if it is not an engine for this curve.
    pub fn problem<C: OnCard>(&self) -> Option<String> {
        let Self { channels, coordinates, form, windows, .. } = self;
        let slice = form.stored_bytes().saturating_mul(if *channels == 1 { C::STORED } else { 1 });
        Some(if *channels != 1 && *channels != C::STORED || slice > Self::SLICE {
            format!("points of {} coordinates in {channels} slices of {slice} bytes", C::STORED)
        } else if !form.holds::<C::Base>() {
            format!("{form:?}, in which the coordinates of {} cannot be written", self.instance)
        } else if *coordinates != C::SUM {
            format!("sums of {coordinates} coordinates, where {} are needed", C::SUM)
        } else if self.adders == 0 || *windows.start() < 2 || windows.is_empty() {
            format!("{} adders with windows of {windows:?} bits", self.adders)
        } else if self.adders > Self::MAX_ADDERS || self.adder_latency > Self::MAX_LATENCY {
            format!("{} adders of {} cycles", self.adders, self.adder_latency)
        } else if *windows.end() > 32 || self.memory < 2 * Self::GRANULE as u64 {
            format!("windows of {windows:?} bits and a memory of {} bytes", self.memory)
        } else {
            return None;
        })
    }

    /// Returns whether a slice is one coordinate, which the memory port accepts packed.
    pub fn packs(&self) -> bool {
        self.channels > 1
            && self.form.stored_bytes() == crate::transport::memory_port::PACKED as usize
    }

    /// Returns the channel of a point's j-th coordinate and its offset in the slice there.
    pub fn place(&self, j: usize) -> (usize, usize) {
        if self.channels == 1 { (0, j * self.form.stored_bytes()) } else { (j, 0) }
    }

    /// Returns the largest number of points that the memory holds; half of the scalars' channel holds as many scalars.
    pub fn max_points(&self) -> u64 {
        self.memory / (2 * Self::GRANULE as u64) * (2 * Self::GRANULE as u64) / Self::SLICE as u64
    }

    /// Returns the windows with the fewest cycles for `points` points.
    pub fn cutting(&self, points: usize) -> Cutting {
        let all = self.windows.clone().map(|bits| self.cut(bits));
        all.min_by_key(|cutting| self.cycles(cutting, points)).expect("there are windows")
    }

    /// Windows of this many bits (`spec/wire/msm.toml`; docs/rtl/msm.md): digits are in [-2^(c-1), 2^(c-1) - 1].
    pub fn cut(&self, bits: u32) -> Cutting {
        let windows = (1..).find(|&windows| reach(self.order, bits, windows)).expect("some do");
        let least = |number: usize, of: usize| number.div_ceil(of);
        let each = 1 << (self.windows.end() - bits);
        let passes = least(windows, self.adders * each);
        Cutting { bits, windows, passes, each: least(windows, self.adders * passes) }
    }

    /// Returns the cycles of an MSM whose memory is fast enough: points pass for every window of an adder; pairs of buckets are
    /// added level by level, then one window after the other, each addition after the other.
    pub fn cycles(&self, cutting: &Cutting, points: usize) -> u64 {
        let &Cutting { bits, passes, each, .. } = cutting;
        let (latency, each, levels) = (self.adder_latency, each as u64, bits - 1);
        let up = (0..levels).map(|level| each << (levels - 1 - level));
        let down = (1..levels).map(|level| each * ((1 << level) - 1));
        let buckets: u64 = up.chain(down).map(|additions| additions.max(latency)).sum();
        let windows = 2 * u64::from(bits) * each * latency;
        let others = u64::from(bits) * (self.adders as u64 - 1) * each * latency;
        let pass = points as u64 * each + 2 * latency + buckets + windows + others;
        passes as u64 * pass + (self.adders as u64 - 1) * latency
    }
}

/// Returns whether there are digits for every scalar: r - 1 + K < 2^(c W), K = the sum of 2^(c w + c - 1) over all windows w.
fn reach(order: &[u64], bits: u32, windows: usize) -> bool {
    let top = bits as usize * windows;
    let limbs = (top / 64 + 1).max(order.len() + 1);
    let mut half = vec![0u64; limbs];
    for window in 1..=windows {
        let bit = bits as usize * window - 1;
        half[bit / 64] |= 1 << (bit % 64);
    }
    let mut carry = 0;
    for (i, limb) in half.iter_mut().enumerate() {
        let r = order.get(i).map_or(0, |limb| if i == 0 { limb - 1 } else { *limb });
        let sum = u128::from(*limb) + u128::from(r) + carry;
        *limb = sum as u64;
        carry = sum >> 64;
    }
    half.iter().enumerate().all(|(i, limb)| match top.checked_sub(64 * i) {
        Some(bits @ 0..64) => limb >> bits == 0,
        Some(_) => true,
        None => *limb == 0,
    })
}
