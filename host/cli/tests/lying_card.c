/* A simulated card of msm that lies: every sum that it answers is the first one; compiled with SILENT it answers none. All else is
 * done by the library that this one is linked to. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include "sim.h"

/* spec/wire/msm.toml: the reply to `run`, and where its sum begins. */
static const uint8_t run_reply[4] = {0x01, 0x03, 0x00, 0x80};
enum { COMMAND = 4, SUM = 48, MOST = 4096 };

typedef size_t receive(pm_sim *, uint8_t *, size_t, uint64_t *);

size_t pm_sim_recv(pm_sim *s, uint8_t *bytes, size_t cap, uint64_t *cycle) {
  receive *truth = (receive *)dlsym(RTLD_NEXT, "pm_sim_recv");
  size_t length = truth(s, bytes, cap, cycle);
  if (length <= SUM || length > cap || length > MOST || memcmp(bytes + COMMAND, run_reply, sizeof run_reply) != 0)
    return length;
#ifdef SILENT
  return 0;
#else
  static uint8_t first[MOST];
  static size_t kept;
  if (kept == 0) {
    kept = length;
    memcpy(first, bytes, length);
  }
  if (length == kept)
    memcpy(bytes + SUM, first + SUM, length - SUM);
  return length;
#endif
}
