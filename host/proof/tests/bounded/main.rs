//! Wrong files of every kind, through their readers, the prover and the verifier, in a process with a limited address space:
//! each results in time in a proof or in an error that names the problem.

#![cfg(target_os = "linux")]

mod changes;
mod closed;
#[allow(dead_code, reason = "a part is used")]
#[path = "../small/mod.rs"]
mod small;
mod text;

use std::sync::Arc;

use closed::{answered, in_closed_space};
use proofmill_cpu::CpuDevice;
use proofmill_op::Device;
use proofmill_proof::groth16::{Curve, Devices, Proved, Prover, Settings, verify};
use proofmill_proof::snarkjs::{self, Witness, Zkey, proof, public, verifying_key};
use proofmill_proof::{Error, Result, fflonk, plonk};
use small::{CURVES, key, read_key, read_witness, witness};

/// Returns whether the error names the problem.
fn is_clear(error: &Error) -> bool {
    match error {
        Error::File(wrong) => !wrong.section.is_empty() && !wrong.problem.is_empty(),
        Error::Argument { problem, .. } => !problem.is_empty(),
        Error::DoesNotVerify => true,
        _ => false,
    }
}

fn examine<T>(what: &str, case: &str, ask: impl FnOnce() -> Result<T>) {
    if let Err(error) = answered(&format!("{what}, {case}"), ask) {
        assert!(is_clear(&error), "{what}, {case}: {error}");
    }
}

fn processor() -> Arc<dyn Device> {
    Arc::new(CpuDevice::new(Some(1)).unwrap())
}

fn proved(
    key: &Zkey,
    witness: &Witness,
    device: &Arc<dyn Device>,
    resident: bool,
) -> Result<Proved> {
    let settings = Settings { resident, ..Settings::default() };
    let prover = Prover::new(key, Devices::one(device.clone()), settings)?;
    prover.plan()?;
    let proved = prover.prove(witness)?;
    assert!(verify(&key.verifying_key()?, &proved.public_inputs, &proved.proof)?);
    Ok(proved)
}

fn examine_keys(test: &str, every: usize) {
    in_closed_space(test, || {
        let device = processor();
        let inputs = CURVES.map(|curve| (key(curve), read_witness(&witness(curve)).unwrap()));
        let ask = |bytes: &[u8], witness, resident| {
            let key = read_key(bytes)?;
            proved(&key, witness, &device, resident).map(|_| ()).and_then(|()| key.check())
        };
        inputs.iter().for_each(|(key, witness)| ask(key, witness, true).unwrap());
        closed::close();
        for (key, witness) in &inputs {
            let mut resident = false;
            changes::of_key(key, every, &mut |case, changed| {
                resident = !resident;
                examine("key", case, || ask(changed, witness, resident));
            });
        }
    });
}

#[test]
fn keys() {
    examine_keys("keys", 29);
}

#[test]
#[ignore = "minutes"]
fn keys_at_more_places() {
    examine_keys("keys_at_more_places", 1);
}

#[test]
fn plonk_keys() {
    in_closed_space("plonk_keys", || {
        let device = processor();
        let folders = ["bn254", "bls12_381"].map(|curve| format!("tests/snarkjs/plonk_{curve}"));
        let inputs = folders.map(|folder| {
            let read = |name: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
            (read("circuit.zkey"), read_witness(&read("witness.wtns")).unwrap())
        });
        let ask = |bytes: &[u8], witness: &Witness| {
            let key = snarkjs::plonk::Zkey::from_bytes("a.zkey", Arc::from(bytes))?;
            let devices = Devices::one(device.clone());
            let prover = plonk::Prover::new(&key, devices, Settings::default())?;
            prover.plan()?;
            prover.prove(witness)?;
            key.check()
        };
        inputs.iter().for_each(|(key, witness)| ask(key, witness).unwrap());
        closed::close();
        for (key, witness) in &inputs {
            changes::of_plonkish_key(key, 13, 60, &mut |case, changed| {
                examine("key for PLONK", case, || ask(changed, witness));
            });
        }
    });
}

#[test]
fn fflonk_keys() {
    in_closed_space("fflonk_keys", || {
        let device = processor();
        let read = |name: &str| std::fs::read(format!("tests/snarkjs/fflonk_bn254/{name}"));
        let witness = read_witness(&read("witness.wtns").unwrap()).unwrap();
        let original = read("circuit.zkey").unwrap();
        let ask = |bytes: &[u8]| {
            let key = snarkjs::fflonk::Zkey::from_bytes("a.zkey", Arc::from(bytes))?;
            let devices = Devices::one(device.clone());
            let prover = fflonk::Prover::new(&key, devices, Settings::default())?;
            prover.plan()?;
            prover.prove(&witness)?;
            key.check()
        };
        ask(&original).unwrap();
        closed::close();
        changes::of_plonkish_key(&original, 15, 100, &mut |case, changed| {
            examine("key for FFLONK", case, || ask(changed));
        });
    });
}

#[test]
fn fflonk_texts() {
    in_closed_space("fflonk_texts", || {
        let original = made_by_snarkjs("fflonk_bn254");
        let parse = |[key, values, one]: [&[u8]; 3]| {
            let key = snarkjs::fflonk::verifying_key::parse("key.json", key)?;
            let values = public::parse("public.json", values, Curve::Bn254)?;
            Ok::<_, Error>((key, values, snarkjs::fflonk::proof::parse("proof.json", one)?))
        };
        let known = parse(bytes_of(&original)).unwrap();
        let ask = |files: [&[u8]; 3]| {
            let read = parse(files)?;
            let valid = fflonk::verify(&read.0, &read.1, &read.2)?;
            assert_eq!(valid, read == known);
            Ok::<_, Error>(())
        };
        ask(bytes_of(&original)).unwrap();
        closed::close();
        for (which, what) in ["verifying key", "public values", "proof"].iter().enumerate() {
            text::changes(&original[which], &mut |case, changed| {
                let mut files = bytes_of(&original);
                files[which] = changed;
                examine(what, case, || ask(files));
            });
        }
    });
}

#[test]
fn plonk_texts() {
    in_closed_space("plonk_texts", || {
        let curves = [Curve::Bn254, Curve::Bls12_381];
        let files = ["plonk_bn254", "plonk_bls12_381"].map(made_by_snarkjs);
        let parse = |curve, [key, values, one]: [&[u8]; 3]| {
            let key = snarkjs::plonk::verifying_key::parse("key.json", key)?;
            let values = public::parse("public.json", values, curve)?;
            Ok::<_, Error>((key, values, snarkjs::plonk::proof::parse("proof.json", one)?))
        };
        let all = || curves.into_iter().zip(&files);
        let known: Vec<_> =
            all().map(|(curve, files)| parse(curve, bytes_of(files)).unwrap()).collect();
        let ask = |curve, files: [&[u8]; 3]| {
            let read = parse(curve, files)?;
            let valid = plonk::verify(&read.0, &read.1, &read.2)?;
            assert_eq!(valid, known.contains(&read));
            Ok::<_, Error>(())
        };
        all().for_each(|(curve, files)| ask(curve, bytes_of(files)).unwrap());
        closed::close();
        for (curve, files) in all() {
            for (which, what) in ["verifying key", "public values", "proof"].iter().enumerate() {
                text::changes(&files[which], &mut |case, changed| {
                    let mut files = bytes_of(files);
                    files[which] = changed;
                    examine(what, case, || ask(curve, files));
                });
            }
        }
    });
}

#[test]
fn witnesses() {
    in_closed_space("witnesses", || {
        let device = processor();
        let inputs = CURVES.map(|curve| (read_key(&key(curve)).unwrap(), witness(curve)));
        let provers = inputs.map(|(key, witness)| {
            let settings = Settings { resident: true, ..Settings::default() };
            let prover = Prover::new(&key, Devices::one(device.clone()), settings).unwrap();
            prover.prove(&read_witness(&witness).unwrap()).unwrap();
            (prover, witness)
        });
        closed::close();
        for (prover, witness) in &provers {
            changes::of_witness(witness, &mut |case, changed| {
                examine("witness", case, || prover.prove(&read_witness(changed)?));
            });
        }
    });
}

/// Returns a verifying key, public inputs and a proof that snarkjs made.
fn made_by_snarkjs(folder: &str) -> [String; 3] {
    ["verification_key", "public", "proof"]
        .map(|name| std::fs::read_to_string(format!("tests/snarkjs/{folder}/{name}.json")).unwrap())
}

fn bytes_of(texts: &[String; 3]) -> [&[u8]; 3] {
    texts.each_ref().map(|text| text.as_bytes())
}

#[test]
fn texts() {
    in_closed_space("texts", || {
        let files = ["bn254", "bls12_381"].map(made_by_snarkjs);
        let parse = |curve, [key, values, one]: [&[u8]; 3]| {
            let key = verifying_key::parse("key.json", key)?;
            let values = public::parse("public.json", values, curve)?;
            Ok::<_, Error>((key, values, proof::parse("proof.json", one)?))
        };
        let curves = [Curve::Bn254, Curve::Bls12_381];
        let all = || curves.into_iter().zip(&files);
        let known: Vec<_> =
            all().map(|(curve, files)| parse(curve, bytes_of(files)).unwrap()).collect();
        // A statement that differs from that of snarkjs is invalid.
        let ask = |curve, files: [&[u8]; 3]| {
            let read = parse(curve, files)?;
            let valid = verify(&read.0, &read.1, &read.2)?;
            assert_eq!(valid, known.contains(&read));
            Ok::<_, Error>(())
        };
        all().for_each(|(curve, files)| ask(curve, bytes_of(files)).unwrap());
        closed::close();
        for (curve, files) in all() {
            for (which, what) in ["verifying key", "public values", "proof"].iter().enumerate() {
                text::changes(&files[which], &mut |case, changed| {
                    let mut files = bytes_of(files);
                    files[which] = changed;
                    examine(what, case, || ask(curve, files));
                });
            }
        }
    });
}
