//! One attempt at a proof, on the devices of one route: the five rounds of ePrint 2019/953, section 8.3.

use std::sync::Arc;

use proofmill_algebra::field::{Field, PrimeField};
use proofmill_op::{Bytes, Data, Device as _, Progress, Submit};

use super::lagrange::lagrange_vartime;
use super::linearisation::{Challenges, Linearisation, Opened};
use super::polynomial::{EXTRA, blinded, divided, element, evaluate, put};
use super::quotient::{Committed, Round, quotient};
use super::report::{Commitments, Control, Step};
use super::route::{Route, of_key};
use super::transforms::Transforms;
use super::wires::Variables;
use super::{Evaluations, Proof, Scalar, VerifyingKey, transcript};
use crate::attempts::timed;
use crate::groth16::Timed;
use crate::groth16::quotient::root;
use crate::groth16::suite::{ScalarOf, Suite};
use crate::plonk::accumulator::accumulator;
use crate::random::random_scalars;
use crate::snarkjs::Witness;
use crate::snarkjs::plonk::{Elements, Polynomial, Wire, Zkey};
use crate::{Error, Result};

/// Blinding scalars: b_1 to b_11.
const BLINDING: usize = 11;

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
    pub fn run<E: Suite>(&mut self, witness: &Witness, public_inputs: &[Scalar]) -> Result<Proof> {
        let (key, verifying, cancel) = (self.key, self.verifying, &self.control.cancel);
        let transforms = Transforms { device: &*self.route.transforms, cancel };
        let device = || Some(transforms.device.caps().uri.clone());
        let blinding = random_scalars::<ScalarOf<E>>(BLINDING)?;
        let [b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11] = std::array::from_fn(|i| i);
        let blind = |numbers: &[usize]| -> [ScalarOf<E>; 3] {
            std::array::from_fn(|i| numbers.get(i).map_or(ScalarOf::<E>::ZERO, |&b| blinding[b]))
        };
        let k = [element(&verifying.k1), element(&verifying.k2)];
        let (log, n) = (key.domain_log(), 1usize << key.domain_log());
        let omega = root::<ScalarOf<E>>(log);

        // Round 1.
        let (variables, wires) = self.timed(Step::Wires, device(), || {
            let variables = Variables::<ScalarOf<E>>::new(key, witness.values())?;
            let wire = |wire, numbers: [usize; 2]| -> Result<Bytes> {
                let values = variables.of(key, wire, cancel)?;
                let f = transforms.coefficients::<E>(values)?;
                Ok(blinded(&f, &blind(&numbers)[..2]).into())
            };
            let (a, b) = (wire(Wire::A, [b2, b1])?, wire(Wire::B, [b4, b3])?);
            let wires = [a, b, wire(Wire::C, [b6, b5])?];
            Ok::<_, Error>((variables, wires))
        })?;
        let [a, b, c] = self.commit::<E, 3>(Commitments::Wires, wires.each_ref())?;

        // Round 2.
        let (beta, gamma) = transcript::beta_gamma(verifying, public_inputs, [&a, &b, &c]);
        let z = self.timed(Step::Accumulator, device(), || -> Result<Bytes> {
            let z = accumulator(key, &variables, k, omega, (beta, gamma), cancel)?;
            let z = transforms.coefficients::<E>(z)?;
            Ok(blinded(&z, &blind(&[b9, b8, b7])).into())
        })?;
        drop(variables);
        let [z_point] = self.commit::<E, 1>(Commitments::Accumulator, [&z])?;

        // Round 3.
        let alpha = transcript::alpha((beta, gamma), &z_point);
        let mut challenges = Challenges { beta, gamma, alpha, zeta: ScalarOf::<E>::ZERO };
        let quotient = self.timed(Step::Quotient, device(), || {
            let public = transforms.public::<E>(n, public_inputs)?;
            let committed = Committed { wires: &wires, z: &z, public: public.as_ref() };
            let round = Round { key, k, challenges, cancel };
            let parts =
                quotient::<E>(&round, transforms, &committed, &[blinding[b10], blinding[b11]]);
            Ok::<_, Error>(parts?.map(Bytes::from))
        })?;
        let [t_lo, t_mid, t_hi] =
            self.commit::<E, 3>(Commitments::Quotient, quotient.each_ref())?;

        // Round 4.
        challenges.zeta = transcript::zeta(alpha, [&t_lo, &t_mid, &t_hi]);
        let zeta = challenges.zeta;
        let opened = self.timed(Step::Evaluations, None, || -> Result<_> {
            let of = |f: &Bytes, x| evaluate(n + EXTRA, x, |i| Ok(element(&f.as_chunks().0[i])));
            let fixed = |f| {
                let f = key.coefficients(f);
                evaluate(n, zeta, |i| f.get::<ScalarOf<E>>(i))
            };
            let [a, b, c] = wires.each_ref().map(|f| of(f, zeta));
            let (s1, s2) = (fixed(Polynomial::S1)?, fixed(Polynomial::S2)?);
            Ok(Opened { a: a?, b: b?, c: c?, s1, s2, z_omega: of(&z, zeta * omega)? })
        })?;
        let evaluations = opened.evaluations();

        // Round 5.
        let v = transcript::v(zeta, &evaluations);
        let openings = self.timed(Step::Openings, None, || -> Result<[Bytes; 2]> {
            let l0 = lagrange_vartime(log, omega, zeta, 1);
            let l0 = l0.map_or(ScalarOf::<E>::ZERO, |values| values[0]);
            let r = Linearisation::new(log, k, &challenges, &opened, l0);
            let [a, b, c] = &wires;
            let [t_lo, t_mid, t_hi] = &quotient;
            let [v2, v3] = [v.square(), v.square() * v];
            let own = [
                (r.z, &z),
                (r.t[0], t_lo),
                (r.t[1], t_mid),
                (r.t[2], t_hi),
                (v, a),
                (v2, b),
                (v3, c),
            ];
            let fixed = fixed_terms(key, &r, [v2.square(), v2 * v3]);
            // The remainder, which is the value at zeta, needs no constant.
            let at_zeta = divided(n + EXTRA, zeta, cancel, |i| {
                let own = own.iter().fold(ScalarOf::<E>::ZERO, |sum, (factor, f)| {
                    sum + *factor * element::<ScalarOf<E>>(&f.as_chunks().0[i])
                });
                let all = fixed.iter().filter(|_| i < n);
                all.into_iter()
                    .try_fold(own, |sum, (factor, f)| Ok(sum + *factor * f.get::<ScalarOf<E>>(i)?))
            })?;
            let at_zeta_omega = divided(n + EXTRA, zeta * omega, cancel, |i| {
                Ok(element::<ScalarOf<E>>(&z.as_chunks().0[i]))
            })?;
            Ok([at_zeta.into(), at_zeta_omega.into()])
        })?;
        let [w_zeta, w_zeta_omega] =
            self.commit::<E, 2>(Commitments::Openings, openings.each_ref())?;
        let curve = E::CURVE;
        let z = z_point;
        Ok(Proof { curve, a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega, evaluations })
    }

    /// Runs [`Step::Check`].
    pub fn check<T>(&mut self, check: impl FnOnce() -> T) -> T {
        self.timed(Step::Check, None, check)
    }

    /// Computes the commitments to polynomials of n + 6 coefficients.
    fn commit<E: Suite, const N: usize>(
        &mut self,
        which: Commitments,
        lists: [&Bytes; N],
    ) -> Result<[Vec<u8>; N]> {
        let Self { route, control, .. } = *self;
        let step = Step::Msm(which);
        let progress = control.progress.clone();
        let progress =
            progress.map(|progress| Progress(Arc::new(move |part| progress(step, part))));
        let request = route.request(lists.map(|list| Data::Host(list.clone())), progress);
        let uri = route.msm.caps().uri.clone();
        let response = self.timed(step, Some(uri), || {
            route.msm.submit(request)?.linked_to(&control.cancel).wait()
        });
        let points = route.points::<E>(response.map_err(of_key)?, N)?;
        Ok(points.try_into().expect("as many as lists"))
    }

    fn timed<T>(&mut self, step: Step, device: Option<String>, work: impl FnOnce() -> T) -> T {
        timed(self.control, self.steps, step, device, work)
    }
}

/// Returns the polynomials of the key in the numerator of W_zeta, with their factors.
fn fixed_terms<'a, F: PrimeField>(
    key: &'a Zkey,
    r: &Linearisation<F>,
    [v4, v5]: [F; 2],
) -> [(F, Elements<'a>); 8] {
    let factors = [r.q_m, r.q_l, r.q_r, r.q_o, F::ONE, v4, v5, r.s3];
    std::array::from_fn(|i| (factors[i], key.coefficients(Polynomial::ALL[i])))
}

impl<F: PrimeField> Opened<F> {
    /// Returns the values as in a proof.
    fn evaluations(&self) -> Evaluations {
        let Self { a, b, c, s1, s2, z_omega } = *self;
        let [a, b, c, s1, s2, z_omega] = [a, b, c, s1, s2, z_omega].map(|element| {
            let mut bytes = Scalar::default();
            put(element, &mut bytes);
            bytes
        });
        Evaluations { a, b, c, s1, s2, z_omega }
    }
}
