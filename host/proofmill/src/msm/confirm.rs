//! Whether sums are right, asked of a second device at the price of one sum.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use proofmill_algebra::curve::Curve as Group;
use proofmill_algebra::field::PrimeField;
use proofmill_op::in_group;
use proofmill_op::msm::{Bases, Check, SCALAR_BYTES, Sums};

use super::sum;
use crate::{Data, Device, Error, Result};

/// Asks `reference` (`cpu:`) whether the sums S_1, S_2, … that `device` gave for the lists k_1, k_2, … are right, and says
/// how long that took; [`Error::Failed`] if they are not.
///
/// With random numbers rho_j of 128 bits, which the device could not know, it compares sum rho_j S_j with the sum over the
/// bases with the scalars sum rho_j k_j: one sum over the bases, however many lists there are. Wrong sums pass with a
/// probability of 2^-128. Bases and scalars have to be here, or streamed; bases of the subgroup, as for any sum.
pub fn confirm(
    reference: &dyn Device,
    device: &dyn Device,
    sums: &Sums,
    points: &[Vec<u8>],
) -> Result<Duration> {
    let start = Instant::now();
    let wrong = |what: String| Error::Failed { device: device.caps().uri.clone(), problem: what };
    if points.len() != sums.scalars.len() {
        return Err(wrong(format!("{} sums for {} lists", points.len(), sums.scalars.len())));
    }
    let count = sums.count()?;
    let lists = sums.scalars.iter().map(here).collect::<Result<Vec<_>>>()?;
    let instance = sums.bases.instance;
    let numbers: Vec<u128> = lists.iter().map(|_| random()).collect();
    let numbers_le = numbers.iter().flat_map(|rho| [rho.to_le_bytes(), [0; 16]].concat());
    // What is no point here is the device's fault, not the caller's. Outside the subgroup, an error of order 3 would pass
    // with every third rho.
    let of_sums = Bases::new(instance, points.concat()).checked(Check::Subgroup);
    let left =
        sum(reference, of_sums, numbers_le.collect::<Vec<u8>>()).map_err(|error| match error {
            Error::Argument { problem, .. } => wrong(format!("among its sums, {problem}")),
            other => other,
        })?;
    let scalars = in_group!(instance, recombine(count, &lists, &numbers))?;
    let right = sum(reference, sums.bases.clone(), scalars)?;
    if left != right {
        let uri = &reference.caps().uri;
        return Err(wrong(format!(
            "its sums are not those that {uri} finds: one at least is wrong"
        )));
    }
    Ok(start.elapsed())
}

fn here(scalars: &Data) -> Result<&[u8]> {
    match scalars {
        Data::Here(bytes) => Ok(bytes),
        Data::Parked(_) => Err(Error::argument("scalars", "parked, where bytes are needed")),
    }
}

/// From the keys that the operating system gave this process, by SipHash.
fn random() -> u128 {
    let half = |salt: u8| u128::from(RandomState::new().hash_one(salt));
    half(0) << 64 | half(1)
}

/// The sum of rho_j k_j for every point. A scalar that is not below r counts as 0: it was refused.
fn recombine<C: Group>(count: usize, lists: &[&[u8]], numbers: &[u128]) -> Result<Vec<u8>> {
    Ok(combine::<C::Scalar>(count, lists, numbers))
}

/// [`recombine`] for the groups with these scalars.
fn combine<S: PrimeField>(count: usize, lists: &[&[u8]], numbers: &[u128]) -> Vec<u8> {
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
    (0..count).flat_map(|i| combined(i).to_le_bytes().as_ref().to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::bls12_377;
    use proofmill_algebra::curve::{Affine, Projective};
    use proofmill_algebra::encoding::pair;
    use proofmill_algebra::field::Field;
    use proofmill_algebra::msm::multiples;
    use proofmill_op::msm::read;

    type C = bls12_377::G1;

    /// 5 points, two lists, and their sums by `cpu:`.
    fn made() -> (Box<dyn Device>, Sums, Vec<Vec<u8>>) {
        let cpu = crate::open("cpu:?threads=1").unwrap();
        let instance = C::NAME.parse().unwrap();
        let points: Vec<u8> = multiples::<C>(3, 5).iter().flat_map(pair::encode).collect();
        let list = |first: u64| -> Data {
            let scalars = (0..5).map(|i| bls12_377::Fr::from(first + i) * -bls12_377::Fr::ONE);
            scalars.flat_map(|scalar| scalar.to_le_bytes()).collect::<Vec<u8>>().into()
        };
        let scalars = vec![list(1), list(70)];
        let sums = Sums { bases: Bases::new(instance, points), scalars, progress: None };
        let found = super::super::sums(&*cpu, sums.bases.clone(), sums.scalars.clone()).unwrap();
        (cpu, sums, found)
    }

    #[test]
    fn right_sums_are_confirmed_and_each_wrong_one_is_found() {
        let (cpu, sums, found) = made();
        confirm(&*cpu, &*cpu, &sums, &found).unwrap();
        for at in 0..2 {
            let mut wrong = found.clone();
            wrong[at] = pair::encode(&Affine::<C>::IDENTITY);
            let error = confirm(&*cpu, &*cpu, &sums, &wrong).unwrap_err();
            assert!(matches!(error, Error::Failed { .. }), "{error}");
            assert!(error.to_string().contains("one at least is wrong"), "{error}");
        }
        // Each other's.
        let swapped: Vec<_> = found.iter().rev().cloned().collect();
        assert!(confirm(&*cpu, &*cpu, &sums, &swapped).is_err());
        let mut off = found.clone();
        off[1][0] ^= 1;
        let error = confirm(&*cpu, &*cpu, &sums, &off).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cpu:?threads=1 failed: among its sums, point 1 is not on the curve"
        );
        // Off by a point of order 2, with which every second rho makes nothing.
        let right = read::point::<C>(0, &found[0], Check::Subgroup).unwrap();
        let order_2 = Affine::<C>::new(-bls12_377::Fp::ONE, Field::ZERO).unwrap();
        let near = Projective::from(right) + order_2;
        let outside = vec![pair::encode(&Affine::from(near)), found[1].clone()];
        let error = confirm(&*cpu, &*cpu, &sums, &outside).unwrap_err();
        assert!(error.to_string().ends_with("point 0 is on the curve but not in the subgroup"));
        let error = confirm(&*cpu, &*cpu, &sums, &found[..1]).unwrap_err();
        assert!(error.to_string().contains("1 sums for 2 lists"), "{error}");
    }

    #[test]
    fn no_list_and_no_point_are_confirmed_too() {
        let (cpu, sums, _) = made();
        let none = Sums { scalars: vec![], ..sums.clone() };
        confirm(&*cpu, &*cpu, &none, &[]).unwrap();
        let empty = Sums::one(Bases::new(sums.bases.instance, vec![]), vec![]);
        let identity = vec![pair::encode(&Affine::<C>::IDENTITY)];
        confirm(&*cpu, &*cpu, &empty, &identity).unwrap();
    }
}
