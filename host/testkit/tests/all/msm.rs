//! `msm` on every simulation that has an engine for a real curve: the results are those of the processor, for any bases
//! and scalars, and a cancelled MSM leaves the engine usable.

use std::time::{Duration, Instant};

use crate::support;
use proofmill_algebra::curve::Affine;
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::PrimeField;
use proofmill_algebra::msm::{Group as Points, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use proofmill_device::Simulation;
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
    match (instance.curve, instance.group) {
        (Curve::Bn254, Group::G1) => agree::<bn254::G1>(device, size),
        (Curve::Bn254, Group::G2) => agree::<bn254::G2>(device, size),
        (Curve::Bls12_381, Group::G1) => agree::<bls12_381::G1>(device, size),
        (Curve::Bls12_381, Group::G2) => agree::<bls12_381::G2>(device, size),
        (Curve::Bls12_377, Group::G1) => agree::<bls12_377::G1>(device, size),
        (Curve::Bls12_377, Group::G2) => agree::<bls12_377::G2>(device, size),
        _ => panic!("no card adds points of {instance}"),
    }
}

/// Every simulation that has an engine for this group, with multiplications as functions: the others take hours.
fn everywhere(instance: Instance, sizes: &[Size]) {
    on_each(support::offering(&Capability::Msm(instance)), instance, sizes);
}

/// A card for Groth16 has the same engines as those without transforms, and its MSMs are those of whole proofs and of
/// quotients: it is examined only where there is no other card of the group.
fn on_each(mut simulations: Vec<Simulation>, instance: Instance, sizes: &[Size]) {
    simulations.retain(|it| it.name.ends_with("_twin"));
    let is_for_proofs = |it: &Simulation| it.name.starts_with("groth16");
    if !simulations.iter().all(is_for_proofs) {
        simulations.retain(|it| !is_for_proofs(it));
    }
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
/// An addition in G2 takes three times the cycles.
const SIZES_IN_G2: [Size; 2] = [(2, 2), (100, 4)];

const fn g1(curve: Curve) -> Instance {
    Instance::new(curve, Group::G1)
}

const fn g2(curve: Curve) -> Instance {
    Instance::new(curve, Group::G2)
}

#[test]
fn bn254_on_a_card_is_bn254() {
    everywhere(g1(Curve::Bn254), &SIZES);
}

#[test]
fn g2_of_bn254_on_a_card_is_g2_of_bn254() {
    everywhere(g2(Curve::Bn254), &SIZES_IN_G2);
}

#[test]
fn bls12_381_on_a_card_is_bls12_381() {
    everywhere(g1(Curve::Bls12_381), &SIZES);
}

#[test]
fn g2_of_bls12_381_on_a_card_is_g2_of_bls12_381() {
    everywhere(g2(Curve::Bls12_381), &SIZES_IN_G2);
}

#[test]
fn bls12_377_on_a_card_is_bls12_377() {
    everywhere(g1(Curve::Bls12_377), &SIZES);
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn many_points_on_every_curve() {
    const FEW: [Size; 5] = [(1, ALL), (2, ALL), (3, ALL), (100, ALL), (250, ALL)];
    for curve in [Curve::Bn254, Curve::Bls12_381, Curve::Bls12_377] {
        everywhere(g1(curve), &[&FEW[..], &[(1 << 16, ALL)]].concat());
    }
    for curve in [Curve::Bn254, Curve::Bls12_381] {
        everywhere(g2(curve), &[&FEW[..], &[(1 << 14, ALL)]].concat());
    }
    let rare = g2(Curve::Bls12_377);
    on_each(support::offering_if_built(&Capability::Msm(rare)), rare, &FEW);
}
