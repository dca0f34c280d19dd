//! The option `--curve` of what Groth16 is done with.

use clap::{Args, ValueEnum};
use proofmill::groth16::Curve;

#[derive(Args, Clone, Copy)]
pub struct CurveArgument {
    /// The curve
    #[arg(long, value_enum, default_value = "bn254")]
    curve: Name,
}

#[derive(Clone, Copy, ValueEnum)]
enum Name {
    #[value(name = "bn254", alias = "bn128")]
    Bn254,
    #[value(name = "bls12_381", alias = "bls12381")]
    Bls12_381,
}

impl CurveArgument {
    /// The curve.
    pub fn get(self) -> Curve {
        match self.curve {
            Name::Bn254 => Curve::Bn254,
            Name::Bls12_381 => Curve::Bls12_381,
        }
    }
}
