//! Many claims as one MSM: their sum with random factors, which are chosen after the proofs (Bellare, Garay, Rabin, *Fast Batch Verification for
//! Modular Exponentiation and Digital Signatures*, EUROCRYPT 1998, the small exponents test). The group has prime order, so that a false claim
//! passes with a probability of at most 2^-128.

use proofmill_algebra::batch::FACTOR_BYTES;
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::vesta;
use proofmill_op::msm::{Bases, Curve, Group, Instance, Request};
use proofmill_op::process::parallel_map;
use proofmill_op::{Cancel, Device, Submit};
use proofmill_proof::halves;

use super::claim::Claim;
use super::generators::Generators;
use super::{Scalar, VerifyingKey, bytes};
use crate::Result;

/// Claims of a thread at a time.
const AT_A_TIME: usize = 16;

/// The bases that claims share.
pub struct Shared<'a> {
    /// The generators.
    pub generators: &'a Generators,
    /// The keys; a claim has the number of its key.
    pub keys: &'a [&'a VerifyingKey],
}

/// A sum of claims.
struct Sum {
    /// The scalars of the generators, with W and U at the end.
    generators: Vec<Scalar>,
    /// The scalars of each key.
    keys: Vec<Vec<Scalar>>,
    points: Vec<u8>,
    scalars: Vec<u8>,
}

impl Shared<'_> {
    /// Returns whether all claims hold. Each has the number of its key.
    pub fn hold(&self, device: &dyn Device, claims: &[(usize, &Claim)]) -> Result<bool> {
        let factors = factors(claims.len())?;
        let parts: Vec<_> = claims.chunks(AT_A_TIME).zip(factors.chunks(AT_A_TIME)).collect();
        let part = |i: usize| {
            let (claims, factors): (&[_], &[_]) = parts[i];
            self.sum(claims, factors)
        };
        let mut parts = parallel_map(parts.len(), &part).into_iter();
        let Some(mut sum) = parts.next() else { return Ok(true) };
        parts.for_each(|part| sum.add(part));
        let (bases, scalars) = self.terms(sum);
        let instance = Instance::new(Curve::Vesta, Group::G1);
        let request = Request::new(Bases::new(instance, bases).unchecked(), scalars);
        let response = device.execute(request, &Cancel::new())?;
        match &response.points[..] {
            [point] if point.len() == instance.point_bytes() => {
                Ok(point.iter().all(|byte| *byte == 0))
            }
            points => {
                let lengths: Vec<_> = points.iter().map(Vec::len).collect();
                let problem = format!("an MSM has a point of {lengths:?} bytes");
                let device = device.caps().uri.clone();
                Err(proofmill_op::Error::Failed { device, problem }.into())
            }
        }
    }

    fn sum(&self, claims: &[(usize, &Claim)], factors: &[Scalar]) -> Sum {
        let [w, u] = [0, 1].map(|i| self.vector() + i);
        let mut sum = Sum {
            generators: vec![Scalar::ZERO; self.vector() + 2],
            keys: self.keys.iter().map(|key| vec![Scalar::ZERO; key.commitments.len()]).collect(),
            points: vec![],
            scalars: vec![],
        };
        for ((key, claim), &factor) in claims.iter().zip(factors) {
            claim.add_vector(factor, &mut sum.generators);
            sum.generators[w] += claim.w * factor;
            sum.generators[u] += claim.u * factor;
            assert_eq!(sum.keys[*key].len(), claim.key.len(), "a scalar for each commitment");
            for (sum, scalar) in sum.keys[*key].iter_mut().zip(&claim.key) {
                *sum += *scalar * factor;
            }
            sum.points.extend(claim.points.iter().flat_map(pair::encode));
            sum.scalars.extend(claim.scalars.iter().flat_map(|scalar| bytes(&(*scalar * factor))));
        }
        sum
    }

    /// The number of generators without W and U.
    fn vector(&self) -> usize {
        self.generators.bases.len() / pair::bytes::<vesta::G1>() - 2
    }

    /// Returns the bases and the scalars of the MSM of a sum.
    fn terms(&self, sum: Sum) -> (Vec<u8>, Vec<u8>) {
        let Sum { generators, keys, mut points, mut scalars } = sum;
        points.extend(&self.generators.bases);
        scalars.extend(generators.iter().flat_map(bytes));
        for (key, of_key) in self.keys.iter().zip(keys) {
            points.extend(key.commitments.iter().flat_map(pair::encode));
            scalars.extend(of_key.iter().flat_map(bytes));
        }
        (points, scalars)
    }
}

impl Sum {
    fn add(&mut self, other: Self) {
        let pairs = self.keys.iter_mut().zip(&other.keys);
        for (list, other) in pairs.chain([(&mut self.generators, &other.generators)]) {
            list.iter_mut().zip(other).for_each(|(sum, scalar)| *sum += scalar);
        }
        self.points.extend(other.points);
        self.scalars.extend(other.scalars);
    }
}

/// Returns fresh random factors of 128 bits. A claim alone needs none.
fn factors(count: usize) -> Result<Vec<Scalar>> {
    if count == 1 {
        return Ok(vec![Scalar::ONE]);
    }
    let factor = |bytes: [u8; FACTOR_BYTES]| {
        let mut wide = [0; 64];
        wide[..FACTOR_BYTES].copy_from_slice(&bytes);
        Scalar::reduce_wide_le(&wide)
    };
    Ok(halves::random_numbers(count)?.into_iter().map(factor).collect())
}
