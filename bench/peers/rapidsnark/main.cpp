// rapidsnark's prover, for the bench to measure: a line of work in, its seconds out; the proof and its public values go to
// files. tools/rapidsnark.py builds it. What the fields of a work mean is told in ../works/src/prove.rs.
#include <chrono>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "prover.h"

static void check(int status, const std::string &message) {
    if (status != PROVER_OK) {
        throw std::runtime_error("status " + std::to_string(status) + ": " + message.c_str());
    }
}

static std::string content(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

// A key that stays, and the sizes of what is made with it. The prover reads the file's bytes while it proves.
struct Prover {
    const std::string zkey, bytes;
    void *object = nullptr;
    unsigned long long proof_size = 0, public_size = 0;

    explicit Prover(const std::string &path) : zkey(path), bytes(content(path)) {
        std::string message(256, '\0');
        groth16_proof_size(&proof_size);
        check(groth16_public_size_for_zkey_buf(bytes.data(), bytes.size(), &public_size, &message[0], message.size()), message);
        check(groth16_prover_create(&object, bytes.data(), bytes.size(), &message[0], message.size()), message);
    }
    ~Prover() { groth16_prover_destroy(object); }
};

static double seconds(const Prover &prover, const nlohmann::json &work) {
    const std::string wtns = content(work.at("wtns").get<std::string>());
    unsigned long long proof_size = prover.proof_size, public_size = prover.public_size;
    std::string proof(proof_size, '\0'), values(public_size, '\0'), message(256, '\0');
    const auto start = std::chrono::steady_clock::now();
    const int status = groth16_prover_prove(prover.object, wtns.data(), wtns.size(), &proof[0], &proof_size, &values[0],
                                            &public_size, &message[0], message.size());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    check(status, message);
    std::ofstream(work.at("proof").get<std::string>()) << proof.c_str();
    std::ofstream(work.at("public").get<std::string>()) << values.c_str();
    return taken.count();
}

int main() {
    try {
        std::unique_ptr<Prover> kept;
        for (std::string line; std::getline(std::cin, line);) {
            const auto work = nlohmann::json::parse(line);
            const auto zkey = work.at("zkey").get<std::string>();
            if (!kept || kept->zkey != zkey) {
                kept.reset(new Prover(zkey));
            }
            std::cout << std::scientific << seconds(*kept, work) << std::endl;
        }
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << std::endl;
        return 1;
    }
}
