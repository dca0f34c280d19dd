//! Coordinates and points of secp256k1 in eight lanes.

#[cfg(target_arch = "x86_64")]
mod doubles;
#[expect(clippy::needless_range_loop, reason = "the number of a limb is the place of a product")]
mod field;
mod point;
mod root;
mod sum;

pub use field::Element;
pub use point::{Affine, Coordinates, Jacobian, Line};
pub use root::{AT_ONCE, Ordinates};

#[cfg(test)]
mod tests;
