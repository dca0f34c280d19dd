/* The interface of rapidsnark's prover, implemented by proofmill: link with -lproofmill instead of -lrapidsnark.
 *
 * Proofs are made on the CPU, or on the device that the environment variable PROOFMILL_DEVICE names. Each proof is verified before
 * it is returned. JSON is that of snarkjs. Functions return PROVER_OK or an error, and write a message to `error_msg`, which may be
 * NULL; a message that does not fit is cut. */

#ifndef PROOFMILL_PROVER_H
#define PROOFMILL_PROVER_H

#ifdef __cplusplus
extern "C" {
#endif

#define PROVER_OK 0x0
#define PROVER_ERROR 0x1
/* A buffer is too small; the sizes are the required ones. */
#define PROVER_ERROR_SHORT_BUFFER 0x2
/* The witness is for another circuit. */
#define PROVER_INVALID_WITNESS_LENGTH 0x3

/* Sets `*public_size` to a size of `public_buffer` that suffices for every proof with a key. */
int groth16_public_size_for_zkey_buf(const void *zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long *public_size,
                                     char *error_msg, unsigned long long error_msg_maxsize);

/* Does so for a file. */
int groth16_public_size_for_zkey_file(const char *zkey_fname,
                                      unsigned long long *public_size,
                                      char *error_msg, unsigned long long error_msg_maxsize);

/* Sets `*proof_size` to a size of `proof_buffer` that suffices for every proof. */
void groth16_proof_size(unsigned long long *proof_size);

/* Opens a prover for many proofs with a key. The bytes of the key are copied. */
int groth16_prover_create(void **prover_object,
                          const void *zkey_buffer, unsigned long long zkey_size,
                          char *error_msg, unsigned long long error_msg_maxsize);

/* Opens a prover for a file, which is mapped: it must not change while the prover is open. */
int groth16_prover_create_zkey_file(void **prover_object, const char *zkey_file_path,
                                    char *error_msg, unsigned long long error_msg_maxsize);

/* Makes a proof for the bytes of a .wtns file. `*proof_size` and `*public_size` are the sizes of the buffers; they become the
 * lengths of the strings, without the zero byte that follows each. Several threads may prove with one prover. */
int groth16_prover_prove(void *prover_object,
                         const void *wtns_buffer, unsigned long long wtns_size,
                         char *proof_buffer, unsigned long long *proof_size,
                         char *public_buffer, unsigned long long *public_size,
                         char *error_msg, unsigned long long error_msg_maxsize);

/* Frees a prover. NULL is ignored. */
void groth16_prover_destroy(void *prover_object);

/* Makes one proof. */
int groth16_prover(const void *zkey_buffer, unsigned long long zkey_size,
                   const void *wtns_buffer, unsigned long long wtns_size,
                   char *proof_buffer, unsigned long long *proof_size,
                   char *public_buffer, unsigned long long *public_size,
                   char *error_msg, unsigned long long error_msg_maxsize);

/* Makes one proof with a key in a file. */
int groth16_prover_zkey_file(const char *zkey_file_path,
                             const void *wtns_buffer, unsigned long long wtns_size,
                             char *proof_buffer, unsigned long long *proof_size,
                             char *public_buffer, unsigned long long *public_size,
                             char *error_msg, unsigned long long error_msg_maxsize);

#ifdef __cplusplus
}
#endif

#endif
