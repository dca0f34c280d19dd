//! Transfers through a card's memory port, where it has one, and by packets: the responses are the same.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use proofmill_card::wire::constants::{ntt::commands as transforms, poseidon::commands as hashes};
use proofmill_card::wire::{Header, u64_at};
use proofmill_card::{Card, Event, Options, Place, SimTransport, Transport};
use proofmill_device::Simulation;
use proofmill_op::ntt::Field;
use proofmill_op::poseidon::{Layers, Output};
use proofmill_op::{
    AnyRequest, AnyTicket, Device, DeviceKind, Error, Progress, Result, SecretBytes, Submit, ntt,
};

use crate::support;

/// Counts transfers. The driver detects the memory port only if it is `open`.
struct Counted {
    card: Arc<Mutex<SimTransport>>,
    name: String,
    open: bool,
    counts: Arc<Mutex<Counts>>,
    /// The number of transfers through the port before one that the memory does not answer.
    good: Option<usize>,
    /// The number of runs before one whose first elements the memory does not return.
    runs: Option<usize>,
    /// The number of replies to runs before the host is gone.
    replies: Option<usize>,
    /// Blocks the first transfer until the test sends a message.
    gate: Option<Receiver<()>>,
    /// The number of transfers that an earlier host began, whose ends this host ignores.
    stale: usize,
}

#[derive(Default)]
struct Counts {
    /// Packets, by the number of their command.
    packets: BTreeMap<u32, usize>,
    /// Bytes through the port, of each channel: to the memory, and from it.
    bytes: BTreeMap<u32, [usize; 2]>,
    /// Beginnings and ends of transfers and runs of transforms, in this order, each with the cycle.
    moments: Vec<(Moment, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// A run was sent; one was answered.
    Run,
    Ran,
    /// A transfer to or from the memory began; it ended.
    Up(u64),
    Down(u64),
    Moved,
}

impl Counted {
    /// Opens the memory port to the driver.
    fn new(card: SimTransport, counts: &Arc<Mutex<Counts>>) -> Self {
        Self::again(&Arc::new(Mutex::new(card)), counts)
    }

    /// Wraps a card that an earlier host used.
    fn again(card: &Arc<Mutex<SimTransport>>, counts: &Arc<Mutex<Counts>>) -> Self {
        let name = card.lock().unwrap().name().to_owned();
        let (card, counts) = (card.clone(), counts.clone());
        let (good, runs, replies, gate) = (None, None, None, None);
        Self { card, name, open: true, counts, good, runs, replies, gate, stale: 0 }
    }

    fn open(self) -> Card {
        Card::open(Box::new(self), Options::new("sim:", DeviceKind::Sim)).unwrap()
    }

    fn card(&self) -> MutexGuard<'_, SimTransport> {
        self.card.lock().unwrap()
    }

    fn note(&self, moment: Moment) {
        let cycle = self.card().cycles().unwrap();
        self.counts.lock().unwrap().moments.push((moment, cycle));
    }

    fn count(&self, moment: Moment) -> usize {
        let counts = self.counts.lock().unwrap();
        counts.moments.iter().filter(|(found, _)| *found == moment).count()
    }

    fn pass_gate(&mut self) {
        if let Some(gate) = self.gate.take() {
            gate.recv().unwrap();
        }
    }

    fn moved(&self, place: Place, way: usize, bytes: usize) {
        self.counts.lock().unwrap().bytes.entry(place.channel).or_default()[way] += bytes;
    }
}

impl Transport for Counted {
    fn name(&self) -> &str {
        &self.name
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        let number = Header::of(packet).unwrap().cmd;
        *self.counts.lock().unwrap().packets.entry(number).or_default() += 1;
        if number == transforms::run::NUMBER {
            self.note(Moment::Run);
            if self.runs == Some(self.count(Moment::Run) - 1) {
                let at = u64_at(packet, transforms::run::fields::elements::OFFSET).unwrap();
                self.card().fault(0, at..at + 64).unwrap();
            }
        }
        self.card().send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        self.card().receive(limit)
    }

    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        if self.replies == Some(0) {
            return Err(Error::Lost { device: self.name.clone(), problem: "gone".into() });
        }
        let event = self.card().event(limit)?;
        let event = match event {
            Some(Event::Reply(reply)) => {
                if Header::of(&reply).unwrap().cmd == transforms::run::REPLY {
                    self.replies = self.replies.and_then(|left| left.checked_sub(1));
                    self.note(Moment::Ran);
                    if self.runs == Some(self.count(Moment::Ran) - 1) {
                        self.card().fault(0, 0..0).unwrap();
                    }
                }
                return Ok(Some(Event::Reply(reply)));
            }
            None => return Ok(None),
            Some(event) => event,
        };
        if let Some(left) = self.stale.checked_sub(1) {
            self.stale = left;
            return Ok(None);
        }
        self.note(Moment::Moved);
        let fault = self.good == Some(0);
        self.good = self.good.and_then(|good| good.checked_sub(1));
        let error = || Error::Failed { device: "sim:".into(), problem: "a fault".into() };
        Ok(Some(match event {
            Event::Written(_) if fault => Event::Written(Err(error())),
            Event::Read(_) if fault => Event::Read(Err(error())),
            event => event,
        }))
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.card().read_register(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.card().write_register(address, value)
    }

    fn has_memory(&self) -> bool {
        self.open
    }

    fn begin_write(&mut self, place: Place, bytes: SecretBytes) -> Result<()> {
        self.pass_gate();
        self.moved(place, 0, bytes.len());
        self.note(Moment::Up(place.address));
        self.card().begin_write(place, bytes)
    }

    fn begin_read(&mut self, place: Place, bytes: usize) -> Result<()> {
        self.moved(place, 1, bytes);
        self.note(Moment::Down(place.address));
        self.card().begin_read(place, bytes)
    }

    fn cycles(&self) -> Option<u64> {
        self.card().cycles()
    }
}

/// 2^10 elements of eight bytes, in eight granules of a channel, and a tree of 2^7 leaves: five requests at once that share the memory.
fn requests() -> Vec<AnyRequest> {
    let element = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
    let elements: Vec<u8> = (0..1 << 10).flat_map(|i| element(i).to_le_bytes()).collect();
    let leaf = |i: u64| [element(i), element(!i), i, i >> 1].map(u64::to_le_bytes).concat();
    let leaves: Vec<u8> = (0..1 << 7).flat_map(leaf).collect();
    let transform = || ntt::Request::forward(Field::Goldilocks, elements.clone());
    let tree = |output| AnyRequest::from(Layers::new(2, 7, leaves.clone()).with_output(output));
    vec![
        AnyRequest::from(transform()),
        tree(Output::All),
        AnyRequest::from(transform().on_coset(7u64.to_le_bytes())),
        tree(Output::Last),
        AnyRequest::from(ntt::Request::inverse(Field::Goldilocks, elements.clone())),
    ]
}

fn responses(device: &dyn Device) -> Vec<Vec<u8>> {
    let tickets: Vec<_> =
        requests().into_iter().map(|request| device.submit_any(request).unwrap()).collect();
    tickets.into_iter().map(|ticket| bytes(ticket).unwrap()).collect()
}

fn bytes(ticket: AnyTicket) -> Result<Vec<u8>> {
    Ok(ticket.wait()?.take_bytes().expect("elements or digests").into_plain())
}

fn card(
    simulation: &Simulation,
    open: bool,
    good: Option<usize>,
    counts: &Arc<Mutex<Counts>>,
) -> Card {
    Counted { open, good, ..Counted::new(support::transport(simulation), counts) }.open()
}

#[test]
fn elements_and_leaves_pass_through_the_memory_port_where_there_is_one() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let wanted = responses(&proofmill_device::open("cpu:").unwrap());
    for open in [true, false] {
        let counts = Arc::<Mutex<Counts>>::default();
        let card = card(&simulation, open, None, &counts);
        assert!(responses(&card) == wanted, "through the port: {open}");
        drop(card);
        let counts = counts.lock().unwrap();
        let sent = |number| counts.packets.get(&number).copied().unwrap_or(0);
        // Three transforms; each layer of the two trees is one command.
        assert_eq!((sent(transforms::run::NUMBER), sent(hashes::layer::NUMBER)), (3, 14));
        let packets = [transforms::write::NUMBER, transforms::read::NUMBER].map(sent);
        let tree = [hashes::write::NUMBER, hashes::read::NUMBER].map(sent);
        if open {
            // Elements in channel 0. Nodes in channel 1: all layers of a tree above the leaves, each in whole beats, and the root of the other.
            let layers: usize = (0..7).map(|log| (32usize << log).next_multiple_of(64)).sum();
            let (elements, leaves) = (3 << 13, 2 << 12);
            let moved = [(0, [elements, elements]), (1, [leaves, layers + 64])];
            assert_eq!((packets, tree, &counts.bytes), ([0; 2], [0; 2], &BTreeMap::from(moved)));
        } else {
            let layers: usize = (0..7).map(|log| (32usize << log).div_ceil(1024)).sum();
            assert_eq!((packets, tree), ([3 * 8; 2], [2 * 4, layers + 1]));
            assert!(counts.bytes.is_empty());
        }
    }
}

/// The first of the two transfers of each request goes to the card, the last one from it.
#[test]
fn a_request_whose_memory_does_not_answer_fails_alone() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let wanted = responses(&proofmill_device::open("cpu:").unwrap());
    for good in [0, 1] {
        for request in [0, 3] {
            let card = card(&simulation, true, Some(good), &Arc::default());
            let failed = card.submit_any(requests().swap_remove(request)).unwrap().wait();
            match failed {
                Err(Error::Failed { problem, .. }) => {
                    assert_eq!(problem, "its memory did not answer");
                }
                other => panic!("request {request}, after {good}: {other:?}"),
            }
            assert!(responses(&card) == wanted, "request {request}, after {good}: the others");
        }
    }
}

/// A request through the port has few transfers: one to the card, the run, and one from the card.
#[test]
fn progress_is_reported_after_each_transfer() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let card = card(&simulation, true, None, &Arc::default());
    let reports = Arc::new(Mutex::new(vec![]));
    let list = reports.clone();
    let mut request = ntt::Request::forward(Field::Goldilocks, vec![0; 8 << 10]);
    let report = move |done| list.lock().unwrap().push(done);
    request.progress = Some(Progress(Arc::new(report)));
    card.submit(request).unwrap().wait().unwrap();
    assert_eq!(*reports.lock().unwrap(), [1.0 / 3.0, 2.0 / 3.0, 1.0]);
}

/// Bytes of a transform of 2^12 elements, which needs no scratch memory.
const ONE: u64 = 8 << 12;

/// Returns four different transforms of 2^12 elements, which are consecutive in the card's memory.
fn four() -> [ntt::Request; 4] {
    std::array::from_fn(|i| {
        let element = |j: usize| ((i << 12 | j) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
        let elements: Vec<u8> = (0..1 << 12).flat_map(|j| element(j).to_le_bytes()).collect();
        match i % 2 {
            0 => ntt::Request::forward(Field::Goldilocks, elements),
            _ => ntt::Request::inverse(Field::Goldilocks, elements).on_coset(7u64.to_le_bytes()),
        }
    })
}

/// Returns the results of these on a card that starts after it has received all of them.
fn at_once(card: Counted) -> (Card, Vec<Result<Vec<u8>>>) {
    let (begin, gate) = mpsc::channel();
    let card = Counted { gate: Some(gate), ..card }.open();
    let tickets = four().map(|request| card.submit(request).unwrap());
    begin.send(()).unwrap();
    (card, tickets.map(|ticket| Ok(ticket.wait()?.elements)).into())
}

fn transformed(device: &dyn Device) -> Vec<Vec<u8>> {
    four().map(|request| device.submit(request).unwrap().wait().unwrap().elements).into()
}

fn of_the_processor() -> Vec<Vec<u8>> {
    transformed(&proofmill_device::open("cpu:").unwrap())
}

#[test]
fn elements_come_and_results_leave_while_others_are_transformed() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let counts = Arc::<Mutex<Counts>>::default();
    let (card, found) = at_once(Counted::new(support::transport(&simulation), &counts));
    let wanted = of_the_processor();
    assert!(found.into_iter().map(Result::unwrap).eq(wanted.clone()));
    drop(card);
    let moments = std::mem::take(&mut counts.lock().unwrap().moments);
    let when = |moment, which: usize| {
        let mut found = moments.iter().filter(|(found, _)| *found == moment);
        found.nth(which).unwrap_or_else(|| panic!("{moment:?} {which}: {moments:?}")).1
    };
    let is_running =
        |cycle| (0..4).any(|i| when(Moment::Run, i) <= cycle && cycle < when(Moment::Ran, i));
    for i in 1..4 {
        assert!(is_running(when(Moment::Up(i * ONE), 0)), "elements of {i}: {moments:?}");
        assert!(is_running(when(Moment::Down((i - 1) * ONE), 0)), "results of {i}: {moments:?}");
    }
    let together = moments.last().unwrap().1;

    // The same, each after the response to the one before.
    let counts = Arc::<Mutex<Counts>>::default();
    let card = Counted::new(support::transport(&simulation), &counts).open();
    assert!(transformed(&card) == wanted);
    drop(card);
    let apart = counts.lock().unwrap().moments.last().unwrap().1;
    eprintln!("four transforms of 2^12: {together} cycles at once, {apart} one by one");
    assert!(together < apart);
}

/// The fault occurs in a transfer, and in a run during other transfers.
#[test]
fn a_fault_of_the_memory_ends_one_of_several_transforms() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let wanted = of_the_processor();
    let transfers = (0..8).map(|good| (Some(good), None));
    let runs = (0..4).map(|runs| (None, Some(runs)));
    for (good, runs) in transfers.chain(runs) {
        let card = Counted::new(support::transport(&simulation), &Arc::default());
        let (_card, found) = at_once(Counted { good, runs, ..card });
        let failed = found.into_iter().zip(&wanted).enumerate().filter(|(i, (found, wanted))| {
            match found {
                Ok(found) => assert!(found == *wanted, "{i}: {good:?}, {runs:?}"),
                Err(Error::Failed { problem, .. }) => {
                    assert_eq!(problem, "its memory did not answer");
                    return true;
                }
                Err(other) => panic!("{i}: {good:?}, {runs:?}: {other}"),
            }
            false
        });
        let failed: Vec<_> = failed.map(|(i, _)| i).collect();
        assert!(
            failed.len() == 1 && runs.is_none_or(|run| failed == [run]),
            "{failed:?}: {good:?}, {runs:?}"
        );
    }
}

/// The host dies with transforms in the card and elements in transfer; the next one resets the card.
#[test]
fn a_reset_among_several_transforms_leaves_nothing_of_them() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let wanted = of_the_processor();
    for replies in 0..4 {
        let card = Arc::new(Mutex::new(support::transport(&simulation)));
        let counts = Arc::<Mutex<Counts>>::default();
        let mortal = Counted { replies: Some(replies), ..Counted::again(&card, &counts) };
        let (_gone, found) = at_once(mortal);
        let answered = found.iter().zip(&wanted).filter(|(found, wanted)| match found {
            Ok(found) => *found == **wanted,
            Err(error) => {
                assert!(matches!(error, Error::Lost { .. }), "{error}");
                false
            }
        });
        assert!(answered.count() < 4, "gone after {replies} replies");
        let moments = std::mem::take(&mut counts.lock().unwrap().moments);
        let ended = moments.iter().filter(|(moment, _)| *moment == Moment::Moved).count();
        let begun = |moment: &Moment| matches!(moment, Moment::Up(_) | Moment::Down(_));
        let stale = moments.iter().filter(|(moment, _)| begun(moment)).count() - ended;
        let (_card, found) = at_once(Counted { stale, ..Counted::again(&card, &counts) });
        assert!(found.into_iter().map(Result::unwrap).eq(wanted.clone()), "after {replies}");
    }
}
