//! Copies of secret inputs. Only this module copies witnesses, inputs of circuits, scalars, elements and preimages.

use proofmill::snark::{self, Witness};
use proofmill::{Data, SecretBytes};

/// Returns a copy of secret bytes as the data of a request. It is overwritten when the last owner drops it.
pub fn data(bytes: &[u8]) -> Data {
    SecretBytes::copy_of(bytes).into()
}

/// Reads the bytes of a .wtns file. `name` is the name of the argument in errors.
pub fn witness(name: &str, bytes: &[u8]) -> snark::Result<Witness> {
    let read = Witness::from_bytes(name, SecretBytes::copy_of(bytes))?;
    let values = SecretBytes::copy_of(read.values().as_flattened());
    Witness::from_values(read.curve(), values)
}

/// Returns a copy of the inputs of a circuit as JSON.
#[cfg(feature = "witness")]
pub fn inputs(bytes: &[u8]) -> snark::Result<snark::Inputs> {
    snark::Inputs::from_json("inputs", SecretBytes::copy_of(bytes))
}
