// The memory channels of a simulated card, PM_SIM_MEMORIES(X) in number: each behind its wires.
#ifndef PM_CHANNELS_H
#define PM_CHANNELS_H
#include <array>
#include <cstring>
#include <string>

#include "Vcard.h"
#include "manifest.h"
#include "memory.h"

class Channels {
  public:
#define PM_SIM_ONE(j) +1
    static constexpr size_t kCount = 0 PM_SIM_MEMORIES(PM_SIM_ONE);
    std::array<Memory, kCount> memories;

    void drive(Vcard &card) {
#define PM_SIM_DRIVE(j)                                                       \
    {                                                                         \
        const Memory::ToCard &d = memories[j].drives();                       \
        card.mem##j##_awready = d.awready;                                    \
        card.mem##j##_wready = d.wready;                                      \
        card.mem##j##_bvalid = d.bvalid;                                      \
        card.mem##j##_bresp = d.bresp;                                        \
        card.mem##j##_arready = d.arready;                                    \
        card.mem##j##_rvalid = d.rvalid;                                      \
        card.mem##j##_rlast = d.rlast;                                        \
        card.mem##j##_rresp = d.rresp;                                        \
        if (d.rvalid) std::memcpy(card.mem##j##_rdata.data(), d.rdata.data(), kBeatBytes); \
    }
        PM_SIM_MEMORIES(PM_SIM_DRIVE)
        (void)card;
    }

    // `broken` gets the first rule that the card breaks.
    void cycle(Vcard &c, std::string &broken) {
        auto one = [&](size_t channel, const Memory::FromCard &wires) {
            Memory &memory = memories[channel];
            memory.cycle(wires);
            if (broken.empty() && !memory.broken.empty()) broken = "memory channel " + std::to_string(channel) + ": " + memory.broken;
        };
#define PM_SIM_CYCLE(j)                                                                                                              \
    {                                                                                                                                \
        Memory::FromCard wires{bool(c.mem##j##_awvalid), bool(c.mem##j##_wvalid), bool(c.mem##j##_bready), bool(c.mem##j##_arvalid), \
                               bool(c.mem##j##_rready)};                                                                             \
        wires.aw = {c.mem##j##_awaddr, c.mem##j##_awlen, c.mem##j##_awsize, c.mem##j##_awburst};                                     \
        wires.ar = {c.mem##j##_araddr, c.mem##j##_arlen, c.mem##j##_arsize, c.mem##j##_arburst};                                     \
        wires.w.strobes = c.mem##j##_wstrb;                                                                                          \
        wires.w.last = c.mem##j##_wlast;                                                                                             \
        if (wires.wvalid) std::memcpy(wires.w.bytes.data(), c.mem##j##_wdata.data(), kBeatBytes);                                    \
        one(j, wires);                                                                                                               \
    }
        PM_SIM_MEMORIES(PM_SIM_CYCLE)
        (void)one, (void)c;
    }
};
#endif
