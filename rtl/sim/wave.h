// The waveform of a simulated card, of libraries that are built with VM_TRACE=1.
#ifndef PM_WAVE_H
#define PM_WAVE_H
#include <cstdint>
#include <memory>

#include "Vcard.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

class Wave {
  public:
#if VM_TRACE
    void power_up(VerilatedContext &context) { context.traceEverOn(true); }

    // 0, or -2 when the file cannot be written.
    int open(Vcard &card, const char *path) {
        auto made = std::make_unique<VerilatedVcdC>();
        close();
        file.reset();
        card.trace(made.get(), 99);
        made->open(path);
        if (!made->isOpen()) return -2;
        file = std::move(made);
        return 0;
    }

    void step() {
        if (file) file->dump(++steps);
    }

    void close() {
        if (file) file->close();
    }

  private:
    std::unique_ptr<VerilatedVcdC> file;
    uint64_t steps = 0;
#else
    void power_up(VerilatedContext &) {}
    int open(Vcard &, const char *) { return -1; }
    void step() {}
    void close() {}
#endif
};
#endif
