//! Status codes and error messages.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use proofmill::{Error, groth16};

/// The result of a call. Values never change; later versions may add some.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum proofmill_status {
    /// The call succeeded.
    PROOFMILL_OK = 0,
    /// An argument is invalid; the message names it.
    PROOFMILL_ERROR_ARGUMENT = 1,
    /// The device does not support the operation, the instance or the size.
    PROOFMILL_ERROR_UNSUPPORTED = 2,
    /// The device could not be opened.
    PROOFMILL_ERROR_OPEN = 3,
    /// The device failed this request; it remains usable.
    PROOFMILL_ERROR_FAILED = 4,
    /// The device is lost; every later request to it fails, too.
    PROOFMILL_ERROR_LOST = 5,
    /// The device did not respond in time.
    PROOFMILL_ERROR_TIMED_OUT = 6,
    /// The operation was cancelled.
    PROOFMILL_ERROR_CANCELLED = 7,
    /// Reading or writing failed.
    PROOFMILL_ERROR_IO = 8,
    /// A file is malformed; the message gives the section and the byte.
    PROOFMILL_ERROR_FILE = 9,
    /// The new proof does not verify: the witness does not satisfy the circuit, or the key is damaged.
    PROOFMILL_ERROR_DOES_NOT_VERIFY = 10,
    /// An output buffer is missing or too small; its length variable holds the required size.
    PROOFMILL_ERROR_SHORT_BUFFER = 11,
    /// A bug in proofmill.
    PROOFMILL_ERROR_BUG = 12,
}

use proofmill_status::*;

/// A failed call: its status and its message.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub status: proofmill_status,
    pub text: String,
}

impl Failure {
    pub fn argument(argument: &str, problem: impl Display) -> Self {
        Self { status: PROOFMILL_ERROR_ARGUMENT, text: format!("{argument}: {problem}") }
    }

    /// Replaces the argument's name in the Rust interface by its name in this one.
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        if let Some(problem) = self.text.strip_prefix(from).and_then(|it| it.strip_prefix(": ")) {
            self.text = format!("{to}: {problem}");
        }
        self
    }
}

/// Returns a function for `map_err` that converts an error and renames its argument.
pub(crate) fn renamed<E: Into<Failure>>(from: &str, to: &str) -> impl Fn(E) -> Failure {
    move |error| error.into().renamed(from, to)
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Argument { .. } => PROOFMILL_ERROR_ARGUMENT,
            Error::Unsupported { .. } => PROOFMILL_ERROR_UNSUPPORTED,
            Error::Open { .. } => PROOFMILL_ERROR_OPEN,
            Error::Failed { .. } => PROOFMILL_ERROR_FAILED,
            Error::TimedOut { .. } => PROOFMILL_ERROR_TIMED_OUT,
            Error::Cancelled => PROOFMILL_ERROR_CANCELLED,
            Error::Io { .. } => PROOFMILL_ERROR_IO,
            _ => PROOFMILL_ERROR_LOST,
        };
        Self { status, text: error.to_string() }
    }
}

impl From<groth16::Error> for Failure {
    fn from(error: groth16::Error) -> Self {
        let status = match error {
            groth16::Error::Device(error) => return error.into(),
            groth16::Error::File(_) => PROOFMILL_ERROR_FILE,
            groth16::Error::Argument { .. } => PROOFMILL_ERROR_ARGUMENT,
            groth16::Error::DoesNotVerify => PROOFMILL_ERROR_DOES_NOT_VERIFY,
            groth16::Error::Io { .. } => PROOFMILL_ERROR_IO,
            _ => PROOFMILL_ERROR_FAILED,
        };
        Self { status, text: error.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs the body of a call. Stores the message of a failure for [`proofmill_last_error`], and turns a panic into a failure.
pub(crate) fn call(body: impl FnOnce() -> Outcome) -> proofmill_status {
    match guarded(body) {
        Ok(()) => PROOFMILL_OK,
        Err(failure) => {
            let text = failure.text.replace('\0', "\u{fffd}");
            let text = CString::new(text).unwrap_or_default();
            // A thread that is ending has no message any more; the status remains.
            let _ = LAST.try_with(|last| last.replace(text));
            failure.status
        }
    }
}

/// Runs the body of a call and turns a panic into a failure.
pub(crate) fn guarded<T>(body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Failure { status: PROOFMILL_ERROR_BUG, text: format!("a bug in proofmill: {text}") })
    })
}

/// Returns the message of the last call of this thread that failed; an empty string before. A message about an argument starts
/// with the argument's name. The string is valid until the thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_last_error() -> *const c_char {
    LAST.try_with(|text| text.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns the version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!(),
        };
    VERSION.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last() -> String {
        // SAFETY: the string ends, and no other call follows on this thread.
        unsafe { CStr::from_ptr(proofmill_last_error()) }.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(call(|| panic!("number {}", 7)), PROOFMILL_ERROR_BUG);
        assert_eq!(last(), "a bug in proofmill: number 7");
        assert_eq!(call(|| panic!("with a zero byte \0 inside")), PROOFMILL_ERROR_BUG);
        assert_eq!(last(), "a bug in proofmill: with a zero byte \u{fffd} inside");
        assert_eq!(call(|| std::panic::panic_any(7)), PROOFMILL_ERROR_BUG);
        assert_eq!(last(), "a bug in proofmill: ");
    }

    #[test]
    fn only_the_argument_is_renamed() {
        let failure = Failure::argument("bases", "point 1 of bases: is none");
        assert_eq!(
            failure.clone().renamed("bases", "points").text,
            "points: point 1 of bases: is none"
        );
        assert_eq!(failure.renamed("base", "points").text, "bases: point 1 of bases: is none");
    }
}
