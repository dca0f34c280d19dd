// The platform of the kernels: CUDA C++, or plain C++ for the emulation (emulate.h).
//
// A kernel is a function `KERNEL void name(parameters)`, followed by `ENTRY(name)` if its threads never wait for each other, or by
// `COOPERATIVE_ENTRY(name)` if it calls `barrier`. Kernels use no warp primitives: they behave alike on every GPU and in the emulation.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __CUDACC__

#define DEVICE static __device__ __forceinline__
#define METHOD __device__ __forceinline__
#define OUT_OF_LINE __device__ __noinline__
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define BEGIN_MODULE
#define END_MODULE
#define KERNEL extern "C" __global__
#define BOUNDS(threads, blocks) __launch_bounds__(threads, blocks)
#define ENTRY(name)
#define COOPERATIVE_ENTRY(name)

struct alignas(16) Quad { u32 v[4]; };

DEVICE u32 thread_in_block() { return threadIdx.x; }
DEVICE u32 threads_in_block() { return blockDim.x; }
DEVICE u32 block_in_grid() { return blockIdx.x; }
DEVICE u64 thread_in_grid() { return (u64)blockIdx.x * blockDim.x + threadIdx.x; }
DEVICE void barrier() { __syncthreads(); }
DEVICE void *shared_memory() {
    extern __shared__ Quad proofmill_shared[];
    return proofmill_shared;
}
// Counts a thread at a place; returns how many came before.
DEVICE u32 atomic_count(u32 *at) { return atomicAdd(at, 1); }
DEVICE void atomic_min(u64 *at, u64 value) { atomicMin(at, value); }

#else
#include "emulate.h"
#endif

// Reads and writes 16-byte aligned memory with the widest accesses.
template <int WORDS> DEVICE void load_words(u32 *to, const void *from) {
    if constexpr (WORDS % 4 == 0) {
        const Quad *quads = (const Quad *)from;
        UNROLL for (int i = 0; i < WORDS / 4; i++) {
            const Quad quad = quads[i];
            UNROLL for (int j = 0; j < 4; j++) to[4 * i + j] = quad.v[j];
        }
    } else {
        static_assert(WORDS == 2, "elements are of 8 bytes or of a multiple of 16");
        const u64 word = *(const u64 *)from;
        to[0] = (u32)word, to[1] = (u32)(word >> 32);
    }
}

template <int WORDS> DEVICE void store_words(void *to, const u32 *from) {
    if constexpr (WORDS % 4 == 0) {
        Quad *quads = (Quad *)to;
        UNROLL for (int i = 0; i < WORDS / 4; i++) {
            Quad quad;
            UNROLL for (int j = 0; j < 4; j++) quad.v[j] = from[4 * i + j];
            quads[i] = quad;
        }
    } else {
        static_assert(WORDS == 2, "elements are of 8 bytes or of a multiple of 16");
        *(u64 *)to = from[0] | (u64)from[1] << 32;
    }
}

// Defines the kernel `products_of`, of elements of a field one by one: for tests of its arithmetic.
#define PRODUCTS_OF(F)                                                                             \
    KERNEL void products_of(const char *a, const char *b, u64 count, char *to) {                   \
        const u64 i = thread_in_grid();                                                            \
        if (i >= count) return;                                                                    \
        F::load(a + i * F::BYTES).times(F::load(b + i * F::BYTES)).store(to + i * F::BYTES);       \
    }                                                                                              \
    ENTRY(products_of)
