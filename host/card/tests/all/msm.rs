//! `msm` against a card in software: points in its memory, lists of scalars, everything that can be wrong, and cards that
//! go wrong.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofmill_algebra::curve::{Affine, Curve, EdwardsForm, Projective};
use proofmill_algebra::encoding::{Coordinate, pair};
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::{Group, multiples};
use proofmill_algebra::{bls12_377, bls12_381, bn254};
use proofmill_card::{Card, Options};
use proofmill_op::msm::{
    self, Bases, Check, Instance, MOST_POINTS, Plan, Progress, Request, Response, SCALAR_BYTES,
    Stream, Sums,
};
use proofmill_op::{Answer, Data, Device, DeviceKind, Error, Parked, Result, Ticket};
use proofmill_testkit::faults::{Fault, Faulty};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{Log, MsmGeometry, Order, SoftCard, SoftEngine, first_byte};

const BN254: MsmGeometry = MsmGeometry::new(msm::Curve::Bn254);
const BLS12_381: MsmGeometry = MsmGeometry::new(msm::Curve::Bls12_381);
const BLS12_377: MsmGeometry = MsmGeometry::new(msm::Curve::Bls12_377);

/// Far more than any test here needs, far less than for ever.
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

fn submit(card: &Card, request: Request) -> Result<Ticket> {
    card.submit(proofmill_op::Request::Msm(request))
}

fn end(ticket: Ticket) -> Result<Response> {
    let answer = ticket.wait_timeout(PATIENCE);
    match answer.unwrap_or_else(|_| panic!("a ticket hangs"))? {
        Answer::Msm(response) => Ok(response),
        other => panic!("another answer: {other:?}"),
    }
}

fn ask(card: &Card, request: Request) -> Result<Response> {
    submit(card, request).and_then(end)
}

fn park(card: &Card, bases: Bases) -> Result<Bases> {
    let instance = bases.instance;
    match ask(card, Request::Park(bases))? {
        Response::Parked(parked) => Ok(Bases::parked(instance, parked)),
        other => panic!("another answer: {other:?}"),
    }
}

fn sums(card: &Card, bases: Bases, scalars: &[Vec<u8>]) -> Result<Vec<Vec<u8>>> {
    let scalars: Vec<Data> = scalars.iter().cloned().map(Data::from).collect();
    let lists = scalars.len();
    match ask(card, Request::Sums(Sums { bases, scalars, progress: None }))? {
        Response::Sums { points, cycles: Some(cycles) } => {
            assert_eq!(cycles.len(), lists);
            Ok(points)
        }
        other => panic!("another answer: {other:?}"),
    }
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
    for order in [Order::AsAsked, Order::Shuffled(Random::new(4))] {
        let soft = soft(geometry).with_order(order);
        let log = soft.log();
        let card = open(soft);
        for count in [0, 1, 2, 3, 100] {
            let (numbers, points) = bases::<C>(count);
            let lists: Vec<_> = (0..4).map(|i| scalars::<C>(&numbers, 3 + i)).collect();
            let (scalars, wanted): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
            let here = Bases::new(instance::<C>(), points.clone()).checked(Check::Subgroup);
            assert_eq!(sums(&card, here.clone(), &scalars[..1]).unwrap(), wanted[..1], "{count}");
            assert!(sums(&card, here.clone(), &[]).unwrap().is_empty());
            let parked = park(&card, here).unwrap();
            assert_eq!(sums(&card, parked.clone(), &scalars).unwrap(), wanted, "{count} parked");
            let streamed = Bases::streamed(instance::<C>(), points);
            assert_eq!(sums(&card, streamed, &scalars).unwrap(), wanted, "{count} streamed");
            assert_eq!(sums(&card, parked, &scalars[2..]).unwrap(), wanted[2..], "still parked");
        }
        let log = log_of(&log);
        assert_eq!((log.overruns, log.writes), (0, 0));
        assert!(log.most_outstanding > 4, "the queue was hardly used: {}", log.most_outstanding);
    }
}

#[test]
fn sums_over_bases_here_parked_and_streamed_are_right() {
    examine::<bn254::G1>(BN254);
    examine::<bls12_381::G1>(BLS12_381);
    examine::<bls12_377::G1>(BLS12_377);
}

#[test]
fn a_stream_larger_than_the_memory_goes_through_it_in_chunks() {
    // Room for 4096 points, so chunks of 2048.
    let card = open(soft(MsmGeometry { memory: 1 << 18, ..BN254 }));
    let (numbers, points) = bases::<bn254::G1>(5000);
    let here = Bases::new(instance::<bn254::G1>(), points.clone());
    assert!(
        problem(ask(&card, Request::Park(here)))
            .contains("5000 points, where the card's memory has room for 4096")
    );
    let (list, wanted) = scalars::<bn254::G1>(&numbers, 11);
    let told = Arc::new(Mutex::new(Vec::new()));
    let progress = Progress(Arc::new({
        let told = told.clone();
        move |part| told.lock().unwrap().push(part)
    }));
    let streamed = Bases::streamed(instance::<bn254::G1>(), points.clone());
    let mut asked = Sums::one(streamed, list.clone());
    asked.progress = Some(progress);
    let Response::Sums { points: found, cycles: Some(cycles) } =
        ask(&card, Request::Sums(asked)).unwrap()
    else {
        panic!("another answer")
    };
    assert_eq!(found, [wanted]);
    // What the card says of chunks is added up.
    assert_eq!(cycles[0].tail, 3 * 2000);
    assert_eq!(*told.lock().unwrap(), [1.0 / 3.0, 2.0 / 3.0, 1.0]);
    let short = Bases::streamed(instance::<bn254::G1>(), Short(points));
    let error = sums(&card, short, &[list]).unwrap_err();
    assert!(error.to_string().starts_with("bases: points 2048 to 3072: "), "{error}");
    // Fewer than the memory has room for stay there.
    let streamed = Bases::streamed(instance::<bn254::G1>(), bases::<bn254::G1>(4000).1);
    let kept = park(&card, streamed).unwrap();
    let (list, wanted) = scalars::<bn254::G1>(&numbers[..4000], 12);
    assert_eq!(sums(&card, kept, &[list]).unwrap(), [wanted]);
}

#[test]
fn the_least_memory_takes_a_stream_in_chunks_of_a_granule() {
    let card = open(soft(MsmGeometry { memory: 2048, ..BN254 }));
    let (numbers, points) = bases::<bn254::G1>(77);
    let (list, wanted) = scalars::<bn254::G1>(&numbers, 13);
    let streamed = Bases::streamed(instance::<bn254::G1>(), points);
    assert_eq!(sums(&card, streamed, &[list]).unwrap(), [wanted]);
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
fn parked_points_keep_their_place_until_they_are_dropped() {
    let card = open(soft(MsmGeometry { memory: 1 << 18, ..BN254 }));
    type C = bn254::G1;
    let (numbers, points) = bases::<C>(1500);
    let some = || Bases::new(instance::<C>(), points.clone());
    let [first, second] = [park(&card, some()).unwrap(), park(&card, some()).unwrap()];
    let full = problem(ask(&card, Request::Park(some())));
    assert!(full.ends_with("1500 points, where the card's memory has room for 1088"), "{full}");
    let (list, wanted) = scalars::<C>(&numbers, 5);
    // A request holds on to its points.
    let request = Request::Sums(Sums::one(second.clone(), list.clone()));
    let under_way = submit(&card, request).unwrap();
    drop(second);
    let (other_numbers, other_points) = bases::<C>(1000);
    let third = park(&card, Bases::new(instance::<C>(), other_points)).unwrap();
    match end(under_way).unwrap() {
        Response::Sums { points, .. } => assert_eq!(points, std::slice::from_ref(&wanted)),
        other => panic!("another answer: {other:?}"),
    }
    let (other_list, other_wanted) = scalars::<C>(&other_numbers, 6);
    assert_eq!(sums(&card, third, &[other_list]).unwrap(), [other_wanted]);
    assert_eq!(sums(&card, first, &[list]).unwrap(), [wanted]);
    park(&card, Bases::new(instance::<C>(), [&points[..], &points].concat())).unwrap();
}

#[test]
fn what_is_wrong_is_named_before_anything_runs() {
    type C = bls12_381::G1;
    let soft = soft(BLS12_381);
    let log = soft.log();
    let card = open(soft);
    let g1 = instance::<C>();
    let (numbers, points) = bases::<C>(30);
    let (list, _) = scalars::<C>(&numbers, 7);
    let before = log_of(&log).packets;
    let ask_here = |points: &[u8], list: &[u8], check| {
        let bases = Bases::new(g1, points).checked(check);
        problem(ask(&card, Request::Sums(Sums::one(bases, list))))
    };
    let park_here = |points: &[u8], check| {
        problem(ask(&card, Request::Park(Bases::new(g1, points).checked(check))))
    };

    assert_eq!(
        ask_here(&points, &list[32..], Check::Nothing),
        "scalars: list 0 has 29 scalars for 30 points"
    );
    assert!(ask_here(&points[1..], &list, Check::Nothing).starts_with("bases: 2879 bytes are not"));
    assert!(
        ask_here(&points, &list[1..], Check::Nothing).starts_with("scalars: 959 bytes are not")
    );
    assert!(park_here(&points[1..], Check::Nothing).starts_with("bases: 2879 bytes are not"));

    let mut large = list.clone();
    large[32 * 9..32 * 10].fill(0xff);
    let problem_9 = "scalars: list 0: number 9 is not below the order of the group";
    assert_eq!(ask_here(&points, &large, Check::Nothing), problem_9);

    let mut off = points.clone();
    off[96 * 2 + 48] ^= 1;
    assert_eq!(park_here(&off, Check::Curve), "bases: point 2 is not on the curve");
    assert_eq!(ask_here(&off, &list, Check::Subgroup), "bases: point 2 is not on the curve");
    off[96 * 2..96 * 2 + 48].fill(0xff);
    assert_eq!(
        park_here(&off, Check::Nothing),
        "bases: point 2 is not a point: its x is not below the modulus"
    );

    let outside = (0u64..).find_map(|x| {
        let point: Option<Affine<C>> = Affine::from_x(bls12_381::Fp::from(x)).into();
        point.filter(|point| !bool::from(point.is_in_subgroup()))
    });
    let mut foreign = points.clone();
    foreign[96 * 4..96 * 5].copy_from_slice(&pair::encode(&outside.unwrap()));
    assert_eq!(
        park_here(&foreign, Check::Subgroup),
        "bases: point 4 is on the curve but not in the subgroup"
    );

    let many =
        Request::Plan { instance: g1, points: MOST_POINTS as usize + 1, parked: true, room: 0 };
    assert!(problem(ask(&card, many)).starts_with("points: "));
    assert_eq!(log_of(&log).packets, before, "nothing was sent");

    // Handles of another device, another curve, another form, another check.
    let parked = park(&card, Bases::new(g1, points.clone()).checked(Check::Curve)).unwrap();
    let sum_of = |bases: Bases| problem(ask(&card, Request::Sums(Sums::one(bases, &list[..]))));
    let msm::Points::Data(Data::Parked(handle)) = parked.clone().points else { panic!("parked") };
    assert_eq!(
        sum_of(parked.clone().checked(Check::Subgroup)),
        "bases: resident with Check::Curve, not Subgroup"
    );
    let raw = card.park(points.clone().into()).unwrap();
    assert!(sum_of(Bases::parked(g1, raw)).contains("resident as bytes"));
    let elsewhere = Parked::new(Parked::fresh_identity(), points.into());
    assert_eq!(sum_of(Bases::parked(g1, elsewhere)), "data: resident on another device");
    let other = Card::open(Box::new(self::soft(BLS12_381)), options()).unwrap();
    let there = Request::Sums(Sums::one(Bases::parked(g1, handle.clone()), &list[..]));
    assert_eq!(problem(ask(&other, there)), "data: resident on another device");
    let two = [SoftEngine::msm(BN254, 4), SoftEngine::msm(BLS12_381, 4)];
    let two = open(SoftCard::new(&two, first_byte()));
    let (_, points) = bases::<C>(3);
    let parked = park(&two, Bases::new(g1, points)).unwrap();
    let other_curve = Bases { instance: instance::<bn254::G1>(), ..parked };
    let error = problem(ask(&two, Request::Sums(Sums::one(other_curve, vec![0; 96]))));
    assert_eq!(error, "data: resident for msm (bls12_381_g1), not msm (bn254_g1)");
}

#[test]
fn points_without_an_image_on_the_edwards_curve_are_named() {
    type C = bls12_377::G1;
    let card = open(soft(BLS12_377));
    let (_, mut points) = bases::<C>(6);
    // t = s (x - alpha) = -1, or y = 0 at another root of x^3 + 1 than alpha.
    let x = C::ALPHA - C::S.invert_vartime().unwrap();
    let exceptional: Affine<C> = Option::from(Affine::from_x(x)).unwrap();
    let root = bls12_377::G1::BETA * C::ALPHA;
    for point in [exceptional, -exceptional, Affine::new(root, Field::ZERO).unwrap()] {
        points[96 * 5..].copy_from_slice(&pair::encode(&point));
        let bases = Bases::new(instance::<C>(), points.clone()).checked(Check::Curve);
        let problem = problem(ask(&card, Request::Park(bases)));
        assert!(problem.starts_with("bases: point 5 is of even order"), "{problem}");
    }
    // (alpha, 0) has an image, and is of order 2.
    let order_2 = Affine::<C>::new(C::ALPHA, Field::ZERO).unwrap();
    let bases = Bases::new(instance::<C>(), pair::encode(&order_2));
    let mut two = vec![0; SCALAR_BYTES];
    two[0] = 2;
    assert_eq!(sums(&card, bases, &[two]).unwrap(), [vec![0; 96]]);
}

#[test]
fn plans_follow_the_registers() {
    let plan = |card: &Card, points, parked| {
        let instance = instance::<bn254::G1>();
        match ask(card, Request::Plan { instance, points, parked, room: 0 }).unwrap() {
            Response::Plan(plan) => plan,
            other => panic!("another answer: {other:?}"),
        }
    };
    let card = open(soft(MsmGeometry { memory: 1 << 34, ..BN254 }));
    let bits: Vec<_> =
        [0, 1, 100, 1 << 10, 1 << 16, 1 << 22].map(|n| plan(&card, n, true).window_bits).into();
    assert!(bits.is_sorted() && bits[0] < 8 && bits[5] == 16, "{bits:?}");
    let Plan { windows, memory, parked, .. } = plan(&card, 1 << 22, true);
    assert_eq!((windows, memory, parked), (16, 0, 1 << 28));
    assert_eq!(plan(&card, 1 << 22, false).memory, (1 << 28) + (1 << 21) * 64);
}

#[test]
fn a_sum_that_nobody_waits_for_is_cancelled_in_the_card() {
    type C = bn254::G1;
    let soft = soft(BN254);
    let log = soft.log();
    let held = Faulty::new(soft, Fault::Stalls(u64::MAX));
    let hold = held.hold();
    let card = Card::open(Box::new(held), options()).unwrap();
    let (numbers, points) = bases::<C>(40);
    let parked = park(&card, Bases::new(instance::<C>(), points)).unwrap();
    let (list, wanted) = scalars::<C>(&numbers, 7);
    hold.store(true, Ordering::SeqCst);
    let many = vec![list.clone(); 10].into_iter().map(Data::from).collect();
    let request = Sums { bases: parked.clone(), scalars: many, progress: None };
    let ticket = submit(&card, Request::Sums(request)).unwrap();
    // Two lists are in the card: there are two halves of the scalars' channel.
    let start = std::time::Instant::now();
    while log_of(&log).most_outstanding < 6 {
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
    assert_eq!(sums(&card, parked, &[list]).unwrap(), [wanted]);
    let log = log_of(&log);
    assert_eq!((log.cancelled, log.overruns), (2, 0), "{log:?}");
}

#[test]
fn dropping_the_card_waits_for_sums_that_are_held() {
    type C = bn254::G1;
    let card = open(soft(BN254));
    let (numbers, points) = bases::<C>(300);
    let (list, wanted) = scalars::<C>(&numbers, 9);
    let bases = Bases::new(instance::<C>(), points);
    let ticket = submit(&card, Request::Sums(Sums::one(bases, list))).unwrap();
    drop(card);
    assert!(matches!(end(ticket).unwrap(), Response::Sums { points, .. } if points == [wanted]));
}

/// Replies are counted from 0: two writes of points, then one of scalars, then the run.
fn with_fault(fault: Fault, check: Check) -> (Card, Error) {
    type C = bn254::G1;
    let options = Options { timeout: fault.timeout(), ..options() };
    let card = Card::open(Box::new(Faulty::new(soft(BN254), fault)), options).unwrap();
    let (numbers, points) = bases::<C>(30);
    let (list, _) = scalars::<C>(&numbers, 9);
    let bases = Bases::new(instance::<C>(), points).checked(check);
    let error = sums(&card, bases, &[list]).unwrap_err();
    (card, error)
}

#[test]
fn a_memory_that_faults_fails_one_request() {
    for at in 0..4 {
        let (card, error) = with_fault(Fault::Status(at, 2), Check::Nothing);
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        assert_eq!(error.to_string(), "soft: failed: its memory did not answer");
        lives_on(&card);
    }
}

fn lives_on(card: &Card) {
    let (numbers, points) = bases::<bn254::G1>(3);
    let (list, wanted) = scalars::<bn254::G1>(&numbers, 9);
    let bases = Bases::new(instance::<bn254::G1>(), points);
    assert_eq!(sums(card, bases, &[list]).unwrap(), [wanted]);
}

/// Points that nobody checked may have no sum: that is not the card's fault.
#[test]
fn a_sum_that_is_no_point_fails_one_request_when_points_were_not_checked() {
    for check in [Check::Nothing, Check::Curve] {
        let (card, error) = with_fault(Fault::FlipsSum(3), check);
        assert!(matches!(error, Error::Failed { .. }), "{error}");
        assert!(error.to_string().contains("the sum is no point; points were not"), "{error}");
        lives_on(&card);
    }
}

#[test]
fn a_card_that_contradicts_itself_is_lost() {
    for (fault, problem) in [
        (Fault::Status(0, 1), "a refusal of what its registers allow"),
        (Fault::Status(3, 1), "a refusal of what its registers allow"),
        (Fault::Status(1, 3), "a cancelled write"),
        (Fault::Status(3, 3), "a cancellation that nobody asked for"),
        (Fault::Status(3, 4), "a full queue"),
        (Fault::Status(3, 9), "a status of 9"),
        (Fault::FlipsSum(3), "a sum that is no point"),
        (Fault::ShortReply(3), "claim to be"),
        (Fault::LongReply(3), "header"),
        (Fault::UnknownIndex(2), "not asked"),
        (Fault::Dies(3), "fault injector"),
    ] {
        let (card, error) = with_fault(fault, Check::Subgroup);
        assert!(matches!(error, Error::Lost { .. }), "{fault:?}: {error}");
        assert!(error.to_string().contains(problem), "{fault:?}: {error}");
        let plan =
            Request::Plan { instance: instance::<bn254::G1>(), points: 1, parked: true, room: 0 };
        assert!(submit(&card, plan).is_err(), "{fault:?}: a lost card took a request");
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
        (at::channels::OFFSET, 3, "in 3 slices"),
        (at::memory::OFFSET, 1024, "a memory of 1024 bytes"),
        (at::coordinates::OFFSET, 4, "sums of 4 coordinates, where 3"),
        (at::stored_digit::OFFSET, 31, "cannot be written"),
        (at::digit_bytes::OFFSET, 0, "cannot be written"),
        (at::base::OFFSET, 7, "cannot be written"),
        (at::curve::OFFSET, 0x99, "contradicts itself on msm (bn254_g1)"),
    ] {
        let card = soft(BN254).with_register(block + offset, value);
        let error = Card::open(Box::new(card), options()).err().expect(problem);
        assert!(error.to_string().contains(problem), "'{problem}' is not in: {error}");
    }
    let two = SoftCard::new(&[SoftEngine::msm(BN254, 2), SoftEngine::msm(BN254, 2)], first_byte());
    let error = Card::open(Box::new(two), options()).err().expect("two engines");
    assert!(error.to_string().contains("a second engine for bn254_g1"), "{error}");
}
