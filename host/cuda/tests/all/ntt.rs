//! Transforms of all numbers of passes, against the processor.

use proofmill_cuda::Options;
use proofmill_op::ntt::{Direction, Field, Quotient, Request};
use proofmill_op::{Answer, Data, Device, Error, Result};
use rand::Rng;

use crate::support::{ask, cpu, device, is_gpu, random};

const FIELDS: [Field; 3] = [Field::Bn254Fr, Field::Bls12_381Fr, Field::Goldilocks];

fn elements(field: Field, log: u32) -> Vec<u8> {
    let each = field.bytes();
    let mut elements = vec![0; each << log];
    random(u64::from(log)).fill_bytes(&mut elements);
    elements.chunks_mut(each).for_each(|element| element[each - 1] &= 0x1f);
    elements
}

fn transformed(device: &dyn Device, request: Request) -> Result<Vec<u8>> {
    match ask(device, proofmill_op::Request::Ntt(request))? {
        Answer::Ntt(response) => Ok(response.elements),
        other => panic!("{other:?}"),
    }
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

#[test]
fn quotients_are_the_processors_and_stay_where_they_are_wanted() {
    use proofmill_op::msm::{Bases, Instance, Request, Response, Sums};
    let Some(device) = device(Options::default()) else { return };
    for field in FIELDS {
        for log in [0, 1, 9, if is_gpu() { 20 } else { 10 }] {
            let lists = [1, 2, 3]
                .map(|i| Data::from(elements(field, log + i)[..field.bytes() << log].to_vec()));
            let mut coset = vec![0; field.bytes()];
            coset[0] = 5;
            let quotient = Quotient::new(field, lists, coset);
            let request = |quotient: Quotient| proofmill_op::Request::Quotient(quotient.into());
            let result = |device: &dyn Device| match ask(device, request(quotient.clone())).unwrap()
            {
                Answer::Ntt(response) => response.elements,
                other => panic!("{other:?}"),
            };
            let expected = result(&*cpu());
            assert!(result(&device) == expected, "{field} 2^{log}");

            let instance: Instance = match field {
                Field::Bn254Fr => "bn254_g1".parse().unwrap(),
                Field::Bls12_381Fr => "bls12_381_g1".parse().unwrap(),
                _ => {
                    let kept = quotient.clone().kept_for(Instance::ALL[0]);
                    let refused = ask(&device, request(kept)).unwrap_err();
                    assert!(
                        matches!(refused, Error::Argument { argument: "keep", .. }),
                        "{refused}"
                    );
                    continue;
                }
            };
            let Answer::Msm(Response::Parked(parked)) =
                ask(&device, request(quotient.kept_for(instance))).unwrap()
            else {
                panic!("not resident")
            };
            assert_eq!(parked.len(), expected.len());
            let generator = crate::msm::generators(instance, expected.len() / 32);
            let sum = |device: &dyn Device, scalars: Data| {
                let sums = Sums::one(Bases::new(instance, &generator[..]), scalars);
                match ask(device, proofmill_op::Request::Msm(Request::Sums(sums))).unwrap() {
                    Answer::Msm(Response::Sums { points, .. }) => points,
                    other => panic!("{other:?}"),
                }
            };
            assert_eq!(
                sum(&device, Data::Parked(parked)),
                sum(&*cpu(), expected.into()),
                "{field} 2^{log}"
            );
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut options = Options::default();
    options.max_bytes = Some(1 << 16);
    let Some(device) = device(options) else { return };
    let problem =
        transformed(&device, Request::forward(Field::Bn254Fr, vec![0; 1 << 16])).unwrap_err();
    let problem = problem.to_string().replace("cuda:0", "cuda:emulated");
    let expected = "cuda:emulated failed: 2048 elements need 131072 bytes of its memory, where 65536 are free: 1024 would fit";
    assert_eq!(problem, expected);
}
