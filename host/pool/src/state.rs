//! Assigns parts to cards, and reassigns the parts of a lost card.
//!
//! 1. `enter`: a batch waits in the queue of its capability; any other request goes to its card at once, which reports wrong arguments.
//! 2. `feed`: a waiting part goes to a free card: one with less than two parts, or with fewer items than twice its queue.
//! 3. `collect`: a response is stored until its task has all. A lost part is placed again.
//! 4. MSMs over resident bases wait while a lost range is on its way to another card.

use std::collections::{HashMap, VecDeque};
use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use proofmill_op::msm::LoadBases;
use proofmill_op::{
    AnyCompleter, AnyRequest, AnyResponse, AnyTicket, Cancel, Capability, Device, Error, Progress,
    ResidentData, Result,
};

use crate::resident::{Location, Resident};
use crate::task::{Task, Work};
use crate::whole::Whole;

/// The number of losses after which a part is not assigned to another card: it may be the cause.
const MAX_LOSSES: usize = 2;

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
    running: Vec<Running>,
}

/// A part that runs on a card.
struct Running {
    ticket: AnyTicket,
    piece: Piece,
    capability: Capability,
    weight: usize,
}

impl Member {
    /// Returns the number and the weight of the parts that need `capability`.
    fn load(&self, capability: &Capability) -> (usize, usize) {
        let same = self.running.iter().filter(|it| it.capability == *capability);
        same.fold((0, 0), |(parts, weight), it| (parts + 1, weight + it.weight))
    }

    fn is_free(&self, capability: &Capability) -> bool {
        let (parts, items) = self.load(capability);
        parts < 2 || items < 2 * self.device.caps().queue
    }
}

/// A task that has ended. Its ticket is resolved without the lock.
pub enum Ended {
    /// All of its parts are done.
    Done(Box<Task>),
    /// With an error.
    Failed(AnyCompleter, Error),
}

impl Ended {
    /// Resolves the ticket.
    pub fn resolve(self) {
        match self {
            Self::Failed(completer, error) => completer.complete(Err(error)),
            Self::Done(task) => {
                if let (Some(completer), response) = task.join() {
                    completer.complete(response);
                }
            }
        }
    }
}

/// Members, tasks and queues.
pub struct State {
    uri: String,
    members: Vec<Member>,
    tasks: HashMap<u64, Task>,
    queues: Vec<(Capability, VecDeque<Piece>)>,
    next: u64,
    ended: Vec<Ended>,
    /// No request will be submitted any more.
    pub closing: bool,
}

fn is_loss(error: &Error) -> bool {
    matches!(error, Error::Lost { .. } | Error::TimedOut { .. })
}

impl State {
    /// Returns a state without tasks.
    pub fn new(uri: &str, members: Vec<Box<dyn Device>>) -> Self {
        let member = |device| Member { device, lost: None, running: vec![] };
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

    /// Returns the members that are not lost; an error if all are.
    pub fn alive(&self) -> Result<Vec<usize>> {
        let alive = |number: &usize| self.members[*number].lost.is_none();
        let alive: Vec<_> = (0..self.members.len()).filter(alive).collect();
        if !alive.is_empty() {
            return Ok(alive);
        }
        let why: Vec<_> = self.lost().iter().map(|(_, error)| error.to_string()).collect();
        Err(Error::Lost { device: self.uri.clone(), problem: why.join("; ") })
    }

    /// Returns URI and error of each lost member.
    pub fn lost(&self) -> Vec<(String, Error)> {
        let lost = |it: &Member| it.lost.clone().map(|error| (it.device.caps().uri.clone(), error));
        self.members.iter().filter_map(lost).collect()
    }

    /// Returns the largest number of cycles that a member counts.
    pub fn cycles(&self) -> Option<u64> {
        self.members.iter().filter_map(|it| it.device.metrics().cycles).max()
    }

    /// Submits an empty request to every member and returns the first error.
    pub fn probe_each(&mut self, empty: &AnyRequest) -> Result<()> {
        for member in self.alive()? {
            match self.members[member].device.submit_any(empty.clone()) {
                Err(error) if is_loss(&error) => drop(self.lose(member, error)),
                taken => drop(taken?),
            }
        }
        Ok(())
    }

    /// Takes the tasks that have ended.
    pub fn take_ended(&mut self) -> Vec<Ended> {
        std::mem::take(&mut self.ended)
    }

    /// Returns whether the pool is closed and all tasks are done.
    pub fn is_over(&self) -> bool {
        self.closing && self.tasks.is_empty()
    }

    /// Adds work. An error that its card reports at once is returned at once.
    pub fn enter(
        &mut self,
        work: Work,
        capability: Capability,
        (completer, cancel): (AnyCompleter, Cancel),
        progress: Option<Progress>,
        identity: u64,
    ) -> Result<()> {
        self.alive()?;
        let (parts, waits) = (work.parts(), matches!(work, Work::Batch(_)));
        let ends = (Some(completer), cancel.clone());
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
                cancel.cancel();
                return Err(error);
            }
        }
        self.feed();
        Ok(())
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

    /// Assigns waiting parts to free cards.
    fn feed(&mut self) {
        for number in 0..self.queues.len() {
            let capability = self.queues[number].0.clone();
            while let Some(&piece) = self.queues[number].1.front() {
                let is_wanted = self.tasks.get(&piece.task).is_some_and(|it| !it.is_cancelled());
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

    /// Returns the free member with the least load.
    fn free(&self, alive: &[usize], capability: &Capability) -> Option<usize> {
        let free = alive.iter().copied().filter(|it| self.members[*it].is_free(capability));
        free.min_by_key(|it| self.members[*it].load(capability).1)
    }

    /// Gives a part to the card that is to do it, or lets it wait for one.
    fn place(&mut self, piece: Piece) -> Result<()> {
        while let Some(task) = self.tasks.get(&piece.task) {
            let resident = match &task.work {
                Work::Msm(msm) => msm.resident.clone(),
                _ => None,
            };
            let alive = self.alive()?;
            let (member, parked) = match (resident, &task.work) {
                (Some(resident), _) => match self.holder(&resident, piece)? {
                    Some((member, parked)) => (member, Some(parked)),
                    None => return Ok(()),
                },
                (None, Work::Load(_) | Work::Msm(_)) => (alive[piece.part % alive.len()], None),
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
    fn send(&mut self, piece: Piece, member: usize, handle: Option<ResidentData>) -> Result<bool> {
        let Some(task) = self.tasks.get_mut(&piece.task) else { return Ok(true) };
        let Some(request) = task.request(piece.part, handle) else {
            let problem = "the points are no longer in host memory".into();
            return Err(Error::Failed { device: self.uri.clone(), problem });
        };
        match self.members[member].device.submit_any(request) {
            Ok(ticket) => {
                let ticket = ticket.linked_to(&task.cancel);
                let (capability, weight) = (task.capability.clone(), task.work.weight(piece.part));
                let running = Running { ticket, piece, capability, weight };
                self.members[member].running.push(running);
                Ok(true)
            }
            Err(error) if is_loss(&error) => {
                self.lose(member, error);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns the member that has the range of a part, and its handle; `None` while the range is on its way.
    fn holder(
        &mut self,
        resident: &Arc<Resident>,
        piece: Piece,
    ) -> Result<Option<(usize, ResidentData)>> {
        let range = piece.part;
        let failed = |uri: &str, problem: String| Error::Failed { device: uri.to_owned(), problem };
        let lost = match &mut resident.locations()[range] {
            Location::On(member, handle) => match &self.members[*member].lost {
                None => return Ok(Some((*member, handle.clone()))),
                Some(error) => error.clone(),
            },
            Location::Moving(waiting) => {
                waiting.push(piece);
                return Ok(None);
            }
            Location::Gone(why) => return Err(failed(&self.uri, why.clone())),
        };
        let points = &resident.ranges[range];
        let lost = format!("{lost}; it had the points {} to {}", points.start, points.end);
        if resident.bases(range).is_none() {
            let why = format!("{lost} of these bases, which are no longer in host memory");
            resident.set_location(range, Location::Gone(why.clone()));
            return Err(failed(&self.uri, why));
        }
        resident.set_location(range, Location::Moving(vec![piece]));
        let capability = Capability::Msm(resident.terms.instance);
        let work = Work::Move(resident.clone(), range);
        let id = self.begin(Task::new(work, capability, (None, Cancel::new()), None, 0));
        match self.place(Piece { task: id, part: 0, losses: 0 }) {
            Ok(()) => Ok(None),
            Err(error) => {
                self.tasks.remove(&id);
                let why = format!("{lost} of these bases, and no other card took them: {error}");
                resident.set_location(range, Location::Gone(why.clone()));
                Err(failed(&self.uri, why))
            }
        }
    }

    /// Marks a member as lost and returns its error, which names it by its URI.
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

    /// Collects responses and assigns waiting parts. `waker` is woken by later responses.
    pub fn collect(&mut self, waker: &Waker) {
        loop {
            self.tasks.retain(|_, task| !task.is_cancelled());
            self.feed();
            let ended = self.responses(waker);
            if ended.is_empty() {
                return;
            }
            for (member, piece, response) in ended {
                self.take(member, piece, response);
            }
        }
    }

    fn responses(&mut self, waker: &Waker) -> Vec<(usize, Piece, Result<AnyResponse>)> {
        let mut context = Context::from_waker(waker);
        let mut ended = Vec::new();
        for (number, member) in self.members.iter_mut().enumerate() {
            let mut at = 0;
            while let Some(running) = member.running.get_mut(at) {
                match Pin::new(&mut running.ticket).poll(&mut context) {
                    Poll::Pending => at += 1,
                    Poll::Ready(response) => {
                        let Running { piece, .. } = member.running.swap_remove(at);
                        ended.push((number, piece, response));
                    }
                }
            }
        }
        ended
    }

    fn take(&mut self, member: usize, mut piece: Piece, response: Result<AnyResponse>) {
        match response {
            Ok(response) => {
                let task = self.tasks.get_mut(&piece.task);
                if task.is_some_and(|task| task.complete_part(piece.part, member, response)) {
                    self.finish(piece.task);
                }
            }
            Err(error) if is_loss(&error) => {
                let error = self.lose(member, error);
                piece.losses += 1;
                match piece.losses {
                    MAX_LOSSES.. => self.fail(piece.task, error),
                    _ => self.again(piece),
                }
            }
            Err(error) => self.wrong(piece, error),
        }
    }

    /// Assigns a part again, to another card.
    fn again(&mut self, piece: Piece) {
        let Some(task) = self.tasks.get(&piece.task) else { return };
        if matches!(task.work, Work::Batch(_)) {
            let capability = task.capability.clone();
            self.queue(&capability).push_front(piece);
        } else if let Err(error) = self.place(piece) {
            self.fail(piece.task, error);
        }
    }

    /// Handles a part that a working card refused. A wrong argument in a batch is located by one card with the whole batch.
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
                if task.refuse_part(piece.part, error) {
                    self.finish(piece.task);
                }
            }
        }
    }

    /// Ends a task whose parts are all done.
    fn finish(&mut self, id: u64) {
        let Some(task) = self.tasks.remove(&id) else { return };
        let Work::Move(resident, range) = &task.work else {
            return self.ended.push(Ended::Done(Box::new(task)));
        };
        let (resident, range) = (resident.clone(), *range);
        let response = task.only_response();
        let handle = response.and_then(|(member, it)| Some((member, it.of::<LoadBases>().ok()?)));
        let location = match handle {
            Some((member, handle)) => Location::On(member, handle),
            None => Location::Gone("a card returned no handle".into()),
        };
        let waiting = resident.set_location(range, location);
        waiting.into_iter().for_each(|piece| self.again(piece));
    }

    fn fail(&mut self, id: u64, error: Error) {
        let Some(Task { work, completer, cancel, .. }) = self.tasks.remove(&id) else { return };
        cancel.cancel();
        if let Some(completer) = completer {
            self.ended.push(Ended::Failed(completer, error.clone()));
        }
        if let Work::Move(resident, range) = work {
            let points = &resident.ranges[range];
            let why = format!(
                "a card is lost that had the points {} to {} of these bases, and no other took them: {error}",
                points.start, points.end
            );
            let waiting = resident.set_location(range, Location::Gone(why));
            waiting.into_iter().for_each(|piece| self.again(piece));
        }
    }

    /// Ends all tasks with this error.
    pub fn fail_all(&mut self, error: &Error) {
        (0..self.members.len()).for_each(|member| drop(self.lose(member, error.clone())));
        let ids: Vec<_> = self.tasks.keys().copied().collect();
        ids.into_iter().for_each(|id| self.fail(id, error.clone()));
    }
}
