// The wires between a simulated card and the model of F2's shell; nothing on other cards.
#ifndef PM_SLOT_H
#define PM_SLOT_H
#include <cstring>
#include <string>

#include "Vcard.h"
#include "f2_shell.h"
#include "jitter.h"
#include "manifest.h"
#include "registers.h"

class Slot {
  public:
    F2Shell<Noise> shell;

    explicit Slot(Noise &noise) : shell(noise) {}

#if PM_SIM_F2
    void drive(Vcard &c, const Jitter &jitter) {
        const auto &d = shell.drives();
        shell.gap = jitter.gap;
        shell.stall = jitter.stall;
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

    // `broken` gets the first rule that the card breaks.
    void note(Vcard &c, const Registers &registers, std::string &broken) {
        if (!c.resetn) return shell.reset();
        F2Shell<Noise>::FromCard wires{bool(c.pcis_awready), bool(c.pcis_wready), bool(c.pcis_bvalid), bool(c.pcis_arready), bool(c.pcis_rvalid),
                                       bool(c.pcis_rlast),   c.pcis_bid,          c.pcis_rid,          c.pcis_bresp,         c.pcis_rresp,
                                       bool(c.pcim_awvalid), bool(c.pcim_wvalid), bool(c.pcim_bready), bool(c.pcim_arvalid)};
        wires.paw = {c.pcim_awaddr, c.pcim_awlen, c.pcim_awsize, c.pcim_awburst};
        wires.pw.strobes = c.pcim_wstrb;
        wires.pw.last = c.pcim_wlast;
        if (wires.pwvalid) std::memcpy(wires.pw.bytes.data(), c.pcim_wdata.data(), kBeatBytes);
        shell.cycle(wires);
        waited = registers.waits() ? waited + 1 : 0;
        if (waited > shell.kPatience && broken.empty()) broken = "OCL: no answer within 8 us";
        if (broken.empty() && !shell.broken.empty()) broken = shell.broken;
    }

  private:
    unsigned waited = 0;  // cycles, for a register
#endif
};
#endif
