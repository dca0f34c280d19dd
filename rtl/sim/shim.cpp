// The C interface of spec/wire/sim.h over a Verilated card.
//
// Compiled once for each card by tools/sim.py: the model is called Vcard whatever the top module's name, the generated
// header manifest.h defines PM_SIM_MANIFEST, the manifest as a string constant, and PM_SIM_MEMORIES(X), which is X(j) for each memory channel;
// VM_TRACE=1 adds waveforms.
//
// One cycle is two evaluations: with the clock low the inputs settle and the handshakes of this cycle are read, then the
// clock rises. A cycle's number, wherever it is reported, is the count of cycles after it; so none is ever 0.
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "Vcard.h"
#include "manifest.h"
#include "memory.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

#pragma GCC visibility push(default)
#include "sim.h"

// For the shell's own tests: queues one packet beat by beat, with any `keep`.
extern "C" void pm_sim_send_beats(pm_sim *s, const uint64_t *data, const uint8_t *keep, size_t n);
#pragma GCC visibility pop

namespace {

struct Beat {
    uint64_t data;
    uint8_t keep;
};

using Packet = std::vector<Beat>;

struct Reply {
    std::vector<uint8_t> bytes;
    uint64_t cycle;
};

// When the n-th packet entered, for the newest packets.
struct Entry {
    uint64_t packet = UINT64_MAX;
    uint64_t first = 0;
    uint64_t last = 0;
};
constexpr uint64_t kEntries = 65536;

constexpr int kResetCycles = 8;

#define PM_SIM_ONE(j) +1
constexpr size_t kMemories = 0 PM_SIM_MEMORIES(PM_SIM_ONE);

// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled".
struct Noise {
    uint64_t state = 1;
    unsigned next256() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return unsigned((state * 0x2545F4914F6CDD1Dull) >> 56);
    }
};

}  // namespace

struct pm_sim {
    VerilatedContext context;
    std::unique_ptr<Vcard> card;
#if VM_TRACE
    std::unique_ptr<VerilatedVcdC> wave;
#endif
    uint64_t cycles = 0;
    bool frozen = false;

    std::deque<Packet> sending;
    size_t beat = 0;      // next beat of sending.front()
    bool offered = false;  // that beat is on the wires and must stay
    uint64_t sent = 0;     // packets that have begun to enter
    std::vector<Entry> entries = std::vector<Entry>(kEntries);

    std::vector<uint8_t> receiving;
    std::deque<Reply> replies;

    unsigned rx_gap = 0, tx_stall = 0;
    Noise noise;

    // Register accesses that were given up are finished before the next one begins.
    bool ar = false, aw = false, w = false;           // offered
    unsigned reads_open = 0, writes_open = 0;         // begun and not answered
    uint32_t read_data = 0;
    int read_code = 0, write_code = 0;

    std::array<Memory, kMemories> memories;
    std::string broken;  // the first rule of AXI4 that the card broke, and where

    void tick();
    void step();
    void drive_memories();
    void cycle_memories();
    bool stands() const { return frozen || !broken.empty(); }
    template <class Done>
    bool until(Done done, uint64_t &budget);
};

void pm_sim::tick() {
    auto &c = *card;

    if (!offered && !sending.empty() && (rx_gap == 0 || noise.next256() >= rx_gap)) {
        const Packet &packet = sending.front();
        c.rx_tvalid = 1;
        c.rx_tdata = packet[beat].data;
        c.rx_tkeep = packet[beat].keep;
        c.rx_tlast = beat + 1 == packet.size();
        offered = true;
    }
    c.tx_tready = tx_stall == 0 || noise.next256() >= tx_stall;
    c.axil_arvalid = ar;
    c.axil_awvalid = aw;
    c.axil_wvalid = w;
    drive_memories();
    c.clk = 0;
    step();

    const bool rx_fire = c.rx_tvalid && c.rx_tready;
    const bool tx_fire = c.tx_tvalid && c.tx_tready;
    const bool ar_fire = ar && c.axil_arready, aw_fire = aw && c.axil_awready, w_fire = w && c.axil_wready;
    ++cycles;

    if (tx_fire) {
        for (int i = 0; i < 8; ++i)
            if (c.tx_tkeep >> i & 1) receiving.push_back(uint8_t(c.tx_tdata >> (8 * i)));
        if (c.tx_tlast) {
            replies.push_back({std::move(receiving), cycles});
            receiving.clear();
        }
    }
    if (c.axil_rvalid) {
        read_data = c.axil_rdata;
        read_code = c.axil_rresp;
        --reads_open;
    }
    if (c.axil_bvalid) {
        write_code = c.axil_bresp;
        --writes_open;
    }

    if (!c.reset) cycle_memories();
    c.clk = 1;
    step();

    if (rx_fire) {
        Entry &entry = entries[(beat == 0 ? sent : sent - 1) % kEntries];
        if (beat == 0) entry = {sent++, cycles, 0};
        if (++beat == sending.front().size()) {
            entry.last = cycles;
            sending.pop_front();
            beat = 0;
        }
        offered = false;
        c.rx_tvalid = 0;
    }
    ar = ar && !ar_fire;
    aw = aw && !aw_fire;
    w = w && !w_fire;
}

void pm_sim::drive_memories() {
#define PM_SIM_DRIVE(j)                                                        \
    {                                                                          \
        const Memory::ToCard &d = memories[j].drives();                        \
        card->mem##j##_awready = d.awready;                                    \
        card->mem##j##_wready = d.wready;                                      \
        card->mem##j##_bvalid = d.bvalid;                                      \
        card->mem##j##_bresp = d.bresp;                                        \
        card->mem##j##_arready = d.arready;                                    \
        card->mem##j##_rvalid = d.rvalid;                                      \
        card->mem##j##_rlast = d.rlast;                                        \
        card->mem##j##_rresp = d.rresp;                                        \
        if (d.rvalid) std::memcpy(card->mem##j##_rdata.data(), d.rdata.data(), kBeatBytes); \
    }
    PM_SIM_MEMORIES(PM_SIM_DRIVE)
}

void pm_sim::cycle_memories() {
    auto one = [this](size_t channel, const Memory::FromCard &wires) {
        Memory &memory = memories[channel];
        memory.cycle(wires);
        if (broken.empty() && !memory.broken.empty()) broken = "memory channel " + std::to_string(channel) + ": " + memory.broken;
    };
#define PM_SIM_CYCLE(j)                                                                                                          \
    {                                                                                                                            \
        auto &c = *card;                                                                                                         \
        Memory::FromCard wires{bool(c.mem##j##_awvalid), bool(c.mem##j##_wvalid), bool(c.mem##j##_bready), bool(c.mem##j##_arvalid), \
                               bool(c.mem##j##_rready)};                                                                         \
        wires.aw = {c.mem##j##_awaddr, c.mem##j##_awlen, c.mem##j##_awsize, c.mem##j##_awburst};                                 \
        wires.ar = {c.mem##j##_araddr, c.mem##j##_arlen, c.mem##j##_arsize, c.mem##j##_arburst};                                 \
        wires.w.strobes = c.mem##j##_wstrb;                                                                                      \
        wires.w.last = c.mem##j##_wlast;                                                                                         \
        if (wires.wvalid) std::memcpy(wires.w.bytes.data(), c.mem##j##_wdata.data(), kBeatBytes);                                \
        one(j, wires);                                                                                                           \
    }
    PM_SIM_MEMORIES(PM_SIM_CYCLE)
    (void)one;
}

inline void pm_sim::step() {
    card->eval();
#if VM_TRACE
    if (wave) wave->dump(2 * cycles - card->clk);
#endif
}

// Runs until `done` or the budget is spent; whether it is done.
template <class Done>
bool pm_sim::until(Done done, uint64_t &budget) {
    for (; !done(); --budget) {
        if (stands()) {
            cycles += budget;
            budget = 0;
        }
        if (budget == 0) return false;
        tick();
    }
    return true;
}

extern "C" {

uint32_t pm_sim_abi(void) { return PM_SIM_ABI; }

const char *pm_sim_manifest(void) { return PM_SIM_MANIFEST; }

pm_sim *pm_sim_new(void) try {
    auto s = std::make_unique<pm_sim>();
#if VM_TRACE
    s->context.traceEverOn(true);
#endif
    s->card = std::make_unique<Vcard>(&s->context, "card");
    auto &c = *s->card;
    c.rx_tvalid = 0;
    c.axil_rready = 1;
    c.axil_bready = 1;
    c.reset = 1;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
    c.reset = 0;
    // What the doors seemed to do before the reset took hold were random register values.
    s->receiving.clear();
    s->replies.clear();
    s->reads_open = s->writes_open = 0;
    return s.release();
} catch (const std::bad_alloc &) {
    return nullptr;
}

void pm_sim_free(pm_sim *s) {
    if (!s) return;
#if VM_TRACE
    if (s->wave) s->wave->close();
#endif
    s->card->final();
    delete s;
}

int pm_sim_trace(pm_sim *s, const char *path) {
#if VM_TRACE
    auto wave = std::make_unique<VerilatedVcdC>();
    if (s->wave) s->wave->close();
    s->wave.reset();
    s->card->trace(wave.get(), 99);
    wave->open(path);
    if (!wave->isOpen()) return -2;
    s->wave = std::move(wave);
    return 0;
#else
    (void)s, (void)path;
    return -1;
#endif
}

void pm_sim_send(pm_sim *s, const uint8_t *bytes, size_t n) {
    if (n == 0) return;
    Packet packet((n + 7) / 8, Beat{0, 0xff});
    for (size_t i = 0; i < packet.size(); ++i) {
        const size_t here = n - 8 * i < 8 ? n - 8 * i : 8;
        for (size_t j = 0; j < here; ++j) packet[i].data |= uint64_t(bytes[8 * i + j]) << (8 * j);
        packet[i].keep = uint8_t((1u << here) - 1);
    }
    s->sending.push_back(std::move(packet));
}

void pm_sim_send_beats(pm_sim *s, const uint64_t *data, const uint8_t *keep, size_t n) {
    if (n == 0) return;
    Packet packet(n);
    for (size_t i = 0; i < n; ++i) packet[i] = {data[i], keep[i]};
    s->sending.push_back(std::move(packet));
}

size_t pm_sim_pending(const pm_sim *s) { return s->sending.size(); }

uint64_t pm_sim_run(pm_sim *s, uint64_t max_cycles, int until_packet) {
    const uint64_t before = s->cycles;
    s->until([&] { return until_packet && !s->replies.empty(); }, max_cycles);
    return s->cycles - before;
}

size_t pm_sim_recv(pm_sim *s, uint8_t *bytes, size_t cap, uint64_t *cycle) {
    if (s->replies.empty()) return 0;
    const Reply &reply = s->replies.front();
    const size_t n = reply.bytes.size();
    if (n > cap) return n;
    std::memcpy(bytes, reply.bytes.data(), n);
    if (cycle) *cycle = reply.cycle;
    s->replies.pop_front();
    return n;
}

uint64_t pm_sim_cycles(const pm_sim *s) { return s->cycles; }

uint64_t pm_sim_first_word(const pm_sim *s, uint64_t n) {
    const Entry &entry = s->entries[n % kEntries];
    return entry.packet == n ? entry.first : 0;
}

uint64_t pm_sim_last_word(const pm_sim *s, uint64_t n) {
    const Entry &entry = s->entries[n % kEntries];
    return entry.packet == n ? entry.last : 0;
}

int pm_sim_reg_read(pm_sim *s, uint32_t addr, uint32_t *value, uint64_t max_cycles) {
    auto settled = [&] { return s->reads_open == 0; };
    if (!s->until(settled, max_cycles)) return -1;
    s->card->axil_araddr = uint16_t(addr);
    s->ar = true;
    s->reads_open = 1;
    if (!s->until(settled, max_cycles)) return -1;
    *value = s->read_data;
    return s->read_code;
}

int pm_sim_reg_write(pm_sim *s, uint32_t addr, uint32_t value, uint64_t max_cycles) {
    auto settled = [&] { return s->writes_open == 0; };
    if (!s->until(settled, max_cycles)) return -1;
    s->card->axil_awaddr = uint16_t(addr);
    s->card->axil_wdata = value;
    s->card->axil_wstrb = 0xf;
    s->aw = s->w = true;
    s->writes_open = 1;
    if (!s->until(settled, max_cycles)) return -1;
    return s->write_code;
}

void pm_sim_jitter(pm_sim *s, uint64_t seed, unsigned rx_gap, unsigned tx_stall) {
    s->noise.state = seed * 2 + 1;
    s->rx_gap = rx_gap;
    s->tx_stall = tx_stall;
}

int pm_sim_memory(pm_sim *s, unsigned latency, unsigned gap, unsigned bursts) {
    const MemoryTiming timing{latency, gap, bursts};
    if (!timing.valid()) return -1;
    for (Memory &memory : s->memories) memory.timing = timing;
    return 0;
}

int pm_sim_memory_model(pm_sim *s, const char *name) {
    const std::string wanted = name;
    if (wanted != "ideal" && !dram::find(wanted, kMemories)) return -1;
    for (Memory &memory : s->memories)
        if (memory.busy()) return -1;
    for (Memory &memory : s->memories) memory.setDram(wanted == "ideal" ? nullptr : std::make_unique<Dram>(*dram::find(wanted, kMemories)));
    return 0;
}

int pm_sim_memory_counts(const pm_sim *s, unsigned channel, uint64_t counts[6]) {
    if (channel >= kMemories) return -1;
    const DramCounts c = s->memories[channel].counts();
    const uint64_t all[] = {c.reads, c.writes, c.opened, c.closed, c.refreshes, c.turns};
    std::copy(std::begin(all), std::end(all), counts);
    return 0;
}

int pm_sim_memory_fault(pm_sim *s, unsigned channel, uint64_t address, uint64_t end) {
    if (channel >= kMemories) return -1;
    Memory &memory = s->memories[channel];
    memory.faultFrom = address;
    memory.faultTo = end;
    return 0;
}

const char *pm_sim_broken(const pm_sim *s) { return s->broken.empty() ? nullptr : s->broken.c_str(); }

void pm_sim_freeze(pm_sim *s, int frozen) { s->frozen = frozen != 0; }

}  // extern "C"
