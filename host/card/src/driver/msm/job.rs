//! A request in commands: points to be written, then for every list its scalars and a run. A run is told its sum, and the
//! next list's scalars go to the other half of their channel while it is under way.

use std::marker::PhantomData;
use std::sync::Arc;

use proofmill_op::msm::{Check, Cycles, Progress, Response, SCALAR_BYTES};
use proofmill_op::{Answer, Capability, Error, Parked, Result};

use super::Door;
use super::curve::{OnCard, decode};
use super::geometry::Geometry;
use super::memory::{Half, Scalars};
use crate::driver::job::{self, Settings, Transfer};
use crate::driver::regions::Region;
use crate::transport::Place;
use crate::transport::door::PACKED;
use crate::wire::constants::msm::commands::{run, write};
use crate::wire::constants::msm::status;
use crate::wire::{self, bytes_at, u64_at};

/// Points in the card.
#[derive(Debug)]
pub struct Kept {
    /// Where they lie.
    pub region: Arc<Region>,
    /// How many.
    pub count: usize,
    /// What was checked of them.
    pub check: Check,
}

/// Points that are still to be written: slices of [`Pieces::POINTS`] points each, as [`super::curve::encode`] made them.
#[derive(Debug, Default)]
pub struct Pieces(pub Vec<Vec<u8>>);

impl Pieces {
    /// Points of a piece; the last one may have fewer.
    pub const POINTS: usize = 1024;

    fn writes(&self) -> usize {
        self.0.iter().map(|piece| piece.len() / Geometry::GRANULE).sum()
    }

    /// Channel, address from the first point's on, and bytes of an upload: a piece's slices in a channel.
    fn upload(&self, position: usize, channels: usize) -> (usize, usize, &[u8]) {
        let (piece, channel) = (position / channels, position % channels);
        let slices = &self.0[piece];
        let each = slices.len() / channels;
        (channel, piece * Self::POINTS * Geometry::SLICE, &slices[channel * each..][..each])
    }

    /// Channel, address from the first point's on, and bytes of a write.
    fn write(&self, position: usize, channels: usize) -> (usize, usize, &[u8]) {
        let full = channels * Self::POINTS * Geometry::SLICE / Geometry::GRANULE;
        let (piece, at) = (position / full, position % full);
        let slices = &self.0[piece];
        let each = slices.len() / Geometry::GRANULE / channels;
        let address = piece * Self::POINTS * Geometry::SLICE + at % each * Geometry::GRANULE;
        (at / each, address, &slices[at * Geometry::GRANULE..][..Geometry::GRANULE])
    }
}

/// A list of scalars.
#[derive(Clone)]
pub enum List {
    /// To be written.
    Here(Arc<[u8]>),
    /// The card made them.
    Kept(Arc<Scalars>),
}

impl List {
    /// How many.
    pub fn count(&self) -> usize {
        match self {
            Self::Here(scalars) => scalars.len() / SCALAR_BYTES,
            Self::Kept(scalars) => scalars.count,
        }
    }
}

/// What the answer is.
pub enum Purpose {
    /// A handle to the points, which came in so many bytes.
    Park(usize),
    /// A sum for each of these lists, whose scalars for the points begin with the one of this number.
    Sums(Vec<List>, usize, Option<Progress>),
}

/// A request on its way.
pub struct Job<C> {
    door: Arc<Door>,
    settings: Settings,
    points: Arc<Kept>,
    pieces: Pieces,
    purpose: Purpose,
    window_bits: u32,
    /// Commands that were sent.
    sent: usize,
    /// For each list, where its scalars are while they are in the card.
    halves: Vec<Option<Half>>,
    sums: Vec<Vec<u8>>,
    cycles: Vec<Cycles>,
    cancelled: bool,
    failed: Option<&'static str>,
    group: PhantomData<C>,
}

/// A command, by its number among the job's.
enum Command {
    /// A write of points.
    Points,
    /// Of a list, a write of scalars.
    Scalars(usize, usize),
    /// Of a list, its run.
    Run(usize),
}

impl<C: OnCard> Job<C> {
    /// Bytes of scalars that are uploaded at once.
    const UPLOAD: usize = 1 << 16;

    /// Of checked points and scalars: what is to be written first, and then done.
    pub fn new(door: Arc<Door>, points: Arc<Kept>, pieces: Pieces, purpose: Purpose) -> Self {
        let lists = if let Purpose::Sums(lists, ..) = &purpose { lists.len() } else { 0 };
        Self {
            window_bits: door.geometry.cutting(points.count).bits,
            door,
            settings: Settings::new(),
            points,
            pieces,
            purpose,
            sent: 0,
            halves: std::iter::repeat_with(|| None).take(lists).collect(),
            sums: vec![Vec::new(); lists],
            cycles: vec![Cycles::default(); lists],
            cancelled: false,
            failed: None,
            group: PhantomData,
        }
    }

    /// Bytes of scalars of a command.
    fn scalars_each(&self) -> usize {
        if self.door.bulk.is_some() { Self::UPLOAD } else { Geometry::GRANULE }
    }

    /// Commands of a list.
    fn each(&self, list: usize) -> usize {
        match &self.purpose {
            Purpose::Sums(lists, ..) if matches!(lists[list], List::Kept(_)) => 1,
            _ => (self.points.count * SCALAR_BYTES).div_ceil(self.scalars_each()) + 1,
        }
    }

    /// Commands that bring points.
    fn writes(&self) -> usize {
        match self.door.bulk {
            Some(_) => self.pieces.0.len() * self.door.geometry.channels,
            None => self.pieces.writes(),
        }
    }

    /// Bytes, and address behind the list's first one, of some of a list's scalars.
    fn some_scalars(&self, list: usize, at: usize) -> Option<(u64, &[u8])> {
        let Purpose::Sums(lists, first, _) = &self.purpose else { return None };
        let List::Here(scalars) = &lists[list] else { return None };
        let from = at * self.scalars_each();
        let end = (from + self.scalars_each()).min(self.points.count * SCALAR_BYTES);
        Some((from as u64, &scalars[first * SCALAR_BYTES..][from..end]))
    }

    fn at(&self, position: usize) -> Command {
        let Some(mut at) = position.checked_sub(self.writes()) else {
            return Command::Points;
        };
        let mut list = 0;
        while at >= self.each(list) {
            at -= self.each(list);
            list += 1;
        }
        if at + 1 == self.each(list) { Command::Run(list) } else { Command::Scalars(list, at) }
    }

    /// Where the card made them, if it did.
    fn kept(&self, list: usize) -> Option<u64> {
        let Purpose::Sums(lists, first, _) = &self.purpose else { return None };
        let List::Kept(scalars) = &lists[list] else { return None };
        Some(scalars.address() + (first * SCALAR_BYTES) as u64)
    }

    fn scalars_at(&self, list: usize) -> u64 {
        let half = || self.halves[list].as_ref().map_or(0, Half::address);
        self.kept(list).unwrap_or_else(half)
    }

    fn accept_run(&mut self, list: usize, reply: &[u8]) -> std::result::Result<(), String> {
        use run::reply_fields as at;
        let field = |offset| u64_at(reply, offset).ok_or("a reply that is too short");
        let cycles = Cycles {
            accumulation: field(at::accumulation::OFFSET)?,
            tail: field(at::tail::OFFSET)?,
            tail_additions: field(at::tail_additions::OFFSET)?,
        };
        self.halves[list] = None;
        self.note_status(field(at::status::OFFSET)?)?;
        if self.failed.is_some() || self.cancelled {
            return Ok(());
        }
        let sum = &reply[at::sum::OFFSET as usize..];
        self.sums[list] = match decode::<C>(&self.door.geometry, sum) {
            Some(sum) => sum,
            None if self.points.check == Check::Subgroup => {
                return Err("a sum that is no point".into());
            }
            None => {
                self.failed =
                    Some("the sum is no point; points were not checked to be of the subgroup");
                return Ok(());
            }
        };
        self.cycles[list] = cycles;
        if let Purpose::Sums(lists, _, Some(Progress(tell))) = &self.purpose {
            tell((list + 1) as f64 / lists.len() as f64);
        }
        Ok(())
    }

    /// What the card said of a command that it was right to send.
    fn note_status(&mut self, found: u64) -> std::result::Result<(), String> {
        const REFUSED: u64 = status::REFUSED as u64;
        const MEMORY_FAULT: u64 = status::MEMORY_FAULT as u64;
        const CANCELLED: u64 = status::CANCELLED as u64;
        const FULL: u64 = status::FULL as u64;
        const DONE: u64 = status::DONE as u64;
        match found {
            DONE => {}
            REFUSED => return Err("a refusal of what its registers allow".into()),
            MEMORY_FAULT => self.failed = Some("its memory did not answer"),
            FULL => return Err("a full queue, which its registers have room in".into()),
            CANCELLED if self.cancelled => {}
            CANCELLED => return Err("a cancellation that nobody asked for".into()),
            other => return Err(format!("a status of {other}, which is none")),
        }
        Ok(())
    }
}

/// Slices without what is zero at the end of each.
fn packed(slices: &[u8]) -> Vec<u8> {
    let slices = slices.as_chunks::<{ Geometry::SLICE }>().0.iter();
    slices.flat_map(|slice| &slice[..PACKED as usize]).copied().collect()
}

impl<C: OnCard> job::Job for Job<C> {
    fn commands(&self) -> usize {
        match self.failed {
            Some(_) => self.sent,
            None => {
                let lists = 0..self.halves.len();
                self.writes() + lists.map(|list| self.each(list)).sum::<usize>()
            }
        }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn is_ready(&mut self, position: usize) -> bool {
        let (Command::Scalars(list, _) | Command::Run(list)) = self.at(position) else {
            return true;
        };
        if self.kept(list).is_some() {
            return true;
        }
        if self.halves[list].is_none() {
            self.halves[list] = self.door.halves.take();
        }
        self.halves[list].is_some()
    }

    fn transfer(&self, position: usize) -> Option<Transfer> {
        let (bulk, channels) = (self.door.bulk?, self.door.geometry.channels);
        let place = |channel: usize, address| Place::new(bulk + channel as u32, address);
        match self.at(position) {
            Command::Run(_) => None,
            Command::Scalars(list, at) => {
                let (from, scalars) = self.some_scalars(list, at)?;
                let mut bytes = scalars.to_vec();
                bytes.resize(bytes.len().next_multiple_of(Geometry::SLICE), 0);
                Some(Transfer::Up(place(channels, self.scalars_at(list) + from), bytes))
            }
            Command::Points => {
                let (channel, at, slices) = self.pieces.upload(position, channels);
                let place = place(channel, self.points.region.address() + at as u64);
                Some(match self.door.geometry.packs() {
                    false => Transfer::Up(place, slices.to_vec()),
                    true => Transfer::Up(place.packed(), packed(slices)),
                })
            }
        }
    }

    fn transferred(&mut self, _position: usize, bytes: Option<Vec<u8>>) {
        if bytes.is_none() {
            self.failed = Some("its memory did not answer");
        }
    }

    fn command(&mut self, position: usize, index: u64) -> Vec<u8> {
        self.sent = position + 1;
        match self.at(position) {
            Command::Scalars(list, at) => {
                let (from, scalars) = self.some_scalars(list, at).unwrap_or_default();
                let address = self.scalars_at(list) + from;
                wire::msm_write(index, address, self.door.geometry.channels as u8, scalars)
            }
            Command::Run(list) => wire::msm_run(
                index,
                self.points.region.address(),
                self.scalars_at(list),
                self.points.count as u64,
                self.window_bits,
            ),
            Command::Points => {
                let channels = self.door.geometry.channels;
                let (channel, at, slices) = self.pieces.write(position, channels);
                let address = self.points.region.address() + at as u64;
                wire::msm_write(index, address, channel as u8, slices)
            }
        }
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        if let Command::Run(list) = self.at(position) {
            return self.accept_run(list, reply);
        }
        let [found] = bytes_at(reply, write::reply_fields::status::OFFSET).ok_or("no status")?;
        match u32::from(found) {
            status::CANCELLED => Err("a cancelled write, which there is not".into()),
            _ => self.note_status(found.into()),
        }
    }

    fn cancel(&mut self, position: usize, target: u64, index: u64) -> Option<Vec<u8>> {
        let run = matches!(self.at(position), Command::Run(_));
        self.cancelled |= run;
        run.then(|| wire::msm_cancel(index, target))
    }

    fn answer(&mut self) -> Result<Answer> {
        if let Some(problem) = self.failed {
            let device = self.door.uri.clone();
            return Err(Error::Failed { device, problem: problem.into() });
        }
        Ok(Answer::Msm(match &self.purpose {
            Purpose::Park(bytes) => {
                let form = Capability::Msm(self.door.geometry.instance);
                let kept = self.points.clone();
                Response::Parked(Parked::prepared(self.door.identity, form, *bytes, kept))
            }
            Purpose::Sums(..) => Response::Sums {
                points: std::mem::take(&mut self.sums),
                cycles: Some(std::mem::take(&mut self.cycles)),
            },
        }))
    }
}
