//! Keys of bellman and its `groth16` crate, such as Zcash's Sapling parameters, over BLS12-381.
//!
//! The equations are those of [`groth16`](crate::groth16); a proof of either is a proof for the other. A key differs in this:
//!
//! | | bellman | circom |
//! |---|---|---|
//! | matrices | not in the file: [`Constraints`] come from the circuit's code | A and B in the file |
//! | H | x^i (x^n - 1) / delta, for n - 1 powers | Lagrange polynomials of the odd coset |
//! | constraint i | at the power i of the root of unity of the generator 7 | of the generator 5 |
//! | A, B | variables that occur in no row of the matrix are omitted | a point for every variable |
//! | public variables | rows x_i * 0 = 0 after those of the circuit | the same |
//!
//! [`Key::new`] puts both together as the prover's own form, [`Prover::for_bellman`](crate::groth16::Prover::for_bellman) proves with it.

mod constraints;
mod key;
mod parameters;
mod verifying_key;

pub use constraints::{Constraints, ConstraintsBuilder, Variable};
pub use key::Key;
pub use parameters::Parameters;
pub use verifying_key::read_verifying_key;
