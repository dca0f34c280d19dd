// The field of p = 2^64 - 2^32 + 1 elements (spec/fields/goldilocks.toml), in canonical form.
#pragma once
#include "platform.h"

struct Goldilocks {
    static constexpr u64 MODULUS = 0xffffffff00000001;
    static constexpr u64 EPSILON = 0xffffffff; // 2^64 modulo p
    static constexpr int LIMBS = 2;
    static constexpr int BYTES = 8;

    u64 x;

    static METHOD Goldilocks zero() { return {0}; }
    static METHOD Goldilocks load(const void *from) { return {*(const u64 *)from}; }
    METHOD void store(void *to) const { *(u64 *)to = x; }
    METHOD bool is_reduced() const { return x < MODULUS; }
    METHOD Goldilocks to_montgomery() const { return *this; }

    METHOD Goldilocks plus(const Goldilocks &b) const {
        // 2^64 is EPSILON, and p - x is what b must not reach.
        const u64 rest = MODULUS - x;
        return {b.x >= rest ? b.x - rest : x + b.x};
    }

    METHOD Goldilocks minus(const Goldilocks &b) const { return {x >= b.x ? x - b.x : x - b.x + MODULUS}; }

    // With 2^64 = 2^32 - 1 and 2^96 = -1: low + (2^32 - 1) middle - top.
    METHOD Goldilocks times(const Goldilocks &b) const {
#ifdef __CUDACC__
        const u64 low = x * b.x, high = __umul64hi(x, b.x);
#else
        const unsigned __int128 product = (unsigned __int128)x * b.x;
        const u64 low = (u64)product, high = (u64)(product >> 64);
#endif
        const u64 top = high >> 32, middle = (high & EPSILON) * EPSILON;
        u64 sum = low - top;
        if (low < top) sum -= EPSILON;
        const u64 all = sum + middle;
        u64 r = all < middle ? all + EPSILON : all;
        if (r >= MODULUS) r -= MODULUS;
        return {r};
    }
};
