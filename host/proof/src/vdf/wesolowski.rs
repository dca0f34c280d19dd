//! Wesolowski's proofs (ePrint 2018/623) in the group of residues modulo N and sign.
//!
//! For the prime l that a hash of the claim chooses, the proof of y = x^(2^t) is pi = x^floor(2^t / l). The verifier checks
//! pi^l x^(2^t mod l) = y. Elements are the smaller of z and N - z, because -1 has order 2 (Boneh, Bünz, Fisch, ePrint 2018/712, section 3.3).
//!
//! l = HashPrime(s, 264, {263}) of Chia's VDF ([`hash_prime`]), with s = SHA-256(`"proofmill/vdf/wesolowski/v1"` ‖ t ‖ N ‖ x ‖ y), t in
//! 8 big-endian bytes and the numbers in as many as N has. `spec/model/vdf.py` is the executable specification.

use num_bigint::BigUint;
use proofmill_algebra::modulus::Residue;
use proofmill_op::{Cancel, Device, Progress, Submit};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::prime::hash_prime;
use super::quotient::{Division, Plan};
use super::{Claim, Result};
use crate::Error;

/// Bits of the prime l.
pub const CHALLENGE_BITS: usize = 264;
const DOMAIN: &[u8] = b"proofmill/vdf/wesolowski/v1";

/// Settings of [`prove`].
#[derive(Clone, Debug)]
pub struct Settings {
    /// The memory limit for states and buckets. Less memory takes more multiplications.
    pub max_bytes: u64,
    /// The progress callback.
    pub progress: Option<Progress>,
    /// Cancels the evaluation and the proof.
    pub cancel: Cancel,
}

impl Default for Settings {
    /// 256 MiB.
    fn default() -> Self {
        Self { max_bytes: 256 << 20, progress: None, cancel: Cancel::new() }
    }
}

/// An output and its proof, in little-endian bytes, as many as the modulus has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The smaller of y and N - y for y = x^(2^t).
    pub output: Vec<u8>,
    /// The proof, likewise.
    pub proof: Vec<u8>,
}

/// Evaluates the claim on the device, proves the output with the threads of the current pool, and verifies the proof.
pub fn prove(device: &dyn Device, claim: &Claim, settings: &Settings) -> Result<Proof> {
    let plan = Plan::new(claim, settings.max_bytes, rayon::current_num_threads());
    let share = plan.evaluation_share(claim.squarings);
    let mut request = claim.request(plan.stride());
    request.progress = settings
        .progress
        .clone()
        .map(|progress| Progress::new(move |done| progress.report(done * share)));
    let states = device.submit(request).map_err(Error::Device)?.linked_to(&settings.cancel);
    let states = states.wait().map_err(Error::Device)?.states;
    let rest = settings
        .progress
        .clone()
        .map(|progress| Progress::new(move |done| progress.report(share + done * (1.0 - share))));
    prove_with_states(
        claim,
        plan.stride(),
        &states,
        &Settings { progress: rest, ..settings.clone() },
    )
}

/// Proves an output from the states of its evaluation: x^(2^i) for each multiple i of the stride below t, and for i = t, one after the
/// other in little-endian bytes, as a device returns them.
pub fn prove_with_states(
    claim: &Claim,
    stride: u64,
    states: &[u8],
    settings: &Settings,
) -> Result<Proof> {
    let (states, output) = read_states(claim, stride, states)?;
    let prime = challenge(claim, &output)?;
    let plan = Plan::with_stride(claim, stride, settings.max_bytes, rayon::current_num_threads())?;
    let division = Division { claim, plan, prime: &prime, states: &states };
    let power = division.power(settings)?;
    let proof = claim.smaller(claim.value(&power));
    let found = Proof { output: claim.bytes(&output), proof: claim.bytes(&proof) };
    if !verify(claim, &found.output, &found.proof)? {
        let problem = "do not belong to the claim: the proof made from them does not verify";
        return Err(Error::argument("states", problem));
    }
    Ok(found)
}

/// Returns x, the states below t, and the output modulo sign.
fn read_states(claim: &Claim, stride: u64, bytes: &[u8]) -> Result<(Vec<Residue>, BigUint)> {
    let each = claim.byte_count();
    let expected = claim.squarings.div_ceil(stride.max(1));
    if stride == 0 || bytes.len() as u64 != expected * each as u64 {
        let found = bytes.len();
        let problem = format!("{found} bytes; expected {expected} states of {each} bytes");
        return Err(Error::argument("states", problem));
    }
    let (before, last) = bytes.split_at(bytes.len() - each);
    let input = claim.input();
    let all = std::iter::once(&*input).chain(before.chunks_exact(each));
    let not_below = || Error::argument("states", "one is not below the modulus");
    let read = |bytes: &[u8]| claim.arithmetic().residue(bytes).ok_or_else(not_below);
    let states = all.map(read).collect::<Result<_>>()?;
    Ok((states, claim.smaller(claim.number("states", last)?)))
}

/// Verifies a proof. The output and the proof are little-endian numbers in [0, N / 2]; others are errors, because a verifier that accepts
/// both y and N - y leaves a bit of the output to the prover.
pub fn verify(claim: &Claim, output: &[u8], proof: &[u8]) -> Result<bool> {
    let output = claim.smaller_number("output", output)?;
    let proof = claim.smaller_number("proof", proof)?;
    let prime = challenge(claim, &output)?;
    let remainder = BigUint::from(2_u8).modpow(&claim.squarings.into(), &prime);
    let (pi, x) = (claim.residue(&proof), claim.residue(&claim.x));
    let powers = [(&pi, &*prime.to_u64_digits()), (&x, &*remainder.to_u64_digits())];
    let found = claim.value(&claim.arithmetic().product_of_powers(&powers));
    Ok(claim.smaller(found) == output)
}

/// Verifies many proofs with the threads of the current pool. The verdicts are in the order of the proofs.
pub fn verify_batch(proofs: &[(Claim, Proof)]) -> Vec<Result<bool>> {
    proofs.par_iter().map(|(claim, found)| verify(claim, &found.output, &found.proof)).collect()
}

/// Returns the prime l of a claim and its output modulo sign.
fn challenge(claim: &Claim, output: &BigUint) -> Result<BigUint> {
    let mut hash = Sha256::new_with_prefix(DOMAIN);
    hash.update(claim.squarings.to_be_bytes());
    for value in [claim.n(), &claim.smaller(claim.x.clone()), output] {
        hash.update(claim.hashed_bytes(value));
    }
    hash_prime(&hash.finalize(), CHALLENGE_BITS, &[CHALLENGE_BITS - 1])
}
