//! Which device does what.

use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::msm;
use proofmill_op::msm::{Bases, Check, Instance, Progress, Request, Response, Sums, read};
use proofmill_op::{Answer, Capability, Data, Device, DeviceKind, Error, Result, ntt};

use super::points::bases;
use super::suite::Suite;
use crate::snarkjs::{Section, Zkey};

/// Who makes proofs.
#[derive(Clone)]
pub struct Devices {
    /// Does what it offers.
    pub device: Arc<dyn Device>,
    /// Does the rest, and all of a proof again that the device got wrong: this machine's processor.
    pub helper: Option<Arc<dyn Device>>,
}

impl Devices {
    /// One that does everything.
    pub fn one(device: Arc<dyn Device>) -> Self {
        Self { device, helper: None }
    }

    /// The code path of what is done beside devices: that of the processor among them.
    pub fn isa(&self) -> Isa {
        let processors = self.helper.iter().chain([&self.device]);
        processors.filter_map(|device| device.caps().isa).next().unwrap_or_else(Isa::best)
    }

    /// The threads of this machine's processor, if it is among them.
    pub fn threads(&self) -> Option<usize> {
        let mut all = self.helper.iter().chain([&self.device]);
        all.find_map(|device| device.caps().threads)
    }

    fn offering(&self, capability: &Capability) -> Result<Arc<dyn Device>> {
        self.first(|device| device.caps().offers(capability))
            .ok_or_else(|| self.device.caps().demand(capability).expect_err("it does not offer it"))
    }

    /// The one that makes quotients of lists of 2^log elements of a field.
    fn dividing(&self, field: ntt::Field, log: u32) -> Result<Arc<dyn Device>> {
        let found = self.first(|device| device.caps().offers_quotient(field, log));
        found.ok_or_else(|| Error::Unsupported {
            device: self.device.caps().uri.clone(),
            what: format!("{}, a quotient of 2^{log} elements", Capability::Ntt(field)),
        })
    }

    fn first(&self, does: impl Fn(&dyn Device) -> bool) -> Option<Arc<dyn Device>> {
        [&self.device].into_iter().chain(&self.helper).find(|device| does(&***device)).cloned()
    }
}

/// For every step of a proof its device, and where its points are.
pub struct Route {
    /// For each [`Section`] of the key.
    pub sums: [(Arc<dyn Device>, Bases); 5],
    /// For the quotient.
    pub transforms: Arc<dyn Device>,
}

impl Route {
    /// Over these devices; if they are to keep the key, this waits until they do.
    pub fn new<E: Suite>(key: &Zkey, devices: &Devices, park: bool) -> crate::Result<Self> {
        let transforms = devices.dividing(E::FIELD, key.domain_log())?;
        let mut sums = Vec::new();
        for section in Section::ALL {
            let mut bases = bases(key, section, devices.isa());
            let instance = bases.instance;
            let device = devices.offering(&Capability::Msm(instance))?;
            if park {
                let ticket = device.submit(proofmill_op::Request::Msm(Request::Park(bases)))?;
                bases = match ticket.wait().map_err(|error| of_section(section, error))? {
                    Answer::Msm(Response::Parked(points)) => Bases::parked(instance, points),
                    _ => return Err(another(&*device).into()),
                };
            }
            sums.push((device, bases));
        }
        let sums = sums.try_into().unwrap_or_else(|_| unreachable!("as many as sections"));
        Ok(Self { sums, transforms })
    }

    /// What the device of a section is asked for its sum.
    pub fn request(
        &self,
        section: Section,
        scalars: Data,
        progress: Option<Progress>,
    ) -> proofmill_op::Request {
        let (_, bases) = &self.sums[section as usize];
        let sums = Sums { bases: bases.clone(), scalars: vec![scalars], progress };
        proofmill_op::Request::Msm(Request::Sums(sums))
    }

    /// The device of a section's sum.
    pub fn device(&self, section: Section) -> &Arc<dyn Device> {
        &self.sums[section as usize].0
    }

    /// Does the device of this section work while this machine's processor does something else?
    pub fn is_elsewhere(&self, section: Section) -> bool {
        self.device(section).caps().kind != DeviceKind::Cpu
    }

    /// The GPU that computes the sums of all these sections, if one does.
    pub fn gpu_of(&self, sections: &[Section]) -> Option<&Arc<dyn Device>> {
        let mut devices = sections.iter().map(|&section| self.device(section));
        let first = devices.next().filter(|device| device.caps().kind == DeviceKind::Gpu)?;
        devices.all(|device| Arc::ptr_eq(device, first)).then_some(first)
    }

    /// The point that a device answered; a device that answers anything else failed.
    pub fn sum<C: msm::Group<Base: Coordinate>>(
        &self,
        section: Section,
        answer: Answer,
    ) -> Result<Affine<C>> {
        let (device, bases) = &self.sums[section as usize];
        let Answer::Msm(Response::Sums { points, .. }) = &answer else {
            return Err(another(&**device));
        };
        match &points[..] {
            [point] if point.len() == bases.instance.point_bytes() => {
                read::point(0, point, Check::Curve).map_err(|problem| {
                    failed(&**device, format!("its sum of {section:?}: {problem}"))
                })
            }
            _ => Err(failed(&**device, "not one sum for one list of scalars".into())),
        }
    }

    /// The group of section H, if the device that makes its scalars adds them up, too, and is no processor of this machine.
    pub fn keeps(&self) -> Option<Instance> {
        let (sum, bases) = &self.sums[Section::H as usize];
        let same = Arc::ptr_eq(sum, &self.transforms) && self.is_elsewhere(Section::H);
        same.then_some(bases.instance)
    }

    /// An element of a quotient was not below the modulus.
    pub fn wrong_quotient(&self) -> Error {
        failed(&*self.transforms, "an element of its quotient is not below the modulus".into())
    }

    /// Those that are no processor of this machine, by their URIs.
    pub fn elsewhere(&self) -> Vec<String> {
        let all = self.sums.iter().map(|(device, _)| device).chain([&self.transforms]);
        let caps = all.map(|device| device.caps()).filter(|caps| caps.kind != DeviceKind::Cpu);
        let mut uris: Vec<_> = caps.map(|caps| caps.uri.clone()).collect();
        uris.sort();
        uris.dedup();
        uris
    }
}

/// A problem with points is one of the key's.
pub fn of_section(section: Section, error: Error) -> crate::Error {
    match error {
        Error::Argument { argument: "bases", problem } => {
            crate::Error::argument("key", format!("section {section:?}: {problem}"))
        }
        Error::Argument { argument: "scalars", problem } if section != Section::H => {
            crate::Error::argument("witness", problem)
        }
        other => other.into(),
    }
}

/// A device answered something else, which may say something of the witness.
pub fn another(device: &dyn Device) -> Error {
    failed(device, "an answer to another question".into())
}

fn failed(device: &dyn Device, problem: String) -> Error {
    Error::Failed { device: device.caps().uri.clone(), problem }
}
