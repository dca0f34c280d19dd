//! What became of a signature.

use std::fmt;

use proofmill_algebra::encoding::EncodingError;

use super::{SignatureError, Verdict};

/// What became of a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is a signature of the digest under the key, and the policy has nothing against it.
    Valid,
    /// It is not, and why.
    Invalid(Rejection),
}

/// Why a signature is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Rejection {
    /// The item could not be read from its file: the line is not one, or a value in it is no hex.
    #[error("malformed: {0}")]
    Malformed(String),
    /// The signature's bytes are no signature.
    #[error("signature: {0}")]
    Signature(SignatureError),
    /// The key's bytes are no key.
    #[error("key: {0}")]
    Key(EncodingError),
    /// s is above n / 2 and below n, and the policy wants it low.
    #[error("signature: s is above n / 2")]
    HighS,
    /// The device's verdict: some error is set.
    #[error("{}", .0.errors().collect::<Vec<_>>().join(", "))]
    Verdict(Verdict),
}

// Not by `#[from]`, which would make the reason a source too, and have it said twice.
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
    /// The names of what is wrong: those of the error bits in `spec/wire/ecdsa_verify.toml`, or one of `malformed`,
    /// `bad_signature`, `bad_key`, `high_s` where no device was asked.
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
    /// True when nothing is wrong.
    pub fn is_valid(&self) -> bool {
        *self == Self::Valid
    }

    /// Why it is not valid.
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
