//! What can go wrong between asking and answering. An invalid proof or signature is an answer, not an error.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The result of asking a device.
pub type Result<T> = std::result::Result<T, Error>;

/// Why there is no answer. Cloneable, because one lost device fails many tickets.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// The caller's argument is not of the form that the operation demands.
    Argument {
        /// The argument's name, as the caller wrote it.
        argument: &'static str,
        /// What was found and what was expected.
        problem: String,
    },
    /// The device does not offer the operation, the instance or the size.
    Unsupported {
        /// The device's URI.
        device: String,
        /// What was asked of it.
        what: String,
    },
    /// The device could not be opened.
    Open {
        /// The URI that was given.
        device: String,
        /// The reason and, where there is one, the mend.
        problem: String,
    },
    /// The device could not do this one thing, or did it wrong; it lives on.
    Failed {
        /// The device's URI.
        device: String,
        /// What was seen.
        problem: String,
    },
    /// The device died, or answered what no healthy device answers. Every outstanding ticket gets this.
    Lost {
        /// The device's URI.
        device: String,
        /// What was seen.
        problem: String,
    },
    /// The device did not answer in time. Every outstanding ticket gets this.
    TimedOut {
        /// The device's URI.
        device: String,
        /// How long was waited.
        seconds: f64,
    },
    /// The ticket was cancelled before its answer came.
    Cancelled,
    /// Input or output failed.
    Io {
        /// What was being read or written.
        context: String,
        /// The operating system's word.
        source: Arc<std::io::Error>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument { argument, problem } => write!(text, "{argument}: {problem}"),
            Self::Unsupported { device, what } => write!(text, "{device} cannot do this: {what}"),
            Self::Open { device, problem } => write!(text, "cannot open '{device}': {problem}"),
            Self::Failed { device, problem } => write!(text, "{device} failed: {problem}"),
            Self::Lost { device, problem } => write!(text, "{device} is lost: {problem}"),
            Self::TimedOut { device, seconds } => {
                write!(text, "{device} gave no answer for {seconds} s")
            }
            Self::Cancelled => text.write_str("cancelled"),
            Self::Io { context, source } => write!(text, "{context}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

impl Error {
    /// An [`Error::Argument`].
    pub fn argument(argument: &'static str, problem: impl Into<String>) -> Self {
        Self::Argument { argument, problem: problem.into() }
    }

    /// For devices: a panic of `who` inside the device is a bug, but must not leave anybody waiting.
    pub fn panicked(device: impl Into<String>, who: &str, panic: &(dyn Any + Send)) -> Self {
        let said = panic.downcast_ref::<&str>().map(|said| said.to_string());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Self::Lost { device: device.into(), problem: format!("{who} panicked: {said}") }
    }

    /// True when the device, not the caller, is the cause.
    pub fn is_device(&self) -> bool {
        matches!(
            self,
            Self::Unsupported { .. }
                | Self::Open { .. }
                | Self::Failed { .. }
                | Self::Lost { .. }
                | Self::TimedOut { .. }
        )
    }
}
