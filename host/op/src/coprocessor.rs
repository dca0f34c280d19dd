//! `coprocessor`: programs of field, point and pairing instructions on BLS12-381 (`spec/wire/coprocessor.toml`).
//!
//! A request contains both memories; the response contains the data memory after the program. An instruction has [`INSTRUCTION_BYTES`] bytes and
//! a slot [`SLOT_BYTES`], as on the card.

pub mod pairings;

use std::fmt;
use std::sync::Arc;

pub use proofmill_algebra::coprocessor::{
    Event, Fault, FieldName, INSTRUCTION_BYTES, Instruction, Interrupt, Kind, LOG2_SLOTS, Machine,
    Opcode, Role, SLOT_BYTES, Slot, Stop, VALUE_BITS,
};

use proofmill_algebra::bls12_381::G2;
use proofmill_algebra::encoding::pair;

use crate::{Capability, Data, Error, Operation, Result, SecretBytes};

/// The default number of slots of either memory.
pub const SLOTS: usize = 1 << LOG2_SLOTS;

/// The largest number of slots of either memory: operands have 16 bits.
pub const MAX_SLOTS: usize = 1 << 16;

/// The number of slots of each memory: powers of two from [`SLOTS`] to [`MAX_SLOTS`]. A card may have fewer than requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sizes {
    /// The slots of data memory.
    pub data: usize,
    /// The slots of instruction memory.
    pub instructions: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { data: SLOTS, instructions: SLOTS }
    }
}

impl Sizes {
    /// Returns an error for a size that is not allowed.
    pub fn check(self) -> Result<()> {
        for (memory, slots) in [("data", self.data), ("instructions", self.instructions)] {
            if !slots.is_power_of_two() || !(SLOTS..=MAX_SLOTS).contains(&slots) {
                let problem = format!(
                    "{slots} slots of {memory}; expected a power of two from {SLOTS} to {MAX_SLOTS}"
                );
                return Err(Error::argument("sizes", problem));
            }
        }
        Ok(())
    }
}

/// Returns the slots that `miller_lines` reads for a point of G2: its precomputed line coefficients, 272 slots of type `fe2`. The point is
/// given as x and y, each as two numbers.
///
/// [`Error::Argument`] names `point` if it is not on the curve or not in the subgroup.
pub fn lines(point: &[[u8; SLOT_BYTES]; 4]) -> Result<Vec<Slot>> {
    let point = pair::decode::<G2>(point.as_flattened());
    let point = point.map_err(|error| Error::argument("point", error.to_string()))?;
    Ok(pairings::Ready::new(point).into_lines())
}

/// The default limit of executed instructions.
pub const DEFAULT_LIMIT: u64 = 1 << 20;

/// A callback for interrupts: called while the program runs, in the order of sending, on any thread.
#[derive(Clone)]
pub struct Receiver(pub Arc<dyn Fn(&Interrupt) + Send + Sync>);

impl fmt::Debug for Receiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver")
    }
}

/// The largest number of slots that a program may send in total.
pub const MAX_SENT: usize = 1 << 16;

/// The interrupts that a program has sent so far.
#[derive(Debug)]
pub struct Sent {
    receiver: Option<Receiver>,
    slots: usize,
    interrupts: Vec<Interrupt>,
}

impl Sent {
    /// Creates an empty list for `request`.
    pub fn new(request: &Request) -> Self {
        Self { receiver: request.receiver.clone(), slots: 0, interrupts: vec![] }
    }

    /// Passes the interrupt to the receiver and stores it. Returns an error if the program has now sent more than [`MAX_SENT`] slots.
    pub fn push(&mut self, interrupt: Interrupt) -> Result<()> {
        self.slots += interrupt.value.len();
        if self.slots > MAX_SENT {
            let problem = format!("sends more than {MAX_SENT} slots");
            return Err(Error::argument("program", problem));
        }
        if let Some(Receiver(receive)) = &self.receiver {
            receive(&interrupt);
        }
        self.interrupts.push(interrupt);
        Ok(())
    }

    /// Returns the number of interrupts.
    pub fn count(&self) -> usize {
        self.interrupts.len()
    }

    /// Returns the interrupts.
    pub fn into_interrupts(self) -> Vec<Interrupt> {
        self.interrupts
    }
}

/// A program to run.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The instructions from slot 0 on; further slots contain instructions that wait.
    pub program: Data,
    /// The data from slot 0 on; further slots contain scalars of 0.
    pub data: Data,
    /// The slot of the first instruction.
    pub start: usize,
    /// The number of slots of each memory.
    #[cfg_attr(feature = "serde", serde(default))]
    pub sizes: Sizes,
    /// The largest number of executed instructions; the program is stopped when it reaches the limit. A card checks the limit periodically and stops
    /// the program some instructions later; the response contains the exact number.
    pub limit: u64,
    /// Called with each interrupt. A program that sends more than [`MAX_SENT`] slots in total ends with an error.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub receiver: Option<Receiver>,
}

impl Request {
    /// Returns a request with the default limit and memory sizes.
    pub fn new(program: impl Into<Data>, data: impl Into<Data>, start: usize) -> Self {
        Self {
            program: program.into(),
            data: data.into(),
            start,
            sizes: Sizes::default(),
            limit: DEFAULT_LIMIT,
            receiver: None,
        }
    }

    /// Returns an error if a length is no whole number of slots or too large, or if the start is out of range.
    pub fn check(&self) -> Result<()> {
        self.sizes.check()?;
        let whole = |argument, bytes: usize, each: usize, slots: usize| {
            if !bytes.is_multiple_of(each) {
                let problem = format!("{bytes} bytes are not a whole number of {each}-byte slots");
                return Err(Error::argument(argument, problem));
            }
            if bytes / each > slots {
                let problem = format!("{} slots; there are {slots}", bytes / each);
                return Err(Error::argument(argument, problem));
            }
            Ok(())
        };
        let Sizes { data, instructions } = self.sizes;
        whole("program", self.program.len(), INSTRUCTION_BYTES, instructions)?;
        whole("data", self.data.len(), SLOT_BYTES, data)?;
        if self.start >= instructions {
            let problem = format!("is {}; expected 0 to {}", self.start, instructions - 1);
            return Err(Error::argument("start", problem));
        }
        Ok(())
    }
}

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(try_from = "crate::forms::ProgramForm", into = "crate::forms::ProgramForm")
)]
pub struct Response {
    /// The content of data memory.
    pub data: Vec<u8>,
    /// The instruction pointer.
    pub pointer: usize,
    /// The first instruction that was rejected, with its slot.
    pub error: Option<(Fault, usize)>,
    /// The interrupts that the program sent.
    pub interrupts: Vec<Interrupt>,
    /// The number of executed instructions.
    pub steps: u64,
    /// The reason why the program ended.
    pub stop: Stop,
}

/// Programs of the BLS12-381 coprocessor.
pub struct Coprocessor;

impl Operation for Coprocessor {
    type Request = Request;
    type Response = Response;
    const NAME: &'static str = "coprocessor";

    fn capability(_: &Request) -> Capability {
        Capability::Coprocessor
    }

    fn data_mut(request: &mut Request) -> Vec<&mut Data> {
        vec![&mut request.program, &mut request.data]
    }

    fn same_result(response: &Response, other: &Response) -> bool {
        response == other
    }

    fn take_bytes(response: &mut Response) -> Option<SecretBytes> {
        Some(std::mem::take(&mut response.data).into())
    }

    fn put_bytes(response: &mut Response, bytes: SecretBytes) {
        response.data = bytes.into_plain();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::curve::Curve;
    use toml::{Table, Value};

    fn wire() -> Table {
        let text = proofmill_spec::text(proofmill_spec::WIRE, "coprocessor").unwrap();
        text.parse().unwrap()
    }

    fn number(value: &Value) -> usize {
        value.as_integer().unwrap() as usize
    }

    #[test]
    fn tables_are_those_of_the_specification() {
        let wire = wire();
        let table = |key: &str| wire[key].as_array().unwrap().clone();
        let kinds: Vec<_> = table("types")
            .iter()
            .map(|kind| {
                let text = |key: &str| kind[key].as_str().unwrap().to_owned();
                (text("name"), number(&kind["number"]), number(&kind["slots"]), text("field"))
            })
            .collect();
        let ours = Kind::ALL.map(|kind| {
            let field = kind.field().name().to_owned();
            (kind.name().to_owned(), usize::from(kind.number()), kind.slots(), field)
        });
        assert_eq!(kinds, ours);

        let opcodes = table("opcodes");
        assert_eq!(opcodes.len(), Opcode::ALL.len());
        for (entry, opcode) in opcodes.iter().zip(Opcode::ALL) {
            assert_eq!(entry["name"].as_str(), Some(opcode.name()));
            assert_eq!(number(&entry["number"]), usize::from(opcode.number()));
            let operands =
                ["a", "b", "c"].iter().filter_map(|operand| entry.get(operand)?.as_str());
            let ours: Vec<_> = opcode.operands().iter().map(|role| role.name()).collect();
            assert_eq!(operands.collect::<Vec<_>>(), ours, "{}", opcode.name());
        }

        let errors = table("errors");
        let errors: Vec<_> =
            errors.iter().map(|e| (e["name"].as_str().unwrap(), number(&e["number"]))).collect();
        assert_eq!(errors, Fault::ALL.map(|fault| (fault.name(), usize::from(fault.number()))));

        let slots: usize =
            ["count", "slots"].iter().map(|key| number(&wire["lines"][key])).product();
        let generator = pair::encode(&G2::GENERATOR);
        assert_eq!(lines(generator.as_chunks().0.try_into().unwrap()).unwrap().len(), slots);

        assert_eq!(number(&wire["data"]["bytes"]), SLOT_BYTES);
        assert_eq!(number(&wire["data"]["fields"][0]["bits"]), VALUE_BITS as usize);
        assert_eq!(number(&wire["instructions"]["stride"]), INSTRUCTION_BYTES);
        assert_eq!(number(&wire["data"]["log2_slots"]), LOG2_SLOTS as usize);
        assert_eq!(number(&wire["instructions"]["log2_slots"]), LOG2_SLOTS as usize);
    }

    #[test]
    fn the_number_of_interrupts_is_limited() {
        let interrupt = |slots| Interrupt { index: 1, kind: Kind::Fe, value: vec![[0; 48]; slots] };
        let mut sent = Sent::new(&Request::new(vec![], vec![], 0));
        for _ in 0..MAX_SENT / 16 {
            sent.push(interrupt(16)).unwrap();
        }
        assert_eq!(sent.count(), MAX_SENT / 16);
        let message = sent.push(interrupt(1)).unwrap_err().to_string();
        assert_eq!(message, "program: sends more than 65536 slots");
    }

    #[test]
    fn errors_name_the_argument() {
        let problem = |program: usize, data: usize, start: usize| {
            let request = Request::new(vec![0; program], vec![0; data], start);
            request.check().map_err(|error| error.to_string())
        };
        assert_eq!(problem(8 * SLOTS, SLOT_BYTES * SLOTS, SLOTS - 1), Ok(()));
        let wrong = |message: &str| Err(message.to_owned());
        assert_eq!(
            problem(9, 0, 0),
            wrong("program: 9 bytes are not a whole number of 8-byte slots")
        );
        assert_eq!(problem(8 * 257, 0, 0), wrong("program: 257 slots; there are 256"));
        assert_eq!(
            problem(0, 47, 0),
            wrong("data: 47 bytes are not a whole number of 48-byte slots")
        );
        assert_eq!(problem(0, 0, 256), wrong("start: is 256; expected 0 to 255"));

        let larger = |data, instructions, program: usize| {
            let request = Request {
                sizes: Sizes { data, instructions },
                ..Request::new(vec![0; program], vec![], 300)
            };
            request.check().map_err(|error| error.to_string())
        };
        assert_eq!(larger(256, 512, 8 * 512), Ok(()));
        assert_eq!(larger(512, 512, 8 * 513), wrong("program: 513 slots; there are 512"));
        assert_eq!(larger(512, 256, 0), wrong("start: is 300; expected 0 to 255"));
        for slots in [0, 128, 300, 1 << 17] {
            let message =
                format!("sizes: {slots} slots of data; expected a power of two from 256 to 65536");
            assert_eq!(larger(slots, 512, 0), wrong(&message));
        }
    }
}
