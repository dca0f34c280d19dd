// mcl's multi-scalar multiplications, for the bench to measure: a line of work in, its seconds out. What the fields of
// Work mean is told in ../msm.rs. On BLS12-381 mcl uses AVX-512 IFMA where the processor has it.
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include <mcl/bn.hpp>

using namespace mcl::bn;

// A sum with so many threads.
using Task = std::function<void(size_t threads)>;

// Multiples of a point, and scalars that are drawn.
template <class G>
Task prepare(const G &point, size_t count) {
    std::vector<G> points(count);
    std::vector<Fr> scalars(count);
    G sum = point;
    for (size_t i = 0; i < count; i++) {
        points[i] = sum;
        G::add(sum, sum, point);
        scalars[i].setByCSPRNG();
    }
    mcl::ec::normalizeVec(points.data(), points.data(), count);
    return [=](size_t threads) mutable {
        G result;
        if (threads == 1) {
            G::mulVec(result, points.data(), scalars.data(), count);
        } else {
            G::mulVecMT(result, points.data(), scalars.data(), count, threads);
        }
    };
}

Task prepare(const std::string &instance, size_t count) {
    initPairing(instance.rfind("bn254", 0) == 0 ? mcl::BN_SNARK1 : mcl::BLS12_381);
    if (instance.substr(instance.size() - 2) == "g1") {
        G1 point;
        hashAndMapToG1(point, "proofmill", 9);
        return prepare(point, count);
    }
    G2 point;
    hashAndMapToG2(point, "proofmill", 9);
    return prepare(point, count);
}

int main() {
    std::string line, kept;
    Task task;
    while (std::getline(std::cin, line)) {
        char instance[32];
        size_t count, threads;
        const char *form = "{\"library\":\"mcl\",\"instance\":\"%31[^\"]\",\"count\":%zu,\"threads\":%zu}";
        if (std::sscanf(line.c_str(), form, instance, &count, &threads) != 3) {
            std::cerr << "not a work: " << line << '\n';
            return 1;
        }
        const std::string wanted = std::string(instance) + " " + std::to_string(count);
        if (wanted != kept) {
            task = prepare(instance, count);
            kept = wanted;
        }
        const auto start = std::chrono::steady_clock::now();
        task(threads);
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
        std::printf("%e\n", seconds.count());
        std::fflush(stdout);
    }
}
