//! A request as commands: writes of points, then for each list writes of its scalars and a run. The next list's scalars go to
//! the other half of their channel during a run.

use std::marker::PhantomData;
use std::sync::Arc;

use proofmill_algebra::encoding::pair;
use proofmill_op::msm::{Check, Cycles, Response, SCALAR_BYTES};
use proofmill_op::{Bytes, Capability, Error, Progress, ResidentData, Result, SecretBytes};

use super::Port;
use super::curve::{OnCard, decode};
use super::geometry::Geometry;
use super::memory::{Half, Scalars};
use crate::driver::job::{self, Respond, Settings, Transfer};
use crate::driver::regions::Region;
use crate::transport::Place;
use crate::transport::memory_port::PACKED;
use crate::wire::constants::msm::commands::{run, write};
use crate::wire::constants::msm::status;
use crate::wire::{self, bytes_at, u64_at};

/// Points in the card's memory.
#[derive(Debug)]
pub struct Resident {
    /// Their memory.
    pub region: Arc<Region>,
    /// Their number.
    pub count: usize,
    /// The check that they passed.
    pub check: Check,
}

/// Points to be written: slices of [`Pieces::POINTS`] points each, as [`super::curve::encode`] made them. Only the last
/// piece may have fewer points, so the place of a piece follows from the bytes of the first one.
#[derive(Debug, Default)]
pub struct Pieces(pub Vec<Vec<u8>>);

impl Pieces {
    /// Points of a piece: whole granules of every channel.
    pub const POINTS: usize = 1024;

    fn writes(&self) -> usize {
        self.0.iter().map(|piece| piece.len() / Geometry::GRANULE).sum()
    }

    /// Returns the address of a piece in each channel, from the first point's on.
    fn address(&self, piece: usize, channels: usize) -> usize {
        piece * self.0[0].len() / channels
    }

    /// Returns channel, address from the first point's on, and bytes of an upload: a piece's slices in a channel.
    fn upload(&self, position: usize, channels: usize) -> (usize, usize, &[u8]) {
        let (piece, channel) = (position / channels, position % channels);
        let slices = &self.0[piece];
        let each = slices.len() / channels;
        (channel, self.address(piece, channels), &slices[channel * each..][..each])
    }

    /// Returns channel, address from the first point's on, and bytes of a write.
    fn write(&self, position: usize, channels: usize) -> (usize, usize, &[u8]) {
        let full = self.0[0].len() / Geometry::GRANULE;
        let (piece, at) = (position / full, position % full);
        let slices = &self.0[piece];
        let each = slices.len() / Geometry::GRANULE / channels;
        let address = self.address(piece, channels) + at % each * Geometry::GRANULE;
        (at / each, address, &slices[at * Geometry::GRANULE..][..Geometry::GRANULE])
    }
}

/// A list of scalars.
#[derive(Clone)]
pub enum List {
    /// Bytes to write.
    Host(Bytes),
    /// Computed by the card.
    Resident(Arc<Scalars>),
}

impl List {
    /// Returns their number.
    pub fn count(&self) -> usize {
        match self {
            Self::Host(scalars) => scalars.len() / SCALAR_BYTES,
            Self::Resident(scalars) => scalars.count,
        }
    }
}

/// MSMs over points.
#[derive(Default)]
pub struct Batch {
    /// The scalars of each MSM.
    pub lists: Vec<List>,
    /// The number of the scalar of the first point.
    pub first: usize,
    pub progress: Option<Progress>,
}

/// A request and its progress: points are written, then MSMs are computed, if any.
pub struct Job<C> {
    port: Arc<Port>,
    settings: Settings,
    points: Arc<Resident>,
    pieces: Pieces,
    batch: Batch,
    window_bits: u32,
    /// Commands that were sent.
    sent: usize,
    /// For each list, the place of its scalars while they are in the card.
    halves: Vec<Option<Half>>,
    results: Vec<Vec<u8>>,
    cycles: Vec<Cycles>,
    cancelled: bool,
    failed: Option<&'static str>,
    group: PhantomData<C>,
}

/// A command, by its number among the job's.
enum Command {
    /// A write of points.
    Points,
    /// A write of scalars of a list.
    Scalars(usize, usize),
    /// The run of a list.
    Run(usize),
}

impl<C: OnCard> Job<C> {
    /// Bytes of scalars that are uploaded at once.
    const UPLOAD: usize = 1 << 16;

    /// Returns the job of checked points and scalars.
    pub fn new(port: Arc<Port>, points: Arc<Resident>, pieces: Pieces, batch: Batch) -> Self {
        let lists = batch.lists.len();
        Self {
            window_bits: port.geometry.cutting(points.count).bits,
            port,
            settings: Settings::new(),
            points,
            pieces,
            batch,
            sent: 0,
            halves: std::iter::repeat_with(|| None).take(lists).collect(),
            results: vec![Vec::new(); lists],
            cycles: vec![Cycles::default(); lists],
            cancelled: false,
            failed: None,
            group: PhantomData,
        }
    }

    /// Returns the bytes of scalars of a command.
    fn scalars_each(&self) -> usize {
        if self.port.bulk.is_some() { Self::UPLOAD } else { Geometry::GRANULE }
    }

    /// Returns the number of commands of a list.
    fn each(&self, list: usize) -> usize {
        match self.batch.lists[list] {
            List::Resident(_) => 1,
            List::Host(_) => (self.points.count * SCALAR_BYTES).div_ceil(self.scalars_each()) + 1,
        }
    }

    /// Returns the number of commands that write points.
    fn writes(&self) -> usize {
        match self.port.bulk {
            Some(_) => self.pieces.0.len() * self.port.geometry.channels,
            None => self.pieces.writes(),
        }
    }

    /// Returns the scalars of a command with their address behind that of the list's first one.
    fn some_scalars(&self, list: usize, at: usize) -> Option<(u64, &[u8])> {
        let List::Host(scalars) = &self.batch.lists[list] else { return None };
        let from = at * self.scalars_each();
        let end = (from + self.scalars_each()).min(self.points.count * SCALAR_BYTES);
        Some((from as u64, &scalars[self.batch.first * SCALAR_BYTES..][from..end]))
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

    /// Returns the address of scalars that the card computed.
    fn resident(&self, list: usize) -> Option<u64> {
        let List::Resident(scalars) = &self.batch.lists[list] else { return None };
        Some(scalars.address() + (self.batch.first * SCALAR_BYTES) as u64)
    }

    fn scalars_at(&self, list: usize) -> u64 {
        let half = || self.halves[list].as_ref().map_or(0, Half::address);
        self.resident(list).unwrap_or_else(half)
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
        self.results[list] = match decode::<C>(&self.port.geometry, sum) {
            Some(sum) => sum,
            None if self.points.check == Check::Subgroup => {
                return Err("a sum that is not a point".into());
            }
            None => {
                self.failed =
                    Some("the sum is not a point; points were not checked to be in the subgroup");
                return Ok(());
            }
        };
        self.cycles[list] = cycles;
        if let Some(progress) = &self.batch.progress {
            progress.report((list + 1) as f64 / self.batch.lists.len() as f64);
        }
        Ok(())
    }

    /// Records the status of a command that the card must accept.
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
            FULL => {
                return Err(
                    "a full queue, which has free entries according to its registers".into()
                );
            }
            CANCELLED if self.cancelled => {}
            CANCELLED => return Err("a cancellation that was not requested".into()),
            other => return Err(format!("a status of {other}, which is none")),
        }
        Ok(())
    }
}

/// Returns slices without the zeros at the end of each.
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

    fn acquire(&mut self, position: usize) -> bool {
        let (Command::Scalars(list, _) | Command::Run(list)) = self.at(position) else {
            return true;
        };
        if self.resident(list).is_some() {
            return true;
        }
        if self.halves[list].is_none() {
            self.halves[list] = self.port.halves.take();
        }
        self.halves[list].is_some()
    }

    fn transfer(&self, position: usize) -> Option<Transfer> {
        let (bulk, channels) = (self.port.bulk?, self.port.geometry.channels);
        let place = |channel: usize, address| Place::new(bulk + channel as u32, address);
        match self.at(position) {
            Command::Run(_) => None,
            Command::Scalars(list, at) => {
                let (from, scalars) = self.some_scalars(list, at)?;
                let whole = scalars.len().next_multiple_of(Geometry::SLICE);
                let mut bytes = SecretBytes::filled(whole, 0);
                bytes[..scalars.len()].copy_from_slice(scalars);
                Some(Transfer::Up(place(channels, self.scalars_at(list) + from), bytes))
            }
            Command::Points => {
                let (channel, at, slices) = self.pieces.upload(position, channels);
                let place = place(channel, self.points.region.address() + at as u64);
                Some(match self.port.geometry.packs() {
                    false => Transfer::Up(place, slices.to_vec().into()),
                    true => Transfer::Up(place.packed(), packed(slices).into()),
                })
            }
        }
    }

    fn transferred(&mut self, _position: usize, bytes: Option<SecretBytes>) {
        if bytes.is_none() {
            self.failed = Some("its memory did not answer");
        }
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        self.sent = position + 1;
        let Geometry { channels, instance, .. } = self.port.geometry;
        let group = instance.group;
        match self.at(position) {
            Command::Scalars(list, at) => {
                let (from, scalars) = self.some_scalars(list, at).unwrap_or_default();
                let address = self.scalars_at(list) + from;
                wire::msm_write(group, index, address, channels as u8, scalars)
            }
            Command::Run(list) => wire::msm_run(
                group,
                index,
                self.points.region.address(),
                self.scalars_at(list),
                self.points.count as u64,
                self.window_bits,
            ),
            Command::Points => {
                let (channel, at, slices) = self.pieces.write(position, channels);
                let address = self.points.region.address() + at as u64;
                wire::msm_write(group, index, address, channel as u8, slices)
            }
        }
        .into()
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

    fn cancel(&mut self, position: usize, target: u64, index: u64) -> Option<SecretBytes> {
        let run = matches!(self.at(position), Command::Run(_));
        self.cancelled |= run;
        run.then(|| wire::msm_cancel(self.port.geometry.instance.group, index, target).into())
    }
}

/// The results of the MSMs.
impl<C: OnCard> Respond<Response> for Job<C> {
    fn respond(self: Box<Self>) -> Result<Response> {
        self.check()?;
        Ok(Response::new(self.results, Some(self.cycles)))
    }
}

/// A handle to the points.
impl<C: OnCard> Respond<ResidentData> for Job<C> {
    fn respond(self: Box<Self>) -> Result<ResidentData> {
        self.check()?;
        let (form, bytes) =
            (Capability::Msm(self.port.geometry.instance), self.points.count * pair::bytes::<C>());
        Ok(ResidentData::prepared(self.port.identity, form, bytes, self.points))
    }
}

impl<C> Job<C> {
    /// Returns an error if a command failed.
    fn check(&self) -> Result<()> {
        let Some(problem) = self.failed else { return Ok(()) };
        let device = self.port.uri.clone();
        Err(Error::Failed { device, problem: problem.into() })
    }
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::msm::multiples;
    use proofmill_algebra::{bls12_381, bn254};

    use super::super::curve::encode;
    use super::*;

    /// The bytes of a memory with `channels` channels after these writes.
    fn memory<'a>(
        channels: usize,
        writes: impl Iterator<Item = (usize, usize, &'a [u8])>,
    ) -> Vec<u8> {
        let mut memory = vec![Vec::new(); channels];
        for (channel, address, bytes) in writes {
            let memory: &mut Vec<u8> = &mut memory[channel];
            assert_eq!(memory.len(), address, "one after the other");
            memory.extend(bytes);
        }
        memory.concat()
    }

    fn fills<C: OnCard>() {
        let geometry = Geometry::example(C::NAME.parse().unwrap());
        let channels = geometry.channels;
        let points = multiples::<C>(1, 2 * Pieces::POINTS + 9);
        let bytes: Vec<u8> = points.iter().flat_map(pair::encode).collect();
        let all = encode::<C>(&geometry, 0, &bytes, Check::None).unwrap();
        let some = bytes.chunks(Pieces::POINTS * pair::bytes::<C>());
        let pieces = some.map(|some| encode::<C>(&geometry, 0, some, Check::None).unwrap());
        let pieces = Pieces(pieces.collect());
        let writes = (0..pieces.writes()).map(|position| pieces.write(position, channels));
        assert!(memory(channels, writes) == all, "{}", C::NAME);
        let uploads = (0..pieces.0.len() * channels).map(|at| pieces.upload(at, channels));
        assert!(memory(channels, uploads) == all, "{}", C::NAME);
    }

    #[test]
    fn writes_and_uploads_fill_the_memory_with_all_points() {
        fills::<bn254::G1>();
        fills::<bn254::G2>();
        fills::<bls12_381::G1>();
        fills::<bls12_381::G2>();
    }
}
