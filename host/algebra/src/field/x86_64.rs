//! x86-64: what the compiler would not write.
//!
//! Montgomery multiplication with two carry chains: `mulx` leaves the flags alone, `adcx` adds the low halves of a
//! row with the carry flag and `adox` the high halves with the overflow flag (Ozturk, Guilford, Gopal, Feghali, "New
//! instructions supporting large integer arithmetic on Intel architecture processors", 2012). The method is that of
//! the portable file, with the same bits; the modulus has a spare bit at the top.

use std::arch::asm;
use std::mem::transmute_copy;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use super::multiply::{Reduction, summed};
use crate::isa::Isa;

/// A process whose words are those of ADX and BMI2 ([`Isa::words`]).
#[derive(Clone, Copy)]
pub(super) struct Adx(());

/// What [`Adx::ask`] has found: in one byte, so that a multiplication tests it with one instruction.
static FOUND: AtomicU8 = AtomicU8::new(NOT_ASKED);
const NOT_ASKED: u8 = 0;
const ABSENT: u8 = 1;
const PRESENT: u8 = 2;

impl Adx {
    /// Asks the first time, and remembers.
    #[inline(always)]
    pub(super) fn detect() -> Option<Self> {
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

/// All ones if `bit` is 1, 0 if it is 0; the compiler does not know that there are only the two.
#[inline(always)]
pub fn mask(bit: u64) -> u64 {
    let mut mask = bit;
    // SAFETY: one instruction that touches nothing but its register and the flags.
    unsafe { asm!("neg {}", inout(reg) mask, options(pure, nomem, nostack)) };
    mask
}

/// Asks for the lines of a value.
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

/// t += rdx times the number at `vector` + `offset`; t has a word more.
macro_rules! row {
    ($vector:literal + $offset:literal, $words:tt, [$($t:literal)*]) => {
        // The exclusive or clears both carries.
        concat!("xor {low:e}, {low:e}\n", row!(@steps $vector, $offset, $words, $($t)*))
    };
    (@steps $vector:literal, $offset:literal, [], $last:literal) => {
        // What came by the overflow flag is in; what comes by the carry flag is not.
        concat!("mov {low:e}, 0\n", "adcx {", $last, "}, {low}\n")
    };
    (@steps $vector:literal, $offset:literal, [$word:literal $($words:literal)*],
     $t:literal $next:literal $($rest:literal)*) => {
        concat!(
            "mulx {high}, {low}, [{", $vector, "} + ", $offset, " + ", $word, "]\n",
            "adcx {", $t, "}, {low}\n",
            "adox {", $next, "}, {high}\n",
            row!(@steps $vector, $offset, [$($words)*], $next $($rest)*),
        )
    };
}

pub(super) use row;

/// For each word i: `t = (t + a[i] b + m p) / 2^64`, and the same with the further products. The division gives the
/// words of t other names: the first becomes the last of the next turn.
macro_rules! turns {
    ([], $words:tt, $products:tt, $length:literal, $t:tt) => { "" };
    ([$i:literal $($is:literal)*], $words:tt, $products:tt, $length:literal,
     [$first:literal $($t:literal)*]) => {
        concat!(
            turns!(@clear $($t)*),
            turns!(@products $i, $words, $products, [$first $($t)*]),
            "mov rdx, {", $first, "}\n",
            "imul rdx, [{p} + ", $length, "]\n",
            row!("p" + 0, $words, [$first $($t)*]),
            turns!([$($is)*], $words, $products, $length, [$($t)* $first]),
        )
    };
    (@clear $last:literal) => { concat!("xor {", $last, ":e}, {", $last, ":e}\n") };
    (@clear $t:literal $($rest:literal)+) => { turns!(@clear $($rest)+) };
    (@products $i:literal, $words:tt, [], $t:tt) => { "" };
    (@products $i:literal, $words:tt, [$product:literal $($products:literal)*], $t:tt) => {
        concat!(
            "mov rdx, [{a} + ", $product, " + ", $i, "]\n",
            row!("b" + $product, $words, $t),
            turns!(@products $i, $words, [$($products)*], $t),
        )
    };
}

/// The instructions for numbers of some words: t, below 2 p.
macro_rules! sum_of_products {
    ($a:ident, $b:ident, $r:ident, $words:tt, $products:tt, $length:literal,
     [$($t:ident = $text:literal)*], [$($result:ident)*]) => {{
        $(let mut $t = 0u64;)*
        // SAFETY: the processor has the instructions. They read a, b and r as far as the function's types say that these
        // are long, write registers only, and use no stack.
        unsafe {
            asm!(
                turns!($words, $words, $products, $length, [$($text)*]),
                a = in(reg) $a,
                b = in(reg) $b,
                p = in(reg) $r,
                low = out(reg) _,
                high = out(reg) _,
                out("rdx") _,
                $($t = inout(reg) $t,)*
                options(pure, readonly, nostack),
            );
        }
        let _ = ($($t,)*);
        [$($result),*]
    }};
}

/// `(a[0] b[0] + a[1] b[1] + …)` / 2^(64 N) modulo p, for a and b below p, where so many products fit
/// ([`Reduction::fits`]); a single a may be any number. None if there is no function for so many words and products.
///
/// There is one function for a size, with the instructions or without, and not one at every place where something is
/// multiplied: a call takes less time than what a hundred copies push out of the first-level cache.
#[inline(always)]
pub fn sum_of_products<const N: usize, const COUNT: usize>(
    a: &[[u64; N]; COUNT],
    b: &[[u64; N]; COUNT],
    r: &Reduction<N>,
) -> Option<[u64; N]> {
    macro_rules! call {
        ($function:ident) => {
            // SAFETY: the arm of `match` says that N and COUNT are the function's numbers: the types are the same.
            unsafe {
                Some(transmute_copy(&$function(
                    &*std::ptr::from_ref(a).cast(),
                    &*std::ptr::from_ref(b).cast(),
                    &*std::ptr::from_ref(r).cast(),
                )))
            }
        };
    }
    match (N, COUNT) {
        (4, 1) => call!(four_words),
        (4, 2) => call!(four_words_twice),
        (6, 1) => call!(six_words),
        (6, 2) => call!(six_words_twice),
        _ => None,
    }
}

/// Defines the functions: their name, words and products, and what the instructions need to know.
macro_rules! functions {
    ($($name:ident[$n:literal, $count:literal] $words:tt $products:tt $length:literal $t:tt $result:tt;)*) => {$(
        #[inline(never)]
        fn $name(a: &[[u64; $n]; $count], b: &[[u64; $n]; $count], r: &Reduction<$n>) -> [u64; $n] {
            match Adx::detect() {
                Some(_) => {
                    let t = sum_of_products!(a, b, r, $words, $products, $length, $t, $result);
                    super::limbs::reduce_once(&t, 0, &r.p)
                }
                None => summed(a, b, r),
            }
        }
    )*};
}

functions! {
    four_words[4, 1] [0 8 16 24] [0] 32
        [t0 = "t0" t1 = "t1" t2 = "t2" t3 = "t3" t4 = "t4"] [t4 t0 t1 t2];
    four_words_twice[4, 2] [0 8 16 24] [0 32] 32
        [t0 = "t0" t1 = "t1" t2 = "t2" t3 = "t3" t4 = "t4"] [t4 t0 t1 t2];
    six_words[6, 1] [0 8 16 24 32 40] [0] 48
        [t0 = "t0" t1 = "t1" t2 = "t2" t3 = "t3" t4 = "t4" t5 = "t5" t6 = "t6"] [t6 t0 t1 t2 t3 t4];
    six_words_twice[6, 2] [0 8 16 24 32 40] [0 48] 48
        [t0 = "t0" t1 = "t1" t2 = "t2" t3 = "t3" t4 = "t4" t5 = "t5" t6 = "t6"] [t6 t0 t1 t2 t3 t4];
}
