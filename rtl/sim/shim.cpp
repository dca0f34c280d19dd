// The C interface of spec/wire/sim.h over a Verilated card.
//
// Compiled once for each card by tools/sim.py: the model is called Vcard whatever the top module's name, the generated
// header manifest.h defines PM_SIM_MANIFEST, the manifest as a string constant, and PM_SIM_MEMORIES(X), which is X(j) for each memory channel;
// VM_TRACE=1 adds waveforms. PM_SIM_PCIE=1 is a card behind a bridge for PCIe: beats of eight words, three clocks, and a port to the memory where
// PM_SIM_DOOR=1. PM_SIM_F2=1 is one behind the shell of AWS F2, with those clocks, and buses instead of streams.
//
// One cycle is two evaluations: with the clock low the inputs settle and the handshakes of this cycle are read, then the
// clock rises. A cycle's number, wherever it is reported, is the count of cycles after it; so none is ever 0. What stands at the card's ports does
// the same three things: it drives them, notes what happens in the cycle, and settles when the clock has risen.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "Vcard.h"
#include "channels.h"
#include "clocks.h"
#include "memory_port.h"
#include "jitter.h"
#include "manifest.h"
#include "packets.h"
#include "registers.h"
#include "slot.h"
#include "verilated.h"
#include "wave.h"

#pragma GCC visibility push(default)
#include "sim.h"

// For the shell's own tests: queues one packet beat by beat, with any `keep`.
extern "C" void pm_sim_send_beats(pm_sim *s, const uint64_t *data, const uint8_t *keep, size_t n);
#pragma GCC visibility pop

namespace {

constexpr int kResetCycles = PM_SIM_PCIE ? 200 : 8;

// Registers and memories hold anything before the reset, by this seed.
int seed() {
    const char *chosen = std::getenv("PROOFMILL_SIM_SEED");
    return chosen ? int(std::strtoull(chosen, nullptr, 10) & 0x3fffffff) + 1 : 1;
}

}  // namespace

struct pm_sim {
    VerilatedContext context;
    std::unique_ptr<Vcard> card;
    Wave wave;
    uint64_t cycles = 0;
    bool frozen = false;
    std::string broken;  // the first rule of AXI4 or of F2's shell that the card broke, and where

    Jitter jitter;
    Registers registers;
    Packets packets;
    Door door;
    Slot slot{jitter.noise};
    Channels channels;
    Clocks clocks;
    Resets resets;

    void tick();
    void step() {
        card->eval();
        wave.step();
    }
    void drive();
    void note();
    void settle();
    void reset();
    void forget();
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
    reset();
    for (;;) switch (clocks.next()) {
        case kBridge:
            drive();
            edge(c.clk, [this] { note(); }, [this] { settle(); });
            break;
        case kMemory:
            channels.drive(c);
            if (!c.memory_resetn)
                for (Memory &memory : channels.memories) memory.reset();
            edge(c.memory_clk, [this] { if (card->memory_resetn) channels.cycle(*card, broken); }, nothing);
            break;
        case kCard:
            ++cycles;
            if (cycles >= resets.card_clock) edge(c.card_clk, nothing, nothing);
            return;
        }
}

// The bridge knows nothing of what it was sending and receiving.
void pm_sim::forget() {
    slot.shell.reset();
    packets.forget(*card);
    door.forget(*card);
    registers.forget();
}

void pm_sim::reset() {
    card->resetn = cycles >= resets.bridge;
    card->memory_resetn = cycles >= resets.memory;
#if !PM_SIM_F2
    card->irq_ack = card->irq;
#endif
}
#else
void pm_sim::forget() {}

void pm_sim::tick() {
    auto &c = *card;
    drive();
    channels.drive(c);
    c.clk = 0;
    step();
    ++cycles;
    note();
    if (!c.reset) channels.cycle(c, broken);
    c.clk = 1;
    step();
    settle();
}
#endif

void pm_sim::drive() {
    registers.drive(*card);
#if PM_SIM_F2
    slot.drive(*card, jitter);
#else
    packets.drive(*card, jitter);
    door.drive(*card, jitter);
#endif
}

// Handshakes of this cycle, before the clock rises.
void pm_sim::note() {
    registers.note(*card);
#if PM_SIM_F2
    slot.note(*card, registers, broken);
#else
    packets.note(*card, cycles);
    door.note(*card);
#endif
}

void pm_sim::settle() {
    registers.settle();
#if !PM_SIM_F2
    packets.settle(*card, cycles);
    door.settle(*card);
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
    s->context.randReset(2);
    s->context.randSeed(seed());
    s->wave.power_up(s->context);
    s->card = std::make_unique<Vcard>(&s->context, "card");
    auto &c = *s->card;
#if !PM_SIM_F2
    s->packets.power_up(c);
#endif
    s->door.power_up(c);
    s->registers.power_up(c);
#if PM_SIM_PCIE
    s->resets.bridge = s->resets.memory = kResetCycles / 2;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
#else
    c.reset = 1;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
    c.reset = 0;
#endif
    // What the doors seemed to do before the reset took hold were random register values.
    s->packets.discard();
    s->door.discard();
    s->registers.answered();
    return s.release();
} catch (const std::bad_alloc &) {
    return nullptr;
}

void pm_sim_free(pm_sim *s) {
    if (!s) return;
    s->wave.close();
    s->card->final();
    delete s;
}

int pm_sim_trace(pm_sim *s, const char *path) { return s->wave.open(*s->card, path); }

void pm_sim_send(pm_sim *s, const uint8_t *bytes, size_t n) {
    if (n != 0) s->packets.sending.push_back(packet_of(bytes, n));
}

void pm_sim_send_beats(pm_sim *s, const uint64_t *data, const uint8_t *keep, size_t n) {
    if (n == 0) return;
    Packet packet(n);
    for (size_t i = 0; i < n; ++i) packet[i] = {data[i], keep[i]};
    s->packets.sending.push_back(std::move(packet));
}

size_t pm_sim_pending(const pm_sim *s) { return s->packets.sending.size(); }

uint64_t pm_sim_run(pm_sim *s, uint64_t max_cycles, int until_packet) {
    const uint64_t before = s->cycles;
    const uint64_t written = s->slot.shell.written;
    const auto waits = [&] {
        return ((until_packet & 1) && !s->packets.replies.empty()) || ((until_packet & 2) && !s->door.answers.empty()) ||
               ((until_packet & 4) && s->slot.shell.written != written);
    };
    s->until(waits, max_cycles);
    return s->cycles - before;
}

size_t pm_sim_recv(pm_sim *s, uint8_t *bytes, size_t cap, uint64_t *cycle) {
    if (s->packets.replies.empty()) return 0;
    const Reply &reply = s->packets.replies.front();
    const size_t n = reply.bytes.size();
    if (n > cap) return n;
    std::memcpy(bytes, reply.bytes.data(), n);
    if (cycle) *cycle = reply.cycle;
    s->packets.replies.pop_front();
    return n;
}

int pm_sim_door_send(pm_sim *s, const uint8_t *bytes, size_t n) {
    if (!Door::kHere || n == 0 || n % kBeatBytes) return -1;
    s->door.transfers.emplace_back(bytes, bytes + n);
    return 0;
}

size_t pm_sim_door_recv(pm_sim *s, uint8_t *bytes, size_t cap) {
    if (s->door.answers.empty()) return 0;
    const auto &answer = s->door.answers.front();
    const size_t n = answer.size();
    if (n > cap) return n;
    std::memcpy(bytes, answer.data(), n);
    s->door.answers.pop_front();
    return n;
}

int pm_sim_pcis_write(pm_sim *s, uint64_t address, const uint8_t *bytes, size_t n) {
    if (!PM_SIM_F2 || n == 0) return -1;
    s->slot.shell.store(address, bytes, n);
    return 0;
}

size_t pm_sim_pcis_pending(const pm_sim *s) { return s->slot.shell.pending(); }

int pm_sim_pcim_memory(pm_sim *s, uint64_t base, uint8_t *bytes, size_t n) {
    if (!PM_SIM_F2) return -1;
    s->slot.shell.memory(base, bytes, n);
    return 0;
}

uint64_t pm_sim_pcim_written(const pm_sim *s) { return s->slot.shell.written; }

int pm_sim_reset(pm_sim *s, int which, uint64_t cycles) {
    if (!PM_SIM_PCIE || which < 0 || which > 3) return -1;
    const uint64_t end = s->cycles + cycles;
    if (which == 0) s->resets.bridge = end;
    if (which == 1) s->resets.memory = end;
    if (which == 3) s->resets.card_clock = end;
    if (which == 0 || (which == 2 && !PM_SIM_F2)) s->forget();  // what a host has stored is on its way whether it lives or not
    return 0;
}

uint64_t pm_sim_cycles(const pm_sim *s) { return s->cycles; }

uint64_t pm_sim_first_word(const pm_sim *s, uint64_t n) { return s->packets.first_word(n); }

uint64_t pm_sim_last_word(const pm_sim *s, uint64_t n) { return s->packets.last_word(n); }

int pm_sim_reg_read(pm_sim *s, uint32_t addr, uint32_t *value, uint64_t max_cycles) {
    auto settled = [&] { return s->registers.no_reads(); };
    if (!s->until(settled, max_cycles)) return -1;
    s->registers.begin_read(*s->card, addr);
    if (!s->until(settled, max_cycles)) return -1;
    *value = s->registers.data;
    return s->registers.read_code;
}

int pm_sim_reg_write(pm_sim *s, uint32_t addr, uint32_t value, uint64_t max_cycles) {
    auto settled = [&] { return s->registers.no_writes(); };
    if (!s->until(settled, max_cycles)) return -1;
    s->registers.begin_write(*s->card, addr, value);
    if (!s->until(settled, max_cycles)) return -1;
    return s->registers.write_code;
}

void pm_sim_jitter(pm_sim *s, uint64_t seed, unsigned rx_gap, unsigned tx_stall) {
    s->jitter.noise.state = seed * 2 + 1;
    s->jitter.gap = rx_gap;
    s->jitter.stall = tx_stall;
}

int pm_sim_memory(pm_sim *s, unsigned latency, unsigned gap, unsigned bursts) {
    const MemoryTiming timing{latency, gap, bursts};
    if (!timing.valid()) return -1;
    for (Memory &memory : s->channels.memories) memory.timing = timing;
    return 0;
}

int pm_sim_memory_model(pm_sim *s, const char *name) {
    const std::string wanted = name;
    if (wanted != "ideal" && !dram::find(wanted, Channels::kCount)) return -1;
    for (Memory &memory : s->channels.memories)
        if (memory.busy()) return -1;
    for (Memory &memory : s->channels.memories) memory.setDram(wanted == "ideal" ? nullptr : std::make_unique<Dram>(*dram::find(wanted, Channels::kCount)));
    return 0;
}

int pm_sim_memory_counts(const pm_sim *s, unsigned channel, uint64_t counts[6]) {
    if (channel >= Channels::kCount) return -1;
    const DramCounts c = s->channels.memories[channel].counts();
    const uint64_t all[] = {c.reads, c.writes, c.opened, c.closed, c.refreshes, c.turns};
    std::copy(std::begin(all), std::end(all), counts);
    return 0;
}

int pm_sim_memory_write(pm_sim *s, unsigned channel, uint64_t address, const uint8_t *bytes, size_t n) {
    if (channel >= Channels::kCount) return -1;
    s->channels.memories[channel].write(address, bytes, n);
    return 0;
}

int pm_sim_memory_read(pm_sim *s, unsigned channel, uint64_t address, uint8_t *bytes, size_t n) {
    if (channel >= Channels::kCount) return -1;
    s->channels.memories[channel].read(address, bytes, n);
    return 0;
}

int pm_sim_memory_fault(pm_sim *s, unsigned channel, uint64_t address, uint64_t end) {
    if (channel >= Channels::kCount) return -1;
    Memory &memory = s->channels.memories[channel];
    memory.faultFrom = address;
    memory.faultTo = end;
    return 0;
}

const char *pm_sim_broken(const pm_sim *s) { return s->broken.empty() ? nullptr : s->broken.c_str(); }

void pm_sim_freeze(pm_sim *s, int frozen) { s->frozen = frozen != 0; }

}  // extern "C"
