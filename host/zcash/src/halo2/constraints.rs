//! The constraints at the point x: gates, permutation and lookups, combined by powers of y. Their combination is h(x) (x^n - 1) with the quotient h.

use proofmill_algebra::field::{Field, PrimeField};

use super::Scalar;
use super::constraint_system::{ConstraintSystem, LOOKUP_EVALUATIONS, Lookup};
use super::domain::Domain;
use super::expression::{Evaluations, Place};

/// The challenges of a proof up to x.
pub struct Challenges {
    /// Combines the expressions of a lookup's tuple.
    pub theta: Scalar,
    /// Combines values and cells, in the permutation and the lookups.
    pub beta: Scalar,
    /// Separates the values of tables from 0, and tuples of the permutation.
    pub gamma: Scalar,
    /// Combines the constraints.
    pub y: Scalar,
    /// The point.
    pub x: Scalar,
}

/// The point x, with the values that all instances share.
pub struct Point<'a> {
    system: &'a ConstraintSystem,
    challenges: &'a Challenges,
    /// The evaluations of fixed queries, and of the columns of the permutation.
    fixed: &'a [Scalar],
    permutation: &'a [Scalar],
    /// The Lagrange polynomials of the first row and of the last one before the blinding rows, and 1 without this and the blinding rows.
    first: Scalar,
    last: Scalar,
    active: Scalar,
}

impl<'a> Point<'a> {
    /// Computes the Lagrange polynomials at x. `None` if x is a row.
    pub fn new(
        system: &'a ConstraintSystem,
        domain: &Domain,
        challenges: &'a Challenges,
        fixed: &'a [Scalar],
        permutation: &'a [Scalar],
    ) -> Option<Self> {
        let values = domain.lagrange(challenges.x, system.last_rotation()..=0)?;
        let (first, others) = values.split_last().expect("row 0");
        let inactive = others.iter().fold(Scalar::ZERO, |sum, value| sum + value);
        let active = Scalar::ONE - inactive;
        Some(Self {
            system,
            challenges,
            fixed,
            permutation,
            first: *first,
            last: others[0],
            active,
        })
    }

    /// Adds the constraints of an instance with these evaluations to their combination by powers of y.
    pub fn combine(&self, combination: Scalar, evaluations: &[Scalar]) -> Scalar {
        let (instance, rest) = evaluations.split_at(self.system.instance_queries.len());
        let (advice, rest) = rest.split_at(self.system.advice_queries.len());
        let (products, lookups) = rest.split_at(self.system.product_evaluations());
        let evaluations = Evaluations { fixed: self.fixed, advice, instance };
        let results = self.system.program.evaluate(&evaluations);
        let gates = self.system.gates.iter().map(|&gate| results[gate]);
        let permutation = self.permutation(&evaluations, products);
        let lookups = self.system.lookups.iter().zip(lookups.chunks_exact(LOOKUP_EVALUATIONS));
        let lookups = lookups.flat_map(|(lookup, values)| self.lookup(lookup, values, &results));
        let y = self.challenges.y;
        gates
            .chain(permutation)
            .chain(lookups)
            .fold(combination, |sum, constraint| sum * y + constraint)
    }

    /// The constraints of the permutation, with products z_i of some columns each:
    ///
    /// * z_0 starts with 1, z_i with the end of z_{i-1}, and the last one ends with 0 or 1;
    /// * z(ω x) times all v + β s + γ is z(x) times all v + β δ^j x + γ, for the values v of columns j, whose cells s are permuted.
    fn permutation(&self, evaluations: &Evaluations<'_>, products: &[Scalar]) -> Vec<Scalar> {
        let Challenges { beta, gamma, x, .. } = *self.challenges;
        let products: Vec<_> = products.chunks(3).collect();
        let last = products.last().expect("one at least")[0];
        let mut constraints =
            vec![self.first * (Scalar::ONE - products[0][0]), self.last * (last.square() - last)];
        let pairs = products.windows(2);
        constraints.extend(pairs.map(|pair| self.first * (pair[1][0] - pair[0][2])));
        let size = self.system.columns_per_product();
        let columns = self.system.permutation.chunks(size).zip(self.permutation.chunks(size));
        let mut cell = beta * x;
        for (product, (columns, permuted)) in products.iter().zip(columns) {
            let (mut left, mut right) = (product[1], product[0]);
            for (&(kind, query), s) in columns.iter().zip(permuted) {
                let value = evaluations.of(kind, query) + gamma;
                left *= value + beta * s;
                right *= value + cell;
                cell *= delta();
            }
            constraints.push((left - right) * self.active);
        }
        constraints
    }

    /// The constraints of a lookup, with the permuted input a' and table s', and the product z:
    ///
    /// * z starts with 1, and ends with 0 or 1;
    /// * z(ω x) (a' + β) (s' + γ) = z(x) (a + β) (s + γ);
    /// * a' and s' start with the same, and then a' is s' or its value in the row before.
    fn lookup(&self, lookup: &Lookup, values: &[Scalar], results: &[Scalar]) -> [Scalar; 5] {
        let Challenges { theta, beta, gamma, .. } = *self.challenges;
        let &[z, z_next, input, input_before, table] = values else {
            unreachable!("five evaluations")
        };
        let tuple = |places: &[Place]| {
            places.iter().fold(Scalar::ZERO, |sum, &place| sum * theta + results[place])
        };
        let left = z_next * (input + beta) * (table + gamma);
        let right = z * (tuple(&lookup.inputs) + beta) * (tuple(&lookup.tables) + gamma);
        [
            self.first * (Scalar::ONE - z),
            self.last * (z.square() - z),
            (left - right) * self.active,
            self.first * (input - table),
            (input - table) * (input - input_before) * self.active,
        ]
    }
}

/// δ: the generator to the power of 2^32, so that the cells δ^j ω^i of all columns are different.
fn delta() -> Scalar {
    let generator = Scalar::GENERATOR.expect("the specification has one");
    (0..Scalar::TWO_ADICITY).fold(generator, |power, _| power.square())
}
