//! Injected faults, in a table: `make faults SEED=7 COUNT=10000`. Without the variables, [`COUNT`] faults.
//!
//! Each case injects one random fault at one place, requests something and judges the end against the processor's result. A result is
//! right, the request is refused with an error that names the device, or another device computed the right result. A wrong result that is
//! accepted, a lost result, a wrong error, a panic and a case that outlasts [`DEADLINE`] are failures. The message names the case: its number and the seed repeat it.

mod cards;
mod files;
mod provers;
mod remote;
mod requests;
mod service;

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use proofmill_op::{AnyResponse, Result};
use proofmill_testkit::random::Random;

/// The number of faults in `make test`.
const COUNT: u64 = 200;
/// The number of cases at a time.
const THREADS: usize = 6;
/// The longest time of a case. Only a hang reaches it.
const DEADLINE: Duration = Duration::from_secs(120);

/// The end of a case that is no failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The result is right.
    Right,
    /// An error with the right reason.
    Refused,
    /// The result is right, and another device computed it after the fault.
    Repeated,
}

/// A case: where the fault was, what it was, and the end; a failure as text.
pub struct Case {
    place: &'static str,
    fault: String,
    end: std::result::Result<End, String>,
}

impl Case {
    /// Returns a case. The fault's name is its row in the table, without numbers.
    pub fn new(
        place: &'static str,
        fault: impl fmt::Debug,
        end: std::result::Result<End, String>,
    ) -> Self {
        let fault = format!("{fault:?}");
        let name = fault.split(['(', ' ']).next().unwrap_or_default().to_owned();
        Self { place, fault: name, end: end.map_err(|problem| format!("{fault}: {problem}")) }
    }
}

/// Judges a response: right, or an error of the device.
pub fn judge(
    found: Result<AnyResponse>,
    expected: &AnyResponse,
) -> std::result::Result<End, String> {
    match found {
        Ok(found) if found.same_result(expected) => Ok(End::Right),
        Ok(found) => Err(format!("a wrong result was accepted: {found:?} for {expected:?}")),
        Err(error) if error.is_device() && !error.to_string().is_empty() => Ok(End::Refused),
        Err(error) => Err(format!("an error with another reason: {error}")),
    }
}

/// A place of faults.
type Place = fn(&mut Random) -> Case;

/// The places, each with its share of the cases.
const PLACES: [(u64, Place); 7] = [
    (30, cards::in_software),
    (15, cards::simulated),
    (20, remote::connection),
    (15, provers::device),
    (10, service::client),
    (10, files::damaged),
    (10, files::changed),
];

/// Runs a case in a thread of its own, within the deadline.
fn run(seed: u64, number: u64) -> Case {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number));
    let mut share = random.below(PLACES.iter().map(|(share, _)| share).sum());
    let place = PLACES.iter().find(|(this, _)| {
        let is_here = share < *this;
        share = share.saturating_sub(*this);
        is_here
    });
    let case = place.expect("a share is below their sum").1;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let case = catch_unwind(AssertUnwindSafe(|| case(&mut random)));
        // The receiver is gone after the deadline.
        let _ = sender.send(case.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
            Case::new("?", "?", Err(format!("a panic: {text}")))
        }));
    });
    receiver
        .recv_timeout(DEADLINE)
        .unwrap_or_else(|_| Case::new("?", "?", Err("it outlasts the deadline".into())))
}

fn number(name: &str, default: u64) -> u64 {
    match env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}: '{text}' is not a number")),
        Err(_) => default,
    }
}

#[test]
fn no_fault_makes_a_wrong_result_or_a_hang() {
    let seed = number("PROOFMILL_FAULTS_SEED", 1);
    let (first, count) =
        (number("PROOFMILL_FAULTS_FIRST", 0), number("PROOFMILL_FAULTS_COUNT", COUNT));
    let start = Instant::now();
    // Most cases wait.
    let next = AtomicU64::new(first);
    let (sender, cases) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..THREADS {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= first + count {
                        return;
                    }
                    sender.send((at, run(seed, at))).expect("the table is made after all cases");
                }
            });
        }
    });
    drop(sender);
    let mut table = BTreeMap::<(&str, String), [u64; 3]>::new();
    let mut failures = Vec::new();
    for (at, case) in cases {
        match case.end {
            Ok(end) => table.entry((case.place, case.fault)).or_default()[end as usize] += 1,
            Err(problem) => {
                let place = case.place;
                failures.push(format!("SEED={seed} FIRST={at} COUNT=1: {place}, {problem}"));
            }
        }
    }
    println!("| place | fault | right | refused | repeated |\n|---|---|---|---|---|");
    let mut total = [0; 3];
    for ((place, fault), ends) in &table {
        println!("| {place} | {fault} | {} | {} | {} |", ends[0], ends[1], ends[2]);
        total.iter_mut().zip(ends).for_each(|(total, end)| *total += end);
    }
    println!("| all | | {} | {} | {} |", total[0], total[1], total[2]);
    println!("{count} faults from seed {seed} in {:.1} s", start.elapsed().as_secs_f64());
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(total.iter().sum::<u64>(), count);
}
