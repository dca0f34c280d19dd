//! `ntt` on a card: elements go into its memory, are transformed there, and come back.
//!
//! Several requests may be under way, each with a region of the memory; one waits until there is room for it.

mod geometry;

use std::sync::Arc;

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::{Form, SizeError, Transform};
use proofmill_op::ntt::{Direction, Progress, Request, Response};
use proofmill_op::{Answer, Error, Result, in_field};

pub use self::geometry::{Door, find, known};

use self::geometry::{GRANULE, Geometry};
use super::job::{self, Settings};
use super::regions::Region;
use crate::wire::constants::ntt::commands::{read, run, write};
use crate::wire::constants::ntt::{directions, status};
use crate::wire::{self, bytes_at, u64_at};

/// A request on its way: writes, a run, reads.
pub struct Job {
    door: Arc<Door>,
    settings: Settings,
    log_size: u32,
    inverse: bool,
    factors: Factors,
    source: Arc<[u8]>,
    target: Vec<u8>,
    progress: Option<Progress>,
    /// Elements, then memory for the scratch.
    region: Option<Region>,
    sent: usize,
    answered: usize,
    failed: Option<Error>,
}

impl Job {
    /// Checks the request, and makes a job of it.
    pub fn new(request: Request, door: &Arc<Door>) -> Result<Self> {
        let log_size = request.log_size()?;
        door.geometry.demand(log_size)?;
        let factors = in_field!(request.field, factors(&request, log_size, &door.uri))?;
        let source = request.elements.on(door.identity)?.clone();
        let mut target = request.memory.0;
        target.clear();
        target.resize(source.len(), 0);
        Ok(Self {
            door: door.clone(),
            settings: Settings::new(),
            log_size,
            inverse: request.direction == Direction::Inverse,
            factors,
            source,
            target,
            progress: request.progress,
            region: None,
            sent: 0,
            answered: 0,
            failed: None,
        })
    }

    fn geometry(&self) -> &Geometry {
        &self.door.geometry
    }

    /// Writes, and as many reads.
    fn granules(&self) -> usize {
        self.geometry().granules(self.log_size) * self.geometry().channels
    }

    /// Channel and address of a granule.
    fn place(&self, number: usize) -> (usize, u64) {
        let each = self.geometry().granules(self.log_size);
        let start = self.region.as_ref().map_or(0, Region::address);
        (number / each, start + (number % each * GRANULE) as u64)
    }

    /// What a granule has of the elements: offsets in them and in it, a beat each.
    fn beats(&self, number: usize) -> impl Iterator<Item = (usize, usize)> + use<> {
        let each = self.geometry().granules(self.log_size);
        let (channel, channels) = (number / each, self.geometry().channels);
        let (first, bytes) = (number % each * GRANULE / Geometry::BEAT, self.source.len());
        let beats = (0..GRANULE / Geometry::BEAT).map(move |i| {
            (((first + i) * channels + channel) * Geometry::BEAT, i * Geometry::BEAT)
        });
        beats.filter(move |(at, _)| *at < bytes)
    }

    fn fail(&mut self, error: Error) {
        self.failed.get_or_insert(error);
    }

    /// What the card said of a command that it was right to send.
    fn note_status(&mut self, found: u64, element: u64) -> std::result::Result<(), String> {
        const DONE: u64 = status::DONE as u64;
        const REFUSED: u64 = status::REFUSED as u64;
        const MEMORY_FAULT: u64 = status::MEMORY_FAULT as u64;
        const NOT_CANONICAL: u64 = status::NOT_CANONICAL as u64;
        match found {
            DONE => {}
            REFUSED => return Err("a refusal of what its registers allow".into()),
            MEMORY_FAULT => {
                let device = self.door.uri.clone();
                self.fail(Error::Failed { device, problem: "its memory did not answer".into() });
            }
            NOT_CANONICAL if element >> self.log_size == 0 => {
                let problem = format!("number {element} is not below the modulus");
                self.fail(Error::argument("elements", problem));
            }
            other => return Err(format!("status {other}, element {element}")),
        }
        Ok(())
    }

    fn tell(&self) {
        let all = 2 * self.granules() + 1;
        if let Some(Progress(function)) = &self.progress
            && self.failed.is_none()
            && (self.answered.is_multiple_of(64) || self.answered == all)
        {
            function(self.answered as f64 / all as f64);
        }
    }
}

/// What elements are multiplied by, in bytes of the field and zeros above.
struct Factors {
    shift: [u8; 32],
    scale: [u8; 32],
}

/// Those of a request, whose root and coset it checks.
fn factors<F: Form<D>, const D: usize>(
    request: &Request,
    log_size: u32,
    device: &str,
) -> Result<Factors> {
    is_standard::<F>(request, log_size, device)?;
    let g = match &request.coset {
        Some(bytes) => element::<F>("coset", bytes)?,
        None => F::ONE,
    };
    let Some(back) = g.invert_vartime() else {
        return Err(Error::argument("coset", "is 0"));
    };
    let count = F::from(1 << log_size);
    let (shift, scale) = match request.direction {
        Direction::Inverse => (back, count.invert_vartime().expect("a power of two is not 0")),
        Direction::Forward => (g, F::ONE),
    };
    let bytes = |x: F| {
        let mut bytes = [0; 32];
        bytes[..F::BYTES].copy_from_slice(x.to_le_bytes().as_ref());
        bytes
    };
    Ok(Factors { shift: bytes(shift), scale: bytes(scale) })
}

/// An error unless the request's root of unity is the card's: the standard one of the order.
fn is_standard<F: PrimeField>(request: &Request, log_size: u32, device: &str) -> Result<()> {
    let Some(root) = &request.root else { return Ok(()) };
    let root = element::<F>("root", root)?;
    let size = |problem: SizeError| Error::argument("elements", problem.to_string());
    if Transform::forward_at(log_size, root).map_err(size)?.is_none() {
        return Err(Error::argument("root", format!("its order is not 2^{log_size}")));
    }
    if root == Transform::<F>::forward(log_size).map_err(size)?.root() {
        return Ok(());
    }
    let what = format!("ntt ({}) with another root than the standard one", request.field);
    Err(Error::Unsupported { device: device.to_owned(), what })
}

fn element<F: PrimeField>(argument: &'static str, bytes: &[u8]) -> Result<F> {
    F::from_le_bytes(bytes).map_err(|error| Error::argument(argument, error.to_string()))
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        if self.failed.is_some() { self.sent } else { 2 * self.granules() + 1 }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn is_ready(&mut self, position: usize) -> bool {
        if self.region.is_none() {
            let bytes = self.geometry().needed(self.log_size);
            self.region = self.door.memory.take(bytes).ok();
        }
        // The run follows what was written, and reads follow the run, in the card's own order.
        self.region.is_some() && position < self.commands()
    }

    fn command(&mut self, position: usize, index: u64) -> Vec<u8> {
        self.sent = position + 1;
        let granules = self.granules();
        if position < granules {
            let mut data = vec![0; GRANULE];
            for (from, to) in self.beats(position) {
                let end = (from + Geometry::BEAT).min(self.source.len());
                data[to..to + end - from].copy_from_slice(&self.source[from..end]);
            }
            let (channel, address) = self.place(position);
            return wire::ntt_write(index, address, channel as u8, &data);
        }
        if position > granules {
            let (channel, address) = self.place(position - granules - 1);
            return wire::ntt_read(index, address, channel as u8);
        }
        let elements = self.region.as_ref().map_or(0, Region::address);
        wire::ntt_run(
            index,
            &wire::NttRun {
                elements,
                scratch: elements + self.geometry().bytes(self.log_size),
                log_size: self.log_size,
                direction: if self.inverse { directions::INVERSE } else { directions::FORWARD },
                count: 1,
                shift: self.factors.shift,
                scale: self.factors.scale,
            },
        )
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        let field = |offset| u64_at(reply, offset).ok_or("a reply that is too short");
        let granules = self.granules();
        if position < granules {
            let [found] =
                bytes_at(reply, write::reply_fields::status::OFFSET).ok_or("no status")?;
            self.note_status(found.into(), u64::MAX)?;
        } else if position == granules {
            use run::reply_fields as at;
            let (found, element) = (field(at::status::OFFSET)?, field(at::element::OFFSET)?);
            self.note_status(found, element)?;
        } else {
            use read::reply_fields as at;
            self.note_status(field(at::status::OFFSET)?, u64::MAX)?;
            let data: [u8; GRANULE] = bytes_at(reply, at::data::OFFSET).ok_or("no data")?;
            for (to, from) in self.beats(position - granules - 1) {
                let end = (to + Geometry::BEAT).min(self.target.len());
                self.target[to..end].copy_from_slice(&data[from..from + end - to]);
            }
        }
        self.answered += 1;
        self.tell();
        Ok(())
    }

    fn answer(&mut self) -> Result<Answer> {
        match self.failed.take() {
            Some(error) => Err(error),
            None => Ok(Answer::Ntt(Response { elements: std::mem::take(&mut self.target) })),
        }
    }
}
