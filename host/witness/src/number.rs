//! Input values: integers of any size, reduced modulo r as circom's JavaScript reduces them.

use proofmill_proof::groth16::Scalar;

use crate::prime::Limbs;

/// Reads an integer as `BigInt(text)` of JavaScript does, and reduces it modulo r: decimal digits with an optional sign, or `0x`,
/// `0o` or `0b` and digits, with white space around them. Returns `None` for other text. The time depends on the value.
pub fn parse_vartime(text: &str, modulus: &Limbs) -> Option<Scalar> {
    let text = text.trim();
    let (negative, digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (false, &text[2..], 16),
        Some("0o" | "0O") => (false, &text[2..], 8),
        Some("0b" | "0B") => (false, &text[2..], 2),
        _ => match text.strip_prefix('-') {
            Some(digits) => (true, digits, 10),
            None => (false, text.strip_prefix('+').unwrap_or(text), 10),
        },
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = [0; 4];
    for digit in digits.chars() {
        value = multiply_add(&value, radix, digit.to_digit(radix)?, modulus);
    }
    if negative && value != [0; 4] {
        value = subtract(&[modulus[0], modulus[1], modulus[2], modulus[3], 0], &value).0[..4]
            .try_into()
            .expect("four limbs");
    }
    Some(bytes(&value))
}

/// Returns 0 or 1.
pub fn bit(value: bool) -> Scalar {
    bytes(&[u64::from(value), 0, 0, 0])
}

/// Returns value · radix + digit mod r. The radix is at most 16, so at most 16 subtractions follow.
fn multiply_add(value: &Limbs, radix: u32, digit: u32, modulus: &Limbs) -> Limbs {
    let mut sum = [0; 5];
    let mut carry = u128::from(digit);
    for (limb, value) in sum.iter_mut().zip(value) {
        carry += u128::from(*value) * u128::from(radix);
        *limb = carry as u64;
        carry >>= 64;
    }
    sum[4] = carry as u64;
    loop {
        match subtract(&sum, modulus) {
            (difference, false) => sum = difference,
            (_, true) => return [sum[0], sum[1], sum[2], sum[3]],
        }
    }
}

/// Returns the difference modulo 2^320, and whether it is negative.
fn subtract(a: &[u64; 5], b: &Limbs) -> ([u64; 5], bool) {
    let mut difference = *a;
    let mut borrow = false;
    for (limb, b) in difference.iter_mut().zip(b.iter().chain([&0])) {
        let (first, under) = limb.overflowing_sub(*b);
        let (second, under_again) = first.overflowing_sub(u64::from(borrow));
        *limb = second;
        borrow = under || under_again;
    }
    (difference, borrow)
}

fn bytes(value: &Limbs) -> Scalar {
    let mut bytes = Scalar::default();
    bytes.as_chunks_mut().0.iter_mut().zip(value).for_each(|(out, limb)| *out = limb.to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use num_bigint::{BigInt, Sign};

    use super::*;
    use crate::prime;

    #[test]
    fn numbers_are_read_as_javascript_reads_them() {
        for (modulus, name) in [(prime::BN254, "bn254"), (prime::BLS12_381, "bls12_381")] {
            let bytes: Vec<u8> = modulus.iter().flat_map(|limb| limb.to_le_bytes()).collect();
            let r = BigInt::from_bytes_le(Sign::Plus, &bytes);
            let big: BigInt = BigInt::from(3).pow(1000);
            let values = [
                BigInt::from(0),
                BigInt::from(1),
                r.clone() - 1,
                r.clone(),
                r.clone() + 1,
                (BigInt::from(1) << 256) - 1,
                big.clone(),
            ];
            for value in values.iter().flat_map(|value| [value.clone(), -value.clone()]) {
                let reduced = ((value.clone() % &r) + &r) % &r;
                let mut expected = reduced.to_bytes_le().1;
                expected.resize(32, 0);
                let mut texts = vec![value.to_string(), format!(" \n{value}\t")];
                if value.sign() != Sign::Minus {
                    texts.extend([
                        format!("0x{value:x}"),
                        format!("0X{value:X}"),
                        format!("0b{value:b}"),
                    ]);
                    texts.extend([
                        format!("0o{value:o}"),
                        format!("+{value}"),
                        format!("000{value}"),
                    ]);
                }
                for text in texts {
                    let found = parse_vartime(&text, &modulus).map(|value| value.to_vec());
                    assert_eq!(found, Some(expected.clone()), "{text} of {name}");
                }
            }
        }
    }

    #[test]
    fn other_text_is_refused() {
        let texts = [
            "", " ", "-", "+", "0x", "-0x1", "+0b1", "1.5", "1e3", "1_000", "0xg", "12 3", "é",
            "0b2", "--1", "१",
        ];
        for text in texts {
            assert_eq!(parse_vartime(text, &prime::BN254), None, "{text}");
        }
    }
}
