//! Measures several contestants alternately.

use anyhow::Result;

/// A fixed piece of work that can be measured.
pub trait Contestant {
    /// Does the work once and returns its seconds.
    fn seconds(&mut self) -> Result<f64>;
}

impl<F: FnMut() -> Result<f64>> Contestant for F {
    fn seconds(&mut self) -> Result<f64> {
        self()
    }
}

/// The statistic over a contestant's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The median, after an additional first round that does not count.
    Median,
    /// The minimum: for work that takes seconds, with few rounds.
    Best,
}

/// Measures each contestant's seconds over some rounds.
pub fn interleaved(
    rounds: usize,
    pick: Pick,
    contestants: &mut [&mut dyn Contestant],
) -> Result<Vec<f64>> {
    Ok(match pick {
        Pick::Median => {
            let mut seconds = turns(rounds + 1, contestants)?;
            seconds.iter_mut().map(|seconds| median(&mut seconds[1..])).collect()
        }
        Pick::Best => {
            let least = |seconds: &Vec<f64>| seconds.iter().copied().fold(f64::INFINITY, f64::min);
            turns(rounds, contestants)?.iter().map(least).collect()
        }
    })
}

/// Measures each contestant once per round. All contestants are first equally often.
fn turns(rounds: usize, contestants: &mut [&mut dyn Contestant]) -> Result<Vec<Vec<f64>>> {
    let mut seconds = vec![Vec::with_capacity(rounds); contestants.len()];
    for round in 0..rounds {
        for turn in 0..contestants.len() {
            let who = (round + turn) % contestants.len();
            seconds[who].push(contestants[who].seconds()?);
        }
    }
    Ok(seconds)
}

/// Returns the middle value, or the mean of the two in the middle.
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

    /// Returns recorded times one after the other, and records the order of the contestants.
    fn contestant(name: char, turns: &RefCell<String>) -> impl FnMut() -> Result<f64> + use<'_> {
        let mut times = [100.0, 1.0, 9.0, 2.0].into_iter();
        move || {
            turns.borrow_mut().push(name);
            Ok(times.next().unwrap())
        }
    }

    #[test]
    fn turns_alternate_and_the_first_round_does_not_count() {
        let turns = RefCell::new(String::new());
        let (mut a, mut b) = (contestant('a', &turns), contestant('b', &turns));
        assert_eq!(interleaved(3, Pick::Median, &mut [&mut a, &mut b]).unwrap(), [2.0, 2.0]);
        assert_eq!(*turns.borrow(), "abbaabba");
    }

    #[test]
    fn the_best_of_two_rounds() {
        let turns = RefCell::new(String::new());
        let (mut a, mut b) = (contestant('a', &turns), contestant('b', &turns));
        assert_eq!(interleaved(2, Pick::Best, &mut [&mut a, &mut b]).unwrap(), [1.0, 1.0]);
        assert_eq!(*turns.borrow(), "abba");
    }

    #[test]
    fn a_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median(&mut [4.0, 1.0, 3.0, 2.0]), 2.5);
    }
}
