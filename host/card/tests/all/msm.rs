//! `msm` on a software model of the card: points in its memory, lists of scalars, wrong arguments, and faulty cards.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofmill_algebra::curve::{Affine, Curve, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use proofmill_card::{Card, Options};
use proofmill_op::msm::{
    self, Bases, Check, Instance, MAX_POINTS, Plan, PlanRequest, Request, Response, SCALAR_BYTES,
    Stream,
};
use proofmill_op::{
    Data, Device, DeviceKind, Error, Progress, RequestOf, ResidentData, ResponseOf, Result,
    SecretBytes, Submit, Ticket,
};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{Log, MsmGeometry, Order, SoftCard, SoftEngine, first_byte};

const BN254: MsmGeometry = MsmGeometry::new(msm::Curve::Bn254);
const BN254_G2: MsmGeometry = BN254.in_g2();
const BLS12_381: MsmGeometry = MsmGeometry::new(msm::Curve::Bls12_381);
const BLS12_381_G2: MsmGeometry = BLS12_381.in_g2();
const BLS12_377: MsmGeometry = MsmGeometry::new(msm::Curve::Bls12_377);

/// A time limit that no test reaches unless it hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn soft(geometry: MsmGeometry) -> SoftCard {
    SoftCard::new(&[SoftEngine::msm(geometry, 6)], first_byte())
}

fn options() -> Options {
    Options::new("soft:", DeviceKind::Card)
}

fn open(card: SoftCard) -> Card {
    Card::open(Box::new(card), options()).unwrap()
}

fn end<T>(ticket: Ticket<T>) -> Result<T> {
    let response = ticket.wait_timeout(Duration::from_secs(60));
    response.unwrap_or_else(|_| panic!("a ticket hangs"))
}

fn execute<R: RequestOf>(card: &Card, request: R) -> Result<ResponseOf<R>> {
    card.submit(request).and_then(end)
}

fn load(card: &Card, bases: Bases) -> Result<Bases> {
    let instance = bases.instance;
    Ok(Bases::resident(instance, execute(card, bases)?))
}

fn msms(card: &Card, bases: Bases, scalars: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let lists = scalars.len();
    let Response { points, cycles, .. } =
        execute(card, Request::batch(bases, scalars.iter().cloned()))?;
    assert_eq!(cycles.map(|cycles| cycles.len()), Some(lists));
    Ok(points)
}

fn problem<T: std::fmt::Debug>(result: Result<T>) -> String {
    let error = result.unwrap_err();
    assert!(matches!(error, Error::Argument { .. }), "{error}");
    error.to_string()
}

fn instance<C: Curve>() -> Instance {
    C::NAME.parse().unwrap()
}

/// Points of which it is known which multiples of the generator they are: among them the identity, equal and opposite
/// ones.
fn bases<C: Group<Base: Coordinate>>(count: usize) -> (Vec<C::Scalar>, Vec<u8>) {
    let number = |i: usize| match i % 7 {
        3 => C::Scalar::ZERO,
        4 => C::Scalar::from(1),
        5 => -C::Scalar::from(1),
        _ => C::Scalar::from(1 + i as u64 / 2),
    };
    let multiples = multiples::<C>(1, count.max(2));
    let point = |i: usize| match i % 7 {
        3 => Affine::IDENTITY,
        4 => multiples[0],
        5 => -multiples[0],
        _ => multiples[i / 2],
    };
    let points = (0..count).flat_map(|i| pair::encode::<C>(&point(i))).collect();
    ((0..count).map(number).collect(), points)
}

/// Scalars of all kinds, and the sum that they make of these multiples of the generator.
fn scalars<C: Group<Base: Coordinate>>(numbers: &[C::Scalar], salt: u64) -> (Vec<u8>, Vec<u8>) {
    let mut random = C::Scalar::from(salt).square();
    let (mut bytes, mut sum) = (Vec::new(), C::Scalar::ZERO);
    for (i, number) in (salt..).zip(numbers) {
        random = random.square() + C::Scalar::from(i);
        let k = match i % 5 {
            0 => C::Scalar::ZERO,
            1 => C::Scalar::ONE,
            2 => -C::Scalar::ONE,
            _ => random,
        };
        bytes.extend(k.to_le_bytes().as_ref());
        sum += k * number;
    }
    let point = Projective::<C>::generator().times(&sum);
    (bytes, pair::encode(&Affine::from(point)))
}

fn log_of(card: &Arc<Mutex<Log>>) -> Log {
    card.lock().unwrap().clone()
}

fn examine<C: Group<Base: Coordinate>>(geometry: MsmGeometry) {
    for order in [Order::InOrder, Order::Shuffled(Random::new(4))] {
        let soft = soft(geometry).with_order(order);
        let log = soft.log();
        let card = open(soft);
        for count in [0, 1, 2, 3, 100] {
            let (numbers, points) = bases::<C>(count);
            let lists: Vec<_> = (0..4).map(|i| scalars::<C>(&numbers, 3 + i)).collect();
            let (scalars, wanted): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
            let host = Bases::new(instance::<C>(), points.clone());
            assert_eq!(msms(&card, host.clone(), &scalars[..1]).unwrap(), wanted[..1], "{count}");
            let secret = SecretBytes::copy_of(&scalars[0]);
            let secret = execute(&card, Request::new(host.clone(), secret)).unwrap();
            assert_eq!(secret.points, wanted[..1], "{count} secret");
            assert!(msms(&card, host.clone(), &[]).unwrap().is_empty());
            let resident = load(&card, host).unwrap();
            let found = msms(&card, resident.clone(), &scalars).unwrap();
            assert_eq!(found, wanted, "{count} resident");
            let streamed = Bases::streamed(instance::<C>(), points);
            assert_eq!(msms(&card, streamed, &scalars).unwrap(), wanted, "{count} streamed");
            assert_eq!(
                msms(&card, resident, &scalars[2..]).unwrap(),
                wanted[2..],
                "still resident"
            );
        }
        let log = log_of(&log);
        assert_eq!((log.overruns, log.writes), (0, 0));
        assert!(log.max_outstanding > 4, "the queue was hardly used: {}", log.max_outstanding);
    }
}

#[test]
fn msms_over_host_resident_and_streamed_bases_are_right() {
    examine::<bn254::G1>(BN254);
    examine::<bn254::G2>(BN254_G2);
    examine::<bls12_381::G1>(BLS12_381);
    examine::<bls12_381::G2>(BLS12_381_G2);
    examine::<bls12_377::G1>(BLS12_377);
    examine::<bls12_377::G2>(BLS12_377.in_g2());
}

/// Requests for both groups are in the card at the same time.
#[test]
fn a_card_with_engines_for_both_groups_has_a_memory_for_each() {
    for order in [Order::InOrder, Order::Shuffled(Random::new(8))] {
        let engines = [SoftEngine::msm(BN254, 3), SoftEngine::msm(BN254_G2, 4)];
        let card = open(SoftCard::new(&engines, first_byte()).with_order(order));
        let (numbers, points) = bases::<bn254::G1>(60);
        let one = load(&card, Bases::new(instance::<bn254::G1>(), points)).unwrap();
        let (_, points) = bases::<bn254::G2>(60);
        let two = load(&card, Bases::new(instance::<bn254::G2>(), points)).unwrap();
        let (list, wanted_1) = scalars::<bn254::G1>(&numbers, 7);
        let (same, wanted_2) = scalars::<bn254::G2>(&numbers, 7);
        assert_eq!(list, same);
        let submit = |bases: &Bases| {
            let lists = vec![list.clone(); 3];
            (0..4)
                .map(|_| card.submit(Request::batch(bases.clone(), lists.clone())).unwrap())
                .collect()
        };
        let tickets: [Vec<_>; 2] = [submit(&one), submit(&two)];
        for (tickets, wanted) in tickets.into_iter().zip([wanted_1, wanted_2]) {
            for ticket in tickets {
                assert_eq!(end(ticket).unwrap().points, vec![wanted.clone(); 3]);
            }
        }
        let other = Bases { instance: instance::<bn254::G1>(), ..two };
        let error = problem(execute(&card, Request::new(other, list)));
        assert_eq!(error, "data: resident for msm (bn254_g2), not msm (bn254_g1)");
    }
}

#[test]
fn a_group_that_the_card_does_not_have_is_unsupported() {
    let card = open(soft(BN254));
    for instance in [instance::<bn254::G2>(), instance::<bls12_377::G2>()] {
        let error = execute(&card, plan_request(instance, 1, true)).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        let bases = Bases::new(instance, vec![0; instance.point_bytes()]);
        let error = execute(&card, Request::new(bases, vec![0; SCALAR_BYTES])).unwrap_err();
        let problem = format!("msm ({instance}); it offers msm (bn254_g1)");
        assert!(error.to_string().contains(&problem), "{error}");
    }
}

#[test]
fn a_stream_larger_than_the_memory_is_processed_in_chunks() {
    // The memory holds 4096 points, so chunks are of 2048.
    let card = open(soft(MsmGeometry { memory: 1 << 18, ..BN254 }));
    let (numbers, points) = bases::<bn254::G1>(5000);
    let host = Bases::new(instance::<bn254::G1>(), points.clone());
    assert!(problem(load(&card, host)).contains("5000 points, where the card's memory holds 4096"));
    let (list, wanted) = scalars::<bn254::G1>(&numbers, 11);
    let reported = Arc::new(Mutex::new(Vec::new()));
    let progress = Progress::new({
        let reported = reported.clone();
        move |part| reported.lock().unwrap().push(part)
    });
    let streamed = Bases::streamed(instance::<bn254::G1>(), points.clone());
    let mut request = Request::new(streamed, list.clone());
    request.progress = Some(progress);
    let response = execute(&card, request).unwrap();
    assert_eq!(response.points, [wanted]);
    // The cycles of the chunks are added.
    assert_eq!(response.cycles.unwrap()[0].tail, 3 * 2000);
    assert_eq!(*reported.lock().unwrap(), [1.0 / 3.0, 2.0 / 3.0, 1.0]);
    let short = Bases::streamed(instance::<bn254::G1>(), Short(points));
    let error = msms(&card, short, &[list]).unwrap_err();
    assert!(error.to_string().starts_with("bases: points 2048 to 3072: "), "{error}");
    // Streamed bases that fit the memory can be resident.
    let streamed = Bases::streamed(instance::<bn254::G1>(), bases::<bn254::G1>(4000).1);
    let resident = load(&card, streamed).unwrap();
    let (list, wanted) = scalars::<bn254::G1>(&numbers[..4000], 12);
    assert_eq!(msms(&card, resident, &[list]).unwrap(), [wanted]);
}

#[test]
fn a_point_of_g2_takes_twice_the_memory() {
    // The memory holds 2048 points, so chunks are of 1024.
    let card = open(soft(MsmGeometry { memory: 1 << 18, ..BN254_G2 }));
    let (numbers, points) = bases::<bn254::G2>(2200);
    let g2 = instance::<bn254::G2>();
    let host = Bases::new(g2, points.clone()).unchecked();
    assert!(problem(load(&card, host)).contains("2200 points, where the card's memory holds 2048"));
    let (list, wanted) = scalars::<bn254::G2>(&numbers, 11);
    let streamed = Bases::streamed(g2, points).unchecked();
    let response = execute(&card, Request::new(streamed, list)).unwrap();
    assert_eq!(response.points, [wanted]);
    assert_eq!(response.cycles.unwrap()[0].tail, 3 * 2000);
    let Plan { resident, .. } = execute(&card, plan_request(g2, 1000, true)).unwrap();
    assert_eq!(resident, 125 * 1024);
}

#[test]
fn the_least_memory_takes_a_stream_in_chunks_of_a_granule() {
    least_memory::<bn254::G1>(BN254);
    least_memory::<bn254::G2>(BN254_G2);
}

fn least_memory<C: Group<Base: Coordinate>>(geometry: MsmGeometry) {
    let card = open(soft(MsmGeometry { memory: 2048, ..geometry }));
    let (numbers, points) = bases::<C>(77);
    let (list, wanted) = scalars::<C>(&numbers, 13);
    let streamed = Bases::streamed(instance::<C>(), points);
    assert_eq!(msms(&card, streamed, &[list]).unwrap(), [wanted]);
}

/// A file with a place that cannot be read.
#[derive(Debug)]
struct Short(Vec<u8>);

impl Stream for Short {
    fn bytes(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        if offset == 2048 * 64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        buffer.copy_from_slice(&self.0[offset as usize..][..buffer.len()]);
        Ok(())
    }
}

#[test]
fn resident_points_keep_their_place_until_they_are_dropped() {
    let card = open(soft(MsmGeometry { memory: 1 << 18, ..BN254 }));
    type C = bn254::G1;
    let (numbers, points) = bases::<C>(1500);
    let some = || Bases::new(instance::<C>(), points.clone());
    let [first, second] = [load(&card, some()).unwrap(), load(&card, some()).unwrap()];
    let full = problem(load(&card, some()));
    assert!(full.ends_with("1500 points, where the card's memory holds 1088"), "{full}");
    let (list, wanted) = scalars::<C>(&numbers, 5);
    // A request keeps its points.
    let pending = card.submit(Request::new(second.clone(), list.clone())).unwrap();
    drop(second);
    let (other_numbers, other_points) = bases::<C>(1000);
    let third = load(&card, Bases::new(instance::<C>(), other_points)).unwrap();
    assert_eq!(end(pending).unwrap().points, std::slice::from_ref(&wanted));
    let (other_list, other_wanted) = scalars::<C>(&other_numbers, 6);
    assert_eq!(msms(&card, third, &[other_list]).unwrap(), [other_wanted]);
    assert_eq!(msms(&card, first, &[list]).unwrap(), [wanted]);
    load(&card, Bases::new(instance::<C>(), [&points[..], &points].concat())).unwrap();
}

#[test]
fn wrong_arguments_are_named_before_anything_is_sent() {
    type C = bls12_381::G1;
    let soft = soft(BLS12_381);
    let log = soft.log();
    let card = open(soft);
    let g1 = instance::<C>();
    let (numbers, points) = bases::<C>(30);
    let (list, _) = scalars::<C>(&numbers, 7);
    let before = log_of(&log).packets;
    let msm_problem = |points: &[u8], list: &[u8], check| {
        let bases = Bases::new(g1, points).checked(check);
        problem(execute(&card, Request::new(bases, list)))
    };
    let load_problem =
        |points: &[u8], check| problem(load(&card, Bases::new(g1, points).checked(check)));

    assert_eq!(
        msm_problem(&points, &list[32..], Check::None),
        "scalars: list 0 has 29 scalars for 30 points"
    );
    assert!(msm_problem(&points[1..], &list, Check::None).starts_with("bases: 2879 bytes are not"));
    assert!(
        msm_problem(&points, &list[1..], Check::None).starts_with("scalars: 959 bytes are not")
    );
    assert!(load_problem(&points[1..], Check::None).starts_with("bases: 2879 bytes are not"));

    let mut large = list.clone();
    large[32 * 9..32 * 10].fill(0xff);
    let problem_9 = "scalars: list 0: number 9 is not below the order of the group";
    assert_eq!(msm_problem(&points, &large, Check::None), problem_9);

    let mut off = points.clone();
    off[96 * 2 + 48] ^= 1;
    assert_eq!(load_problem(&off, Check::Curve), "bases: point 2 is not on the curve");
    assert_eq!(msm_problem(&off, &list, Check::Subgroup), "bases: point 2 is not on the curve");
    off[96 * 2..96 * 2 + 48].fill(0xff);
    assert_eq!(
        load_problem(&off, Check::None),
        "bases: point 2 is not a point: its x is not below the modulus"
    );

    let outside = (0u64..).find_map(|x| {
        let point: Option<Affine<C>> = Affine::from_x(bls12_381::Fp::from(x)).into();
        point.filter(|point| !bool::from(point.is_in_subgroup()))
    });
    let mut foreign = points.clone();
    foreign[96 * 4..96 * 5].copy_from_slice(&pair::encode(&outside.unwrap()));
    assert_eq!(
        load_problem(&foreign, Check::Subgroup),
        "bases: point 4 is on the curve but not in the subgroup"
    );

    let many = plan_request(g1, MAX_POINTS as usize + 1, true);
    assert!(problem(execute(&card, many)).starts_with("points: "));
    assert_eq!(log_of(&log).packets, before, "nothing was sent");

    // Handles of another device, another curve, another form, another check.
    let resident = load(&card, Bases::new(g1, points.clone()).checked(Check::Curve)).unwrap();
    let msm_of = |bases: Bases| problem(execute(&card, Request::new(bases, &list[..])));
    let msm::Points::Data(Data::Resident(handle)) = resident.clone().points else {
        panic!("not resident")
    };
    assert_eq!(
        msm_of(resident.clone().checked(Check::Subgroup)),
        "bases: loaded with the check 'curve', not 'subgroup'"
    );
    // Without a check the caller trusts what was loaded.
    for check in [Check::Curve, Check::None] {
        msms(&card, resident.clone().checked(check), std::slice::from_ref(&list)).unwrap();
    }
    let raw = card.load(points.clone().into()).unwrap();
    assert!(msm_of(Bases::resident(g1, raw)).contains("resident as bytes"));
    let elsewhere = ResidentData::new(ResidentData::fresh_identity(), points.into());
    assert_eq!(msm_of(Bases::resident(g1, elsewhere)), "data: resident on another device");
    let other = Card::open(Box::new(self::soft(BLS12_381)), options()).unwrap();
    let on_other = Request::new(Bases::resident(g1, handle), &list[..]);
    assert_eq!(problem(execute(&other, on_other)), "data: resident on another device");
    let two = [SoftEngine::msm(BN254, 4), SoftEngine::msm(BLS12_381, 4)];
    let two = open(SoftCard::new(&two, first_byte()));
    let (_, points) = bases::<C>(3);
    let resident = load(&two, Bases::new(g1, points)).unwrap();
    let other_curve = Bases { instance: instance::<bn254::G1>(), ..resident };
    let error = problem(execute(&two, Request::new(other_curve, vec![0; 96])));
    assert_eq!(error, "data: resident for msm (bls12_381_g1), not msm (bn254_g1)");
}

fn plan_request(instance: Instance, points: usize, resident: bool) -> PlanRequest {
    PlanRequest { instance, points, resident, max_bytes: 0 }
}

#[test]
fn points_of_order_2_are_added() {
    type C = bls12_377::G1;
    let card = open(soft(BLS12_377));
    let order_2 = Affine::<C>::new(-bls12_377::Fp::ONE, Field::ZERO).unwrap();
    let bases = Bases::new(instance::<C>(), pair::encode(&order_2)).checked(Check::Curve);
    let scalar = |k: u8| {
        let mut bytes = vec![0; SCALAR_BYTES];
        bytes[0] = k;
        bytes
    };
    let wanted = [vec![0; 96], pair::encode(&order_2)];
    assert_eq!(msms(&card, bases, &[scalar(2), scalar(3)]).unwrap(), wanted);
}

#[test]
fn plans_follow_the_registers() {
    let plan = |card: &Card, points, resident| {
        execute(card, plan_request(instance::<bn254::G1>(), points, resident)).unwrap()
    };
    let card = open(soft(MsmGeometry { memory: 1 << 34, ..BN254 }));
    let bits: Vec<_> =
        [0, 1, 100, 1 << 10, 1 << 16, 1 << 22].map(|n| plan(&card, n, true).window_bits).into();
    assert!(bits.is_sorted() && bits[0] < 8 && bits[5] == 16, "{bits:?}");
    let Plan { windows, memory, resident, .. } = plan(&card, 1 << 22, true);
    assert_eq!((windows, memory, resident), (16, 0, 1 << 28));
    assert_eq!(plan(&card, 1 << 22, false).memory, (1 << 28) + (1 << 21) * 64);
}

#[test]
fn a_cancelled_msm_is_cancelled_in_the_card() {
    type C = bn254::G1;
    let soft = soft(BN254);
    let log = soft.log();
    let held = Faulty::new(soft, Fault::Stalls(u64::MAX));
    let hold = held.hold();
    let card = Card::open(Box::new(held), options()).unwrap();
    let (numbers, points) = bases::<C>(40);
    let resident = load(&card, Bases::new(instance::<C>(), points)).unwrap();
    let (list, wanted) = scalars::<C>(&numbers, 7);
    hold.store(true, Ordering::SeqCst);
    let ticket = card.submit(Request::batch(resident.clone(), vec![list.clone(); 10])).unwrap();
    // Two lists are in the card: there are two halves of the scalars' channel.
    let start = std::time::Instant::now();
    while log_of(&log).max_outstanding < 6 {
        assert!(start.elapsed() < PATIENCE, "{:?}", log_of(&log));
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(ticket);
    // The queue is full, and stays so.
    while log_of(&log).cancelled < 2 {
        assert!(start.elapsed() < PATIENCE, "{:?}", log_of(&log));
        std::thread::sleep(Duration::from_millis(1));
    }
    hold.store(false, Ordering::SeqCst);
    assert_eq!(msms(&card, resident, &[list]).unwrap(), [wanted]);
    let log = log_of(&log);
    assert_eq!((log.cancelled, log.overruns), (2, 0), "{log:?}");
}

#[test]
fn dropping_the_card_waits_for_msms_that_are_held() {
    type C = bn254::G1;
    let card = open(soft(BN254));
    let (numbers, points) = bases::<C>(300);
    let (list, wanted) = scalars::<C>(&numbers, 9);
    let bases = Bases::new(instance::<C>(), points);
    let ticket = card.submit(Request::new(bases, list)).unwrap();
    drop(card);
    assert_eq!(end(ticket).unwrap().points, [wanted]);
}

/// Replies are counted from 0: two writes of points, then one of scalars, then the run.
fn with_fault(fault: Fault, check: Check) -> (Card, Error) {
    type C = bn254::G1;
    let options = Options { timeout: fault.timeout(), ..options() };
    let card = Card::open(Box::new(Faulty::new(soft(BN254), fault)), options).unwrap();
    let (numbers, points) = bases::<C>(30);
    let (list, _) = scalars::<C>(&numbers, 9);
    let bases = Bases::new(instance::<C>(), points).checked(check);
    let error = msms(&card, bases, &[list]).unwrap_err();
    (card, error)
}

#[test]
fn a_memory_that_faults_fails_one_request() {
    for at in 0..4 {
        let (card, error) = with_fault(Fault::Status(at, 2), Check::None);
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        assert_eq!(error.to_string(), "soft: failed: its memory did not answer");
        lives_on(&card);
    }
}

fn lives_on(card: &Card) {
    let (numbers, points) = bases::<bn254::G1>(3);
    let (list, wanted) = scalars::<bn254::G1>(&numbers, 9);
    let bases = Bases::new(instance::<bn254::G1>(), points);
    assert_eq!(msms(card, bases, &[list]).unwrap(), [wanted]);
}

/// Unchecked points may have no sum: that is not a fault of the card.
#[test]
fn a_sum_that_is_no_point_fails_one_request_when_points_were_not_checked() {
    for check in [Check::None, Check::Curve] {
        let (card, error) = with_fault(Fault::FlipsSum(3), check);
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        assert!(error.to_string().contains("the sum is not a point; points were not"), "{error}");
        lives_on(&card);
    }
}

#[test]
fn a_card_that_contradicts_itself_is_lost() {
    for (fault, problem) in [
        (Fault::Status(0, 1), "a refusal of what its registers allow"),
        (Fault::Status(3, 1), "a refusal of what its registers allow"),
        (Fault::Status(1, 3), "a cancelled write"),
        (Fault::Status(3, 3), "a cancellation that was not requested"),
        (Fault::Status(3, 4), "a full queue"),
        (Fault::Status(3, 9), "a status of 9"),
        (Fault::FlipsSum(3), "a sum that is not a point"),
        (Fault::ShortReply(3), "claim to be"),
        (Fault::LongReply(3), "header"),
        (Fault::UnknownIndex(2), "that was not sent"),
        (Fault::Dies(3), "an injected fault"),
    ] {
        let (card, error) = with_fault(fault, Check::Subgroup);
        assert!(matches!(error, Error::Lost { .. }), "{fault:?}: {error}");
        assert!(error.to_string().contains(problem), "{fault:?}: {error}");
        let plan = plan_request(instance::<bn254::G1>(), 1, true);
        assert!(card.submit(plan).is_err(), "{fault:?}: a lost card took a request");
    }
    let (_, error) = with_fault(Fault::Stalls(3), Check::Subgroup);
    assert!(matches!(error, Error::TimedOut { .. }), "{error}");
}

#[test]
fn strange_engines_are_not_opened() {
    use proofmill_card::wire::constants::msm::block::registers as at;
    let block = SoftCard::block_of(0);
    for (offset, value, problem) in [
        (at::queue::OFFSET, 0, "a queue of no command"),
        (at::adders::OFFSET, 0, "0 adders"),
        (at::adders::OFFSET, u32::MAX, "4294967295 adders of 60 cycles"),
        (at::adder_latency::OFFSET, u32::MAX, "1 adders of 4294967295 cycles"),
        (at::digits::OFFSET, u32::MAX, "slices of 274877906880 bytes"),
        (at::least_window::OFFSET, 1, "windows of 1..=16 bits"),
        (at::most_window::OFFSET, 1, "windows of 2..=1 bits"),
        (at::most_window::OFFSET, 77, "windows of 2..=77 bits"),
        (at::channels::OFFSET, 3, "in 3 channels"),
        (at::memory::OFFSET, 1024, "a memory of 1024 bytes"),
        (at::coordinates::OFFSET, 4, "sums of 4 coordinates, where 3"),
        (at::stored_digit::OFFSET, 31, "cannot be written"),
        (at::digit_bytes::OFFSET, 0, "cannot be written"),
        (at::base::OFFSET, 7, "cannot be written"),
        (at::curve::OFFSET, 0x99, "contradicts itself on msm (bn254_g1)"),
        (at::group::OFFSET, 0, "contradicts itself on msm (bn254_g1)"),
        (at::group::OFFSET, 2, "contradicts itself on msm (bn254_g1)"),
    ] {
        is_not_opened(soft(BN254).with_register(block + offset, value), problem);
    }
    for (geometry, offset, value, problem) in [
        (BN254_G2, at::group::OFFSET, 0, "contradicts itself on msm (bn254_g2)"),
        (BN254_G2, at::group::OFFSET, 1, "contradicts itself on msm (bn254_g1)"),
        (BN254_G2, at::group::OFFSET, 3, "contradicts itself on msm (bn254_g2)"),
        (BN254_G2, at::channels::OFFSET, 4, "in 4 channels"),
        (BN254_G2, at::coordinates::OFFSET, 6, "sums of 6 coordinates, where 3"),
        (BLS12_381_G2, at::channels::OFFSET, 1, "in 1 channels, slices of 96 bytes"),
        (BLS12_377, at::group::OFFSET, 2, "contradicts itself on msm (bls12_377_g1)"),
        // Cards of earlier versions, which stored x, y and x y in Edwards form.
        (BLS12_377, at::channels::OFFSET, 3, "points of 2 coordinates in 3 channels"),
    ] {
        is_not_opened(soft(geometry).with_register(block + offset, value), problem);
    }
    let two = SoftCard::new(&[SoftEngine::msm(BN254, 2), SoftEngine::msm(BN254, 2)], first_byte());
    is_not_opened(two, "a second engine for bn254_g1");
}

fn is_not_opened(card: SoftCard, problem: &str) {
    let error = Card::open(Box::new(card), options()).err().expect(problem);
    assert!(error.to_string().contains(problem), "'{problem}' is not in: {error}");
}
