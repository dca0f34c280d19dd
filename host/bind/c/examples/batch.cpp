// Makes proofs in C++20 in the background and in a batch, and cancels one: batch KEY.zkey WITNESS.wtns VERIFICATION_KEY.json
// c++ -std=c++20 batch.cpp $(pkg-config --cflags --libs proofmill)

#include <atomic>
#include <fstream>
#include <iostream>
#include <iterator>
#include <proofmill.hpp>

static std::string read_file(const char *path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

int main(int count, char **arguments) try {
    if (count != 4) return 2;
    const std::string file = read_file(arguments[2]), key = read_file(arguments[3]);
    const proofmill::Bytes witness(file.begin(), file.end());
    const proofmill::Prover prover(arguments[1], "cpu:?threads=2");

    // In the background.
    std::atomic<int> reports = 0;
    const proofmill::Proving proving = prover.start(witness, [&reports](std::string_view, double) { reports++; });
    while (!proving.wait(0.01)) std::cout << "." << std::flush;
    const bool valid = proofmill::verify(key, proving.get()) && reports > 0;

    // Cancelled, unless it ends before.
    bool cancelled = true;
    try {
        const proofmill::Proving other = prover.start(witness);
        other.cancel();
        other.get();
    } catch (const proofmill::Error &error) {
        cancelled = error.status() == PROOFMILL_ERROR_CANCELLED;
    }

    // A batch of five, the third without a witness.
    const std::vector<proofmill::View> witnesses = {witness, witness, {}, witness, witness};
    std::size_t ended = 0;
    const proofmill::Batch batch = prover.prove_batch(witnesses, [&ended](std::size_t, proofmill_status) { return ++ended > 0; });
    std::size_t correct = 0;
    for (std::size_t number = 0; number < batch.size(); number++) {
        try {
            correct += proofmill::verify(key, batch.get(number));
        } catch (const proofmill::Error &error) {
            std::cout << "\nrejected as expected: " << error.what() << "\n";
        }
    }
    const bool is_one = proofmill::pairing_is_one("bls12_381", {}, {});
    const bool all = valid && cancelled && ended == 5 && correct == 4 && is_one;
    std::cout << (all ? "correct" : "wrong") << "\n";
    return all ? 0 : 1;
} catch (const proofmill::Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
