/* The interface of rapidsnark's verifier, implemented by proofmill: link with -lproofmill. */

#ifndef PROOFMILL_VERIFIER_H
#define PROOFMILL_VERIFIER_H

#ifdef __cplusplus
extern "C" {
#endif

#define VERIFIER_VALID_PROOF 0x0
#define VERIFIER_INVALID_PROOF 0x1
#define VERIFIER_ERROR 0x2

/* Verifies a proof: the content of proof.json, public.json and verification_key.json as snarkjs writes them. Returns
 * VERIFIER_VALID_PROOF or VERIFIER_INVALID_PROOF, or VERIFIER_ERROR and a message. */
int groth16_verify(const char *proof, const char *inputs, const char *verification_key,
                   char *error_msg, unsigned long error_msg_maxsize);

#ifdef __cplusplus
}
#endif

#endif
