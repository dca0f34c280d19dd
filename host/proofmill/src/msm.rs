//! Multi-scalar multiplication: the sum of k_i P_i in the groups of BN254, BLS12-381, BLS12-377, Pallas and Vesta.
//!
//! Points are x and y, canonical and little-endian; scalars are 32 bytes, little-endian, below r. [`Instance`] lists the
//! groups, [`Check`] the checks on points. [`sum_of`], [`bases_of`] and [`scalars_of`] take the types of [`crate::algebra`], which
//! those of arkworks, blst and halo2curves convert to.
//!
//! ```
//! use proofmill::msm::{self, Bases, Check, Instance};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The generator of G1 of BN254, (1, 2), twice.
//! let mut point = [0; 64];
//! (point[0], point[32]) = (1, 2);
//! let points = [point, point].concat();
//! let g1: Instance = "bn254_g1".parse()?;
//!
//! let device = proofmill::open("cpu:?threads=1")?;
//! println!("{:?}", msm::plan(&*device, g1, 2, true)?);
//! // Bases that are used again are made resident: checked and converted to the engine's form once.
//! let bases = msm::park(&*device, Bases::new(g1, points).checked(Check::Subgroup))?;
//!
//! // 1 G + 0 G
//! let mut scalars = [0; 64];
//! scalars[0] = 1;
//! assert_eq!(msm::sum(&*device, bases.clone(), &scalars[..])?, point);
//! // 5 G + 3 G and 6 G + 2 G, over the same points.
//! let lists = [[5, 3], [6, 2]].map(|[k, l]| {
//!     (scalars[0], scalars[32]) = (k, l);
//!     scalars.to_vec()
//! });
//! let sums = msm::sums(&*device, bases, lists)?;
//! assert_eq!(sums[0], sums[1]);
//! # Ok(())
//! # }
//! ```
//!
//! Bases larger than memory are streamed from a file: [`Bases::streamed`]. For many MSMs over the same bases,
//! [`Bases::precomputed`] trades memory for speed.
//!
//! # On a card
//!
//! The calls are the same. Resident bases lie in the card's memory, and the card computes one MSM while it receives the
//! scalars of the next. [`confirm`] checks the results on a second device.
//!
//! ```no_run
//! use proofmill::msm::{self, Bases, Sums};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let card = proofmill::open("sim:msm_bn254_twin")?;
//! let bases = Bases::new("bn254_g1".parse()?, std::fs::read("bases")?);
//! let resident = msm::park(&*card, bases.clone())?;
//! let lists = vec![std::fs::read("first")?.into(), std::fs::read("second")?.into()];
//!
//! let asked = Sums { bases: resident, scalars: lists.clone(), progress: None };
//! let computed = msm::compute(&*card, asked)?;
//! for (point, cycles) in computed.points.iter().zip(computed.cycles.iter().flatten()) {
//!     println!("{point:02x?} in {} cycles", cycles.accumulation + cycles.tail);
//! }
//! let asked = Sums { bases, scalars: lists, progress: None };
//! let time = msm::confirm(&*proofmill::open("cpu:")?, &*card, &asked, &computed.points)?;
//! println!("confirmed in {time:?}");
//! # Ok(())
//! # }
//! ```
//!
//! For progress, or not to wait, submit a [`Request`] with [`Sums::progress`] to the device. Cancelling or dropping its
//! ticket stops the MSM.

mod confirm;
mod typed;

pub use confirm::confirm;
pub use proofmill_op::msm::{
    Bases, Check, Curve, Cycles, Group, Instance, MOST_POINTS, Plan, Points, Progress, Request,
    Response, SCALAR_BYTES, Stream, Sums,
};
pub use typed::{bases_of, scalars_of, sum_of};

use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::PrimeField as _;
use proofmill_op::in_group;
use sha2::{Digest as _, Sha256};

use crate::lost::{lost, other_answer};
use crate::{Answer, Data, Device, Result};

/// Bases to try an MSM with: `count` consecutive multiples of the generator, from `first` times the generator on.
pub fn multiples(instance: Instance, first: u64, count: usize) -> Result<Vec<u8>> {
    in_group!(instance, multiples_in(first, count))
}

fn multiples_in<C>(first: u64, count: usize) -> Result<Vec<u8>>
where
    C: proofmill_algebra::msm::Group,
{
    let points = proofmill_algebra::msm::multiples::<C>(first, count);
    Ok(points.iter().flat_map(pair::encode).collect())
}

/// Scalars to try an MSM with: `count` of them, 32 bytes each, below the order of the group; the same ones for the same
/// `seed`. Whoever knows the seed knows them: they are not for secrets.
pub fn scalars(instance: Instance, seed: u64, count: usize) -> Result<Vec<u8>> {
    in_group!(instance, scalars_in(seed, count))
}

fn scalars_in<C>(seed: u64, count: usize) -> Result<Vec<u8>>
where
    C: proofmill_algebra::msm::Group,
{
    let excess = 8 * SCALAR_BYTES as u32 - C::Scalar::BITS;
    let candidates = (0u64..).map(|number| -> [u8; SCALAR_BYTES] {
        let hash = Sha256::new().chain_update(seed.to_le_bytes());
        let mut digest: [u8; SCALAR_BYTES] =
            hash.chain_update(number.to_le_bytes()).finalize().into();
        digest[SCALAR_BYTES - 1] &= u8::MAX >> excess;
        digest
    });
    let below = candidates.filter(|scalar| C::Scalar::from_le_bytes(scalar).is_ok());
    Ok(below.take(count).flatten().collect())
}

/// How an MSM over so many points, resident or not, would be computed, and in how much memory.
pub fn plan(device: &dyn Device, instance: Instance, points: usize, parked: bool) -> Result<Plan> {
    ask_plan(device, Request::Plan { instance, points, parked, room: 0 })
}

/// The same for resident bases with precomputed multiples in at most `room` bytes: [`Bases::precomputed`].
pub fn plan_precomputed(
    device: &dyn Device,
    instance: Instance,
    points: usize,
    room: usize,
) -> Result<Plan> {
    ask_plan(device, Request::Plan { instance, points, parked: true, room })
}

fn ask_plan(device: &dyn Device, request: Request) -> Result<Plan> {
    match ask(device, request)? {
        Response::Plan(plan) => Ok(plan),
        other => Err(other_answer(device, &other)),
    }
}

/// Makes bases resident: checks the points as asked, and keeps them on the device in the engine's form until the last clone
/// of the returned bases is dropped.
pub fn park(device: &dyn Device, bases: Bases) -> Result<Bases> {
    let instance = bases.instance;
    match ask(device, Request::Park(bases))? {
        Response::Parked(parked) => Ok(Bases::parked(instance, parked)),
        other => Err(other_answer(device, &other)),
    }
}

/// One MSM: the sum of k_i P_i. Waits for it.
pub fn sum(device: &dyn Device, bases: Bases, scalars: impl Into<Data>) -> Result<Vec<u8>> {
    let mut sums = sums(device, bases, [scalars])?;
    match (sums.pop(), sums.is_empty()) {
        (Some(sum), true) => Ok(sum),
        _ => Err(lost(device, "not one sum for one list")),
    }
}

/// One MSM for each list of scalars, over the same bases.
pub fn sums(
    device: &dyn Device,
    bases: Bases,
    scalars: impl IntoIterator<Item = impl Into<Data>>,
) -> Result<Vec<Vec<u8>>> {
    let scalars = scalars.into_iter().map(Into::into).collect();
    Ok(compute(device, Sums { bases, scalars, progress: None })?.points)
}

/// The results of MSMs, and what they took.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Computed {
    /// For each list of scalars a point.
    pub points: Vec<Vec<u8>>,
    /// For each list what the engine counted; `None` where nothing counts.
    pub cycles: Option<Vec<Cycles>>,
}

/// Computes MSMs, with what the device counted.
pub fn compute(device: &dyn Device, sums: Sums) -> Result<Computed> {
    match ask(device, Request::Sums(sums))? {
        Response::Sums { points, cycles } => Ok(Computed { points, cycles }),
        other => Err(other_answer(device, &other)),
    }
}

fn ask(device: &dyn Device, request: Request) -> Result<Response> {
    match device.submit(crate::Request::Msm(request))?.wait()? {
        Answer::Msm(response) => Ok(response),
        other => Err(other_answer(device, &other)),
    }
}
