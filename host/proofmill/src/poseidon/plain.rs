//! circomlib's Poseidon over BN254, and Poseidon2 over BN254 and Goldilocks: scalar code on the calling thread, without a device.
//!
//! Elements are canonical integers, little-endian, [`Instance::element_bytes`] each.
//!
//! ```
//! use proofmill::poseidon::plain::{self, Instance};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // circomlib's poseidon([1, 2]).
//! let mut preimage = [0; 64];
//! (preimage[0], preimage[32]) = (1, 2);
//! let digest = plain::hash(Instance::Circom, 2, &preimage)?;
//! assert_eq!(digest[..4], [0x9a, 0x18, 0x17, 0x44]);
//!
//! // Poseidon2 is a permutation: twelve elements in, twelve out.
//! let state = plain::hash(plain::instance("poseidon2_goldilocks")?, 12, &[0; 96])?;
//! assert_eq!(state.len(), 96);
//! # Ok(())
//! # }
//! ```

pub use proofmill_algebra::poseidon::plain::Instance;

use crate::{Error, Result};

/// The instance of this name; an error that names all if there is none.
pub fn instance(name: &str) -> Result<Instance> {
    Instance::ALL.into_iter().find(|instance| instance.name() == name).ok_or_else(|| {
        let all = Instance::ALL.map(Instance::name).join(", ");
        Error::argument("instance", format!("'{name}' is unknown; expected one of {all}"))
    })
}

/// The digests of preimages of `arity` elements each, which follow each other. An error names an arity that there is not, bytes that are
/// not whole preimages, and the first element that is not below the modulus.
pub fn hash(instance: Instance, arity: usize, preimages: &[u8]) -> Result<Vec<u8>> {
    let arities = instance.arities();
    if !arities.contains(&arity) {
        let all = arities.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        return Err(Error::argument("arity", format!("is {arity}; {instance} has {all}")));
    }
    let (bytes, each) = (preimages.len(), arity * instance.element_bytes());
    if !bytes.is_multiple_of(each) {
        let problem = format!("{bytes} bytes are not a whole number of {each}-byte preimages");
        return Err(Error::argument("preimages", problem));
    }
    let digest_bytes = instance.digest_elements(arity) * instance.element_bytes();
    let mut digests = vec![0; bytes / each * digest_bytes];
    instance.hash(arity, preimages, &mut digests).map_err(|wrong| {
        let (preimage, element) = (wrong.0 / arity, wrong.0 % arity);
        let problem = format!("element {element} of preimage {preimage} is not below the modulus");
        Error::argument("preimages", problem)
    })?;
    Ok(digests)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_the_argument() {
        let problem =
            |known, arity, preimages: &[u8]| hash(known, arity, preimages).unwrap_err().to_string();
        assert_eq!(
            problem(Instance::Poseidon2Bn254, 5, &[]),
            "arity: is 5; poseidon2_bn254 has 2, 3, 4, 8, 12, 16"
        );
        assert_eq!(
            problem(Instance::Poseidon2Goldilocks, 8, &[0; 65]),
            "preimages: 65 bytes are not a whole number of 64-byte preimages"
        );
        let mut preimages = [0; 128];
        preimages[96..].fill(0xff);
        assert_eq!(
            problem(Instance::Circom, 2, &preimages),
            "preimages: element 1 of preimage 1 is not below the modulus"
        );
        let problem = instance("circomlib").unwrap_err().to_string();
        assert!(problem.starts_with("instance: 'circomlib' is unknown; expected one of circom, "));
        assert!(hash(Instance::Circom, 1, &[]).unwrap().is_empty());
        for known in Instance::ALL {
            assert_eq!(instance(known.name()).unwrap(), known);
        }
    }
}
