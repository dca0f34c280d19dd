//! Devices.

use std::ffi::c_char;
use std::sync::Arc;

use proofmill::Device;
use serde_json::json;

use crate::buffer::{close, give, handle, put_text, text};
use crate::status::{Outcome, call, proofmill_status};

/// An open device.
pub struct proofmill_device(pub(crate) Arc<dyn Device>);

/// Opens the device of a URI, such as "cpu:", "cpu:?threads=4", "sim:card" or "cuda:0", and stores its handle in `*device`. On
/// failure, `*device` is NULL and the status is PROOFMILL_ERROR_ARGUMENT for an invalid URI, else PROOFMILL_ERROR_OPEN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_device_open(
    uri: *const c_char,
    device: *mut *mut proofmill_device,
) -> proofmill_status {
    call(|| unsafe {
        give("device", device, || Ok(proofmill_device(proofmill::open(text("uri", uri)?)?.into())))
    })
}

/// Closes a device. Resident bases that were loaded to it keep what they need of it. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_device_close(device: *mut proofmill_device) {
    unsafe { close(device) };
}

/// Writes the description of a device to `info`: a JSON object with "uri", "kind", "description", "capabilities" and "queue".
/// `*info_length` is the size of the buffer in bytes; it becomes the size of the string with its zero byte. If `info` is NULL or
/// too small, nothing else is written, and the status is PROOFMILL_ERROR_SHORT_BUFFER.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_device_info(
    device: *const proofmill_device,
    info: *mut c_char,
    info_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let device = handle("device", device)?;
        put_text("info", &describe(&*device.0), info, info_length)
    })
}

/// Writes the URIs of all devices that can be opened on this machine to `uris`: a JSON array of strings. `uris` and
/// `*uris_length` are those of proofmill_device_info.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_devices(
    uris: *mut c_char,
    uris_length: *mut usize,
) -> proofmill_status {
    call(|| unsafe {
        let found: Vec<_> = proofmill::devices().into_iter().map(|listed| listed.uri).collect();
        put_text("uris", &json!(found).to_string(), uris, uris_length)
    })
}

fn describe(device: &dyn Device) -> String {
    let caps = device.caps();
    let capabilities: Vec<_> = caps.capabilities.iter().map(ToString::to_string).collect();
    let found = json!({
        "uri": caps.uri,
        "kind": caps.kind.name(),
        "description": caps.description,
        "capabilities": capabilities,
        "queue": caps.queue,
    });
    found.to_string()
}

/// Borrows the device of a handle.
pub(crate) unsafe fn opened<'a>(device: *const proofmill_device) -> Outcome<&'a Arc<dyn Device>> {
    Ok(&unsafe { handle("device", device)? }.0)
}
