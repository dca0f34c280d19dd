//! MSMs on the devices, and equations of pairings.

use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::Group;
use proofmill_algebra::pairing::{Bls12381, Bn254, Pair};
use proofmill_algebra::tower::Fp12;
use proofmill_op::msm::{Bases, Check, Request, SCALAR_BYTES, Stream as _, read};
use proofmill_op::{Capability, Error, Submit as _};

use super::draws::Drawn;
use crate::groth16::Devices;
use crate::groth16::suite::Suite;
use crate::random::fill;
use crate::snarkjs::PointSection;
use crate::{Pairings, Result};

/// The curves with ceremonies.
pub trait Curves: Suite<G1: Group<Base: Drawn>, G2: Group<Base: Drawn>> {}

impl Curves for Bn254 {}
impl Curves for Bls12381 {}

/// Computes the sides of equations.
pub struct Equations<'a> {
    devices: &'a Devices,
    pairings: Pairings,
}

impl<'a> Equations<'a> {
    pub fn new(devices: &'a Devices) -> Self {
        Self { devices, pairings: Pairings::Host(devices.isa()) }
    }

    /// Returns the code path of this machine's processor.
    pub fn isa(&self) -> Isa {
        self.devices.isa()
    }

    /// Returns whether e(P, Q) = e(P', Q').
    pub fn equal<E: Curves>(&self, left: Pair<E>, right: Pair<E>) -> Result<bool> {
        let (p, q) = right;
        Ok(self.pairings.product::<E>(&[left, (-p, q)])? == Fp12::ONE)
    }

    /// Computes the MSM of the points of a section for each list of scalars. A shorter list multiplies the first points.
    pub fn msms<C: Group<Base: Coordinate>>(
        &self,
        points: &PointSection,
        mut lists: Vec<Vec<u8>>,
    ) -> Result<Vec<Affine<C>>> {
        let (instance, expected) = (points.instance(), lists.len());
        for list in &mut lists {
            assert!(list.len() <= points.count() * SCALAR_BYTES, "a point for each scalar");
            list.resize(points.count() * SCALAR_BYTES, 0);
        }
        let device = self.devices.offering(&Capability::Msm(instance))?;
        // Reading checks that the points are on the curve.
        let bases = Bases::streamed(instance, points.clone()).unchecked();
        let response = device.submit(Request::batch(bases, lists))?.wait()?;
        let failed = |problem: String| Error::Failed { device: device.caps().uri.clone(), problem };
        if response.points.len() != expected {
            return Err(failed("another number of MSMs".into()).into());
        }
        let point = |(number, bytes): (usize, &Vec<u8>)| {
            if bytes.len() != instance.point_bytes() {
                return Err(failed("a point of another length".into()));
            }
            read::point(number, bytes, Check::Curve).map_err(|error| failed(error.to_string()))
        };
        Ok(response.points.iter().enumerate().map(point).collect::<std::result::Result<_, _>>()?)
    }

    /// Computes one MSM.
    pub fn msm<C: Group<Base: Coordinate>>(
        &self,
        points: &PointSection,
        scalars: Vec<u8>,
    ) -> Result<Affine<C>> {
        Ok(self.msms(points, vec![scalars])?.remove(0))
    }
}

/// Returns scalars in the form of requests.
pub fn encoded<F: PrimeField>(scalars: &[F]) -> Vec<u8> {
    scalars.iter().flat_map(|scalar| scalar.to_le_bytes().as_ref().to_vec()).collect()
}

/// Reads the points of a section into memory.
pub fn read_points<C: Group<Base: Coordinate>>(section: &PointSection) -> Result<Vec<Affine<C>>> {
    let mut bytes = vec![0; section.count() * section.instance().point_bytes()];
    section
        .read_at(0, &mut bytes)
        .map_err(|source| Error::Io { context: "points".into(), source: Arc::new(source) })?;
    // Reading has checked that they are on the curve.
    let points = bytes.chunks_exact(section.instance().point_bytes()).enumerate();
    Ok(points
        .map(|(number, bytes)| read::point(number, bytes, Check::None))
        .collect::<std::result::Result<_, _>>()?)
}

/// Returns random factors of 128 bits.
pub fn factors<F: PrimeField>(count: usize) -> Result<Vec<F>> {
    let mut random = vec![[0; 16]; count];
    fill(random.as_flattened_mut())?;
    let limb = F::from(1 << 32).square();
    let factor = |bytes: &[u8; 16]| {
        let integer = u128::from_le_bytes(*bytes);
        F::from((integer >> 64) as u64) * limb + F::from(integer as u64)
    };
    Ok(random.iter().map(factor).collect())
}
