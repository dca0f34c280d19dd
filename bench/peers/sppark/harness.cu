// sppark's MSM and NTT, timed on one NVIDIA GPU: a JSON object a line. build.py makes one program of this file per curve and group
// or per field, as sppark selects these with macros, and writes the constants that constants.h holds from the specification's files.
//
//   program [LOG...] [--reps N] [--warm N]
//
// An MSM has its bases on the GPU: P_i = P_0 + i Q, so that the host can tell what the result has to be. "scalars" is where the
// scalars lie when the clock starts: "pageable" or "pinned" memory of the host, or the "device". "pool" is what CUDA's pool for
// stream-ordered allocations does with memory that sppark frees after each call: "default" gives it back to the driver, "kept" does not.
// An MSM's time is the host's, from the call to the result on the host. An NTT of "device" data is timed by CUDA's events, "calls" of
// them between two events, and of "pageable" or "pinned" data by the host, both ways of the transfer and the allocation included.

#include <cuda.h>

#include "common.h"

#if defined(HARNESS_MSM)
# if defined(FEATURE_BN254)
#  include <ff/alt_bn128-fp2.hpp>
# elif defined(FEATURE_BLS12_377)
#  include <ff/bls12-377-fp2.hpp>
# elif defined(FEATURE_BLS12_381)
#  include <ff/bls12-381-fp2.hpp>
# endif
# include <ec/jacobian_t.hpp>
# include <ec/xyzz_t.hpp>
# if HARNESS_DEGREE == 2
typedef fp2_t coordinate_t;
# else
typedef fp_t coordinate_t;
# endif
// The names that sppark's explicit instantiations of its kernels expect.
typedef jacobian_t<coordinate_t> point_t;
typedef xyzz_t<coordinate_t> bucket_t;
typedef bucket_t::affine_t affine_t;
typedef fr_t scalar_t;
# include <msm/pippenger.cuh>
#elif defined(HARNESS_NTT)
# if defined(FEATURE_BN254)
#  include <ff/alt_bn128.hpp>
# elif defined(FEATURE_BLS12_377)
#  include <ff/bls12-377.hpp>
# elif defined(FEATURE_BLS12_381)
#  include <ff/bls12-381.hpp>
# elif defined(FEATURE_GOLDILOCKS)
#  include <ff/goldilocks.hpp>
# endif
# include <ntt/ntt.cuh>
#else
# error "HARNESS_MSM or HARNESS_NTT"
#endif

// From here on the host's code only; of the types above the compiler's pass for the GPU has other ones.
#ifndef __CUDA_ARCH__

namespace {

void check(const RustError &status, const char *what) {
    if (status.code != 0) fail(what, status.message ? status.message : cudaGetErrorString(static_cast<cudaError_t>(status.code)));
}

#if defined(HARNESS_MSM)

// An affine point as it lies in memory, here and in sppark's arrays, is its two coordinates.
struct Group {
    using Coordinate = coordinate_t;
    using Sum = point_t;

    static Coordinate one() { return coordinate_t::one(false); }
    static Coordinate inverse(const Coordinate &x) { return 1 / x; }
    static bool is_zero(const Coordinate &x) { return x.is_zero(); }
    static Coordinate from_words(const uint64_t *words) {
        Coordinate x;
        std::memcpy(static_cast<void *>(&x), words, sizeof x);
        x.to();
        return x;
    }
    static void to_words(Coordinate x, uint64_t *words) {
        x.from();
        std::memcpy(words, &x, sizeof x);
    }
    static Sum lift(const PointOf<Group> &point) { return affine_t(point.x, point.y); }
    static PointOf<Group> plain(const Sum &sum) {
        const affine_t affine = sum;
        PointOf<Group> point;
        std::memcpy(static_cast<void *>(&point), &affine, sizeof point);
        return point;
    }
    static Sum zero() {
        Sum sum;
        sum.inf();
        return sum;
    }
    static Sum twice(Sum sum) {
        sum.dbl();
        return sum;
    }
    static Sum both(Sum sum, const Sum &other) {
        sum.add(other);
        return sum;
    }
};

void measure_msm(const Options &options, const Bases<Group> &bases, unsigned log) {
    const size_t count = size_t(1) << log, bytes = count * sizeof(scalar_t);
    Pageable pageable(bytes);
    Pinned pinned(bytes);
    fill_random(static_cast<uint64_t *>(pageable.at), count, log);
    std::memcpy(pinned.at, pageable.at, bytes);
    const std::string expected = bases.expected_x(static_cast<const uint64_t *>(pageable.at), count);

    static_assert(sizeof(PointOf<Group>) == sizeof(affine_t) && sizeof(affine_t) == sizeof(affine_t::mem_t), "a point has one size");
    const double start = now_ms();
    msm_t<bucket_t, point_t, affine_t, scalar_t> msm(reinterpret_cast<const affine_t *>(bases.all.data()), count);
    check(cudaDeviceSynchronize(), "bases to the GPU");
    const double upload = now_ms() - start;
    dev_ptr_t<scalar_t> device(count);
    check(cudaMemcpy(device.data(), pageable.at, bytes, cudaMemcpyHostToDevice), "scalars to the GPU");

    const auto line = [&](const char *pool, const char *scalars, const std::function<RustError(point_t &)> &call) {
        point_t result;
        const Times times = measure(options, [&] { return by_host([&] { check(call(result), "invoke"); }); });
        const std::string x = result.is_inf() ? "infinity" : hex<Group>(Group::plain(result).x);
        std::printf("{\"peer\":\"sppark\",\"op\":\"msm\",\"curve\":\"%s\",\"group\":\"g%d\",\"log\":%u,\"bases\":\"device\",\"scalars\":\"%s\",\"pool\":\"%s\","
                    "\"min_ms\":%.4f,\"median_ms\":%.4f,\"reps\":%u,\"upload_bases_ms\":%.1f,\"x\":\"%s\",\"check\":\"%s\"}\n",
                    NAME, HARNESS_DEGREE, log, scalars, pool, times.min, times.median, options.reps, upload, x.c_str(), x == expected ? "ok" : "WRONG");
        std::fflush(stdout);
    };
    const affine_t *const resident = nullptr;  // the bases that the constructor took to the GPU
    const auto from_host = [&](const void *at) {
        return [&, at](point_t &out) { return msm.invoke(out, resident, count, static_cast<const scalar_t *>(at), false); };
    };
    const auto from_device = [&](point_t &out) { return msm.invoke(out, resident, count, device, false); };

    keep_pool(false);
    line("default", "pinned", from_host(pinned.at));
    keep_pool(true);
    line("kept", "pageable", from_host(pageable.at));
    line("kept", "pinned", from_host(pinned.at));
    line("kept", "device", from_device);
}

void measure_all(const Options &options) {
    const double start = now_ms();
    const Bases<Group> bases(*std::max_element(options.logs.begin(), options.logs.end()));
    std::fprintf(stderr, "%zu bases made in %.0f ms\n", bases.all.size(), now_ms() - start);
    for (unsigned log : options.logs) measure_msm(options, bases, log);
}

#else

const struct {
    NTT::InputOutputOrder order;
    const char *name;
} ORDERS[] = {{NTT::InputOutputOrder::NN, "NN"}, {NTT::InputOutputOrder::NR, "NR"}, {NTT::InputOutputOrder::RN, "RN"}};

void measure_ntt(const Options &options, unsigned log) {
    const size_t count = size_t(1) << log, bytes = count * sizeof(fr_t);
    static_assert(sizeof(fr_t) == sizeof(SCALAR_MODULUS), "an element is as many words as the modulus");
    Pageable pageable(bytes), back(bytes);
    Pinned pinned(bytes);
    fill_random(static_cast<uint64_t *>(pageable.at), count, log);
    std::memcpy(pinned.at, pageable.at, bytes);

    const gpu_t &gpu = select_gpu(0);
    stream_t &stream = gpu;
    fr_t *data = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    check(cudaMemcpy(data, pageable.at, bytes, cudaMemcpyHostToDevice), "data to the GPU");
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");

    // Forward and back has to give what was there, and the transform itself something else. Goldilocks may come back unreduced.
    const auto fetch_back = [&] {
        stream.sync();
        check(cudaMemcpy(back.at, data, bytes, cudaMemcpyDeviceToHost), "data from the GPU");
        uint64_t *words = static_cast<uint64_t *>(back.at);
        for (size_t i = 0; sizeof(fr_t) == sizeof(uint64_t) && i < count; i++) words[i] -= words[i] >= SCALAR_MODULUS[0] ? SCALAR_MODULUS[0] : 0;
    };
    const auto transform = [&](NTT::InputOutputOrder order, NTT::Direction direction) {
        NTT::Base_dev_ptr(stream, data, log, order, direction, NTT::Type::standard);
    };
    transform(NTT::InputOutputOrder::NN, NTT::Direction::forward);
    fetch_back();
    bool valid = std::memcmp(back.at, pageable.at, bytes) != 0;
    transform(NTT::InputOutputOrder::NN, NTT::Direction::inverse);
    fetch_back();
    valid = valid && std::memcmp(back.at, pageable.at, bytes) == 0;

    const auto tell = [&](const char *order, const char *where, const char *pool, unsigned calls, Times times) {
        std::printf("{\"peer\":\"sppark\",\"op\":\"ntt\",\"field\":\"%s\",\"log\":%u,\"direction\":\"forward\",\"order\":\"%s\",\"data\":\"%s\",\"pool\":\"%s\","
                    "\"calls\":%u,\"min_ms\":%.4f,\"median_ms\":%.4f,\"reps\":%u,\"check\":\"%s\"}\n",
                    NAME, log, order, where, pool, calls, times.min, times.median, options.reps, valid ? "ok" : "WRONG");
        std::fflush(stdout);
    };
    for (const auto &one : ORDERS) {
        for (unsigned calls : {1u, 10u}) {
            tell(one.name, "device", "none", calls, measure(options, [&] {
                     float ms = 0;
                     check(cudaEventRecord(start, stream), "cudaEventRecord");
                     for (unsigned i = 0; i < calls; i++) transform(one.order, NTT::Direction::forward);
                     check(cudaEventRecord(stop, stream), "cudaEventRecord");
                     check(cudaEventSynchronize(stop), "cudaEventSynchronize");
                     check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
                     return double(ms) / calls;
                 }));
        }
    }
    const auto from_host = [&](const char *where, const char *pool, void *at) {
        tell("NN", where, pool, 1, measure(options, [&] {
                 return by_host([&] {
                     check(NTT::Base(gpu, static_cast<fr_t *>(at), log, NTT::InputOutputOrder::NN, NTT::Direction::forward, NTT::Type::standard), "Base");
                 });
             }));
    };
    keep_pool(false);
    from_host("pinned", "default", pinned.at);
    keep_pool(true);
    from_host("pageable", "kept", pageable.at);
    from_host("pinned", "kept", pinned.at);

    (void)cudaEventDestroy(start);
    (void)cudaEventDestroy(stop);
    check(cudaFree(data), "cudaFree");
}

void measure_all(const Options &options) {
    for (unsigned log : options.logs) measure_ntt(options, log);
}

#endif

}  // namespace

int main(int count, char **arguments) {
    try {
        const Options options = read(count, arguments);
        tell_environment();
        measure_all(options);
    } catch (const std::exception &problem) {
        fail("sppark", problem.what());
    }
}

#endif
