//! The power x^floor(2^t / l) from states of the evaluation (Wesolowski, ePrint 2018/623, Algorithm 5).
//!
//! The digits of the quotient in base 2^k, from the lowest on, are b_i = floor(2^k (2^(t - k (i + 1)) mod l) / l). With the states
//! C_i = x^(2^(i k g)), one after each stride of k g squarings,
//!
//! > x^floor(2^t / l) = prod over j < g of (prod over i of C_i^(b_(i g + j)))^(2^(k j)).
//!
//! For each j, states with equal digits are multiplied into a bucket first. That takes t / k multiplications and g 2^(k + 1) more for
//! the buckets, on all threads, and memory for t / (k g) states and 2^k buckets a thread.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;
use proofmill_algebra::modulus::{Modulus, Residue};
use proofmill_op::vdf::MAX_STATE_BYTES;
use rayon::prelude::*;

use super::wesolowski::Settings;
use super::{Claim, Result};
use crate::Error;

/// Bits of the widest digit.
const MAX_DIGIT_BITS: u64 = 16;
/// Ranges of j for each thread.
const TASKS_PER_THREAD: u64 = 4;

/// The digits' width and the spacing of the states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    /// k: bits of a digit.
    digit_bits: u64,
    /// g: digits for each state.
    digits: u64,
    threads: u64,
}

impl Plan {
    /// Returns the plan with the fewest multiplications whose states and buckets fit in `max_bytes`.
    pub fn new(claim: &Claim, max_bytes: u64, threads: usize) -> Self {
        let threads = threads.max(1) as u64;
        let (t, each) = (claim.squarings, claim.byte_count() as u64);
        let for_states = ((max_bytes / 2).min(MAX_STATE_BYTES) / each).max(1);
        let plan = |digit_bits: u64| {
            // States are at least k g squarings apart.
            let digits = t.div_ceil(digit_bits.saturating_mul(for_states));
            Self { digit_bits, digits: digits.max(TASKS_PER_THREAD * threads), threads }
        };
        let fits = |plan: &Self| plan.digit_bits == 1 || plan.bucket_bytes(each) <= max_bytes / 2;
        let plans = (1..=MAX_DIGIT_BITS).map(plan).filter(fits);
        plans.min_by_key(|plan| plan.multiplications(t)).unwrap_or_else(|| plan(1))
    }

    /// Returns the best plan for states that exist.
    pub fn with_stride(claim: &Claim, stride: u64, max_bytes: u64, threads: usize) -> Result<Self> {
        let threads = threads.max(1) as u64;
        let each = claim.byte_count() as u64;
        let widths = (1..=MAX_DIGIT_BITS).filter(|bits| stride.is_multiple_of(*bits));
        let plans =
            widths.map(|digit_bits| Self { digit_bits, digits: stride / digit_bits, threads });
        let plans =
            plans.filter(|plan| plan.digit_bits == 1 || plan.bucket_bytes(each) <= max_bytes / 2);
        plans
            .min_by_key(|plan| plan.multiplications(claim.squarings))
            .ok_or_else(|| Error::argument("stride", "is 0; expected at least 1"))
    }

    /// Returns the squarings between two states.
    pub fn stride(&self) -> u64 {
        self.digit_bits * self.digits
    }

    /// Returns the share of the evaluation in the time of an evaluation and a proof, roughly.
    pub fn evaluation_share(&self, squarings: u64) -> f64 {
        let proof = self.multiplications(squarings) as f64 / self.threads as f64;
        squarings as f64 / (squarings as f64 + proof)
    }

    fn multiplications(&self, squarings: u64) -> u64 {
        let buckets = self.columns(squarings).saturating_mul(2 << self.digit_bits);
        (squarings / self.digit_bits).saturating_add(buckets)
    }

    /// Returns the number of columns j that have a digit other than 0.
    fn columns(&self, squarings: u64) -> u64 {
        self.digits.min(squarings / self.digit_bits + 1)
    }

    fn bucket_bytes(&self, each: u64) -> u64 {
        (each * self.threads) << self.digit_bits
    }
}

/// A division of 2^t by l, whose quotient is an exponent.
pub(super) struct Division<'a> {
    pub claim: &'a Claim,
    pub plan: Plan,
    pub prime: &'a BigUint,
    /// C_i, from x on.
    pub states: &'a [Residue],
}

impl Division<'_> {
    /// Returns x^floor(2^t / l).
    pub fn power(&self, settings: &Settings) -> Result<Residue> {
        let Plan { digit_bits, threads, .. } = self.plan;
        let digits = self.plan.columns(self.claim.squarings);
        let length = digits.div_ceil(TASKS_PER_THREAD * threads);
        let starts: Vec<u64> = (0..digits).step_by(length as usize).collect();
        let done = std::sync::atomic::AtomicU64::new(0);
        let tasks = starts.par_iter().map(|&start| {
            let powers = start..digits.min(start + length);
            powers.rev().try_fold(self.modulus().one(), |mut product, j| {
                settings.cancel.check().map_err(Error::Device)?;
                self.modulus().square_repeatedly(&mut product, digit_bits);
                let done = 1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                settings.progress.iter().for_each(|it| it.report(done as f64 / digits as f64));
                Ok(self.modulus().multiply(&product, &self.column(j)))
            })
        });
        let tasks: Vec<Residue> = tasks.collect::<Result<_>>()?;
        let mut power = self.modulus().one();
        for product in tasks.iter().rev() {
            self.modulus().square_repeatedly(&mut power, digit_bits * length);
            power = self.modulus().multiply(&power, product);
        }
        Ok(power)
    }

    /// Returns the product of C_i^(b_(i g + j)) for one j.
    fn column(&self, j: u64) -> Residue {
        let mut buckets = vec![None; 1 << self.plan.digit_bits];
        for (state, digit) in self.states.iter().rev().zip(self.digits(j)) {
            if digit == 0 {
                continue;
            }
            let bucket: &mut Option<Residue> = &mut buckets[digit];
            *bucket = Some(match bucket.take() {
                Some(product) => self.modulus().multiply(&product, state),
                None => state.clone(),
            });
        }
        weighted_product(self.modulus(), &buckets)
    }

    /// Returns b_(i g + j) for each state from the last to the first. A digit above the highest of the quotient is 0.
    fn digits(&self, j: u64) -> impl Iterator<Item = usize> {
        let Plan { digit_bits, digits, .. } = self.plan;
        let (two, prime) = (BigUint::from(2_u8), self.prime.clone());
        let step = two.modpow(&(digit_bits * digits).into(), &prime);
        let t = self.claim.squarings;
        let mut remainder = None;
        (0..self.states.len() as u64).rev().map(move |i| {
            let place = digit_bits.checked_mul(i * digits + j + 1);
            let Some(exponent) = place.and_then(|place| t.checked_sub(place)) else {
                return 0;
            };
            let current = match remainder.take() {
                None => two.modpow(&exponent.into(), &prime),
                Some(before) => (before * &step) % &prime,
            };
            let digit = (&current << digit_bits).div_floor(&prime).to_usize().unwrap_or(0);
            remainder = Some(current);
            digit
        })
    }

    fn modulus(&self) -> &Modulus {
        self.claim.arithmetic()
    }
}

/// Returns the product of `buckets[b]`^b, by products of products from the last bucket down.
fn weighted_product(modulus: &Modulus, buckets: &[Option<Residue>]) -> Residue {
    let mut product = modulus.one();
    let mut running: Option<Residue> = None;
    for bucket in buckets.iter().skip(1).rev() {
        running = match (running, bucket) {
            (Some(running), Some(bucket)) => Some(modulus.multiply(&running, bucket)),
            (running, bucket) => running.or_else(|| bucket.clone()),
        };
        if let Some(running) = &running {
            product = modulus.multiply(&product, running);
        }
    }
    product
}
