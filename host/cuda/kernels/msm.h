// Multi-scalar multiplication by Pippenger's buckets.
//
//  1. count_digits       each scalar becomes signed digits d of c bits, one a window; counts those of each bucket
//  2. scan_*             where each bucket's entries begin
//  3. scatter            entries (bucket, point and sign), sorted by bucket
//  4. accumulate         every thread adds the same number of consecutive entries. The sum of a bucket's entries that begin in the
//                        thread's part goes to the bucket; that of a bucket which began before goes to the list of partial sums
//  5. combine_partials   the same with the list of partial sums, until it is empty
//  6. reduce_segments    for segments of a window's buckets, sums of (1, 2, 3, …) bucket and of the buckets
//  7. fold_segments      two segments become one, until there is one a window
//  8. write_sums         x and y numerators and denominators, canonical
//
// The work of step 4 does not depend on how the scalars are distributed: all equal, or all 0 and 1, is as fast.
//
// Windows share bucket sets where multiples of the bases are resident: window w adds to set w mod `sets`, and takes table w / sets, which has
// 2^(c sets (w / sets)) times the bases.
//
// A module defines `Group` (its coordinates' field F, b, and parameters R of the scalar field) before it includes this file.
#pragma once
#include "curve.h"
#include "scan.h"

typedef Group::F F;
typedef Affine<F> Point;
typedef Sum<F> Bucket;
typedef Prime<Group::R> Scalar;

#define SCALAR_LIMBS 8
#define NO_BUCKET 0xffffffffu
#define NEGATIVE 0x80000000u

// How scalars are divided into digits.
struct Windows {
    u32 bits;   // of a window, c
    u32 count;  // of windows
    u32 sets;   // of buckets, each of 2^(c - 1)
    u32 points; // of a table
};

// A digit of a point.
struct alignas(8) DigitEntry {
    u32 bucket;
    u32 point; // NEGATIVE: its negative
};

// Bits of a scalar from a place on, `bits` of them.
DEVICE u32 scalar_bits(const u32 *scalar, u32 first, u32 bits) {
    const u32 limb = first / 32, shift = first % 32;
    const u32 low = limb < SCALAR_LIMBS ? scalar[limb] : 0, high = limb + 1 < SCALAR_LIMBS ? scalar[limb + 1] : 0;
    return (u32)(((u64)high << 32 | low) >> shift) & ((1u << bits) - 1);
}

// The signed digit of a window, in [-2^(c-1) + 1, 2^(c-1)], as its absolute value and sign. The carry into a window is 1 if the digit below is negative, which lower
// windows decide only where it is 2^(c-1).
DEVICE u32 signed_digit(const u32 *scalar, u32 window, u32 bits, bool *is_negative) {
    const u32 half = 1u << (bits - 1);
    u32 carry = 0;
    for (u32 below = window; below-- > 0;) {
        const u32 digit = scalar_bits(scalar, below * bits, bits);
        carry = digit > half;
        if (digit != half) break;
    }
    const u32 digit = scalar_bits(scalar, window * bits, bits) + carry;
    *is_negative = digit > half;
    return *is_negative ? 2 * half - digit : digit;
}

// A thread's window and scalar, of scalars from `first` to `end`: neighbouring threads have neighbouring scalars, and windows follow each other.
DEVICE bool window_and_scalar(u32 first, u32 end, u32 *window, u32 *scalar) {
    const u32 threads = threads_in_block(), blocks = (end - first + threads - 1) / threads;
    *window = block_in_grid() / blocks;
    *scalar = first + block_in_grid() % blocks * threads + thread_in_block();
    return *scalar < end;
}

// Step 1, for scalars from `first` to `end` of `count`, a block for each of them and each window. ranks: of each digit other than 0 how many of its bucket came
// before. first_wrong: the number of the first scalar that is not below r.
KERNEL void count_digits(const u32 *scalars, u32 first, u32 end, u32 count, Windows windows, u32 *counts, u32 *ranks, u64 *first_wrong) {
    u32 window, i;
    if (!window_and_scalar(first, end, &window, &i)) return;
    const u32 *scalar = scalars + (u64)i * SCALAR_LIMBS;
    if (window == 0 && !Scalar::load(scalar).is_reduced()) atomic_min(first_wrong, i);
    bool is_negative;
    const u32 digit = signed_digit(scalar, window, windows.bits, &is_negative);
    if (digit == 0) return;
    const u32 bucket = ((window % windows.sets) << (windows.bits - 1)) + digit - 1;
    ranks[(u64)window * count + i] = atomic_count(counts + bucket);
}
ENTRY(count_digits)

// Step 3. offsets: the prefix sums of the counts.
KERNEL void scatter(const u32 *scalars, u32 count, Windows windows, const u32 *offsets, const u32 *ranks, DigitEntry *entries) {
    u32 window, i;
    if (!window_and_scalar(0, count, &window, &i)) return;
    bool is_negative;
    const u32 digit = signed_digit(scalars + (u64)i * SCALAR_LIMBS, window, windows.bits, &is_negative);
    if (digit == 0) return;
    const u32 bucket = ((window % windows.sets) << (windows.bits - 1)) + digit - 1;
    const u32 point = window / windows.sets * windows.points + i;
    const u64 at = (u64)offsets[bucket] + ranks[(u64)window * count + i];
    entries[at] = DigitEntry{bucket, is_negative ? point | NEGATIVE : point};
}
ENTRY(scatter)

// Step 4. total: the number of entries; each: those of a thread. partials, one a thread: the bucket of its first entries, if it began before, and
// their sum.
KERNEL BOUNDS(128, Group::ACCUMULATE_BLOCKS) void accumulate(const DigitEntry *entries, const u32 *total, u32 each, const char *points,
       char *buckets, u32 *partial_buckets, char *partials, u32 partial_count) {
    const u64 thread = thread_in_grid();
    if (thread >= partial_count) return;
    const u64 count = *total, first = thread * each;
    const u64 end = first + each < count ? first + each : count;
    partial_buckets[thread] = NO_BUCKET;
    if (first >= end) return;
    u32 bucket = entries[first].bucket;
    bool began_before = first > 0 && entries[first - 1].bucket == bucket;
    Bucket sum = Bucket::identity();
    ROLLED for (u64 at = first; at < end; at++) {
        const DigitEntry entry = entries[at];
        Point point = Point::load(points + (u64)(entry.point & ~NEGATIVE) * Point::BYTES);
        if (entry.point & NEGATIVE) point.y = point.y.negative();
        if (entry.bucket != bucket) {
            if (began_before) {
                partial_buckets[thread] = bucket;
                sum.store(partials + thread * Bucket::BYTES);
            } else {
                sum.store(buckets + (u64)bucket * Bucket::BYTES);
            }
            began_before = false;
            bucket = entry.bucket;
            sum = Bucket::identity();
        }
        sum.add(point);
    }
    if (began_before) {
        partial_buckets[thread] = bucket;
        sum.store(partials + thread * Bucket::BYTES);
    } else {
        sum.store(buckets + (u64)bucket * Bucket::BYTES);
    }
}
ENTRY(accumulate)

// Step 5: `each` partial sums a thread; those that it cannot add to their bucket, because they began before, go to the next list.
KERNEL BOUNDS(128, Group::REDUCE_BLOCKS) void combine_partials(const u32 *from_buckets, const char *from, u32 from_count, u32 each, char *buckets,
       u32 *to_buckets, char *to, u32 to_count) {
    const u64 thread = thread_in_grid();
    if (thread >= to_count) return;
    const u64 first = thread * each, end = first + each < from_count ? first + each : from_count;
    to_buckets[thread] = NO_BUCKET;
    u32 bucket = NO_BUCKET;
    bool began_before = false;
    Bucket sum = Bucket::identity();
    ROLLED for (u64 at = first; at <= end; at++) {
        const u32 next = at < end ? from_buckets[at] : NO_BUCKET;
        if (next != bucket) {
            if (bucket != NO_BUCKET && began_before) {
                to_buckets[thread] = bucket;
                sum.store(to + thread * Bucket::BYTES);
            } else if (bucket != NO_BUCKET) {
                char *own = buckets + (u64)bucket * Bucket::BYTES;
                sum.add(Bucket::load(own));
                sum.store(own);
            }
            bucket = next;
            began_before = at == first && first > 0 && next != NO_BUCKET && from_buckets[first - 1] == next;
            sum = Bucket::identity();
        }
        if (next != NO_BUCKET) sum.add(Bucket::load(from + at * Bucket::BYTES));
    }
}
ENTRY(combine_partials)

// Step 6. Segment s of 2^log_size buckets b_0, b_1, …: weighted[s] = b_0 + 2 b_1 + 3 b_2 + …, and shifted[s] = 2^log_size (b_0 + b_1 + …).
KERNEL BOUNDS(128, Group::REDUCE_BLOCKS) void reduce_segments(const char *buckets, u32 segments, u32 log_size, char *weighted, char *shifted) {
    const u64 segment = thread_in_grid();
    if (segment >= segments) return;
    Bucket running = Bucket::identity();
    Bucket sum = Bucket::identity();
    ROLLED for (u64 i = 1u << log_size; i > 0; i--) {
        running.add(Bucket::load(buckets + ((segment << log_size) + i - 1) * Bucket::BYTES));
        sum.add(running);
    }
    ROLLED for (u32 i = 0; i < log_size; i++) running = running.twice();
    sum.store(weighted + segment * Bucket::BYTES);
    running.store(shifted + segment * Bucket::BYTES);
}
ENTRY(reduce_segments)

// Step 7. Segments 2 i and 2 i + 1 become segment i. The buckets of the second count as many more as the first has, which is what `shifted`
// is multiplied by.
KERNEL BOUNDS(128, Group::REDUCE_BLOCKS) void fold_segments(const char *weighted, const char *shifted, u32 segments, char *to_weighted, char *to_shifted) {
    const u64 i = thread_in_grid();
    if (i >= segments) return;
    const u64 first = 2 * i * Bucket::BYTES, second = first + Bucket::BYTES;
    Bucket above = Bucket::load(shifted + second);
    Bucket sum = Bucket::load(weighted + first);
    sum.add(Bucket::load(weighted + second));
    sum.add(above);
    sum.store(to_weighted + i * Bucket::BYTES);
    above.add(Bucket::load(shifted + first));
    above.twice().store(to_shifted + i * Bucket::BYTES);
}
ENTRY(fold_segments)

// Step 8: the coordinates of sums in canonical form.
KERNEL void write_sums(const char *sums, u32 count, char *to) {
    const u64 i = thread_in_grid();
    if (i >= count) return;
    const Bucket sum = Bucket::load(sums + i * Bucket::BYTES);
    const Bucket canonical = {sum.x.to_canonical(), sum.y.to_canonical(), sum.zz.to_canonical(), sum.zzz.to_canonical()};
    canonical.store(to + i * Bucket::BYTES);
}
ENTRY(write_sums)

// Makes bases of canonical coordinates. first_wrong: the number of the first point with a coordinate that is not below p or, if on_curve, that is not on
// the curve and not (0, 0).
KERNEL void read_points(const char *from, u32 count, u32 first_number, u32 on_curve, char *to, u64 *first_wrong) {
    const u64 i = thread_in_grid();
    if (i >= count) return;
    Point point = Point::load(from + i * Point::BYTES);
    bool is_wrong = !point.x.is_reduced() || !point.y.is_reduced();
    point = {point.x.to_montgomery(), point.y.to_montgomery()};
    if (on_curve && !point.is_identity()) {
        const F right = point.x.squared().times(point.x).plus(Group::b());
        is_wrong |= !point.y.squared().minus(right).is_zero();
    }
    if (is_wrong) atomic_min(first_wrong, first_number + i);
    point.store(to + (first_number + i) * Point::BYTES);
}
ENTRY(read_points)

// 2^doublings times each base, for the next table. Each thread inverts the denominators of `each` points at once (Montgomery's trick), whose
// running products are kept in `products`, one a point.
#define MULTIPLES_EACH 16
KERNEL BOUNDS(128, Group::REDUCE_BLOCKS) void multiply_points(const char *from, u32 count, u32 doublings, char *sums, char *products, char *to) {
    const u64 first = thread_in_grid() * MULTIPLES_EACH;
    if (first >= count) return;
    const u64 end = first + MULTIPLES_EACH < count ? first + MULTIPLES_EACH : count;
    F product = F::one();
    ROLLED for (u64 i = first; i < end; i++) {
        Bucket sum = Bucket::of(Point::load(from + i * Point::BYTES));
        ROLLED for (u32 j = 0; j < doublings; j++) sum = sum.twice();
        sum.store(sums + i * Bucket::BYTES);
        product.store(products + i * F::BYTES);
        if (!sum.is_identity()) product = product.times(sum.zzz);
    }
    F inverse = product.inverse();
    ROLLED for (u64 i = end; i-- > first;) {
        const Bucket sum = Bucket::load(sums + i * Bucket::BYTES);
        Point point = {F::zero(), F::zero()};
        if (!sum.is_identity()) {
            // 1 / ZZZ, and 1 / ZZ = (ZZ / ZZZ)^2
            const F one_zzz = inverse.times(F::load(products + i * F::BYTES));
            const F one_zz = one_zzz.times(sum.zz).squared();
            point = {sum.x.times(one_zz), sum.y.times(one_zzz)};
            inverse = inverse.times(sum.zzz);
        }
        point.store(to + i * Point::BYTES);
    }
}
ENTRY(multiply_points)

PRODUCTS_OF(F::Base)
