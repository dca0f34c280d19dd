//! The parts that depend on the group: the coordinates of points in the card's memory, and of results. A coordinate is
//! a list of components in Fp: one in G1, the coefficients of 1 and of u in G2.

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::{Components, pair};
use proofmill_algebra::field::Field;
use proofmill_algebra::msm::Group;
use proofmill_op::Result;
use proofmill_op::msm::{Check, read};

use super::geometry::Geometry;

/// A group on y^2 = x^3 + b, whose coordinates are lists of components.
pub trait OnCard: Group<Base: Components> {}

impl<C: Group<Base: Components>> OnCard for C {}

/// Returns the point with projective coordinates X, Y, Z; `None` if it is not on the curve.
fn point<C: OnCard>(coordinates: &[C::Base]) -> Option<Affine<C>> {
    let &[x, y, z] = coordinates else { return None };
    let identity = bool::from(x.is_zero() & z.is_zero() & !y.is_zero());
    let point = Affine::from(Projective::from([x, y, z]));
    let proper = !z.is_zero() & point.is_on_curve();
    (identity || bool::from(proper)).then_some(point)
}

/// Calls a function for the group of an instance that has an engine; an error for another group.
macro_rules! in_group {
    ($instance:expr, $($function:ident)::+($($argument:expr),*)) => {{
        use proofmill_algebra::{bls12_381, bn254};
        use proofmill_op::msm::{Curve, Group};
        match ($instance.curve, $instance.group) {
            (Curve::Bn254, Group::G1) => Ok($($function)::+::<bn254::G1>($($argument),*)),
            (Curve::Bn254, Group::G2) => Ok($($function)::+::<bn254::G2>($($argument),*)),
            (Curve::Bls12_381, Group::G1) => Ok($($function)::+::<bls12_381::G1>($($argument),*)),
            (Curve::Bls12_381, Group::G2) => Ok($($function)::+::<bls12_381::G2>($($argument),*)),
            #[cfg(feature = "bls12_377")]
            (Curve::Bls12_377, Group::G1) => {
                Ok($($function)::+::<proofmill_algebra::bls12_377::G1>($($argument),*))
            }
            #[cfg(feature = "bls12_377")]
            (Curve::Bls12_377, Group::G2) => {
                Ok($($function)::+::<proofmill_algebra::bls12_377::G2>($($argument),*))
            }
            _ => {
                let problem = format!("no card adds points of {}", $instance);
                Err(proofmill_op::Error::argument("instance", problem))
            }
        }
    }};
}
pub(super) use in_group;

/// Encodes points of a request, numbered from `first` on, as slices for each channel of the card: one channel after the
/// other, padded to whole granules.
pub fn encode<C: OnCard>(
    geometry: &Geometry,
    first: usize,
    bytes: &[u8],
    check: Check,
) -> Result<Vec<u8>> {
    let points = bytes.chunks_exact(pair::bytes::<C>()).zip(first..);
    let points: Vec<_> = points
        .map(|(bytes, number)| read::point::<C>(number, bytes, check))
        .collect::<Result<_>>()?;
    let form = &geometry.form;
    let channel_bytes =
        Geometry::granules(points.len(), geometry.point_bytes()) * Geometry::GRANULE;
    let mut slices = vec![0; geometry.channels * channel_bytes];
    for (number, point) in points.iter().enumerate() {
        for (j, coordinate) in [point.x(), point.y()].iter().enumerate() {
            for (k, component) in coordinate.components().iter().enumerate() {
                let (channel, place) = geometry.place(j, k);
                let at = channel * channel_bytes + number * geometry.point_bytes() + place;
                form.write(component, &mut slices[at..at + form.stored_bytes()]);
            }
        }
    }
    Ok(slices)
}

/// Decodes the point in a reply to the form of responses; `None` if it is not a point.
pub fn decode<C: OnCard>(geometry: &Geometry, bytes: &[u8]) -> Option<Vec<u8>> {
    let components = bytes.chunks_exact(geometry.form.sum_bytes());
    let components: Vec<_> = components.map(|bytes| geometry.form.read(bytes)).collect();
    let coordinates = components.chunks_exact(C::Base::COUNT);
    let coordinates: Vec<_> = coordinates.map(C::Base::from_components).collect::<Option<_>>()?;
    point::<C>(&coordinates).map(|point| pair::encode(&point))
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::curve::Curve;
    use proofmill_algebra::msm::multiples;
    use proofmill_algebra::tower::Fp2;
    use proofmill_algebra::{bls12_381, bn254};

    use super::super::form::Form;
    use super::*;

    fn example<C: OnCard>() -> Geometry {
        Geometry::example(C::NAME.parse().unwrap())
    }

    /// Returns the identity and the generator as the card stores them.
    fn stored<C: OnCard>() -> Vec<u8> {
        let points = [Affine::<C>::IDENTITY, C::GENERATOR];
        let bytes: Vec<u8> = points.iter().flat_map(pair::encode).collect();
        encode::<C>(&example::<C>(), 0, &bytes, Check::Subgroup).unwrap()
    }

    #[test]
    fn a_point_of_bn254_in_g2_is_two_slices_of_x_and_y() {
        let generator = pair::encode(&bn254::G2::GENERATOR);
        let [x0, x1, y0, y1] = std::array::from_fn(|i| &generator[32 * i..][..32]);
        let wanted = [&[0; 128], x0, y0, x1, y1].concat();
        let found = stored::<bn254::G2>();
        assert_eq!((&found[..256], &found[256..]), (&wanted[..], &[0; 768][..]));
        let in_g1 = stored::<bn254::G1>();
        assert_eq!(in_g1[64..128], pair::encode(&bn254::G1::GENERATOR));
    }

    #[test]
    fn a_point_of_bls12_381_in_g2_is_two_slices_in_each_channel() {
        let geometry = example::<bls12_381::G2>();
        let form = Form { digit_bytes: geometry.form.stored_digit, ..geometry.form };
        let found = stored::<bls12_381::G2>();
        assert_eq!(found.len(), 2 * Geometry::GRANULE);
        let (x, y) = (bls12_381::G2::GENERATOR.x(), bls12_381::G2::GENERATOR.y());
        for (channel, coordinate) in found.chunks(Geometry::GRANULE).zip([x, y]) {
            assert_eq!(channel[..128], [0; 128]);
            for (slice, component) in channel[128..].chunks(64).zip([coordinate.c0, coordinate.c1])
            {
                assert_eq!(form.read::<bls12_381::Fp>(&slice[..48]), component);
                assert_eq!(slice[48..], [0; 16]);
            }
            assert!(channel[256..].iter().all(|byte| *byte == 0));
        }
    }

    /// Writes the coordinates of a sum, with digits of least magnitude.
    fn reply<C: OnCard>(form: &Form, coordinates: &[C::Base]) -> Vec<u8> {
        let mut reply = Vec::new();
        for component in coordinates.iter().flat_map(Components::components) {
            let mut digits = vec![0; form.stored_bytes()];
            form.write(component, &mut digits);
            for digit in digits.chunks(form.stored_digit) {
                let sign = if digit[form.stored_digit - 1] >> 7 == 1 { 0xff } else { 0 };
                reply.extend(digit);
                reply.resize(reply.len() + form.digit_bytes - form.stored_digit, sign);
            }
        }
        reply
    }

    fn round_trip<C: OnCard>(z: C::Base) {
        let geometry = example::<C>();
        let decoded = |coordinates: [C::Base; 3]| {
            decode::<C>(&geometry, &reply::<C>(&geometry.form, &coordinates))
        };
        for point in multiples::<C>(1, 20) {
            let (x, y) = (point.x(), point.y());
            let wanted = Some(pair::encode(&point));
            assert_eq!(decoded([x, y, C::Base::ONE]), wanted);
            assert_eq!(decoded([x * z, y * z, z]), wanted);
            assert_eq!(decoded([x, y, z]), None);
        }
        let identity = Some(vec![0; pair::bytes::<C>()]);
        assert_eq!(decoded([C::Base::ZERO, z, C::Base::ZERO]), identity);
        assert_eq!(decoded([C::Base::ZERO; 3]), None);
    }

    #[test]
    fn sums_in_projective_coordinates_are_read_back() {
        round_trip::<bn254::G1>(7.into());
        round_trip::<bn254::G2>(Fp2::new(7.into(), -bn254::Fp::from(8)));
        round_trip::<bls12_381::G1>(7.into());
        round_trip::<bls12_381::G2>(Fp2::new(7.into(), -bls12_381::Fp::from(8)));
    }
}
