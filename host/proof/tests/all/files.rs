//! Keys and witnesses are read as they were written, and JSON as snarkjs writes it.

use num_bigint::BigUint;
use proofmill_algebra::Isa;
use proofmill_algebra::field::{Bls12381Fp, Bn254Fp, PrimeField};
use proofmill_op::msm::{Group, Stream as _};
use proofmill_proof::groth16::{Curve, Proof, VerifyingKey};
use proofmill_proof::snarkjs::{Matrix, Section, Witness, Zkey, proof, public, verifying_key};

use crate::small::{CURVES, circuit, everything, key, places, read_key, read_witness, witness};

fn base(curve: Curve) -> BigUint {
    let modulus = if curve == Curve::Bn254 { Bn254Fp::MODULUS } else { Bls12381Fp::MODULUS };
    BigUint::from_slice(
        &modulus.iter().flat_map(|w| [*w as u32, (w >> 32) as u32]).collect::<Vec<_>>(),
    )
}

/// What snarkjs wrote for the small key.
fn written(curve: Curve, file: &str) -> String {
    let folder = if curve == Curve::Bn254 { "bn254" } else { "bls12_381" };
    std::fs::read_to_string(format!("tests/snarkjs/{folder}/{file}.json")).unwrap()
}

#[test]
fn every_code_path_reads_the_same_points() {
    for curve in CURVES {
        let key = read_key(&key(curve)).unwrap();
        let verifying = key.verifying_key().unwrap();
        let points = |key: &Zkey, section| {
            let points = key.points(section);
            let mut bytes = vec![0; points.bytes().unwrap() as usize];
            points.read_at(0, &mut bytes).unwrap();
            bytes
        };
        for isa in Isa::available() {
            let with_isa = key.clone().read_with(isa);
            with_isa.check().unwrap();
            assert_eq!(with_isa.verifying_key().unwrap(), verifying, "{isa}");
            for section in Section::ALL {
                assert!(points(&with_isa, section) == points(&key, section), "{section:?}, {isa}");
            }
        }
    }
}

#[test]
fn a_key_says_what_was_written() {
    for curve in CURVES {
        let (circuit, key) = (circuit(curve), read_key(&key(curve)).unwrap());
        assert_eq!(key.curve(), curve);
        assert_eq!(
            (key.variables(), key.public_inputs()),
            (circuit.variables(), circuit.public_inputs())
        );
        assert_eq!((key.variables(), key.public_inputs(), key.domain_log()), (7, 1, 3));
        let counts = Section::ALL.map(|section| key.points(section).count());
        assert_eq!(counts, [7, 7, 7, 5, 8]);
        let entries: Vec<_> = key.coefficients().iter().map(|entry| entry.unwrap()).collect();
        let of = |matrix| entries.iter().filter(move |entry| entry.matrix == matrix);
        assert_eq!((of(Matrix::A).count(), of(Matrix::B).count()), (7, 5));
        assert_eq!(entries.iter().map(|entry| entry.constraint).max(), Some(6));
        assert_eq!(entries.len(), 12);
        assert_eq!(key.coefficients().get(11).unwrap(), entries[11]);
        key.check().unwrap();
    }
}

#[test]
fn points_are_those_of_the_file_divided_by_r() {
    for curve in CURVES {
        let (file, p) = (key(curve), base(curve));
        let each = p.bits().div_ceil(64) as usize * 8;
        let inverse = (BigUint::from(1u32) << (8 * each)).modinv(&p).unwrap();
        let key = read_key(&file).unwrap();
        for (section, number) in Section::ALL.into_iter().zip(5..) {
            let points = key.points(section);
            let place = places(&file).into_iter().find(|place| place.number == number).unwrap();
            let mut all = vec![0; points.bytes().unwrap() as usize];
            points.read_at(0, &mut all).unwrap();
            assert_eq!(all.len(), place.content.len());
            for (element, stored) in all.chunks(each).zip(file[place.content].chunks(each)) {
                let wanted = BigUint::from_bytes_le(stored) * &inverse % &p;
                assert_eq!(BigUint::from_bytes_le(element), wanted);
            }
            let coordinates = if section.group() == Group::G2 { 4 } else { 2 };
            assert_eq!(points.instance().point_bytes(), coordinates * each);
        }
    }
}

#[test]
fn any_range_of_bytes_can_be_read() {
    for curve in CURVES {
        let points = read_key(&key(curve)).unwrap().points(Section::B2);
        let bytes = points.bytes().unwrap() as usize;
        let mut all = vec![0; bytes];
        points.read_at(0, &mut all).unwrap();
        for start in (0..=bytes).step_by(37) {
            for length in [0, 1, 31, 48, 127, 128, 129, 192, 400, bytes - start] {
                let mut some = vec![0xaa; length];
                let read = points.read_at(start as u64, &mut some);
                assert_eq!(read.is_ok(), start + length <= bytes);
                if read.is_ok() {
                    assert_eq!(some, all[start..start + length]);
                }
            }
        }
        assert!(points.read_at(u64::MAX, &mut [0; 2]).is_err());
    }
}

#[test]
fn sections_may_come_in_any_order_and_with_unknown_ones() {
    let file = key(Curve::Bn254);
    let wanted = everything(&read_key(&file).unwrap()).unwrap();
    let mut turned = file[..12].to_vec();
    turned[8] += 1;
    turned.extend([200, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3]);
    for place in places(&file).into_iter().rev() {
        turned.extend(&file[place.start..place.content.end]);
    }
    assert_eq!(everything(&read_key(&turned).unwrap()).unwrap(), wanted);
}

#[test]
fn a_witness_says_what_was_written() {
    for curve in CURVES {
        let file = witness(curve);
        let witness = read_witness(&file).unwrap();
        assert_eq!((witness.curve(), witness.count()), (curve, 7));
        assert_eq!(witness.values().as_flattened(), &file[file.len() - 7 * 32..]);
        assert_eq!(public::text(&witness.values()[1..2]), written(curve, "public"));
        let name = if curve == Curve::Bn254 { "bn254" } else { "bls12_381" };
        assert_eq!(format!("{witness:?}"), format!("Witness(a.wtns: 7 values of {name})"));
    }
}

#[test]
fn a_witness_may_be_values_in_memory() {
    for curve in CURVES {
        let values = read_witness(&witness(curve)).unwrap().values().to_vec();
        let witness_of = |change: &dyn Fn(&mut Vec<[u8; 32]>)| {
            let mut values = values.clone();
            change(&mut values);
            Witness::from_values(curve, values.into_flattened()).map_err(|error| error.to_string())
        };
        let same = witness_of(&|_| {}).unwrap();
        assert_eq!((same.curve(), same.count(), same.values()), (curve, 7, &values[..]));
        assert_eq!(same.file_bytes(), 7 * 32);
        let name = if curve == Curve::Bn254 { "bn254" } else { "bls12_381" };
        assert_eq!(format!("{same:?}"), format!("Witness(witness: 7 values of {name})"));
        let problem = |change: &dyn Fn(&mut Vec<[u8; 32]>)| witness_of(change).unwrap_err();
        assert_eq!(problem(&|all| all.clear()), "witness: no values; the first of all is 1");
        assert_eq!(problem(&|all| all[0][31] = 1), "witness: value 0 is not 1");
        assert_eq!(problem(&|all| all[0][0] = 0), "witness: value 0 is not 1");
        assert_eq!(problem(&|all| all[6] = [255; 32]), "witness: value 6 is not below r");
    }
}

/// serde's forms are objects with snarkjs's fields, and what is read is checked.
#[test]
fn proofs_and_keys_are_values_of_serde() {
    for curve in CURVES {
        let text = written(curve, "proof");
        let proof = proof::parse("proof", text.as_bytes()).unwrap();
        let value = serde_json::to_value(&proof).unwrap();
        assert_eq!(value, serde_json::from_str::<serde_json::Value>(&text).unwrap());
        assert_eq!(serde_json::from_value::<Proof>(value.clone()).unwrap(), proof);
        let mut other = value.clone();
        other["pi_a"][0] = "7".into();
        let problem = serde_json::from_value::<Proof>(other).unwrap_err().to_string();
        assert!(problem.contains("pi_a") && problem.contains("not on the curve"), "{problem}");
        assert!(serde_json::from_value::<Proof>("proof".into()).is_err());

        let text = written(curve, "verification_key");
        let key = verifying_key::parse("key", text.as_bytes()).unwrap();
        let value = serde_json::to_value(&key).unwrap();
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::from_value::<VerifyingKey>(file.clone()).unwrap(), key);
        file.as_object_mut().unwrap().remove("vk_alphabeta_12");
        assert_eq!(value, file);
        file["nPublic"] = 5.into();
        let problem = serde_json::from_value::<VerifyingKey>(file).unwrap_err().to_string();
        assert!(problem.contains("IC"), "{problem}");
    }
}

#[test]
fn files_are_mapped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.zkey");
    std::fs::write(&path, key(Curve::Bn254)).unwrap();
    let key = proofmill_proof::snarkjs::Zkey::open(&path).unwrap();
    assert_eq!(key.file_bytes(), std::fs::metadata(&path).unwrap().len() as usize);
    assert!(key.name().ends_with("small.zkey"));
    let directory = proofmill_proof::snarkjs::Zkey::open(folder.path()).unwrap_err();
    assert!(directory.to_string().ends_with(": not a regular file"), "{directory}");
    let missing = proofmill_proof::snarkjs::Witness::open(folder.path().join("w")).unwrap_err();
    assert!(matches!(missing, proofmill_proof::Error::Io { .. }), "{missing}");
}

#[test]
fn json_is_read_and_written_as_snarkjs_does() {
    for curve in CURVES {
        let wanted = written(curve, "verification_key");
        let found = verifying_key::parse("vk", wanted.as_bytes()).unwrap();
        assert_eq!(verifying_key::text(&found).unwrap(), wanted);
        assert_eq!(found, read_key(&key(curve)).unwrap().verifying_key().unwrap());
        let wanted = written(curve, "proof");
        let found = proof::parse("proof", wanted.as_bytes()).unwrap();
        assert_eq!((found.curve, proof::text(&found).unwrap()), (curve, wanted));
        let wanted = written(curve, "public");
        let found = public::parse("public", wanted.as_bytes(), curve).unwrap();
        assert_eq!((found.len(), public::text(&found)), (1, wanted));
    }
    // As `snarkjs plonk prove` writes it; a list in one line is read as well.
    assert_eq!(public::text(&[]), "[\n]");
    for text in ["[\n]", "[]"] {
        assert_eq!(public::parse("public", text.as_bytes(), Curve::Bn254).unwrap().len(), 0);
    }
}

#[test]
fn the_identity_is_written_and_read() {
    for curve in CURVES {
        let mut one = proof::parse("proof", written(curve, "proof").as_bytes()).unwrap();
        one.a.fill(0);
        one.b.fill(0);
        let text = proof::text(&one).unwrap();
        assert!(text.starts_with("{\n \"pi_a\": [\n  \"0\",\n  \"1\",\n  \"0\"\n ],"), "{text}");
        assert_eq!(proof::parse("proof", text.as_bytes()).unwrap(), one);
        let zeros = text.replacen("\"1\",\n  \"0\"", "\"0\",\n  \"1\"", 1);
        assert_ne!(zeros, text);
        assert_eq!(proof::parse("proof", zeros.as_bytes()).unwrap(), one);
    }
}

#[test]
fn a_proof_without_words_is_of_bn254() {
    let text = written(Curve::Bn254, "proof");
    let (points, _) = text.split_once(",\n \"protocol\"").unwrap();
    let found = proof::parse("proof", format!("{points}}}").as_bytes()).unwrap();
    assert_eq!(found, proof::parse("proof", text.as_bytes()).unwrap());
}

#[test]
fn what_is_no_proof_is_not_written() {
    let short = Proof { curve: Curve::Bn254, a: vec![0; 64], b: vec![0; 64], c: vec![0; 64] };
    let problem = proof::text(&short).unwrap_err().to_string();
    assert_eq!(problem, "b: 64 bytes where a point has 128");
    let other = Proof { curve: Curve::Bls12_377, ..short };
    assert_eq!(proof::text(&other).unwrap_err().to_string(), "curve: snarkjs has no Bls12_377");
}
