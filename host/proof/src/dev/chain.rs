//! A circuit for measurements: any number of constraints, and a witness whose numbers all have the size of the field.

use proofmill_algebra::field::PrimeField;

use super::r1cs::{Builder, Linear};

/// Builds x_(i+1) = x_i^2 + i for i below `constraints`, which is at least 1. x_0 is private, the last number is public.
pub fn chain<F: PrimeField>(constraints: usize) -> Builder<F> {
    assert!(constraints > 0, "the last x is the result of a constraint");
    let mut circuit = Builder::new(1);
    let mut x: F = first();
    let mut variable = circuit.private(x);
    for i in 0..constraints {
        let step = F::from(i as u64);
        x = x.square() + step;
        let next = if i + 1 < constraints {
            circuit.private(x)
        } else {
            circuit.set_public(1, x);
            1
        };
        let from = Linear::variable(variable);
        circuit.constrain(&from, &from, &Linear::variable(next).plus(0, -step));
        variable = next;
    }
    circuit
}

/// Returns x_0, which has the size of the field.
fn first<F: PrimeField>() -> F {
    -F::from(2).invert_vartime().expect("2 is not 0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::{bls12_381, bn254};

    #[test]
    fn the_chain_holds_and_every_number_is_bound() {
        assert_eq!(chain::<bls12_381::Fr>(1).first_unsatisfied(), None);
        let circuit = chain::<bn254::Fr>(50);
        assert_eq!((circuit.constraints(), circuit.public_inputs()), (50, 1));
        assert_eq!(circuit.first_unsatisfied(), None);
        for variable in 0..circuit.values().len() {
            let mut wrong = circuit.clone();
            wrong.values_mut()[variable] += bn254::Fr::from(3);
            assert!(wrong.first_unsatisfied().is_some(), "{variable}");
        }
    }
}
