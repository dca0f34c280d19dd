//! The driver of the coprocessor with a card that stops responding: the ticket ends in time, and a card that is opened again works.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support;
use proofmill_card::{Card, Options, SimTransport, Transport};
use proofmill_cpu::CpuDevice;
use proofmill_op::coprocessor::{
    Fault, INSTRUCTION_BYTES, Instruction, Kind, Opcode, Request, Response, SLOT_BYTES, Sizes,
    Slot, Stop,
};
use proofmill_op::{Device, DeviceKind, Error, Result, Submit, Ticket};

/// The time-out of a card that stops.
const TIMEOUT: Duration = Duration::from_secs(5);
/// A limit that only a hung test reaches.
const PATIENCE: Duration = Duration::from_secs(120);

/// The state of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Mood {
    Works,
    /// Its clock is stopped.
    Frozen,
    /// Registers keep the values that were read first, and no packet arrives.
    Stuck,
}

/// A card that outlives its driver, as a real one does.
#[derive(Clone)]
struct Moody {
    card: Arc<Mutex<SimTransport>>,
    mood: Arc<AtomicU8>,
    first_read: HashMap<u32, u32>,
}

impl Moody {
    fn new(card: SimTransport) -> Self {
        let mood = Arc::new(AtomicU8::new(Mood::Works as u8));
        Self { card: Arc::new(Mutex::new(card)), mood, first_read: HashMap::new() }
    }

    fn becomes(&self, mood: Mood) {
        self.card.lock().unwrap().freeze(mood == Mood::Frozen);
        self.mood.store(mood as u8, Ordering::SeqCst);
    }

    fn is_stuck(&self) -> bool {
        self.mood.load(Ordering::SeqCst) == Mood::Stuck as u8
    }

    /// Opens the card with a new driver.
    fn open(&self, timeout: Duration) -> Card {
        let options = Options { timeout, ..Options::new("sim:moody", DeviceKind::Sim) };
        Card::open(Box::new(self.clone()), options).unwrap()
    }
}

impl Transport for Moody {
    fn name(&self) -> &str {
        "sim:moody"
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        self.card.lock().unwrap().send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        if self.is_stuck() {
            std::thread::sleep(limit);
            return Ok(None);
        }
        self.card.lock().unwrap().receive(limit)
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        if self.is_stuck()
            && let Some(word) = self.first_read.get(&address)
        {
            return Ok(*word);
        }
        let word = self.card.lock().unwrap().read_register(address)?;
        if self.is_stuck() {
            self.first_read.insert(address, word);
        }
        Ok(word)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.card.lock().unwrap().write_register(address, value)
    }
}

fn submit(card: &Card, program: &[Instruction], limit: u64) -> Result<Ticket<Response>> {
    let mut seven = [0; SLOT_BYTES];
    seven[0] = 7;
    let data = Slot::new(seven, Kind::Fe).unwrap().to_bytes().to_vec();
    let mut bytes = vec![0; INSTRUCTION_BYTES]; // at which it waits
    bytes.extend(program.iter().flat_map(|it| it.to_bytes()));
    let request = Request { limit, ..Request::new(bytes, data, 1) };
    card.submit(request)
}

fn end(ticket: Ticket<Response>) -> Result<Response> {
    ticket.wait_timeout(PATIENCE).unwrap_or_else(|_| panic!("a ticket hangs"))
}

/// Computes 7 * 7 and sends it as interrupt 5.
fn works(card: &Card) {
    let program = [
        Instruction::new(Opcode::Mul, [0, 0, 1]),
        Instruction::new(Opcode::SendInterrupt, [1, 5, 0]),
    ];
    let response = end(submit(card, &program, 100).unwrap()).unwrap();
    let [sent] = &response.interrupts[..] else { panic!("{response:?}") };
    assert_eq!((sent.index, sent.kind, sent.value[0][0]), (5, Kind::Fe, 49));
    assert_eq!((response.stop, response.pointer, response.error), (Stop::Waits, 3, None));
}

#[test]
fn a_coprocessor_that_stops_responding_is_lost_and_works_after_a_reset() {
    let Some(simulation) = support::simulation("coprocessor_twin") else { return };
    let moody = Moody::new(support::transport(&simulation));
    for mood in [Mood::Stuck, Mood::Frozen] {
        let card = moody.open(if mood == Mood::Stuck { TIMEOUT } else { PATIENCE });
        works(&card);
        // An endless program on a card that stops while it runs; another request waits behind it.
        let endless = [Instruction::new(Opcode::Jump, [1, 0, 0])];
        let tickets = [0; 2].map(|_| submit(&card, &endless, u64::MAX).unwrap());
        std::thread::sleep(Duration::from_millis(200));
        let start = Instant::now();
        moody.becomes(mood);
        for ticket in tickets {
            let error = end(ticket).unwrap_err();
            let as_wanted = match mood {
                Mood::Stuck => matches!(error, Error::TimedOut { .. }),
                _ => matches!(error, Error::Lost { .. }),
            };
            assert!(as_wanted, "{mood:?}: {error}");
        }
        let took = start.elapsed();
        assert!(mood != Mood::Stuck || took >= TIMEOUT, "{took:?}");
        assert!(submit(&card, &endless, 1).and_then(end).is_err(), "{mood:?}: it is lost");
        drop(card);
        // The program still runs; opening resets the card.
        moody.becomes(Mood::Works);
        works(&moody.open(PATIENCE));
    }
}

#[test]
fn a_program_that_never_ends_is_stopped_by_its_limit_and_the_next_one_is_right() {
    let Some(simulation) = support::simulation("coprocessor_twin") else { return };
    let card = Moody::new(support::transport(&simulation)).open(PATIENCE);
    let endless = [Instruction::new(Opcode::Jump, [1, 0, 0])];
    let response = end(submit(&card, &endless, 5000).unwrap()).unwrap();
    assert!(response.stop == Stop::Limit && response.steps >= 5000, "{} steps", response.steps);
    works(&card);
}

/// Jumps to the upper half of instruction memory, multiplies in the upper half of data memory, and runs past the last slot.
#[test]
fn a_program_has_the_slots_that_it_requests_on_every_device() {
    let Some(larger) = support::simulation("coprocessor_1024_twin") else { return };
    let Some(published) = support::simulation("coprocessor_twin") else { return };
    let [larger, published] = [larger, published]
        .map(|simulation| Moody::new(support::transport(&simulation)).open(PATIENCE));
    let cpu = CpuDevice::new(Some(1)).unwrap();
    let execute = |device: &dyn Device, sizes: Sizes| -> Result<Response> {
        let last = |slots: usize| (slots - 1) as u16;
        let (data, instructions) = (last(sizes.data), last(sizes.instructions));
        let mut program = vec![Instruction::default(); sizes.instructions];
        program[1] = Instruction::new(Opcode::Jump, [instructions - 1, 0, 0]);
        program[sizes.instructions - 2] = Instruction::new(Opcode::Mul, [data, data, data - 1]);
        program[sizes.instructions - 1] = Instruction::new(Opcode::CopyReg, [data + 1, 1, 0]);
        let mut slots = vec![Slot::default(); sizes.data];
        slots[sizes.data - 1] = Slot::new([1; SLOT_BYTES], Kind::Fe).unwrap();
        let program: Vec<u8> = program.iter().flat_map(|it| it.to_bytes()).collect();
        let slots: Vec<u8> = slots.iter().flat_map(Slot::to_bytes).collect();
        let request = Request { sizes, ..Request::new(program, slots, 1) };
        end(device.submit(request)?)
    };
    let sizes = |data, instructions| Sizes { data, instructions };
    for sizes in [sizes(512, 512), sizes(256, 512), sizes(512, 256), sizes(256, 256)] {
        let expected = execute(&cpu, sizes).unwrap();
        let error = Some((Fault::NoSuchSlot, sizes.instructions - 1));
        assert_eq!((expected.pointer, expected.steps, expected.error), (0, 3, error));
        assert_eq!(execute(&larger, sizes).unwrap(), expected, "{sizes:?}");
    }
    assert_eq!(
        execute(&published, sizes(256, 256)).unwrap(),
        execute(&cpu, sizes(256, 256)).unwrap()
    );
    let problem = execute(&published, sizes(512, 256)).unwrap_err().to_string();
    assert!(problem.contains("512 slots of data; it has 256"), "{problem}");
    let problem = execute(&larger, sizes(512, 1024)).unwrap_err().to_string();
    assert!(problem.contains("1024 slots of instructions; it has 512"), "{problem}");
}
