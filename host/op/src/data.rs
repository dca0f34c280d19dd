//! Input bytes of a request: on the host, or resident on the device.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use crate::{Argument, Capability, Error, Result, SecretBytes};

/// Input bytes of a request. `Debug` shows only their length: they may be a witness.
#[derive(Clone)]
pub enum Data {
    /// Sent with the request.
    Host(Bytes),
    /// Resident on the device that receives the request; any other device refuses it.
    Resident(ResidentData),
}

/// Shared bytes on the host. Clones share the memory.
#[derive(Clone)]
pub enum Bytes {
    /// Public bytes.
    Plain(Arc<[u8]>),
    /// Secret bytes, overwritten when the last clone is dropped.
    Secret(Arc<SecretBytes>),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Plain(bytes) => bytes,
            Self::Secret(bytes) => bytes,
        }
    }
}

impl Bytes {
    /// Returns whether the bytes are secret.
    pub fn is_secret(&self) -> bool {
        matches!(self, Self::Secret(_))
    }

    /// Returns a copy of a range. The copy of secret bytes is secret.
    pub fn copy_range(&self, range: std::ops::Range<usize>) -> Self {
        match self {
            Self::Plain(bytes) => Self::Plain(bytes[range].into()),
            Self::Secret(bytes) => Self::from(SecretBytes::copy_of(&bytes[range])),
        }
    }

    /// Returns a reference that does not keep the bytes.
    pub fn downgrade(&self) -> WeakBytes {
        match self {
            Self::Plain(bytes) => WeakBytes::Plain(Arc::downgrade(bytes)),
            Self::Secret(bytes) => WeakBytes::Secret(Arc::downgrade(bytes)),
        }
    }
}

/// A reference to [`Bytes`] that does not keep them.
#[derive(Clone, Debug)]
pub enum WeakBytes {
    /// Public bytes.
    Plain(Weak<[u8]>),
    /// Secret bytes.
    Secret(Weak<SecretBytes>),
}

impl WeakBytes {
    /// Returns the bytes, if a clone of them exists.
    pub fn upgrade(&self) -> Option<Bytes> {
        match self {
            Self::Plain(bytes) => bytes.upgrade().map(Bytes::Plain),
            Self::Secret(bytes) => bytes.upgrade().map(Bytes::Secret),
        }
    }
}

/// A handle to bytes that are resident on a device until its last clone is dropped.
#[derive(Clone)]
pub struct ResidentData {
    device: u64,
    content: Content,
}

#[derive(Clone)]
enum Content {
    Bytes(Bytes),
    /// The device's own form for one operation, prepared from this number of bytes.
    Prepared(Capability, usize, Arc<dyn Any + Send + Sync>),
    /// This number of bytes on another machine, under a name.
    Remote(usize, Arc<dyn Any + Send + Sync>),
}

impl ResidentData {
    /// Returns an identity that no other device of this process has. For devices.
    pub fn fresh_identity() -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        NEXT.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a handle to `bytes` on the device with this identity. For devices.
    pub fn new(device: u64, bytes: Bytes) -> Self {
        Self { device, content: Content::Bytes(bytes) }
    }

    /// Returns a handle to the form that `len` bytes have for this operation on the device with this identity. For devices.
    pub fn prepared<T: Send + Sync + 'static>(
        device: u64,
        form: Capability,
        len: usize,
        inside: T,
    ) -> Self {
        Self { device, content: Content::Prepared(form, len, Arc::new(inside)) }
    }

    /// Returns the prepared form, if this device prepared it for this operation. For devices.
    pub fn inside<T: Send + Sync + 'static>(
        &self,
        device: u64,
        form: &Capability,
    ) -> Result<Arc<T>> {
        let problem = match &self.content {
            _ if self.device != device => "resident on another device".to_owned(),
            Content::Bytes(_) | Content::Remote(..) => format!("resident as bytes, not for {form}"),
            Content::Prepared(other, ..) if other != form => {
                format!("resident for {other}, not {form}")
            }
            Content::Prepared(.., inside) => match inside.clone().downcast() {
                Ok(inside) => return Ok(inside),
                Err(_) => format!("resident for {form} in another form"),
            },
        };
        Err(Error::argument(Argument::Data, problem))
    }

    /// Returns a handle to `len` bytes on another machine, under `name`. For devices of other machines.
    pub fn remote<T: Send + Sync + 'static>(device: u64, len: usize, name: T) -> Self {
        Self { device, content: Content::Remote(len, Arc::new(name)) }
    }

    /// Returns the name, if this device gave it. For devices of other machines.
    pub fn name<T: Send + Sync + 'static>(&self, device: u64) -> Result<Arc<T>> {
        let elsewhere = || Error::argument(Argument::Data, "resident on another device");
        match &self.content {
            Content::Remote(_, name) if self.device == device => {
                name.clone().downcast().map_err(|_| elsewhere())
            }
            _ => Err(elsewhere()),
        }
    }

    /// Returns the length in bytes, as they were loaded.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Bytes(bytes) => bytes.len(),
            Content::Prepared(_, len, _) | Content::Remote(len, _) => *len,
        }
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Data {
    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Host(bytes) => bytes.len(),
            Self::Resident(resident) => resident.len(),
        }
    }

    /// Returns whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bytes, if the device with this identity may read them. For devices.
    pub fn on(&self, device: u64) -> Result<&Bytes> {
        let problem = match self {
            Self::Host(bytes) => return Ok(bytes),
            Self::Resident(resident) if resident.device != device => {
                "resident on another device".to_owned()
            }
            Self::Resident(resident) => match &resident.content {
                Content::Bytes(bytes) => return Ok(bytes),
                Content::Prepared(form, ..) => format!("resident for {form}, not as bytes"),
                Content::Remote(..) => "resident on another machine".to_owned(),
            },
        };
        Err(Error::argument(Argument::Data, problem))
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({} bytes)", self.len())
    }
}

impl fmt::Debug for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host(bytes) => write!(f, "Host({} bytes)", bytes.len()),
            Self::Resident(resident) => resident.fmt(f),
        }
    }
}

impl fmt::Debug for ResidentData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResidentData({} bytes)", self.len())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Plain(bytes.into())
    }
}

impl From<Arc<[u8]>> for Bytes {
    fn from(bytes: Arc<[u8]>) -> Self {
        Self::Plain(bytes)
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self::Plain(bytes.into())
    }
}

impl<const N: usize> From<[u8; N]> for Bytes {
    fn from(bytes: [u8; N]) -> Self {
        Self::Plain(bytes.into())
    }
}

impl From<SecretBytes> for Bytes {
    fn from(bytes: SecretBytes) -> Self {
        Self::Secret(Arc::new(bytes))
    }
}

impl<T: Into<Bytes>> From<T> for Data {
    fn from(bytes: T) -> Self {
        Self::Host(bytes.into())
    }
}

impl From<ResidentData> for Data {
    fn from(resident: ResidentData) -> Self {
        Self::Resident(resident)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::msm::Instance;

    #[test]
    fn a_prepared_form_is_for_one_operation_on_one_device() {
        let [one, other] = Instance::ALL[..2] else { unreachable!() };
        let resident = ResidentData::prepared(7, Capability::Msm(one), 64, vec![1u8, 2]);
        assert_eq!(resident.len(), 64);
        let inside =
            |device, instance| resident.inside::<Vec<u8>>(device, &Capability::Msm(instance));
        assert_eq!(*inside(7, one).unwrap(), [1, 2]);
        let problem = inside(7, other).unwrap_err().to_string();
        assert_eq!(problem, "data: resident for msm (bn254_g1), not msm (bn254_g2)");
        assert!(inside(8, one).is_err());
        assert!(Data::Resident(resident.clone()).on(7).is_err());
        assert!(
            ResidentData::new(7, vec![0; 64].into())
                .inside::<Vec<u8>>(7, &Capability::Msm(one))
                .is_err()
        );
    }

    #[test]
    fn bytes_are_not_shown() {
        let here = Data::from(vec![0xab; 3]);
        let resident = Data::Resident(ResidentData::new(1, vec![0xab; 4].into()));
        assert_eq!(format!("{here:?} {resident:?}"), "Host(3 bytes) ResidentData(4 bytes)");
    }
}
