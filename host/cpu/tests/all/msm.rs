//! `msm` through the device: multiples of the generator, whose MSM is known by arithmetic in the scalar field alone.

use std::io::{Seek as _, SeekFrom, Write as _};
use std::sync::{Arc, Mutex};

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254, pallas, vesta};
use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::msm::{Bases, Check, Instance, PlanRequest, Request, SCALAR_BYTES};
use proofmill_op::{Data, Device, Error, Progress, ResidentData, Result, Submit};

fn msm(device: &CpuDevice, request: Request) -> Result<Vec<Vec<u8>>> {
    Ok(device.submit(request)?.wait()?.points)
}

fn load(device: &CpuDevice, bases: Bases) -> Result<ResidentData> {
    device.submit(bases)?.wait()
}

fn instance<C: Curve>() -> Instance {
    C::NAME.parse().unwrap()
}

/// G, 2 G, 3 G, ...
fn bases<C: Group<Base: Coordinate>>(count: usize) -> Vec<u8> {
    multiples::<C>(1, count).iter().flat_map(pair::encode).collect()
}

/// Scalars of all bits, and the result of their MSM over G, 2 G, ...
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

/// Whatever the memory limit for multiples: the plan has their number, and results are the same.
fn examine_multiples<C: Group<Base: Coordinate>>() {
    let count = 500;
    let mut points = bases::<C>(count);
    let each = points.len() / count;
    points[7 * each..][..each].fill(0); // the identity
    let (mut list, _) = scalars::<C>(count, 13 << 40);
    list[9 * SCALAR_BYTES..][..2 * SCALAR_BYTES].fill(0);
    list[9 * SCALAR_BYTES] = 1;
    let host = Bases::new(instance::<C>(), points);
    for threads in [1, 3] {
        let device = CpuDevice::new(Some(threads)).unwrap();
        let plan = |max_bytes| {
            let instance = instance::<C>();
            let request = PlanRequest { instance, points: count, resident: true, max_bytes };
            device.submit(request).unwrap().wait().unwrap()
        };
        let one = plan(0).resident;
        // All have digits, few have, none has.
        let mut few = list.clone();
        few[20 * SCALAR_BYTES..].fill(0);
        let mut ones = vec![0; list.len()];
        ones.iter_mut().step_by(SCALAR_BYTES).for_each(|byte| *byte = 1);
        let lists = [&list, &few, &ones];
        let results = |bases: &Bases| {
            lists.map(|list| msm(&device, Request::new(bases.clone(), list.clone())).unwrap())
        };
        let expected = results(&host);
        let mut numbers = Vec::new();
        for limit in [0, one, 2 * one, 5 * one, 8 * one, 99 * one] {
            let plan = plan(limit);
            assert!(plan.resident >= one && plan.resident <= limit.max(one), "{plan:?}");
            numbers.push(plan.multiples);
            let resident = load(&device, host.clone().precomputed(limit)).unwrap();
            let bases = Bases::resident(instance::<C>(), resident);
            assert_eq!(results(&bases), expected);
        }
        assert!(numbers[..2] == [1, 1] && numbers.is_sorted() && numbers[5] > 2, "{numbers:?}");
        let few = problem(load(&device, host.clone().precomputed(one - 1)));
        assert_eq!(few, format!("max_bytes: {} bytes are too few: the points take {one}", one - 1));
    }
}

#[test]
fn precomputed_multiples_change_no_result() {
    examine_multiples::<bn254::G1>();
    examine_multiples::<bls12_377::G2>();
}

#[test]
#[ignore = "a minute"]
fn precomputed_multiples_change_no_result_in_any_group() {
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
        for count in [0, 1, 3, 32, 40, 41, 1000] {
            let some = points[..points.len() / 1000 * count].to_vec();
            let host = Bases::new(instance::<C>(), some);
            let (first, first_point) = scalars::<C>(count, 3 << 40);
            let (second, second_point) = scalars::<C>(count, 5 << 40);
            assert_eq!(
                msm(&device, Request::new(host.clone(), first.clone())).unwrap(),
                std::slice::from_ref(&first_point)
            );
            let resident = Bases::resident(instance::<C>(), load(&device, host).unwrap());
            let both = Request::batch(resident, [first, second]);
            assert_eq!(
                msm(&device, both).unwrap(),
                [first_point, second_point],
                "{count} {threads}"
            );
        }
    }
}

#[test]
fn every_group_is_right_on_the_host_and_resident() {
    examine::<bn254::G1>();
    examine::<bn254::G2>();
    examine::<bls12_381::G1>();
    examine::<bls12_381::G2>();
    examine::<bls12_377::G1>();
    examine::<bls12_377::G2>();
    examine::<pallas::G1>();
    examine::<vesta::G1>();
}

/// Few points, which are added without buckets: equal, opposite, the identity, with scalars at the ends of their range.
fn examine_few<C: Group<Base: Coordinate>>() {
    let (one, five) = (C::Scalar::ONE, C::Scalar::from(5));
    let factors = [one, one, -one, C::Scalar::ZERO, five, -five, five];
    let points = factors.map(|factor| Affine::from(Projective::<C>::generator().times(&factor)));
    let bytes: Vec<u8> = points.iter().flat_map(pair::encode).collect();
    let edges = [C::Scalar::ZERO, one, -one, five.invert().unwrap(), C::SPLIT.lambda];
    let host = Bases::new(instance::<C>(), bytes);
    let device = CpuDevice::new(Some(1)).unwrap();
    let with_multiples = load(&device, host.clone().precomputed(1 << 16)).unwrap();
    for bases in [host, Bases::resident(instance::<C>(), with_multiples)] {
        let (mut lists, mut expected) = (Vec::new(), Vec::new());
        for first in edges {
            for others in edges {
                let scalars =
                    factors.iter().enumerate().map(|(i, _)| if i == 0 { first } else { others });
                let list: Vec<_> = scalars.collect();
                let sum =
                    factors.iter().zip(&list).fold(C::Scalar::ZERO, |sum, (f, k)| sum + *f * k);
                expected
                    .push(pair::encode(&Affine::from(Projective::<C>::generator().times(&sum))));
                let bytes = list.iter().flat_map(|k| {
                    let mut bytes = k.to_le_bytes().as_ref().to_vec();
                    bytes.resize(SCALAR_BYTES, 0);
                    bytes
                });
                lists.push(bytes.collect::<Vec<u8>>());
            }
        }
        let reports = Arc::new(Mutex::new(Vec::new()));
        let write = reports.clone();
        let progress = Progress(Arc::new(move |part| write.lock().unwrap().push(part)));
        let request = Request::batch(bases.clone(), lists.clone());
        let request = Request { progress: Some(progress), ..request };
        assert_eq!(msm(&device, request).unwrap(), expected);
        assert_eq!(reports.lock().unwrap().len(), lists.len());
        assert_eq!(reports.lock().unwrap().last(), Some(&1.0));
        lists[3][..SCALAR_BYTES].fill(0xff);
        let refused = problem(msm(&device, Request::batch(bases, lists)));
        assert!(refused.contains("list 3: number 0 is not below the order"), "{refused}");
    }
}

#[test]
fn few_points_of_all_kinds_are_added() {
    examine_few::<bn254::G1>();
    examine_few::<bls12_381::G2>();
    examine_few::<bls12_377::G1>();
    examine_few::<vesta::G1>();
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
    let host = Bases::new(instance::<C>(), points);
    let resident = Bases::resident(instance::<C>(), load(&device, host.clone()).unwrap());
    let found = msm(&device, Request::new(host.clone(), scalars.clone())).unwrap();
    assert_eq!(found, msm(&device, Request::new(resident, scalars.clone())).unwrap());
    for i in (0..count).step_by(3) {
        scalars[32 * i..32 * (i + 1)].fill(0);
    }
    let host = Bases::new(instance::<C>(), bases::<C>(count));
    assert_eq!(found, msm(&device, Request::new(host, scalars)).unwrap());
}

#[test]
fn more_points_than_a_chunk_are_right_without_vectors_too() {
    let count = (1 << 18) + 77;
    let host = Bases::new(instance::<bn254::G1>(), bases::<bn254::G1>(count));
    let (scalars, sum) = scalars::<bn254::G1>(count, 7 << 40);
    let best = CpuDevice::new(Some(2)).unwrap();
    assert_eq!(
        msm(&best, Request::new(host, scalars.clone())).unwrap(),
        std::slice::from_ref(&sum)
    );
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&bases::<bn254::G1>(count)).unwrap();
    let streamed = Bases::streamed(instance::<bn254::G1>(), file.try_clone().unwrap());
    let one = Request::new(streamed.clone(), scalars.clone());
    assert_eq!(msm(&best, one).unwrap(), std::slice::from_ref(&sum));
    // SAFETY: the file is this test's own, and shortened only when the map is gone.
    let map = unsafe { memmap2::Mmap::map(&file) }.unwrap();
    let mapped = Bases::streamed(instance::<bn254::G1>(), map);
    assert_eq!(
        msm(&best, Request::new(mapped.clone(), scalars.clone())).unwrap(),
        std::slice::from_ref(&sum)
    );
    // Another program writes into the mapped file.
    let at = (1 << 18) + 5;
    let mut write = |bytes: &[u8]| {
        file.seek(SeekFrom::Start(64 * at)).unwrap();
        file.write_all(bytes).unwrap();
    };
    write(&[0xff; 64]);
    let changed = Request::new(mapped.clone(), scalars.clone());
    assert!(problem(msm(&best, changed)).contains(&format!("bases: point {at} is ")));
    write(&bases::<bn254::G1>(count)[64 * at as usize..][..64]);
    let resident = load(&best, mapped.checked(Check::Curve)).unwrap();
    let resident = Bases::resident(instance::<bn254::G1>(), resident);
    assert_eq!(msm(&best, Request::new(resident, scalars.clone())).unwrap(), [sum]);
    // A file of another length is refused.
    let over_the_stream = Request::new(streamed, scalars);
    file.set_len(64 * count as u64 - 64).unwrap();
    assert!(problem(msm(&best, over_the_stream)).contains("scalars for 262220 points"));
    let (few, sum) = self::scalars::<bn254::G1>(500, 9 << 40);
    let portable = CpuDevice::with_isa(Some(2), Isa::words()).unwrap();
    let some = Bases::new(instance::<bn254::G1>(), bases::<bn254::G1>(500));
    assert_eq!(msm(&portable, Request::new(some, few)).unwrap(), [sum]);
}

fn problem<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    error.to_string()
}

#[test]
fn wrong_arguments_are_named() {
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
    assert_eq!(problem(msm(&device, one)), expected);
    // The last one of the second list, which is r: before any MSM starts.
    let mut list = good.clone();
    let last = list.len() - SCALAR_BYTES;
    let minus_one = -<C as Curve>::Scalar::ONE;
    list[last..].copy_from_slice(minus_one.to_le_bytes().as_ref());
    list[last] += 1;
    let two = Request {
        scalars: vec![good.clone().into(), list.into()],
        progress: Some(Progress(Arc::new(|_| panic!("an MSM started")))),
        ..Request::new(Bases::new(g1, points.clone()), good.clone())
    };
    let expected = "scalars: list 1: number 1499 is not below the order of the group";
    assert_eq!(problem(msm(&device, two)), expected);
    // More points than can be.
    let plan = PlanRequest { instance: g1, points: usize::MAX, resident: true, max_bytes: 0 };
    let found = problem(device.submit(plan));
    assert!(found.starts_with("points: 18446744073709551615 are more than"), "{found}");
    // A coordinate.
    let mut large = points.clone();
    large[1100 * 96 + 48..][..48].fill(0xff);
    let found = problem(load(&device, Bases::new(g1, large)));
    assert_eq!(found, "bases: point 1100 is not a point: its y is not below the modulus");
    // A point off the curve.
    let mut off = points.clone();
    off[7 * 96] ^= 1;
    assert!(load(&device, Bases::new(g1, off.clone()).unchecked()).is_ok());
    let found = problem(load(&device, Bases::new(g1, off).checked(Check::Curve)));
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
    assert!(load(&device, Bases::new(g1, wrong.clone()).checked(Check::Curve)).is_ok());
    let found = problem(load(&device, Bases::new(g1, wrong)));
    assert_eq!(found, "bases: point 9 is on the curve but not in the subgroup");
    // Lengths, refused before anything runs.
    let short = Request::new(Bases::new(g1, points.clone()), good[SCALAR_BYTES..].to_vec());
    let refused = device.submit(short);
    assert_eq!(problem(refused), "scalars: list 0 has 1499 scalars for 1500 points");
}

#[test]
fn resident_points_are_for_their_group_and_device() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let g1 = instance::<bls12_381::G1>();
    let host = Bases::new(g1, bases::<bls12_381::G1>(4)).unchecked();
    let resident = load(&device, host).unwrap();
    let other_curve = Bases::resident(instance::<bls12_377::G1>(), resident.clone());
    let found = problem(msm(&device, Request::new(other_curve, vec![0; 4 * SCALAR_BYTES])));
    assert_eq!(found, "data: resident for msm (bls12_381_g1), not msm (bls12_377_g1)");
    // Of another size too, and no group has more checked points than were checked.
    let other_group = Bases::resident(instance::<bls12_381::G2>(), resident.clone());
    let found = problem(msm(&device, Request::new(other_group, vec![0; 4 * SCALAR_BYTES])));
    assert_eq!(found, "data: resident for msm (bls12_381_g1), not msm (bls12_381_g2)");
    let checked = Bases::resident(g1, resident.clone()).checked(Check::Subgroup);
    let found = problem(msm(&device, Request::new(checked, vec![0; 4 * SCALAR_BYTES])));
    assert_eq!(found, "bases: loaded with the check 'none', not 'subgroup'");
    let other = CpuDevice::new(Some(1)).unwrap();
    let elsewhere = Request::new(Bases::resident(g1, resident), vec![0; 4 * SCALAR_BYTES]);
    assert_eq!(problem(msm(&other, elsewhere)), "data: resident on another device");
    let bytes = device.load(Data::from(bases::<bls12_381::G1>(4))).unwrap();
    let as_bytes = Request::new(Bases::resident(g1, bytes), vec![0; 4 * SCALAR_BYTES]);
    assert!(problem(msm(&device, as_bytes)).contains("resident as bytes"));
}

#[test]
fn progress_is_reported_and_cancellation_stops_the_msm() {
    let device = CpuDevice::new(Some(2)).unwrap();
    let count = 20_000;
    let host = Bases::new(instance::<bn254::G1>(), bases::<bn254::G1>(count));
    let (scalars, _) = scalars::<bn254::G1>(count, 11);
    let reports = Arc::new(Mutex::new(Vec::new()));
    let write = reports.clone();
    let progress = Progress(Arc::new(move |part| write.lock().unwrap().push(part)));
    let request = Request { progress: Some(progress), ..Request::new(host, scalars) };
    msm(&device, request.clone()).unwrap();
    let all = std::mem::take(&mut *reports.lock().unwrap());
    assert!(all.len() > 4 && all.iter().all(|part| (0.0..=1.0).contains(part)), "{all:?}");
    assert_eq!(all.last(), Some(&1.0));

    // The first progress report holds the work until the ticket is cancelled.
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = Mutex::new(held);
    let write = reports.clone();
    let progress = Progress(Arc::new(move |part| {
        write.lock().unwrap().push(part);
        let _ended = held.lock().unwrap().recv();
    }));
    let stopped = Request { progress: Some(progress), ..request.clone() };
    let ticket = device.submit(stopped).unwrap();
    ticket.cancel();
    drop(release);
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
    // The device continues, and the cancelled MSM was not finished.
    let plain = Request { progress: None, ..request };
    assert_eq!(msm(&device, plain).unwrap().len(), 1);
    assert!(reports.lock().unwrap().len() <= 2, "{reports:?}");
}
