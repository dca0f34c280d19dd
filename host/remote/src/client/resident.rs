//! What is resident on the server, and comes there again over a new connection.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use proofmill_op::msm::{self, Bases};
use proofmill_op::{Error, Request, Result};

use super::Inside;
use super::link::Link;

/// From what it was made.
pub enum Source {
    Bytes(Arc<[u8]>),
    Bases(Bases),
}

/// The name of something resident.
pub struct Resident {
    inside: Weak<Inside>,
    source: Source,
    place: Mutex<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    /// Of the connection over which it came there; with that, it is gone.
    epoch: u64,
    number: u64,
}

impl Resident {
    pub fn new(inside: Weak<Inside>, source: Source, number: u64, epoch: u64) -> Self {
        Self { inside, source, place: Mutex::new(Place { epoch, number }) }
    }

    /// Its number on this connection.
    pub fn on(&self, inside: &Arc<Inside>, link: &Arc<Link>) -> Result<u64> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        if place.epoch != link.epoch() {
            let number = match &self.source {
                Source::Bytes(bytes) => inside.send_bytes(link, bytes.clone())?,
                Source::Bases(bases) => park(inside, link, bases)?,
            };
            *place = Place { epoch: link.epoch(), number };
        }
        Ok(place.number)
    }

    /// Gives the place to another, so that the end of this one does not release it.
    fn taken(&self) -> Place {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *place, Place { epoch: 0, number: 0 })
    }
}

fn park(inside: &Arc<Inside>, link: &Arc<Link>, bases: &Bases) -> Result<u64> {
    let request = Request::Msm(msm::Request::Park(bases.clone()));
    match inside.submit(link, request)?.wait()? {
        proofmill_op::Answer::Msm(msm::Response::Parked(parked)) => {
            Ok(parked.name::<Resident>(inside.identity)?.taken().number)
        }
        _ => Err(Error::Lost {
            device: inside.options.uri.clone(),
            problem: "it answered another question".into(),
        }),
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        let place = *self.place.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(inside) = self.inside.upgrade() {
            let link = inside.link().clone();
            if link.epoch() == place.epoch {
                link.release(place.number);
            }
        }
    }
}
