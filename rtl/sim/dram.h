// Timing of the DRAM behind a memory channel of the simulated card: HBM2 or DDR4, as docs/design/memory_model.md describes it.
//
// memory.h has the contents. In this model an access is a beat of 64 bytes: it goes to one of the device's channels (of HBM: pseudo-channels),
// waits in its controller's queue, and is served when rows, banks, bank groups, the data bus and refresh allow. All counts are clocks of
// the memory, a whole number of which is a cycle of the card. Nothing is random.
#ifndef PM_DRAM_H
#define PM_DRAM_H
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

// What an access or its bank has to wait for, in clocks; the names are those of JESD235 and JESD79-4.
struct DramTimes {
    unsigned CL, CWL, BL;         // to the first data of a read, of a write; clocks of data of a column access
    unsigned RCDRD, RCDWR, RP;    // from a row's opening to a read, to a write; from its closing to the next opening
    unsigned RAS, RTP, WR;        // until a row may be closed: since its opening, since a read, since the last data of a write
    unsigned CCDS, CCDL;          // between column accesses: in different bank groups, in the same
    unsigned RRDS, RRDL, FAW;     // between openings: likewise; in which there are at most four
    unsigned WTRS, WTRL;          // from the last data of a write to a read: likewise
    unsigned REFI, RFC;           // between refreshes; what one takes
};

struct DramSetting {
    unsigned clocks;                                    // of the memory in a cycle of the card
    unsigned channelBits, groupBits, bankBits;          // device channels behind a channel of the card; groups; banks of a group
    unsigned columnBits;                                // beats of a row
    unsigned accesses;                                  // column accesses of a beat
    bool twoCommands;                                   // a row's command and a column's in the same clock
    bool hashed;                                        // see DramPlace
    unsigned path;                                      // clocks that a read spends outside of the device, a write's response too
    DramTimes t;
    unsigned queue = 32, high = 24, low = 8;            // of a controller: reads, and as many writes; when writes begin to leave, and end to
    unsigned lull = 100;                                // clocks after which a write leaves when there is no read
    unsigned patience = 2000;                           // clocks after which an access is passed by no other
    unsigned window = 512;                              // beats of reads under way in a channel of the card, and of writes
};

// Where a beat lies. Plain: row, bank, column, group, channel, from the highest bits of its number to the lowest. Hashed: channel, group and
// bank are the exclusive or of all pieces of the number that are as long as they are together; so consecutive members of a sequence with
// any power of two as its stride are in different banks, until each has had one.
struct DramPlace {
    unsigned channel, group, bank;
    uint64_t row;

    static DramPlace of(const DramSetting &s, uint64_t beat) {
        const auto take = [](uint64_t &from, unsigned bits) {
            const uint64_t low = from & ((uint64_t(1) << bits) - 1);
            from >>= bits;
            return unsigned(low);
        };
        DramPlace place{};
        if (s.hashed) {
            const unsigned bits = s.channelBits + s.groupBits + s.bankBits;
            uint64_t chosen = 0;
            for (uint64_t rest = beat; rest; rest >>= bits) chosen ^= rest & ((uint64_t(1) << bits) - 1);
            place.channel = take(chosen, s.channelBits);
            place.group = take(chosen, s.groupBits);
            place.bank = unsigned(chosen);
            place.row = beat >> (bits + s.columnBits);
        } else {
            place.channel = take(beat, s.channelBits);
            place.group = take(beat, s.groupBits);
            take(beat, s.columnBits);
            place.bank = take(beat, s.bankBits);
            place.row = beat;
        }
        return place;
    }
};

// What happened in a device's channel, or in all of a channel of the card.
struct DramCounts {
    uint64_t reads = 0, writes = 0, opened = 0, closed = 0, refreshes = 0, turns = 0;  // turns: of the data bus
};

// A channel of the device with its controller: first the oldest access whose row is open, then the oldest that needs one. Writes wait until
// there are many, or no reads.
class DramChannel {
  public:
    DramCounts counts;

    DramChannel(const DramSetting &s, uint64_t firstRefresh) : s(s), banks(size_t(1) << (s.groupBits + s.bankBits)), groups(size_t(1) << s.groupBits), refreshAt(firstRefresh) {}

    bool readRoom() const { return reads.size() < s.queue; }
    bool writeRoom() const { return writes.size() < s.queue; }
    bool busy() const { return !reads.empty() || !writes.empty(); }

    void read(const DramPlace &place, uint64_t tag, uint64_t clock) { push(reads, place, tag, clock); }
    void write(const DramPlace &place, uint64_t clock) { push(writes, place, 0, clock); }

    // One clock; `done(tag, clock)` for a read whose last data that clock has passed.
    template <class Done>
    void step(uint64_t clock, Done done) {
        if (!busy()) return;
        if (clock >= refreshAt) {
            refresh(clock);
            return;
        }
        choose(clock);
        std::vector<Access> &queue = writing ? writes : reads;
        if (column(queue, clock, done) && !s.twoCommands) return;
        row(queue, clock);
    }

  private:
    struct Access {
        unsigned group, bank;  // the bank among all
        uint64_t row, tag, since;
        unsigned left;  // column accesses
    };
    struct Bank {
        bool open = false;
        uint64_t row = 0;
        uint64_t mayOpen = 0, mayRead = 0, mayWrite = 0, mayClose = 0;
    };
    struct Group {
        uint64_t mayOpen = 0, mayRead = 0, mayWrite = 0;
    };

    const DramSetting &s;
    std::vector<Bank> banks;
    std::vector<Group> groups;
    std::vector<Access> reads, writes;  // oldest first
    std::deque<uint64_t> openings;      // the last four
    uint64_t mayOpen = 0, mayRead = 0, mayWrite = 0, refreshAt;
    bool writing = false;

    static void later(uint64_t &time, uint64_t than) { time = std::max(time, than); }

    void push(std::vector<Access> &queue, const DramPlace &place, uint64_t tag, uint64_t clock) {
        if (!busy()) idleUntil(clock);
        queue.push_back({place.group, place.group << s.bankBits | place.bank, place.row, tag, clock, s.accesses});
    }

    // Refreshes of a time without accesses came when they were due.
    void idleUntil(uint64_t clock) {
        for (; refreshAt < clock; refreshAt += s.t.REFI) close(refreshAt);
    }

    // All rows, and a refresh.
    void close(uint64_t clock) {
        bool any = false;
        for (Bank &bank : banks) {
            any |= bank.open;
            bank.open = false;
        }
        for (Bank &bank : banks) later(bank.mayOpen, clock + (any ? s.t.RP : 0) + s.t.RFC);
        ++counts.refreshes;
    }

    void refresh(uint64_t clock) {
        for (const Bank &bank : banks)
            if (clock < (bank.open ? bank.mayClose : bank.mayOpen)) return;
        close(clock);
        refreshAt += s.t.REFI;
    }

    void choose(uint64_t clock) {
        const bool enough = writes.size() >= (writing ? s.low : s.high) || (reads.empty() && !writes.empty() && (writing || clock - writes.front().since > s.lull));
        if (enough != writing) ++counts.turns;
        writing = enough;
    }

    // An access that has waited too long is passed by no other.
    size_t reach(const std::vector<Access> &queue, uint64_t clock) const {
        return !queue.empty() && clock - queue.front().since > s.patience ? 1 : queue.size();
    }

    template <class Done>
    bool column(std::vector<Access> &queue, uint64_t clock, Done done) {
        const size_t end = reach(queue, clock);
        for (size_t i = 0; i < end; ++i) {
            Access &access = queue[i];
            Bank &bank = banks[access.bank];
            Group &group = groups[access.group];
            if (!bank.open || bank.row != access.row) continue;
            const uint64_t may = writing ? std::max({bank.mayWrite, group.mayWrite, mayWrite}) : std::max({bank.mayRead, group.mayRead, mayRead});
            if (clock < may) continue;
            accessed(bank, group, clock);
            if (--access.left) return true;
            if (!writing) done(access.tag, clock + s.t.CL + s.t.BL);
            ++(writing ? counts.writes : counts.reads);
            queue.erase(queue.begin() + long(i));
            return true;
        }
        return false;
    }

    void accessed(Bank &bank, Group &group, uint64_t clock) {
        const DramTimes &t = s.t;
        if (writing) {
            const uint64_t end = clock + t.CWL + t.BL;
            later(bank.mayClose, end + t.WR);
            later(mayWrite, clock + t.CCDS);
            later(group.mayWrite, clock + t.CCDL);
            later(mayRead, end + t.WTRS);
            later(group.mayRead, end + t.WTRL);
        } else {
            later(bank.mayClose, clock + t.RTP);
            later(mayRead, clock + t.CCDS);
            later(group.mayRead, clock + t.CCDL);
            later(mayWrite, clock + t.CL + t.BL + 2 - t.CWL);
        }
    }

    void row(const std::vector<Access> &queue, uint64_t clock) {
        const size_t end = reach(queue, clock);
        uint64_t seen = 0;  // banks whose oldest access was looked at
        for (size_t i = 0; i < end; ++i) {
            const Access &access = queue[i];
            if (seen >> access.bank & 1) continue;
            seen |= uint64_t(1) << access.bank;
            Bank &bank = banks[access.bank];
            if (bank.open && bank.row == access.row) continue;
            if (bank.open ? tryClose(bank, queue, end, access.bank, clock) : tryOpen(bank, groups[access.group], access.row, clock)) return;
        }
    }

    bool tryClose(Bank &bank, const std::vector<Access> &queue, size_t end, unsigned number, uint64_t clock) {
        if (clock < bank.mayClose) return false;
        for (size_t i = 0; i < end; ++i)
            if (queue[i].bank == number && queue[i].row == bank.row) return false;  // still wanted
        bank.open = false;
        later(bank.mayOpen, clock + s.t.RP);
        ++counts.closed;
        return true;
    }

    bool tryOpen(Bank &bank, Group &group, uint64_t row, uint64_t clock) {
        const DramTimes &t = s.t;
        if (clock < std::max({bank.mayOpen, group.mayOpen, mayOpen})) return false;
        if (openings.size() == 4 && clock < openings.front() + t.FAW) return false;
        if (openings.size() == 4) openings.pop_front();
        openings.push_back(clock);
        bank.open = true;
        bank.row = row;
        bank.mayRead = clock + t.RCDRD;
        bank.mayWrite = clock + t.RCDWR;
        later(bank.mayClose, clock + t.RAS);
        later(bank.mayOpen, clock + t.RAS + t.RP);
        later(mayOpen, clock + t.RRDS);
        later(group.mayOpen, clock + t.RRDL);
        ++counts.opened;
        return true;
    }
};

// What is behind a channel of the card: device channels, and the way to them, which takes a beat of reads and a beat of writes a cycle, in order.
class Dram {
  public:
    const DramSetting setting;

    explicit Dram(const DramSetting &chosen) : setting(chosen) {
        const unsigned count = 1u << setting.channelBits;
        for (unsigned i = 0; i < count; ++i) channels.emplace_back(setting, uint64_t(setting.t.REFI) * (i + 1) / count);
    }
    Dram(const Dram &) = delete;

    // Reads: a beat's number, and when its data can pass, in order.
    bool readRoom() const { return reads.size() < setting.window; }
    void read(uint64_t beat) {
        reads.push_back({DramPlace::of(setting, beat), 0});
    }
    bool readDone(uint64_t cycle) const { return !reads.empty() && reads.front().due != 0 && cycle >= reads.front().due; }
    void passRead() {
        reads.pop_front();
        ++firstRead;
    }

    // Writes: whether there is space for this beat. Its response may come `pathCycles` later.
    bool writeRoom(uint64_t beat) const { return channels[DramPlace::of(setting, beat).channel].writeRoom(); }
    void write(uint64_t beat, uint64_t cycle) {
        const DramPlace place = DramPlace::of(setting, beat);
        channels[place.channel].write(place, cycle * setting.clocks);
    }
    unsigned pathCycles() const { return (setting.path + setting.clocks - 1) / setting.clocks; }

    void step(uint64_t cycle) {
        const uint64_t begin = cycle * setting.clocks;
        if (nextRead < firstRead + reads.size()) {
            const DramPlace &place = reads[nextRead - firstRead].place;
            DramChannel &channel = channels[place.channel];
            if (channel.readRoom()) channel.read(place, nextRead++, begin);
        }
        for (DramChannel &channel : channels)
            for (unsigned i = 0; i < setting.clocks && channel.busy(); ++i)
                channel.step(begin + i, [this](uint64_t tag, uint64_t clock) {
                    reads[tag - firstRead].due = (clock + setting.path + setting.clocks - 1) / setting.clocks;
                });
    }

    DramCounts counts() const {
        DramCounts sum;
        for (const DramChannel &channel : channels) {
            const DramCounts &c = channel.counts;
            sum.reads += c.reads, sum.writes += c.writes, sum.opened += c.opened, sum.closed += c.closed, sum.refreshes += c.refreshes, sum.turns += c.turns;
        }
        return sum;
    }

  private:
    struct Read {
        DramPlace place;
        uint64_t due;  // cycle; 0: not known yet
    };
    std::deque<DramChannel> channels;
    std::deque<Read> reads;
    uint64_t firstRead = 0, nextRead = 0;  // numbers: of the first of `reads`, of the first without a place in a queue
};

namespace dram {

constexpr unsigned kMostChannels = 8;  // of a card that shares a device's pseudo-channels out

// HBM2 at 900 MHz beside a card of 300 MHz: 32 pseudo-channels, of which each of four channels of the card has eight (of eight channels: four).
constexpr DramTimes kHbm{17, 7, 2, 14, 6, 14, 26, 5, 13, 2, 4, 4, 6, 15, 4, 9, 3510, 315};
constexpr DramSetting hbm(unsigned cardChannels, bool hashed) { return {3, cardChannels > 4 ? 2u : 3u, 2, 2, 4, 2, true, hashed, 73, kHbm}; }

// One of these pseudo-channels alone: a port of a board's HBM, without AMD's switch.
constexpr DramSetting hbmPort{3, 0, 2, 2, 4, 2, true, true, 73, kHbm};

// DDR4-2400 beside a card of 300 MHz: four channels of 64 bits, one for each channel of the card.
constexpr DramTimes kDdr4{17, 12, 4, 20, 20, 20, 39, 9, 18, 4, 6, 4, 6, 26, 3, 9, 9360, 420};
constexpr DramSetting ddr4(bool hashed) { return {4, 0, 2, 2, 7, 1, false, hashed, 67, kDdr4}; }

// The setting of a name of sim.h's pm_sim_memory_model, for a card of so many channels.
inline std::optional<DramSetting> find(const std::string &name, size_t cardChannels) {
    if (name == "hbm_port") return hbmPort;
    if (cardChannels > kMostChannels) return std::nullopt;
    if (name == "hbm" || name == "hbm_plain") return hbm(unsigned(cardChannels), name == "hbm");
    if ((name == "ddr4" || name == "ddr4_plain") && cardChannels <= 4) return ddr4(name == "ddr4");
    return std::nullopt;
}

}  // namespace dram

#endif
