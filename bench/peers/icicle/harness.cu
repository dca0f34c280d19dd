// ICICLE's MSM and NTT of version 2, the last whose code for GPUs is open, timed on one NVIDIA GPU: a JSON object a line. build.py makes
// one program of this file per curve and group or per field; options, bases and the fields that sppark's program prints too are as there.
//
// "precompute" is how many multiples of each base lie on the GPU: 1 is the bases alone, and the largest, one window for all, what
// ICICLE's documentation advises where there is memory. "c" is the window's size, 0 ICICLE's own choice. The order "NM" leaves the
// digits of the radices reversed. Transforms go from one buffer to another, with the larger of the two kinds of tables of roots.

#include <cmath>

#include "../sppark/common.h"

#if defined(HARNESS_MSM)
# include "curves/curve_config.cuh"
# include "fields/field_config.cuh"
using namespace curve_config;
using namespace field_config;
# include "src/msm/msm.cu"
#else
# include "src/ntt/ntt.cu"
#endif

namespace {

#if defined(HARNESS_MSM)

# if HARNESS_DEGREE == 2
using coordinate_t = g2_point_field_t;
using bases_t = g2_affine_t;
using result_t = g2_projective_t;
# else
using coordinate_t = point_field_t;
using bases_t = affine_t;
using result_t = projective_t;
# endif

struct Group {
    using Coordinate = coordinate_t;
    using Sum = result_t;

    static Coordinate one() { return Coordinate::one(); }
    static Coordinate inverse(const Coordinate &x) { return Coordinate::inverse(x); }
    static bool is_zero(const Coordinate &x) { return x == Coordinate::zero(); }
    static Coordinate from_words(const uint64_t *words) {
        Coordinate x;
        std::memcpy(static_cast<void *>(&x), words, sizeof x);
        return x;
    }
    static void to_words(const Coordinate &x, uint64_t *words) { std::memcpy(words, &x, sizeof x); }
    static Sum lift(const PointOf<Group> &point) { return {point.x, point.y, one()}; }
    static PointOf<Group> plain(const Sum &sum) {
        const bases_t affine = Sum::to_affine(sum);
        return {affine.x, affine.y};
    }
    static Sum zero() { return Sum::zero(); }
    static Sum twice(const Sum &sum) { return Sum::dbl(sum); }
    static Sum both(const Sum &sum, const Sum &other) { return sum + other; }
};

void measure_msm(const Options &options, const Bases<Group> &bases, unsigned log) {
    static_assert(sizeof(PointOf<Group>) == sizeof(bases_t) && sizeof(scalar_t) == sizeof(SCALAR_MODULUS), "the same layout here and there");
    const size_t count = size_t(1) << log, bytes = count * sizeof(scalar_t);
    Pageable pageable(bytes);
    Pinned pinned(bytes);
    fill_random(static_cast<uint64_t *>(pageable.at), count, log);
    std::memcpy(pinned.at, pageable.at, bytes);
    const std::string expected = bases.expected_x(static_cast<const uint64_t *>(pageable.at), count);
    scalar_t *device = nullptr;
    check(cudaMalloc(&device, bytes), "cudaMalloc");
    check(cudaMemcpy(device, pageable.at, bytes, cudaMemcpyHostToDevice), "scalars to the GPU");

    const auto measure_with = [&](unsigned c, unsigned precompute) {
        msm::MSMConfig config = msm::default_msm_config();
        config.are_points_on_device = true;
        config.c = int(c);
        bases_t *resident = nullptr;
        check(cudaMalloc(&resident, precompute * count * sizeof(bases_t)), "cudaMalloc");
        const double start = now_ms();
        check(cudaMemcpy(resident, bases.all.data(), count * sizeof(bases_t), cudaMemcpyHostToDevice), "bases to the GPU");
        if (precompute > 1) {
            bases_t *plain = nullptr;
            check(cudaMalloc(&plain, count * sizeof(bases_t)), "cudaMalloc");
            check(cudaMemcpy(plain, resident, count * sizeof(bases_t), cudaMemcpyDeviceToDevice), "cudaMemcpy");
            config.points_size = int(count);
            config.precompute_factor = int(precompute);
            check(msm::precompute_msm_points<bases_t, result_t>(plain, int(count), config, resident), "precompute_msm_points");
            check(cudaDeviceSynchronize(), "precompute_msm_points");
            check(cudaFree(plain), "cudaFree");
        }
        const double upload = now_ms() - start;
        const auto line = [&](const char *pool, const char *scalars, const void *at) {
            config.are_scalars_on_device = at == device;
            result_t result;
            const Times times = measure(options, [&] {
                return by_host([&] {
                    check(msm::msm<scalar_t, bases_t, result_t>(static_cast<const scalar_t *>(at), resident, int(count), config, &result), "msm");
                    check(cudaDeviceSynchronize(), "msm");
                });
            });
            const std::string x = result.z == coordinate_t::zero() ? "infinity" : hex<Group>(Group::plain(result).x);
            std::printf("{\"peer\":\"%s\",\"op\":\"msm\",\"curve\":\"%s\",\"group\":\"g%d\",\"log\":%u,\"bases\":\"device\",\"scalars\":\"%s\",\"pool\":\"%s\","
                        "\"c\":%u,\"precompute\":%u,\"min_ms\":%.4f,\"median_ms\":%.4f,\"reps\":%u,\"upload_bases_ms\":%.1f,\"x\":\"%s\",\"check\":\"%s\"}\n",
                        PEER, NAME, HARNESS_DEGREE, log, scalars, pool, c, precompute, times.min, times.median, options.reps, upload, x.c_str(),
                        x == expected ? "ok" : "WRONG");
            std::fflush(stdout);
        };
        if (precompute == 1 && c == 0) {
            keep_pool(false);
            line("default", "pinned", pinned.at);
        }
        keep_pool(true);
        line("kept", "pinned", pinned.at);
        if (c == 0) {
            line("kept", "pageable", pageable.at);
            line("kept", "device", device);
        }
        check(cudaFree(resident), "cudaFree");
        keep_pool(false);
    };
    measure_with(0, 1);
    // At 2^24 the multiples alone would need tens of gigabytes, and long to be made.
    if (log <= 22) measure_with(log - 1, (scalar_t::NBITS + log - 2) / (log - 1));
    check(cudaFree(device), "cudaFree");
}

void measure_all(const Options &options) {
    const double start = now_ms();
    const Bases<Group> bases(*std::max_element(options.logs.begin(), options.logs.end()));
    std::fprintf(stderr, "%zu bases made in %.0f ms\n", bases.all.size(), now_ms() - start);
    for (unsigned log : options.logs) measure_msm(options, bases, log);
}

#else

const struct {
    ntt::Ordering order;
    const char *name;
} ORDERS[] = {{ntt::Ordering::kNN, "NN"}, {ntt::Ordering::kNR, "NR"}, {ntt::Ordering::kRN, "RN"}, {ntt::Ordering::kNM, "NM"}};

void measure_ntt(const Options &options, unsigned log) {
    const size_t count = size_t(1) << log, bytes = count * sizeof(scalar_t);
    static_assert(sizeof(scalar_t) == sizeof(SCALAR_MODULUS), "an element is as many words as the modulus");
    Pageable pageable(bytes), back(bytes);
    Pinned pinned(bytes);
    fill_random(static_cast<uint64_t *>(pageable.at), count, log);
    std::memcpy(pinned.at, pageable.at, bytes);
    scalar_t *data = nullptr, *other = nullptr;
    check(cudaMalloc(&data, bytes), "cudaMalloc");
    check(cudaMalloc(&other, bytes), "cudaMalloc");
    check(cudaMemcpy(data, pageable.at, bytes, cudaMemcpyHostToDevice), "data to the GPU");
    cudaEvent_t start, stop;
    check(cudaEventCreate(&start), "cudaEventCreate");
    check(cudaEventCreate(&stop), "cudaEventCreate");

    ntt::NTTConfig<scalar_t> config = ntt::default_ntt_config<scalar_t>();
    config.are_inputs_on_device = config.are_outputs_on_device = config.is_async = true;
    const auto transform = [&](ntt::Ordering order, ntt::NTTDir direction, scalar_t *from, scalar_t *to) {
        config.ordering = order;
        check(ntt::ntt<scalar_t, scalar_t>(from, int(count), direction, config, to), "ntt");
    };
    // Forward and back has to give what was there, and the transform itself something else.
    transform(ntt::Ordering::kNN, ntt::NTTDir::kForward, data, other);
    check(cudaMemcpy(back.at, other, bytes, cudaMemcpyDeviceToHost), "data from the GPU");
    bool valid = std::memcmp(back.at, pageable.at, bytes) != 0;
    check(cudaMemset(data, 0, bytes), "cudaMemset");
    transform(ntt::Ordering::kNN, ntt::NTTDir::kInverse, other, data);
    check(cudaMemcpy(back.at, data, bytes, cudaMemcpyDeviceToHost), "data from the GPU");
    valid = valid && std::memcmp(back.at, pageable.at, bytes) == 0;

    const auto tell = [&](const char *order, const char *where, const char *pool, unsigned calls, Times times) {
        std::printf("{\"peer\":\"%s\",\"op\":\"ntt\",\"field\":\"%s\",\"log\":%u,\"direction\":\"forward\",\"order\":\"%s\",\"data\":\"%s\",\"pool\":\"%s\","
                    "\"calls\":%u,\"min_ms\":%.4f,\"median_ms\":%.4f,\"reps\":%u,\"check\":\"%s\"}\n",
                    PEER, NAME, log, order, where, pool, calls, times.min, times.median, options.reps, valid ? "ok" : "WRONG");
        std::fflush(stdout);
    };
    for (const auto &one : ORDERS) {
        for (unsigned calls : {1u, 10u}) {
            tell(one.name, "device", "none", calls, measure(options, [&] {
                     float ms = 0;
                     check(cudaEventRecord(start), "cudaEventRecord");
                     for (unsigned i = 0; i < calls; i++) transform(one.order, ntt::NTTDir::kForward, data, other);
                     check(cudaEventRecord(stop), "cudaEventRecord");
                     check(cudaEventSynchronize(stop), "cudaEventSynchronize");
                     check(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
                     return double(ms) / calls;
                 }));
        }
    }
    config.are_inputs_on_device = config.are_outputs_on_device = config.is_async = false;
    const auto from_host = [&](const char *where, const char *pool, void *at) {
        scalar_t *values = static_cast<scalar_t *>(at);
        tell("NN", where, pool, 1, measure(options, [&] {
                 return by_host([&] { transform(ntt::Ordering::kNN, ntt::NTTDir::kForward, values, values); });
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
    check(cudaFree(other), "cudaFree");
}

void measure_all(const Options &options) {
    device_context::DeviceContext context = device_context::get_default_device_context();
    // Tables of the size's own: some of ICICLE's are shared by sizes at a cost.
    for (unsigned log : options.logs) {
        check(ntt::init_domain<scalar_t>(scalar_t::omega(log), context, true), "init_domain");
        measure_ntt(options, log);
        check(ntt::release_domain<scalar_t>(context), "release_domain");
    }
}

#endif

}  // namespace

int main(int count, char **arguments) {
    try {
        const Options options = read(count, arguments);
        tell_environment();
        measure_all(options);
    } catch (const std::exception &problem) {
        fail(PEER, problem.what());
    }
}
