//! Witnesses from the WebAssembly generators that circom 2 writes (`circuit_js/circuit.wasm`), calculated in this process.
//!
//! ```no_run
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use proofmill_witness::{Inputs, WitnessCalculator};
//!
//! let calculator = WitnessCalculator::open("circuit.wasm")?;
//! let witness = calculator.calculate(&Inputs::open("input.json")?)?;
//! # Ok(())
//! # }
//! ```
//!
//! The generator runs in an interpreter of WebAssembly with the imports of circom and no others: it has no files, no
//! network and no clock. [`Limits`] bound its memory and its time. Generators of circom 2.0 to 2.2 over the scalar fields of
//! BN254 and BLS12-381 are supported.
//!
//! Inputs and witness are secret. Their buffers are overwritten when they are dropped; so are the memory of the generator and
//! the stack of the interpreter when a calculation ends.

mod calculator;
mod generator;
mod inputs;
mod native;
mod number;
mod prime;
#[cfg(test)]
mod tests;

pub use calculator::{Limits, WitnessCalculator};
pub use inputs::Inputs;
