//! Files and bytes from JavaScript. Bytes are copied on the thread of the event loop, so that JavaScript may change its own afterwards.

use std::path::PathBuf;
use std::sync::Arc;

use napi::bindgen_prelude::{Either, Uint8Array};
use proofmill::SecretBytes;

/// A path or bytes.
pub type Source = Either<String, Uint8Array>;

/// A file or its bytes, of a key.
pub enum Public {
    Path(PathBuf),
    Bytes(Arc<[u8]>),
}

impl From<Source> for Public {
    fn from(source: Source) -> Self {
        match source {
            Either::A(path) => Self::Path(path.into()),
            Either::B(bytes) => Self::Bytes(Arc::from(&bytes[..])),
        }
    }
}

/// A file or its bytes, of a witness or inputs.
pub enum Private {
    Path(PathBuf),
    Bytes(SecretBytes),
}

impl From<Source> for Private {
    fn from(source: Source) -> Self {
        match source {
            Either::A(path) => Self::Path(path.into()),
            Either::B(bytes) => Self::Bytes(SecretBytes::copy_of(&bytes)),
        }
    }
}
