//! `msm` on every simulation that has an engine for a real curve: the results are those of the processor, for any bases
//! and scalars, and a cancelled MSM leaves the engine usable.

use std::time::{Duration, Instant};

use crate::support;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::{Group as Points, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use proofmill_op::msm::{Bases, Curve, Cycles, Group, Instance, Request, SCALAR_BYTES};
use proofmill_op::{Capability, Data, Device, Submit};

fn load(device: &dyn Device, bases: Bases) -> Bases {
    let instance = bases.instance;
    Bases::resident(instance, device.submit(bases).unwrap().wait().unwrap())
}

fn msm(device: &dyn Device, bases: Bases, scalars: Vec<Data>) -> (Vec<Vec<u8>>, Vec<Cycles>) {
    let response = device.submit(Request::batch(bases, scalars)).unwrap().wait().unwrap();
    (response.points, response.cycles.unwrap_or_default())
}

/// Points in every relation: following each other, the identity, repeated and opposite ones.
fn mixed<C: Points<Base: Coordinate>>(count: usize) -> Vec<u8> {
    let multiples = multiples::<C>(1, count.max(2));
    let point = |i: usize| match i % 8 {
        3 => Affine::IDENTITY,
        4 => multiples[0],
        5 => -multiples[0],
        6 => -multiples[i - 1],
        _ => multiples[i],
    };
    (0..count).flat_map(|i| pair::encode::<C>(&point(i))).collect()
}

/// Scalars that are hard on buckets, by name.
fn distributions<F: PrimeField>(count: usize) -> Vec<(&'static str, Data)> {
    let mut state = F::from(0x0123_4567_89ab_cdef).square();
    let mut random: Vec<F> = Vec::new();
    for i in 0..count as u64 {
        state = state.square() + F::from(i);
        random.push(state);
    }
    let any = random.first().copied().unwrap_or(F::ONE);
    let all = |scalar: &dyn Fn(usize) -> F| -> Data {
        let bytes = (0..count).flat_map(|i| scalar(i).to_le_bytes().as_ref().to_vec());
        bytes.collect::<Vec<u8>>().into()
    };
    vec![
        ("random", all(&|i| random[i])),
        ("all equal", all(&|_| any)),
        ("all in one bucket", all(&|i| if i % 2 == 0 { F::from(5) } else { -F::from(5) })),
        ("all r - 1", all(&|_| -F::ONE)),
        ("sparse", all(&|i| if i % 64 == 1 { random[i] } else { F::ZERO })),
        ("zeros", all(&|_| F::ZERO)),
        ("ones", all(&|_| F::ONE)),
        ("a scalar and its opposite", all(&|i| if i % 2 == 0 { any } else { -any })),
    ]
}

/// MSMs over this many points are those of the processor, with the first so many of the distributions. Returns the cycles of
/// random scalars.
fn agree<C: Points<Base: Coordinate>>(device: &dyn Device, (count, most): Size) -> Cycles {
    let cpu = proofmill_device::open("cpu:").unwrap();
    let instance: Instance = C::NAME.parse().unwrap();
    let bases = Bases::new(instance, mixed::<C>(count));
    let chosen = distributions::<C::Scalar>(count).into_iter().take(most);
    let (names, scalars): (Vec<_>, Vec<_>) = chosen.unzip();
    let (wanted, _) = msm(&*cpu, bases.clone(), scalars.clone());
    let (found, cycles) = msm(device, load(device, bases), scalars);
    for ((name, found), wanted) in names.iter().zip(&found).zip(&wanted) {
        assert_eq!(found, wanted, "{}: {count} points, {name}", device.caps().uri);
    }
    // No scalars are slower than others: the same points pass the same adders. The first run waits for a card that has just
    // been reset.
    let accumulation = cycles[1..].iter().map(|cycles| cycles.accumulation);
    let (least, longest) = (accumulation.clone().min().unwrap(), accumulation.max().unwrap());
    assert!(count < 1 << 10 || longest <= 2 * least, "{cycles:?}");
    cycles[0]
}

fn in_group(instance: Instance, device: &dyn Device, size: Size) -> Cycles {
    match instance.curve {
        Curve::Bn254 => agree::<bn254::G1>(device, size),
        Curve::Bls12_381 => agree::<bls12_381::G1>(device, size),
        Curve::Bls12_377 => agree::<bls12_377::G1>(device, size),
        other => panic!("no card adds points of {other:?}"),
    }
}

/// Every simulation that has an engine for this curve, with multiplications as functions: the others take hours. A card for Groth16 has the same
/// engine as one without transforms; its MSMs are those of whole proofs and of quotients.
fn everywhere(curve: Curve, sizes: &[Size]) {
    let instance = Instance::new(curve, Group::G1);
    let mut simulations = support::offering(&Capability::Msm(instance));
    simulations.retain(|it| it.name.ends_with("_twin") && !it.name.starts_with("groth16"));
    for simulation in simulations {
        let device = proofmill_device::open(&simulation.uri()).unwrap();
        for &size in sizes {
            let start = Instant::now();
            let cycles = in_group(instance, &*device, size);
            eprintln!("{}: {} points, {cycles:?}, {:?}", simulation.name, size.0, start.elapsed());
        }
        cancelled(&*device, instance);
    }
}

/// MSMs whose tickets are dropped in every stage, and then one that is waited for.
fn cancelled(device: &dyn Device, instance: Instance) {
    let bases = Bases::new(instance, vec![0; 200 * instance.point_bytes()]);
    let bases = load(device, bases);
    let list: Data = vec![1; 200 * SCALAR_BYTES].into();
    for wait in [0, 3, 30, 300] {
        let request = Request::batch(bases.clone(), vec![list.clone(); 2]);
        let ticket = device.submit(request).unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        drop(ticket);
    }
    in_group(instance, device, (7, 2));
}

/// Points, and distributions of scalars: each request of a few points takes as long as the buckets do.
type Size = (usize, usize);
const ALL: usize = usize::MAX;
const SIZES: [Size; 3] = [(1, 2), (3, 2), (200, ALL)];

#[test]
fn bn254_on_a_card_is_bn254() {
    everywhere(Curve::Bn254, &SIZES);
}

#[test]
fn bls12_381_on_a_card_is_bls12_381() {
    everywhere(Curve::Bls12_381, &SIZES);
}

#[test]
fn bls12_377_on_a_card_is_bls12_377() {
    everywhere(Curve::Bls12_377, &SIZES);
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn many_points_on_every_curve() {
    for curve in [Curve::Bn254, Curve::Bls12_381, Curve::Bls12_377] {
        everywhere(curve, &[(1, ALL), (2, ALL), (3, ALL), (100, ALL), (250, ALL), (1 << 16, ALL)]);
    }
}
