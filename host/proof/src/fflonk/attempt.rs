//! One attempt at a proof, on the devices of one route: the rounds of ePrint 2021/1167, section 7.

use std::sync::Arc;

use proofmill_algebra::field::Field;
use proofmill_op::{Bytes, Cancel, Data, Device as _, Progress, Secret, SecretBytes, Submit};

use super::challenges::{self, AtY};
use super::combined::Combined;
use super::quotient::Round;
use super::report::{Commitment, Control, Step};
use super::{E, Evaluations, F, Proof, Scalar, VerifyingKey};
use crate::attempts::timed;
use crate::groth16::Timed;
use crate::groth16::quotient::root;
use crate::plonk::accumulator::accumulator;
use crate::plonk::polynomial::{EXTRA, blinded, divide, element, elements, evaluate, put, scalars};
use crate::plonk::route::{Route, of_key};
use crate::plonk::transforms::Transforms;
use crate::plonk::wires::Variables;
use crate::random::random_scalars;
use crate::snarkjs::Witness;
use crate::snarkjs::fflonk::{Elements, Polynomial, Wire, Zkey};
use crate::{Error, Result};

/// Blinding scalars: two values of each wire, and three coefficients of z.
const BLINDING: usize = 9;

/// An attempt.
pub struct Attempt<'a> {
    /// The proving key.
    pub key: &'a Zkey,
    /// Its verifying key.
    pub verifying: &'a VerifyingKey,
    /// The devices of the steps.
    pub route: &'a Route,
    /// Receives progress and can cancel the attempt.
    pub control: &'a Control,
    /// Receives the steps that are done.
    pub steps: &'a mut Vec<Timed<Step>>,
}

impl Attempt<'_> {
    /// Computes a proof, without verifying it.
    pub fn run(&mut self, witness: &Witness, public_inputs: &[Scalar]) -> Result<Proof> {
        let (key, verifying, cancel) = (self.key, self.verifying, &self.control.cancel);
        let transforms = Transforms { device: &*self.route.transforms, cancel };
        let device = || Some(transforms.device.caps().uri.clone());
        let blinding: Secret<F> = random_scalars(BLINDING)?;
        let k = [element(&verifying.k1), element(&verifying.k2)];
        let (log, n) = (key.domain_log(), 1usize << key.domain_log());
        let (omega, powers) = (root::<F>(log), key.points().count());
        let round = Round { key, transforms, k, cancel };

        // Round 1.
        let (variables, wires) = self.timed(Step::Wires, device(), || {
            let variables = Variables::<F>::new(key, witness.values())?;
            let [a, b, c] = Wire::ALL.map(|wire| {
                let mut values = variables.of(key, wire, cancel)?;
                // The last two rows have no constraints, and each of their values is its own place in the permutation.
                let (rows, _) = values.as_chunks_mut();
                let blinding = &blinding[2 * wire as usize..][..2];
                rows[n - 2..].iter_mut().zip(blinding).for_each(|(row, b)| put(*b, row));
                transforms.coefficients::<E>(values)
            });
            Ok::<_, Error>((variables, [a?, b?, c?]))
        })?;
        let c1 = self.timed(Step::Gates, device(), || {
            let public = transforms.public::<E>(n, public_inputs)?;
            let t0 = round.gates(wires.each_ref(), public.as_ref())?;
            drop(public);
            let [a, b, c] = &wires;
            Combined::<4>::new(powers, cancel, [a, b, c, &t0])
        })?;
        drop(wires);
        let c1_point = self.commit(Commitment::C1, &c1.0)?;

        // Round 2.
        let (beta, gamma) = challenges::beta_gamma(verifying, public_inputs, &c1_point);
        let z = self.timed(Step::Accumulator, device(), || -> Result<SecretBytes> {
            // The blinded rows multiply z by 1, as rows of zeros do.
            let z = accumulator(key, &variables, k, omega, (beta, gamma), cancel)?;
            let z = transforms.coefficients::<E>(z)?;
            Ok(blinded(&z, &[blinding[8], blinding[7], blinding[6]]))
        })?;
        drop(variables);
        let c2 = self.timed(Step::Permutation, device(), || {
            let t1 = round.start(&z)?;
            let t2 = round.permutation(|number| c1.part(number, n, cancel), &z, (beta, gamma))?;
            Combined::<3>::new(powers, cancel, [&z, &t1, &t2])
        })?;
        drop(z);
        let c2_point = self.commit(Commitment::C2, &c2.0)?;

        // Round 3.
        let seed = challenges::seed(gamma, &c2_point);
        let zeta = challenges::zeta(seed);
        let zetas = [zeta, zeta * omega];
        let evaluations =
            self.timed(Step::Evaluations, None, || evaluations(key, &c1, &c2, zetas))?;

        // Round 4.
        let alpha = challenges::alpha(seed, &evaluations);
        let c0 = key.c0();
        let w1 = self.timed(Step::Quotient, None, || -> Result<Bytes> {
            let sum = quotient(&c0, &c1, &c2, alpha, zetas, cancel)?;
            Ok(scalars(powers, cancel, |i| Ok(sum[i]))?.into())
        })?;
        let w1_point = self.commit(Commitment::W1, &w1)?;

        // Round 5.
        let y = challenges::y(alpha, &w1_point);
        let at_y = AtY::new(zetas, y);
        let w2 = self.timed(Step::Opening, None, || -> Result<Bytes> {
            // A zero would have a probability of 10 / r, and give no valid proof.
            let [f1, f2] = at_y.factors(alpha).unwrap_or([F::ZERO; 2]);
            let (w1, _) = w1.as_chunks();
            // The remainder, which is the value at y, needs no constant.
            let mut sum = elements(powers, cancel, |i| {
                let own = f1 * c1.get(i) + f2 * c2.get(i) - at_y.z0 * element::<F>(&w1[i]);
                Ok(if i < c0.len() { own + c0.get::<F>(i)? } else { own })
            })?;
            divide::<F, 1>(&mut sum, y);
            Ok(scalars(powers, cancel, |i| Ok(sum[i]))?.into())
        })?;
        drop((c1, c2, w1));
        let w2_point = self.commit(Commitment::W2, &w2)?;

        let product = at_y.denominators(log, omega, public_inputs.len().max(1));
        let mut inverse = Scalar::default();
        put(product.invert_vartime().unwrap_or(F::ZERO), &mut inverse);
        let [c1, c2, w1, w2] = [c1_point, c2_point, w1_point, w2_point];
        Ok(Proof { c1, c2, w1, w2, evaluations, inverse })
    }

    /// Runs [`Step::Check`].
    pub fn check<T>(&mut self, check: impl FnOnce() -> T) -> T {
        self.timed(Step::Check, None, check)
    }

    /// Computes the commitment to a polynomial with a coefficient for each power of tau.
    fn commit(&mut self, which: Commitment, coefficients: &Bytes) -> Result<Vec<u8>> {
        let Self { route, control, .. } = *self;
        let step = Step::Msm(which);
        let progress = control.progress.clone();
        let progress =
            progress.map(|progress| Progress(Arc::new(move |part| progress(step, part))));
        let request = route.request([Data::Host(coefficients.clone())], progress);
        let uri = route.msm.caps().uri.clone();
        let response = self.timed(step, Some(uri), || {
            route.msm.submit(request)?.linked_to(&control.cancel).wait()
        });
        let points = route.points::<E>(response.map_err(of_key)?, 1)?;
        Ok(points.into_iter().next().expect("as many as lists"))
    }

    fn timed<T>(&mut self, step: Step, device: Option<String>, work: impl FnOnce() -> T) -> T {
        timed(self.control, self.steps, step, device, work)
    }
}

/// Computes the evaluations, of the key's polynomials and of those that a proof brings.
fn evaluations(
    key: &Zkey,
    c1: &Combined<4>,
    c2: &Combined<3>,
    [zeta, zeta_omega]: [F; 2],
) -> Result<Evaluations> {
    use Polynomial::{QC, QL, QM, QO, QR, S1, S2, S3};
    let n = 1 << key.domain_log();
    let mut values = [Scalar::default(); 15];
    let (fixed, own) = values.split_at_mut(8);
    for (value, polynomial) in fixed.iter_mut().zip([QL, QR, QM, QO, QC, S1, S2, S3]) {
        let f = key.coefficients(polynomial);
        put(evaluate(n, zeta, |i| f.get::<F>(i))?, value);
    }
    let opened = [
        c1.evaluate(0, n, zeta),
        c1.evaluate(1, n, zeta),
        c1.evaluate(2, n, zeta),
        c2.evaluate(0, n + EXTRA, zeta),
        c2.evaluate(0, n + EXTRA, zeta_omega),
        c2.evaluate(1, n + EXTRA, zeta_omega),
        c2.evaluate(2, 3 * n, zeta_omega),
    ];
    for (value, opened) in own.iter_mut().zip(opened) {
        put(opened?, value);
    }
    Ok(Evaluations::of(values))
}

/// Computes W1, whose quotients need no remainders: R_i has a lower degree than Z_i.
fn quotient(
    c0: &Elements<'_>,
    c1: &Combined<4>,
    c2: &Combined<3>,
    alpha: F,
    [zeta, zeta_omega]: [F; 2],
    cancel: &Cancel,
) -> Result<Secret<F>> {
    let count = c1.0.len() / size_of::<Scalar>();
    let alpha_squared = alpha.square();
    let mut sum = elements(count, cancel, |i| Ok(alpha_squared * c2.get(i)))?;
    divide::<F, 3>(&mut sum, zeta);
    divide::<F, 3>(&mut sum, zeta_omega);
    let mut next = elements(count, cancel, |i| Ok(alpha * c1.get(i)))?;
    divide::<F, 4>(&mut next, zeta);
    sum.iter_mut().zip(next.iter()).for_each(|(sum, term)| *sum += term);
    drop(next);
    let mut next = elements(c0.len(), cancel, |i| c0.get(i))?;
    divide::<F, 8>(&mut next, zeta);
    sum.iter_mut().zip(next.iter()).for_each(|(sum, term)| *sum += term);
    Ok(sum)
}
