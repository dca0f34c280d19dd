//! Coordinates and points of secp256k1 in eight lanes.

mod field;
mod point;

pub use field::{Element, Sum};
pub use point::{Affine, Jacobian, Line};
