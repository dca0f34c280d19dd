//! Multi-scalar multiplication: the sum of k_i P_i in the groups of BN254, BLS12-381, BLS12-377, Pallas and Vesta.
//!
//! Points are x and y, canonical and little-endian; scalars are 32 bytes, little-endian, below r. [`Instance`] lists the
//! groups, [`Check`] the checks on points. [`msm_affine`], [`bases_from_affine`] and [`scalar_bytes`] take the types of [`crate::algebra`], which
//! those of arkworks, blst and halo2curves convert to.
//!
//! ```
//! use proofmill::msm::{self, Bases, Instance};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The generator of G1 of BN254, (1, 2), twice.
//! let mut point = [0; 64];
//! (point[0], point[32]) = (1, 2);
//! let points = [point, point].concat();
//! let g1: Instance = "bn254_g1".parse()?;
//!
//! let device = proofmill::open("cpu:?threads=1")?;
//! println!("{:?}", msm::plan(&device, g1, 2, true)?);
//! // Bases that are used again are loaded into the device: checked and converted to the engine's form once.
//! let bases = msm::load_bases(&device, Bases::new(g1, points))?;
//!
//! // 1 G + 0 G
//! let mut scalars = [0; 64];
//! scalars[0] = 1;
//! assert_eq!(msm::msm(&device, bases.clone(), &scalars[..])?, point);
//! // 5 G + 3 G and 6 G + 2 G, over the same points.
//! let lists = [[5, 3], [6, 2]].map(|[k, l]| {
//!     (scalars[0], scalars[32]) = (k, l);
//!     scalars.to_vec()
//! });
//! let points = msm::msm_batch(&device, bases, lists)?;
//! assert_eq!(points[0], points[1]);
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
//! use proofmill::Submit;
//! use proofmill::msm::{self, Bases, Request};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let card = proofmill::open("sim:msm_bn254_twin")?;
//! let bases = Bases::new("bn254_g1".parse()?, std::fs::read("bases")?);
//! let resident = msm::load_bases(&card, bases.clone())?;
//! let lists = [std::fs::read("first")?, std::fs::read("second")?];
//!
//! let request = Request::batch(resident.into(), lists.clone());
//! let computed = card.submit(request)?.wait()?;
//! for (point, cycles) in computed.points.iter().zip(computed.cycles.iter().flatten()) {
//!     println!("{point:02x?} in {} cycles", cycles.accumulation + cycles.tail);
//! }
//! let request = Request::batch(bases, lists);
//! let time = msm::confirm(&proofmill::open("cpu:")?, &card, &request, &computed.points)?;
//! println!("confirmed in {time:?}");
//! # Ok(())
//! # }
//! ```
//!
//! For progress, or not to wait, submit a [`Request`] with [`Request::progress`] to the device. Cancelling or dropping its
//! ticket stops the MSM.

mod confirm;
mod typed;

pub use confirm::confirm;
pub use proofmill_op::msm::{
    Bases, Check, Curve, Cycles, Group, Instance, MAX_POINTS, Plan, PlanRequest, Points, Request,
    Response, SCALAR_BYTES, Stream,
};
pub use typed::{bases_from_affine, msm_affine, scalar_bytes};

use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::PrimeField as _;
use proofmill_op::in_group;
use sha2::{Digest as _, Sha256};

use crate::malformed::malformed;
use crate::{Data, Device, ResidentData, Result, Submit};

/// Returns bases for tests and benchmarks: `count` consecutive multiples of the generator, from `first` times the generator on.
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

/// Returns scalars for tests and benchmarks: `count` of them, 32 bytes each, below the order of the group, the same for the same `seed`.
/// They are derived from a public seed and are no secrets.
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

/// Returns the plan of an MSM of this number of points, with resident bases or not: windows and memory.
pub fn plan(
    device: &dyn Device,
    instance: Instance,
    points: usize,
    resident: bool,
) -> Result<Plan> {
    device.submit(PlanRequest { instance, points, resident, max_bytes: 0 })?.wait()
}

/// Returns the plan for resident bases with precomputed multiples in at most `max_bytes` bytes: [`Bases::precomputed`].
pub fn plan_precomputed(
    device: &dyn Device,
    instance: Instance,
    points: usize,
    max_bytes: usize,
) -> Result<Plan> {
    device.submit(PlanRequest { instance, points, resident: true, max_bytes })?.wait()
}

/// Bases that are resident on a device, until the last clone is dropped.
#[derive(Clone, Debug)]
pub struct ResidentBases {
    instance: Instance,
    points: ResidentData,
}

impl ResidentBases {
    /// Returns the group.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.points.len() / self.instance.point_bytes()
    }
}

impl From<ResidentBases> for Bases {
    fn from(ResidentBases { instance, points }: ResidentBases) -> Self {
        Self::resident(instance, points)
    }
}

/// Checks bases and loads them into the device, in the form of its engine.
pub fn load_bases(device: &dyn Device, bases: Bases) -> Result<ResidentBases> {
    let instance = bases.instance;
    let points = device.submit(bases)?.wait()?;
    Ok(ResidentBases { instance, points })
}

/// Computes one MSM, the sum of k_i P_i, and waits for it.
pub fn msm(
    device: &dyn Device,
    bases: impl Into<Bases>,
    scalars: impl Into<Data>,
) -> Result<Vec<u8>> {
    let mut points = msm_batch(device, bases, [scalars])?;
    match (points.pop(), points.is_empty()) {
        (Some(point), true) => Ok(point),
        _ => Err(malformed(device, "not one point for one list of scalars")),
    }
}

/// Computes an MSM for each list of scalars, over the same bases, and waits for them. For the cycles of each, submit a [`Request`].
pub fn msm_batch(
    device: &dyn Device,
    bases: impl Into<Bases>,
    lists: impl IntoIterator<Item = impl Into<Data>>,
) -> Result<Vec<Vec<u8>>> {
    Ok(device.submit(Request::batch(bases.into(), lists))?.wait()?.points)
}
