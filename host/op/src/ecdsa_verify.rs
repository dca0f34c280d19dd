//! `ecdsa_verify`: verifies that (r, s) is a signature of a digest under a public key, on secp256k1.
//!
//! The verification is that of SEC 1 version 2.0, section 4.1.4, from the digest on, in the numbering of
//! `spec/wire/ecdsa_verify.toml`. Values of s above n / 2 are accepted; rejecting them is a policy of the caller.

use crate::{Argument, Capability, Data, Error, Operation, Result};

/// Bytes of one signature with its digest and key in a request: [`Signature::to_bytes`].
pub const SIGNATURE_BYTES: usize = 160;

/// A signature with its digest and its public key: five integers of 256 bits, little-endian, any values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Signature {
    /// s of the signature.
    pub s: [u8; 32],
    /// r of the signature.
    pub r: [u8; 32],
    /// The digest as an integer: its 32 bytes in reverse order.
    pub hash: [u8; 32],
    /// x coordinate of the public key.
    pub qx: [u8; 32],
    /// y coordinate of the public key.
    pub qy: [u8; 32],
}

impl Signature {
    /// Encodes s, r, hash, qx, qy, in the layout of a command.
    pub fn to_bytes(&self) -> [u8; SIGNATURE_BYTES] {
        let mut bytes = [0; SIGNATURE_BYTES];
        let fields = [self.s, self.r, self.hash, self.qx, self.qy];
        for (part, field) in bytes.chunks_exact_mut(32).zip(fields) {
            part.copy_from_slice(&field);
        }
        bytes
    }

    /// Decodes [`Self::to_bytes`].
    pub fn from_bytes(bytes: &[u8; SIGNATURE_BYTES]) -> Self {
        let field = |i: usize| std::array::from_fn(|j| bytes[32 * i + j]);
        Self { s: field(0), r: field(1), hash: field(2), qx: field(3), qy: field(4) }
    }
}

/// Some signatures to be verified.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// Signatures one after the other, each [`SIGNATURE_BYTES`] long: [`Signature::to_bytes`].
    pub signatures: Data,
}

impl Request {
    /// Parses the bytes of [`Signature::to_bytes`].
    pub fn new(signatures: impl Into<Data>) -> Self {
        Self { signatures: signatures.into() }
    }

    /// Number of signatures. An error when the bytes are not a whole number of them.
    pub fn count(&self) -> Result<usize> {
        let bytes = self.signatures.len();
        if !bytes.is_multiple_of(SIGNATURE_BYTES) {
            return Err(Error::argument(
                Argument::Signatures,
                format!(
                    "{bytes} bytes are not a whole number of {SIGNATURE_BYTES}-byte signatures"
                ),
            ));
        }
        Ok(bytes / SIGNATURE_BYTES)
    }
}

/// Verdicts in the order of the signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// One a signature.
    pub verdicts: Vec<Verdict>,
    /// Clock cycles of each, as a card counts them, 65535 for more; nothing where there is no such clock.
    pub cycles: Option<Vec<u16>>,
}

/// ECDSA verification on secp256k1.
pub struct EcdsaVerify;

impl Operation for EcdsaVerify {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "ecdsa_verify";

    fn capability(_: &Request) -> Capability {
        Capability::EcdsaVerify
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.signatures]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response.verdicts == other.verdicts
    }

    fn items(request: &Request) -> Result<Option<usize>> {
        request.count().map(Some)
    }

    fn join(_: &Request, parts: Vec<Response>) -> Response {
        let cycles = parts.iter().map(|part| part.cycles.clone()).collect::<Option<Vec<_>>>();
        let verdicts = parts.into_iter().flat_map(|part| part.verdicts).collect();
        Response { verdicts, cycles: cycles.map(|lists| lists.concat()) }
    }
}

crate::verdict::verdict! {
    /// The verdict on a signature: some of six errors, or none.
    {
        /// r is 0, or not below n.
        OUT_OF_RANGE_R = 0, "out_of_range_r";
        /// s is 0, or not below n.
        OUT_OF_RANGE_S = 1, "out_of_range_s";
        /// The sum of the two multiples is the identity.
        X_INFINITY_POINT = 2, "x_infinity_point";
        /// The signature is not valid; comes with every other bit.
        FAILED_SIG_VER = 3, "failed_sig_ver";
        /// The timeout of the published card. No device of this repository reports it.
        TIMEOUT_FAIL = 4, "timeout_fail";
        /// The key has a coordinate that is not below p, or is not on the curve.
        INVALID_KEY = 5, "invalid_key";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_bits_are_those_of_the_wire() {
        let text = proofmill_spec::text(proofmill_spec::WIRE, "ecdsa_verify").unwrap();
        let spec: toml::Table = text.parse().unwrap();
        let errors = spec["errors"].as_table().unwrap();
        assert_eq!(errors.len(), Verdict::NAMES.len());
        for (bit, name) in Verdict::NAMES {
            assert_eq!(1i64 << errors[name]["bit"].as_integer().unwrap(), i64::from(bit), "{name}");
        }
        let fields = spec["command"]["fields"].as_array().unwrap();
        let names: Vec<_> =
            fields[1..].iter().map(|field| field["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["s", "r", "hash", "qx", "qy"]);
    }

    #[test]
    fn bytes_are_in_the_order_of_the_wire() {
        let bytes: [u8; SIGNATURE_BYTES] = std::array::from_fn(|i| i as u8);
        let signature = Signature::from_bytes(&bytes);
        assert_eq!((signature.s[0], signature.r[0], signature.hash[0]), (0, 32, 64));
        assert_eq!((signature.qx[31], signature.qy[0]), (127, 128));
        assert_eq!(signature.to_bytes(), bytes);
    }

    #[test]
    fn a_part_of_a_signature_is_refused() {
        assert_eq!(Request::new(vec![0; 320]).count().unwrap(), 2);
        let problem = Request::new(vec![0; 161]).count().unwrap_err();
        assert!(
            matches!(problem, Error::Argument { argument: Argument::Signatures, .. }),
            "{problem}"
        );
    }
}
