//! Products of pairings, on this processor or on a device.

use std::fmt;
use std::sync::{Arc, OnceLock};

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::pairing::{
    Bls12381, Bn254, Pair, Pairing, Prepared, final_exponentiation, miller_product,
};
use proofmill_algebra::tower::Fp12;
use proofmill_op::coprocessor::pairings;
use proofmill_op::{Device, DeviceKind, Error, Result};

use crate::deep::deep;
use crate::halves;

/// The processor or device that computes products of pairings. The rest of a verification (decoding points, hashing, multiples of points) runs
/// on this processor.
#[derive(Clone)]
pub enum Pairings {
    /// This processor, by this code path, in the caller's rayon pool.
    Host(Isa),
    /// A device with the BLS12-381 coprocessor, by programs. Other curves are an error.
    Device(Arc<dyn Device>),
}

/// The best code path of this process, for callers that name no processor or device.
impl Default for Pairings {
    fn default() -> Self {
        Self::Host(Isa::best())
    }
}

impl fmt::Debug for Pairings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(isa) => write!(f, "Host({isa})"),
            Self::Device(device) => write!(f, "Device({})", device.caps().uri),
        }
    }
}

impl Pairings {
    /// Returns the device; if it is this machine's processor, [`Pairings::Host`] with its code path, which needs no programs.
    pub fn by(device: Arc<dyn Device>) -> Self {
        let caps = device.caps();
        match caps.kind {
            DeviceKind::Cpu => Self::Host(caps.isa.unwrap_or_else(Isa::best)),
            _ => Self::Device(device),
        }
    }

    /// Returns the code path for work on this processor. For a device that has none, such as a card, that is the best of this process.
    pub fn isa(&self) -> Isa {
        match self {
            Self::Host(isa) => *isa,
            Self::Device(device) => device.caps().isa.unwrap_or_else(Isa::best),
        }
    }

    /// Returns the product of the pairings of points of the subgroups; 1 for no pairs.
    pub fn product<E: Programmed>(&self, pairs: &[Pair<E>]) -> Result<Fp12<E::Tower>> {
        self.product_with::<E>(pairs, &[])
    }

    /// Computes the product for pairs whose second point is used often.
    pub(crate) fn product_with<E: Programmed>(
        &self,
        pairs: &[Pair<E>],
        known: &[(Affine<E::G1>, &Known<E>)],
    ) -> Result<Fp12<E::Tower>> {
        match self {
            &Self::Host(isa) => {
                let mut f = halves::miller_product::<E>(isa, pairs);
                if !known.is_empty() {
                    let known: Vec<_> = known.iter().map(|(p, q)| (*p, &q.lines)).collect();
                    f *= deep(|| miller_product(isa, &[], &known));
                }
                Ok(deep(|| final_exponentiation::<E>(isa, f)))
            }
            Self::Device(device) => {
                let (fixed, others): (Vec<_>, Vec<_>) = known.iter().partition(|(_, q)| q.is_fixed);
                let others = others.iter().map(|(p, q)| (*p, q.point));
                let pairs: Vec<_> = pairs.iter().copied().chain(others).collect();
                let fixed: Vec<_> = fixed.iter().map(|(p, q)| (*p, q.ready())).collect();
                E::product_on(&**device, &pairs, &fixed)
            }
        }
    }
}

/// A point of the second group with its lines.
#[derive(Clone, Debug)]
pub(crate) struct Known<E: Programmed> {
    point: Affine<E::G2>,
    lines: Prepared<E>,
    is_fixed: bool,
    /// The form for devices, computed on first use.
    ready: OnceLock<E::Ready>,
}

impl<E: Programmed> Known<E> {
    pub fn new(point: Affine<E::G2>) -> Self {
        let lines = deep(|| Prepared::new(&point));
        Self { point, lines, is_fixed: false, ready: OnceLock::new() }
    }

    /// Returns a point whose lines a device keeps; a device keeps those of two points.
    pub fn fixed(point: Affine<E::G2>) -> Self {
        Self { is_fixed: true, ..Self::new(point) }
    }

    fn ready(&self) -> &E::Ready {
        self.ready.get_or_init(|| E::ready(self.point))
    }
}

/// A pairing for which devices may have programs.
pub trait Programmed: Pairing {
    /// A point with its lines in the form of the programs.
    type Ready: Clone + fmt::Debug + Send + Sync;

    /// Prepares a point of the subgroup.
    fn ready(point: Affine<Self::G2>) -> Self::Ready;

    /// Computes the product of the pairings by programs on a device.
    fn product_on(
        device: &dyn Device,
        pairs: &[Pair<Self>],
        ready: &[(Affine<Self::G1>, &Self::Ready)],
    ) -> Result<Fp12<Self::Tower>>;
}

impl Programmed for Bls12381 {
    type Ready = pairings::Ready;

    fn ready(point: Affine<Self::G2>) -> Self::Ready {
        pairings::Ready::new(point)
    }

    fn product_on(
        device: &dyn Device,
        pairs: &[Pair<Self>],
        ready: &[(Affine<Self::G1>, &Self::Ready)],
    ) -> Result<Fp12<Self::Tower>> {
        pairings::product_with(device, pairs, ready)
    }
}

impl Programmed for Bn254 {
    type Ready = ();

    fn ready(_point: Affine<Self::G2>) {}

    fn product_on(
        device: &dyn Device,
        _pairs: &[Pair<Self>],
        _ready: &[(Affine<Self::G1>, &Self::Ready)],
    ) -> Result<Fp12<Self::Tower>> {
        let what = "pairings on bn254; the coprocessor has those of bls12_381".into();
        Err(Error::Unsupported { device: device.caps().uri.clone(), what })
    }
}
