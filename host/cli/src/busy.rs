//! The time during which a device had at least one request.

use std::time::{Duration, Instant};

use proofmill::Device;

/// The accumulated time.
#[derive(Default)]
pub struct Busy {
    total: Duration,
    until: Option<Instant>,
}

impl Busy {
    /// Adds a request; they come in the order of their submission.
    pub fn add(&mut self, submitted: Instant, answered: Instant) {
        let from = self.until.map_or(submitted, |until| until.max(submitted));
        self.total += answered.saturating_duration_since(from);
        self.until = Some(from.max(answered));
    }

    /// Returns the time in seconds.
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64()
    }

    /// Returns the rate per second, or `None` if the device had no request.
    pub fn rate(&self, number: u64) -> Option<f64> {
        (!self.total.is_zero()).then(|| number as f64 / self.seconds())
    }

    /// Returns the end of a summary: the time, the rate of what was verified, and the cycles where they are counted.
    pub fn summary(&self, number: u64, nouns: &str, device: &dyn Device) -> String {
        let mut end = String::new();
        if let Some(rate) = self.rate(number) {
            let (time, uri) = (self.seconds() * 1e3, &device.caps().uri);
            end += &format!("; {time:.3} ms of work on {uri}, {rate:.0} {nouns}/s");
        }
        if let Some(cycles) = device.metrics().cycles {
            end += &format!("; {cycles} cycles of the card");
        }
        end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_with_a_request_is_counted_and_none_twice() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut busy = Busy::default();
        for (submitted, answered) in [(0, 10), (2, 15), (3, 12), (20, 30), (30, 30), (35, 36)] {
            busy.add(at(submitted), at(answered));
        }
        assert_eq!(busy.total, Duration::from_millis(15 + 10 + 1));
        assert_eq!(busy.rate(52), Some(2000.0));
        assert_eq!(Busy::default().rate(1), None);
    }
}
