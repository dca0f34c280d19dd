//! `ntt` on a card: elements are written to its memory, transformed there and read back. The quotient of three lists is read back, or stays there as
//! the scalars of an MSM.
//!
//! Each request has a region of the memory and waits until one is free. Elements go through the card's memory port if it has one, and through
//! commands otherwise. Through the port, the elements of the next requests and earlier results are transferred during a run.

mod geometry;

use std::sync::Arc;

use proofmill_algebra::field::PrimeField;
use proofmill_algebra::ntt::{Form, SizeError, Transform};
use proofmill_op::msm::Instance;
use proofmill_op::ntt::{Direction, Quotient, QuotientResponse, Request, Response};
use proofmill_op::{
    Argument, Bytes, Capability, Error, Progress, ResidentData, Result, SecretBytes, in_field,
};

pub use self::geometry::{Geometry, Port, find, known};

use self::geometry::GRANULE;
use super::job::{self, Respond, Settings, Transfer};
use super::msm::Scalars;
use super::regions::Region;
use crate::transport::Place;
use crate::wire::constants::ntt::commands::{read, run, write};
use crate::wire::constants::ntt::{directions, status};
use crate::wire::{self, bytes_at, u64_at};

/// A request: writes, runs, reads.
pub struct Job {
    port: Arc<Port>,
    settings: Settings,
    log_size: u32,
    /// The lists, written one behind the other.
    lists: Vec<Bytes>,
    runs: Vec<Run>,
    /// The result, read from the place of the first list; nothing if it stays on the card.
    target: SecretBytes,
    /// The place of a result that stays on the card.
    resident: Option<(Instance, Scalars)>,
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

/// The bytes of a channel that a command moves, from a place behind the region's first byte.
struct Piece {
    channel: usize,
    from: usize,
    bytes: usize,
}

/// Bytes of a channel in a transfer through the memory port.
const SPAN: usize = 64 * GRANULE;

impl Job {
    /// Checks the request and returns its job.
    pub fn new(request: Request, port: &Arc<Port>) -> Result<Self> {
        let log_size = request.log_size()?;
        port.geometry.require(log_size)?;
        let run = in_field!(request.field, run(&request, log_size, &port.uri))?;
        let lists = vec![request.elements.on(port.identity)?.clone()];
        let target = plain(request.buffer.0, lists[0].len());
        Ok(Self { target, ..Self::of(port, log_size, lists, vec![run], request.progress) })
    }

    /// Checks a quotient and returns its job. The inverse transforms include the shift, so the forward ones have none.
    pub fn quotient(request: Quotient, port: &Arc<Port>) -> Result<Self> {
        let log_size = request.log_size()?;
        port.geometry.require_quotient(log_size)?;
        let [a, b, c] = request.lists.each_ref().map(|list| list.on(port.identity).cloned());
        let lists = vec![a?, b?, c?];
        let resident = match request.resident_for {
            Some(instance) => Some((instance, port.scalars(instance, log_size)?)),
            None => None,
        };
        let mut runs = in_field!(request.field, chain(&request, log_size, &port.uri))?;
        let target = match &resident {
            Some(_) => SecretBytes::empty(),
            None => request.buffer.0.reused(lists[0].len()),
        };
        if resident.is_some() {
            runs[2].direction = directions::A_B_LESS_C_TO_SCALARS;
        }
        Ok(Self { target, resident, ..Self::of(port, log_size, lists, runs, request.progress) })
    }

    /// Returns a job whose result goes nowhere.
    fn of(
        port: &Arc<Port>,
        log_size: u32,
        lists: Vec<Bytes>,
        runs: Vec<Run>,
        progress: Option<Progress>,
    ) -> Self {
        Self {
            port: port.clone(),
            settings: Settings::new(),
            log_size,
            lists,
            runs,
            target: SecretBytes::empty(),
            resident: None,
            progress,
            region: None,
            sent: 0,
            answered: 0,
            failed: None,
        }
    }

    fn geometry(&self) -> &Geometry {
        &self.port.geometry
    }

    /// Returns the most bytes that a command moves.
    fn span(&self) -> usize {
        if self.port.bulk.is_some() { SPAN } else { GRANULE }
    }

    /// Returns the number of pieces of `lists` lists in each channel.
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
        let reads =
            if self.resident.is_some() { 0 } else { self.pieces(1) * self.geometry().channels };
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

    /// Returns the beats of `lists` lists in a piece, as offsets in the lists and in the piece.
    fn beats(&self, lists: usize, piece: &Piece) -> impl Iterator<Item = (usize, usize)> + use<> {
        let (channel, channels) = (piece.channel, self.geometry().channels);
        let first = piece.from / Geometry::BEAT;
        let bytes = lists * self.lists[0].len();
        let beats = (0..piece.bytes / Geometry::BEAT).map(move |i| {
            (((first + i) * channels + channel) * Geometry::BEAT, i * Geometry::BEAT)
        });
        beats.filter(move |(at, _)| *at < bytes)
    }

    /// Returns the bytes of a piece to write.
    fn data(&self, piece: &Piece) -> SecretBytes {
        let each = self.lists[0].len();
        let mut data = SecretBytes::filled(piece.bytes, 0);
        for (from, to) in self.beats(self.lists.len(), piece) {
            let (list, at) = (&self.lists[from / each], from % each);
            let end = (at + Geometry::BEAT).min(each);
            data[to..to + end - at].copy_from_slice(&list[at..end]);
        }
        data
    }

    /// Copies the bytes of a piece that was read to the result.
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
        let device = self.port.uri.clone();
        self.fail(Error::Failed { device, problem: "its memory did not answer".into() });
    }

    /// Records the status of a command that the card must accept.
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
                    1 => Error::argument(Argument::Elements, problem),
                    _ => Error::argument(Argument::Lists, format!("list {list}: {problem}")),
                });
            }
            other => return Err(format!("status {other}, element {element}")),
        }
        Ok(())
    }

    fn report(&self) {
        let all = self.all();
        if let Some(progress) = &self.progress
            && self.failed.is_none()
            && (self.answered.is_multiple_of(SPAN / self.span()) || self.answered == all)
        {
            progress.report(self.answered as f64 / all as f64);
        }
    }
}

/// Returns memory for a result of `len` bytes that becomes a plain vector without a copy.
fn plain(buffer: SecretBytes, len: usize) -> SecretBytes {
    let mut memory = buffer.into_plain();
    if memory.capacity() < len {
        return SecretBytes::filled(len, 0);
    }
    memory.resize(len, 0);
    memory.into()
}

/// The factors of elements, in bytes of the field and zeros above.
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

/// Returns the run of a request, whose root and coset it checks.
fn run<F: Form<D>, const D: usize>(request: &Request, log_size: u32, device: &str) -> Result<Run> {
    require_standard::<F>(&request.root, Argument::Elements, log_size, device)?;
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

/// Returns the runs of a quotient.
fn chain<F: Form<D>, const D: usize>(
    request: &Quotient,
    log_size: u32,
    device: &str,
) -> Result<Vec<Run>> {
    require_standard::<F>(&request.root, Argument::Lists, log_size, device)?;
    let (g, _) = coset::<F>(&request.coset)?;
    let one = || Factors::new(F::ONE, F::ONE);
    Ok(vec![
        Run { direction: directions::INVERSE, factors: Factors::new(g, part::<F>(log_size)) },
        Run { direction: directions::FORWARD, factors: one() },
        Run { direction: directions::A_B_LESS_C, factors: one() },
    ])
}

/// Returns the shift of a coset and its inverse.
fn coset<F: PrimeField>(bytes: &[u8]) -> Result<(F, F)> {
    let g = element::<F>("coset", bytes)?;
    let back = g.invert_vartime().ok_or_else(|| Error::argument("coset", "is 0"))?;
    Ok((g, back))
}

/// Returns 1 / 2^log_size.
fn part<F: PrimeField>(log_size: u32) -> F {
    F::from(1 << log_size).invert_vartime().expect("a power of two is not 0")
}

/// Returns an error unless the request's root of unity is the card's: the standard one of the order.
fn require_standard<F: PrimeField>(
    root: &Option<Vec<u8>>,
    elements: Argument,
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

    fn acquire(&mut self, position: usize) -> bool {
        if self.region.is_none() {
            let bytes = self.geometry().needed(self.lists.len(), self.log_size);
            self.region = self.port.memory.take(bytes).ok();
        }
        // The run follows the writes, and reads follow the run, in the card's own order or by the reactor's rules for transfers.
        self.region.is_some() && position < self.commands()
    }

    fn is_independent(&self) -> bool {
        true
    }

    fn transfer(&self, position: usize) -> Option<Transfer> {
        let bulk = self.port.bulk?;
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

    fn transferred(&mut self, position: usize, bytes: Option<SecretBytes>) {
        match (bytes, self.at(position)) {
            (None, _) => self.fail_memory(),
            (Some(bytes), Command::Read(number)) => self.take(&self.piece(1, number), &bytes),
            (Some(_), _) => {}
        }
        self.answered += 1;
        self.report();
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        self.sent = position + 1;
        let number = match self.at(position) {
            Command::Write(number) => {
                let piece = self.piece(self.lists.len(), number);
                let (address, channel) = (self.address(&piece), piece.channel as u8);
                return wire::ntt_write(index, address, channel, &self.data(&piece)).into();
            }
            Command::Run(number) => number,
            Command::Read(number) => {
                let piece = self.piece(1, number);
                let address = self.address(&piece);
                return wire::ntt_read(index, address, piece.channel as u8).into();
            }
        };
        let Run { direction, factors } = &self.runs[number];
        let (lists, elements) = (self.lists.len(), self.region.as_ref().map_or(0, Region::address));
        let behind = elements + self.geometry().bytes(lists, self.log_size);
        let scratch = match &self.resident {
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
        .into()
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
                let data = reply.get(at::data::OFFSET as usize..).ok_or("no data")?;
                self.take(&self.piece(1, number), data.get(..GRANULE).ok_or("no data")?);
            }
        }
        self.answered += 1;
        self.report();
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(self: Box<Self>) -> Result<Response> {
        let elements = self.result()?.into_plain();
        Ok(Response { elements })
    }
}

impl Respond<QuotientResponse> for Job {
    fn respond(mut self: Box<Self>) -> Result<QuotientResponse> {
        let Some((instance, scalars)) = self.resident.take() else {
            return self.result().map(QuotientResponse::Elements);
        };
        if let Some(error) = self.failed {
            return Err(error);
        }
        let (form, len) = (Capability::Msm(instance), self.lists[0].len());
        let resident = ResidentData::prepared(self.port.identity, form, len, scalars);
        Ok(QuotientResponse::Resident(resident))
    }
}

impl Job {
    /// Returns the bytes that were read.
    fn result(self) -> Result<SecretBytes> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(self.target),
        }
    }
}
