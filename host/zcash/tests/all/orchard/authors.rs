//! The proofs in `tests/data`: of every version, one action each.

use proofmill_zcash::{OrchardAction, OrchardCircuitVersion, OrchardFlags, OrchardProof};

use OrchardCircuitVersion::{FixedPostNu6_2, InsecurePreNu6_2, PostNu6_3};

const FILES: [(OrchardCircuitVersion, &[u8]); 4] = [
    (InsecurePreNu6_2, include_bytes!("../../data/orchard_insecure.bin")),
    (FixedPostNu6_2, include_bytes!("../../data/orchard_fixed.bin")),
    (PostNu6_3, include_bytes!("../../data/orchard_post_nu6_3.bin")),
    (PostNu6_3, include_bytes!("../../data/orchard_post_nu6_3_restricted.bin")),
];

/// Returns the proofs, by version.
pub fn proofs() -> Vec<OrchardProof<'static>> {
    FILES.into_iter().map(|(version, file)| proof(version, file)).collect()
}

fn proof(version: OrchardCircuitVersion, file: &'static [u8]) -> OrchardProof<'static> {
    let (inputs, rest) = file.split_at(5 * 32);
    let [anchor, cv_net, nullifier, rk, cmx] = inputs.as_chunks().0[..] else { panic!("five") };
    let (flags, proof) = rest.split_at(if version == PostNu6_3 { 3 } else { 2 });
    let flags = OrchardFlags {
        enable_spends: flags[0] == 1,
        enable_outputs: flags[1] == 1,
        enable_cross_address: flags.get(2) != Some(&1),
    };
    let actions = vec![OrchardAction { cv_net, nullifier, rk, cmx }];
    OrchardProof { version, proof, anchor, flags, actions }
}
