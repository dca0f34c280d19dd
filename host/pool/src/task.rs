//! A request on its way through the pool: its parts, and what has come of them.

use std::sync::Arc;

use proofmill_op::msm::read;
use proofmill_op::msm::{Progress, Request as Msm, Response};
use proofmill_op::{Answer, Cancel, Capability, Completer, Error, Parked, Request, Result};

use crate::batch::Batch;
use crate::progress::Shares;
use crate::resident::Resident;
use crate::sums::{Cut, Parking};
use crate::whole::Whole;

/// What is to be done.
pub enum Work {
    /// For one card.
    Whole(Whole),
    /// Items for any card.
    Batch(Batch),
    /// How one of so many cards would do its part.
    Plan(Msm, usize),
    /// A range of bases a card.
    Park(Parking),
    /// A range of bases a card.
    Sums(Cut),
    /// A range of resident bases whose card is lost.
    Move(Arc<Resident>, usize),
}

impl Work {
    /// How many parts.
    pub fn parts(&self) -> usize {
        match self {
            Self::Whole(_) | Self::Plan(..) | Self::Move(..) => 1,
            Self::Batch(batch) => batch.parts(),
            Self::Park(parking) => parking.ranges().len(),
            Self::Sums(cut) => cut.ranges().len(),
        }
    }

    /// What a part costs a card, among parts that ask for the same.
    pub fn weight(&self, part: usize) -> usize {
        match self {
            Self::Whole(whole) => whole.weight(),
            Self::Batch(batch) => batch.items(part),
            Self::Plan(..) => 0,
            Self::Park(parking) => parking.ranges()[part].len(),
            Self::Sums(cut) => cut.ranges()[part].len(),
            Self::Move(resident, range) => resident.ranges[*range].len(),
        }
    }

    /// A part for a card, which has `parked` if it is sums over resident bases.
    pub fn request(&mut self, part: usize, parked: Option<Parked>) -> Option<Request> {
        Some(match self {
            Self::Whole(whole) => whole.request(),
            Self::Batch(batch) => batch.request(part),
            Self::Plan(plan, _) => Request::Msm(plan.clone()),
            Self::Park(parking) => Request::Msm(parking.request(part)),
            Self::Sums(cut) => Request::Msm(cut.request(part, parked)),
            Self::Move(resident, range) => Request::Msm(Msm::Park(resident.bases(*range)?)),
        })
    }

    /// An error of a part, with the numbers that points and scalars have in the request.
    pub fn renumbered(&self, part: usize, error: Error) -> Error {
        let ranges = match self {
            Self::Park(parking) => parking.ranges(),
            Self::Sums(cut) => cut.ranges(),
            _ => return error,
        };
        read::renumbered(error, ranges[part].start)
    }
}

/// A request on its way.
pub struct Task {
    /// What is done.
    pub work: Work,
    /// Whoever waits; the pool itself does for what it moves.
    pub completer: Option<Completer>,
    /// Is said when nobody waits any more.
    pub given_up: Cancel,
    /// What every card that does a part has to offer.
    pub capability: Capability,
    shares: Option<Arc<Shares>>,
    /// Member and answer of each part.
    answers: Vec<Option<(usize, Answer)>>,
    /// The first part with a wrong argument.
    wrong: Option<(usize, Error)>,
    left: usize,
    identity: u64,
}

impl Task {
    /// Nothing was done yet.
    pub fn new(
        work: Work,
        capability: Capability,
        (completer, given_up): (Option<Completer>, Cancel),
        progress: Option<Progress>,
        identity: u64,
    ) -> Self {
        let left = work.parts();
        let weights = || (0..left).map(|part| work.weight(part).max(1) as f64).collect();
        let shares = progress.map(|progress| Shares::new(weights(), progress));
        let answers = std::iter::repeat_with(|| None).take(left).collect();
        Self { work, completer, given_up, capability, shares, answers, wrong: None, left, identity }
    }

    /// Does nobody wait any more?
    pub fn is_given_up(&self) -> bool {
        self.completer.as_ref().is_some_and(Completer::is_cancelled)
    }

    /// A part for a card; `None` if there is nothing to be sent any more.
    pub fn request(&mut self, part: usize, parked: Option<Parked>) -> Option<Request> {
        let mut request = self.work.request(part, parked)?;
        if let (Some(slot), Some(shares)) = (request.progress_mut(), &self.shares) {
            *slot = Some(shares.of(part));
        }
        Some(request)
    }

    /// A part is done. Is that all?
    pub fn answered(&mut self, part: usize, member: usize, answer: Answer) -> bool {
        self.answers[part] = Some((member, answer));
        self.left -= 1;
        self.left == 0
    }

    /// A part has a wrong argument. Is that all? The first one in the request is told, so the others are waited for.
    pub fn refused(&mut self, part: usize, error: Error) -> bool {
        if self.wrong.as_ref().is_none_or(|(first, _)| part < *first) {
            self.wrong = Some((part, self.work.renumbered(part, error)));
        }
        self.left -= 1;
        self.left == 0
    }

    /// The same task, done in another way from the beginning on.
    pub fn replaced(self, work: Work) -> Self {
        let Self { completer, given_up, capability, identity, .. } = self;
        Self::new(work, capability, (completer, given_up), None, identity)
    }

    /// Member and answer, of a task of one part that is done.
    pub fn only_answer(self) -> Option<(usize, Answer)> {
        self.answers.into_iter().next().flatten()
    }

    /// The answer, when all parts are done.
    pub fn answer(self) -> (Option<Completer>, Result<Answer>) {
        let Self { work, completer, answers, wrong, identity, .. } = self;
        if let Some((_, error)) = wrong {
            return (completer, Err(error));
        }
        let answers: Vec<_> = answers.into_iter().flatten().collect();
        let plain = |answers: Vec<(usize, Answer)>| answers.into_iter().map(|it| it.1).collect();
        let joined = match work {
            Work::Park(parking) => parking.join(answers, identity),
            Work::Sums(cut) => cut.join(plain(answers)),
            Work::Batch(batch) => batch.join(plain(answers)),
            Work::Plan(_, cards) => of_all(plain(answers), cards),
            Work::Whole(_) | Work::Move(..) => only(plain(answers)),
        };
        (completer, joined)
    }
}

fn only(answers: Vec<Answer>) -> Result<Answer> {
    answers.into_iter().next().ok_or_else(|| Error::argument("answer", "to no question"))
}

/// A plan with the memory of all cards.
fn of_all(answers: Vec<Answer>, cards: usize) -> Result<Answer> {
    let mut answer = only(answers)?;
    if let Answer::Msm(Response::Plan(plan)) = &mut answer {
        plan.memory = plan.memory.saturating_mul(cards);
        plan.parked = plan.parked.saturating_mul(cards);
    }
    Ok(answer)
}
