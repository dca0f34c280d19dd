/* Makes and verifies a proof for Groth16, PLONK or FFLONK: prove KEY.zkey WITNESS.wtns VERIFICATION_KEY.json
 * cc prove.c $(pkg-config --cflags --libs proofmill) */

#include <proofmill.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, proofmill_last_error());
    return 1;
}

/* Reads a whole file and appends a zero byte. */
static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    *length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*length + 1);
    if (!bytes || fread(bytes, 1, *length, file) != *length) {
        perror(path);
        exit(1);
    }
    bytes[*length] = 0;
    fclose(file);
    return bytes;
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: %s KEY.zkey WITNESS.wtns VERIFICATION_KEY.json\n", arguments[0]);
        return 2;
    }
    size_t witness_length, key_length, proof_length, public_inputs_length;
    char *witness = read_file(arguments[2], &witness_length);
    char *key = read_file(arguments[3], &key_length);

    proofmill_prover *prover;
    if (proofmill_prover_open("cpu:", arguments[1], false, &prover)) return fail("open");
    if (proofmill_prover_sizes(prover, &proof_length, &public_inputs_length)) return fail("sizes");
    char *proof = malloc(proof_length), *public_inputs = malloc(public_inputs_length);
    if (!proof || !public_inputs) return 1;
    if (proofmill_prove(prover, (const uint8_t *)witness, witness_length, NULL, NULL, proof, &proof_length, public_inputs,
                        &public_inputs_length))
        return fail("prove");

    bool valid;
    if (proofmill_verify(key, public_inputs, proof, &valid)) return fail("verify");
    printf("%s\n%s\n", proof, valid ? "valid" : "invalid");

    proofmill_prover_close(prover);
    free(proof);
    free(public_inputs);
    free(witness);
    free(key);
    return valid ? 0 : 1;
}
