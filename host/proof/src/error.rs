//! Errors of reading, proving and verifying. An invalid proof is a result, not an error.

/// The result of reading, proving or verifying.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of reading, proving or verifying.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is malformed.
    #[error(transparent)]
    File(#[from] FileError),
    /// Inputs that do not match each other or the protocol: a witness of another circuit, a curve without a prover.
    #[error("{argument}: {problem}")]
    Argument {
        /// The input's name.
        argument: &'static str,
        /// What was found and what was expected.
        problem: String,
    },
    /// The new proof does not verify, on any device.
    #[error(
        "the proof does not verify: the witness does not satisfy the circuit, or the key is damaged"
    )]
    DoesNotVerify,
    /// The witness does not satisfy a constraint. Only provers that know the whole constraint system report it.
    #[error("witness: does not satisfy constraint {constraint}")]
    Unsatisfied {
        /// The number of the first such constraint, from 0.
        constraint: usize,
    },
    /// A device failed.
    #[error(transparent)]
    Device(proofmill_op::Error),
    /// Reading or writing failed.
    #[error("{name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The system returned no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

/// The position of an error in a file, and the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {section}, byte {offset}: {problem}")]
#[non_exhaustive]
pub struct FileError {
    /// The file's name.
    pub file: String,
    /// The section by number and name, or the path of a JSON value.
    pub section: String,
    /// Bytes from the beginning of the file.
    pub offset: u64,
    /// The found and the expected value.
    pub problem: String,
}

impl Error {
    /// Creates an [`Error::Argument`].
    pub fn argument(argument: &'static str, problem: impl Into<String>) -> Self {
        Self::Argument { argument, problem: problem.into() }
    }

    /// Returns the error of something that was valid when its file was opened.
    pub(crate) fn after_opening(self) -> Self {
        match self {
            Self::File(wrong) => Self::File(wrong.after_opening()),
            other => other,
        }
    }
}

impl FileError {
    /// Returns the error of something that was valid when the file was opened.
    pub(crate) fn after_opening(mut self) -> Self {
        self.problem.push_str("; the file changed while it was in use");
        self
    }

    /// Creates an error at a byte of a section of a file.
    pub fn new(
        file: impl Into<String>,
        section: impl Into<String>,
        offset: u64,
        problem: impl Into<String>,
    ) -> Self {
        Self { file: file.into(), section: section.into(), offset, problem: problem.into() }
    }
}

/// Unwraps a [`FileError`] that a device got while it read a section of a file.
impl From<proofmill_op::Error> for Error {
    fn from(error: proofmill_op::Error) -> Self {
        if let proofmill_op::Error::Io { source, .. } = &error
            && let Some(wrong) =
                source.get_ref().and_then(|inner| inner.downcast_ref::<FileError>())
        {
            return Self::File(wrong.clone());
        }
        Self::Device(error)
    }
}

/// Formats a number of things: `1 value`, `2 values`.
pub(crate) fn counted(count: u64, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
