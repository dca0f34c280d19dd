/* proofmill: proofs, MSM, NTT, Poseidon, ECDSA and Equihash verification. Made from the Rust source by cbindgen; do not edit.
 *
 * Every function that can fail returns a proofmill_status: PROOFMILL_OK, or what went wrong, and then
 * proofmill_last_error() says it in a sentence that names the argument. An invalid proof, signature or header is an
 * answer, never an error. Numbers are canonical and little-endian. Handles may be used by several threads at once, and are
 * closed once, when no call uses them any more. */

#ifndef PROOFMILL_H
#define PROOFMILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// r is 0, or not below n.
#define PROOFMILL_ECDSA_R_OUT_OF_RANGE 1

// s is 0, or not below n.
#define PROOFMILL_ECDSA_S_OUT_OF_RANGE 2

// The sum of the two multiples is the identity.
#define PROOFMILL_ECDSA_INFINITY 4

// The signature is not valid; comes with every bit of a device.
#define PROOFMILL_ECDSA_FAILED 8

// The published card's timeout; no device of ours says it.
#define PROOFMILL_ECDSA_TIMEOUT 16

// The key has a coordinate that is not below p, or is not on the curve.
#define PROOFMILL_ECDSA_INVALID_KEY 32

// The signature's bytes are no signature.
#define PROOFMILL_ECDSA_BAD_SIGNATURE 256

// The key's bytes are no key.
#define PROOFMILL_ECDSA_BAD_KEY 512

// s is above n / 2, and `low_s` forbids it.
#define PROOFMILL_ECDSA_HIGH_S 1024

// The header's hash is above its target, or the target is not allowed.
#define PROOFMILL_EQUIHASH_DIFFICULTY 1

// The leaves' exclusive or is not zero.
#define PROOFMILL_EQUIHASH_XOR 2

// A right subtree's first index is not greater than its left sibling's.
#define PROOFMILL_EQUIHASH_ORDER 4

// A subtree's exclusive or does not start with the zero bits of its level.
#define PROOFMILL_EQUIHASH_ZEROS 8

// An index occurs twice.
#define PROOFMILL_EQUIHASH_DUPLICATE 16

// The CompactSize is not the parameter set's solution length.
#define PROOFMILL_EQUIHASH_SIZE 32

// How a call ended. Numbers stay what they are; later versions may add some.
typedef enum proofmill_status {
  // The answer is there.
  PROOFMILL_OK = 0,
  // An argument is wrong: the error text names it.
  PROOFMILL_ARGUMENT = 1,
  // The device does not offer the operation, the instance or the size.
  PROOFMILL_UNSUPPORTED = 2,
  // The device could not be opened.
  PROOFMILL_OPEN = 3,
  // The device could not do this one thing; it lives on.
  PROOFMILL_FAILED = 4,
  // The device died.
  PROOFMILL_LOST = 5,
  // The device did not answer in time.
  PROOFMILL_TIMED_OUT = 6,
  // The call was cancelled.
  PROOFMILL_CANCELLED = 7,
  // Reading or writing failed.
  PROOFMILL_IO = 8,
  // A file is not what it should be: the text says where.
  PROOFMILL_FILE = 9,
  // The proof that was made does not verify: the witness does not satisfy the circuit, or the key is damaged.
  PROOFMILL_DOES_NOT_VERIFY = 10,
  // The caller's buffer is too small; its length says now what is needed.
  PROOFMILL_SHORT_BUFFER = 11,
  // A bug of proofmill.
  PROOFMILL_BUG = 12,
} proofmill_status;

// Checks on points before anything is computed. Coordinates must always be below p.
typedef enum proofmill_check {
  // None: the caller trusts the points.
  PROOFMILL_CHECK_NOTHING = 0,
  // Each is on the curve.
  PROOFMILL_CHECK_CURVE = 1,
  // Each is on the curve and in the subgroup of order r.
  PROOFMILL_CHECK_SUBGROUP = 2,
} proofmill_check;

// The form of a signature.
typedef enum proofmill_form {
  // Strict DER, without the byte of the hash type.
  PROOFMILL_DER = 0,
  // r and s of 32 bytes each, highest byte first.
  PROOFMILL_COMPACT = 1,
} proofmill_form;

// Bases that are resident on a device.
typedef struct proofmill_bases proofmill_bases;

// The proofs of a batch.
typedef struct proofmill_batch proofmill_batch;

// An open device.
typedef struct proofmill_device proofmill_device;

// A proving key on a device.
typedef struct proofmill_prover proofmill_prover;

// A proof that is being made.
typedef struct proofmill_proving proofmill_proving;

// A signature on secp256k1, its key and the digest that it signs.
typedef struct proofmill_signature {
  // The public key in a form of SEC 1: 33 or 65 bytes.
  const uint8_t *key;
  // Its length.
  size_t key_length;
  // The signature.
  const uint8_t *signature;
  // Its length.
  size_t signature_length;
  // A proofmill_form.
  int32_t form;
  // The digest, in the order in which the hash function gives the bytes.
  uint8_t digest[32];
} proofmill_signature;

// Is told which part of a step of a proof is done, from 0 to 1, by any thread. `context` is what the caller gave.
typedef void (*proofmill_progress)(void *context, const char *step, double part);

// Is told the number of a proof of a batch that has ended, and how; false gives up those that have not.
typedef bool (*proofmill_each)(void *context, size_t number, enum proofmill_status status);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// What went wrong in this thread's last call that failed; empty before. Valid until the thread's next call.
const char *proofmill_last_error(void);

// proofmill's version, such as "0.1.0".
const char *proofmill_version(void);

// Opens the device that a URI names: "cpu:", "cpu:?threads=4", "sim:card", "cuda:0".
enum proofmill_status proofmill_device_open(const char *uri, struct proofmill_device **device);

// Closes a device. What was made with it (bases, provers) keeps what it needs of it. NULL is ignored.
void proofmill_device_close(struct proofmill_device *device);

// What a device says of itself, as JSON: "uri", "kind", "description", "capabilities", "queue". `*info_length` is the size
// of the buffer; it becomes what the text takes with its zero byte. With `info` NULL, or too small, that is all that happens,
// and the status is PROOFMILL_SHORT_BUFFER.
enum proofmill_status proofmill_device_info(const struct proofmill_device *device,
                                            char *info,
                                            size_t *info_length);

// The URIs of all devices that could be opened here, as a JSON list; the buffer as in proofmill_device_info.
enum proofmill_status proofmill_devices(char *uris,
                                        size_t *uris_length);

// Bytes of a point of this group ("bn254_g1", "bls12_381_g2", ...): x and y.
enum proofmill_status proofmill_msm_point_bytes(const char *group, size_t *point_bytes);

// One MSM: the sum of k_i P_i. Points are x and y, little-endian, all zeros the identity; in G2 a coordinate is two numbers,
// the coefficient of 1 first. Scalars are 32 bytes each, little-endian, below r. `result` is one point.
enum proofmill_status proofmill_msm(const struct proofmill_device *device,
                                    const char *group,
                                    int32_t check,
                                    const uint8_t *points,
                                    size_t points_length,
                                    const uint8_t *scalars,
                                    size_t scalars_length,
                                    uint8_t *result,
                                    size_t result_length);

// Makes points resident on a device: checked and converted once, for MSMs to come. `check` is a proofmill_check. `room` is the
// most bytes that they may take with precomputed multiples, which make MSMs faster; 0 for the points alone.
enum proofmill_status proofmill_bases_open(const struct proofmill_device *device,
                                           const char *group,
                                           int32_t check,
                                           size_t room,
                                           const uint8_t *points,
                                           size_t points_length,
                                           struct proofmill_bases **bases);

// Frees resident bases. NULL is ignored.
void proofmill_bases_close(struct proofmill_bases *bases);

// `count` MSMs over resident bases: `scalars` are those of one MSM after those of the other, and so are the points in
// `results`.
enum proofmill_status proofmill_bases_msm(const struct proofmill_bases *bases,
                                          size_t count,
                                          const uint8_t *scalars,
                                          size_t scalars_length,
                                          uint8_t *results,
                                          size_t results_length);

// A transform in place, in natural order: from coefficients to values, or back if `inverse`. `field` is "goldilocks" (8
// bytes an element), "bn254_fr", "bls12_381_fr" (32 bytes), ...; the number of elements is a power of two. `shift` is
// that of a coset, one element; NULL for none.
enum proofmill_status proofmill_ntt(const struct proofmill_device *device,
                                    const char *field,
                                    bool inverse,
                                    const uint8_t *shift,
                                    size_t shift_length,
                                    uint8_t *elements,
                                    size_t elements_length);

// Filecoin's Poseidon over the scalars of BLS12-381: the digests of preimages of `arity` elements (2 to 36) of 32 bytes each,
// little-endian, below r. `result` has 32 bytes for each preimage.
enum proofmill_status proofmill_poseidon(const struct proofmill_device *device,
                                         size_t arity,
                                         const uint8_t *preimages,
                                         size_t preimages_length,
                                         uint8_t *result,
                                         size_t result_length);

// Verifies `count` signatures. Of each, `outcomes` says 0 if it is valid, else the PROOFMILL_ECDSA_... bits of what is wrong.
// With `low_s`, an s above n / 2 is wrong, as in Bitcoin's relay policy.
enum proofmill_status proofmill_ecdsa_verify(const struct proofmill_device *device,
                                             bool low_s,
                                             const struct proofmill_signature *signatures,
                                             size_t count,
                                             uint32_t *outcomes);

// Verifies block headers that stand one after the other: 140 bytes, CompactSize, solution. `n` and `k` are Equihash's
// parameters (200 and 9 in Zcash), `network` is "main", "test", "regtest" or "none" (the difficulty is not checked). For each
// header a byte of `verdicts`: 0 if it is valid, else the PROOFMILL_EQUIHASH_... bits of all that is wrong.
enum proofmill_status proofmill_equihash_verify(const struct proofmill_device *device,
                                                uint32_t n,
                                                uint32_t k,
                                                const char *network,
                                                const uint8_t *headers,
                                                size_t headers_length,
                                                uint8_t *verdicts,
                                                size_t verdicts_length);

// The product of the pairings of points of G1 with as many of G2, on "bn254" or "bls12_381": twelve numbers, the coefficients over Fp2 of
// 1, w, ..., w^5. Points are those of proofmill_msm, and each is checked to be in its subgroup.
enum proofmill_status proofmill_pairing(const char *curve,
                                        const uint8_t *g1,
                                        size_t g1_length,
                                        const uint8_t *g2,
                                        size_t g2_length,
                                        uint8_t *result,
                                        size_t result_length);

// Is the product of these pairings 1?
enum proofmill_status proofmill_pairing_is_one(const char *curve,
                                               const uint8_t *g1,
                                               size_t g1_length,
                                               const uint8_t *g2,
                                               size_t g2_length,
                                               bool *is_one);

// Is this a BLS signature on BLS12-381 of the message? Compressed points, as Ethereum and Filecoin have them: keys of 48 bytes and signatures of
// 96, or the other way round if the key has 96. With `proof_of_possession`, of Ethereum's scheme, else of the basic one.
enum proofmill_status proofmill_bls_verify(bool proof_of_possession,
                                           const uint8_t *key,
                                           size_t key_length,
                                           const uint8_t *message,
                                           size_t message_length,
                                           const uint8_t *signature,
                                           size_t signature_length,
                                           bool *valid);

// A prover for a .zkey file, on the device that a URI names ("cpu:", "sim:msm_bn254_twin"). With `resident`, the device keeps
// the key's points in its own form, for many proofs. The file is mapped: nobody may change it while the prover is open.
enum proofmill_status proofmill_prover_open(const char *uri,
                                            const char *zkey_path,
                                            bool resident,
                                            struct proofmill_prover **prover);

// The same for the bytes of a .zkey file, which are copied.
enum proofmill_status proofmill_prover_open_bytes(const char *uri,
                                                  const uint8_t *zkey,
                                                  size_t zkey_length,
                                                  bool resident,
                                                  struct proofmill_prover **prover);

// Frees a prover. NULL is ignored.
void proofmill_prover_close(struct proofmill_prover *prover);

// Sizes of buffers that are large enough for every proof of a prover and for its public values, zero bytes included.
enum proofmill_status proofmill_prover_sizes(const struct proofmill_prover *prover,
                                             size_t *proof_length,
                                             size_t *public_length);

// A proof for the bytes of a .wtns file: proof.json and public.json as snarkjs writes them, with a zero byte at the end. The
// buffers must have the sizes of proofmill_prover_sizes; their lengths become what the texts take. `progress` may be NULL.
// Every proof is verified before it is returned.
enum proofmill_status proofmill_prove(const struct proofmill_prover *prover,
                                      const uint8_t *witness,
                                      size_t witness_length,
                                      proofmill_progress progress,
                                      void *context,
                                      char *proof,
                                      size_t *proof_length,
                                      char *public_values,
                                      size_t *public_length);

// Does a proof convince? The texts of verification_key.json, public.json and proof.json.
enum proofmill_status proofmill_groth16_verify(const char *verification_key,
                                               const char *public_values,
                                               const char *proof,
                                               bool *valid);

// Starts a proof for the bytes of a .wtns file, which are copied, and returns at once. `progress` may be NULL; it is called until the
// proof is there or its handle is closed. The prover may be closed meanwhile.
enum proofmill_status proofmill_prove_start(const struct proofmill_prover *prover,
                                            const uint8_t *witness,
                                            size_t witness_length,
                                            proofmill_progress progress,
                                            void *context,
                                            struct proofmill_proving **proving);

// Waits for at most so many seconds, and says whether the proof has ended, in whatever way.
enum proofmill_status proofmill_proving_wait(const struct proofmill_proving *proving,
                                             double seconds,
                                             bool *ended);

// Gives up the proof, which then ends with PROOFMILL_CANCELLED within some tens of milliseconds; one that is there stays.
enum proofmill_status proofmill_proving_cancel(const struct proofmill_proving *proving);

// Waits for the proof, as proofmill_prove gives it. It may be asked for again, with larger buffers.
enum proofmill_status proofmill_proving_result(const struct proofmill_proving *proving,
                                               char *proof,
                                               size_t *proof_length,
                                               char *public_values,
                                               size_t *public_length);

// Frees the handle; a proof that is not there is given up. `progress` is not called any more, so this must not be called by it.
// NULL is ignored.
void proofmill_proving_close(struct proofmill_proving *proving);

// Proofs for the bytes of `count` .wtns files, several at a time: a proof for each thread of the processor, each with a working set of its
// own. One that cannot be made is no hindrance to others. `each` may be NULL; the caller's own thread calls it, in the order in which
// proofs end.
enum proofmill_status proofmill_prove_batch(const struct proofmill_prover *prover,
                                            const uint8_t *const *witnesses,
                                            const size_t *witness_lengths,
                                            size_t count,
                                            proofmill_each each,
                                            void *context,
                                            struct proofmill_batch **batch);

// A proof of a batch, as proofmill_prove gives it, or why it could not be made.
enum proofmill_status proofmill_batch_proof(const struct proofmill_batch *batch,
                                            size_t number,
                                            char *proof,
                                            size_t *proof_length,
                                            char *public_values,
                                            size_t *public_length);

// Frees a batch. NULL is ignored.
void proofmill_batch_close(struct proofmill_batch *batch);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PROOFMILL_H */
