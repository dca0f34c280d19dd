//! Jobs by themselves, and in the reactor with a model of a card. Candidates are made from the solutions of the algebra's solver.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use proofmill_algebra::equihash::solver::{self, Control, Plan, Workspace};
use proofmill_op::equihash_solve::Personalisation;
use proofmill_op::{Completer, DeviceKind, Ticket};

use super::job::{Job as _, Work};
use super::*;
use crate::driver::reactor::Reactor;
use crate::driver::{Options, Shared};

const GEOMETRY: Geometry = Geometry { params: Params::N48_K5, kept: 40 };
/// The device of the tests.
const DEVICE: u64 = 1;
const BLOCK: u32 = 0x1000;

/// A header with its solutions.
struct Case {
    personalisation: Personalisation,
    header: [u8; HEADER_BYTES],
    solutions: Vec<Vec<u8>>,
}

impl Case {
    /// Solves the header with this nonce.
    fn new(personalisation: &[u8; 8], nonce: u8) -> Self {
        let mut header = [7; HEADER_BYTES];
        header[108] = nonce;
        let shape = Shape::new(48, 5, personalisation);
        let control = Control {
            execute: &|count, work| (0..count).for_each(work),
            cancelled: &|| false,
            progress: &|_, _| (),
        };
        let leaves = Leaves::new(&shape, &header);
        let mut workspace = Workspace::new(Plan::new(&shape, 1, usize::MAX).unwrap());
        let found = solver::solve(Isa::best(), &leaves, &mut workspace, &control).unwrap();
        let solutions = found.iter().map(|indices| encode(indices, 9)).collect();
        Self { personalisation: Personalisation(*personalisation), header, solutions }
    }

    /// Returns the first header whose number of solutions is in this range.
    fn with(solutions: std::ops::RangeInclusive<usize>) -> Self {
        let mut cases = (0..).map(|nonce| Self::new(b"ZcashPoW", nonce));
        cases.find(|case| solutions.contains(&case.solutions.len())).unwrap()
    }

    /// Returns the commands for the header: the solve, and the reads of its candidates.
    fn steps(&self) -> usize {
        1 + candidates(self).len()
    }
}

fn request(cases: &[&Case]) -> Request {
    let headers: Vec<u8> = cases.iter().flat_map(|case| case.header).collect();
    let request = Request::new(Params::N48_K5, headers);
    match cases.first() {
        Some(case) => Request { personalisation: case.personalisation, ..request },
        None => request,
    }
}

fn job(request: Request) -> Job {
    Job::new(request, GEOMETRY, DEVICE, "sim:x").unwrap()
}

/// Returns the indices of a packed solution.
fn unpack(solution: &[u8]) -> Vec<u32> {
    let (params, bytes) = (Params::N48_K5, solution);
    let bit = |at: usize| u32::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let bits = params.index_bits() as usize;
    let index = |i: usize| (bits * i..bits * (i + 1)).fold(0, |index, at| index << 1 | bit(at));
    (0..params.indices()).map(index).collect()
}

/// Returns candidates for each solution of a case: the same tree twice, once with all of its subtrees swapped; and one with a leaf twice.
fn candidates(case: &Case) -> Vec<Vec<u32>> {
    let mut candidates = vec![vec![5; Params::N48_K5.indices()]];
    for solution in case.solutions.iter().rev() {
        let leaves = unpack(solution);
        candidates.extend([leaves.iter().rev().copied().collect(), leaves]);
    }
    candidates
}

/// Returns a reply without its header and index.
fn reply(status: u64, words: &[u32]) -> Vec<u8> {
    let words: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    [&[0; 16], &status.to_le_bytes()[..], &words].concat()
}

/// Answers a job's commands in order until there are none.
fn run(job: &mut Job, cases: &[&Case]) {
    let mut position = 0;
    while position < job.commands() {
        assert!(job.acquire(position));
        job.command(position, 0);
        let answer = match job.steps[position] {
            Step::Solve(header) => reply(0, &[candidates(cases[header]).len() as u32, 3]),
            Step::Read { header, candidate } => {
                reply(0, &candidates(cases[header])[candidate as usize])
            }
        };
        job.accept(position, &answer).unwrap();
        position += 1;
    }
}

fn respond(job: Job) -> Result<Response> {
    Box::new(job).respond()
}

#[test]
fn registers_out_of_range_are_refused() {
    let geometry = Geometry::of(48, 5, 40).unwrap();
    assert_eq!(geometry, GEOMETRY);
    let lengths = geometry.exchanges().into_iter().map(|it| (it.command.len, it.reply.len));
    assert!(lengths.eq([(156, 32), (24, 152)]));
    let problem = Geometry::of(48, 6, 40).unwrap_err();
    assert!(problem.contains("(48,6) is not an Equihash parameter set"), "{problem}");
    assert_eq!(Geometry::of(48, 5, 0), Err("space for 0 candidates".into()));
    assert_eq!(Geometry::of(48, 5, u32::MAX), Err(format!("space for {} candidates", u32::MAX)));
}

#[test]
fn the_personalisation_is_in_its_registers() {
    let job = job(Request::new(Params::N48_K5, vec![]));
    let words = [*b"Zcas", *b"hPoW"].map(u32::from_le_bytes);
    assert_eq!(job.settings(), &[(0x80, words[0]), (0x84, words[1])]);
}

#[test]
fn a_reply_adds_the_commands_that_follow() {
    let case = Case::with(1..=9);
    let mut job = job(request(&[&case; 3]));
    // The second one waits for a reply.
    assert_eq!(job.commands(), 2);
    assert!(job.acquire(0) && !job.acquire(1));
    assert_eq!(&job.command(0, 9)[16..], case.header);
    job.accept(0, &reply(0, &[2, 0])).unwrap();
    let reads = [0, 1].map(|candidate| Step::Read { header: 0, candidate });
    assert_eq!(job.steps, [Step::Solve(0), reads[0], reads[1], Step::Solve(1)]);
    assert_eq!(job.commands(), 5);
    assert!(job.acquire(3) && !job.acquire(4));
    assert_eq!(&job.command(2, 9)[16..], [1, 0, 0, 0, 0, 0, 0, 0]);
    // A header without candidates.
    job.accept(3, &reply(0, &[0, 0])).unwrap();
    assert_eq!(job.steps[4], Step::Solve(2));
    job.accept(4, &reply(0, &[0, 0])).unwrap();
    assert_eq!((job.commands(), job.steps.len()), (5, 5));
}

#[test]
fn a_request_without_headers_has_no_commands() {
    let job = job(request(&[]));
    assert_eq!(job.commands(), 0);
    assert_eq!(respond(job).unwrap(), Response { solutions: vec![] });
}

#[test]
fn candidates_become_solutions_in_order() {
    let cases = [3..=9, 0..=0, 1..=2].map(Case::with);
    let cases = cases.each_ref();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let log = reports.clone();
    let progress = Progress::new(move |fraction| log.lock().unwrap().push(fraction));
    let mut job = job(Request { progress: Some(progress), ..request(&cases) });
    run(&mut job, &cases);
    assert_eq!(job.steps.len(), cases.iter().map(|case| case.steps()).sum::<usize>());
    let wanted: Vec<_> = cases.iter().map(|case| case.solutions.clone()).collect();
    assert_eq!(respond(job).unwrap().solutions, wanted);
    assert_eq!(*reports.lock().unwrap(), [1, 2, 3].map(|done| f64::from(done) / 3.0));
}

#[test]
fn malformed_replies_are_errors() {
    let case = Case::with(1..=9);
    let mut job = job(request(&[&case]));
    job.command(0, 0);
    assert_eq!(job.accept(0, &[0; 20]), Err("a reply without its status".into()));
    assert_eq!(job.accept(0, &reply(0, &[])), Err("a reply without its candidates".into()));
    assert_eq!(job.accept(0, &reply(1, &[0, 0])), Err("status 1".into()));
    let problem = "41 candidates, where the card has space for 40";
    assert_eq!(job.accept(0, &reply(0, &[41, 0])), Err(problem.into()));
    job.accept(0, &reply(0, &[1, 0])).unwrap();
    job.command(1, 0);
    let mut leaves = candidates(&case)[2].clone();
    assert_eq!(job.accept(1, &reply(0, &[])), Err("0 leaves of 32".into()));
    assert_eq!(job.accept(1, &reply(0, &leaves[1..])), Err("31 leaves of 32".into()));
    assert_eq!(job.accept(1, &reply(1, &[0; 32])), Err("status 1".into()));
    leaves[31] = 512;
    let problem = "leaf 512, where (48,5) has 512";
    assert_eq!(job.accept(1, &reply(0, &leaves)), Err(problem.into()));
}

#[test]
fn a_candidate_that_is_no_solution_ends_the_request() {
    let case = Case::with(1..=9);
    let leaves = unpack(&case.solutions[0]);
    let mut exchanged = leaves.clone();
    exchanged.swap(1, 3);
    let unused = (0..).find(|index| !leaves.contains(index)).unwrap();
    let wrong_leaf = [&leaves[..31], &[unused]].concat();
    for wrong in [exchanged, wrong_leaf] {
        let mut job = job(request(&[&case; 2]));
        job.command(0, 0);
        job.accept(0, &reply(0, &[3, 0])).unwrap();
        job.command(1, 1);
        job.command(2, 2);
        job.accept(1, &reply(0, &wrong)).unwrap();
        job.accept(2, &reply(0, &leaves)).unwrap();
        assert_eq!(job.commands(), 3);
        let error = respond(job).unwrap_err().to_string();
        let wanted = "sim:x failed: it returned a candidate of header 0 that is no solution";
        assert_eq!(error, wanted);
    }
}

#[test]
fn a_fault_of_the_memory_ends_the_request() {
    let case = Case::with(1..=9);
    for position in [0, 1] {
        let mut job = job(request(&[&case; 2]));
        for before in 0..=position {
            job.command(before, 0);
            if before < position {
                job.accept(before, &reply(0, &[3, 0])).unwrap();
            }
        }
        job.accept(position, &reply(2, &[0; 32])).unwrap();
        assert_eq!(job.commands(), position + 1);
        let error = respond(job).unwrap_err().to_string();
        assert_eq!(error, "sim:x failed: its memory did not answer");
    }
}

/// A model of a card that has candidates of these headers.
struct Model {
    cases: Arc<[Case]>,
    registers: HashMap<u32, u32>,
    candidates: Vec<Vec<u32>>,
    replies: VecDeque<Vec<u8>>,
}

impl Model {
    /// Finds the candidates of a header for the personalisation in the registers.
    fn solve(&mut self, header: &[u8]) {
        let at = BLOCK + block::registers::personalisation::OFFSET;
        let words = [at, at + 4].map(|at| self.registers[&at].to_le_bytes());
        let is_asked =
            |case: &&Case| case.header == header && case.personalisation.0 == *words.as_flattened();
        self.candidates = candidates(self.cases.iter().find(is_asked).unwrap());
    }
}

impl Transport for Model {
    fn name(&self) -> &str {
        "sim:x"
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        let [solves, reads] = GEOMETRY.exchanges()[..] else { panic!("two commands") };
        let header = Header::of(packet).unwrap();
        let (answer, body) = if header == solves.command {
            self.solve(&packet[16..]);
            (solves.reply, reply(0, &[self.candidates.len() as u32, 0]))
        } else {
            assert_eq!(header, reads.command);
            let candidate = wire::u32_at(packet, 16).unwrap() as usize;
            (reads.reply, reply(0, &self.candidates[candidate]))
        };
        self.replies.push_back([&answer.to_bytes(), &packet[8..16], &body[16..]].concat());
        Ok(())
    }

    fn receive(&mut self, _: Duration) -> Result<Option<Vec<u8>>> {
        Ok(self.replies.pop_front())
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        Ok(self.registers.get(&address).copied().unwrap_or_default())
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.registers.insert(address, value);
        Ok(())
    }
}

#[test]
fn requests_are_executed_by_the_reactor() {
    let nonces = (0..12).map(|nonce| Case::new(b"ZcashPoW", nonce));
    let cases: Arc<[Case]> = nonces.chain((0..3).map(|i| Case::new(b"BgoldPoW", i))).collect();
    let lane = Lane {
        block: BLOCK,
        exchanges: GEOMETRY.exchanges(),
        queue: 2,
        progress: &[block::registers::strings::OFFSET],
    };
    let (inbox, outbox) = mpsc::channel();
    let options = Options::new("sim:x", DeviceKind::Sim);
    let model = Model {
        cases: cases.clone(),
        registers: HashMap::new(),
        candidates: Vec::new(),
        replies: VecDeque::new(),
    };
    let model = Box::new(model);
    let reactor = Reactor::new(model, vec![lane], outbox, Arc::new(Shared::default()), options);
    let reactor = thread::spawn(move || reactor.run());
    let submit = |cases: &[&Case]| {
        let (completer, ticket): (Completer<Response>, Ticket<Response>) = Ticket::pair();
        inbox.send(Work::new(0, Box::new(job(request(cases))), completer)).unwrap();
        ticket
    };
    let of = |personalisation: &[u8; 8]| -> Vec<&Case> {
        let personalisation = Personalisation(*personalisation);
        cases.iter().filter(|case| case.personalisation == personalisation).collect()
    };
    let batches = [of(b"ZcashPoW"), of(b"BgoldPoW"), vec![], of(b"ZcashPoW")];
    let tickets: Vec<_> = batches.iter().map(|cases| submit(cases)).collect();
    for (cases, ticket) in batches.iter().zip(tickets) {
        let wanted: Vec<_> = cases.iter().map(|case| case.solutions.clone()).collect();
        assert_eq!(ticket.wait().unwrap().solutions, wanted);
    }
    drop(inbox);
    reactor.join().unwrap();
}
