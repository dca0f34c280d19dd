//! The openings of a proof: all commitments that are opened at several points become one that is opened at one point (the Halo 2 book,
//! "Multipoint opening argument").
//!
//! 1. Commitments that are opened at the same points are combined by powers of x_1: Q_i, with evaluations q_i at the points of set i.
//! 2. f is the sum of x_2^(…) (Q_i - r_i) / Z_i, where r_i interpolates the evaluations, and Z_i vanishes at the points. The prover commits to f.
//! 3. At x_3, the prover opens each Q_i: u_i. Then f(x_3) is known, and f and all Q_i, combined by powers of x_4, are opened at x_3.

use proofmill_algebra::field::Field;

use super::Scalar;
use super::constraint_system::ConstraintSystem;
use super::domain::Domain;

/// A commitment, and where it is opened.
#[derive(Debug)]
pub struct Opening {
    /// The commitment's number.
    pub commitment: usize,
    /// The number of its set of rotations.
    pub set: usize,
    /// The number of the evaluation at each rotation of the set.
    pub evaluations: Vec<usize>,
}

/// The openings of a circuit's proofs, in the order of the protocol.
///
/// Commitments and evaluations of an instance are numbered as they are read: instance columns, advice columns, permuted inputs and tables of each
/// lookup, products of the permutation, products of lookups; and evaluations of instance queries, advice queries, the permutation, the lookups.
/// The shared ones are: fixed columns, columns of the permutation, the quotient, the random polynomial; and the evaluations of fixed queries,
/// columns of the permutation, the quotient, the random polynomial.
#[derive(Default)]
pub struct Openings {
    /// Rotations of each set.
    pub sets: Vec<Vec<i32>>,
    /// The openings of an instance.
    pub instance: Vec<Opening>,
    /// The openings of the proof.
    pub shared: Vec<Opening>,
}

/// The commitment, the rotation, the evaluation.
type Query = (usize, i32, usize);

impl Openings {
    /// Lists the openings of a circuit's proofs.
    pub fn new(system: &ConstraintSystem) -> Self {
        let (instance, shared) = (instance_queries(system), shared_queries(system));
        let mut rotations = vec![];
        for (_, rotation, _) in instance.iter().chain(&shared) {
            if !rotations.contains(rotation) {
                rotations.push(*rotation);
            }
        }
        let mut openings = Self::default();
        openings.instance = grouped(&instance, &rotations, &mut openings.sets);
        openings.shared = grouped(&shared, &rotations, &mut openings.sets);
        openings
    }
}

fn instance_queries(system: &ConstraintSystem) -> Vec<Query> {
    let (lookups, products) = (system.lookups.len(), system.products());
    let mut evaluation = 0..;
    let mut next = || evaluation.next().expect("it has no end");
    let mut queries: Vec<Query> = vec![];
    queries
        .extend(system.instance_queries.iter().map(|query| (query.column, query.rotation, next())));
    let advice = system.instance_columns;
    queries.extend(
        system.advice_queries.iter().map(|query| (advice + query.column, query.rotation, next())),
    );
    let permuted = advice + system.advice_columns;
    let product = permuted + 2 * lookups;
    let mut last = vec![];
    for i in 0..products {
        queries.extend([(product + i, 0, next()), (product + i, 1, next())]);
        if i + 1 < products {
            last.push((product + i, system.last_rotation(), next()));
        }
    }
    queries.extend(last.into_iter().rev());
    for i in 0..lookups {
        let (z, input, table) = (product + products + i, permuted + 2 * i, permuted + 2 * i + 1);
        let [z_at_x, z_next, input_at_x, input_before, table_at_x] =
            std::array::from_fn(|_| next());
        queries.extend([(z, 0, z_at_x), (input, 0, input_at_x), (table, 0, table_at_x)]);
        queries.extend([(input, -1, input_before), (z, 1, z_next)]);
    }
    queries
}

fn shared_queries(system: &ConstraintSystem) -> Vec<Query> {
    let (columns, queries) = (system.fixed_columns, system.fixed_queries.len());
    let fixed = system.fixed_queries.iter().enumerate();
    let fixed = fixed.map(|(evaluation, query)| (query.column, query.rotation, evaluation));
    // Columns of the permutation, quotient, random polynomial.
    let others = (0..system.permutation.len() + 2).map(|i| (columns + i, 0, queries + i));
    fixed.chain(others).collect()
}

/// Groups the queries of each commitment, in the order of first queries. Rotations of a set have the order of `rotations`.
fn grouped(queries: &[Query], rotations: &[i32], sets: &mut Vec<Vec<i32>>) -> Vec<Opening> {
    let mut commitments = vec![];
    for (commitment, _, _) in queries {
        if !commitments.contains(commitment) {
            commitments.push(*commitment);
        }
    }
    let opening = |commitment| {
        let find =
            |rotation: &i32| queries.iter().find(|(c, r, _)| (c, r) == (&commitment, rotation));
        let found: Vec<_> = rotations.iter().filter_map(find).collect();
        let rotations: Vec<_> = found.iter().map(|(_, rotation, _)| *rotation).collect();
        let evaluations = found.iter().map(|(_, _, evaluation)| *evaluation).collect();
        let set = sets.iter().position(|set| *set == rotations).unwrap_or_else(|| {
            sets.push(rotations);
            sets.len() - 1
        });
        Opening { commitment, set, evaluations }
    };
    commitments.into_iter().map(opening).collect()
}

/// The combination of the commitments of each set.
pub struct Combination {
    /// The power of x_1 of each opening, in order.
    pub powers: Vec<Scalar>,
    /// q_i: the evaluations of each set's combination.
    pub evaluations: Vec<Vec<Scalar>>,
}

impl Combination {
    /// Combines openings with the evaluations of each. The last opening of a set has the factor 1.
    pub fn new(sets: &[Vec<i32>], openings: &[(usize, Vec<Scalar>)], x_1: Scalar) -> Self {
        let mut evaluations: Vec<_> =
            sets.iter().map(|set| vec![Scalar::ZERO; set.len()]).collect();
        let mut next = vec![Scalar::ONE; sets.len()];
        let mut powers = vec![Scalar::ZERO; openings.len()];
        for ((set, values), power) in openings.iter().zip(&mut powers).rev() {
            *power = next[*set];
            for (sum, value) in evaluations[*set].iter_mut().zip(values) {
                *sum += *value * *power;
            }
            next[*set] *= x_1;
        }
        Self { powers, evaluations }
    }

    /// Computes f(x_3) from the openings u_i of the combinations. `None` if x_3 is one of the points, where f is not determined.
    pub fn quotient_at(
        &self,
        sets: &[Vec<i32>],
        domain: &Domain,
        [x, x_2, x_3]: [Scalar; 3],
        u: &[Scalar],
    ) -> Option<Scalar> {
        let points = |set: &Vec<i32>| -> Vec<Scalar> {
            set.iter().map(|&rotation| domain.rotated(x, rotation)).collect()
        };
        let points: Vec<_> = sets.iter().map(points).collect();
        // Of each set: Z(x_3), then (x_3 - p_j) and all p_j - p_m, m /= j, multiplied.
        let mut divisors: Vec<_> = points.iter().flat_map(|points| divisors(points, x_3)).collect();
        if divisors.contains(&Scalar::ZERO) {
            return None;
        }
        Scalar::batch_invert_vartime(&mut divisors);
        let mut inverses = divisors.into_iter();
        let mut next = || inverses.next().expect("one for each");
        let sets = u.iter().zip(&self.evaluations);
        Some(sets.fold(Scalar::ZERO, |sum, (u, evaluations)| {
            let opened = *u * next();
            let rest =
                evaluations.iter().fold(opened, |rest, evaluation| rest - *evaluation * next());
            sum * x_2 + rest
        }))
    }
}

fn divisors(points: &[Scalar], x_3: Scalar) -> Vec<Scalar> {
    let vanishing = points.iter().fold(Scalar::ONE, |product, p| product * (x_3 - p));
    let of = |j: usize| {
        let others = points.iter().enumerate().filter(|(m, _)| *m != j);
        others.fold(x_3 - points[j], |product, (_, p)| product * (points[j] - p))
    };
    [vanishing].into_iter().chain((0..points.len()).map(of)).collect()
}
