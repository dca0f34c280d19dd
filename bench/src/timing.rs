//! Several contestants in turns.

use anyhow::Result;

/// Whoever does a fixed piece of work when it is asked to.
pub trait Contestant {
    /// Does the work once and gives the seconds that it took.
    fn seconds(&mut self) -> Result<f64>;
}

impl<F: FnMut() -> Result<f64>> Contestant for F {
    fn seconds(&mut self) -> Result<f64> {
        self()
    }
}

/// The median of each contestant's seconds over some rounds. In a round everybody has one turn, and everybody
/// begins a round as often as the others; one more round goes before the first that counts.
pub fn interleaved_medians(
    rounds: usize,
    contestants: &mut [&mut dyn Contestant],
) -> Result<Vec<f64>> {
    let mut seconds = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..=rounds {
        for turn in 0..contestants.len() {
            let who = (round + turn) % contestants.len();
            let taken = contestants[who].seconds()?;
            if round > 0 {
                seconds[who].push(taken);
            }
        }
    }
    Ok(seconds.iter_mut().map(|seconds| median(seconds)).collect())
}

/// The middle one, or the mean of the two in the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn turns_alternate_and_the_first_round_does_not_count() {
        let turns = RefCell::new(Vec::new());
        let contestant = |name: char| {
            let (turns, mut times) = (&turns, [100.0, 1.0, 9.0, 2.0].into_iter());
            move || {
                turns.borrow_mut().push(name);
                Ok(times.next().unwrap())
            }
        };
        let (mut a, mut b) = (contestant('a'), contestant('b'));
        assert_eq!(interleaved_medians(3, &mut [&mut a, &mut b]).unwrap(), [2.0, 2.0]);
        assert_eq!(turns.borrow().iter().collect::<String>(), "abbaabba");
    }

    #[test]
    fn a_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
    }
}
