/* Children that fork() makes of a process that has made a proof, and of one that is making a proof: fork KEY.zkey WITNESS.wtns VERIFICATION_KEY.json */

#define _POSIX_C_SOURCE 200809L

#include <proofmill.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds after which a child hangs. A proof takes milliseconds. */
#define HANGS 300

static const char *key_path;
static uint8_t *witness;
static char *verification_key;
static size_t witness_length;

static void fail(const char *what) {
    fprintf(stderr, "%d: %s: %s\n", (int)getpid(), what, proofmill_last_error());
    exit(1);
}

/* A whole file with a zero byte at its end. */
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

static proofmill_prover *opened(void) {
    proofmill_prover *prover;
    if (proofmill_prover_open("cpu:", key_path, true, &prover)) fail("open");
    return prover;
}

/* Makes a proof and verifies it. */
static void prove(proofmill_prover *prover) {
    char proof[4096], public_values[4096];
    size_t proof_length = sizeof proof, public_length = sizeof public_values;
    if (proofmill_prove(prover, witness, witness_length, NULL, NULL, proof, &proof_length, public_values, &public_length)) fail("prove");
    bool valid;
    if (proofmill_verify(verification_key, public_values, proof, &valid)) fail("verify");
    if (!valid) {
        fprintf(stderr, "the proof of %d is invalid\n", (int)getpid());
        exit(1);
    }
}

/* Waits for a child, which hangs if it has not ended by its alarm. */
static void wait_for(pid_t child, const char *when) {
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) fail("fork");
    if (WIFSIGNALED(status)) fprintf(stderr, "%s: the child %s\n", when, WTERMSIG(status) == SIGALRM ? "hangs" : "died");
    if (status != 0) exit(1);
}

/* In a child: proves with the prover of its parent and with one of its own. */
static void prove_in_child(proofmill_prover *prover) {
    alarm(HANGS);
    prove(prover);
    proofmill_prover *own = opened();
    prove(own);
    proofmill_prover_close(own);
}

/* In a child: the parent's proof ends with an error that says why. */
static void refuse_proof_of_parent(proofmill_proving *proving) {
    char proof[4096], public_values[4096];
    size_t proof_length = sizeof proof, public_length = sizeof public_values;
    bool ended;
    if (!proofmill_proving_result(proving, proof, &proof_length, public_values, &public_length)) fail("a proof of the parent");
    if (!strstr(proofmill_last_error(), "before this process was forked")) fail("the error about it");
    if (proofmill_proving_wait(proving, 0, &ended) || !ended) fail("wait");
}

/* Proves in a child, and in a child of that child. */
static void fork_and_wait(const char *when, proofmill_prover *prover, proofmill_proving *proving) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prove_in_child(prover);
        if (proving) refuse_proof_of_parent(proving);
        child = fork();
        if (child == 0) prove_in_child(prover);
        else wait_for(child, when);
        proofmill_prover_close(prover);
        exit(0);
    }
    wait_for(child, when);
    printf("%s: proved\n", when);
}

static sem_t started, go_on;

/* Holds the parent's proof in its first step until the child has ended. */
static void hold(void *context, const char *step, double part) {
    static int held;
    (void)context, (void)step, (void)part;
    if (!__atomic_exchange_n(&held, 1, __ATOMIC_SEQ_CST)) {
        sem_post(&started);
        while (sem_wait(&go_on) != 0) {
        }
    }
}

int main(int count, char **arguments) {
    if (count != 4) {
        fprintf(stderr, "usage: %s KEY.zkey WITNESS.wtns VERIFICATION_KEY.json\n", arguments[0]);
        return 2;
    }
    size_t key_length;
    key_path = arguments[1];
    witness = (uint8_t *)read_file(arguments[2], &witness_length);
    verification_key = read_file(arguments[3], &key_length);

    proofmill_prover *prover = opened();
    prove(prover);
    fork_and_wait("after a proof", prover, NULL);

    if (sem_init(&started, 0, 0) || sem_init(&go_on, 0, 0)) return 1;
    proofmill_proving *proving;
    if (proofmill_prove_start(prover, witness, witness_length, hold, NULL, &proving)) fail("start");
    while (sem_wait(&started) != 0) {
    }
    fork_and_wait("in the middle of a proof", prover, proving);
    sem_post(&go_on);

    char proof[4096], public_values[4096];
    size_t proof_length = sizeof proof, public_length = sizeof public_values;
    if (proofmill_proving_result(proving, proof, &proof_length, public_values, &public_length)) fail("the parent's proof");
    proofmill_proving_close(proving);
    prove(prover);
    proofmill_prover_close(prover);
    free(witness);
    free(verification_key);
    puts("all children proved");
    return 0;
}
