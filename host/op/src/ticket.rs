//! A [`Ticket`] is the caller's half of an answer on its way; the [`Completer`] is the device's half.
//!
//! Whatever happens to the device, the ticket ends: a completer that is dropped without an answer fails it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::{Answer, Error, Result};

enum State {
    Waiting,
    Done(Result<Answer>, Instant),
    Taken,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The first word counts; later ones are dropped.
    fn finish(&self, answer: Result<Answer>) {
        let mut state = self.lock();
        if matches!(*state, State::Waiting) {
            *state = State::Done(answer, Instant::now());
            self.changed.notify_all();
        }
    }
}

/// The claim to one answer.
#[must_use = "a dropped ticket cancels its request"]
pub struct Ticket(Arc<Shared>);

/// The duty to give one answer.
pub struct Completer(Arc<Shared>);

impl Ticket {
    /// A ticket and the completer that will end it.
    pub fn pair() -> (Completer, Ticket) {
        let shared =
            Arc::new(Shared { state: Mutex::new(State::Waiting), changed: Condvar::new() });
        (Completer(shared.clone()), Ticket(shared))
    }

    /// Blocks until the answer is there. Devices have time-outs of their own, so this ends.
    pub fn wait(self) -> Result<Answer> {
        self.wait_stamped().0
    }

    /// As [`Ticket::wait`], with the time at which the device gave the answer: earlier than now, when nobody was
    /// waiting yet.
    pub fn wait_stamped(self) -> (Result<Answer>, Instant) {
        let mut state = self.0.lock();
        while matches!(*state, State::Waiting) {
            state = self.0.changed.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        take(&mut state)
    }

    /// Blocks for at most `limit`; gives the ticket back when the answer is not there by then.
    pub fn wait_timeout(self, limit: Duration) -> std::result::Result<Result<Answer>, Self> {
        let start = Instant::now();
        let mut state = self.0.lock();
        while matches!(*state, State::Waiting) {
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                drop(state);
                return Err(self);
            }
            state = match self.0.changed.wait_timeout(state, left) {
                Ok((state, _)) => state,
                Err(poisoned) => poisoned.into_inner().0,
            };
        }
        Ok(take(&mut state).0)
    }

    /// The answer if it is there, without blocking; after it was taken once, `None` again.
    pub fn poll(&mut self) -> Option<Result<Answer>> {
        let mut state = self.0.lock();
        match *state {
            State::Done(..) => Some(take(&mut state).0),
            State::Waiting | State::Taken => None,
        }
    }

    /// Gives up the answer: the ticket ends with [`Error::Cancelled`] and the device drops the work where it can.
    pub fn cancel(&self) {
        self.0.finish(Err(Error::Cancelled));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl Completer {
    /// Ends the ticket.
    pub fn complete(self, answer: Result<Answer>) {
        self.0.finish(answer);
    }

    /// True when nobody waits any more: the work may be dropped.
    pub fn is_cancelled(&self) -> bool {
        !matches!(*self.0.lock(), State::Waiting)
    }
}

impl Drop for Completer {
    fn drop(&mut self) {
        self.0.finish(Err(Error::Lost {
            device: "the device".into(),
            problem: "it dropped the request without an answer".into(),
        }));
    }
}

fn take(state: &mut State) -> (Result<Answer>, Instant) {
    match std::mem::replace(state, State::Taken) {
        State::Done(answer, when) => (answer, when),
        State::Waiting | State::Taken => (Err(Error::Cancelled), Instant::now()),
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket")
    }
}

impl std::fmt::Debug for Completer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Completer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equihash_verify::{Response, Verdict};

    fn answer() -> Answer {
        Answer::EquihashVerify(Response { verdicts: vec![Verdict::from_mask(0)] })
    }

    #[test]
    fn an_answer_is_taken_once() {
        let (completer, mut ticket) = Ticket::pair();
        assert!(ticket.poll().is_none());
        completer.complete(Ok(answer()));
        assert!(ticket.poll().unwrap().is_ok());
        assert!(ticket.poll().is_none());
    }

    #[test]
    fn a_dropped_completer_fails_the_ticket() {
        let (completer, ticket) = Ticket::pair();
        drop(completer);
        assert!(matches!(ticket.wait(), Err(Error::Lost { .. })));
    }

    #[test]
    fn a_cancelled_ticket_tells_its_completer() {
        let (completer, ticket) = Ticket::pair();
        ticket.cancel();
        assert!(completer.is_cancelled());
        completer.complete(Ok(answer()));
        assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    }

    #[test]
    fn an_answer_has_the_time_at_which_it_was_given() {
        let (completer, ticket) = Ticket::pair();
        completer.complete(Ok(answer()));
        let given = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        assert!(ticket.wait_stamped().1 <= given);
    }

    #[test]
    fn waiting_with_a_limit_gives_the_ticket_back() {
        let (completer, ticket) = Ticket::pair();
        let ticket = ticket.wait_timeout(Duration::from_millis(5)).unwrap_err();
        completer.complete(Ok(answer()));
        assert!(ticket.wait_timeout(Duration::MAX).unwrap().is_ok());
    }
}
