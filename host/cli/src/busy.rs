//! The time during which a device had at least one request.

use std::time::{Duration, Instant};

/// That time, so far.
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

    /// In seconds.
    pub fn seconds(&self) -> f64 {
        self.total.as_secs_f64()
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
    }
}
