//! Exceptions: the classes of `proofmill.errors`.

use proofmill::groth16;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The reason why there is no result: the name of an exception class, and the text.
pub struct Failure(&'static str, String);

pub type Outcome<T> = Result<T, Failure>;

impl Failure {
    pub fn argument(argument: &str, problem: impl std::fmt::Display) -> Self {
        Self("ArgumentError", format!("{argument}: {problem}"))
    }

    fn raised(self, py: Python<'_>) -> PyErr {
        let class = py.import("proofmill.errors").and_then(|module| module.getattr(self.0));
        match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
            Ok(class) => PyErr::from_type(class, self.1),
            Err(problem) => problem,
        }
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.raised(py))
    }
}

impl From<proofmill::Error> for Failure {
    fn from(error: proofmill::Error) -> Self {
        use proofmill::Error::*;
        let class = match &error {
            Argument { .. } => "ArgumentError",
            Unsupported { .. } => "UnsupportedError",
            TimedOut { .. } => "DeviceTimeoutError",
            Cancelled => "CancelledError",
            Io { .. } => "FileError",
            _ => "DeviceError",
        };
        Self(class, error.to_string())
    }
}

impl From<groth16::Error> for Failure {
    fn from(error: groth16::Error) -> Self {
        let class = match error {
            groth16::Error::Device(error) => return error.into(),
            groth16::Error::File(_) | groth16::Error::Io { .. } => "FileError",
            groth16::Error::Argument { .. } => "ArgumentError",
            groth16::Error::DoesNotVerify => "DoesNotVerifyError",
            _ => "Error",
        };
        Self(class, error.to_string())
    }
}
