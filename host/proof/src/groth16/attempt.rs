//! One way to a proof, over one route.
//!
//! 1. The sums over the witness (A, B1, B2, C) that other machines compute are asked for at once; this machine's processor
//!    computes its own one after the other. A GPU that computes all four gets the witness once.
//! 2. The products of the matrices with the witness; the quotient.
//! 3. The sum H.
//! 4. The points of the proof.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use proofmill_op::msm::Progress;
use proofmill_op::{Answer, Data, Parked, Ticket, milliseconds};
use tracing::{Span, debug, debug_span};

use super::assemble::{Blinding, Sums, assemble};
use super::control::{Control, Place};
use super::prove::Prover;
use super::quotient::{quotient, request};
use super::report::{Step, Timed};
use super::route::{Route, of_section};
use super::suite::{ScalarOf, Suite};
use super::{Proof, Scalar};
use crate::snarkjs::Section;
use crate::wiped::WipedBytes;
use crate::{Error, Result};

/// The sums over the witness.
const OF_WITNESS: [Section; 4] = [Section::A, Section::B1, Section::B2, Section::C];

/// What an attempt came to.
pub enum Outcome {
    /// A proof, which verifies if that was asked.
    Right(Proof),
    /// One that does not verify.
    Wrong,
    /// None: a device did not answer.
    Failed(proofmill_op::Error),
}

impl Outcome {
    /// The proof of a last attempt.
    pub fn proof(self) -> Result<Proof> {
        match self {
            Self::Right(proof) => Ok(proof),
            Self::Wrong => Err(Error::DoesNotVerify),
            Self::Failed(error) => Err(error.into()),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Right(_) => f.write_str("the proof is right"),
            Self::Wrong => f.write_str("the proof that was made of its answers does not verify"),
            Self::Failed(error) => error.fmt(f),
        }
    }
}

/// An attempt.
pub struct Attempt<'a> {
    /// The key and what is kept of it.
    pub prover: &'a Prover,
    /// Which device does what.
    pub route: &'a Route,
    /// Is told how far it is, and gives it up.
    pub control: &'a Control,
    /// Where this machine's processor works.
    pub place: Place,
    /// Gets what was done.
    pub steps: &'a mut Vec<Timed>,
}

/// A sum that was asked for.
struct UnderWay {
    section: Section,
    ticket: Ticket,
    start: Instant,
    span: Span,
}

impl Attempt<'_> {
    /// The proof, not verified.
    pub fn run<E: Suite>(&mut self, values: &[Scalar]) -> Result<Proof> {
        let host = Scalars::Here(WipedBytes(values.as_flattened().into()));
        // Dropped before the witness on the host, of which a device may keep a clone.
        let resident = self.resident(&host)?;
        let witness = resident.as_ref().unwrap_or(&host);
        let mut answers = [const { None }; 5];
        let (elsewhere, here): (Vec<_>, Vec<_>) =
            OF_WITNESS.into_iter().partition(|&section| self.route.is_elsewhere(section));
        let mut under_way = Vec::new();
        for section in elsewhere {
            under_way.push(self.start(section, witness)?);
        }
        for section in here {
            answers[section as usize] = Some(self.sum(section, witness)?);
        }
        let h = self.scalars_of_h::<E>(values)?;
        if self.route.is_elsewhere(Section::H) {
            under_way.push(self.start(Section::H, &h)?);
        } else {
            answers[Section::H as usize] = Some(self.sum(Section::H, &h)?);
        }
        for sum in under_way {
            let section = sum.section;
            answers[section as usize] = Some(self.finish(sum)?);
        }
        let [a, b1, b2, c, h] = answers.map(|answer| answer.expect("each section was asked for"));
        let route = self.route;
        let sums = Sums::<E> {
            a: route.sum(Section::A, a)?,
            b1: route.sum(Section::B1, b1)?,
            b2: route.sum(Section::B2, b2)?,
            c: route.sum(Section::C, c)?,
            h: route.sum(Section::H, h)?,
        };
        let key = &self.prover.key;
        self.control.cancel.go_on()?;
        self.timed(Step::Assembly, None, || assemble(key, &sums, &Blinding::random()?))
    }

    /// Makes the witness resident on the GPU that computes all sums over it. Returns `None` where no single GPU does, or where that refuses.
    fn resident(&self, witness: &Scalars) -> Result<Option<Scalars>> {
        let Some(gpu) = self.route.gpu_of(&OF_WITNESS) else { return Ok(None) };
        match gpu.park(witness.data()) {
            Ok(parked) => Ok(Some(Scalars::There(parked))),
            Err(proofmill_op::Error::Argument { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// [`Step::Check`].
    pub fn check(&mut self, check: impl FnOnce() -> bool) -> bool {
        self.timed(Step::Check, None, check)
    }

    /// The scalars of section H; they stay on the device that makes them, if it adds them up too and has room.
    fn scalars_of_h<E: Suite>(&mut self, values: &[Scalar]) -> Result<Scalars> {
        let Self { prover, route, control, place, .. } = *self;
        let rows = || prover.rows.times::<ScalarOf<E>>(values, &control.cancel);
        let rows = self.timed(Step::Rows, None, rows)?;
        let uri = route.transforms.caps().uri.clone();
        let mut request = request::<ScalarOf<E>>(E::FIELD, rows);
        request.progress = self.progress(Step::Quotient);
        let quotient = || quotient::<E>(route, request, place, &control.cancel);
        Ok(self.timed(Step::Quotient, Some(uri), quotient)?)
    }

    /// The sum of a section on this machine's processor.
    fn sum(&mut self, section: Section, scalars: &Scalars) -> Result<Answer> {
        if self.place == Place::Device {
            let sum = self.start(section, scalars)?;
            return self.finish(sum);
        }
        let Self { route, control, place, .. } = *self;
        let request = route.request(section, scalars.data(), self.progress(Step::Sum(section)));
        let device = route.device(section);
        let work = || place.answer(&**device, request, &control.cancel);
        let answer = self.timed(Step::Sum(section), Some(device.caps().uri.clone()), work);
        answer.map_err(|error| of_section(section, error))
    }

    fn start(&self, section: Section, scalars: &Scalars) -> Result<UnderWay> {
        let Self { route, control, .. } = *self;
        let request = route.request(section, scalars.data(), self.progress(Step::Sum(section)));
        let (span, start) = (phase(Step::Sum(section)), Instant::now());
        let ticket = span.in_scope(|| route.device(section).submit(request));
        let ticket = ticket.map_err(|error| of_section(section, error))?;
        Ok(UnderWay { section, ticket: ticket.covered_by(&control.cancel), start, span })
    }

    fn progress(&self, step: Step) -> Option<Progress> {
        let watch = self.control.watch.clone();
        watch.map(|watch| Progress(Arc::new(move |part| watch(step, part))))
    }

    fn finish(&mut self, sum: UnderWay) -> Result<Answer> {
        let UnderWay { section, ticket, start, span } = sum;
        let (answer, end) = ticket.wait_stamped();
        let seconds = end.saturating_duration_since(start).as_secs_f64();
        let ms = milliseconds(seconds);
        span.in_scope(|| match answer {
            Ok(_) => debug!(ms, "done"),
            Err(_) => debug!(ms, "failed"),
        });
        let device = Some(self.route.device(section).caps().uri.clone());
        self.steps.push(Timed { step: Step::Sum(section), device, seconds });
        answer.map_err(|error| of_section(section, error))
    }

    fn timed<T>(&mut self, step: Step, device: Option<String>, work: impl FnOnce() -> T) -> T {
        let say = |part| self.control.watch.iter().for_each(|watch| watch(step, part));
        let (span, start) = (phase(step).entered(), Instant::now());
        say(0.0);
        let done = work();
        say(1.0);
        let seconds = start.elapsed().as_secs_f64();
        debug!(ms = milliseconds(seconds), "done");
        drop(span);
        self.steps.push(Timed { step, device, seconds });
        done
    }
}

/// The span of a step.
fn phase(step: Step) -> Span {
    debug_span!("phase", %step)
}

/// Scalars of a sum.
pub enum Scalars {
    /// On this machine.
    Here(WipedBytes),
    /// On the device that adds them up.
    There(Parked),
}

impl Scalars {
    fn data(&self) -> Data {
        match self {
            Self::Here(WipedBytes(bytes)) => Data::Here(bytes.clone()),
            Self::There(parked) => Data::Parked(parked.clone()),
        }
    }
}
