//! Who is next: a number of turns, given by priority and then by age.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// Jobs of a higher priority come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

impl Priority {
    pub const ALL: [Self; 3] = [Self::Low, Self::Normal, Self::High];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

/// In the order in which they come.
type Number = (Reverse<Priority>, u64);

/// The turns that there are.
#[derive(Clone)]
pub struct Turns(Arc<Mutex<State>>);

struct State {
    /// Not 0 only while nobody waits.
    free: usize,
    next: u64,
    waiting: BTreeMap<Number, oneshot::Sender<Turn>>,
}

/// The right to work. When it is dropped, the next one has it.
pub struct Turn(Option<Turns>);

impl Turns {
    pub fn new(count: usize) -> Self {
        Self(Arc::new(Mutex::new(State { free: count, next: 0, waiting: BTreeMap::new() })))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many wait.
    pub fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Joins the queue at once, and returns a future that waits for a turn. Dropping it leaves the queue.
    pub fn take(&self, priority: Priority) -> impl Future<Output = Turn> + Send + use<> {
        let mut state = self.lock();
        let place = if state.free > 0 {
            state.free -= 1;
            Ok(Turn(Some(self.clone())))
        } else {
            let (sender, receiver) = oneshot::channel();
            let number = (Reverse(priority), state.next);
            state.next += 1;
            state.waiting.insert(number, sender);
            Err((receiver, Waiting { turns: self.clone(), number }))
        };
        drop(state);
        async move {
            match place {
                Ok(turn) => turn,
                Err((receiver, _place)) => {
                    receiver.await.expect("who waits gets a turn before the sender is dropped")
                }
            }
        }
    }

    /// The turn goes to the next one who still wants it.
    fn pass_on(self) {
        loop {
            let sender = {
                let mut state = self.lock();
                let Some((_, sender)) = state.waiting.pop_first() else {
                    state.free += 1;
                    return;
                };
                sender
            };
            let Err(mut refused) = sender.send(Turn(Some(self.clone()))) else { return };
            refused.0 = None; // is passed on by this loop
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some(turns) = self.0.take() {
            turns.pass_on();
        }
    }
}

/// A place among those who wait.
struct Waiting {
    turns: Turns,
    number: Number,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let left = self.turns.lock().waiting.remove(&self.number);
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    type Taking<'a> = Pin<Box<dyn Future<Output = Turn> + 'a>>;

    /// The turn, if it is there.
    fn taken(taking: &mut Taking<'_>) -> Option<Turn> {
        match taking.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(turn) => Some(turn),
            Poll::Pending => None,
        }
    }

    fn free(turns: &Turns) -> usize {
        turns.lock().free
    }

    #[test]
    fn the_highest_priority_comes_first_and_then_the_oldest() {
        use Priority::{High, Low, Normal};
        let turns = Turns::new(1);
        let mut first: Taking = Box::pin(turns.take(Low));
        let mut turn = taken(&mut first);
        assert!(turn.is_some());
        let priorities = [Low, Normal, High, Normal, High, Low];
        let mut waiting: Vec<Taking> =
            priorities.into_iter().map(|it| Box::pin(turns.take(it)) as _).collect();
        // The order in which tasks run does not matter.
        assert!(waiting.iter_mut().rev().all(|it| taken(it).is_none()));
        assert_eq!(turns.waiting(), 6);
        let mut order = Vec::new();
        while turn.take().is_some() {
            for (number, it) in waiting.iter_mut().enumerate() {
                if !order.contains(&number)
                    && let Some(got) = taken(it)
                {
                    order.push(number);
                    turn = Some(got);
                    break;
                }
            }
        }
        assert_eq!(order, [2, 4, 1, 3, 0, 5]);
        assert_eq!((turns.waiting(), free(&turns)), (0, 1));
    }

    #[test]
    fn no_turn_is_lost_with_those_who_stop_waiting() {
        let turns = Turns::new(2);
        let takings = || Box::pin(turns.take(Priority::Normal)) as Taking;
        let (mut a, mut b) = (takings(), takings());
        let held = (taken(&mut a).unwrap(), taken(&mut b).unwrap());
        let mut waiting = [takings(), takings(), takings()];
        assert!(waiting.iter_mut().all(|it| taken(it).is_none()));
        let [gone, given, late] = waiting;
        drop(gone); // while it waits
        drop(held.0);
        drop(given); // with a turn that it never saw
        drop(held.1);
        drop(late);
        assert_eq!((turns.waiting(), free(&turns)), (0, 2));
    }
}
