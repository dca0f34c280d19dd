//! One attempt at a proof, on the devices of one route.
//!
//! 1. The MSMs over the witness (A, B1, B2, C): those of other devices are submitted at once, those of this machine's processor run one after
//!    the other, or at the same time if they are so short that one leaves threads idle. A GPU that computes all four loads the witness once.
//! 2. The products of the matrices with the witness; the quotient.
//! 3. The MSM of section H.
//! 4. The points of the proof.

use std::sync::Arc;
use std::time::Instant;

use proofmill_op::{
    Bytes, Data, Device as _, Progress, ResidentData, Submit, Ticket, milliseconds, msm,
};
use tracing::{Span, debug};

use super::Proof;
use super::assemble::{Blinding, Msms, assemble};
use super::control::{Control, Executor};
use super::prove::Prover;
use super::quotient::{HBasis, coefficients, quotient, request};
use super::report::{Step, Timed};
use super::route::{Route, with_section};
use super::suite::{ScalarOf, Suite};
use crate::Result;
use crate::attempts::{phase, timed};
use crate::snarkjs::{Section, Witness};

/// The MSMs over the witness.
const OF_WITNESS: [Section; 4] = [Section::A, Section::B1, Section::B2, Section::C];

/// Variables of a key whose MSMs on this machine's processor run at the same time. Larger ones keep all threads busy, and need memory.
const SHORT: usize = 1 << 9;

/// An attempt.
pub struct Attempt<'a> {
    /// The prover.
    pub prover: &'a Prover,
    /// The devices of the steps.
    pub route: &'a Route,
    /// Receives progress and can cancel the attempt.
    pub control: &'a Control,
    /// The threads of this machine's processor.
    pub executor: Executor,
    /// Receives the steps that are done.
    pub steps: &'a mut Vec<Timed>,
}

/// An MSM that was submitted.
struct Running {
    section: Section,
    ticket: Ticket<msm::Response>,
    start: Instant,
    span: Span,
}

impl Attempt<'_> {
    /// Computes a proof, without verifying it.
    pub fn run<E: Suite>(&mut self, witness: &Witness) -> Result<Proof> {
        let values = witness.values();
        let host = Scalars::Host(witness.secret_bytes());
        let resident = self.resident(&host)?;
        let witness = resident.as_ref().unwrap_or(&host);
        let mut points = [const { None }; 5];
        let (at_once, in_turn): (Vec<_>, Vec<_>) =
            OF_WITNESS.into_iter().partition(|&section| self.starts_at_once(section));
        let mut running = Vec::new();
        for section in at_once {
            running.push(self.start(section, witness)?);
        }
        for section in in_turn {
            points[section as usize] = Some(self.msm(section, witness)?);
        }
        let h = self.scalars_of_h::<E>(values)?;
        if self.route.is_offloaded(Section::H) {
            running.push(self.start(Section::H, &h)?);
        } else {
            points[Section::H as usize] = Some(self.msm(Section::H, &h)?);
        }
        for msm in running {
            let section = msm.section;
            points[section as usize] = Some(self.finish(msm)?);
        }
        let [a, b1, b2, c, h] = points.map(|response| response.expect("one for each section"));
        let route = self.route;
        let sums = Msms::<E> {
            a: route.point(Section::A, a)?,
            b1: route.point(Section::B1, b1)?,
            b2: route.point(Section::B2, b2)?,
            c: route.point(Section::C, c)?,
            h: self.prover.h_basis.scaled(route.point(Section::H, h)?),
        };
        let key = &self.prover.key;
        self.control.cancel.check()?;
        self.timed(Step::Assembly, None, || assemble(key, &sums, &Blinding::random()?))
    }

    /// Returns whether the MSM of a section need not wait for others: on another device, or a short one on this machine's processor.
    fn starts_at_once(&self, section: Section) -> bool {
        let is_short = self.prover.key.variables() <= SHORT;
        self.route.is_offloaded(section) || is_short && self.executor == Executor::Device
    }

    /// Loads the witness into the GPU that computes all MSMs over it. Returns `None` if no single GPU does, or if that refuses.
    fn resident(&self, witness: &Scalars) -> Result<Option<Scalars>> {
        let Some(gpu) = self.route.gpu_of(&OF_WITNESS) else { return Ok(None) };
        match gpu.load(witness.data()) {
            Ok(resident) => Ok(Some(Scalars::Resident(resident))),
            Err(proofmill_op::Error::Argument { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs [`Step::Check`].
    pub fn check(&mut self, check: impl FnOnce() -> bool) -> bool {
        self.timed(Step::Check, None, check)
    }

    /// Computes the scalars of section H. They stay on the device if it also computes the MSM and has memory.
    fn scalars_of_h<E: Suite>(&mut self, values: &[super::Scalar]) -> Result<Scalars> {
        let Self { prover, route, control, executor, .. } = *self;
        let rows = || prover.rows.times::<ScalarOf<E>>(values, &control.cancel);
        let rows = self.timed(Step::Rows, None, rows)?;
        let uri = route.transforms.caps().uri.clone();
        let mut request = request::<ScalarOf<E>>(E::FIELD, rows);
        request.progress = self.progress(Step::Quotient);
        let quotient = || match prover.h_basis {
            HBasis::OddCoset => quotient::<E>(route, request, executor, &control.cancel),
            HBasis::Powers => coefficients::<E>(route, request, executor, &control.cancel),
        };
        Ok(self.timed(Step::Quotient, Some(uri), quotient)?)
    }

    /// Computes the MSM of a section on this machine's processor.
    fn msm(&mut self, section: Section, scalars: &Scalars) -> Result<msm::Response> {
        if self.executor == Executor::Device {
            let running = self.start(section, scalars)?;
            return self.finish(running);
        }
        let Self { route, control, executor, .. } = *self;
        let request = route.request(section, scalars.data(), self.progress(Step::Msm(section)));
        let device = route.device(section);
        let work = || executor.execute(&**device, request, &control.cancel);
        let response = self.timed(Step::Msm(section), Some(device.caps().uri.clone()), work);
        response.map_err(|error| with_section(section, error))
    }

    fn start(&self, section: Section, scalars: &Scalars) -> Result<Running> {
        let Self { route, control, .. } = *self;
        let request = route.request(section, scalars.data(), self.progress(Step::Msm(section)));
        let (span, start) = (phase(Step::Msm(section)), Instant::now());
        let ticket = span.in_scope(|| route.device(section).submit(request));
        let ticket = ticket.map_err(|error| with_section(section, error))?;
        Ok(Running { section, ticket: ticket.linked_to(&control.cancel), start, span })
    }

    fn progress(&self, step: Step) -> Option<Progress> {
        let progress = self.control.progress.clone();
        progress.map(|progress| Progress(Arc::new(move |part| progress(step, part))))
    }

    fn finish(&mut self, running: Running) -> Result<msm::Response> {
        let Running { section, ticket, start, span } = running;
        let (response, end) = ticket.wait_stamped();
        let seconds = end.saturating_duration_since(start).as_secs_f64();
        let ms = milliseconds(seconds);
        span.in_scope(|| match response {
            Ok(_) => debug!(ms, "done"),
            Err(_) => debug!(ms, "failed"),
        });
        let device = Some(self.route.device(section).caps().uri.clone());
        self.steps.push(Timed { step: Step::Msm(section), device, seconds });
        response.map_err(|error| with_section(section, error))
    }

    fn timed<T>(&mut self, step: Step, device: Option<String>, work: impl FnOnce() -> T) -> T {
        timed(self.control, self.steps, step, device, work)
    }
}

/// The scalars of an MSM.
pub enum Scalars {
    /// On the host.
    Host(Bytes),
    /// On the device of the MSM.
    Resident(ResidentData),
}

impl Scalars {
    fn data(&self) -> Data {
        match self {
            Self::Host(bytes) => Data::Host(bytes.clone()),
            Self::Resident(resident) => Data::Resident(resident.clone()),
        }
    }
}
