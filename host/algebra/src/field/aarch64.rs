//! AArch64: Montgomery products and reductions of numbers of 4 and 6 limbs.
//!
//! `mul` and `umulh` return the halves of a product and leave the flags alone. A row is therefore two carry chains: the first adds the low
//! halves, the second the high halves one limb further up. The method is that of the portable file, with the same bits. The compiler makes the
//! same chains of Rust code, but schedules so many products ahead that numbers of 6 limbs do not stay in registers
//! ([decision](../../../../docs/decisions/0074-products-on-aarch64.md)).
//!
//! The blocks have no memory operands: the compiler loads a number once and chooses the registers.

use std::arch::asm;

use super::multiply::Reduction;

/// t += the low half of x b, by an instruction for the carry.
macro_rules! low {
    ($add:literal $t:ident $b:ident) => {
        concat!(
            "mul {half}, {x}, {",
            stringify!($b),
            "}\n",
            $add,
            " {",
            stringify!($t),
            "}, {",
            stringify!($t),
            "}, {half}",
        )
    };
}

/// to = t + the high half of x b, by an instruction for the carry.
macro_rules! high {
    ($add:literal $to:ident $t:ident $b:ident) => {
        concat!(
            "umulh {half}, {x}, {",
            stringify!($b),
            "}\n",
            $add,
            " {",
            stringify!($to),
            "}, {",
            stringify!($t),
            "}, {half}",
        )
    };
}

/// An instruction on three limbs.
macro_rules! limbs {
    ($name:literal $to:ident $left:ident $right:ident $($condition:literal)?) => {
        concat!(
            $name, " {", stringify!($to), "}, {", stringify!($left), "}, {", stringify!($right), "}" $(, ", ", $condition)?
        )
    };
}

/// Defines the module for numbers of some limbs. Its arguments are the first two limbs of t and b, the others with those before them, the
/// last, and all with their places.
macro_rules! rows {
    ($rows:ident, $limbs:literal, $t0:ident $b0:ident, $t1:ident $b1:ident, [$($s:ident $c:ident: $t:ident $b:ident)*], $z:ident $d:ident,
     [$($i:literal $u:ident $v:ident)*]) => {
        mod $rows {
            use super::*;

            /// t = x b. Returns the limb above t.
            #[inline(always)]
            fn first_row(t: &mut [u64; $limbs], x: u64, b: &[u64; $limbs]) -> u64 {
                let top;
                $(let $u;)*
                // SAFETY: instructions that touch nothing but their registers and the flags.
                unsafe {
                    asm!(
                        $(concat!("mul {", stringify!($u), "}, {x}, {", stringify!($v), "}"),)*
                        high!("adds" $t1 $t1 $b0),
                        $(high!("adcs" $t $t $c),)*
                        concat!("umulh {half}, {x}, {", stringify!($d), "}"),
                        "adc {top}, {half}, xzr",
                        $($u = out(reg) $u, $v = in(reg) b[$i],)*
                        x = in(reg) x,
                        top = out(reg) top,
                        half = out(reg) _,
                        options(pure, nomem, nostack),
                    );
                }
                *t = [$($u),*];
                top
            }

            /// t + 2^(64 N) top += x b, where the sum has N + 1 limbs. Returns the limb above t.
            #[inline(always)]
            fn row(t: &mut [u64; $limbs], mut top: u64, x: u64, b: &[u64; $limbs]) -> u64 {
                let [$(mut $u),*] = *t;
                // SAFETY: instructions that touch nothing but their registers and the flags.
                unsafe {
                    asm!(
                        low!("adds" $t0 $b0),
                        low!("adcs" $t1 $b1),
                        $(low!("adcs" $t $b),)*
                        "adc {top}, {top}, xzr",
                        high!("adds" $t1 $t1 $b0),
                        $(high!("adcs" $t $t $c),)*
                        high!("adc" top top $d),
                        $($u = inout(reg) $u, $v = in(reg) b[$i],)*
                        x = in(reg) x,
                        top = inout(reg) top,
                        half = out(reg) _,
                        options(pure, nomem, nostack),
                    );
                }
                *t = [$($u),*];
                top
            }

            /// t = (t + 2^(64 N) top + m p) / 2^64, where m makes the sum divisible. The lowest limb of the sum is 0 and its carry is 1
            /// unless that of t is 0, so that neither needs a product.
            #[inline(always)]
            fn divide(t: &mut [u64; $limbs], top: u64, r: &Reduction<$limbs>) {
                let m = t[0].wrapping_mul(r.negative_inverse);
                let [$(mut $u),*] = *t;
                // SAFETY: instructions that touch nothing but their registers and the flags.
                unsafe {
                    asm!(
                        concat!("cmp {", stringify!($t0), "}, #1"),
                        low!("adcs" $t1 $b1),
                        $(low!("adcs" $t $b),)*
                        "adc {top}, {top}, xzr",
                        high!("adds" $t0 $t1 $b0),
                        $(high!("adcs" $s $t $c),)*
                        high!("adc" $z top $d),
                        $($u = inout(reg) $u, $v = in(reg) r.p[$i],)*
                        x = in(reg) m,
                        top = inout(reg) top => _,
                        half = out(reg) _,
                        options(pure, nomem, nostack),
                    );
                }
                *t = [$($u),*];
            }

            #[inline(always)]
            pub fn sum_of_products<const COUNT: usize>(
                a: [[u64; $limbs]; COUNT],
                b: [[u64; $limbs]; COUNT],
                r: &Reduction<$limbs>,
            ) -> [u64; $limbs] {
                let mut t = [0; $limbs];
                $(
                    let mut top = 0;
                    for (k, (a, b)) in a.iter().zip(&b).enumerate() {
                        top = match ($i, k) {
                            (0, 0) => first_row(&mut t, a[0], b),
                            _ => row(&mut t, top, a[$i], b),
                        };
                    }
                    divide(&mut t, top, r);
                )*
                t
            }

            #[inline(always)]
            pub fn reduce_once(t: [u64; $limbs], carry: u64, p: [u64; $limbs]) -> [u64; $limbs] {
                let [$(mut $u),*] = t;
                // SAFETY: instructions that touch nothing but their registers and the flags.
                unsafe {
                    asm!(
                        limbs!("subs" $b0 $t0 $b0),
                        limbs!("sbcs" $b1 $t1 $b1),
                        $(limbs!("sbcs" $b $t $b),)*
                        "sbcs xzr, {carry}, xzr",
                        $(limbs!("csel" $u $u $v "lo"),)*
                        $($u = inout(reg) $u, $v = inout(reg) p[$i] => _,)*
                        carry = in(reg) carry,
                        options(pure, nomem, nostack),
                    );
                }
                [$($u),*]
            }
        }
    };
}

rows! {
    four, 4, t0 b0, t1 b1, [t1 b1: t2 b2 t2 b2: t3 b3], t3 b3,
    [0 t0 b0 1 t1 b1 2 t2 b2 3 t3 b3]
}
rows! {
    six, 6, t0 b0, t1 b1, [t1 b1: t2 b2 t2 b2: t3 b3 t3 b3: t4 b4 t4 b4: t5 b5], t5 b5,
    [0 t0 b0 1 t1 b1 2 t2 b2 3 t3 b3 4 t4 b4 5 t5 b5]
}

/// The same limbs, in the type of another number of limbs, which must be equal.
#[inline(always)]
fn same<const N: usize, const M: usize>(limbs: &[u64; N]) -> [u64; M] {
    *limbs.first_chunk().expect("as many limbs")
}

/// `(a[0] b[0] + a[1] b[1] + …)` / 2^(64 N) modulo p, below 2 p, for b below p, where so many products fit and their sum is below
/// 2^(64 N) p; a single a may be any number of N limbs. None if there are no rows for so many limbs.
#[inline(always)]
pub fn sum_of_products<const N: usize, const COUNT: usize>(
    a: [&[u64; N]; COUNT],
    b: [&[u64; N]; COUNT],
    r: &Reduction<N>,
) -> Option<[u64; N]> {
    macro_rules! by {
        ($rows:ident) => {{
            let r = &Reduction { p: same(&r.p), negative_inverse: r.negative_inverse };
            Some(same(&$rows::sum_of_products(a.map(same), b.map(same), r)))
        }};
    }
    match N {
        4 => by!(four),
        6 => by!(six),
        _ => None,
    }
}

/// t + 2^(64 N) carry modulo p; the number is below 2 p. None if there are no rows for so many limbs.
#[inline(always)]
pub fn reduce_once<const N: usize>(t: &[u64; N], carry: u64, p: &[u64; N]) -> Option<[u64; N]> {
    match N {
        4 => Some(same(&four::reduce_once(same(t), carry, same(p)))),
        6 => Some(same(&six::reduce_once(same(t), carry, same(p)))),
        _ => None,
    }
}

/// `chosen` if `bit` is not 0, otherwise `otherwise`, with an instruction that the compiler cannot turn into a branch.
#[inline(always)]
pub fn select(bit: u64, chosen: u64, otherwise: u64) -> u64 {
    let word;
    // SAFETY: two instructions that touch nothing but their registers and the flags.
    unsafe {
        asm!(
            "cmp {bit}, #0",
            "csel {word}, {chosen}, {otherwise}, ne",
            bit = in(reg) bit,
            chosen = in(reg) chosen,
            otherwise = in(reg) otherwise,
            word = lateout(reg) word,
            options(pure, nomem, nostack),
        );
    }
    word
}

/// Returns all ones if `bit` is 1, and 0 if it is 0; hides from the compiler that there are only two values.
#[inline(always)]
pub fn mask(bit: u64) -> u64 {
    let mask;
    // SAFETY: one instruction that touches nothing but its registers.
    unsafe {
        asm!(
            "neg {mask}, {bit}",
            bit = in(reg) bit,
            mask = lateout(reg) mask,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    mask
}
