//! The Verilated cards, spoken to directly: the vectors of the command stream, the packet soak, and cards that stop
//! in the middle of their work.

use std::time::{Duration, Instant};

use crate::support;
use proofmill_card::{Card, Options, SimTransport, Transport, wire};
use proofmill_op::equihash_verify::{Network, Params, Request as Equihash};
use proofmill_op::msm::Instance;
use proofmill_op::{Capability, Device, DeviceKind, Error, Result, Submit, ntt, poseidon};
use proofmill_testkit::packets::{Soak, exchange};
use proofmill_testkit::random::Random;
use proofmill_testkit::soft_card::{SoftCard, SoftEngine};
use proofmill_testkit::vectors;

const LIMIT: Duration = Duration::from_secs(120);

/// What a simulation's engines answer.
fn engines(simulation: &proofmill_device::Simulation) -> Vec<Capability> {
    let device = proofmill_device::open(&simulation.uri()).unwrap();
    device.caps().capabilities.clone()
}

/// Commands to these engines, from the vectors.
fn commands(engines: &[Capability]) -> Vec<Vec<u8>> {
    let offered = |capability: Capability| engines.contains(&capability);
    let mut headers = vectors::equihash_verify().unwrap();
    headers.retain(|case| offered(Capability::EquihashVerify(case.params)));
    let mut signatures = vectors::ecdsa_verify().unwrap();
    signatures.retain(|_| offered(Capability::EcdsaVerify));
    let headers = headers.iter().map(|case| wire::equihash_verify(0, &case.header));
    let signatures =
        signatures.iter().map(|case| wire::ecdsa_verify(0, &case.signature.to_bytes()));
    // Refused or done at once, whatever the memory holds.
    let msm = engines.iter().flat_map(|engine| {
        let Capability::Msm(Instance { group, .. }) = *engine else { return vec![] };
        vec![
            wire::msm_write(group, 0, 1024, 0, &[7; 1024]),
            wire::msm_write(group, 0, 1, 0, &[7; 1024]),
            wire::msm_write(group, 0, 0, 9, &[7; 1024]),
            wire::msm_run(group, 0, 0, 0, 0, 4),
            wire::msm_run(group, 0, 0, 0, 1, 77),
            wire::msm_run(group, 0, 0, 0, u64::MAX, 4),
            wire::msm_cancel(group, 0, 5),
        ]
    });
    // Of the one arity that every card with this engine has: good states, and one of each element that is too large.
    let states = (0u8..8).map(|i| {
        let mut state = [i; 96];
        state[31..].iter_mut().step_by(32).for_each(|high| *high = 0x70);
        if i < 3 {
            state[32 * usize::from(i) + 31] = 0x74;
        }
        wire::poseidon(0, poseidon::Strength::Standard, &state)
    });
    let with_poseidon = offered(Capability::Poseidon(poseidon::Instance::Bls12_381));
    // Those of its memory that are answered at once, also with a bit that is flipped.
    let of_memory = [
        wire::poseidon_write(0, 1024, &[7; 1024]),
        wire::poseidon_write(0, 1, &[7; 1024]),
        wire::poseidon_read(0, 1024),
        wire::poseidon_read(0, u64::MAX),
        wire::poseidon_layer(0, 0, 1024, 1, 77, &[0; 32]),
    ];
    let states = states.chain(of_memory).filter(|_| with_poseidon);
    const FIRST: [u8; 32] = {
        let mut one = [0; 32];
        one[0] = 1;
        one
    };
    let run = wire::NttRun {
        elements: 0,
        scratch: 0,
        log_size: 6,
        direction: 0,
        count: 1,
        shift: FIRST,
        scale: [0xff; 32],
    };
    let ntt = [
        wire::ntt_write(0, 1024, 0, &[7; 1024]),
        wire::ntt_write(0, 1, 0, &[7; 1024]),
        wire::ntt_read(0, 1024, 0),
        wire::ntt_read(0, 0, 9),
        wire::ntt_run(0, &run),
        wire::ntt_run(0, &wire::NttRun { scale: FIRST, ..run }),
    ];
    let with_ntt = engines.iter().any(|engine| matches!(engine, Capability::Ntt(_)));
    let ntt = ntt.into_iter().filter(|_| with_ntt);
    headers.chain(signatures).chain(msm).chain(states).chain(ntt).collect()
}

/// Sends every case that is for a card with these engines; returns how many there were.
fn exchange_all(transport: &mut dyn Transport, engines: &[Capability]) -> usize {
    let cases = vectors::shell().unwrap();
    let mine: Vec<_> = cases.iter().filter(|case| case.engines == engines).collect();
    for case in &mine {
        exchange(transport, case, LIMIT).unwrap_or_else(|problem| panic!("{engines:?}: {problem}"));
    }
    mine.len()
}

/// Random gaps before input words and random refusals of output words.
type Stutter = (u8, u8);

fn soak(
    simulation: &proofmill_device::Simulation,
    packets: u64,
    resets: bool,
    seed: u64,
    (gap, stall): Stutter,
) {
    let engines = engines(simulation);
    let mut transport = support::transport(simulation);
    transport.jitter(seed, gap, stall);
    let mut transport = support::packet_port(transport);
    let verdict = &mut support::judge();
    let commands = commands(&engines);
    let mut soak = Soak { engines, commands, verdict, packets, resets, seed, limit: LIMIT };
    let start = Instant::now();
    let tally =
        soak.run(&mut transport).unwrap_or_else(|problem| panic!("{}: {problem}", simulation.name));
    eprintln!(
        "{}: {tally:?}, {:?} cycles, {:.1?}",
        simulation.name,
        transport.cycles(),
        start.elapsed()
    );
    assert_eq!(tally.replies + tally.forgotten, tally.sent);
    assert!(tally.ignored > 0);
    assert_eq!(tally.verdicts > 0, !soak.engines.is_empty());
    assert_eq!(tally.resets > 0, resets);
}

#[test]
fn the_stream_vectors_hold_for_the_card_in_software() {
    let mut found = 0;
    let equihash = Capability::EquihashVerify;
    for engines in [
        vec![equihash(Params::N48_K5)],
        vec![equihash(Params::N200_K9), equihash(Params::N144_K5)],
        vec![Capability::EcdsaVerify],
        vec![Capability::Poseidon(poseidon::Instance::Bls12_381)],
    ] {
        let soft = engines.iter().cloned().map(|capability| SoftEngine {
            capability,
            queue: 9,
            msm: None,
        });
        let mut card = SoftCard::new(&soft.collect::<Vec<_>>(), support::judge());
        found += exchange_all(&mut card, &engines);
    }
    assert_eq!(found, vectors::shell().unwrap().len(), "cases for other engines than these");
}

#[test]
fn the_stream_vectors_hold_for_every_simulation() {
    for simulation in support::simulations() {
        let engines = engines(&simulation);
        let found =
            exchange_all(&mut support::packet_port(support::transport(&simulation)), &engines);
        // What is sent to these engines depends on what was written: rtl/sim/test_msm.py, test_ntt.py, test_vdf.py; or it is no command at all.
        let has_memory = |engine: &Capability| {
            matches!(
                engine,
                Capability::Msm(_)
                    | Capability::Ntt(_)
                    | Capability::Coprocessor
                    | Capability::Vdf
                    | Capability::EquihashSolve(_)
            )
        };
        let stateful = engines.is_empty() || engines.iter().any(has_memory);
        assert!(found > 0 || stateful, "no stream vectors for {}", simulation.name);
    }
}

#[test]
fn a_hundred_thousand_packets_leave_the_shell_in_sync() {
    let Some(simulation) = support::simulation("toy") else { return };
    soak(&simulation, 100_000, false, 1, (0, 0));
}

#[test]
fn packets_that_stutter_leave_the_shell_in_sync() {
    let Some(simulation) = support::simulation("toy") else { return };
    for (seed, gap, stall) in [(2, 100, 0), (3, 0, 200), (4, 60, 60)] {
        soak(&simulation, 10_000, true, seed, (gap, stall));
    }
}

#[test]
fn a_card_with_two_engines_stays_in_sync() {
    let Some(simulation) = support::simulation("card") else { return };
    soak(&simulation, 3_000, true, 5, (0, 0));
}

#[test]
fn cards_with_an_ecdsa_engine_stay_in_sync() {
    for simulation in support::offering(&Capability::EcdsaVerify) {
        soak(&simulation, 2_000, true, 9, (0, 0));
        soak(&simulation, 500, false, 10, (100, 100));
    }
}

#[test]
fn cards_with_a_poseidon_engine_stay_in_sync() {
    for simulation in support::offering(&Capability::Poseidon(poseidon::Instance::Bls12_381)) {
        soak(&simulation, 2_000, true, 11, (0, 0));
        soak(&simulation, 500, false, 12, (100, 100));
    }
}

#[test]
fn cards_with_an_ntt_engine_stay_in_sync() {
    for simulation in support::offering(&Capability::Ntt(ntt::Field::Goldilocks)) {
        soak(&simulation, 1_000, true, 13, (0, 0));
        soak(&simulation, 300, false, 14, (100, 100));
    }
}

#[test]
fn packets_through_registers_leave_the_shell_in_sync() {
    let Some(simulation) = support::simulation("mailbox") else { return };
    soak(&simulation, 5_000, true, 6, (0, 0));
}

#[test]
fn a_shell_without_engines_stays_in_sync() {
    let Some(simulation) = support::simulation("shell") else { return };
    soak(&simulation, 20_000, false, 7, (0, 0));
}

#[test]
#[ignore = "takes minutes; make test-long runs it"]
fn a_million_packets_leave_every_shell_in_sync() {
    for simulation in support::simulations() {
        let packets =
            if ["toy", "shell"].contains(&&simulation.name[..]) { 1_000_000 } else { 30_000 };
        soak(&simulation, packets, true, 8, (30, 30));
    }
}

#[test]
fn a_waveform_is_written_and_the_cycles_are_the_same() {
    let libraries = proofmill_device::list().into_iter().filter_map(|listed| listed.simulation);
    let Some(traced) =
        libraries.into_iter().find(|library| library.traced && library.name == "toy")
    else {
        return eprintln!(
            "SKIPPED: there is no simulation with waveforms; `make sim CONFIG=toy TRACE=1` builds it"
        );
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("toy.vcd");
    let uri = "sim:toy"
        .parse::<proofmill_device::Uri>()
        .unwrap()
        .with_option("trace", file.to_str().unwrap());
    let cycles = |uri: &proofmill_device::Uri| {
        let device = proofmill_device::open_uri(uri).unwrap();
        let report = proofmill_testkit::conformance(&*device, "solved-test");
        assert!(report.is_success());
        device.metrics().cycles
    };
    let traced_cycles = cycles(&uri);
    assert_eq!(
        traced_cycles,
        cycles(&"sim:toy".parse().unwrap()),
        "tracing changes what happens in a cycle"
    );
    let waveform = std::fs::read_to_string(&file).unwrap();
    assert!(waveform.contains("$enddefinitions"), "{} bytes", waveform.len());
    let edges = waveform.lines().filter(|line| line.starts_with('#')).count() as u64;
    let both = 2 * traced_cycles.unwrap();
    assert!(
        edges >= both,
        "{edges} times in the waveform, where both edges of the clock make {both}"
    );
    assert!(!traced.manifest().unwrap().is_empty());
}

/// Freezes the card for good when it has sent so many engine replies.
struct FreezesAfter {
    card: SimTransport,
    replies: u32,
}

impl Transport for FreezesAfter {
    fn name(&self) -> &str {
        self.card.name()
    }

    fn send(&mut self, packet: &[u8]) -> Result<()> {
        self.card.send(packet)
    }

    fn receive(&mut self, limit: Duration) -> Result<Option<Vec<u8>>> {
        let reply = self.card.receive(limit)?;
        if reply.as_ref().is_some_and(|reply| reply.len() == 17) {
            self.replies -= 1;
            if self.replies == 0 {
                self.card.freeze(true);
            }
        }
        Ok(reply)
    }

    fn read_register(&mut self, address: u32) -> Result<u32> {
        self.card.read_register(address)
    }

    fn write_register(&mut self, address: u32, value: u32) -> Result<()> {
        self.card.write_register(address, value)
    }
}

#[test]
fn a_simulation_killed_under_a_hundred_tickets_ends_them_all() {
    let Some(simulation) = support::simulation("toy") else { return };
    for replies in [1, 40] {
        let card = FreezesAfter { card: support::transport(&simulation), replies };
        // A busy machine takes less for what the card answers before.
        let timeout = Duration::from_secs(10);
        let options = Options { timeout, ..Options::new("sim:toy", DeviceKind::Sim) };
        let device = Card::open(Box::new(card), options).unwrap();
        let header = Random::new(7).bytes(Params::N48_K5.header_bytes());
        let request = || Equihash::new(Params::N48_K5, Network::Main, &header[..]);
        let tickets: Vec<_> = (0..100).map(|_| device.submit(request()).unwrap()).collect();
        let mut answered = 0;
        for ticket in tickets {
            match ticket.wait_timeout(LIMIT).expect("a ticket hangs") {
                Ok(_) => answered += 1,
                Err(error) => assert!(matches!(error, Error::TimedOut { .. }), "{error}"),
            }
        }
        // What had left the card before it froze may still arrive.
        assert!((replies..100).contains(&answered), "{answered} answered");
        assert!(matches!(device.submit(request()), Err(Error::TimedOut { .. })));
    }
}

#[test]
fn a_frozen_card_is_not_opened() {
    let Some(simulation) = support::simulation("toy") else { return };
    let mut card = support::transport(&simulation);
    card.freeze(true);
    let options =
        Options { timeout: Duration::from_secs(1), ..Options::new("sim:toy", DeviceKind::Sim) };
    let error = Card::open(Box::new(card), options).err().expect("a frozen card was opened");
    assert!(error.is_device(), "{error}");
}
