// The emulation of platform.h: a kernel is a C++ function that runs for one thread after the other.
//
// Threads of a cooperative kernel are fibers; each runs to its next barrier, then the next one. The table `proofmill_kernels` lists
// the kernels of a translation unit; emulate.cpp launches them.
#pragma once

#include <cstddef>
#include <utility>

#define DEVICE static inline
#define METHOD inline
#define OUT_OF_LINE inline
#define UNROLL
#define ROLLED

struct alignas(16) Quad { u32 v[4]; };

namespace emulation {

// The running thread.
struct Place {
    u32 thread, threads, block;
    void *shared;
};
extern Place place;
void wait_at_barrier();

// A kernel: calls its function with arguments behind pointers, as cuLaunchKernel takes them.
struct Kernel {
    const char *module, *name;
    bool is_cooperative;
    void (*run)(void **arguments);
    const Kernel *next;
};
extern const Kernel *kernels;

template <class... Arguments, std::size_t... Index>
void call(void (*function)(Arguments...), void **arguments, std::index_sequence<Index...>) {
    function(*(Arguments *)arguments[Index]...);
}

template <class... Arguments> void spread(void (*function)(Arguments...), void **arguments) {
    call(function, arguments, std::index_sequence_for<Arguments...>());
}

// Enters a kernel into the list before `main`.
struct Entry {
    Kernel kernel;
    Entry(const char *module, const char *name, bool is_cooperative, void (*run)(void **))
        : kernel{module, name, is_cooperative, run, kernels} {
        kernels = &kernel;
    }
};

} // namespace emulation

// Modules have types of the same names.
#define BEGIN_MODULE namespace {
#define END_MODULE }
#define KERNEL static
#define BOUNDS(threads, blocks)
#define ENTER(name, is_cooperative)                                                                                    \
    static emulation::Entry entry_of_##name(PROOFMILL_MODULE, #name, is_cooperative,                                                    \
                                            [](void **arguments) { emulation::spread(name, arguments); });
#define ENTRY(name) ENTER(name, false)
#define COOPERATIVE_ENTRY(name) ENTER(name, true)

DEVICE u32 thread_in_block() { return emulation::place.thread; }
DEVICE u32 threads_in_block() { return emulation::place.threads; }
DEVICE u32 block_in_grid() { return emulation::place.block; }
DEVICE u64 thread_in_grid() { return (u64)emulation::place.block * emulation::place.threads + emulation::place.thread; }
DEVICE void barrier() { emulation::wait_at_barrier(); }
DEVICE void *shared_memory() { return emulation::place.shared; }
DEVICE u32 atomic_count(u32 *at) { return (*at)++; }
DEVICE void atomic_min(u64 *at, u64 value) {
    if (value < *at) *at = value;
}
