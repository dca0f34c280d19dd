//! Copies of secret inputs. This module makes all copies of witnesses, scalars, elements and preimages, each in one allocation of
//! its final size, and overwrites them at the end.

use std::sync::Arc;

use proofmill::Data;
use proofmill::groth16::{self, snarkjs::Witness};
use zeroize::Zeroize as _;

/// A copy of secret bytes that is overwritten when it is dropped, unless a device still holds it.
pub struct SecretCopy(Arc<[u8]>);

impl SecretCopy {
    pub fn new(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }

    /// Returns the copy as the data of a request. The copy must outlive the request.
    pub fn data(&self) -> Data {
        Data::Here(self.0.clone())
    }
}

impl Drop for SecretCopy {
    fn drop(&mut self) {
        if let Some(bytes) = Arc::get_mut(&mut self.0) {
            bytes.zeroize();
        }
    }
}

/// Reads the bytes of a .wtns file. `name` is the argument's name in errors. The witness overwrites its values when it is
/// dropped, wherever that is.
pub fn witness(name: &str, bytes: &[u8]) -> groth16::Result<Witness> {
    let file = SecretCopy::new(bytes);
    let read = Witness::from_bytes(name, file.0.clone())?;
    Witness::from_values(read.curve(), read.values().to_vec())
}
