//! Contracts that verify proofs on a chain with Ethereum's precompiles for BN254 (EIP-196, EIP-197), and the call data for them.
//!
//! | protocol | function |
//! |---|---|
//! | Groth16 | `verifyProof(uint256[2],uint256[2][2],uint256[2],uint256[N])` |
//! | PLONK | `verifyProof(uint256[24],uint256[N])` |
//! | FFLONK | `verifyProof(bytes32[24],uint256[N])` |
//!
//! N is the number of public inputs; the last argument is missing if there are none. These are the functions of the contracts that snarkjs writes, so
//! that one contract replaces the other. A contract is a template, one file per protocol, filled with the constants of a key.

mod calldata;
mod fflonk;
mod groth16;
mod name;
mod plonk;
mod template;

use proofmill_op::msm::Curve;

use crate::snarkjs::AnyVerifyingKey;
use crate::{Error, Result};

pub use calldata::Call;
pub use name::{ContractName, InvalidContractName};

/// Writes the source of a contract that verifies the proofs of this key, under a name or that of snarkjs.
///
/// Returns an error for another curve than BN254, an invalid key, and a name that the source uses for something else.
pub fn contract(key: &AnyVerifyingKey, name: Option<&ContractName>) -> Result<String> {
    match key {
        AnyVerifyingKey::Groth16(key) => groth16::contract(key, name),
        AnyVerifyingKey::Plonk(key) => plonk::contract(key, name),
        AnyVerifyingKey::Fflonk(key) => fflonk::contract(key, name),
    }
}

/// Refuses other curves than BN254.
fn require_bn254(argument: &'static str, curve: Curve) -> Result<()> {
    if curve == Curve::Bn254 {
        return Ok(());
    }
    let problem = format!("is on {}; contracts verify proofs on bn254 only", curve.name());
    Err(Error::argument(argument, problem))
}

/// Returns the coordinates of a point, big-endian, in the order of the key's bytes.
fn words(point: &[u8]) -> impl Iterator<Item = [u8; 32]> {
    point.as_chunks::<32>().0.iter().map(|word| {
        let mut word = *word;
        word.reverse();
        word
    })
}

/// Formats a big-endian integer with all of its digits.
fn hex(word: &[u8; 32]) -> String {
    let digits: String = word.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("0x{digits}")
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;
    use proofmill_algebra::field::{Bn254Fp, PrimeField};
    use serde_json::Value;

    use super::*;

    fn path(folder: &str) -> String {
        format!("tests/snarkjs/{folder}/verification_key.json")
    }

    fn key(folder: &str) -> AnyVerifyingKey {
        AnyVerifyingKey::open(path(folder)).unwrap()
    }

    /// Returns the value of a constant of a contract.
    fn constant(contract: &str, name: &str) -> BigUint {
        let declared = format!(" constant {name} = 0x");
        let start = contract.find(&declared).unwrap_or_else(|| panic!("{name}")) + declared.len();
        let end = start + contract[start..].find(';').unwrap();
        BigUint::parse_bytes(&contract.as_bytes()[start..end], 16).unwrap()
    }

    /// Returns a number of the key's file.
    fn number(file: &Value, pointer: &str) -> BigUint {
        let text = file.pointer(pointer).unwrap().as_str().unwrap();
        BigUint::parse_bytes(text.as_bytes(), 10).unwrap()
    }

    /// Asserts that constants are numbers of the key's file.
    fn assert_constants(contract: &str, file: &Value, expected: &[(&str, &str)]) {
        for (name, pointer) in expected {
            assert_eq!(constant(contract, name), number(file, pointer), "{name}");
        }
    }

    /// Asserts that constants are the negatives of numbers of the key's file.
    fn assert_negated(contract: &str, file: &Value, expected: &[(&str, &str)]) {
        let limbs = Bn254Fp::MODULUS.iter().flat_map(|limb| limb.to_le_bytes());
        let p = BigUint::from_bytes_le(&limbs.collect::<Vec<_>>());
        for (name, pointer) in expected {
            assert_eq!(constant(contract, name), &p - number(file, pointer), "{name}");
        }
    }

    #[test]
    fn the_constants_of_groth16_are_those_of_the_key() {
        let contract = contract(&key("bn254"), None).unwrap();
        let file: Value = serde_json::from_slice(&std::fs::read(path("bn254")).unwrap()).unwrap();
        let same = [
            ("NEG_ALPHA_X", "/vk_alpha_1/0"),
            ("BETA_X0", "/vk_beta_2/0/0"),
            ("BETA_X1", "/vk_beta_2/0/1"),
            ("BETA_Y0", "/vk_beta_2/1/0"),
            ("BETA_Y1", "/vk_beta_2/1/1"),
            ("NEG_GAMMA_X0", "/vk_gamma_2/0/0"),
            ("NEG_DELTA_X1", "/vk_delta_2/0/1"),
            ("IC_0_X", "/IC/0/0"),
            ("IC_1_Y", "/IC/1/1"),
        ];
        assert_constants(&contract, &file, &same);
        let negated = [
            ("NEG_ALPHA_Y", "/vk_alpha_1/1"),
            ("NEG_GAMMA_Y0", "/vk_gamma_2/1/0"),
            ("NEG_GAMMA_Y1", "/vk_gamma_2/1/1"),
            ("NEG_DELTA_Y0", "/vk_delta_2/1/0"),
            ("NEG_DELTA_Y1", "/vk_delta_2/1/1"),
        ];
        assert_negated(&contract, &file, &negated);
        assert!(contract.contains("contract Groth16Verifier {"));
        assert!(contract.contains("calldata c, uint256[1] calldata publicInputs"));
    }

    #[test]
    fn the_constants_of_plonk_are_those_of_the_key() {
        let contract = contract(&key("plonk_bn254"), Some(&"Mine".parse().unwrap())).unwrap();
        let file = std::fs::read(path("plonk_bn254")).unwrap();
        let file: Value = serde_json::from_slice(&file).unwrap();
        let same = [
            ("OMEGA", "/w"),
            ("K1", "/k1"),
            ("K2", "/k2"),
            ("QM_X", "/Qm/0"),
            ("QL_Y", "/Ql/1"),
            ("QR_X", "/Qr/0"),
            ("QO_Y", "/Qo/1"),
            ("QC_X", "/Qc/0"),
            ("S1_Y", "/S1/1"),
            ("S2_X", "/S2/0"),
            ("S3_Y", "/S3/1"),
            ("NEG_TAU_X0", "/X_2/0/0"),
            ("NEG_TAU_X1", "/X_2/0/1"),
        ];
        assert_constants(&contract, &file, &same);
        let negated = [("NEG_TAU_Y0", "/X_2/1/0"), ("NEG_TAU_Y1", "/X_2/1/1")];
        assert_negated(&contract, &file, &negated);
        assert!(contract.contains("constant N = 8;"));
        assert!(contract.contains("contract Mine {"));
        assert!(contract.contains("uint256[24] calldata proof, uint256[2] calldata publicInputs"));
    }

    #[test]
    fn the_constants_of_fflonk_are_those_of_the_key() {
        let contract = contract(&key("fflonk_bn254"), Some(&"Mine".parse().unwrap())).unwrap();
        let file = std::fs::read(path("fflonk_bn254")).unwrap();
        let file: Value = serde_json::from_slice(&file).unwrap();
        let same = [
            ("OMEGA", "/w"),
            ("K1", "/k1"),
            ("K2", "/k2"),
            ("C0_X", "/C0/0"),
            ("C0_Y", "/C0/1"),
            ("NEG_TAU_X0", "/X_2/0/0"),
            ("NEG_TAU_X1", "/X_2/0/1"),
        ];
        assert_constants(&contract, &file, &same);
        let negated = [("NEG_TAU_Y0", "/X_2/1/0"), ("NEG_TAU_Y1", "/X_2/1/1")];
        assert_negated(&contract, &file, &negated);
        assert!(contract.contains("constant N = 8;"));
        assert!(contract.contains("contract Mine {"));
        assert!(contract.contains("bytes32[24] calldata proof, uint256[2] calldata publicInputs"));

        // The constants that follow from omega, in integers.
        let [r, omega] = ["R", "OMEGA"].map(|name| constant(&contract, name));
        let step = constant(&contract, "INV_STEP");
        assert_eq!((&omega - 1_u32) * step % &r, 1_u32.into());
        let interpolations = BigUint::from(8_u64.pow(8) * 4_u64.pow(4) * 3_u64.pow(6));
        let difference = (&r + 1_u32 - &omega).modpow(&6_u32.into(), &r);
        let factor = interpolations * &omega * &omega * difference * 8_u32;
        assert_eq!((constant(&contract, "FACTOR") + factor) % &r, 0_u32.into());
    }

    #[test]
    fn arrays_have_a_length_above_zero() {
        let (
            AnyVerifyingKey::Groth16(mut small),
            AnyVerifyingKey::Plonk(mut plonk),
            AnyVerifyingKey::Fflonk(mut fflonk),
        ) = (key("bn254"), key("plonk_bn254"), key("fflonk_bn254"))
        else {
            panic!("other protocols")
        };
        small.ic.truncate(1);
        plonk.public_inputs = 0;
        fflonk.public_inputs = 0;
        let keys = [
            AnyVerifyingKey::Groth16(small),
            AnyVerifyingKey::Plonk(plonk),
            AnyVerifyingKey::Fflonk(fflonk),
        ];
        for key in keys {
            let contract = contract(&key, None).unwrap();
            assert!(!contract.contains("publicInputs"), "{contract}");
            assert!(!contract.contains("(inputs"), "{contract}");
            assert!(contract.contains("one circuit with no public input."));
        }
    }

    #[test]
    fn keys_without_a_contract_are_refused() {
        let error = |key: AnyVerifyingKey| contract(&key, None).unwrap_err().to_string();
        let problem = "verifying key: is on bls12_381; contracts verify proofs on bn254 only";
        assert_eq!(error(key("bls12_381")), problem);
        assert_eq!(error(key("plonk_bls12_381")), problem);
        let (
            AnyVerifyingKey::Groth16(mut small),
            AnyVerifyingKey::Plonk(mut plonk),
            AnyVerifyingKey::Fflonk(mut fflonk),
        ) = (key("bn254"), key("plonk_bn254"), key("fflonk_bn254"))
        else {
            panic!("other protocols")
        };
        small.ic[1][0] ^= 1;
        let problem = error(AnyVerifyingKey::Groth16(small));
        assert!(problem.starts_with("verifying key: IC[1] is "), "{problem}");
        plonk.k2 = plonk.k1;
        let problem = error(AnyVerifyingKey::Plonk(plonk));
        assert!(problem.contains("overlap"), "{problem}");
        fflonk.c0[0] ^= 1;
        let problem = error(AnyVerifyingKey::Fflonk(fflonk));
        assert!(problem.starts_with("verifying key: c0 is "), "{problem}");
        let taken = contract(&key("bn254"), Some(&"IC_1_X".parse().unwrap())).unwrap_err();
        assert_eq!(taken.to_string(), "name: IC_1_X is another identifier of the contract");
    }
}
