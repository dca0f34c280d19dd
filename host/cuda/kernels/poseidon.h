// Poseidon hashes in states of WIDTH elements, a thread a hash, with the small integers of proofmill_algebra::poseidon (scaled.rs): the matrix has the
// integers L / (WIDTH + i + j), and what products and combinations divide by is in the constants.
//
// Elements are plain numbers below r, neither canonical nor Montgomery form being meant: a product is x y / 2^(32 N), a combination is a sum of
// multiples over 2^64.
//
// A module defines WIDTH, and F, the scalars of BLS12-381.
#pragma once
#include "field.h"

// L / (WIDTH + k), below 2^44.
struct Entries {
    u64 v[2 * WIDTH - 1];
};

struct Rounds {
    u32 half;    // full rounds before the partial ones, and after
    u32 partial;
    const char *first; // what is added before the first round
    // Round after round: of a partial one the factor of its first element; the constants that are added after it.
    const char *constants;
    const u32 *counts; // of each round, how many constants are added after it
    const char *last;  // what leads to the digest
};

template <int N> DEVICE void clear(u32 *v) {
    UNROLL for (int i = 0; i < N; i++) v[i] = 0;
}

// sum f_j x_j / 2^64 for integers f_j whose sum is below 2^47.
DEVICE F combination(const F *x, const Entries &entries, int row) {
    constexpr int N = F::LIMBS;
    // Columns 0 to N + 1, and columns 1 to N + 1. The sum is below 2^(32 N + 47).
    u32 even[N + 2], odd[N + 1];
    clear<N + 2>(even), clear<N + 1>(odd);
    UNROLL for (int j = 0; j < WIDTH; j++) {
        const u64 factor = entries.v[row + j];
        const u32 low = (u32)factor, high = (u32)(factor >> 32);
        add_products<N>(even, x[j].v, low);
        even[N] = addc_cc(even[N], 0);
        even[N + 1] = addc(even[N + 1], 0);
        add_products<N>(odd, x[j].v + 1, low);
        odd[N] = addc(odd[N], 0);
        add_products<N>(odd, x[j].v, high);
        odd[N] = addc(odd[N], 0);
        add_products<N>(even + 2, x[j].v + 1, high);
    }
    even[1] = add_cc(even[1], odd[0]);
    UNROLL for (int i = 2; i < N + 1; i++) even[i] = addc_cc(even[i], odd[i - 1]);
    even[N + 1] = addc(even[N + 1], odd[N]);

    u32 p[N];
    UNROLL for (int i = 0; i < N; i++) p[i] = F::Parameters::modulus(i);
    UNROLL for (int step = 0; step < 2; step++) {
        const u32 quotient = mul_lo(even[0], F::Parameters::NEGATIVE_INVERSE);
        add_products<N>(even, p, quotient);
        even[N] = addc_cc(even[N], 0);
        even[N + 1] = addc(even[N + 1], 0);
        add_products<N>(even + 1, p + 1, quotient);
        even[N + 1] = addc(even[N + 1], 0);
        UNROLL for (int i = 0; i < N + 1; i++) even[i] = even[i + 1];
        even[N + 1] = 0;
    }
    F r;
    UNROLL for (int i = 0; i < N; i++) r.v[i] = even[i];
    return r.reduced();
}

DEVICE F fourth_power(const F &x) { return x.squared().squared(); }

DEVICE void full_round(F *state) {
    // The state turns once around, so that the loop needs no variable places.
    ROLLED for (int i = 0; i < WIDTH; i++) {
        const F power = fourth_power(state[0]).times(state[0]);
        UNROLL for (int j = 0; j < WIDTH - 1; j++) state[j] = state[j + 1];
        state[WIDTH - 1] = power;
    }
}

// Digests of the preimages from `first` to `end`, of so many elements each, the state's first element being `tag`, and zeros behind. first_wrong: the number of
// the first element that is not below r.
KERNEL BOUNDS(128, 2) void hash(const char *preimages, u32 elements, u64 first, u64 end, Entries entries, Rounds rounds, const char *tag,
                                char *digests, u64 *first_wrong) {
    const u64 number = first + thread_in_grid();
    if (number >= end) return;
    F state[WIDTH];
    state[0] = F::load(tag);
    UNROLL for (u32 j = 0; j < WIDTH - 1; j++) {
        state[j + 1] = F::zero();
        if (j < elements) {
            state[j + 1] = F::load(preimages + (number * elements + j) * F::BYTES);
            if (!state[j + 1].is_reduced()) atomic_min(first_wrong, number * elements + j);
        }
    }
    UNROLL for (int j = 0; j < WIDTH; j++) state[j] = state[j].plus(F::load(rounds.first + j * F::BYTES));

    const char *constants = rounds.constants;
    const u32 last = 2 * rounds.half + rounds.partial - 1;
    ROLLED for (u32 round = 0;; round++) {
        if (round < rounds.half || round >= rounds.half + rounds.partial) {
            full_round(state);
        } else {
            const F multiple = state[0].times(F::load(constants));
            state[0] = fourth_power(state[0]).times(multiple);
            constants += F::BYTES;
        }
        if (round == last) break;
        F next[WIDTH];
        UNROLL for (int i = 0; i < WIDTH; i++) next[i] = combination(state, entries, i);
        UNROLL for (u32 i = 0; i < WIDTH; i++) {
            state[i] = next[i];
            if (i < rounds.counts[round]) state[i] = state[i].plus(F::load(constants + i * F::BYTES));
        }
        constants += rounds.counts[round] * F::BYTES;
    }
    combination(state, entries, 1).times(F::load(rounds.last)).store(digests + number * F::BYTES);
}
ENTRY(hash)
