//! Transforms of all numbers of passes, against the processor.

use proofmill_cuda::Options;
use proofmill_op::ntt::{Direction, Field, Quotient, QuotientResponse, Request};
use proofmill_op::{Argument, Bytes, Data, Device, Result, SecretBytes};
use rand::Rng;

use crate::support::{cpu, device, execute, is_gpu, is_shared, random};

const FIELDS: [Field; 3] = [Field::Bn254Fr, Field::Bls12_381Fr, Field::Goldilocks];

fn elements(field: Field, log: u32) -> Vec<u8> {
    let each = field.bytes();
    let mut elements = vec![0; each << log];
    random(u64::from(log)).fill_bytes(&mut elements);
    elements.chunks_mut(each).for_each(|element| element[each - 1] &= 0x1f);
    elements
}

fn transformed(device: &dyn Device, request: Request) -> Result<Vec<u8>> {
    Ok(execute(device, request)?.elements)
}

#[test]
fn every_size_gives_the_processors_results() {
    let Some(device) = device(Options::default()) else { return };
    // One, two and three passes.
    let sizes: Vec<u32> =
        if is_gpu() { (0..=22).chain([24]).collect() } else { (0..=13).chain([17]).collect() };
    for field in FIELDS {
        for &log in &sizes {
            let elements = elements(field, log);
            let mut coset = vec![0; field.bytes()];
            coset[0] = 7;
            for direction in [Direction::Forward, Direction::Inverse] {
                for coset in [None, Some(&coset)] {
                    let mut request = Request::forward(field, &elements[..]);
                    request.direction = direction;
                    request.coset = coset.cloned();
                    let expected = transformed(&*cpu(), request.clone()).unwrap();
                    let found = transformed(&device, request).unwrap();
                    assert!(found == expected, "{field} 2^{log} {direction:?} {coset:?}");
                }
            }
        }
    }
}

fn values(device: &dyn Device, quotient: Quotient) -> SecretBytes {
    match execute(device, quotient).unwrap() {
        QuotientResponse::Elements(elements) => elements,
        QuotientResponse::Resident(_) => panic!("resident"),
    }
}

#[test]
fn quotients_are_the_processors_on_the_host_and_resident() {
    use proofmill_op::msm::{self, Bases, Instance};
    let Some(device) = device(Options::default()) else { return };
    for field in FIELDS {
        for log in [0, 1, 9, if is_gpu() { 20 } else { 10 }] {
            let lists = [1, 2, 3].map(|i| {
                let list = &elements(field, log + i)[..field.bytes() << log];
                Bytes::from(SecretBytes::copy_of(list))
            });
            let mut coset = vec![0; field.bytes()];
            coset[0] = 5;
            let quotient = Quotient::new(field, lists.clone().map(Data::from), coset);
            let expected = values(&*cpu(), quotient.clone());
            assert!(values(&device, quotient.clone())[..] == expected[..], "{field} 2^{log}");
            let mut buffered = quotient.clone();
            buffered.buffer = proofmill_op::ntt::Buffer(SecretBytes::zeroed(expected.len() + 1));
            assert!(values(&device, buffered)[..] == expected[..], "{field} 2^{log}, buffer");

            let instance: Instance = match field {
                Field::Bn254Fr => "bn254_g1".parse().unwrap(),
                Field::Bls12_381Fr => "bls12_381_g1".parse().unwrap(),
                _ => {
                    let request = quotient.resident_for(Instance::ALL[0]);
                    let refused = execute(&device, request).unwrap_err();
                    assert!(refused.is_about(Argument::ResidentFor), "{refused}");
                    continue;
                }
            };
            let response = execute(&device, quotient.resident_for(instance)).unwrap();
            let QuotientResponse::Resident(resident) = response else { panic!("not resident") };
            assert!(!lists.iter().any(is_shared), "the lists are still shared");
            assert_eq!(resident.len(), expected.len());
            let generator = crate::msm::generators(instance, expected.len() / 32);
            let msm = |device: &dyn Device, scalars: Data| {
                let bases = Bases::new(instance, &generator[..]).unchecked();
                execute(device, msm::Request::new(bases, scalars)).unwrap().points
            };
            let (found, expected) = (msm(&device, resident.into()), msm(&*cpu(), expected.into()));
            assert_eq!(found, expected, "{field} 2^{log}");
        }
    }
}

#[test]
fn requests_that_do_not_fit_are_refused() {
    let mut options = Options::default();
    options.max_bytes = Some(1 << 16);
    let Some(device) = device(options) else { return };
    let problem =
        transformed(&device, Request::forward(Field::Bn254Fr, vec![0; 1 << 16])).unwrap_err();
    let problem = problem.to_string().replace("cuda:0", "cuda:emulated");
    let expected = "cuda:emulated failed: 2048 elements need 131072 bytes of its memory, where 65536 are free: 1024 would fit";
    assert_eq!(problem, expected);
}
