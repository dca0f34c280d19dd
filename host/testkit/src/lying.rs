//! A device that returns wrong results of the right form, as a malicious or broken one could.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use proofmill_op::{
    AnyRequest, AnyTicket, Caps, Data, Device, DeviceKind, Error, Metrics, ResidentData, Result,
};

/// A wrong behaviour in one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lie {
    /// The request is computed for other data, with the lowest bit of the last list flipped, so that the result is valid, but that of another
    /// request.
    OtherData,
    /// An error of a lost device.
    Lost,
    /// An error of a device that continues.
    Failed,
    /// A panic.
    Panics,
}

/// A device that lies in one request.
pub struct Lying {
    device: Arc<dyn Device>,
    caps: Caps,
    lie: Lie,
    at: u64,
    requests: AtomicU64,
}

impl Lying {
    /// Returns a device that answers as `device` does, but for request `at`.
    pub fn new(device: Arc<dyn Device>, lie: Lie, at: u64) -> Self {
        let mut caps = device.caps().clone();
        (caps.uri, caps.kind) = ("lying:".into(), DeviceKind::Card);
        Self { device, caps, lie, at, requests: AtomicU64::new(0) }
    }
}

impl Device for Lying {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn load(&self, bytes: Data) -> Result<ResidentData> {
        self.device.load(bytes)
    }

    fn submit_any(&self, mut request: AnyRequest) -> Result<AnyTicket> {
        if matches!(request, AnyRequest::PlanMsm(_) | AnyRequest::LoadBases(_))
            || self.requests.fetch_add(1, Ordering::SeqCst) != self.at
        {
            return self.device.submit_any(request);
        }
        let device = self.caps().uri.clone();
        let problem = "an injected fault".to_owned();
        match self.lie {
            Lie::OtherData => {
                if let Some(Data::Host(bytes)) = request.data_mut().pop()
                    && !bytes.is_empty()
                {
                    let mut other = bytes.to_vec();
                    other[0] ^= 1;
                    *bytes = other.into();
                }
                self.device.submit_any(request)
            }
            Lie::Lost => Err(Error::Lost { device, problem }),
            Lie::Failed => Err(Error::Failed { device, problem }),
            Lie::Panics => panic!("an injected panic"),
        }
    }

    fn metrics(&self) -> Metrics {
        self.device.metrics()
    }
}
