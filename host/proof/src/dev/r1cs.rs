//! Rank-1 constraint systems: a vector w of variables, of which the first is 1, satisfies (A w)_i (B w)_i = (C w)_i for every
//! constraint i. The public variables follow the 1, then come the private ones.
//!
//! A circuit is built together with its witness: a variable is created with its value, and dependent values are computed
//! from it.

use proofmill_algebra::field::PrimeField;

/// The number of a variable; 0 is the constant 1.
pub type Variable = u32;

/// A sum of variables with coefficients. A variable may occur several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear<F> {
    terms: Vec<(Variable, F)>,
}

impl<F: PrimeField> Linear<F> {
    /// 0.
    pub const ZERO: Self = Self { terms: Vec::new() };

    /// Returns a constant.
    pub fn constant(number: F) -> Self {
        Self::ZERO.plus(0, number)
    }

    /// Returns a variable.
    pub fn variable(variable: Variable) -> Self {
        Self { terms: vec![(variable, F::ONE)] }
    }

    /// Returns self + coefficient variable.
    pub fn plus(mut self, variable: Variable, coefficient: F) -> Self {
        if coefficient != F::ZERO {
            self.terms.push((variable, coefficient));
        }
        self
    }

    /// Returns self + factor other, in which each variable occurs once.
    pub fn plus_times(mut self, factor: F, other: &Self) -> Self {
        for &(variable, coefficient) in &other.terms {
            let more = factor * coefficient;
            match self.terms.iter_mut().find(|(already, _)| *already == variable) {
                Some((_, coefficient)) => *coefficient += more,
                None => self.terms.push((variable, more)),
            }
        }
        self.terms.retain(|(_, coefficient)| *coefficient != F::ZERO);
        self
    }

    /// Returns the constant if there are no variables.
    pub fn as_constant(&self) -> Option<F> {
        match self.terms[..] {
            [] => Some(F::ZERO),
            [(0, number)] => Some(number),
            _ => None,
        }
    }
}

/// One of A, B and C: rows of terms.
#[derive(Clone, Debug)]
pub struct Matrix<F> {
    terms: Vec<(Variable, F)>,
    /// End of each row.
    ends: Vec<usize>,
}

impl<F: PrimeField> Matrix<F> {
    const EMPTY: Self = Self { terms: Vec::new(), ends: Vec::new() };

    fn push(&mut self, row: &Linear<F>) {
        self.terms.extend_from_slice(&row.terms);
        self.ends.push(self.terms.len());
    }

    /// Returns the rows, each with its terms.
    pub fn rows(&self) -> impl Iterator<Item = &[(Variable, F)]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.terms[start..end])
    }

    /// Returns the number of terms in all rows.
    pub fn terms(&self) -> usize {
        self.terms.len()
    }
}

/// A constraint system with the values of its variables.
#[derive(Clone, Debug)]
pub struct Builder<F> {
    public_inputs: usize,
    values: Vec<F>,
    matrices: [Matrix<F>; 3],
}

impl<F: PrimeField> Builder<F> {
    /// Creates a system without constraints. Its public variables, numbered from 1, are 0 until [`Self::set_public`].
    pub fn new(public_inputs: usize) -> Self {
        let mut values = vec![F::ZERO; 1 + public_inputs];
        values[0] = F::ONE;
        Self { public_inputs, values, matrices: [Matrix::EMPTY; 3] }
    }

    /// Sets a public variable. Panics if the variable is not public.
    pub fn set_public(&mut self, variable: Variable, value: F) {
        assert!((1..=self.public_inputs).contains(&(variable as usize)), "no public variable");
        self.values[variable as usize] = value;
    }

    /// Creates a private variable.
    pub fn private(&mut self, value: F) -> Variable {
        self.values.push(value);
        Variable::try_from(self.values.len() - 1).expect("fewer than 2^32 variables")
    }

    /// Adds the constraint a b = c.
    pub fn constrain(&mut self, a: &Linear<F>, b: &Linear<F>, c: &Linear<F>) {
        for (matrix, row) in self.matrices.iter_mut().zip([a, b, c]) {
            matrix.push(row);
        }
    }

    /// Returns a b, in a new variable with a constraint unless one of them is a constant.
    pub fn product(&mut self, a: &Linear<F>, b: &Linear<F>) -> Linear<F> {
        match (a.as_constant(), b.as_constant()) {
            (Some(a), _) => Linear::ZERO.plus_times(a, b),
            (_, Some(b)) => Linear::ZERO.plus_times(b, a),
            (None, None) => {
                let product = Linear::variable(self.private(self.value(a) * self.value(b)));
                self.constrain(a, b, &product);
                product
            }
        }
    }

    /// Evaluates a sum with the values of the variables.
    pub fn value(&self, linear: &Linear<F>) -> F {
        self.sum(&linear.terms)
    }

    fn sum(&self, terms: &[(Variable, F)]) -> F {
        terms.iter().fold(F::ZERO, |sum, (variable, coefficient)| {
            sum + self.values[*variable as usize] * coefficient
        })
    }

    /// Returns the index of the first constraint that the values do not satisfy.
    pub fn first_unsatisfied(&self) -> Option<usize> {
        let [a, b, c] = &self.matrices;
        let mut rows = a.rows().zip(b.rows()).zip(c.rows());
        rows.position(|((a, b), c)| self.sum(a) * self.sum(b) != self.sum(c))
    }

    /// Returns the number of constraints.
    pub fn constraints(&self) -> usize {
        self.matrices[0].ends.len()
    }

    /// Returns the number of public variables, without the 1.
    pub fn public_inputs(&self) -> usize {
        self.public_inputs
    }

    /// Returns the values of all variables: 1, the public ones, the private ones.
    pub fn values(&self) -> &[F] {
        &self.values
    }

    /// Returns the values mutably.
    pub fn values_mut(&mut self) -> &mut [F] {
        &mut self.values
    }

    /// Returns A, B and C.
    pub fn matrices(&self) -> &[Matrix<F>; 3] {
        &self.matrices
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::bn254::Fr;
    use proofmill_algebra::field::Field;

    #[test]
    fn products_with_constants_need_no_constraint() {
        let mut circuit = Builder::<Fr>::new(0);
        let x = Linear::variable(circuit.private(Fr::from(7)));
        let two = Linear::constant(Fr::from(2));
        assert_eq!(circuit.product(&x, &two), circuit.product(&two, &x));
        assert_eq!(circuit.product(&x, &Linear::ZERO), Linear::ZERO);
        assert_eq!(circuit.constraints(), 0);
        let square = circuit.product(&x, &x);
        assert_eq!((circuit.value(&square), circuit.constraints()), (Fr::from(49), 1));
    }

    #[test]
    fn terms_of_the_same_variable_are_collected() {
        let x = Linear::variable(3).plus(0, Fr::from(5));
        assert_eq!(x.clone().plus_times(-Fr::ONE, &x), Linear::ZERO);
        assert_eq!(x.clone().plus_times(Fr::ONE, &x), Linear::ZERO.plus_times(Fr::from(2), &x));
    }

    #[test]
    fn the_first_constraint_that_fails_is_named() {
        let mut circuit = Builder::<Fr>::new(1);
        let x = Linear::variable(circuit.private(Fr::from(3)));
        let square = circuit.product(&x, &x);
        circuit.constrain(&square, &x, &Linear::variable(1));
        assert_eq!(circuit.first_unsatisfied(), Some(1));
        circuit.set_public(1, Fr::from(27));
        assert_eq!(circuit.first_unsatisfied(), None);
        circuit.values_mut()[2] = Fr::from(4);
        assert_eq!(circuit.first_unsatisfied(), Some(0));
    }
}
