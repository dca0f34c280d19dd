// proofmill for C++20: handles that close themselves, spans, and exceptions that name the argument. Header only, over
// proofmill.h.
//
// Functions throw proofmill::Error where those of proofmill.h fail. Arguments and results are those of proofmill.h; sizes are
// in bytes. Objects of this header may be used by several threads at once, but moved, assigned and destroyed by one that no
// other uses them beside. A moved-from object may be assigned or destroyed; other calls throw.

#ifndef PROOFMILL_HPP
#define PROOFMILL_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proofmill.h"

namespace proofmill {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

/// A failed call. The message starts with the name of an invalid argument.
class Error : public std::runtime_error {
public:
    Error(proofmill_status status, const std::string &message) : std::runtime_error(message), status_(status) {}

    /// Returns the status of proofmill.h.
    proofmill_status status() const noexcept { return status_; }

private:
    proofmill_status status_;
};

namespace detail {

inline void check(proofmill_status status) {
    if (status != PROOFMILL_OK) throw Error(status, proofmill_last_error());
}

/// Returns a string as C has it, of which a zero byte would hide the rest.
inline const char *c_string(const char *argument, const std::string &text) {
    if (text.find('\0') != std::string::npos)
        throw Error(PROOFMILL_ERROR_ARGUMENT, std::string(argument) + ": contains a zero byte");
    return text.c_str();
}

/// Returns a string whose length the library reports.
template <class Call> std::string text(Call call) {
    std::string text;
    for (std::size_t length = 0;;) {
        const proofmill_status status = call(length == 0 ? nullptr : text.data(), &length);
        if (status == PROOFMILL_ERROR_SHORT_BUFFER) {
            text.resize(length);
            continue;
        }
        check(status);
        text.resize(length - 1);
        return text;
    }
}

template <auto close> struct Closer {
    template <class T> void operator()(T *handle) const noexcept { close(handle); }
};

/// A callback that C calls. Keeps the first exception, which must not cross C, until it can be thrown again.
template <class Function> class Callback {
public:
    explicit Callback(Function function) : function_(std::move(function)) {}

    explicit operator bool() const noexcept { return static_cast<bool>(function_); }

    /// Calls the function; returns `otherwise` after an exception of this or an earlier call.
    template <class Result, class... Arguments> Result call(Result otherwise, Arguments... arguments) noexcept {
        try {
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (thrown_) return otherwise;
            }
            return function_(arguments...);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (!thrown_) thrown_ = std::current_exception();
            return otherwise;
        }
    }

    /// Throws the exception, if there is one.
    void rethrow() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    Function function_;
    std::mutex mutex_;
    std::exception_ptr thrown_;
};

} // namespace detail

/// Returns the version of the library.
inline std::string version() { return proofmill_version(); }

/// A device. Copies share it.
class Device {
public:
    /// Opens the device of a URI: "cpu:", "cpu:?threads=4", "sim:card", "cuda:0".
    explicit Device(const std::string &uri = "cpu:") {
        proofmill_device *opened = nullptr;
        detail::check(proofmill_device_open(detail::c_string("uri", uri), &opened));
        handle_.reset(opened, proofmill_device_close);
    }

    /// Returns the description of the device, as JSON.
    std::string info() const {
        return detail::text([this](char *text, std::size_t *length) { return proofmill_device_info(get(), text, length); });
    }

    /// Returns the handle for functions of proofmill.h; null after a move.
    const proofmill_device *get() const noexcept { return handle_.get(); }

private:
    std::shared_ptr<proofmill_device> handle_;
};

/// Returns the URIs of all devices that can be opened on this machine, as a JSON array.
inline std::string devices() { return detail::text(proofmill_devices); }

/// Returns the size in bytes of a point of a group, such as "bn254_g1".
inline std::size_t point_bytes(const std::string &group) {
    std::size_t bytes = 0;
    detail::check(proofmill_msm_point_bytes(detail::c_string("group", group), &bytes));
    return bytes;
}

/// Computes one MSM: the sum of k_i P_i. Points are x and y, scalars have 32 bytes, all little-endian.
inline Bytes msm(const Device &device, const std::string &group, View points, View scalars,
                 proofmill_check check = PROOFMILL_CHECK_SUBGROUP) {
    Bytes result(point_bytes(group));
    detail::check(proofmill_msm(device.get(), group.c_str(), check, points.data(), points.size(), scalars.data(), scalars.size(),
                                result.data(), result.size()));
    return result;
}

/// Points that are resident on a device, for many MSMs.
class ResidentBases {
public:
    /// Loads points to a device, with precomputed multiples in at most `max_bytes`; 0 loads the points alone.
    ResidentBases(const Device &device, const std::string &group, View points, proofmill_check check = PROOFMILL_CHECK_SUBGROUP,
                  std::size_t max_bytes = 0)
        : point_bytes_(point_bytes(group)), list_bytes_(points.size() / point_bytes_ * 32) {
        proofmill_bases *loaded = nullptr;
        detail::check(
            proofmill_bases_load(device.get(), group.c_str(), check, max_bytes, points.data(), points.size(), &loaded));
        handle_.reset(loaded);
    }

    /// Computes one MSM.
    Bytes msm(View scalars) const { return msm_batch(scalars, 1); }

    /// Computes `count` MSMs. `scalars` has one list after the other, and so the result has the points.
    Bytes msm_batch(View scalars, std::size_t count) const {
        const std::size_t lists = list_bytes_ == 0 ? count : scalars.size() / list_bytes_;
        if (count != lists || count > PTRDIFF_MAX / point_bytes_) // before so many results are allocated
            throw Error(PROOFMILL_ERROR_ARGUMENT, "count: " + std::to_string(count) + "; scalars has " + std::to_string(lists) + " lists");
        Bytes results(count * point_bytes_);
        detail::check(
            proofmill_bases_msm_batch(handle_.get(), count, scalars.data(), scalars.size(), results.data(), results.size()));
        return results;
    }

private:
    std::size_t point_bytes_, list_bytes_;
    std::unique_ptr<proofmill_bases, detail::Closer<proofmill_bases_close>> handle_;
};

/// Transforms elements in place, in natural order: from coefficients to values, or back. `shift` is the shift of a coset, one
/// element.
inline void ntt(const Device &device, const std::string &field, std::span<std::uint8_t> elements, bool inverse = false,
                std::optional<View> shift = std::nullopt) {
    static constexpr std::uint8_t empty = 0; // a shift of no bytes, which is an error, is not the absence of one
    const View at = shift.value_or(View());
    const std::uint8_t *start = shift && at.empty() ? &empty : at.data();
    detail::check(proofmill_ntt(device.get(), detail::c_string("field", field), inverse, start, at.size(), elements.data(),
                                elements.size()));
}

/// Computes a b - c on the coset with shift g (one element), for polynomials by their values at the powers of the root of unity, all
/// three in as many elements: where a b = c there, the values of (a b - c) / (x^n - 1), times g^n - 1.
inline Bytes quotient(const Device &device, const std::string &field, View shift, View a, View b, View c) {
    if (b.size() != a.size() || c.size() != a.size())
        throw Error(PROOFMILL_ERROR_ARGUMENT, "b, c: expected as many bytes as in a, " + std::to_string(a.size()));
    Bytes result(a.size());
    detail::check(proofmill_quotient(device.get(), detail::c_string("field", field), shift.data(), shift.size(), a.data(), b.data(), c.data(),
                                     a.size(), result.data(), result.size()));
    return result;
}

/// Hashes with Filecoin's Poseidon: a digest of 32 bytes for each preimage of `arity` elements.
inline Bytes poseidon(const Device &device, std::size_t arity, View preimages) {
    Bytes digests(arity == 0 ? 0 : preimages.size() / arity);
    detail::check(
        proofmill_poseidon(device.get(), arity, preimages.data(), preimages.size(), digests.data(), digests.size()));
    return digests;
}

/// Verifies signatures. Returns for each 0, or the bits PROOFMILL_ECDSA_... of what is wrong.
inline std::vector<std::uint32_t> ecdsa_verify_batch(const Device &device, std::span<const proofmill_signature> signatures,
                                                     bool low_s = false) {
    std::vector<std::uint32_t> outcomes(signatures.size());
    detail::check(proofmill_ecdsa_verify_batch(device.get(), low_s, signatures.data(), signatures.size(), outcomes.data()));
    return outcomes;
}

/// Verifies `count` block headers. Returns for each 0, or the bits PROOFMILL_EQUIHASH_... of what is wrong.
inline Bytes equihash_verify_batch(const Device &device, std::uint32_t n, std::uint32_t k, const std::string &network,
                                   View headers, std::size_t count) {
    if (count > headers.size()) // before so many verdicts are allocated
        throw Error(PROOFMILL_ERROR_ARGUMENT, "count: " + std::to_string(count) + " headers in " + std::to_string(headers.size()) + " bytes");
    Bytes verdicts(count);
    detail::check(proofmill_equihash_verify_batch(device.get(), n, k, detail::c_string("network", network), headers.data(),
                                                  headers.size(), verdicts.data(), verdicts.size()));
    return verdicts;
}

/// Finds the solutions of a block header of 140 bytes. Returns each as a whole header, with CompactSize and solution. `personalisation`
/// has 8 bytes; `max_bytes` limits the memory of cpu:, and 0 is the default.
inline std::vector<Bytes> equihash_solve(const Device &device, std::uint32_t n, std::uint32_t k, View header,
                                         const std::string &personalisation = "ZcashPoW", std::uint64_t max_bytes = 0) {
    if (personalisation.size() != 8)
        throw Error(PROOFMILL_ERROR_ARGUMENT, "personalisation: " + std::to_string(personalisation.size()) + " bytes; expected 8");
    Bytes solved;
    std::size_t length = 0, count = 0;
    proofmill_status status;
    do {
        solved.resize(length);
        status = proofmill_equihash_solve(device.get(), n, k, reinterpret_cast<const std::uint8_t *>(personalisation.data()),
                                          header.data(), header.size(), max_bytes, solved.data(), &length, &count);
    } while (status == PROOFMILL_ERROR_SHORT_BUFFER && length > solved.size());
    detail::check(status);
    std::vector<Bytes> headers;
    for (std::size_t i = 0; i < count; ++i)
        headers.emplace_back(solved.begin() + i * (length / count), solved.begin() + (i + 1) * (length / count));
    return headers;
}

/// A proof for Groth16, PLONK or FFLONK and its public inputs: the content of proof.json and public.json as snarkjs writes them.
struct Proof {
    std::string proof, public_inputs;
};

namespace detail {

/// Returns a proof. Repeats the call with larger buffers while they are too small.
template <class Call> Proof proof(Call call) {
    Proof made;
    std::size_t proof_length = 2048, public_inputs_length = 4096;
    for (;;) {
        made.proof.resize(proof_length);
        made.public_inputs.resize(public_inputs_length);
        const proofmill_status status =
            call(made.proof.data(), &proof_length, made.public_inputs.data(), &public_inputs_length);
        if (status == PROOFMILL_ERROR_SHORT_BUFFER &&
            (proof_length > made.proof.size() || public_inputs_length > made.public_inputs.size()))
            continue;
        check(status);
        made.proof.resize(proof_length - 1);
        made.public_inputs.resize(public_inputs_length - 1);
        return made;
    }
}

} // namespace detail

class Proving;
class Batch;

/// A witness generator of circom 2. Copies share it.
class Calculator {
public:
    /// The limits of each calculation; 0 means 2 GiB and 600 s.
    struct Limits {
        std::size_t max_bytes = 0;
        double max_seconds = 0;
    };

    /// Opens a .wasm file.
    explicit Calculator(const std::string &wasm_path, Limits limits) {
        proofmill_calculator *opened = nullptr;
        detail::check(proofmill_calculator_open(detail::c_string("wasm_path", wasm_path), limits.max_bytes, limits.max_seconds, &opened));
        handle_.reset(opened, proofmill_calculator_close);
    }
    explicit Calculator(const std::string &wasm_path) : Calculator(wasm_path, Limits()) {}

    /// Opens the bytes of a .wasm file.
    explicit Calculator(View wasm, Limits limits) {
        proofmill_calculator *opened = nullptr;
        detail::check(proofmill_calculator_open_bytes(wasm.data(), wasm.size(), limits.max_bytes, limits.max_seconds, &opened));
        handle_.reset(opened, proofmill_calculator_close);
    }
    explicit Calculator(View wasm) : Calculator(wasm, Limits()) {}

private:
    friend class Prover;
    std::shared_ptr<proofmill_calculator> handle_;
};

/// A proving key on a device.
class Prover {
public:
    /// Receives the name of a step of a proof and the fraction of it that is done, from 0 to 1. Any thread may call it, several at
    /// once. Its first exception is thrown again by the function that returns the proof.
    using Progress = std::function<void(std::string_view step, double fraction)>;

    /// Receives the number of a proof of a batch that has ended, and its status. Returns true to continue, or false to cancel the
    /// proofs that have not ended. The thread that makes the batch calls it, and its exception is thrown there.
    using BatchProgress = std::function<bool(std::size_t number, proofmill_status status)>;

    /// Opens a .zkey file for Groth16, PLONK or FFLONK, which is mapped. If `resident`, the points of the key stay loaded on the device.
    explicit Prover(const std::string &zkey_path, const std::string &uri = "cpu:", bool resident = true) {
        proofmill_prover *opened = nullptr;
        detail::check(proofmill_prover_open(detail::c_string("uri", uri), detail::c_string("zkey_path", zkey_path), resident, &opened));
        handle_.reset(opened);
    }

    /// Opens the bytes of a .zkey file, which are copied.
    explicit Prover(View zkey, const std::string &uri = "cpu:", bool resident = true) {
        proofmill_prover *opened = nullptr;
        detail::check(proofmill_prover_open_bytes(detail::c_string("uri", uri), zkey.data(), zkey.size(), resident, &opened));
        handle_.reset(opened);
    }

    /// Makes a proof for the bytes of a .wtns file. It is verified before it is returned.
    Proof prove(View witness, const Progress &progress = {}) const {
        return proved(progress, [&](auto... rest) { return proofmill_prove(handle_.get(), witness.data(), witness.size(), rest...); });
    }

    /// Calculates the witness for the inputs of the circuit, as JSON, and makes a proof. The first step is "witness".
    Proof full_prove(const Calculator &calculator, std::string_view inputs, const Progress &progress = {}) const {
        return proved(progress, [&](auto... rest) {
            return proofmill_full_prove(handle_.get(), calculator.handle_.get(), inputs.data(), inputs.size(), rest...);
        });
    }

    /// Starts a calculation and a proof, and returns at once. The inputs are copied. The prover may be destroyed meanwhile.
    Proving start_full_prove(const Calculator &calculator, std::string_view inputs, Progress progress = {}) const;

    /// Starts a proof for the bytes of a .wtns file, which are copied, and returns at once. The prover may be destroyed meanwhile.
    Proving start(View witness, Progress progress = {}) const;

    /// Makes proofs of many witnesses; with a key for Groth16 several at a time. A proof that fails does not affect the others.
    Batch prove_batch(std::span<const View> witnesses, const BatchProgress &progress = {}) const;

private:
    friend class Proving;

    /// A Progress that returns a value, as callbacks do.
    struct Reporting {
        Progress progress;
        explicit operator bool() const noexcept { return static_cast<bool>(progress); }
        bool operator()(std::string_view step, double fraction) const {
            progress(step, fraction);
            return true;
        }
    };

    class Report : public detail::Callback<Reporting> {
    public:
        explicit Report(Progress progress) : Callback(Reporting{std::move(progress)}) {}
    };

    /// Makes a proof with a function of proofmill.h, which is called with a callback and the buffers.
    template <class Call> Proof proved(const Progress &progress, Call call) const {
        std::size_t proof_length = 0, public_inputs_length = 0;
        detail::check(proofmill_prover_sizes(handle_.get(), &proof_length, &public_inputs_length));
        Proof made{std::string(proof_length, '\0'), std::string(public_inputs_length, '\0')};
        Report report(progress);
        const proofmill_progress reporter = report ? report_progress : nullptr;
        detail::check(call(reporter, static_cast<void *>(&report), made.proof.data(), &proof_length, made.public_inputs.data(),
                           &public_inputs_length));
        report.rethrow();
        made.proof.resize(proof_length - 1);
        made.public_inputs.resize(public_inputs_length - 1);
        return made;
    }

    static void report_progress(void *context, const char *step, double fraction) noexcept {
        static_cast<Report *>(context)->call(false, std::string_view(step), fraction);
    }

    std::unique_ptr<proofmill_prover, detail::Closer<proofmill_prover_close>> handle_;
};

/// A proof in the background. Destroying it cancels a proof that has not ended.
class Proving {
public:
    Proving(Proving &&) noexcept = default;

    /// Closes this proof, whose callback must live as long as its handle, and takes the other.
    Proving &operator=(Proving &&other) noexcept {
        handle_ = std::move(other.handle_);
        report_ = std::move(other.report_);
        return *this;
    }

    /// Waits for at most so many seconds. Returns whether the proof has ended: succeeded, failed or was cancelled.
    bool wait(double seconds) const {
        bool ended = false;
        detail::check(proofmill_proving_wait(handle_.get(), seconds, &ended));
        return ended;
    }

    /// Cancels the proof: `get` then throws PROOFMILL_ERROR_CANCELLED, unless the proof is finished.
    void cancel() const { detail::check(proofmill_proving_cancel(handle_.get())); }

    /// Waits for the proof and returns it. May be called again.
    Proof get() const {
        Proof made = detail::proof([this](auto... buffers) { return proofmill_proving_result(handle_.get(), buffers...); });
        report_->rethrow();
        return made;
    }

private:
    friend class Prover;
    explicit Proving(Prover::Progress progress) : report_(std::make_unique<Prover::Report>(std::move(progress))) {}

    std::unique_ptr<Prover::Report> report_; // outlives the handle, whose threads call it
    std::unique_ptr<proofmill_proving, detail::Closer<proofmill_proving_close>> handle_;
};

inline Proving Prover::start(View witness, Progress progress) const {
    Proving proving(std::move(progress));
    Report &report = *proving.report_;
    proofmill_proving *started = nullptr;
    detail::check(proofmill_prove_start(handle_.get(), witness.data(), witness.size(), report ? report_progress : nullptr,
                                        &report, &started));
    proving.handle_.reset(started);
    return proving;
}

inline Proving Prover::start_full_prove(const Calculator &calculator, std::string_view inputs, Progress progress) const {
    Proving proving(std::move(progress));
    Report &report = *proving.report_;
    proofmill_proving *started = nullptr;
    detail::check(proofmill_full_prove_start(handle_.get(), calculator.handle_.get(), inputs.data(), inputs.size(),
                                             report ? report_progress : nullptr, &report, &started));
    proving.handle_.reset(started);
    return proving;
}

/// The results of a batch of proofs.
class Batch {
public:
    /// Returns the number of proofs.
    std::size_t size() const noexcept { return size_; }

    /// Returns a proof of the batch; throws if it failed.
    Proof get(std::size_t number) const {
        return detail::proof([this, number](auto... buffers) { return proofmill_batch_proof(handle_.get(), number, buffers...); });
    }

private:
    friend class Prover;
    Batch() = default;

    std::size_t size_ = 0;
    std::unique_ptr<proofmill_batch, detail::Closer<proofmill_batch_close>> handle_;
};

inline Batch Prover::prove_batch(std::span<const View> witnesses, const BatchProgress &progress) const {
    using Report = detail::Callback<BatchProgress>;
    std::vector<const std::uint8_t *> starts;
    std::vector<std::size_t> lengths;
    for (const View &witness : witnesses) starts.push_back(witness.data()), lengths.push_back(witness.size());
    const auto call = [](void *context, std::size_t number, proofmill_status status) noexcept {
        return static_cast<Report *>(context)->call(false, number, status);
    };
    Report report(progress);
    proofmill_batch *made = nullptr;
    detail::check(proofmill_prove_batch(handle_.get(), starts.data(), lengths.data(), witnesses.size(), report ? +call : nullptr,
                                        &report, &made));
    Batch batch;
    batch.size_ = witnesses.size();
    batch.handle_.reset(made);
    report.rethrow();
    return batch;
}

/// Computes the product of pairings on "bn254" or "bls12_381": twelve numbers of 32 or 48 bytes.
inline Bytes pairing(const std::string &curve, View g1, View g2) {
    std::size_t each = 0; // stays 0 for a curve without that group, which the call below rejects
    proofmill_msm_point_bytes((detail::c_string("curve", curve) + std::string("_g1")).c_str(), &each);
    Bytes result(6 * each);
    detail::check(proofmill_pairing(curve.c_str(), g1.data(), g1.size(), g2.data(), g2.size(), result.data(), result.size()));
    return result;
}

/// Returns whether the product of pairings is 1.
inline bool pairing_is_one(const std::string &curve, View g1, View g2) {
    bool is_one = false;
    detail::check(
        proofmill_pairing_is_one(detail::c_string("curve", curve), g1.data(), g1.size(), g2.data(), g2.size(), &is_one));
    return is_one;
}

/// Verifies a BLS signature of a message on BLS12-381, in the given scheme. Points are compressed: a public key of 48 bytes and a
/// signature of 96, or the other way round.
inline bool bls_verify(proofmill_bls_scheme scheme, View public_key, View message, View signature) {
    bool valid = false;
    detail::check(proofmill_bls_verify(scheme, public_key.data(), public_key.size(), message.data(), message.size(),
                                       signature.data(), signature.size(), &valid));
    return valid;
}

/// Computes y = x^(2^squarings) modulo N and returns the smaller of y and N - y. Numbers are decimal digits, or 0x and hex digits; `modulus` may be
/// "rsa-1024" or "rsa-2048".
inline std::string vdf_evaluate(const Device &device, const std::string &modulus, const std::string &input, std::uint64_t squarings) {
    std::string output(1027, '\0');
    std::size_t length = output.size();
    detail::check(proofmill_vdf_evaluate(device.get(), detail::c_string("modulus", modulus), detail::c_string("input", input), squarings,
                                         output.data(), &length));
    output.resize(length - 1);
    return output;
}

/// Evaluates, proves the output (Wesolowski), and returns the proof as JSON. `max_bytes` limits the memory; 0 is the default of 256 MiB.
inline std::string vdf_prove(const Device &device, const std::string &modulus, const std::string &input, std::uint64_t squarings,
                             std::uint64_t max_bytes = 0) {
    std::string proof(4360, '\0');
    std::size_t length = proof.size();
    detail::check(proofmill_vdf_prove(device.get(), detail::c_string("modulus", modulus), detail::c_string("input", input), squarings,
                                      max_bytes, proof.data(), &length));
    proof.resize(length - 1);
    return proof;
}

/// Verifies a proof of a VDF as JSON: of Wesolowski or Pietrzak modulo N, or of Chia's VDF.
inline bool vdf_verify(const std::string &proof) {
    bool valid = false;
    detail::check(proofmill_vdf_verify(detail::c_string("proof", proof), &valid));
    return valid;
}

/// Verifies a proof for Groth16, PLONK or FFLONK with the content of verification_key.json, which states the protocol.
inline bool verify(const std::string &verification_key, const Proof &proof) {
    bool valid = false;
    detail::check(proofmill_verify(detail::c_string("verification_key", verification_key),
                                   detail::c_string("public_inputs", proof.public_inputs), detail::c_string("proof", proof.proof),
                                   &valid));
    return valid;
}

} // namespace proofmill

#endif
