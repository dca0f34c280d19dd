//! Status codes, and the sentence beside them.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use proofmill::{Error, groth16};

/// How a call ended. Numbers stay what they are; later versions may add some.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum proofmill_status {
    /// The answer is there.
    PROOFMILL_OK = 0,
    /// An argument is wrong: the error text names it.
    PROOFMILL_ARGUMENT = 1,
    /// The device does not offer the operation, the instance or the size.
    PROOFMILL_UNSUPPORTED = 2,
    /// The device could not be opened.
    PROOFMILL_OPEN = 3,
    /// The device could not do this one thing; it lives on.
    PROOFMILL_FAILED = 4,
    /// The device died.
    PROOFMILL_LOST = 5,
    /// The device did not answer in time.
    PROOFMILL_TIMED_OUT = 6,
    /// The call was cancelled.
    PROOFMILL_CANCELLED = 7,
    /// Reading or writing failed.
    PROOFMILL_IO = 8,
    /// A file is not what it should be: the text says where.
    PROOFMILL_FILE = 9,
    /// The proof that was made does not verify: the witness does not satisfy the circuit, or the key is damaged.
    PROOFMILL_DOES_NOT_VERIFY = 10,
    /// The caller's buffer is too small; its length says now what is needed.
    PROOFMILL_SHORT_BUFFER = 11,
    /// A bug of proofmill.
    PROOFMILL_BUG = 12,
}

use proofmill_status::*;

/// Why there is no answer.
#[derive(Clone)]
pub(crate) struct Failure {
    pub status: proofmill_status,
    pub text: String,
}

impl Failure {
    pub fn argument(argument: &str, problem: impl std::fmt::Display) -> Self {
        Self { status: PROOFMILL_ARGUMENT, text: format!("{argument}: {problem}") }
    }
}

pub(crate) type Outcome<T = ()> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::Argument { .. } => PROOFMILL_ARGUMENT,
            Error::Unsupported { .. } => PROOFMILL_UNSUPPORTED,
            Error::Open { .. } => PROOFMILL_OPEN,
            Error::Failed { .. } => PROOFMILL_FAILED,
            Error::TimedOut { .. } => PROOFMILL_TIMED_OUT,
            Error::Cancelled => PROOFMILL_CANCELLED,
            Error::Io { .. } => PROOFMILL_IO,
            _ => PROOFMILL_LOST,
        };
        Self { status, text: error.to_string() }
    }
}

impl From<groth16::Error> for Failure {
    fn from(error: groth16::Error) -> Self {
        let status = match error {
            groth16::Error::Device(error) => return error.into(),
            groth16::Error::File(_) => PROOFMILL_FILE,
            groth16::Error::Argument { .. } => PROOFMILL_ARGUMENT,
            groth16::Error::DoesNotVerify => PROOFMILL_DOES_NOT_VERIFY,
            groth16::Error::Io { .. } => PROOFMILL_IO,
            _ => PROOFMILL_FAILED,
        };
        Self { status, text: error.to_string() }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs the body of a call: keeps what went wrong, and lets no panic through.
pub(crate) fn call(body: impl FnOnce() -> Outcome) -> proofmill_status {
    match guarded(body) {
        Ok(()) => PROOFMILL_OK,
        Err(failure) => {
            let text = failure.text.replace('\0', "\u{fffd}");
            LAST.set(CString::new(text).expect("it has no zero byte"));
            failure.status
        }
    }
}

/// The same without keeping what went wrong.
pub(crate) fn guarded<T>(body: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| said.to_string());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Failure { status: PROOFMILL_BUG, text: format!("a bug of proofmill: {said}") })
    })
}

/// What went wrong in this thread's last call that failed; empty before. Valid until the thread's next call.
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_last_error() -> *const c_char {
    LAST.with_borrow(|text| text.as_ptr())
}

/// proofmill's version, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn proofmill_version() -> *const c_char {
    const VERSION: &CStr =
        match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => panic!(),
        };
    VERSION.as_ptr()
}
