//! Constraint systems of bellman: one records the structure of a circuit once, one takes the values of its variables for each proof, and one
//! finds the name of a constraint.

use bellman::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use bls12_381::Scalar;
use ff_zcash::PrimeField;
use proofmill_op::SecretBytes;
use proofmill_proof::bellman::{self as key, Constraints, ConstraintsBuilder};

/// Bytes of a value of a witness.
const VALUE: usize = 32;

/// Records the constraints of a circuit. Does not compute values.
#[derive(Default)]
pub struct Recorder {
    constraints: ConstraintsBuilder,
    /// The first error of a constraint, which bellman's interface cannot return.
    problem: Option<proofmill_proof::Error>,
}

impl Recorder {
    /// Returns the constraints.
    pub fn finish(self) -> Result<Constraints, proofmill_proof::Error> {
        match self.problem {
            Some(problem) => Err(problem),
            None => self.constraints.finish(),
        }
    }
}

/// Returns a variable in bellman's form.
fn index(variable: key::Variable) -> Variable {
    Variable::new_unchecked(match variable {
        key::Variable::Public(i) => Index::Input(i as usize),
        key::Variable::Private(i) => Index::Aux(i as usize),
    })
}

/// Returns the terms of a linear combination.
fn terms(combination: &LinearCombination<Scalar>) -> Vec<(key::Variable, [u8; VALUE])> {
    let variable = |variable: &Variable| match variable.get_unchecked() {
        Index::Input(i) => key::Variable::Public(i as u32),
        Index::Aux(i) => key::Variable::Private(i as u32),
    };
    combination.as_ref().iter().map(|(it, value)| (variable(it), value.to_repr())).collect()
}

impl ConstraintSystem<Scalar> for Recorder {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(index(self.constraints.private()))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        Ok(index(self.constraints.public()))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, a: LA, b: LB, c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let zero = LinearCombination::zero;
        let row = [terms(&a(zero())), terms(&b(zero())), terms(&c(zero()))];
        if let (Err(problem), None) = (self.constraints.constrain(row), &self.problem) {
            self.problem = Some(problem);
        }
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

/// Takes the values of a circuit's variables. Does not look at constraints.
pub struct Assignment {
    /// Canonical, little-endian: 1, the public inputs, the private variables.
    values: SecretBytes,
    /// The number of public variables of the circuit, including the 1.
    public_variables: usize,
    public: usize,
    private: usize,
}

impl Assignment {
    /// Returns the assignment of a circuit with these constraints, in which only the 1 has a value.
    pub fn new(constraints: &Constraints) -> Self {
        let public_variables = constraints.public_inputs() + 1;
        let mut values = SecretBytes::zeroed(constraints.variables() * VALUE);
        values[0] = 1;
        Self { values, public_variables, public: 1, private: 0 }
    }

    /// Returns the values, or `None` if the circuit has another number of variables.
    pub fn finish(self) -> Option<SecretBytes> {
        let variables = self.values.len() / VALUE;
        (self.public == self.public_variables && self.public_variables + self.private == variables)
            .then_some(self.values)
    }

    /// Stores a value at a place, which exists unless the circuit has more variables than its constraints.
    fn store(&mut self, place: usize, value: &Scalar) {
        if let Some(place) = self.values.as_chunks_mut().0.get_mut(place) {
            *place = value.to_repr();
        }
    }
}

impl ConstraintSystem<Scalar> for Assignment {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.store(self.public_variables + self.private, &value()?);
        self.private += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.private - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        if self.public < self.public_variables {
            self.store(self.public, &value()?);
        }
        self.public += 1;
        Ok(Variable::new_unchecked(Index::Input(self.public - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
    }

    fn push_namespace<NR, N>(&mut self, _: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

/// Finds the name of a constraint: the namespaces around it and its annotation.
pub struct Locator {
    /// Constraints before the one that is looked for.
    left: usize,
    namespaces: Vec<String>,
    found: Option<String>,
    variables: usize,
}

impl Locator {
    /// Looks for the constraint with this number.
    pub fn new(constraint: usize) -> Self {
        Self { left: constraint, namespaces: Vec::new(), found: None, variables: 0 }
    }

    /// Returns the name.
    pub fn found(self) -> String {
        self.found.unwrap_or_else(|| "unknown".into())
    }
}

impl ConstraintSystem<Scalar> for Locator {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.variables += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.variables)))
    }

    fn alloc_input<F, A, AR>(&mut self, annotation: A, f: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.alloc(annotation, f)
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, annotation: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        if self.found.is_none() && self.left == 0 {
            self.namespaces.push(annotation().into());
            self.found = Some(self.namespaces.join("/"));
            self.namespaces.pop();
        }
        self.left = self.left.saturating_sub(1);
    }

    fn push_namespace<NR, N>(&mut self, name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
        self.namespaces.push(name().into());
    }

    fn pop_namespace(&mut self) {
        self.namespaces.pop();
    }

    fn get_root(&mut self) -> &mut Self {
        self
    }
}
