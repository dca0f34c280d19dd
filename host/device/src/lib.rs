//! Opens a device by its URI. This is the only crate that depends on every backend.
//!
//! | URI | device |
//! |---|---|
//! | `cpu:` | the CPU of this machine, all cores; `?threads=N` uses N threads |
//! | `sim:NAME` | the simulated card of another configuration |
//! | `sim:/path/to/lib.so` | a simulation library, if the path contains a `/` |
//! | `pcie:0` | the card of the first set of files of the vendor's XDMA driver, `/dev/xdma0_…` |
//! | `pcie:0,1`, `f2:0,1`, `sim:NAME,NAME`, `uart:PORT,PORT` | several cards as one device, which continues without cards that are lost |
//! | `cuda:0` | the first NVIDIA GPU |
//! | `cuda:0,1` | several GPUs as one device |
//! | `cuda:emulated` | an emulated GPU, which runs the kernels on the CPU, for tests |
//! | `tcp://HOST:PORT` | the device of another machine, where `proofmill device-server` runs |
//!
//! `sim:`, `uart:`, `pcie:` and `f2:` need the feature `card` and a Unix system, `cuda:` the feature `cuda`, `tcp:` the feature `remote`; all three are on by default. Options follow `?` and are joined by `&`; in a value, `%` and two hex digits encode a byte.
//!
//! | option | of | meaning |
//! |---|---|---|
//! | `threads=N` | `cpu:` | threads to use |
//! | `isa=LEVEL` | `cpu:` | the code path: `bmi2`, `avx2`, `avx512` or `avx512ifma`, if the CPU supports it; `portable` in a process that was started with `PROOFMILL_ISA=portable` |
//! | `baud=RATE` | `uart:` | bits per second, 921600 by default |
//! | `prefix=PATH` | `pcie:` | the common prefix of the driver's files, `/dev/xdma` by default; the number follows |
//! | `emulated=FOLDER` | `f2:` | files that replace the slots and the memory of an F2 instance, for tests |
//! | `max_bytes=N` | `cuda:` | the most bytes of GPU memory to use, from 1048576 up; by default the free memory, and 1 GiB of an emulated GPU |
//! | `timeout=SECONDS` | `sim:`, `uart:`, `pcie:`, `f2:`, `tcp:` | the time after which a silent card or remote machine is considered lost |
//! | `confirm=SHARE` | all but `cpu:` | the share of requests, chosen at random, whose results are computed again on `cpu:` before they are returned; above 0 and at most 1. A wrong result loses the device ([`Confirmed`]) |
//! | `token_file=FILE` | `tcp:` | the token that the remote machine requires; by default the value of `PROOFMILL_TOKEN`, if it is set |
//! | `trace=FILE` | `sim:` | the file of the waveform |
//! | `memory=MODEL` | `sim:` | the model of the card's memory: `ideal` by default, or the timing of `hbm` or `ddr4` |
//! | `memory_latency=CYCLES` | `sim:` | the cycles from an address to its first data in the card's memory; 1 to 65536, 64 by default |
//! | `memory_gap=256THS` | `sim:` | the share of cycles in which the memory returns no data, in 256ths; 0 to 255, 0 by default |

mod bound;
#[cfg(all(feature = "card", unix))]
mod card;
#[cfg(not(all(feature = "card", unix)))]
#[path = "no_card.rs"]
mod card;
mod confirmed;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(not(feature = "cuda"))]
#[path = "no_cuda.rs"]
mod cuda;
#[cfg(feature = "remote")]
mod remote;
#[cfg(any(all(feature = "card", unix), feature = "cuda"))]
mod several;
mod sim;
mod traced;
mod uri;

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use proofmill_cpu::{CpuDevice, Isa};
use proofmill_op::{Device, DeviceKind, Error, Result};

use bound::Bound;
#[cfg(any(all(feature = "card", unix), feature = "cuda", feature = "remote"))]
use confirmed::{CONFIRM, Confirmation};
pub use confirmed::{Confirmed, Share};
pub use sim::{DEFAULT_CONFIGURATION, FOLDER_VARIABLE, Simulation, folder as simulation_folder};
use traced::Traced;
pub use uri::Uri;

/// The largest number of threads. A larger value is a typing error, and starting the threads would take a minute.
const MAX_THREADS: usize = 1024;
/// Opens the device that a URI names.
pub fn open(uri: &str) -> Result<Box<dyn Device>> {
    open_uri(&uri.parse()?)
}

/// Opens the device that a parsed URI names. Each request is recorded in a span of `tracing` named `operation`, with the device and the operation;
/// its end is an event. Both have the level DEBUG.
///
/// A forked process can use `cpu:`. Requests to other devices return an error in it.
pub fn open_uri(uri: &Uri) -> Result<Box<dyn Device>> {
    let device = open_plain(uri)?;
    let device = match device.caps().kind {
        DeviceKind::Cpu => device,
        _ => Box::new(Bound::new(device)),
    };
    Ok(Box::new(Traced(device)))
}

fn open_plain(uri: &Uri) -> Result<Box<dyn Device>> {
    match uri.scheme() {
        "cpu" => open_cpu(uri),
        "sim" | "uart" | "pcie" | "f2" => card::open(uri),
        "cuda" => cuda::open(uri),
        #[cfg(feature = "remote")]
        "tcp" => Confirmation::of(uri)?.wrap(remote::open(uri)?),
        #[cfg(not(feature = "remote"))]
        "tcp" => {
            let absent =
                proofmill_op::not_in_this_build("the client of remote devices (tcp:)", "remote");
            Err(Error::argument("device", absent))
        }
        other => Err(Error::argument(
            "device",
            format!(
                "unknown scheme '{other}:'; there are cpu:, sim:, uart:, pcie:, f2:, cuda: and tcp:"
            ),
        )),
    }
}

/// A device that this machine may be able to open.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// The URI for [`open`].
    pub uri: String,
    /// The kind of the device.
    pub kind: DeviceKind,
    /// The library, if the device is a simulation.
    pub simulation: Option<Simulation>,
}

/// Returns the reason why this build opens no cards; `None` if it opens them.
pub fn no_cards() -> Option<String> {
    card::problem()
}

/// Lists the devices that this machine may be able to open, without opening any.
pub fn list() -> Vec<Listed> {
    let cpu = Listed { uri: "cpu:".into(), kind: DeviceKind::Cpu, simulation: None };
    let found = if no_cards().is_some() { Vec::new() } else { sim::find_all() };
    let simulations = found.into_iter().map(|simulation| Listed {
        uri: simulation.uri(),
        kind: DeviceKind::Sim,
        simulation: Some(simulation),
    });
    std::iter::once(cpu).chain(simulations).collect()
}

/// Returns URI and description of the serial ports of this machine that a board may be connected to. No port is opened.
pub fn serial_ports() -> Vec<(String, String)> {
    card::serial_ports()
}

/// Returns URI and description of the cards of the XDMA driver and of the boards without the driver.
pub fn pcie_cards() -> Vec<(String, String)> {
    card::pcie_cards()
}

/// Returns URI and description of the FPGA slots of an AWS F2 instance.
pub fn f2_slots() -> Vec<(String, String)> {
    card::f2_slots()
}

/// Returns URI and description of the GPUs of this machine, and of all of them as one device. No GPU is opened.
pub fn gpus() -> Vec<(String, String)> {
    cuda::gpus()
}

/// The state of what GPUs need on this machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GpuSupport {
    /// The version of CUDA that the driver is for, such as `13.0`, or the reason why no GPU can be used.
    pub driver: std::result::Result<String, String>,
    /// The reason why kernels cannot be compiled when they are first used; `None` where NVRTC can be loaded.
    pub compiler_problem: Option<String>,
    /// The folder of compiled kernels; `None` when the environment names neither it nor a home.
    pub folder: Option<PathBuf>,
    /// The library of `cuda:emulated`, where it was built.
    pub emulation: Option<PathBuf>,
}

/// Returns the state of what GPUs need, without opening any.
pub fn gpu_support() -> GpuSupport {
    cuda::support()
}

/// The measured speed of the connection to a card.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Way {
    /// The time of a register read.
    pub register: Duration,
    /// The time from a status command to its reply.
    pub round_trip: Duration,
    /// The throughput of the longest packets that the card accepts.
    pub bytes_per_second: f64,
}

/// Resets the cards that a URI names and measures the connection to each; empty for a device that is no card.
pub fn ways(uri: &Uri) -> Result<Vec<(String, Way)>> {
    match uri.scheme() {
        "sim" | "uart" | "pcie" | "f2" => card::ways(uri),
        _ => Ok(vec![]),
    }
}

fn open_cpu(uri: &Uri) -> Result<Box<dyn Device>> {
    uri.allow(&["threads", "isa"])?;
    if !uri.path().is_empty() {
        return Err(Error::argument(
            "device",
            format!("'{uri}': nothing may follow cpu: but options"),
        ));
    }
    let threads = match uri.option("threads") {
        None => None,
        Some(text) => Some(whole("threads", text, 1, MAX_THREADS)?),
    };
    let device = match uri.option("isa") {
        None => CpuDevice::new(threads)?,
        Some(name) => {
            let isa =
                Isa::named(name).map_err(|problem| Error::argument("isa", problem.to_string()))?;
            CpuDevice::with_isa(threads, isa)?
        }
    };
    Ok(Box::new(device))
}

/// The value of the option `timeout`.
#[cfg(any(all(feature = "card", unix), feature = "remote"))]
fn seconds(text: &str) -> Result<Duration> {
    let seconds = text.parse().ok().filter(|&seconds| seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| {
        Error::argument("timeout", format!("'{text}' is not a positive number of seconds"))
    })
}

/// An option's value as a number in a range.
fn whole<N: FromStr + PartialOrd + Display>(
    option: &'static str,
    text: &str,
    least: N,
    most: N,
) -> Result<N> {
    let number = text.parse().ok().filter(|number| (&least..=&most).contains(&number));
    number.ok_or_else(|| {
        Error::argument(option, format!("'{text}' is not a number from {least} to {most}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(uri: &str) -> String {
        open(uri).err().unwrap_or_else(|| panic!("{uri} was opened")).to_string()
    }

    #[test]
    fn the_processor_opens() {
        assert_eq!(open("cpu:").unwrap().caps().kind, DeviceKind::Cpu);
        assert_eq!(open("cpu:?threads=1").unwrap().caps().uri, "cpu:?threads=1");
    }

    #[test]
    fn every_level_opens_by_its_name() {
        for isa in Isa::available() {
            let device = open(&format!("cpu:?threads=1&isa={isa}")).unwrap();
            assert_eq!(device.caps().isa, Some(isa));
            assert_eq!(open(&device.caps().uri).unwrap().caps().isa, Some(isa));
        }
    }

    #[test]
    fn errors_name_the_problem() {
        for (uri, part) in [
            ("gpu:", "unknown scheme 'gpu:'"),
            ("cpu", "'cpu' is not of the form"),
            ("cpu:fast", "nothing may follow cpu:"),
            ("cpu:?trace=x", "unknown option 'trace'"),
            ("cpu:?threads=0", "threads: '0'"),
            ("cpu:?isa=fast", "isa: there is no level 'fast'"),
            ("cpu:?threads=many", "threads: 'many'"),
            ("cpu:?threads=100000", "threads: '100000' is not a number from 1 to 1024"),
            ("cpu:?memory_gap=1", "unknown option 'memory_gap' of cpu:"),
            ("cpu:?confirm=1", "unknown option 'confirm' of cpu:"),
        ] {
            assert_error(uri, part);
        }
    }

    fn assert_error(uri: &str, part: &str) {
        let problem = problem(uri);
        assert!(problem.contains(part), "{uri}: '{part}' is not in: {problem}");
    }

    #[test]
    #[cfg(not(all(feature = "card", unix)))]
    fn a_build_without_cards_names_what_is_missing() {
        let wanted = match cfg!(unix) {
            true => "is not in this build; build with the feature 'card'",
            false => "needs a Unix system",
        };
        for uri in ["sim:", "sim:/nowhere/card.so", "sim:card?timeout=1"] {
            assert_error(uri, wanted);
        }
        assert!(no_cards().is_some_and(|problem| problem.ends_with(wanted)));
        assert!(list().iter().all(|listed| listed.simulation.is_none()));
    }

    #[test]
    #[cfg(not(feature = "cuda"))]
    fn a_build_without_gpus_names_the_feature() {
        let wanted = "is not in this build; build with the feature 'cuda'";
        for uri in ["cuda:", "cuda:0", "cuda:emulated?max_bytes=1"] {
            assert_error(uri, wanted);
        }
        assert!(gpu_support().driver.is_err_and(|problem| problem.ends_with(wanted)));
        assert_eq!(gpus(), []);
    }

    #[test]
    #[cfg(feature = "cuda")]
    fn errors_name_the_problem_of_a_gpu() {
        for (uri, part) in [
            ("cuda:", "'cuda:': cuda: needs the numbers of GPUs, such as cuda:0 or cuda:0,1"),
            ("cuda:x", "needs the numbers of GPUs"),
            ("cuda:+1", "needs the numbers of GPUs"),
            ("cuda:0,", "'cuda:0,': a GPU has no name; a list is of the form cuda:0,1"),
            ("cuda:0,0", "GPU 0 is named twice"),
            ("cuda:0?threads=1", "unknown option 'threads' of cuda:, which has max_bytes"),
            ("cuda:0?max_bytes=0", "max_bytes: '0' is not a number from 1048576 to"),
            ("cuda:emulated?max_bytes=all", "max_bytes: 'all'"),
            ("cuda:emulated,emulated?max_bytes=-1", "max_bytes: '-1'"),
        ] {
            assert_error(uri, part);
        }
        match gpu_support().driver {
            Ok(_) => assert_error("cuda:99", "cuda:99"),
            Err(problem) => assert_error("cuda:9", &problem),
        }
        assert_eq!(gpus().is_empty(), gpu_support().driver.is_err());
    }

    #[test]
    #[cfg(feature = "cuda")]
    fn a_list_of_emulations_is_one_device() {
        if gpu_support().emulation.is_none() {
            eprintln!("SKIPPED: there is no emulation of GPUs; `make cuda EMULATED=1` builds it");
            return;
        }
        let (one, two) = (open("cuda:emulated").unwrap(), open("cuda:emulated,emulated").unwrap());
        assert_eq!((one.caps().kind, two.caps().kind), (DeviceKind::Gpu, DeviceKind::Gpu));
        assert_eq!(two.caps().capabilities, one.caps().capabilities);
        assert_eq!(two.caps().queue, 2 * one.caps().queue);
    }

    #[test]
    #[cfg(not(feature = "remote"))]
    fn a_build_without_remote_devices_names_the_feature() {
        assert_error("tcp://127.0.0.1:1", "is not in this build; build with the feature 'remote'");
    }

    #[test]
    #[cfg(feature = "remote")]
    fn errors_name_the_problem_of_an_address() {
        for (uri, part) in [
            ("tcp:127.0.0.1:1", "'tcp:127.0.0.1:1' is not of the form tcp://HOST:PORT"),
            ("tcp://127.0.0.1:1/x", "is not of the form tcp://HOST:PORT"),
            ("tcp://127.0.0.1", "no port"),
            ("tcp://127.0.0.1:http", "port 'http' is not from 1 to 65535"),
            ("tcp://127.0.0.1:0", "port '0' is not from 1 to 65535"),
            ("tcp://:7733", "no host"),
            ("tcp://127.0.0.1:1", "nothing answers at 127.0.0.1:1"),
            ("tcp://no.such.host.invalid:1", "host 'no.such.host.invalid' has no address"),
            ("tcp://127.0.0.1:1?timeout=0", "timeout: '0'"),
            ("tcp://127.0.0.1:1?baud=1", "unknown option 'baud' of tcp:"),
            ("tcp://127.0.0.1:1?confirm=0", "confirm: '0' is not a share above 0 and at most 1"),
            ("tcp://127.0.0.1:1?token_file=/no/token", "token_file: /no/token"),
        ] {
            assert_error(uri, part);
        }
    }

    #[test]
    #[cfg(all(feature = "card", unix))]
    fn errors_name_the_problem_of_a_card() {
        for (uri, part) in [
            ("sim:?threads=2", "unknown option 'threads'"),
            ("sim:?memory=fast", "memory: 'fast' is not one of ideal, hbm, ddr4"),
            ("sim:?memory_latency=0", "memory_latency: '0' is not a number from 1 to 65536"),
            ("sim:?memory_latency=fast", "memory_latency: 'fast'"),
            ("sim:?memory_gap=256", "memory_gap: '256' is not a number from 0 to 255"),
            ("sim:?memory_gap=-1", "memory_gap: '-1'"),
            ("sim:?timeout=-1", "timeout: '-1'"),
            ("sim:?confirm=1.01", "confirm: '1.01' is not a share above 0 and at most 1"),
            ("pcie:0,1?confirm=often", "confirm: 'often'"),
            ("pcie:", "'pcie:': pcie: needs the numbers of cards, such as pcie:0 or pcie:0,1"),
            ("pcie:+1", "needs the numbers of cards"),
            ("pcie:0,", "'pcie:0,': a card has no name; a list is of the form pcie:0,1"),
            ("pcie:0,1,0", "card 0 is named twice"),
            ("pcie:7,8?prefix=/nowhere/card", "there is no /nowhere/card7_user"),
            ("sim:toy,toy?trace=x.vcd", "trace: is of one card"),
            ("pcie:0?baud=1", "unknown option 'baud' of pcie:, which has timeout, prefix"),
            ("pcie:0?timeout=0", "timeout: '0'"),
            ("pcie:7?prefix=/nowhere/card", "there is no /nowhere/card7_user"),
            ("f2:", "'f2:': f2: needs the numbers of slots, such as f2:0 or f2:0,1"),
            ("f2:x", "needs the numbers of slots"),
            ("f2:0,", "a card has no name; a list is of the form f2:0,1"),
            ("f2:1,1", "card 1 is named twice"),
            ("f2:0?prefix=/dev/x", "unknown option 'prefix' of f2:, which has timeout, emulated"),
            ("f2:0?emulated=/nowhere", "this machine has no FPGA slot"),
            ("uart:", "needs a port"),
            ("uart:/dev/null", "not a serial port"),
            ("uart:/dev/ttyNone", "there is no /dev/ttyNone"),
            ("uart:/dev/null?baud=300", "baud: '300' is not a number from 1200 to 12000000"),
            ("uart:/dev/null?trace=x", "unknown option 'trace'"),
            ("sim:?timeout=soon", "timeout: 'soon'"),
            ("sim:/nowhere/card.so", "/nowhere/card.so"),
        ] {
            assert_error(uri, part);
        }
        assert_eq!(no_cards(), None);
    }

    #[test]
    #[cfg(all(feature = "card", unix))]
    fn the_error_of_a_missing_simulation_names_the_command() {
        let problem = problem("sim:no-such-card");
        assert!(
            problem.contains("`make sim CONFIG=no-such-card`")
                && problem.contains("no-such-card.so"),
            "{problem}"
        );
        let problem = self::problem("sim:no-such-card?trace=/tmp/x.vcd");
        assert!(
            problem.contains("make sim CONFIG=no-such-card TRACE=1")
                && problem.contains("no-such-card-trace.so"),
            "{problem}"
        );
        for name in ["..", "a\0b"] {
            assert!(self::problem(&format!("sim:{name}")).contains("configuration"));
        }
    }

    #[test]
    fn the_processor_is_always_listed() {
        assert_eq!(list()[0].uri, "cpu:");
    }
}
