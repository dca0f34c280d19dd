//! MSMs over several cards, and what becomes of them when a card is lost.

use std::sync::Arc;

use proofmill_algebra::bn254::G1;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::multiples;
use proofmill_op::msm::{
    Bases, Check, Curve, Group, Instance, Points, Request, Response, SCALAR_BYTES, Sums,
};
use proofmill_op::{Answer, Data, Device, Error, Result, Ticket};
use proofmill_pool::Pool;
use proofmill_testkit::faults::Fault;
use proofmill_testkit::soft_card::{MsmGeometry, SoftEngine};

use crate::support::{Holds, NONE, end, lost};

const BN254: Instance = Instance::new(Curve::Bn254, Group::G1);
type Scalar = <G1 as proofmill_algebra::curve::Curve>::Scalar;

fn pool(faults: &[Fault]) -> (Pool, Holds) {
    let engine = SoftEngine::msm(MsmGeometry::new(Curve::Bn254), 6);
    crate::support::pool(&[engine], faults)
}

/// 1 G, 2 G and so on.
fn points(count: usize) -> Arc<[u8]> {
    multiples::<G1>(1, count.max(2))[..count].iter().flat_map(pair::encode::<G1>).collect()
}

/// Scalars, and the sum that they make of these points.
fn list(count: usize, salt: u64) -> (Data, Vec<u8>) {
    let scalar = |i: u64| (Scalar::from(salt) + Scalar::from(i)).square().square();
    let scalars: Vec<_> = (1..=count as u64).map(scalar).collect();
    let sum = scalars.iter().zip(1..).fold(Scalar::ZERO, |sum, (k, i)| sum + *k * Scalar::from(i));
    let sum = Affine::from(Projective::<G1>::generator().times(&sum));
    let bytes: Vec<u8> = scalars.iter().flat_map(|k| k.to_le_bytes().as_ref().to_vec()).collect();
    (bytes.into(), pair::encode(&sum))
}

fn submit(pool: &Pool, request: Request) -> Result<Ticket> {
    pool.submit(request)
}

fn response(ticket: Ticket) -> Result<Response> {
    match end(ticket)? {
        Answer::Msm(response) => Ok(response),
        other => panic!("another answer: {other:?}"),
    }
}

fn ask(pool: &Pool, request: Request) -> Result<Response> {
    submit(pool, request).and_then(response)
}

fn load(pool: &Pool, bases: Bases) -> Result<Bases> {
    match ask(pool, (bases))? {
        Response::ResidentData(parked) => Ok(Bases::parked(BN254, parked)),
        other => panic!("another answer: {other:?}"),
    }
}

fn sums_of(ticket: Ticket) -> Result<Vec<Vec<u8>>> {
    match response(ticket)? {
        Response::Sums { points, cycles } => {
            assert_eq!(cycles.map(|it| it.len()), Some(points.len()));
            Ok(points)
        }
        other => panic!("another answer: {other:?}"),
    }
}

fn ask_sums(pool: &Pool, bases: &Bases, scalars: Vec<Data>) -> Result<Ticket> {
    submit(pool, (Sums { bases: bases.clone(), scalars, progress: None }))
}

fn here(points: &Arc<[u8]>) -> Bases {
    Bases::new(BN254, Data::Host(points.clone()))
}

#[test]
fn ranges_of_the_bases_are_summed_side_by_side() {
    let (pool, _) = pool(&[NONE; 3]);
    for count in [0, 1, 2, 3, 100] {
        let points = points(count);
        let (scalars, wanted): (Vec<_>, Vec<_>) = (7..10).map(|salt| list(count, salt)).unzip();
        let here = here(&points).checked(Check::Curve);
        let streamed = Bases::streamed(BN254, points.to_vec());
        let parked = park(&pool, here.clone()).unwrap();
        for bases in [&here, &streamed, &parked] {
            let found = ask_sums(&pool, bases, scalars.clone()).and_then(sums_of).unwrap();
            assert!(found == wanted, "{count} points, {bases:?}");
            assert!(ask_sums(&pool, bases, vec![]).and_then(sums_of).unwrap().is_empty());
        }
    }
    let plan = Request::Plan { instance: BN254, points: 3000, parked: true, room: 0 };
    let Response::Plan(plan) = ask(&pool, plan).unwrap() else { panic!("another answer") };
    assert!(plan.parked >= 3000 * 64, "{plan:?}");
}

#[test]
fn more_points_than_a_card_has_room_for_are_resident_on_several() {
    let geometry = MsmGeometry { memory: 1 << 18, ..MsmGeometry::new(Curve::Bn254) };
    let engine = SoftEngine::msm(geometry, 6);
    let (pool, _) = crate::support::pool(&[engine], &[NONE; 2]);
    let points = points(5000); // of 4096 a card
    let parked = park(&pool, here(&points)).unwrap();
    let (scalars, wanted) = list(5000, 3);
    assert_eq!(ask_sums(&pool, &parked, vec![scalars]).and_then(sums_of).unwrap(), [wanted]);
    let full = park(&pool, here(&points)).unwrap_err().to_string();
    assert!(full.contains("where the card's memory has room for"), "{full}");
}

#[test]
fn points_and_scalars_that_are_wrong_have_the_callers_numbers() {
    let (pool, _) = pool(&[NONE; 3]);
    let count = 90;
    let good = points(count);
    let mut off = good.to_vec();
    for wrong in [50, 80] {
        off[64 * wrong] ^= 1;
    }
    let bases = Bases::new(BN254, off).checked(Check::Curve);
    let said = "bases: point 50 is not on the curve";
    assert_eq!(ask(&pool, (bases.clone())).unwrap_err().to_string(), said);
    let (scalars, wanted) = list(count, 1);
    let ticket = ask_sums(&pool, &bases, vec![scalars.clone()]).unwrap();
    assert_eq!(sums_of(ticket).unwrap_err().to_string(), said);
    let mut large = vec![0; count * SCALAR_BYTES];
    large[89 * SCALAR_BYTES..].fill(0xff);
    let parked = park(&pool, here(&good).checked(Check::Curve)).unwrap();
    let ticket = ask_sums(&pool, &parked, vec![scalars.clone(), large.into()]).unwrap();
    let said = "scalars: list 1: number 89 is not below the order of the group";
    assert_eq!(sums_of(ticket).unwrap_err().to_string(), said);
    let short = ask_sums(&pool, &parked, vec![vec![0; 32].into()]).unwrap_err().to_string();
    assert_eq!(short, "scalars: list 0 has 1 scalars for 90 points");
    let checked = parked.clone().checked(Check::Subgroup);
    let weak = ask_sums(&pool, &checked, vec![scalars.clone()]).unwrap_err().to_string();
    assert_eq!(weak, "bases: resident with Check::Curve, not Subgroup");
    assert_eq!(ask_sums(&pool, &parked, vec![scalars]).and_then(sums_of).unwrap(), [wanted]);
}

/// Kills card 1 with sums over these bases under way, of which there are `before`, and asks for more.
fn killed(make: impl Fn(&Pool) -> Bases) -> (Pool, Bases, Vec<Result<Vec<Vec<u8>>>>) {
    let (pool, holds) = pool(&[NONE, Fault::Dies(60), NONE]);
    let bases = make(&pool);
    holds.set(true);
    let ask = |salt| ask_sums(&pool, &bases, vec![list(300, salt).0; 2]).unwrap();
    let tickets: Vec<_> = (0..8).map(ask).collect();
    holds.set(false);
    let found = tickets.into_iter().map(sums_of).collect();
    assert_eq!(lost(&pool), ["soft:1"]);
    (pool, bases, found)
}

#[test]
fn a_lost_range_goes_to_another_card_if_its_points_are_still_here() {
    let points = points(300);
    let of_bytes = |pool: &Pool| park(pool, here(&points)).unwrap();
    let of_a_stream = |pool: &Pool| park(pool, Bases::streamed(BN254, points.to_vec())).unwrap();
    let makers: [&dyn Fn(&Pool) -> Bases; 4] =
        [&of_bytes, &of_a_stream, &|_| here(&points), &|_| Bases::streamed(BN254, points.to_vec())];
    for make in makers {
        let (pool, bases, found) = killed(make);
        for (found, salt) in found.into_iter().zip(0..) {
            let (_, wanted) = list(300, salt);
            assert_eq!(found.unwrap(), [wanted.clone(), wanted], "{bases:?}");
        }
        let (scalars, wanted) = list(300, 99);
        assert_eq!(ask_sums(&pool, &bases, vec![scalars]).and_then(sums_of).unwrap(), [wanted]);
    }
}

#[test]
fn a_lost_range_that_is_nowhere_fails_its_sums_with_the_cards_name_and_no_others() {
    let (pool, gone, found) = killed(|pool| park(pool, here(&points(300))).unwrap());
    let named = |error: &Error| {
        let said = error.to_string();
        assert!(matches!(error, Error::Failed { .. }), "{said}");
        assert!(said.contains("soft:1 is lost"), "{said}");
        assert!(said.contains("the points 100 to 200 of these bases, which are not on"), "{said}");
    };
    let mut failed = 0;
    for (found, salt) in found.into_iter().zip(0..) {
        let (_, wanted) = list(300, salt);
        match found {
            Ok(found) => assert_eq!(found, [wanted.clone(), wanted]),
            Err(error) => {
                failed += 1;
                named(&error);
            }
        }
    }
    assert!(failed > 0, "the card was lost when all was done");
    let (scalars, wanted) = list(300, 5);
    named(&ask_sums(&pool, &gone, vec![scalars.clone()]).and_then(sums_of).unwrap_err());
    // What is given again lies on the others.
    let again = park(&pool, here(&points(300))).unwrap();
    let Points::Data(Data::Resident(handle)) = &again.points else { panic!("not resident") };
    assert_eq!(handle.len(), 300 * 64);
    assert_eq!(ask_sums(&pool, &again, vec![scalars]).and_then(sums_of).unwrap(), [wanted]);
}

#[test]
fn bases_become_resident_although_a_card_is_lost_meanwhile() {
    let (pool, _) = pool(&[NONE, Fault::Dies(2), NONE]);
    let points = points(300);
    let parked = park(&pool, here(&points)).unwrap();
    assert_eq!(lost(&pool), ["soft:1"]);
    let (scalars, wanted) = list(300, 5);
    assert_eq!(ask_sums(&pool, &parked, vec![scalars]).and_then(sums_of).unwrap(), [wanted]);
}
