// A memory channel of the simulated card, as spec/wire/sim.h describes it: an AXI4 slave with beats of 64 bytes, ideal or with the timing of a DRAM.
//
// What it drives in a cycle depends on the cycles before only; `cycle` takes what the card drives in it. It also holds the card to the
// rules of AXI4 ("IHI 0022, AMBA AXI and ACE Protocol", A3): `broken` names the first violated one.
#ifndef PM_MEMORY_H
#define PM_MEMORY_H
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dram.h"

constexpr unsigned kBeatBytes = 64;
using Beat512 = std::array<uint8_t, kBeatBytes>;

// What sim.h's pm_sim_memory sets.
struct MemoryTiming {
    unsigned latency = 64;
    unsigned gap = 0;  // 256ths
    unsigned bursts = 64;

    bool valid() const { return latency >= 1 && gap <= 255 && bursts >= 1; }
};

class Memory {
  public:
    // An address channel as the card drives it.
    struct Address {
        uint64_t address = 0;
        uint8_t len = 0, size = 0, burst = 0;
        bool operator==(const Address &o) const { return address == o.address && len == o.len && size == o.size && burst == o.burst; }
    };
    struct Data {
        Beat512 bytes{};
        uint64_t strobes = 0;
        bool last = false;
        bool operator==(const Data &o) const { return bytes == o.bytes && strobes == o.strobes && last == o.last; }
    };
    struct FromCard {
        bool awvalid, wvalid, bready, arvalid, rready;
        Address aw, ar;
        Data w;
    };
    struct ToCard {
        bool awready = false, wready = false, bvalid = false, arready = false, rvalid = false, rlast = false;
        uint8_t bresp = 0, rresp = 0;
        Beat512 rdata{};
    };

    MemoryTiming timing;
    uint64_t faultFrom = 0, faultTo = 0;
    std::string broken;

    // Is anything under way?
    bool busy() const { return !reads.empty() || !owed.empty() || !stored.empty(); }

    // Behind it is a DRAM from now on, or with nullptr an ideal memory again. Nothing is under way.
    void setDram(std::unique_ptr<Dram> wanted) { dram = std::move(wanted); }
    DramCounts counts() const { return dram ? dram->counts() : DramCounts{}; }

    const ToCard &drives() const { return out; }

    // Accesses bytes of the memory directly, independently of the card.
    void write(uint64_t place, const uint8_t *from, size_t n) {
        pieces(place, n, [&](uint8_t *here, size_t size) {
            std::copy(from, from + size, here);
            from += size;
        });
    }
    void read(uint64_t place, uint8_t *to, size_t n) {
        pieces(place, n, [&](const uint8_t *here, size_t size) { to = std::copy(here, here + size, to); });
    }

    // Forgets what is under way; its contents stay.
    void reset() {
        reads.clear();
        owed.clear();
        stored.clear();
        readBeat = 0;
        waits = {};
        out = {};
        if (dram) dram = std::make_unique<Dram>(dram->setting);
    }

    void cycle(const FromCard &card) {
        ++now;
        check(card);
        if (card.arvalid && out.arready) ask(card.ar);
        if (card.awvalid && out.awready) owed.push_back({card.aw, 0});
        if (card.wvalid && out.wready) take(card.w);
        if (out.bvalid && card.bready) respond();
        if (out.rvalid && card.rready) pass();
        if (dram) dram->step(now);
        drive(out.rvalid && !card.rready);
    }

  private:
    static constexpr uint8_t kOkay = 0, kSlaveError = 2, kIncremental = 1, kWholeBeats = 6;
    static constexpr uint64_t kPage = 4096;

    struct Burst {
        Address at;
        uint64_t due;  // cycle of its first beat or of its response, at the earliest
        std::vector<Data> data{};
        uint64_t place(size_t beat) const { return at.address + kBeatBytes * beat; }
    };

    // Data passes when there is credit of 256; a cycle brings 256 less the gap.
    struct Pace {
        unsigned credit = 0;
        void step(unsigned gap) { credit = credit + 256 - gap > 511 ? 511 : credit + 256 - gap; }
        bool open() const { return credit >= 256; }
        void spend() { credit -= 256; }
    };

    uint64_t now = 0;
    ToCard out;
    struct {
        bool aw, w, ar;
        Address write, read;
        Data data;
    } waits{};  // what was offered in the cycle before and not taken
    Pace reading, writing;
    std::deque<Burst> reads;         // front under way
    size_t readBeat = 0;             // next beat of it
    std::deque<Burst> owed, stored;  // writes without all their data; without their response
    std::unordered_map<uint64_t, std::array<uint8_t, kPage>> pages;
    std::unique_ptr<Dram> dram;

    uint8_t *bytes(uint64_t place) { return &pages[place / kPage][place % kPage]; }

    // What `each` does with the parts of `n` bytes that lie in one page.
    template <class Each>
    void pieces(uint64_t place, size_t n, Each each) {
        while (n != 0) {
            const size_t size = std::min<uint64_t>(n, kPage - place % kPage);
            each(bytes(place), size);
            place += size;
            n -= size;
        }
    }
    bool faulty(uint64_t place) const { return faultFrom < faultTo && place < faultTo && place + kBeatBytes > faultFrom; }

    void ask(const Address &burst) {
        reads.push_back({burst, now + timing.latency});
        if (!dram) return;
        for (size_t i = 0; i <= burst.len; ++i) dram->read(reads.back().place(i) / kBeatBytes);
    }

    void take(const Data &beat) {
        Burst &burst = owed.front();
        if (dram) dram->write(burst.place(burst.data.size()) / kBeatBytes, now);
        const bool last = burst.data.size() == burst.at.len;
        if (beat.last != last) fail(last ? "the last beat of a write is not marked" : "a beat of a write that is not its last is marked so", burst.at);
        burst.data.push_back(beat);
        writing.spend();
        if (!last) return;
        burst.due = now + (dram ? dram->pathCycles() : timing.latency);
        stored.push_back(std::move(burst));
        owed.pop_front();
    }

    void respond() {
        const Burst &burst = stored.front();
        for (size_t i = 0; i < burst.data.size(); ++i) {
            if (faulty(burst.place(i))) continue;
            uint8_t *to = bytes(burst.place(i));
            for (unsigned j = 0; j < kBeatBytes; ++j)
                if (burst.data[i].strobes >> j & 1) to[j] = burst.data[i].bytes[j];
        }
        stored.pop_front();
    }

    void pass() {
        reading.spend();
        if (dram) dram->passRead();
        if (readBeat++ < reads.front().at.len) return;
        reads.pop_front();
        readBeat = 0;
    }

    // What the next cycle shows.
    void drive(bool held) {
        reading.step(timing.gap);
        writing.step(timing.gap);
        const size_t most = dram ? dram->setting.window : timing.bursts;
        out.arready = dram ? dram->readRoom() : reads.size() < most;
        out.awready = owed.size() + stored.size() < most;
        out.wready = !owed.empty() && writing.open() && (!dram || dram->writeRoom(owed.front().place(owed.front().data.size()) / kBeatBytes));
        out.bvalid = !stored.empty() && now + 1 >= stored.front().due;
        if (out.bvalid) out.bresp = response(stored.front());
        if (held) return;
        out.rvalid = !reads.empty() && reading.open() && (dram ? dram->readDone(now + 1) : now + 1 >= reads.front().due);
        if (!out.rvalid) return;
        const uint64_t place = reads.front().place(readBeat);
        out.rlast = readBeat == reads.front().at.len;
        out.rresp = faulty(place) ? kSlaveError : kOkay;
        out.rdata = {};
        if (!faulty(place)) std::memcpy(out.rdata.data(), bytes(place), kBeatBytes);
    }

    uint8_t response(const Burst &burst) const {
        for (size_t i = 0; i < burst.data.size(); ++i)
            if (faulty(burst.place(i))) return kSlaveError;
        return kOkay;
    }

    void check(const FromCard &card) {
        if (waits.ar && !(card.arvalid && card.ar == waits.read)) fail("a read's address did not stay offered", waits.read);
        if (waits.aw && !(card.awvalid && card.aw == waits.write)) fail("a write's address did not stay offered", waits.write);
        if (waits.w && !(card.wvalid && card.w == waits.data)) fail("a write's data did not stay offered");
        if (card.arvalid) check(card.ar);
        if (card.awvalid) check(card.aw);
        waits = {card.awvalid && !out.awready, card.wvalid && !out.wready, card.arvalid && !out.arready, card.aw, card.ar, card.w};
    }

    void check(const Address &burst) {
        if (burst.burst != kIncremental) fail("a burst is not incremental", burst);
        if (burst.size != kWholeBeats) fail("a burst is not of whole beats", burst);
        if (burst.address % kBeatBytes) fail("a burst is not aligned to its beats", burst);
        if (burst.address % kPage + kBeatBytes * (burst.len + 1u) > kPage) fail("a burst crosses 4 KiB", burst);
    }

    void fail(const std::string &what) {
        if (broken.empty()) broken = what;
    }

    void fail(const char *what, const Address &burst) {
        char hex[24];
        std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(burst.address));
        fail(std::string(what) + ": address " + hex + ", " + std::to_string(burst.len + 1) + " beats");
    }
};

#endif
