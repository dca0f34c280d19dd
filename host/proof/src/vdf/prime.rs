//! The Baillie–PSW primality test and Chia's hash to a prime.
//!
//! A number passes the test if it has no small factor, is a strong probable prime to base 2, and is a Lucas-V probable
//! prime (Baillie, Fiori, Wagstaff, *Strengthening the Baillie–PSW primality test*, arXiv 2006.14425, method A*).
//! chiavdf has the same test. A prime always passes. No composite number below 2^64 passes, and none is known at any
//! size; but no bound is proved, and a heuristic argument of Pomerance (1984) expects that very large ones exist.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use proofmill_algebra::modulus::Modulus;
use sha2::{Digest, Sha256};

use crate::{Error, Result};

/// The largest number of bits that [`hash_prime`] accepts.
pub const MAX_PRIME_BITS: usize = 4_096;

/// Trial divisors are the odd primes below this number.
const TRIAL_BOUND: usize = 2_048;

/// The number of odd primes below [`TRIAL_BOUND`].
const TRIAL_PRIMES: usize = 308;

/// The search for Lucas parameters ends at this number, as in chiavdf. Only squares are likely to get so far.
const LUCAS_BOUND: i64 = 1_000;

/// The odd primes below [`TRIAL_BOUND`], by the sieve of Eratosthenes.
const ODD_PRIMES: [u64; TRIAL_PRIMES] = {
    let mut composite = [false; TRIAL_BOUND];
    let mut primes = [0; TRIAL_PRIMES];
    let (mut n, mut count) = (3, 0);
    while n < TRIAL_BOUND {
        if !composite[n] {
            primes[count] = n as u64;
            count += 1;
            let mut multiple = n * n;
            while multiple < TRIAL_BOUND {
                composite[multiple] = true;
                multiple += n;
            }
        }
        n += 2;
    }
    assert!(count == TRIAL_PRIMES);
    primes
};

/// Returns whether `n` passes the Baillie–PSW test. See the module for its error.
pub fn is_probable_prime(n: &BigUint) -> bool {
    if n.is_even() || n.is_one() {
        return n.to_u64() == Some(2);
    }
    match small_factor(n) {
        Some(factor) => n.to_u64() == Some(factor),
        None => is_strong_probable_prime_2(n) && is_lucas_v_probable_prime(n),
    }
}

/// Returns the smallest prime factor of the odd number `n` below [`TRIAL_BOUND`].
///
/// Five primes below 2^11 have a product below 2^64, so a long division serves five primes.
pub(super) fn small_factor(n: &BigUint) -> Option<u64> {
    ODD_PRIMES.chunks(5).find_map(|primes| {
        let remainder = (n % primes.iter().product::<u64>()).to_u64()?;
        primes.iter().copied().find(|prime| remainder.is_multiple_of(*prime))
    })
}

/// Returns whether 2^d = 1 or 2^(2^i d) = -1 (mod n) for an i < s, where n - 1 = 2^s d with d odd. `n` is odd and above 1.
fn is_strong_probable_prime_2(n: &BigUint) -> bool {
    let minus_one = n - 1u32;
    let s = minus_one.trailing_zeros().unwrap_or(0);
    let Ok(modulus) = Modulus::new(&n.to_bytes_le()) else { return false };
    let Some(two) = modulus.residue(&[2]) else { return false };
    let exponent = (&minus_one >> s).to_u64_digits();
    let mut power = modulus.product_of_powers(&[(&two, &exponent)]);
    let value = |power: &_| BigUint::from_bytes_le(&modulus.to_bytes(power));
    if value(&power).is_one() || value(&power) == minus_one {
        return true;
    }
    (1..s).any(|_| {
        modulus.square_repeatedly(&mut power, 1);
        value(&power) == minus_one
    })
}

/// Returns whether V_(n+1) = 2 Q (mod n) in the Lucas sequence of the parameters P and Q of method A*. `n` is odd.
fn is_lucas_v_probable_prime(n: &BigUint) -> bool {
    let candidates = (5..LUCAS_BOUND).step_by(2).map(|d| if d % 4 == 1 { d } else { -d });
    let Some(d) = candidates.into_iter().find(|d| jacobi(*d, n) == -1) else { return false };
    let (p, q) = if d == 5 { (5, 5) } else { (1, (1 - d) / 4) };
    let modulus = BigInt::from(n.clone());
    lucas_v(p, q, &(n + 1u32), &modulus) == BigInt::from(2 * q).mod_floor(&modulus)
}

/// Computes V_k(p, q) modulo `n` by doubling (V_j, V_(j+1), q^j) along the bits of `k`.
fn lucas_v(p: i64, q: i64, k: &BigUint, n: &BigInt) -> BigInt {
    let reduce = |value: BigInt| value.mod_floor(n);
    let (mut v, mut next, mut power) = (BigInt::from(2), BigInt::from(p), BigInt::one());
    for bit in (0..k.bits()).rev() {
        let middle = reduce(&v * &next - &power * p);
        if k.bit(bit) {
            let power_next = &power * q;
            next = reduce(&next * &next - (&power_next << 1));
            v = middle;
            power = reduce(power * power_next);
        } else {
            v = reduce(&v * &v - (&power << 1));
            next = middle;
            power = reduce(&power * &power);
        }
    }
    v
}

/// Computes the Jacobi symbol (d / n) for odd `d` and odd `n`: reciprocity leaves a symbol of small numbers.
fn jacobi(d: i64, n: &BigUint) -> i32 {
    let three_mod_4 = n.bit(1);
    let magnitude = d.unsigned_abs();
    let flips = u32::from(d < 0 && three_mod_4) + u32::from(magnitude % 4 == 3 && three_mod_4);
    let small = (n % magnitude).to_u64().map_or(0, |remainder| jacobi_small(remainder, magnitude));
    if flips == 1 { -small } else { small }
}

/// Computes the Jacobi symbol (a / n) for odd `n` (Cohen, Algorithm 1.4.10, without its signs).
fn jacobi_small(mut a: u64, mut n: u64) -> i32 {
    let mut symbol = 1;
    a %= n;
    while a != 0 {
        let twos = a.trailing_zeros();
        a >>= twos;
        if twos % 2 == 1 && matches!(n % 8, 3 | 5) {
            symbol = -symbol;
        }
        if a % 4 == 3 && n % 4 == 3 {
            symbol = -symbol;
        }
        (a, n) = (n % a, a);
    }
    if n == 1 { symbol } else { 0 }
}

/// Returns the first prime that Chia's generator derives from `seed`, with the bits of `set_bits` and bit 0 set.
///
/// The seed is a big-endian counter. A candidate is the concatenation of the SHA-256 digests of the incremented
/// counter, cut to `bits` bits and read big-endian. Primality is [`is_probable_prime`]. The candidates of a short seed
/// repeat; the error for `seed` reports that none of them is prime.
///
/// chiavdf differs in one point: its trial division also refuses the small primes themselves, so it finds fewer primes
/// of 8 bits.
pub fn hash_prime(seed: &[u8], bits: usize, set_bits: &[usize]) -> Result<BigUint> {
    if bits == 0 || !bits.is_multiple_of(8) || bits > MAX_PRIME_BITS {
        let problem = format!("is {bits}; expected a multiple of 8 up to {MAX_PRIME_BITS}");
        return Err(Error::argument("bits", problem));
    }
    if let Some(bit) = set_bits.iter().find(|bit| **bit >= bits) {
        return Err(Error::argument("set_bits", format!("{bit} is not below {bits}")));
    }
    let mut counter = seed.to_vec();
    for _ in 0..counter_period(seed.len()) {
        let mut candidate = expand(&mut counter, bits / 8);
        set_bits.iter().for_each(|bit| candidate.set_bit(*bit as u64, true));
        candidate.set_bit(0, true);
        if is_probable_prime(&candidate) {
            return Ok(candidate);
        }
    }
    let problem = format!("{} bytes lead to no prime of {bits} bits", seed.len());
    Err(Error::argument("seed", problem))
}

/// Returns the number of values of a counter of `bytes` bytes, or the largest `u64`.
fn counter_period(bytes: usize) -> u64 {
    u32::try_from(bytes).ok().and_then(|bytes| 256u64.checked_pow(bytes)).unwrap_or(u64::MAX)
}

/// Increments the counter and hashes it, until there are `bytes` bytes of digests.
fn expand(counter: &mut [u8], bytes: usize) -> BigUint {
    let mut digests = Vec::with_capacity(bytes + 31);
    while digests.len() < bytes {
        increment(counter);
        digests.extend_from_slice(&Sha256::digest(&*counter));
    }
    BigUint::from_bytes_be(&digests[..bytes])
}

/// Adds 1 to a big-endian counter, modulo its size.
fn increment(counter: &mut [u8]) {
    for byte in counter.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(n: u64) -> BigUint {
        n.into()
    }

    fn is_prime(n: u64) -> bool {
        n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
    }

    #[test]
    fn small_numbers_and_the_edge_of_the_trial_divisors() {
        for n in (0..5_000).chain(2_039 * 2_039 - 50..2_053 * 2_063 + 50) {
            assert_eq!(is_probable_prime(&number(n)), is_prime(n), "{n}");
        }
    }

    #[test]
    fn jacobi_symbols_are_eulers_for_primes() {
        for prime in ODD_PRIMES.into_iter().take(40) {
            for d in (-61..61).step_by(2) {
                let residue = BigInt::from(d).mod_floor(&prime.into());
                let power = residue.modpow(&((prime - 1) / 2).into(), &prime.into());
                let wanted =
                    if power == BigInt::from(prime - 1) { -1 } else { power.to_i32().unwrap() };
                assert_eq!(jacobi(d, &number(prime)), wanted, "({d} / {prime})");
            }
        }
    }

    #[test]
    fn each_part_has_its_known_pseudoprimes() {
        // Strong pseudoprimes to base 2: OEIS A001262.
        for n in [2_047, 3_277, 4_033, 4_681, 8_321, 3_215_031_751] {
            assert!(
                is_strong_probable_prime_2(&number(n)) && !is_lucas_v_probable_prime(&number(n))
            );
        }
        // All Lucas-V pseudoprimes of method A* below 10^15: arXiv 2006.14425, section 6.
        for n in [913, 150_267_335_403, 430_558_874_533, 14_760_229_232_131, 936_916_995_253_453] {
            assert!(
                is_lucas_v_probable_prime(&number(n)) && !is_strong_probable_prime_2(&number(n))
            );
        }
        let found: Vec<u64> = (3..20_000)
            .step_by(2)
            .filter(|n| is_lucas_v_probable_prime(&number(*n)) && !is_prime(*n))
            .collect();
        assert_eq!(found, [913]);
    }

    #[test]
    fn mersenne_numbers() {
        let primes: Vec<u32> =
            (2..700).filter(|k| is_probable_prime(&((BigUint::one() << *k) - 1u32))).collect();
        assert_eq!(primes, [2, 3, 5, 7, 13, 17, 19, 31, 61, 89, 107, 127, 521, 607]);
    }

    #[test]
    fn hashed_primes_have_the_requested_bits() {
        for bits in [16, 64, 256, 264, 512] {
            let prime = hash_prime(b"seed", bits, &[1, bits - 1]).unwrap();
            assert!(prime.bits() == bits as u64 && prime.bit(0) && prime.bit(1), "{bits} bits");
        }
        let prime = |seed: &[u8]| hash_prime(seed, 64, &[]).unwrap();
        assert_ne!(prime(&[0; 8]), prime(&[0; 9]));
    }

    #[test]
    fn the_counter_wraps() {
        let mut counter = [0, 255, 255];
        increment(&mut counter);
        assert_eq!(counter, [1, 0, 0]);
        let mut counter = [255, 255];
        increment(&mut counter);
        assert_eq!(counter, [0, 0]);
    }

    #[test]
    fn wrong_arguments_are_named() {
        let problem = |seed: &[u8], bits, set_bits: &[usize]| {
            hash_prime(seed, bits, set_bits).unwrap_err().to_string()
        };
        assert_eq!(problem(b"x", 0, &[]), "bits: is 0; expected a multiple of 8 up to 4096");
        assert_eq!(problem(b"x", 63, &[]), "bits: is 63; expected a multiple of 8 up to 4096");
        assert_eq!(problem(b"x", usize::MAX - 7, &[]).split(':').next(), Some("bits"));
        assert_eq!(problem(b"x", 64, &[3, 64]), "set_bits: 64 is not below 64");
        assert_eq!(problem(b"", 512, &[511]), "seed: 0 bytes lead to no prime of 512 bits");
        let all: Vec<usize> = (0..16).collect();
        assert_eq!(problem(b"x", 16, &all), "seed: 1 bytes lead to no prime of 16 bits");
    }
}
