//! `msm` through the device: multiples of the generator, whose sum is known by arithmetic in the scalar field alone.

use std::io::Write;
use std::sync::{Arc, Mutex};

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, vesta};
use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::msm::{Bases, Check, Instance, Progress, Request, Response, SCALAR_BYTES, Sums};
use proofmill_op::{Answer, Data, Device, Error, ResidentData, Result};

fn ask(device: &CpuDevice, request: Request) -> Result<Response> {
    match device.submit(request)?.wait()? {
        Answer::Msm(response) => Ok(response),
        other => panic!("an answer to another question: {other:?}"),
    }
}

fn sums(device: &CpuDevice, sums: Sums) -> Result<Vec<Vec<u8>>> {
    match ask(device, (sums))? {
        Response::Sums { points, .. } => Ok(points),
        other => panic!("an answer to another question: {other:?}"),
    }
}

fn load(device: &CpuDevice, bases: Bases) -> Result<ResidentData> {
    match ask(device, (bases))? {
        Response::ResidentData(parked) => Ok(parked),
        other => panic!("an answer to another question: {other:?}"),
    }
}

fn instance<C: Curve>() -> Instance {
    C::NAME.parse().unwrap()
}

/// G, 2 G, 3 G, ...
fn bases<C: Group<Base: Coordinate>>(count: usize) -> Vec<u8> {
    multiples::<C>(1, count).iter().flat_map(pair::encode).collect()
}

/// Scalars of all bits, and the sum that they make of G, 2 G, ...
fn scalars<C: Group<Base: Coordinate>>(count: usize, salt: u64) -> (Vec<u8>, Vec<u8>) {
    let mut k = C::Scalar::from(salt).square();
    let mut bytes = Vec::with_capacity(count * SCALAR_BYTES);
    let mut sum = C::Scalar::ZERO;
    for i in 1..=count as u64 {
        k = k.square() + C::Scalar::from(i);
        bytes.extend(k.to_le_bytes().as_ref());
        sum += k * C::Scalar::from(i);
    }
    let point = Projective::<C>::generator().times(&sum);
    (bytes, pair::encode(&Affine::from(point)))
}

/// In a room for so many times the points, the plan says how many multiples there are, and sums are the same.
fn examine_multiples<C: Group<Base: Coordinate>>() {
    let count = 500;
    let mut points = bases::<C>(count);
    let each = points.len() / count;
    points[7 * each..][..each].fill(0); // the identity
    let (mut list, _) = scalars::<C>(count, 13 << 40);
    list[9 * SCALAR_BYTES..][..2 * SCALAR_BYTES].fill(0);
    list[9 * SCALAR_BYTES] = 1;
    let here = Bases::new(instance::<C>(), points);
    for threads in [1, 3] {
        let device = CpuDevice::new(Some(threads)).unwrap();
        let plan = |room| match ask(
            &device,
            Request::Plan { instance: instance::<C>(), points: count, parked: true, room },
        ) {
            Ok(Response::Plan(plan)) => plan,
            other => panic!("no plan: {other:?}"),
        };
        let one = plan(0).parked;
        // All have digits, few have, none has.
        let mut few = list.clone();
        few[20 * SCALAR_BYTES..].fill(0);
        let mut ones = vec![0; list.len()];
        ones.iter_mut().step_by(SCALAR_BYTES).for_each(|byte| *byte = 1);
        let lists = [&list, &few, &ones];
        let sum = |bases: &Bases| {
            lists.map(|list| sums(&device, Request::new(bases.clone(), list.clone())).unwrap())
        };
        let expected = sum(&here);
        let mut numbers = Vec::new();
        for room in [0, one, 2 * one, 5 * one, 8 * one, 99 * one] {
            let plan = plan(room);
            assert!(plan.parked >= one && plan.parked <= room.max(one), "{plan:?}");
            numbers.push(plan.multiples);
            let parked = park(&device, here.clone().precomputed(room)).unwrap();
            let bases = Bases::parked(instance::<C>(), parked);
            assert_eq!(sum(&bases), expected);
        }
        assert!(numbers[..2] == [1, 1] && numbers.is_sorted() && numbers[5] > 2, "{numbers:?}");
        let few = problem(park(&device, here.clone().precomputed(one - 1)));
        assert_eq!(few, format!("room: {} bytes are too few: the points take {one}", one - 1));
    }
}

#[test]
fn precomputed_multiples_change_no_sum() {
    examine_multiples::<bn254::G1>();
    examine_multiples::<bls12_377::G2>();
}

#[test]
#[ignore = "a minute"]
fn precomputed_multiples_change_no_sum_in_any_group() {
    examine_multiples::<bn254::G2>();
    examine_multiples::<bls12_381::G1>();
    examine_multiples::<bls12_381::G2>();
    examine_multiples::<bls12_377::G1>();
    examine_multiples::<pallas::G1>();
    examine_multiples::<vesta::G1>();
}

fn examine<C: Group<Base: Coordinate>>() {
    let points = bases::<C>(1000);
    for threads in [1, 3, 64] {
        let device = CpuDevice::new(Some(threads)).unwrap();
        for count in [0, 1, 2, 3, 1000] {
            let some = points[..points.len() / 1000 * count].to_vec();
            let here = Bases::new(instance::<C>(), some).checked(Check::Subgroup);
            let (first, first_sum) = scalars::<C>(count, 3 << 40);
            let (second, second_sum) = scalars::<C>(count, 5 << 40);
            assert_eq!(
                sums(&device, Request::new(here.clone(), first.clone())).unwrap(),
                std::slice::from_ref(&first_sum)
            );
            let parked = Bases::parked(instance::<C>(), park(&device, here).unwrap());
            let both =
                Sums { bases: parked, scalars: vec![first.into(), second.into()], progress: None };
            assert_eq!(sums(&device, both).unwrap(), [first_sum, second_sum], "{count} {threads}");
        }
    }
}

#[test]
fn every_group_is_right_here_and_parked() {
    examine::<bn254::G1>();
    examine::<bn254::G2>();
    examine::<bls12_381::G1>();
    examine::<bls12_381::G2>();
    examine::<bls12_377::G1>();
    examine::<bls12_377::G2>();
    examine::<pallas::G1>();
    examine::<vesta::G1>();
}

/// Every third point is the identity, across the ends of what is read, cut and added at a time.
#[test]
fn identities_among_the_bases_count_for_nothing() {
    type C = bn254::G1;
    let count = (1 << 18) + 3000;
    let (mut points, mut scalars) = (bases::<C>(count), scalars::<C>(count, 11 << 40).0);
    for i in (0..count).step_by(3) {
        points[64 * i..64 * (i + 1)].fill(0);
    }
    let device = CpuDevice::new(Some(2)).unwrap();
    let here = Bases::new(instance::<C>(), points);
    let parked = Bases::parked(instance::<C>(), park(&device, here.clone()).unwrap());
    let found = sums(&device, Request::new(here.clone(), scalars.clone())).unwrap();
    assert_eq!(found, sums(&device, Request::new(parked, scalars.clone())).unwrap());
    for i in (0..count).step_by(3) {
        scalars[32 * i..32 * (i + 1)].fill(0);
    }
    let here = Bases::new(instance::<C>(), bases::<C>(count));
    assert_eq!(found, sums(&device, Request::new(here, scalars)).unwrap());
}

#[test]
fn more_points_than_a_chunk_are_right_without_vectors_too() {
    let count = (1 << 18) + 77;
    let here = Bases::new(instance::<bn254::G1>(), bases::<bn254::G1>(count));
    let (scalars, sum) = scalars::<bn254::G1>(count, 7 << 40);
    let best = CpuDevice::new(Some(2)).unwrap();
    assert_eq!(
        sums(&best, Request::new(here, scalars.clone())).unwrap(),
        std::slice::from_ref(&sum)
    );
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bases::<bn254::G1>(count)).unwrap();
    let streamed = Bases::streamed(instance::<bn254::G1>(), file.try_clone().unwrap());
    let one = Request::new(streamed.clone(), scalars.clone());
    assert_eq!(sums(&best, one).unwrap(), std::slice::from_ref(&sum));
    // SAFETY: the file is this test's own, and shortened only when the map is gone.
    let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
    let mapped = Bases::streamed(instance::<bn254::G1>(), map);
    assert_eq!(
        sums(&best, Request::new(mapped.clone(), scalars.clone())).unwrap(),
        std::slice::from_ref(&sum)
    );
    let parked = park(&best, mapped.checked(Check::Curve)).unwrap();
    let parked = Bases::parked(instance::<bn254::G1>(), parked);
    assert_eq!(sums(&best, Request::new(parked, scalars.clone())).unwrap(), [sum]);
    // A file of another length is refused.
    let sum_of_streamed = (Request::new(streamed, scalars));
    file.set_len(64 * count as u64 - 64).unwrap();
    assert!(problem(ask(&best, sum_of_streamed)).contains("scalars for 262220 points"));
    let (few, sum) = self::scalars::<bn254::G1>(500, 9 << 40);
    let portable = CpuDevice::with_isa(Some(2), Isa::words()).unwrap();
    let some = Bases::new(instance::<bn254::G1>(), bases::<bn254::G1>(500));
    assert_eq!(sums(&portable, Request::new(some, few)).unwrap(), [sum]);
}

fn problem<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    error.to_string()
}

#[test]
fn what_is_wrong_is_named() {
    let device = CpuDevice::new(Some(1)).unwrap();
    type C = bls12_381::G1;
    let g1 = instance::<C>();
    let points = bases::<C>(1500);
    let (good, _) = scalars::<C>(1500, 3);
    // A scalar.
    let mut bad = good.clone();
    bad[1234 * SCALAR_BYTES..][..SCALAR_BYTES].fill(0xff);
    let one = Request::new(Bases::new(g1, points.clone()), bad);
    let expected = "scalars: list 0: number 1234 is not below the order of the group";
    assert_eq!(problem(sums(&device, one)), expected);
    // The last one of the second list, which is r: before any sum.
    let mut list = good.clone();
    let last = list.len() - SCALAR_BYTES;
    let minus_one = -<C as Curve>::Scalar::ONE;
    list[last..].copy_from_slice(minus_one.to_le_bytes().as_ref());
    list[last] += 1;
    let two = Sums {
        scalars: vec![good.clone().into(), list.into()],
        progress: Some(Progress(Arc::new(|_| panic!("something ran")))),
        ..Request::new(Bases::new(g1, points.clone()), good.clone())
    };
    let expected = "scalars: list 1: number 1499 is not below the order of the group";
    assert_eq!(problem(sums(&device, two)), expected);
    // More points than can be.
    let plan = Request::Plan { instance: g1, points: usize::MAX, parked: true, room: 0 };
    assert!(problem(ask(&device, plan)).starts_with("points: 18446744073709551615 are more than"));
    // A coordinate.
    let mut large = points.clone();
    large[1100 * 96 + 48..][..48].fill(0xff);
    let found = problem(park(&device, Bases::new(g1, large)));
    assert_eq!(found, "bases: point 1100 is not a point: its y is not below the modulus");
    // A point off the curve.
    let mut off = points.clone();
    off[7 * 96] ^= 1;
    assert!(park(&device, Bases::new(g1, off.clone())).is_ok());
    let found = problem(park(&device, Bases::new(g1, off).checked(Check::Curve)));
    assert_eq!(found, "bases: point 7 is not on the curve");
    // A point of the curve outside the subgroup.
    let outside = (1..)
        .find_map(|x| {
            Option::<Affine<C>>::from(Affine::from_x(bls12_381::Fp::from(x)))
                .filter(|point| !bool::from(point.is_in_subgroup()))
        })
        .unwrap();
    let mut wrong = points.clone();
    wrong[9 * 96..][..96].copy_from_slice(&pair::encode(&outside));
    assert!(park(&device, Bases::new(g1, wrong.clone()).checked(Check::Curve)).is_ok());
    let found = problem(park(&device, Bases::new(g1, wrong).checked(Check::Subgroup)));
    assert_eq!(found, "bases: point 9 is on the curve but not in the subgroup");
    // Lengths, refused before anything runs.
    let short = Request::new(Bases::new(g1, points.clone()), good[SCALAR_BYTES..].to_vec());
    let refused = device.submit((short));
    assert_eq!(problem(refused), "scalars: list 0 has 1499 scalars for 1500 points");
}

#[test]
fn parked_points_are_for_their_group_and_device() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let g1 = instance::<bls12_381::G1>();
    let parked = park(&device, Bases::new(g1, bases::<bls12_381::G1>(4))).unwrap();
    let other_curve = Bases::parked(instance::<bls12_377::G1>(), parked.clone());
    let found = problem(sums(&device, Request::new(other_curve, vec![0; 4 * SCALAR_BYTES])));
    assert_eq!(found, "data: resident for msm (bls12_381_g1), not msm (bls12_377_g1)");
    // Of another size too, and no group has more checked points than were checked.
    let other_group = Bases::parked(instance::<bls12_381::G2>(), parked.clone());
    let found = problem(sums(&device, Request::new(other_group, vec![0; 4 * SCALAR_BYTES])));
    assert_eq!(found, "data: resident for msm (bls12_381_g1), not msm (bls12_381_g2)");
    let checked = Bases::parked(g1, parked.clone()).checked(Check::Subgroup);
    let found = problem(sums(&device, Request::new(checked, vec![0; 4 * SCALAR_BYTES])));
    assert_eq!(found, "bases: resident with Check::None, not Subgroup");
    let there = CpuDevice::new(Some(1)).unwrap();
    let elsewhere = Request::new(Bases::parked(g1, parked), vec![0; 4 * SCALAR_BYTES]);
    assert_eq!(problem(sums(&there, elsewhere)), "data: resident on another device");
    let bytes = device.load(Data::from(bases::<bls12_381::G1>(4))).unwrap();
    let as_bytes = Request::new(Bases::parked(g1, bytes), vec![0; 4 * SCALAR_BYTES]);
    assert!(problem(sums(&device, as_bytes)).contains("resident as bytes"));
}

#[test]
fn progress_is_told_and_cancelling_stops_it() {
    let device = CpuDevice::new(Some(2)).unwrap();
    let count = 20_000;
    let here = Bases::new(instance::<bn254::G1>(), bases::<bn254::G1>(count));
    let (scalars, _) = scalars::<bn254::G1>(count, 11);
    let told = Arc::new(Mutex::new(Vec::new()));
    let write = told.clone();
    let progress = Progress(Arc::new(move |part| write.lock().unwrap().push(part)));
    let sum = Sums { progress: Some(progress), ..Request::new(here, scalars) };
    sums(&device, sum.clone()).unwrap();
    let all = std::mem::take(&mut *told.lock().unwrap());
    assert!(all.len() > 4 && all.iter().all(|part| (0.0..=1.0).contains(part)), "{all:?}");
    assert_eq!(all.last(), Some(&1.0));

    // The first word of progress holds the work until the ticket is cancelled.
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let write = told.clone();
    let progress = Progress(Arc::new(move |part| {
        write.lock().unwrap().push(part);
        let _ended = held.lock().unwrap().recv();
    }));
    let stopped = Sums { progress: Some(progress), ..sum.clone() };
    let request = AnyRequest::from((stopped));
    let ticket = device.submit(request).unwrap();
    ticket.cancel();
    drop(release);
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    // The device goes on to work, and the cancelled sum was not finished.
    let plain = Sums { progress: None, ..sum };
    assert_eq!(sums(&device, plain).unwrap().len(), 1);
    assert!(told.lock().unwrap().len() <= 2, "{told:?}");
}
