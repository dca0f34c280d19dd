"""Modules that share a run of yosys become what each becomes alone: netlists are kept without how they were made. Tiles become DSPs alone."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import area
import cells
import setup
import synthesis
from place import Failed, run

VERILOG = """
module Parent (
  input  wire          clk,
  input  wire [15:0]   a,
  input  wire [15:0]   b,
  output reg  [15:0]   c
);
  wire [15:0] sum;
  Child child (
    .clk (clk),
    .a (a),
    .b (b),
    .sum (sum)
  );
  always @(posedge clk) c <= sum + a + 16'd3;
endmodule

module Child (
  input  wire          clk,
  input  wire [15:0]   a,
  input  wire [15:0]   b,
  output reg  [15:0]   sum
);
  always @(posedge clk) sum <= (a ^ b) + b;
endmodule

module Table (
  input  wire          clk,
  input  wire [5:0]    place,
  input  wire          write,
  input  wire [7:0]    value,
  output wire [7:0]    read
);
  reg [7:0] memory [0:63];
  always @(posedge clk) if (write) memory[place] <= value;
  assign read = memory[place];
endmodule
"""

#: Two tiles in a column, as the generator writes them. yosys packs registers and adders for 7 series, where a tile has 25 instead of 27 bits.
COLUMN = """
module DspTile25x18 (input wire [24:0] io_a, input wire [17:0] io_b, output wire [42:0] io_p, input wire clk);
  reg [24:0] a;
  reg [17:0] b;
  (* use_dsp = "yes" *) reg [42:0] product;
  reg [42:0] p;
  assign io_p = p;
  always @(posedge clk) begin
    a <= io_a;
    b <= io_b;
    product <= $signed(a) * $signed(b);
    p <= product;
  end
endmodule

module DspTile25x18plus26 (input wire [24:0] io_a, input wire [17:0] io_b, input wire [25:0] io_c, output wire [43:0] io_p, input wire clk);
  reg [24:0] a;
  reg [17:0] b;
  (* use_dsp = "yes" *) reg [42:0] product;
  reg [43:0] p;
  wire [43:0] first = {{18{io_c[25]}}, io_c};
  wire [43:0] second = {product[42], product};
  assign io_p = p;
  always @(posedge clk) begin
    a <= io_a;
    b <= io_b;
    product <= $signed(a) * $signed(b);
    p <= $signed(first) + $signed(second);
  end
endmodule

module column (input wire [24:0] a, input wire [17:0] low, input wire [17:0] high, output wire [43:0] p, output wire [16:0] rest, input wire clk);
  reg [24:0] later;
  wire [42:0] below;
  DspTile25x18 first (.io_a(a), .io_b(low), .io_p(below), .clk(clk));
  DspTile25x18plus26 second (.io_a(later), .io_b(high), .io_c(below[42:17]), .io_p(p), .clk(clk));
  assign rest = below[16:0];
  always @(posedge clk) later <= a;
endmodule
"""


class Tiles(unittest.TestCase):
    """`area` counts a tile as one DSP and nothing else."""

    def test_a_column_is_two_dsps_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as scratch:
            Path(scratch, "unit.v").write_text(COLUMN)
            script = "read_verilog unit.v; synth_xilinx -family xc7 -flatten -noiopad -top column; tee -q -o stat.json stat -json"
            run([setup.yosys(), "-q", "-p", script], cwd=scratch)
            counts = json.loads(Path(scratch, "stat.json").read_text())["modules"]["\\column"]["num_cells_by_type"]
        self.assertEqual({cell: count for cell, count in counts.items() if cell not in cells.IGNORED}, {"DSP48E1": 2})

    def test_a_tile_that_needs_two_dsps_is_an_error(self):
        adder = {"LUT2": 43, "FDRE": 137, "CARRY4": 11}
        self.assertEqual(area.own_cost(None, "DspTile25x18plus26", {"DSP48E2": 1, **adder}), {"dsp": 1})
        with self.assertRaisesRegex(Failed, "DspTile28x19: yosys used 2 DSPs for a tile"):
            area.own_cost(None, "DspTile28x19", {"DSP48E2": 2, **adder})


class Functions(unittest.TestCase):
    def test_a_module_has_its_own_function_or_that_of_the_module_above(self):
        names = ["Engine", "ModMul_a", "Product9x9", "BitCounter", "ModMul_b", "Port"]
        inside = {"Engine": ["ModMul_a", "ModMul_b", "ModMul_b", "Port"], "ModMul_a": ["Product9x9", "BitCounter"], "Product9x9": ["BitCounter"], "ModMul_b": ["BitCounter"]}
        text = "".join(f"module {name} (\n  input wire clk\n);\n" + "".join(f"  {child} part_{i} (\n    .clk (clk)\n  );\n" for i, child in enumerate(inside.get(name, ())))
                       + "endmodule\n" for name in names)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "Engine.v")
            path.write_text(text)
            modules = synthesis.Modules([path])
        own = {name: {"lut": 10**at} for at, name in enumerate(names)}
        origins = {"Engine": "proofmill.engine.msm.MsmEngine", "ModMul_a": "proofmill.field.ModMul", "ModMul_b": "proofmill.field.ModMul",
                   "Product9x9": "proofmill.arith.Product", "BitCounter": "proofmill.arith.CarryAdder$BitCounter", "Port": "proofmill.engine.msm.MsmCommandPort"}
        self.assertEqual(area.functions(modules, own, "Engine", origins), {
            "control and memory": 100_001, "reduction": 10 + 1000 + 2 * (10_000 + 1000), "products": 100 + 1000})


class Runs(unittest.TestCase):
    def test_modules_that_share_a_run_become_what_they_become_alone(self):
        version = run([setup.yosys(), "-V"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "all.v")
            path.write_text(VERILOG)
            modules = synthesis.Modules([path])
            names = ["Parent", "Child", "Table"]

            def made(cache, runs):
                with mock.patch.object(synthesis, "CACHE", Path(folder, cache)):
                    for together in runs:
                        synthesis.synthesise(modules, together, version)
                    return {name: synthesis.read(synthesis.kept_of(modules, name, version)) for name in names}

            alone, together = made("alone", [[name] for name in names]), made("together", [names])
        def counted(one):
            return {cell: count for cell, count in one["counts"].items() if cell not in cells.IGNORED}

        for name in names:
            self.assertEqual(counted(alone[name]), counted(together[name]), name)
            self.assertTrue(counted(alone[name]), name)
            for kind in cells.KINDS:
                self.assertEqual(len(alone[name][kind]), len(together[name][kind]), (name, kind))
            self.assertEqual(alone[name]["ports"].keys(), together[name]["ports"].keys(), name)


if __name__ == "__main__":
    unittest.main()
