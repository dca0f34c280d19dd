/* Wrong arguments of every function of proofmill.h, each with the status and the sentence that it gets. edges FOLDER, with the
 * files of `proofmill dev circuit`. */

#define _POSIX_C_SOURCE 200809L

#include <proofmill.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

#define EXPECT(call, wanted, part) expect(__LINE__, call, wanted, part)

static void expect(int line, proofmill_status got, proofmill_status wanted, const char *part) {
    if (got == wanted && (got == PROOFMILL_OK || strstr(proofmill_last_error(), part))) return;
    fprintf(stderr, "line %d: status %d, expected %d with '%s': %s\n", line, got, wanted, part, proofmill_last_error());
    failures++;
}

static void is(int line, bool right) {
    if (right) return;
    fprintf(stderr, "line %d: wrong\n", line);
    failures++;
}
#define IS(what) is(__LINE__, what)

/* The error of one thread is not that of another. */
static void *other_thread(void *context) {
    (void)context;
    IS(strlen(proofmill_last_error()) == 0);
    return NULL;
}

static void devices(proofmill_device *device) {
    proofmill_device *none = device;
    EXPECT(proofmill_device_open("gpu:", &none), PROOFMILL_ARGUMENT, "unknown scheme 'gpu:'");
    IS(none == NULL);
    EXPECT(proofmill_device_open(NULL, &none), PROOFMILL_ARGUMENT, "uri: is null");
    EXPECT(proofmill_device_open("cpu:?threads=0", &none), PROOFMILL_ARGUMENT, "threads");
    EXPECT(proofmill_device_open("sim:/nowhere/card.so", &none), PROOFMILL_OPEN, "/nowhere/card.so");
    EXPECT(proofmill_device_open("\xff", &none), PROOFMILL_ARGUMENT, "uri: is not UTF-8");
    EXPECT(proofmill_device_open("cpu:", NULL), PROOFMILL_ARGUMENT, "device: is null");

    char small[8], *text;
    size_t length = sizeof small;
    EXPECT(proofmill_device_info(device, small, &length), PROOFMILL_SHORT_BUFFER, "a buffer of 8 bytes");
    IS(length > sizeof small);
    text = malloc(length);
    EXPECT(proofmill_device_info(device, text, &length), PROOFMILL_OK, "");
    IS(strlen(text) + 1 == length && strstr(text, "msm (bn254_g1)") != NULL);
    free(text);
    EXPECT(proofmill_device_info(device, small, NULL), PROOFMILL_ARGUMENT, "info_length: is null");
    EXPECT(proofmill_device_info(NULL, small, &length), PROOFMILL_ARGUMENT, "device: is null");
    length = 0;
    EXPECT(proofmill_devices(NULL, &length), PROOFMILL_SHORT_BUFFER, "uris");
    IS(length >= sizeof "[\"cpu:\"]");
    proofmill_device_close(NULL);
}

static void msm(proofmill_device *device) {
    uint8_t points[128] = {0}, scalars[128] = {0}, result[128];
    size_t bytes = 0;
    points[0] = points[64] = 1;
    points[32] = points[96] = 2;
    scalars[0] = 5, scalars[32] = 3, scalars[64] = 6, scalars[96] = 2;
    EXPECT(proofmill_msm_point_bytes("bls12_381_g2", &bytes), PROOFMILL_OK, "");
    IS(bytes == 192);
    EXPECT(proofmill_msm_point_bytes("bn254_g3", &bytes), PROOFMILL_ARGUMENT, "bn254_g3");
    EXPECT(proofmill_msm(device, "bn254_g1", PROOFMILL_CHECK_SUBGROUP, points, 128, scalars, 64, result, 64), PROOFMILL_OK, "");
    EXPECT(proofmill_msm(device, "bn254_g1", 3, points, 128, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "check: 3");
    EXPECT(proofmill_msm(device, "bn254_g1", 0, points, 127, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "bases");
    EXPECT(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 32, result, 64), PROOFMILL_ARGUMENT, "scalars");
    EXPECT(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 64, result, 96), PROOFMILL_ARGUMENT, "result: a buffer of 96");
    EXPECT(proofmill_msm(device, "bn254_g1", 0, NULL, 128, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "points: is null");
    EXPECT(proofmill_msm(device, "bn254_g1", 0, points, (size_t)-1, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "points: a length");
    points[32] = 3;
    EXPECT(proofmill_msm(device, "bn254_g1", PROOFMILL_CHECK_CURVE, points, 128, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "not on the curve");
    points[32] = 2;

    proofmill_bases *bases;
    EXPECT(proofmill_bases_open(device, "bn254_g1", 2, 0, points, 128, &bases), PROOFMILL_OK, "");
    EXPECT(proofmill_bases_msm(bases, 2, scalars, 128, result, 128), PROOFMILL_OK, "");
    IS(memcmp(result, result + 64, 64) == 0);
    EXPECT(proofmill_bases_msm(bases, 2, scalars, 64, result, 128), PROOFMILL_ARGUMENT, "scalars: 64 bytes");
    EXPECT(proofmill_bases_msm(bases, (size_t)-1, scalars, 64, result, 128), PROOFMILL_ARGUMENT, "scalars");
    EXPECT(proofmill_bases_msm(bases, 0, NULL, 0, NULL, 0), PROOFMILL_OK, "");
    EXPECT(proofmill_bases_msm(NULL, 1, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "bases: is null");
    scalars[31] = 0xff;
    EXPECT(proofmill_bases_msm(bases, 1, scalars, 64, result, 64), PROOFMILL_ARGUMENT, "scalar");
    proofmill_bases_close(bases);
    proofmill_bases_close(NULL);
}

static void others(proofmill_device *device) {
    uint8_t elements[32] = {3, 0, 0, 0, 0, 0, 0, 0, 1}, kept[32], shift[8] = {7}, digest[32];
    memcpy(kept, elements, 32);
    EXPECT(proofmill_ntt(device, "goldilocks", false, shift, 8, elements, 32), PROOFMILL_OK, "");
    IS(memcmp(elements, kept, 32) != 0);
    EXPECT(proofmill_ntt(device, "goldilocks", true, shift, 8, elements, 32), PROOFMILL_OK, "");
    IS(memcmp(elements, kept, 32) == 0);
    EXPECT(proofmill_ntt(device, "goldilocks", false, NULL, 0, elements, 24), PROOFMILL_ARGUMENT, "power of two");
    EXPECT(proofmill_ntt(device, "silver", false, NULL, 0, elements, 32), PROOFMILL_ARGUMENT, "silver");
    memset(elements, 0xff, 32);
    EXPECT(proofmill_ntt(device, "goldilocks", false, NULL, 0, elements, 32), PROOFMILL_ARGUMENT, "element");
    EXPECT(proofmill_ntt(device, "goldilocks", false, shift, 4, kept, 32), PROOFMILL_ARGUMENT, "shift: 4 bytes");
    memset(shift, 0, 8);
    EXPECT(proofmill_ntt(device, "goldilocks", false, shift, 8, kept, 32), PROOFMILL_ARGUMENT, "coset");

    uint8_t preimage[64] = {0};
    EXPECT(proofmill_poseidon(device, 2, preimage, 64, digest, 32), PROOFMILL_OK, "");
    EXPECT(proofmill_poseidon(device, 1, preimage, 64, digest, 32), PROOFMILL_ARGUMENT, "arity");
    EXPECT(proofmill_poseidon(device, 2, preimage, 63, digest, 32), PROOFMILL_ARGUMENT, "preimages");
    EXPECT(proofmill_poseidon(device, 2, preimage, 64, digest, 31), PROOFMILL_ARGUMENT, "result");

    uint8_t key[33] = {2}, signature[64] = {0};
    uint32_t outcome = 0;
    proofmill_signature item = {key, 33, signature, 64, PROOFMILL_COMPACT, {0}};
    EXPECT(proofmill_ecdsa_verify(device, false, &item, 1, &outcome), PROOFMILL_OK, "");
    IS(outcome != 0);
    item.key_length = 5;
    EXPECT(proofmill_ecdsa_verify(device, false, &item, 1, &outcome), PROOFMILL_OK, "");
    IS(outcome == PROOFMILL_ECDSA_BAD_KEY);
    item.form = 9;
    EXPECT(proofmill_ecdsa_verify(device, false, &item, 1, &outcome), PROOFMILL_ARGUMENT, "signatures[0].form: 9");
    item.form = PROOFMILL_DER, item.key = NULL;
    EXPECT(proofmill_ecdsa_verify(device, false, &item, 1, &outcome), PROOFMILL_ARGUMENT, "signatures[0].key: is null");

    uint8_t header[1487] = {0}, verdict = 0;
    EXPECT(proofmill_equihash_verify(device, 200, 9, "main", header, 1487, &verdict, 1), PROOFMILL_OK, "");
    IS(verdict & PROOFMILL_EQUIHASH_SIZE);
    EXPECT(proofmill_equihash_verify(device, 200, 9, "main", header, 1486, &verdict, 1), PROOFMILL_ARGUMENT, "headers: 1486 bytes");
    EXPECT(proofmill_equihash_verify(device, 200, 8, "main", header, 1487, &verdict, 1), PROOFMILL_ARGUMENT, "(200,8)");
    EXPECT(proofmill_equihash_verify(device, 200, 9, "moon", header, 1487, &verdict, 1), PROOFMILL_ARGUMENT, "network");
}

static uint8_t *whole(const char *folder, const char *name, size_t *length) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = calloc(1, 1 << 20);
    *length = file && bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    IS(*length > 0);
    if (file) fclose(file);
    return bytes;
}

/* What callbacks are told, by any thread: one holder of the lock at a time. */
struct told {
    pthread_mutex_t lock;
    size_t steps, ended, failed;
    size_t most;
};

static void step(void *context, const char *name, double part) {
    struct told *told = context;
    pthread_mutex_lock(&told->lock);
    told->steps++;
    pthread_mutex_unlock(&told->lock);
    IS(*name != 0 && part >= 0 && part <= 1);
}

static bool ended(void *context, size_t number, proofmill_status status) {
    struct told *told = context;
    IS(number < 5);
    told->ended++;
    told->failed += status != PROOFMILL_OK;
    return told->ended < told->most;
}

static void started(const char *folder, const proofmill_prover *prover) {
    size_t witness_length, key_length, proof_length = sizeof(char[4096]), public_length = 4096, short_length = 1;
    uint8_t *witness = whole(folder, "witness.wtns", &witness_length), *key = whole(folder, "verification_key.json", &key_length);
    char proof[4096], values[4096];
    struct told told = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 100};
    proofmill_proving *proving;
    bool done = false, valid = false;

    EXPECT(proofmill_prove_start(prover, witness, 100, NULL, NULL, &proving), PROOFMILL_FILE, "witness");
    EXPECT(proofmill_prove_start(NULL, witness, witness_length, NULL, NULL, &proving), PROOFMILL_ARGUMENT, "prover: is null");
    EXPECT(proofmill_prove_start(prover, witness, witness_length, step, &told, &proving), PROOFMILL_OK, "");
    EXPECT(proofmill_proving_wait(proving, -1, &done), PROOFMILL_ARGUMENT, "seconds");
    EXPECT(proofmill_proving_wait(proving, 60, &done), PROOFMILL_OK, "");
    IS(done && told.steps > 0);
    EXPECT(proofmill_proving_cancel(proving), PROOFMILL_OK, "");
    EXPECT(proofmill_proving_result(proving, proof, &short_length, values, &public_length), PROOFMILL_SHORT_BUFFER, "proof: a buffer of 1");
    EXPECT(proofmill_proving_result(proving, proof, &proof_length, values, &public_length), PROOFMILL_OK, "");
    EXPECT(proofmill_groth16_verify((char *)key, values, proof, &valid), PROOFMILL_OK, "");
    IS(valid);
    proofmill_proving_close(proving);

    EXPECT(proofmill_prove_start(prover, witness, witness_length, step, &told, &proving), PROOFMILL_OK, "");
    EXPECT(proofmill_proving_cancel(proving), PROOFMILL_OK, "");
    proofmill_status status = proofmill_proving_result(proving, NULL, &proof_length, NULL, &public_length);
    IS(status == PROOFMILL_CANCELLED || status == PROOFMILL_SHORT_BUFFER);
    proofmill_proving_close(proving);
    EXPECT(proofmill_prove_start(prover, witness, witness_length, step, &told, &proving), PROOFMILL_OK, "");
    proofmill_proving_close(proving); /* in the middle */
    size_t steps = told.steps;
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    IS(told.steps == steps);
    proofmill_proving_close(NULL);

    const uint8_t *witnesses[5] = {witness, witness, witness, witness, witness};
    size_t lengths[5] = {witness_length, witness_length, 100, witness_length, witness_length};
    proofmill_batch *batch;
    EXPECT(proofmill_prove_batch(prover, witnesses, lengths, 5, ended, &told, &batch), PROOFMILL_OK, "");
    IS(told.ended == 5 && told.failed == 1);
    for (size_t number = 0; number < 5; number++) {
        proof_length = public_length = 4096;
        if (number == 2) {
            EXPECT(proofmill_batch_proof(batch, number, proof, &proof_length, values, &public_length), PROOFMILL_FILE, "witnesses[2]");
            continue;
        }
        EXPECT(proofmill_batch_proof(batch, number, proof, &proof_length, values, &public_length), PROOFMILL_OK, "");
        EXPECT(proofmill_groth16_verify((char *)key, values, proof, &valid), PROOFMILL_OK, "");
        IS(valid);
    }
    EXPECT(proofmill_batch_proof(batch, 5, proof, &proof_length, values, &public_length), PROOFMILL_ARGUMENT, "number: 5; there are 5");
    proofmill_batch_close(batch);
    struct told few = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 1};
    EXPECT(proofmill_prove_batch(prover, witnesses, lengths, 5, ended, &few, &batch), PROOFMILL_OK, "");
    EXPECT(proofmill_batch_proof(batch, 4, proof, &proof_length, values, &public_length), PROOFMILL_CANCELLED, "cancelled");
    proofmill_batch_close(batch);
    witnesses[1] = NULL;
    EXPECT(proofmill_prove_batch(prover, witnesses, lengths, 5, NULL, NULL, &batch), PROOFMILL_ARGUMENT, "witnesses[1]: is null");
    EXPECT(proofmill_prove_batch(prover, NULL, NULL, 0, NULL, NULL, &batch), PROOFMILL_OK, "");
    proofmill_batch_close(batch);
    proofmill_batch_close(NULL);
    free(witness);
    free(key);
}

static void pairings(void) {
    uint8_t g1[64] = {1}, g2[128] = {0}, result[384], one[384] = {1};
    bool is_one = false;
    g1[32] = 2;
    EXPECT(proofmill_pairing_is_one("bn254", g1, 64, g2, 128, &is_one), PROOFMILL_OK, ""); /* with the identity */
    IS(is_one);
    EXPECT(proofmill_pairing("bn254", g1, 64, g2, 128, result, 384), PROOFMILL_OK, "");
    IS(memcmp(result, one, 384) == 0);
    EXPECT(proofmill_pairing("bn254", g1, 64, g2, 128, result, 383), PROOFMILL_ARGUMENT, "result: a buffer of 383");
    EXPECT(proofmill_pairing("bn254", g1, 64, g2, 0, result, 384), PROOFMILL_ARGUMENT, "g2: 0 points");
    EXPECT(proofmill_pairing("bn254", g1, 63, g2, 0, result, 384), PROOFMILL_ARGUMENT, "g1: 63 bytes");
    EXPECT(proofmill_pairing("secp256k1", g1, 64, g2, 128, result, 384), PROOFMILL_ARGUMENT, "curve: 'secp256k1'");
    g2[0] = 1;
    EXPECT(proofmill_pairing_is_one("bn254", g1, 64, g2, 128, &is_one), PROOFMILL_ARGUMENT, "g2: point 0");
    IS(!is_one);
    bool valid = true;
    EXPECT(proofmill_bls_verify(true, g1, 48, NULL, 0, g2, 96, &valid), PROOFMILL_ARGUMENT, "public key");
    IS(!valid);
}

static void proofs(const char *folder) {
    char path[4096], proof[4096], values[65536];
    size_t proof_length = 1, public_length = sizeof values;
    bool valid = true;
    proofmill_prover *prover;
    EXPECT(proofmill_prover_open("cpu:", "/nowhere.zkey", false, &prover), PROOFMILL_IO, "/nowhere.zkey");
    EXPECT(proofmill_prover_open_bytes("cpu:", (const uint8_t *)"zkey", 4, false, &prover), PROOFMILL_FILE, "zkey");
    IS(prover == NULL);
    snprintf(path, sizeof path, "%s/INSECURE.zkey", folder);
    EXPECT(proofmill_prover_open("cpu:?isa=none", path, false, &prover), PROOFMILL_ARGUMENT, "isa");
    EXPECT(proofmill_prover_open("cpu:", path, true, &prover), PROOFMILL_OK, "");
    EXPECT(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, &proof_length, values, &public_length), PROOFMILL_SHORT_BUFFER, "proof: a buffer of 1 bytes");
    EXPECT(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, &proof_length, values, &public_length), PROOFMILL_FILE, "witness");
    EXPECT(proofmill_groth16_verify("{}", "[]", "{}", &valid), PROOFMILL_FILE, "verification_key");
    IS(!valid);
    started(folder, prover);
    proofmill_prover_close(prover);
    proofmill_prover_close(NULL);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    proofmill_device *device;
    EXPECT(proofmill_device_open("cpu:?threads=2", &device), PROOFMILL_OK, "");
    devices(device);
    msm(device);
    others(device);
    pairings();
    proofs(arguments[1]);
    pthread_t thread;
    IS(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    proofmill_device_close(device);
    if (!failures) printf("all refused as they should be\n");
    return failures != 0;
}
