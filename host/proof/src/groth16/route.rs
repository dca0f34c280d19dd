//! Assigns the steps of a proof to devices.

use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::msm;
use proofmill_algebra::ntt::Transform;
use proofmill_op::msm::{Bases, Check, Instance, Request, Response, read};
use proofmill_op::{
    Argument, Capability, Data, Device, DeviceKind, Error, Progress, Result, Submit,
};

use super::points::bases;
use super::quotient::HBasis;
use super::suite::{ScalarOf, Suite};
use crate::snarkjs::{Section, Zkey};

/// The devices of a prover.
#[derive(Clone)]
pub struct Devices {
    /// Computes the steps that it offers.
    pub device: Arc<dyn Device>,
    /// Computes the other steps, and repeats a proof that the device got wrong: this machine's processor.
    pub fallback: Option<Arc<dyn Device>>,
}

impl Devices {
    /// Returns a single device for all steps.
    pub fn one(device: Arc<dyn Device>) -> Self {
        Self { device, fallback: None }
    }

    /// Returns the code path for work beside the devices: that of the processor among them.
    pub fn isa(&self) -> Isa {
        let processors = self.fallback.iter().chain([&self.device]);
        processors.filter_map(|device| device.caps().isa).next().unwrap_or_else(Isa::best)
    }

    /// Returns the threads of this machine's processor, if it is among them.
    pub fn threads(&self) -> Option<usize> {
        let mut all = self.fallback.iter().chain([&self.device]);
        all.find_map(|device| device.caps().threads)
    }

    pub(crate) fn offering(&self, capability: &Capability) -> Result<Arc<dyn Device>> {
        self.first(|device| device.caps().offers(capability)).ok_or_else(|| {
            self.device.caps().require(capability).expect_err("it does not offer it")
        })
    }

    /// Returns the device for transforms and quotients of lists of 2^log elements by this root of unity. Cards transform by
    /// the standard root only, which over BLS12-381 is another than that of snarkjs; only they limit the sizes of quotients.
    pub(crate) fn for_transforms<E: Suite>(
        &self,
        log: u32,
        root: ScalarOf<E>,
    ) -> Result<Arc<dyn Device>> {
        let standard = Transform::<ScalarOf<E>>::forward(log);
        let is_standard = standard.is_ok_and(|transform| transform.root() == root);
        let found = self.first(|device| {
            let caps = device.caps();
            let any_root = caps.quotients.is_none();
            caps.offers_quotient(E::FIELD, log) && (is_standard || any_root)
        });
        found.ok_or_else(|| {
            let root = if is_standard { "" } else { " by the root of snarkjs" };
            Error::Unsupported {
                device: self.device.caps().uri.clone(),
                what: format!("{} of 2^{log} elements{root}", Capability::Ntt(E::FIELD)),
            }
        })
    }

    /// Returns the first device with a property.
    pub(crate) fn first(&self, does: impl Fn(&dyn Device) -> bool) -> Option<Arc<dyn Device>> {
        [&self.device].into_iter().chain(&self.fallback).find(|device| does(&***device)).cloned()
    }
}

/// The device and the points of each step.
pub struct Route {
    /// The device and bases of each [`Section`] of the key.
    pub sections: [(Arc<dyn Device>, Bases); 5],
    /// The device of the quotient.
    pub transforms: Arc<dyn Device>,
}

impl Route {
    /// Assigns the steps to these devices. If `resident`, waits until the points of the key are loaded.
    pub fn new<E: Suite>(
        key: &Zkey,
        h_basis: HBasis,
        devices: &Devices,
        resident: bool,
    ) -> crate::Result<Self> {
        let log = key.domain_log();
        let transforms = devices.for_transforms::<E>(log, h_basis.root(log)?)?;
        let mut sections = Vec::new();
        for section in Section::ALL {
            let mut bases = bases(key, section);
            let instance = bases.instance;
            let device = devices.offering(&Capability::Msm(instance))?;
            if resident {
                let loaded = device.submit(bases)?.wait();
                bases = Bases::resident(
                    instance,
                    loaded.map_err(|error| with_section(section, error))?,
                );
            }
            sections.push((device, bases));
        }
        let sections = sections.try_into().unwrap_or_else(|_| unreachable!("one per section"));
        Ok(Self { sections, transforms })
    }

    /// Returns the request for the MSM of a section.
    pub fn request(&self, section: Section, scalars: Data, progress: Option<Progress>) -> Request {
        let (_, bases) = &self.sections[section as usize];
        Request { progress, ..Request::new(bases.clone(), scalars) }
    }

    /// Returns the device of a section.
    pub fn device(&self, section: Section) -> &Arc<dyn Device> {
        &self.sections[section as usize].0
    }

    /// Returns whether the device of this section leaves this machine's processor free.
    pub fn is_offloaded(&self, section: Section) -> bool {
        self.device(section).caps().kind != DeviceKind::Cpu
    }

    /// Returns the GPU that computes the MSMs of all these sections, if one does.
    pub fn gpu_of(&self, sections: &[Section]) -> Option<&Arc<dyn Device>> {
        let mut devices = sections.iter().map(|&section| self.device(section));
        let first = devices.next().filter(|device| device.caps().kind == DeviceKind::Gpu)?;
        devices.all(|device| Arc::ptr_eq(device, first)).then_some(first)
    }

    /// Decodes the point that a device computed. A malformed result is an error of the device.
    pub fn point<C: msm::Group<Base: Coordinate>>(
        &self,
        section: Section,
        response: Response,
    ) -> Result<Affine<C>> {
        let (device, bases) = &self.sections[section as usize];
        match &response.points[..] {
            [point] if point.len() == bases.instance.point_bytes() => {
                read::point(0, point, Check::Curve).map_err(|problem| {
                    failed(&**device, format!("its MSM of section {section:?}: {problem}"))
                })
            }
            _ => Err(failed(&**device, "not one point for one list of scalars".into())),
        }
    }

    /// Returns the group of section H, if the device of the quotient also computes its MSM and is not this machine's processor.
    pub fn resident_quotient(&self) -> Option<Instance> {
        let (sum, bases) = &self.sections[Section::H as usize];
        let same = Arc::ptr_eq(sum, &self.transforms) && self.is_offloaded(Section::H);
        same.then_some(bases.instance)
    }

    /// Returns the error for a quotient with an element that is not below the modulus.
    pub fn wrong_quotient(&self) -> Error {
        failed(&*self.transforms, "an element of its quotient is not below the modulus".into())
    }

    /// Returns the URIs of the devices other than this machine's processor.
    pub fn offload_uris(&self) -> Vec<String> {
        let all = self.sections.iter().map(|(device, _)| device).chain([&self.transforms]);
        let caps = all.map(|device| device.caps()).filter(|caps| caps.kind != DeviceKind::Cpu);
        let mut uris: Vec<_> = caps.map(|caps| caps.uri.clone()).collect();
        uris.sort();
        uris.dedup();
        uris
    }
}

/// Attributes an error about bases to the key and an error about scalars to the witness.
pub fn with_section(section: Section, error: Error) -> crate::Error {
    match error {
        Error::Argument { argument: Argument::Bases, problem } => {
            crate::Error::argument("key", format!("section {section:?}: {problem}"))
        }
        Error::Argument { argument: Argument::Scalars, problem } if section != Section::H => {
            crate::Error::argument("witness", problem)
        }
        other => other.into(),
    }
}

/// Returns the error for a malformed result. It does not show the result, which depends on the witness.
pub fn malformed(device: &dyn Device, problem: &str) -> Error {
    failed(device, problem.into())
}

fn failed(device: &dyn Device, problem: String) -> Error {
    Error::Failed { device: device.caps().uri.clone(), problem }
}
