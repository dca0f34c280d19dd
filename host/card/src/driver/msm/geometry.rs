//! The geometry of an engine according to its registers, and what follows from it: the places of points and the best windows
//! of scalars.

use std::ops::RangeInclusive;

use proofmill_algebra::encoding::Components;
use proofmill_op::msm::{Curve, Group, Instance};

use super::curve::OnCard;
use super::form::Form;
use crate::wire;

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
    /// Slices of a point in each of these channels: one for each component of a coordinate.
    pub slices: usize,
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
    /// Bytes of a slice: a beat of the memory.
    pub const SLICE: usize = 64;
    /// Coordinates of a stored point: x and y.
    const STORED: usize = 2;
    /// Coordinates of a sum: X, Y, Z.
    const SUM: usize = 3;

    /// Far more than any card has: up to these numbers, no count of cycles overflows.
    const MAX_ADDERS: usize = 1 << 10;
    const MAX_LATENCY: u64 = 1 << 20;

    /// Returns the number of writes for `count` items of `bytes` bytes.
    pub fn granules(count: usize, bytes: usize) -> usize {
        (count * bytes).div_ceil(Self::GRANULE)
    }

    /// Returns the group with these numbers of curve and group on the wire; `None` if there is none.
    pub fn instance(curve: u32, group: u32) -> Option<Instance> {
        use crate::wire::constants::msm::curves;
        let curve = match curve {
            curves::BN254 => Curve::Bn254,
            curves::BLS12_381 => Curve::Bls12_381,
            #[cfg(feature = "bls12_377")]
            curves::BLS12_377 => Curve::Bls12_377,
            _ => return None,
        };
        let group = [Group::G1, Group::G2].into_iter().find(|&it| wire::msm_group(it) == group)?;
        Some(Instance::new(curve, group))
    }

    /// Returns the problem with its registers, if it is not an engine for this group.
    pub fn problem<C: OnCard>(&self) -> Option<String> {
        let Self { channels, slices, coordinates, form, windows, .. } = self;
        let slice =
            form.stored_bytes().saturating_mul(if *channels == 1 { Self::STORED } else { 1 });
        Some(if *slices != C::Base::COUNT {
            format!("coordinates of {slices} components, where {} are needed", C::Base::COUNT)
        } else if *channels != 1 && *channels != Self::STORED || slice > Self::SLICE {
            let points = format!("points of {} coordinates", Self::STORED);
            format!("{points} in {channels} channels, slices of {slice} bytes")
        } else if !form.holds::<<C::Base as Components>::Prime>() {
            format!("{form:?}, in which the coordinates of {} cannot be written", self.instance)
        } else if *coordinates != Self::SUM {
            format!("sums of {coordinates} coordinates, where {} are needed", Self::SUM)
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

    /// Returns the bytes of a point in a channel.
    pub fn point_bytes(&self) -> usize {
        self.slices * Self::SLICE
    }

    /// Returns whether a slice is one component, which the memory port accepts packed.
    pub fn packs(&self) -> bool {
        self.channels > 1
            && self.form.stored_bytes() == crate::transport::memory_port::PACKED as usize
    }

    /// Returns the channel of component k of a point's j-th coordinate, and its offset in the bytes of the point there.
    pub fn place(&self, j: usize, k: usize) -> (usize, usize) {
        let slice = k * Self::SLICE;
        if self.channels == 1 { (0, slice + j * self.form.stored_bytes()) } else { (j, slice) }
    }

    /// Returns the largest number of points that the memory holds; half of the scalars' channel holds at least as many
    /// scalars.
    pub fn max_points(&self) -> u64 {
        let granules = 2 * Self::GRANULE as u64;
        self.memory / granules * granules / self.point_bytes() as u64
    }

    /// Returns the cycles between two additions of independent points. In Fp2 the multipliers compute the three products
    /// in Fp of each product one after the other.
    fn interval(&self) -> u64 {
        match self.instance.group {
            Group::G1 => 1,
            Group::G2 => 3,
        }
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
    /// added level by level, then one window after the other, each addition after the other. Points and pairs enter the
    /// adder once in an interval.
    pub fn cycles(&self, cutting: &Cutting, points: usize) -> u64 {
        let &Cutting { bits, passes, each, .. } = cutting;
        let (latency, interval) = (self.adder_latency, self.interval());
        let (each, levels) = (each as u64, bits - 1);
        let up = (0..levels).map(|level| each << (levels - 1 - level));
        let down = (1..levels).map(|level| each * ((1 << level) - 1));
        let buckets: u64 = up.chain(down).map(|pairs| (interval * pairs).max(latency)).sum();
        let windows = 2 * u64::from(bits) * each * latency;
        let others = u64::from(bits) * (self.adders as u64 - 1) * each * latency;
        let pass = interval * points as u64 * each + 2 * latency + buckets + windows + others;
        passes as u64 * pass + (self.adders as u64 - 1) * latency
    }
}

#[cfg(test)]
impl Geometry {
    /// Returns an engine for a group of BN254 or BLS12-381 with 1 MiB of memory per channel.
    pub fn example(instance: Instance) -> Self {
        use proofmill_algebra::field::{Bls12381Fr, Bn254Fr, PrimeField};
        let (channels, form, order) = match instance.curve {
            Curve::Bn254 => {
                let form = Form { digits: 1, stored_digit: 32, digit_bytes: 33, base: 0 };
                (1, form, Bn254Fr::MODULUS)
            }
            _ => {
                let base = -0xd201_0000_0001_0000;
                let form = Form { digits: 6, stored_digit: 8, digit_bytes: 9, base };
                (2, form, Bls12381Fr::MODULUS)
            }
        };
        let slices = wire::msm_group(instance.group) as usize;
        let (memory, windows, coordinates) = (1 << 20, 2..=16, 3);
        let (adders, adder_latency) = (1, 800);
        Self {
            instance,
            adders,
            adder_latency,
            windows,
            channels,
            slices,
            memory,
            coordinates,
            form,
            order,
        }
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

#[cfg(test)]
mod tests {
    use proofmill_algebra::{bls12_381, bn254};

    use super::*;

    const BN254_G1: Instance = Instance::new(Curve::Bn254, Group::G1);
    const BN254_G2: Instance = Instance::new(Curve::Bn254, Group::G2);
    const BLS12_381_G2: Instance = Instance::new(Curve::Bls12_381, Group::G2);

    #[test]
    fn registers_name_a_curve_and_a_group() {
        use crate::wire::constants::msm::curves;
        assert_eq!(Geometry::instance(curves::BN254, 1), Some(BN254_G1));
        assert_eq!(Geometry::instance(curves::BN254, 2), Some(BN254_G2));
        assert_eq!(Geometry::instance(curves::BLS12_381, 2), Some(BLS12_381_G2));
        for (curve, group) in [(curves::BN254, 0), (curves::BN254, 3), (curves::TOY_BN, 2)] {
            assert_eq!(Geometry::instance(curve, group), None);
        }
    }

    #[test]
    fn registers_that_do_not_fit_the_group_are_found() {
        let (one, two) = (Geometry::example(BN254_G1), Geometry::example(BN254_G2));
        assert_eq!((one.problem::<bn254::G1>(), two.problem::<bn254::G2>()), (None, None));
        let four = Geometry::example(BLS12_381_G2);
        assert_eq!(four.problem::<bls12_381::G2>(), None);
        for (broken, problem) in [
            (Geometry { slices: 1, ..two.clone() }, "coordinates of 1 components, where 2"),
            (Geometry { slices: 3, ..two.clone() }, "coordinates of 3 components, where 2"),
            (Geometry { channels: 4, ..two.clone() }, "in 4 channels, slices of 32 bytes"),
            (Geometry { coordinates: 6, ..two }, "sums of 6 coordinates, where 3"),
        ] {
            let found = broken.problem::<bn254::G2>().unwrap();
            assert!(found.contains(problem), "{found}");
        }
        let found = Geometry { channels: 1, ..four }.problem::<bls12_381::G2>().unwrap();
        assert_eq!(found, "points of 2 coordinates in 1 channels, slices of 96 bytes");
        let found = Geometry { slices: 2, ..one }.problem::<bn254::G1>().unwrap();
        assert_eq!(found, "coordinates of 2 components, where 1 are needed");
    }

    #[test]
    fn a_point_of_g2_has_two_slices_in_each_channel() {
        let two = Geometry::example(BN254_G2);
        assert_eq!((two.point_bytes(), two.max_points()), (128, 1 << 13));
        let places = [(0, 0), (1, 0), (0, 1), (1, 1)];
        assert_eq!(places.map(|(j, k)| two.place(j, k)), [(0, 0), (0, 32), (0, 64), (0, 96)]);
        let four = Geometry::example(BLS12_381_G2);
        assert_eq!(places.map(|(j, k)| four.place(j, k)), [(0, 0), (1, 0), (0, 64), (1, 64)]);
        assert_eq!(Geometry::example(BN254_G1).max_points(), 1 << 14);
        assert_eq!([&two, &four].map(Geometry::packs), [false, true]);
    }

    /// With a latency of zero every addition of an MSM is one of a point or of a pair.
    #[test]
    fn points_and_pairs_take_three_cycles_in_g2_and_single_additions_the_latency() {
        let [one, two] = [BN254_G1, BN254_G2].map(Geometry::example);
        let cutting = one.cut(8);
        assert_eq!(cutting, two.cut(8));
        let cycles = |geometry: &Geometry, adder_latency, points| {
            Geometry { adder_latency, ..geometry.clone() }.cycles(&cutting, points)
        };
        for points in [0, 1, 1000] {
            assert_eq!(cycles(&two, 0, points), 3 * cycles(&one, 0, points));
        }
        // Of few buckets, no level has as many pairs as the adder has stages.
        let single = |geometry| cycles(geometry, 1 << 20, 0);
        assert_eq!(single(&one), single(&two));
    }
}
