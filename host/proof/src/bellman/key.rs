//! A key in the form of the prover.

use std::sync::Arc;

use proofmill_algebra::bls12_381::{Fp, Fr, G1, G2};
use proofmill_algebra::curve::Curve;
use proofmill_algebra::encoding::{Coordinate, EncodingError, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_op::msm::Group;
use proofmill_op::process::parallel;
use rayon::prelude::*;

use super::constraints::Constraints;
use super::parameters::{HEADER, List, Parameters, point_bytes};
use crate::Result;
use crate::error::counted;
use crate::groth16::VerifyingKey;
use crate::groth16::rows::Rows;
use crate::snarkjs::Zkey;

/// Flag bits of a point in Zcash's form: compressed, identity, sign.
const FLAGS: u8 = 0b1110_0000;

/// The protocol's number in a `.zkey`.
const GROTH16: u32 = 1;

/// Sections of a `.zkey`, without its contributions.
const SECTIONS: u32 = 9;

/// A proving key for [`Prover::for_bellman`](crate::groth16::Prover::for_bellman); clones share the memory.
///
/// The points are those of the section of a [`Zkey`], in memory: A, B1 and B2 get the identity for a variable that the file omits, and H gets
/// one for the power n - 1, which no quotient has.
#[derive(Clone, Debug)]
pub struct Key {
    pub(crate) zkey: Zkey,
    pub(crate) rows: Arc<Rows>,
}

impl Key {
    /// Builds the key of a circuit from its parameters. Checks that they belong together, by the number of points of each list, that every
    /// point has a canonical form and is on the curve, and that those of the verifying key are in their groups. The subgroup of the other
    /// points is not checked: a caller trusts the file, or knows its hash.
    pub fn new(parameters: &Parameters, constraints: &Constraints) -> Result<Self> {
        check_counts(parameters, constraints)?;
        let occurs = &constraints.occurs;
        let public = constraints.public_inputs() + 1;
        let all = |count: usize| vec![true; count];
        let in_matrix = |matrix: usize| -> Vec<bool> {
            let (public_part, private_part) = occurs.split_at(public);
            let public_part = public_part.iter().map(|it| matrix == 0 || it[matrix]);
            public_part.chain(private_part.iter().map(|it| it[matrix])).collect()
        };
        let mut powers = all(1 << constraints.domain_log);
        powers.pop();
        powers.push(false);
        let (in_a, in_b) = (in_matrix(0), in_matrix(1));
        let sections = [
            (3, List::Ic, all(public)),
            (5, List::A, in_a),
            (6, List::B1, in_b.clone()),
            (7, List::B2, in_b),
            (8, List::L, all(occurs.len() - public)),
            (9, List::H, powers),
        ];
        let points =
            sections.iter().map(|(_, list, present)| present.len() * point_bytes(list.group()));
        let mut file = Vec::with_capacity(points.sum::<usize>() + 4096);
        file.extend(b"zkey");
        file.extend([1, SECTIONS].map(u32::to_le_bytes).as_flattened());
        let integer = |file: &mut Vec<u8>, integer: u32| {
            file.extend(integer.to_le_bytes());
            Ok(())
        };
        section(&mut file, 1, |file| integer(file, GROTH16))?;
        section(&mut file, 2, |file| header(file, parameters, constraints))?;
        section(&mut file, 4, |file| integer(file, 0))?;
        for (number, list, present) in &sections {
            section(&mut file, *number, |file| match list.group() {
                Group::G1 => points_of::<G1>(file, parameters, *list, present),
                Group::G2 => points_of::<G2>(file, parameters, *list, present),
            })?;
        }
        let zkey = Zkey::from_bytes(parameters.name(), file.into())?;
        Ok(Self { zkey, rows: constraints.rows.clone() })
    }

    /// Returns the verifying key. Returns an error if a point of IC is not in the group.
    pub fn verifying_key(&self) -> Result<VerifyingKey> {
        self.zkey.verifying_key()
    }

    /// Returns the number of public inputs.
    pub fn public_inputs(&self) -> usize {
        self.zkey.public_inputs()
    }

    /// Returns the number of values of a witness: 1, the public inputs, the private variables.
    pub fn witness_values(&self) -> usize {
        self.zkey.variables()
    }
}

/// Checks the number of points of each list.
fn check_counts(parameters: &Parameters, constraints: &Constraints) -> Result<()> {
    let public = constraints.public_inputs() + 1;
    let (public_part, private_part) = constraints.occurs.split_at(public);
    let present = |part: &[[bool; 2]], matrix: usize| part.iter().filter(|it| it[matrix]).count();
    let in_b = present(public_part, 1) + present(private_part, 1);
    let expected = [
        (List::Ic, public),
        (List::H, (1 << constraints.domain_log) - 1),
        (List::L, private_part.len()),
        (List::A, public + present(private_part, 0)),
        (List::B1, in_b),
        (List::B2, in_b),
    ];
    for (list, expected) in expected {
        let found = parameters.count(list);
        if found != expected {
            let (found, at) = (counted(found as u64, "point"), parameters.points(list).1);
            let problem = format!("{found}, where the circuit has {expected}");
            return Err(parameters.wrong(list.name(), at, problem).into());
        }
    }
    Ok(())
}

/// Writes a section.
fn section(
    file: &mut Vec<u8>,
    number: u32,
    content: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    file.extend(number.to_le_bytes());
    let length = file.len();
    file.extend([0; 8]);
    content(file)?;
    let bytes = (file.len() - length - 8) as u64;
    file[length..length + 8].copy_from_slice(&bytes.to_le_bytes());
    Ok(())
}

/// Writes the primes, the sizes and the single points.
fn header(file: &mut Vec<u8>, parameters: &Parameters, constraints: &Constraints) -> Result<()> {
    for modulus in [Fp::MODULUS, Fr::MODULUS] {
        file.extend((8 * modulus.len() as u32).to_le_bytes());
        file.extend(modulus.iter().flat_map(|limb| limb.to_le_bytes()));
    }
    let sizes = [constraints.variables(), constraints.public_inputs(), 1 << constraints.domain_log];
    file.extend(sizes.iter().flat_map(|&size| (size as u32).to_le_bytes()));
    let mut at = 0;
    for (name, group) in HEADER {
        let bytes = &parameters.bytes()[at..at + point_bytes(group)];
        let mut point = vec![0; bytes.len()];
        let converted = match group {
            Group::G1 => convert::<G1>(bytes, &mut point, &radix()),
            Group::G2 => convert::<G2>(bytes, &mut point, &radix()),
        };
        converted
            .map_err(|problem| parameters.wrong("header", at, format!("{name} is {problem}")))?;
        file.extend(point);
        at += bytes.len();
    }
    Ok(())
}

/// Writes the points of a list in Montgomery form, with the identity where none is present.
fn points_of<C: Curve<Base: Coordinate>>(
    file: &mut Vec<u8>,
    parameters: &Parameters,
    list: List,
    present: &[bool],
) -> Result<()> {
    let each = pair::bytes::<C>();
    let (points, offset) = parameters.points(list);
    let start = file.len();
    file.resize(start + present.len() * each, 0);
    let places = file[start..].chunks_exact_mut(each).zip(present);
    let places = places.filter_map(|(place, present)| present.then_some(place));
    let mut pairs: Vec<_> = points.chunks_exact(each).zip(places).collect();
    let radix = radix::<C::Base>();
    let convert = |(number, (point, place)): (usize, &mut (&[u8], &mut [u8]))| {
        let problem = convert::<C>(point, place, &radix).err()?;
        Some((number, problem))
    };
    let wrong = parallel(|| pairs.par_iter_mut().enumerate().find_map_first(convert));
    match wrong {
        None => Ok(()),
        Some((number, problem)) => {
            let at = offset + number * each;
            let problem = format!("point {number} is {problem}");
            Err(parameters.wrong(list.name(), at, problem).into())
        }
    }
}

/// Converts a point from Zcash's form, uncompressed, to x and y in Montgomery form, little-endian.
fn convert<C: Curve<Base: Coordinate>>(
    point: &[u8],
    montgomery: &mut [u8],
    radix: &C::Base,
) -> std::result::Result<(), EncodingError> {
    let flags = point[0] & FLAGS;
    if flags != 0 {
        return Err(EncodingError::Flags(flags));
    }
    let each = <C::Base as Coordinate>::BYTES;
    let (x, y) = point.split_at(each);
    let [x, y] = [C::Base::read_be(x)?, C::Base::read_be(y)?];
    if y.square() != x.square() * x + C::B {
        return Err(EncodingError::NotOnCurve);
    }
    let (place_x, place_y) = montgomery.split_at_mut(each);
    (x * radix).write_le(place_x);
    (y * radix).write_le(place_y);
    Ok(())
}

/// Returns R = 2^384.
fn radix<F: Field>() -> F {
    (0..384).fold(F::ONE, |power, _| power.double())
}
