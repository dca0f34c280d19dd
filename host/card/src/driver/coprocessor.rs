//! `coprocessor` on a card: a program is written through the window of registers, runs, and sends packets; nothing of it is a command with
//! a reply. A job has the card alone:
//!
//! 1. Instruction memory is cleared, so that the machine waits wherever it is; a larger card receives the number of slots of the program; the pointer
//!    is set, where it waits too.
//! 2. Slots of data that differ from those on the card, then all instructions but the one at the pointer, are written; `error` is cleared.
//! 3. The instruction at the pointer is written: the program runs.
//! 4. Packets are received until the pointer is at an instruction that waits, no cycle was spent on another one between two reads, and as many
//!    packets have arrived as were sent.
//! 5. Slots that the program can have written are read.
//!
//! A program that exceeds its limit of instructions, one that sends too much, and one that was cancelled, are stopped by clearing instruction
//! memory.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use proofmill_op::coprocessor::{
    Fault, INSTRUCTION_BYTES, Instruction, Interrupt, Kind, LOG2_SLOTS, Opcode, Request, Response,
    Role, SLOT_BYTES, SLOTS, Sent, Sizes, Stop,
};
use proofmill_op::{Capability, Error, Result, SecretBytes};

use super::chain::{Block, Chain};
use super::job::{self, Engine, Lane, Respond, Settings, Terms};
use crate::Transport;
use crate::wire::constants::coprocessor::{block, data, instructions, interrupt, window};
use crate::wire::constants::shell::address_map;
use crate::wire::constants::shell::capabilities::COPROCESSOR_BLS12_381;
use crate::wire::{self, Header, u32_at};

/// The capability and its bit.
pub const KNOWN: [(Capability, u32); 1] = [(Capability::Coprocessor, COPROCESSOR_BLS12_381)];

/// The interval at which a wait for a packet checks the machine.
const SLICE: Duration = Duration::from_millis(1);

/// The machine as requests use it.
#[derive(Debug)]
pub struct Port {
    block: Block,
    /// Instructions of ours that it has: bit i that with the opcode 0x24 + i.
    extensions: u32,
    /// The most slots that a program can have.
    most: Sizes,
    identity: u64,
    uri: String,
    /// The content of its data memory, if known.
    memory: Mutex<Option<SecretBytes>>,
}

/// Finds the machine among the blocks: there is one at most.
pub fn find(
    transport: &mut dyn Transport,
    chain: &Chain,
    uri: &str,
    identity: u64,
) -> Result<Option<(Engine, Arc<Port>)>> {
    let mut found = None;
    for it in chain.engines("coprocessor", (block::TYPE, block::VERSION), uri) {
        let at = it.read(transport, block::registers::window::OFFSET)?;
        if at != address_map::coprocessor::BASE {
            let expected = address_map::coprocessor::BASE;
            return Err(it.broken(format!("a window at {at:#x}, where {expected:#x} is expected")));
        }
        use window::registers;
        let mut word = |offset| transport.read_register(at + offset);
        for (name, offset, expected) in [
            ("instruction memory", registers::instruction_base::OFFSET, instructions::BASE),
            ("data memory", registers::data_base::OFFSET, data::BASE),
        ] {
            let found = word(offset)?;
            if found != expected {
                let problem = format!("{name} at {found:#x}, where {expected:#x} is expected");
                return Err(it.broken(problem));
            }
        }
        let most = match word(registers::most_log2::OFFSET)? {
            address_map::UNMAPPED => LOG2_SLOTS | LOG2_SLOTS << 8,
            most => most,
        };
        let (most_data, most_instructions) = (most & 0xff, most >> 8);
        for (name, offset, most, limit) in [
            (
                "instructions",
                registers::log2_instructions::OFFSET,
                most_instructions,
                instructions::LOG2_MOST,
            ),
            ("data", registers::log2_data::OFFSET, most_data, data::LOG2_MOST),
        ] {
            for (log2, limit) in [(most, limit), (word(offset)?, most)] {
                if !(LOG2_SLOTS..=limit).contains(&log2) {
                    let problem = format!(
                        "2^{log2} slots of {name}, where 2^{LOG2_SLOTS} to 2^{limit} are expected"
                    );
                    return Err(it.broken(problem));
                }
            }
        }
        let most = Sizes { data: 1 << most_data, instructions: 1 << most_instructions };
        let extensions = word(registers::extensions::OFFSET)?;
        let lane = Lane { block: it.address, exchanges: vec![], queue: 1, progress: &[] };
        let engine = Engine { capability: Capability::Coprocessor, lane };
        let memory = Mutex::new(None);
        let port = Port { block: *it, extensions, most, identity, uri: uri.to_owned(), memory };
        if found.replace((engine, Arc::new(port))).is_some() {
            return Err(it.broken("a second machine"));
        }
    }
    Ok(found)
}

/// A request and its response.
pub struct Job {
    port: Arc<Port>,
    program: Vec<Instruction>,
    data: SecretBytes,
    request: Request,
    settings: Settings,
    response: Option<Result<Response>>,
}

impl Job {
    /// Checks the request and returns its job.
    pub fn new(request: Request, port: &Arc<Port>) -> Result<Self> {
        request.check()?;
        port.holds(request.sizes)?;
        let mut program = vec![Instruction::default(); request.sizes.instructions];
        let (bytes, _) = request.program.on(port.identity)?.as_chunks::<INSTRUCTION_BYTES>();
        for (slot, bytes) in program.iter_mut().zip(bytes) {
            *slot = Instruction::from_bytes(*bytes);
        }
        port.require(&program)?;
        let slots = request.data.on(port.identity)?;
        let mut data = SecretBytes::zeroed(request.sizes.data * SLOT_BYTES);
        data[..slots.len()].copy_from_slice(slots);
        let port = port.clone();
        Ok(Self { port, program, data, request, settings: Settings::new(), response: None })
    }
}

impl Port {
    /// Returns an error for more slots than this card has.
    fn holds(&self, sizes: Sizes) -> Result<()> {
        for (memory, wanted, most) in [
            ("data", sizes.data, self.most.data),
            ("instructions", sizes.instructions, self.most.instructions),
        ] {
            if wanted > most {
                let what = format!("{wanted} slots of {memory}; it has {most}");
                return Err(Error::Unsupported { device: self.uri.clone(), what });
            }
        }
        Ok(())
    }

    /// Returns whether it has more slots than the published card, and so registers for their number.
    fn is_larger(&self) -> bool {
        self.most != Sizes::default()
    }

    /// Returns an error for an instruction that this card lacks.
    fn require(&self, program: &[Instruction]) -> Result<()> {
        let first = Opcode::PointCheck.number();
        let lacks = |opcode: &Opcode| {
            let extension = opcode.number().checked_sub(first);
            extension.is_some_and(|bit| self.extensions >> bit & 1 == 0)
        };
        let mut opcodes = program.iter().filter_map(|it| Opcode::from_number(it.opcode));
        match opcodes.find(lacks) {
            Some(opcode) => Err(Error::Unsupported {
                device: self.uri.clone(),
                what: format!("the instruction {}", opcode.name()),
            }),
            None => Ok(()),
        }
    }
}

impl job::Job for Job {
    fn commands(&self) -> usize {
        0
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn command(&mut self, _position: usize, _index: u64) -> SecretBytes {
        unreachable!("a job without commands")
    }

    fn accept(&mut self, _position: usize, _reply: &[u8]) -> std::result::Result<(), String> {
        Err("no command".into())
    }

    fn talks(&self) -> bool {
        true
    }

    fn talk(&mut self, transport: &mut dyn Transport, terms: &Terms<'_>) -> Result<()> {
        let known = self.port.memory.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut talk = Talk { job: self, transport, terms, page: None };
        let (response, memory) = talk.run(known)?;
        *self.port.memory.lock().unwrap_or_else(PoisonError::into_inner) = memory;
        self.response = Some(response);
        Ok(())
    }
}

impl Respond<Response> for Job {
    fn respond(self: Box<Self>) -> Result<Response> {
        // A job that did not run was cancelled.
        self.response.unwrap_or(Err(Error::Cancelled))
    }
}

/// The exchange of a job with the card.
struct Talk<'a> {
    job: &'a Job,
    transport: &'a mut dyn Transport,
    terms: &'a Terms<'a>,
    /// The page of data slots in the window, once it is known.
    page: Option<usize>,
}

/// The state of the machine that changes while it runs.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Look {
    pointer: usize,
    steps: u64,
    busy: u64,
}

impl Talk<'_> {
    /// Returns the response, and the content of data memory, if that is known.
    fn run(
        &mut self,
        known: Option<SecretBytes>,
    ) -> Result<(Result<Response>, Option<SecretBytes>)> {
        self.load(known)?;
        let before = self.look()?;
        let sent_before = self.counter(block::registers::interrupts::OFFSET)?;
        self.write_instruction(self.job.request.start)?;
        let mut sent = Sent::new(&self.job.request);
        let (mut last, mut progress) = (before, Instant::now());
        let stop = loop {
            if let Some(packet) = self.transport.receive(SLICE)? {
                progress = Instant::now();
                if let Err(problem) = sent.push(self.interrupt(&packet)?) {
                    return self.abort(problem);
                }
                continue;
            }
            if (self.terms.cancelled)() {
                return self.abort(Error::Cancelled);
            }
            let now = self.look()?;
            if now == last && self.waits(now.pointer) {
                let count = self.counter(block::registers::interrupts::OFFSET)?;
                if count.wrapping_sub(sent_before) == sent.count() as u64 {
                    break Stop::Waits;
                }
            } else if !self.waits(now.pointer)
                && now.steps.wrapping_sub(before.steps) >= self.job.request.limit
            {
                // A machine at its limit may reach an instruction that waits in the same moment.
                break Stop::Limit;
            }
            if now.steps != last.steps {
                progress = Instant::now();
            }
            last = now;
            self.check_time(progress)?;
        };
        if stop == Stop::Limit {
            self.halt(&mut sent, sent_before)?;
        }
        let end = self.look()?;
        let steps = end.steps.wrapping_sub(before.steps);
        // It may have ended between two checks.
        let stop = if steps > self.job.request.limit { Stop::Limit } else { stop };
        let memory = self.read_memory()?;
        let response = Response {
            data: memory.to_vec(),
            pointer: end.pointer,
            error: self.error()?,
            interrupts: sent.into_interrupts(),
            steps,
            stop,
        };
        Ok((Ok(response), Some(memory)))
    }

    /// Steps 1 and 2.
    fn load(&mut self, known: Option<SecretBytes>) -> Result<()> {
        use window::registers as at;
        let known = known.filter(|known| known.len() == self.job.data.len());
        let clear = if known.is_some() { 1 } else { 3 };
        self.write(at::clear::OFFSET, clear)?;
        if self.job.port.is_larger() {
            let sizes = self.job.request.sizes;
            self.write(at::log2_data::OFFSET, sizes.data.ilog2())?;
            self.write(at::log2_instructions::OFFSET, sizes.instructions.ilog2())?;
        }
        self.write(at::pointer::OFFSET, self.job.request.start as u32)?;
        let known = known.unwrap_or_else(|| SecretBytes::zeroed(self.job.data.len()));
        let slots = known.chunks(SLOT_BYTES).zip(self.job.data.chunks(SLOT_BYTES));
        for (slot, (_, wanted)) in slots.enumerate().filter(|(_, (known, wanted))| known != wanted)
        {
            let base = self.show(slot)?;
            let (words, _) = wanted.as_chunks::<4>();
            for (offset, word) in (0..).step_by(4).zip(words) {
                self.write(base + offset, u32::from_le_bytes(*word))?;
            }
        }
        for at in (0..self.job.program.len()).filter(|at| *at != self.job.request.start) {
            self.write_instruction(at)?;
        }
        self.write(at::error::OFFSET, 0)
    }

    /// Returns the address of a data slot in the window; selects another page if necessary.
    fn show(&mut self, slot: usize) -> Result<u32> {
        let page = slot / SLOTS;
        if self.job.port.is_larger() && self.page.replace(page) != Some(page) {
            self.write(window::registers::page::OFFSET, page as u32)?;
        }
        Ok(data::BASE + data::STRIDE * (slot % SLOTS) as u32)
    }

    /// An instruction that does not wait.
    fn write_instruction(&mut self, at: usize) -> Result<()> {
        if self.job.program[at] == Instruction::default() {
            return Ok(());
        }
        let base = instructions::BASE + instructions::STRIDE * at as u32;
        let bytes = u64::from_le_bytes(self.job.program[at].to_bytes());
        self.write(base, bytes as u32)?;
        self.write(base + 4, (bytes >> 32) as u32)
    }

    /// Returns whether the machine waits there.
    fn waits(&self, pointer: usize) -> bool {
        self.job.program.get(pointer).is_none_or(|it| it.opcode == Opcode::NoopWait.number())
    }

    /// Parses the packet of an interrupt.
    fn interrupt(&self, packet: &[u8]) -> Result<Interrupt> {
        let read = || {
            let header = Header { len: interrupt::LEN, cmd: interrupt::NUMBER };
            use interrupt::fields as at;
            let index = u32_at(packet, at::index::OFFSET)?;
            let [kind] = wire::bytes_at(packet, at::kind::OFFSET)?;
            let kind = *Kind::ALL.get(usize::from(kind))?;
            let (value, rest) = packet.get(at::value::OFFSET as usize..)?.as_chunks::<SLOT_BYTES>();
            let whole = rest.is_empty() && value.len() == kind.slots();
            (Header::of(packet)? == header && whole).then_some(())?;
            Some(Interrupt { index: u16::try_from(index).ok()?, kind, value: value.to_vec() })
        };
        // The rest of the packet may be secret.
        let start = &packet[..packet.len().min(2 * Header::BYTES)];
        read().ok_or_else(|| self.lost(format!("it sent what no program sends: {start:02x?}")))
    }

    /// Stops the program, and receives its remaining packets.
    fn halt(&mut self, sent: &mut Sent, sent_before: u64) -> Result<()> {
        self.write(window::registers::clear::OFFSET, 1)?;
        let mut last = self.look()?;
        let start = Instant::now();
        loop {
            while let Some(packet) = self.transport.receive(SLICE)? {
                // Interrupts beyond the limit are dropped.
                let _ = sent.push(self.interrupt(&packet)?);
            }
            let now = self.look()?;
            let count = self.counter(block::registers::interrupts::OFFSET)?;
            if now == last && count.wrapping_sub(sent_before) <= sent.count() as u64 {
                return Ok(());
            }
            last = now;
            self.check_time(start)?;
        }
    }

    /// Stops the program and returns `problem` as its response; its remaining packets are discarded.
    fn abort(&mut self, problem: Error) -> Result<(Result<Response>, Option<SecretBytes>)> {
        self.write(window::registers::clear::OFFSET, 1)?;
        let mut last = self.look()?;
        let start = Instant::now();
        loop {
            let mut quiet = true;
            while self.transport.receive(SLICE)?.is_some() {
                quiet = false;
            }
            let now = self.look()?;
            if quiet && now == last {
                return Ok((Err(problem), None));
            }
            last = now;
            self.check_time(start)?;
        }
    }

    /// Returns the data memory: slots that the program cannot have written are copied from the request.
    fn read_memory(&mut self) -> Result<SecretBytes> {
        let mut memory = SecretBytes::copy_of(&self.job.data);
        let slots = self.job.request.sizes.data;
        let mut written = vec![false; slots];
        for instruction in &self.job.program {
            let Some(opcode) = Opcode::from_number(instruction.opcode) else { continue };
            for (role, operand) in opcode.operands().iter().zip(instruction.operands) {
                let most = match role {
                    Role::ToSlot => 1,
                    Role::Slot if opcode == Opcode::JumpNonzeroSub => 1,
                    Role::ToElement | Role::ToFp12 => Kind::Fe12.slots(),
                    Role::ToJacobian | Role::ToAffine => Kind::Fp2Jb.slots(),
                    _ => 0,
                };
                let from = usize::from(operand).min(slots);
                written[from..(from + most).min(slots)].fill(true);
            }
        }
        for slot in (0..slots).filter(|slot| written[*slot]) {
            let base = self.show(slot)?;
            let (words, _) = memory[slot * SLOT_BYTES..][..SLOT_BYTES].as_chunks_mut::<4>();
            for (offset, word) in (0..).step_by(4).zip(words) {
                *word = self.read(base + offset)?.to_le_bytes();
            }
        }
        Ok(memory)
    }

    fn error(&mut self) -> Result<Option<(Fault, usize)>> {
        let word = self.read(window::registers::error::OFFSET)?;
        if word == 0 {
            return Ok(None);
        }
        let fault = Fault::ALL.into_iter().find(|fault| u32::from(fault.number()) == word & 0xff);
        let fault =
            fault.ok_or_else(|| self.lost(format!("its register error reads {word:#x}")))?;
        Ok(Some((fault, (word >> 16) as usize)))
    }

    fn look(&mut self) -> Result<Look> {
        Ok(Look {
            steps: self.counter(block::registers::instructions::OFFSET)?,
            busy: self.counter(block::registers::busy_cycles::OFFSET)?,
            pointer: self.read(window::registers::pointer::OFFSET)? as usize,
        })
    }

    fn counter(&mut self, offset: u32) -> Result<u64> {
        self.job.port.block.read64(self.transport, offset)
    }

    fn read(&mut self, offset: u32) -> Result<u32> {
        self.transport.read_register(address_map::coprocessor::BASE + offset)
    }

    fn write(&mut self, offset: u32, word: u32) -> Result<()> {
        self.transport.write_register(address_map::coprocessor::BASE + offset, word)
    }

    fn check_time(&self, since: Instant) -> Result<()> {
        if since.elapsed() <= self.terms.timeout {
            return Ok(());
        }
        let seconds = self.terms.timeout.as_secs_f64();
        Err(Error::TimedOut { device: self.terms.uri.to_owned(), seconds })
    }

    fn lost(&self, problem: String) -> Error {
        Error::Lost { device: self.terms.uri.to_owned(), problem }
    }
}
