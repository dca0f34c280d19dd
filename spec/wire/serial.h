/* The C interface of a Verilated card on a serial line: what rtl/sim/serial builds. Time passes only inside pm_serial_run.
 *
 * The far end of the line is a model of a UART, 8N1: what it sends is queued without limit and goes byte by byte without pauses; what
 * comes is sampled in the middles of its bits. One card is one `pm_serial`; it is not thread-safe. */
#ifndef PM_SERIAL_H
#define PM_SERIAL_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define PM_SERIAL_ABI 1u

typedef struct pm_serial pm_serial;

/* Version of this interface: PM_SERIAL_ABI of the library's build. */
uint32_t pm_serial_abi(void);
/* What was built, as JSON text (generator's manifest); `serial` has the line's clock, baud and idle_bytes. */
const char *pm_serial_manifest(void);

/* A card just out of power-up reset, on an idle line; NULL when memory is short. */
pm_serial *pm_serial_new(void);
void pm_serial_free(pm_serial *s);

/* Queues bytes for the card. */
void pm_serial_send(pm_serial *s, const uint8_t *bytes, size_t n);
/* Queues a level (0 or 1) for some cycles: a glitch, a break, a pause. */
void pm_serial_level(pm_serial *s, int level, uint64_t cycles);
/* Bytes and levels queued or half sent. */
size_t pm_serial_pending(const pm_serial *s);

/* Runs for `max_cycles`, less where `until_byte` is not 0 and a byte waits. Returns the cycles run. */
uint64_t pm_serial_run(pm_serial *s, uint64_t max_cycles, int until_byte);

/* Takes up to `cap` bytes that the card sent; how many. */
size_t pm_serial_recv(pm_serial *s, uint8_t *bytes, size_t cap);
/* Bytes with a wrong stop bit that the card sent. */
uint64_t pm_serial_broken(const pm_serial *s);

/* Cycles since power-up. */
uint64_t pm_serial_cycles(const pm_serial *s);
/* The far end's bits are longer than the nominal ones by so many parts of a million, from the next byte on. */
void pm_serial_skew(pm_serial *s, int parts);
/* Presses (1) or lets go of (0) the reset button. */
void pm_serial_reset(pm_serial *s, int pressed);
/* Stops (1) or restarts (0) the card's clock; the line's time continues, and bytes are lost. For tests of a dead card. */
void pm_serial_freeze(pm_serial *s, int frozen);

#ifdef __cplusplus
}
#endif
#endif
