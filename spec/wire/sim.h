/* The C interface of a Verilated card: what rtl/sim builds and host/card/transport/sim loads at run time.
 *
 * One card is one `pm_sim`; it is not thread-safe. Packets are byte strings of 1 to 2^32-1 bytes, sent in
 * order, one 64-bit word a cycle when the card is ready; the shim queues without limit in both directions.
 * Time passes only inside pm_sim_run, pm_sim_reg_read and pm_sim_reg_write. */
#ifndef PM_SIM_H
#define PM_SIM_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

#define PM_SIM_ABI 3u

typedef struct pm_sim pm_sim;

/* Version of this interface: PM_SIM_ABI of the library's build. */
uint32_t pm_sim_abi(void);
/* What was built, as JSON text (generator's manifest): config name, engines, bytes of each memory channel, content hash, traced or not. */
const char *pm_sim_manifest(void);

/* A card just out of power-up reset; NULL when memory is short. What the reset leaves as it is holds anything: a number PROOFMILL_SIM_SEED in the
 * environment chooses other values than those at first. */
pm_sim *pm_sim_new(void);
void pm_sim_free(pm_sim *s);

/* Starts a waveform (VCD) at `path`. 0, or -1 when the library was built without tracing, -2 when the file cannot be written. */
int pm_sim_trace(pm_sim *s, const char *path);

/* Queues one packet of `n` bytes (n >= 1); its last word has only the remaining bytes. */
void pm_sim_send(pm_sim *s, const uint8_t *bytes, size_t n);
/* Packets queued or half sent. */
size_t pm_sim_pending(const pm_sim *s);

/* Runs until `max_cycles` have passed or, when bit 0 of `until_packet` is set, a complete reply waits, or, when bit 1 is, an answer of the
 * memory port, or, when bit 2 is, another burst has reached the host's memory. Returns the cycles run. */
uint64_t pm_sim_run(pm_sim *s, uint64_t max_cycles, int until_packet);

/* Takes the oldest complete reply. Returns its length, 0 when none waits; when it is larger than `cap` it
 * stays and its length is returned. `cycle` (may be NULL) gets the cycle in which its last word left the card. */
size_t pm_sim_recv(pm_sim *s, uint8_t *bytes, size_t cap, uint64_t *cycle);

/* The memory port (spec/wire/memory_door.toml), of cards behind a bridge for PCIe that have memory. Queues one transfer of `n` bytes,
 * a multiple of 64; 0, or -1 when there is no such port or `n` is invalid. Takes the oldest complete answer as pm_sim_recv does.
 * Older libraries lack both functions. */
int pm_sim_door_send(pm_sim *s, const uint8_t *bytes, size_t n);
size_t pm_sim_door_recv(pm_sim *s, uint8_t *bytes, size_t cap);

/* A card behind the shell of an AWS F2 instance (spec/wire/slot_rings.toml): packets and transfers go through its rings, so the functions above have
 * no effect on it, and registers are those of OCL. For other cards these functions have no effect, and return -1 or 0; older libraries lack them.
 *
 * Queues a store of the host over PCIS, `n` bytes (n >= 1) at any address: lines of 64 bytes with those bytes enabled, in order. Stores that have
 * not been answered are counted. */
int pm_sim_pcis_write(pm_sim *s, uint64_t address, const uint8_t *bytes, size_t n);
size_t pm_sim_pcis_pending(const pm_sim *s);
/* The host's memory, `n` bytes at the bus address `base`: the card writes it over PCIM while time passes. Other addresses are answered with SLVERR.
 * `bytes` must live until another call; n = 0 removes the memory. */
int pm_sim_pcim_memory(pm_sim *s, uint64_t base, uint8_t *bytes, size_t n);
/* Bursts over PCIM that lie in the host's memory. */
uint64_t pm_sim_pcim_written(const pm_sim *s);

/* Behind such a bridge there are three clocks: a cycle is one of the engines', of 3,333 ps; the bridge's has 4,000 and the memory's 3,077.
 * For tests: puts the bridge (0) or the memory (1) into reset for so many cycles, at once; the bridge forgets what it was sending, as it also does
 * when its host dies (2), which resets nothing; or stops the engines' clock (3), while cycles are counted on. 0, or -1 without such a bridge. */
int pm_sim_reset(pm_sim *s, int which, uint64_t cycles);

/* Cycles since power-up. */
uint64_t pm_sim_cycles(const pm_sim *s);
/* Cycle in which the first (last) word of the n-th packet sent (from 0) entered the card; 0 when it has not or was
 * forgotten (the newest 65,536 are kept). */
uint64_t pm_sim_first_word(const pm_sim *s, uint64_t n);
uint64_t pm_sim_last_word(const pm_sim *s, uint64_t n);

/* AXI4-Lite access; `addr` in bytes. 0, or -1 when the card did not answer in `max_cycles`, or the AXI response code. */
int pm_sim_reg_read(pm_sim *s, uint32_t addr, uint32_t *value, uint64_t max_cycles);
int pm_sim_reg_write(pm_sim *s, uint32_t addr, uint32_t value, uint64_t max_cycles);

/* Random gaps before input words and random refusals of output words, in 256ths of the cycles; 0, 0 switches them off. */
void pm_sim_jitter(pm_sim *s, uint64_t seed, unsigned rx_gap, unsigned tx_stall);

/* The card's memory channels, numbered from 0: zero at power-up, AXI4 with beats of 64 bytes, reads and writes each as follows.
 * The first beat of a read and the response to a write come at least `latency` cycles (1 or more) after its address and its last data;
 * bursts behind it have waited meanwhile. In `gap` of 256 cycles (0 to 255), evenly spread, no data passes. No address is
 * taken while `bursts` (1 or more) are under way. Read data and responses keep the order of the addresses. A write takes effect with its
 * response and a read returns the contents at the time when its data passes. At first 64, 0, 64; a new latency holds for bursts that begin later.
 * 0, or -1 for a value out of range. */
int pm_sim_memory(pm_sim *s, unsigned latency, unsigned gap, unsigned bursts);

/* The memory behind the channels: "ideal", as described above, or "hbm" or "ddr4", the timing of 32 pseudo-channels of HBM2 or of
 * four channels of DDR4-2400 beside a card of 300 MHz (docs/design/memory_model.md), where the channels' own `latency` and `bursts` are ignored;
 * "hbm_plain" and "ddr4_plain" are the same without a hash of the address; "hbm_port" is one pseudo-channel behind each channel, as behind a port
 * of a board's HBM. 0, or -1 for another name, for DDR4 on a card with more than four channels, for HBM on one with more than eight, or while
 * anything is under way. */
int pm_sim_memory_model(pm_sim *s, const char *name);
/* What has happened in a channel's DRAM: beats read and written, rows opened, rows closed (not by a refresh), refreshes, turns of the data
 * buses. All 0 of an ideal memory; -1 when there is no such channel. */
int pm_sim_memory_counts(const pm_sim *s, unsigned channel, uint64_t counts[6]);

/* For tests: the `n` bytes of a channel from `address` on, as they lie in the memory, at once and without the card: writes and reads them. A write
 * of the card that has not been answered is not there yet. 0, or -1 when there is no such channel. Libraries built before there was this lack both. */
int pm_sim_memory_write(pm_sim *s, unsigned channel, uint64_t address, const uint8_t *bytes, size_t n);
int pm_sim_memory_read(pm_sim *s, unsigned channel, uint64_t address, uint8_t *bytes, size_t n);

/* For tests of faults: accesses to the bytes from `address` to before `end` of a channel are answered with SLVERR and change nothing; only the
 * last such range of a channel counts, an empty one is none. 0, or -1 when there is no such channel. */
int pm_sim_memory_fault(pm_sim *s, unsigned channel, uint64_t address, uint64_t end);

/* The first rule of AXI4 that the card has broken on a memory channel, or rule of F2's shell, NULL while it has kept them all: a burst is incremental, of whole
 * aligned beats and inside 4 KiB; what is offered stays until it is taken; `last` is on a burst's last beat and on no other. A card
 * that broke one stops, like a frozen one. The text lives as long as the card. */
const char *pm_sim_broken(const pm_sim *s);

/* Stops (1) or restarts (0) the card's clock at its ports: nothing is accepted, nothing answered. For tests of a dead card. */
void pm_sim_freeze(pm_sim *s, int frozen);

#ifdef __cplusplus
}
#endif
#endif
