//! Arithmetic modulo numbers known at run time, against `num-bigint`.

use num_bigint::BigUint;
use proofmill_algebra::Isa;
use proofmill_algebra::modulus::{MAX_BYTES, Modulus, ModulusError};

/// A sequence of limbs that is the same in every run (xorshift, Marsaglia 2003).
struct Limbs(u64);

impl Limbs {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number of some bits; at times of ones or zeros only, where carries are.
    fn number(&mut self, bits: u64, style: usize) -> BigUint {
        let limb = |limbs: &mut Self| match style % 4 {
            0 => u64::MAX,
            1 => 0,
            _ => limbs.next(),
        };
        let limbs: Vec<u64> = (0..bits.div_ceil(64)).map(|_| limb(self)).collect();
        let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        BigUint::from_bytes_le(&bytes) % (BigUint::from(1_u8) << bits)
    }
}

fn modulus(n: &BigUint) -> Modulus {
    Modulus::new(&n.to_bytes_le()).unwrap()
}

#[test]
fn every_pair_of_a_small_modulus() {
    for n in [3_u8, 5, 9, 105, 255] {
        let m = Modulus::new(&[n]).unwrap();
        for a in 0..n {
            for b in 0..n {
                let product = m.multiply(&m.residue(&[a]).unwrap(), &m.residue(&[b]).unwrap());
                assert_eq!(
                    m.to_bytes(&product),
                    [(u16::from(a) * u16::from(b) % u16::from(n)) as u8]
                );
            }
        }
        assert!(m.residue(&[n]).is_none() && m.residue(&[0, 1]).is_none());
    }
}

#[test]
fn remainders_of_integers_of_all_lengths() {
    let mut limbs = Limbs(0x1234_5678_9abc_def2);
    for bits in [8, 64, 127, 512, 1024, 2047, 4096] {
        for round in 0..8 {
            let top = BigUint::from(1_u8) << (bits - 1);
            let n = limbs.number(bits, round) | top | BigUint::from(1_u8);
            let value = limbs.number(bits + 17 * round as u64, round / 2);
            let mut wanted = (&value % &n).to_bytes_le();
            wanted.resize(bits.div_ceil(8) as usize, 0);
            let m = modulus(&n);
            assert_eq!(m.remainder(&value.to_bytes_le()), wanted);
            assert_eq!(m.remainder(&n.to_bytes_le()), vec![0; m.byte_count()]);
            assert_eq!(m.remainder(&[]), vec![0; m.byte_count()]);
        }
    }
}

/// Many squarings have a code path of their own on a processor with IFMA, for which lengths at the ends of its vectors matter.
#[test]
fn many_squarings_of_all_lengths() {
    let mut limbs = Limbs(0x1234_5678_9abc_def3);
    let ends = [400, 408, 409, 512, 772, 824, 825, 1024, 1240, 1241, 1536, 1656, 1657, 2020, 2048];
    for bits in ends
        .into_iter()
        .chain([2072, 2073, 2488, 2489, 2904, 2905, 3072, 3320, 3321, 3736, 3737, 4096])
    {
        for round in 0..3 {
            let top = BigUint::from(1_u8) << (bits - 1);
            let n = limbs.number(bits, 4 * (round / 2) + 3 * round) | top | BigUint::from(1_u8);
            let m = modulus(&n);
            let mut a = match round {
                0 => &n - 1_u8,
                _ => limbs.number(bits, 2) % &n,
            };
            let mut x = m.residue(&a.to_bytes_le()).unwrap();
            for times in [511, 512, 600] {
                let before = x.clone();
                m.square_repeatedly(&mut x, times);
                for isa in Isa::available() {
                    let mut y = before.clone();
                    m.square_many_times(isa, &mut y, times);
                    assert_eq!(m.to_bytes(&y), m.to_bytes(&x), "{bits} bits, {}", isa.name());
                }
                a = (0..times).fold(a, |a, _| &a * &a % &n);
                assert_eq!(
                    BigUint::from_bytes_le(&m.to_bytes(&x)),
                    a,
                    "{bits} bits, round {round}"
                );
            }
        }
    }
}

#[test]
fn products_and_squares_of_all_lengths() {
    let mut limbs = Limbs(0x1234_5678_9abc_def1);
    for bits in [64, 127, 512, 513, 1024, 1500, 2047, 2048, 3072, 4096] {
        for round in 0..24 {
            let top = BigUint::from(1_u8) << (bits - 1);
            let n = limbs.number(bits, round) | top | BigUint::from(1_u8);
            let m = modulus(&n);
            let (a, b) = (limbs.number(bits, round / 4) % &n, limbs.number(bits, round / 2) % &n);
            let [x, y] = [&a, &b].map(|value| m.residue(&value.to_bytes_le()).unwrap());
            let product = m.multiply(&x, &y);
            assert_eq!(
                BigUint::from_bytes_le(&m.to_bytes(&product)),
                &a * &b % &n,
                "{bits} {round}"
            );
            let mut power = x.clone();
            m.square_repeatedly(&mut power, 7);
            let wanted = a.modpow(&BigUint::from(128_u8), &n);
            assert_eq!(BigUint::from_bytes_le(&m.to_bytes(&power)), wanted, "{bits} {round}");
        }
    }
}

#[test]
fn products_of_powers() {
    let mut limbs = Limbs(0xfeed_beef_1234_5671);
    for bits in [264, 1024, 2048] {
        let n = limbs.number(bits, 2) | BigUint::from(1_u8);
        let m = modulus(&n);
        let (a, b) = (limbs.number(bits, 2) % &n, limbs.number(bits, 2) % &n);
        let exponents = [limbs.number(264, 2), limbs.number(128, 3)];
        let [x, y] = [&a, &b].map(|value| m.residue(&value.to_bytes_le()).unwrap());
        let digits = exponents.each_ref().map(BigUint::to_u64_digits);
        let found = m.product_of_powers(&[(&x, &digits[0]), (&y, &digits[1])]);
        let wanted = a.modpow(&exponents[0], &n) * b.modpow(&exponents[1], &n) % &n;
        assert_eq!(BigUint::from_bytes_le(&m.to_bytes(&found)), wanted);
        assert_eq!(m.to_bytes(&m.product_of_powers(&[])), m.to_bytes(&m.one()));
    }
}

#[test]
fn what_is_no_modulus_is_refused() {
    let refusal = |bytes: &[u8]| Modulus::new(bytes).unwrap_err();
    assert_eq!(refusal(&[]), ModulusError::Even);
    assert_eq!(refusal(&[0, 0]), ModulusError::Even);
    assert_eq!(refusal(&[6]), ModulusError::Even);
    assert_eq!(refusal(&[1, 0]), ModulusError::One);
    assert_eq!(refusal(&[1; MAX_BYTES + 1]), ModulusError::Long);
    assert_eq!(Modulus::new(&[7, 0, 0]).unwrap().byte_count(), 1);
}
