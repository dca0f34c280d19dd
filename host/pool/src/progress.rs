//! The progress of a request whose parts are executed in parallel.

use std::sync::{Arc, Mutex, PoisonError};

use proofmill_op::Progress;

/// The progress of each part, and the callback that receives the total.
pub struct Shares {
    weights: Vec<f64>,
    done: Mutex<Vec<f64>>,
    /// The largest value that was reported.
    reported: Mutex<f64>,
    progress: Progress,
}

impl Shares {
    /// Creates parts of these weights, which are not all 0.
    pub fn new(weights: Vec<f64>, progress: Progress) -> Arc<Self> {
        let total: f64 = weights.iter().sum();
        let done = Mutex::new(vec![0.0; weights.len()]);
        let weights = weights.iter().map(|weight| weight / total).collect();
        Arc::new(Self { weights, done, reported: Mutex::new(0.0), progress })
    }

    /// Returns the callback for a part's card. A part that is repeated does not reduce the progress.
    pub fn of(self: &Arc<Self>, part: usize) -> Progress {
        let shares = self.clone();
        Progress(Arc::new(move |fraction| {
            let mut done = shares.done.lock().unwrap_or_else(PoisonError::into_inner);
            done[part] = done[part].max(fraction);
            let all: f64 =
                done.iter().zip(&shares.weights).map(|(done, weight)| done * weight).sum();
            drop(done);
            let mut reported = shares.reported.lock().unwrap_or_else(PoisonError::into_inner);
            if all > *reported {
                *reported = all;
                (shares.progress.0)(all.min(1.0));
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_by_their_weight_and_never_go_back() {
        let reported = Arc::new(Mutex::new(vec![]));
        let heard = reported.clone();
        let listener = Progress(Arc::new(move |all| heard.lock().unwrap().push(all)));
        let shares = Shares::new(vec![1.0, 3.0], listener);
        for (part, fraction) in [(0, 1.0), (1, 0.5), (1, 0.25), (1, 1.0)] {
            (shares.of(part).0)(fraction);
        }
        assert_eq!(*reported.lock().unwrap(), [0.25, 0.625, 1.0]);
    }
}
