//! Commands in the card: which index belongs to which job, and since when.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// A command in the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The job that it belongs to.
    pub job: u64,
    /// Which of the job's commands it is.
    pub position: usize,
}

/// All commands in the card.
#[derive(Default)]
pub struct Flights {
    next_index: u64,
    under_way: HashMap<u64, Flight>,
    /// Indices in the order of sending, with the time; those answered are dropped when they come to the front.
    sent: VecDeque<(Duration, u64)>,
    clock: Clock,
}

impl Flights {
    /// True when no command is in the card.
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// The index of the command to be sent next.
    pub fn next_index(&self) -> u64 {
        self.next_index
    }

    /// The command with that index was sent.
    pub fn begin(&mut self, flight: Flight) {
        self.under_way.insert(self.next_index, flight);
        self.sent.push_back((self.clock.now(), self.next_index));
        self.next_index += 1;
    }

    /// The command with this index was answered; `None` when there is none of it.
    pub fn end(&mut self, index: u64) -> Option<Flight> {
        self.under_way.remove(&index)
    }

    /// No reply to this job's commands is to come any more.
    pub fn end_job(&mut self, job: u64) {
        self.under_way.retain(|_, flight| flight.job != job);
    }

    /// The jobs that have commands in the card, each once.
    pub fn jobs(&self) -> Vec<u64> {
        let mut jobs: Vec<_> = self.under_way.values().map(|flight| flight.job).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// True when the oldest command is in the card for longer than this.
    pub fn overdue(&mut self, timeout: Duration) -> bool {
        let now = self.clock.now();
        while let Some((when, index)) = self.sent.front() {
            if self.under_way.contains_key(index) {
                return now.saturating_sub(*when) > timeout;
            }
            self.sent.pop_front();
        }
        false
    }
}

/// Time as this thread lives it. When the process was stopped (by job control, by a debugger), the card was not
/// heard for that long, but it was not silent: between two looks at most a second passes.
struct Clock {
    looked: Instant,
    passed: Duration,
}

impl Default for Clock {
    fn default() -> Self {
        Self { looked: Instant::now(), passed: Duration::ZERO }
    }
}

impl Clock {
    const LONGEST_STEP: Duration = Duration::from_secs(1);

    fn now(&mut self) -> Duration {
        let now = Instant::now();
        self.passed += now.duration_since(self.looked).min(Self::LONGEST_STEP);
        self.looked = now;
        self.passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flight(job: u64) -> Flight {
        Flight { job, position: 0 }
    }

    #[test]
    fn the_oldest_command_that_is_left_decides() {
        let mut flights = Flights::default();
        flights.begin(flight(7));
        flights.begin(flight(8));
        assert!(!flights.overdue(Duration::from_secs(60)));
        assert_eq!(flights.end(0), Some(flight(7)));
        assert_eq!(flights.end(0), None);
        std::thread::sleep(Duration::from_millis(2));
        assert!(flights.overdue(Duration::from_millis(1)));
        flights.end_job(8);
        assert!(flights.is_empty() && !flights.overdue(Duration::ZERO));
    }

    #[test]
    fn a_stop_of_the_process_is_not_the_cards_silence() {
        let mut flights = Flights::default();
        flights.begin(flight(1));
        // As if the process had been stopped for an hour between two looks.
        flights.clock.looked -= Duration::from_secs(3600);
        assert!(!flights.overdue(Duration::from_secs(2)));
        flights.clock.looked -= Duration::from_secs(3600);
        flights.clock.now();
        flights.clock.looked -= Duration::from_secs(3600);
        assert!(flights.overdue(Duration::from_secs(2)), "a stopped clock would wait for ever");
    }
}
