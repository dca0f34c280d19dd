//! Programs for the BLS12-381 coprocessor: field, point and pairing instructions, compatible with zcash-fpga's. docs/use/coprocessor.md
//! describes the machine and the language.
//!
//! ```
//! use proofmill::coprocessor::{self, Assembly, Kind};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // e(2 P, Q) = e(P, Q)^2
//! let program: Assembly = "
//!     slot two   = 0: scalar 2
//!     slot P     = 2: fp_af g1
//!     slot Q     = 4: fp2_af g2
//!     slot twice = 8
//!     slot left  = 16
//!     slot right = 32
//!     point_mult two, P, twice
//!     ate_pairing twice, Q, left
//!     ate_pairing P, Q, right
//!     mul right, right, right
//!     sub left, right, left
//!     send_interrupt left, 1
//! ".parse()?;
//!
//! let device = proofmill::open("cpu:?threads=1")?;
//! let answer = coprocessor::run(&device, program.request())?;
//! let sent = &answer.interrupts[0];
//! assert_eq!((sent.index, sent.kind), (1, Kind::Fe12));
//! assert!(sent.value.iter().all(|number| *number == [0; 48]));
//! # Ok(())
//! # }
//! ```
//!
//! [`Request`] brings memories as bytes, and a callback for interrupts. [`Machine`] goes step by step, on this processor.

mod assembly;

pub use assembly::{AsmError, Assembly, disassemble};
pub use proofmill_op::coprocessor::{
    DEFAULT_LIMIT, Event, Fault, FieldName, INSTRUCTION_BYTES, Instruction, Interrupt, Kind,
    LOG2_SLOTS, MAX_SLOTS, Machine, Opcode, Receiver, Request, Response, Role, SLOT_BYTES, SLOTS,
    Sizes, Slot, Stop, VALUE_BITS, lines,
};

use crate::{Device, Result, Submit};

/// Runs a program until it waits or reaches the limit of the request. Returns its memory and its interrupts.
pub fn run(device: &dyn Device, request: Request) -> Result<Response> {
    device.submit(request)?.wait()
}
