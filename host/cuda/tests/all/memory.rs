//! The use of GPU memory: secrets are overwritten, and limits are kept.

use proofmill_algebra::encoding::pair;
use proofmill_algebra::{bn254::G1, msm::multiples};
use proofmill_cuda::{CudaDevice, Options};
use proofmill_op::msm::{Bases, Instance, Request as Msm, Response, Sums};
use proofmill_op::ntt::{Field, Quotient, Request as Ntt};
use proofmill_op::poseidon::{Layers, Request as Hash};
use proofmill_op::{Answer, Data, Device, Request};

use crate::support::{ask, emulated};

/// A number below every modulus, that nothing else holds.
const SECRET: [u8; 32] = *b"a secret scalar of 32 bytes....\x01";
const COUNT: usize = 256;

fn instance() -> Instance {
    "bn254_g1".parse().unwrap()
}

fn points() -> Vec<u8> {
    multiples::<G1>(1, COUNT).iter().flat_map(pair::encode).collect()
}

fn sums(device: &CudaDevice, bases: Bases, scalars: impl Into<Data>) {
    let sums = Sums::one(bases, scalars);
    ask(device, Request::Msm(Msm::Sums(sums))).unwrap();
}

/// Requests of every kind whose secrets are these.
fn requests(device: &CudaDevice, secrets: &[u8]) {
    sums(device, Bases::new(instance(), points()), secrets);
    let resident = device.park(secrets.into()).unwrap();
    sums(device, Bases::new(instance(), points()), Data::Parked(resident));
    ask(device, Request::Ntt(Ntt::forward(Field::Bn254Fr, secrets))).unwrap();
    let lists = [(); 3].map(|()| Data::from(secrets));
    let quotient = Quotient::new(Field::Bn254Fr, lists, [vec![7], vec![0; 31]].concat());
    let kept = quotient.kept_for(instance());
    ask(device, Request::Quotient(kept.into())).unwrap();
    ask(device, Request::Poseidon(Hash::new(8, secrets))).unwrap();
    ask(device, Request::PoseidonLayers(Layers::new(2, 8, secrets))).unwrap();
}

#[test]
fn secrets_are_overwritten_before_memory_is_freed() {
    let mut options = Options::default();
    options.watch = Some(SECRET.to_vec());
    let Some(device) = emulated(options.clone()) else { return };
    requests(&device, &SECRET.repeat(COUNT));
    assert_eq!(device.observed().leaks, 0);
    // The watch sees what is not secret: the x of a point, say, in points as they come.
    options.watch = Some(points()[..32].to_vec());
    let device = emulated(options).unwrap();
    sums(&device, Bases::new(instance(), points()), vec![1; 32 * COUNT]);
    assert!(device.observed().leaks > 0);
}

#[test]
fn no_more_memory_is_taken_than_is_allowed() {
    const LIMIT: usize = 1 << 20;
    let mut options = Options::default();
    options.max_bytes = Some(LIMIT);
    let Some(device) = emulated(options) else { return };
    requests(&device, &SECRET.repeat(COUNT));
    let bases = Bases::new(instance(), points()).precomputed(LIMIT / 2);
    let loaded = ask(&device, Request::Msm(Msm::Park(bases))).unwrap();
    let Answer::Msm(Response::Parked(parked)) = loaded else { panic!("{loaded:?}") };
    sums(&device, Bases::parked(instance(), parked), SECRET.repeat(COUNT));
    let peak = device.observed().peak_bytes;
    // Tables of roots and constants come on top.
    assert!(peak <= LIMIT + (64 << 10), "{peak} bytes");
}
