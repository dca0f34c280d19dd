//! Which card does which part, and what becomes of the parts of a card that is lost.
//!
//! 1. `enter`: a batch waits in the queue of what it asks; everything else goes to its card at once, which says what is wrong with it.
//! 2. `feed`: a waiting part goes to a card that is free: one with less than two parts, or with fewer items than twice its queue.
//! 3. `take_in`: an answer is kept until its task has all. A part that was lost is placed again.
//! 4. Sums over resident bases wait while a lost range is on its way to another card.

use std::collections::{HashMap, VecDeque};
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use proofmill_op::msm::{Progress, Response};
use proofmill_op::{
    Answer, Cancel, Capability, Completer, Device, Error, Parked, Request, Result, Ticket,
};

use crate::resident::{Place, Resident};
use crate::task::{Task, Work};
use crate::whole::Whole;

/// A part that was under way on so many cards as they were lost is not given to another: it may be the reason.
const MOST_LOSSES: usize = 2;

/// A part of a task.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    task: u64,
    part: usize,
    losses: usize,
}

/// A card of the pool.
struct Member {
    device: Box<dyn Device>,
    lost: Option<Error>,
    under_way: Vec<UnderWay>,
}

/// A part that a card has.
struct UnderWay {
    ticket: Ticket,
    piece: Piece,
    capability: Capability,
    weight: usize,
}

impl Member {
    /// Parts and their weight that ask for this.
    fn load(&self, capability: &Capability) -> (usize, usize) {
        let same = self.under_way.iter().filter(|it| it.capability == *capability);
        same.fold((0, 0), |(parts, weight), it| (parts + 1, weight + it.weight))
    }

    fn is_free(&self, capability: &Capability) -> bool {
        let (parts, items) = self.load(capability);
        parts < 2 || items < 2 * self.device.caps().queue
    }
}

/// A task that has ended: whoever waits for it is told without the lock.
pub enum Ended {
    /// All of its parts are done.
    Done(Box<Task>),
    /// With an error.
    Failed(Completer, Error),
}

impl Ended {
    /// Ends the ticket.
    pub fn tell(self) {
        match self {
            Self::Failed(completer, error) => completer.complete(Err(error)),
            Self::Done(task) => {
                if let (Some(completer), answer) = task.answer() {
                    completer.complete(answer);
                }
            }
        }
    }
}

/// What is where.
pub struct State {
    uri: String,
    members: Vec<Member>,
    tasks: HashMap<u64, Task>,
    queues: Vec<(Capability, VecDeque<Piece>)>,
    next: u64,
    ended: Vec<Ended>,
    /// Nothing more will be asked.
    pub closing: bool,
}

fn is_loss(error: &Error) -> bool {
    matches!(error, Error::Lost { .. } | Error::TimedOut { .. })
}

impl State {
    /// With nothing to do.
    pub fn new(uri: &str, members: Vec<Box<dyn Device>>) -> Self {
        let member = |device| Member { device, lost: None, under_way: vec![] };
        Self {
            uri: uri.to_owned(),
            members: members.into_iter().map(member).collect(),
            tasks: HashMap::new(),
            queues: vec![],
            next: 0,
            ended: vec![],
            closing: false,
        }
    }

    /// The members that are not lost; an error if all are.
    pub fn alive(&self) -> Result<Vec<usize>> {
        let alive = |number: &usize| self.members[*number].lost.is_none();
        let alive: Vec<_> = (0..self.members.len()).filter(alive).collect();
        if !alive.is_empty() {
            return Ok(alive);
        }
        let why: Vec<_> = self.lost().iter().map(|(_, error)| error.to_string()).collect();
        Err(Error::Lost { device: self.uri.clone(), problem: why.join("; ") })
    }

    /// The members that are lost: URI and why.
    pub fn lost(&self) -> Vec<(String, Error)> {
        let lost = |it: &Member| it.lost.clone().map(|error| (it.device.caps().uri.clone(), error));
        self.members.iter().filter_map(lost).collect()
    }

    /// The largest number of cycles that a member counts.
    pub fn cycles(&self) -> Option<u64> {
        self.members.iter().filter_map(|it| it.device.metrics().cycles).max()
    }

    /// Asks every member for nothing of this kind; the first refusal.
    pub fn each_takes(&mut self, nothing: &Request) -> Result<()> {
        for member in self.alive()? {
            match self.members[member].device.submit(nothing.clone()) {
                Err(error) if is_loss(&error) => drop(self.lose(member, error)),
                taken => drop(taken?),
            }
        }
        Ok(())
    }

    /// What has ended since it was last asked.
    pub fn ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.ended)
    }

    /// Is everything done that will ever be?
    pub fn is_over(&self) -> bool {
        self.closing && self.tasks.is_empty()
    }

    /// Takes work in. What its card finds wrong with it at once is told at once.
    pub fn enter(
        &mut self,
        work: Work,
        capability: Capability,
        progress: Option<Progress>,
        identity: u64,
    ) -> Result<Ticket> {
        self.alive()?;
        let given_up = Cancel::new();
        let (completer, ticket) = Ticket::of_work(given_up.clone());
        let (parts, waits) = (work.parts(), matches!(work, Work::Batch(_)));
        let ends = (Some(completer), given_up.clone());
        let id = self.begin(Task::new(work, capability.clone(), ends, progress, identity));
        for part in 0..parts {
            let piece = Piece { task: id, part, losses: 0 };
            if waits {
                self.queue(&capability).push_back(piece);
            } else if let Err(error) = self.place(piece) {
                let error = match self.tasks.remove(&id) {
                    Some(task) => task.work.renumbered(part, error),
                    None => error,
                };
                given_up.cancel();
                return Err(error);
            }
        }
        self.feed();
        Ok(ticket)
    }

    fn begin(&mut self, task: Task) -> u64 {
        self.next += 1;
        self.tasks.insert(self.next, task);
        self.next
    }

    fn queue(&mut self, capability: &Capability) -> &mut VecDeque<Piece> {
        let known = self.queues.iter().position(|(known, _)| known == capability);
        let number = known.unwrap_or_else(|| {
            self.queues.push((capability.clone(), VecDeque::new()));
            self.queues.len() - 1
        });
        &mut self.queues[number].1
    }

    /// Gives waiting parts to cards that are free.
    fn feed(&mut self) {
        for number in 0..self.queues.len() {
            let capability = self.queues[number].0.clone();
            while let Some(&piece) = self.queues[number].1.front() {
                let is_wanted = self.tasks.get(&piece.task).is_some_and(|it| !it.is_given_up());
                let free = self.alive().map(|alive| self.free(&alive, &capability));
                if is_wanted && matches!(free, Ok(None)) {
                    break;
                }
                self.queues[number].1.pop_front();
                match free {
                    Ok(Some(member)) if is_wanted => match self.send(piece, member, None) {
                        Ok(true) => {}
                        Ok(false) => self.queues[number].1.push_front(piece),
                        Err(error) => self.wrong(piece, error),
                    },
                    Err(error) => self.fail(piece.task, error),
                    Ok(_) => {}
                }
            }
        }
    }

    /// The one with the least to do among those that are free.
    fn free(&self, alive: &[usize], capability: &Capability) -> Option<usize> {
        let free = alive.iter().copied().filter(|it| self.members[*it].is_free(capability));
        free.min_by_key(|it| self.members[*it].load(capability).1)
    }

    /// Gives a part to the card that is to do it, or lets it wait for one.
    fn place(&mut self, piece: Piece) -> Result<()> {
        while let Some(task) = self.tasks.get(&piece.task) {
            let resident = match &task.work {
                Work::Sums(cut) => cut.resident.clone(),
                _ => None,
            };
            let alive = self.alive()?;
            let (member, parked) = match (resident, &task.work) {
                (Some(resident), _) => match self.holder(&resident, piece)? {
                    Some((member, parked)) => (member, Some(parked)),
                    None => return Ok(()),
                },
                (None, Work::Park(_) | Work::Sums(_)) => (alive[piece.part % alive.len()], None),
                _ => {
                    let load = |it: &&usize| self.members[**it].load(&task.capability).1;
                    (alive.iter().min_by_key(load).copied().unwrap_or(0), None)
                }
            };
            if self.send(piece, member, parked)? {
                break;
            }
        }
        Ok(())
    }

    /// Gives a part to this card; false if that is lost.
    fn send(&mut self, piece: Piece, member: usize, parked: Option<Parked>) -> Result<bool> {
        let Some(task) = self.tasks.get_mut(&piece.task) else { return Ok(true) };
        let Some(request) = task.request(piece.part, parked) else {
            let problem = "the points are not on this machine any more".into();
            return Err(Error::Failed { device: self.uri.clone(), problem });
        };
        match self.members[member].device.submit(request) {
            Ok(ticket) => {
                let ticket = ticket.covered_by(&task.given_up);
                let (capability, weight) = (task.capability.clone(), task.work.weight(piece.part));
                let under_way = UnderWay { ticket, piece, capability, weight };
                self.members[member].under_way.push(under_way);
                Ok(true)
            }
            Err(error) if is_loss(&error) => {
                self.lose(member, error);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Who has this part's range of resident bases; `None` while it is on its way.
    fn holder(
        &mut self,
        resident: &Arc<Resident>,
        piece: Piece,
    ) -> Result<Option<(usize, Parked)>> {
        let range = piece.part;
        let failed = |uri: &str, problem: String| Error::Failed { device: uri.to_owned(), problem };
        let lost = match &mut resident.places()[range] {
            Place::On(member, parked) => match &self.members[*member].lost {
                None => return Ok(Some((*member, parked.clone()))),
                Some(error) => error.clone(),
            },
            Place::Moving(waiting) => {
                waiting.push(piece);
                return Ok(None);
            }
            Place::Gone(why) => return Err(failed(&self.uri, why.clone())),
        };
        let points = &resident.ranges[range];
        let lost = format!("{lost}; it had the points {} to {}", points.start, points.end);
        if resident.bases(range).is_none() {
            let why = format!("{lost} of these bases, which are not on this machine any more");
            resident.moved(range, Place::Gone(why.clone()));
            return Err(failed(&self.uri, why));
        }
        resident.moved(range, Place::Moving(vec![piece]));
        let capability = Capability::Msm(resident.terms.instance);
        let work = Work::Move(resident.clone(), range);
        let id = self.begin(Task::new(work, capability, (None, Cancel::new()), None, 0));
        match self.place(Piece { task: id, part: 0, losses: 0 }) {
            Ok(()) => Ok(None),
            Err(error) => {
                self.tasks.remove(&id);
                let why = format!("{lost} of these bases, and no other card took them: {error}");
                resident.moved(range, Place::Gone(why.clone()));
                Err(failed(&self.uri, why))
            }
        }
    }

    /// Leaves a card out from now on; why. That error calls it by its URI, whatever its transport calls it.
    fn lose(&mut self, member: usize, error: Error) -> Error {
        let member = &mut self.members[member];
        let device = member.device.caps().uri.clone();
        let error = match error {
            Error::Lost { problem, .. } => Error::Lost { device, problem },
            Error::TimedOut { seconds, .. } => Error::TimedOut { device, seconds },
            other => other,
        };
        member.lost.get_or_insert(error).clone()
    }

    /// Takes in what the cards have answered since, and gives them more. The waker is told of what comes later.
    pub fn take_in(&mut self, waker: &Waker) {
        loop {
            self.tasks.retain(|_, task| !task.is_given_up());
            self.feed();
            let ended = self.answers(waker);
            if ended.is_empty() {
                return;
            }
            for (member, piece, answer) in ended {
                self.take(member, piece, answer);
            }
        }
    }

    fn answers(&mut self, waker: &Waker) -> Vec<(usize, Piece, Result<Answer>)> {
        let mut context = Context::from_waker(waker);
        let mut ended = Vec::new();
        for (number, member) in self.members.iter_mut().enumerate() {
            let mut at = 0;
            while let Some(under_way) = member.under_way.get_mut(at) {
                match Pin::new(&mut under_way.ticket).poll(&mut context) {
                    Poll::Pending => at += 1,
                    Poll::Ready(answer) => {
                        let UnderWay { piece, .. } = member.under_way.swap_remove(at);
                        ended.push((number, piece, answer));
                    }
                }
            }
        }
        ended
    }

    fn take(&mut self, member: usize, mut piece: Piece, answer: Result<Answer>) {
        match answer {
            Ok(answer) => {
                let task = self.tasks.get_mut(&piece.task);
                if task.is_some_and(|task| task.answered(piece.part, member, answer)) {
                    self.finish(piece.task);
                }
            }
            Err(error) if is_loss(&error) => {
                let error = self.lose(member, error);
                piece.losses += 1;
                match piece.losses {
                    MOST_LOSSES.. => self.fail(piece.task, error),
                    _ => self.again(piece),
                }
            }
            Err(error) => self.wrong(piece, error),
        }
    }

    /// Another card is to do this part.
    fn again(&mut self, piece: Piece) {
        let Some(task) = self.tasks.get(&piece.task) else { return };
        if matches!(task.work, Work::Batch(_)) {
            let capability = task.capability.clone();
            self.queue(&capability).push_front(piece);
        } else if let Err(error) = self.place(piece) {
            self.fail(piece.task, error);
        }
    }

    /// A card that lives has refused a part. What is wrong in a batch, one card tells of the whole.
    fn wrong(&mut self, piece: Piece, error: Error) {
        let Some(task) = self.tasks.get_mut(&piece.task) else { return };
        if !matches!(error, Error::Argument { .. }) {
            return self.fail(piece.task, error);
        }
        match &task.work {
            Work::Batch(batch) => {
                let whole = Work::Whole(Whole::new(batch.whole()));
                let Some(task) = self.tasks.remove(&piece.task) else { return };
                let id = self.begin(task.replaced(whole));
                self.again(Piece { task: id, part: 0, losses: piece.losses });
            }
            Work::Move(..) => self.fail(piece.task, error),
            _ => {
                if task.refused(piece.part, error) {
                    self.finish(piece.task);
                }
            }
        }
    }

    /// All parts of a task are done.
    fn finish(&mut self, id: u64) {
        let Some(task) = self.tasks.remove(&id) else { return };
        let Work::Move(resident, range) = &task.work else {
            return self.ended.push(Ended::Done(Box::new(task)));
        };
        let (resident, range) = (resident.clone(), *range);
        let waiting = match task.only_answer() {
            Some((member, Answer::Msm(Response::Parked(parked)))) => {
                resident.moved(range, Place::On(member, parked))
            }
            _ => resident.moved(range, Place::Gone("another answer than a handle".into())),
        };
        waiting.into_iter().for_each(|piece| self.again(piece));
    }

    fn fail(&mut self, id: u64, error: Error) {
        let Some(Task { work, completer, given_up, .. }) = self.tasks.remove(&id) else { return };
        given_up.cancel();
        if let Some(completer) = completer {
            self.ended.push(Ended::Failed(completer, error.clone()));
        }
        if let Work::Move(resident, range) = work {
            let points = &resident.ranges[range];
            let why = format!(
                "a card is lost that had the points {} to {} of these bases, and no other took them: {error}",
                points.start, points.end
            );
            let waiting = resident.moved(range, Place::Gone(why));
            waiting.into_iter().for_each(|piece| self.again(piece));
        }
    }

    /// Ends everything with this error.
    pub fn give_up(&mut self, error: &Error) {
        (0..self.members.len()).for_each(|member| drop(self.lose(member, error.clone())));
        let ids: Vec<_> = self.tasks.keys().copied().collect();
        ids.into_iter().for_each(|id| self.fail(id, error.clone()));
    }
}
