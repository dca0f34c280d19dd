//! Errors of each part of a wrong file: the section, the byte, and the problem.

use proofmill_proof::groth16::Curve;
use proofmill_proof::snarkjs::Section;

use crate::small::{CURVES, everything, key, read_key, read_witness, witness};
use crate::{assert_bounded, place, with, wrong};

#[test]
fn a_frame_that_is_wrong_has_a_place() {
    let file = key(Curve::Bn254);
    let h = place(&file, 9).start;
    let doubled = [&with(&file, 8, &[11])[..], &file[h..place(&file, 9).content.end]].concat();
    let twice = format!("section 9 (H), byte {}: is there twice", file.len());
    let renamed = with(&file, h, &[77]);
    let gone = format!("section 9 (H), byte {}: is missing", file.len());
    let longer = with(&file, place(&file, 10).start + 4, &u64::MAX.to_le_bytes());
    let contributions = place(&file, 10);
    let beyond = format!(
        "section 10 (contributions), byte {}: {} bytes long, but the file ends after {}",
        contributions.start,
        u64::MAX,
        contributions.content.len()
    );
    let cases: [(Vec<u8>, &str); 8] = [
        (vec![], "frame, byte 0: ends within the file's magic: 4 bytes, of which 0 exist"),
        (b"PK\x03\x04".to_vec(), r"frame, byte 0: begins with 'PK\x03\x04', not 'zkey'"),
        (with(&file, 4, &[2]), "frame, byte 4: version 2, where 1 is read"),
        (with(&file, 8, &[0xff; 4]), "frame, byte 8: declares 4294967295 sections: more than 256"),
        (doubled, &twice),
        (renamed, &gone),
        (longer, &beyond),
        (witness(Curve::Bn254), "frame, byte 0: begins with 'wtns', not 'zkey'"),
    ];
    for (file, said) in cases {
        assert_eq!(wrong(read_key(&file)).to_string(), format!("a.zkey: {said}"));
    }
    assert_bounded();
}

#[test]
fn a_header_that_is_wrong_has_a_place() {
    let file = key(Curve::Bn254);
    let bls = key(Curve::Bls12_381);
    let q = format!("0x{}", "11".repeat(32));
    let unknown =
        format!("byte 44: the prime {q} is of no curve that is read: bn254 and bls12_381");
    let cases: [(Vec<u8>, u32, &str); 14] = [
        (with(&file, 24, &[2]), 1, "byte 24: a key of protocol plonk, not of groth16"),
        (with(&file, 24, &[10]), 1, "byte 24: a key of protocol fflonk, not of groth16"),
        (with(&file, 24, &[3]), 1, "byte 24: a key of protocol number 3, not of groth16"),
        (with(&file, 40, &[8]), 2, "byte 40: a prime of 8 bytes, not of 32 or 48"),
        (with(&file, 44, &[0x11; 32]), 2, &unknown),
        (with(&file, 76, &[48]), 2, "byte 76: a prime of 48 bytes, not of 32"),
        (
            with(&file, 80, &bls[96..128]),
            2,
            "byte 76: coordinates of bn254 and scalars of bls12_381",
        ),
        (
            with(&file, 116, &7u32.to_le_bytes()),
            2,
            "byte 112: 7 public values and a constant in 7 variables",
        ),
        (
            with(&file, 120, &[9]),
            2,
            "byte 120: a domain of 9 points, not of a power of two up to 2^27",
        ),
        (
            with(&file, 120, &(1u32 << 28).to_le_bytes()),
            2,
            "byte 120: a domain of 268435456 points, not of a power of two up to 2^27",
        ),
        (
            with(&bls, 136, &(1u32 << 28).to_le_bytes()),
            2,
            "byte 136: a domain of 268435456 points, not of a power of two up to 2^27",
        ),
        (with(&file, 124, &[0; 64]), 2, "byte 124: alpha in G1 is the identity"),
        (
            with(&file, 187, &[0xff]),
            2,
            "byte 124: alpha in G1 is a coordinate that is not below the modulus",
        ),
        (with(&file, 572, &[1]), 2, "byte 572: delta in G2 is not on the curve"),
    ];
    for (file, section, said) in cases {
        let name = if section == 1 { "header" } else { "groth16 header" };
        let said = format!("a.zkey: section {section} ({name}), {said}");
        assert_eq!(wrong(read_key(&file)).to_string(), said);
    }
    assert_bounded();
}

#[test]
fn coefficients_that_are_wrong_have_a_place() {
    let file = key(Curve::Bn254);
    let at = place(&file, 4).content.start + 4 + 3 * 44;
    let cases: [(usize, &[u8], &str); 4] = [
        (0, &[2], "of matrix 2, not 0 (A) or 1 (B)"),
        (4, &[8], "of constraint 8 in a domain of 8"),
        (8, &[7], "of signal 7, where there are 7"),
        (12, &[0xff; 32], "its value is not below r"),
    ];
    for (field, bytes, said) in cases {
        let said = format!("a.zkey: section 4 (coefficients), byte {at}: coefficient 3: {said}");
        assert_eq!(wrong(read_key(&with(&file, at + field, bytes))).to_string(), said);
    }
}

#[test]
fn points_that_are_wrong_have_a_place() {
    for curve in CURVES {
        let file = key(curve);
        for (section, number) in Section::ALL.into_iter().zip(5..) {
            let key = read_key(&file).unwrap().points(section);
            let (each, count) = (key.instance().point_bytes(), key.count());
            for point in [0, count / 2, count - 1] {
                let at = place(&file, number).content.start + point * each;
                let off = with(&file, at, &[file[at] ^ 4]);
                let said = wrong(read_key(&off).and_then(|key| everything(&key))).to_string();
                let place = format!("a.zkey: section {number} ({section:?}), byte {at}: ");
                assert_eq!(said, format!("{place}point {point} is not on the curve"));
                let large = with(&file, at + each - 1, &[0xff]);
                let said = wrong(read_key(&large).and_then(|key| everything(&key))).to_string();
                let problem = "a coordinate that is not below the modulus";
                assert_eq!(said, format!("{place}point {point} is {problem}"));
            }
        }
    }
}

#[test]
fn a_witness_that_is_wrong_has_a_place() {
    let file = witness(Curve::Bn254);
    let cases: [(Vec<u8>, &str); 5] = [
        (with(&file, 4, &[1]), "frame, byte 4: version 1, where 2 is read"),
        (with(&file, 24, &[8]), "section 1 (header), byte 24: a prime of 8 bytes, not of 32"),
        (with(&file, 60, &[0]), "section 1 (header), byte 60: no values; the first of all is 1"),
        (with(&file, 76, &[2]), "section 2 (values), byte 76: value 0 is not 1"),
        (
            with(&file, 76 + 32 * 6, &[0xff; 32]),
            "section 2 (values), byte 268: value 6 is not below r",
        ),
    ];
    for (file, said) in cases {
        assert_eq!(wrong(read_witness(&file)).to_string(), format!("a.wtns: {said}"));
    }
}
