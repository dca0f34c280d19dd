//! `equihash_solve` on a card: a command finds the candidates of a header, then each of them is read by a command. The card keeps the
//! candidates until the next header, so that header's command follows the reads.
//!
//! A candidate is a tree of leaves whose strings add up to zero. The driver drops candidates that name a leaf twice, puts the
//! others in order, and verifies each. A wrong one is an error: no card passes it off as a solution.

use proofmill_algebra::Isa;
use proofmill_algebra::equihash::solver::{encode, solution};
use proofmill_algebra::equihash::{Indices, Leaves, Shape, is_solution};
use proofmill_op::equihash_solve::{HEADER_BYTES, Params, Request, Response};
use proofmill_op::{Bytes, Capability, Error, Progress, Result, SecretBytes};

use super::chain::Chain;
use super::job::{self, Engine, Exchange, Lane, Respond, Settings, words};
use crate::Transport;
use crate::wire::constants::equihash_solve::commands::{read, solve};
use crate::wire::constants::equihash_solve::{block, status};
use crate::wire::constants::shell::capabilities::{
    EQUIHASH_SOLVE_48_5, EQUIHASH_SOLVE_96_5, EQUIHASH_SOLVE_144_5, EQUIHASH_SOLVE_200_9,
};
use crate::wire::{self, Header};

/// The parameter sets that have a capability bit.
pub const KNOWN: [(Capability, u32); 4] = [
    (Capability::EquihashSolve(Params::N200_K9), EQUIHASH_SOLVE_200_9),
    (Capability::EquihashSolve(Params::N144_K5), EQUIHASH_SOLVE_144_5),
    (Capability::EquihashSolve(Params::N48_K5), EQUIHASH_SOLVE_48_5),
    (Capability::EquihashSolve(Params::N96_K5), EQUIHASH_SOLVE_96_5),
];

/// The most candidates of a header that the registers of a card may claim.
const MAX_CANDIDATES: u32 = 1 << 16;
/// Bytes of a leaf in a reply.
const LEAF_BYTES: usize = 4;

/// The parameters of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    params: Params,
    /// The most candidates of a header.
    kept: u32,
}

impl Geometry {
    fn of(n: u32, k: u32, kept: u32) -> std::result::Result<Self, String> {
        let params = Params::new(n, k).map_err(|error| error.to_string())?;
        if !(1..=MAX_CANDIDATES).contains(&kept) {
            return Err(format!("space for {kept} candidates"));
        }
        Ok(Self { params, kept })
    }

    fn exchanges(self) -> Vec<Exchange> {
        let leaves = (LEAF_BYTES * self.params.indices()) as u32;
        let commands = [
            (solve::LEN, solve::NUMBER, solve::REPLY_LEN, solve::REPLY),
            (read::LEN, read::NUMBER, read::BARE_REPLY_LEN + leaves, read::REPLY),
        ];
        let exchange = |(len, number, reply_len, reply)| Exchange {
            command: Header { len, cmd: number },
            reply: Header { len: reply_len, cmd: reply },
        };
        commands.map(exchange).to_vec()
    }
}

/// Finds this operation's engine among the blocks. There is at most one: its commands do not name a parameter set.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
) -> Result<Option<(Engine, Geometry)>> {
    use block::registers as at;
    chain.engine("equihash_solve", (block::TYPE, block::VERSION), uri, |it| {
        let (n, k) = (it.read(transport, at::n::OFFSET)?, it.read(transport, at::k::OFFSET)?);
        let kept = it.read(transport, at::kept::OFFSET)?;
        let geometry = Geometry::of(n, k, kept).map_err(|problem| it.broken(problem))?;
        let queue = it.queue(transport, at::queue::OFFSET)?;
        let lane = Lane {
            block: it.address,
            exchanges: geometry.exchanges(),
            queue,
            progress: &[at::strings::OFFSET],
        };
        let engine = Engine { capability: Capability::EquihashSolve(geometry.params), lane };
        Ok(Some((engine, geometry)))
    })
}

/// A command of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Find the candidates of the header with this number.
    Solve(usize),
    /// Read a candidate of a header.
    Read { header: usize, candidate: u32 },
}

/// A request: its headers, the commands that are known, and the solutions that have arrived.
pub struct Job {
    geometry: Geometry,
    headers: Bytes,
    progress: Option<Progress>,
    verifier: Verifier,
    settings: Settings,
    steps: Vec<Step>,
    /// Solves with a reply.
    solved: usize,
    /// Reads without a reply, of solves with one.
    unread: usize,
    /// The packed solutions of each header, in the order of arrival.
    solutions: Vec<Vec<Vec<u8>>>,
    /// The problem that ended the request.
    failure: Option<String>,
    sent: usize,
    uri: String,
}

impl Job {
    /// Checks the request and returns its job, for the device with this identity.
    pub fn new(request: Request, geometry: Geometry, device: u64, uri: &str) -> Result<Self> {
        let count = request.count()?;
        let personalisation = request.personalisation.0;
        Ok(Self {
            geometry,
            headers: request.headers.on(device)?.clone(),
            progress: request.progress,
            verifier: Verifier::new(geometry.params, &personalisation),
            settings: words(block::registers::personalisation::OFFSET, &personalisation),
            steps: (0..count).take(1).map(Step::Solve).collect(),
            solved: 0,
            unread: 0,
            solutions: vec![Vec::new(); count],
            failure: None,
            sent: 0,
            uri: uri.to_owned(),
        })
    }

    fn header(&self, number: usize) -> &[u8; HEADER_BYTES] {
        &self.headers.as_chunks().0[number]
    }

    /// Returns whether a solve has no reply yet. The commands after it are unknown.
    fn is_solving(&self) -> bool {
        self.solved < self.solutions.len()
    }

    /// Appends the reads of a header's candidates and the solve of the next header.
    fn extend(&mut self, header: usize, reply: &[u8]) -> std::result::Result<(), String> {
        let count = wire::u32_at(reply, solve::reply_fields::candidates::OFFSET)
            .ok_or("a reply without its candidates")?;
        let kept = self.geometry.kept;
        if count > kept {
            return Err(format!("{count} candidates, where the card has space for {kept}"));
        }
        self.solved += 1;
        self.unread += count as usize;
        self.steps.extend((0..count).map(|candidate| Step::Read { header, candidate }));
        if self.is_solving() {
            self.steps.push(Step::Solve(self.solved));
        }
        Ok(())
    }

    /// Adds the solution of a candidate, if it is one.
    fn collect(&mut self, header: usize, reply: &[u8]) -> std::result::Result<(), String> {
        let params = self.geometry.params;
        let leaves = reply.get(read::reply_fields::leaves::OFFSET as usize..).unwrap_or_default();
        let leaves = leaves.as_chunks().0.iter().map(|leaf| u32::from_le_bytes(*leaf));
        let leaves: Vec<_> = leaves.collect();
        if leaves.len() != params.indices() {
            return Err(format!("{} leaves of {}", leaves.len(), params.indices()));
        }
        let end = 1u64 << params.index_bits();
        if let Some(leaf) = leaves.iter().find(|leaf| u64::from(**leaf) >= end) {
            return Err(format!("leaf {leaf}, where ({params}) has {end}"));
        }
        self.unread -= 1;
        let Some(indices) = solution(leaves) else { return Ok(()) };
        let solution = encode(&indices, params.index_bits());
        let bytes = *self.header(header);
        if self.verifier.accepts(&bytes, &solution) {
            self.solutions[header].push(solution);
        } else {
            self.fail(format!("it returned a candidate of header {header} that is no solution"));
        }
        Ok(())
    }

    /// Ends the request with its first problem. No further command is sent.
    fn fail(&mut self, problem: String) {
        self.failure.get_or_insert(problem);
    }

    /// Reports the headers whose candidates are all read.
    fn report(&self) {
        if self.unread == 0
            && self.failure.is_none()
            && let Some(progress) = &self.progress
        {
            progress.report(self.solved as f64 / self.solutions.len() as f64);
        }
    }
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        if self.failure.is_some() {
            return self.sent;
        }
        self.steps.len() + usize::from(self.is_solving())
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The commands after a solve are known when its reply arrives.
    fn acquire(&mut self, position: usize) -> bool {
        position < self.steps.len()
    }

    fn command(&mut self, position: usize, index: u64) -> SecretBytes {
        self.sent = position + 1;
        match self.steps[position] {
            Step::Solve(header) => wire::equihash_solve(index, self.header(header)),
            Step::Read { candidate, .. } => wire::equihash_solve_read(index, candidate),
        }
        .into()
    }

    fn accept(&mut self, position: usize, reply: &[u8]) -> std::result::Result<(), String> {
        let (step, at) = match self.steps[position] {
            step @ Step::Solve(_) => (step, solve::reply_fields::status::OFFSET),
            step @ Step::Read { .. } => (step, read::reply_fields::status::OFFSET),
        };
        let found = wire::u64_at(reply, at).ok_or("a reply without its status")?;
        if found == status::MEMORY_FAULT.into() {
            self.fail("its memory did not answer".into());
            return Ok(());
        }
        if found != status::DONE.into() {
            return Err(format!("status {found}"));
        }
        match step {
            Step::Solve(header) => self.extend(header, reply)?,
            Step::Read { header, .. } => self.collect(header, reply)?,
        }
        self.report();
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(mut self: Box<Self>) -> Result<Response> {
        if let Some(problem) = self.failure {
            return Err(Error::Failed { device: self.uri, problem });
        }
        for solutions in &mut self.solutions {
            // Packed solutions of the same length have the order of their indices.
            solutions.sort_unstable();
            solutions.dedup();
        }
        Ok(Response { solutions: self.solutions })
    }
}

/// The verifier of a request's solutions.
struct Verifier {
    isa: Isa,
    shape: Shape,
    /// Working memory.
    indices: Indices,
}

impl Verifier {
    fn new(params: Params, personalisation: &[u8; 8]) -> Self {
        Self {
            isa: Isa::best(),
            shape: Shape::new(params.n(), params.k(), personalisation),
            indices: Indices::new(params.indices(), params.index_bits()),
        }
    }

    /// Returns whether a packed solution is one of this header.
    fn accepts(&mut self, header: &[u8; HEADER_BYTES], solution: &[u8]) -> bool {
        self.indices.read(&[&header[..], solution].concat());
        is_solution(self.isa, &Leaves::new(&self.shape, header), &mut self.indices)
    }
}

#[cfg(test)]
mod tests;
