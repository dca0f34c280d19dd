//! Cards, as `sim:`, `uart:`, `pcie:` and `f2:` open them. A build without the feature `card` has `no_card.rs` instead.

use std::path::Path;

use proofmill_card::{
    Card, F2Transport, Mailbox, Memory, Options, PCI_DEVICES, PcieTransport, SimLibrary,
    SimTransport, Transport, UartTransport, XDMA_PREFIX,
};
use proofmill_op::{Device, DeviceKind, Error, Result};

use crate::several::{self, number, numbered};
use crate::sim::{DEFAULT_CONFIGURATION, FOLDER_VARIABLE, TRACED, folder};
use crate::{CONFIRM, Uri, Way, seconds, whole};

/// The option for the model of a simulated card's memory.
const MODEL: &str = "memory";
/// The option for the latency of a simulated card's memory, in cycles.
const LATENCY: &str = "memory_latency";
/// The option for the cycles in 256 in which a simulated card's memory returns no data.
const GAP: &str = "memory_gap";
/// Values of the option `memory`.
const MODELS: [&str; 3] = ["ideal", "hbm", "ddr4"];
/// The longest latency: a simulation of a slower memory would seem to hang.
const MAX_LATENCY: u32 = 65_536;

/// Bits a second of the boards' serial lines.
const BAUD: u32 = 921_600;
/// The highest rate: no adapter is faster.
const MAX_BAUD: u32 = 12_000_000;

/// Returns `None`: this build opens cards.
pub fn problem() -> Option<String> {
    None
}

/// Returns the generator's manifest from a simulation library, as JSON text.
pub fn manifest(library: &Path) -> Result<String> {
    Ok(SimLibrary::load(library)?.manifest())
}

/// Returns URI and description of the serial ports that a board may be connected to.
pub fn serial_ports() -> Vec<(String, String)> {
    let found = proofmill_card::serial_ports().into_iter();
    found.map(|(path, about)| (format!("uart:{}", path.display()), about)).collect()
}

/// Returns URI and description of the cards of the XDMA driver and of the boards without the driver.
pub fn pcie_cards() -> Vec<(String, String)> {
    let cards = proofmill_card::xdma_cards(XDMA_PREFIX);
    let boards = proofmill_card::boards_without_driver().into_iter().map(|address| {
        let about =
            format!("the board at {address} has no driver: load the vendor's (`modprobe xdma`)");
        ("pcie:".to_owned(), about)
    });
    numbered("pcie", "cards", cards).into_iter().chain(boards).collect()
}

/// Returns URI and description of the FPGA slots of an F2 instance.
pub fn f2_slots() -> Vec<(String, String)> {
    numbered("f2", "cards", proofmill_card::f2_slots(Path::new(PCI_DEVICES)))
}

/// Opens the card that a URI names, or its cards as one device.
pub fn open(uri: &Uri) -> Result<Box<dyn Device>> {
    several::open(uri, &cards(uri)?, open_one)
}

fn open_one(uri: &Uri) -> Result<Box<dyn Device>> {
    let (transport, options) = reached(uri)?;
    Ok(Box::new(Card::open(transport, options)?))
}

/// Returns the cards that a URI names, in a list joined by commas. The path of a simulation library may contain commas. Repeating a simulation
/// opens a separate card each time.
fn cards(uri: &Uri) -> Result<Vec<Uri>> {
    if uri.scheme() == "sim" && uri.path().contains('/') {
        return Ok(vec![uri.clone()]);
    }
    let is_simulated = uri.scheme() == "sim";
    let cards = several::each(uri, "card", |_| is_simulated)?;
    if cards.len() > 1 && uri.option("trace").is_some() {
        let problem = "is of one card; several would write the same file";
        return Err(Error::argument("trace", problem));
    }
    Ok(cards)
}

/// Measures the connection to each card that a URI names.
pub fn ways(uri: &Uri) -> Result<Vec<(String, Way)>> {
    let measured = |card: Uri| {
        let (mut transport, options) = reached(&card)?;
        let way = proofmill_card::measure(&mut *transport, &options)?;
        let proofmill_card::Way { register, round_trip, bytes_per_second } = way;
        Ok((card.to_string(), Way { register, round_trip, bytes_per_second }))
    };
    cards(uri)?.into_iter().map(measured).collect()
}

fn reached(uri: &Uri) -> Result<(Box<dyn Transport>, Options)> {
    match uri.scheme() {
        "uart" => uart(uri),
        "pcie" => pcie(uri),
        "f2" => f2(uri),
        _ => sim(uri),
    }
}

fn options(uri: &Uri, kind: DeviceKind) -> Result<Options> {
    let mut options = Options::new(uri.to_string(), kind);
    if let Some(text) = uri.option("timeout") {
        options.timeout = seconds(text)?;
    }
    Ok(options)
}

/// Opens the card on a serial line.
fn uart(uri: &Uri) -> Result<(Box<dyn Transport>, Options)> {
    uri.allow(&["timeout", "baud", CONFIRM])?;
    if uri.path().is_empty() {
        return Err(Error::argument("device", "uart: needs a port, such as uart:/dev/ttyUSB1"));
    }
    let options = options(uri, DeviceKind::Card)?;
    let baud = uri.option("baud").map_or(Ok(BAUD), |text| whole("baud", text, 1200, MAX_BAUD))?;
    let transport = UartTransport::open(Path::new(uri.path()), baud, options.timeout)?;
    Ok((Box::new(transport), options))
}

/// Opens the card of the XDMA driver.
fn pcie(uri: &Uri) -> Result<(Box<dyn Transport>, Options)> {
    uri.allow(&["timeout", "prefix", CONFIRM])?;
    let number = number(uri, "cards")?;
    let options = options(uri, DeviceKind::Card)?;
    let prefix = uri.option("prefix").unwrap_or(XDMA_PREFIX);
    let transport = PcieTransport::open(prefix, number, options.timeout)?;
    Ok((Box::new(transport), options))
}

/// Opens the card in a slot of an F2 instance.
fn f2(uri: &Uri) -> Result<(Box<dyn Transport>, Options)> {
    uri.allow(&["timeout", "emulated", CONFIRM])?;
    let number = number(uri, "slots")?;
    let options = options(uri, DeviceKind::Card)?;
    let emulated = uri.option("emulated").map(Path::new);
    Ok((Box::new(F2Transport::open(emulated, number, options.timeout)?), options))
}

/// Opens a simulated card.
fn sim(uri: &Uri) -> Result<(Box<dyn Transport>, Options)> {
    uri.allow(&["timeout", "trace", MODEL, LATENCY, GAP, CONFIRM])?;
    let options = options(uri, DeviceKind::Sim)?;
    let memory = memory(uri)?;
    if let Some(model) = uri.option(MODEL).filter(|model| !MODELS.contains(model)) {
        let problem = format!("'{model}' is not one of {}", MODELS.join(", "));
        return Err(Error::argument(MODEL, problem));
    }
    let trace = uri.option("trace");
    let library = load(uri.path(), trace.is_some(), &options.uri)?;
    let mut transport = SimTransport::new(&library)?;
    if transport.is_in_slot() {
        let problem = "it is behind the shell of an AWS F2 instance, and has no stream for packets: `f2:` leads to such cards".into();
        return Err(Error::Open { device: options.uri, problem });
    }
    transport.set_memory(memory)?;
    if let Some(model) = uri.option(MODEL) {
        transport.set_memory_model(model)?;
    }
    if let Some(file) = trace {
        transport.trace(Path::new(file))?;
    }
    let transport: Box<dyn Transport> = match Mailbox::is_there(&mut transport)? {
        true => Box::new(Mailbox::new(transport)?),
        false => Box::new(transport),
    };
    Ok((transport, options))
}

/// Returns the memory of a simulated card, as the options specify it.
fn memory(uri: &Uri) -> Result<Memory> {
    let mut memory = Memory::default();
    if let Some(text) = uri.option(LATENCY) {
        memory.latency = whole(LATENCY, text, 1, MAX_LATENCY)?;
    }
    if let Some(text) = uri.option(GAP) {
        memory.gap = whole(GAP, text, 0, u8::MAX)?;
    }
    Ok(memory)
}

/// Loads the library that a URI's path names.
fn load(name: &str, traced: bool, uri: &str) -> Result<SimLibrary> {
    if name.contains('/') {
        return SimLibrary::load(Path::new(name));
    }
    let name = if name.is_empty() { DEFAULT_CONFIGURATION } else { name };
    if name.starts_with('.') || name.contains('\0') {
        return Err(Error::argument("device", format!("'{uri}': not the name of a configuration")));
    }
    let folder = folder().ok_or_else(|| Error::Open {
        device: uri.to_owned(),
        problem: format!(
            "no folder to look in: none of {FOLDER_VARIABLE}, XDG_CACHE_HOME and HOME is set"
        ),
    })?;
    let path = folder.join(format!("{name}{}.so", if traced { TRACED } else { "" }));
    if !path.exists() {
        let make = match (name, traced) {
            (DEFAULT_CONFIGURATION, false) => "make sim".to_owned(),
            (DEFAULT_CONFIGURATION, true) => "make sim TRACE=1".to_owned(),
            (name, false) => format!("make sim CONFIG={name}"),
            (name, true) => format!("make sim CONFIG={name} TRACE=1"),
        };
        let problem = format!(
            "there is no {}; run `{make}`, or set {FOLDER_VARIABLE} to its folder",
            path.display()
        );
        return Err(Error::Open { device: uri.to_owned(), problem });
    }
    SimLibrary::load(&path)
}
