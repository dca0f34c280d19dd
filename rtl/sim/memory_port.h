// The host's port to a simulated card's memory, for PM_SIM_DOOR=1: a stream of beats of 64 bytes in each direction. Behind F2's shell it is accessed
// through the card's rings.
#ifndef PM_MEMORY_PORT_H
#define PM_MEMORY_PORT_H
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "Vcard.h"
#include "jitter.h"
#include "manifest.h"
#include "memory.h"

class Door {
  public:
    static constexpr bool kHere = PM_SIM_DOOR && !PM_SIM_F2;

    std::deque<std::vector<uint8_t>> transfers, answers;

#if PM_SIM_DOOR && !PM_SIM_F2
    void power_up(Vcard &c) { c.door_rx_tvalid = c.door_tx_tready = 0; }

    void drive(Vcard &c, Jitter &jitter) {
        if (!offered && !transfers.empty() && jitter.gives()) {
            const auto &bytes = transfers.front();
            std::memcpy(&c.door_rx_tdata, &bytes[transferred], kBeatBytes);
            c.door_rx_tkeep = ~uint64_t(0);
            c.door_rx_tlast = transferred + kBeatBytes == bytes.size();
            c.door_rx_tvalid = 1;
            offered = true;
        }
        c.door_tx_tready = jitter.takes();
    }

    void note(Vcard &c) {
        fires = c.door_rx_tvalid && c.door_rx_tready;
        if (!c.door_tx_tvalid || !c.door_tx_tready) return;
        const size_t n = answering.size();
        answering.resize(n + kBeatBytes);
        std::memcpy(&answering[n], &c.door_tx_tdata, kBeatBytes);
        if (!c.door_tx_tlast) return;
        answers.push_back(std::move(answering));
        answering.clear();
    }

    void settle(Vcard &c) {
        if (!fires) return;
        transferred += kBeatBytes;
        if (transferred == transfers.front().size()) {
            transfers.pop_front();
            transferred = 0;
        }
        offered = false;
        c.door_rx_tvalid = 0;
    }

    void forget(Vcard &c) {
        transfers.clear();
        answering.clear();
        transferred = 0;
        offered = false;
        c.door_rx_tvalid = 0;
    }
#else
    void power_up(Vcard &) {}
    void drive(Vcard &, Jitter &) {}
    void note(Vcard &) {}
    void settle(Vcard &) {}
    void forget(Vcard &) {}
#endif

    // Discards outputs that seemed valid.
    void discard() {
        answering.clear();
        answers.clear();
    }

  private:
    size_t transferred = 0;  // bytes of transfers.front()
    bool offered = false, fires = false;
    std::vector<uint8_t> answering;
};
#endif
