/* A program written for rapidsnark: shim KEY.zkey WITNESS.wtns OTHER_WITNESS.wtns VERIFICATION_KEY.json */

#include <prover.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verifier.h>

static char error[256];

static char *read_file(const char *path, unsigned long long *length) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) exit(3);
    *length = (unsigned long long)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (!bytes || fread(bytes, 1, *length, file) != *length) exit(3);
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

static void expect(int line, int got, int wanted) {
    if (got == wanted) return;
    fprintf(stderr, "line %d: %d, expected %d: %s\n", line, got, wanted, error);
    exit(1);
}
#define EXPECT(call, wanted) expect(__LINE__, call, wanted)

int main(int count, char **arguments) {
    if (count != 5) return 2;
    unsigned long long key_size, witness_size, other_size, verifying_size, proof_max, public_max, file_max;
    char *key = read_file(arguments[1], &key_size), *witness = read_file(arguments[2], &witness_size);
    char *other = read_file(arguments[3], &other_size), *verifying = read_file(arguments[4], &verifying_size);

    groth16_proof_size(&proof_max);
    EXPECT(groth16_public_size_for_zkey_buf(key, key_size, &public_max, error, sizeof error), PROVER_OK);
    EXPECT(groth16_public_size_for_zkey_file(arguments[1], &file_max, error, sizeof error), PROVER_OK);
    EXPECT(file_max == public_max, 1);
    char *proof = malloc(proof_max), *values = malloc(public_max);

    void *prover;
    EXPECT(groth16_prover_create(&prover, key, 100, error, sizeof error), PROVER_ERROR);
    EXPECT(strstr(error, "zkey") != NULL, 1);
    EXPECT(groth16_prover_create(&prover, key, key_size, error, sizeof error), PROVER_OK);
    for (int proofs = 0; proofs < 2; proofs++) {
        unsigned long long proof_size = proof_max, public_size = public_max;
        EXPECT(groth16_prover_prove(prover, witness, witness_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_OK);
        EXPECT(strlen(proof) == proof_size && strlen(values) == public_size, 1);
        EXPECT(groth16_verify(proof, values, verifying, error, sizeof error), VERIFIER_VALID_PROOF);
    }
    unsigned long long proof_size = 10, public_size = public_max;
    EXPECT(groth16_prover_prove(prover, witness, witness_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_ERROR_SHORT_BUFFER);
    EXPECT(proof_size > 10 && proof_size <= proof_max, 1);
    proof_size = proof_max, public_size = public_max;
    EXPECT(groth16_prover_prove(prover, other, other_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_INVALID_WITNESS_LENGTH);
    EXPECT(groth16_prover_prove(prover, witness, witness_size - 1, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_ERROR);
    EXPECT(groth16_prover_prove(prover, NULL, witness_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_ERROR);
    EXPECT(strstr(error, "wtns_buffer: is null") != NULL, 1);
    EXPECT(groth16_prover_prove(prover, witness, -1ULL, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_ERROR);
    EXPECT(groth16_prover_prove(prover, witness, witness_size, NULL, &proof_size, values, &public_size, error, sizeof error), PROVER_ERROR);
    EXPECT(strstr(error, "proof_buffer: is null") != NULL, 1);
    EXPECT(groth16_prover_prove(NULL, witness, witness_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_ERROR);
    EXPECT(strstr(error, "prover_object: is null") != NULL, 1);
    EXPECT(groth16_prover_prove(prover, witness, witness_size, proof, NULL, values, &public_size, error, 4), PROVER_ERROR);
    EXPECT(strlen(error) == 3, 1); /* as much as fits */
    groth16_prover_destroy(prover);

    proof_size = proof_max, public_size = public_max;
    EXPECT(groth16_prover(key, key_size, witness, witness_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_OK);
    proof_size = proof_max, public_size = public_max;
    EXPECT(groth16_prover_zkey_file(arguments[1], witness, witness_size, proof, &proof_size, values, &public_size, error, sizeof error), PROVER_OK);
    EXPECT(groth16_prover_zkey_file("/nowhere", witness, witness_size, proof, &proof_size, values, &public_size, NULL, 0), PROVER_ERROR);

    char *digit = strpbrk(values, "123456789"); /* another public input */
    *digit = *digit == '1' ? '2' : '1';
    EXPECT(groth16_verify(proof, values, verifying, error, sizeof error), VERIFIER_INVALID_PROOF);
    EXPECT(groth16_verify("{", values, verifying, error, sizeof error), VERIFIER_ERROR);
    EXPECT(groth16_verify(NULL, values, verifying, error, sizeof error), VERIFIER_ERROR);
    printf("compatible with rapidsnark\n");
    free(proof), free(values), free(key), free(witness), free(other), free(verifying);
    return 0;
}
