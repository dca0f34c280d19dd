// The C interface of spec/wire/sim.h over a Verilated card.
//
// Compiled once for each card by tools/sim.py: the model is called Vcard whatever the top module's name, the generated
// header manifest.h defines PM_SIM_MANIFEST, the manifest as a string constant, and PM_SIM_MEMORIES(X), which is X(j) for each memory channel;
// VM_TRACE=1 adds waveforms. PM_SIM_PCIE=1 is a card behind a bridge for PCIe: beats of eight words, three clocks, and a door to the memory where
// PM_SIM_DOOR=1. PM_SIM_F2=1 is one behind the shell of AWS F2, with those clocks, and buses instead of streams.
//
// One cycle is two evaluations: with the clock low the inputs settle and the handshakes of this cycle are read, then the
// clock rises. A cycle's number, wherever it is reported, is the count of cycles after it; so none is ever 0.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "Vcard.h"
#include "f2_shell.h"
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

constexpr int kResetCycles = PM_SIM_PCIE ? 200 : 8;
constexpr size_t kWords = PM_SIM_PCIE ? 8 : 1;  // of a beat of packets

#if PM_SIM_F2
#define PM_SIM_REGISTERS(signal) ocl_##signal
#else
#define PM_SIM_REGISTERS(signal) axil_##signal
#endif

// The clock whose edge comes next. Periods in ps, of no common measure that matters.
enum Clock { kBridge, kCard, kMemory };
struct Clocks {
    static constexpr uint64_t kPeriod[] = {4000, 3333, 3077};
    uint64_t due[3] = {1000, 3333, 500};
    Clock next() {
        const Clock first = Clock(std::min_element(due, due + 3) - due);
        due[first] += kPeriod[first];
        return first;
    }
};

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
    F2Shell<Noise> shell{noise};

    // Register accesses that were given up are finished before the next one begins.
    bool ar = false, aw = false, w = false;           // offered
    unsigned reads_open = 0, writes_open = 0;         // begun and not answered
    uint32_t read_data = 0;
    int read_code = 0, write_code = 0;

    std::array<Memory, kMemories> memories;
    std::string broken;  // the first rule of AXI4 that the card broke, and where

    // What the doors did in the cycle under way.
    bool rx_fire = false, ar_fire = false, aw_fire = false, w_fire = false;

    // The door to the memory.
    std::deque<std::vector<uint8_t>> transfers;
    size_t transferred = 0;  // bytes of transfers.front()
    bool door_offered = false, door_fire = false;
    std::vector<uint8_t> answering;
    std::deque<std::vector<uint8_t>> answers;

    Clocks clocks;
    unsigned answer_waits = 0;     // cycles, for a register
    uint64_t reset_until[4] = {};  // of the bridge, of the memory, none, and until when the engines' clock stands; in cycles
    uint64_t steps = 0;

    void tick();
    void step();
    void drive_doors();
    void note_doors();
    void settle_doors();
    void drive_packets();
    void note_packets();
    void settle_packets();
    void drive_door();
    void note_door();
    void settle_door();
    void resets();
    void forget();
    void drive_memories();
    void cycle_memories();
    bool stands() const { return frozen || !broken.empty(); }
    template <class Done>
    bool until(Done done, uint64_t &budget);
};

// One cycle of the card.
#if PM_SIM_PCIE
void pm_sim::tick() {
    auto &c = *card;
    auto edge = [this](CData &clock, auto before, auto after) {
        clock = 0;
        step();
        before();
        clock = 1;
        step();
        after();
    };
    const auto nothing = [] {};
    resets();
    for (;;) switch (clocks.next()) {
        case kBridge:
            drive_doors();
            edge(c.clk, [this] { note_doors(); }, [this] { settle_doors(); });
            break;
        case kMemory:
            drive_memories();
            if (!c.memory_resetn)
                for (Memory &memory : memories) memory.reset();
            edge(c.memory_clk, [this] { if (card->memory_resetn) cycle_memories(); }, nothing);
            break;
        case kCard:
            ++cycles;
            if (cycles >= reset_until[3]) edge(c.card_clk, nothing, nothing);
            return;
        }
}

// The bridge knows nothing of what it was sending and receiving.
void pm_sim::forget() {
    shell.reset();
    sending.clear();
    transfers.clear();
    receiving.clear();
    answering.clear();
    beat = transferred = 0;
    offered = door_offered = ar = aw = w = false;
    reads_open = writes_open = 0;
#if !PM_SIM_F2
    card->rx_tvalid = 0;
#if PM_SIM_DOOR
    card->door_rx_tvalid = 0;
#endif
#endif
}

void pm_sim::resets() {
    card->resetn = cycles >= reset_until[0];
    card->memory_resetn = cycles >= reset_until[1];
#if !PM_SIM_F2
    card->irq_ack = card->irq;
#endif
}
#else
void pm_sim::forget() {}

void pm_sim::tick() {
    auto &c = *card;
    drive_doors();
    drive_memories();
    c.clk = 0;
    step();
    ++cycles;
    note_doors();
    if (!c.reset) cycle_memories();
    c.clk = 1;
    step();
    settle_doors();
}
#endif

// A beat of eight words lies in 16 words of 32 bits, one of one word in one of 64.
template <class Wires>
void put(Wires &wires, const Beat *words, size_t n) {
    uint64_t data[kWords] = {};
    for (size_t i = 0; i < n; ++i) data[i] = words[i].data;
    std::memcpy(&wires, data, sizeof data);
}

void pm_sim::drive_doors() {
    auto &c = *card;
    c.PM_SIM_REGISTERS(arvalid) = ar;
    c.PM_SIM_REGISTERS(awvalid) = aw;
    c.PM_SIM_REGISTERS(wvalid) = w;
    drive_packets();
}

// Handshakes of this cycle, before the clock rises.
void pm_sim::note_doors() {
    auto &c = *card;
    ar_fire = ar && c.PM_SIM_REGISTERS(arready);
    aw_fire = aw && c.PM_SIM_REGISTERS(awready);
    w_fire = w && c.PM_SIM_REGISTERS(wready);
    if (c.PM_SIM_REGISTERS(rvalid)) {
        read_data = c.PM_SIM_REGISTERS(rdata);
        read_code = c.PM_SIM_REGISTERS(rresp);
        --reads_open;
    }
    if (c.PM_SIM_REGISTERS(bvalid)) {
        write_code = c.PM_SIM_REGISTERS(bresp);
        --writes_open;
    }
    note_packets();
}

void pm_sim::settle_doors() {
    ar = ar && !ar_fire;
    aw = aw && !aw_fire;
    w = w && !w_fire;
    settle_packets();
}

#if PM_SIM_F2
void pm_sim::drive_packets() {
    auto &c = *card;
    const auto &d = shell.drives();
    shell.gap = rx_gap;
    shell.stall = tx_stall;
    c.pcis_awvalid = d.awvalid;
    c.pcis_awid = c.pcis_arid = shell.kId;
    c.pcis_awaddr = d.aw.address;
    c.pcis_awlen = d.aw.len;
    c.pcis_awsize = c.pcis_arsize = 6;
    c.pcis_awburst = c.pcis_arburst = 1;
    c.pcis_wvalid = d.wvalid;
    c.pcis_wstrb = d.w.strobes;
    c.pcis_wlast = d.w.last;
    std::memcpy(c.pcis_wdata.data(), d.w.bytes.data(), kBeatBytes);
    c.pcis_bready = d.bready;
    c.pcis_arvalid = d.arvalid;
    c.pcis_araddr = d.ar.address;
    c.pcis_arlen = d.ar.len;
    c.pcis_rready = d.rready;
    c.pcim_awready = d.pawready;
    c.pcim_wready = d.pwready;
    c.pcim_bvalid = d.pbvalid;
    c.pcim_bresp = d.pbresp;
    c.pcim_arready = 1;
    c.pcim_rvalid = 0;
}

void pm_sim::note_packets() {
    auto &c = *card;
    if (!c.resetn) return shell.reset();
    F2Shell<Noise>::FromCard wires{bool(c.pcis_awready), bool(c.pcis_wready), bool(c.pcis_bvalid), bool(c.pcis_arready), bool(c.pcis_rvalid),
                                   bool(c.pcis_rlast),   c.pcis_bid,          c.pcis_rid,          c.pcis_bresp,         c.pcis_rresp,
                                   bool(c.pcim_awvalid), bool(c.pcim_wvalid), bool(c.pcim_bready), bool(c.pcim_arvalid)};
    wires.paw = {c.pcim_awaddr, c.pcim_awlen, c.pcim_awsize, c.pcim_awburst};
    wires.pw.strobes = c.pcim_wstrb;
    wires.pw.last = c.pcim_wlast;
    if (wires.pwvalid) std::memcpy(wires.pw.bytes.data(), c.pcim_wdata.data(), kBeatBytes);
    shell.cycle(wires);
    answer_waits = ar || aw || w || reads_open || writes_open ? answer_waits + 1 : 0;
    if (answer_waits > shell.kPatience && broken.empty()) broken = "OCL: no answer within 8 us";
    if (broken.empty() && !shell.broken.empty()) broken = shell.broken;
}

void pm_sim::settle_packets() {}
#else
void pm_sim::drive_packets() {
    auto &c = *card;
    if (!offered && !sending.empty() && (rx_gap == 0 || noise.next256() >= rx_gap)) {
        const Packet &packet = sending.front();
        const size_t n = std::min(kWords, packet.size() - beat);
        uint64_t keep = 0;
        for (size_t i = 0; i < n; ++i) keep |= uint64_t(packet[beat + i].keep) << (8 * i);
        put(c.rx_tdata, &packet[beat], n);
        c.rx_tvalid = 1;
        c.rx_tkeep = keep;
        c.rx_tlast = beat + kWords >= packet.size();
        offered = true;
    }
    c.tx_tready = tx_stall == 0 || noise.next256() >= tx_stall;
    drive_door();
}

void pm_sim::note_packets() {
    auto &c = *card;
    rx_fire = c.rx_tvalid && c.rx_tready;
    if (c.tx_tvalid && c.tx_tready) {
        uint8_t bytes[8 * kWords];
        std::memcpy(bytes, &c.tx_tdata, sizeof bytes);
        for (size_t i = 0; i < sizeof bytes; ++i)
            if (uint64_t(c.tx_tkeep) >> i & 1) receiving.push_back(bytes[i]);
        if (c.tx_tlast) {
            replies.push_back({std::move(receiving), cycles});
            receiving.clear();
        }
    }
    note_door();
}

void pm_sim::settle_packets() {
    if (rx_fire) {
        Entry &entry = entries[(beat == 0 ? sent : sent - 1) % kEntries];
        if (beat == 0) entry = {sent++, cycles, 0};
        beat += kWords;
        if (beat >= sending.front().size()) {
            entry.last = cycles;
            sending.pop_front();
            beat = 0;
        }
        offered = false;
        card->rx_tvalid = 0;
    }
    settle_door();
}
#endif

#if PM_SIM_DOOR && !PM_SIM_F2
void pm_sim::drive_door() {
    auto &c = *card;
    if (!door_offered && !transfers.empty() && (rx_gap == 0 || noise.next256() >= rx_gap)) {
        const auto &bytes = transfers.front();
        std::memcpy(&c.door_rx_tdata, &bytes[transferred], kBeatBytes);
        c.door_rx_tkeep = ~uint64_t(0);
        c.door_rx_tlast = transferred + kBeatBytes == bytes.size();
        c.door_rx_tvalid = 1;
        door_offered = true;
    }
    c.door_tx_tready = tx_stall == 0 || noise.next256() >= tx_stall;
}

void pm_sim::note_door() {
    auto &c = *card;
    door_fire = c.door_rx_tvalid && c.door_rx_tready;
    if (!c.door_tx_tvalid || !c.door_tx_tready) return;
    const size_t n = answering.size();
    answering.resize(n + kBeatBytes);
    std::memcpy(&answering[n], &c.door_tx_tdata, kBeatBytes);
    if (!c.door_tx_tlast) return;
    answers.push_back(std::move(answering));
    answering.clear();
}

void pm_sim::settle_door() {
    if (!door_fire) return;
    transferred += kBeatBytes;
    if (transferred == transfers.front().size()) {
        transfers.pop_front();
        transferred = 0;
    }
    door_offered = false;
    card->door_rx_tvalid = 0;
}
#else
void pm_sim::drive_door() {}
void pm_sim::note_door() {}
void pm_sim::settle_door() {}
#endif

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
    if (wave) wave->dump(++steps);
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
#if !PM_SIM_F2
    c.rx_tvalid = 0;
#endif
    c.PM_SIM_REGISTERS(rready) = 1;
    c.PM_SIM_REGISTERS(bready) = 1;
#if PM_SIM_PCIE
    s->reset_until[0] = s->reset_until[1] = kResetCycles / 2;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
#else
    c.reset = 1;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
    c.reset = 0;
#endif
    // What the doors seemed to do before the reset took hold were random register values.
    s->receiving.clear();
    s->replies.clear();
    s->answering.clear();
    s->answers.clear();
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
    const uint64_t written = s->shell.written;
    const auto waits = [&] {
        return ((until_packet & 1) && !s->replies.empty()) || ((until_packet & 2) && !s->answers.empty()) ||
               ((until_packet & 4) && s->shell.written != written);
    };
    s->until(waits, max_cycles);
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

int pm_sim_door_send(pm_sim *s, const uint8_t *bytes, size_t n) {
    if (!PM_SIM_DOOR || n == 0 || n % kBeatBytes) return -1;
    s->transfers.emplace_back(bytes, bytes + n);
    return 0;
}

size_t pm_sim_door_recv(pm_sim *s, uint8_t *bytes, size_t cap) {
    if (s->answers.empty()) return 0;
    const auto &answer = s->answers.front();
    const size_t n = answer.size();
    if (n > cap) return n;
    std::memcpy(bytes, answer.data(), n);
    s->answers.pop_front();
    return n;
}

int pm_sim_pcis_write(pm_sim *s, uint64_t address, const uint8_t *bytes, size_t n) {
    if (!PM_SIM_F2 || n == 0) return -1;
    s->shell.store(address, bytes, n);
    return 0;
}

size_t pm_sim_pcis_pending(const pm_sim *s) { return s->shell.pending(); }

int pm_sim_pcim_memory(pm_sim *s, uint64_t base, uint8_t *bytes, size_t n) {
    if (!PM_SIM_F2) return -1;
    s->shell.memory(base, bytes, n);
    return 0;
}

uint64_t pm_sim_pcim_written(const pm_sim *s) { return s->shell.written; }

int pm_sim_reset(pm_sim *s, int which, uint64_t cycles) {
    if (!PM_SIM_PCIE || which < 0 || which > 3) return -1;
    if (which != 2) s->reset_until[which] = s->cycles + cycles;
    if (which == 0 || (which == 2 && !PM_SIM_F2)) s->forget();  // what a host has stored is on its way whether it lives or not
    return 0;
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
    s->card->PM_SIM_REGISTERS(araddr) = addr;
    s->ar = true;
    s->reads_open = 1;
    if (!s->until(settled, max_cycles)) return -1;
    *value = s->read_data;
    return s->read_code;
}

int pm_sim_reg_write(pm_sim *s, uint32_t addr, uint32_t value, uint64_t max_cycles) {
    auto settled = [&] { return s->writes_open == 0; };
    if (!s->until(settled, max_cycles)) return -1;
    s->card->PM_SIM_REGISTERS(awaddr) = addr;
    s->card->PM_SIM_REGISTERS(wdata) = value;
    s->card->PM_SIM_REGISTERS(wstrb) = 0xf;
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
