//! `vdf` on the simulations that have the engine: states as the processor computes them, and proofs.

use crate::support;
use proofmill_device::Simulation;
use proofmill_op::vdf::Request;
use proofmill_op::{Cancel, Capability, Device, Error, Progress, Submit};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

fn simulations() -> Vec<(Simulation, Box<dyn Device>)> {
    let open = |it: Simulation| (it.clone(), proofmill_device::open(&it.uri()).unwrap());
    support::offering(&Capability::Vdf).into_iter().map(open).collect()
}

/// Returns a modulus of at most this many bytes and an input below it, at times of ones only.
fn claim(rng: &mut ChaCha20Rng, most: usize) -> (Vec<u8>, Vec<u8>) {
    let bytes = if rng.random() { most } else { rng.random_range(1..=most) };
    let mut modulus = vec![255; bytes];
    if rng.random_range(0..4) > 0 {
        rng.fill(&mut modulus[..]);
    }
    modulus[0] |= 1;
    modulus[bytes - 1] |= 64;
    let mut input = modulus.clone();
    match rng.random_range(0..3) {
        0 => input[0] -= 1, // -1
        1 => input = vec![rng.random_range(0..4)],
        _ => {
            rng.fill(&mut input[..]);
            input[bytes - 1] %= modulus[bytes - 1];
        }
    }
    (modulus, input)
}

/// The largest modulus of the card, from its name: `vdf_1024_twin` has 1,024 bits.
fn most_bytes(simulation: &Simulation) -> usize {
    let bits = simulation.name.split('_').find_map(|part| part.parse::<usize>().ok());
    bits.expect("the name has the bits") / 8
}

#[test]
fn states_are_those_of_the_processor() {
    let seed = rand::random();
    println!("seed {seed}");
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (simulation, device) in simulations() {
        // Several requests are outstanding, each with a modulus of its own.
        let requests: Vec<_> = (0..12)
            .map(|_| {
                let (modulus, input) = claim(&mut rng, most_bytes(&simulation));
                let (squarings, stride) = (rng.random_range(1..200), rng.random_range(1..100));
                Request { stride, ..Request::new(modulus, input, squarings) }
            })
            .collect();
        let submit = |device: &dyn Device| {
            let tickets: Vec<_> =
                requests.iter().map(|request| device.submit(request.clone()).unwrap()).collect();
            tickets.into_iter().map(|ticket| ticket.wait().unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(submit(&*device), submit(&*cpu), "{}", simulation.name);
    }
}

#[test]
fn a_cancelled_request_leaves_nothing_to_the_next_one() {
    let cpu = proofmill_device::open("cpu:").unwrap();
    for (simulation, device) in simulations() {
        for squarings in [1, 5000, 1 << 40] {
            let ticket = device.submit(Request::new([35], [3], squarings)).unwrap();
            ticket.cancel();
            match ticket.wait() {
                Err(Error::Cancelled) => {}
                Ok(response) => assert_eq!(response.state_bytes, 1),
                Err(error) => panic!("{}: {error}", simulation.name),
            }
            let next = Request::new([0xef, 0xff, 0xff], [2], 40);
            let found = device.submit(next.clone()).unwrap().wait().unwrap();
            assert_eq!(found, cpu.submit(next).unwrap().wait().unwrap(), "{}", simulation.name);
        }
    }
}

#[test]
fn a_request_is_cancelled_while_the_card_squares() {
    for (simulation, device) in simulations() {
        let cancel = Cancel::new();
        let progress = Progress::new({
            let cancel = cancel.clone();
            move |fraction| {
                if fraction > 0.0 {
                    cancel.cancel();
                }
            }
        });
        let request = Request::new([35], [3], u64::MAX >> 8);
        let request = Request { progress: Some(progress), ..request };
        let ticket = device.submit(request).unwrap().linked_to(&cancel);
        assert!(matches!(ticket.wait(), Err(Error::Cancelled)), "{}", simulation.name);
        let next = device.submit(Request::new([35], [2], 40)).unwrap().wait().unwrap();
        let wanted = (0..40).fold(2_u32, |x, _| x * x % 35);
        assert_eq!(next.output(), [wanted as u8], "{}", simulation.name);
    }
}

#[test]
fn a_longer_modulus_is_refused_by_its_bits() {
    for (simulation, device) in simulations() {
        let most = most_bytes(&simulation);
        let error = device.submit(Request::new(vec![255; most + 1], [3], 1)).unwrap_err();
        let wanted =
            format!("modulus of {} bits; it has moduli of at most {}", 8 * most + 8, 8 * most);
        assert!(error.to_string().contains(&wanted), "{error}");
    }
}
