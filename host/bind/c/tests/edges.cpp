// Wrong arguments, moves and exceptions of callbacks in C++: edges_cpp KEY.zkey WITNESS.wtns VERIFICATION_KEY.json

#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <memory>
#include <proofmill.hpp>
#include <type_traits>

using namespace std::string_literals;

static int failures = 0;

static void is(int line, bool right) {
    if (right) return;
    std::cerr << "line " << line << ": wrong\n";
    failures++;
}
#define IS(what) is(__LINE__, what)

static void wrong(int line, const std::string &part, const std::function<void()> &call) {
    try {
        call();
        std::cerr << "line " << line << ": expected '" << part << "'\n";
    } catch (const proofmill::Error &error) {
        if (error.status() == PROOFMILL_ERROR_ARGUMENT && std::string(error.what()).find(part) != std::string::npos) return;
        std::cerr << "line " << line << ": expected '" << part << "': " << error.what() << "\n";
    }
    failures++;
}
#define WRONG(part, call) wrong(__LINE__, part, [&] { call; })

static std::string read_file(const char *path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Handles move, and nothing throws where it must not.
static_assert(std::is_nothrow_move_constructible_v<proofmill::Device> && std::is_nothrow_move_assignable_v<proofmill::Device>);
static_assert(std::is_nothrow_move_constructible_v<proofmill::ResidentBases> && !std::is_copy_constructible_v<proofmill::ResidentBases>);
static_assert(std::is_nothrow_move_constructible_v<proofmill::Prover> && std::is_nothrow_move_assignable_v<proofmill::Prover>);
static_assert(std::is_nothrow_move_constructible_v<proofmill::Proving> && std::is_nothrow_move_assignable_v<proofmill::Proving>);
static_assert(std::is_nothrow_move_constructible_v<proofmill::Batch> && std::is_nothrow_move_assignable_v<proofmill::Batch>);
static_assert(std::is_nothrow_destructible_v<proofmill::Proving> && !std::is_copy_constructible_v<proofmill::Proving>);

static void operations() {
    const proofmill::Device device("cpu:?threads=2");
    proofmill::Bytes points(128), scalars(64), elements(16), none;
    points[0] = points[64] = 1, points[32] = points[96] = 2, scalars[0] = 5, elements[8] = 1;
    WRONG("uri: contains a zero byte", proofmill::Device("cpu:\0?threads=0"s));
    WRONG("group: contains a zero byte", proofmill::point_bytes("bn254_g1\0"s));
    WRONG("group: contains a zero byte", proofmill::msm(device, "bn254_g1\0"s, points, scalars));
    WRONG("check: 7", proofmill::msm(device, "bn254_g1", points, scalars, proofmill_check(7)));
    WRONG("points: 127 bytes", proofmill::msm(device, "bn254_g1", proofmill::View(points).first(127), scalars));
    points[32] = 3; // checked unless the caller opts out
    WRONG("points: point 0 is not on the curve", proofmill::msm(device, "bn254_g1", points, scalars));
    WRONG("points: point 0 is not on the curve", proofmill::ResidentBases(device, "bn254_g1", points));
    points[32] = 2;
    const proofmill::ResidentBases bases(device, "bn254_g1", points);
    IS(bases.msm(scalars) == proofmill::msm(device, "bn254_g1", points, scalars));
    IS(bases.msm_batch(none, 0).empty());
    WRONG("scalars", bases.msm(none));
    WRONG("count: 2; scalars has 1 lists", bases.msm_batch(scalars, 2));
    WRONG("count: 18446744073709551615", bases.msm_batch(scalars, SIZE_MAX));
    WRONG("scalars: 63 bytes", bases.msm_batch(proofmill::View(scalars).first(63), 0));
    WRONG("max_bytes", proofmill::ResidentBases(device, "bn254_g1", points, PROOFMILL_CHECK_SUBGROUP, SIZE_MAX));
    const proofmill::Bytes kept = elements;
    WRONG("shift: 0 bytes", proofmill::ntt(device, "goldilocks", elements, false, proofmill::View()));
    WRONG("field: contains a zero byte", proofmill::ntt(device, "goldilocks\0"s, elements));

    const proofmill::Bytes shift = {7, 0, 0, 0, 0, 0, 0, 0}, two = {2, 0, 0, 0, 0, 0, 0, 0};
    IS((proofmill::quotient(device, "goldilocks", shift, shift, two, two) == proofmill::Bytes{12, 0, 0, 0, 0, 0, 0, 0}));
    WRONG("shift: 0 bytes", proofmill::quotient(device, "goldilocks", none, shift, two, two));
    WRONG("b, c: expected as many bytes as in a, 8", proofmill::quotient(device, "goldilocks", shift, shift, none, two));
    IS(elements == kept);
    WRONG("arity", proofmill::poseidon(device, 0, scalars));
    const auto delay = proofmill::vdf_prove(device, "rsa-1024", "5", 200);
    IS(proofmill::vdf_verify(delay));
    IS(delay.find(proofmill::vdf_evaluate(device, "rsa-1024", "5", 200)) != std::string::npos);
    WRONG("modulus", proofmill::vdf_evaluate(device, "36", "5", 200));
    WRONG("preimages", proofmill::poseidon(device, 2, proofmill::View(scalars).first(63)));
    WRONG("count: 18446744073709551615 headers", proofmill::equihash_verify_batch(device, 200, 9, "main", scalars, SIZE_MAX));
    WRONG("headers: 64 bytes", proofmill::equihash_verify_batch(device, 200, 9, "main", scalars, 1));
    const proofmill::Bytes unsolved(140, 7);
    const auto solved = proofmill::equihash_solve(device, 48, 5, unsolved);
    IS(!solved.empty());
    for (const auto &header : solved)
        IS(proofmill::equihash_verify_batch(device, 48, 5, "none", header, 1) == proofmill::Bytes{0});
    WRONG("personalisation: 3 bytes", proofmill::equihash_solve(device, 48, 5, unsolved, "Zec"));
    WRONG("header: 0 bytes", proofmill::equihash_solve(device, 48, 5, none));
    WRONG("max_bytes: 1", proofmill::equihash_solve(device, 48, 5, unsolved, "ZcashPoW", 1));
    WRONG("curve: 'secp256k1'", proofmill::pairing("secp256k1", {}, {}));
    WRONG("curve: 'bls12_377'", proofmill::pairing("bls12_377", {}, {}));
    WRONG("curve: contains a zero byte", proofmill::pairing("bn254\0"s, {}, {}));
    IS(proofmill::pairing("bn254", {}, {}).size() == 384);
    WRONG("public_key: 64 bytes", proofmill::bls_verify(PROOFMILL_BLS_MESSAGE_AUGMENTATION, scalars, {}, {}));
    WRONG("scheme: 5", proofmill::bls_verify(proofmill_bls_scheme(5), scalars, {}, {}));

    proofmill::Device first, second = std::move(first);
    WRONG("device: is null", first.info());
    first = second;
    IS(first.info() == second.info() && first.get() == second.get());
}

static void proofs(char **arguments) {
    const std::string file = read_file(arguments[2]), key = read_file(arguments[3]);
    const proofmill::Bytes witness(file.begin(), file.end());
    WRONG("zkey_path: contains a zero byte", proofmill::Prover(arguments[1] + "\0.zkey"s));
    auto prover = std::make_unique<proofmill::Prover>(arguments[1], "cpu:?threads=2", false);
    const proofmill::Proof proof = prover->prove(witness);
    IS(proofmill::verify(key, proof));
    WRONG("public_inputs: contains a zero byte", proofmill::verify(key, {proof.proof, proof.public_inputs + "\0]"s}));
    WRONG("proof: contains a zero byte", proofmill::verify(key, {proof.proof + "\0"s, proof.public_inputs}));
    WRONG("verification_key: contains a zero byte", proofmill::verify(key + "\0"s, proof));

    // Exceptions of callbacks come out of the call, not through C.
    const auto thrower = [](std::string_view, double) { throw 7; };
    const auto catches = [](const std::function<void()> &call) {
        try {
            call();
        } catch (int thrown) {
            return thrown == 7;
        }
        return false;
    };
    IS(catches([&] { prover->prove(witness, thrower); }));
    IS(catches([&] { prover->start(witness, thrower).get(); }));
    const std::vector<proofmill::View> witnesses(5, witness);
    IS(catches([&] { prover->prove_batch(witnesses, [](std::size_t, proofmill_status) -> bool { throw 7; }); }));

    // A callback lives as long as calls of it, also when another proof takes the place of its own. The prover may go.
    auto alive = std::make_shared<bool>(true);
    const auto reporter = [&alive] {
        return [mine = std::make_shared<bool>(true), &alive](std::string_view, double) { IS(*mine && *alive); };
    };
    proofmill::Proving proving = prover->start(witness, reporter());
    proving = prover->start(witness, reporter());
    proving = prover->start(witness, reporter());
    proofmill::Proving other = std::move(proving);
    WRONG("proving: is null", proving.wait(1));
    WRONG("proving: is null", proving.get());
    prover.reset();
    IS(proofmill::verify(key, other.get()) && other.wait(0));
    proving = std::move(other);
    IS(proofmill::verify(key, proving.get()));
    WRONG("seconds: -1", proving.wait(-1));
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    operations();
    proofs(arguments);
    if (failures == 0) std::cout << "all rejected as expected\n";
    return failures != 0;
}
