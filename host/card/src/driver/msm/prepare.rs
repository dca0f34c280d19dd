//! From requests to jobs: points and scalars are checked, and points converted to the engine's form, by all threads of this
//! machine.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use proofmill_algebra::curve::{Affine, Projective};
use proofmill_algebra::encoding::pair;
use proofmill_op::msm::read::{self, Source};
use proofmill_op::msm::{Check, Cycles, Instance, Request, Response, SCALAR_BYTES};
use proofmill_op::process::parallel;
use proofmill_op::{Error, Progress, ResidentData, Result, Ticket};
use rayon::prelude::*;

use super::Port;
use super::curve::{OnCard, encode};
use super::geometry::Geometry;
use super::job::{Batch, Job, List, Pieces, Resident};
use crate::driver::job::{Respond, Work};
use crate::driver::regions::Region;

/// The most points of a stream in an MSM of the card: the cost of its tail is small in comparison.
const CHUNK: usize = 1 << 20;

/// Scalars that a thread checks at a time.
const CHECKED: usize = 1 << 13;

/// The interval at which a wait for the card checks for cancellation.
const SLICE: Duration = Duration::from_millis(10);

/// Points of MSMs.
pub enum Points {
    /// Points in the card.
    Resident(Arc<Resident>),
    /// Points to write.
    Whole(Whole),
    /// Read in chunks, which use these regions in turn.
    Stream { stream: Source, check: Check, chunk: usize, regions: [Arc<Region>; 2] },
}

/// Points to be written to a region, where they stay while they are needed.
pub struct Whole {
    pub source: Source,
    pub count: usize,
    pub check: Check,
    pub region: Region,
}

/// The outcome of the preparation of a request with a response of type `T`.
pub enum Prepared<T> {
    /// A job for the card.
    Job(Box<dyn Respond<T>>),
    /// The response.
    Response(T),
}

/// Returns whether the request was cancelled.
pub type Cancelled<'a> = &'a (dyn Fn() -> bool + Sync);

/// Returns the points of a chunk of a stream, so that two chunks fit the card's memory: half of it, in whole granules. If there are several chunks,
/// their scalars are whole granules, too, if the card can hold one.
pub fn chunk(geometry: &Geometry, points: usize) -> usize {
    const WHOLE: usize = Geometry::GRANULE / SCALAR_BYTES;
    let half = (geometry.max_points() / 2) as usize;
    points.min(CHUNK).min(if half < WHOLE { half } else { half / WHOLE * WHOLE })
}

/// Returns the bytes of points between a stream and the card: two chunks.
pub fn read_bytes(instance: Instance, points: usize) -> usize {
    points.min(2 * CHUNK) * instance.point_bytes()
}

/// Prepares bases to be loaded.
pub fn load<C: OnCard>(
    port: &Arc<Port>,
    points: Whole,
    cancelled: Cancelled<'_>,
) -> Result<Prepared<ResidentData>> {
    let (points, pieces) = write::<C>(port, points, cancelled)?;
    let job = Job::<C>::new(port.clone(), points, pieces, Batch::default());
    Ok(Prepared::Job(Box::new(job)))
}

/// Prepares MSMs.
pub fn msm<C: OnCard>(
    port: &Arc<Port>,
    inbox: &Sender<Work>,
    points: Points,
    request: Request,
    cancelled: Cancelled<'_>,
) -> Result<Prepared<Response>> {
    let (lists, progress) = (scalars::<C>(port, &request)?, request.progress);
    let (points, pieces) = match points {
        Points::Resident(points) => (points, Pieces::default()),
        Points::Whole(points) => write::<C>(port, points, cancelled)?,
        Points::Stream { stream, check, chunk, regions } => {
            let conductor = Conductor { port, inbox, cancelled, progress };
            let response = conductor.msm::<C>(&stream, check, chunk, &regions, &lists);
            // When the response arrives, the regions are free. Chunks of a cancelled request leave the card a little later, but its response is not read.
            let in_use = || regions.iter().any(|region| Arc::strong_count(region) > 1);
            while in_use() && !cancelled() {
                thread::sleep(SLICE);
            }
            return response.map(Prepared::Response);
        }
    };
    let batch = Batch { lists, first: 0, progress };
    Ok(Prepared::Job(Box::new(Job::<C>::new(port.clone(), points, pieces, batch))))
}

/// Converts points to be written to the engine's form.
fn write<C: OnCard>(
    port: &Port,
    Whole { source, count, check, region }: Whole,
    cancelled: Cancelled<'_>,
) -> Result<(Arc<Resident>, Pieces)> {
    let pieces = pieces::<C>(&port.geometry, &source, 0..count, check, cancelled)?;
    Ok((Arc::new(Resident { region: Arc::new(region), count, check }), pieces))
}

/// Returns the lists of a request, whose scalars are below r: those of the host are checked, those that the card computed need no check.
fn scalars<C: OnCard>(port: &Port, request: &Request) -> Result<Vec<List>> {
    let lists: Vec<_> =
        request.scalars.iter().map(|list| port.list(list)).collect::<Result<_>>()?;
    for (number, list) in lists.iter().enumerate() {
        let List::Host(list) = list else { continue };
        let (scalars, _) = list.as_chunks::<SCALAR_BYTES>();
        let chunks = scalars.par_chunks(CHECKED).enumerate();
        parallel(|| {
            chunks.try_for_each(|(i, some)| read::check_reduced::<C>(number, i * CHECKED, some))
        })?;
    }
    Ok(lists)
}

fn pieces<C: OnCard>(
    geometry: &Geometry,
    source: &Source,
    range: Range<usize>,
    check: Check,
    cancelled: Cancelled<'_>,
) -> Result<Pieces> {
    let starts = range.clone().into_par_iter().step_by(Pieces::POINTS);
    let pieces = starts.map_init(Vec::new, |buffer, start| {
        if cancelled() {
            return Err(Error::Cancelled);
        }
        let numbers = start..range.end.min(start + Pieces::POINTS);
        let bytes = source.range(pair::bytes::<C>(), numbers, buffer)?;
        encode::<C>(geometry, start, bytes, check)
    });
    parallel(|| pieces.collect::<Result<_>>()).map(Pieces)
}

/// Sends the chunks of a stream to the card, each during the run of the one before, and adds their results.
struct Conductor<'a> {
    port: &'a Arc<Port>,
    inbox: &'a Sender<Work>,
    cancelled: Cancelled<'a>,
    progress: Option<Progress>,
}

impl Conductor<'_> {
    fn msm<C: OnCard>(
        &self,
        stream: &Source,
        check: Check,
        chunk: usize,
        regions: &[Arc<Region>; 2],
        lists: &[List],
    ) -> Result<Response> {
        let count = lists.first().map_or(0, List::count);
        let mut total = vec![(Projective::<C>::IDENTITY, Cycles::default()); lists.len()];
        let mut pending: VecDeque<Ticket<Response>> = VecDeque::new();
        let chunks = count.div_ceil(chunk.max(1));
        for number in 0..chunks {
            let range = number * chunk..count.min((number + 1) * chunk);
            if pending.len() == regions.len() {
                self.add_oldest(&mut pending, &mut total, number, chunks)?;
            }
            let geometry = &self.port.geometry;
            let pieces = pieces::<C>(geometry, stream, range.clone(), check, self.cancelled)?;
            let region = regions[number % regions.len()].clone();
            let points = Arc::new(Resident { region, count: range.len(), check });
            let batch = Batch { lists: lists.to_vec(), first: range.start, progress: None };
            let (completer, ticket) = Ticket::pair();
            let job = Box::new(Job::<C>::new(self.port.clone(), points, pieces, batch));
            // If the reactor is gone, the work is dropped here, and its completer fails the ticket.
            let _ = self.inbox.send(Work::new(self.port.engine, job, completer));
            pending.push_back(ticket);
        }
        while !pending.is_empty() {
            self.add_oldest(&mut pending, &mut total, chunks, chunks)?;
        }
        let (points, cycles): (Vec<_>, Vec<_>) = total.into_iter().unzip();
        let points = Affine::batch(&points).iter().map(pair::encode).collect();
        Ok(Response::new(points, Some(cycles)))
    }

    /// Waits for the results of the oldest chunk and adds them; `begun` of all chunks have begun.
    fn add_oldest<C: OnCard>(
        &self,
        pending: &mut VecDeque<Ticket<Response>>,
        total: &mut [(Projective<C>, Cycles)],
        begun: usize,
        chunks: usize,
    ) -> Result<()> {
        let Some(mut ticket) = pending.pop_front() else { return Ok(()) };
        let response = loop {
            if (self.cancelled)() {
                return Err(Error::Cancelled);
            }
            match ticket.wait_timeout(SLICE) {
                Ok(response) => break response?,
                Err(back) => ticket = back,
            }
        };
        let cycles = response.cycles.unwrap_or_default();
        for ((sum, all), (point, cycles)) in
            total.iter_mut().zip(response.points.iter().zip(cycles))
        {
            *sum += read::point::<C>(0, point, Check::None)?;
            *all += cycles;
        }
        if let Some(progress) = &self.progress {
            progress.report((begun - pending.len()) as f64 / chunks as f64);
        }
        Ok(())
    }
}
