//! The call of a contract's `verifyProof`.
//!
//! The arguments have static types, so their encoding is the concatenation of their words, 32 bytes each, big-endian (Solidity's ABI, version 2).
//! The first four bytes of the Keccak-256 digest of the function's signature precede them.

use proofmill_algebra::curve::Curve as Group;
use proofmill_algebra::encoding::Coordinate;
use proofmill_algebra::field::{Bn254Fr, PrimeField};
use proofmill_algebra::keccak256;
use proofmill_algebra::pairing::{Bn254, Pairing};

use super::{hex, require_bn254, words};
use crate::groth16::Scalar;
use crate::groth16::suite::point;
use crate::snark;
use crate::{Error, Result, fflonk, groth16, plonk};

type G1 = <Bn254 as Pairing>::G1;
type G2 = <Bn254 as Pairing>::G2;

/// The bytes before the arguments that select the function.
const SELECTOR_BYTES: usize = 4;

/// A call: the words of its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    proof: Proof,
    public_inputs: Vec<[u8; 32]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Proof {
    /// A, B and C; a coordinate in G2 has the coefficient of i first, as in EIP-197.
    Groth16(Vec<[u8; 32]>),
    /// Nine points and six scalars.
    Plonk(Vec<[u8; 32]>),
    /// Four points and sixteen scalars.
    Fflonk(Vec<[u8; 32]>),
}

impl Call {
    /// Encodes a proof and its public inputs. Returns an error for another curve than BN254, a point outside its group and a scalar that is not below
    /// r. The number of public inputs is that of the key, which is not known.
    pub fn new(proof: &snark::Proof, public_inputs: &[Scalar]) -> Result<Self> {
        let proof = match proof {
            snark::Proof::Groth16(proof) => Proof::Groth16(groth16_words(proof)?),
            snark::Proof::Plonk(proof) => Proof::Plonk(plonk_words(proof)?),
            snark::Proof::Fflonk(proof) => Proof::Fflonk(fflonk_words(proof)?),
        };
        let value = |(i, value)| scalar("public", &format!("value {i}"), value);
        let public_inputs = public_inputs.iter().enumerate().map(value).collect::<Result<_>>()?;
        Ok(Self { proof, public_inputs })
    }

    /// Returns the function's signature, for the selector.
    pub fn signature(&self) -> String {
        let proof = match self.proof {
            Proof::Groth16(_) => "uint256[2],uint256[2][2],uint256[2]",
            Proof::Plonk(_) => "uint256[24]",
            Proof::Fflonk(_) => "bytes32[24]",
        };
        match self.public_inputs.len() {
            0 => format!("verifyProof({proof})"),
            count => format!("verifyProof({proof},uint256[{count}])"),
        }
    }

    /// Returns the call data: the selector and the arguments.
    pub fn bytes(&self) -> Vec<u8> {
        let digest = keccak256::hash(self.signature().as_bytes());
        let (Proof::Groth16(words) | Proof::Plonk(words) | Proof::Fflonk(words)) = &self.proof;
        [&digest[..SELECTOR_BYTES], words.as_flattened(), self.public_inputs.as_flattened()]
            .concat()
    }

    /// Formats the arguments as `snarkjs generatecall` prints them, byte for byte: arrays of hexadecimal numbers, quoted except for FFLONK. An empty array of public inputs is printed,
    /// too, although the function then has no such argument.
    pub fn text(&self) -> String {
        let list = |words: &[[u8; 32]], between: &str| {
            let words: Vec<_> = words.iter().map(|word| format!("\"{}\"", hex(word))).collect();
            format!("[{}]", words.join(between))
        };
        let public_inputs = list(&self.public_inputs, ",");
        match &self.proof {
            Proof::Groth16(words) => {
                let pair = |at: usize| list(&words[at..at + 2], ", ");
                let [a, x, y, c] = [0, 2, 4, 6].map(pair);
                format!("{a},[{x},{y}],{c},{public_inputs}")
            }
            Proof::Plonk(words) => {
                // snarkjs writes a space between the coordinates of the first point only.
                let words = list(words, ",").replacen("\",\"", "\", \"", 1);
                format!("{words}{public_inputs}")
            }
            Proof::Fflonk(words) => {
                let words = list(words, ",").replacen(',', ", ", 1);
                format!("{words},{public_inputs}").replace('"', "")
            }
        }
    }
}

fn groth16_words(proof: &groth16::Proof) -> Result<Vec<[u8; 32]>> {
    let groth16::Proof { curve, a, b, c } = proof;
    require_bn254("proof", *curve)?;
    let [ax, ay] = coordinates::<G1, 2>("A", a)?;
    let [x0, x1, y0, y1] = coordinates::<G2, 4>("B", b)?;
    let [cx, cy] = coordinates::<G1, 2>("C", c)?;
    Ok(vec![ax, ay, x1, x0, y1, y0, cx, cy])
}

fn plonk_words(proof: &plonk::Proof) -> Result<Vec<[u8; 32]>> {
    let plonk::Proof { curve, a, b, c, z, t_lo, t_mid, t_hi, w_zeta, w_zeta_omega, evaluations } =
        proof;
    require_bn254("proof", *curve)?;
    let points = [
        ("a", a),
        ("b", b),
        ("c", c),
        ("z", z),
        ("t_lo", t_lo),
        ("t_mid", t_mid),
        ("t_hi", t_hi),
        ("w_zeta", w_zeta),
        ("w_zeta_omega", w_zeta_omega),
    ];
    let plonk::Evaluations { a, b, c, s1, s2, z_omega } = evaluations;
    let scalars = [("a", a), ("b", b), ("c", c), ("s1", s1), ("s2", s2), ("z_omega", z_omega)];
    let mut words = Vec::new();
    for (name, bytes) in points {
        words.extend(coordinates::<G1, 2>(name, bytes)?);
    }
    for (name, bytes) in scalars {
        words.push(scalar("proof", &format!("evaluation {name}"), bytes)?);
    }
    Ok(words)
}

fn fflonk_words(proof: &fflonk::Proof) -> Result<Vec<[u8; 32]>> {
    let mut words = Vec::new();
    for (name, bytes) in ["c1", "c2", "w1", "w2"].into_iter().zip(proof.points()) {
        words.extend(coordinates::<G1, 2>(name, bytes)?);
    }
    let values = fflonk::Evaluations::NAMES.into_iter().zip(proof.evaluations.values());
    for (name, bytes) in values {
        words.push(scalar("proof", &format!("evaluation {name}"), bytes)?);
    }
    words.push(scalar("proof", "the inverse", &proof.inverse)?);
    Ok(words)
}

/// Checks a point and returns its coordinates.
fn coordinates<C: Group<Base: Coordinate>, const N: usize>(
    name: &str,
    bytes: &[u8],
) -> Result<[[u8; 32]; N]> {
    point::<C>("proof", name, bytes)?;
    let words: Vec<_> = words(bytes).collect();
    Ok(words.try_into().expect("the bytes of a point"))
}

/// Checks a scalar and returns its word.
fn scalar(argument: &'static str, name: &str, bytes: &Scalar) -> Result<[u8; 32]> {
    let mut word = *bytes;
    word.reverse();
    match Bn254Fr::from_le_bytes(bytes) {
        Ok(_) => Ok(word),
        Err(problem) => Err(Error::argument(argument, format!("{name} is {problem}"))),
    }
}

#[cfg(test)]
mod tests {
    use num_bigint::BigUint;

    use super::*;
    use crate::snarkjs::public;

    /// Reads a proof of snarkjs and its public inputs.
    fn read(folder: &str) -> (snark::Proof, Vec<Scalar>) {
        let path = |name| format!("tests/snarkjs/{folder}/{name}.json");
        let proof = snark::Proof::open_any(path("proof")).unwrap();
        let public_inputs = public::open(path("public"), proof.curve()).unwrap();
        (proof, public_inputs)
    }

    /// Formats decimal numbers as words.
    fn quoted(numbers: &[&str], between: &str) -> String {
        let words = numbers.iter().map(|number| {
            let digits = BigUint::parse_bytes(number.as_bytes(), 10).unwrap().to_str_radix(16);
            format!("\"0x{digits:0>64}\"")
        });
        format!("[{}]", words.collect::<Vec<_>>().join(between))
    }

    #[test]
    fn a_call_for_groth16_has_the_proof_in_the_order_of_eip_197() {
        let (proof, public_inputs) = read("bn254");
        let call = Call::new(&proof, &public_inputs).unwrap();
        let a = [
            "7261065016869576003182600318333026382756547622396054880648895919949619553565",
            "6769794945464819196659913387581258396977045228230473129684313650128878540512",
        ];
        let x = [
            "19374179122272503413109369109904964185958623601434209538103428422720150034775",
            "15486934850323589804537841888146647325504683582500610390154784045349492734304",
        ];
        let y = [
            "7920395250413686168852791483591226940035219500240742899324455844743524071117",
            "15671688281220256289566797624478950440751972712721776890646237895676876838788",
        ];
        let c = [
            "18718277632221542439994256965984251450890264957299278563900556603886165389746",
            "5019822449822694422591596343468897384623895233713304207834829969592869092198",
        ];
        let public =
            ["7704890408527830007175997748874707748102918819136568824908699128623127763804"];
        let [a, x, y, c, public] = [&a[..], &x, &y, &c, &public].map(|list| quoted(list, ", "));
        assert_eq!(call.text(), format!("{a},[{x},{y}],{c},{public}"));
        let signature = "verifyProof(uint256[2],uint256[2][2],uint256[2],uint256[1])";
        assert_eq!(call.signature(), signature);
        // The selector that block explorers list for this signature.
        let bytes = call.bytes();
        assert_eq!((&bytes[..4], bytes.len()), (&[0x43, 0x75, 0x3b, 0x4d][..], 4 + 9 * 32));
        assert_eq!(hex(bytes[4..36].try_into().unwrap()), a[2..68]);
        assert_eq!(hex(bytes[68..100].try_into().unwrap()), x[2..68]);
    }

    #[test]
    fn a_call_for_plonk_is_two_arrays() {
        let (proof, public_inputs) = read("plonk_bn254");
        let snark::Proof::Plonk(first) = &proof else { panic!("another protocol") };
        let call = Call::new(&proof, &public_inputs).unwrap();
        assert_eq!(call.signature(), "verifyProof(uint256[24],uint256[2])");
        let bytes = call.bytes();
        assert_eq!(bytes.len(), 4 + 26 * 32);
        let numbers = bytes[4..].chunks(32).map(|word| BigUint::from_bytes_be(word).to_string());
        let numbers: Vec<_> = numbers.collect();
        let numbers: Vec<_> = numbers.iter().map(String::as_str).collect();
        let public = [
            "2364772570089488291897111702928479169025752611245464706242054787410195340673",
            "271828182845904523536028747135266249775724709369995",
        ];
        assert_eq!(numbers[24..], public);
        assert_eq!(numbers[0], BigUint::from_bytes_le(&first.a[..32]).to_string());
        assert_eq!(numbers[17], BigUint::from_bytes_le(&first.w_zeta_omega[32..]).to_string());
        assert_eq!(numbers[18], BigUint::from_bytes_le(&first.evaluations.a).to_string());
        assert_eq!(numbers[23], BigUint::from_bytes_le(&first.evaluations.z_omega).to_string());
        let first = quoted(&numbers[..2], ", ");
        let others = quoted(&numbers[2..24], ",");
        let (first, others) = (first.trim_end_matches(']'), others.trim_start_matches('['));
        assert_eq!(call.text(), format!("{first},{others}{}", quoted(&public, ",")));
    }

    #[test]
    fn a_call_for_fflonk_is_two_arrays_without_quotes() {
        let (proof, public_inputs) = read("fflonk_bn254");
        let call = Call::new(&proof, &public_inputs).unwrap();
        assert_eq!(call.signature(), "verifyProof(bytes32[24],uint256[2])");
        let file = std::fs::read("tests/snarkjs/fflonk_bn254/proof.json").unwrap();
        let file: serde_json::Value = serde_json::from_slice(&file).unwrap();
        let number = |pointer: &str| file.pointer(pointer).unwrap().as_str().unwrap().to_owned();
        let points = ["C1", "C2", "W1", "W2"].map(|name| {
            [0, 1].map(|coordinate| number(&format!("/polynomials/{name}/{coordinate}")))
        });
        let evaluations = "ql qr qm qo qc s1 s2 s3 a b c z zw t1w t2w inv".split(' ');
        let evaluations = evaluations.map(|name| number(&format!("/evaluations/{name}")));
        let numbers: Vec<_> = points.into_iter().flatten().chain(evaluations).collect();
        let numbers: Vec<_> = numbers.iter().map(String::as_str).collect();
        let public = [
            "2364772570089488291897111702928479169025752611245464706242054787410195340673",
            "271828182845904523536028747135266249775724709369995",
        ];
        // The selector that solc computes for snarkjs's contract.
        let bytes = call.bytes();
        assert_eq!((&bytes[..4], bytes.len()), (&[0x33, 0xa3, 0xae, 0xa2][..], 4 + 26 * 32));
        let words = bytes[4..].chunks(32).map(|word| BigUint::from_bytes_be(word).to_string());
        assert!(words.eq([&numbers[..], &public].concat()));
        let text = format!("{},{}", quoted(&numbers, ","), quoted(&public, ","));
        assert_eq!(call.text(), text.replace('"', "").replacen(',', ", ", 1));
    }

    #[test]
    fn a_function_without_public_inputs_has_no_argument_for_them() {
        let (proof, _) = read("bn254");
        let call = Call::new(&proof, &[]).unwrap();
        assert_eq!(call.signature(), "verifyProof(uint256[2],uint256[2][2],uint256[2])");
        assert_eq!(call.bytes().len(), 4 + 8 * 32);
        assert!(call.text().ends_with("],[]"));
        let (proof, _) = read("plonk_bn254");
        assert_eq!(Call::new(&proof, &[]).unwrap().signature(), "verifyProof(uint256[24])");
        let (proof, _) = read("fflonk_bn254");
        let call = Call::new(&proof, &[]).unwrap();
        assert_eq!(call.signature(), "verifyProof(bytes32[24])");
        assert!(call.text().ends_with("],[]"));
    }

    #[test]
    fn what_no_contract_accepts_is_an_error() {
        let error = |proof: &snark::Proof, public_inputs: &[Scalar]| {
            Call::new(proof, public_inputs).unwrap_err().to_string()
        };
        let (proof, _) = read("bls12_381");
        let problem = "proof: is on bls12_381; contracts verify proofs on bn254 only";
        assert_eq!(error(&proof, &[]), problem);
        let (proof, _) = read("plonk_bls12_381");
        assert_eq!(error(&proof, &[]), problem);

        let (proof, _) = read("bn254");
        let problem = error(&proof, &[[0; 32], [255; 32]]);
        assert!(problem.starts_with("public: value 1 is "), "{problem}");
        let snark::Proof::Groth16(mut damaged) = proof else { panic!("another protocol") };
        damaged.b[0] ^= 1;
        let problem = error(&snark::Proof::Groth16(damaged), &[]);
        assert!(problem.starts_with("proof: B is "), "{problem}");

        let (proof, _) = read("plonk_bn254");
        let snark::Proof::Plonk(proof) = proof else { panic!("another protocol") };
        let mut damaged = proof.clone();
        damaged.t_mid.pop();
        let problem = error(&snark::Proof::Plonk(damaged), &[]);
        assert!(problem.starts_with("proof: t_mid is "), "{problem}");
        let mut damaged = proof;
        damaged.evaluations.s2 = [255; 32];
        let problem = error(&snark::Proof::Plonk(damaged), &[]);
        assert!(problem.starts_with("proof: evaluation s2 is "), "{problem}");

        let (proof, _) = read("fflonk_bn254");
        let snark::Proof::Fflonk(proof) = proof else { panic!("another protocol") };
        let mut damaged = proof.clone();
        damaged.w2[0] ^= 1;
        let problem = error(&snark::Proof::Fflonk(damaged), &[]);
        assert!(problem.starts_with("proof: w2 is "), "{problem}");
        let mut damaged = proof.clone();
        damaged.evaluations.t2_omega = [255; 32];
        let problem = error(&snark::Proof::Fflonk(damaged), &[]);
        assert!(problem.starts_with("proof: evaluation t2_omega is "), "{problem}");
        let mut damaged = proof;
        damaged.inverse = [255; 32];
        let problem = error(&snark::Proof::Fflonk(damaged), &[]);
        assert!(problem.starts_with("proof: the inverse is "), "{problem}");
    }
}
