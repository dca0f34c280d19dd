//! Stub.
pub enum SignatureKind {
    SaplingSpendAuth,
    SaplingBinding,
    OrchardSpendAuth,
    OrchardBinding,
}
pub struct Signature {
    pub kind: SignatureKind,
    pub key: [u8; 32],
    pub signature: [u8; 64],
    pub message: [u8; 32],
}
impl std::fmt::Debug for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("")
    }
}
pub fn find_invalid(
    signatures: &[Signature],
    _isa: proofmill_algebra::Isa,
) -> crate::Result<Vec<usize>> {
    let mut bad = vec![];
    for (i, s) in signatures.iter().enumerate() {
        let ok = match s.kind {
            SignatureKind::SaplingSpendAuth => {
                redjubjub::VerificationKey::<redjubjub::SpendAuth>::try_from(s.key)
                    .is_ok_and(|k| k.verify(&s.message, &s.signature.into()).is_ok())
            }
            SignatureKind::SaplingBinding => {
                redjubjub::VerificationKey::<redjubjub::Binding>::try_from(s.key)
                    .is_ok_and(|k| k.verify(&s.message, &s.signature.into()).is_ok())
            }
            _ => true,
        };
        if !ok {
            bad.push(i);
        }
    }
    Ok(bad)
}
