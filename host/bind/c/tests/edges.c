/* Calls every function of proofmill.h with wrong arguments, and expects the status and the message of each: edges FOLDER, which
 * has the files of `proofmill dev circuit`. */

#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <proofmill.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int failures;

#define EXPECT(call, wanted, part) expect(__LINE__, call, wanted, part)
#define OK(call) expect(__LINE__, call, PROOFMILL_OK, "")
#define WRONG(call, part) expect(__LINE__, call, PROOFMILL_ERROR_ARGUMENT, part)

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

/* Functions whose bools are bytes, as other languages call them: a byte can be neither 0 nor 1. */
#define BYTES(type, name, function) static type volatile name = (type)(void (*)(void))(function)

/* A thread does not get another thread's message. */
static void *other_thread(void *context) {
    (void)context;
    IS(strlen(proofmill_last_error()) == 0);
    return NULL;
}

static void devices(proofmill_device *device) {
    proofmill_device *none[2] = {device, device};
    EXPECT(proofmill_device_open("gpu:", none), PROOFMILL_ERROR_ARGUMENT, "unknown scheme 'gpu:'");
    IS(none[0] == NULL);
    WRONG(proofmill_device_open(NULL, none), "uri: is null");
    WRONG(proofmill_device_open("cpu:?threads=0", none), "threads");
    WRONG(proofmill_device_open("cpu:?threads=-1", none), "threads");
    EXPECT(proofmill_device_open("sim:/nowhere/card.so", none), PROOFMILL_ERROR_OPEN, "/nowhere/card.so");
    WRONG(proofmill_device_open("\xff", none), "uri: is not UTF-8");
    WRONG(proofmill_device_open("cpu:", NULL), "device: is null");
    WRONG(proofmill_device_open("cpu:", (proofmill_device **)(void *)((char *)none + 1)), "device: is not aligned");

    char small[8], *text;
    size_t length = sizeof small;
    EXPECT(proofmill_device_info(device, small, &length), PROOFMILL_ERROR_SHORT_BUFFER, "info: a buffer of 8 bytes");
    IS(length > sizeof small);
    text = malloc(length);
    OK(proofmill_device_info(device, text, &length));
    IS(strlen(text) + 1 == length && strstr(text, "msm (bn254_g1)") != NULL);
    free(text);
    EXPECT(proofmill_device_info(device, NULL, &length), PROOFMILL_ERROR_SHORT_BUFFER, "info: no buffer");
    WRONG(proofmill_device_info(device, small, NULL), "info_length: is null");
    WRONG(proofmill_device_info(NULL, small, &length), "device: is null");
    length = 0;
    EXPECT(proofmill_devices(NULL, &length), PROOFMILL_ERROR_SHORT_BUFFER, "uris: no buffer");
    IS(length >= sizeof "[\"cpu:\"]");
    proofmill_device_close(NULL);
}

/* A point of BLS12-381 outside the subgroup: x = 4, y^2 = 68. */
static void outside_subgroup(uint8_t point[96]) {
    static const uint8_t y[48] = {
        0x6c, 0x70, 0xbe, 0x4a, 0x35, 0x3e, 0xa9, 0x5e, 0x5d, 0xde, 0xe1, 0x00, 0xed, 0xb8, 0x46, 0x63,
        0x44, 0x83, 0x84, 0x92, 0x5e, 0xd8, 0x9d, 0xda, 0x26, 0x6b, 0x92, 0xc9, 0x88, 0xf9, 0x60, 0xc7,
        0x9b, 0x3e, 0x76, 0xf3, 0xc3, 0xff, 0x3c, 0xb3, 0x12, 0x62, 0x0d, 0xd4, 0xad, 0x9b, 0x98, 0x0a,
    };
    memset(point, 0, 48);
    point[0] = 4;
    memcpy(point + 48, y, 48);
}

static void msm(proofmill_device *device) {
    uint8_t points[128] = {0}, scalars[128] = {0}, result[128], overlapping[128], outside[96];
    size_t bytes = 0;
    points[0] = points[64] = 1;
    points[32] = points[96] = 2;
    scalars[0] = 5, scalars[32] = 3, scalars[64] = 6, scalars[96] = 2;
    OK(proofmill_msm_point_bytes("bls12_381_g2", &bytes));
    IS(bytes == 192);
    WRONG(proofmill_msm_point_bytes("bn254_g3", &bytes), "group: 'bn254_g3'");
    WRONG(proofmill_msm_point_bytes("bn254_g1", NULL), "point_bytes: is null");

    OK(proofmill_msm(device, "bn254_g1", PROOFMILL_CHECK_SUBGROUP, points, 128, scalars, 64, result, 64));
    memcpy(overlapping, points, 128);
    OK(proofmill_msm(device, "bn254_g1", 0, overlapping, 128, scalars, 64, overlapping, 64));
    IS(memcmp(overlapping, result, 64) == 0);
    OK(proofmill_msm(device, "bn254_g1", 0, NULL, 0, NULL, 0, result, 64));
    WRONG(proofmill_msm(NULL, "bn254_g1", 0, points, 128, scalars, 64, result, 64), "device: is null");
    WRONG(proofmill_msm(device, NULL, 0, points, 128, scalars, 64, result, 64), "group: is null");
    WRONG(proofmill_msm(device, "BN254_G1", 0, points, 128, scalars, 64, result, 64), "group: 'BN254_G1'");
    WRONG(proofmill_msm(device, "bn254_g1", 3, points, 128, scalars, 64, result, 64), "check: 3");
    WRONG(proofmill_msm(device, "bn254_g1", -1, points, 128, scalars, 64, result, 64), "check: -1");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 127, scalars, 64, result, 64), "points: 127 bytes");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 32, result, 64), "scalars: ");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 63, result, 64), "scalars: 63 bytes");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 0, result, 64), "scalars: ");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 64, result, 96), "result: a length of 96");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 64, NULL, 64), "result: is null");
    WRONG(proofmill_msm(device, "bn254_g1", 0, NULL, 128, scalars, 64, result, 64), "points: is null");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, NULL, 64, result, 64), "scalars: is null");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, (size_t)-1, scalars, 64, result, 64), "points: a length");
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, (size_t)-32, result, 64), "scalars: a length");

    /* Points outside are refused unless the caller opts out. */
    points[32] = 3;
    WRONG(proofmill_msm(device, "bn254_g1", 0, points, 128, scalars, 64, result, 64), "points: point 0 is not on the curve");
    WRONG(proofmill_msm(device, "bn254_g1", PROOFMILL_CHECK_CURVE, points, 128, scalars, 64, result, 64), "not on the curve");
    OK(proofmill_msm(device, "bn254_g1", PROOFMILL_CHECK_NONE, points, 128, scalars, 64, result, 64));
    points[32] = 2;
    outside_subgroup(outside);
    WRONG(proofmill_msm(device, "bls12_381_g1", 0, outside, 96, scalars, 32, result, 96), "points: point 0 is ");
    OK(proofmill_msm(device, "bls12_381_g1", PROOFMILL_CHECK_CURVE, outside, 96, scalars, 32, result, 96));

    proofmill_bases *bases;
    WRONG(proofmill_bases_load(device, "bls12_381_g1", 0, 0, outside, 96, &bases), "points: point 0 is ");
    IS(bases == NULL);
    WRONG(proofmill_bases_load(device, "bn254_g1", 0, (size_t)-1, points, 128, &bases), "max_bytes: 18446744073709551615");
    WRONG(proofmill_bases_load(device, "bn254_g1", 0, 1, points, 128, &bases), "max_bytes: 1 bytes");
    WRONG(proofmill_bases_load(device, "bn254_g1", 9, 0, points, 128, &bases), "check: 9");
    WRONG(proofmill_bases_load(device, "bn254_g1", 0, 0, points, 65, &bases), "points: 65 bytes");
    WRONG(proofmill_bases_load(device, "bn254_g1", 0, 0, NULL, 64, &bases), "points: is null");
    WRONG(proofmill_bases_load(device, "bn254_g1", 0, 0, points, 128, NULL), "bases: is null");
    OK(proofmill_bases_load(device, "bn254_g1", 0, 1 << 20, points, 128, &bases));
    OK(proofmill_bases_msm_batch(bases, 2, scalars, 128, result, 128));
    IS(memcmp(result, result + 64, 64) == 0);
    WRONG(proofmill_bases_msm_batch(bases, 2, scalars, 64, result, 128), "scalars: 64 bytes");
    WRONG(proofmill_bases_msm_batch(bases, 1, scalars, 128, result, 64), "scalars: 128 bytes");
    WRONG(proofmill_bases_msm_batch(bases, 2, scalars, 128, result, 64), "results: a length of 64");
    WRONG(proofmill_bases_msm_batch(bases, 2, NULL, 128, result, 128), "scalars: is null");
    WRONG(proofmill_bases_msm_batch(bases, 2, scalars, 128, NULL, 128), "results: is null");
    WRONG(proofmill_bases_msm_batch(bases, (size_t)1 << 58, scalars, 0, result, 0), "scalars: 0 bytes"); /* x 64 is 2^64 */
    WRONG(proofmill_bases_msm_batch(bases, (size_t)-1, scalars, 64, result, 128), "scalars");
    OK(proofmill_bases_msm_batch(bases, 0, NULL, 0, NULL, 0));
    WRONG(proofmill_bases_msm_batch(NULL, 1, scalars, 64, result, 64), "bases: is null");
    scalars[31] = 0xff;
    WRONG(proofmill_bases_msm_batch(bases, 1, scalars, 64, result, 64), "scalar");
    proofmill_bases_close(bases);
    proofmill_bases_close(NULL);
}

typedef proofmill_status (*byte_ntt)(const proofmill_device *, const char *, unsigned char, const uint8_t *, size_t, uint8_t *, size_t);
BYTES(byte_ntt, ntt_with_byte, proofmill_ntt);

static void transforms(proofmill_device *device) {
    uint8_t elements[32] = {3, 0, 0, 0, 0, 0, 0, 0, 1}, kept[32], shift[8] = {7};
    memcpy(kept, elements, 32);
    OK(proofmill_ntt(device, "goldilocks", false, shift, 8, elements, 32));
    IS(memcmp(elements, kept, 32) != 0);
    OK(proofmill_ntt(device, "goldilocks", true, shift, 8, elements, 32));
    IS(memcmp(elements, kept, 32) == 0);
    WRONG(proofmill_ntt(device, "goldilocks", false, NULL, 8, elements, 32), "shift: is null"); /* not: no coset */
    WRONG(proofmill_ntt(device, "goldilocks", false, shift, 0, elements, 32), "shift: 0 bytes");
    WRONG(proofmill_ntt(device, "goldilocks", false, shift, 4, elements, 32), "shift: 4 bytes");
    WRONG(proofmill_ntt(device, "goldilocks", false, NULL, 0, elements, 24), "power of two");
    WRONG(proofmill_ntt(device, "goldilocks", false, NULL, 0, elements, 31), "elements: 31 bytes");
    WRONG(proofmill_ntt(device, "goldilocks", false, NULL, 0, elements, 0), "elements: ");
    WRONG(proofmill_ntt(device, "goldilocks", false, NULL, 0, NULL, 32), "elements: is null");
    WRONG(proofmill_ntt(device, "silver", false, NULL, 0, elements, 32), "field: 'silver'");
    WRONG(ntt_with_byte(device, "goldilocks", 2, NULL, 0, elements, 32), "inverse: is 2");
    memset(shift, 0, 8);
    WRONG(proofmill_ntt(device, "goldilocks", false, shift, 8, elements, 32), "shift: is 0");
    memset(shift, 0xff, 8);
    WRONG(proofmill_ntt(device, "goldilocks", false, shift, 8, elements, 32), "shift: ");
    IS(memcmp(elements, kept, 32) == 0); /* unchanged by what failed */
    memset(elements, 0xff, 32);
    WRONG(proofmill_ntt(device, "goldilocks", false, NULL, 0, elements, 32), "element");

    /* a = b = x at 1 and -1, c = 1: a b - c is x^2 - 1, at 7 and at -7. */
    uint8_t a[16] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, c[16] = {1, 0, 0, 0, 0, 0, 0, 0, 1}, values[16];
    const uint8_t seven[8] = {7}, expected[16] = {48, 0, 0, 0, 0, 0, 0, 0, 48};
    OK(proofmill_quotient(device, "goldilocks", seven, 8, a, a, c, 16, values, 16));
    IS(memcmp(values, expected, 16) == 0);
    WRONG(proofmill_quotient(NULL, "goldilocks", seven, 8, a, a, c, 16, values, 16), "device: is null");
    WRONG(proofmill_quotient(device, "silver", seven, 8, a, a, c, 16, values, 16), "field: 'silver'");
    WRONG(proofmill_quotient(device, "goldilocks", NULL, 0, a, a, c, 16, values, 16), "shift: 0 bytes");
    WRONG(proofmill_quotient(device, "goldilocks", NULL, 8, a, a, c, 16, values, 16), "shift: is null");
    WRONG(proofmill_quotient(device, "goldilocks", shift, 8, a, a, c, 16, values, 16), "shift: ");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, NULL, a, c, 16, values, 16), "a: is null");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, a, NULL, c, 16, values, 16), "b: is null");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, a, a, NULL, 16, values, 16), "c: is null");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, a, a, c, 16, NULL, 16), "result: is null");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, a, a, c, 16, values, 8), "result: a length of 8");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, a, a, c, 15, values, 15), "a: 15 bytes");
    WRONG(proofmill_quotient(device, "goldilocks", seven, 8, a, elements, c, 16, values, 16), "b: number 0 ");
    IS(memcmp(values, expected, 16) == 0); /* unchanged by what failed */

    uint8_t preimage[64] = {0}, digest[32];
    OK(proofmill_poseidon(device, 2, preimage, 64, digest, 32));
    OK(proofmill_poseidon(device, 2, NULL, 0, NULL, 0));
    WRONG(proofmill_poseidon(device, 1, preimage, 64, digest, 32), "arity");
    WRONG(proofmill_poseidon(device, (size_t)-2, preimage, 64, digest, 32), "arity");
    WRONG(proofmill_poseidon(device, 2, preimage, 63, digest, 32), "preimages: 63 bytes");
    WRONG(proofmill_poseidon(device, 2, NULL, 64, digest, 32), "preimages: is null");
    WRONG(proofmill_poseidon(device, 2, preimage, 64, digest, 31), "result: a length of 31");
    WRONG(proofmill_poseidon(device, 2, preimage, 64, NULL, 32), "result: is null");

    char number[1027], proof[4360];
    size_t number_length = sizeof number, proof_length = sizeof proof;
    bool proved = true;
    OK(proofmill_vdf_evaluate(device, "rsa-1024", "5", 300, number, &number_length));
    OK(proofmill_vdf_prove(device, "rsa-1024", "0x5", 300, 0, proof, &proof_length));
    IS(number_length == strlen(number) + 1 && strstr(proof, number) != NULL);
    OK(proofmill_vdf_verify(proof, &proved));
    IS(proved);
    *strstr(proof, "300") = '4';
    OK(proofmill_vdf_verify(proof, &proved));
    IS(!proved);
    WRONG(proofmill_vdf_verify("{}", &proved), "proof: missing field");
    WRONG(proofmill_vdf_verify(NULL, &proved), "proof: is null");
    WRONG(proofmill_vdf_evaluate(device, "35", "5", 300, number, &number_length), "modulus: has 6 bits");
    WRONG(proofmill_vdf_evaluate(device, "rsa-1024", "-5", 300, number, &number_length), "input: '-5' is no number");
    WRONG(proofmill_vdf_prove(device, "rsa-1024", "5", 0, 0, proof, &proof_length), "squarings: is 0");
    number_length = 8;
    EXPECT(proofmill_vdf_evaluate(device, "rsa-1024", "5", 300, number, &number_length), PROOFMILL_ERROR_SHORT_BUFFER, "output: a buffer of 8 bytes");
    IS(number_length == 259);
}

typedef proofmill_status (*byte_ecdsa)(const proofmill_device *, unsigned char, const proofmill_signature *, size_t, uint32_t *);
BYTES(byte_ecdsa, ecdsa_with_byte, proofmill_ecdsa_verify_batch);

static void verifications(proofmill_device *device) {
    uint8_t key[33] = {2}, signature[64] = {0};
    uint32_t outcome = 0;
    proofmill_signature item = {key, 33, signature, 64, PROOFMILL_FORM_COMPACT, {0}};
    OK(proofmill_ecdsa_verify_batch(device, false, &item, 1, &outcome));
    IS(outcome != 0);
    item.key_length = 5;
    OK(proofmill_ecdsa_verify_batch(device, false, &item, 1, &outcome));
    IS(outcome == PROOFMILL_ECDSA_BAD_KEY);
    OK(proofmill_ecdsa_verify_batch(device, false, NULL, 0, NULL));
    WRONG(ecdsa_with_byte(device, 255, &item, 1, &outcome), "low_s: is 255");
    WRONG(proofmill_ecdsa_verify_batch(device, false, NULL, 1, &outcome), "signatures: is null");
    WRONG(proofmill_ecdsa_verify_batch(device, false, &item, 1, NULL), "outcomes: is null");
    WRONG(proofmill_ecdsa_verify_batch(device, false, &item, (size_t)1 << 62, &outcome), "a length");
    item.form = 9;
    WRONG(proofmill_ecdsa_verify_batch(device, false, &item, 1, &outcome), "signatures[0].form: 9");
    item.form = PROOFMILL_FORM_DER, item.key = NULL;
    WRONG(proofmill_ecdsa_verify_batch(device, false, &item, 1, &outcome), "signatures[0].key: is null");
    item.key = key, item.key_length = (size_t)-1;
    WRONG(proofmill_ecdsa_verify_batch(device, false, &item, 1, &outcome), "signatures[0].key: a length");

    uint8_t header[1487] = {0}, verdict = 0;
    OK(proofmill_equihash_verify_batch(device, 200, 9, "main", header, 1487, &verdict, 1));
    IS(verdict & PROOFMILL_EQUIHASH_SIZE);
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, "main", header, 1486, &verdict, 1), "headers: 1486 bytes");
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, "main", header, 1487, &verdict, 2), "headers: 1487 bytes");
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, "main", header, 1487, &verdict, (size_t)-1), "headers: 1487 bytes");
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, "main", NULL, 1487, &verdict, 1), "headers: is null");
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, "main", header, 1487, NULL, 1), "verdicts: is null");
    WRONG(proofmill_equihash_verify_batch(device, 200, 8, "main", header, 1487, &verdict, 1), "n and k: (200,8)");
    WRONG(proofmill_equihash_verify_batch(device, (uint32_t)-1, 9, "main", header, 1487, &verdict, 1), "n and k: (4294967295,9)");
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, "moon", header, 1487, &verdict, 1), "network: 'moon'");
    WRONG(proofmill_equihash_verify_batch(device, 200, 9, NULL, header, 1487, &verdict, 1), "network: is null");

    // Headers of (48,5) have 140 + 1 + 36 bytes.
    uint8_t solved[32 * 177];
    size_t solved_length = sizeof solved, count = 9;
    memset(header, 7, 140);
    const uint8_t personalisation[] = {'Z', 'c', 'a', 's', 'h', 'P', 'o', 'W'};
    OK(proofmill_equihash_solve(device, 48, 5, NULL, header, 140, 0, solved, &solved_length, &count));
    IS(count > 0 && solved_length == count * 177);
    uint8_t verdicts[32];
    OK(proofmill_equihash_verify_batch(device, 48, 5, "none", solved, solved_length, verdicts, count));
    for (size_t i = 0; i < count; i++)
        IS(verdicts[i] == 0);
    const size_t all = count;
    solved_length = sizeof solved;
    OK(proofmill_equihash_solve(device, 48, 5, personalisation, header, 140, 1 << 20, solved, &solved_length, &count));
    IS(count == all);
    solved_length = 176;
    IS(proofmill_equihash_solve(device, 48, 5, NULL, header, 140, 0, solved, &solved_length, &count) == PROOFMILL_ERROR_SHORT_BUFFER);
    IS(count == 0 && solved_length == 32 * 177);
    WRONG(proofmill_equihash_solve(device, 48, 5, NULL, header, 139, 0, solved, &solved_length, &count), "header: 139 bytes");
    WRONG(proofmill_equihash_solve(device, 48, 5, NULL, NULL, 140, 0, solved, &solved_length, &count), "header: is null");
    WRONG(proofmill_equihash_solve(device, 48, 5, NULL, header, 140, 9, solved, &solved_length, &count), "max_bytes: 9");
    WRONG(proofmill_equihash_solve(device, 48, 5, NULL, header, 140, 0, solved, NULL, &count), "solved_length: is null");
    WRONG(proofmill_equihash_solve(device, 48, 5, NULL, header, 140, 0, solved, &solved_length, NULL), "count: is null");
    WRONG(proofmill_equihash_solve(device, 48, 6, NULL, header, 140, 0, solved, &solved_length, &count), "n and k: (48,6)");
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

/* What callbacks report, on any thread: one holder of the lock at a time. */
struct reports {
    pthread_mutex_t lock;
    size_t steps, ended, failed, most;
};

static void step(void *context, const char *name, double fraction) {
    struct reports *reports = context;
    pthread_mutex_lock(&reports->lock);
    reports->steps++;
    pthread_mutex_unlock(&reports->lock);
    IS(*name != 0 && fraction >= 0 && fraction <= 1);
}

static bool ended(void *context, size_t number, proofmill_status status) {
    struct reports *reports = context;
    IS(number < 5);
    reports->ended++;
    reports->failed += status != PROOFMILL_OK;
    return reports->ended < reports->most;
}

typedef unsigned char (*byte_progress)(void *, size_t, proofmill_status);
typedef proofmill_status (*byte_batch)(const proofmill_prover *, const uint8_t *const *, const size_t *, size_t, byte_progress, void *,
                                       proofmill_batch **);
BYTES(byte_batch, batch_with_byte, proofmill_prove_batch);

static unsigned char neither(void *context, size_t number, proofmill_status status) {
    (void)context, (void)number, (void)status;
    return 2;
}

static void *result_of(void *proving) {
    char proof[4096], values[4096];
    size_t proof_length = sizeof proof, values_length = sizeof values;
    OK(proofmill_proving_result(proving, proof, &proof_length, values, &values_length));
    return NULL;
}

static void background(const char *folder, const proofmill_prover *prover) {
    size_t witness_length, key_length, proof_length = 4096, values_length = 1, short_length = 1;
    uint8_t *witness = whole(folder, "witness.wtns", &witness_length), *key = whole(folder, "verification_key.json", &key_length);
    char proof[4096], values[4096];
    struct reports reports = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 100};
    proofmill_proving *proving;
    pthread_t thread;
    bool done = false, valid = false;

    EXPECT(proofmill_prove_start(prover, witness, 100, NULL, NULL, &proving), PROOFMILL_ERROR_FILE, "witness");
    IS(proving == NULL);
    WRONG(proofmill_prove_start(NULL, witness, witness_length, NULL, NULL, &proving), "prover: is null");
    WRONG(proofmill_prove_start(prover, NULL, witness_length, NULL, NULL, &proving), "witness: is null");
    WRONG(proofmill_prove_start(prover, witness, witness_length, NULL, NULL, NULL), "proving: is null");
    pthread_mutex_lock(&reports.lock); /* the proof waits for its first report */
    OK(proofmill_prove_start(prover, witness, witness_length, step, &reports, &proving));
    WRONG(proofmill_proving_wait(proving, -1, &done), "seconds: -1");
    WRONG(proofmill_proving_wait(proving, (double)NAN, &done), "seconds: NaN");
    WRONG(proofmill_proving_wait(proving, (double)INFINITY, &done), "seconds: inf");
    WRONG(proofmill_proving_wait(proving, 1, NULL), "ended: is null");
    WRONG(proofmill_proving_wait(NULL, 1, &done), "proving: is null");
    /* A thread that waits for the result does not delay another that waits with a limit. */
    IS(pthread_create(&thread, NULL, result_of, proving) == 0);
    for (int times = 0; times < 50; times++) {
        OK(proofmill_proving_wait(proving, 0.001, &done));
        IS(!done);
    }
    pthread_mutex_unlock(&reports.lock);
    while (!done) OK(proofmill_proving_wait(proving, 1, &done));
    IS(pthread_join(thread, NULL) == 0 && reports.steps > 0);
    OK(proofmill_proving_wait(proving, 1e18, &done));
    OK(proofmill_proving_cancel(proving));
    EXPECT(proofmill_proving_result(proving, proof, &short_length, values, &values_length), PROOFMILL_ERROR_SHORT_BUFFER, "proof: a buffer of 1 bytes");
    IS(short_length > 100 && values_length > 4); /* both are the required ones */
    OK(proofmill_proving_result(proving, proof, &short_length, values, &values_length));
    OK(proofmill_verify((char *)key, values, proof, &valid));
    IS(valid);
    proofmill_proving_close(proving);
    WRONG(proofmill_proving_cancel(NULL), "proving: is null");
    WRONG(proofmill_proving_result(NULL, proof, &proof_length, values, &values_length), "proving: is null");

    OK(proofmill_prove_start(prover, witness, witness_length, step, &reports, &proving));
    OK(proofmill_proving_cancel(proving));
    proofmill_status status = proofmill_proving_result(proving, NULL, &proof_length, NULL, &values_length);
    IS(status == PROOFMILL_ERROR_CANCELLED || status == PROOFMILL_ERROR_SHORT_BUFFER);
    proofmill_proving_close(proving);
    OK(proofmill_prove_start(prover, witness, witness_length, step, &reports, &proving));
    proofmill_proving_close(proving); /* in the middle */
    size_t steps = reports.steps;
    nanosleep(&(struct timespec){0, 20000000}, NULL);
    IS(reports.steps == steps);
    proofmill_proving_close(NULL);

    const uint8_t *witnesses[5] = {witness, witness, witness, witness, witness};
    size_t lengths[5] = {witness_length, witness_length, 100, witness_length, witness_length};
    proofmill_batch *batch;
    OK(proofmill_prove_batch(prover, witnesses, lengths, 5, ended, &reports, &batch));
    IS(reports.ended == 5 && reports.failed == 1);
    for (size_t number = 0; number < 5; number++) {
        proof_length = values_length = 4096;
        if (number == 2) {
            EXPECT(proofmill_batch_proof(batch, number, proof, &proof_length, values, &values_length), PROOFMILL_ERROR_FILE, "witnesses[2]");
            continue;
        }
        OK(proofmill_batch_proof(batch, number, proof, &proof_length, values, &values_length));
        OK(proofmill_verify((char *)key, values, proof, &valid));
        IS(valid);
    }
    WRONG(proofmill_batch_proof(batch, 5, proof, &proof_length, values, &values_length), "number: 5; there are 5");
    WRONG(proofmill_batch_proof(batch, (size_t)-1, proof, &proof_length, values, &values_length), "number: 18446744073709551615");
    WRONG(proofmill_batch_proof(NULL, 0, proof, &proof_length, values, &values_length), "batch: is null");
    WRONG(proofmill_batch_proof(batch, 0, proof, NULL, values, &values_length), "proof_length: is null");
    proofmill_batch_close(batch);
    struct reports few = {PTHREAD_MUTEX_INITIALIZER, 0, 0, 0, 1};
    OK(proofmill_prove_batch(prover, witnesses, lengths, 5, ended, &few, &batch));
    EXPECT(proofmill_batch_proof(batch, 4, proof, &proof_length, values, &values_length), PROOFMILL_ERROR_CANCELLED, "cancelled");
    proofmill_batch_close(batch);
    WRONG(batch_with_byte(prover, witnesses, lengths, 5, neither, NULL, &batch), "the result of progress: is 2");
    IS(batch == NULL);
    WRONG(proofmill_prove_batch(NULL, witnesses, lengths, 5, NULL, NULL, &batch), "prover: is null");
    WRONG(proofmill_prove_batch(prover, NULL, lengths, 5, NULL, NULL, &batch), "witnesses: is null");
    WRONG(proofmill_prove_batch(prover, witnesses, NULL, 5, NULL, NULL, &batch), "witness_lengths: is null");
    WRONG(proofmill_prove_batch(prover, witnesses, lengths, (size_t)1 << 61, NULL, NULL, &batch), "witnesses: a length");
    WRONG(proofmill_prove_batch(prover, witnesses, lengths, 5, NULL, NULL, NULL), "batch: is null");
    witnesses[1] = NULL;
    WRONG(proofmill_prove_batch(prover, witnesses, lengths, 5, NULL, NULL, &batch), "witnesses[1]: is null");
    OK(proofmill_prove_batch(prover, NULL, NULL, 0, NULL, NULL, &batch));
    proofmill_batch_close(batch);
    proofmill_batch_close(NULL);
    free(witness);
    free(key);
}

static void pairings(void) {
    uint8_t g1[64] = {1}, g2[128] = {0}, result[384], one[384] = {1};
    bool is_one = false;
    g1[32] = 2;
    OK(proofmill_pairing_is_one("bn254", g1, 64, g2, 128, &is_one)); /* with the identity */
    IS(is_one);
    OK(proofmill_pairing("bn254", g1, 64, g2, 128, result, 384));
    IS(memcmp(result, one, 384) == 0);
    OK(proofmill_pairing("bn254", NULL, 0, NULL, 0, result, 384));
    IS(memcmp(result, one, 384) == 0);
    WRONG(proofmill_pairing("bn254", g1, 64, g2, 128, result, 383), "result: a length of 383");
    WRONG(proofmill_pairing("bn254", g1, 64, g2, 128, NULL, 384), "result: is null");
    WRONG(proofmill_pairing("bn254", g1, 64, g2, 0, result, 384), "g2: 0 points");
    WRONG(proofmill_pairing("bn254", g1, 63, g2, 0, result, 384), "g1: 63 bytes");
    WRONG(proofmill_pairing("bn254", NULL, 64, g2, 128, result, 384), "g1: is null");
    WRONG(proofmill_pairing("bn254", g1, 64, NULL, 128, result, 384), "g2: is null");
    WRONG(proofmill_pairing("secp256k1", g1, 64, g2, 128, result, 384), "curve: 'secp256k1'");
    WRONG(proofmill_pairing(NULL, g1, 64, g2, 128, result, 384), "curve: is null");
    WRONG(proofmill_pairing_is_one("bn254", g1, 64, g2, 128, NULL), "is_one: is null");
    g2[0] = 1;
    WRONG(proofmill_pairing_is_one("bn254", g1, 64, g2, 128, &is_one), "g2: point 0");
    IS(!is_one);
}

static void hex(const char *text, uint8_t *bytes, size_t count) {
    for (size_t at = 0; at < count; at++) {
        unsigned byte;
        IS(sscanf(text + 2 * at, "%2x", &byte) == 1);
        bytes[at] = (uint8_t)byte;
    }
}

static void signatures(void) {
    /* py_ecc's signatures of "abc" with the secret key 12345, in the order of proofmill_bls_scheme. */
    static const char key_hex[] =
        "8530c1bdc4cd6b1408be0933c4a41ac3513350eef36850b804708e1f338932ce01b655a163344a4500b281c8750c461f";
    static const char *const signature_hex[] = {
        "a6b9c10670b188039b1051c5ae12bccd5f99a776174a856c25bd4df3a3ee27ba34a18ef7cbc5d5dcf115d5d016be120d"
        "14e5ec9913b48e532b4f25128711a6d7e9f6e5c3048f714cb83fa7576faa434e1d0195316a9997d1564521a0eedf1939",
        "9494552e3b1249742163a5e1e58fb82d9799943eadd0f6ac13c98ce973794338d53b4c3e9c068d81b89b3e5314a2826d"
        "17930d53d4e0b14c46c46751d512c35c75d204cec3d78a726f1c985a0868620171c22269f5afd911b9d48c70e5076825",
        "8394c19464494a42f148d9d25f5e3a9e13abe762b672247db8f3028c6f9f88120c2f39af6133fc75377d16a0c5033f1f"
        "1349d75bfac9dc804304da5a4c8588094b82446965232a9065178161976bd76f661bfcfa911a8279facf95104e6e42eb",
    };
    const uint8_t *message = (const uint8_t *)"abc";
    uint8_t key[48], signature[96];
    bool valid = true;
    hex(key_hex, key, 48);
    for (int32_t made_with = 0; made_with < 3; made_with++) {
        hex(signature_hex[made_with], signature, 96);
        for (int32_t scheme = 0; scheme < 3; scheme++) {
            OK(proofmill_bls_verify(scheme, key, 48, message, 3, signature, 96, &valid));
            IS(valid == (scheme == made_with));
        }
        OK(proofmill_bls_verify(made_with, key, 48, message, 2, signature, 96, &valid));
        IS(!valid);
    }
    IS(PROOFMILL_BLS_BASIC == 0 && PROOFMILL_BLS_MESSAGE_AUGMENTATION == 1 && PROOFMILL_BLS_PROOF_OF_POSSESSION == 2);
    valid = true;
    WRONG(proofmill_bls_verify(3, key, 48, message, 3, signature, 96, &valid), "scheme: 3");
    IS(!valid);
    WRONG(proofmill_bls_verify(-1, key, 48, message, 3, signature, 96, &valid), "scheme: -1");
    WRONG(proofmill_bls_verify(0, key, 47, message, 3, signature, 96, &valid), "public_key: 47 bytes");
    WRONG(proofmill_bls_verify(0, NULL, 48, message, 3, signature, 96, &valid), "public_key: is null");
    WRONG(proofmill_bls_verify(0, key, 48, NULL, 3, signature, 96, &valid), "message: is null");
    WRONG(proofmill_bls_verify(0, key, 48, message, 3, signature, 48, &valid), "signature: 48 bytes; expected 96");
    WRONG(proofmill_bls_verify(0, key, 48, message, 3, NULL, 96, &valid), "signature: is null");
    WRONG(proofmill_bls_verify(0, key, 48, message, 3, signature, 96, NULL), "valid: is null");
    /* A key of 96 bytes goes with a signature of 48. */
    WRONG(proofmill_bls_verify(0, signature, 96, message, 3, signature, 96, &valid), "signature: 96 bytes; expected 48");
    OK(proofmill_bls_verify(0, signature, 96, message, 3, key, 48, &valid));
    IS(!valid);
    memset(key, 0, 48);
    WRONG(proofmill_bls_verify(0, key, 48, message, 3, signature, 96, &valid), "public_key: is ");
    key[0] = 0xc0;
    WRONG(proofmill_bls_verify(0, key, 48, message, 3, signature, 96, &valid), "public_key: is the identity");
}

typedef proofmill_status (*byte_open)(const char *, const char *, unsigned char, proofmill_prover **);
BYTES(byte_open, open_with_byte, proofmill_prover_open);

static void proofs(const char *folder) {
    char path[4096], proof[4096], values[65536];
    size_t proof_length = 1, values_length = sizeof values;
    bool valid = true;
    proofmill_prover *prover;
    EXPECT(proofmill_prover_open("cpu:", "/nowhere.zkey", false, &prover), PROOFMILL_ERROR_IO, "/nowhere.zkey");
    EXPECT(proofmill_prover_open_bytes("cpu:", (const uint8_t *)"zkey", 4, false, &prover), PROOFMILL_ERROR_FILE, "zkey");
    IS(prover == NULL);
    WRONG(proofmill_prover_open_bytes("cpu:", NULL, 4, false, &prover), "zkey: is null");
    WRONG(proofmill_prover_open(NULL, "/nowhere.zkey", false, &prover), "uri: is null");
    WRONG(proofmill_prover_open("cpu:", NULL, false, &prover), "zkey_path: is null");
    WRONG(open_with_byte("cpu:", "/nowhere.zkey", 3, &prover), "resident: is 3");
    snprintf(path, sizeof path, "%s/INSECURE.zkey", folder);
    WRONG(proofmill_prover_open("cpu:?isa=none", path, false, &prover), "isa");
    WRONG(proofmill_prover_open("cpu:", path, true, NULL), "prover: is null");
    OK(proofmill_prover_open("cpu:", path, true, &prover));
    WRONG(proofmill_prover_sizes(NULL, &proof_length, &values_length), "prover: is null");
    WRONG(proofmill_prover_sizes(prover, NULL, &values_length), "proof_length: is null");
    WRONG(proofmill_prover_sizes(prover, &proof_length, NULL), "public_inputs_length: is null");
    IS(proof_length == 1);
    EXPECT(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, &proof_length, values, &values_length), PROOFMILL_ERROR_SHORT_BUFFER, "proof: a buffer of 1 bytes");
    EXPECT(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, &proof_length, values, &values_length), PROOFMILL_ERROR_FILE, "witness");
    WRONG(proofmill_prove(NULL, NULL, 0, NULL, NULL, proof, &proof_length, values, &values_length), "prover: is null");
    WRONG(proofmill_prove(prover, NULL, 9, NULL, NULL, proof, &proof_length, values, &values_length), "witness: is null");
    WRONG(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, NULL, values, &values_length), "proof_length: is null");
    WRONG(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, &proof_length, values, NULL), "public_inputs_length: is null");
    EXPECT(proofmill_prove(prover, NULL, 0, NULL, NULL, proof, &proof_length, NULL, &values_length), PROOFMILL_ERROR_SHORT_BUFFER, "public_inputs: no buffer");
    EXPECT(proofmill_verify("{}", "[]", "{}", &valid), PROOFMILL_ERROR_FILE, "verification_key");
    IS(!valid);
    WRONG(proofmill_verify("{}", "[]", NULL, &valid), "proof: is null");
    WRONG(proofmill_verify("{}", "\xc3\x28", "{}", &valid), "public_inputs: is not UTF-8");
    WRONG(proofmill_verify("{}", "[]", "{}", NULL), "valid: is null");
    background(folder, prover);
    proofmill_prover_close(prover);
    proofmill_prover_close(NULL);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    proofmill_device *device;
    OK(proofmill_device_open("cpu:?threads=2", &device));
    devices(device);
    msm(device);
    transforms(device);
    verifications(device);
    pairings();
    signatures();
    proofs(arguments[1]);
    pthread_t thread;
    IS(pthread_create(&thread, NULL, other_thread, NULL) == 0 && pthread_join(thread, NULL) == 0);
    proofmill_device_close(device);
    if (!failures) printf("all rejected as expected\n");
    return failures != 0;
}
