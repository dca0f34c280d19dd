//! Pietrzak's proofs by halving (ePrint 2018/627), verified.
//!
//! A claim x^(2^t) = y and the state v halfway, after (t + 1) / 2 squarings, become one claim of half the length: x^r v to the power
//! 2^((t + 1) / 2) is v^r y, or v^r y^2 for an odd t. The challenge r is the upper half of Keccak-256(x ‖ y ‖ v), numbers in as many
//! big-endian bytes as N has: that of the contracts of Lee and others ("Implementation study of cost-effective verification for
//! Pietrzak's verifiable delay function in Ethereum smart contracts", arXiv 2405.06498).
//!
//! The proof holds modulo sign: -1 has order 2, so a prover can pass N - y off as y. Whoever uses y takes [`Claim::canonical`] of it.

use num_bigint::BigUint;
use proofmill_algebra::modulus::Residue;
use proofmill_algebra::{Isa, keccak256};

use super::{Claim, Result};
use crate::Error;

/// The largest number of squarings that the verifier makes after the last halving.
pub const MAX_REST: u64 = 1 << 16;
/// Bytes of a challenge.
const CHALLENGE_BYTES: usize = 16;

/// Verifies a proof: the output and the state of each halving, as little-endian numbers below N.
pub fn verify(claim: &Claim, output: &[u8], halvings: &[impl AsRef<[u8]>]) -> Result<bool> {
    let mut rest = claim.squarings;
    for _ in halvings {
        if rest < 2 {
            let problem = format!(
                "{} states; {} squarings have fewer halvings",
                halvings.len(),
                claim.squarings
            );
            return Err(Error::argument("halvings", problem));
        }
        rest = rest.div_ceil(2);
    }
    if rest > MAX_REST {
        let problem = format!(
            "{} states leave {rest} squarings; expected at most {MAX_REST}",
            halvings.len()
        );
        return Err(Error::argument("halvings", problem));
    }
    let mut x = claim.x.clone();
    let mut y = claim.number("output", output)?;
    let mut t = claim.squarings;
    for v in halvings {
        let v = claim.number("halvings", v.as_ref())?;
        (x, y) = halve(claim, &x, &y, t, &v);
        t = t.div_ceil(2);
    }
    let mut power = claim.residue(&x);
    claim.arithmetic().square_many_times(Isa::best(), &mut power, t);
    Ok(claim.value(&power) == y)
}

/// Returns x and y of the claim of half the length.
fn halve(claim: &Claim, x: &BigUint, y: &BigUint, t: u64, v: &BigUint) -> (BigUint, BigUint) {
    let hashed: Vec<u8> = [x, y, v].into_iter().flat_map(|it| claim.hashed_bytes(it)).collect();
    let r = BigUint::from_bytes_be(&keccak256::hash(&hashed)[..CHALLENGE_BYTES]).to_u64_digits();
    let [x, mut y, v] = [x, y, v].map(|number| claim.residue(number));
    if t % 2 == 1 {
        claim.arithmetic().square_repeatedly(&mut y, 1);
    }
    let power = |base: &Residue| claim.arithmetic().product_of_powers(&[(base, &*r)]);
    let halved = |base, factor| claim.value(&claim.arithmetic().multiply(&power(base), factor));
    (halved(&x, &v), halved(&v, &y))
}
