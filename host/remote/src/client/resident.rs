//! Data that are resident on the server, and are loaded again over a new connection.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use proofmill_op::msm::{Bases, LoadBases};
use proofmill_op::{Bytes, Result};

use super::Inside;
use super::link::Link;

/// The origin of resident data.
pub enum Source {
    Bytes(Bytes),
    Bases(Bases),
}

/// The name of resident data.
pub struct Resident {
    inside: Weak<Inside>,
    source: Source,
    location: Mutex<Location>,
}

#[derive(Clone, Copy)]
struct Location {
    /// The connection over which it was loaded; it ends with that.
    epoch: u64,
    number: u64,
}

impl Resident {
    pub fn new(inside: Weak<Inside>, source: Source, number: u64, epoch: u64) -> Self {
        Self { inside, source, location: Mutex::new(Location { epoch, number }) }
    }

    /// Returns its number on this connection.
    pub fn on(&self, inside: &Arc<Inside>, link: &Arc<Link>) -> Result<u64> {
        let mut location = self.location.lock().unwrap_or_else(PoisonError::into_inner);
        if location.epoch != link.epoch() {
            let number = match &self.source {
                Source::Bytes(bytes) => inside.load_bytes(link, bytes.clone())?,
                Source::Bases(bases) => load(inside, link, bases)?,
            };
            *location = Location { epoch: link.epoch(), number };
        }
        Ok(location.number)
    }

    /// Takes the location, so that dropping this name does not release the data.
    fn take_location(&self) -> Location {
        let mut location = self.location.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *location, Location { epoch: 0, number: 0 })
    }
}

fn load(inside: &Arc<Inside>, link: &Arc<Link>, bases: &Bases) -> Result<u64> {
    let handle = inside.submit(link, bases.clone().into())?.wait()?.of::<LoadBases>()?;
    Ok(handle.name::<Resident>(inside.identity)?.take_location().number)
}

impl Drop for Resident {
    fn drop(&mut self) {
        let location = *self.location.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(inside) = self.inside.upgrade() {
            let link = inside.link().clone();
            if link.epoch() == location.epoch {
                link.release(location.number);
            }
        }
    }
}
