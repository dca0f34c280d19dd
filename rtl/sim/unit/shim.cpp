// A Verilated unit behind one C function: operands in, results out, cycle for cycle.
//
// The unit is a `NamedUnit`: clk, reset, in_valid, out_valid, a port for each operand and result, and in_ready and
// out_ready where it may wait. ports.h, which tools/sim.py writes, accesses the ports: operands are arrays of 32-bit
// values, lowest first, one port after another. rtl/sim/unit.py is the caller.

#include <cstdint>
#include <cstring>
#include <memory>

#include "Vunit.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

// Verilator gives a port the narrowest type that holds it; arrays above 64 bits.
template <typename T> void put(T& port, const uint32_t* from) {
    if constexpr (sizeof(T) <= 8) {
        uint64_t value = from[0];
        if (sizeof(T) == 8) value |= uint64_t(from[1]) << 32;
        port = static_cast<T>(value);
    } else {
        std::memcpy(&port, from, sizeof(T));
    }
}

template <typename T> void get(const T& port, uint32_t* to) {
    if constexpr (sizeof(T) <= 8) {
        uint64_t value = static_cast<uint64_t>(port);
        to[0] = static_cast<uint32_t>(value);
        if (sizeof(T) == 8) to[1] = static_cast<uint32_t>(value >> 32);
    } else {
        std::memcpy(to, &port, sizeof(T));
    }
}

#include "ports.h"

uint64_t next(uint64_t& state) {  // xorshift64*, only for gaps
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1DULL;
}

}  // namespace

extern "C" {

struct UnitRun {
    const uint32_t* operands;  // `operand_words` values each
    uint64_t operand_count;
    uint32_t operand_words;
    uint32_t result_words;
    uint32_t* results;  // room for `result_count`
    uint64_t result_count;
    uint64_t* entered;  // cycle in which each operand was taken, counted from the end of reset
    uint64_t* left;     // cycle in which each result was given
    uint64_t seed;      // of the gaps
    uint32_t gaps;      // of 256 cycles, how many offer no operand
    uint32_t refusals;  // of 256 cycles, how many take no result
    uint64_t limit;     // cycles
    uint64_t rest;      // cycles after the last result, in which no other may come
};

// Runs the unit from reset, with registers that hold anything before it, until all results are there and the rest is
// over, or the limit is reached; how many results there were, those too many included.
__attribute__((visibility("default"))) uint64_t unit_run(const UnitRun* run) {
    VerilatedContext context;
    context.randReset(2);
    context.randSeed(static_cast<int>(run->seed & 0x7fffffff) + 1);
    auto unit = std::make_unique<Vunit>(&context);
    uint64_t state = run->seed * 2 + 1, taken = 0, given = 0;

    auto edge = [&](int level) {
        unit->clk = level;
        unit->eval();
    };
    unit->reset = 1;
    unit->in_valid = 0;
    ports::set_out_ready(*unit, false);
    for (int i = 0; i < 4; i++) {
        edge(0);
        edge(1);
    }
    unit->reset = 0;
    bool offered = false;
    uint64_t rest = run->rest;
    for (uint64_t cycle = 0; cycle < run->limit && (given < run->result_count || rest-- > 0); cycle++) {
        edge(0);
        // An offer stands until it is taken.
        offered = taken < run->operand_count && (offered || (next(state) & 0xff) >= run->gaps);
        unit->in_valid = offered;
        if (offered) ports::put_operands(*unit, run->operands + taken * run->operand_words);
        bool accepting = ports::set_out_ready(*unit, (next(state) & 0xff) >= run->refusals);
        unit->eval();
        if (offered && ports::in_ready(*unit)) {
            run->entered[taken++] = cycle;
            offered = false;
        }
        if (unit->out_valid && accepting) {
            if (given < run->result_count) {
                ports::get_results(*unit, run->results + given * run->result_words);
                run->left[given] = cycle;
            }
            given++;
        }
        edge(1);
    }
    unit->final();
    return given;
}
}
