/* Proves COUNT times, prints "done" and waits for the end of its input: memory KEY.zkey WITNESS.wtns COUNT. Its own copy of the witness is overwritten. */

#include <proofmill.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments) {
    if (count != 4) return 2;
    size_t proof_length, public_length, length;
    proofmill_prover *prover;
    if (proofmill_prover_open("cpu:", arguments[1], false, &prover)) return 1;
    if (proofmill_prover_sizes(prover, &proof_length, &public_length)) return 1;
    char *proof = malloc(proof_length), *public_inputs = malloc(public_length);
    FILE *file = fopen(arguments[2], "rb");
    if (!file || fseek(file, 0, SEEK_END)) return 1;
    length = (size_t)ftell(file);
    unsigned char *witness = malloc(length);
    setvbuf(file, NULL, _IONBF, 0); /* the caller's own copies are the caller's: none but this one */
    rewind(file);
    if (fread(witness, 1, length, file) != length) return 1;
    fclose(file);
    for (int i = 0; i < atoi(arguments[3]); i++) {
        size_t p = proof_length, q = public_length;
        if (proofmill_prove(prover, witness, length, NULL, NULL, proof, &p, public_inputs, &q)) return 1;
    }
    memset(witness, 0, length);
    __asm__ volatile("" : : "r"(witness) : "memory");
    puts("done");
    fflush(stdout);
    getchar();
    return 0;
}
