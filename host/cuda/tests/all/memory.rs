//! The use of GPU memory: secrets are overwritten, and limits are kept.

use proofmill_algebra::encoding::pair;
use proofmill_algebra::{bn254::G1, msm::multiples};
use proofmill_cuda::{CudaDevice, Options};
use proofmill_op::msm::{Bases, Instance, Request as Msm};
use proofmill_op::ntt::{Field, Quotient, QuotientResponse, Request as Ntt};
use proofmill_op::poseidon::{Layers, Request as Hash};
use proofmill_op::{Bytes, Data, Device, SecretBytes};

use crate::support::{emulated, execute, is_shared};

/// A number below every modulus, that nothing else holds.
const SECRET: [u8; 32] = *b"a secret scalar of 32 bytes....\x01";
const COUNT: usize = 256;

fn instance() -> Instance {
    "bn254_g1".parse().unwrap()
}

fn points() -> Vec<u8> {
    multiples::<G1>(1, COUNT).iter().flat_map(pair::encode).collect()
}

fn msm(device: &CudaDevice, bases: Bases, scalars: impl Into<Data>) {
    execute(device, Msm::new(bases, scalars)).unwrap();
}

/// Executes requests of every kind with these secrets.
fn requests(device: &CudaDevice, secrets: &[u8]) {
    let secrets = Bytes::from(SecretBytes::copy_of(secrets));
    let data = || Data::Host(secrets.clone());
    msm(device, Bases::new(instance(), points()), data());
    let resident = device.load(data()).unwrap();
    msm(device, Bases::new(instance(), points()), resident);
    execute(device, Ntt::forward(Field::Bn254Fr, data())).unwrap();
    let lists = || [(); 3].map(|()| data());
    let quotient = || Quotient::new(Field::Bn254Fr, lists(), [vec![7], vec![0; 31]].concat());
    let response = execute(device, quotient()).unwrap();
    assert!(matches!(response, QuotientResponse::Elements(_)), "{response:?}");
    let response = execute(device, quotient().resident_for(instance())).unwrap();
    assert!(matches!(response, QuotientResponse::Resident(_)), "{response:?}");
    execute(device, Hash::new(8, data())).unwrap();
    execute(device, Layers::new(2, 8, data())).unwrap();
    drop(response);
    // Nothing of the device keeps the host's bytes.
    assert!(!is_shared(&secrets));
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
    msm(&device, Bases::new(instance(), points()), vec![1; 32 * COUNT]);
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
    let resident = execute(&device, bases).unwrap();
    msm(&device, Bases::resident(instance(), resident), SECRET.repeat(COUNT));
    let peak = device.observed().peak_bytes;
    // Tables of roots and constants come on top.
    assert!(peak <= LIMIT + (64 << 10), "{peak} bytes");
}
