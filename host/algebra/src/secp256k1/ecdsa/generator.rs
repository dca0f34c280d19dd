//! Multiples of the generator that are computed once.

use crate::curve::{Affine, Curve, Projective};
use crate::field::PrimeField;
use crate::once::Once;
use crate::secp256k1::Secp256k1;
use crate::secp256k1::lanes::Line;

/// Bits of a window.
pub const WINDOW: u32 = 13;

/// G, 3 G, 5 G, ... up to (2^[`WINDOW`] - 1) G, and lambda times each: 4096 points of 64 bytes, twice.
pub struct Generator {
    /// One list for each half of a scalar.
    pub multiples: [Vec<Line>; 2],
}

/// Returns the table, which the first caller computes, in about a millisecond.
pub fn generator() -> &'static Generator {
    static GENERATOR: Once<Generator> = Once::new();
    GENERATOR.get_or_init(Generator::compute)
}

impl Generator {
    fn compute() -> Self {
        let mut odd = vec![Secp256k1::GENERATOR];
        let mut power = Projective::from(Secp256k1::GENERATOR);
        while odd.len() < 1 << (WINDOW - 1) {
            // All below a power of two, and that power more of each.
            power = power.double();
            let shift = Affine::from(power);
            let pairs: Vec<_> = odd.iter().map(|&point| (point, shift)).collect();
            odd.extend(Affine::sums_vartime(&pairs));
        }
        let images = odd.iter().map(Affine::endomorphism).map(|point| line(&point)).collect();
        Self { multiples: [odd.iter().map(line).collect(), images] }
    }
}

/// The words of the coordinates.
fn line(point: &Affine<Secp256k1>) -> Line {
    let (x, y) = (point.x().to_canonical(), point.y().to_canonical());
    Line(std::array::from_fn(|i| if i < 4 { x[i] } else { y[i - 4] }))
}
