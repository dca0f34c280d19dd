//! The outcome of a verification.

use std::fmt;

use proofmill_algebra::encoding::EncodingError;

use super::{SignatureError, Verdict};

/// The outcome of a verification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The signature is valid for the digest and the key, and complies with the policy.
    Valid,
    /// The signature is invalid, with the reason.
    Invalid(Rejection),
}

/// The reason why a signature is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The item could not be read from its file: the line has another form, or a value in it is no hex.
    #[error("malformed: {0}")]
    Malformed(String),
    /// The bytes encode no signature.
    #[error("signature: {0}")]
    Signature(SignatureError),
    /// The bytes encode no key.
    #[error("key: {0}")]
    Key(EncodingError),
    /// s is above n / 2 and below n, and the policy requires a low s.
    #[error("signature: s is above n / 2")]
    HighS,
    /// The device's verdict: at least one error bit is set.
    #[error("{}", .0.errors().collect::<Vec<_>>().join(", "))]
    Verdict(Verdict),
}

// Not by `#[from]`, which would make the reason a source too and report it twice.
impl From<SignatureError> for Rejection {
    fn from(error: SignatureError) -> Self {
        Self::Signature(error)
    }
}

impl From<EncodingError> for Rejection {
    fn from(error: EncodingError) -> Self {
        Self::Key(error)
    }
}

impl Rejection {
    /// Returns the names of all errors: those of the error bits in `spec/wire/ecdsa_verify.toml`, or one of `malformed`,
    /// `bad_signature`, `bad_key`, `high_s` if the item was not submitted to a device.
    pub fn names(&self) -> Vec<&'static str> {
        match self {
            Self::Malformed(_) => vec!["malformed"],
            Self::Signature(_) => vec!["bad_signature"],
            Self::Key(_) => vec!["bad_key"],
            Self::HighS => vec!["high_s"],
            Self::Verdict(verdict) => verdict.errors().collect(),
        }
    }
}

impl Outcome {
    /// Returns whether the signature is valid.
    pub fn is_valid(&self) -> bool {
        *self == Self::Valid
    }

    /// Returns the reason why the signature is invalid.
    pub fn rejection(&self) -> Option<&Rejection> {
        match self {
            Self::Valid => None,
            Self::Invalid(rejection) => Some(rejection),
        }
    }
}

impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        if verdict.is_valid() { Self::Valid } else { Self::Invalid(Rejection::Verdict(verdict)) }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Valid => f.write_str("valid"),
            Self::Invalid(rejection) => write!(f, "invalid: {rejection}"),
        }
    }
}
