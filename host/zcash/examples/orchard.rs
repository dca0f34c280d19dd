//! Verifies the Orchard proofs of block files, and times the verifiers of proofmill and of the crate `orchard` on them:
//!
//! ```text
//! cargo run --release -p proofmill-zcash --example orchard -- zebra-test/src/vectors/block-main-1-687-*.txt
//! ```
//!
//! A file has blocks of mainnet in any form of `BlockReader`. All proofs are of circuits before NU6.2. Both verifiers run on the threads of rayon
//! (`RAYON_NUM_THREADS`); signatures are not verified.

#[path = "../tests/all/orchard/blocks.rs"]
mod blocks;
#[path = "../tests/all/orchard/circuit.rs"]
mod circuit;

use std::env;
use std::fs::File;
use std::sync::Arc;
use std::time::Instant;

use halo2_proofs::plonk::{BatchVerifier, keygen_vk};
use halo2_proofs::poly::commitment;
use orchard::circuit::OrchardCircuitVersion;
use pasta_curves::arithmetic::CurveAffine;
use pasta_curves::group::ff::{Field, PrimeField};
use pasta_curves::group::{Curve, GroupEncoding};
use pasta_curves::{pallas, vesta};
use proofmill_cpu::CpuDevice;
use proofmill_zcash::{BlockReader, Network, OrchardProof, OrchardVerifier};

/// Each proof occurs this many times in the batch.
const COPIES: usize = 10;
/// Batches of each verifier; the fastest one counts.
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut bundles = vec![];
    for path in env::args().skip(1) {
        for block in BlockReader::new(File::open(path)?, Network::MainNetwork) {
            bundles.extend(blocks::bundles(&block?));
        }
    }
    let some: Vec<_> = bundles.iter().map(OrchardProof::from).collect();
    let proofs: Vec<_> = (0..COPIES).flat_map(|_| some.clone()).collect();
    let actions: usize = proofs.iter().map(|proof| proof.actions.len()).sum();
    println!("{} proofs of {actions} actions", proofs.len());

    let threads = env::var("RAYON_NUM_THREADS").ok().and_then(|it| it.parse().ok());
    let ours = OrchardVerifier::new(Arc::new(CpuDevice::new(threads)?));
    let start = Instant::now();
    assert!(ours.find_invalid(&proofs[..1])?.is_empty());
    println!("the first proof, with generators and key: {:.1?}", start.elapsed());
    let ours = fastest(|| ours.find_invalid(&proofs).is_ok_and(|invalid| invalid.is_empty()));
    println!("proofmill: {ours:.4} s");

    let start = Instant::now();
    let parameters = commitment::Params::<vesta::Affine>::new(11);
    let key = keygen_vk(&parameters, &circuit::circuit(OrchardCircuitVersion::InsecurePreNu6_2))?;
    println!("halo2_proofs, parameters and key: {:.1?}", start.elapsed());
    let theirs = fastest(|| {
        let mut batch = BatchVerifier::new();
        for proof in &proofs {
            batch.add_proof(instances(proof), proof.proof.to_vec());
        }
        batch.finalize(&parameters, &key)
    });
    println!("halo2_proofs: {theirs:.4} s, {:.2} times as long", theirs / ours);
    Ok(())
}

/// Returns the seconds of the fastest batch.
fn fastest(accepts: impl Fn() -> bool) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        assert!(accepts());
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// Returns the instance column of each action.
fn instances(proof: &OrchardProof<'_>) -> Vec<Vec<Vec<pallas::Base>>> {
    let scalar = |bytes: &[u8; 32]| pallas::Base::from_repr(*bytes).expect("canonical");
    let point = |bytes: &[u8; 32]| {
        let point = pallas::Point::from_bytes(bytes).expect("a point").to_affine();
        let coordinates = point.coordinates().expect("not the identity");
        [*coordinates.x(), *coordinates.y()]
    };
    let flag = |is_set: bool| if is_set { pallas::Base::ONE } else { pallas::Base::ZERO };
    let column = |action: &proofmill_zcash::OrchardAction| {
        let [cv_x, cv_y] = point(&action.cv_net);
        let [rk_x, rk_y] = point(&action.rk);
        let [anchor, nullifier, cmx] = [&proof.anchor, &action.nullifier, &action.cmx].map(scalar);
        let flags = [proof.flags.enable_spends, proof.flags.enable_outputs].map(flag);
        vec![vec![anchor, cv_x, cv_y, nullifier, rk_x, rk_y, cmx, flags[0], flags[1]]]
    };
    proof.actions.iter().map(column).collect()
}
