// Number-theoretic transforms of 2^log_size elements in natural order, in passes of Stockham's kind: no pass reverses bits.
//
// With n = 2^log_size, R = 2^log_radix the radix of a pass, S = 2^log_done the product of the radices before, m = n / (S R), and i = q + S p with
// q < S and p < m, a pass makes
//
//   y[q + S (R p + j)] = w^(S p j)  sum_k  x[i + (n / R) k] w_R^(j k)        w_R = w^(n / R)
//
// A block makes 2^log_tile consecutive i: it reads R rows of them, transforms in shared memory (decimation in frequency, so that the results lie
// in bit-reversed places there) and writes.
//
// Elements stay in canonical form; factors are in the field's form for `times` (`Scale` below). A module defines `F`.
#pragma once
#include "platform.h"

// Powers of a number: low[i] is its power i, high[i] its power i 2^low_bits. high may bring a common factor, and is null where low has all.
struct Powers {
    const char *low, *high;
    u32 low_bits;
};

struct Pass {
    u32 log_size, log_done, log_radix, log_tile;
    u32 checks; // 1: elements that are not below the modulus are noted
};

DEVICE F power(const Powers &powers, u64 exponent) {
    if (!powers.high) return F::load(powers.low + exponent * F::BYTES);
    const F low = F::load(powers.low + (exponent & ((1ull << powers.low_bits) - 1)) * F::BYTES);
    return low.times(F::load(powers.high + (exponent >> powers.low_bits) * F::BYTES));
}

// Elements in shared memory, in planes of 16 bytes so that neighbours do not meet in a bank.
struct Tile {
    char *planes;
    u32 count;

    static constexpr int WIDTH = F::BYTES < 16 ? F::BYTES : 16;

    METHOD F load(u32 at) const {
        union { u32 v[F::BYTES / 4]; u64 aligned; } words;
        UNROLL for (int i = 0; i < F::BYTES / WIDTH; i++)
            load_words<WIDTH / 4>(words.v + i * (WIDTH / 4), planes + ((u64)i * count + at) * WIDTH);
        return F::load(words.v);
    }

    METHOD void store(u32 at, const F &x) const {
        alignas(16) u32 words[F::BYTES / 4];
        x.store(words);
        UNROLL for (int i = 0; i < F::BYTES / WIDTH; i++)
            store_words<WIDTH / 4>(planes + ((u64)i * count + at) * WIDTH, words + i * (WIDTH / 4));
    }
};

DEVICE u32 reversed_bits(u32 x, u32 bits) {
#ifdef __CUDACC__
    return bits == 0 ? 0 : __brev(x) >> (32 - bits);
#else
    u32 r = 0;
    for (u32 i = 0; i < bits; i++) r |= (x >> i & 1) << (bits - 1 - i);
    return r;
#endif
}

// Layers of butterflies that are computed in registers before elements go back to shared memory.
constexpr int LAYERS = F::BYTES == 8 ? 3 : 2;

// Layers with halves 2^(log_half + L - 1) to 2^log_half, by decimation in frequency: (a, b) become (a + b, (a - b) w^e), where w has the order of the radix.
template <int L> DEVICE void butterflies(const Tile &tile, const Pass &pass, const char *radix_roots, u32 log_half) {
    for (u32 i = thread_in_block(); i < tile.count >> L; i += threads_in_block()) {
        const u32 column = i & ((1u << pass.log_tile) - 1), group = i >> pass.log_tile, offset = group & ((1u << log_half) - 1);
        const u32 first = ((((group - offset) << L) + offset) << pass.log_tile) + column;
        F x[1 << L];
        UNROLL for (u32 k = 0; k < 1u << L; k++) x[k] = tile.load(first + (k << (log_half + pass.log_tile)));
        UNROLL for (int layer = L - 1; layer >= 0; layer--) {
            const u32 half = 1u << layer;
            UNROLL for (u32 k = 0; k < half; k++) {
                const u32 exponent = (offset + (k << log_half)) << (pass.log_radix - 1 - log_half - layer);
                const F root = F::load(radix_roots + exponent * F::BYTES);
                UNROLL for (u32 pair = k; pair < 1u << L; pair += 2 * half) {
                    const F difference = x[pair].minus(x[pair + half]);
                    x[pair] = x[pair].plus(x[pair + half]);
                    x[pair + half] = layer == 0 && log_half == 0 ? difference : difference.times(root);
                }
            }
        }
        UNROLL for (u32 k = 0; k < 1u << L; k++) tile.store(first + (k << (log_half + pass.log_tile)), x[k]);
    }
    barrier();
}

// roots: powers of w; between: of w^S. before, after: what elements are multiplied by on their way in and out, by their place; none if `low` is null. Shared memory:
// the tile's elements, and R / 2 roots (one at least).
KERNEL BOUNDS(256, 2) void ntt_pass(const char *from, char *to, Pass pass, Powers roots, Powers between, Powers before, Powers after, u64 *first_wrong) {
    const u32 radix = 1u << pass.log_radix, width = 1u << pass.log_tile, count = radix << pass.log_tile;
    const u32 thread = thread_in_block(), threads = threads_in_block();
    const Tile tile = {(char *)shared_memory(), count};
    char *radix_roots = (char *)shared_memory() + (u64)count * F::BYTES;
    const u32 log_rest = pass.log_size - pass.log_radix;
    const u64 first = (u64)block_in_grid() << pass.log_tile;

    for (u32 i = thread; i < radix / 2; i += threads) power(roots, (u64)i << log_rest).store(radix_roots + i * F::BYTES);
    for (u32 i = thread; i < count; i += threads) {
        const u64 place = first + i % width + ((u64)(i >> pass.log_tile) << log_rest);
        F x = F::load(from + place * F::BYTES);
        if (pass.checks && !x.is_reduced()) atomic_min(first_wrong, place);
        if (before.low) x = x.times(power(before, place));
        tile.store(i, x);
    }
    barrier();
    u32 log_half = pass.log_radix;
    while (log_half >= LAYERS) {
        log_half -= LAYERS;
        butterflies<LAYERS>(tile, pass, radix_roots, log_half);
    }
    if (log_half == 2) butterflies<2>(tile, pass, radix_roots, 0);
    if (log_half == 1) butterflies<1>(tile, pass, radix_roots, 0);
    const bool is_first = pass.log_done < pass.log_tile;
    for (u32 i = thread; i < count; i += threads) {
        // Neighbours write neighbouring places: in the first pass those of a j, later those of an i.
        const u32 j = is_first ? i & (radix - 1) : i >> pass.log_tile;
        const u32 column = is_first ? i >> pass.log_radix : i % width;
        const u64 at = first + column, p = at >> pass.log_done, q = at & ((1ull << pass.log_done) - 1);
        F x = tile.load((reversed_bits(j, pass.log_radix) << pass.log_tile) + column);
        if (p > 0 && j > 0) x = x.times(power(between, p * j));
        const u64 place = q + (((p << pass.log_radix) + j) << pass.log_done);
        if (after.low) x = x.times(power(after, place));
        x.store(to + place * F::BYTES);
    }
}
COOPERATIVE_ENTRY(ntt_pass)

// a b - c, into a. square: what brings a product of two canonical numbers back to canonical form.
KERNEL void multiply_subtract(char *a, const char *b, const char *c, u64 count, const char *square) {
    const u64 i = thread_in_grid();
    if (i >= count) return;
    const F product = F::load(a + i * F::BYTES).times(F::load(b + i * F::BYTES)).times(F::load(square));
    product.minus(F::load(c + i * F::BYTES)).store(a + i * F::BYTES);
}
ENTRY(multiply_subtract)

PRODUCTS_OF(F)
