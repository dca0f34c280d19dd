//! Keys of ceremonies that snarkjs held, with their circuits and powers of tau: accepted as they are, and refused after changes.

use std::sync::Arc;

use proofmill_cpu::CpuDevice;
use proofmill_proof::ceremony::{Check, MAX_LOG_ITERATIONS, verify_key};
use proofmill_proof::dev::{Circuit, InsecurePowersOfTau, Statement};
use proofmill_proof::groth16::{Curve, Devices};
use proofmill_proof::snarkjs::{Kind, PowersOfTau, R1cs, Zkey};
use proofmill_proof::{Error, Result};

use crate::small::{CURVES, places};

/// The seed of the powers of tau.
const SEED: &[u8] = b"files";

fn key(curve: Curve) -> Vec<u8> {
    let folder = if curve == Curve::Bn254 { "bn254" } else { "bls12_381" };
    std::fs::read(format!("tests/snarkjs/ceremony_{folder}/circuit.zkey")).unwrap()
}

fn circuit(curve: Curve, constraints: usize) -> R1cs {
    let mut bytes = Vec::new();
    let circuit = Circuit::new(curve, &Statement::Chain { constraints }).unwrap();
    circuit.write_r1cs(&mut bytes).unwrap();
    R1cs::from_bytes("a.r1cs", bytes).unwrap()
}

fn ptau(curve: Curve, power: u32, seed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    InsecurePowersOfTau::new(curve, power, seed).unwrap().write(&mut bytes).unwrap();
    bytes
}

fn powers(bytes: &[u8]) -> Result<PowersOfTau> {
    PowersOfTau::from_bytes("a.ptau", bytes.into())
}

/// A circuit, its powers of tau and a processor.
struct Setting {
    circuit: R1cs,
    powers: PowersOfTau,
    devices: Devices,
}

impl Setting {
    fn new(curve: Curve) -> Self {
        let powers = powers(&ptau(curve, 4, SEED)).unwrap();
        let devices = Devices::one(Arc::new(CpuDevice::new(Some(1)).unwrap()));
        Self { circuit: circuit(curve, 5), powers, devices }
    }

    /// Returns the checks that failed, with the problems.
    fn failed(&self, key: &[u8]) -> Result<Vec<(Check, String)>> {
        self.failed_with(key, MAX_LOG_ITERATIONS)
    }

    fn failed_with(&self, key: &[u8], max: u8) -> Result<Vec<(Check, String)>> {
        let key = Zkey::from_bytes("a.zkey", key.into())?;
        let (mut failed, mut checks) = (vec![], vec![]);
        let Self { circuit, powers, devices } = self;
        let valid = verify_key(&key, circuit, powers, devices, max, &mut |check, finding| {
            checks.push(check);
            failed.extend(finding.clone().map(|problem| (check, problem)));
        })?;
        assert_eq!(valid, failed.is_empty());
        assert!(checks == Check::ALL || checks == [Check::Sizes], "{checks:?}");
        Ok(failed)
    }

    /// Returns the checks that fail after a change of the key.
    fn after(&self, key: &[u8], change: impl FnOnce(&mut Vec<u8>)) -> Vec<Check> {
        let mut changed = key.to_vec();
        change(&mut changed);
        assert_ne!(changed, key);
        self.failed(&changed).unwrap().into_iter().map(|(check, _)| check).collect()
    }
}

/// Returns the offset of a section's content.
fn start(key: &[u8], number: u32) -> usize {
    places(key).into_iter().find(|place| place.number == number).unwrap().content.start
}

/// Exchanges two pieces of the same length.
fn swap(bytes: &mut [u8], a: usize, b: usize, length: usize) {
    (0..length).for_each(|i| bytes.swap(a + i, b + i));
}

#[test]
fn the_keys_of_ceremonies_are_valid() {
    for curve in CURVES {
        assert_eq!(Setting::new(curve).failed(&key(curve)).unwrap(), []);
    }
}

#[test]
fn contributions_are_read_and_hashed_as_snarkjs_does() {
    // From the output of `snarkjs zkey verify`.
    let hashes = [
        ["10b8910c4a747585", "059086e82aba5dd0", "7b44586f100f2dda", "5c7974a5dd984128"],
        ["4e16ef99047fdf98", "99c1547bd8f1387d", "e6003d23ac4cc803", "a348357d39ed695c"],
    ];
    let hex =
        |hash: [u8; 64]| hash[..8].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (curve, hashes) in CURVES.into_iter().zip(hashes) {
        let key = Zkey::from_bytes("a.zkey", key(curve).into()).unwrap();
        let contributions = key.contributions().unwrap();
        assert_eq!(hex(contributions.circuit_hash), hashes[0]);
        let list = contributions.list;
        let found: Vec<_> = list.iter().map(|contribution| hex(contribution.hash())).collect();
        assert_eq!(found, hashes[1..]);
        let names: Vec<_> = list.iter().map(|contribution| contribution.name.as_deref()).collect();
        assert_eq!(names, [Some("alice"), None, Some("final")]);
        let hash = (1..16).collect();
        assert_eq!(list[1].kind, Kind::Participant);
        assert_eq!(list[2].kind, Kind::Beacon { hash, log_iterations: 10 });
    }
}

#[test]
fn exchanged_points_are_found_in_every_section() {
    for curve in CURVES {
        let (setting, key) = (Setting::new(curve), key(curve));
        let g1 = if curve == Curve::Bn254 { 64 } else { 96 };
        // IC is hashed as a part of the circuit, and C is checked with it.
        let sections = [
            (3, g1, 0, 1, vec![Check::Ic, Check::C, Check::CircuitHash]),
            (5, g1, 1, 2, vec![Check::A, Check::CircuitHash]),
            (6, g1, 1, 2, vec![Check::B1, Check::CircuitHash]),
            (7, 2 * g1, 1, 2, vec![Check::B2, Check::CircuitHash]),
            (8, g1, 0, 1, vec![Check::C]),
            (9, g1, 0, 1, vec![Check::H]),
        ];
        for (number, each, a, b, expected) in sections {
            let start = start(&key, number);
            let found =
                setting.after(&key, |key| swap(key, start + a * each, start + b * each, each));
            assert_eq!(found, expected, "section {number}");
        }
        // alpha and beta in G1 follow two primes and three numbers.
        let header = start(&key, 2) + 4 + g1 / 2 + 4 + 32 + 12;
        let found = setting.after(&key, |key| swap(key, header, header + g1, g1));
        assert_eq!(found, [Check::Header, Check::CircuitHash]);
        // beta and gamma in G2.
        let found = setting.after(&key, |key| swap(key, header + 2 * g1, header + 4 * g1, 2 * g1));
        assert_eq!(found, [Check::Header, Check::CircuitHash]);
        // delta in G1 becomes alpha.
        let delta = header + 6 * g1;
        let found = setting.after(&key, |key| key.copy_within(header..header + g1, delta));
        assert_eq!(found, [Check::Delta]);
        // delta in G2 becomes gamma.
        let found = setting.after(&key, |key| {
            key.copy_within(header + 4 * g1..header + 6 * g1, delta + g1);
        });
        assert_eq!(found, [Check::Delta, Check::C, Check::H]);
        let terms = start(&key, 4) + 4;
        let found = setting.after(&key, |key| swap(key, terms, terms + 44, 44));
        assert_eq!(found, [Check::Coefficients]);
        let found = setting.after(&key, |key| key[terms + 12] ^= 1);
        assert_eq!(found, [Check::Coefficients]);
    }
}

#[test]
fn changed_contributions_are_found() {
    for curve in CURVES {
        let (setting, key) = (Setting::new(curve), key(curve));
        let g1 = if curve == Curve::Bn254 { 64 } else { 96 };
        let first = start(&key, 10) + 64 + 4;
        let found = setting.after(&key, |key| key[first - 68] ^= 1);
        assert_eq!(found, [Check::Contributions, Check::CircuitHash]);
        // delta, s and s x are exchanged among each other.
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            let found = setting.after(&key, |key| swap(key, first + a * g1, first + b * g1, g1));
            assert_eq!(found, [Check::Contributions], "{a} and {b}");
        }
        // sp x becomes gamma.
        let gamma = start(&key, 2) + 4 + g1 / 2 + 4 + 32 + 12 + 4 * g1;
        let sp_x = first + 3 * g1;
        let found = setting.after(&key, |key| key.copy_within(gamma..gamma + 2 * g1, sp_x));
        assert_eq!(found, [Check::Contributions]);
        let found = setting.after(&key, |key| key[sp_x + 2 * g1] ^= 1);
        assert_eq!(found, [Check::Contributions]);
        // The last bytes are the beacon's hash, and before its length is the number of iterations.
        let end = key.len();
        let found = setting.after(&key, |key| key[end - 1] ^= 1);
        assert_eq!(found, [Check::Contributions]);
        let found = setting.after(&key, |key| key[end - 18] = 9);
        assert_eq!(found, [Check::Contributions]);
        // A name is no part of any hash.
        let name = sp_x + 2 * g1 + 64 + 8 + 2;
        assert_eq!(key[name..name + 5], *b"alice");
        assert_eq!(setting.after(&key, |key| key[name] = b'A'), []);
    }
}

#[test]
fn a_beacon_of_many_iterations_ends_with_an_error() {
    let (setting, mut key) = (Setting::new(Curve::Bn254), key(Curve::Bn254));
    let error = setting.failed_with(&key, 9).unwrap_err();
    assert!(error.to_string().contains("a beacon of 2^10 iterations: more than 2^9"), "{error}");
    let at = key.len() - 18;
    key[at] = 64;
    let error = setting.failed(&key).unwrap_err();
    assert!(matches!(&error, Error::File(_)), "{error}");
    key[at] = 63;
    assert!(matches!(setting.failed(&key).unwrap_err(), Error::Argument { .. }));
}

#[test]
fn other_circuits_and_powers_are_found() {
    let curve = Curve::Bn254;
    let (setting, key) = (Setting::new(curve), key(curve));
    let other = Setting { circuit: circuit(curve, 6), ..Setting::new(curve) };
    assert_eq!(other.failed(&key).unwrap()[0].0, Check::Sizes);
    let other = Setting { circuit: circuit(Curve::Bls12_381, 5), ..Setting::new(curve) };
    assert_eq!(other.failed(&key).unwrap()[0].0, Check::Sizes);
    let of = |power, seed: &[u8]| powers(&ptau(curve, power, seed)).unwrap();
    let other = Setting { powers: of(4, b"others"), ..Setting::new(curve) };
    let failed: Vec<_> = other.failed(&key).unwrap().into_iter().map(|(check, _)| check).collect();
    use Check::{A, B1, B2, C, CircuitHash, H, Header, Ic};
    assert_eq!(failed, [Header, Ic, A, B1, B2, C, H, CircuitHash]);
    // More powers do; fewer are an error.
    let other = Setting { powers: of(6, SEED), ..Setting::new(curve) };
    assert_eq!(other.failed(&key).unwrap(), []);
    let other = Setting { powers: of(2, SEED), ..setting };
    let error = other.failed(&key).unwrap_err();
    assert!(error.to_string().contains("2^2 powers of tau"), "{error}");
}

#[test]
fn a_key_without_contributions_is_invalid() {
    let (setting, mut key) = (Setting::new(Curve::Bn254), key(Curve::Bn254));
    let count = start(&key, 10) + 64;
    key.truncate(count);
    key.extend(0_u32.to_le_bytes());
    let length = count - 64 - 8;
    key[length..length + 8].copy_from_slice(&68_u64.to_le_bytes());
    let failed = setting.failed(&key).unwrap();
    assert!(failed[0].1.contains("anyone can forge"), "{failed:?}");
}

#[test]
fn wrong_powers_of_tau_are_found() {
    for curve in CURVES {
        let (file, key) = (ptau(curve, 3, SEED), key(curve));
        let g1 = if curve == Curve::Bn254 { 64 } else { 96 };
        // The last powers that a domain of 8 points needs, and others.
        let cases =
            [(2, g1, 2, 3), (2, g1, 13, 14), (3, 2 * g1, 6, 7), (4, g1, 6, 7), (5, g1, 6, 7)];
        for (number, each, a, b) in cases {
            let (mut changed, start) = (file.clone(), start(&file, number));
            swap(&mut changed, start + a * each, start + b * each, each);
            let setting = Setting { powers: powers(&changed).unwrap(), ..Setting::new(curve) };
            let failed = setting.failed(&key).unwrap();
            assert!(failed.iter().any(|(check, _)| *check == Check::Powers), "section {number}");
        }
        // Lagrange polynomials change nothing but what is hashed.
        let (mut changed, start) = (file.clone(), start(&file, 12));
        swap(&mut changed, start + 7 * g1, start + 8 * g1, g1);
        let setting = Setting { powers: powers(&changed).unwrap(), ..Setting::new(curve) };
        let failed: Vec<_> = setting.failed(&key).unwrap().into_iter().map(|it| it.0).collect();
        assert!(failed == [Check::CircuitHash] || failed == [Check::Ic, Check::CircuitHash]);
    }
}

#[test]
fn truncated_powers_of_tau_end_with_an_error_that_names_the_place() {
    let file = ptau(Curve::Bn254, 2, SEED);
    for length in 0..file.len() {
        let Err(Error::File(wrong)) = powers(&file[..length]) else { panic!("{length} bytes") };
        assert!(wrong.offset <= length as u64 && !wrong.section.is_empty(), "{wrong}");
    }
    let mut large = file.clone();
    let power = start(&file, 1) + 36;
    for (value, problem) in [(3, "points"), (28, "points"), (29, "power 29"), (255, "power 255")] {
        large[power] = value;
        let error = powers(&large).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn every_changed_part_of_a_key_is_found() {
    let (setting, key) = (Setting::new(Curve::Bn254), key(Curve::Bn254));
    let name = |at: usize| key[..at].ends_with(b"alice") || key[..at].ends_with(b"final");
    for at in (0..key.len()).step_by(if cfg!(debug_assertions) { 101 } else { 17 }) {
        let mut changed = key.clone();
        changed[at] ^= 1 << (at % 8);
        let is_name = (1..6).any(|ahead| at + ahead <= key.len() && name(at + ahead));
        match setting.failed(&changed) {
            Ok(failed) => assert!(is_name || !failed.is_empty(), "byte {at}"),
            Err(Error::File(wrong)) => assert_eq!(wrong.file, "a.zkey"),
            Err(Error::Argument { .. }) => {}
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
}
