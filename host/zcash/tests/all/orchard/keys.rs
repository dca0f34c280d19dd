//! The files of `src/halo2/orchard` follow from the circuit in the crate `orchard`.
//!
//! `PROOFMILL_WRITE_ORCHARD_KEYS=1` writes them.

use std::path::Path;
use std::{env, fs};

use blake2b_simd::Params;
use halo2_proofs::plonk::keygen_vk;
use halo2_proofs::poly::commitment;
use orchard::circuit::OrchardCircuitVersion;
use pasta_curves::group::ff::{FromUniformBytes, PrimeField};
use pasta_curves::vesta;

use super::circuit::circuit;
use super::pinned;

/// The hash with which transcripts begin.
fn representative(pinned: &str) -> String {
    let mut hash = Params::new().hash_length(64).personal(b"Halo2-Verify-Key").to_state();
    hash.update(&(pinned.len() as u64).to_le_bytes()).update(pinned.as_bytes());
    hex::encode(vesta::Scalar::from_uniform_bytes(hash.finalize().as_array()).to_repr())
}

fn compare(name: &str, comment: &str, content: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/halo2/orchard").join(name);
    let content = format!("# {comment} Derived by tests/all/orchard/keys.rs.\n{content}");
    if env::var_os("PROOFMILL_WRITE_ORCHARD_KEYS").is_some() {
        fs::write(&path, &content).unwrap();
    }
    assert!(fs::read_to_string(&path).unwrap() == content, "{}", path.display());
}

#[test]
#[ignore = "12 s of processor time; proofs of every version are verified with these files"]
fn files_follow_from_the_circuits() {
    let parameters = commitment::Params::<vesta::Affine>::new(11);
    for (version, name) in [
        (OrchardCircuitVersion::InsecurePreNu6_2, "insecure_pre_nu6_2.txt"),
        (OrchardCircuitVersion::FixedPostNu6_2, "fixed_post_nu6_2.txt"),
        (OrchardCircuitVersion::PostNu6_3, "post_nu6_3.txt"),
    ] {
        let key = keygen_vk(&parameters, &circuit(version)).unwrap();
        let pinned = format!("{:?}", key.pinned());
        let (system, commitments) = pinned::files(&pinned);
        compare("action.txt", "The constraint system of Orchard's action circuit.", &system);
        let key = format!("representative {}\n{commitments}", representative(&pinned));
        compare(name, &format!("The key of version {version:?}."), &key);
    }
}
