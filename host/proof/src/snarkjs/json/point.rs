//! Points, projective with z = 1, or the identity.

use proofmill_op::msm::{Group, Instance};

use super::document::{Document, Text};
use super::number;
use crate::snarkjs::curve::Facts;
use crate::snarkjs::group;
use crate::{Error, Result};

/// Coordinates x, y, z of a point of G1.
pub(super) type G1<T> = [T; 3];
/// Coordinates x, y, z of a point of G2, each with the coefficient of 1 first.
pub(super) type G2<T> = [[T; 2]; 3];

/// Formats the coordinates of a point of G1; `name` identifies it in errors.
pub(super) fn g1_text(facts: &Facts, name: &'static str, point: &[u8]) -> Result<G1<String>> {
    let [x, y] = coordinates::<2>(facts, name, point)?;
    Ok(match is_identity(point) {
        true => ["0", "1", "0"].map(str::to_owned),
        false => [number::text(x), number::text(y), "1".to_owned()],
    })
}

/// Formats the coordinates of a point of G2; `name` identifies it in errors.
pub(super) fn g2_text(facts: &Facts, name: &'static str, point: &[u8]) -> Result<G2<String>> {
    let [x0, x1, y0, y1] = coordinates::<4>(facts, name, point)?;
    Ok(match is_identity(point) {
        true => [["0", "0"], ["1", "0"], ["0", "0"]].map(|pair| pair.map(str::to_owned)),
        false => {
            let pair = |c0, c1| [number::text(c0), number::text(c1)];
            [pair(x0, x1), pair(y0, y1), ["1", "0"].map(str::to_owned)]
        }
    })
}

/// Splits a point into elements of Fp.
fn coordinates<'a, const N: usize>(
    facts: &Facts,
    name: &'static str,
    point: &'a [u8],
) -> Result<[&'a [u8]; N]> {
    let each = facts.base_bytes();
    if point.len() != N * each {
        let problem = format!("{} bytes where a point has {}", point.len(), N * each);
        return Err(Error::argument(name, problem));
    }
    Ok(std::array::from_fn(|i| &point[i * each..(i + 1) * each]))
}

fn is_identity(point: &[u8]) -> bool {
    point.iter().all(|&byte| byte == 0)
}

/// Reads a point of G1.
pub(super) fn g1(
    document: &Document<'_>,
    facts: &Facts,
    path: &str,
    point: &G1<Text<'_>>,
) -> Result<Vec<u8>> {
    read(document, Instance::new(facts.curve, Group::G1), facts.base, path, point)
}

/// Reads a point of G2.
pub(super) fn g2(
    document: &Document<'_>,
    facts: &Facts,
    path: &str,
    point: &G2<Text<'_>>,
) -> Result<Vec<u8>> {
    read(document, Instance::new(facts.curve, Group::G2), facts.base, path, point.as_flattened())
}

/// Reads a point other than the identity.
pub(super) fn not_identity(
    document: &Document<'_>,
    path: &str,
    point: Vec<u8>,
    texts: &[Text<'_>],
) -> Result<Vec<u8>> {
    match is_identity(&point) {
        true => Err(document.wrong(texts[0], path, "the identity").into()),
        false => Ok(point),
    }
}

/// Reads x, y and z, each with as many texts as a coordinate has coefficients.
fn read(
    document: &Document<'_>,
    instance: Instance,
    modulus: &[u64],
    path: &str,
    texts: &[Text<'_>],
) -> Result<Vec<u8>> {
    let values: Vec<_> = texts.iter().map(|text| text.value()).collect();
    let (xy, z) = values.split_at(2 * values.len() / 3);
    let (one, identity): (&[&str], &[&str]) = match instance.group {
        Group::G1 => (&["1"], &["0", "1", "0"]),
        Group::G2 => (&["1", "0"], &["0", "0", "1", "0", "0", "0"]),
    };
    if values == identity {
        return Ok(vec![0; instance.point_bytes()]);
    }
    if z != one {
        let problem = "z is not 1, and this is not the identity as snarkjs writes it";
        return Err(document.wrong(texts[xy.len()], path, problem).into());
    }
    let number = |text: &Text<'_>| number::parse(document, path, *text, modulus);
    let elements: Vec<_> = texts[..xy.len()].iter().map(number).collect::<Result<_>>()?;
    let point = elements.concat();
    match group::check(instance, &point) {
        Ok(()) => Ok(point),
        Err(error) => Err(document.wrong(texts[0], path, error.to_string()).into()),
    }
}
