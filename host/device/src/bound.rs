//! A device that only the process that opened it can use.

use std::mem::forget;

use proofmill_op::process::Process;
use proofmill_op::{
    AnyRequest, AnyResponse, AnyTicket, Cancel, Caps, Data, Device, Metrics, ResidentData, Result,
};

/// A device with threads, a connection or a card of the process that opened it. A process that was forked later gets an error from each
/// request, instead of waiting for threads that it does not have, and leaves the device as it is when it drops it.
pub struct Bound {
    /// `None` only while the value is dropped.
    device: Option<Box<dyn Device>>,
    process: Process,
}

impl Bound {
    /// Binds a device to the current process.
    pub fn new(device: Box<dyn Device>) -> Self {
        Self { device: Some(device), process: Process::current() }
    }

    fn device(&self) -> &dyn Device {
        &**self.device.as_ref().expect("it is dropped with its owner")
    }

    fn check(&self) -> Result<()> {
        self.process.check(&self.caps().uri)
    }
}

impl Device for Bound {
    fn caps(&self) -> &Caps {
        self.device().caps()
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        self.check()?;
        self.device().load(bytes)
    }

    fn submit_any(&self, request: AnyRequest) -> Result<AnyTicket> {
        self.check()?;
        self.device().submit_any(request)
    }

    fn execute_any(&self, request: AnyRequest, cancel: &Cancel) -> Result<AnyResponse> {
        self.check()?;
        self.device().execute_any(request, cancel)
    }

    fn metrics(&self) -> Metrics {
        if self.process.is_current() { self.device().metrics() } else { Metrics::default() }
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        if !self.process.is_current() {
            forget(self.device.take());
        }
    }
}
