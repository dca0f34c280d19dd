//! Devices.

use std::ffi::c_char;
use std::sync::Arc;

use proofmill::Device;
use serde_json::json;

use crate::buffer::{close, give, handle, put_text, text};
use crate::status::{Outcome, call, proofmill_status};

/// An open device.
pub struct proofmill_device(pub(crate) Arc<dyn Device>);

/// Opens the device that a URI names: "cpu:", "cpu:?threads=4", "sim:card", "cuda:0".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_device_open(
    uri: *const c_char,
    device: *mut *mut proofmill_device,
) -> proofmill_status {
    call(|| unsafe {
        give("device", device, || Ok(proofmill_device(proofmill::open(text("uri", uri)?)?.into())))
    })
}

/// Closes a device. What was made with it (bases, provers) keeps what it needs of it. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn proofmill_device_close(device: *mut proofmill_device) {
    unsafe { close(device) };
}

/// What a device says of itself, as JSON: "uri", "kind", "description", "capabilities", "queue". `*info_length` is the size
/// of the buffer; it becomes what the text takes with its zero byte. With `info` NULL, or too small, that is all that happens,
/// and the status is PROOFMILL_SHORT_BUFFER.
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

/// The URIs of all devices that could be opened here, as a JSON list; the buffer as in proofmill_device_info.
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

/// The device behind a handle.
pub(crate) unsafe fn opened<'a>(device: *const proofmill_device) -> Outcome<&'a Arc<dyn Device>> {
    Ok(&unsafe { handle("device", device)? }.0)
}
