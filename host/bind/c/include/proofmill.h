/* proofmill: proofs, MSM, NTT, Poseidon, pairings, signature and Equihash verification. Generated from the Rust source by
 * cbindgen; do not edit.
 *
 * Status. Every function that can fail returns a proofmill_status. proofmill_last_error() describes the failure; its message starts
 * with the name of an invalid argument. An invalid proof, signature or header is a result, not a failure.
 *
 * Arguments. Numbers are canonical, little-endian bytes. Lengths are in bytes. NULL is valid for an input of length 0. Strings
 * are UTF-8 and end with a zero byte. Enumerations are passed as int32_t and checked. Output buffers may overlap inputs, not each
 * other. After a failure the content of output buffers is unspecified, unless documented.
 *
 * Handles. Several threads may use one handle at once. A handle is closed once, when no call uses it any more.
 *
 * Secrets. The library overwrites its own copies of witnesses; the caller's buffers are the caller's. */

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

// The signature is not valid. Accompanies every bit that a device sets.
#define PROOFMILL_ECDSA_FAILED 8

// The timeout of the published card; no device of proofmill sets it.
#define PROOFMILL_ECDSA_TIMEOUT 16

// A coordinate of the key is not below p, or the key is not on the curve.
#define PROOFMILL_ECDSA_INVALID_KEY 32

// The bytes of the signature are not in its form.
#define PROOFMILL_ECDSA_BAD_SIGNATURE 256

// The bytes of the key are not in a form of SEC 1.
#define PROOFMILL_ECDSA_BAD_KEY 512

// s is above n / 2, which `low_s` forbids.
#define PROOFMILL_ECDSA_HIGH_S 1024

// The header's hash is above its target, or the target is not allowed.
#define PROOFMILL_EQUIHASH_DIFFICULTY 1

// The exclusive or of the leaves is not zero.
#define PROOFMILL_EQUIHASH_XOR 2

// The first index of a right subtree is not greater than that of its left sibling.
#define PROOFMILL_EQUIHASH_ORDER 4

// The exclusive or of a subtree does not start with the zero bits of its level.
#define PROOFMILL_EQUIHASH_ZEROS 8

// An index occurs twice.
#define PROOFMILL_EQUIHASH_DUPLICATE 16

// The CompactSize is not the solution length of the parameter set.
#define PROOFMILL_EQUIHASH_SIZE 32

// The result of a call. Values never change; later versions may add some.
typedef enum proofmill_status {
  // The call succeeded.
  PROOFMILL_OK = 0,
  // An argument is invalid; the message names it.
  PROOFMILL_ERROR_ARGUMENT = 1,
  // The device does not support the operation, the instance or the size.
  PROOFMILL_ERROR_UNSUPPORTED = 2,
  // The device could not be opened.
  PROOFMILL_ERROR_OPEN = 3,
  // The device failed this request; it remains usable.
  PROOFMILL_ERROR_FAILED = 4,
  // The device is lost; every later request to it fails, too.
  PROOFMILL_ERROR_LOST = 5,
  // The device did not respond in time.
  PROOFMILL_ERROR_TIMED_OUT = 6,
  // The operation was cancelled.
  PROOFMILL_ERROR_CANCELLED = 7,
  // Reading or writing failed.
  PROOFMILL_ERROR_IO = 8,
  // A file is malformed; the message gives the section and the byte.
  PROOFMILL_ERROR_FILE = 9,
  // The new proof does not verify: the witness does not satisfy the circuit, or the key is damaged.
  PROOFMILL_ERROR_DOES_NOT_VERIFY = 10,
  // An output buffer is missing or too small; its length variable holds the required size.
  PROOFMILL_ERROR_SHORT_BUFFER = 11,
  // A bug in proofmill.
  PROOFMILL_ERROR_BUG = 12,
} proofmill_status;

// The schemes of draft-irtf-cfrg-bls-signature-05, section 3.
typedef enum proofmill_bls_scheme {
  // Basic (ciphersuites ..._NUL_): Filecoin's and drand's.
  PROOFMILL_BLS_BASIC = 0,
  // Message augmentation (ciphersuites ..._AUG_): the public key and the message are signed.
  PROOFMILL_BLS_MESSAGE_AUGMENTATION = 1,
  // Proof of possession (ciphersuites ..._POP_): Ethereum's.
  PROOFMILL_BLS_PROOF_OF_POSSESSION = 2,
} proofmill_bls_scheme;

// Checks of points before they are used. Coordinates must be below p in every case.
typedef enum proofmill_check {
  // Each point is on the curve and in the subgroup of order r: the default.
  PROOFMILL_CHECK_SUBGROUP = 0,
  // Each point is on the curve. Results for points outside the subgroup are undefined.
  PROOFMILL_CHECK_CURVE = 1,
  // No check: for points that were checked before. Results for other points are undefined.
  PROOFMILL_CHECK_NONE = 2,
} proofmill_check;

// The encoding of a signature.
typedef enum proofmill_form {
  // Strict DER, without the hash type byte.
  PROOFMILL_FORM_DER = 0,
  // r and s of 32 bytes each, most significant byte first.
  PROOFMILL_FORM_COMPACT = 1,
} proofmill_form;

// Bases that are resident on a device.
typedef struct proofmill_bases proofmill_bases;

// The results of a batch of proofs.
typedef struct proofmill_batch proofmill_batch;

// A witness generator of circom 2.
typedef struct proofmill_calculator proofmill_calculator;

// An open device.
typedef struct proofmill_device proofmill_device;

// A proving key on a device.
typedef struct proofmill_prover proofmill_prover;

// A proof in the background.
typedef struct proofmill_proving proofmill_proving;

// A signature on secp256k1, its public key and the digest that it signs.
typedef struct proofmill_signature {
  // The public key, encoded as in SEC 1: 33 or 65 bytes.
  const uint8_t *key;
  // Its length in bytes.
  size_t key_length;
  // The signature.
  const uint8_t *signature;
  // Its length in bytes.
  size_t signature_length;
  // A proofmill_form.
  int32_t form;
  // The digest, in the byte order of the hash function.
  uint8_t digest[32];
} proofmill_signature;

// Receives the progress of a proof: the name of a step and the fraction of it that is done, from 0 to 1. Any thread may call it,
// several at once. `context` is the caller's. It must not throw, and `step` is valid during the call only.
typedef void (*proofmill_progress)(void *context, const char *step, double fraction);

// Receives the number of a proof of a batch that has ended, and its status. Returns true to continue, or false to cancel the proofs
// that have not ended. Must not throw.
typedef bool (*proofmill_batch_progress)(void *context, size_t number, enum proofmill_status status);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Returns the message of the last call of this thread that failed; an empty string before. A message about an argument starts
// with the argument's name. The string is valid until the thread's next call.
const char *proofmill_last_error(void);

// Returns the version of the library, such as "0.1.0".
const char *proofmill_version(void);

// Opens the device of a URI, such as "cpu:", "cpu:?threads=4", "sim:card" or "cuda:0", and stores its handle in `*device`. On
// failure, `*device` is NULL and the status is PROOFMILL_ERROR_ARGUMENT for an invalid URI, else PROOFMILL_ERROR_OPEN.
enum proofmill_status proofmill_device_open(const char *uri,
                                            struct proofmill_device **device);

// Closes a device. Resident bases that were loaded to it keep what they need of it. NULL is ignored.
void proofmill_device_close(struct proofmill_device *device);

// Writes the description of a device to `info`: a JSON object with "uri", "kind", "description", "capabilities" and "queue".
// `*info_length` is the size of the buffer in bytes; it becomes the size of the string with its zero byte. If `info` is NULL or
// too small, nothing else is written, and the status is PROOFMILL_ERROR_SHORT_BUFFER.
enum proofmill_status proofmill_device_info(const struct proofmill_device *device,
                                            char *info,
                                            size_t *info_length);

// Writes the URIs of all devices that can be opened on this machine to `uris`: a JSON array of strings. `uris` and
// `*uris_length` are those of proofmill_device_info.
enum proofmill_status proofmill_devices(char *uris,
                                        size_t *uris_length);

// Sets `*point_bytes` to the size in bytes of a point (x and y) of a group, such as "bn254_g1" or "bls12_381_g2".
enum proofmill_status proofmill_msm_point_bytes(const char *group,
                                                size_t *point_bytes);

// Computes one MSM: the sum of k_i P_i, the identity for no points.
//
// `points` are x and y of each point, little-endian, below p; all zeros are the identity. In G2 a coordinate is two numbers,
// the coefficient of 1 first. `scalars` are as many numbers of 32 bytes, little-endian, below r. `result` receives one point:
// `result_length` is that of proofmill_msm_point_bytes. `check` is a proofmill_check; 0 checks curve and subgroup. Fails with
// PROOFMILL_ERROR_ARGUMENT for a point or scalar that is invalid, and names its number.
enum proofmill_status proofmill_msm(const struct proofmill_device *device,
                                    const char *group,
                                    int32_t check,
                                    const uint8_t *points,
                                    size_t points_length,
                                    const uint8_t *scalars,
                                    size_t scalars_length,
                                    uint8_t *result,
                                    size_t result_length);

// Loads points to a device, where they stay resident for many MSMs: they are checked and converted once. Stores the handle in
// `*bases`, or NULL on failure.
//
// `points` and `check` are those of proofmill_msm. `max_bytes` limits the memory of the points with precomputed multiples,
// which make MSMs faster; 0 loads the points alone. A limit below the size of the points is an error.
enum proofmill_status proofmill_bases_load(const struct proofmill_device *device,
                                           const char *group,
                                           int32_t check,
                                           size_t max_bytes,
                                           const uint8_t *points,
                                           size_t points_length,
                                           struct proofmill_bases **bases);

// Frees resident bases. NULL is ignored.
void proofmill_bases_close(struct proofmill_bases *bases);

// Computes `count` MSMs over resident bases.
//
// `scalars` has one list of scalars after the other: `scalars_length` is 32 x number of bases x `count`. `results` receives one
// point after the other: `results_length` is the size of a point x `count`.
enum proofmill_status proofmill_bases_msm_batch(const struct proofmill_bases *bases,
                                                size_t count,
                                                const uint8_t *scalars,
                                                size_t scalars_length,
                                                uint8_t *results,
                                                size_t results_length);

// Transforms `elements` in place, in natural order: from coefficients to values, or back if `inverse` is true.
//
// `field` is "goldilocks" (elements of 8 bytes), "bn254_fr", "bls12_381_fr" (32 bytes), and others. Elements are little-endian
// and below the modulus; their number is a power of two. `shift` is the shift of a coset, one element other than 0; NULL with a
// length of 0 for no coset. On failure `elements` is unchanged.
enum proofmill_status proofmill_ntt(const struct proofmill_device *device,
                                    const char *field,
                                    bool inverse,
                                    const uint8_t *shift,
                                    size_t shift_length,
                                    uint8_t *elements,
                                    size_t elements_length);

// Computes a b - c on a coset, for polynomials a, b and c below degree n with the values `a`, `b` and `c` at the powers of the root
// of unity. `result` receives the values on the coset with this shift g. Where a b = c at all powers of the root, they are those
// of the quotient of a b - c by x^n - 1, times g^n - 1: the polynomial h of Groth16.
//
// The elements are those of proofmill_ntt. Each list has n of them and `list_length` bytes, and so has `result`.
enum proofmill_status proofmill_quotient(const struct proofmill_device *device,
                                         const char *field,
                                         const uint8_t *shift,
                                         size_t shift_length,
                                         const uint8_t *a,
                                         const uint8_t *b,
                                         const uint8_t *c,
                                         size_t list_length,
                                         uint8_t *result,
                                         size_t result_length);

// Hashes preimages with Filecoin's Poseidon over the scalars of BLS12-381.
//
// Each preimage is `arity` elements (2 to 36) of 32 bytes, little-endian, below r; `preimages_length` is a multiple of 32 x
// `arity`. `result` receives a digest of 32 bytes for each preimage.
enum proofmill_status proofmill_poseidon(const struct proofmill_device *device,
                                         size_t arity,
                                         const uint8_t *preimages,
                                         size_t preimages_length,
                                         uint8_t *result,
                                         size_t result_length);

// Verifies `count` signatures, and sets as many `outcomes`: 0 for a valid signature, else the bits PROOFMILL_ECDSA_... of what
// is wrong. If `low_s` is true, an s above n / 2 is wrong, as in Bitcoin's relay policy.
enum proofmill_status proofmill_ecdsa_verify_batch(const struct proofmill_device *device,
                                                   bool low_s,
                                                   const struct proofmill_signature *signatures,
                                                   size_t count,
                                                   uint32_t *outcomes);

// Verifies block headers: 140 bytes, CompactSize and solution of each, one after the other.
//
// `n` and `k` are the parameters of Equihash: 200 and 9 in Zcash. `network` is "main", "test", "regtest", or "none", which does
// not check the difficulty. `verdicts` has a byte for each header, `verdicts_length` of them; each becomes 0 if the header is
// valid, else the bits PROOFMILL_EQUIHASH_... of all that is wrong. `headers_length` must be that of so many headers.
enum proofmill_status proofmill_equihash_verify_batch(const struct proofmill_device *device,
                                                      uint32_t n,
                                                      uint32_t k,
                                                      const char *network,
                                                      const uint8_t *headers,
                                                      size_t headers_length,
                                                      uint8_t *verdicts,
                                                      size_t verdicts_length);

// Finds the solutions of a block header and writes each as a whole header: the 140 bytes, CompactSize and solution, one after the
// other.
//
// `header` has the 140 bytes before the solution, the last 32 of which are the nonce. `personalisation` has 8 bytes, or is NULL for
// Zcash's. `max_bytes` limits the memory of the solver on `cpu:`, where less takes more time; 0 is the default of 1.7 GB. Most nonces have
// none to five solutions, 1.88 on average at (200,9).
//
// `*solved_length` is the size of the buffer, and becomes the bytes that were written; `*count` becomes the number of solutions. A buffer for 32 whole
// headers (of 1,487 bytes at (200,9)) is in practice always large enough. One that is shorter than a header is reported before the search, one
// that is shorter than the result behind it, each time with the length required.
enum proofmill_status proofmill_equihash_solve(const struct proofmill_device *device,
                                               uint32_t n,
                                               uint32_t k,
                                               const uint8_t *personalisation,
                                               const uint8_t *header,
                                               size_t header_length,
                                               uint64_t max_bytes,
                                               uint8_t *solved,
                                               size_t *solved_length,
                                               size_t *count);

// Computes the product of the pairings of points of G1 with as many points of G2; 1 for none.
//
// `curve` is "bn254" or "bls12_381". Points are those of proofmill_msm; each is checked to be on the curve and in its subgroup.
// `result` receives twelve numbers of 32 or 48 bytes: the coefficients over Fp2 of 1, w, ..., w^5.
enum proofmill_status proofmill_pairing(const char *curve,
                                        const uint8_t *g1,
                                        size_t g1_length,
                                        const uint8_t *g2,
                                        size_t g2_length,
                                        uint8_t *result,
                                        size_t result_length);

// Sets `*is_one` to whether the product of proofmill_pairing is 1. On failure it is false.
enum proofmill_status proofmill_pairing_is_one(const char *curve,
                                               const uint8_t *g1,
                                               size_t g1_length,
                                               const uint8_t *g2,
                                               size_t g2_length,
                                               bool *is_one);

// Verifies a BLS signature of a message on BLS12-381, and sets `*valid`. On failure `*valid` is false.
//
// `scheme` is a proofmill_bls_scheme. Points are compressed: a public key has 48 bytes and the signature 96, or the public key
// 96 and the signature 48. A public key or signature that is not a point of its subgroup, and the identity as a public key, are
// invalid arguments.
enum proofmill_status proofmill_bls_verify(int32_t scheme,
                                           const uint8_t *public_key,
                                           size_t public_key_length,
                                           const uint8_t *message,
                                           size_t message_length,
                                           const uint8_t *signature,
                                           size_t signature_length,
                                           bool *valid);

// Computes y = x^(2^squarings) modulo N and writes the smaller of y and N - y, `0x` and hex digits.
//
// `modulus` is a number or the name of one: "rsa-1024", "rsa-2048". Numbers are strings of decimal digits, or `0x` and hex digits.
// `*output_length` is the size of the buffer, and becomes the bytes that the text and its zero byte take; a buffer of 1,027 bytes is always
// large enough. A shorter one is reported before the evaluation.
enum proofmill_status proofmill_vdf_evaluate(const struct proofmill_device *device,
                                             const char *modulus,
                                             const char *input,
                                             uint64_t squarings,
                                             char *output,
                                             size_t *output_length);

// Computes y = x^(2^squarings) modulo N, proves it (Wesolowski, ePrint 2018/623), and writes the proof as JSON.
//
// `max_bytes` limits the memory of the proof; 0 is the default of 256 MiB. A buffer of 4,360 bytes is always large enough. The other
// arguments are those of proofmill_vdf_evaluate.
enum proofmill_status proofmill_vdf_prove(const struct proofmill_device *device,
                                          const char *modulus,
                                          const char *input,
                                          uint64_t squarings,
                                          uint64_t max_bytes,
                                          char *proof,
                                          size_t *proof_length);

// Verifies a proof as JSON: of Wesolowski or Pietrzak modulo N, or of Chia's VDF. Sets `*valid`.
enum proofmill_status proofmill_vdf_verify(const char *proof, bool *valid);

// Opens a proving key, a .zkey file for Groth16, PLONK or FFLONK, on the device of a URI ("cpu:", "sim:msm_bn254_twin"), and stores the
// handle in `*prover`, or NULL on failure. If `resident` is true, the points of the key stay loaded on the device, for many
// proofs. The file is mapped: it must not change while the prover is open.
enum proofmill_status proofmill_prover_open(const char *uri,
                                            const char *zkey_path,
                                            bool resident,
                                            struct proofmill_prover **prover);

// Opens a proving key as proofmill_prover_open does, from the bytes of a .zkey file, which are copied.
enum proofmill_status proofmill_prover_open_bytes(const char *uri,
                                                  const uint8_t *zkey,
                                                  size_t zkey_length,
                                                  bool resident,
                                                  struct proofmill_prover **prover);

// Frees a prover. Proofs that proofmill_prove_start started continue. NULL is ignored.
void proofmill_prover_close(struct proofmill_prover *prover);

// Sets both lengths to sizes in bytes that suffice for every proof of a prover and for its public inputs, as strings with their
// zero bytes.
enum proofmill_status proofmill_prover_sizes(const struct proofmill_prover *prover,
                                             size_t *proof_length,
                                             size_t *public_inputs_length);

// Proves that the bytes of a .wtns file satisfy the circuit, and verifies the proof before it is returned.
//
// `proof` and `public_inputs` receive the content of proof.json and public.json as snarkjs writes them, with a zero byte at the
// end. `*proof_length` and `*public_inputs_length` are the sizes of the buffers in bytes, at least those of
// proofmill_prover_sizes; they become the sizes of the strings with their zero bytes. `progress` may be NULL. The copies of the
// witness are overwritten in the end.
enum proofmill_status proofmill_prove(const struct proofmill_prover *prover,
                                      const uint8_t *witness,
                                      size_t witness_length,
                                      proofmill_progress progress,
                                      void *context,
                                      char *proof,
                                      size_t *proof_length,
                                      char *public_inputs,
                                      size_t *public_inputs_length);

// Verifies a proof for Groth16, PLONK or FFLONK, as the key states, and sets `*valid`. The arguments are the content of
// verification_key.json, public.json and proof.json. On failure `*valid` is false.
enum proofmill_status proofmill_verify(const char *verification_key,
                                       const char *public_inputs,
                                       const char *proof,
                                       bool *valid);

// Starts a proof for the bytes of a .wtns file, which are copied, and returns at once. Stores the handle in `*proving`, or NULL on
// failure. `progress` may be NULL; it is called until the proof ends or its handle is closed. The prover may be closed meanwhile.
enum proofmill_status proofmill_prove_start(const struct proofmill_prover *prover,
                                            const uint8_t *witness,
                                            size_t witness_length,
                                            proofmill_progress progress,
                                            void *context,
                                            struct proofmill_proving **proving);

// Waits for the end of a proof for at most `seconds`, and sets `*ended`: true if it succeeded, failed or was cancelled. `seconds`
// is finite and not negative.
enum proofmill_status proofmill_proving_wait(const struct proofmill_proving *proving,
                                             double seconds,
                                             bool *ended);

// Cancels a proof, which then ends with PROOFMILL_ERROR_CANCELLED within some tens of milliseconds. A finished proof is kept.
enum proofmill_status proofmill_proving_cancel(const struct proofmill_proving *proving);

// Waits for a proof and returns it, or its failure. The buffers and lengths are those of proofmill_prove; with
// PROOFMILL_ERROR_SHORT_BUFFER both lengths are the required ones. May be called again, for instance with larger buffers.
enum proofmill_status proofmill_proving_result(const struct proofmill_proving *proving,
                                               char *proof,
                                               size_t *proof_length,
                                               char *public_inputs,
                                               size_t *public_inputs_length);

// Frees the handle of a proof, and cancels the proof if it has not ended. Waits for a call of `progress` that is under way, and
// permits no other, so it must not be called by `progress` itself. NULL is ignored.
void proofmill_proving_close(struct proofmill_proving *proving);

// Makes a proof for the bytes of each of `count` .wtns files. With a key for Groth16, several at a time: one on each thread of the
// CPU, each with its own working memory; with another key one after the other, each on all threads. Stores the handle of the
// results in `*batch`, or NULL on failure. A proof that fails does not affect the others.
//
// `witnesses` and `witness_lengths` have `count` items. `progress` may be NULL; the calling thread calls it, in the order in which
// proofs end.
enum proofmill_status proofmill_prove_batch(const struct proofmill_prover *prover,
                                            const uint8_t *const *witnesses,
                                            const size_t *witness_lengths,
                                            size_t count,
                                            proofmill_batch_progress progress,
                                            void *context,
                                            struct proofmill_batch **batch);

// Returns a proof of a batch, or its failure. `number` is below the count of the batch. The buffers and lengths are those of
// proofmill_proving_result.
enum proofmill_status proofmill_batch_proof(const struct proofmill_batch *batch,
                                            size_t number,
                                            char *proof,
                                            size_t *proof_length,
                                            char *public_inputs,
                                            size_t *public_inputs_length);

// Frees the results of a batch. NULL is ignored.
void proofmill_batch_close(struct proofmill_batch *batch);

// Opens a witness generator, a .wasm file that `circom --wasm` writes, and stores the handle in `*calculator`, or NULL on failure.
// `max_bytes` limits the generator's memory and `max_seconds` the time of each calculation; 0 means 2 GiB and 600 s.
enum proofmill_status proofmill_calculator_open(const char *wasm_path,
                                                size_t max_bytes,
                                                double max_seconds,
                                                struct proofmill_calculator **calculator);

// Opens a witness generator as proofmill_calculator_open does, from the bytes of a .wasm file.
enum proofmill_status proofmill_calculator_open_bytes(const uint8_t *wasm,
                                                      size_t wasm_length,
                                                      size_t max_bytes,
                                                      double max_seconds,
                                                      struct proofmill_calculator **calculator);

// Frees a witness generator. Proofs that proofmill_full_prove_start started continue. NULL is ignored.
void proofmill_calculator_close(struct proofmill_calculator *calculator);

// Calculates the witness for the inputs of a circuit and proves it. `inputs` is JSON with a value for each input signal, as
// snarkjs reads it; its copies are overwritten in the end. The other arguments are those of proofmill_prove; the first step is
// "witness".
//
// Fails with PROOFMILL_ERROR_FILE for malformed JSON, and with PROOFMILL_ERROR_ARGUMENT for wrong signals (`inputs`), a failed
// assertion, with its template and line (`witness generator`), or an exceeded limit (`limits`).
enum proofmill_status proofmill_full_prove(const struct proofmill_prover *prover,
                                           const struct proofmill_calculator *calculator,
                                           const char *inputs,
                                           size_t inputs_length,
                                           proofmill_progress progress,
                                           void *context,
                                           char *proof,
                                           size_t *proof_length,
                                           char *public_inputs,
                                           size_t *public_inputs_length);

// Starts a calculation and a proof as proofmill_full_prove does, and returns at once. The inputs are copied. Stores the handle in
// `*proving`, or NULL on failure. `progress` may be NULL; it is called until the proof ends or its handle is closed. The prover and
// the generator may be closed meanwhile. proofmill_proving_cancel cancels the calculation, too.
enum proofmill_status proofmill_full_prove_start(const struct proofmill_prover *prover,
                                                 const struct proofmill_calculator *calculator,
                                                 const char *inputs,
                                                 size_t inputs_length,
                                                 proofmill_progress progress,
                                                 void *context,
                                                 struct proofmill_proving **proving);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PROOFMILL_H */
