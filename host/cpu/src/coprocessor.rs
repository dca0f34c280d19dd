//! `coprocessor` on the processor: the machine of [`proofmill_algebra::coprocessor`], one instruction after the other on one thread.

use std::sync::Arc;

use proofmill_algebra::Isa;
use proofmill_op::coprocessor::{
    Event, INSTRUCTION_BYTES, Instruction, Machine, Request, Response, SLOT_BYTES, Sent, Slot, Stop,
};
use proofmill_op::{Error, Result};

/// A request that can be answered.
pub(crate) struct Work {
    request: Request,
    program: Arc<[u8]>,
    data: Arc<[u8]>,
}

impl Work {
    pub(crate) fn new(request: Request, identity: u64) -> Result<Self> {
        request.check()?;
        let program = request.program.on(identity)?.clone();
        let data = request.data.on(identity)?.clone();
        Ok(Self { request, program, data })
    }

    /// Runs it; between two instructions a cancelled one stops.
    pub(crate) fn answer(&self, isa: Isa, cancelled: &dyn Fn() -> bool) -> Result<Response> {
        let mut machine = self.machine(isa);
        let (mut sent, mut steps) = (Sent::new(&self.request), 0);
        while steps < self.request.limit {
            if cancelled() {
                return Err(Error::Cancelled);
            }
            match machine.step() {
                Event::Waits => break,
                Event::Sent(interrupt) => sent.push(interrupt)?,
                Event::Done | Event::Refused(_) => {}
            }
            steps += 1;
        }
        Ok(Response {
            data: machine.data.iter().flat_map(Slot::to_bytes).collect(),
            pointer: machine.pointer(),
            error: machine.error(),
            interrupts: sent.into_interrupts(),
            steps,
            stop: if machine.waits() { Stop::Waits } else { Stop::Limit },
        })
    }

    fn machine(&self, isa: Isa) -> Machine {
        let sizes = self.request.sizes;
        let mut machine = Machine::new(isa, sizes.data.ilog2(), sizes.instructions.ilog2());
        let (program, _) = self.program.as_chunks::<INSTRUCTION_BYTES>();
        for (slot, bytes) in machine.program.iter_mut().zip(program) {
            *slot = Instruction::from_bytes(*bytes);
        }
        let (data, _) = self.data.as_chunks::<SLOT_BYTES>();
        for (slot, bytes) in machine.data.iter_mut().zip(data) {
            *slot = Slot::from_bytes(*bytes);
        }
        machine.set_pointer(self.request.start);
        machine
    }
}
