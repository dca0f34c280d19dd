//! Requests of `ecdsa_verify`: the rest of the input is cut into signatures, which the first byte repeats.

use proofmill_algebra::Isa;
use proofmill_algebra::secp256k1::ecdsa::{Claim, Verdict, verify_batch_vartime, verify_vartime};
use proofmill_op::ecdsa_verify::{Request, SIGNATURE_BYTES};
use proofmill_testkit::vectors;

use crate::choose;

/// Checks that every path returns the same verdicts, and that a partial signature is refused.
pub(crate) fn run(input: &[u8]) {
    let Some((copies, bytes)) = choose(&[1, 2, 3, 9], input) else { return };
    let whole = bytes.len().is_multiple_of(SIGNATURE_BYTES);
    assert_eq!(Request::new(bytes).count().is_ok(), whole);
    let (signatures, _) = bytes.as_chunks();
    let claims: Vec<_> = signatures.iter().map(claim).collect();
    let one_by_one: Vec<_> = claims.iter().map(verify_vartime).collect();
    for isa in [Isa::words(), Isa::best()] {
        let claims = claims.repeat(copies);
        let mut verdicts = vec![Verdict::default(); claims.len()];
        verify_batch_vartime(isa, &claims, &mut verdicts);
        assert_eq!(verdicts, one_by_one.repeat(copies), "{isa}");
    }
}

fn claim(signature: &[u8; SIGNATURE_BYTES]) -> Claim {
    let (words, _) = signature.as_chunks();
    let integer = |i: usize| std::array::from_fn(|j| u64::from_le_bytes(words[4 * i + j]));
    Claim { s: integer(0), r: integer(1), z: integer(2), qx: integer(3), qy: integer(4) }
}

/// Returns the vectors in pairs.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let cases = vectors::ecdsa_verify().expect("vectors that can be read");
    let bytes: Vec<_> = cases.iter().map(|case| case.signature.to_bytes()).collect();
    bytes.chunks(2).enumerate().map(|(i, two)| [&[i as u8], &two.concat()[..]].concat()).collect()
}
