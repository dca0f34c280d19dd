// The registers of a simulated card: AXI4-Lite, one access at a time.
//
// An abandoned access is finished before the next one begins.
#ifndef PM_REGISTERS_H
#define PM_REGISTERS_H
#include <cstdint>

#include "Vcard.h"
#include "manifest.h"

#if PM_SIM_F2
#define PM_SIM_REGISTERS(signal) ocl_##signal
#else
#define PM_SIM_REGISTERS(signal) axil_##signal
#endif

class Registers {
  public:
    uint32_t data = 0;             // of the last read
    int read_code = 0, write_code = 0;

    bool no_reads() const { return reads_open == 0; }
    bool no_writes() const { return writes_open == 0; }
    bool waits() const { return ar || aw || w || reads_open || writes_open; }

    void begin_read(Vcard &c, uint32_t address) {
        c.PM_SIM_REGISTERS(araddr) = address;
        ar = true;
        reads_open = 1;
    }

    void begin_write(Vcard &c, uint32_t address, uint32_t value) {
        c.PM_SIM_REGISTERS(awaddr) = address;
        c.PM_SIM_REGISTERS(wdata) = value;
        c.PM_SIM_REGISTERS(wstrb) = 0xf;
        aw = w = true;
        writes_open = 1;
    }

    void power_up(Vcard &c) {
        c.PM_SIM_REGISTERS(rready) = 1;
        c.PM_SIM_REGISTERS(bready) = 1;
    }

    void drive(Vcard &c) {
        c.PM_SIM_REGISTERS(arvalid) = ar;
        c.PM_SIM_REGISTERS(awvalid) = aw;
        c.PM_SIM_REGISTERS(wvalid) = w;
    }

    void note(Vcard &c) {
        ar_fire = ar && c.PM_SIM_REGISTERS(arready);
        aw_fire = aw && c.PM_SIM_REGISTERS(awready);
        w_fire = w && c.PM_SIM_REGISTERS(wready);
        if (c.PM_SIM_REGISTERS(rvalid)) {
            data = c.PM_SIM_REGISTERS(rdata);
            read_code = c.PM_SIM_REGISTERS(rresp);
            --reads_open;
        }
        if (c.PM_SIM_REGISTERS(bvalid)) {
            write_code = c.PM_SIM_REGISTERS(bresp);
            --writes_open;
        }
    }

    void settle() {
        ar = ar && !ar_fire;
        aw = aw && !aw_fire;
        w = w && !w_fire;
    }

    // Nothing is under way any more.
    void forget() {
        ar = aw = w = false;
        answered();
    }
    void answered() { reads_open = writes_open = 0; }

  private:
    bool ar = false, aw = false, w = false;    // offered
    unsigned reads_open = 0, writes_open = 0;  // begun and not answered
    bool ar_fire = false, aw_fire = false, w_fire = false;
};
#endif
