//! Commands in the card: which index belongs to which job, and since when.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::wire::Header;

/// The purpose of a packet in the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// The command of this number.
    Command(usize),
    /// The cancellation of a command.
    Cancel,
}

/// A command in the card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The job that it belongs to.
    pub job: u64,
    /// Its purpose.
    pub sent: Sent,
    /// Its header.
    pub command: Header,
    /// The header of the reply to it.
    pub reply: Header,
}

/// The commands in the card.
#[derive(Default)]
pub struct Flights {
    next_index: u64,
    under_way: HashMap<u64, Flight>,
    /// Indices in the order of sending, with the time; those answered are dropped when they come to the front.
    sent: VecDeque<(Duration, u64)>,
    clock: Clock,
}

impl Flights {
    /// Returns whether no command is in the card.
    pub fn is_empty(&self) -> bool {
        self.under_way.is_empty()
    }

    /// Returns the index of the next command.
    pub fn next_index(&self) -> u64 {
        self.next_index
    }

    /// Records that the command with that index was sent.
    pub fn begin(&mut self, flight: Flight) {
        self.under_way.insert(self.next_index, flight);
        self.sent.push_back((self.clock.now(), self.next_index));
        self.next_index += 1;
    }

    /// Removes the command with this index, which was answered; `None` if there is none.
    pub fn end(&mut self, index: u64) -> Option<Flight> {
        self.under_way.remove(&index)
    }

    /// Removes all commands of this job.
    pub fn end_job(&mut self, job: u64) {
        self.under_way.retain(|_, flight| flight.job != job);
    }

    /// Returns the jobs that have commands with this header in the card, each once.
    pub fn jobs(&self, command: Header) -> Vec<u64> {
        let with_it = self.under_way.values().filter(|flight| flight.command == command);
        let mut jobs: Vec<_> = with_it.map(|flight| flight.job).collect();
        jobs.sort_unstable();
        jobs.dedup();
        jobs
    }

    /// Returns a job's commands in the card: index and number of each.
    pub fn of_job(&self, job: u64) -> Vec<(u64, usize)> {
        let flights = self.under_way.iter().filter(|(_, flight)| flight.job == job);
        let commands = flights.filter_map(|(&index, flight)| match flight.sent {
            Sent::Command(position) => Some((index, position)),
            Sent::Cancel => None,
        });
        commands.collect()
    }

    /// Returns the job of the oldest command if that is in the card for longer than `timeout`.
    pub fn overdue(&mut self, timeout: Duration) -> Option<u64> {
        let now = self.clock.now();
        while let Some((when, index)) = self.sent.front() {
            if let Some(flight) = self.under_way.get(index) {
                return (now.saturating_sub(*when) > timeout).then_some(flight.job);
            }
            self.sent.pop_front();
        }
        None
    }

    /// Resets the time of the oldest command to now.
    pub fn postpone(&mut self) {
        if let Some((_, index)) = self.sent.pop_front() {
            self.sent.push_back((self.clock.now(), index));
        }
    }

    /// Returns the current time of this clock.
    pub fn now(&mut self) -> Duration {
        self.clock.now()
    }
}

/// The running time of this thread. If the process is stopped (by job control, by a debugger), its replies are not received
/// although the card sends them: between two readings at most a second passes.
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
        let header = Header { len: 16, cmd: 0x100 };
        Flight { job, sent: Sent::Command(0), command: header, reply: header }
    }

    #[test]
    fn the_oldest_command_that_is_left_decides() {
        let mut flights = Flights::default();
        flights.begin(flight(7));
        flights.begin(flight(8));
        assert_eq!(flights.overdue(Duration::from_secs(60)), None);
        assert_eq!(flights.end(0), Some(flight(7)));
        assert_eq!(flights.end(0), None);
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(flights.overdue(Duration::from_millis(1)), Some(8));
        flights.begin(flight(9));
        flights.postpone();
        std::thread::sleep(Duration::from_millis(2));
        assert_eq!(flights.overdue(Duration::from_millis(1)), Some(9), "8 was sent later now");
        assert_eq!(flights.of_job(8), [(1, 0)]);
        flights.end_job(8);
        flights.end_job(9);
        assert!(flights.is_empty() && flights.overdue(Duration::ZERO).is_none());
    }

    #[test]
    fn a_stop_of_the_process_is_not_the_cards_silence() {
        let mut flights = Flights::default();
        flights.begin(flight(1));
        // The process was stopped for an hour between two readings.
        flights.clock.looked -= Duration::from_secs(3600);
        assert_eq!(flights.overdue(Duration::from_secs(2)), None);
        flights.clock.looked -= Duration::from_secs(3600);
        flights.clock.now();
        flights.clock.looked -= Duration::from_secs(3600);
        assert!(
            flights.overdue(Duration::from_secs(2)).is_some(),
            "a stopped clock would wait for ever"
        );
    }
}
