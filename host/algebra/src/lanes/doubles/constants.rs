//! The constants that the kernels need for a modulus, computed from it by the compiler.

/// The same double in each of four lanes.
pub(super) type Splat = [f64; 4];

/// Words of the widest modulus, and a spare one.
const WORDS: usize = 7;

/// An integer, lowest word first.
type Integer = [u64; WORDS];

/// Bits of a digit in an element of L digits.
pub(super) const fn width(digits: usize) -> u32 {
    match digits {
        5 => 51,
        6 | 8 => 48,
        _ => panic!("elements have five, six or eight digits"),
    }
}

/// A modulus p in L digits of W = [`width`] bits, with R = 2^(W L). The products' code finds each vector by its number.
#[repr(C, align(64))]
pub struct Table<const L: usize> {
    /// Of i < L - 1, 2^(-W (L - 1 - i)) mod p, the one nearest to 0: what digit i is folded by. The last row is p.
    pub(super) folds: [[Splat; L]; L],
    /// -1/p modulo 2^W, nearest to 0.
    pub(super) negative_inverse: Splat,
    /// 2^(W (L - 1)) / p.
    pub(super) per_top: Splat,
    /// The start of the sum of a column.
    pub(super) start: Splat,
    /// What rounds to a multiple of 2^W, for numbers that are small beside it.
    pub(super) round: Splat,
    /// The same for the product that gives the quotient.
    pub(super) quotient: Splat,
    /// 2^-W.
    pub(super) down: Splat,
    /// The number whose addition rounds to an integer.
    pub(super) nearest: Splat,
    /// R^2 / 2^(64 N) mod p, N words being those of p: a product with it takes scalar code's Montgomery form to this one.
    pub(super) from_words: [f64; L],
    /// 2^(64 N) mod p, which takes it back.
    pub(super) to_words: [f64; L],
    /// R mod p: the form of 1.
    pub(super) one: [f64; L],
    /// 1: a product with it takes this form to the integer itself.
    pub(super) to_integer: [f64; L],
}

impl<const L: usize> Table<L> {
    /// Computes the constants of an odd p below 2^(W L).
    pub const fn of(modulus: &[u64]) -> Self {
        let width = width(L);
        let bits = width * L as u32;
        let p = widened(modulus);
        assert!(less(&p, &doubled_plainly(integer(1), bits)).is_none(), "a modulus below 2^(W L)");
        let mut folds = [[[0.0; 4]; L]; L];
        let mut i = 0;
        while i < L {
            let row: [f64; L] = if i + 1 < L {
                nearest(&halved(integer(1), width * (L - 1 - i) as u32, &p), &p)
            } else {
                digits(&p)
            };
            let mut j = 0;
            while j < L {
                folds[i][j] = [row[j]; 4];
                j += 1;
            }
            i += 1;
        }
        let words = 64 * modulus.len() as u32;
        // With these `spec/model/doubles.py` has its proofs.
        let is_large = p[3] >> 61 == 3; // at least three quarters of R
        let (start, round, quotient) = match L {
            5 if is_large => (13.0, 12.25, 14.0),
            5 => (12.75, 12.25, 14.0),
            _ => (96.0, 96.0, 96.0),
        };
        let unit = power_of_two(2 * width as i32 - 2);
        Self {
            folds,
            negative_inverse: [negative_inverse(p[0], width); 4],
            per_top: [power_of_two((width * (L as u32 - 1)) as i32) / approximate(&p); 4],
            start: [start * unit; 4],
            round: [round * unit; 4],
            quotient: [quotient * unit; 4],
            down: [power_of_two(-(width as i32)); 4],
            nearest: [1.5 * power_of_two(52); 4],
            from_words: nearest(&doubled(integer(1), 2 * bits - words, &p), &p),
            to_words: nearest(&doubled(integer(1), words, &p), &p),
            one: nearest(&doubled(integer(1), bits, &p), &p),
            to_integer: nearest(&integer(1), &p),
        }
    }
}

/// The digits of an integer below p, nearest to 0.
pub(super) fn digits_of<const L: usize>(integer: &[u64], p: &[u64]) -> [f64; L] {
    nearest(&widened(integer), &widened(p))
}

const fn integer(small: u64) -> Integer {
    let mut integer = [0; WORDS];
    integer[0] = small;
    integer
}

const fn widened(words: &[u64]) -> Integer {
    let mut integer = [0; WORDS];
    let mut j = 0;
    while j < words.len() {
        integer[j] = words[j];
        j += 1;
    }
    integer
}

/// 2^e.
pub(super) const fn power_of_two(e: i32) -> f64 {
    f64::from_bits(((1023 + e) as u64) << 52)
}

/// As a double, without claims to the last bits.
const fn approximate(x: &Integer) -> f64 {
    let mut sum = 0.0;
    let mut j = 0;
    while j < WORDS {
        sum += x[j] as f64 * power_of_two(64 * j as i32);
        j += 1;
    }
    sum
}

const fn plus(a: &Integer, b: &Integer) -> Integer {
    let mut sum = [0; WORDS];
    let (mut carry, mut j) = (0, 0);
    while j < WORDS {
        let word = a[j] as u128 + b[j] as u128 + carry;
        sum[j] = word as u64;
        carry = word >> 64;
        j += 1;
    }
    sum
}

/// a - b; none if that is negative.
const fn less(a: &Integer, b: &Integer) -> Option<Integer> {
    let mut difference = [0; WORDS];
    let (mut borrow, mut j) = (false, 0);
    while j < WORDS {
        let (word, first) = a[j].overflowing_sub(b[j]);
        let (word, second) = word.overflowing_sub(borrow as u64);
        difference[j] = word;
        borrow = first || second;
        j += 1;
    }
    if borrow { None } else { Some(difference) }
}

/// a 2^times mod p.
const fn doubled(mut a: Integer, times: u32, p: &Integer) -> Integer {
    let mut i = 0;
    while i < times {
        a = plus(&a, &a);
        if let Some(rest) = less(&a, p) {
            a = rest;
        }
        i += 1;
    }
    a
}

/// a 2^times.
const fn doubled_plainly(mut a: Integer, times: u32) -> Integer {
    let mut i = 0;
    while i < times {
        a = plus(&a, &a);
        i += 1;
    }
    a
}

/// a / 2^times mod p.
const fn halved(mut a: Integer, times: u32, p: &Integer) -> Integer {
    let mut i = 0;
    while i < times {
        if a[0] % 2 == 1 {
            a = plus(&a, p);
        }
        let mut j = 0;
        while j < WORDS {
            let above = if j + 1 < WORDS { a[j + 1] } else { 0 };
            a[j] = a[j] >> 1 | above << 63;
            j += 1;
        }
        i += 1;
    }
    a
}

/// The digits of a, or of a - p if that is nearer to 0.
const fn nearest<const L: usize>(a: &Integer, p: &Integer) -> [f64; L] {
    match less(p, a) {
        Some(other) if less(&other, a).is_none() => {
            let mut negative = digits::<L>(&other);
            let mut j = 0;
            while j < L {
                negative[j] = -negative[j];
                j += 1;
            }
            negative
        }
        _ => digits(a),
    }
}

/// Digits between -2^(W - 1) and 2^(W - 1); the last one takes all that is left.
const fn digits<const L: usize>(a: &Integer) -> [f64; L] {
    let width = width(L);
    let mut digits = [0.0; L];
    let (mut carry, mut j) = (0, 0);
    while j < L {
        let (word, low) = (width as usize * j / 64, width * j as u32 % 64);
        let mut bits = a[word] >> low;
        if low > 0 && word + 1 < WORDS {
            bits |= a[word + 1] << (64 - low);
        }
        let digit = (bits & ((1 << width) - 1)) as i64 + carry;
        carry = (j + 1 < L && digit > 1 << (width - 1)) as i64;
        digits[j] = (digit - (carry << width)) as f64;
        j += 1;
    }
    digits
}

/// -1/p modulo 2^width, nearest to 0.
const fn negative_inverse(p: u64, width: u32) -> f64 {
    assert!(p % 2 == 1, "an odd modulus");
    // Newton's iteration doubles the bits that are right, of which there are 3.
    let mut inverse = p;
    let mut step = 0;
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        step += 1;
    }
    let shift = 64 - width;
    ((inverse.wrapping_neg() << shift) as i64 >> shift) as f64
}
