// What the programs that time a peer on the GPU share, for the host: options, clocks, random scalars, bases and what an MSM of them gives.
// constants.h is made by a build.py.
#pragma once

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>

#include "constants.h"

namespace {

struct Options {
    std::vector<unsigned> logs;
    unsigned reps = 10, warm = 2;
};

struct Times {
    double min, median;
};

[[noreturn]] void fail(const char *what, const char *why) {
    std::fprintf(stderr, "%s: %s\n", what, why);
    std::exit(1);
}

void check(cudaError_t status, const char *what) {
    if (status != cudaSuccess) fail(what, cudaGetErrorString(status));
}

double now_ms() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The call returns its own time in ms.
Times measure(const Options &options, const std::function<double()> &call) {
    for (unsigned i = 0; i < options.warm; i++) call();
    std::vector<double> times;
    for (unsigned i = 0; i < options.reps; i++) times.push_back(call());
    std::sort(times.begin(), times.end());
    const size_t half = times.size() / 2;
    return {times[0], times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2};
}

template <typename Call> double by_host(Call call) {
    const double start = now_ms();
    call();
    return now_ms() - start;
}

// SplitMix64, by position so that threads can share the work.
uint64_t random_word(uint64_t seed, uint64_t at) {
    uint64_t z = (seed << 32) + (at + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

void in_parallel(size_t count, const std::function<void(size_t, size_t)> &work) {
    const size_t threads = std::max<size_t>(1, std::min<size_t>(std::thread::hardware_concurrency(), count / 4096));
    std::vector<std::thread> all;
    for (size_t i = 0; i < threads; i++) all.emplace_back(work, count * i / threads, count * (i + 1) / threads);
    for (auto &one : all) one.join();
}

// Words of values that are uniform below the scalar field's modulus, least significant word first.
void fill_random(uint64_t *words, size_t count, uint64_t seed) {
    constexpr size_t n = sizeof(SCALAR_MODULUS) / sizeof(uint64_t);
    const unsigned spare = __builtin_clzll(SCALAR_MODULUS[n - 1]);
    in_parallel(count, [=](size_t from, size_t to) {
        for (size_t i = from; i < to; i++) {
            uint64_t *value = words + i * n;
            bool below = false;
            for (uint64_t tries = 0; !below; tries++) {
                for (size_t j = 0; j < n; j++) value[j] = random_word(seed + 0x100 * tries, i * n + j);
                value[n - 1] = value[n - 1] << spare >> spare;
                size_t j = n - 1;
                while (j > 0 && value[j] == SCALAR_MODULUS[j]) j--;
                below = value[j] < SCALAR_MODULUS[j];
            }
        }
    });
}

struct Pinned {
    void *at = nullptr;
    explicit Pinned(size_t bytes) { check(cudaMallocHost(&at, bytes), "cudaMallocHost"); }
    Pinned(const Pinned &) = delete;
    ~Pinned() { (void)cudaFreeHost(at); }
};

struct Pageable {
    void *at;
    explicit Pageable(size_t bytes) : at(std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096)) {
        if (!at) fail("aligned_alloc", "out of memory");
    }
    Pageable(const Pageable &) = delete;
    ~Pageable() { std::free(at); }
};

void keep_pool(bool keep) {
    cudaMemPool_t pool;
    uint64_t threshold = keep ? UINT64_MAX : 0;
    check(cudaDeviceGetDefaultMemPool(&pool, 0), "cudaDeviceGetDefaultMemPool");
    check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "cudaMemPoolSetAttribute");
    if (!keep) check(cudaMemPoolTrimTo(pool, 0), "cudaMemPoolTrimTo");
}

void tell_environment() {
    int count = 0, driver = 0, runtime = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess || count == 0) {
        std::fprintf(stderr, "no CUDA device: %s\n", status == cudaSuccess ? "none found" : cudaGetErrorString(status));
        std::exit(3);
    }
    cudaDeviceProp device;
    check(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
    check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    std::printf("{\"peer\":\"%s\",\"commit\":\"%s\",\"device\":\"%s\",\"sm\":\"%d.%d\",\"sms\":%d,\"driver\":%d,\"runtime\":%d,\"threads\":%u}\n",
                PEER, PEER_COMMIT, device.name, device.major, device.minor, device.multiProcessorCount, driver, runtime, std::thread::hardware_concurrency());
    std::fflush(stdout);
}

Options read(int count, char **arguments) {
    Options options;
    for (int i = 1; i < count; i++) {
        const std::string name = arguments[i];
        const bool reps = name == "--reps", warm = name == "--warm";
        if ((reps || warm) && i + 1 == count) fail(arguments[i], "a number has to follow");
        char *end = nullptr;
        const char *text = arguments[reps || warm ? ++i : i];
        const unsigned long value = std::strtoul(text, &end, 10);
        if (end == text || *end || (!warm && value == 0) || value > 1000) fail(text, "not a usable number");
        if (reps) {
            options.reps = unsigned(value);
        } else if (warm) {
            options.warm = unsigned(value);
        } else if (value < 10 || value > 26) {
            fail(text, "a binary logarithm from 10 to 26 was expected");
        } else {
            options.logs.push_back(unsigned(value));
        }
    }
    if (options.logs.empty()) options.logs = {HARNESS_LOGS};
    return options;
}

#if defined(HARNESS_MSM)

// What Bases needs to know of a peer's group, as a class G: G::Coordinate, a field with + - *; G::Sum, a point that sums are made of;
// and the functions one(), inverse(x), is_zero(x), from_words(words) and to_words(x, words) with the least significant word first,
// lift(point), plain(sum), zero(), twice(sum) and both(sum, sum).
template <class G> struct PointOf {
    typename G::Coordinate x, y;
};

template <class G> std::string hex(const typename G::Coordinate &value) {
    constexpr size_t n = sizeof value / sizeof(uint64_t) / HARNESS_DEGREE;
    uint64_t words[HARNESS_DEGREE * n];
    G::to_words(value, words);
    std::string text;
    for (size_t i = 0; i < HARNESS_DEGREE; i++) {
        text += i ? ",0x" : "0x";
        for (size_t j = n; j--;) {
            char word[17];
            std::snprintf(word, sizeof word, "%016" PRIx64, words[i * n + j]);
            text += word;
        }
    }
    return text;
}

using words_t = std::vector<uint64_t>;

template <class G> typename G::Sum times(const words_t &factor, const PointOf<G> &point) {
    const typename G::Sum base = G::lift(point);
    typename G::Sum result = G::zero();
    for (size_t i = factor.size() * 64; i--;) {
        result = G::twice(result);
        if (factor[i / 64] >> (i % 64) & 1) result = G::both(result, base);
    }
    return result;
}

// to[i] = from[i] + other, with one inversion for a block. No point may have the other one's x.
template <class G> void add_to_all(PointOf<G> *to, const PointOf<G> *from, size_t count, const PointOf<G> &other) {
    in_parallel(count, [&](size_t begin, size_t end) {
        using Coordinate = typename G::Coordinate;
        constexpr size_t BLOCK = 1024;
        std::vector<Coordinate> products(BLOCK);
        for (size_t at = begin; at < end; at += BLOCK) {
            const size_t size = std::min(BLOCK, end - at);
            Coordinate product = G::one();
            for (size_t i = 0; i < size; i++) {
                products[i] = product;
                product = product * (from[at + i].x - other.x);
            }
            if (G::is_zero(product)) fail("bases", "two with the same x");
            Coordinate inverse = G::inverse(product);
            for (size_t i = size; i--;) {
                const PointOf<G> &point = from[at + i];
                const Coordinate slope = (point.y - other.y) * (inverse * products[i]);
                inverse = inverse * (point.x - other.x);
                const Coordinate x = slope * slope - point.x - other.x;
                to[at + i] = {x, slope * (other.x - x) - other.y};
            }
        }
    });
}

template <class G> struct Bases {
    using Point = PointOf<G>;
    Point first, step;
    std::vector<Point> all;

    explicit Bases(unsigned log) : all(size_t(1) << log) {
        const Point generator = {G::from_words(GENERATOR_X), G::from_words(GENERATOR_Y)};
        first = G::plain(times<G>({random_word(1, 0), random_word(1, 1)}, generator));
        step = G::plain(times<G>({random_word(1, 2), random_word(1, 3)}, generator));
        all[0] = first;
        typename G::Sum jump = G::lift(step);
        for (unsigned i = 0; i < log; i++) {
            add_to_all<G>(&all[size_t(1) << i], &all[0], size_t(1) << i, G::plain(jump));
            jump = G::twice(jump);
        }
    }

    // sum s_i (P_0 + i Q) = (sum s_i) P_0 + (sum i s_i) Q.
    std::string expected_x(const uint64_t *scalars, size_t count) const {
        constexpr size_t n = sizeof(SCALAR_MODULUS) / sizeof(uint64_t);
        words_t sum(n + 1), weighted(n + 2);
        for (size_t i = 0; i < count; i++) {
            unsigned __int128 carry = 0, weighted_carry = 0;
            for (size_t j = 0; j < n; j++) {
                carry += (unsigned __int128)sum[j] + scalars[i * n + j];
                sum[j] = uint64_t(carry);
                carry >>= 64;
                weighted_carry += (unsigned __int128)scalars[i * n + j] * i + weighted[j];
                weighted[j] = uint64_t(weighted_carry);
                weighted_carry >>= 64;
            }
            sum[n] += uint64_t(carry);
            weighted_carry += weighted[n];
            weighted[n] = uint64_t(weighted_carry);
            weighted[n + 1] += uint64_t(weighted_carry >> 64);
        }
        return hex<G>(G::plain(G::both(times<G>(sum, first), times<G>(weighted, step))).x);
    }
};

#endif

}  // namespace
