//! A [`Ticket`] is the caller's half of an answer on its way; the [`Completer`] is the device's half.
//!
//! Whatever happens to the device, the ticket ends: a completer that is dropped without an answer fails it.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use tracing::{Span, debug};

use crate::cancel::{Cancel, Stop};
use crate::process::Process;
use crate::{Answer, Error};

enum State<T, E> {
    Waiting(Waiting),
    Done(Result<T, E>, Instant),
    Taken,
}

/// Whom to wake at the end. To wake nobody would be a call of the operating system all the same.
#[derive(Default)]
struct Waiting {
    /// A thread waits for `changed`, or did so.
    thread: bool,
    /// A future was asked.
    task: Option<Waker>,
}

struct Shared<T, E> {
    state: Mutex<State<T, E>>,
    changed: Condvar,
    /// The word that counts was said; the state follows.
    has_ended: AtomicBool,
    /// The span in which the end is an event, and when it began.
    span: Mutex<Option<(Span, Instant)>>,
    /// Is said when the ticket is given up.
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

    /// The first word counts, for which this is true; later ones are dropped.
    fn finish(&self, answer: Result<T, E>) -> bool {
        if self.has_ended.swap(true, Ordering::SeqCst) {
            return false;
        }
        let is_answer = answer.is_ok();
        let end = End { ticket: self, done: State::Done(answer, Instant::now()) };
        // Before anybody goes on, and without the lock: whoever listens may wait for locks of its own. If he panics, the ticket ends as well.
        self.tell(is_answer);
        drop(end);
        true
    }

    /// The event of the end, once.
    fn tell(&self, is_answer: bool) {
        let span = self.span.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some((span, start)) = span {
            let ms = milliseconds(start.elapsed().as_secs_f64());
            span.in_scope(|| match is_answer {
                true => debug!(ms, "answered"),
                false => debug!(ms, "failed"),
            });
        }
    }

    /// The state when it is no longer that of waiting.
    fn ended(&self) -> MutexGuard<'_, State<T, E>> {
        let mut state = self.lock();
        while let State::Waiting(waiting) = &mut *state {
            waiting.thread = true;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }
}

/// The end of a ticket: its state changes, and whoever waits is woken, when this is dropped.
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

/// Seconds in milliseconds, to the microsecond, as events have them.
pub fn milliseconds(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e3
}

impl<T, E: From<Error>> Shared<T, E> {
    /// Nobody wants the answer any more.
    fn give_up(&self) {
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
        self.give_up();
    }
}

/// The claim to one answer: of a device, if nothing else is said.
///
/// It can be waited for, looked at, given up, or awaited: it is a [`Future`], which needs no particular executor.
#[must_use = "a dropped ticket cancels its request"]
pub struct Ticket<T = Answer, E: From<Error> = Error>(Arc<Shared<T, E>>);

/// The duty to give one answer.
pub struct Completer<T = Answer, E: From<Error> = Error>(Arc<Shared<T, E>>);

impl Ticket {
    /// A ticket and the completer that will end it.
    pub fn pair() -> (Completer, Ticket) {
        Self::made(None)
    }
}

impl<T, E: From<Error>> Ticket<T, E> {
    /// A ticket whose work goes on elsewhere, and its completer: whoever gives up the ticket says `work`.
    pub fn of_work(work: Cancel) -> (Completer<T, E>, Self) {
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

    /// Blocks until the answer is there. Devices have time-outs of their own, so this ends.
    pub fn wait(self) -> Result<T, E> {
        self.wait_stamped().0
    }

    /// As [`Ticket::wait`], with the time at which the device gave the answer: earlier than now, when nobody was
    /// waiting yet.
    pub fn wait_stamped(self) -> (Result<T, E>, Instant) {
        match self.0.arrives() {
            Ok(()) => take(&mut self.0.ended()),
            Err(error) => (Err(error.into()), Instant::now()),
        }
    }

    /// The end of the ticket is an event in this span, at level DEBUG, with the milliseconds since `start`.
    pub fn told_in(self, span: Span, start: Instant) -> Self {
        *self.0.span.lock().unwrap_or_else(PoisonError::into_inner) = Some((span, start));
        if self.0.has_ended.load(Ordering::SeqCst) {
            let is_answer = matches!(*self.0.ended(), State::Done(Ok(_), _));
            self.0.tell(is_answer);
        }
        self
    }

    /// Blocks for at most `limit`; gives the ticket back when the answer is not there by then.
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

    /// The answer if it is there, without blocking; after it was taken once, `None` again.
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

    /// Gives up the answer: the ticket ends with [`Error::Cancelled`] and the device drops the work where it can. An answer that
    /// is there stays.
    pub fn cancel(&self) {
        self.0.give_up();
    }
}

impl<T: Send + 'static, E: From<Error> + Send + 'static> Ticket<T, E> {
    /// The ticket ends when this is said, too.
    pub fn covered_by(self, cancel: &Cancel) -> Self {
        let shared: Weak<Shared<T, E>> = Arc::downgrade(&self.0);
        cancel.covers(shared);
        self
    }
}

/// Ready with the answer, once; with [`Error::Cancelled`] if it was taken already. To drop it in between gives up the answer.
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
    /// Ends the ticket.
    pub fn complete(self, answer: Result<T, E>) {
        self.0.finish(answer);
    }

    /// True when nobody waits any more: the work may be dropped.
    pub fn is_cancelled(&self) -> bool {
        self.0.has_ended.load(Ordering::SeqCst)
    }
}

impl<T, E: From<Error>> Drop for Completer<T, E> {
    fn drop(&mut self) {
        let lost = || Error::Lost {
            device: "the device".into(),
            problem: "it dropped the request without an answer".into(),
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
    fn in_a_forked_process_a_ticket_has_the_response_that_had_arrived_or_an_error() {
        let pair = || Ticket::<Answer>::made_in(Process::other(), None);
        let arrived = || {
            let (completer, ticket) = pair();
            completer.complete(Ok(answer()));
            ticket
        };
        assert!(arrived().wait().is_ok());
        assert!(arrived().poll().unwrap().is_ok());
        let refused = |result: Result<Answer, Error>| {
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
        // A thread of the parent holds the lock, and nobody cancels what is the parent's.
        let (locked, ticket) = pair();
        let _guard = locked.0.lock();
        refused(ticket.wait());
        assert!(!held.is_cancelled() && !locked.is_cancelled());
    }

    #[test]
    fn a_dropped_completer_fails_the_ticket() {
        let (completer, ticket) = Ticket::pair();
        drop(completer);
        assert!(matches!(ticket.wait(), Err(Error::Lost { .. })));
    }

    /// Somebody who listens to events and panics.
    struct Clumsy;

    impl tracing::Subscriber for Clumsy {
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
    fn a_ticket_ends_although_who_hears_of_it_panics() {
        tracing::subscriber::with_default(Clumsy, || {
            let (completer, ticket) = Ticket::pair();
            let ticket = ticket.told_in(tracing::debug_span!("operation"), Instant::now());
            let told = std::panic::AssertUnwindSafe(|| completer.complete(Ok(answer())));
            assert!(std::panic::catch_unwind(told).is_err());
            assert!(
                ticket.wait_timeout(Duration::from_secs(60)).is_ok_and(|answer| answer.is_ok())
            );
        });
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

    #[test]
    fn a_thread_that_waits_is_woken() {
        for had_given_up in [false, true] {
            let (completer, mut ticket) = Ticket::pair();
            if had_given_up {
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
        let (first, second) = (Ticket::pair(), Ticket::pair());
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
    fn a_future_that_is_dropped_gives_up_the_answer() {
        let (completer, ticket) = Ticket::pair();
        let mut future = Box::pin(ticket);
        let context = &mut Context::from_waker(Waker::noop());
        assert!(future.as_mut().poll(context).is_pending());
        drop(future);
        assert!(completer.is_cancelled());
    }

    #[test]
    fn work_is_told_when_its_ticket_is_given_up_before_the_answer() {
        for is_there in [false, true] {
            let work = Cancel::new();
            let (completer, ticket) = Ticket::<u8, Error>::of_work(work.clone());
            if is_there {
                completer.complete(Ok(1));
            }
            ticket.cancel();
            assert_eq!(work.is_cancelled(), !is_there);
            assert_eq!(ticket.wait().is_ok(), is_there);
        }
    }

    #[test]
    fn a_word_ends_the_tickets_that_it_covers_before_and_after() {
        let cancel = Cancel::new();
        let (early, waiting) = Ticket::pair();
        let (done, answered) = Ticket::pair();
        let (waiting, answered) = (waiting.covered_by(&cancel), answered.covered_by(&cancel));
        done.complete(Ok(answer()));
        let waiter = std::thread::spawn(|| waiting.wait());
        cancel.clone().cancel();
        assert!(matches!(waiter.join().unwrap(), Err(Error::Cancelled)));
        assert!(early.is_cancelled() && answered.wait().is_ok());
        let (late, ticket) = Ticket::pair();
        let ticket = ticket.covered_by(&cancel);
        assert!(late.is_cancelled() && matches!(ticket.wait(), Err(Error::Cancelled)));
        assert!(matches!(cancel.go_on(), Err(Error::Cancelled)));
    }
}
