// Arithmetic with carries on 32-bit limbs, as PTX has it. A chain begins with an instruction whose name has no `c` before its operation, and
// nothing else that uses the carry flag may come between its members: `asm volatile` keeps their order.
#pragma once
#include "platform.h"

#ifdef __CUDACC__

#define PROOFMILL_BINARY(name, instruction)                                                        \
    DEVICE u32 name(u32 a, u32 b) {                                                                \
        u32 r;                                                                                     \
        asm volatile(instruction " %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));                       \
        return r;                                                                                  \
    }
#define PROOFMILL_TERNARY(name, instruction)                                                       \
    DEVICE u32 name(u32 a, u32 b, u32 c) {                                                         \
        u32 r;                                                                                     \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));           \
        return r;                                                                                  \
    }

#else

// The carry flag; in subtractions it is the borrow.
static u32 carry_flag;

DEVICE u32 with_carry(u64 sum) { return carry_flag = (u32)(sum >> 32), (u32)sum; }
DEVICE u32 with_borrow(u64 difference) { return carry_flag = (u32)(difference >> 63), (u32)difference; }
DEVICE u32 low(u32 a, u32 b) { return (u32)((u64)a * b); }
DEVICE u32 high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }

DEVICE u32 add_cc(u32 a, u32 b) { return with_carry((u64)a + b); }
DEVICE u32 addc_cc(u32 a, u32 b) { return with_carry((u64)a + b + carry_flag); }
DEVICE u32 addc(u32 a, u32 b) { return a + b + carry_flag; }
DEVICE u32 sub_cc(u32 a, u32 b) { return with_borrow((u64)a - b); }
DEVICE u32 subc_cc(u32 a, u32 b) { return with_borrow((u64)a - b - carry_flag); }
DEVICE u32 subc(u32 a, u32 b) { return a - b - carry_flag; }
DEVICE u32 mad_lo_cc(u32 a, u32 b, u32 c) { return with_carry((u64)low(a, b) + c); }
DEVICE u32 madc_lo_cc(u32 a, u32 b, u32 c) { return with_carry((u64)low(a, b) + c + carry_flag); }
DEVICE u32 madc_hi_cc(u32 a, u32 b, u32 c) { return with_carry((u64)high(a, b) + c + carry_flag); }
DEVICE u32 madc_hi(u32 a, u32 b, u32 c) { return high(a, b) + c + carry_flag; }
DEVICE u32 mul_lo(u32 a, u32 b) { return low(a, b); }
DEVICE u32 mul_hi(u32 a, u32 b) { return high(a, b); }

#define PROOFMILL_BINARY(name, instruction)
#define PROOFMILL_TERNARY(name, instruction)

#endif

PROOFMILL_BINARY(add_cc, "add.cc.u32")
PROOFMILL_BINARY(addc_cc, "addc.cc.u32")
PROOFMILL_BINARY(addc, "addc.u32")
PROOFMILL_BINARY(sub_cc, "sub.cc.u32")
PROOFMILL_BINARY(subc_cc, "subc.cc.u32")
PROOFMILL_BINARY(subc, "subc.u32")
PROOFMILL_BINARY(mul_lo, "mul.lo.u32")
PROOFMILL_BINARY(mul_hi, "mul.hi.u32")
PROOFMILL_TERNARY(mad_lo_cc, "mad.lo.cc.u32")
PROOFMILL_TERNARY(madc_lo_cc, "madc.lo.cc.u32")
PROOFMILL_TERNARY(madc_hi_cc, "madc.hi.cc.u32")
PROOFMILL_TERNARY(madc_hi, "madc.hi.u32")

// Products of every other limb of `a`, from the first given one on, with one limb: sum + (a[0] + a[2] 2^64 + …) b. Two limbs of each product go to two
// limbs of the sum, so that lower and upper half are one instruction (IMAD.WIDE). The carry out is left in the flag.
template <int N> DEVICE void add_products(u32 *sum, const u32 *a, u32 b) {
    sum[0] = mad_lo_cc(a[0], b, sum[0]);
    sum[1] = madc_hi_cc(a[0], b, sum[1]);
    UNROLL for (int j = 2; j < N; j += 2) {
        sum[j] = madc_lo_cc(a[j], b, sum[j]);
        sum[j + 1] = madc_hi_cc(a[j], b, sum[j + 1]);
    }
}

// The same without a sum; nothing is left in the flag.
template <int N> DEVICE void products(u32 *to, const u32 *a, u32 b) {
    UNROLL for (int j = 0; j < N; j += 2) {
        to[j] = mul_lo(a[j], b);
        to[j + 1] = mul_hi(a[j], b);
    }
}
