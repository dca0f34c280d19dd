//! The `proofmill` command: one file per subcommand, each a thin layer over the library.
//!
//! Exit codes: 0 everything valid, 1 something invalid, 2 wrong usage or input, 3 the device failed.

/// The end of a subcommand's help; a test checks that each line parses.
macro_rules! examples {
    ($($line:literal),+ $(,)?) => { concat!("Examples:", $("\n  ", $line),+) };
}

#[cfg(not(all(
    feature = "bench",
    feature = "dev",
    feature = "remote",
    feature = "selftest",
    feature = "serve",
    feature = "witness",
    feature = "zcash"
)))]
mod absent;
mod ahead;
#[cfg(feature = "bench")]
mod bench;
mod bls;
mod busy;
mod calldata;
mod cluster;
mod coprocessor;
#[cfg(feature = "dev")]
mod curve;
mod demo;
#[cfg(feature = "dev")]
mod dev;
#[cfg(feature = "remote")]
mod device_server;
mod devices;
mod doctor;
mod ecdsa;
mod equihash;
#[cfg(feature = "witness")]
mod generator;
mod hardening;
mod key;
#[cfg(any(feature = "remote", feature = "serve"))]
mod logs;
mod msm;
mod new_file;
mod ntt;
mod output;
mod point;
mod poseidon;
mod progress;
mod prove;
mod r1cs;
#[cfg(feature = "selftest")]
mod selftest;
#[cfg(feature = "serve")]
mod serve;
mod source;
mod threads;
mod vdf;
mod verify;
mod witness;
#[cfg(feature = "zcash")]
mod zcash;

use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use proofmill::msm::Curve;
use proofmill::ntt::Field;
use proofmill_algebra::{ISA_VARIABLE, Isa};

use output::{Exit, Output, on_each, report};

/// Proves and verifies on this machine's processor and on cards.
///
/// Exit codes: 0 valid, 1 invalid, 2 wrong usage or input, 3 the device failed.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
#[command(after_help = examples!(
    "proofmill prove circuit.zkey witness.wtns",
    "proofmill verify verification_key.json public.json proof.json",
))]
struct Cli {
    /// Forces a code path of the processor: portable, bmi2, avx2, avx512 or avx512ifma [default: the fastest]
    #[arg(long, global = true, value_name = "LEVEL")]
    isa: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Makes a Groth16, PLONK or FFLONK proof from a proving key (.zkey) and a witness (.wtns) of circom and snarkjs.
    Prove(prove::Arguments),
    /// Verifies a Groth16, PLONK or FFLONK proof.
    Verify(verify::Arguments),
    /// Describes and verifies Groth16, PLONK and FFLONK proving keys, and exports their verification keys and contracts.
    #[command(subcommand)]
    Key(key::Command),
    /// Prints the call of a contract of `key solidity` for a proof.
    Calldata(calldata::Arguments),
    /// Describes and prints the constraints of a circuit (.r1cs) of circom.
    #[command(subcommand)]
    R1cs(r1cs::Command),
    /// Calculates witnesses with circom's generators, and finds the constraints that a witness violates.
    #[command(subcommand)]
    Witness(witness::Command),
    /// Sample circuits and INSECURE keys, for tests and benchmarks.
    #[cfg(feature = "dev")]
    #[command(subcommand)]
    Dev(dev::Command),
    /// Sample circuits and INSECURE keys. NOT IN THIS BUILD: build with --features dev.
    #[cfg(not(feature = "dev"))]
    Dev(absent::Arguments),
    /// Verifies BLS signatures on BLS12-381.
    #[command(subcommand)]
    Bls(bls::Command),
    /// Programs of the BLS12-381 coprocessor: field, point and pairing instructions.
    #[command(subcommand)]
    Coprocessor(coprocessor::Command),
    /// Verifies ECDSA signatures on secp256k1.
    #[command(subcommand)]
    Ecdsa(ecdsa::Command),
    /// Verifies and solves Equihash block headers.
    #[command(subcommand)]
    Equihash(equihash::Command),
    #[command(about = on_each("Multi-scalar multiplication (MSM) on", &Curve::ALL.map(Curve::name)))]
    Msm(msm::Arguments),
    #[command(about = on_each("Number-theoretic transform (NTT) over", &Field::ALL.map(Field::name)))]
    Ntt(ntt::Arguments),
    /// Poseidon hashes over the scalars of BLS12-381 as Filecoin uses them, and Merkle trees.
    #[command(subcommand)]
    Poseidon(poseidon::Command),
    /// Makes points for tests and benchmarks.
    #[command(subcommand)]
    Points(msm::Command),
    /// Makes scalars for tests and benchmarks.
    #[command(subcommand)]
    Scalars(msm::ScalarCommand),
    /// Lists the devices of this machine and what each offers.
    Devices(devices::Arguments),
    /// Shows what this machine offers, which code path is used and why.
    Doctor(doctor::Arguments),
    /// Measures the engines and a proof on this machine, and shows it as a table or a page with plots.
    #[cfg(feature = "bench")]
    Bench(bench::Arguments),
    /// Measures the engines and a proof on this machine. NOT IN THIS BUILD: build with --features bench.
    #[cfg(not(feature = "bench"))]
    Bench(absent::Arguments),
    /// Runs the conformance suite on a device.
    #[cfg(feature = "selftest")]
    Selftest(selftest::Arguments),
    /// Runs the conformance suite on a device. NOT IN THIS BUILD: build with --features selftest.
    #[cfg(not(feature = "selftest"))]
    Selftest(absent::Arguments),
    /// Serves proofs over HTTP, with keys that stay resident.
    #[cfg(feature = "serve")]
    Serve(serve::Arguments),
    /// Serves proofs over HTTP. NOT IN THIS BUILD: build with --features serve.
    #[cfg(not(feature = "serve"))]
    Serve(absent::Arguments),
    /// Serves a device of this machine to others, where it is `tcp://HOST:PORT`.
    #[cfg(feature = "remote")]
    DeviceServer(device_server::Arguments),
    /// Serves a device of this machine to others. NOT IN THIS BUILD: build with --features remote.
    #[cfg(not(feature = "remote"))]
    DeviceServer(absent::Arguments),
    /// Makes and verifies proofs on the machines of a Ray cluster, with Python.
    Cluster(cluster::Arguments),
    /// Verifiable delay functions: repeated squaring modulo an RSA modulus, with proofs; proofs of Chia verified.
    #[command(subcommand)]
    Vdf(vdf::Command),
    /// Verifies whole Zcash blocks: headers, transactions, proofs and signatures.
    #[cfg(feature = "zcash")]
    #[command(subcommand)]
    Zcash(zcash::Command),
    /// Verifies whole Zcash blocks. NOT IN THIS BUILD: build with --features zcash.
    #[cfg(not(feature = "zcash"))]
    Zcash(absent::Arguments),
    /// Makes a proof of a SHA-256 preimage, verifies real headers and signatures, and shows the time.
    Demo(demo::Arguments),
}

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    hardening::explain_truncated_files();
    let cli = Cli::parse();
    let mut output = Output::stdout();
    let result = path(cli.isa.as_deref()).and_then(|()| run(cli.command, &mut output));
    let result = result.and_then(|exit| output.flush().map(|()| exit));
    result
        .unwrap_or_else(|error| {
            let exit = Exit::of(&error);
            if exit != Exit::Pipe {
                report(&error);
            }
            exit
        })
        .into()
}

/// Chooses the code path, before anything computes; a level that this processor lacks is an error.
fn path(level: Option<&str>) -> anyhow::Result<()> {
    match level {
        Some(name) => Isa::limit(name).context("--isa")?,
        None => Isa::requested().context(ISA_VARIABLE)?,
    };
    Ok(())
}

fn run(command: Command, output: &mut Output) -> anyhow::Result<Exit> {
    match command {
        Command::Prove(arguments) => prove::run(&arguments, output),
        Command::Verify(arguments) => verify::run(&arguments, output),
        Command::Key(key::Command::Info(arguments)) => key::info(&arguments, output),
        Command::Key(key::Command::ExportVkey(arguments)) => key::export_vkey(&arguments),
        Command::Key(key::Command::Verify(arguments)) => key::verify(&arguments, output),
        Command::Key(key::Command::Solidity(arguments)) => key::solidity(&arguments),
        Command::Calldata(arguments) => calldata::run(&arguments, output),
        Command::R1cs(r1cs::Command::Info(arguments)) => r1cs::info(&arguments, output),
        Command::R1cs(r1cs::Command::Print(arguments)) => r1cs::print(&arguments, output),
        #[cfg(feature = "witness")]
        Command::Witness(witness::Command::Calculate(arguments)) => {
            generator::calculate(&arguments, output)
        }
        #[cfg(not(feature = "witness"))]
        Command::Witness(witness::Command::Calculate(_)) => {
            absent::run("witness calculate", "witness")
        }
        Command::Witness(witness::Command::Check(arguments)) => witness::check(&arguments, output),
        #[cfg(feature = "dev")]
        Command::Dev(dev::Command::Ptau(arguments)) => dev::ptau(&arguments, output),
        #[cfg(feature = "dev")]
        Command::Dev(dev::Command::Circuit(arguments)) => dev::circuit(&arguments, output),
        #[cfg(not(feature = "dev"))]
        Command::Dev(_) => absent::run("dev", "dev"),
        Command::Bls(bls::Command::Verify(arguments)) => bls::verify(&arguments, output),
        Command::Coprocessor(command) => coprocessor::run(&command, output),
        Command::Ecdsa(ecdsa::Command::Verify(arguments)) => ecdsa::verify(&arguments, output),
        Command::Ecdsa(ecdsa::Command::Convert(arguments)) => ecdsa::convert(&arguments, output),
        Command::Equihash(equihash::Command::Verify(arguments)) => {
            equihash::verify(&arguments, output)
        }
        Command::Equihash(equihash::Command::Solve(arguments)) => {
            equihash::solve::run(&arguments, output)
        }
        Command::Msm(arguments) => msm::run(&arguments, output),
        Command::Ntt(arguments) => ntt::run(&arguments, output),
        Command::Poseidon(command) => poseidon::run(&command, output),
        Command::Vdf(vdf::Command::Eval(arguments)) => vdf::evaluate(&arguments, output),
        Command::Vdf(vdf::Command::Prove(arguments)) => vdf::prove(&arguments, output),
        Command::Vdf(vdf::Command::Verify(arguments)) => vdf::verify(&arguments, output),
        Command::Points(msm::Command::Generate(arguments)) => msm::generate(&arguments),
        Command::Scalars(msm::ScalarCommand::Generate(arguments)) => {
            msm::generate_scalars(&arguments)
        }
        Command::Cluster(arguments) => cluster::run(&arguments),
        Command::Devices(arguments) => devices::run(&arguments, output),
        Command::Doctor(arguments) => doctor::run(&arguments, output),
        #[cfg(feature = "bench")]
        Command::Bench(arguments) => bench::run(&arguments, output),
        #[cfg(not(feature = "bench"))]
        Command::Bench(_) => absent::run("bench", "bench"),
        #[cfg(feature = "selftest")]
        Command::Selftest(arguments) => selftest::run(&arguments, output),
        #[cfg(not(feature = "selftest"))]
        Command::Selftest(_) => absent::run("selftest", "selftest"),
        #[cfg(feature = "serve")]
        Command::Serve(arguments) => serve::run(&arguments, output),
        #[cfg(not(feature = "serve"))]
        Command::Serve(_) => absent::run("serve", "serve"),
        #[cfg(feature = "remote")]
        Command::DeviceServer(arguments) => device_server::run(&arguments, output),
        #[cfg(not(feature = "remote"))]
        Command::DeviceServer(_) => absent::run("device-server", "remote"),
        #[cfg(feature = "zcash")]
        Command::Zcash(zcash::Command::VerifyBlock(arguments)) => {
            zcash::verify_block(&arguments, output)
        }
        #[cfg(not(feature = "zcash"))]
        Command::Zcash(_) => absent::run("zcash", "zcash"),
        Command::Demo(arguments) => demo::run(&arguments, output),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// Every command below this one that has none below itself.
    fn leaves(command: &clap::Command) -> Vec<clap::Command> {
        match command.has_subcommands() {
            true => command.get_subcommands().flat_map(leaves).collect(),
            false => vec![command.clone()],
        }
    }

    #[test]
    fn help_of_every_subcommand_ends_with_two_examples_that_parse() {
        Cli::command().debug_assert();
        let absent =
            |leaf: &clap::Command| format!("{:?}", leaf.get_about()).contains("NOT IN THIS BUILD");
        for leaf in leaves(&Cli::command()).iter().filter(|leaf| !absent(leaf)) {
            let help = leaf.clone().render_long_help().to_string();
            let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{help}"));
            let examples: Vec<_> =
                examples.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            assert_eq!(examples.len(), 2, "{help}");
            for example in examples {
                let parsed = Cli::try_parse_from(example.split(' '));
                assert!(parsed.is_ok(), "{example}: {}", parsed.err().unwrap());
                assert!(
                    example.contains(&format!(" {} ", leaf.get_name()))
                        || example.ends_with(leaf.get_name()),
                    "{example}"
                );
            }
        }
    }
}
