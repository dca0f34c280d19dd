"""Static timing on netlists small enough to add up by hand."""

import math
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import cells
import delays
import synthesis
import timing
from delays import wire


def module(ports, netlist, names=(), instances=()):
    """The short form of a module: `netlist` has cells by group, `names` what nets are called."""
    nets = max([0, *(net for _, bits in ports.values() for net in bits), *(net for cells_ in netlist.values() for cell in cells_ for net in _flat(cell)),
                *(net for _, _, pins in instances for bits in pins.values() for net in bits)])
    return {"nets": nets, "names": dict(names), "ports": ports, "instances": list(instances), **{kind: netlist.get(kind, []) for kind in cells.KINDS}}


def _flat(cell):
    return [net for item in cell for net in (item if isinstance(item, list) else [item])]


def slowest(parts, top="top"):
    made = timing.joined(parts, top)
    index = max(range(len(made.finishes)), key=lambda i: made.finishes[i])
    return made, index, made.finishes[index]


class Ways(unittest.TestCase):
    def test_register_lut_register(self):
        # 1 -> LUT -> 2, packed with the register behind it
        _, _, finish = slowest({"top": module({}, {"ff": [[1, 0, 0, 0], [3, 2, 0, 0]], "lut": [[2, 1]]})})
        self.assertAlmostEqual(finish, 79 + wire(1) + 92 + 50 - 25)

    def test_a_wire_with_more_readers_is_longer(self):
        luts = [[10 + i, 1] for i in range(8)]
        made, index, finish = slowest({"top": module({}, {"ff": [[1, 0, 0, 0], [3, 10, 0, 0]], "lut": luts})})
        self.assertAlmostEqual(finish, 79 + wire(8) + 92 + 50 - 25)
        self.assertGreater(wire(8), wire(1))
        self.assertEqual(made.levels(index), 1)

    def test_an_enable_is_at_the_end_of_a_wire(self):
        _, _, finish = slowest({"top": module({}, {"ff": [[1, 0, 0, 0], *([10 + i, 0, 2, 0] for i in range(16))], "lut": [[2, 1]]})})
        self.assertAlmostEqual(finish, 79 + wire(1) + 92 + wire(16) + 61)

    def test_a_carry_chain(self):
        # Nine bits: two whole CARRY4 and a bit of a third; from bit 0 to the sum of bit 8 there are seven steps more than bit 0's own carry.
        def carry(first, below):
            return [below, 0, *(net for i in range(4) for net in (0, first + 10 * i, first + 10 * i + 1, first + 10 * i + 2))]
        chain = [carry(100, 0), carry(200, 132), carry(300, 232)]
        luts = [[first + 10 * i, 1] for first in (100, 200, 300) for i in range(4)]
        made, index, finish = slowest({"top": module({}, {"ff": [[1, 0, 0, 0], [3, 301, 0, 0]], "lut": luts, "carry": chain})})
        self.assertAlmostEqual(finish, 79 + wire(12) + 92 + 15 + 145 + 7 * 49 / 8 + 110 + 50 - 25)
        self.assertEqual(made.levels(index), 3)  # a LUT, and nine bits of carry in two slices

    def test_a_multiplexer_behind_luts(self):
        _, _, finish = slowest({"top": module({}, {"ff": [[1, 0, 0, 0], [2, 0, 0, 0], [9, 7, 0, 0]], "lut": [[5, 1], [6, 1]], "muxf": [[7, 2, 5, 6]]})})
        self.assertAlmostEqual(finish, 79 + wire(2) + 92 + 25 + 70 + 50 - 25)

    def test_a_memory_with_its_output_register_is_quick(self):
        plain = {"bram": [[[1], [], [], []]], "lut": [[2, 1]], "ff": [[3, 2, 0, 0]]}
        self.assertAlmostEqual(slowest({"top": module({}, plain)})[2], 1003 + wire(1) + 92 + 50 - 25)
        registered = {"bram": [[[1], [], [], []]], "ff": [[4, 1, 0, 0], [3, 2, 0, 0]], "lut": [[2, 4]]}
        self.assertAlmostEqual(slowest({"top": module({}, registered)})[2], 229 + wire(1) + 92 + 50 - 25)

    def test_a_tile_with_all_registers_runs_at_its_own_clock(self):
        made, _, finish = slowest({"top": module({}, {"ff": [[1, 0, 0, 0], [3, 2, 0, 0]], "dsp": [[[2], [1]]]})})
        self.assertAlmostEqual(timing.clock(finish), 775)

    def test_ports_are_registers_outside(self):
        ports = {"a": ["i", [1]], "b": ["o", [2]]}
        _, _, finish = slowest({"top": module(ports, {"lut": [[2, 1]]})})
        self.assertAlmostEqual(finish, 79 + wire(1) + 92 + wire(1) + 61)

    def test_constants_begin_nothing(self):
        made, _, finish = slowest({"top": module({}, {"lut": [[2, 0]], "ff": [[3, 2, 0, 0]]})})
        self.assertLess(finish, 0)
        self.assertEqual(made.loops, 0)


class Borders(unittest.TestCase):
    def test_a_way_crosses_modules_and_counts_readers_on_both_sides(self):
        child = module({"x": ["i", [1]], "y": ["o", [2]]}, {"lut": [[2, 1]]}, names={2: "y"})
        top = module({}, {"ff": [[1, 0, 0, 0], [4, 3, 0, 0], [5, 1, 0, 0]]}, names={1: "begin", 4: "end"},
                     instances=[["left", "Child", {"x": [1], "y": [2]}], ["right", "Child", {"x": [2], "y": [3]}]])
        made, index, finish = slowest({"top": top, "Child": child})
        self.assertAlmostEqual(finish, 79 + wire(2) + 92 + wire(1) + 92 + 50 - 25)
        self.assertEqual(made.described(index), "begin > end.D (2 LUT, last fan-out 1)")

    def test_one_net_at_two_ports(self):
        # The child gives its input back, and what the parent makes of it is one net with both names.
        child = module({"x": ["i", [1]], "y": ["o", [1]]}, {})
        top = module({}, {"ff": [[1, 0, 0, 0], [3, 4, 0, 0]], "lut": [[4, 2]]}, instances=[["wire", "Child", {"x": [1], "y": [2]}]])
        _, _, finish = slowest({"top": top, "Child": child})
        self.assertAlmostEqual(finish, 79 + wire(1) + 92 + 50 - 25)

    def test_ways_belong_to_the_engine_of_their_end(self):
        engine = module({"x": ["i", [1]]}, {"ff": [[2, 3, 0, 0]], "lut": [[3, 1]]}, names={2: "inside"})
        top = module({}, {"ff": [[1, 0, 0, 0], [6, 5, 0, 0]], "lut": [[5, 1], [4, 1]]}, names={1: "a", 6: "b"}, instances=[["core_bn254", "Engine", {"x": [4]}]])
        made = timing.joined({"top": top, "Engine": engine}, "top")
        with unittest.mock.patch.object(timing, "SHORTEST", 0):
            ways = timing.worst(made, ["bn254"])
        self.assertIn("inside", made.described(ways["bn254"][0]))
        self.assertIn("> b.D", made.described(ways[""][0]))


class Model(unittest.TestCase):
    def test_wires_are_the_published_ones_on_average(self):
        routed = [(fanout, float(d)) for fanout, d in delays.SEGMENTS_2] + [(fanout, d * delays.SPEED) for fanout, d in delays.SEGMENTS_1]
        errors = [d - wire(fanout) for fanout, d in routed]
        self.assertLess(abs(sum(errors)) / len(errors), 10)
        self.assertLess(math.sqrt(sum(e * e for e in errors) / len(errors)), 175)

    def test_published_ways(self):
        """Two ways that a vendor's report has in full (xcvu3p -2): cells and fan-outs as there, delays by the model."""
        lut = delays.LUT
        microblaze = (79 + wire(1) + lut + 15 + 145 + 7 * 49 / 8 + delays.CARRY_SUM + wire(1) + lut + 15 + 145 + 8 * 49 / 8 + delays.CARRY_SUM + wire(324) + lut + wire(2))
        self.assertLess(abs(microblaze / 1846 - 1), 0.2)
        gnl = 79 + wire(21) + lut + wire(2) + lut + wire(19) + lut + wire(4) + lut + wire(8) + lut + wire(2) + lut + wire(2) + lut + 50
        self.assertLess(abs(gnl / 2331 - 1), 0.2)


class FromVerilog(unittest.TestCase):
    def test_two_modules(self):
        """Register, adder in a child, register: by yosys, and by hand."""
        text = """
module Top (
  input  wire          clk,
  input  wire [15:0]   a,
  output reg  [15:0]   b
);
  reg [15:0] left;
  wire [15:0] sum;
  Adder adder (
    .x (left),
    .y (sum)
  );
  always @(posedge clk) begin
    left <= a;
    b <= sum;
  end
endmodule

module Adder (
  input  wire [15:0]   x,
  output wire [15:0]   y
);
  assign y = x + {x[6:0], x[15:7]};
endmodule
"""
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "Top.v").write_text(text)
            made = timing.timed([Path(folder, "Top.v")], "Top", 1)
        index = max(range(len(made.finishes)), key=lambda i: made.finishes[i])
        # Every bit of `left` has two LUTs and, for one of them, the carry chain's own input.
        fanout = made.fanout[made.begin_of(made.netlist.end[index])]
        self.assertAlmostEqual(made.finishes[index], 79 + wire(fanout) + 92 + 15 + 145 + 14 * 49 / 8 + 110 + 50 - 25)
        self.assertEqual((fanout, made.levels(index)), (2, 3))


if __name__ == "__main__":
    unittest.main()
