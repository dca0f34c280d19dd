//! Random requests, and their results by the processor.

use std::sync::{Arc, OnceLock};

use proofmill_algebra::{bn254::G1, encoding::pair, msm::multiples};
use proofmill_cpu::CpuDevice;
use proofmill_op::msm::{Bases, Curve, Group, Instance};
use proofmill_op::ntt::Field;
use proofmill_op::{
    AnyRequest, AnyResponse, Capability, Data, Device, ecdsa_verify, equihash_verify, msm, ntt,
    poseidon,
};
use proofmill_testkit::random::Random;
use proofmill_testkit::vectors;

/// BN254 G1.
pub const BN254: Instance = Instance::new(Curve::Bn254, Group::G1);

/// Returns the processor, which is right.
pub fn cpu() -> Arc<CpuDevice> {
    static CPU: OnceLock<Arc<CpuDevice>> = OnceLock::new();
    CPU.get_or_init(|| Arc::new(CpuDevice::new(Some(1)).unwrap())).clone()
}

/// Returns the right result.
pub fn expected(request: &AnyRequest) -> AnyResponse {
    cpu().submit_any(request.clone()).and_then(|ticket| ticket.wait()).unwrap()
}

/// Returns a random request for one of the capabilities that `requests` knows, if the device has any.
pub fn random(device: &dyn Device, random: &mut Random) -> Option<AnyRequest> {
    let known = |it: &&Capability| {
        matches!(
            it,
            Capability::EquihashVerify(equihash_verify::Params::N48_K5)
                | Capability::EcdsaVerify
                | Capability::Ntt(Field::Goldilocks)
                | Capability::Poseidon(_)
                | Capability::Msm(BN254)
        )
    };
    let found: Vec<_> = device.caps().capabilities.iter().filter(known).collect();
    let capability = (!found.is_empty()).then(|| *random.pick(&found))?;
    Some(of(capability, random))
}

/// Returns a random request for a capability.
pub fn of(capability: &Capability, random: &mut Random) -> AnyRequest {
    match capability {
        Capability::EquihashVerify(params) => {
            let cases = equihash_cases();
            let case = random.pick(cases);
            assert_eq!(*params, case.params);
            let request = case.request();
            let alike = cases.iter().filter(|it| {
                let other = it.request();
                (other.network, &other.personalisation)
                    == (request.network, &request.personalisation)
            });
            let headers: Vec<u8> = alike.take(5).flat_map(|it| it.header.clone()).collect();
            equihash_verify::Request { headers: headers.into(), ..request }.into()
        }
        Capability::EcdsaVerify => {
            let cases = vectors::ecdsa_verify().unwrap();
            let picked = (0..4).flat_map(|_| {
                let Data::Host(bytes) = random.pick(&cases).request().signatures else {
                    panic!("a case has its bytes")
                };
                bytes.to_vec()
            });
            ecdsa_verify::Request::new(picked.collect::<Vec<u8>>()).into()
        }
        Capability::Ntt(field) => ntt::Request::forward(*field, below(random, 64, 8, 0x7f)).into(),
        Capability::Poseidon(_) => poseidon::Request::new(2, below(random, 6, 32, 0x1f)).into(),
        Capability::Msm(instance) => {
            const COUNT: usize = 8;
            let points: Vec<u8> =
                multiples::<G1>(1, COUNT).iter().flat_map(pair::encode::<G1>).collect();
            let scalars = below(random, COUNT, 32, 0x1f);
            msm::Request::new(Bases::new(*instance, points), scalars).into()
        }
        other => panic!("no request for {other}"),
    }
}

/// Returns numbers of `bytes` bytes whose last byte has only bits of `mask`.
fn below(random: &mut Random, count: usize, bytes: usize, mask: u8) -> Vec<u8> {
    let mut numbers = random.bytes(count * bytes);
    numbers.iter_mut().skip(bytes - 1).step_by(bytes).for_each(|last| *last &= mask);
    numbers
}

fn equihash_cases() -> &'static [vectors::EquihashCase] {
    static CASES: OnceLock<Vec<vectors::EquihashCase>> = OnceLock::new();
    CASES.get_or_init(|| {
        let mut cases = vectors::equihash_verify().unwrap();
        cases.retain(|case| case.params == equihash_verify::Params::N48_K5);
        cases
    })
}
