// Exclusive prefix sums of 32-bit counts, in three kernels: sums of blocks, their prefix sums, and the counts of each block.
#pragma once
#include "platform.h"

#define SCAN_THREADS 256
#define SCAN_EACH 16
#define SCAN_BLOCK (SCAN_THREADS * SCAN_EACH)

// The exclusive prefix sum over the block's threads; `total` is the sum of all. Shared memory: one u32 a thread.
DEVICE u32 scan_block(u32 value, u32 *total) {
    u32 *shared = (u32 *)shared_memory();
    const u32 thread = thread_in_block(), threads = threads_in_block();
    shared[thread] = value;
    barrier();
    for (u32 distance = 1; distance < threads; distance *= 2) {
        const u32 before = thread >= distance ? shared[thread - distance] : 0;
        barrier();
        shared[thread] += before;
        barrier();
    }
    *total = shared[threads - 1];
    const u32 exclusive = shared[thread] - value;
    barrier();
    return exclusive;
}

// sums[b]: the sum of the counts of block b.
KERNEL void scan_sums(const u32 *counts, u32 count, u32 *sums) {
    u32 sum = 0;
    for (u32 i = 0; i < SCAN_EACH; i++) {
        const u32 at = block_in_grid() * SCAN_BLOCK + i * SCAN_THREADS + thread_in_block();
        if (at < count) sum += counts[at];
    }
    u32 total;
    scan_block(sum, &total);
    if (thread_in_block() == 0) sums[block_in_grid()] = total;
}
COOPERATIVE_ENTRY(scan_sums)

// Replaces `count` sums by their exclusive prefix sums, and writes the sum of all behind them: one block.
KERNEL void scan_prefixes(u32 *sums, u32 count) {
    u32 before = 0;
    for (u32 start = 0; start < count; start += threads_in_block()) {
        const u32 at = start + thread_in_block();
        u32 total;
        const u32 exclusive = scan_block(at < count ? sums[at] : 0, &total);
        if (at < count) sums[at] = before + exclusive;
        before += total;
    }
    if (thread_in_block() == 0) sums[count] = before;
}
COOPERATIVE_ENTRY(scan_prefixes)

// Replaces counts by their exclusive prefix sums.
KERNEL void scan_counts(u32 *counts, u32 count, const u32 *sums) {
    const u32 first = block_in_grid() * SCAN_BLOCK + thread_in_block() * SCAN_EACH;
    u32 own[SCAN_EACH];
    u32 sum = 0;
    for (u32 i = 0; i < SCAN_EACH; i++) {
        own[i] = first + i < count ? counts[first + i] : 0;
        sum += own[i];
    }
    u32 total;
    u32 prefix = sums[block_in_grid()] + scan_block(sum, &total);
    for (u32 i = 0; i < SCAN_EACH; i++) {
        if (first + i < count) counts[first + i] = prefix;
        prefix += own[i];
    }
}
COOPERATIVE_ENTRY(scan_counts)
