//! Wrong files: an error with the position, in bounded memory, and never a panic.

mod parts;
#[path = "../small/mod.rs"]
mod small;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use proofmill_proof::groth16::Curve;
use proofmill_proof::{Error, FileError, Result};
use small::{CURVES, Place, everything, key, places, read_key, read_witness, witness};

/// More than any of these files needs at once, whatever sizes they declare.
const MAX_AT_ONCE: usize = 1 << 20;

/// The system's allocator, with the largest request.
struct Watched;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static WATCHED: Watched = Watched;

// SAFETY: all calls are passed to the system's allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Asserts that no test requested more memory than small files need.
fn assert_bounded() {
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest <= MAX_AT_ONCE, "{largest} bytes at once");
}

fn wrong<T>(result: Result<T>) -> FileError {
    match result {
        Err(Error::File(wrong)) => wrong,
        Err(other) => panic!("another error: {other}"),
        Ok(_) => panic!("no error"),
    }
}

/// Returns the file with these bytes at this place.
fn with(file: &[u8], at: usize, bytes: &[u8]) -> Vec<u8> {
    let mut file = file.to_vec();
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

fn place(file: &[u8], number: u32) -> Place {
    places(file).into_iter().find(|place| place.number == number).unwrap()
}

/// Returns the file without a section's last bytes.
fn shortened(file: &[u8], number: u32, by: usize) -> Vec<u8> {
    let Place { start, content, .. } = place(file, number);
    let mut file = with(file, start + 4, &(content.len() as u64 - by as u64).to_le_bytes());
    file.drain(content.end - by..content.end);
    file
}

#[test]
fn a_key_that_ends_early_is_refused() {
    for curve in CURVES {
        let file = key(curve);
        for end in 0..file.len() {
            let wrong = wrong(read_key(&file[..end]));
            assert!(wrong.offset <= end as u64, "{end}: {wrong}");
        }
    }
    assert_bounded();
}

#[test]
fn a_witness_that_ends_early_is_refused() {
    let file = witness(Curve::Bls12_381);
    for end in 0..file.len() {
        let wrong = wrong(read_witness(&file[..end]));
        assert!(wrong.offset <= end as u64, "{end}: {wrong}");
    }
    assert_bounded();
}

#[test]
fn every_change_of_a_key_is_seen() {
    for curve in CURVES {
        let file = key(curve);
        let original = everything(&read_key(&file).unwrap()).unwrap();
        let unread = place(&file, 10).start;
        for at in 0..file.len() {
            let changed = with(&file, at, &[file[at] ^ 1 << (at % 8)]);
            match read_key(&changed).and_then(|key| everything(&key)) {
                Ok(found) => assert!(found != original || at >= unread, "byte {at}"),
                Err(Error::File(wrong)) => {
                    assert!(wrong.offset <= file.len() as u64, "byte {at}: {wrong}");
                }
                Err(other) => panic!("byte {at}: {other}"),
            }
        }
    }
    assert_bounded();
}

#[test]
fn every_change_of_a_witness_is_seen() {
    for curve in CURVES {
        let file = witness(curve);
        let original = read_witness(&file).unwrap();
        for at in 0..file.len() {
            for change in [0x01, 0x80, 0xff] {
                let changed = with(&file, at, &[file[at] ^ change]);
                match read_witness(&changed) {
                    Ok(found) => assert_ne!(found.values(), original.values(), "byte {at}"),
                    Err(Error::File(_)) => {}
                    Err(other) => panic!("byte {at}: {other}"),
                }
            }
        }
    }
    assert_bounded();
}

#[test]
fn counts_that_the_sections_do_not_have_are_refused_before_memory_is_taken() {
    let file = key(Curve::Bn254);
    let ic = place(&file, 3).content.start;
    let variables = with(&file, 112, &u32::MAX.to_le_bytes());
    let public_inputs = with(&variables, 116, &(u32::MAX - 1).to_le_bytes());
    let said = wrong(read_key(&public_inputs)).to_string();
    let wanted = "128 bytes, where 4294967295 points of 64 bytes are 274877906880";
    assert_eq!(said, format!("a.zkey: section 3 (IC), byte {ic}: {wanted}"));
    let a = place(&file, 5).content.start;
    let wanted = "448 bytes, where 4294967295 points of 64 bytes are 274877906880";
    let said = wrong(read_key(&variables)).to_string();
    assert_eq!(said, format!("a.zkey: section 5 (A), byte {a}: {wanted}"));
    let entries = place(&file, 4).content.start;
    let said = wrong(read_key(&with(&file, entries, &[0xff; 4]))).to_string();
    let wanted = "528 bytes, where 4294967295 coefficients of 44 bytes are 188978560980";
    assert_eq!(said, format!("a.zkey: section 4 (coefficients), byte {}: {wanted}", entries + 4));
    let many = with(&witness(Curve::Bn254), 60, &[0xff; 4]);
    let wanted = "224 bytes, where 4294967295 values of 32 bytes are 137438953440";
    let said = wrong(read_witness(&many)).to_string();
    assert_eq!(said, format!("a.wtns: section 2 (values), byte 76: {wanted}"));
    assert_bounded();
}

#[test]
fn a_section_of_another_length_is_refused() {
    for curve in CURVES {
        let file = key(curve);
        for number in 1..=9 {
            for by in [1, 4, place(&file, number).content.len()] {
                let said = wrong(read_key(&shortened(&file, number, by))).to_string();
                assert!(said.contains(&format!("section {number} (")), "{said}");
            }
        }
    }
}

#[test]
fn a_point_outside_the_subgroup_is_found_when_it_is_looked_for() {
    use proofmill_algebra::curve::Affine;
    use proofmill_algebra::encoding::Coordinate as _;
    use proofmill_algebra::field::PrimeField as _;
    use proofmill_algebra::{bls12_381, field::Field as _};
    let file = key(Curve::Bls12_381);
    let mut xs = (1..).map(bls12_381::Fp::from).map(Affine::<bls12_381::G1>::from_x);
    let outside = xs.find_map(|point| {
        Option::<Affine<_>>::from(point).filter(|point| !bool::from(point.is_in_subgroup()))
    });
    let outside = outside.unwrap();
    let radix = (0..384).fold(bls12_381::Fp::ONE, |power, _| power.double());
    let mut bytes = [0; 96];
    (outside.x() * radix).write_le(&mut bytes[..48]);
    (outside.y() * radix).write_le(&mut bytes[48..]);
    assert_eq!(bls12_381::Fp::BITS, 381);
    for number in [3, 5] {
        let at = place(&file, number).content.start + 96;
        let key = read_key(&with(&file, at, &bytes)).unwrap();
        let said = wrong(key.check()).to_string();
        let problem = "point 1 is on the curve but not in the subgroup";
        assert!(said.ends_with(&format!("byte {at}: {problem}")), "{said}");
        assert_eq!(key.verifying_key().is_err(), number == 3);
    }
}
