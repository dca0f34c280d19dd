//! MSMs over several cards, and their results when a card is lost.

use std::sync::Arc;

use proofmill_algebra::bn254::G1;
use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_algebra::field::{Field, PrimeField};
use proofmill_algebra::msm::multiples;
use proofmill_op::msm::{
    Bases, Check, Curve, Group, Instance, PlanRequest, Points, Request, Response, SCALAR_BYTES,
};
use proofmill_op::{Data, Error, Result, Submit, Ticket};
use proofmill_pool::Pool;
use proofmill_testkit::faults::Fault;
use proofmill_testkit::soft_card::{MsmGeometry, SoftEngine};

use crate::support::{Holds, NONE, end, lost, response};

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

/// Scalars, and the result of their MSM over these points.
fn list(count: usize, salt: u64) -> (Data, Vec<u8>) {
    let scalar = |i: u64| (Scalar::from(salt) + Scalar::from(i)).square().square();
    let scalars: Vec<_> = (1..=count as u64).map(scalar).collect();
    let sum = scalars.iter().zip(1..).fold(Scalar::ZERO, |sum, (k, i)| sum + *k * Scalar::from(i));
    let sum = Affine::from(Projective::<G1>::generator().times(&sum));
    let bytes: Vec<u8> = scalars.iter().flat_map(|k| k.to_le_bytes().as_ref().to_vec()).collect();
    (bytes.into(), pair::encode(&sum))
}

fn load(pool: &Pool, bases: Bases) -> Result<Bases> {
    Ok(Bases::resident(BN254, response(pool, bases)?))
}

fn finish(ticket: Ticket<Response>) -> Result<Vec<Vec<u8>>> {
    let Response { points, cycles, .. } = end(ticket)?;
    assert_eq!(cycles.map(|it| it.len()), Some(points.len()));
    Ok(points)
}

fn submit(pool: &Pool, bases: &Bases, scalars: Vec<Data>) -> Result<Ticket<Response>> {
    pool.submit(Request::batch(bases.clone(), scalars))
}

fn msm(pool: &Pool, bases: &Bases, scalars: Vec<Data>) -> Result<Vec<Vec<u8>>> {
    submit(pool, bases, scalars).and_then(finish)
}

fn host(points: &Arc<[u8]>) -> Bases {
    Bases::new(BN254, points.clone())
}

#[test]
fn each_card_computes_a_range_of_the_bases() {
    let (pool, _) = pool(&[NONE; 3]);
    for count in [0, 1, 2, 3, 100] {
        let points = points(count);
        let (scalars, wanted): (Vec<_>, Vec<_>) = (7..10).map(|salt| list(count, salt)).unzip();
        let host = host(&points).checked(Check::Curve);
        let streamed = Bases::streamed(BN254, points.to_vec());
        let resident = load(&pool, host.clone()).unwrap();
        for bases in [&host, &streamed, &resident] {
            let found = msm(&pool, bases, scalars.clone()).unwrap();
            assert!(found == wanted, "{count} points, {bases:?}");
            assert!(msm(&pool, bases, vec![]).unwrap().is_empty());
        }
    }
    let plan = PlanRequest { instance: BN254, points: 3000, resident: true, max_bytes: 0 };
    let plan = response(&pool, plan).unwrap();
    assert!(plan.resident >= 3000 * 64, "{plan:?}");
}

#[test]
fn more_points_than_a_card_can_hold_are_resident_on_several() {
    let geometry = MsmGeometry { memory: 1 << 18, ..MsmGeometry::new(Curve::Bn254) };
    let engine = SoftEngine::msm(geometry, 6);
    let (pool, _) = crate::support::pool(&[engine], &[NONE; 2]);
    let points = points(5000); // of 4096 a card
    let resident = load(&pool, host(&points)).unwrap();
    let (scalars, wanted) = list(5000, 3);
    assert_eq!(msm(&pool, &resident, vec![scalars]).unwrap(), [wanted]);
    let full = load(&pool, host(&points)).unwrap_err().to_string();
    assert!(full.contains("where the card's memory holds"), "{full}");
}

#[test]
fn invalid_points_and_scalars_have_the_callers_numbers() {
    let (pool, _) = pool(&[NONE; 3]);
    let count = 90;
    let good = points(count);
    let mut off = good.to_vec();
    for wrong in [50, 80] {
        off[64 * wrong] ^= 1;
    }
    let bases = Bases::new(BN254, off).checked(Check::Curve);
    let problem = "bases: point 50 is not on the curve";
    assert_eq!(response(&pool, bases.clone()).unwrap_err().to_string(), problem);
    let (scalars, wanted) = list(count, 1);
    let ticket = submit(&pool, &bases, vec![scalars.clone()]).unwrap();
    assert_eq!(finish(ticket).unwrap_err().to_string(), problem);
    let mut large = vec![0; count * SCALAR_BYTES];
    large[89 * SCALAR_BYTES..].fill(0xff);
    let resident = load(&pool, host(&good).checked(Check::Curve)).unwrap();
    let ticket = submit(&pool, &resident, vec![scalars.clone(), large.into()]).unwrap();
    let problem = "scalars: list 1: number 89 is not below the order of the group";
    assert_eq!(finish(ticket).unwrap_err().to_string(), problem);
    let short = submit(&pool, &resident, vec![vec![0; 32].into()]).unwrap_err().to_string();
    assert_eq!(short, "scalars: list 0 has 1 scalars for 90 points");
    let checked = resident.clone().checked(Check::Subgroup);
    let weak = submit(&pool, &checked, vec![scalars.clone()]).unwrap_err().to_string();
    assert_eq!(weak, "bases: loaded with the check 'curve', not 'subgroup'");
    assert_eq!(msm(&pool, &resident, vec![scalars]).unwrap(), [wanted]);
}

/// Kills card 1 while MSMs over these bases are under way.
fn killed(make: impl Fn(&Pool) -> Bases) -> (Pool, Bases, Vec<Result<Vec<Vec<u8>>>>) {
    let (pool, holds) = pool(&[NONE, Fault::Dies(60), NONE]);
    let bases = make(&pool);
    holds.set(true);
    let submitted = |salt| submit(&pool, &bases, vec![list(300, salt).0; 2]).unwrap();
    let tickets: Vec<_> = (0..8).map(submitted).collect();
    holds.set(false);
    let found = tickets.into_iter().map(finish).collect();
    assert_eq!(lost(&pool), ["soft:1"]);
    (pool, bases, found)
}

#[test]
fn a_lost_range_goes_to_another_card_if_its_points_are_still_on_the_host() {
    let points = points(300);
    let of_bytes = |pool: &Pool| load(pool, host(&points)).unwrap();
    let of_a_stream = |pool: &Pool| load(pool, Bases::streamed(BN254, points.to_vec())).unwrap();
    let makers: [&dyn Fn(&Pool) -> Bases; 4] =
        [&of_bytes, &of_a_stream, &|_| host(&points), &|_| Bases::streamed(BN254, points.to_vec())];
    for make in makers {
        let (pool, bases, found) = killed(make);
        for (found, salt) in found.into_iter().zip(0..) {
            let (_, wanted) = list(300, salt);
            assert_eq!(found.unwrap(), [wanted.clone(), wanted], "{bases:?}");
        }
        let (scalars, wanted) = list(300, 99);
        assert_eq!(msm(&pool, &bases, vec![scalars]).unwrap(), [wanted]);
    }
}

#[test]
fn a_lost_range_without_points_fails_its_msms_with_the_cards_name_and_no_others() {
    let (pool, gone, found) = killed(|pool| load(pool, host(&points(300))).unwrap());
    let named = |error: &Error| {
        let problem = error.to_string();
        assert!(matches!(error, Error::Failed { .. }), "{problem}");
        assert!(problem.contains("soft:1 is lost"), "{problem}");
        assert!(
            problem.contains(
                "the points 100 to 200 of these bases, which are no longer in host memory"
            ),
            "{problem}"
        );
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
    assert!(failed > 0, "the card was lost after all MSMs");
    let (scalars, wanted) = list(300, 5);
    named(&msm(&pool, &gone, vec![scalars.clone()]).unwrap_err());
    // Bases that are loaded again are resident on the other cards.
    let again = load(&pool, host(&points(300))).unwrap();
    let Points::Data(Data::Resident(handle)) = &again.points else { panic!("not resident") };
    assert_eq!(handle.len(), 300 * 64);
    assert_eq!(msm(&pool, &again, vec![scalars]).unwrap(), [wanted]);
}

#[test]
fn bases_become_resident_although_a_card_is_lost_meanwhile() {
    let (pool, _) = pool(&[NONE, Fault::Dies(2), NONE]);
    let points = points(300);
    let resident = load(&pool, host(&points)).unwrap();
    assert_eq!(lost(&pool), ["soft:1"]);
    let (scalars, wanted) = list(300, 5);
    assert_eq!(msm(&pool, &resident, vec![scalars]).unwrap(), [wanted]);
}
