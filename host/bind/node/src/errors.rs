//! Errors as values: JavaScript makes an exception of each.

use napi_derive::napi;
use proofmill::groth16;

/// The reason why there is no result.
#[napi(object, object_from_js = false)]
#[derive(Debug, Default)]
pub struct Failure {
    /// One of the codes of `index.d.cts`.
    pub code: &'static str,
    /// The description.
    pub message: String,
    /// The argument's name in JavaScript.
    pub argument: Option<String>,
    /// The file or the argument that is malformed.
    pub file: Option<String>,
    /// The section of the file.
    pub section: Option<String>,
    /// Bytes from the beginning of the file; of no meaning without one.
    pub offset: f64,
}

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), ..Self::default() }
    }

    /// Names the argument, unless the error has a name already.
    pub fn about(self, argument: &str) -> Self {
        Self { argument: self.argument.or_else(|| Some(argument.to_owned())), ..self }
    }
}

impl From<proofmill::Error> for Failure {
    fn from(error: proofmill::Error) -> Self {
        use proofmill::Error::*;
        let code = match &error {
            Argument { .. } => "PROOFMILL_ARGUMENT",
            Unsupported { .. } => "PROOFMILL_UNSUPPORTED",
            TimedOut { .. } => "PROOFMILL_TIMED_OUT",
            Cancelled => "PROOFMILL_CANCELLED",
            Io { .. } => "PROOFMILL_IO",
            _ => "PROOFMILL_DEVICE",
        };
        Self::new(code, error.to_string())
    }
}

impl From<groth16::Error> for Failure {
    fn from(error: groth16::Error) -> Self {
        let code = match &error {
            groth16::Error::File(_) => "PROOFMILL_FILE",
            groth16::Error::Io { .. } => "PROOFMILL_IO",
            groth16::Error::Argument { .. } => "PROOFMILL_ARGUMENT",
            groth16::Error::DoesNotVerify => "PROOFMILL_DOES_NOT_VERIFY",
            _ => "PROOFMILL_INTERNAL",
        };
        let failure = Self::new(code, error.to_string());
        match error {
            groth16::Error::Device(error) => error.into(),
            groth16::Error::File(file) => Self {
                file: Some(file.file),
                section: Some(file.section),
                offset: file.offset as f64,
                ..failure
            },
            groth16::Error::Argument { argument, .. } => failure.about(match argument {
                "witness generator" => "wasm",
                "inputs" => "input",
                "public" => "publicSignals",
                "verifying key" => "verifyingKey",
                other => other,
            }),
            _ => failure,
        }
    }
}
