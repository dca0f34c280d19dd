//! What can go wrong between files and a proof. A proof that is not valid is an answer, not an error.

/// The result of reading, proving, verifying.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file is not what it should be.
    #[error(transparent)]
    File(#[from] FileError),
    /// Inputs that do not belong together, or not to this protocol: a witness of another circuit, a curve without a prover.
    #[error("{argument}: {problem}")]
    Argument {
        /// The input's name.
        argument: &'static str,
        /// What was found and what was expected.
        problem: String,
    },
    /// The proof that was made does not verify, whatever device made it.
    #[error(
        "the proof does not verify: the witness does not satisfy the circuit, or the key is damaged"
    )]
    DoesNotVerify,
    /// A device gave no answer.
    #[error(transparent)]
    Device(proofmill_op::Error),
    /// Reading or writing failed.
    #[error("{name}: {source}")]
    Io {
        /// The file.
        name: String,
        /// The operating system's word.
        source: std::io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

/// Where a file is wrong, and how.
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
    /// What was found and what was expected.
    pub problem: String,
}

impl Error {
    /// An [`Error::Argument`].
    pub fn argument(argument: &'static str, problem: impl Into<String>) -> Self {
        Self::Argument { argument, problem: problem.into() }
    }
}

/// A device that reads a section of a file passes on what the file said of itself.
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
