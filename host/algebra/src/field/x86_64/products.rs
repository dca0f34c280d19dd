//! Montgomery products with two carry chains: `mulx` leaves the flags alone, `adcx` adds the low halves of a row with the
//! carry flag and `adox` the high halves with the overflow flag (Ozturk, Guilford, Gopal, Feghali, "New instructions
//! supporting large integer arithmetic on Intel architecture processors", 2012). The method is that of the portable file,
//! with the same bits; the modulus has a spare bit at the top.
//!
//! There is one function for a size, and not one at every place where something is multiplied: a call takes less time than
//! what a hundred copies push out of the first-level cache. They are whole functions in assembly, with a convention of their
//! own: the compiler keeps rbx and rbp from blocks of assembly, and these need all registers; and a result that it finds in
//! registers is not copied from memory in pieces that no store has written.
//!
//! | | |
//! |---|---|
//! | `rsi`, `rdi`, `r8` | a, b, and the third vector of a quadratic product |
//! | `rcx` | the reduction, which stays |
//! | `rbp`, `r9` to `r14` | t, in an order that turns |
//! | `rdx` | what a row multiplies by |
//! | `rax`, `rbx` | the halves of a product |
//! | `r15` | 0 |

use std::arch::{asm, naked_asm};
use std::mem::transmute_copy;

use super::Adx;
use crate::field::multiply::Reduction;

/// t = rdx times the vector.
macro_rules! first_row {
    ($vector:literal, [$word:literal $($words:literal)*], [$t:literal $next:literal $($rest:literal)*]) => {
        concat!(
            "mulx ", $next, ", ", $t, ", [", $vector, " + ", $word, "]\n",
            first_row!(@steps "add", $vector, [$($words)*], $next $($rest)*),
        )
    };
    (@steps $add:literal, $vector:literal, [$word:literal $($words:literal)*],
     $t:literal $next:literal $($rest:literal)*) => {
        concat!(
            "mulx ", $next, ", rax, [", $vector, " + ", $word, "]\n",
            $add, " ", $t, ", rax\n",
            first_row!(@steps "adc", $vector, [$($words)*], $next $($rest)*),
        )
    };
    (@steps $add:literal, $vector:literal, [], $last:literal) => { concat!("adc ", $last, ", r15\n") };
}

/// t += rdx times the vector.
macro_rules! row {
    ($vector:literal, $words:tt, [$($t:literal)*]) => {
        // The exclusive or clears both carries.
        concat!("xor eax, eax\n", row!(@steps $vector, $words, $($t)*))
    };
    (@steps $vector:literal, [$word:literal $($words:literal)*],
     $t:literal $next:literal $($rest:literal)*) => {
        concat!(
            "mulx rbx, rax, [", $vector, " + ", $word, "]\n",
            "adcx ", $t, ", rax\n",
            "adox ", $next, ", rbx\n",
            row!(@steps $vector, [$($words)*], $next $($rest)*),
        )
    };
    // What came by the overflow flag is in; what comes by the carry flag is not.
    (@steps $vector:literal, [], $last:literal) => { concat!("adcx ", $last, ", r15\n") };
}

/// For each word i: `t = (t + a[i] b + m p) / 2^64`, and the same with the further products. The division gives the
/// words of t other names: the first becomes the last of the next turn.
macro_rules! turns {
    ([$i:literal $($is:literal)*], $words:tt, [$a:literal * $b:literal $($products:tt)*], $length:literal, $t:tt) => {
        concat!(
            "mov rdx, [", $a, " + ", $i, "]\n",
            first_row!($b, $words, $t),
            turns!(@products $i, $words, [$($products)*], $t),
            turns!(@reduce [$($is)*], $words, [$a * $b $($products)*], $length, $t),
        )
    };
    (@further [], $words:tt, $products:tt, $length:literal, $t:tt) => { "" };
    (@further [$i:literal $($is:literal)*], $words:tt, $products:tt, $length:literal, $t:tt) => {
        concat!(
            turns!(@clear $t),
            turns!(@products $i, $words, $products, $t),
            turns!(@reduce [$($is)*], $words, $products, $length, $t),
        )
    };
    (@clear [$last:literal]) => { concat!("xor ", $last, ", ", $last, "\n") };
    (@clear [$t:literal $($rest:literal)+]) => { turns!(@clear [$($rest)+]) };
    (@products $i:literal, $words:tt, [], $t:tt) => { "" };
    (@products $i:literal, $words:tt, [$a:literal * $b:literal $($products:tt)*], $t:tt) => {
        concat!(
            "mov rdx, [", $a, " + ", $i, "]\n",
            row!($b, $words, $t),
            turns!(@products $i, $words, [$($products)*], $t),
        )
    };
    (@reduce $is:tt, $words:tt, $products:tt, $length:literal, [$first:literal $($t:literal)*]) => {
        concat!(
            "mov rdx, ", $first, "\n",
            "imul rdx, [rcx + ", $length, "]\n",
            row!("rcx", $words, [$first $($t)*]),
            turns!(@further $is, $words, $products, $length, [$($t)* $first]),
        )
    };
}

/// t, below 2 p, modulo p, in other registers.
macro_rules! reduce_once {
    ([$word:literal $($words:literal)*], [$t:literal $($ts:literal)*], [$less:literal $($lesses:literal)*]) => {
        concat!(
            "mov ", $less, ", ", $t, "\n",
            $("mov ", $lesses, ", ", $ts, "\n",)*
            "sub ", $less, ", [rcx]\n",
            $("sbb ", $lesses, ", [rcx + ", $words, "]\n",)*
            "cmovc ", $less, ", ", $t, "\n",
            $("cmovc ", $lesses, ", ", $ts, "\n",)*
        )
    };
}

/// Defines the functions for numbers of some words: a product, and a quadratic product.
///
/// What they have to know: the place of the word after such a number, the registers of t, and those that have it in the end;
/// where results go, but for the last words of one in `rsi` and `rdi`, and the first of c0 in `r8`; where c0 is before it goes
/// to the stack; which other registers are lost.
macro_rules! functions {
    ([$zero:literal $($word:literal)*] $n:literal $length:literal, $a1:literal $b1:literal, $t:tt => $last:tt,
     $product:ident [$($result:tt = $r:ident)*] lost [$($lost:tt)*],
     $quadratic:ident [$first:literal $($before:literal)*], [$($c0:tt = $x:ident)*] lost [$($gone:tt)*]) => {
        /// a b / 2^(64 N) modulo p. Reads as many words of a and b, and a reduction for as many; with the instructions of [`Adx`].
        #[inline(always)]
        unsafe fn $product(a: *const u64, b: *const u64, r: *const u64) -> [u64; $n] {
            #[unsafe(naked)]
            extern "C" fn code() {
                naked_asm!(
                    "push rbx",
                    "push rbp",
                    "xor r15, r15",
                    turns!([$zero $($word)*], [$zero $($word)*], ["rsi" * "rdi"], $length, $t),
                    reduce_once!([$zero $($word)*], $last, [$($result)* "rsi" "rdi"]),
                    "pop rbp",
                    "pop rbx",
                    "ret",
                )
            }
            $(let $r: u64;)*
            let (last_but_one, last): (u64, u64);
            // SAFETY: the caller's. Nothing else is read, and registers alone are written; the stack is left as it was.
            unsafe {
                asm!(
                    "call {}",
                    sym code,
                    inout("rsi") a => last_but_one,
                    inout("rdi") b => last,
                    in("rcx") r,
                    $(out($result) $r,)*
                    $(out($lost) _,)*
                    options(pure, readonly),
                );
            }
            [$($r,)* last_but_one, last]
        }

        /// a0 b0 + x b1 and a0 b1 + a1 b0, divided by 2^(64 N), modulo p. Reads twice as many words of a and b, as many of x, and
        /// a reduction for as many; with the instructions of [`Adx`].
        #[inline(always)]
        unsafe fn $quadratic(
            a: *const u64,
            b: *const u64,
            x: *const u64,
            r: *const u64,
        ) -> [[u64; $n]; 2] {
            #[unsafe(naked)]
            extern "C" fn code() {
                naked_asm!(
                    "push rbx",
                    "push rbp",
                    concat!("sub rsp, ", $length),
                    "xor r15, r15",
                    turns!([$zero $($word)*], [$zero $($word)*], ["rsi" * "rdi" "r8" * $b1], $length, $t),
                    reduce_once!([$zero $($word)*], $last, [$first $($before)*]),
                    concat!("mov [rsp], ", $first),
                    $(concat!("mov [rsp + ", $word, "], ", $before),)*
                    "xor r15, r15",
                    turns!([$zero $($word)*], [$zero $($word)*], ["rsi" * $b1 $a1 * "rdi"], $length, $t),
                    reduce_once!([$zero $($word)*], $last, [$($result)* "rsi" "rdi"]),
                    "mov r8, [rsp]",
                    $(concat!("mov ", $c0, ", [rsp + ", $word, "]"),)*
                    concat!("add rsp, ", $length),
                    "pop rbp",
                    "pop rbx",
                    "ret",
                )
            }
            $(let $x: u64;)*
            $(let $r: u64;)*
            let (first, last_but_one, last): (u64, u64, u64);
            // SAFETY: the caller's. Nothing else is read, and registers alone are written; the stack is left as it was.
            unsafe {
                asm!(
                    "call {}",
                    sym code,
                    inout("rsi") a => last_but_one,
                    inout("rdi") b => last,
                    inout("r8") x => first,
                    in("rcx") r,
                    $(out($c0) $x,)*
                    $(out($result) $r,)*
                    $(out($gone) _,)*
                    options(pure, readonly),
                );
            }
            [[first, $($x),*], [$($r,)* last_but_one, last]]
        }
    };
}

functions!(
    [0 8 16 24] 4 32, "rsi + 32" "rdi + 32",
    ["rbp" "r9" "r10" "r11" "r12"] => ["r12" "rbp" "r9" "r10"],
    four_words ["rax" = r0 "rdx" = r1] lost ["r9" "r10" "r11" "r12" "r15"],
    four_words_quadratic ["rax" "rbx" "rdx" "r15"], ["r9" = x1 "r10" = x2 "r11" = x3] lost ["r12" "r15"]
);
functions!(
    [0 8 16 24 32 40] 6 48, "rsi + 48" "rdi + 48",
    ["rbp" "r9" "r10" "r11" "r12" "r13" "r14"] => ["r14" "rbp" "r9" "r10" "r11" "r12"],
    six_words ["rax" = r0 "rdx" = r1 "r15" = r2 "r13" = r3] lost ["r9" "r10" "r11" "r12" "r14"],
    six_words_quadratic ["rax" "rbx" "rdx" "r15" "r13" "r8"],
    ["r9" = x1 "r10" = x2 "r11" = x3 "r12" = x4 "r14" = x5] lost []
);

/// Returns whether there are functions for this number of words.
pub const fn has(words: usize) -> bool {
    words == 4 || words == 6
}

/// a b / 2^(64 N) modulo p, for a and b as the portable function takes them, where a product fits ([`Reduction::fits`]).
#[inline(always)]
pub fn product<const N: usize>(_: Adx, a: &[u64; N], b: &[u64; N], r: &Reduction<N>) -> [u64; N] {
    let (a, b, r) = (a.as_ptr(), b.as_ptr(), std::ptr::from_ref(r).cast());
    // SAFETY: the processor has the instructions, and for N words the types say that a, b and r are as long.
    unsafe {
        match N {
            4 => same(four_words(a, b, r)),
            6 => same(six_words(a, b, r)),
            _ => unreachable!("{N} words"),
        }
    }
}

/// a0 b0 + x b1 and a0 b1 + a1 b0, divided by 2^(64 N), modulo p, likewise.
#[inline(always)]
pub fn quadratic<const N: usize>(
    _: Adx,
    a: &[[u64; N]; 2],
    x: &[u64; N],
    b: &[[u64; N]; 2],
    r: &Reduction<N>,
) -> [[u64; N]; 2] {
    let (a, b) = (a.as_flattened().as_ptr(), b.as_flattened().as_ptr());
    let (x, r) = (x.as_ptr(), std::ptr::from_ref(r).cast());
    // SAFETY: as above.
    unsafe {
        match N {
            4 => {
                let [c0, c1] = four_words_quadratic(a, b, x, r);
                [same(c0), same(c1)]
            }
            6 => {
                let [c0, c1] = six_words_quadratic(a, b, x, r);
                [same(c0), same(c1)]
            }
            _ => unreachable!("{N} words"),
        }
    }
}

/// The same array, of a length that is the same.
#[inline(always)]
fn same<const M: usize, const N: usize>(words: [u64; M]) -> [u64; N] {
    debug_assert!(M == N);
    // SAFETY: the types are the same.
    unsafe { transmute_copy(&words) }
}
