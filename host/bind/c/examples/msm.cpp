// Computes MSMs and an NTT in C++20.
// c++ -std=c++20 msm.cpp $(pkg-config --cflags --libs proofmill)

#include <algorithm>
#include <iostream>
#include <proofmill.hpp>

int main() {
    try {
        const proofmill::Device device("cpu:?threads=2");
        std::cout << "proofmill " << proofmill::version() << ": " << device.info() << " of " << proofmill::devices() << "\n";

        // The generator G of BN254's G1, (1, 2), twice: 5 G + 3 G and 6 G + 2 G.
        proofmill::Bytes points(128), scalars(128);
        points[0] = points[64] = 1;
        points[32] = points[96] = 2;
        scalars[0] = 5, scalars[32] = 3, scalars[64] = 6, scalars[96] = 2;
        const proofmill::ResidentBases bases(device, "bn254_g1", points);
        const proofmill::Bytes results = bases.msm_batch(scalars, 2);
        const bool same = std::equal(results.begin(), results.begin() + 64, results.begin() + 64);

        // 3 + x at the four powers of 2^48 in Goldilocks, and back.
        proofmill::Bytes elements(32);
        elements[0] = 3, elements[8] = 1;
        const proofmill::Bytes coefficients = elements;
        proofmill::ntt(device, "goldilocks", elements);
        const bool value = elements[0] == 4;
        proofmill::ntt(device, "goldilocks", elements, true);
        std::cout << (same && value && elements == coefficients ? "correct" : "wrong") << "\n";

        scalars[31] = scalars[30] = 0xff; // not below r
        bases.msm_batch(scalars, 2);
        return 1;
    } catch (const proofmill::Error &error) {
        std::cout << "rejected as expected: " << error.what() << "\n";
        return error.status() == PROOFMILL_ERROR_ARGUMENT ? 0 : 1;
    }
}
