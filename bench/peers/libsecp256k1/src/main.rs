//! Bitcoin Core's library, through the crate `secp256k1`.

use anyhow::Result;
use secp256k1::{Message, PublicKey, ecdsa};
use works::Work;
use works::ecdsa::{Encoded, Verifications, Verifier};

struct Library;

impl Verifier for Library {
    type Read = (Message, ecdsa::Signature, PublicKey);

    fn read(encoded: &Encoded) -> Result<Self::Read> {
        let signature = ecdsa::Signature::from_der(&encoded.signature)?;
        let key = PublicKey::from_slice(&encoded.key)?;
        Ok((Message::from_digest(encoded.digest), signature, key))
    }

    fn accepts((digest, signature, key): &Self::Read) -> bool {
        ecdsa::verify(signature, *digest, key).is_ok()
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
