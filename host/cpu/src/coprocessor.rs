//! `coprocessor` on the processor: the machine of [`proofmill_algebra::coprocessor`], one instruction after the other on one thread.

use proofmill_algebra::Isa;
use proofmill_op::coprocessor::{
    Coprocessor, Event, INSTRUCTION_BYTES, Instruction, Machine, Request, Response, SLOT_BYTES,
    Sent, Slot, Stop,
};
use proofmill_op::{Bytes, Capability, Error, Result};

use crate::run::{Context, Job, Run};

impl Run for Coprocessor {
    fn capabilities() -> Vec<Capability> {
        vec![Capability::Coprocessor]
    }

    fn prepare(request: Request, Context { isa, identity, .. }: Context) -> Result<Job<Response>> {
        let program = Program::new(request, identity)?;
        Ok(Job::on_pool(move |cancelled| program.run(isa, cancelled)))
    }
}

/// A checked request.
struct Program {
    request: Request,
    program: Bytes,
    data: Bytes,
}

impl Program {
    fn new(request: Request, identity: u64) -> Result<Self> {
        request.check()?;
        let program = request.program.on(identity)?.clone();
        let data = request.data.on(identity)?.clone();
        Ok(Self { request, program, data })
    }

    /// Runs the program. Cancellation takes effect between two instructions.
    fn run(&self, isa: Isa, cancelled: &dyn Fn() -> bool) -> Result<Response> {
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
