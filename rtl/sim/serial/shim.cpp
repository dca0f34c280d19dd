// The C interface of spec/wire/serial.h over a Verilated card on a serial line.
//
// tools/sim.py compiles it once for each card: the model is called Vserial, manifest.h has the manifest as PM_SIM_MANIFEST and the line's
// rates as PM_SERIAL_CLOCK and PM_SERIAL_BAUD. The lines are read before a rising edge and driven with it.
#include <cmath>
#include <deque>
#include <memory>
#include <new>

#include "Vserial.h"
#include "manifest.h"
#include "verilated.h"

#pragma GCC visibility push(default)
#include "serial.h"
#pragma GCC visibility pop

namespace {

constexpr double kBit = double(PM_SERIAL_CLOCK) / PM_SERIAL_BAUD;
constexpr int kResetCycles = 8;

// What stands on the line to the card: `count` levels, lowest bit first, each for as long.
struct Symbol {
    unsigned levels;
    int count;
    double cycles;  // of a level; 0: a bit of the line's present rate
};

// The far end's receiver.
struct Ear {
    bool inside = false;
    double next = 0;  // cycle of the next sample
    int count = 0;    // samples taken, the start bit's first
    unsigned bits = 0;
};

}  // namespace

struct pm_serial {
    VerilatedContext context;
    std::unique_ptr<Vserial> card;
    uint64_t cycles = 0;
    bool frozen = false;
    double bit = kBit;

    std::deque<Symbol> sending;
    int level = 0;    // of sending.front(), the present one
    double ends = 0;  // when it is over; after the last one, when that was over

    Ear ear;
    std::deque<uint8_t> received;
    uint64_t broken = 0;

    void speak();
    void listen();
    void tick();
};

void pm_serial::speak() {
    if (sending.empty()) {
        card->rxd = 1;
        return;
    }
    auto length = [&] { return sending.front().cycles > 0 ? sending.front().cycles : bit; };
    if (level == 0 && ends < double(cycles)) ends = double(cycles) + length(), level = 1;  // after a pause
    while (double(cycles) >= ends) {
        if (level == sending.front().count) {
            sending.pop_front();
            level = 0;
            if (sending.empty()) {
                card->rxd = 1;
                return;
            }
        }
        ++level;
        ends += length();
    }
    card->rxd = sending.front().levels >> (level - 1) & 1;
}

void pm_serial::listen() {
    if (!ear.inside) {
        if (card->txd) return;
        ear = {true, double(cycles) + bit / 2, 0, 0};
    }
    if (double(cycles) < ear.next) return;
    ear.next += bit;
    if (ear.count > 0 && ear.count < 9) ear.bits |= unsigned(card->txd) << (ear.count - 1);
    if (ear.count++ < 9) return;
    if (card->txd) received.push_back(uint8_t(ear.bits));
    else ++broken;
    ear.inside = false;
}

void pm_serial::tick() {
    speak();
    card->clk = 0;
    card->eval();
    listen();
    ++cycles;
    if (frozen) return;
    card->clk = 1;
    card->eval();
}

extern "C" {

uint32_t pm_serial_abi(void) { return PM_SERIAL_ABI; }

const char *pm_serial_manifest(void) { return PM_SIM_MANIFEST; }

pm_serial *pm_serial_new(void) try {
    auto s = std::make_unique<pm_serial>();
    s->card = std::make_unique<Vserial>(&s->context, "card");
    s->card->rxd = 1;
    s->card->reset = 1;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
    s->card->reset = 0;
    for (int i = 0; i < kResetCycles; ++i) s->tick();
    // What the line seemed to say before the reset took hold were random register values.
    s->received.clear();
    s->ear = {};
    s->broken = 0;
    return s.release();
} catch (const std::bad_alloc &) {
    return nullptr;
}

void pm_serial_free(pm_serial *s) {
    if (!s) return;
    s->card->final();
    delete s;
}

void pm_serial_send(pm_serial *s, const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; ++i) s->sending.push_back({unsigned(bytes[i]) << 1 | 1u << 9, 10, 0});
}

void pm_serial_level(pm_serial *s, int level, uint64_t cycles) {
    if (cycles > 0) s->sending.push_back({unsigned(level != 0), 1, double(cycles)});
}

size_t pm_serial_pending(const pm_serial *s) { return s->sending.size(); }

uint64_t pm_serial_run(pm_serial *s, uint64_t max_cycles, int until_byte) {
    uint64_t ran = 0;
    for (; ran < max_cycles && !(until_byte && !s->received.empty()); ++ran) s->tick();
    return ran;
}

size_t pm_serial_recv(pm_serial *s, uint8_t *bytes, size_t cap) {
    size_t n = 0;
    for (; n < cap && !s->received.empty(); ++n) {
        bytes[n] = s->received.front();
        s->received.pop_front();
    }
    return n;
}

uint64_t pm_serial_broken(const pm_serial *s) { return s->broken; }

uint64_t pm_serial_cycles(const pm_serial *s) { return s->cycles; }

void pm_serial_skew(pm_serial *s, int parts) { s->bit = kBit * (1 + parts / 1e6); }

void pm_serial_reset(pm_serial *s, int pressed) { s->card->reset = pressed != 0; }

void pm_serial_freeze(pm_serial *s, int frozen) { s->frozen = frozen != 0; }

}  // extern "C"
