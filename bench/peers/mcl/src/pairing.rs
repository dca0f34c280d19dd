//! Products of pairings.

use std::hint::black_box;

use anyhow::{Result, bail, ensure};
use mcl_rust::{CurveType, G1, G2, GT};
use works::pairing::{Task, Work, in_shares};

pub fn task(work: &Work) -> Result<Task> {
    let curve = match &*work.instance {
        "bn254" => CurveType::SNARK,
        "bls12_381" => CurveType::BLS12_381,
        other => bail!("mcl has no {other}"),
    };
    let (p, q) = points(curve, work.count)?;
    let threads = work.threads;
    Ok(Box::new(move || {
        let pairs = (black_box(&p[..]), black_box(&q[..]));
        let value = in_shares(threads, pairs, miller_loop, |mut product, value| {
            product *= &value;
            product
        });
        black_box(value.map(|value| final_exponentiation(&value)));
    }))
}

unsafe extern "C" {
    /// The product of the Miller values of `count` pairs: mcl has it, its crate does not name it.
    fn mclBn_millerLoopVec(z: *mut GT, x: *const G1, y: *const G2, count: usize);
}

/// Multiples of two points.
fn points(curve: CurveType, count: usize) -> Result<(Vec<G1>, Vec<G2>)> {
    ensure!(mcl_rust::init(curve), "this mcl lacks the curve");
    let (mut p, mut q) = (G1::zero(), G2::zero());
    let found = p.set_hash_of(b"proofmill") && q.set_hash_of(b"proofmill");
    ensure!(found, "mcl finds no point");
    let (mut sum1, mut sum2) = (p.clone(), q.clone());
    let pairs = std::iter::repeat_with(|| {
        let (mut affine1, mut affine2) = (G1::zero(), G2::zero());
        G1::normalize(&mut affine1, &sum1);
        G2::normalize(&mut affine2, &sum2);
        sum1 += &p;
        sum2 += &q;
        (affine1, affine2)
    });
    Ok(pairs.take(count).unzip())
}

/// The product of the Miller values of as many pairs as there are.
fn miller_loop(p: &[G1], q: &[G2]) -> GT {
    let mut value = GT::zero();
    let count = p.len().min(q.len());
    // SAFETY: both lists have so many points.
    unsafe { mclBn_millerLoopVec(&mut value, p.as_ptr(), q.as_ptr(), count) };
    value
}

/// What the final exponentiation makes of it.
fn final_exponentiation(f: &GT) -> GT {
    let mut value = GT::zero();
    mcl_rust::final_exp(&mut value, f);
    value
}
