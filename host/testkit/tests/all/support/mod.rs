//! Shared by the tests of several files: the available simulations, and verdicts of the CPU.

use std::path::Path;
use std::time::{Duration, Instant};

use proofmill_card::wire::constants::memory_door;
use proofmill_card::wire::constants::shell::{block_header, identification};
use proofmill_card::wire::u32_at;
use proofmill_card::{Mailbox, SimLibrary, SimTransport, Transport};
use proofmill_cpu::CpuDevice;
use proofmill_device::{FOLDER_VARIABLE, Simulation, gpu_support};
use proofmill_op::{AnyResponse, Capability, Device};
use proofmill_testkit::soft_card::VerdictFn;

/// Returns every simulation in the folder that accepts packets, but the narrow solver, which lacks space for some solutions. Where there is none, the tests print so and end; if the
/// environment names the folder, that is a failure.
pub fn simulations() -> Vec<Simulation> {
    let mut found = all();
    found.retain(|it| !it.name.ends_with("_narrow") && !transport(it).is_in_slot());
    found
}

/// Returns these, and those behind the shell of an F2 instance.
fn all() -> Vec<Simulation> {
    let found: Vec<_> =
        proofmill_device::list().into_iter().filter_map(|listed| listed.simulation).collect();
    if found.is_empty() {
        assert!(
            std::env::var_os(FOLDER_VARIABLE).is_none(),
            "{FOLDER_VARIABLE} names a folder without simulations"
        );
        eprintln!("SKIPPED: there are no simulations; `make sim` builds them");
    }
    found.into_iter().filter(|simulation| !simulation.traced).collect()
}

/// Returns the simulation of this name, if it is built.
pub fn simulation(name: &str) -> Option<Simulation> {
    let found = all();
    let wanted = found.iter().find(|simulation| simulation.name == name).cloned();
    if wanted.is_none() {
        assert!(
            std::env::var_os(FOLDER_VARIABLE).is_none(),
            "{FOLDER_VARIABLE} names a folder without '{name}'"
        );
        eprintln!("SKIPPED: there is no simulation '{name}'; `make sim CONFIG={name}` builds it");
    }
    wanted
}

/// Returns the simulations that offer this capability.
pub fn offering(capability: &Capability) -> Vec<Simulation> {
    let found = offering_if_built(capability);
    assert!(
        !found.is_empty() || std::env::var_os(FOLDER_VARIABLE).is_none(),
        "{FOLDER_VARIABLE} names a folder without a simulation of {capability}"
    );
    found
}

/// Returns the simulations with this capability that only the long tests build, if they are built.
pub fn offering_if_built(capability: &Capability) -> Vec<Simulation> {
    let mut found = simulations();
    found.retain(|simulation| {
        proofmill_device::open(&simulation.uri()).unwrap().caps().offers(capability)
    });
    if found.is_empty() {
        eprintln!(
            "SKIPPED: there is no simulation of {capability}; `make sim CONFIG=...` builds one"
        );
    }
    found
}

/// Returns whether the library of `cuda:emulated` is built. Where it is not, the tests print so and end; where its folder exists, that is a failure.
pub fn emulates_gpus() -> bool {
    let support = gpu_support();
    if support.emulation.is_none() {
        let named = std::env::var_os("PROOFMILL_CUDA_DIR").and(support.folder);
        if let Some(folder) = named.filter(|folder| folder.exists()) {
            panic!("{} has no emulation of these kernels", folder.display());
        }
        eprintln!("SKIPPED: there is no emulation of GPUs; `make cuda EMULATED=1` builds it");
    }
    support.emulation.is_some()
}

/// Returns a card of this simulation for direct access.
pub fn transport(simulation: &Simulation) -> SimTransport {
    SimTransport::new(&SimLibrary::load(&simulation.path).unwrap()).unwrap()
}

/// Returns a card's port for packets: the stream, or its registers if it is built that way.
pub fn packet_port(mut transport: SimTransport) -> Box<dyn Transport> {
    match Mailbox::is_there(&mut transport).unwrap() {
        true => Box::new(Mailbox::new(transport).unwrap()),
        false => Box::new(transport),
    }
}

/// Waits until beats went to a card's memory through its memory port and, with `both`, came back: the file of registers lags behind the card.
pub fn await_memory_port_beats(registers: &Path, both: bool) {
    let start = Instant::now();
    loop {
        let beats = memory_port_beats(registers);
        if beats[0] > 0 && (beats[1] > 0 || !both) {
            return;
        }
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{beats:?} beats through the memory port"
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the numbers of beats written to and read from a card's memory through its memory port, by its block of registers in this file.
fn memory_port_beats(registers: &Path) -> [u32; 2] {
    use memory_door::block::{TYPE, registers as at};
    let file = std::fs::read(registers).unwrap();
    let word = |at: u32| u32_at(&file, at).unwrap();
    let mut blocks =
        std::iter::successors(Some(word(identification::first_block::OFFSET)), |block| {
            Some(word(block + block_header::NEXT)).filter(|next| *next != 0)
        });
    let port = blocks.find(|block| word(block + block_header::TYPE) == TYPE);
    let port = port.expect("a card with a memory port");
    [at::written::OFFSET, at::read::OFFSET].map(|offset| word(port + offset))
}

/// Returns a verdict function that uses the processor.
pub fn judge() -> VerdictFn {
    let cpu = CpuDevice::new(Some(1)).unwrap();
    Box::new(move |request| {
        let ticket = cpu.submit_any(request.clone()).unwrap();
        match ticket.wait().unwrap() {
            AnyResponse::EquihashVerify(response) => response.verdicts[0].mask(),
            AnyResponse::EcdsaVerify(response) => response.verdicts[0].mask(),
            other => panic!("another response: {other:?}"),
        }
    })
}
