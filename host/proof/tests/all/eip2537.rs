//! The published vectors of EIP-2537, the failing ones included.

use crate::support::cpu;
use proofmill_algebra::Isa;
use proofmill_proof::Pairings;
use proofmill_proof::eip2537::{Failure, Operation};
use serde_json::Value;

fn bytes(case: &Value, key: &str) -> Vec<u8> {
    let digits = case[key].as_str().unwrap().as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

#[test]
fn published_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/model/published/eip2537.json");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut failures, programs) = (0, Pairings::Device(cpu(1)));
    for operation in Operation::ALL {
        let name = operation.name().trim_start_matches("BLS12_").to_lowercase();
        let name = name.replace("1add", "1_add").replace("2add", "2_add").replace("msm", "_msm");
        let cases = file[&name].as_array().unwrap_or_else(|| panic!("{name}"));
        assert!(cases.len() >= 10, "{name}: {}", cases.len());
        for case in cases {
            let found = operation.run(&bytes(case, "input"));
            let told = &case["name"];
            let computed = operation.run_with(&programs, &bytes(case, "input")).unwrap();
            assert_eq!(found, computed, "{name}: {told}");
            let Some(error) = case["error"].as_str() else {
                assert_eq!(found, Ok(bytes(case, "output")), "{name}: {told}");
                continue;
            };
            let wanted = match error {
                "invalid input length" => Failure::Length,
                "invalid field element top bytes" => Failure::Padding,
                "invalid fp.Element encoding" => Failure::NotReduced,
                "invalid point: not on curve" => Failure::NotOnCurve,
                "g1 point is not in the correct subgroup"
                | "g2 point is not in the correct subgroup" => Failure::NotInSubgroup,
                other => panic!("{name}: {other}"),
            };
            assert_eq!(found, Err(wanted), "{name}: {told}");
            failures += 1;
        }
    }
    assert!(failures > 60, "{failures}");
    assert_eq!(Operation::ALL.map(Operation::address), [0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11]);
}

/// Published for sums of many multiples; with each code path.
#[test]
fn published_sums_of_multiples() {
    for (group, operation) in [("g1", Operation::G1Msm), ("g2", Operation::G2Msm)] {
        let path = format!(
            "{}/../../spec/model/published/bls12_381_{group}.json",
            env!("CARGO_MANIFEST_DIR")
        );
        let file: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        for (name, case) in file.as_object().unwrap() {
            for isa in Isa::available() {
                let found = operation.run_with(&Pairings::Host(isa), &bytes(case, "input"));
                assert_eq!(found.unwrap(), Ok(bytes(case, "output")), "{name}, {isa}");
            }
        }
    }
}
