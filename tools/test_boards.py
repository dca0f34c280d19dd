"""Runs the scripts of boards/ without the vendors' tools: checks their calls of Vivado, above all the address of each memory channel in the HBM."""

import json
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from place import ROOT, Failed, run

sys.path.insert(0, str(ROOT / "boards/f2"))

import cl  # noqa: E402

#: Stand-ins for Vivado's commands print their arguments and return the last one.
STAND_IN = """
proc unknown {args} {
    puts $args
    return [lindex $args end]
}
proc get_property {name of} { return 0.5 }
"""
MIB = 1 << 20
ASSIGNED = re.compile(r"^assign_bd_address -offset (\w+) -range (\d+) -target_address_space (\S+) memory/SAXI_(\d+)/HBM_MEM(\d+) -force$", re.M)


@unittest.skipUnless(shutil.which("tclsh"), "there is no tclsh")
class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def xdma(self, board, channels):
        """Returns the calls of the script for a card with these channels."""
        about = {"top": "CardTop", "memories": channels, "pcie": {"beat_bytes": 64, "door": bool(channels), "stripes": 1}}
        (self.folder / "about.json").write_text(json.dumps(about))
        (self.folder / "files.f").write_text("CardTop.v\n")
        made = self.folder / "board/card.runs/impl_1/card.bit"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.touch()
        return self.calls(f"set argv {{{self.folder} {board} 200}}\n", "xdma/build.tcl")

    def calls(self, facts, *scripts):
        """Returns the calls of these scripts."""
        whole = self.folder / "whole.tcl"
        whole.write_text(facts + STAND_IN + "".join(f"source {ROOT / 'boards' / script}\n" for script in scripts))
        return run(["tclsh", whole])

    def f2(self, channels):
        return self.calls(f"set channels {{{' '.join(map(str, channels))}}}\nset mhz 200\n", "hbm.tcl", "f2/parts.tcl")

    def check(self, calls, channels, gigabytes, first):
        """Checks that each channel has pseudo-channels of its own, and begins at the address of the one in `first`."""
        unit, owners = gigabytes << 25, {}
        for offset, size, space, port, number in ASSIGNED.findall(calls):
            self.assertEqual((int(offset, 16), int(size)), (int(number) * unit, unit))
            self.assertNotIn(number, owners, "two channels have a pseudo-channel")
            owners[number] = space
            j = int(re.search(r"\d+", space)[0])
            self.assertIn(f"CONFIG.USER_SAXI_{port} true", calls)
            self.assertLessEqual(first[j], int(offset, 16))
            self.assertLess(int(offset, 16), first[j] + channels[j])
        for j, size in enumerate(channels):
            mine = [number for number, space in owners.items() if int(re.search(r"\d+", space)[0]) == j]
            self.assertEqual(len(mine), -(-size // unit), f"channel {j}")
        self.assertEqual(calls.count("CONFIG.USER_SWITCH_ENABLE_00 true"), int(max(channels) > unit))

    def test_each_channel_of_a_card_behind_the_bridge_has_its_place_in_the_hbm(self):
        for board, gigabytes in (("u55c", 16), ("c1100", 8)):
            for channels in ([256 * MIB] * 24, [256 * MIB] * 32, [1 << 30] * 3, [MIB] * 2, [256 * MIB]):
                calls = self.xdma(board, channels)
                made = re.findall(r"CONFIG.PORT (\d+) CONFIG.UNIT_BITS (\d+) CONFIG.CHANNEL_BITS (\d+)\} base(\d+)$", calls, re.M)
                self.assertEqual([int(j) for *_, j in made], list(range(len(channels))))
                self.assertEqual([1 << int(bits) for _, _, bits, _ in made], channels)
                self.check(calls, channels, gigabytes, [int(port) << int(bits) for port, bits, _, _ in made])

    def test_cards_without_hbm(self):
        self.assertNotIn("ip:hbm", self.xdma("u55c", []))
        calls = self.xdma("u250", [1 << 34] * 3)
        self.assertEqual(calls.count("xilinx.com:ip:ddr4"), 3)
        self.assertNotIn("hbm_port base", calls)
        self.assertNotIn("ip:hbm", self.f2([]))

    def test_what_does_not_fit_is_an_error(self):
        for channels in ([256 * MIB] * 33, [8 << 30] * 3):
            with self.assertRaises(Failed):
                self.xdma("c1100", channels)
        with self.assertRaises(SystemExit):
            cl.placed([1 << 30])

    def test_each_channel_of_a_card_on_f2_has_its_place_in_the_hbm(self):
        for channels in ([256 * MIB] * 24, [512 * MIB] * 8, [MIB] * 2):
            wires = cl.placed(channels)
            first = []
            for j, size in enumerate(channels):
                number, zeros = re.fullmatch(rf"\{{5'd(\d+), (?:(\d+)'d0, )?mem{j}_araddr\}}", wires[f"mem{j}_araddr"]).groups()
                self.assertEqual(wires[f"mem{j}_awaddr"], wires[f"mem{j}_araddr"].replace("_ar", "_aw"))
                self.assertEqual(5 + int(zeros or 0) + size.bit_length() - 1, 34)
                first.append(int(number) << 29)
            self.check(self.f2(channels), channels, 16, first)


@unittest.skipUnless(shutil.which("iverilog"), "there is no iverilog")
class Port(unittest.TestCase):
    def test_addresses_move_to_the_pseudo_channel(self):
        bench = """module bench;
  reg [27:0] address; wire [33:0] aw, ar;
  hbm_port #(.PORT(21), .UNIT_BITS(29), .CHANNEL_BITS(28)) dut (.s_axi_awaddr(address), .s_axi_araddr(~address), .m_axi_awaddr(aw), .m_axi_araddr(ar));
  initial begin
    address = 28'h1234567;
    #1 $display("%h %h", aw, ar);
  end
endmodule
"""
        with tempfile.TemporaryDirectory() as scratch:
            Path(scratch, "bench.v").write_text(bench)
            run(["iverilog", "-o", "bench", "bench.v", ROOT / "boards/hbm_port.v"], cwd=scratch)
            calls = run(["vvp", "bench"], cwd=scratch)
        self.assertEqual(calls.split(), [f"{(21 << 29) + 0x1234567:09x}", f"{(21 << 29) + 0xEDCBA98:09x}"])


if __name__ == "__main__":
    unittest.main()
