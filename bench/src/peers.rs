//! Other software that does the same work as ours: one program per library, built once for all operations and for exactly
//! this processor. Our own code detects the processor at run time, and is built as for distribution. If ours is restricted to
//! a path without AVX-512, peers are built for x86-64-v3 with ADX ([`Target`]).
//!
//! Programs in Rust are those of the workspace `bench/peers`, and Plonky's of a workspace of its own. Those in Go need `go`;
//! mcl's crate contains its source and needs cmake, GMP's needs m4. A program that cannot be built or run is absent, with the reason.

use std::cell::RefCell;
use std::collections::HashMap;
use std::process::Command;

use anyhow::{Error, Result, anyhow};
use proofmill_algebra::Isa;
use works::Work;

use crate::place::Processor;
use crate::timing::{Contestant, Pick, interleaved};
use program::Program;

pub mod program;
pub mod prove;

/// A library, as a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "see Library::name")]
pub enum Library {
    Arkworks,
    Blst,
    Equihash,
    EquihashSolver,
    EquihashUnsafeSolver,
    EquihashUnsafeVerifier,
    Gmp,
    Gnark,
    GnarkCrypto(Package),
    Halo2curves,
    K256,
    Libsecp256k1,
    Mcl,
    Neptune,
    Plonky,
    Rapidsnark,
    Snarkjs,
    Zcash,
}

/// A package of the Go module with gnark-crypto.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "an operation each")]
pub enum Package {
    Algebra,
    Msm,
    Ntt,
    Pairing,
}

impl Library {
    /// Returns name, version and build, as in rows.
    pub fn name(self) -> String {
        let target = Target::current();
        let name = match self {
            Self::Arkworks => "arkworks 0.6.0 (asm)",
            Self::Blst => "blst 0.3.17",
            Self::Equihash => "equihash 0.3.1 (default)",
            Self::EquihashSolver => "equihash 0.3.1 (solver)",
            Self::EquihashUnsafeSolver => "equihash 0.3.1 (unsafe-solver)",
            Self::EquihashUnsafeVerifier => "equihash 0.3.1 (unsafe-verifier)",
            Self::Gmp => "GMP 6.3.0 (rug 1.30)",
            Self::Gnark => return format!("gnark 0.16.0 (GOAMD64={})", target.goamd64()),
            Self::GnarkCrypto(_) => {
                return format!("gnark-crypto 0.22.0 (GOAMD64={})", target.goamd64());
            }
            Self::Halo2curves => "halo2curves 0.10.0 (asm)",
            Self::K256 => "k256 0.14.0",
            Self::Libsecp256k1 => "libsecp256k1 (secp256k1 0.33.1)",
            Self::Mcl => "mcl (mcl_rust 1.2.0)",
            Self::Neptune => "neptune 13.0.0",
            Self::Plonky => "Plonky3 0.9.0-rc.2 and plonky2_field 1.0.0",
            // Its arithmetic is assembly without vectors, so there is only one build.
            Self::Rapidsnark => return "rapidsnark 0.0.8".into(),
            Self::Snarkjs => return "snarkjs 0.7.6".into(),
            Self::Zcash => "Zcash crates (zcash_primitives 0.31.0)",
        };
        target.shown(name)
    }

    /// Returns the command that starts it, after building it if necessary.
    fn command(self) -> Result<Command> {
        let rust =
            |package| program::build_rust(package, Target::current().c_flags()).map(Command::new);
        match self {
            Self::Arkworks => rust("arkworks-peer"),
            Self::Blst => rust("blst-peer"),
            Self::Equihash => rust("equihash-peer"),
            Self::EquihashSolver => rust("equihash-solver-peer"),
            Self::EquihashUnsafeSolver => rust("equihash-unsafe-solver-peer"),
            Self::EquihashUnsafeVerifier => rust("equihash-unsafe-verifier-peer"),
            Self::Gmp => program::require("m4", "GMP").and_then(|()| rust("gmp-peer")),
            Self::Gnark => program::build_go("gnark", ".", "gnark-peer").map(Command::new),
            Self::GnarkCrypto(package) => {
                let (folder, binary) = match package {
                    Package::Algebra => (".", "gnark-crypto-peer"),
                    Package::Msm => ("./msm", "gnark-crypto-msm-peer"),
                    Package::Ntt => ("./ntt", "gnark-crypto-ntt-peer"),
                    Package::Pairing => ("./pairing", "gnark-crypto-pairing-peer"),
                };
                program::build_go("gnark_crypto", folder, binary).map(Command::new)
            }
            Self::Halo2curves => rust("halo2curves-peer"),
            Self::K256 => rust("k256-peer"),
            Self::Libsecp256k1 => {
                program::build_rust("libsecp256k1-peer", program::LIBSECP256K1_C_FLAGS)
                    .map(Command::new)
            }
            Self::Mcl => program::require("cmake", "mcl").and_then(|()| rust("mcl-peer")),
            Self::Neptune => rust("neptune-peer"),
            Self::Plonky => program::build_plonky().map(Command::new),
            Self::Rapidsnark => prove::rapidsnark(),
            Self::Snarkjs => prove::snarkjs(),
            Self::Zcash => rust("zcash-peer"),
        }
    }
}

/// The processor that peers are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Exactly this processor.
    Native,
    /// A processor like this one without AVX-512: x86-64-v3 with ADX. Libraries with run-time detection of AVX-512 have it disabled.
    WithoutAvx512,
}

impl Target {
    /// Returns this processor, with the restriction of our own path.
    pub fn current() -> Self {
        Self::of(Processor::current().level(), Isa::best().name())
    }

    /// Returns a library's name, with the target if that is not this processor.
    pub fn shown(self, name: &str) -> String {
        match self {
            Self::Native => name.into(),
            Self::WithoutAvx512 => format!("{name}, x86-64-v3"),
        }
    }

    /// Returns the target for a processor's level of x86-64 and our path.
    fn of(level: usize, isa: &str) -> Self {
        if level > 3 && !isa.starts_with("avx512") { Self::WithoutAvx512 } else { Self::Native }
    }

    /// Returns Go's setting for the target.
    pub fn goamd64(self) -> String {
        match self {
            Self::Native => format!("v{}", Processor::current().level()),
            Self::WithoutAvx512 => "v3".into(),
        }
    }

    /// Returns the flags for C, unless a peer is faster with others.
    pub fn c_flags(self) -> &'static str {
        match self {
            Self::Native => "-O3 -march=native",
            Self::WithoutAvx512 => "-O3 -march=x86-64-v3 -madx",
        }
    }
}

/// The programs that were started so far.
#[derive(Default)]
pub struct Peers {
    /// The number of processors that the programs see; `None` for all.
    processors: Option<usize>,
    /// The state of each library; the reason of an absent one.
    seats: RefCell<HashMap<Library, Result<Seat, String>>>,
}

/// The command of a library, and its program while it runs.
struct Seat {
    command: Command,
    program: Option<Program>,
}

impl Peers {
    /// Creates peers on `count` processors. Programs that start a thread for each processor start this many.
    pub fn on_processors(count: usize) -> Self {
        Self { processors: Some(count), ..Self::default() }
    }

    /// Builds a library, which can take minutes the first time; prints the reason if it is absent.
    fn seat(&self, library: Library) -> Result<Seat, String> {
        eprintln!("building {}", library.name());
        match library.command() {
            Ok(command) => Ok(Seat { command: self.restricted(library, command), program: None }),
            Err(problem) => {
                eprintln!("without {}: {problem:#}", library.name());
                Err(format!("{problem:#}"))
            }
        }
    }

    /// Restricts a program to the processors. arkworks takes a number of threads, and makes its keys faster with all processors.
    fn restricted(&self, library: Library, command: Command) -> Command {
        let Some(count) = self.processors.filter(|_| library != Library::Arkworks) else {
            return command;
        };
        let mut restricted = Command::new("taskset");
        restricted.args(["--cpu-list", &format!("0-{}", count - 1)]);
        restricted.arg(command.get_program()).args(command.get_args());
        restricted
    }

    /// Returns the seconds that a library takes for some work. A program that failed is restarted for the next work.
    pub fn seconds(&self, library: Library, work: &Work) -> Result<f64> {
        let mut seats = self.seats.borrow_mut();
        let seat = seats.entry(library).or_insert_with(|| self.seat(library));
        let seat = seat.as_mut().map_err(|why| anyhow!("{why}"))?;
        let mut program = match seat.program.take() {
            Some(program) => program,
            None => Program::start(&mut seat.command)?,
        };
        let told = |problem: &Error| eprintln!("{} fails: {problem:#}", library.name());
        let seconds = program.seconds(work).inspect_err(told)?;
        seat.program = Some(program);
        Ok(seconds)
    }
}

/// A peer in a contest. After a failure it takes no further part, and the contest continues.
pub struct Peer<'a> {
    /// The library.
    pub library: Library,
    /// Its name in the rows.
    pub name: String,
    turn: Box<dyn FnMut() -> Result<f64> + 'a>,
    /// The reason of an absent peer.
    pub absent: Option<String>,
}

impl<'a> Peer<'a> {
    /// Creates a peer that does this work.
    pub fn new(peers: &'a Peers, library: Library, work: Work) -> Self {
        Self::with(library, move || peers.seconds(library, &work))
    }

    /// Creates a peer from a closure that measures once.
    pub fn with(library: Library, turn: impl FnMut() -> Result<f64> + 'a) -> Self {
        Self { library, name: library.name(), turn: Box::new(turn), absent: None }
    }

    /// Sets another name.
    pub fn named(self, name: String) -> Self {
        Self { name, ..self }
    }
}

impl Contestant for Peer<'_> {
    fn seconds(&mut self) -> Result<f64> {
        if self.absent.is_none() {
            match (self.turn)() {
                Ok(seconds) => return Ok(seconds),
                Err(problem) => self.absent = Some(reason(&problem)),
            }
        }
        Ok(f64::NAN)
    }
}

/// Returns the reason of an absence in one short line.
fn reason(problem: &Error) -> String {
    let said = format!("{problem:#}");
    said.lines().next().unwrap_or_default().chars().take(200).collect()
}

/// Measures each of our variants and all peers alternately. Returns the seconds of our variants and of each peer: NaN for an
/// absent one.
pub fn contest<const WAYS: usize>(
    rounds: usize,
    pick: Pick,
    ours: [&mut dyn Contestant; WAYS],
    peers: &mut [Peer<'_>],
) -> Result<([f64; WAYS], Vec<f64>)> {
    let mut all: Vec<&mut dyn Contestant> = Vec::new();
    for way in ours {
        all.push(way);
    }
    for peer in &mut *peers {
        all.push(peer);
    }
    let seconds = interleaved(rounds, pick, &mut all)?;
    let (ours, theirs) = seconds.split_first_chunk().expect("a time for every contestant");
    let present = |(peer, &seconds): (&Peer<'_>, &f64)| match peer.absent {
        Some(_) => f64::NAN,
        None => seconds,
    };
    Ok((*ours, peers.iter().zip(theirs).map(present).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_is_absent_and_the_others_go_on() {
        let mut ours = || Ok(2.0);
        let mut left = [3.0, 3.0].into_iter();
        let mut peers = [
            Peer::with(Library::Blst, || Ok(1.0)),
            Peer::with(Library::Mcl, || left.next().ok_or_else(|| anyhow!("no more\nof it"))),
        ];
        let (ours, theirs) = contest(3, Pick::Median, [&mut ours], &mut peers).unwrap();
        assert_eq!((ours, theirs[0], theirs[1].is_nan()), ([2.0], 1.0, true));
        assert_eq!(peers.map(|peer| peer.absent), [None, Some("no more".into())]);
    }

    #[test]
    fn a_missing_tool_is_named() {
        assert!(program::require("cargo", "this").is_ok());
        let error = program::require("no-such-tool", "GMP").unwrap_err();
        assert_eq!(error.to_string(), "no-such-tool is missing, which the build of GMP needs");
    }

    #[test]
    fn peers_are_held_to_what_our_path_is_held_to() {
        assert_eq!(Target::of(4, "avx512ifma"), Target::Native);
        assert_eq!(Target::of(4, "avx512"), Target::Native);
        assert_eq!(Target::of(4, "avx2"), Target::WithoutAvx512);
        assert_eq!(Target::of(4, "bmi2"), Target::WithoutAvx512);
        assert_eq!(Target::of(3, "avx2"), Target::Native);
        assert_eq!(Target::WithoutAvx512.goamd64(), "v3");
    }

    #[test]
    fn names_have_the_versions_that_are_built() {
        let lock = include_str!("../peers/Cargo.lock");
        let crates = [
            (Library::Arkworks, "ark-ec"),
            (Library::Blst, "blst"),
            (Library::Equihash, "equihash"),
            (Library::EquihashUnsafeVerifier, "equihash"),
            (Library::Halo2curves, "halo2curves"),
            (Library::K256, "k256"),
            (Library::Libsecp256k1, "secp256k1"),
            (Library::Mcl, "mcl_rust"),
            (Library::Neptune, "neptune"),
            (Library::Zcash, "zcash_primitives"),
        ];
        for (library, name) in crates {
            let (_, rest) = lock.split_once(&format!("\nname = \"{name}\"\nversion = \"")).unwrap();
            let (version, _) = rest.split_once('"').unwrap();
            assert!(library.name().contains(version), "{} is {version}", library.name());
        }
        let modules = include_str!("../peers/gnark/go.mod");
        for library in [Library::Gnark, Library::GnarkCrypto(Package::Msm)] {
            let name = library.name();
            let mut words = name.split(' ');
            let module = format!("{} v{}", words.next().unwrap(), words.next().unwrap());
            assert!(modules.contains(&module), "{module}");
        }
    }
}
