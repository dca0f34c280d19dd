//! secp256k1: y^2 = x^3 + 7, of prime order.

use crate::curve::{Affine, group, spec::secp256k1 as spec};
use crate::field::PrimeField;
use crate::isa::Isa;
use crate::lanes::choose;
use lanes::{AT_ONCE, Ordinates};

mod coordinate;
pub mod ecdsa;
mod lanes;

pub use spec::{Fp, Fr as Fn};

group! {
    /// The curve.
    Secp256k1 of secp256k1: g1 {}
}

/// Returns for each x a y with y^2 = x^3 + 7, either of the two; none if there is no such y.
pub(crate) fn ordinates_vartime(isa: Isa, xs: &[Fp]) -> Vec<Option<Fp>> {
    let Some(lanes) = isa.machine() else {
        let point = |x: &Fp| Option::<Affine<Secp256k1>>::from(Affine::from_x(*x));
        return xs.iter().map(|x| point(x).map(|point| point.y())).collect();
    };
    xs.chunks(AT_ONCE)
        .flat_map(|xs| {
            let mut words = [[0; 4]; AT_ONCE];
            for (words, x) in words.iter_mut().zip(xs) {
                *words = x.to_canonical();
            }
            let ordinates = choose(lanes, Ordinates(&words));
            ordinates.into_iter().take(xs.len()).map(|y| y.map(Fp::reduced)).collect::<Vec<_>>()
        })
        .collect()
}
