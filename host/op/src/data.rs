//! Bytes of a request: sent along, or resident on the device.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::{Capability, Error, Result};

/// Input bytes of a request. Only their number is shown for debugging: they may be a witness.
#[derive(Clone)]
pub enum Data {
    /// Sent with the request.
    Here(Arc<[u8]>),
    /// Resident on the device that gets the request; any other device refuses it.
    Parked(Parked),
}

/// The handle of bytes that are resident on a device, until its last clone is dropped.
#[derive(Clone)]
pub struct Parked {
    device: u64,
    kept: Kept,
}

#[derive(Clone)]
enum Kept {
    Bytes(Arc<[u8]>),
    /// In a form of the device's own, made for one operation from so many bytes.
    Prepared(Capability, usize, Arc<dyn Any + Send + Sync>),
    /// So many bytes in a place of which this is the name.
    Distant(usize, Arc<dyn Any + Send + Sync>),
}

impl Parked {
    /// For devices: an identity that no other device of this process has.
    pub fn fresh_identity() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// For devices: hands out a handle to `bytes` on the device with this identity.
    pub fn new(device: u64, bytes: Arc<[u8]>) -> Self {
        Self { device, kept: Kept::Bytes(bytes) }
    }

    /// For devices: hands out a handle to what `len` bytes became for this operation on the device with this identity.
    pub fn prepared<T: Send + Sync + 'static>(
        device: u64,
        form: Capability,
        len: usize,
        inside: T,
    ) -> Self {
        Self { device, kept: Kept::Prepared(form, len, Arc::new(inside)) }
    }

    /// For devices: what was prepared, when it was by this device for this operation.
    pub fn inside<T: Send + Sync + 'static>(
        &self,
        device: u64,
        form: &Capability,
    ) -> Result<Arc<T>> {
        let problem = match &self.kept {
            _ if self.device != device => "resident on another device".to_owned(),
            Kept::Bytes(_) | Kept::Distant(..) => format!("resident as bytes, not for {form}"),
            Kept::Prepared(other, ..) if other != form => {
                format!("resident for {other}, not {form}")
            }
            Kept::Prepared(.., inside) => match inside.clone().downcast() {
                Ok(inside) => return Ok(inside),
                Err(_) => format!("resident for {form} in another form"),
            },
        };
        Err(Error::argument("data", problem))
    }

    /// For devices elsewhere: hands out a handle to what `len` bytes became there, whose name is `name`.
    pub fn distant<T: Send + Sync + 'static>(device: u64, len: usize, name: T) -> Self {
        Self { device, kept: Kept::Distant(len, Arc::new(name)) }
    }

    /// For devices elsewhere: the name, if this device gave it.
    pub fn name<T: Send + Sync + 'static>(&self, device: u64) -> Result<Arc<T>> {
        let elsewhere = || Error::argument("data", "resident on another device");
        match &self.kept {
            Kept::Distant(_, name) if self.device == device => {
                name.clone().downcast().map_err(|_| elsewhere())
            }
            _ => Err(elsewhere()),
        }
    }

    /// Length in bytes, as they came.
    pub fn len(&self) -> usize {
        match &self.kept {
            Kept::Bytes(bytes) => bytes.len(),
            Kept::Prepared(_, len, _) | Kept::Distant(len, _) => *len,
        }
    }

    /// True for a handle to no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Data {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Here(bytes) => bytes.len(),
            Self::Parked(parked) => parked.len(),
        }
    }

    /// True for no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// For devices: the bytes, when this device (by its identity) may read them.
    pub fn on(&self, device: u64) -> Result<&Arc<[u8]>> {
        match self {
            Self::Here(bytes) => Ok(bytes),
            Self::Parked(parked) if parked.device != device => {
                Err(Error::argument("data", "resident on another device"))
            }
            Self::Parked(Parked { kept: Kept::Bytes(bytes), .. }) => Ok(bytes),
            Self::Parked(Parked { kept: Kept::Prepared(form, ..), .. }) => {
                Err(Error::argument("data", format!("resident for {form}, not as bytes")))
            }
            Self::Parked(Parked { kept: Kept::Distant(..), .. }) => {
                Err(Error::argument("data", "resident on another machine"))
            }
        }
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Here(bytes) => write!(f, "Here({} bytes)", bytes.len()),
            Self::Parked(parked) => parked.fmt(f),
        }
    }
}

impl fmt::Debug for Parked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parked({} bytes)", self.len())
    }
}

impl From<Vec<u8>> for Data {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Here(bytes.into())
    }
}

impl From<&[u8]> for Data {
    fn from(bytes: &[u8]) -> Self {
        Self::Here(bytes.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::Instance;

    #[test]
    fn what_was_prepared_is_for_one_operation_on_one_device() {
        let [one, other] = Instance::ALL[..2] else { unreachable!() };
        let parked = Parked::prepared(7, Capability::Msm(one), 64, vec![1u8, 2]);
        assert_eq!(parked.len(), 64);
        let inside =
            |device, instance| parked.inside::<Vec<u8>>(device, &Capability::Msm(instance));
        assert_eq!(*inside(7, one).unwrap(), [1, 2]);
        let problem = inside(7, other).unwrap_err().to_string();
        assert_eq!(problem, "data: resident for msm (bn254_g1), not msm (bn254_g2)");
        assert!(inside(8, one).is_err());
        assert!(Data::Parked(parked.clone()).on(7).is_err());
        assert!(
            Parked::new(7, vec![0; 64].into()).inside::<Vec<u8>>(7, &Capability::Msm(one)).is_err()
        );
    }

    #[test]
    fn bytes_are_not_shown() {
        let here = Data::from(vec![0xab; 3]);
        let parked = Data::Parked(Parked::new(1, vec![0xab; 4].into()));
        assert_eq!(format!("{here:?} {parked:?}"), "Here(3 bytes) Parked(4 bytes)");
    }
}
