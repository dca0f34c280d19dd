//! A [`Ticket`] is a handle to a pending response; the device holds the matching [`Completer`].
//!
//! A ticket always resolves: dropping a completer without a response resolves it with an error.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tracing::{Span, debug};

use crate::Error;
use crate::cancel::{Cancel, Stop};
use crate::process::Process;

enum State<T, E> {
    Waiting(Waiting),
    Done(Result<T, E>, Instant),
    Taken,
}

/// Waiters to wake on completion. Tracked separately, to avoid a futex system call when there is no waiter.
#[derive(Default)]
struct Waiting {
    /// A thread waits for `changed`, or did so.
    thread: bool,
    /// The waker of the future that was polled.
    task: Option<Waker>,
}

struct Shared<T, E> {
    state: Mutex<State<T, E>>,
    changed: Condvar,
    /// Set before the state changes, so that a second completion returns early without locking.
    has_ended: AtomicBool,
    /// The span that records the end, and when the request started.
    span: Mutex<Option<(Span, Instant)>>,
    /// Cancelled when the ticket is cancelled before its response.
    work: Option<Cancel>,
    /// The process that submitted the request.
    process: Process,
}

impl<T, E> Shared<T, E> {
    fn lock(&self) -> MutexGuard<'_, State<T, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an error if the response has not arrived and cannot arrive, because this process was forked after the request was submitted. Takes no
    /// lock that a thread of the parent may hold.
    fn arrives(&self) -> Result<(), Error> {
        if self.process.is_current() {
            return Ok(());
        }
        match self.state.try_lock() {
            Ok(state) if !matches!(*state, State::Waiting(_)) => Ok(()),
            _ => self.process.check_request(),
        }
    }

    /// Resolves the ticket. The first result counts and returns true; later ones are dropped.
    fn finish(&self, response: Result<T, E>) -> bool {
        if self.has_ended.swap(true, Ordering::SeqCst) {
            return false;
        }
        let is_ok = response.is_ok();
        let end = End { ticket: self, done: State::Done(response, Instant::now()) };
        // Before a waiter continues, and without the lock: a subscriber may take locks of its own. If it panics, the ticket ends as well.
        self.log_end(is_ok);
        drop(end);
        true
    }

    /// Logs the end, once.
    fn log_end(&self, is_ok: bool) {
        let span = self.span.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((span, start)) = span {
            let ms = milliseconds(start.elapsed().as_secs_f64());
            span.in_scope(|| match is_ok {
                true => debug!(ms, "done"),
                false => debug!(ms, "failed"),
            });
        }
    }

    /// Waits until the ticket has ended and returns its state.
    fn ended(&self) -> MutexGuard<'_, State<T, E>> {
        let mut state = self.lock();
        while let State::Waiting(waiting) = &mut *state {
            waiting.thread = true;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

/// Changes the state of a ticket and wakes its waiters when it is dropped.
struct End<'a, T, E> {
    ticket: &'a Shared<T, E>,
    done: State<T, E>,
}

impl<T, E> Drop for End<'_, T, E> {
    fn drop(&mut self) {
        let done = std::mem::replace(&mut self.done, State::Taken);
        let before = std::mem::replace(&mut *self.ticket.lock(), done);
        let State::Waiting(Waiting { thread, task }) = before else { return };
        if thread {
            self.ticket.changed.notify_all();
        }
        if let Some(waker) = task {
            waker.wake();
        }
    }
}

/// Converts seconds to milliseconds, rounded to the microsecond, as events report them.
pub fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e3
}

impl<T, E: From<Error>> Shared<T, E> {
    /// Cancels the ticket and its work.
    fn cancel(&self) {
        if self.arrives().is_ok()
            && self.finish(Err(Error::Cancelled.into()))
            && let Some(work) = &self.work
        {
            work.cancel();
        }
    }
}

impl<T: Send, E: From<Error> + Send> Stop for Shared<T, E> {
    fn stop(&self) {
        self.cancel();
    }
}

/// A handle to one pending response.
///
/// It can be waited for, polled, cancelled, or awaited: it is a [`Future`] and works with any executor.
#[must_use = "a dropped ticket cancels its request"]
pub struct Ticket<T, E: From<Error> = Error>(Arc<Shared<T, E>>);

/// The sending half of a [`Ticket`]: resolves it once.
pub struct Completer<T, E: From<Error> = Error>(Arc<Shared<T, E>>);

impl<T> Ticket<T> {
    /// Returns a ticket and its completer.
    pub fn pair() -> (Completer<T>, Self) {
        Self::made(None)
    }
}

impl<T, E: From<Error>> Ticket<T, E> {
    /// Returns a ticket and its completer. Cancelling the ticket sets `work`.
    pub fn with_cancel(work: Cancel) -> (Completer<T, E>, Self) {
        Self::made(Some(work))
    }

    fn made(work: Option<Cancel>) -> (Completer<T, E>, Self) {
        Self::made_in(Process::current(), work)
    }

    fn made_in(process: Process, work: Option<Cancel>) -> (Completer<T, E>, Self) {
        let state = Mutex::new(State::Waiting(Waiting::default()));
        let shared = Shared {
            state,
            changed: Condvar::new(),
            has_ended: AtomicBool::new(false),
            span: Mutex::new(None),
            work,
            process,
        };
        let shared = Arc::new(shared);
        (Completer(shared.clone()), Ticket(shared))
    }

    /// Waits for the response. Devices have time limits of their own, so this returns.
    pub fn wait(self) -> Result<T, E> {
        self.wait_stamped().0
    }

    /// Waits for the response and returns the time at which the device completed it, which may be earlier than now.
    pub fn wait_stamped(self) -> (Result<T, E>, Instant) {
        match self.0.arrives() {
            Ok(()) => take(&mut self.0.ended()),
            Err(error) => (Err(error.into()), Instant::now()),
        }
    }

    /// Logs the end of the ticket in this span, at level DEBUG, with the milliseconds since `start`.
    pub fn logged_in(self, span: Span, start: Instant) -> Self {
        *self.0.span.lock().unwrap_or_else(PoisonError::into_inner) = Some((span, start));
        if self.0.has_ended.load(Ordering::SeqCst) {
            let is_ok = matches!(*self.0.ended(), State::Done(Ok(_), _));
            self.0.log_end(is_ok);
        }
        self
    }

    /// Waits for at most `limit`; returns the ticket if the response has not arrived by then.
    pub fn wait_timeout(self, limit: Duration) -> std::result::Result<Result<T, E>, Self> {
        if let Err(error) = self.0.arrives() {
            return Ok(Err(error.into()));
        }
        let start = Instant::now();
        let mut state = self.0.lock();
        while let State::Waiting(waiting) = &mut *state {
            waiting.thread = true;
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

    /// Returns the response if it has arrived; after it was taken once, `None` again.
    pub fn poll(&mut self) -> Option<Result<T, E>> {
        if let Err(error) = self.0.arrives() {
            return Some(Err(error.into()));
        }
        let mut state = self.0.lock();
        match *state {
            State::Done(..) => Some(take(&mut state).0),
            State::Waiting(_) | State::Taken => None,
        }
    }

    /// Cancels the request: the ticket ends with [`Error::Cancelled`] and the device drops the work where it can. A response that
    /// has arrived is kept.
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

impl<T: Send + 'static, E: From<Error> + Send + 'static> Ticket<T, E> {
    /// Cancels the ticket when `cancel` is set.
    pub fn linked_to(self, cancel: &Cancel) -> Self {
        let shared: Weak<Shared<T, E>> = Arc::downgrade(&self.0);
        cancel.link(shared);
        self
    }
}

/// Resolves to the response, once; to [`Error::Cancelled`] if it was taken already. Dropping the ticket cancels the request.
impl<T, E: From<Error>> Future for Ticket<T, E> {
    type Output = Result<T, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Err(error) = self.0.arrives() {
            return Poll::Ready(Err(error.into()));
        }
        let mut state = self.0.lock();
        match &mut *state {
            State::Waiting(Waiting { task, .. }) => {
                match task {
                    Some(waker) => waker.clone_from(context.waker()),
                    None => *task = Some(context.waker().clone()),
                }
                Poll::Pending
            }
            State::Done(..) | State::Taken => Poll::Ready(take(&mut state).0),
        }
    }
}

impl<T, E: From<Error>> Drop for Ticket<T, E> {
    fn drop(&mut self) {
        self.cancel();
    }
}

impl<T, E: From<Error>> Completer<T, E> {
    /// Resolves the ticket.
    pub fn complete(self, response: Result<T, E>) {
        self.0.finish(response);
    }

    /// Returns whether the ticket has ended: the work may be dropped.
    pub fn is_cancelled(&self) -> bool {
        self.0.has_ended.load(Ordering::SeqCst)
    }
}

impl<T, E: From<Error>> Drop for Completer<T, E> {
    fn drop(&mut self) {
        let lost = || Error::Lost {
            device: "the device".into(),
            problem: "it dropped the request without a response".into(),
        };
        if !self.is_cancelled() {
            self.0.finish(Err(lost().into()));
        }
    }
}

fn take<T, E: From<Error>>(state: &mut State<T, E>) -> (Result<T, E>, Instant) {
    match std::mem::replace(state, State::Taken) {
        State::Done(answer, when) => (answer, when),
        State::Waiting(_) | State::Taken => (Err(Error::Cancelled.into()), Instant::now()),
    }
}

impl<T, E: From<Error>> std::fmt::Debug for Ticket<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ticket")
    }
}

impl<T, E: From<Error>> std::fmt::Debug for Completer<T, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Completer")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    fn answer() -> u32 {
        7
    }

    #[test]
    fn a_response_is_taken_once() {
        let (completer, mut ticket) = Ticket::<u32>::pair();
        assert!(ticket.poll().is_none());
        completer.complete(Ok(answer()));
        assert!(ticket.poll().unwrap().is_ok());
        assert!(ticket.poll().is_none());
    }

    #[test]
    fn in_a_forked_process_a_ticket_has_the_response_that_had_arrived_or_an_error() {
        let pair = || Ticket::<u32>::made_in(Process::other(), None);
        let arrived = || {
            let (completer, ticket) = pair();
            completer.complete(Ok(answer()));
            ticket
        };
        assert!(arrived().wait().is_ok());
        assert!(arrived().poll().unwrap().is_ok());
        let refused = |result: Result<u32, Error>| {
            let text = result.unwrap_err().to_string();
            assert!(text.contains("before this process was forked"), "{text}");
        };
        let (held, ticket) = pair();
        refused(ticket.wait());
        let (_held, ticket) = pair();
        refused(ticket.wait_timeout(Duration::ZERO).unwrap());
        let (_held, mut ticket) = pair();
        refused(ticket.poll().unwrap());
        let (_held, ticket) = pair();
        refused(block_on(ticket));
        // A thread of the parent holds the lock, and the child must not cancel the parent's work.
        let (locked, ticket) = pair();
        let _guard = locked.0.lock();
        refused(ticket.wait());
        assert!(!held.is_cancelled() && !locked.is_cancelled());
    }

    #[test]
    fn a_dropped_completer_fails_the_ticket() {
        let (completer, ticket) = Ticket::<u32>::pair();
        drop(completer);
        assert!(matches!(ticket.wait(), Err(Error::Lost { .. })));
    }

    /// A subscriber that panics at every event.
    struct Panics;

    impl tracing::Subscriber for Panics {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, _: &tracing::Event<'_>) {
            panic!("as the test wants it");
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }

    #[test]
    fn a_ticket_ends_although_a_subscriber_panics() {
        tracing::subscriber::with_default(Panics, || {
            let (completer, ticket) = Ticket::<u32>::pair();
            let ticket = ticket.logged_in(tracing::debug_span!("operation"), Instant::now());
            let completed = std::panic::AssertUnwindSafe(|| completer.complete(Ok(answer())));
            assert!(std::panic::catch_unwind(completed).is_err());
            assert!(
                ticket.wait_timeout(Duration::from_secs(60)).is_ok_and(|answer| answer.is_ok())
            );
        });
    }

    #[test]
    fn a_cancelled_ticket_cancels_its_completer() {
        let (completer, ticket) = Ticket::<u32>::pair();
        ticket.cancel();
        assert!(completer.is_cancelled());
        completer.complete(Ok(answer()));
        assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    }

    #[test]
    fn a_response_has_the_time_of_its_completion() {
        let (completer, ticket) = Ticket::<u32>::pair();
        completer.complete(Ok(answer()));
        let given = Instant::now();
        std::thread::sleep(Duration::from_millis(1));
        assert!(ticket.wait_stamped().1 <= given);
    }

    #[test]
    fn waiting_with_a_limit_returns_the_ticket() {
        let (completer, ticket) = Ticket::<u32>::pair();
        let ticket = ticket.wait_timeout(Duration::from_millis(5)).unwrap_err();
        completer.complete(Ok(answer()));
        assert!(ticket.wait_timeout(Duration::MAX).unwrap().is_ok());
    }

    #[test]
    fn a_thread_that_waits_is_woken() {
        for had_timed_out in [false, true] {
            let (completer, mut ticket) = Ticket::<u32>::pair();
            if had_timed_out {
                ticket = ticket.wait_timeout(Duration::ZERO).unwrap_err();
            }
            let giver = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(20));
                completer.complete(Ok(answer()));
            });
            assert!(ticket.wait().is_ok());
            giver.join().unwrap();
        }
    }

    /// An executor of three lines.
    fn block_on<F: Future>(future: F) -> F::Output {
        struct Unpark(std::thread::Thread);
        impl std::task::Wake for Unpark {
            fn wake(self: Arc<Self>) {
                self.0.unpark();
            }
        }
        let mut future = std::pin::pin!(future);
        let waker = Arc::new(Unpark(std::thread::current())).into();
        loop {
            match future.as_mut().poll(&mut Context::from_waker(&waker)) {
                Poll::Ready(done) => return done,
                Poll::Pending => std::thread::park(),
            }
        }
    }

    #[test]
    fn a_ticket_is_awaited() {
        let (first, second) = (Ticket::<u32>::pair(), Ticket::<u32>::pair());
        let giver = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            second.0.complete(Ok(answer()));
            drop(first.0);
        });
        let both = block_on(async { (first.1.await, second.1.await) });
        assert!(matches!(both, (Err(Error::Lost { .. }), Ok(_))), "{both:?}");
        giver.join().unwrap();
    }

    #[test]
    fn a_dropped_future_cancels_the_request() {
        let (completer, ticket) = Ticket::<u32>::pair();
        let mut future = Box::pin(ticket);
        let context = &mut Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(context).is_pending());
        drop(future);
        assert!(completer.is_cancelled());
    }

    #[test]
    fn work_is_cancelled_with_its_ticket_before_the_response() {
        for is_there in [false, true] {
            let work = Cancel::new();
            let (completer, ticket) = Ticket::<u8>::with_cancel(work.clone());
            if is_there {
                completer.complete(Ok(1));
            }
            ticket.cancel();
            assert_eq!(work.is_cancelled(), !is_there);
            assert_eq!(ticket.wait().is_ok(), is_there);
        }
    }

    #[test]
    fn a_signal_ends_linked_tickets_before_and_after() {
        let cancel = Cancel::new();
        let (early, waiting) = Ticket::<u32>::pair();
        let (done, answered) = Ticket::<u32>::pair();
        let (waiting, answered) = (waiting.linked_to(&cancel), answered.linked_to(&cancel));
        done.complete(Ok(answer()));
        let waiter = std::thread::spawn(|| waiting.wait());
        cancel.clone().cancel();
        assert!(matches!(waiter.join().unwrap(), Err(Error::Cancelled)));
        assert!(early.is_cancelled() && answered.wait().is_ok());
        let (late, ticket) = Ticket::<u32>::pair();
        let ticket = ticket.linked_to(&cancel);
        assert!(late.is_cancelled() && matches!(ticket.wait(), Err(Error::Cancelled)));
        assert!(matches!(cancel.check(), Err(Error::Cancelled)));
    }
}
