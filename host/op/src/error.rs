//! Errors of requests. An invalid proof or signature is a response, not an error.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// The result of a request.
pub type Result<T> = std::result::Result<T, Error>;

/// Names the argument that an [`Error::Argument`] is about.
///
/// Control flow compares these values; the text of an error is for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Argument {
    /// The points of an MSM.
    Bases,
    /// The scalars of an MSM.
    Scalars,
    /// The elements of an NTT.
    Elements,
    /// The lists of a quotient.
    Lists,
    /// The request that the result stay on the device.
    ResidentFor,
    /// The preimages of hashes.
    Preimages,
    /// The nodes of a tree.
    Nodes,
    /// The signatures of a batch.
    Signatures,
    /// The headers of a batch.
    Headers,
    /// The bytes of a request, or their handle.
    Data,
    /// Any other argument, by its name.
    Named(&'static str),
}

impl Argument {
    const ALL: [Self; 10] = [
        Self::Bases,
        Self::Scalars,
        Self::Elements,
        Self::Lists,
        Self::ResidentFor,
        Self::Preimages,
        Self::Nodes,
        Self::Signatures,
        Self::Headers,
        Self::Data,
    ];

    /// Returns the name of the argument in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bases => "bases",
            Self::Scalars => "scalars",
            Self::Elements => "elements",
            Self::Lists => "lists",
            Self::ResidentFor => "resident_for",
            Self::Preimages => "preimages",
            Self::Nodes => "nodes",
            Self::Signatures => "signatures",
            Self::Headers => "headers",
            Self::Data => "data",
            Self::Named(name) => name,
        }
    }
}

impl From<&'static str> for Argument {
    fn from(name: &'static str) -> Self {
        Self::ALL.into_iter().find(|argument| argument.name() == name).unwrap_or(Self::Named(name))
    }
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reason why a request has no response. Cloneable, because one lost device fails many tickets.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument does not have the form that the operation requires.
    #[error("{argument}: {problem}")]
    Argument {
        /// The argument.
        argument: Argument,
        /// The value found and the value expected.
        problem: String,
    },
    /// The device does not offer the operation, the instance or the size.
    #[error("{device} cannot do this: {what}")]
    Unsupported {
        /// The device's URI.
        device: String,
        /// The operation requested.
        what: String,
    },
    /// The device could not be opened.
    #[error("cannot open '{device}': {problem}")]
    Open {
        /// The URI given.
        device: String,
        /// The reason and, where there is one, the remedy.
        problem: String,
    },
    /// The device failed at this request or returned a malformed response. Other requests are not affected.
    #[error("{device} failed: {problem}")]
    Failed {
        /// The device's URI.
        device: String,
        /// The fault observed.
        problem: String,
    },
    /// The device died, or sent what no working device sends. All outstanding tickets end with this error.
    #[error("{device} is lost: {problem}")]
    Lost {
        /// The device's URI.
        device: String,
        /// The fault observed.
        problem: String,
    },
    /// The device did not respond in time. All outstanding tickets end with this error.
    #[error("{device} did not respond for {seconds} s")]
    TimedOut {
        /// The device's URI.
        device: String,
        /// The time limit.
        seconds: f64,
    },
    /// The ticket was cancelled before its response arrived.
    #[error("cancelled")]
    Cancelled,
    /// Input or output failed.
    #[error("{context}: {source}")]
    Io {
        /// The file or stream that was read or written.
        context: String,
        /// The operating system's error.
        source: Arc<std::io::Error>,
    },
}

impl Error {
    /// Returns an [`Error::Argument`].
    pub fn argument(argument: impl Into<Argument>, problem: impl Into<String>) -> Self {
        Self::Argument { argument: argument.into(), problem: problem.into() }
    }

    /// Returns whether the error is about this argument.
    pub fn is_about(&self, this: Argument) -> bool {
        matches!(self, Self::Argument { argument, .. } if *argument == this)
    }

    /// Returns the error for a panic of `thread` inside the device. A panic is a bug, but the caller must not wait for ever.
    pub fn panicked(device: impl Into<String>, thread: &str, panic: &(dyn Any + Send)) -> Self {
        let message = panic.downcast_ref::<&str>().map(|message| message.to_string());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        let problem = format!("{thread} panicked: {}", message.unwrap_or_default());
        Self::Lost { device: device.into(), problem }
    }

    /// Returns whether the device, not the caller, is the cause.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_by_name() {
        for argument in Argument::ALL {
            assert_eq!(Argument::from(argument.name()), argument);
        }
        assert_eq!(Argument::from("token"), Argument::Named("token"));
        assert!(Error::argument("bases", "none").is_about(Argument::Bases));
        assert_eq!(Error::argument("threads", "is 0").to_string(), "threads: is 0");
    }
}
