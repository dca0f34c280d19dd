//! The machine: memories, pointer, and one step after the other.

use super::execute::{Execution, Outcome};
use super::{Fault, Instruction, Kind, Opcode, SLOT_BYTES, Slot};
use crate::Isa;

/// log2 of the number of slots of either memory, as on the published card.
pub const LOG2_SLOTS: u32 = 8;

/// Memories, pointer and the first error.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Data memory.
    pub data: Vec<Slot>,
    /// Instruction memory.
    pub program: Vec<Instruction>,
    pointer: usize,
    error: Option<(Fault, usize)>,
    isa: Isa,
}

/// The value that an instruction sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Operand b.
    pub index: u16,
    /// The type of the value.
    pub kind: Kind,
    /// Its numbers, little-endian.
    pub value: Vec<[u8; SLOT_BYTES]>,
}

impl Interrupt {
    /// A packet behind its header: index, type, padding, value.
    pub fn to_bytes(&self) -> Vec<u8> {
        let index = u32::from(self.index).to_le_bytes();
        [&index[..], &[self.kind.number(), 0, 0, 0], self.value.as_flattened()].concat()
    }
}

/// The effect of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Nothing: the machine waits.
    Waits,
    /// An instruction was done.
    Done,
    /// The instruction sent this value.
    Sent(Interrupt),
    /// An instruction was not done, for this reason.
    Refused(Fault),
}

/// The reason why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// The machine waits.
    Waits,
    /// It has done as many instructions as it was allowed.
    Limit,
}

impl Machine {
    /// Creates a machine with 2^n slots for data and 2^m for instructions, n and m up to 16. It has scalars of 0 and a program that waits.
    pub fn new(isa: Isa, log2_data: u32, log2_instructions: u32) -> Self {
        Self {
            data: vec![Slot::default(); 1 << log2_data.min(16)],
            program: vec![Instruction::default(); 1 << log2_instructions.min(16)],
            pointer: 0,
            error: None,
            isa,
        }
    }

    /// The slot of the next instruction.
    pub fn pointer(&self) -> usize {
        self.pointer
    }

    /// Sets the pointer; the number is taken modulo the number of instruction slots.
    pub fn set_pointer(&mut self, to: usize) {
        self.pointer = to % self.program.len();
    }

    /// The first instruction that was refused, with its slot.
    pub fn error(&self) -> Option<(Fault, usize)> {
        self.error
    }

    /// Forgets it.
    pub fn clear_error(&mut self) {
        self.error = None;
    }

    /// Returns whether the next instruction waits.
    pub fn waits(&self) -> bool {
        self.program[self.pointer].opcode == Opcode::NoopWait.number()
    }

    /// One instruction.
    pub fn step(&mut self) -> Event {
        if self.waits() {
            return Event::Waits;
        }
        let at = self.pointer;
        let instruction = self.program[at];
        self.set_pointer(at + 1);
        let outcome = Execution::new(self.isa, &mut self.data, self.program.len(), instruction)
            .and_then(Execution::run);
        match outcome {
            Ok(Outcome::Done) => Event::Done,
            Ok(Outcome::Jump(target)) => {
                self.pointer = target;
                Event::Done
            }
            Ok(Outcome::Send(interrupt)) => Event::Sent(interrupt),
            Err(fault) => {
                self.error.get_or_insert((fault, at));
                Event::Refused(fault)
            }
        }
    }

    /// Steps until the machine waits, at most `limit` times; `receive` is called with each interrupt. Returns the number of instructions as well.
    pub fn run(&mut self, limit: u64, mut receive: impl FnMut(Interrupt)) -> (Stop, u64) {
        for steps in 0..limit {
            match self.step() {
                Event::Waits => return (Stop::Waits, steps),
                Event::Sent(interrupt) => receive(interrupt),
                Event::Done | Event::Refused(_) => {}
            }
        }
        (if self.waits() { Stop::Waits } else { Stop::Limit }, limit)
    }
}
