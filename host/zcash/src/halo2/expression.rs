//! Expressions over queries, as one straight-line program: an expression that occurs more than once is computed once.

use std::collections::HashMap;

use proofmill_algebra::field::Field;

use super::Scalar;

/// A kind of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values that are public and equal in all proofs.
    Fixed,
    /// Values of the prover.
    Advice,
    /// Public inputs.
    Instance,
}

impl Kind {
    /// Returns the kind with this letter in the file.
    pub fn of_letter(letter: &str) -> Self {
        match letter {
            "f" => Self::Fixed,
            "a" => Self::Advice,
            "i" => Self::Instance,
            other => panic!("no kind of columns is called {other}"),
        }
    }
}

/// The evaluations of all queries.
pub struct Evaluations<'a> {
    /// Evaluations of the fixed columns.
    pub fixed: &'a [Scalar],
    /// Evaluations of the advice columns.
    pub advice: &'a [Scalar],
    /// Evaluations of the instance columns.
    pub instance: &'a [Scalar],
}

impl Evaluations<'_> {
    /// Returns the evaluation of a query.
    pub fn of(&self, kind: Kind, query: usize) -> Scalar {
        match kind {
            Kind::Fixed => self.fixed[query],
            Kind::Advice => self.advice[query],
            Kind::Instance => self.instance[query],
        }
    }
}

/// A step. Its operands are the numbers of earlier steps.
enum Step {
    Constant(Scalar),
    Query(Kind, usize),
    Negation(usize),
    Sum(usize, usize),
    Product(usize, usize),
}

/// The number of a step, whose result is the value of an expression.
pub type Place = usize;

/// A program that computes expressions.
#[derive(Default)]
pub struct Program {
    steps: Vec<Step>,
    /// The degree of each step's result, as a polynomial of the columns.
    degrees: Vec<usize>,
    /// Steps by their text.
    places: HashMap<String, Place>,
}

impl Program {
    /// Adds an expression in postfix notation: constants `0x…`, queries like `a12`, and `+`, `*` and `-`, which is the negation.
    ///
    /// # Panics
    ///
    /// If the text is no expression.
    pub fn add(&mut self, expression: &str) -> Place {
        let mut stack: Vec<Place> = vec![];
        for token in expression.split_whitespace() {
            let mut pop = || stack.pop().expect("an operand");
            let place = match token {
                "+" | "*" => {
                    let (b, a) = (pop(), pop());
                    self.binary(token, a, b)
                }
                "-" => {
                    let a = pop();
                    self.place(format!("-{a}"), self.degrees[a], || Step::Negation(a))
                }
                leaf => self.leaf(leaf),
            };
            stack.push(place);
        }
        let [place] = stack[..] else { panic!("'{expression}' is not one expression") };
        place
    }

    fn binary(&mut self, operator: &str, a: Place, b: Place) -> Place {
        let [left, right] = [a, b].map(|place| self.degrees[place]);
        let text = format!("{a}{operator}{b}");
        match operator {
            "+" => self.place(text, left.max(right), || Step::Sum(a, b)),
            _ => self.place(text, left + right, || Step::Product(a, b)),
        }
    }

    fn leaf(&mut self, token: &str) -> Place {
        if let Some(digits) = token.strip_prefix("0x") {
            return self.place(token.into(), 0, || Step::Constant(constant(digits)));
        }
        let (letter, query) = token.split_at(1);
        let query = || query.parse().expect("the number of a query");
        self.place(token.into(), 1, || Step::Query(Kind::of_letter(letter), query()))
    }

    /// Returns the place of a step, which is added if there is none of the same text.
    fn place(&mut self, text: String, degree: usize, step: impl FnOnce() -> Step) -> Place {
        let Self { steps, degrees, places } = self;
        *places.entry(text).or_insert_with(|| {
            steps.push(step());
            degrees.push(degree);
            steps.len() - 1
        })
    }

    /// Returns the degree of an expression.
    pub fn degree(&self, place: Place) -> usize {
        self.degrees[place]
    }

    /// Computes the results of all steps.
    pub fn evaluate(&self, evaluations: &Evaluations<'_>) -> Vec<Scalar> {
        let mut results: Vec<Scalar> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            results.push(match *step {
                Step::Constant(value) => value,
                Step::Query(kind, query) => evaluations.of(kind, query),
                Step::Negation(a) => -results[a],
                Step::Sum(a, b) => results[a] + results[b],
                Step::Product(a, b) => results[a] * results[b],
            });
        }
        results
    }
}

/// Reads hexadecimal digits; leading zeros may be missing.
fn constant(digits: &str) -> Scalar {
    let digit = |digit: char| u64::from(digit.to_digit(16).expect("hexadecimal digits"));
    digits
        .chars()
        .fold(Scalar::ZERO, |value, next| value * Scalar::from(16) + Scalar::from(digit(next)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_that_occurs_again_is_no_new_step() {
        let mut program = Program::default();
        // (a0 + f1) (3 - a0) and a0 + f1
        let product = program.add("a0 f1 + 0x3 a0 - + *");
        let steps = program.steps.len();
        let sum = program.add("a0 f1 +");
        assert_eq!((steps, program.steps.len()), (7, 7));
        assert_eq!((program.degree(product), program.degree(sum)), (2, 1));
        let [fixed, advice] = [[7, 5], [2, 9]].map(|list| list.map(Scalar::from));
        let results =
            program.evaluate(&Evaluations { fixed: &fixed, advice: &advice, instance: &[] });
        assert_eq!([results[product], results[sum]], [7, 7].map(Scalar::from));
    }

    #[test]
    fn constants_are_read_whole() {
        let minus_one = "40000000000000000000000000000000224698fc094cf91b992d30ed00000000";
        assert_eq!(constant(minus_one), -Scalar::ONE);
        assert_eq!(constant("1f"), Scalar::from(31));
    }
}
