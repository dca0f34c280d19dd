//! The coprocessor for BLS12-381: a machine whose programs have instructions of fields, points and pairings
//! (`spec/wire/coprocessor.toml`), one instruction after the other.
//!
//! A [`Machine`] has slots for data, slots for instructions and a pointer. [`Machine::step`] executes one instruction and returns its effect.
//! It terminates for any content of the memories and leaves readable slots. The results are those of a card, except for the
//! cycles. Time depends on the data: do not use it with secrets.

mod execute;
mod fault;
mod instruction;
mod kind;
mod lines;
mod machine;
mod miller;
mod slot;

pub use fault::Fault;
pub use instruction::{INSTRUCTION_BYTES, Instruction, Opcode, Role};
pub use kind::{FieldName, Kind};
pub use lines::{LINES, Line, lines};
pub use machine::{Event, Interrupt, LOG2_SLOTS, Machine, Stop};
pub use slot::{SLOT_BYTES, Slot, VALUE_BITS};
