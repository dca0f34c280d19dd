//! The sum of a point and bytes that are no point, as snarkjs computes it.
//!
//! Its additions, subtractions and products reduce once, so that numbers of p or more, which these bytes may be, are not
//! treated as their residues. With R = 2^(8 bytes), all numbers are below R.

use num_bigint::BigUint;

/// Arithmetic with a modulus p and R.
struct Numbers {
    p: BigUint,
    bits: usize,
    /// -1/p modulo R.
    minus_inverse: BigUint,
}

impl Numbers {
    fn new(p: &BigUint, bits: usize) -> Self {
        let radix = BigUint::from(1_u8) << bits;
        let minus_inverse = &radix - p.modinv(&radix).expect("p is odd");
        Self { p: p.clone(), bits, minus_inverse }
    }

    fn low(&self, x: BigUint) -> BigUint {
        x & ((BigUint::from(1_u8) << self.bits) - 1_u8)
    }

    /// Subtracts p from a number below 2 R once, if it is p or more.
    fn reduce(&self, x: BigUint) -> BigUint {
        if x < self.p { x } else { self.low(x - &self.p) }
    }

    fn add(&self, x: &BigUint, y: &BigUint) -> BigUint {
        self.reduce(x + y)
    }

    fn sub(&self, x: &BigUint, y: &BigUint) -> BigUint {
        if x >= y { x - y } else { self.low((BigUint::from(1_u8) << self.bits) + x + &self.p - y) }
    }

    fn mul(&self, x: &BigUint, y: &BigUint) -> BigUint {
        let product = x * y;
        let multiple = self.low(self.low(product.clone()) * &self.minus_inverse);
        self.reduce((product + multiple * &self.p) >> self.bits)
    }
}

/// Computes X, Y and Z of the sum of (x1, y1) and (x2, y2), with x = X / Z^2 and y = Y / Z^3 (EFD mmadd-2007-bl). All are in Montgomery form.
pub fn sum(
    p: &BigUint,
    bits: usize,
    [x1, y1]: [&BigUint; 2],
    [x2, y2]: [&BigUint; 2],
) -> [BigUint; 3] {
    let n = Numbers::new(p, bits);
    let twice = |x: &BigUint| n.add(x, x);
    let h = n.sub(x2, x1);
    let i = twice(&twice(&n.mul(&h, &h)));
    let j = n.mul(&h, &i);
    let r = twice(&n.sub(y2, y1));
    let v = n.mul(x1, &i);
    let x3 = n.sub(&n.sub(&n.mul(&r, &r), &j), &twice(&v));
    let y3 = n.sub(&n.mul(&n.sub(&v, &x3), &r), &twice(&n.mul(y1, &j)));
    [x3, y3, twice(&h)]
}

#[cfg(test)]
mod tests {
    use proofmill_algebra::bn254::Fp;
    use proofmill_algebra::field::PrimeField;

    use super::*;

    /// From ffjavascript's `g1m_subAffine`, on the bytes behind the powers of tau of a file of power 15 on BN254.
    #[test]
    fn bytes_that_are_no_point_are_added_as_snarkjs_does() {
        let number = |hex: &str| {
            let bytes: Vec<_> = (0..hex.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
                .collect();
            BigUint::from_bytes_le(&bytes)
        };
        let p = Fp::MODULUS.iter().rev().fold(BigUint::ZERO, |p, limb| (p << 64) + *limb);
        let x1 = number("0300000000004000000000002620bc02d1b5838e72017b493519ebdcdf1a8197");
        let y1 = number("4726b8fb3b5096af4138571940614ca87d73b4afc4d802585add4360862fa052");
        let x2 = number("0392866547f6306a2e20fe86c69c4208fd7683e68c2b2c7fc71af48757265f2b");
        let y2 = &p - number("0ac60b18ae793fb41b9abc58737af943406295affdffe0031542f124f79d7a2d");
        let expected = [
            "1259d07fe38ed168178de4bd00d92a95ddc86f4d51811983f218a82579ca2119",
            "641729c16a6d5b5b4bbc543233ef46704a266abed54d65019ce9cb28ef706a1a",
            "47218aa3a5780210ea0a6e76d2638ea2b5da8031eb99b2234ea3433762652058",
        ];
        assert_eq!(sum(&p, 256, [&x1, &y1], [&x2, &y2]), expected.map(number));
    }
}
