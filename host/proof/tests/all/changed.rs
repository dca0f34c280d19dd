//! Files that another program changes while they are mapped: what uses them ends with a right result or an error, and never with a panic.

use std::fs::{self, OpenOptions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use proofmill_op::msm::Stream as _;
use proofmill_proof::ceremony::{MAX_LOG_ITERATIONS, verify_key};
use proofmill_proof::dev::{Circuit, InsecurePowersOfTau, Statement};
use proofmill_proof::groth16::{Curve, Devices, Settings};
use proofmill_proof::snark::{Control, PreparedVerifyingKey, Protocol, Proved, Prover};
use proofmill_proof::snarkjs::{
    AnyZkey, PointSection, PowersOfTau, R1cs, Section, Symbols, Witness, Zkey,
};
use proofmill_proof::{Error, Result, bellman};
use proofmill_testkit::random::Random;

use crate::small::places;
use crate::support::{cpu, witness};

/// Random changes of a file.
const CHANGES: u64 = 300;

/// Random changes of a file on a curve whose checks take longer.
const FEWER_CHANGES: u64 = 60;

/// The protocols with their curves.
const SUBJECTS: [(Protocol, Curve); 5] = [
    (Protocol::Groth16, Curve::Bn254),
    (Protocol::Groth16, Curve::Bls12_381),
    (Protocol::Plonk, Curve::Bn254),
    (Protocol::Plonk, Curve::Bls12_381),
    (Protocol::Fflonk, Curve::Bn254),
];

/// A file that is changed in place.
struct Shared {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Shared {
    fn new(folder: &Path, name: &str, bytes: Vec<u8>) -> Self {
        let path = folder.join(name);
        fs::write(&path, &bytes).unwrap();
        Self { path, bytes }
    }

    /// Overwrites bytes. A map of the file changes, too.
    fn overwrite(&self, at: usize, bytes: &[u8]) {
        assert!(at + bytes.len() <= self.bytes.len());
        let mut file = OpenOptions::new().write(true).open(&self.path).unwrap();
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(bytes).unwrap();
    }

    fn restore(&self) {
        self.overwrite(0, &self.bytes);
    }

    /// Returns the place and the new bytes of each change: so many random ones, and each section filled with ones.
    fn changes(&self, count: u64, seed: u64) -> Vec<(usize, Vec<u8>)> {
        let mut random = Random::new(seed);
        let random = (0..count).map(|_| self.change(&mut random));
        let sections = places(&self.bytes).into_iter();
        let ones = sections.map(|it| (it.content.start, vec![0xff; it.content.len()]));
        random.chain(ones).collect()
    }

    fn change(&self, random: &mut Random) -> (usize, Vec<u8>) {
        let count = 1 + random.below(64) as usize;
        let at = random.below((self.bytes.len() - count) as u64) as usize;
        (at, if random.below(2) == 1 { random.bytes(count) } else { vec![0; count] })
    }
}

/// The files of a chain of constraints, which are those of a folder until it is dropped.
struct Files {
    _folder: tempfile::TempDir,
    key: Shared,
    witness: Vec<u8>,
    verifying: PreparedVerifyingKey,
}

impl Files {
    fn new(protocol: Protocol, curve: Curve, constraints: usize) -> Self {
        let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
        let (mut key, mut witness) = (Vec::new(), Vec::new());
        match protocol {
            Protocol::Plonk => circuit.write_insecure_plonk_key(b"changed", &mut key).unwrap(),
            Protocol::Fflonk => circuit.write_insecure_fflonk_key(b"changed", &mut key).unwrap(),
            _ => circuit.write_insecure_key(b"changed", &mut key).unwrap(),
        }
        circuit.write_witness(&mut witness).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let key = Shared::new(folder.path(), "a.zkey", key);
        let verifying = AnyZkey::open(&key.path).unwrap().verifying_key().unwrap();
        let verifying = PreparedVerifyingKey::new(&verifying).unwrap();
        Self { _folder: folder, key, witness, verifying }
    }

    fn prover(&self, key: &AnyZkey, threads: usize) -> Result<Prover> {
        Prover::new(key, Devices::one(cpu(threads)), Settings::default())
    }

    /// Checks that a proof is right. Returns the text of an error.
    fn judge(&self, proved: Result<Proved>) -> Option<String> {
        match proved {
            Ok(Proved { public_inputs, proof, .. }) => {
                let own = witness(&self.witness).values()[1..=public_inputs.len()].to_vec();
                assert_eq!(public_inputs, own);
                assert!(self.verifying.verify(&public_inputs, &proof).unwrap(), "a wrong proof");
                None
            }
            Err(error) => Some(error.to_string()),
        }
    }
}

fn points(section: &PointSection) -> Result<()> {
    let mut bytes = vec![0; section.bytes().unwrap() as usize];
    let _ = section.read_at(0, &mut bytes);
    section.check()
}

/// Reads all of a key, until an error.
fn read_all(key: &AnyZkey) -> Result<()> {
    key.digest();
    key.verifying_key()?;
    match key {
        AnyZkey::Groth16(key) => {
            key.coefficients().iter().try_for_each(|entry| entry.map(drop))?;
            Section::ALL.into_iter().try_for_each(|section| points(&key.points(section)))?;
            let _ = key.contributions();
            key.check()
        }
        AnyZkey::Plonk(key) => {
            key.additions().try_for_each(|addition| addition.map(drop))?;
            key.check()
        }
        AnyZkey::Fflonk(key) => {
            key.additions().try_for_each(|addition| addition.map(drop))?;
            key.check()
        }
    }
}

#[test]
fn a_key_that_changes_after_it_was_opened_gives_right_proofs_or_errors() {
    for (protocol, curve) in SUBJECTS {
        let files = Files::new(protocol, curve, 5);
        let witness = witness(&files.witness);
        let changes =
            files.key.changes(if curve == Curve::Bn254 { CHANGES } else { FEWER_CHANGES }, 1);
        let (mut errors, count) = (0, changes.len());
        for (number, (at, bytes)) in changes.into_iter().enumerate() {
            files.key.restore();
            let key = AnyZkey::open(&files.key.path).unwrap();
            let before = key.verifying_key().unwrap();
            // Of the provers, one is older than the change and one younger.
            let prover = files.prover(&key, 1).unwrap();
            files.key.overwrite(at, &bytes);
            let proved = match number % 2 {
                0 => prover.prove(&witness),
                _ => files.prover(&key, 1).and_then(|prover| prover.prove(&witness)),
            };
            errors += usize::from(files.judge(proved).is_some());
            assert_eq!(key.verifying_key().unwrap(), before, "{protocol}: byte {at}");
            let _ = read_all(&key);
        }
        assert!(3 * errors > count, "{protocol}, {curve:?}: {errors} errors");
    }
}

#[test]
fn an_error_names_what_changed() {
    // Section, the end with an older prover, and with a younger one.
    let read = "; the file changed while it was in use";
    let not_reduced = "is not below the modulus";
    let cases = [
        (Protocol::Groth16, 4, None, Some(("section 4 (coefficients)", read))),
        (Protocol::Groth16, 7, Some(("section 7 (B2)", "point 0")), None),
        (Protocol::Groth16, 9, Some(("section 9 (H)", not_reduced)), None),
        (Protocol::Groth16, 3, None, None),
        (Protocol::Plonk, 3, Some(("section 3 (additions)", read)), None),
        (Protocol::Plonk, 5, Some(("section 5 (B map)", read)), None),
        (Protocol::Plonk, 12, Some(("section 12 (sigma)", "not below r")), None),
        (Protocol::Fflonk, 6, Some(("section 6 (C map)", read)), None),
        (Protocol::Fflonk, 17, Some(("section 17 (C0)", "not below r")), None),
        (Protocol::Fflonk, 16, Some(("section 16 (powers of tau)", not_reduced)), None),
        (Protocol::Fflonk, 2, None, None),
    ];
    for (protocol, section, older, younger) in cases {
        let files = Files::new(protocol, Curve::Bn254, 5);
        let place = places(&files.key.bytes).into_iter().find(|it| it.number == section).unwrap();
        if place.content.is_empty() {
            continue;
        }
        let key = AnyZkey::open(&files.key.path).unwrap();
        let prover = files.prover(&key, 1).unwrap();
        let start = place.content.start;
        files.key.overwrite(start, &vec![0xff; place.content.len()]);
        let witness = witness(&files.witness);
        let found = [
            files.judge(prover.prove(&witness)),
            files.judge(files.prover(&key, 1).and_then(|prover| prover.prove(&witness))),
        ];
        for (found, expected) in found.into_iter().zip([older, younger.or(older)]) {
            let Some((place, problem)) = expected else {
                assert_eq!(found, None, "{protocol}, section {section}");
                continue;
            };
            let found = found.expect("an error");
            for part in ["a.zkey: ", place, ", byte ", problem] {
                assert!(found.contains(part), "{protocol}: '{part}' is not in: {found}");
            }
        }
    }
}

#[test]
fn a_key_that_changes_during_a_proof_gives_right_proofs_or_errors() {
    for (protocol, curve) in SUBJECTS {
        let files = Files::new(protocol, curve, 40);
        let witness = witness(&files.witness);
        let stop = AtomicBool::new(false);
        let ends: [AtomicUsize; 2] = Default::default();
        std::thread::scope(|scope| {
            let key = AnyZkey::open(&files.key.path).unwrap();
            let prover = files.prover(&key, 2).unwrap();
            let (file, stop) = (&files.key, &stop);
            scope.spawn(move || {
                let mut random = Random::new(2);
                while !stop.load(Ordering::Relaxed) {
                    let (at, bytes) = file.change(&mut random);
                    file.overwrite(at, &bytes);
                    std::thread::yield_now();
                    file.restore();
                }
            });
            // A panic of this thread must not leave the other one waiting.
            let proofs = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                for number in 0..20 {
                    let proved = match number % 2 {
                        0 => prover.prove(&witness),
                        _ => files.prover(&key, 2).and_then(|prover| prover.prove(&witness)),
                    };
                    let is_error = files.judge(proved).is_some();
                    ends[usize::from(is_error)].fetch_add(1, Ordering::Relaxed);
                    let _ = read_all(&key);
                }
            }));
            stop.store(true, Ordering::Relaxed);
            proofs.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
        println!("{protocol}, {curve:?}: {ends:?} right and refused");
    }
}

#[test]
fn a_key_that_changes_at_each_step_of_a_proof_gives_right_proofs_or_errors() {
    for &protocol in Protocol::ALL {
        let files = Arc::new(Files::new(protocol, Curve::Bn254, 5));
        let witness = witness(&files.witness);
        // A whole section changes at the beginning or at the end of a step.
        for step in 0..24 {
            for number in 0..places(&files.key.bytes).len() {
                files.key.restore();
                let key = AnyZkey::open(&files.key.path).unwrap();
                let prover = files.prover(&key, 1).unwrap();
                let (of_control, reports) = (files.clone(), AtomicUsize::new(0));
                let control = Control::none().with_progress(Arc::new(move |_, part| {
                    let is_border = part == 0.0 || part == 1.0;
                    if is_border && reports.fetch_add(1, Ordering::Relaxed) == step {
                        let place = &places(&of_control.key.bytes)[number];
                        let bytes = vec![0xff; place.content.len()];
                        of_control.key.overwrite(place.content.start, &bytes);
                    }
                }));
                files.judge(prover.prove_with(&witness, &control));
            }
        }
    }
}

#[test]
fn a_witness_that_changes_after_it_was_opened_stays_as_it_was() {
    let files = Files::new(Protocol::Groth16, Curve::Bn254, 5);
    let file = Shared::new(files._folder.path(), "a.wtns", files.witness.clone());
    let opened = Witness::open(&file.path).unwrap();
    assert_eq!((opened.count(), opened.file_bytes()), (7, files.witness.len()));
    assert_eq!(opened.name(), file.path.display().to_string());
    file.overwrite(0, &vec![0xff; file.bytes.len()]);
    assert_eq!(opened.values(), witness(&files.witness).values());
    assert_eq!(opened.to_file()[..], files.witness[..]);
    let key = AnyZkey::open(&files.key.path).unwrap();
    assert_eq!(files.judge(files.prover(&key, 1).unwrap().prove(&opened)), None);
}

/// Reads all of a constraint system, and checks a witness with it.
fn use_system(system: &R1cs, names: &Symbols, witness: &Witness) -> Result<()> {
    let evaluate = |constraint| -> Result<()> {
        let constraint = constraint?;
        assert!(!system.text(&constraint, Some(names)).to_string().is_empty());
        system.values(&constraint, witness).map(drop)
    };
    for number in [0, system.count() - 1] {
        let _ = evaluate(system.constraint(number).unwrap());
    }
    let read = system.constraints().try_for_each(evaluate);
    assert!(system.constraints().count() <= system.count());
    let checked = system.check(witness, 3);
    assert!(checked.is_err() == read.is_err(), "{checked:?}, {read:?}");
    read
}

#[test]
fn a_constraint_system_that_changes_gives_results_or_errors() {
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 40 }).unwrap();
    let (mut file, mut values) = (Vec::new(), Vec::new());
    circuit.write_r1cs(&mut file).unwrap();
    circuit.write_witness(&mut values).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = Shared::new(folder.path(), "a.r1cs", file);
    let lines: String = (1..42).map(|i| format!("{i},{i},1,main.x{i}\n")).collect();
    let names_file = Shared::new(folder.path(), "a.sym", lines.into_bytes());
    let witness = witness(&values);
    let mut errors = Vec::new();
    let mut random = Random::new(3);
    for (at, bytes) in file.changes(CHANGES, 4) {
        file.restore();
        names_file.restore();
        let system = R1cs::open(&file.path).unwrap();
        let names = Symbols::open(&names_file.path, &system).unwrap();
        use_system(&system, &names, &witness).unwrap();
        file.overwrite(at, &bytes);
        let (at, bytes) = names_file.change(&mut random);
        names_file.overwrite(at, &bytes);
        errors.extend(use_system(&system, &names, &witness).err().map(|it| it.to_string()));
    }
    assert!(errors.len() > 50, "{}", errors.len());
    for error in errors {
        let parts = ["a.r1cs: section 2 (constraints), byte ", "; the file changed while it was"];
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    }
}

#[test]
fn a_key_whose_files_change_is_verified_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let circuit = Circuit::new(Curve::Bn254, &Statement::Chain { constraints: 5 }).unwrap();
    let (mut r1cs, mut ptau) = (Vec::new(), Vec::new());
    circuit.write_r1cs(&mut r1cs).unwrap();
    InsecurePowersOfTau::new(Curve::Bn254, 4, b"files").unwrap().write(&mut ptau).unwrap();
    let key = fs::read("tests/snarkjs/ceremony_bn254/circuit.zkey").unwrap();
    let files = [("a.zkey", key), ("a.r1cs", r1cs), ("a.ptau", ptau)];
    let files = files.map(|(name, bytes)| Shared::new(folder.path(), name, bytes));
    let devices = Devices::one(cpu(1));
    let mut random = Random::new(5);
    let mut ends = [0; 3];
    for number in 0..40 {
        files.iter().for_each(Shared::restore);
        let [key, circuit, powers] = &files;
        let key = Zkey::open(&key.path).unwrap();
        let circuit = R1cs::open(&circuit.path).unwrap();
        let powers = PowersOfTau::open(&powers.path).unwrap();
        let file = &files[number % files.len()];
        let changes = if number < 20 { 1 } else { 20 };
        for _ in 0..changes {
            let (at, bytes) = file.change(&mut random);
            file.overwrite(at, &bytes);
        }
        let verified =
            verify_key(&key, &circuit, &powers, &devices, MAX_LOG_ITERATIONS, &mut |_, _| ());
        ends[verified.map_or(2, usize::from)] += 1;
    }
    assert!(ends[0] + ends[2] > 10, "{ends:?}");
}

#[test]
fn parameters_of_bellman_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    // Points that are not checked before a key is built, and empty lists.
    let file = Shared::new(folder.path(), "a.params", vec![0; 3 * 96 + 3 * 192 + 6 * 4]);
    let parameters = bellman::Parameters::open(&file.path).unwrap();
    file.overwrite(0, &vec![0xff; file.bytes.len()]);
    assert_eq!(parameters.bytes(), file.bytes);
    let error = bellman::Parameters::open(&file.path).unwrap_err();
    assert!(matches!(error, Error::File(_)), "{error}");
}
