//! Products modulo p = 2^256 - FOLD with BMI2 and ADX: rows as in [`crate::field::x86_64::products`], and the upper half
//! folded.

use std::arch::asm;

use super::{FOLD, MODULUS};
use crate::field::x86_64::Adx;

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

/// t0 to t7, a number of 512 bits, modulo p in t0 to t3: below 2^256, but maybe not below p.
macro_rules! fold {
    () => {
        concat!(
            "mov rdx, {fold}\n",
            "xor {low:e}, {low:e}\n",
            fold!(@half "t0" "t1" "t4"),
            fold!(@half "t1" "t2" "t5"),
            fold!(@half "t2" "t3" "t6"),
            "mulx {high}, {low}, {t7}\n",
            "adcx {t3}, {low}\n",
            "mov {low:e}, 0\n",
            "adox {high}, {low}\n",
            "adcx {high}, {low}\n",
            // What is above 2^256 is below 2^34.
            "mulx {high}, {low}, {high}\n",
            "add {t0}, {low}\n",
            "adc {t1}, {high}\n",
            "adc {t2}, 0\n",
            "adc {t3}, 0\n",
            // After a carry t is below 2^67.
            "sbb {low}, {low}\n",
            "and {low}, rdx\n",
            "add {t0}, {low}\n",
            "adc {t1}, 0\n",
        )
    };
    (@half $low:literal $high:literal $word:literal) => {
        concat!(
            "mulx {high}, {low}, {", $word, "}\n",
            "adcx {", $low, "}, {low}\n",
            "adox {", $high, "}, {high}\n",
        )
    };
}

/// a b modulo p, below 2^256.
#[inline(always)]
pub fn product(_: Adx, a: &[u64; 4], b: &[u64; 4]) -> [u64; 4] {
    let (t0, t1, t2, t3): (u64, u64, u64, u64);
    // SAFETY: the processor has the instructions. They read a and b as far as the types say that these are long, write
    // registers only, and use no stack.
    unsafe {
        asm!(
            "mov rdx, [{a}]",
            "mulx {t1}, {t0}, [{b}]",
            "mulx {t2}, {low}, [{b} + 8]",
            "add {t1}, {low}",
            "mulx {t3}, {low}, [{b} + 16]",
            "adc {t2}, {low}",
            "mulx {t4}, {low}, [{b} + 24]",
            "adc {t3}, {low}",
            "adc {t4}, 0",
            "mov rdx, [{a} + 8]",
            "xor {t5:e}, {t5:e}",
            row!("b" + 0, [0 8 16 24], ["t1" "t2" "t3" "t4" "t5"]),
            "mov rdx, [{a} + 16]",
            "xor {t6:e}, {t6:e}",
            row!("b" + 0, [0 8 16 24], ["t2" "t3" "t4" "t5" "t6"]),
            "mov rdx, [{a} + 24]",
            "xor {t7:e}, {t7:e}",
            row!("b" + 0, [0 8 16 24], ["t3" "t4" "t5" "t6" "t7"]),
            fold!(),
            fold = const FOLD,
            a = in(reg) a,
            b = in(reg) b,
            low = out(reg) _,
            high = out(reg) _,
            out("rdx") _,
            t0 = out(reg) t0,
            t1 = out(reg) t1,
            t2 = out(reg) t2,
            t3 = out(reg) t3,
            t4 = out(reg) _,
            t5 = out(reg) _,
            t6 = out(reg) _,
            t7 = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

/// a^2 modulo p, below 2^256: the products of different words, once; twice these, and the squares.
#[inline(always)]
pub fn square(_: Adx, a: &[u64; 4]) -> [u64; 4] {
    let (t0, t1, t2, t3): (u64, u64, u64, u64);
    // SAFETY: as above.
    unsafe {
        asm!(
            "mov rdx, [{a}]",
            "mulx {t2}, {t1}, [{a} + 8]",
            "mulx {t3}, {low}, [{a} + 16]",
            "add {t2}, {low}",
            "mulx {t4}, {low}, [{a} + 24]",
            "adc {t3}, {low}",
            "adc {t4}, 0",
            "mov rdx, [{a} + 8]",
            "xor {t5:e}, {t5:e}",
            "mulx {high}, {low}, [{a} + 16]",
            "adcx {t3}, {low}",
            "adox {t4}, {high}",
            "mulx {high}, {low}, [{a} + 24]",
            "adcx {t4}, {low}",
            "adox {t5}, {high}",
            "mov rdx, [{a} + 16]",
            "mulx {t6}, {low}, [{a} + 24]",
            "adcx {t5}, {low}",
            "mov {t7:e}, 0",
            "adcx {t6}, {t7}",
            "mov rdx, [{a}]",
            "xor {low:e}, {low:e}",
            "mulx {high}, {t0}, rdx",
            "adcx {t1}, {t1}",
            "adox {t1}, {high}",
            "mov rdx, [{a} + 8]",
            "mulx {high}, {low}, rdx",
            "adcx {t2}, {t2}",
            "adox {t2}, {low}",
            "adcx {t3}, {t3}",
            "adox {t3}, {high}",
            "mov rdx, [{a} + 16]",
            "mulx {high}, {low}, rdx",
            "adcx {t4}, {t4}",
            "adox {t4}, {low}",
            "adcx {t5}, {t5}",
            "adox {t5}, {high}",
            "mov rdx, [{a} + 24]",
            "mulx {high}, {low}, rdx",
            "adcx {t6}, {t6}",
            "adox {t6}, {low}",
            "adcx {t7}, {t7}",
            "adox {t7}, {high}",
            fold!(),
            fold = const FOLD,
            a = in(reg) a,
            low = out(reg) _,
            high = out(reg) _,
            out("rdx") _,
            t0 = out(reg) t0,
            t1 = out(reg) t1,
            t2 = out(reg) t2,
            t3 = out(reg) t3,
            t4 = out(reg) _,
            t5 = out(reg) _,
            t6 = out(reg) _,
            t7 = out(reg) _,
            options(pure, readonly, nostack),
        );
    }
    [t0, t1, t2, t3]
}

/// (a + p) / 2 if `odd` is all ones, a / 2 if it is 0: the sum's carry comes in from above.
#[inline(always)]
pub fn half(a: &[u64; 4], odd: u64) -> [u64; 4] {
    let [mut t0, mut t1, mut t2, mut t3] = *a;
    // SAFETY: instructions that touch nothing but their registers and the flags.
    unsafe {
        asm!(
            "add {t0}, {lowest}",
            // The other words of p are all ones.
            "adc {t1}, {odd}",
            "adc {t2}, {odd}",
            "adc {t3}, {odd}",
            "rcr {t3}, 1",
            "rcr {t2}, 1",
            "rcr {t1}, 1",
            "rcr {t0}, 1",
            lowest = in(reg) MODULUS[0] & odd,
            odd = in(reg) odd,
            t0 = inout(reg) t0,
            t1 = inout(reg) t1,
            t2 = inout(reg) t2,
            t3 = inout(reg) t3,
            options(pure, nomem, nostack),
        );
    }
    [t0, t1, t2, t3]
}
