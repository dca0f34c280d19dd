//! Pools of software models of cards, which can be paused while their queues fill, and killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proofmill_card::{Card, Options};
use proofmill_op::{Device, DeviceKind, RequestOf, ResponseOf, Result, Submit, Ticket};
use proofmill_pool::Pool;
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::soft_card::{SoftCard, SoftEngine, first_byte};

/// A time limit that no test reaches unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Cards that are held as long as these are true.
pub struct Holds(Vec<Arc<AtomicBool>>);

impl Holds {
    /// Holds or releases all cards.
    pub fn set(&self, held: bool) {
        self.0.iter().for_each(|hold| hold.store(held, Ordering::SeqCst));
    }

    /// One of them.
    pub fn set_one(&self, card: usize, held: bool) {
        self.0[card].store(held, Ordering::SeqCst);
    }
}

pub const NONE: Fault = Fault::NONE;

/// Cards `soft:0`, `soft:1` and so on with these engines, each with its fault.
pub fn pool(engines: &[SoftEngine], faults: &[Fault]) -> (Pool, Holds) {
    let mut holds = Vec::new();
    let card = |(number, fault): (usize, &Fault)| {
        let card = Faulty::new(SoftCard::new(engines, first_byte()), *fault);
        holds.push(card.hold());
        let uri = format!("soft:{number}");
        let options = Options { timeout: fault.timeout(), ..Options::new(uri, DeviceKind::Card) };
        Box::new(Card::open(Box::new(card), options).unwrap()) as Box<dyn Device>
    };
    let cards = faults.iter().enumerate().map(card).collect();
    (Pool::new("soft:", cards).unwrap(), Holds(holds))
}

/// Waits for the response, or fails the test after the patience.
pub fn end<T>(ticket: Ticket<T>) -> Result<T> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// Waits until this is so, or the test fails.
pub fn until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn response<R: RequestOf>(pool: &Pool, request: R) -> Result<ResponseOf<R>> {
    pool.submit(request).and_then(end)
}

/// The URIs of the members that are lost.
pub fn lost(pool: &Pool) -> Vec<String> {
    pool.lost().into_iter().map(|(uri, _)| uri).collect()
}
