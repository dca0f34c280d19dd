//! A request in the pool: its parts and their responses.

use std::sync::Arc;

use proofmill_op::msm::read;
use proofmill_op::{
    AnyCompleter, AnyRequest, AnyResponse, Cancel, Capability, Error, Progress, ResidentData,
    Result,
};

use crate::batch::Batch;
use crate::msm::{LoadWork, MsmWork, PlanWork};
use crate::progress::Shares;
use crate::resident::Resident;
use crate::whole::Whole;

/// The work of a request.
pub enum Work {
    /// A request for one card.
    Whole(Whole),
    /// Items for any card.
    Batch(Batch),
    /// A plan of one card.
    Plan(PlanWork),
    /// A range of bases for each card.
    Load(LoadWork),
    /// A range of bases for each card.
    Msm(MsmWork),
    /// A range of resident bases whose card is lost.
    Move(Arc<Resident>, usize),
}

impl Work {
    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        match self {
            Self::Whole(_) | Self::Plan(_) | Self::Move(..) => 1,
            Self::Batch(batch) => batch.parts(),
            Self::Load(load) => load.ranges().len(),
            Self::Msm(msm) => msm.ranges().len(),
        }
    }

    /// Returns the cost of a part for a card, relative to other parts of the same operation.
    pub fn weight(&self, part: usize) -> usize {
        match self {
            Self::Whole(whole) => whole.weight(),
            Self::Batch(batch) => batch.items(part),
            Self::Plan(_) => 0,
            Self::Load(load) => load.ranges()[part].len(),
            Self::Msm(msm) => msm.ranges()[part].len(),
            Self::Move(resident, range) => resident.ranges[*range].len(),
        }
    }

    /// Returns a part for a card. `handle` is that of its range, for MSMs over resident bases.
    pub fn request(&mut self, part: usize, handle: Option<ResidentData>) -> Option<AnyRequest> {
        Some(match self {
            Self::Whole(whole) => whole.request(),
            Self::Batch(batch) => batch.request(part),
            Self::Plan(plan) => plan.request.into(),
            Self::Load(load) => load.request(part).into(),
            Self::Msm(msm) => msm.request(part, handle).into(),
            Self::Move(resident, range) => resident.bases(*range)?.into(),
        })
    }

    /// Returns an error of a part with the numbers of points and scalars in the request.
    pub fn renumbered(&self, part: usize, error: Error) -> Error {
        let ranges = match self {
            Self::Load(load) => load.ranges(),
            Self::Msm(msm) => msm.ranges(),
            _ => return error,
        };
        read::renumbered(error, ranges[part].start)
    }
}

/// A request in the pool.
pub struct Task {
    /// The work.
    pub work: Work,
    /// The completer; none for bases that the pool moves.
    pub completer: Option<AnyCompleter>,
    /// Set when the ticket is cancelled.
    pub cancel: Cancel,
    /// The capability that each part needs.
    pub capability: Capability,
    shares: Option<Arc<Shares>>,
    /// The member and response of each part.
    responses: Vec<Option<(usize, AnyResponse)>>,
    /// The first part with a wrong argument.
    wrong: Option<(usize, Error)>,
    left: usize,
    identity: u64,
}

impl Task {
    /// Returns a task of which nothing is done.
    pub fn new(
        work: Work,
        capability: Capability,
        (completer, cancel): (Option<AnyCompleter>, Cancel),
        progress: Option<Progress>,
        identity: u64,
    ) -> Self {
        let left = work.parts();
        let weights = || (0..left).map(|part| work.weight(part).max(1) as f64).collect();
        let shares = progress.map(|progress| Shares::new(weights(), progress));
        let responses = std::iter::repeat_with(|| None).take(left).collect();
        Self { work, completer, cancel, capability, shares, responses, wrong: None, left, identity }
    }

    /// Returns whether the ticket was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.completer.as_ref().is_some_and(AnyCompleter::is_cancelled)
    }

    /// Returns a part for a card; `None` if its data no longer exist.
    pub fn request(&mut self, part: usize, handle: Option<ResidentData>) -> Option<AnyRequest> {
        let mut request = self.work.request(part, handle)?;
        if let (Some(slot), Some(shares)) = (request.progress_mut(), &self.shares) {
            *slot = Some(shares.of(part));
        }
        Some(request)
    }

    /// Stores the response to a part. Returns whether all parts are done.
    pub fn complete_part(&mut self, part: usize, member: usize, response: AnyResponse) -> bool {
        self.responses[part] = Some((member, response));
        self.left -= 1;
        self.left == 0
    }

    /// Stores the error of a part with a wrong argument. Returns whether all parts are done: the error of the first part in the request is
    /// reported, so the others are awaited.
    pub fn refuse_part(&mut self, part: usize, error: Error) -> bool {
        if self.wrong.as_ref().is_none_or(|(first, _)| part < *first) {
            self.wrong = Some((part, self.work.renumbered(part, error)));
        }
        self.left -= 1;
        self.left == 0
    }

    /// Returns the task with other work, from the start.
    pub fn replaced(self, work: Work) -> Self {
        let Self { completer, cancel, capability, identity, .. } = self;
        Self::new(work, capability, (completer, cancel), None, identity)
    }

    /// Returns the member and response of a task of one part that is done.
    pub fn only_response(self) -> Option<(usize, AnyResponse)> {
        self.responses.into_iter().next().flatten()
    }

    /// Joins the responses when all parts are done.
    pub fn join(self) -> (Option<AnyCompleter>, Result<AnyResponse>) {
        let Self { work, completer, responses, wrong, identity, .. } = self;
        if let Some((_, error)) = wrong {
            return (completer, Err(error));
        }
        let responses: Vec<_> = responses.into_iter().flatten().collect();
        let plain =
            |responses: Vec<(usize, AnyResponse)>| responses.into_iter().map(|it| it.1).collect();
        let joined = match work {
            Work::Load(load) => load.join(responses, identity),
            Work::Msm(msm) => msm.join(plain(responses)),
            Work::Batch(batch) => batch.join(plain(responses)),
            Work::Plan(plan) => only(plain(responses)).and_then(|response| plan.join(response)),
            Work::Whole(_) | Work::Move(..) => only(plain(responses)),
        };
        (completer, joined)
    }
}

fn only(responses: Vec<AnyResponse>) -> Result<AnyResponse> {
    let none =
        || Error::Failed { device: "the pool".into(), problem: "no part of a request".into() };
    responses.into_iter().next().ok_or_else(none)
}
