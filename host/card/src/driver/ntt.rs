//! `ntt` on a card: elements go into its memory, are transformed there, and come back; or what becomes of three lists does, or stays there as the
//! scalars of a sum.
//!
//! Several requests may be under way, each with a region of the memory; one waits until there is room for it. Elements pass by the card's door to its
//! memory, where it has one, and otherwise by commands. By the door, those of the next requests come while a run is under way, and results leave.

mod geometry;

use std::sync::Arc;

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::{Form, SizeError, Transform};
use proofmill_op::msm::{self, Instance};
use proofmill_op::ntt::{Direction, Progress, Quotient, Request, Response};
use proofmill_op::{Answer, Capability, Error, Parked, Result, in_field};

pub use self::geometry::{Door, Geometry, find, known};

use self::geometry::GRANULE;
use super::job::{self, Settings, Transfer};
use super::msm::Scalars;
use super::regions::Region;
use crate::transport::Place;
use crate::wire::constants::ntt::commands::{read, run, write};
use crate::wire::constants::ntt::{directions, status};
use crate::wire::{self, bytes_at, u64_at};

/// A request on its way: writes, runs, reads.
pub struct Job {
    door: Arc<Door>,
    settings: Settings,
    log_size: u32,
    /// What is written, one list behind the other.
    lists: Vec<Arc<[u8]>>,
    runs: Vec<Run>,
    /// What is read: the first list; or nothing.
    target: Vec<u8>,
    /// Where the result stays instead.
    kept: Option<(Instance, Scalars)>,
    progress: Option<Progress>,
    /// Elements, then memory for the scratch.
    region: Option<Region>,
    sent: usize,
    answered: usize,
    failed: Option<Error>,
}

/// A run over all lists.
struct Run {
    direction: u32,
    factors: Factors,
}

/// A command, by its number among the job's.
enum Command {
    Write(usize),
    Run(usize),
    Read(usize),
}

/// What a command moves: bytes of a channel, from a place behind the region's first one.
struct Piece {
    channel: usize,
    from: usize,
    bytes: usize,
}

/// Bytes of a channel that pass at once by the door to the memory.
const SPAN: usize = 64 * GRANULE;

impl Job {
    /// Checks the request, and makes a job of it.
    pub fn new(request: Request, door: &Arc<Door>) -> Result<Self> {
        let log_size = request.log_size()?;
        door.geometry.demand(log_size)?;
        let run = in_field!(request.field, run(&request, log_size, &door.uri))?;
        let lists = vec![request.elements.on(door.identity)?.clone()];
        let target = request.memory.0;
        Ok(Self::of(door, log_size, lists, vec![run], request.progress).answered_in(target))
    }

    /// The same of a quotient: the inverse transforms have the shift already, so the forward ones have none.
    pub fn quotient(request: Quotient, door: &Arc<Door>) -> Result<Self> {
        let log_size = request.log_size()?;
        door.geometry.demand_quotient(log_size)?;
        let [a, b, c] = request.lists.each_ref().map(|list| list.on(door.identity).cloned());
        let lists = vec![a?, b?, c?];
        let kept = match request.keep {
            Some(instance) => Some((instance, door.scalars(instance, log_size)?)),
            None => None,
        };
        let mut runs = in_field!(request.field, chain(&request, log_size, &door.uri))?;
        if kept.is_some() {
            runs[2].direction = directions::A_B_LESS_C_TO_SCALARS;
        }
        let job = Self::of(door, log_size, lists, runs, request.progress);
        Ok(match kept {
            Some(_) => Self { kept, ..job },
            None => job.answered_in(request.memory.0),
        })
    }

    fn of(
        door: &Arc<Door>,
        log_size: u32,
        lists: Vec<Arc<[u8]>>,
        runs: Vec<Run>,
        progress: Option<Progress>,
    ) -> Self {
        Self {
            door: door.clone(),
            settings: Settings::new(),
            log_size,
            lists,
            runs,
            target: Vec::new(),
            kept: None,
            progress,
            region: None,
            sent: 0,
            answered: 0,
            failed: None,
        }
    }

    fn answered_in(self, mut memory: Vec<u8>) -> Self {
        memory.clear();
        memory.resize(self.lists[0].len(), 0);
        Self { target: memory, ..self }
    }

    fn geometry(&self) -> &Geometry {
        &self.door.geometry
    }

    /// Bytes that a command moves at most.
    fn span(&self) -> usize {
        if self.door.bulk.is_some() { SPAN } else { GRANULE }
    }

    /// Pieces of so many lists in each channel.
    fn pieces(&self, lists: usize) -> usize {
        (self.geometry().bytes(lists, self.log_size) as usize).div_ceil(self.span())
    }

    fn piece(&self, lists: usize, number: usize) -> Piece {
        let (each, span) = (self.pieces(lists), self.span());
        let from = number % each * span;
        let rest = self.geometry().bytes(lists, self.log_size) as usize - from;
        Piece { channel: number / each, from, bytes: span.min(rest) }
    }

    fn writes(&self) -> usize {
        self.pieces(self.lists.len()) * self.geometry().channels
    }

    fn all(&self) -> usize {
        let reads = if self.kept.is_some() { 0 } else { self.pieces(1) * self.geometry().channels };
        self.writes() + self.runs.len() + reads
    }

    fn at(&self, position: usize) -> Command {
        let (writes, runs) = (self.writes(), self.runs.len());
        if position < writes {
            Command::Write(position)
        } else if position < writes + runs {
            Command::Run(position - writes)
        } else {
            Command::Read(position - writes - runs)
        }
    }

    fn address(&self, piece: &Piece) -> u64 {
        self.region.as_ref().map_or(0, Region::address) + piece.from as u64
    }

    /// What a piece has of so many lists: offsets in them and in it, a beat each.
    fn beats(&self, lists: usize, piece: &Piece) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (channel, channels) = (piece.channel, self.geometry().channels);
        let first = piece.from / Geometry::BEAT;
        let bytes = lists * self.lists[0].len();
        let beats = (0..piece.bytes / Geometry::BEAT).map(move |i| {
            (((first + i) * channels + channel) * Geometry::BEAT, i * Geometry::BEAT)
        });
        beats.filter(move |(at, _)| *at < bytes)
    }

    /// The bytes of a piece that is written.
    fn data(&self, piece: &Piece) -> Vec<u8> {
        let each = self.lists[0].len();
        let mut data = vec![0; piece.bytes];
        for (from, to) in self.beats(self.lists.len(), piece) {
            let (list, at) = (&self.lists[from / each], from % each);
            let end = (at + Geometry::BEAT).min(each);
            data[to..to + end - at].copy_from_slice(&list[at..end]);
        }
        data
    }

    /// Takes in the bytes of a piece that was read.
    fn take(&mut self, piece: &Piece, data: &[u8]) {
        for (to, from) in self.beats(1, piece) {
            let end = (to + Geometry::BEAT).min(self.target.len());
            self.target[to..end].copy_from_slice(&data[from..from + end - to]);
        }
    }

    fn fail(&mut self, error: Error) {
        self.failed.get_or_insert(error);
    }

    fn fail_memory(&mut self) {
        let device = self.door.uri.clone();
        self.fail(Error::Failed { device, problem: "its memory did not answer".into() });
    }

    /// What the card said of a command that it was right to send.
    fn note_status(&mut self, found: u64, element: u64) -> std::result::Result<(), String> {
        const DONE: u64 = status::DONE as u64;
        const REFUSED: u64 = status::REFUSED as u64;
        const MEMORY_FAULT: u64 = status::MEMORY_FAULT as u64;
        const NOT_CANONICAL: u64 = status::NOT_CANONICAL as u64;
        let (list, number) = (element >> self.log_size, element & ((1 << self.log_size) - 1));
        match found {
            DONE => {}
            REFUSED => return Err("a refusal of what its registers allow".into()),
            MEMORY_FAULT => self.fail_memory(),
            NOT_CANONICAL if list < self.lists.len() as u64 => {
                let problem = format!("number {number} is not below the modulus");
                self.fail(match self.lists.len() {
                    1 => Error::argument("elements", problem),
                    _ => Error::argument("lists", format!("list {list}: {problem}")),
                });
            }
            other => return Err(format!("status {other}, element {element}")),
        }
        Ok(())
    }

    fn tell(&self) {
        let all = self.all();
        if let Some(Progress(function)) = &self.progress
            && self.failed.is_none()
            && (self.answered.is_multiple_of(SPAN / self.span()) || self.answered == all)
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

impl Factors {
    fn new<F: PrimeField>(shift: F, scale: F) -> Self {
        let bytes = |x: F| {
            let mut bytes = [0; 32];
            bytes[..F::BYTES].copy_from_slice(x.to_le_bytes().as_ref());
            bytes
        };
        Self { shift: bytes(shift), scale: bytes(scale) }
    }
}

/// That of a request, whose root and coset it checks.
fn run<F: Form<D>, const D: usize>(request: &Request, log_size: u32, device: &str) -> Result<Run> {
    is_standard::<F>(&request.root, "elements", log_size, device)?;
    let (g, back) = match &request.coset {
        Some(bytes) => coset::<F>(bytes)?,
        None => (F::ONE, F::ONE),
    };
    Ok(match request.direction {
        Direction::Inverse => {
            let factors = Factors::new(back, part::<F>(log_size));
            Run { direction: directions::INVERSE, factors }
        }
        Direction::Forward => {
            Run { direction: directions::FORWARD, factors: Factors::new(g, F::ONE) }
        }
    })
}

/// Those of a quotient.
fn chain<F: Form<D>, const D: usize>(
    request: &Quotient,
    log_size: u32,
    device: &str,
) -> Result<Vec<Run>> {
    is_standard::<F>(&request.root, "lists", log_size, device)?;
    let (g, _) = coset::<F>(&request.coset)?;
    let one = || Factors::new(F::ONE, F::ONE);
    Ok(vec![
        Run { direction: directions::INVERSE, factors: Factors::new(g, part::<F>(log_size)) },
        Run { direction: directions::FORWARD, factors: one() },
        Run { direction: directions::A_B_LESS_C, factors: one() },
    ])
}

/// The shift of a coset, and its inverse.
fn coset<F: PrimeField>(bytes: &[u8]) -> Result<(F, F)> {
    let g = element::<F>("coset", bytes)?;
    let back = g.invert_vartime().ok_or_else(|| Error::argument("coset", "is 0"))?;
    Ok((g, back))
}

/// 1 / 2^log_size.
fn part<F: PrimeField>(log_size: u32) -> F {
    F::from(1 << log_size).invert_vartime().expect("a power of two is not 0")
}

/// An error unless the request's root of unity is the card's: the standard one of the order.
fn is_standard<F: PrimeField>(
    root: &Option<Vec<u8>>,
    elements: &'static str,
    log_size: u32,
    device: &str,
) -> Result<()> {
    let Some(root) = root else { return Ok(()) };
    let root = element::<F>("root", root)?;
    let size = |problem: SizeError| Error::argument(elements, problem.to_string());
    if Transform::forward_at(log_size, root).map_err(size)?.is_none() {
        return Err(Error::argument("root", format!("its order is not 2^{log_size}")));
    }
    if root == Transform::<F>::forward(log_size).map_err(size)?.root() {
        return Ok(());
    }
    let what = format!("ntt ({}) with another root than the standard one", F::NAME);
    Err(Error::Unsupported { device: device.to_owned(), what })
}

fn element<F: PrimeField>(argument: &'static str, bytes: &[u8]) -> Result<F> {
    F::from_le_bytes(bytes).map_err(|error| Error::argument(argument, error.to_string()))
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        if self.failed.is_some() { self.sent } else { self.all() }
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn is_ready(&mut self, position: usize) -> bool {
        if self.region.is_none() {
            let bytes = self.geometry().needed(self.lists.len(), self.log_size);
            self.region = self.door.memory.take(bytes).ok();
        }
        // The run follows what was written, and reads follow the run, in the card's own order or by the reactor's rules for transfers.
        self.region.is_some() && position < self.commands()
    }

    fn stands_alone(&self) -> bool {
        true
    }

    fn transfer(&self, position: usize) -> Option<Transfer> {
        let bulk = self.door.bulk?;
        let place = |piece: &Piece| Place::new(bulk + piece.channel as u32, self.address(piece));
        match self.at(position) {
            Command::Write(number) => {
                let piece = self.piece(self.lists.len(), number);
                Some(Transfer::Up(place(&piece), self.data(&piece)))
            }
            Command::Run(_) => None,
            Command::Read(number) => {
                let piece = self.piece(1, number);
                Some(Transfer::Down(place(&piece), piece.bytes))
            }
        }
    }

    fn transferred(&mut self, position: usize, bytes: Option<Vec<u8>>) {
        match (bytes, self.at(position)) {
            (None, _) => self.fail_memory(),
            (Some(bytes), Command::Read(number)) => self.take(&self.piece(1, number), &bytes),
            (Some(_), _) => {}
        }
        self.answered += 1;
        self.tell();
    }

    fn command(&mut self, position: usize, index: u64) -> Vec<u8> {
        self.sent = position + 1;
        let number = match self.at(position) {
            Command::Write(number) => {
                let piece = self.piece(self.lists.len(), number);
                let (address, channel) = (self.address(&piece), piece.channel as u8);
                return wire::ntt_write(index, address, channel, &self.data(&piece));
            }
            Command::Run(number) => number,
            Command::Read(number) => {
                let piece = self.piece(1, number);
                return wire::ntt_read(index, self.address(&piece), piece.channel as u8);
            }
        };
        let Run { direction, factors } = &self.runs[number];
        let (lists, elements) = (self.lists.len(), self.region.as_ref().map_or(0, Region::address));
        let behind = elements + self.geometry().bytes(lists, self.log_size);
        let scratch = match &self.kept {
            Some((_, scalars)) if *direction == directions::A_B_LESS_C_TO_SCALARS => {
                scalars.address()
            }
            _ => behind,
        };
        wire::ntt_run(
            index,
            &wire::NttRun {
                elements,
                scratch,
                log_size: self.log_size,
                direction: *direction,
                count: lists as u64,
                shift: factors.shift,
                scale: factors.scale,
            },
        )
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        let field = |offset| u64_at(reply, offset).ok_or("a reply that is too short");
        match self.at(position) {
            Command::Write(_) => {
                let [found] =
                    bytes_at(reply, write::reply_fields::status::OFFSET).ok_or("no status")?;
                self.note_status(found.into(), u64::MAX)?;
            }
            Command::Run(_) => {
                use run::reply_fields as at;
                let (found, element) = (field(at::status::OFFSET)?, field(at::element::OFFSET)?);
                self.note_status(found, element)?;
            }
            Command::Read(number) => {
                use read::reply_fields as at;
                self.note_status(field(at::status::OFFSET)?, u64::MAX)?;
                let data: [u8; GRANULE] = bytes_at(reply, at::data::OFFSET).ok_or("no data")?;
                self.take(&self.piece(1, number), &data);
            }
        }
        self.answered += 1;
        self.tell();
        Ok(())
    }

    fn answer(&mut self) -> Result<Answer> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        Ok(match self.kept.take() {
            Some((instance, scalars)) => {
                let (form, len) = (Capability::Msm(instance), self.lists[0].len());
                let parked = Parked::prepared(self.door.identity, form, len, scalars);
                Answer::Msm(msm::Response::Parked(parked))
            }
            None => Answer::Ntt(Response { elements: std::mem::take(&mut self.target) }),
        })
    }
}
