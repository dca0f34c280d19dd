//! Devices of other machines, as `tcp:` opens them.

use std::path::Path;

use proofmill_op::{Device, Error, Result, Token};
use proofmill_remote::{Options, RemoteDevice};

use crate::{CONFIRM, Uri, seconds};

/// Connects to the server that a URI names.
pub fn open(uri: &Uri) -> Result<Box<dyn Device>> {
    uri.allow(&["timeout", "token_file", CONFIRM])?;
    let address = uri.path().strip_prefix("//").filter(|address| !address.contains('/'));
    let address = address.ok_or_else(|| {
        Error::argument("device", format!("'{uri}' is not of the form tcp://HOST:PORT"))
    })?;
    let mut options = Options::new(uri.to_string(), address);
    if let Some(text) = uri.option("timeout") {
        options.timeout = seconds(text)?;
    }
    options.token = Token::find(uri.option("token_file").map(Path::new))?;
    Ok(Box::new(RemoteDevice::open(options)?))
}
