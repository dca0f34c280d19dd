//! The transcript of a proof: the verifier's challenges are BLAKE2b hashes of all that comes before them.

use std::vec;

use blake2b_simd::{Params, State};
use proofmill_algebra::Isa;
use proofmill_algebra::encoding::pasta;
use proofmill_algebra::field::PrimeField;

use super::{Malformed, Point, Scalar};

/// Bytes of an element of a proof: a point or a scalar.
pub const ELEMENT: usize = 32;

const CHALLENGE: u8 = 0;
const POINT: u8 = 1;
const SCALAR: u8 = 2;

/// The elements of a proof, in order of the lists.
pub struct Elements {
    /// Points, none of which is the identity.
    pub points: Vec<Point>,
    /// Scalars.
    pub scalars: Vec<Scalar>,
}

impl Elements {
    /// Reads a proof. `layout` has the lengths of runs of elements, alternately points and scalars.
    pub fn read(isa: Isa, proof: &[u8], layout: &[usize]) -> Result<Self, Malformed> {
        let expected = ELEMENT * layout.iter().sum::<usize>();
        if proof.len() != expected {
            return Err(Malformed::Length { expected, found: proof.len() });
        }
        let mut kinds =
            layout.iter().enumerate().flat_map(|(i, &run)| std::iter::repeat_n(i % 2 == 0, run));
        let elements = proof.chunks_exact(ELEMENT).enumerate();
        let (points, scalars): (Vec<_>, Vec<_>) =
            elements.partition(|_| kinds.next() == Some(true));
        let bytes = points.iter().map(|(_, bytes)| (*bytes).try_into().expect("32 bytes"));
        let bytes: Vec<[u8; ELEMENT]> = bytes.collect();
        let decoded = pasta::decode_each(isa, &bytes).into_iter().zip(&points);
        let points = decoded.map(|(point, (element, _))| match point {
            Ok(point) if point != Point::IDENTITY => Ok(point),
            _ => Err(Malformed::Point { element: *element }),
        });
        let scalars = scalars.into_iter().map(|(element, bytes)| {
            Scalar::from_le_bytes(bytes).map_err(|_| Malformed::Scalar { element })
        });
        Ok(Self {
            points: points.collect::<Result<_, _>>()?,
            scalars: scalars.collect::<Result<_, _>>()?,
        })
    }
}

/// A transcript, and the elements of the proof that are not yet part of it.
pub struct Transcript {
    state: State,
    points: vec::IntoIter<Point>,
    scalars: vec::IntoIter<Scalar>,
}

impl Transcript {
    /// Returns an empty transcript.
    pub fn new(proof: Elements) -> Self {
        let state = Params::new().hash_length(64).personal(b"Halo2-Transcript").to_state();
        Self { state, points: proof.points.into_iter(), scalars: proof.scalars.into_iter() }
    }

    /// Adds a scalar that is not part of the proof.
    pub fn add_scalar(&mut self, scalar: &Scalar) {
        self.state.update(&[SCALAR]).update(scalar.to_le_bytes().as_ref());
    }

    /// Adds a point that is not part of the proof, and not the identity.
    pub fn add_point(&mut self, point: &Point) {
        self.state.update(&[POINT]);
        self.state
            .update(point.x().to_le_bytes().as_ref())
            .update(point.y().to_le_bytes().as_ref());
    }

    /// Adds the next point of the proof.
    pub fn point(&mut self) -> Point {
        let point = self.points.next().expect("the layout has all elements");
        self.add_point(&point);
        point
    }

    /// Adds the next points of the proof.
    pub fn points(&mut self, count: usize) -> Vec<Point> {
        (0..count).map(|_| self.point()).collect()
    }

    /// Adds the next scalar of the proof.
    pub fn scalar(&mut self) -> Scalar {
        let scalar = self.scalars.next().expect("the layout has all elements");
        self.add_scalar(&scalar);
        scalar
    }

    /// Adds the next scalars of the proof.
    pub fn scalars(&mut self, count: usize) -> Vec<Scalar> {
        (0..count).map(|_| self.scalar()).collect()
    }

    /// Returns the next challenge.
    pub fn challenge(&mut self) -> Scalar {
        self.state.update(&[CHALLENGE]);
        Scalar::reduce_wide_le(self.state.clone().finalize().as_array())
    }

    /// Returns whether all elements are part of the transcript.
    pub fn is_complete(&self) -> bool {
        self.points.len() == 0 && self.scalars.len() == 0
    }
}
