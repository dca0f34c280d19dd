//! The verifier (the Halo 2 book, "Proving system"; the commitments are those of Bowe, Grigg, Hopwood, ePrint 2019/1021): what a proof claims is
//! that an MSM is the identity.

use proofmill_algebra::field::Field;

use super::constraint_system::{ConstraintSystem, LOOKUP_EVALUATIONS};
use super::constraints::{self, Challenges};
use super::domain::Domain;
use super::openings::Combination;
use super::transcript::{Elements, Transcript};
use super::{Malformed, Point, Scalar, VerifyingKey};

/// The claim that an MSM is the identity.
pub struct Claim {
    /// The scalars of generators: `vector` times the coefficients of the product of all 1 + u_j X^(2^(k-1-j)).
    pub vector: Scalar,
    /// The u_j.
    pub rounds: Vec<Scalar>,
    /// An addend for the scalar of the first generator.
    pub first: Scalar,
    /// The scalar of W.
    pub w: Scalar,
    /// The scalar of U.
    pub u: Scalar,
    /// The scalars of the key's commitments.
    pub key: Vec<Scalar>,
    /// Points of this proof.
    pub points: Vec<Point>,
    /// Their scalars.
    pub scalars: Vec<Scalar>,
}

/// Commitments and evaluations of an instance, as `Openings` numbers them.
struct Instance {
    commitments: Vec<Point>,
    evaluations: Vec<Scalar>,
}

impl Claim {
    /// Verifies a proof up to its MSM. Each instance is the commitments to its columns. The elements have the circuit's layout.
    pub fn new(
        (system, domain): (&ConstraintSystem, &Domain),
        key: &VerifyingKey,
        instances: Vec<Vec<Point>>,
        elements: Elements,
    ) -> Result<Self, Malformed> {
        let mut transcript = Transcript::new(elements);
        let t = &mut transcript;
        let lookups = system.lookups.len();
        t.add_scalar(&key.representative);
        instances.iter().flatten().for_each(|commitment| t.add_point(commitment));
        let instance = |commitments| Instance { commitments, evaluations: vec![] };
        let mut instances: Vec<_> = instances.into_iter().map(instance).collect();

        commit(t, &mut instances, system.advice_columns);
        let theta = t.challenge();
        commit(t, &mut instances, 2 * lookups);
        let (beta, gamma) = (t.challenge(), t.challenge());
        commit(t, &mut instances, system.products());
        commit(t, &mut instances, lookups);
        let random = t.point();
        let y = t.challenge();
        let quotient = t.points(system.quotient_parts());
        let x = t.challenge();
        let challenges = Challenges { theta, beta, gamma, y, x };

        evaluate(t, &mut instances, system.instance_queries.len());
        evaluate(t, &mut instances, system.advice_queries.len());
        let fixed = t.scalars(system.fixed_queries.len());
        let random_value = t.scalar();
        let permutation = t.scalars(system.permutation.len());
        evaluate(t, &mut instances, system.product_evaluations());
        evaluate(t, &mut instances, LOOKUP_EVALUATIONS * lookups);

        let at_x = constraints::Point::new(system, domain, &challenges, &fixed, &permutation)
            .ok_or(Malformed::Challenge)?;
        let combined = instances
            .iter()
            .fold(Scalar::ZERO, |sum, instance| at_x.combine(sum, &instance.evaluations));
        let x_n = domain.power_of_size(x);
        let inverse = (x_n - Scalar::ONE).invert_vartime().ok_or(Malformed::Challenge)?;
        let shared_values = [fixed, permutation, vec![combined * inverse, random_value]].concat();

        let openings =
            Opened { system, domain, instances, shared_values, quotient, random, x, x_n };
        let claim = openings.verify(t)?;
        assert!(transcript.is_complete(), "every element is part of the transcript");
        Ok(claim)
    }
}

fn commit(transcript: &mut Transcript, instances: &mut [Instance], count: usize) {
    instances.iter_mut().for_each(|instance| instance.commitments.extend(transcript.points(count)));
}

fn evaluate(transcript: &mut Transcript, instances: &mut [Instance], count: usize) {
    instances
        .iter_mut()
        .for_each(|instance| instance.evaluations.extend(transcript.scalars(count)));
}

/// Commitments with their evaluations, which remain to be verified.
struct Opened<'a> {
    system: &'a ConstraintSystem,
    domain: &'a Domain,
    instances: Vec<Instance>,
    shared_values: Vec<Scalar>,
    quotient: Vec<Point>,
    random: Point,
    x: Scalar,
    x_n: Scalar,
}

impl Opened<'_> {
    /// Reduces all openings to the claim of one.
    fn verify(self, t: &mut Transcript) -> Result<Claim, Malformed> {
        let sets = &self.system.openings.sets;
        let [x_1, x_2] = [t.challenge(), t.challenge()];
        let combination = Combination::new(sets, &self.evaluations(), x_1);
        let f = t.point();
        let x_3 = t.challenge();
        let u = t.scalars(sets.len());
        let f_value = combination
            .quotient_at(sets, self.domain, [self.x, x_2, x_3], &u)
            .ok_or(Malformed::Challenge)?;
        let x_4 = t.challenge();

        // Sets by falling powers of x_4, and f by the highest one.
        let mut power = Scalar::ONE;
        let mut value = Scalar::ZERO;
        let mut factors = vec![Scalar::ZERO; sets.len()];
        for (factor, u) in factors.iter_mut().zip(&u).rev() {
            *factor = power;
            value += power * u;
            power *= x_4;
        }
        value += power * f_value;
        let mut claim = self.combined(&combination.powers, &factors);
        claim.points.push(f);
        claim.scalars.push(power);
        claim.open(self.system.k, t, x_3, value)?;
        Ok(claim)
    }

    /// Lists the set and the evaluations of each opening: those of all instances, then the shared ones.
    fn evaluations(&self) -> Vec<(usize, Vec<Scalar>)> {
        let openings = &self.system.openings;
        let instances = self.instances.iter().map(|it| (&openings.instance, &it.evaluations));
        let all = instances.chain([(&openings.shared, &self.shared_values)]);
        let each = all
            .flat_map(|(openings, values)| openings.iter().map(move |opening| (opening, values)));
        each.map(|(opening, values)| {
            (opening.set, opening.evaluations.iter().map(|&at| values[at]).collect())
        })
        .collect()
    }

    /// Computes the scalars of all commitments that are opened, from the factors of openings and of sets.
    fn combined(&self, powers: &[Scalar], factors: &[Scalar]) -> Claim {
        let openings = &self.system.openings;
        let mut powers = powers.iter();
        let mut scalar = |set: usize| factors[set] * powers.next().expect("one for each opening");
        let (mut points, mut scalars) = (vec![], vec![]);
        for instance in &self.instances {
            for opening in &openings.instance {
                points.push(instance.commitments[opening.commitment]);
                scalars.push(scalar(opening.set));
            }
        }
        let in_key = self.system.fixed_columns + self.system.permutation.len();
        let mut shared = vec![Scalar::ZERO; in_key + 2];
        for opening in &openings.shared {
            shared[opening.commitment] = scalar(opening.set);
        }
        let [mut quotient, random] = [shared[in_key], shared[in_key + 1]];
        shared.truncate(in_key);
        points.push(self.random);
        scalars.push(random);
        for part in &self.quotient {
            points.push(*part);
            scalars.push(quotient);
            quotient *= self.x_n;
        }
        let [vector, first, w, u] = [Scalar::ZERO; 4];
        Claim { vector, rounds: vec![], first, w, u, key: shared, points, scalars }
    }
}

impl Claim {
    /// Adds the terms by which the commitment P of the claim opens to `value` at x, an inner product argument:
    ///
    /// P - value G_0 + ξ S + sum of (u_j^-1 L_j + u_j R_j) = c (G' + b z U) + f W
    ///
    /// G' is the sum of s_i G_i, where s is the coefficients of the product of all 1 + u_j X^(2^(k-1-j)), and b is that polynomial at x.
    fn open(
        &mut self,
        k: u32,
        t: &mut Transcript,
        x: Scalar,
        value: Scalar,
    ) -> Result<(), Malformed> {
        self.first = -value;
        self.points.push(t.point());
        self.scalars.push(t.challenge());
        let z = t.challenge();
        let mut inverses = vec![];
        for _ in 0..k {
            self.points.extend(t.points(2));
            let u = t.challenge();
            self.rounds.push(u);
            inverses.push(u);
        }
        if inverses.contains(&Scalar::ZERO) {
            return Err(Malformed::Challenge);
        }
        Scalar::batch_invert_vartime(&mut inverses);
        self.scalars
            .extend(inverses.iter().zip(&self.rounds).flat_map(|(inverse, u)| [*inverse, *u]));
        let [c, f] = [t.scalar(), t.scalar()];
        let mut power = x;
        let mut b = Scalar::ONE;
        for u in self.rounds.iter().rev() {
            b *= Scalar::ONE + *u * power;
            power = power.square();
        }
        self.vector = -c;
        self.u = -(c * b * z);
        self.w = -f;
        Ok(())
    }

    /// Adds the scalars of the generators G_i, times a factor, to a list.
    pub fn add_vector(&self, factor: Scalar, list: &mut [Scalar]) {
        let mut coefficients = vec![self.vector * factor];
        for u in self.rounds.iter().rev() {
            let products: Vec<_> =
                coefficients.iter().map(|coefficient| *coefficient * u).collect();
            coefficients.extend(products);
        }
        coefficients[0] += self.first * factor;
        // W and U follow.
        assert_eq!(list.len(), coefficients.len() + 2, "a coefficient for each generator");
        list.iter_mut().zip(&coefficients).for_each(|(sum, coefficient)| *sum += coefficient);
    }
}
