// Proofs from inputs, and their errors, in C and in C++: full_prove FOLDER, which has the files of tools/circom_files.py.

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <mutex>
#include <proofmill.hpp>
#include <set>
#include <type_traits>

static int failures = 0;

static void is(int line, bool right) {
    if (right) return;
    std::cerr << "line " << line << ": wrong: " << proofmill_last_error() << "\n";
    failures++;
}
#define IS(what) is(__LINE__, what)

static void expect(int line, proofmill_status wanted, const std::string &part, const std::function<void()> &call) {
    try {
        call();
        std::cerr << "line " << line << ": expected '" << part << "'\n";
    } catch (const proofmill::Error &error) {
        if (error.status() == wanted && std::string(error.what()).find(part) != std::string::npos) return;
        std::cerr << "line " << line << ": expected '" << part << "': " << error.status() << ": " << error.what() << "\n";
    }
    failures++;
}
#define WRONG(part, call) expect(__LINE__, PROOFMILL_ERROR_ARGUMENT, part, [&] { call; })

static std::string read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

static proofmill::View view(const std::string &text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}

/// Returns inputs of which one factor has this value.
static std::string with_factor(const std::string &factor) {
    std::string list = "{\"factors\": [" + factor;
    for (int i = 1; i < 60; i++) list += ", 5";
    return list + "]}";
}

static_assert(std::is_copy_constructible_v<proofmill::Calculator> && std::is_nothrow_move_constructible_v<proofmill::Calculator>);

static void proofs(const std::string &folder, const std::string &protocol) {
    const std::string zkey = folder + "/" + protocol + ".zkey", key = read_file(folder + "/" + protocol + ".json");
    const std::string inputs = read_file(folder + "/input.json"), wasm = read_file(folder + "/circuit.wasm");
    const proofmill::Prover prover(zkey, "cpu:?threads=2");
    const proofmill::Calculator calculator(folder + "/circuit.wasm"), copied(view(wasm));
    std::set<std::string> steps;
    std::mutex lock;
    const proofmill::Proof made = prover.full_prove(calculator, inputs, [&](std::string_view step, double) {
        const std::lock_guard<std::mutex> guard(lock);
        steps.emplace(step);
    });
    IS(proofmill::verify(key, made));
    IS(steps.count("witness") == 1 && steps.count("check") == 1);
    IS(proofmill::verify(key, prover.prove(view(read_file(folder + "/witness.wtns")))));
    const proofmill::Proof other{made.proof, "[\"1\"]"};
    IS(!proofmill::verify(key, other));
    proofmill::Proving proving = prover.start_full_prove(copied, inputs);
    IS(proofmill::verify(key, proving.get()));
    const proofmill::Batch batch = prover.prove_batch(std::vector<proofmill::View>(3, view(read_file(folder + "/witness.wtns"))));
    for (std::size_t number = 0; number < 3; number++) IS(proofmill::verify(key, batch.get(number)));

    WRONG("witness generator: " + folder + "/circuit.wasm: assert failed: Error in template Factors_0 line: 10",
          prover.full_prove(calculator, with_factor("1")));
    WRONG("witness generator: wasm: assert failed", prover.start_full_prove(copied, with_factor("1")).get());
    WRONG("inputs: signal `factors` has 1 values; the circuit has 60", prover.full_prove(calculator, "{\"factors\": 3}"));
    WRONG("inputs: signal `factor` is not an input of the circuit", prover.full_prove(calculator, "{\"factor\": 3}"));
    WRONG("inputs: 60 of 60 input values are missing; given are none", prover.full_prove(calculator, "{}"));
    expect(__LINE__, PROOFMILL_ERROR_FILE, "inputs: JSON, byte 0", [&] { prover.full_prove(calculator, "{"); });
    expect(__LINE__, PROOFMILL_ERROR_FILE, "inputs: factors, value 0, byte 13: not an integer",
           [&] { prover.full_prove(calculator, with_factor("2.5")); });
    expect(__LINE__, PROOFMILL_ERROR_FILE, "inputs: JSON, byte 0", [&] { prover.full_prove(calculator, ""); });
}

static void arguments(const std::string &folder) {
    using Limits = proofmill::Calculator::Limits;
    const std::string wasm = folder + "/circuit.wasm", inputs = read_file(folder + "/input.json");
    WRONG("limits: " + wasm + ": needs more than the memory limit of 65536 bytes", proofmill::Calculator(wasm, Limits{65536, 0}));
    const proofmill::Prover prover(folder + "/plonk.zkey");
    WRONG("max_seconds: -1", proofmill::Calculator(wasm, Limits{0, -1}));
    WRONG("max_seconds: ", proofmill::Calculator(wasm, Limits{0, std::nan("")}));
    const proofmill::Calculator forever(wasm, Limits{0, 1e18});
    IS(!prover.full_prove(forever, inputs).proof.empty());
    expect(__LINE__, PROOFMILL_ERROR_IO, "/nowhere/c.wasm: ", [] { proofmill::Calculator("/nowhere/c.wasm"); });
    expect(__LINE__, PROOFMILL_ERROR_FILE, "wasm: module, byte 0", [&] { proofmill::Calculator(view("wasm")); });
    expect(__LINE__, PROOFMILL_ERROR_FILE, "plonk.zkey: module, byte 0", [&] { proofmill::Calculator(folder + "/plonk.zkey"); });

    proofmill_calculator *calculator = nullptr;
    proofmill_prover *c_prover = nullptr;
    proofmill_proving *proving = nullptr;
    char text[8192];
    std::size_t length = sizeof text, short_length = 16, values_length = 2000;
    const auto status = [](proofmill_status got, proofmill_status wanted, const char *part) {
        return got == wanted && std::strstr(proofmill_last_error(), part);
    };
    const auto bad = [&](proofmill_status got, const char *part) { return status(got, PROOFMILL_ERROR_ARGUMENT, part); };
    IS(bad(proofmill_calculator_open(nullptr, 0, 0, &calculator), "wasm_path: is null"));
    IS(bad(proofmill_calculator_open(wasm.c_str(), 0, 0, nullptr), "calculator: is null"));
    IS(bad(proofmill_calculator_open_bytes(nullptr, 3, 0, 0, &calculator), "wasm: is null"));
    IS(calculator == nullptr);
    IS(proofmill_calculator_open(wasm.c_str(), 0, 0, &calculator) == PROOFMILL_OK);
    IS(proofmill_prover_open("cpu:", (folder + "/plonk.zkey").c_str(), false, &c_prover) == PROOFMILL_OK);
    const auto prove = [&](proofmill_prover *key, proofmill_calculator *generator, const char *json, std::size_t *room) {
        return proofmill_full_prove(key, generator, json, inputs.size(), nullptr, nullptr, text, room, text + 6000, &values_length);
    };
    IS(bad(prove(nullptr, calculator, inputs.data(), &length), "prover: is null"));
    IS(bad(prove(c_prover, nullptr, inputs.data(), &length), "calculator: is null"));
    IS(bad(prove(c_prover, calculator, nullptr, &length), "inputs: is null"));
    IS(bad(prove(c_prover, calculator, inputs.data(), nullptr), "proof_length: is null"));
    IS(status(prove(c_prover, calculator, inputs.data(), &short_length), PROOFMILL_ERROR_SHORT_BUFFER, "proof: a buffer of 16 bytes"));
    IS(short_length == 4096);
    IS(bad(proofmill_full_prove_start(c_prover, calculator, inputs.data(), inputs.size(), nullptr, nullptr, nullptr), "proving: is null"));
    IS(bad(proofmill_full_prove_start(c_prover, nullptr, inputs.data(), inputs.size(), nullptr, nullptr, &proving), "calculator: is null"));
    IS(proving == nullptr);
    // The handles are closed while the proof is under way, and the proof is cancelled.
    IS(proofmill_full_prove_start(c_prover, calculator, inputs.data(), inputs.size(), nullptr, nullptr, &proving) == PROOFMILL_OK);
    proofmill_calculator_close(calculator);
    proofmill_prover_close(c_prover);
    IS(proofmill_proving_cancel(proving) == PROOFMILL_OK);
    length = values_length = 0;
    const proofmill_status ended = proofmill_proving_result(proving, nullptr, &length, nullptr, &values_length);
    IS(ended == PROOFMILL_ERROR_CANCELLED || ended == PROOFMILL_ERROR_SHORT_BUFFER);
    proofmill_proving_close(proving);
    proofmill_calculator_close(nullptr);

    // A key of another circuit, and a proof of the other protocol.
    expect(__LINE__, PROOFMILL_ERROR_FILE, "proof: JSON", [&] {
        const proofmill::Proof made = prover.full_prove(forever, inputs);
        proofmill::verify(read_file(folder + "/groth16.json"), made);
    });
}

static void other_circuit(const std::string &folder, const std::string &zkey) {
    const proofmill::Prover prover(zkey);
    const proofmill::Calculator calculator(folder + "/circuit.wasm");
    WRONG("circuit.wasm: a witness has ", prover.full_prove(calculator, "{}"));
}

/// The example of docs/use/c.md; `test_full_prove.py` compares the lines.
static void page(const std::string &inputs) {
    const proofmill::Prover prover("circuit.zkey");
    const proofmill::Calculator calculator("circuit.wasm");
    const proofmill::Proof proof = prover.full_prove(calculator, inputs);
    IS(!proof.proof.empty());
}

int main(int, char **arguments_of_main) {
    const std::string folder = arguments_of_main[1];
    page(read_file(folder + "/input.json"));
    proofs(folder, "groth16");
    proofs(folder, "plonk");
    arguments(folder);
    other_circuit(folder, arguments_of_main[2]);
    if (failures == 0) std::cout << "all as expected\n";
    return failures == 0 ? 0 : 1;
}
