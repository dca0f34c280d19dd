// Proofs in C++20 that are made meanwhile, given up, and in a batch: batch KEY.zkey WITNESS.wtns VERIFICATION_KEY.json
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

    // One meanwhile.
    std::atomic<int> told = 0;
    const proofmill::Proving proving = prover.start(witness, [&told](std::string_view, double) { told++; });
    while (!proving.wait(0.01)) std::cout << "." << std::flush;
    const bool valid = proofmill::verify(key, proving.get()) && told > 0;

    // One that is given up, if it is not there yet.
    bool given_up = true;
    try {
        const proofmill::Proving other = prover.start(witness);
        other.cancel();
        other.get();
    } catch (const proofmill::Error &error) {
        given_up = error.status() == PROOFMILL_CANCELLED;
    }

    // Five, of which the third has no witness.
    const std::vector<proofmill::View> witnesses = {witness, witness, {}, witness, witness};
    std::size_t ended = 0;
    const proofmill::Batch batch = prover.prove_batch(witnesses, [&ended](std::size_t, proofmill_status) { return ++ended > 0; });
    std::size_t right = 0;
    for (std::size_t number = 0; number < batch.size(); number++) {
        try {
            right += proofmill::verify(key, batch.get(number));
        } catch (const proofmill::Error &error) {
            std::cout << "\nrefused, as it should be: " << error.what() << "\n";
        }
    }
    const bool is_one = proofmill::pairing_is_one("bls12_381", {}, {});
    const bool all = valid && given_up && ended == 5 && right == 4 && is_one;
    std::cout << (all ? "right" : "wrong") << "\n";
    return all ? 0 : 1;
} catch (const proofmill::Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
}
