//! MSMs whose scalars and points are distributed in ways that real ones are, against the processor.

use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::msm::{Group, multiples};
use proofmill_cuda::Options;
use proofmill_op::msm::{Bases, Check, Curve, Instance, Request};
use proofmill_op::{Device, Error, ResidentData, Result, in_group};
use rand::Rng;

use crate::support::{cpu, device, execute, is_gpu, random};

fn instances() -> impl Iterator<Item = Instance> {
    let curves = [Curve::Bn254, Curve::Bls12_381, Curve::Bls12_377];
    Instance::ALL.into_iter().filter(move |instance| curves.contains(&instance.curve))
}

fn points<C: Group<Base: Coordinate>>(count: usize) -> Result<Vec<u8>> {
    Ok(multiples::<C>(3, count).iter().flat_map(pair::encode).collect())
}

fn uniform(count: usize, seed: u64) -> Vec<u8> {
    let mut scalars = vec![0; count * 32];
    random(seed).fill_bytes(&mut scalars);
    // Below the order of every group.
    scalars.chunks_mut(32).for_each(|scalar| scalar[31] &= 0x0f);
    scalars
}

/// Lists of so many scalars, by name.
fn distributions(count: usize) -> Vec<(&'static str, Vec<u8>)> {
    let uniform = uniform(count, 58);
    let small = |scalar: fn(usize) -> u8| {
        let bytes = |i| std::iter::once(scalar(i)).chain([0; 31]);
        (0..count).flat_map(bytes).collect::<Vec<u8>>()
    };
    let mixed = uniform.chunks(32).enumerate().flat_map(|(i, scalar)| match i % 3 {
        0 => scalar.to_vec(),
        1 => vec![0; 32],
        _ => [vec![1], vec![0; 31]].concat(),
    });
    vec![
        ("zeros", small(|_| 0)),
        ("ones", small(|_| 1)),
        ("bits", small(|i| (i % 5 == 0).into())),
        ("bytes", small(|i| i as u8)),
        ("all equal", uniform[..32].repeat(count)),
        ("mixed", mixed.collect()),
        ("uniform", uniform),
    ]
}

fn msms(device: &dyn Device, bases: Bases, scalars: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let request = Request::batch(bases, scalars.iter().map(|list| &list[..]));
    Ok(execute(device, request)?.points)
}

fn load(device: &dyn Device, bases: Bases) -> Result<ResidentData> {
    execute(device, bases)
}

#[test]
fn every_distribution_gives_the_processors_results() {
    examine_distributions(if is_gpu() { 1 << 14 } else { 70 });
}

#[test]
#[ignore = "a minute in emulation"]
fn every_distribution_of_more_points_gives_the_processors_results() {
    examine_distributions(150);
}

fn examine_distributions(count: usize) {
    let Some(device) = device(Options::default()) else { return };
    for instance in instances() {
        let bytes = in_group!(instance, points(count)).unwrap();
        let bases = || Bases::new(instance, &bytes[..]);
        let (names, lists): (Vec<_>, Vec<_>) = distributions(count).into_iter().unzip();
        let expected = msms(&*cpu(), bases(), &lists).unwrap();
        // Resident with two tables, and with one for each window.
        for max_bytes in [0, 2 * bytes.len(), 64 * bytes.len()] {
            let resident = load(&device, bases().precomputed(max_bytes)).unwrap();
            let found = msms(&device, Bases::resident(instance, resident), &lists).unwrap();
            for ((name, expected), found) in names.iter().zip(&expected).zip(found) {
                assert_eq!(&found, expected, "{instance}, {name}, {max_bytes} bytes for tables");
            }
        }
        assert_eq!(msms(&device, bases(), &lists).unwrap(), expected, "{instance}, not resident");
    }
}

#[test]
fn equal_and_opposite_points_and_identities_are_added() {
    let Some(device) = device(Options::default()) else { return };
    for instance in instances() {
        let each = instance.point_bytes();
        let some = in_group!(instance, points(4)).unwrap();
        let minus = {
            let one = [vec![1], vec![0; 31]].concat();
            let zero_less_one = {
                // (r - 1) P = -P
                let order = in_group!(instance, order()).unwrap();
                msms(&*cpu(), Bases::new(instance, &some[..each]), &[order]).unwrap()
            };
            assert_ne!(zero_less_one[0], some[..each], "{one:?}");
            zero_less_one[0].clone()
        };
        let p = &some[..each];
        let bytes = [p, p, &minus, &vec![0; each], p, &some[each..], &minus, p].concat();
        let count = bytes.len() / each;
        let lists: Vec<_> = distributions(count).into_iter().map(|(_, list)| list).collect();
        let expected = msms(&*cpu(), Bases::new(instance, &bytes[..]), &lists).unwrap();
        let found = msms(&device, Bases::new(instance, &bytes[..]), &lists).unwrap();
        assert_eq!(found, expected, "{instance}");
        let resident =
            load(&device, Bases::new(instance, &bytes[..]).precomputed(1 << 20)).unwrap();
        let found = msms(&device, Bases::resident(instance, resident), &lists).unwrap();
        assert_eq!(found, expected, "{instance}, with tables");
    }
}

/// r - 1, as a scalar.
fn order<C: Group>() -> Result<Vec<u8>> {
    use proofmill_algebra::field::{Field, PrimeField};
    Ok((-C::Scalar::ONE).to_le_bytes().as_ref().to_vec())
}

#[test]
fn large_msms_are_computed_in_chunks_or_refused_with_the_size_that_fits() {
    let instance = Instance::ALL[0];
    let count = 3000;
    let bytes = in_group!(instance, points(count)).unwrap();
    let scalars = [uniform(count, 7)];
    let expected = msms(&*cpu(), Bases::new(instance, &bytes[..]), &scalars).unwrap();
    let options = |bytes| {
        let mut options = Options::default();
        options.max_bytes = Some(bytes);
        options
    };
    let Some(small) = device(options(1 << 20)) else { return };
    assert_eq!(msms(&small, Bases::new(instance, &bytes[..]), &scalars).unwrap(), expected);
    let tiny = device(options(1 << 16)).unwrap();
    let message = |result: Result<_>| match result {
        Err(Error::Failed { problem, .. }) => problem,
        other => panic!("{:?}", other.err()),
    };
    let problem = message(msms(&tiny, Bases::new(instance, &bytes[..]), &scalars).map(drop));
    assert!(problem.ends_with("of its memory at least, where 65536 are free"), "{problem}");
    let problem = message(load(&tiny, Bases::new(instance, &bytes[..])).map(drop));
    let expected =
        "3000 points take 192000 bytes of its memory, where 65536 are free: 1024 would fit";
    assert_eq!(problem, expected);
}

#[test]
fn wrong_points_and_scalars_are_named() {
    let Some(device) = device(Options::default()) else { return };
    for instance in instances() {
        let count = 20;
        let each = instance.point_bytes();
        let bytes = in_group!(instance, points(count)).unwrap();
        let message = |result: Result<_>| result.map(drop).unwrap_err().to_string();
        let mut large = bytes.clone();
        large[7 * each..8 * each].fill(0xff);
        large[9 * each..10 * each].fill(0xff);
        let expected = "bases: point 7 is not a point: its x is not below the modulus";
        assert_eq!(message(load(&device, Bases::new(instance, &large[..])).map(drop)), expected);
        let mut off = bytes.clone();
        off[5 * each] ^= 1;
        let checked = Bases::new(instance, &off[..]).checked(Check::Curve);
        assert_eq!(message(load(&device, checked).map(drop)), "bases: point 5 is not on the curve");
        let mut scalars = uniform(count, 3);
        scalars[11 * 32..12 * 32].fill(0xff);
        let expected = "scalars: list 1: number 11 is not below the order of the group";
        let lists = [uniform(count, 4), scalars];
        assert_eq!(
            message(msms(&device, Bases::new(instance, &bytes[..]), &lists).map(drop)),
            expected
        );
    }
}

#[test]
fn points_outside_the_subgroup_are_named() {
    let Some(device) = device(Options::default()) else { return };
    // (0, 2) is on y^2 = x^3 + 4, and not of order r.
    let mut point = [0; 96];
    point[48] = 2;
    let instance: Instance = "bls12_381_g1".parse().unwrap();
    let bases = |check| Bases::new(instance, &point[..]).checked(check);
    assert!(load(&device, bases(Check::Curve)).is_ok());
    let problem = load(&device, bases(Check::Subgroup)).map(drop).unwrap_err().to_string();
    assert_eq!(problem, "bases: point 0 is on the curve but not in the subgroup");
    let resident = Bases::resident(instance, load(&device, bases(Check::None)).unwrap());
    let checked = resident.clone().checked(Check::Curve);
    let problem = msms(&device, checked, &[vec![0; 32]]).unwrap_err().to_string();
    assert_eq!(problem, "bases: loaded with the check 'none', not 'curve'");
    assert!(msms(&device, resident, &[vec![0; 32]]).is_ok());
}

/// Returns multiples of the generator.
pub fn generators(instance: Instance, count: usize) -> Vec<u8> {
    in_group!(instance, points(count)).unwrap()
}
