// The rules that the shell's guard keeps whatever an engine does, so that no card can break them: memory.h must tell all the same.
// Plays an AXI4 master by hand; prints what was told in each case, and ends with 1 when it was not what the case expects.
#include "../memory.h"

namespace {

using Wires = Memory::FromCard;

constexpr Memory::Address kTwoBeats{0, 1, 6, 1};

Wires address(bool write, Memory::Address at) {
    Wires wires{};
    (write ? wires.awvalid : wires.arvalid) = true;
    (write ? wires.aw : wires.ar) = at;
    return wires;
}

Wires data(bool last, uint8_t content = 0) {
    Wires wires{};
    wires.wvalid = true;
    wires.w.bytes.fill(content);
    wires.w.last = last;
    return wires;
}

struct Case {
    const char *told;
    std::vector<Wires> cycles;
};

const Wires kIdle{};

const std::vector<Case> kCases{
    {"", {kIdle, address(true, kTwoBeats), data(false), data(true)}},
    {"", {kIdle, address(false, kTwoBeats)}},
    {"the last beat of a write is not marked", {kIdle, address(true, kTwoBeats), data(false), data(false)}},
    {"a beat of a write that is not its last is marked so", {kIdle, address(true, kTwoBeats), data(true)}},
    {"a burst is not incremental", {address(false, {0, 1, 6, 2})}},
    {"a burst is not of whole beats", {address(true, {0, 1, 5, 1})}},
    // In the first cycle, as after power-up, nothing is taken.
    {"", {address(false, kTwoBeats), address(false, kTwoBeats)}},
    {"a read's address did not stay offered", {address(false, kTwoBeats), kIdle}},
    {"a read's address did not stay offered", {address(false, kTwoBeats), address(false, {64, 1, 6, 1})}},
    {"a write's address did not stay offered", {address(true, kTwoBeats), address(true, {0, 2, 6, 1})}},
    {"", {data(false), data(false)}},
    {"a write's data did not stay offered", {data(false), kIdle}},
    {"a write's data did not stay offered", {data(false, 1), data(false, 2)}},
};

}  // namespace

int main() {
    int failed = 0;
    for (const Case &entry : kCases) {
        Memory memory;
        for (const Wires &wires : entry.cycles) memory.cycle(wires);
        const std::string wanted = entry.told;
        const bool good = wanted.empty() ? memory.broken.empty() : memory.broken.compare(0, wanted.size(), wanted) == 0;
        std::printf("%s %s\n", good ? "ok    " : "FAILED", memory.broken.empty() ? "nothing" : memory.broken.c_str());
        failed += !good;
    }
    return failed != 0;
}
