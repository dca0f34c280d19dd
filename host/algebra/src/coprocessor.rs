//! The coprocessor for BLS12-381: a machine whose programs have instructions of fields, points and pairings
//! (`spec/wire/coprocessor.toml`), one instruction after the other.
//!
//! A [`Machine`] has slots for data, slots for instructions and a pointer. [`Machine::step`] does one instruction and says what came of it;
//! whatever the memories hold, it comes to an end and leaves slots that can be read. The answers are those of a card, the cycles
//! aside. Time depends on the data: nothing here is for secrets.

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
