//! Compares `poseidon` of the device with the definition, for every instruction set and any number of threads.

use std::sync::{Arc, Mutex};

use proofmill_algebra::field::{Bls12381Fr, Field as _, PrimeField};
use proofmill_algebra::poseidon::Instance;
use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::poseidon::{Domain, ELEMENT_BYTES, Request, Strength};
use proofmill_op::{Data, Device, Error, Progress, Result, Submit};

fn hash(device: &CpuDevice, request: Request) -> Result<Vec<u8>> {
    Ok(device.submit(request)?.wait()?.digests)
}

fn elements(count: usize) -> Vec<u8> {
    let start = Bls12381Fr::from(0x9e37_79b9_7f4a_7c15);
    let next = |x: &Bls12381Fr| Some(x.square() + start);
    std::iter::successors(Some(start), next).take(count).flat_map(|x| x.to_le_bytes()).collect()
}

/// The digest of 0, 1 that neptune publishes, and of these in another domain, by `spec/vectors`.
#[test]
fn published_digest() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let mut preimage = [0; 2 * ELEMENT_BYTES];
    preimage[ELEMENT_BYTES] = 1;
    let mut digest = hash(&device, Request::new(2, &preimage[..])).unwrap();
    digest.reverse();
    let wanted = "396508d75e76a56b739e0fd902efe161a6fba9339d05a69d2e203c369a02e7ff";
    assert_eq!(hex::encode(digest), wanted);
}

#[test]
fn every_device_and_batch_agrees_with_hashes_one_by_one() {
    for (arity, domain) in
        [(2, Domain::MerkleTree), (11, Domain::ConstantLength(3)), (16, Domain::Encryption)]
    {
        for strength in [Strength::Standard, Strength::Strengthened] {
            let instance = Instance::of(arity, strength).unwrap();
            let length = domain.elements(arity).unwrap();
            for count in [0, 1, 700] {
                let preimages = elements(count * length);
                let mut wanted = vec![0; count * ELEMENT_BYTES];
                for (preimage, digest) in
                    preimages.chunks(length * ELEMENT_BYTES).zip(wanted.chunks_mut(ELEMENT_BYTES))
                {
                    instance.hash(Isa::words(), domain, preimage, digest).unwrap();
                }
                for isa in Isa::available() {
                    for threads in [1, 3] {
                        let device = CpuDevice::with_isa(Some(threads), isa).unwrap();
                        let resident =
                            Data::Resident(device.load(preimages.clone().into()).unwrap());
                        let request =
                            Request::new(arity, resident).in_domain(domain).with_strength(strength);
                        assert!(hash(&device, request).unwrap() == wanted, "{arity} {isa} {count}");
                    }
                }
            }
        }
    }
}

#[test]
fn the_first_element_that_is_too_large_is_named() {
    let device = CpuDevice::new(Some(3)).unwrap();
    let mut preimages = elements(8 * 1000);
    for wrong in [8 * 999, 8 * 500 + 3] {
        preimages[wrong * ELEMENT_BYTES..][..ELEMENT_BYTES].fill(0xff);
        let problem = hash(&device, Request::new(8, &preimages[..])).unwrap_err().to_string();
        let wanted = format!("element {} of preimage {} is not below", wrong % 8, wrong / 8);
        assert!(problem.starts_with("preimages: ") && problem.contains(&wanted), "{problem}");
    }
}

#[test]
fn progress_and_cancellation() {
    let device = CpuDevice::new(Some(1)).unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let watch = seen.clone();
    let progress = Some(Progress(Arc::new(move |part| watch.lock().unwrap().push(part))));
    let request = Request { progress, ..Request::new(4, elements(4 * 1000)) };
    hash(&device, request).unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.is_sorted() && seen.len() > 2 && seen.last() == Some(&1.0), "{seen:?}");

    let (send, received) = std::sync::mpsc::channel();
    let progress = Some(Progress(Arc::new(move |_| {
        let _ = send.send(());
    })));
    let request = Request { progress, ..Request::new(2, elements(2 * 100_000)) };
    let ticket = device.submit(request).unwrap();
    received.recv().unwrap();
    ticket.cancel();
    assert!(matches!(ticket.wait(), Err(Error::Cancelled)));
}
