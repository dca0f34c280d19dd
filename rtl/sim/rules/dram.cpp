// dram.h against what its numbers demand in closed form: the latencies of a row that is open, closed or another; a bank's conflict; a refresh; what a stream
// and random rows can have at most; the hash of addresses. Prints each case, and ends with 1 when one is not as demanded.
#include "../dram.h"

#include <cstdio>
#include <functional>
#include <set>

namespace {

int failed = 0;

void demand(const char *what, double found, double least, double most) {
    const bool good = least <= found && found <= most;
    std::printf("%s %s: %.4g, demanded %.4g to %.4g\n", good ? "ok    " : "FAILED", what, found, least, most);
    failed += !good;
}
void demand(const char *what, double found, double exactly) { demand(what, found, exactly, exactly); }

DramPlace place(unsigned group, unsigned bank, uint64_t row) { return {0, group, bank, row}; }

// A channel of a device alone, by the clock.
struct Bench {
    DramSetting s;
    DramChannel channel;
    uint64_t clock = 0, last = 0;
    explicit Bench(const DramSetting &s, uint64_t firstRefresh = UINT64_MAX / 2) : s(s), channel(this->s, firstRefresh) {}

    void step() {
        channel.step(clock, [this](uint64_t, uint64_t done) { last = done; });
        ++clock;
    }
    // Clocks until the data of one read have passed.
    uint64_t latency(const DramPlace &at) {
        const uint64_t begin = clock;
        channel.read(at, 0, clock);
        while (channel.busy()) step();
        return last - begin;
    }
    void idle(unsigned clocks) { clock += clocks; }
    // Clocks a beat, when there is always something to do.
    double pace(uint64_t beats, bool write, const std::function<DramPlace(uint64_t)> &at) {
        const uint64_t begin = clock;
        for (uint64_t sent = 0; sent < beats || channel.busy(); step())
            if (sent < beats && (write ? channel.writeRoom() : channel.readRoom())) {
                write ? channel.write(at(sent), clock) : channel.read(at(sent), 0, clock);
                ++sent;
            }
        return double(clock - begin) / double(beats);
    }
};

uint64_t noise(uint64_t i) {  // splitmix64
    i += 0x9E3779B97F4A7C15ull * (i + 1);
    i = (i ^ i >> 30) * 0xBF58476D1CE4E5B9ull;
    i = (i ^ i >> 27) * 0x94D049BB133111EBull;
    return i ^ i >> 31;
}

void latencies(const char *name, const DramSetting &s, double ns, double hit, double closed, double miss) {
    std::printf("%s\n", name);
    const DramTimes &t = s.t;
    const unsigned data = (s.accesses - 1) * t.CCDL + t.CL + t.BL;
    Bench bench(s);
    demand("clocks of a read of a closed row", double(bench.latency(place(0, 0, 5))), t.RCDRD + data);
    bench.idle(t.RAS);
    demand("clocks of a read of the open row", double(bench.latency(place(0, 0, 5))), data);
    bench.idle(t.RAS);
    demand("clocks of a read of another row", double(bench.latency(place(0, 0, 6))), t.RP + t.RCDRD + data);
    demand("of an open row as measured, ns", (data + s.path) * ns, hit - ns, hit + ns);
    demand("of a closed row as measured, ns", (t.RCDRD + data + s.path) * ns, closed - 2 * ns, closed + 2 * ns);
    demand("of another row as measured, ns", (t.RP + t.RCDRD + data + s.path) * ns, miss - 3 * ns, miss + 3 * ns);

    Bench conflict(s);
    conflict.channel.read(place(1, 1, 7), 0, 0);
    conflict.channel.read(place(1, 1, 8), 1, 0);
    while (conflict.channel.busy()) conflict.step();
    const unsigned closes = std::max(t.RAS, t.RCDRD + (s.accesses - 1) * t.CCDL + t.RTP);
    demand("clocks of two rows of a bank", double(conflict.last), closes + t.RP + t.RCDRD + data);

    Bench refreshed(s, 1000);
    refreshed.latency(place(0, 0, 5));
    refreshed.clock = 1000;
    // The channel is busy when the refresh is due, so it closes the open row for it.
    demand("clocks of a read that meets a refresh", double(refreshed.latency(place(0, 0, 5))), t.RP + t.RFC + t.RCDRD + data);
    Bench before(s, 1000);
    before.clock = 1000 + t.RFC / 2;
    demand("clocks of a read in the middle of a refresh", double(before.latency(place(0, 0, 5))), t.RFC - t.RFC / 2 + t.RCDRD + data);

    Bench turned(s);
    turned.latency(place(0, 0, 5));
    turned.channel.write(place(0, 0, 5), turned.clock);
    while (turned.channel.busy()) turned.step();
    const uint64_t written = turned.clock - 1;  // of the last column access
    turned.latency(place(0, 0, 5));
    demand("clocks from a write to the data of a read in its group", double(turned.last - written), t.CWL + t.BL + t.WTRL + data);
}

void ceilings(const DramSetting &s) {
    const DramTimes &t = s.t;
    const uint64_t beats = 20000, banks = 1u << s.bankBits, groups = 1u << s.groupBits;
    const double bus = s.accesses * t.CCDS;
    const auto stream = [&](uint64_t i) { return place(unsigned(i % groups), unsigned(i / groups >> s.columnBits) % banks, i / groups >> s.columnBits >> s.bankBits); };
    demand("clocks a beat of a stream", Bench(s).pace(beats, false, stream), bus, bus * 1.01);
    demand("clocks a beat of a written stream", Bench(s).pace(beats, true, stream), bus, bus * 1.01);
    const double share = double(t.RFC) / t.REFI;
    demand("clocks a beat of a stream with refreshes", Bench(s, t.REFI).pace(beats, false, stream), bus / (1 - share) * 0.99, bus / (1 - share) * 1.05);
    demand("clocks a beat of a stream in one group", Bench(s).pace(beats, false, [&](uint64_t i) { return place(0, unsigned(i >> s.columnBits) % banks, i >> s.columnBits >> s.bankBits); }),
           s.accesses * t.CCDL, s.accesses * t.CCDL * 1.01);
    const unsigned cycle = std::max(t.RAS, t.RCDRD + (s.accesses - 1) * t.CCDL + t.RTP) + t.RP;
    demand("clocks a beat of rows of one bank", Bench(s).pace(beats, false, [&](uint64_t i) { return place(0, 0, i); }), cycle - 0.1, cycle + 0.1);
    const double opening = std::max({t.FAW / 4.0, double(t.RRDS), bus});
    demand("clocks a beat of rows of all banks in turn", Bench(s).pace(beats, false, [&](uint64_t i) { return place(unsigned(i % groups), unsigned(i / groups % banks), i); }), opening, opening * 1.06);
    demand("clocks a beat of random rows", Bench(s).pace(beats, false, [&](uint64_t i) { return place(unsigned(noise(i) % groups), unsigned(noise(i) >> 8) % banks, noise(i) >> 16); }),
           opening, double(t.RAS + t.RP) / 4);
    Bench counted(s);
    counted.pace(beats, false, [&](uint64_t i) { return place(unsigned(i % groups), unsigned(i / groups % banks), i); });
    demand("rows opened where each beat has its own", double(counted.channel.counts.opened), double(beats));
    Bench opened(s);
    opened.pace(beats, false, stream);
    demand("rows opened by a stream", double(opened.channel.counts.opened), double((beats - 1) / (groups << s.columnBits) + 1) * double(groups));
}

void addresses(const DramSetting &s) {
    const unsigned bits = s.channelBits + s.groupBits + s.bankBits;
    const auto bank = [&](uint64_t beat) {
        const DramPlace at = DramPlace::of(s, beat);
        return (at.bank << s.groupBits | at.group) << s.channelBits | at.channel;
    };
    unsigned most = 0, fewest = 1u << bits;
    for (unsigned stride = 0; stride < 24; ++stride)
        for (uint64_t from = 0; from < 64; from += 7) {
            std::set<unsigned> met;
            for (uint64_t i = 0; i < 1u << bits; ++i) met.insert(bank(((from << bits) + i) << stride));
            most = std::max(most, unsigned(met.size())), fewest = std::min(fewest, unsigned(met.size()));
        }
    if (s.hashed) demand("banks met by as many members of any sequence", fewest, most);
    if (s.hashed) demand("which are all of them", fewest, 1u << bits);
    else demand("banks met by the worst sequence", fewest, 1);
    std::set<std::pair<unsigned, uint64_t>> all;
    for (uint64_t beat = 0; beat < 1u << (bits + s.columnBits + 1); ++beat) all.insert({bank(beat), DramPlace::of(s, beat).row});
    demand("rows that all beats of two rows of each bank have", double(all.size()), double(2u << bits));
}

// A channel of the card: order and the path.
void path(const DramSetting &s) {
    Dram dram(s);
    uint64_t cycle = 1, passed = 0;
    dram.read(12345);
    while (!dram.readDone(cycle)) dram.step(cycle++);
    const DramTimes &t = s.t;
    const double clocks = t.RCDRD + (s.accesses - 1) * t.CCDL + t.CL + t.BL + s.path;
    demand("cycles of a read through the path", double(cycle - 1), clocks / s.clocks, clocks / s.clocks + 1);
    dram.passRead();
    for (uint64_t sent = 0; passed < 4000; ++cycle) {
        if (sent < 4000 && dram.readRoom()) dram.read(noise(sent++) >> 40);
        if (dram.readDone(cycle)) dram.passRead(), ++passed;
        dram.step(cycle);
        if (cycle > 400000) break;
    }
    demand("beats that came, of 4000 random ones", double(passed), 4000);
    demand("beats that were read", double(dram.counts().reads), 4001);
}

}  // namespace

int main() {
    const DramSetting hbm = dram::hbm(1, true), ddr4 = dram::ddr4(true);
    // Measured on a board: Wang et al., "Shuhai", FCCM 2020.
    latencies("HBM", hbm, 1 / 0.9, 106.7, 122.2, 137.8);
    latencies("DDR4", ddr4, 1 / 1.2, 73.3, 89.9, 106.6);
    for (const DramSetting &s : {hbm, ddr4}) {
        ceilings(s);
        path(s);
        addresses(s);
    }
    addresses(dram::hbm(1, false));
    addresses(dram::ddr4(false));
    demand("models of another name", dram::find("hbm3", 1).has_value(), 0);
    demand("DDR4 behind five channels", dram::find("ddr4", 5).has_value(), 0);
    demand("pseudo-channels behind each of eight channels", 1u << dram::find("hbm", 8)->channelBits, 4);
    return failed != 0;
}
