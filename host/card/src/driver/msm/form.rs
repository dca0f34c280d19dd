//! The engine's form of coordinates: the digits of points in the card's memory and of results. The card's registers describe
//! the digits, by the rule of `spec/wire/msm.toml`. In G2 a coordinate is two elements of Fp, each in this form.

use proofmill_algebra::field::PrimeField;

/// The form of a coordinate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// Digits of a coordinate.
    pub digits: usize,
    /// Bytes of a digit of a point.
    pub stored_digit: usize,
    /// Bytes of a digit of a sum.
    pub digit_bytes: usize,
    /// The base of the digits; 0 if there is one digit.
    pub base: i128,
}

impl Form {
    /// Returns the bytes of a coordinate of a point.
    pub fn stored_bytes(&self) -> usize {
        self.digits * self.stored_digit
    }

    /// Returns the bytes of a coordinate of a sum.
    pub fn sum_bytes(&self) -> usize {
        self.digits * self.digit_bytes
    }

    /// Returns whether this driver can write every coordinate of this field in this form. It divides by numbers of 64 bits.
    pub fn holds<F: PrimeField>(&self) -> bool {
        if self.digit_bytes == 0 || self.digit_bytes > 255 {
            return false;
        }
        if self.digits == 1 {
            return self.base == 0 && self.stored_digit as u32 * 8 > F::BITS;
        }
        let Ok(base) = u64::try_from(self.base.unsigned_abs()) else { return false };
        if base < 2 || self.digits == 0 || self.stored_digit != size_of::<i64>() {
            return false;
        }
        // The last digit is at most the remainder of p / 2, plus 1 for the borrow of the digit before it.
        let mut rest = F::MODULUS.to_vec();
        for _ in 1..self.digits {
            divide(&mut rest, base);
        }
        rest[1..].iter().all(|&limb| limb == 0) && rest[0] / 2 + 1 < 1 << 63
    }

    /// Writes a coordinate of a point: [`Self::stored_bytes`].
    pub fn write<F: PrimeField>(&self, coordinate: &F, bytes: &mut [u8]) {
        if self.digits == 1 {
            let canonical = coordinate.to_le_bytes();
            let canonical = canonical.as_ref();
            bytes[..canonical.len()].copy_from_slice(canonical);
            return;
        }
        // The residue of smallest magnitude.
        let (plus, minus) = (coordinate.to_canonical(), (-*coordinate).to_canonical());
        let mut negative = minus.as_ref().iter().rev().lt(plus.as_ref().iter().rev());
        let mut rest = if negative { minus } else { plus };
        let rest = rest.as_mut();
        let base = self.base.unsigned_abs() as u64;
        let (lower, last) = bytes.split_last_chunk_mut::<8>().expect("a last digit");
        for bytes in lower.as_chunks_mut::<8>().0 {
            let remainder = i128::from(divide(rest, base));
            // The digit is more than -base/2 and at most base/2.
            let carry = 2 * remainder + i128::from(negative) > i128::from(base);
            if carry {
                increment(rest);
            }
            let digit = if carry { remainder - i128::from(base) } else { remainder };
            *bytes = (if negative { -digit } else { digit } as i64).to_le_bytes();
            negative ^= self.base < 0;
        }
        let digit = rest[0] as i64;
        *last = (if negative { -digit } else { digit }).to_le_bytes();
    }

    /// Reads a coordinate of a sum, which need not be canonical: [`Self::sum_bytes`].
    pub fn read<F: PrimeField>(&self, bytes: &[u8]) -> F {
        let base = F::from(self.base.unsigned_abs() as u64);
        let base = if self.base < 0 { -base } else { base };
        let digits = bytes.rchunks_exact(self.digit_bytes);
        digits.fold(F::ZERO, |sum, digit| sum * base + signed::<F>(digit))
    }
}

/// A signed little-endian integer, at least one byte.
fn signed<F: PrimeField>(bytes: &[u8]) -> F {
    let byte = F::from(256);
    let number = bytes.iter().rev().fold(F::ZERO, |sum, &next| sum * byte + F::from(next.into()));
    match bytes.last() {
        Some(top) if top >> 7 == 1 => number - byte.pow_vartime(&[bytes.len() as u64]),
        _ => number,
    }
}

/// Divides a number by a digit; the remainder.
fn divide(limbs: &mut [u64], by: u64) -> u64 {
    limbs.iter_mut().rev().fold(0, |remainder, limb| {
        let here = u128::from(remainder) << 64 | u128::from(*limb);
        *limb = (here / u128::from(by)) as u64;
        (here % u128::from(by)) as u64
    })
}

/// Adds 1 to a number that is not all ones.
fn increment(limbs: &mut [u64]) {
    for limb in limbs {
        let (sum, carry) = limb.overflowing_add(1);
        *limb = sum;
        if !carry {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proofmill_algebra::field::Field;
    use proofmill_algebra::{bls12_381, bn254};

    const BLS12_381: Form =
        Form { digits: 6, stored_digit: 8, digit_bytes: 8, base: -0xd201_0000_0001_0000 };
    #[cfg(feature = "bls12_377")]
    const BLS12_377: Form =
        Form { digits: 6, stored_digit: 8, digit_bytes: 8, base: 0x8508_c000_0000_0001 };
    const BN254: Form = Form { digits: 1, stored_digit: 32, digit_bytes: 32, base: 0 };

    /// Random elements and those around 0 and p / 2.
    fn elements<F: PrimeField>() -> Vec<F> {
        let mut all = vec![F::ZERO];
        let half = F::from(2).invert_vartime().unwrap();
        let mut random = F::from(0x1234_5678_9abc_def1).square();
        for i in 1..200 {
            let small = F::from(i % 20);
            random = random.square() + small;
            all.extend([small, -small, half + small, half - small, random]);
        }
        all
    }

    fn round_trip<F: PrimeField>(form: &Form) {
        assert!(form.holds::<F>());
        for element in elements::<F>() {
            let mut bytes = vec![0; form.stored_bytes()];
            form.write(&element, &mut bytes);
            assert_eq!(form.read::<F>(&bytes), element);
            if form.digits == 1 {
                assert_eq!(bytes, element.to_le_bytes().as_ref());
                continue;
            }
            let base = form.base.abs();
            let digit = |bytes: &[u8; 8]| i128::from(i64::from_le_bytes(*bytes));
            let (lower, _) = bytes[..8 * (form.digits - 1)].as_chunks();
            assert!(lower.iter().map(digit).all(|d| -base < 2 * d && 2 * d <= base));
        }
    }

    #[test]
    fn written_coordinates_are_read_back_and_are_of_least_magnitude() {
        round_trip::<bn254::Fp>(&BN254);
        round_trip::<bls12_381::Fp>(&BLS12_381);
        #[cfg(feature = "bls12_377")]
        round_trip::<proofmill_algebra::bls12_377::Fp>(&BLS12_377);
    }

    #[test]
    fn digits_of_a_sum_may_be_longer_and_negative() {
        let form = Form { digit_bytes: 9, ..BLS12_381 };
        let mut bytes = [0; 54];
        bytes[..9].copy_from_slice(&(-3i128).to_le_bytes()[..9]);
        bytes[9..18].copy_from_slice(&(1i128 << 66).to_le_bytes()[..9]);
        let z = -bls12_381::Fp::from(0xd201_0000_0001_0000);
        let two_66 = bls12_381::Fp::from(1 << 33).square();
        assert_eq!(form.read::<bls12_381::Fp>(&bytes), z * two_66 - bls12_381::Fp::from(3));
    }

    #[test]
    fn forms_that_are_too_short_are_noticed() {
        assert!(!Form { stored_digit: 31, ..BN254 }.holds::<bn254::Fp>());
        assert!(!Form { base: 5, ..BN254 }.holds::<bn254::Fp>());
        assert!(!Form { digit_bytes: 0, ..BN254 }.holds::<bn254::Fp>());
        assert!(!Form { digits: 5, ..BLS12_381 }.holds::<bls12_381::Fp>());
        assert!(!Form { stored_digit: 7, ..BLS12_381 }.holds::<bls12_381::Fp>());
        assert!(!Form { base: 1 << 64, ..BLS12_381 }.holds::<bls12_381::Fp>());
        assert!(!Form { base: 0, ..BLS12_381 }.holds::<bls12_381::Fp>());
    }
}
