/* The names of rapidsnark's prover, answered by proofmill: link with -lproofmill instead of -lrapidsnark.
 *
 * Proofs are made on this machine's processor, or on the device that the environment variable PROOFMILL_DEVICE names. Each
 * is verified before it is returned. JSON is that of snarkjs. A message that does not fit is cut. */

#ifndef PROOFMILL_PROVER_H
#define PROOFMILL_PROVER_H

#ifdef __cplusplus
extern "C" {
#endif

#define PROVER_OK 0x0
#define PROVER_ERROR 0x1
/* The sizes say now what is needed. */
#define PROVER_ERROR_SHORT_BUFFER 0x2
/* The witness is of another circuit. */
#define PROVER_INVALID_WITNESS_LENGTH 0x3

/* A size for `public_buffer` that is large enough for every proof with this key. */
int groth16_public_size_for_zkey_buf(const void *zkey_buffer, unsigned long long zkey_size,
                                     unsigned long long *public_size,
                                     char *error_msg, unsigned long long error_msg_maxsize);

int groth16_public_size_for_zkey_file(const char *zkey_fname,
                                      unsigned long long *public_size,
                                      char *error_msg, unsigned long long error_msg_maxsize);

/* A size for `proof_buffer` that is large enough for every proof. */
void groth16_proof_size(unsigned long long *proof_size);

/* A prover for a key, for many proofs; the bytes of the key are copied. */
int groth16_prover_create(void **prover_object,
                          const void *zkey_buffer, unsigned long long zkey_size,
                          char *error_msg, unsigned long long error_msg_maxsize);

/* The file is mapped: nobody may change it while the prover lives. */
int groth16_prover_create_zkey_file(void **prover_object, const char *zkey_file_path,
                                    char *error_msg, unsigned long long error_msg_maxsize);

/* `proof_size` and `public_size` are the sizes of the buffers; they become those of the texts, without the zero byte that
 * follows each. Several threads may prove with one prover. */
int groth16_prover_prove(void *prover_object,
                         const void *wtns_buffer, unsigned long long wtns_size,
                         char *proof_buffer, unsigned long long *proof_size,
                         char *public_buffer, unsigned long long *public_size,
                         char *error_msg, unsigned long long error_msg_maxsize);

void groth16_prover_destroy(void *prover_object);

/* One proof. */
int groth16_prover(const void *zkey_buffer, unsigned long long zkey_size,
                   const void *wtns_buffer, unsigned long long wtns_size,
                   char *proof_buffer, unsigned long long *proof_size,
                   char *public_buffer, unsigned long long *public_size,
                   char *error_msg, unsigned long long error_msg_maxsize);

int groth16_prover_zkey_file(const char *zkey_file_path,
                             const void *wtns_buffer, unsigned long long wtns_size,
                             char *proof_buffer, unsigned long long *proof_size,
                             char *public_buffer, unsigned long long *public_size,
                             char *error_msg, unsigned long long error_msg_maxsize);

#ifdef __cplusplus
}
#endif

#endif
