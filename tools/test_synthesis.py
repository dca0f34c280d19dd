"""Modules that share a run of yosys become what each becomes alone: netlists are kept without how they were made."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

import cells
import setup
import synthesis
from place import run

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
