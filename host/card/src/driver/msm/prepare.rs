//! Between request and commands: points and scalars are checked, and points brought into the engine's form, by all
//! threads of this machine.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_op::msm::read::{self, Bytes};
use proofmill_op::msm::{Check, Cycles, Instance, Progress, Response, SCALAR_BYTES, Sums};
use proofmill_op::process::parallel;
use proofmill_op::{Answer, Completer, Error, Result, Ticket};
use rayon::prelude::*;

use super::Door;
use super::curve::{OnCard, encode};
use super::geometry::Geometry;
use super::job::{Job, Kept, List, Pieces, Purpose};
use crate::driver::job::{self, Work};
use crate::driver::regions::Region;

/// Most points of a stream that are added up at a time: what a card's tail costs is little beside these.
const CHUNK: usize = 1 << 20;

/// Scalars that a thread checks at a time.
const CHECKED: usize = 1 << 13;

/// How long to wait for the card before looking whether anybody still waits for the answer.
const SLICE: Duration = Duration::from_millis(10);

/// Where points come from.
pub enum Source {
    /// They are in the card.
    Kept(Arc<Kept>),
    /// So many are to be written into this region, and stay there while they are needed.
    Whole { bytes: Bytes, count: usize, check: Check, room: Region },
    /// They are read in chunks, which take turns with these regions.
    Stream { stream: Bytes, check: Check, chunk: usize, rooms: [Arc<Region>; 2] },
}

/// What comes of it.
pub enum Prepared {
    /// Work for the card.
    Job(Box<dyn job::Job>),
    /// All was done meanwhile.
    Answer(Response),
}

/// Points of a chunk of a stream, so that two chunks fit into the card's memory: half of it is whole granules. Where there are several, their scalars are
/// whole granules, too, if the card has room for one.
pub fn chunk(geometry: &Geometry, points: usize) -> usize {
    const WHOLE: usize = Geometry::GRANULE / SCALAR_BYTES;
    let half = (geometry.most_points() / 2) as usize;
    points.min(CHUNK).min(if half < WHOLE { half } else { half / WHOLE * WHOLE })
}

/// Bytes of points on their way from a stream to the card: two chunks.
pub fn read_bytes(instance: Instance, points: usize) -> usize {
    points.min(2 * CHUNK) * instance.point_bytes()
}

/// Makes a job of a request: of sums, or of points that are to be parked.
pub fn prepare<C: OnCard>(
    door: &Arc<Door>,
    inbox: &Sender<Work>,
    source: Source,
    sums: Option<Sums>,
    completer: &Completer,
) -> Result<Prepared> {
    let cancelled = || completer.is_cancelled();
    let (lists, progress) = match sums {
        Some(sums) => (Some(scalars::<C>(door, &sums)?), sums.progress),
        None => (None, None),
    };
    let (points, pieces, bytes) = match source {
        Source::Kept(points) => (points, Pieces::default(), 0),
        Source::Whole { bytes, count, check, room } => {
            let pieces = pieces::<C>(&door.geometry, &bytes, 0..count, check, &cancelled)?;
            let region = Arc::new(room);
            (Arc::new(Kept { region, count, check }), pieces, count * pair::bytes::<C>())
        }
        Source::Stream { stream, check, chunk, rooms } => {
            let lists = lists.unwrap_or_default();
            let conductor = Conductor { door, inbox, completer, progress };
            let sums = conductor.sums::<C>(&stream, check, chunk, &rooms, &lists);
            // Whoever has the answer finds the rooms free; chunks that were given up leave the card a little later.
            // Nobody has that of a cancelled one.
            let in_use = || rooms.iter().any(|room| Arc::strong_count(room) > 1);
            while in_use() && !completer.is_cancelled() {
                thread::sleep(SLICE);
            }
            return sums.map(Prepared::Answer);
        }
    };
    let purpose = match lists {
        Some(lists) => Purpose::Sums(lists, 0, progress),
        None => Purpose::Park(bytes),
    };
    Ok(Prepared::Job(Box::new(Job::<C>::new(door.clone(), points, pieces, purpose))))
}

/// The lists of a request, all of whose scalars are below r: those that the card made are.
fn scalars<C: OnCard>(door: &Door, sums: &Sums) -> Result<Vec<List>> {
    let lists: Vec<_> = sums.scalars.iter().map(|list| door.list(list)).collect::<Result<_>>()?;
    for (number, list) in lists.iter().enumerate() {
        let List::Here(list) = list else { continue };
        let (scalars, _) = list.as_chunks::<SCALAR_BYTES>();
        let chunks = scalars.par_chunks(CHECKED).enumerate();
        parallel(|| {
            chunks.try_for_each(|(i, some)| read::reduced::<C>(number, i * CHECKED, some))
        })?;
    }
    Ok(lists)
}

fn pieces<C: OnCard>(
    geometry: &Geometry,
    bytes: &Bytes,
    range: Range<usize>,
    check: Check,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Pieces> {
    let starts = range.clone().into_par_iter().step_by(Pieces::POINTS);
    let pieces = starts.map_init(Vec::new, |buffer, start| {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let numbers = start..range.end.min(start + Pieces::POINTS);
        let bytes = bytes.range(pair::bytes::<C>(), numbers, buffer)?;
        encode::<C>(geometry, start, bytes, check)
    });
    parallel(|| pieces.collect::<Result<_>>()).map(Pieces)
}

/// Leads the chunks of a stream to the card, one while the other is under way, and adds their sums up.
struct Conductor<'a> {
    door: &'a Arc<Door>,
    inbox: &'a Sender<Work>,
    completer: &'a Completer,
    progress: Option<Progress>,
}

impl Conductor<'_> {
    fn sums<C: OnCard>(
        &self,
        stream: &Bytes,
        check: Check,
        chunk: usize,
        rooms: &[Arc<Region>; 2],
        lists: &[List],
    ) -> Result<Response> {
        let count = lists.first().map_or(0, List::count);
        let mut total = vec![(Projective::<C>::IDENTITY, Cycles::default()); lists.len()];
        let mut under_way: VecDeque<Ticket> = VecDeque::new();
        let chunks = count.div_ceil(chunk.max(1));
        for number in 0..chunks {
            let range = number * chunk..count.min((number + 1) * chunk);
            if under_way.len() == rooms.len() {
                self.take_in(&mut under_way, &mut total, number, chunks)?;
            }
            let cancelled = || self.completer.is_cancelled();
            let pieces =
                pieces::<C>(&self.door.geometry, stream, range.clone(), check, &cancelled)?;
            let region = rooms[number % rooms.len()].clone();
            let points = Arc::new(Kept { region, count: range.len(), check });
            let purpose = Purpose::Sums(lists.to_vec(), range.start, None);
            let (completer, ticket) = Ticket::pair();
            let job = Box::new(Job::<C>::new(self.door.clone(), points, pieces, purpose));
            // A reactor that is gone drops the completer, which fails the ticket.
            let _ = self.inbox.send(Work { engine: self.door.engine, job, completer });
            under_way.push_back(ticket);
        }
        while !under_way.is_empty() {
            self.take_in(&mut under_way, &mut total, chunks, chunks)?;
        }
        let (points, cycles): (Vec<_>, Vec<_>) = total.into_iter().unzip();
        let points = Affine::batch(&points).iter().map(pair::encode).collect();
        Ok(Response::Sums { points, cycles: Some(cycles) })
    }

    /// Waits for the sums of the oldest chunk, when so many of all chunks have begun.
    fn take_in<C: OnCard>(
        &self,
        under_way: &mut VecDeque<Ticket>,
        total: &mut [(Projective<C>, Cycles)],
        begun: usize,
        chunks: usize,
    ) -> Result<()> {
        let Some(mut ticket) = under_way.pop_front() else { return Ok(()) };
        let answer = loop {
            if self.completer.is_cancelled() {
                return Err(Error::Cancelled);
            }
            match ticket.wait_timeout(SLICE) {
                Ok(answer) => break answer?,
                Err(back) => ticket = back,
            }
        };
        let Answer::Msm(Response::Sums { points, cycles: Some(cycles) }) = answer else {
            unreachable!("a job of sums is answered with sums")
        };
        for ((sum, all), (point, cycles)) in total.iter_mut().zip(points.iter().zip(cycles)) {
            *sum += read::point::<C>(0, point, Check::Nothing)?;
            *all += cycles;
        }
        if let Some(Progress(tell)) = &self.progress {
            tell((begun - under_way.len()) as f64 / chunks as f64);
        }
        Ok(())
    }
}
