//! The `proofmill` command: one file a subcommand, each thin above the library.
//!
//! Exit codes: 0 everything valid, 1 something invalid, 2 wrong usage or input, 3 the device failed.

mod busy;
mod curve;
mod demo;
mod dev;
mod devices;
mod doctor;
mod ecdsa;
mod equihash;
mod key;
mod msm;
mod new_file;
mod ntt;
mod output;
mod progress;
mod prove;
mod selftest;
mod source;
mod threads;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use output::{Exit, Output, report};

/// Proves and verifies on this machine's processor and on cards.
///
/// Exit codes: 0 valid, 1 invalid, 2 wrong usage or input, 3 the device failed.
#[derive(Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Makes a Groth16 proof from a key (.zkey) and a witness (.wtns) of circom and snarkjs.
    Prove(prove::Arguments),
    /// Verifies a Groth16 proof.
    Verify(verify::Arguments),
    /// Proving keys of Groth16.
    #[command(subcommand)]
    Key(key::Command),
    /// Circuits and INSECURE keys for tests and figures.
    #[command(subcommand)]
    Dev(dev::Command),
    /// ECDSA signatures on secp256k1.
    #[command(subcommand)]
    Ecdsa(ecdsa::Command),
    /// Equihash block headers.
    #[command(subcommand)]
    Equihash(equihash::Command),
    /// Sums of multiples of points on BN254, BLS12-381 and BLS12-377.
    Msm(msm::Arguments),
    /// Number-theoretic transforms over BN254 Fr, BLS12-381 Fr and Goldilocks.
    Ntt(ntt::Arguments),
    /// Points for tests and figures.
    #[command(subcommand)]
    Points(msm::Command),
    /// Lists the devices that could be opened here.
    Devices(devices::Arguments),
    /// Says what this machine offers, which code path was chosen and why.
    Doctor(doctor::Arguments),
    /// Runs the conformance suite, with vectors that are built in, on a device.
    Selftest(selftest::Arguments),
    /// Proves a SHA-256 preimage, verifies real headers and signatures, and shows the time.
    Demo(demo::Arguments),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut output = Output::stdout();
    let result = match cli.command {
        Command::Prove(arguments) => prove::run(&arguments, &mut output),
        Command::Verify(arguments) => verify::run(&arguments, &mut output),
        Command::Key(key::Command::Info(arguments)) => key::info(&arguments, &mut output),
        Command::Key(key::Command::ExportVkey(arguments)) => key::export_vkey(&arguments),
        Command::Dev(dev::Command::Ptau(arguments)) => dev::ptau(&arguments, &mut output),
        Command::Dev(dev::Command::Circuit(arguments)) => dev::circuit(&arguments, &mut output),
        Command::Ecdsa(ecdsa::Command::Verify(arguments)) => ecdsa::verify(&arguments, &mut output),
        Command::Ecdsa(ecdsa::Command::Convert(arguments)) => {
            ecdsa::convert(&arguments, &mut output)
        }
        Command::Equihash(equihash::Command::Verify(arguments)) => {
            equihash::verify(&arguments, &mut output)
        }
        Command::Msm(arguments) => msm::sum(&arguments, &mut output),
        Command::Ntt(arguments) => ntt::run(&arguments, &mut output),
        Command::Points(msm::Command::Generate(arguments)) => msm::generate(&arguments),
        Command::Devices(arguments) => devices::run(&arguments, &mut output),
        Command::Doctor(arguments) => doctor::run(&arguments, &mut output),
        Command::Selftest(arguments) => selftest::run(&arguments, &mut output),
        Command::Demo(arguments) => demo::run(&arguments, &mut output),
    };
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
