// proofmill for C++20: handles that close themselves, spans, and exceptions that name the argument. Header only, over
// proofmill.h; no exception crosses the C interface.

#ifndef PROOFMILL_HPP
#define PROOFMILL_HPP

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "proofmill.h"

namespace proofmill {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

/// Why there is no answer.
class Error : public std::runtime_error {
public:
    Error(proofmill_status status, const std::string &text) : std::runtime_error(text), status_(status) {}

    /// Its number in proofmill.h.
    proofmill_status status() const noexcept { return status_; }

private:
    proofmill_status status_;
};

namespace detail {

inline void check(proofmill_status status) {
    if (status != PROOFMILL_OK) throw Error(status, proofmill_last_error());
}

/// A text of a length that the library knows: asked for twice.
template <class Ask> std::string text(Ask ask) {
    std::size_t length = 0;
    proofmill_status status = ask(nullptr, &length);
    if (status != PROOFMILL_SHORT_BUFFER) check(status);
    std::string text(length, '\0');
    check(ask(text.data(), &length));
    text.resize(length - 1);
    return text;
}

template <auto close> struct Closer {
    template <class T> void operator()(T *handle) const noexcept { close(handle); }
};

} // namespace detail

inline std::string version() { return proofmill_version(); }

/// A device by its URI: "cpu:", "cpu:?threads=4", "sim:card", "cuda:0". Copies share it.
class Device {
public:
    explicit Device(const std::string &uri = "cpu:") {
        proofmill_device *opened = nullptr;
        detail::check(proofmill_device_open(uri.c_str(), &opened));
        handle_.reset(opened, proofmill_device_close);
    }

    /// What it says of itself, as JSON.
    std::string info() const {
        return detail::text([this](char *text, std::size_t *length) { return proofmill_device_info(get(), text, length); });
    }

    const proofmill_device *get() const noexcept { return handle_.get(); }

private:
    std::shared_ptr<proofmill_device> handle_;
};

/// The URIs of all devices that could be opened here, as a JSON list.
inline std::string devices() { return detail::text(proofmill_devices); }

/// Bytes of a point of a group, such as "bn254_g1".
inline std::size_t point_bytes(const std::string &group) {
    std::size_t bytes = 0;
    detail::check(proofmill_msm_point_bytes(group.c_str(), &bytes));
    return bytes;
}

/// The sum of k_i P_i: points as x and y, scalars of 32 bytes, all little-endian.
inline Bytes msm(const Device &device, const std::string &group, View points, View scalars,
                 proofmill_check check = PROOFMILL_CHECK_NOTHING) {
    Bytes result(point_bytes(group));
    detail::check(proofmill_msm(device.get(), group.c_str(), check, points.data(), points.size(), scalars.data(), scalars.size(),
                                result.data(), result.size()));
    return result;
}

/// Points that are resident on a device, for many MSMs.
class Bases {
public:
    Bases(const Device &device, const std::string &group, View points, proofmill_check check = PROOFMILL_CHECK_NOTHING,
          std::size_t room = 0)
        : point_bytes_(point_bytes(group)) {
        proofmill_bases *opened = nullptr;
        detail::check(proofmill_bases_open(device.get(), group.c_str(), check, room, points.data(), points.size(), &opened));
        handle_.reset(opened);
    }

    /// `count` MSMs: the scalars of one after those of the other, and so the points of the result.
    Bytes msm(View scalars, std::size_t count = 1) const {
        Bytes results(count * point_bytes_);
        detail::check(proofmill_bases_msm(handle_.get(), count, scalars.data(), scalars.size(), results.data(), results.size()));
        return results;
    }

private:
    std::size_t point_bytes_;
    std::unique_ptr<proofmill_bases, detail::Closer<proofmill_bases_close>> handle_;
};

/// A transform in place, in natural order. `shift` is that of a coset.
inline void ntt(const Device &device, const std::string &field, std::span<std::uint8_t> elements, bool inverse = false,
                std::optional<View> shift = std::nullopt) {
    const View at = shift.value_or(View());
    detail::check(proofmill_ntt(device.get(), field.c_str(), inverse, at.data(), at.size(), elements.data(), elements.size()));
}

/// Filecoin's Poseidon: a digest of 32 bytes for each preimage of `arity` elements.
inline Bytes poseidon(const Device &device, std::size_t arity, View preimages) {
    Bytes digests(arity == 0 ? 0 : preimages.size() / arity);
    detail::check(proofmill_poseidon(device.get(), arity, preimages.data(), preimages.size(), digests.data(), digests.size()));
    return digests;
}

/// For each signature 0, or the PROOFMILL_ECDSA_... bits of what is wrong.
inline std::vector<std::uint32_t> ecdsa_verify(const Device &device, std::span<const proofmill_signature> signatures, bool low_s = false) {
    std::vector<std::uint32_t> outcomes(signatures.size());
    detail::check(proofmill_ecdsa_verify(device.get(), low_s, signatures.data(), signatures.size(), outcomes.data()));
    return outcomes;
}

/// For each of `count` block headers 0, or the PROOFMILL_EQUIHASH_... bits of what is wrong.
inline Bytes equihash_verify(const Device &device, std::uint32_t n, std::uint32_t k, const std::string &network, View headers,
                             std::size_t count) {
    Bytes verdicts(count);
    detail::check(proofmill_equihash_verify(device.get(), n, k, network.c_str(), headers.data(), headers.size(), verdicts.data(), verdicts.size()));
    return verdicts;
}

/// A Groth16 proof as snarkjs writes it.
struct Proof {
    std::string proof, public_values;
};

namespace detail {

/// Both texts of a proof that is there, or will be: asked for again with larger buffers where these are short.
template <class Ask> Proof proof(Ask ask) {
    Proof made;
    std::size_t proof_length = 4096, public_length = 4096;
    for (;;) {
        made.proof.resize(proof_length);
        made.public_values.resize(public_length);
        const proofmill_status status = ask(made.proof.data(), &proof_length, made.public_values.data(), &public_length);
        if (status == PROOFMILL_SHORT_BUFFER && (proof_length > made.proof.size() || public_length > made.public_values.size())) continue;
        check(status);
        made.proof.resize(proof_length - 1);
        made.public_values.resize(public_length - 1);
        return made;
    }
}

} // namespace detail

/// A proving key on a device.
class Prover {
public:
    /// Is told a step and which part of it is done, from 0 to 1, by any thread.
    using Progress = std::function<void(std::string_view step, double part)>;

    explicit Prover(const std::string &zkey_path, const std::string &uri = "cpu:", bool resident = true) {
        proofmill_prover *opened = nullptr;
        detail::check(proofmill_prover_open(uri.c_str(), zkey_path.c_str(), resident, &opened));
        handle_.reset(opened);
    }

    explicit Prover(View zkey, const std::string &uri = "cpu:", bool resident = true) {
        proofmill_prover *opened = nullptr;
        detail::check(proofmill_prover_open_bytes(uri.c_str(), zkey.data(), zkey.size(), resident, &opened));
        handle_.reset(opened);
    }

    /// A proof for the bytes of a .wtns file. An exception of `progress` ends the program.
    Proof prove(View witness, const Progress &progress = {}) const {
        std::size_t proof_length = 0, public_length = 0;
        detail::check(proofmill_prover_sizes(handle_.get(), &proof_length, &public_length));
        Proof made{std::string(proof_length, '\0'), std::string(public_length, '\0')};
        const auto tell = [](void *context, const char *step, double part) noexcept { (*static_cast<const Progress *>(context))(step, part); };
        detail::check(proofmill_prove(handle_.get(), witness.data(), witness.size(), progress ? +tell : nullptr,
                                      const_cast<Progress *>(&progress), made.proof.data(), &proof_length,
                                      made.public_values.data(), &public_length));
        made.proof.resize(proof_length - 1);
        made.public_values.resize(public_length - 1);
        return made;
    }

    /// Starts a proof and returns at once. The prover may go meanwhile.
    class Proving start(View witness, Progress progress = {}) const;

    /// Is told the number of a proof of a batch that has ended, and how; false gives up those that have not.
    using Each = std::function<bool(std::size_t number, proofmill_status status)>;

    /// Proofs of many witnesses, several at a time. The caller's own thread calls `each`; its exception ends the program.
    class Batch prove_batch(std::span<const View> witnesses, const Each &each = {}) const;

private:
    std::unique_ptr<proofmill_prover, detail::Closer<proofmill_prover_close>> handle_;
};

/// A proof that is being made; given up if this goes before it is there.
class Proving {
public:
    /// Waits for at most so many seconds. Has the proof ended, in whatever way?
    bool wait(double seconds) const {
        bool ended = false;
        detail::check(proofmill_proving_wait(handle_.get(), seconds, &ended));
        return ended;
    }

    /// Gives it up: then `get` throws PROOFMILL_CANCELLED, unless the proof is there.
    void cancel() const { detail::check(proofmill_proving_cancel(handle_.get())); }

    /// Waits for the proof.
    Proof get() const {
        return detail::proof([this](auto... room) { return proofmill_proving_result(handle_.get(), room...); });
    }

private:
    friend class Prover;
    explicit Proving(Prover::Progress progress) : progress_(std::make_unique<Prover::Progress>(std::move(progress))) {}

    std::unique_ptr<Prover::Progress> progress_; // outlives the handle
    std::unique_ptr<proofmill_proving, detail::Closer<proofmill_proving_close>> handle_;
};

inline Proving Prover::start(View witness, Progress progress) const {
    Proving proving(std::move(progress));
    const auto tell = [](void *context, const char *step, double part) noexcept { (*static_cast<const Progress *>(context))(step, part); };
    proofmill_proving *started = nullptr;
    detail::check(proofmill_prove_start(handle_.get(), witness.data(), witness.size(), *proving.progress_ ? +tell : nullptr,
                                        proving.progress_.get(), &started));
    proving.handle_.reset(started);
    return proving;
}

/// The proofs of a batch.
class Batch {
public:
    std::size_t size() const noexcept { return size_; }

    /// One of them; throws why it could not be made.
    Proof get(std::size_t number) const {
        return detail::proof([this, number](auto... room) { return proofmill_batch_proof(handle_.get(), number, room...); });
    }

private:
    friend class Prover;
    std::size_t size_ = 0;
    std::unique_ptr<proofmill_batch, detail::Closer<proofmill_batch_close>> handle_;
};

inline Batch Prover::prove_batch(std::span<const View> witnesses, const Each &each) const {
    std::vector<const std::uint8_t *> starts;
    std::vector<std::size_t> lengths;
    for (const View &witness : witnesses) starts.push_back(witness.data()), lengths.push_back(witness.size());
    const auto tell = [](void *context, std::size_t number, proofmill_status status) noexcept {
        return (*static_cast<const Each *>(context))(number, status);
    };
    proofmill_batch *made = nullptr;
    detail::check(proofmill_prove_batch(handle_.get(), starts.data(), lengths.data(), witnesses.size(), each ? +tell : nullptr,
                                        const_cast<Each *>(&each), &made));
    Batch batch;
    batch.size_ = witnesses.size();
    batch.handle_.reset(made);
    return batch;
}

/// The product of pairings on "bn254" or "bls12_381": twelve numbers, of 32 or 48 bytes.
inline Bytes pairing(const std::string &curve, View g1, View g2) {
    Bytes result(6 * point_bytes(curve + "_g1"));
    detail::check(proofmill_pairing(curve.c_str(), g1.data(), g1.size(), g2.data(), g2.size(), result.data(), result.size()));
    return result;
}

/// Is that product 1?
inline bool pairing_is_one(const std::string &curve, View g1, View g2) {
    bool is_one = false;
    detail::check(proofmill_pairing_is_one(curve.c_str(), g1.data(), g1.size(), g2.data(), g2.size(), &is_one));
    return is_one;
}

/// Is this a BLS signature of the message? Of Ethereum's scheme, or of the basic one.
inline bool bls_verify(View key, View message, View signature, bool proof_of_possession = true) {
    bool valid = false;
    detail::check(proofmill_bls_verify(proof_of_possession, key.data(), key.size(), message.data(), message.size(), signature.data(),
                                       signature.size(), &valid));
    return valid;
}

/// Does a proof convince? The texts of verification_key.json, public.json and proof.json.
inline bool verify(const std::string &verification_key, const Proof &proof) {
    bool valid = false;
    detail::check(proofmill_groth16_verify(verification_key.c_str(), proof.public_values.c_str(), proof.proof.c_str(), &valid));
    return valid;
}

} // namespace proofmill

#endif
