//! x86-64: what the compiler would not write.

use std::arch::asm;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use crate::isa::Isa;

pub(super) mod products;

/// A process whose words are those of ADX and BMI2 ([`Isa::words`]).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adx(());

/// What [`Adx::ask`] has found: in one byte, so that a multiplication tests it with one instruction.
static FOUND: AtomicU8 = AtomicU8::new(NOT_ASKED);
const NOT_ASKED: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

impl Adx {
    /// Detects the instructions on the first call and caches the result.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        match FOUND.load(Relaxed) {
            PRESENT => Some(Self(())),
            ABSENT => None,
            _ => Self::ask(),
        }
    }

    #[cold]
    #[inline(never)]
    fn ask() -> Option<Self> {
        let found = Isa::words() > Isa::PORTABLE;
        FOUND.store(if found { PRESENT } else { ABSENT }, Relaxed);
        found.then_some(Self(()))
    }
}

/// `chosen` if `bit` is not 0, otherwise `otherwise`, with an instruction that the compiler cannot turn into a
/// branch.
#[inline(always)]
pub fn select(bit: u64, chosen: u64, otherwise: u64) -> u64 {
    let mut word = otherwise;
    // SAFETY: two instructions that touch nothing but their registers and the flags.
    unsafe {
        asm!(
            "test {bit}, {bit}",
            "cmovnz {word}, {chosen}",
            bit = in(reg) bit,
            word = inout(reg) word,
            chosen = in(reg) chosen,
            options(pure, nomem, nostack),
        );
    }
    word
}

/// Returns all ones if `bit` is 1, and 0 if it is 0; hides from the compiler that there are only two values.
#[inline(always)]
pub fn mask(bit: u64) -> u64 {
    let mut mask = bit;
    // SAFETY: one instruction that touches nothing but its register and the flags.
    unsafe { asm!("neg {}", inout(reg) mask, options(pure, nomem, nostack)) };
    mask
}

/// Prefetches the cache lines of a value.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for line in 0..size_of::<T>().div_ceil(64) {
        // SAFETY: a prefetch reads nothing, whatever the address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(
                std::ptr::from_ref(value).cast::<i8>().wrapping_add(64 * line),
            )
        }
    }
}

/// Twenty division steps on zeta and the words with h and g, of [`super::safegcd`], with instructions that the compiler
/// cannot turn into branches.
#[inline(always)]
pub fn division_steps(zeta: i64, h: i64, g: i64) -> (i64, i64, i64) {
    let (mut zeta, mut h, mut g) = (zeta, h, g);
    // SAFETY: instructions that touch nothing but their registers and the flags.
    unsafe {
        asm!(
            // 1 if delta is positive, that is zeta negative; otherwise 0.
            "mov {positive}, {zeta}",
            "shr {positive}, 63",
            "mov {left:e}, 10",
            "2:",
            ".rept 2",
            "lea {sum}, [{g} + {h}]",
            "mov {not_zeta}, {zeta}",
            "not {not_zeta}",
            "test {g:e}, {positive:e}",
            "cmovnz {h}, {g}",
            "cmovnz {zeta}, {not_zeta}",
            "test {g:e}, 1",
            "cmovnz {g}, {sum}",
            "sar {g}, 1",
            "mov {sum}, {h}",
            "neg {sum}",
            // Borrows if zeta is 0.
            "sub {zeta}, 1",
            "cmovc {h}, {sum}",
            "mov {positive}, {zeta}",
            "shr {positive}, 63",
            ".endr",
            "sub {left:e}, 1",
            "jnz 2b",
            positive = out(reg) _,
            not_zeta = out(reg) _,
            sum = out(reg) _,
            left = out(reg) _,
            zeta = inout(reg) zeta,
            h = inout(reg) h,
            g = inout(reg) g,
            options(pure, nomem, nostack),
        );
    }
    (zeta, h, g)
}

/// The instructions of [`reduce_once`] for numbers of some words.
macro_rules! reduce_once {
    ($t:ident, $carry:ident, $p:ident, [$($i:literal: $word:ident $text:literal $less:ident $less_text:literal)*]) => {{
        $(let mut $word = $t[$i];)*
        // SAFETY: reads p as far as the arm of `match` says that it is long, and writes registers only.
        unsafe {
            asm!(
                $(concat!("mov {", $less_text, "}, {", $text, "}"),)*
                // Clears the borrow.
                "test {p}, {p}",
                $(concat!("sbb {", $less_text, "}, [{p} + 8 * ", $i, "]"),)*
                "sbb {carry:e}, 0",
                $(concat!("cmovnc {", $text, "}, {", $less_text, "}"),)*
                p = in(reg) $p,
                carry = inout(reg) $carry => _,
                $($word = inout(reg) $word, $less = out(reg) _,)*
                options(pure, readonly, nostack),
            );
        }
        let mut words = [0; N];
        words.copy_from_slice(&[$($word),*]);
        Some(words)
    }};
}

/// t + 2^(64 N) carry modulo p; the number is below 2 p. None if there is no code for so many words.
#[inline(always)]
pub fn reduce_once<const N: usize>(t: &[u64; N], carry: u64, p: &[u64; N]) -> Option<[u64; N]> {
    match N {
        4 => reduce_once!(t, carry, p, [
            0: t0 "t0" u0 "u0" 1: t1 "t1" u1 "u1" 2: t2 "t2" u2 "u2" 3: t3 "t3" u3 "u3"
        ]),
        6 => reduce_once!(t, carry, p, [
            0: t0 "t0" u0 "u0" 1: t1 "t1" u1 "u1" 2: t2 "t2" u2 "u2"
            3: t3 "t3" u3 "u3" 4: t4 "t4" u4 "u4" 5: t5 "t5" u5 "u5"
        ]),
        _ => None,
    }
}
