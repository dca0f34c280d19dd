//! Arithmetic modulo an odd number that is known at run time, such as an RSA modulus of 1,024 to 4,096 bits.
//!
//! Residues have the Montgomery form x R modulo N with R = 2^(64 L), where L, the number of limbs, is a multiple of 8. A result is below R,
//! not always below N (C. D. Walter, "Montgomery exponentiation needs no final subtractions", 1999, keeps it below 2 N; this N may fill
//! its limbs, and is subtracted when a carry leaves them). [`Modulus::to_bytes`] reduces it.
//!
//! A square costs L (L + 1) / 2 products of limbs and the reduction L^2. Many squarings on a processor with IFMA are computed in
//! vectors of digits of 52 bits instead (decision 0087). No function is constant-time.

#[cfg(target_arch = "x86_64")]
mod ifma;
#[cfg(target_arch = "x86_64")]
mod rows;

use std::error::Error;
use std::fmt;
#[cfg(target_arch = "x86_64")]
use std::sync::OnceLock;

#[cfg(target_arch = "x86_64")]
use self::ifma::Folding;
use crate::Isa;
#[cfg(target_arch = "x86_64")]
use crate::field::Adx;

/// The largest number of bytes of a modulus: 4,096 bits.
pub const MAX_BYTES: usize = 512;
/// Limbs that are processed together.
const BLOCK: usize = 8;
const MAX_LIMBS: usize = MAX_BYTES / 8;
/// Bits of a digit of an exponent.
const WINDOW: usize = 4;
/// Squarings from which the constants and the conversion to digits of 52 bits are worth their time.
#[cfg(target_arch = "x86_64")]
const MANY: u64 = 512;

/// A product before its reduction: two numbers' limbs and a block for carries.
type Wide = [u64; 2 * MAX_LIMBS + BLOCK];

/// The reason why a number cannot be a modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModulusError {
    /// It is even.
    Even,
    /// It is 1.
    One,
    /// It has more than [`MAX_BYTES`] bytes.
    Long,
}

impl fmt::Display for ModulusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Even => f.write_str("is even; expected an odd number"),
            Self::One => f.write_str("is 1; expected at least 3"),
            Self::Long => write!(f, "has more than {MAX_BYTES} bytes"),
        }
    }
}

impl Error for ModulusError {}

/// An odd modulus and what its Montgomery reduction needs.
#[derive(Clone, Debug)]
pub struct Modulus {
    n: Box<[u64]>,
    /// -1 / n modulo 2^64.
    negated_inverse: u64,
    /// R^2 modulo n.
    r2: Residue,
    bytes: usize,
    #[cfg(target_arch = "x86_64")]
    adx: Option<Adx>,
    /// The constants for many squarings, if the processor has IFMA; made at their first use.
    #[cfg(target_arch = "x86_64")]
    folding: OnceLock<Option<Folding>>,
}

/// A residue of a [`Modulus`], in Montgomery form. It is meaningful only with its modulus.
#[derive(Clone, Debug)]
pub struct Residue(Box<[u64]>);

impl Modulus {
    /// Returns the modulus of these little-endian bytes.
    pub fn new(bytes: &[u8]) -> Result<Self, ModulusError> {
        let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        match bytes[..length] {
            _ if length > MAX_BYTES => return Err(ModulusError::Long),
            [1] => return Err(ModulusError::One),
            [low, ..] if low % 2 == 1 => {}
            _ => return Err(ModulusError::Even),
        }
        let limbs = length.div_ceil(8 * BLOCK) * BLOCK;
        let n = limbs_of(&bytes[..length], limbs);
        let mut inverse = 1_u64; // Newton's iteration doubles the correct bits.
        for _ in 0..6 {
            inverse = inverse.wrapping_mul(2_u64.wrapping_sub(n[0].wrapping_mul(inverse)));
        }
        let r2 = Residue(power_of_two(&n, 128 * limbs));
        Ok(Self {
            n,
            negated_inverse: inverse.wrapping_neg(),
            r2,
            bytes: length,
            #[cfg(target_arch = "x86_64")]
            adx: Adx::detect(),
            #[cfg(target_arch = "x86_64")]
            folding: OnceLock::new(),
        })
    }

    /// Returns the number of bytes of the modulus, and of its residues.
    pub fn byte_count(&self) -> usize {
        self.bytes
    }

    /// Returns the residue of these little-endian bytes; none if they are not below the modulus.
    pub fn residue(&self, bytes: &[u8]) -> Option<Residue> {
        let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        if length > self.bytes {
            return None;
        }
        let value = limbs_of(&bytes[..length], self.n.len());
        is_below(&value, &self.n).then(|| self.multiply(&Residue(value), &self.r2))
    }

    /// Returns the remainder of an integer of any length in little-endian bytes, as [`Modulus::byte_count`] bytes.
    pub fn remainder(&self, bytes: &[u8]) -> Vec<u8> {
        let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        // The highest bytes, which are below the modulus.
        let (low, high) = bytes[..length].split_at(length.saturating_sub((self.bits() - 1) / 8));
        let mut value = limbs_of(high, self.n.len());
        for byte in low.iter().rev() {
            for bit in (0..8).rev() {
                double_and_add(&mut value, u64::from(byte >> bit & 1), &self.n);
            }
        }
        let mut bytes: Vec<u8> = value.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.truncate(self.bytes);
        bytes
    }

    /// Returns the canonical little-endian bytes, [`Modulus::byte_count`] of them.
    pub fn to_bytes(&self, x: &Residue) -> Vec<u8> {
        let mut wide = self.wide();
        wide[..self.n.len()].copy_from_slice(&x.0);
        let mut value = Residue(vec![0; self.n.len()].into());
        self.reduce(&mut value, &mut wide);
        // x + m n is at most R n, so the value is at most n.
        if value.0 == self.n {
            value.0.fill(0);
        }
        let mut bytes: Vec<u8> = value.0.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        bytes.truncate(self.bytes);
        bytes
    }

    /// Returns 1.
    pub fn one(&self) -> Residue {
        let mut one = vec![0; self.n.len()];
        one[0] = 1;
        self.multiply(&Residue(one.into()), &self.r2)
    }

    /// Returns a b.
    pub fn multiply(&self, a: &Residue, b: &Residue) -> Residue {
        let mut wide = self.wide();
        self.product(&a.0, &b.0, &mut wide);
        let mut product = Residue(vec![0; self.n.len()].into());
        self.reduce(&mut product, &mut wide);
        product
    }

    /// Returns 2^exponent.
    pub fn power_of_two(&self, exponent: usize) -> Residue {
        let mut bytes = vec![0; exponent / 8];
        bytes.push(1 << (exponent % 8));
        self.residue(&self.remainder(&bytes)).expect("a remainder is a residue")
    }

    /// Replaces x by x^(2^times) on the path of `isa`, which matters from some hundred squarings on.
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "there is one path"))]
    pub fn square_many_times(&self, isa: Isa, x: &mut Residue, times: u64) {
        #[cfg(target_arch = "x86_64")]
        if times >= MANY
            && isa.has_ifma()
            && let Some(folding) = self.folding()
        {
            // SAFETY: a processor with this level has the instructions.
            let state = unsafe { folding.square_repeatedly(&self.to_bytes(x), times) };
            *x = self.residue(&self.remainder(&state)).expect("a remainder is a residue");
            return;
        }
        self.square_repeatedly(x, times);
    }

    /// Replaces x by x^(2^times).
    pub fn square_repeatedly(&self, x: &mut Residue, times: u64) {
        let mut wide = self.wide();
        for _ in 0..times {
            wide[..2 * self.n.len()].fill(0);
            self.square(&x.0, &mut wide);
            self.reduce(x, &mut wide);
        }
    }

    /// Returns the product of powers of bases; an exponent has little-endian limbs. The squarings are shared (Straus 1964, with
    /// windows of 4 bits).
    pub fn product_of_powers(&self, powers: &[(&Residue, &[u64])]) -> Residue {
        let tables: Vec<_> = powers.iter().map(|(base, _)| self.multiples(base)).collect();
        let digits = powers.iter().map(|(_, limbs)| limbs.len() * 64 / WINDOW).max().unwrap_or(0);
        let mut product = self.one();
        for digit in (0..digits).rev() {
            self.square_repeatedly(&mut product, WINDOW as u64);
            for (table, (_, limbs)) in tables.iter().zip(powers) {
                let place = digit * WINDOW;
                let limb = limbs.get(place / 64).copied().unwrap_or(0);
                match (limb >> (place % 64)) as usize % (1 << WINDOW) {
                    0 => {}
                    value => product = self.multiply(&product, &table[value - 1]),
                }
            }
        }
        product
    }

    /// The powers 1 to 15 of a base.
    fn multiples(&self, base: &Residue) -> Vec<Residue> {
        let next = |power: &Residue| Some(self.multiply(power, base));
        std::iter::successors(Some(base.clone()), next).take((1 << WINDOW) - 1).collect()
    }

    /// Returns the number of bits of the modulus.
    pub fn bits(&self) -> usize {
        let top = self.n.iter().rposition(|&limb| limb != 0).unwrap_or(0);
        64 * (top + 1) - self.n[top].leading_zeros() as usize
    }

    /// Returns the constants for many squarings with IFMA, if there is code for this length.
    #[cfg(target_arch = "x86_64")]
    fn folding(&self) -> Option<&Folding> {
        let make = || {
            let step = self.power_of_two(ifma::BITS);
            let first = self.power_of_two(ifma::BITS * Folding::kept(self.bits()));
            let constants = std::iter::successors(Some(first), |it| Some(self.multiply(it, &step)));
            Folding::new(self.bits(), constants.map(|constant| self.to_bytes(&constant)))
        };
        self.folding.get_or_init(make).as_ref()
    }

    fn wide(&self) -> Wide {
        [0; 2 * MAX_LIMBS + BLOCK]
    }

    /// Adds a b to t, which is 0.
    fn product(&self, a: &[u64], b: &[u64], t: &mut Wide) {
        #[cfg(target_arch = "x86_64")]
        if self.adx.is_some() {
            let blocks = self.check(a) / BLOCK;
            self.check(b);
            for i in (0..b.len()).step_by(BLOCK) {
                // SAFETY: the processor has the instructions; t has 8 limbs from i + a.len() on. The sum so far, a times the
                // lower limbs of b, fits, so nothing is carried out.
                unsafe { rows::rows(t[i..].as_mut_ptr(), a.as_ptr(), b[i..].as_ptr(), blocks, 0) };
            }
            return;
        }
        for (i, &factor) in b.iter().enumerate() {
            t[i + a.len()] = add_row(&mut t[i..], a, factor);
        }
    }

    /// Adds a^2 to t, which is 0.
    fn square(&self, a: &[u64], t: &mut Wide) {
        #[cfg(target_arch = "x86_64")]
        if self.adx.is_some() {
            let limbs = self.check(a);
            for i in (0..limbs).step_by(BLOCK) {
                // SAFETY: the processor has the instructions, and t has more than 2 i + 16 limbs.
                let carry = unsafe { rows::triangle(t[2 * i..].as_mut_ptr(), a[i..].as_ptr()) };
                let next = i + BLOCK;
                add_carry(&mut t[2 * next..], carry);
                if next < limbs {
                    let (sum, above) = (&mut t[i + next..], &a[next..]);
                    // SAFETY: `above` has the blocks, `a` 8 limbs from i on, and the sum 8 limbs more than `above`. What was added so
                    // far is below 2^(64 (limbs + next)), so nothing is carried out.
                    unsafe {
                        let blocks = above.len() / BLOCK;
                        rows::rows(sum.as_mut_ptr(), above.as_ptr(), a[i..].as_ptr(), blocks, 0)
                    };
                }
            }
            // SAFETY: t has twice the limbs of a.
            unsafe { rows::double_and_add_squares(t.as_mut_ptr(), a.as_ptr(), limbs / BLOCK) };
            return;
        }
        self.product(a, a, t);
    }

    /// Writes t / R modulo n to x, below R. t is below R^2; it is overwritten.
    fn reduce(&self, x: &mut Residue, t: &mut Wide) {
        let limbs = self.check(&x.0);
        #[cfg(target_arch = "x86_64")]
        let by_words = self.adx.is_none();
        #[cfg(not(target_arch = "x86_64"))]
        let by_words = true;
        if by_words {
            for i in 0..limbs {
                let factor = t[i].wrapping_mul(self.negated_inverse);
                let carry = add_row(&mut t[i..], &self.n, factor);
                add_carry(&mut t[i + limbs..], carry);
            }
        } else {
            #[cfg(target_arch = "x86_64")]
            self.reduce_by_blocks(t);
        }
        x.0.copy_from_slice(&t[limbs..2 * limbs]);
        if std::mem::take(&mut t[2 * limbs]) != 0 {
            subtract(&mut x.0, &self.n);
        }
    }

    #[cfg(target_arch = "x86_64")]
    fn reduce_by_blocks(&self, t: &mut Wide) {
        let limbs = self.n.len();
        let (low, high) = self.n.split_at(BLOCK);
        let mut factors = [0; BLOCK];
        for i in (0..limbs).step_by(BLOCK) {
            let block = t[i..].as_mut_ptr();
            // SAFETY: the caller has checked for the instructions; t has 16 limbs from i on, n has 8, and so have the factors.
            let mut carry = unsafe {
                rows::reduce(block, factors.as_mut_ptr(), low.as_ptr(), self.negated_inverse)
            };
            if !high.is_empty() {
                let sum = t[i + BLOCK..].as_mut_ptr();
                // SAFETY: the same; t has `limbs` more limbs from i + 8 on.
                carry = unsafe {
                    rows::rows(sum, high.as_ptr(), factors.as_ptr(), high.len() / BLOCK, carry)
                };
            }
            add_carry(&mut t[i + BLOCK + limbs..], carry);
        }
    }

    /// Checks that a has as many limbs as the modulus, which the assembly relies on.
    fn check(&self, a: &[u64]) -> usize {
        assert_eq!(a.len(), self.n.len(), "a residue of another modulus");
        a.len()
    }
}

/// The first bytes as limbs.
fn limbs_of(bytes: &[u8], limbs: usize) -> Box<[u64]> {
    let limb = |chunk: &[u8]| chunk.iter().rev().fold(0, |limb, &byte| limb << 8 | u64::from(byte));
    let mut found: Vec<u64> = bytes.chunks(8).map(limb).collect();
    found.resize(limbs, 0);
    found.into()
}

fn is_below(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// 2^exponent modulo n, by doublings.
fn power_of_two(n: &[u64], exponent: usize) -> Box<[u64]> {
    let mut power: Box<[u64]> = vec![0; n.len()].into();
    power[0] = 1;
    for _ in 0..exponent {
        double_and_add(&mut power, 0, n);
    }
    power
}

/// Replaces a value below n by 2 value + bit modulo n.
fn double_and_add(value: &mut [u64], bit: u64, n: &[u64]) {
    let top = value[n.len() - 1] >> 63;
    for i in (1..n.len()).rev() {
        value[i] = value[i] << 1 | value[i - 1] >> 63;
    }
    value[0] = value[0] << 1 | bit;
    if top == 1 || !is_below(value, n) {
        subtract(value, n);
    }
}

/// Adds a factor times a to t and returns the limb that comes out.
fn add_row(t: &mut [u64], a: &[u64], factor: u64) -> u64 {
    let mut carry = 0;
    for (t, &a) in t.iter_mut().zip(a) {
        let sum = u128::from(*t) + u128::from(a) * u128::from(factor) + u128::from(carry);
        (*t, carry) = (sum as u64, (sum >> 64) as u64);
    }
    carry
}

/// Adds a carry to a number. The number does not overflow.
fn add_carry(t: &mut [u64], mut carry: u64) {
    for limb in t {
        let overflows;
        (*limb, overflows) = limb.overflowing_add(carry);
        if !overflows {
            return;
        }
        carry = 1;
    }
}

/// Replaces a by a - b modulo 2^(64 limbs).
fn subtract(a: &mut [u64], b: &[u64]) {
    let mut borrow = false;
    for (a, &b) in a.iter_mut().zip(b) {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        (*a, borrow) = (difference, first | second);
    }
}
