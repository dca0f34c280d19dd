//! Chia's compressed encoding of a form in [`FORM_BYTES`] bytes (`bqfc` in chiavdf).
//!
//! The coefficient b is determined by a, D and half the digits of b (Dobson, Galbraith, Smith, *Trustless
//! unknown-order groups*, ePrint 2020/196). Euclid's algorithm on (a, |b|), stopped at √a, leaves r = t |b| (mod a)
//! with r, |t| ≤ √a. From t, r² = t² D (mod a) is a number below a, so r is its integer square root, and |b| = r / t
//! (mod a). If g = gcd(a, t) is not 1, this determines |b| modulo a' = a / g only; b0 = |b| / a' is encoded, too.
//!
//! With n the bits of D rounded up to a multiple of 32 and s + 1 the bytes of g, the fields are, little-endian:
//!
//! | bytes | field |
//! |---|---|
//! | 1 | bit 0: b < 0; bit 1: t < 0; bit 2: the identity; bit 3: the generator (2, 1) |
//! | 1 | s |
//! | n/16 - s | a' |
//! | n/32 - s | abs(t) / g |
//! | s + 1 | g |
//! | s + 1 | b0 |
//!
//! and zeros up to [`FORM_BYTES`]. The identity and the generator have zeros after their first byte. A form with a = b
//! has t = g = b0 = 0.

use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use super::{ClassGroup, Form, MAX_BITS, euclid};
use crate::{Error, Result};

/// The bytes of an encoded form.
pub const FORM_BYTES: usize = MAX_BITS / 32 * 3 + 4;

const B_NEGATIVE: u8 = 1;
const T_NEGATIVE: u8 = 2;
const IDENTITY: u8 = 4;
const GENERATOR: u8 = 8;

/// The set of encodings that [`ClassGroup::decode`] accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// One encoding for each element: that of its reduced form.
    Unique,
    /// Every encoding that Chia's consensus accepts: also that of some forms that are not reduced (chiavdf's `strict`
    /// is false), and the identity and the generator with any bytes after the first.
    Consensus,
}

/// The fields of an encoding.
struct Fields {
    b_negative: bool,
    a: BigUint,
    t: BigInt,
    g: BigUint,
    b0: BigUint,
}

impl ClassGroup {
    /// Encodes `form`.
    pub fn encode(&self, form: &Form) -> Result<[u8; FORM_BYTES]> {
        self.check(form)?;
        self.encode_pair(form.a.magnitude(), &form.b)
            .ok_or_else(|| Error::argument("form", "does not fit the encoding"))
    }

    /// Decodes a form. The error names the argument `name` and the first fault.
    pub fn decode(&self, bytes: &[u8], accepted: Encoding, name: &'static str) -> Result<Form> {
        let fault = |problem: &str| Error::argument(name, problem);
        let bytes: &[u8; FORM_BYTES] = bytes.try_into().map_err(|_| {
            Error::argument(name, format!("{} bytes; expected {FORM_BYTES}", bytes.len()))
        })?;
        let (a, b) = match (bytes[0] & GENERATOR, bytes[0] & IDENTITY) {
            (0, 0) => self.decompress(&self.split(bytes).map_err(fault)?).map_err(fault)?,
            (0, _) => (BigUint::one(), BigInt::one()),
            _ => (BigUint::from(2u32), BigInt::one()),
        };
        let special = bytes[0] & (GENERATOR | IDENTITY) != 0;
        let canonical = || self.encode_pair(&a, &b).as_ref() == Some(bytes);
        let any_bytes = special && accepted == Encoding::Consensus;
        if !any_bytes && !canonical() {
            return Err(fault("is not the canonical encoding of its form"));
        }
        let a = BigInt::from(a);
        let form = self.form(a.clone(), b.clone()).map_err(|error| fault(&error.to_string()))?;
        if accepted == Encoding::Unique && (form.a != a || form.b != b) {
            return Err(fault("the form is not reduced"));
        }
        Ok(form)
    }

    /// Returns the bits of the discriminant, rounded up to a multiple of 32.
    fn encoded_bits(&self) -> usize {
        self.discriminant.bits().next_multiple_of(32) as usize
    }

    /// Encodes (a, b), reduced or not. Returns nothing if a field is too long.
    fn encode_pair(&self, a: &BigUint, b: &BigInt) -> Option<[u8; FORM_BYTES]> {
        let mut bytes = [0; FORM_BYTES];
        if b.is_one() && *a <= BigUint::from(2u32) {
            bytes[0] = if a.is_one() { IDENTITY } else { GENERATOR };
            return Some(bytes);
        }
        let fields = compress(a, b);
        let bits = self.encoded_bits();
        let s = byte_length(&fields.g).saturating_sub(1);
        bytes[0] = u8::from(fields.b_negative) * B_NEGATIVE
            + u8::from(fields.t.is_negative()) * T_NEGATIVE;
        bytes[1] = u8::try_from(s).ok()?;
        let lengths = [(bits / 16).checked_sub(s)?, (bits / 32).checked_sub(s)?, s + 1, s + 1];
        let numbers = [&fields.a, fields.t.magnitude(), &fields.g, &fields.b0];
        let mut rest = &mut bytes[2..];
        for (number, length) in numbers.into_iter().zip(lengths) {
            let (field, after) = rest.split_at_mut_checked(length)?;
            let digits = if number.is_zero() { Vec::new() } else { number.to_bytes_le() };
            field.get_mut(..digits.len())?.copy_from_slice(&digits);
            rest = after;
        }
        Some(bytes)
    }

    /// Splits an encoding into its fields.
    fn split(&self, bytes: &[u8; FORM_BYTES]) -> std::result::Result<Fields, &'static str> {
        let (bits, s) = (self.encoded_bits(), usize::from(bytes[1]));
        if s >= bits / 32 {
            return Err("the length of g is out of range");
        }
        let mut rest = &bytes[2..];
        let mut take = |length| {
            let (field, after) = rest.split_at_checked(length).ok_or("a field is too long")?;
            rest = after;
            Ok(BigUint::from_bytes_le(field))
        };
        let (a, t) = (take(bits / 16 - s)?, take(bits / 32 - s)?);
        let (g, b0) = (take(s + 1)?, take(s + 1)?);
        let sign = if bytes[0] & T_NEGATIVE == 0 { Sign::Plus } else { Sign::Minus };
        let t = BigInt::from_biguint(sign, t);
        Ok(Fields { b_negative: bytes[0] & B_NEGATIVE != 0, a, t, g, b0 })
    }

    /// Computes a and b from the fields.
    fn decompress(&self, fields: &Fields) -> std::result::Result<(BigUint, BigInt), &'static str> {
        let Fields { a, t, g, b0, .. } = fields;
        if a.is_zero() {
            return Err("a is 0");
        }
        if t.is_zero() {
            return Ok((a.clone(), a.clone().into()));
        }
        let modulus = BigInt::from(a.clone());
        let residue = t.mod_floor(&modulus).magnitude().clone();
        let (common, inverse) = euclid::gcd(a, &residue);
        if !common.is_one() {
            return Err("t and a have a common factor");
        }
        let square = (t * t * &self.discriminant).mod_floor(&modulus);
        let root = square.sqrt();
        if &root * &root != square {
            return Err("t² D modulo a is not a square");
        }
        let b = (root * inverse).mod_floor(&modulus) + modulus * BigInt::from(b0.clone());
        let a = if g.is_zero() { a.clone() } else { a * g };
        Ok((a, if fields.b_negative { -b } else { b }))
    }
}

/// Computes the fields of (a, b).
fn compress(a: &BigUint, b: &BigInt) -> Fields {
    if b.is_positive() && a == b.magnitude() {
        let (t, g, b0) = (BigInt::zero(), BigUint::zero(), BigUint::zero());
        return Fields { b_negative: false, a: a.clone(), t, g, b0 };
    }
    let t = euclid::partial(a, b.magnitude(), &a.sqrt()).c1();
    let g = a.gcd(t.magnitude());
    let b_negative = b.is_negative();
    if g.is_one() {
        return Fields { b_negative, a: a.clone(), t, g, b0: BigUint::zero() };
    }
    let (reduced, t) = (a / &g, t / BigInt::from(g.clone()));
    let b0 = b.magnitude() / &reduced;
    Fields { b_negative, a: reduced, t, g, b0 }
}

/// Returns the bytes of `n`, at least 1.
fn byte_length(n: &BigUint) -> usize {
    n.bits().div_ceil(8).max(1) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdf::class_group::create_discriminant;
    use crate::vdf::class_group::tests::{elements, random};

    /// A form of Chia's main chain (block 309,155) with g = 2 and b0 = 1: tests/test_bqfc_deserialize.py of chiavdf.
    const B0_DISCRIMINANT: &str = concat!(
        "-14621209113037436444827159862991268711163197472284660322718376990693597087648387178284056216244557105215448097",
        "57194487677697675579051294615240799023943155423549942690601817957180550434877350561209159167682732001383119403",
        "57886024014124174476991145983171370265799623472241486347111977874193600694306566545523111"
    );
    const B0_FORM: &str = concat!(
        "0300d8262c430e78e7c06cf60c9b2049968f604f3b506a85bfe4fff319f8176760",
        "e06cab8ab45524458bf558101f9b4ce8c23cc1e053263272b808b76c6f26493a11",
        "3b62ded5707b28d9eedc0503ac2efcd32be670726725be0fa7ea01f0ef3f602502",
        "01"
    );

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len() / 2)
            .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
            .collect()
    }

    fn problem(group: &ClassGroup, bytes: &[u8], accepted: Encoding) -> Option<String> {
        group.decode(bytes, accepted, "y").err().map(|error| error.to_string())
    }

    #[test]
    fn all_elements_of_small_groups_survive_the_encoding() {
        for discriminant in [-3, -7, -15, -23, -47, -63, -71, -231, -10_007] {
            let group = ClassGroup::new(discriminant.into()).unwrap();
            for form in elements(&group) {
                let bytes = group.encode(&form).unwrap();
                for accepted in [Encoding::Unique, Encoding::Consensus] {
                    assert_eq!(group.decode(&bytes, accepted, "y").unwrap(), form);
                }
            }
        }
    }

    #[test]
    fn large_forms_survive_the_encoding_and_no_flipped_bit_does() {
        for bits in [64, 512, 1_000, 1_024] {
            let group =
                ClassGroup::new(create_discriminant(b"a public seed", bits).unwrap()).unwrap();
            let mut form = group.pow(&group.generator().unwrap(), &random(256, 1)).unwrap();
            for bit in 0..FORM_BYTES * 8 {
                let mut bytes = group.encode(&form).unwrap();
                assert_eq!(group.decode(&bytes, Encoding::Unique, "y").unwrap(), form);
                bytes[bit / 8] ^= 1 << (bit % 8);
                if let Ok(other) = group.decode(&bytes, Encoding::Unique, "y") {
                    assert!(other != form && group.encode(&other).unwrap() == bytes);
                }
                form = group.square(&form).unwrap();
            }
        }
    }

    #[test]
    fn special_forms_have_one_byte() {
        let group = ClassGroup::new((-47).into()).unwrap();
        let mut bytes = [0; FORM_BYTES];
        bytes[0] = 4;
        assert_eq!(group.encode(&group.identity()).unwrap(), bytes);
        bytes[0] = 8;
        assert_eq!(group.encode(&group.generator().unwrap()).unwrap(), bytes);
        for (first, last) in [(12, 0), (8, 1), (9, 0), (40, 0)] {
            (bytes[0], bytes[99]) = (first, last);
            let decoded = group.decode(&bytes, Encoding::Consensus, "y").unwrap();
            assert_eq!(decoded, group.generator().unwrap());
            let not_canonical = "y: is not the canonical encoding of its form";
            assert_eq!(problem(&group, &bytes, Encoding::Unique).unwrap(), not_canonical);
        }
    }

    #[test]
    fn inflated_b0_is_not_unique_but_consensus_accepts_it() {
        let group = ClassGroup::new(B0_DISCRIMINANT.parse().unwrap()).unwrap();
        let form = group.decode(&hex(B0_FORM), Encoding::Unique, "y").unwrap();
        assert_eq!(group.encode(&form).unwrap()[..], hex(B0_FORM));
        for inflation in [4, 8] {
            let mut bytes = hex(B0_FORM);
            bytes[99] ^= inflation;
            assert_eq!(problem(&group, &bytes, Encoding::Consensus), None);
            assert_eq!(
                problem(&group, &bytes, Encoding::Unique).unwrap(),
                "y: the form is not reduced"
            );
        }
        let mut bytes = hex(B0_FORM);
        bytes[99] ^= 1;
        assert!(problem(&group, &bytes, Encoding::Consensus).is_some());
    }

    #[test]
    fn each_fault_is_named() {
        let group = ClassGroup::new(create_discriminant(b"a public seed", 1_024).unwrap()).unwrap();
        let generator = group.generator().unwrap();
        let bytes = group.encode(&group.pow(&generator, &random(256, 2)).unwrap()).unwrap();
        let changed = |index: usize, value: u8| {
            let mut bytes = bytes;
            bytes[index] = value;
            problem(&group, &bytes, Encoding::Consensus).unwrap_or_default()
        };
        assert_eq!(problem(&group, &[], Encoding::Consensus).unwrap(), "y: 0 bytes; expected 100");
        assert_eq!(
            problem(&group, &[0; 101], Encoding::Unique).unwrap(),
            "y: 101 bytes; expected 100"
        );
        assert_eq!(problem(&group, &[0; 100], Encoding::Unique).unwrap(), "y: a is 0");
        assert_eq!(changed(1, 32), "y: the length of g is out of range");
        assert_eq!(changed(1, 255), "y: the length of g is out of range");
        let no_square = "y: t² D modulo a is not a square";
        assert!((0..=255).any(|value| changed(10, value) == no_square));
        assert_eq!(changed(99, 1), "y: is not the canonical encoding of its form");
        let mut common = [0; 100];
        (common[2], common[66], common[98]) = (9, 3, 1);
        assert_eq!(
            problem(&group, &common, Encoding::Unique).unwrap(),
            "y: t and a have a common factor"
        );
        // a = b = 3: t is 0, and 12 does not divide 9 - D.
        let mut equal = [0; 100];
        equal[2] = 3;
        let not_a_form = "y: b: no form of this discriminant has these a and b";
        assert_eq!(problem(&group, &equal, Encoding::Unique).unwrap(), not_a_form);
    }
}
