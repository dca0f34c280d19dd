//! Whole blocks, verified by the Zcash crates as Zebra combines them: parsing, Equihash and difficulty, Merkle root, Sapling and Orchard
//! bundles in a batch for each group, JoinSplits, and transparent inputs whose outputs are in the file. Not verified, though ours does:
//! the other rules of structure, double spends in a block, and inputs before Overwinter, of which these crates have no digest.

mod circuits;
mod transparent;

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use orchard::circuit::VerifyingKey;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use rayon::ThreadPool;
use rayon::prelude::*;
use sapling_crypto::circuit::{
    OutputParameters, OutputVerifyingKey, SpendParameters, SpendVerifyingKey,
};
use sapling_crypto::prover::{OutputProver as _, SpendProver as _};
use sha2::{Digest as _, Sha256};
use transparent::{Outputs, Signed};
use works::{Kept, thread_pool, zcash::Work};
use zcash_primitives::block::Block;
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::MAIN_NETWORK;

/// Blocks of a group, as in `BlockGroup` of ours.
const GROUP: usize = 1024;

fn main() -> Result<()> {
    let keys = Keys::new()?;
    let mut pools = Kept::default();
    works::serve(|work| match &work {
        works::Work::Sapling(work) => {
            prove(pools.get(work.threads, |&threads| thread_pool(threads))?, &keys, work)
        }
        works::Work::Zcash(work) => {
            seconds(pools.get(work.threads, |&threads| thread_pool(threads))?, &keys, work)
        }
        _ => work.refused(),
    })
}

/// The parameters and verifying keys.
struct Keys {
    parameters: (SpendParameters, OutputParameters),
    spend: SpendVerifyingKey,
    output: OutputVerifyingKey,
    joinsplit: groth16::PreparedVerifyingKey<bls12_381::Bls12>,
    action: VerifyingKey,
}

impl Keys {
    fn new() -> Result<Self> {
        let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
        let spend = SpendParameters::read(&spend[..], false)?;
        let output = OutputParameters::read(&output[..], false)?;
        let sprout = include_bytes!("../../../../host/zcash/src/keys/sprout.vk");
        let joinsplit = groth16::VerifyingKey::read(&sprout[..])?;
        Ok(Self {
            spend: spend.verifying_key(),
            output: output.verifying_key(),
            parameters: (spend, output),
            joinsplit: groth16::prepare_verifying_key(&joinsplit),
            action: VerifyingKey::build(orchard::circuit::OrchardCircuitVersion::InsecurePreNu6_2),
        })
    }
}

/// Proves a circuit.
fn prove(pool: &ThreadPool, keys: &Keys, work: &works::sapling::Work) -> Result<f64> {
    let circuit = || circuits::circuits().context("the inputs of the circuits");
    let made: Vec<_> = (0..work.count).map(|_| circuit()).collect::<Result<_>>()?;
    pool.install(|| {
        let start = Instant::now();
        for (spend, output) in made {
            if work.spend {
                black_box(keys.parameters.0.create_proof(spend, &mut UnwrapErr(SysRng)));
            } else {
                black_box(keys.parameters.1.create_proof(output, &mut UnwrapErr(SysRng)));
            }
        }
        Ok(start.elapsed().as_secs_f64())
    })
}

fn seconds(pool: &ThreadPool, keys: &Keys, work: &Work) -> Result<f64> {
    let bytes = std::fs::read(&work.file).with_context(|| work.file.display().to_string())?;
    let blocks = frames(&bytes)?;
    let blocks: Vec<_> = (0..work.repeat).flat_map(|_| blocks.iter().copied()).collect();
    pool.install(|| {
        let start = Instant::now();
        let mut outputs = Outputs::default();
        for group in blocks.chunks(GROUP) {
            verify(group, keys, &mut outputs)?;
        }
        Ok(start.elapsed().as_secs_f64())
    })
}

/// Splits a file into blocks: magic number, length, block.
fn frames(mut bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut blocks = Vec::new();
    while let Some((frame, rest)) = bytes.split_first_chunk::<8>() {
        let [_, _, _, _, a, b, c, d] = *frame;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        blocks.push(rest.get(..length).context("a block does not end")?);
        bytes = &rest[length..];
    }
    Ok(blocks)
}

fn verify(group: &[&[u8]], keys: &Keys, outputs: &mut Outputs) -> Result<()> {
    let blocks: Vec<Vec<Transaction>> =
        group.par_iter().map(|bytes| header_and_root(bytes)).collect::<Result<_>>()?;
    let mut transactions = Vec::new();
    for block in blocks {
        block.iter().for_each(|transaction| outputs.add(transaction));
        transactions.extend(block.into_iter().map(|it| (outputs.spent_by(&it), it)));
    }
    let signed = transactions.into_par_iter().map(|(spent, it)| Signed::new(it, spent));
    let signed: Vec<_> = signed.collect();
    signed.par_iter().try_for_each(Signed::verify_inputs)?;
    signed.par_iter().try_for_each(|signed| joinsplits(signed, keys))?;
    bundles(&signed, keys)
}

/// Parses a block; verifies Equihash, the difficulty target and the Merkle root.
fn header_and_root(bytes: &[u8]) -> Result<Vec<Transaction>> {
    const HEADER: usize = 1487;
    let header = bytes.get(..HEADER).context("a short block")?;
    equihash::is_valid_solution(200, 9, &header[..108], &header[108..140], &header[143..])?;
    let hash: [u8; 32] = Sha256::digest(Sha256::digest(header)).into();
    let block = Block::read(bytes, &MAIN_NETWORK)?;
    let (header, transactions) = block.into_parts();
    let (exponent, mantissa) = ((header.bits >> 24) as usize, header.bits & 0x7f_ffff);
    let mut target = [0u8; 40];
    target[exponent - 3..exponent].copy_from_slice(&mantissa.to_le_bytes()[..3]);
    ensure!(hash.iter().rev().le(target[..32].iter().rev()), "the difficulty");
    let mut nodes: Vec<[u8; 32]> = transactions.iter().map(|it| *it.txid().as_ref()).collect();
    while nodes.len() > 1 {
        let pair = |pair: &[[u8; 32]]| {
            Sha256::digest(Sha256::digest([pair[0], pair[pair.len() - 1]].concat())).into()
        };
        nodes = nodes.chunks(2).map(pair).collect();
    }
    ensure!(nodes[0] == header.merkle_root, "the Merkle root");
    Ok(transactions.into_iter().collect())
}

/// JoinSplits with Groth16 proofs, and their signature.
fn joinsplits(signed: &Signed, keys: &Keys) -> Result<()> {
    let Some(bundle) = signed.transaction().sprout_bundle() else { return Ok(()) };
    if let Some(digest) = signed.shielded() {
        let key = ed25519_zebra::VerificationKey::try_from(bundle.joinsplit_pubkey)?;
        key.verify(&bundle.joinsplit_sig.into(), &digest)?;
    }
    for joinsplit in &bundle.joinsplits {
        let Some(proof) = joinsplit.groth_proof_bytes() else { continue };
        let [nullifiers, macs, commitments] =
            [joinsplit.nullifiers(), joinsplit.macs(), joinsplit.commitments()];
        let h_sig = blake2b_simd::Params::new()
            .hash_length(32)
            .personal(b"ZcashComputehSig")
            .to_state()
            .update(joinsplit.random_seed())
            .update(nullifiers.as_flattened())
            .update(&bundle.joinsplit_pubkey)
            .finalize();
        let h_sig: [u8; 32] = h_sig.as_bytes().try_into()?;
        let public = |value: zcash_protocol::value::ZatBalance| u64::try_from(i64::from(value));
        let valid = zcash_proofs::sprout::verify_proof(
            proof,
            joinsplit.anchor(),
            &h_sig,
            &macs[0],
            &macs[1],
            &nullifiers[0],
            &nullifiers[1],
            &commitments[0],
            &commitments[1],
            public(joinsplit.vpub_old())?,
            public(joinsplit.vpub_new())?,
            &keys.joinsplit,
        );
        ensure!(valid, "a JoinSplit");
    }
    Ok(())
}

/// Sapling and Orchard: all bundles with known digests in one batch.
fn bundles(signed: &[Signed], keys: &Keys) -> Result<()> {
    let mut sapling = sapling_crypto::BatchValidator::new();
    let mut orchard = orchard::bundle::BatchValidator::new(&keys.action);
    for signed in signed {
        let Some(digest) = signed.shielded() else { continue };
        if let Some(bundle) = signed.transaction().sapling_bundle() {
            ensure!(sapling.check_bundle(bundle.clone(), digest), "a Sapling bundle");
        }
        if let Some(bundle) = signed.transaction().orchard_bundle()
            && let Err(error) = orchard.add_bundle(bundle, digest)
        {
            bail!("an Orchard bundle: {error}");
        }
    }
    ensure!(sapling.validate(&keys.spend, &keys.output, UnwrapErr(SysRng)), "Sapling");
    ensure!(orchard.validate(UnwrapErr(SysRng)), "Orchard");
    Ok(())
}
