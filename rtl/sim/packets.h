// The packets of a simulated card: a stream of words each way, behind a bridge for PCIe of beats of eight words. A card behind F2's shell has none.
#ifndef PM_PACKETS_H
#define PM_PACKETS_H
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <utility>
#include <vector>

#include "Vcard.h"
#include "jitter.h"
#include "manifest.h"

struct Beat {
    uint64_t data;
    uint8_t keep;
};
using Packet = std::vector<Beat>;

inline Packet packet_of(const uint8_t *bytes, size_t n) {
    Packet packet((n + 7) / 8, Beat{0, 0xff});
    for (size_t i = 0; i < packet.size(); ++i) {
        const size_t here = n - 8 * i < 8 ? n - 8 * i : 8;
        for (size_t j = 0; j < here; ++j) packet[i].data |= uint64_t(bytes[8 * i + j]) << (8 * j);
        packet[i].keep = uint8_t((1u << here) - 1);
    }
    return packet;
}

struct Reply {
    std::vector<uint8_t> bytes;
    uint64_t cycle;
};

class Packets {
  public:
    std::deque<Packet> sending;
    std::deque<Reply> replies;

    uint64_t first_word(uint64_t n) const { return entry(n).first; }
    uint64_t last_word(uint64_t n) const { return entry(n).last; }

#if PM_SIM_F2
    void forget(Vcard &) { clear(); }
#else
    void power_up(Vcard &c) { c.rx_tvalid = 0; }

    void drive(Vcard &c, Jitter &jitter) {
        if (!offered && !sending.empty() && jitter.gives()) {
            const Packet &packet = sending.front();
            const size_t n = std::min(kWords, packet.size() - beat);
            uint64_t keep = 0, data[kWords] = {};
            for (size_t i = 0; i < n; ++i) {
                data[i] = packet[beat + i].data;
                keep |= uint64_t(packet[beat + i].keep) << (8 * i);
            }
            // A beat of eight words lies in 16 words of 32 bits, one of one word in one of 64.
            std::memcpy(&c.rx_tdata, data, sizeof data);
            c.rx_tvalid = 1;
            c.rx_tkeep = keep;
            c.rx_tlast = beat + kWords >= packet.size();
            offered = true;
        }
        c.tx_tready = jitter.takes();
    }

    void note(Vcard &c, uint64_t cycle) {
        fires = c.rx_tvalid && c.rx_tready;
        if (!c.tx_tvalid || !c.tx_tready) return;
        uint8_t bytes[8 * kWords];
        std::memcpy(bytes, &c.tx_tdata, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; ++i)
            if (uint64_t(c.tx_tkeep) >> i & 1) receiving.push_back(bytes[i]);
        if (!c.tx_tlast) return;
        replies.push_back({std::move(receiving), cycle});
        receiving.clear();
    }

    void settle(Vcard &c, uint64_t cycle) {
        if (!fires) return;
        Entry &entry = entries[(beat == 0 ? sent : sent - 1) % kEntries];
        if (beat == 0) entry = {sent++, cycle, 0};
        beat += kWords;
        if (beat >= sending.front().size()) {
            entry.last = cycle;
            sending.pop_front();
            beat = 0;
        }
        offered = false;
        c.rx_tvalid = 0;
    }

    void forget(Vcard &c) {
        clear();
        c.rx_tvalid = 0;
    }
#endif

    // Discards outputs that seemed valid.
    void discard() {
        receiving.clear();
        replies.clear();
    }

  private:
    static constexpr size_t kWords = PM_SIM_PCIE ? 8 : 1;  // of a beat

    // When the n-th packet entered, for the newest packets.
    struct Entry {
        uint64_t packet = UINT64_MAX;
        uint64_t first = 0;
        uint64_t last = 0;
    };
    static constexpr uint64_t kEntries = 65536;

    Entry entry(uint64_t n) const {
        const Entry &found = entries[n % kEntries];
        return found.packet == n ? found : Entry{};
    }

    void clear() {
        sending.clear();
        receiving.clear();
        beat = 0;
        offered = false;
    }

    size_t beat = 0;       // next beat of sending.front()
    bool offered = false;  // that beat is on the wires and must stay
    bool fires = false;
    uint64_t sent = 0;  // packets that have begun to enter
    std::vector<Entry> entries = std::vector<Entry>(kEntries);
    std::vector<uint8_t> receiving;
};
#endif
