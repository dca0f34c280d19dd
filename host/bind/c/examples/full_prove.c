/* Makes and verifies a proof from the inputs of a circuit: full_prove KEY.zkey CIRCUIT.wasm INPUT.json VERIFICATION_KEY.json
 * cc full_prove.c $(pkg-config --cflags --libs proofmill) */

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
    if (count != 5) {
        fprintf(stderr, "usage: %s KEY.zkey CIRCUIT.wasm INPUT.json VERIFICATION_KEY.json\n", arguments[0]);
        return 2;
    }
    size_t inputs_length, key_length, proof_length, public_inputs_length;
    char *inputs = read_file(arguments[3], &inputs_length);
    char *key = read_file(arguments[4], &key_length);

    /* Both are opened once, for many proofs. The generator may use 256 MiB and 60 s. */
    proofmill_prover *prover;
    proofmill_calculator *calculator;
    if (proofmill_prover_open("cpu:", arguments[1], true, &prover)) return fail("open the key");
    if (proofmill_calculator_open(arguments[2], 256 << 20, 60, &calculator)) return fail("open the generator");
    if (proofmill_prover_sizes(prover, &proof_length, &public_inputs_length)) return fail("sizes");
    char *proof = malloc(proof_length), *public_inputs = malloc(public_inputs_length);
    if (!proof || !public_inputs) return 1;
    if (proofmill_full_prove(prover, calculator, inputs, inputs_length, NULL, NULL, proof, &proof_length, public_inputs,
                             &public_inputs_length))
        return fail("prove");

    bool valid;
    if (proofmill_verify(key, public_inputs, proof, &valid)) return fail("verify");
    printf("%s\n%s\n", proof, valid ? "valid" : "invalid");

    proofmill_calculator_close(calculator);
    proofmill_prover_close(prover);
    free(proof);
    free(public_inputs);
    free(inputs);
    free(key);
    return valid ? 0 : 1;
}
