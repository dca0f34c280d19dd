//! Requests that are divided by items, and those that are not.

use std::sync::{Arc, Mutex};

use proofmill_op::equihash_verify::{self, Network, Params, Request as Equihash};
use proofmill_op::ntt::{Field, Request as Ntt};
use proofmill_op::poseidon::{ELEMENT_BYTES, Layers, Output, Request as Poseidon};
use proofmill_op::{
    AnyRequest, Capability, Data, Device, Error, Progress, RequestOf, ResidentData, Submit,
    ecdsa_verify, poseidon,
};
use proofmill_pool::Pool;
use proofmill_testkit::faults::Fault;
use proofmill_testkit::soft_card::SoftEngine;

use crate::support::{NONE, end, lost, pool, response, until};

fn engines() -> [SoftEngine; 4] {
    [
        SoftEngine::equihash(Params::N48_K5, 8),
        SoftEngine::ecdsa(5),
        SoftEngine::poseidon(7),
        SoftEngine::ntt(Field::Goldilocks, 3),
    ]
}

/// Headers whose verdicts are their numbers, as far as a mask goes.
fn headers(count: usize) -> Vec<u8> {
    let header = |i: usize| [vec![i as u8], vec![0; Params::N48_K5.header_bytes() - 1]].concat();
    (0..count).flat_map(header).collect()
}

fn verify(headers: impl Into<Data>) -> Equihash {
    Equihash::new(Params::N48_K5, Network::Test, headers)
}

fn masks(response: equihash_verify::Response) -> Vec<u8> {
    response.verdicts.iter().map(|verdict| verdict.mask()).collect()
}

fn in_order(count: usize) -> Vec<u8> {
    (0..count).map(|i| i as u8 & 0x3f).collect()
}

#[test]
fn verdicts_are_in_the_order_of_the_items_whichever_card_returned_them() {
    let (pool, _) = pool(&engines(), &[NONE; 3]);
    for count in [0, 1, 2, 23, 500] {
        assert_eq!(masks(response(&pool, verify(headers(count))).unwrap()), in_order(count));
    }
    let signatures = vec![0; 77 * ecdsa_verify::SIGNATURE_BYTES];
    let found = response(&pool, ecdsa_verify::Request::new(signatures)).unwrap();
    assert_eq!(found.cycles.map(|it| it.len()), Some(77));
    assert!(found.verdicts.len() == 77 && found.verdicts.iter().all(|it| it.mask() == 0));
    let resident = pool.load(headers(40).into()).unwrap();
    assert_eq!(masks(response(&pool, verify(Data::Resident(resident))).unwrap()), in_order(40));
    assert_eq!(pool.metrics().requests, 7);
    assert!(pool.metrics().cycles.is_some());
}

/// A card that is held takes two parts of sixteen at most; the other does the rest.
#[test]
fn a_free_card_takes_the_parts_that_a_busy_one_leaves() {
    let (pool, holds) = pool(&engines(), &[NONE; 2]);
    let reported = Arc::new(Mutex::new(0.0));
    let report = reported.clone();
    let progress = Progress(Arc::new(move |part| *report.lock().unwrap() = part));
    let preimages = vec![1; 16_000 / 64 * 64];
    let request = Poseidon { progress: Some(progress), ..Poseidon::new(2, preimages) };
    holds.set_one(1, true);
    let ticket = pool.submit(request).unwrap();
    until("four fifths of the hashes beside a card that is held", || {
        *reported.lock().unwrap() > 0.8
    });
    assert!(*reported.lock().unwrap() < 1.0, "the held card has a part");
    holds.set_one(1, false);
    assert_eq!(end(ticket).unwrap().digests.len(), 250 * ELEMENT_BYTES);
    assert_eq!(*reported.lock().unwrap(), 1.0);
    assert!(lost(&pool).is_empty());
}

#[test]
fn hashes_and_layers_are_those_of_one_card() {
    let [(one, _), (three, _)] = [pool(&engines(), &[NONE]), pool(&engines(), &[NONE; 3])];
    let element =
        |i: usize| std::array::from_fn(|at| if at < 2 { (i >> (8 * at)) as u8 } else { 0 });
    let nodes: Vec<[u8; ELEMENT_BYTES]> = (0..4 * 64).map(element).collect();
    let nodes = nodes.as_flattened();
    let layers = |arities: &[usize], output| {
        let request = Layers { arities: arities.to_vec(), ..Layers::new(2, 0, nodes) };
        AnyRequest::from(request.with_output(output))
    };
    let digests = |pool: &Pool, request: &AnyRequest| {
        let mut response = pool.submit_any(request.clone()).unwrap().wait().unwrap();
        response.take_bytes().expect("digests")
    };
    for request in [
        AnyRequest::from(Poseidon::new(8, nodes)),
        layers(&[8, 8], Output::All),
        layers(&[8, 8], Output::Last),
        layers(&[8, 8, 4], Output::All), // one tree
    ] {
        assert!(digests(&three, &request)[..] == digests(&one, &request)[..], "{request:?}");
    }
}

#[test]
fn transforms_go_to_the_least_busy_card() {
    let (pool, holds) = pool(&engines(), &[NONE; 2]);
    let elements: Vec<u8> = (0u64..64).flat_map(u64::to_le_bytes).collect();
    let values = Ntt::forward(Field::Goldilocks, &elements[..]);
    holds.set_one(0, true);
    let tickets: Vec<_> = (0..10).map(|_| pool.submit(values.clone()).unwrap()).collect();
    until("half of them are done", || pool.metrics().requests >= 5);
    assert_eq!(pool.metrics().requests, 5, "half of them wait for the card that is held");
    holds.set_one(0, false);
    for ticket in tickets {
        let values = end(ticket).unwrap();
        let back = response(&pool, Ntt::inverse(Field::Goldilocks, values.elements)).unwrap();
        assert!(back.elements == elements);
    }
    assert!(lost(&pool).is_empty());
}

#[test]
fn errors_are_those_of_a_single_card() {
    let (pool, _) = pool(&engines(), &[NONE; 3]);
    fn problem<R: RequestOf>(pool: &Pool, request: R) -> String {
        response(pool, request).expect_err("an error").to_string()
    }
    let found = problem(&pool, verify(vec![0; 5]));
    assert!(found.starts_with("headers: 5 bytes are not a whole number"), "{found}");
    let elsewhere = ResidentData::new(ResidentData::fresh_identity(), headers(1).into());
    assert_eq!(
        problem(&pool, verify(Data::Resident(elsewhere))),
        "data: resident on another device"
    );
    let mut preimages = vec![1; 100 * 64];
    preimages[77 * 64 + 32..78 * 64].fill(0xff);
    preimages[90 * 64..91 * 64].fill(0xff);
    assert_eq!(
        problem(&pool, Poseidon::new(2, preimages)),
        "preimages: element 1 of preimage 77 is not below the modulus"
    );
    let mut nodes = vec![1; 40 * 32];
    nodes[33 * 32..34 * 32].fill(0xff);
    assert_eq!(
        problem(&pool, Layers::new(2, 2, nodes)),
        "nodes: number 33 is not below the modulus"
    );
    assert!(problem(&pool, Poseidon::new(5, vec![])).contains("poseidon with arity 5"));
    let found = problem(&pool, Ntt::forward(Field::Goldilocks, vec![0; 24]));
    assert_eq!(found, "elements: a count of 3 is not a power of two");
    assert!(lost(&pool).is_empty());
}

/// The pool offers what all members offer.
#[test]
fn the_pool_offers_the_common_capabilities() {
    let card = |engines: &[SoftEngine]| {
        let (pool, _) = pool(engines, &[NONE]);
        Box::new(pool) as Box<dyn Device>
    };
    let all = engines();
    let pool = Pool::new("soft:", vec![card(&all), card(&all[1..3])]).unwrap();
    let hashes = Capability::Poseidon(poseidon::Instance::Bls12_381);
    assert_eq!(pool.caps().capabilities, [Capability::EcdsaVerify, hashes]);
    assert_eq!(pool.caps().queue, 8 + 5 + 7 + 3 + 5 + 7);
    assert!(pool.caps().description.starts_with("2 as one: soft:: 1 as one, each: card 1.2.3"));
    let error = pool.submit(verify(headers(1))).unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    for nothing in [vec![], vec![card(&all[..1]), card(&all[1..])]] {
        assert!(matches!(Pool::new("soft:", nothing), Err(Error::Open { .. })));
    }
}

#[test]
fn a_cancelled_request_disturbs_no_other() {
    let (pool, holds) = pool(&engines(), &[NONE; 2]);
    holds.set(true);
    let tickets: Vec<_> = (0..20).map(|_| pool.submit(verify(headers(300))).unwrap()).collect();
    for (number, ticket) in tickets.into_iter().enumerate() {
        if number % 3 == 0 {
            holds.set(false);
            assert_eq!(masks(end(ticket).unwrap()), in_order(300));
        } else {
            ticket.cancel();
            assert!(!matches!(end(ticket), Err(Error::Lost { .. })));
        }
    }
    assert_eq!(masks(response(&pool, verify(headers(9))).unwrap()), in_order(9));
}

#[test]
fn a_lost_card_is_dropped_and_its_parts_go_to_the_others() {
    for fault in [Fault::Dies(42), Fault::Stalls(42), Fault::Garbage(42), Fault::Panics(42)] {
        let (pool, holds) = pool(&engines(), &[NONE, fault, NONE]);
        holds.set(true);
        let tickets: Vec<_> = [1, 500, 3, 90, 1, 1, 700]
            .map(|count| (count, pool.submit(verify(headers(count))).unwrap()))
            .into();
        holds.set(false);
        for (count, ticket) in tickets {
            assert_eq!(masks(end(ticket).unwrap()), in_order(count), "{fault:?}");
        }
        assert_eq!(lost(&pool), ["soft:1"], "{fault:?}");
        assert_eq!(masks(response(&pool, verify(headers(100))).unwrap()), in_order(100));
    }
}

/// A request may be the reason.
#[test]
fn a_part_that_was_on_two_cards_as_they_were_lost_is_not_given_to_a_third() {
    let (pool, _) = pool(&engines(), &[Fault::Dies(0), Fault::Dies(0), NONE, NONE]);
    let mut failed = 0;
    for _ in 0..20 {
        match response(&pool, verify(headers(1))) {
            Ok(response) => assert_eq!(masks(response), [0]),
            Err(error) => {
                failed += 1;
                assert!(matches!(error, Error::Lost { .. }), "{error}");
            }
        }
    }
    assert_eq!((failed, lost(&pool).len()), (1, 2));
}

#[test]
fn a_pool_without_a_card_is_lost_and_names_them() {
    let (pool, holds) = pool(&engines(), &[Fault::Dies(3), Fault::Dies(5)]);
    holds.set(true);
    let tickets: Vec<_> = (0..50).map(|_| pool.submit(verify(headers(4))).unwrap()).collect();
    holds.set(false);
    for ticket in tickets {
        match end(ticket) {
            Ok(response) => assert_eq!(masks(response), in_order(4)),
            Err(error) => assert!(matches!(error, Error::Lost { .. }), "{error}"),
        }
    }
    let problem = response(&pool, verify(headers(1))).unwrap_err().to_string();
    assert!(problem.contains("soft:0 is lost") && problem.contains("soft:1 is lost"), "{problem}");
}

#[test]
fn a_progress_callback_that_panics_ends_the_pool_but_leaves_no_ticket_waiting() {
    let (pool, _) = pool(&engines(), &[NONE; 2]);
    let progress = Progress(Arc::new(|_| panic!("as the test wants it")));
    let request = Poseidon { progress: Some(progress), ..Poseidon::new(2, vec![1; 6400]) };
    // The driver of the card that called is lost, and then that of the other one.
    let error = response(&pool, request).unwrap_err();
    assert!(error.to_string().contains("as the test wants it"), "{error}");
    assert!(response(&pool, verify(headers(1))).unwrap_err().is_device());
}
