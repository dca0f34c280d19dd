//! Errors of the server's device, in the form in which they are sent to the client.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use proofmill_op::Error;
use serde::{Deserialize, Serialize};

/// An [`Error`] without its device, which has another name at the client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Fault {
    Argument(String, String),
    Unsupported(String),
    Open(String),
    Failed(String),
    Lost(String),
    TimedOut(f64),
    Cancelled,
    Io(String, String),
}

impl From<&Error> for Fault {
    fn from(error: &Error) -> Self {
        match error {
            Error::Argument { argument, problem } => {
                Self::Argument(argument.name().to_owned(), problem.clone())
            }
            Error::Unsupported { what, .. } => Self::Unsupported(what.clone()),
            Error::Open { problem, .. } => Self::Open(problem.clone()),
            Error::Failed { problem, .. } => Self::Failed(problem.clone()),
            Error::Lost { problem, .. } => Self::Lost(problem.clone()),
            Error::TimedOut { seconds, .. } => Self::TimedOut(*seconds),
            Error::Cancelled => Self::Cancelled,
            Error::Io { context, source } => Self::Io(context.clone(), source.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl Fault {
    /// Converts to the error of the device with this URI.
    pub fn of(self, device: &str) -> Error {
        let device = device.to_owned();
        match self {
            Self::Argument(argument, problem) => match name(&argument) {
                Some(argument) => Error::argument(argument, problem),
                None => Error::argument("request", format!("{argument}: {problem}")),
            },
            Self::Unsupported(what) => Error::Unsupported { device, what },
            Self::Open(problem) => Error::Open { device, problem },
            Self::Failed(problem) => Error::Failed { device, problem },
            Self::Lost(problem) => Error::Lost { device, problem },
            Self::TimedOut(seconds) => Error::TimedOut { device, seconds },
            Self::Cancelled => Error::Cancelled,
            Self::Io(context, problem) => {
                Error::Io { context, source: Arc::new(std::io::Error::other(problem)) }
            }
        }
    }
}

/// The largest number of stored argument names. They are never freed.
const MAX_NAMES: usize = 256;
const MAX_BYTES: usize = 64;

fn name(argument: &str) -> Option<&'static str> {
    static NAMES: LazyLock<Mutex<Names>> = LazyLock::new(Mutex::default);
    NAMES.lock().unwrap_or_else(PoisonError::into_inner).keep(argument)
}

#[derive(Default)]
struct Names(HashSet<&'static str>);

impl Names {
    /// Returns a stored copy of the name; `None` if it is too long or there are too many.
    fn keep(&mut self, argument: &str) -> Option<&'static str> {
        if let Some(known) = self.0.get(argument) {
            return Some(known);
        }
        if self.0.len() >= MAX_NAMES || argument.len() > MAX_BYTES {
            return None;
        }
        let kept: &'static str = Box::leak(argument.to_owned().into_boxed_str());
        self.0.insert(kept);
        Some(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_keeps_its_words_and_gets_the_clients_device() {
        let cpu = || "cpu:".to_owned();
        for error in [
            Error::argument("scalars", "too few"),
            Error::Unsupported { device: cpu(), what: "this".into() },
            Error::Failed { device: cpu(), problem: "that".into() },
            Error::Lost { device: cpu(), problem: "dead".into() },
            Error::TimedOut { device: cpu(), seconds: 1.5 },
            Error::Cancelled,
        ] {
            let there = Fault::from(&error).of("tcp://there:1").to_string();
            assert_eq!(there, error.to_string().replace("cpu:", "tcp://there:1"));
        }
    }

    #[test]
    fn no_server_fills_the_memory_with_names() {
        let long = "x".repeat(MAX_BYTES + 1);
        let named = Fault::Argument(long.clone(), "wrong".into()).of("tcp:").to_string();
        assert_eq!(named, format!("request: {long}: wrong"));
        let mut names = Names::default();
        let kept = (0..1000).filter_map(|number| names.keep(&format!("name{number}"))).count();
        assert_eq!(kept, MAX_NAMES);
        assert_eq!(names.keep("name255"), Some("name255"));
        assert_eq!(names.keep("name256"), None);
    }
}
