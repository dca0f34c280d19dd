//! The scalars of a Groth16 key. Its points are the generators times these (ePrint 2016/260, section 3.2).

use proofmill_algebra::field::PrimeField;

use super::lagrange::lagrange;
use super::r1cs::{Builder, Matrix};
use super::secrets::Secrets;

/// The scalars of the points, in the order of the variables and, for H, of the domain.
pub(super) struct Scalars<F> {
    /// A_i(tau).
    pub a: Vec<F>,
    /// B_i(tau).
    pub b: Vec<F>,
    /// (beta A_i + alpha B_i + C_i)(tau), for 1 and the public variables.
    pub public_inputs: Vec<F>,
    /// (beta A_i + alpha B_i + C_i)(tau) / delta, for the private variables.
    pub privates: Vec<F>,
    /// The factors of the values of A B - C at the odd powers of the root of order 2n: the Lagrange polynomials of these
    /// powers, divided by delta. At the even powers A B - C is 0, so that no division by x^n - 1 is needed.
    pub h: Vec<F>,
}

/// Returns the logarithm of the domain's size n: one point for each constraint, for each public variable and for 1.
///
/// Besides the constraints there are rows that make the parts of the public variables independent: variable i alone, in A.
pub(super) fn domain_log<F: PrimeField>(circuit: &Builder<F>) -> u32 {
    (circuit.constraints() + circuit.public_inputs() + 1).next_power_of_two().ilog2()
}

impl<F: PrimeField> Scalars<F> {
    pub fn new(circuit: &Builder<F>, secrets: &Secrets<F>) -> Self {
        let log = domain_log(circuit);
        let places = lagrange(log, secrets.tau);
        let variables = circuit.values().len();
        let [mut a, b, c] =
            circuit.matrices().each_ref().map(|matrix| columns(matrix, &places, variables));
        let rest = &places[circuit.constraints()..];
        for (a, place) in a.iter_mut().zip(&rest[..=circuit.public_inputs()]) {
            *a += place;
        }
        let (alpha, beta) = (secrets.alpha, secrets.beta);
        let parts = a.iter().zip(&b).zip(&c).map(|((a, b), c)| beta * a + alpha * b + c);
        let mut public_inputs: Vec<_> = parts.collect();
        let mut privates = public_inputs.split_off(circuit.public_inputs() + 1);
        let mut h: Vec<_> = lagrange(log + 1, secrets.tau).into_iter().skip(1).step_by(2).collect();
        let over_delta = secrets.delta.invert_vartime().expect("no seed gives 0");
        privates.iter_mut().chain(&mut h).for_each(|scalar| *scalar *= over_delta);
        Self { a, b, public_inputs, privates, h }
    }
}

/// Evaluates a matrix's columns, as polynomials, at tau.
fn columns<F: PrimeField>(matrix: &Matrix<F>, places: &[F], variables: usize) -> Vec<F> {
    let mut columns = vec![F::ZERO; variables];
    for (row, place) in matrix.rows().zip(places) {
        for (variable, coefficient) in row {
            columns[*variable as usize] += *coefficient * place;
        }
    }
    columns
}
