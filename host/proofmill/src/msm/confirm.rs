//! Confirms the results of MSMs on a second device, at the cost of one MSM.

use std::time::{Duration, Instant};

use proofmill_algebra::curve::Curve as Group;
use proofmill_algebra::field::PrimeField;
use proofmill_op::in_group;
use proofmill_op::msm::{Bases, Request, SCALAR_BYTES};

use super::msm;
use crate::{Data, Device, Error, Result, SecretBytes};

/// Checks on `reference` (`cpu:`) that the points S_1, S_2, … that `device` returned for the lists k_1, k_2, … are right, and returns the
/// time that this took; [`Error::Failed`] if they are wrong.
///
/// With random numbers rho_j of 128 bits from the operating system, which the device could not know, it compares sum rho_j S_j with the MSM
/// of the bases and the scalars sum rho_j k_j: one MSM over the bases for any number of lists. Wrong points pass with a probability of
/// 2^-128. Bases and scalars must be in host memory or streamed; the bases must be in the subgroup.
pub fn confirm(
    reference: &dyn Device,
    device: &dyn Device,
    request: &Request,
    points: &[Vec<u8>],
) -> Result<Duration> {
    let start = Instant::now();
    let wrong = |what: String| Error::Failed { device: device.caps().uri.clone(), problem: what };
    if points.len() != request.scalars.len() {
        return Err(wrong(format!("{} points for {} lists", points.len(), request.scalars.len())));
    }
    let count = request.count()?;
    let lists = request.scalars.iter().map(on_host).collect::<Result<Vec<_>>>()?;
    let instance = request.bases.instance;
    let numbers: Vec<u128> = lists.iter().map(|_| random()).collect::<Result<_>>()?;
    let numbers_le = numbers.iter().flat_map(|rho| [rho.to_le_bytes(), [0; 16]].concat());
    // A malformed point is the fault of the device, not of the caller. Outside the subgroup, an error of order 3 would pass with every
    // third rho.
    let results = Bases::new(instance, points.concat());
    let left =
        msm(reference, results, numbers_le.collect::<Vec<u8>>()).map_err(|error| match error {
            Error::Argument { problem, .. } => wrong(format!("among its results, {problem}")),
            other => other,
        })?;
    let scalars = in_group!(instance, recombine(count, &lists, &numbers))?;
    let right = msm(reference, request.bases.clone(), scalars)?;
    if left != right {
        let uri = &reference.caps().uri;
        return Err(wrong(format!(
            "its results differ from those of {uri}: one at least is wrong"
        )));
    }
    Ok(start.elapsed())
}

fn on_host(scalars: &Data) -> Result<&[u8]> {
    match scalars {
        Data::Host(bytes) => Ok(bytes),
        Data::Resident(_) => {
            Err(Error::argument("scalars", "resident; expected bytes in host memory"))
        }
    }
}

/// Returns random bits from the operating system.
fn random() -> Result<u128> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|problem| Error::Io {
        context: "random bytes of the system".into(),
        source: std::sync::Arc::new(std::io::Error::other(problem)),
    })?;
    Ok(u128::from_le_bytes(bytes))
}

/// Returns the sum of rho_j k_j for every point. A scalar that is not below r counts as 0: it was refused.
fn recombine<C: Group>(count: usize, lists: &[&[u8]], numbers: &[u128]) -> Result<SecretBytes> {
    Ok(combine::<C::Scalar>(count, lists, numbers))
}

/// [`recombine`] for the groups with these scalars.
fn combine<S: PrimeField>(count: usize, lists: &[&[u8]], numbers: &[u128]) -> SecretBytes {
    let word = S::from(1 << 32).square();
    let split = |rho: &u128| S::from((rho >> 64) as u64) * word + S::from(*rho as u64);
    let numbers: Vec<_> = numbers.iter().map(split).collect();
    let scalar = |list: &[u8], i: usize| {
        let bytes = &list[i * SCALAR_BYTES..(i + 1) * SCALAR_BYTES];
        S::from_le_bytes(bytes).unwrap_or(S::ZERO)
    };
    let combined = |i| {
        let products = lists.iter().zip(&numbers).map(|(list, rho)| scalar(list, i) * *rho);
        products.fold(S::ZERO, |sum, product| sum + product)
    };
    let mut bytes = SecretBytes::zeroed(count * SCALAR_BYTES);
    for (i, bytes) in bytes.chunks_exact_mut(SCALAR_BYTES).enumerate() {
        bytes.copy_from_slice(combined(i).to_le_bytes().as_ref());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::bls12_377;
    use proofmill_algebra::curve::{Affine, Projective};
    use proofmill_algebra::encoding::pair;
    use proofmill_algebra::field::Field;
    use proofmill_algebra::msm::multiples;
    use proofmill_op::msm::{Check, read};

    type C = bls12_377::G1;

    /// Returns a request with 5 points and two lists, and its results by `cpu:`.
    fn sample() -> (Box<dyn Device>, Request, Vec<Vec<u8>>) {
        let cpu = crate::open("cpu:?threads=1").unwrap();
        let instance = C::NAME.parse().unwrap();
        let points: Vec<u8> = multiples::<C>(3, 5).iter().flat_map(pair::encode).collect();
        let list = |first: u64| -> Data {
            let scalars = (0..5).map(|i| bls12_377::Fr::from(first + i) * -bls12_377::Fr::ONE);
            scalars.flat_map(|scalar| scalar.to_le_bytes()).collect::<Vec<u8>>().into()
        };
        let request = Request::batch(Bases::new(instance, points), [list(1), list(70)]);
        let lists = request.scalars.clone();
        let found = super::super::msm_batch(&cpu, request.bases.clone(), lists).unwrap();
        (cpu, request, found)
    }

    #[test]
    fn right_results_are_confirmed_and_each_wrong_one_is_found() {
        let (cpu, request, found) = sample();
        confirm(&cpu, &cpu, &request, &found).unwrap();
        for at in 0..2 {
            let mut wrong = found.clone();
            wrong[at] = pair::encode(&Affine::<C>::IDENTITY);
            let error = confirm(&cpu, &cpu, &request, &wrong).unwrap_err();
            assert!(matches!(error, Error::Failed { .. }), "{error}");
            assert!(error.to_string().contains("one at least is wrong"), "{error}");
        }
        // Each other's.
        let swapped: Vec<_> = found.iter().rev().cloned().collect();
        assert!(confirm(&cpu, &cpu, &request, &swapped).is_err());
        let mut off = found.clone();
        off[1][0] ^= 1;
        let error = confirm(&cpu, &cpu, &request, &off).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cpu:?threads=1 failed: among its results, point 1 is not on the curve"
        );
        // Off by a point of order 2, with which every second rho makes nothing.
        let right = read::point::<C>(0, &found[0], Check::Subgroup).unwrap();
        let order_2 = Affine::<C>::new(-bls12_377::Fp::ONE, Field::ZERO).unwrap();
        let near = Projective::from(right) + order_2;
        let outside = vec![pair::encode(&Affine::from(near)), found[1].clone()];
        let error = confirm(&cpu, &cpu, &request, &outside).unwrap_err();
        assert!(error.to_string().ends_with("point 0 is on the curve but not in the subgroup"));
        let error = confirm(&cpu, &cpu, &request, &found[..1]).unwrap_err();
        assert!(error.to_string().contains("1 points for 2 lists"), "{error}");
    }

    #[test]
    fn no_list_and_no_point_are_confirmed_too() {
        let (cpu, request, _) = sample();
        let none = Request { scalars: vec![], ..request.clone() };
        confirm(&cpu, &cpu, &none, &[]).unwrap();
        let empty = Request::new(Bases::new(request.bases.instance, vec![]), vec![]);
        let identity = vec![pair::encode(&Affine::<C>::IDENTITY)];
        confirm(&cpu, &cpu, &empty, &identity).unwrap();
    }
}
