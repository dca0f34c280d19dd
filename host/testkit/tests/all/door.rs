//! What passes by the door to a card's memory, where it has one, and what passes by packets: the same answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use proofmill_card::wire::Header;
use proofmill_card::wire::constants::{ntt::commands as transforms, poseidon::commands as hashes};
use proofmill_card::{Card, Event, Options, Place, SimTransport, Transport};
use proofmill_device::Simulation;
use proofmill_op::ntt::Field;
use proofmill_op::poseidon::{Layers, Wanted};
use proofmill_op::{Answer, Device, DeviceKind, Error, Request, Result, ntt};

use crate::support;

/// Counts what passes. The driver sees the door only if it is `open`.
struct Counted {
    card: SimTransport,
    open: bool,
    counts: Arc<Mutex<Counts>>,
    /// Transfers by the door that end before one that the memory does not answer.
    good: Option<usize>,
}

#[derive(Default)]
struct Counts {
    /// Packets, by the number of their command.
    packets: BTreeMap<u32, usize>,
    /// Bytes by the door, of each channel: to the memory, and from it.
    bytes: BTreeMap<u32, [usize; 2]>,
}

impl Counted {
    fn moved(&self, place: Place, way: usize, bytes: usize) {
        self.counts.lock().unwrap().bytes.entry(place.channel).or_default()[way] += bytes;
    }
}

impl Transport for Counted {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        let number = Header::of(packet).unwrap().cmd;
        *self.counts.lock().unwrap().packets.entry(number).or_default() += 1;
        self.card.send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        self.card.receive(limit)
    }

    fn event(&mut self, limit: Duration) -> Result<Option<Event>> {
        let event = self.card.event(limit)?;
        let Some(event @ (Event::Written(_) | Event::Read(_))) = event else { return Ok(event) };
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
        self.card.read_register(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.card.write_register(address, value)
    }

    fn has_memory(&self) -> bool {
        self.open
    }

    fn begin_write(&mut self, place: Place, bytes: Vec<u8>) -> Result<()> {
        self.moved(place, 0, bytes.len());
        self.card.begin_write(place, bytes)
    }

    fn begin_read(&mut self, place: Place, bytes: usize) -> Result<()> {
        self.moved(place, 1, bytes);
        self.card.begin_read(place, bytes)
    }
}

/// 2^10 elements of eight bytes, which a channel has in eight granules, and a tree of 2^7 leaves: five requests at once, which share the memory.
fn requests() -> Vec<Request> {
    let element = |i: u64| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 1;
    let elements: Vec<u8> = (0..1 << 10).flat_map(|i| element(i).to_le_bytes()).collect();
    let leaf = |i: u64| [element(i), element(!i), i, i >> 1].map(u64::to_le_bytes).concat();
    let leaves: Vec<u8> = (0..1 << 7).flat_map(leaf).collect();
    let transform = || ntt::Request::forward(Field::Goldilocks, elements.clone());
    let tree = |wanted| Request::PoseidonLayers(Layers::new(2, 7, leaves.clone()).with(wanted));
    vec![
        Request::Ntt(transform()),
        tree(Wanted::All),
        Request::Ntt(transform().on_coset(7u64.to_le_bytes())),
        tree(Wanted::Last),
        Request::Ntt(ntt::Request::inverse(Field::Goldilocks, elements.clone())),
    ]
}

fn answers(device: &dyn Device) -> Vec<Vec<u8>> {
    let tickets: Vec<_> =
        requests().into_iter().map(|request| device.submit(request).unwrap()).collect();
    let answers = tickets.into_iter().map(|ticket| match ticket.wait().unwrap() {
        Answer::Ntt(response) => response.elements,
        Answer::Poseidon(response) => response.digests,
        other => panic!("an answer to another question: {other:?}"),
    });
    answers.collect()
}

fn card(
    simulation: &Simulation,
    open: bool,
    good: Option<usize>,
    counts: &Arc<Mutex<Counts>>,
) -> Card {
    let counts = counts.clone();
    let card = Counted { card: support::transport(simulation), open, counts, good };
    Card::open(Box::new(card), Options::new("sim:", DeviceKind::Sim)).unwrap()
}

#[test]
fn elements_and_leaves_pass_by_the_door_where_there_is_one() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let wanted = answers(&*proofmill_device::open("cpu:").unwrap());
    for open in [true, false] {
        let counts = Arc::<Mutex<Counts>>::default();
        let card = card(&simulation, open, None, &counts);
        assert!(answers(&card) == wanted, "by the door: {open}");
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

/// The first of the two transfers of each request is up, the last is down.
#[test]
fn a_request_whose_memory_does_not_answer_fails_alone() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let wanted = answers(&*proofmill_device::open("cpu:").unwrap());
    for good in [0, 1] {
        for request in [0, 3] {
            let card = card(&simulation, true, Some(good), &Arc::default());
            let failed = card.submit(requests().swap_remove(request)).unwrap().wait();
            match failed {
                Err(Error::Failed { problem, .. }) => {
                    assert_eq!(problem, "its memory did not answer");
                }
                other => panic!("request {request}, after {good}: {other:?}"),
            }
            assert!(answers(&card) == wanted, "request {request}, after {good}: the others");
        }
    }
}

/// By the door a request has few transfers: one up, one down, and the run between them.
#[test]
fn progress_is_told_after_each_transfer() {
    let Some(simulation) = support::simulation("xdma_ntt_poseidon_small_twin") else { return };
    let card = card(&simulation, true, None, &Arc::default());
    let told = Arc::new(Mutex::new(vec![]));
    let inside = told.clone();
    let mut request = ntt::Request::forward(Field::Goldilocks, vec![0; 8 << 10]);
    let tell = move |done| inside.lock().unwrap().push(done);
    request.progress = Some(ntt::Progress(Arc::new(tell)));
    card.submit(Request::Ntt(request)).unwrap().wait().unwrap();
    assert_eq!(*told.lock().unwrap(), [1.0 / 3.0, 2.0 / 3.0, 1.0]);
}
