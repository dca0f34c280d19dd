//! Multi-scalar multiplication: the sum of k_i P_i, by Pippenger's buckets.
//!
//! 1. Every scalar becomes digits in [-2^(c-1), 2^(c-1)], one a window of c bits ([`Scalars`]); 0, 1 and -1 need none.
//! 2. In every window, the points whose digits are d or -d are added into bucket |d| ([`Part::accumulate`]): nearly all
//!    of the work, affine additions in batches of [`BATCH`](crate::lanes::affine::BATCH), of which no two may meet in
//!    a bucket.
//! 3. Of every window, the sum of d times bucket d ([`Part::sums`]), by running sums in many chains.
//! 4. The windows' sums, by doublings ([`combine`]).
//!
//! A [`Plan`] contains the number of windows and their sizes. [`Buckets`] are divided into [`Part`]s that share
//! nothing, so that each thread can process one. The time depends on scalars and points.
//!
//! The points must be of the subgroup of order r, where k and k - r are equivalent.

mod buckets;
mod multiples;
mod plan;
mod precomputed;
mod scalars;
mod schedule;
mod sums;

pub use buckets::{Buckets, Cancelled, Part};
pub use multiples::multiples;
pub use plan::{MULTIPLES, Plan, Window};
pub use precomputed::precomputed;
pub use scalars::{NotReduced, SCALAR_BYTES, Scalars};
pub use sums::combine;

#[cfg(feature = "bls12_377")]
use crate::bls12_377;
use crate::curve::{Affine, Curve, Projective};
use crate::encoding::{self, EncodingError};
use crate::field::PrimeField;
use crate::isa::Isa;
use crate::lanes::affine::{self, Addition, Base, Coordinate, Point, Quadratic};
#[cfg(feature = "toy")]
use crate::toy;
use crate::{bls12_381, bn254};
#[cfg(feature = "pasta")]
use crate::{pallas, vesta};
use zeroize::Zeroizing;

/// A group whose points can be added in batches. The functions are those of [`lanes::affine`](crate::lanes::affine) and
/// [`encoding::montgomery`], compiled in this crate, once for each group.
pub trait Group: Curve<Base: encoding::Coordinate> {
    /// The coordinates' field, with the points' form in memory.
    type Coordinates: Coordinate<Element = Self::Base>;

    /// [`affine::add_assign_vartime`].
    fn add_assign_vartime(
        isa: Isa,
        buckets: &mut [Stored<Self>],
        points: &[Stored<Self>],
        additions: &[Addition],
    );
    /// [`affine::assign`].
    fn assign(
        isa: Isa,
        buckets: &mut [Stored<Self>],
        points: &[Stored<Self>],
        assignments: &[Addition],
    );
    /// [`Point::from_coordinates`].
    fn from_coordinates(isa: Isa, coordinates: &[[Self::Base; 2]]) -> Vec<Stored<Self>>;
    /// [`Point::to_coordinates`].
    fn to_coordinates(isa: Isa, points: &[Stored<Self>]) -> Vec<[Self::Base; 2]>;
    /// [`encoding::montgomery::to_pairs`].
    fn to_pairs(isa: Isa, points: &[u8], pairs: &mut [u8]) -> Result<(), (usize, EncodingError)>;
}

macro_rules! groups {
    ($($(#[$condition:meta])* $group:ty: $coordinates:ty;)*) => {$(
        $(#[$condition])*
        impl Group for $group {
            type Coordinates = $coordinates;

            fn add_assign_vartime(
                isa: Isa,
                buckets: &mut [Stored<Self>],
                points: &[Stored<Self>],
                additions: &[Addition],
            ) {
                affine::add_assign_vartime(isa, buckets, points, additions);
            }
            fn assign(
                isa: Isa,
                buckets: &mut [Stored<Self>],
                points: &[Stored<Self>],
                assignments: &[Addition],
            ) {
                affine::assign(isa, buckets, points, assignments);
            }
            fn from_coordinates(isa: Isa, coordinates: &[[Self::Base; 2]]) -> Vec<Stored<Self>> {
                Point::from_coordinates(isa, coordinates)
            }
            fn to_coordinates(isa: Isa, points: &[Stored<Self>]) -> Vec<[Self::Base; 2]> {
                Point::to_coordinates(isa, points)
            }
            fn to_pairs(
                isa: Isa,
                points: &[u8],
                pairs: &mut [u8],
            ) -> Result<(), (usize, EncodingError)> {
                encoding::montgomery::group_to_pairs::<Self>(isa, points, pairs)
            }
        }
    )*};
}

groups! {
    #[cfg(feature = "toy")]
    toy::Toy: Base<toy::Fp, 5, 1>;
    bn254::G1: Base<bn254::Fp, 5, 1>;
    bn254::G2: Quadratic<bn254::Bn254Tower, 1, 5, 1>;
    bls12_381::G1: Base<bls12_381::Fp, 8, 2>;
    bls12_381::G2: Quadratic<bls12_381::Bls12381Tower, 1, 8, 2>;
    #[cfg(feature = "bls12_377")]
    bls12_377::G1: Base<bls12_377::Fp, 8, 2>;
    #[cfg(feature = "bls12_377")]
    bls12_377::G2: Quadratic<bls12_377::Bls12377Tower, 5, 8, 2>;
    #[cfg(feature = "pasta")]
    pallas::G1: Base<pallas::Fp, 5, 1>;
    #[cfg(feature = "pasta")]
    vesta::G1: Base<vesta::Fp, 5, 1>;
}

/// A point of the group as it is in memory.
pub type Stored<C> = Point<<C as Group>::Coordinates>;

/// Points in the form that is added.
pub fn stored<C: Group>(isa: Isa, points: &[Affine<C>]) -> Vec<Stored<C>> {
    let coordinates: Vec<_> = points.iter().map(|point| [point.x(), point.y()]).collect();
    C::from_coordinates(isa, &coordinates)
}

/// Points from the form that is added.
pub fn affine<C: Group>(isa: Isa, points: &[Stored<C>]) -> Vec<Affine<C>> {
    let coordinates = C::to_coordinates(isa, points);
    coordinates.into_iter().map(|[x, y]| Affine::new_unchecked(x, y)).collect()
}

/// Returns the number of points up to which shared doublings ([`Projective::sum_of_multiples_vartime`]) are faster than
/// buckets on one thread.
pub fn few(isa: Isa) -> usize {
    if isa.machine().is_some() { FEW } else { FEW_WITHOUT_LANES }
}

/// Measured on Zen 3, in G1 and G2 of BN254 and BLS12-381: between 32 and 56 points with AVX2, 28 and 36 without lanes.
const FEW: usize = 40;
const FEW_WITHOUT_LANES: usize = 32;

/// The sum of k_i P_i, on this thread alone. There are as many scalars as points.
pub fn sum_vartime<C: Group>(
    isa: Isa,
    points: &[Stored<C>],
    scalars: &[[u8; SCALAR_BYTES]],
) -> Result<Projective<C>, NotReduced> {
    if points.len() <= few(isa) {
        return sum_of_few_vartime(&affine::<C>(isa, points), scalars);
    }
    let plan = Plan::new::<C>(points.len(), 1, 1);
    let scalars = Scalars::new::<C>(0, scalars, &plan)?;
    Ok(sum_by(isa, &plan, points, scalars))
}

/// The sum of k_i P_i with integers k_i below 2^`bits` in size, at most 2^127, on this thread alone. There are as many
/// as points, which are of the subgroup or not.
pub fn short_sum_vartime<C: Group>(
    isa: Isa,
    points: &[Stored<C>],
    integers: &[i128],
    bits: u32,
) -> Projective<C> {
    debug_assert!(integers.iter().all(|k| k.unsigned_abs() >> bits == 0), "short integers");
    let plan = Plan::of_short::<C>(points.len(), bits);
    let scalars = Scalars::short(integers, &plan);
    sum_by(isa, &plan, points, scalars)
}

/// [`sum_vartime`] of points that are not stored, all of the subgroup.
pub fn affine_sum_vartime<C: Group>(
    isa: Isa,
    points: &[Affine<C>],
    scalars: &[[u8; SCALAR_BYTES]],
) -> Result<Projective<C>, NotReduced> {
    if points.len() > few(isa) {
        return sum_vartime(isa, &stored(isa, points), scalars);
    }
    sum_of_few_vartime(points, scalars)
}

/// The sum of k_i P_i by shared doublings. The scalars are wiped, but for the stack.
fn sum_of_few_vartime<C: Group>(
    points: &[Affine<C>],
    scalars: &[[u8; SCALAR_BYTES]],
) -> Result<Projective<C>, NotReduced> {
    Scalars::check::<C>(scalars)?;
    let points: Vec<_> = points.iter().copied().map(Projective::from).collect();
    let scalar = |bytes: &[u8; SCALAR_BYTES]| {
        C::Scalar::from_le_bytes(&bytes[..C::Scalar::BYTES]).expect("below r")
    };
    let scalars: Zeroizing<Vec<_>> = Zeroizing::new(scalars.iter().map(scalar).collect());
    Ok(Projective::sum_of_multiples_vartime(&points, &scalars))
}

fn sum_by<C: Group>(
    isa: Isa,
    plan: &Plan,
    points: &[Stored<C>],
    scalars: Scalars,
) -> Projective<C> {
    let scalars = [scalars];
    let mut buckets = Buckets::<C>::new(plan);
    let mut sums = Vec::new();
    for part in &mut buckets.parts(plan, 1) {
        part.accumulate(isa, points, &scalars, &|_| true).expect("it is not cancelled");
        sums.push(part.sums(isa));
    }
    combine(plan, &sums)
}
