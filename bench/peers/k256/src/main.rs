//! The crate `k256` of RustCrypto.

use anyhow::Result;
use k256::ecdsa::signature::hazmat::PrehashVerifier;
use k256::ecdsa::{Signature, VerifyingKey};
use works::Work;
use works::ecdsa::{Encoded, Verifications, Verifier};

struct Library;

impl Verifier for Library {
    type Read = ([u8; 32], Signature, VerifyingKey);

    fn read(encoded: &Encoded) -> Result<Self::Read> {
        let signature = Signature::from_der(&encoded.signature)?;
        let key = VerifyingKey::from_sec1_bytes(&encoded.key)?;
        Ok((encoded.digest, signature, key))
    }

    fn accepts((digest, signature, key): &Self::Read) -> bool {
        key.verify_prehash(digest, signature).is_ok()
    }
}

fn main() -> Result<()> {
    let mut verifications = Verifications::<Library>::default();
    works::serve(|work| match &work {
        Work::Ecdsa(work) => verifications.seconds(work),
        _ => work.refused(),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn verifies() {
        works::ecdsa::examine::<super::Library>();
    }
}
