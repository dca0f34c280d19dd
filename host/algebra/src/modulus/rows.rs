//! Rows of products of 64-bit limbs with two carry chains: `mulx` leaves the flags alone, `adcx` adds the low halves of a row with the
//! carry flag and `adox` the high halves with the overflow flag (Ozturk, Guilford, Gopal, Feghali, "New instructions supporting large
//! integer arithmetic on Intel architecture processors", 2012). A window of eight limbs of t stays in registers while it moves up a limb
//! a row, so a row has eight products, one load and one store.
//!
//! | | |
//! |---|---|
//! | `rdi`, `rsi`, `rcx` | t; the factors of the rows; the eight limbs that a row multiplies |
//! | `r8` to `r15` | the window, in an order that rotates |
//! | `rdx` | the factor of a row |
//! | `rax`, `rbx` | the halves of a product |
//! | `rbp` | the pending carry above the window: 0 or -1 |
//!
//! Every function is unsafe because it needs BMI2 and ADX and because it follows its pointers: the caller has an
//! [`Adx`](crate::field::Adx) and slices of the lengths stated.

use std::arch::naked_asm;

/// The rest of a row: adds rdx times the limbs at the offsets to the registers, and leaves the top limb in `$top`, exact.
macro_rules! steps {
    ($b:literal, [$o:literal], [$t:literal], $top:literal) => {
        concat!(
            "mulx ", $top, ", rax, [", $b, " + ", $o, "]\n",
            "adcx ", $t, ", rax\n",
            "mov eax, 0\n",
            "adox ", $top, ", rax\n",
            "adcx ", $top, ", rax\n",
        )
    };
    ($b:literal, [$o:literal $($os:literal)+], [$t:literal $next:literal $($ts:literal)*], $top:literal) => {
        concat!(
            "mulx rbx, rax, [", $b, " + ", $o, "]\n",
            "adcx ", $t, ", rax\n",
            "adox ", $next, ", rbx\n",
            steps!($b, [$($os)+], [$next $($ts)*], $top),
        )
    };
}

/// Adds a limb of t and the pending carry (rbp = 0 or -1) to the top limb.
macro_rules! pending {
    ($top:literal, $offset:literal) => {
        concat!("add rbp, rbp\n", "adc ", $top, ", [rdi + 64 + ", $offset, "]\n", "sbb rbp, rbp\n")
    };
}

/// A row: t += a[i] b, and the window moves up a limb.
macro_rules! row {
    ($offset:literal, [$w0:literal $w1:literal $($ws:literal)*]) => {
        concat!(
            "mov rdx, [rsi + ", $offset, "]\n",
            "xor eax, eax\n",
            "mulx rbx, rax, [rcx]\n",
            "adcx ", $w0, ", rax\n",
            "mov [rdi + ", $offset, "], ", $w0, "\n",
            "adox ", $w1, ", rbx\n",
            steps!("rcx", [8 16 24 32 40 48 56], [$w1 $($ws)*], $w0),
            pending!($w0, $offset),
        )
    };
}

/// A row whose factor makes the lowest limb 0.
macro_rules! reduce_row {
    ($offset:literal, [$w0:literal $w1:literal $($ws:literal)*]) => {
        concat!(
            "mov rdx, ", $w0, "\n",
            "imul rdx, [rsp]\n",
            "mov [rsi + ", $offset, "], rdx\n",
            "xor eax, eax\n",
            "mulx rbx, rax, [rcx]\n",
            "adcx ", $w0, ", rax\n",
            "adox ", $w1, ", rbx\n",
            steps!("rcx", [8 16 24 32 40 48 56], [$w1 $($ws)*], $w0),
            pending!($w0, $offset),
        )
    };
}

/// Eight rows, after which the registers have their names again.
macro_rules! eight {
    ($row:ident) => {
        concat!(
            $row!(0, ["r8" "r9" "r10" "r11" "r12" "r13" "r14" "r15"]),
            $row!(8, ["r9" "r10" "r11" "r12" "r13" "r14" "r15" "r8"]),
            $row!(16, ["r10" "r11" "r12" "r13" "r14" "r15" "r8" "r9"]),
            $row!(24, ["r11" "r12" "r13" "r14" "r15" "r8" "r9" "r10"]),
            $row!(32, ["r12" "r13" "r14" "r15" "r8" "r9" "r10" "r11"]),
            $row!(40, ["r13" "r14" "r15" "r8" "r9" "r10" "r11" "r12"]),
            $row!(48, ["r14" "r15" "r8" "r9" "r10" "r11" "r12" "r13"]),
            $row!(56, ["r15" "r8" "r9" "r10" "r11" "r12" "r13" "r14"]),
        )
    };
}

macro_rules! save {
    () => {
        "push rbx\npush rbp\npush r12\npush r13\npush r14\npush r15\n"
    };
}

macro_rules! restore {
    () => {
        "pop r15\npop r14\npop r13\npop r12\npop rbp\npop rbx\nret\n"
    };
}

/// The window from memory.
macro_rules! load {
    () => {
        concat!(
            "mov r8, [rdi + 0]\n",
            "mov r9, [rdi + 8]\n",
            "mov r10, [rdi + 16]\n",
            "mov r11, [rdi + 24]\n",
            "mov r12, [rdi + 32]\n",
            "mov r13, [rdi + 40]\n",
            "mov r14, [rdi + 48]\n",
            "mov r15, [rdi + 56]\n",
        )
    };
}

/// The window to memory.
macro_rules! store {
    () => {
        concat!(
            "mov [rdi + 0], r8\n",
            "mov [rdi + 8], r9\n",
            "mov [rdi + 16], r10\n",
            "mov [rdi + 24], r11\n",
            "mov [rdi + 32], r12\n",
            "mov [rdi + 40], r13\n",
            "mov [rdi + 48], r14\n",
            "mov [rdi + 56], r15\n",
        )
    };
}

/// Adds a b + carry 2^512 to t and returns the carry out, 0 or 1. `a` has `8 blocks` limbs, `b` has 8, and `t` has
/// `8 blocks + 8`; `blocks` is at least 1.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn rows(
    t: *mut u64,
    a: *const u64,
    b: *const u64,
    blocks: usize,
    carry: u64,
) -> u64 {
    naked_asm!(
        save!(),
        "push rcx",
        "mov rbp, r8",
        "neg rbp",
        "mov rcx, rdx",
        load!(),
        "2:",
        eight!(row),
        "lea rdi, [rdi + 64]",
        "lea rsi, [rsi + 64]",
        "dec qword ptr [rsp]",
        "jnz 2b",
        store!(),
        "mov rax, rbp",
        "neg rax",
        "pop rcx",
        restore!(),
    )
}

/// Makes eight rows of a Montgomery reduction with the low 8 limbs of n: writes their factors to `m`, 8 limbs, and to t[8..16]
/// the sum without its low half, which is 0. Returns the carry out. `t` has 16 limbs.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn reduce(
    t: *mut u64,
    m: *mut u64,
    n: *const u64,
    negated_inverse: u64,
) -> u64 {
    naked_asm!(
        save!(),
        "push rcx",
        "xor ebp, ebp",
        "mov rcx, rdx",
        load!(),
        eight!(reduce_row),
        "lea rdi, [rdi + 64]",
        store!(),
        "mov rax, rbp",
        "neg rax",
        "pop rcx",
        restore!(),
    )
}

/// Row i of the triangle: a[i] times the limbs after it; the two lowest limbs of the sum are final.
macro_rules! square_row {
    ($i:literal, [$o:literal $($os:literal)+], [$w0:literal $w1:literal $($ws:literal)*], $top:literal, $p0:literal, $p1:literal) => {
        concat!(
            "mov rdx, [rsi + ", $i, "]\n",
            "xor eax, eax\n",
            "mulx rbx, rax, [rsi + ", $o, "]\n",
            "adcx ", $w0, ", rax\n",
            "mov [rdi + ", $p0, "], ", $w0, "\n",
            "adox ", $w1, ", rbx\n",
            steps!("rsi", [$($os)+], [$w1 $($ws)*], $top),
            "mov [rdi + ", $p1, "], ", $w1, "\n",
            pending!($top, $i),
        )
    };
}

/// Adds the products a[i] a[j] 2^(64 (i + j)) with i < j < 8 to t, 16 limbs, and returns the carry out. t[0] stays.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn triangle(t: *mut u64, a: *const u64) -> u64 {
    naked_asm!(
        save!(),
        "xor ebp, ebp",
        load!(),
        // positions 1..7 in r9..r15, position 8 -> r8
        square_row!(0, [8 16 24 32 40 48 56], ["r9" "r10" "r11" "r12" "r13" "r14" "r15"], "r8", 8, 16),
        // positions 3..8 in r11..r15 r8, 9 -> r9
        square_row!(8, [16 24 32 40 48 56], ["r11" "r12" "r13" "r14" "r15" "r8"], "r9", 24, 32),
        // 5..9: r13 r14 r15 r8 r9; 10 -> r10
        square_row!(16, [24 32 40 48 56], ["r13" "r14" "r15" "r8" "r9"], "r10", 40, 48),
        // 7..10: r15 r8 r9 r10; 11 -> r11
        square_row!(24, [32 40 48 56], ["r15" "r8" "r9" "r10"], "r11", 56, 64),
        // 9..11: r9 r10 r11; 12 -> r12
        square_row!(32, [40 48 56], ["r9" "r10" "r11"], "r12", 72, 80),
        // 11..12: r11 r12; 13 -> r13
        square_row!(40, [48 56], ["r11" "r12"], "r13", 88, 96),
        // 13: r13; 14 -> r14
        "mov rdx, [rsi + 48]",
        "xor eax, eax",
        steps!("rsi", [56], ["r13"], "r14"),
        pending!("r14", 48),
        "mov [rdi + 104], r13",
        "mov [rdi + 112], r14",
        "neg rbp",
        "xor eax, eax",
        "add [rdi + 120], rbp",
        "adc eax, eax",
        restore!(),
    )
}

/// Two limbs of t, doubled, and a square.
macro_rules! diagonal_step {
    ($k:literal, $t:literal) => {
        concat!(
            "mov rdx, [rsi + ",
            $k,
            "]\n",
            "mulx rbx, rax, rdx\n",
            "mov r8, [rdi + ",
            $t,
            "]\n",
            "mov r9, [rdi + 8 + ",
            $t,
            "]\n",
            "adcx r8, r8\n",
            "adox r8, rax\n",
            "adcx r9, r9\n",
            "adox r9, rbx\n",
            "mov [rdi + ",
            $t,
            "], r8\n",
            "mov [rdi + 8 + ",
            $t,
            "], r9\n",
        )
    };
}

/// Replaces t by 2 t plus the squares a[i]^2 2^(128 i). `a` has `8 blocks` limbs, `t` twice as many; the result fits.
#[unsafe(naked)]
pub(super) unsafe extern "sysv64" fn double_and_add_squares(
    t: *mut u64,
    a: *const u64,
    blocks: usize,
) {
    naked_asm!(
        "push rbx",
        "mov rcx, rdx",
        "xor eax, eax",
        "2:",
        diagonal_step!(0, 0),
        diagonal_step!(8, 16),
        diagonal_step!(16, 32),
        diagonal_step!(24, 48),
        diagonal_step!(32, 64),
        diagonal_step!(40, 80),
        diagonal_step!(48, 96),
        diagonal_step!(56, 112),
        "lea rdi, [rdi + 128]",
        "lea rsi, [rsi + 64]",
        "lea rcx, [rcx - 1]",
        "jrcxz 3f",
        "jmp 2b",
        "3:",
        "pop rbx",
        "ret",
    )
}
