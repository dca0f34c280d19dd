"""What `tools/verilog.py` writes otherwise than the generator means the same: on text by hand, and of whole units by proof."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import rtl  # noqa: E402
import setup  # noqa: E402
import verilog  # noqa: E402
from place import ROOT, run  # noqa: E402

#: One of each engine, in the long tests.
LONG = ["msm_bn254", "poseidon_small", "ntt_small"] if os.environ.get("PROOFMILL_LONG") else []

UNIT = """module Unit (
  input  wire [2:0]    io_index,
  input  wire [9:0]    io_word,
  output wire [4:0]    io_a,
  output wire [6:0]    io_b
);

  wire       [23:0]   _zz_io_a;
  wire       [4:0]    _zz_io_a_1;
  wire       [2:0]    _zz__zz_io_b;
  wire                _zz_2;
  reg        [1:0]    io_b_part;
  (* keep , syn_keep *) wire       [6:0]    _zz_io_b /* synthesis syn_keep = 1 */ ;

  assign _zz_io_a = 24'h7b3d91;
  assign _zz_io_a_1 = (io_index * 3'b100);
  assign io_a = {1'b0,_zz_io_a[_zz_io_a_1 +: 4]};
  assign _zz_io_b = (io_word >>> 4'd3);
  assign _zz__zz_io_b = (io_word >>> 4'd2);
  assign _zz_2 = _zz__zz_io_b[0];
  assign io_b = _zz_io_b;

endmodule
"""


class Text(unittest.TestCase):
    def setUp(self):
        self.module = verilog.modules_of(UNIT)["Unit"]
        self.module.body = verilog.MARKS.sub("", self.module.body)

    def test_tables_become_cases(self):
        verilog.tables(self.module)
        for at, digit in enumerate(reversed("7b3d91")):
            self.assertIn(f"3'd{at}: _zz_io_a = 4'h{digit};", self.module.body)
        self.assertIn("default: _zz_io_a = 4'h0;", self.module.body)
        self.assertIn("reg        [3:0]   _zz_io_a;", self.module.body)
        self.assertNotIn("+:", self.module.body)
        self.assertNotIn("_zz_io_a_1", self.module.body)

    def test_shifts_become_parts(self):
        verilog.plain_shifts(self.module)
        self.assertIn("assign _zz_io_b = io_word[9:3];", self.module.body)
        self.assertIn("assign _zz__zz_io_b = (io_word >>> 4'd2);", self.module.body, "it keeps fewer bits than are left")

    def test_names_stay_apart(self):
        verilog.readable_names(self.module)
        self.assertNotIn("_zz_", self.module.text)
        for name in ("io_b_part_a", "io_b_part2", "value_part_2", "io_a_part_1"):
            self.assertRegex(self.module.body, rf"\b{name}\b")
        self.assertIn("reg        [1:0]    io_b_part;", self.module.body)

    def test_marks_of_a_vendor_are_left_out(self):
        self.assertNotIn("syn", self.module.body)


class Units(unittest.TestCase):
    """yosys proves that a unit as written and as generated are one, register by register, by induction over time."""

    def proved(self, config, before=lambda text: text):
        with tempfile.TemporaryDirectory() as folder:
            into, top = verilog.written(config, Path(folder))
            files = " ".join((into / "files.f").read_text().split())
            (into / "generated.v").write_text(before("".join(path.read_text() for path in rtl.verilog(ROOT / "target/rtl" / config))))
            flat = "hierarchy -top {0}; proc; flatten; memory; opt_clean; rename {0} {1}; design -stash {1}"
            script = [
                "read_verilog generated.v", flat.format(top, "gold"), f"read_verilog {files}", flat.format(top, "gate"),
                "design -copy-from gold gold", "design -copy-from gate gate", "miter -equiv -flatten -make_assert gold gate both",
                "hierarchy -top both", "async2sync", "sat -verify -prove-asserts -tempinduct -seq 1 -set-init-zero -maxsteps 40 both",
            ]
            done = subprocess.run([setup.yosys(), "-q", "-p", "; ".join(script)], cwd=into, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            return done.returncode == 0, done.stdout[-2000:]

    def test_a_unit_is_the_same(self):
        right, said = self.proved("modadd_toy_fp")
        self.assertTrue(right, said)

    def test_another_unit_is_not(self):
        right, said = self.proved("modadd_toy_fp", lambda text: text.replace(" + ", " - ", 1))
        self.assertFalse(right, said)


class Simulated(unittest.TestCase):
    """A larger unit as written and as generated, side by side in Icarus, with random inputs."""

    CYCLES = 300

    def differences(self, config, before=lambda text: text):
        with tempfile.TemporaryDirectory() as folder:
            into, top = verilog.written(config, Path(folder))
            text = before("".join(path.read_text() for path in rtl.verilog(ROOT / "target/rtl" / config)))
            modules = verilog.modules_of(text)
            generated = re.sub(rf"\b({'|'.join(sorted(modules, key=len, reverse=True))})\b(?= \w+ \(| \()", r"Generated\1", text)
            (into / "generated.v").write_text(generated)
            (into / "bench.v").write_text(self.bench(top, verilog.PORT.findall(modules[top].ports)))
            files = (into / "files.f").read_text().split()
            run(["iverilog", "-g2005", "-s", "bench", "-o", "both", "bench.v", "generated.v", *files], cwd=into)
            return run(["vvp", "both"], cwd=into)

    def bench(self, top, ports):
        inputs = [(name, int(high or 0) + 1) for way, high, name in ports if way == "input" and name not in ("clk", "reset")]
        outputs = [(name, int(high or 0) + 1) for way, high, name in ports if way == "output"]
        declared = [f"reg [{bits - 1}:0] {name};" for name, bits in inputs]
        declared += [f"wire [{bits - 1}:0] {name}, other_{name};" for name, bits in outputs]
        both = [f".{name}({name})" for name, _ in inputs] + [".clk(clk)", ".reset(reset)"]
        one, other = ([*both, *(f".{name}({prefix}{name})" for name, _ in outputs)] for prefix in ("", "other_"))
        drive = [f"{name} = {{{', '.join(['$random'] * -(-bits // 32))}}};" for name, bits in inputs]
        compare = [f"if ({name} !== other_{name}) wrong = wrong + 1; if (^{name} !== 1'bx) known = known + 1;" for name, _ in outputs]
        return f"""module bench;
  reg clk = 0, reset = 1; integer wrong = 0, known = 0, cycle;
  {' '.join(declared)}
  {top} written ({', '.join(one)});
  Generated{top} generated ({', '.join(other)});
  initial begin
    for (cycle = 0; cycle < {self.CYCLES}; cycle = cycle + 1) begin
      {' '.join(drive)}
      reset = cycle < 3;
      #1 clk = 1; #1 clk = 0;
      {' '.join(compare)}
    end
    $display("%0d differences, %0d outputs seen", wrong, known);
  end
endmodule
"""

    def test_multipliers_are_the_same(self):
        for config in ("modmul_toy_fp", "modmul_bn254_fp"):
            said = self.differences(config)
            found = re.fullmatch(r"(\d+) differences, (\d+) outputs seen\n", said)
            self.assertTrue(found, said)
            self.assertEqual(int(found[1]), 0)
            self.assertGreater(int(found[2]), self.CYCLES // 2)

    def test_a_difference_is_seen(self):
        said = self.differences("modmul_toy_fp", lambda text: text.replace(" - ", " + ", 1))
        self.assertFalse(said.startswith("0 "), said)


class Sources(unittest.TestCase):
    """The file that a module's comment names is the one that makes it."""

    def named(self, config):
        """The modules of a configuration: (the file, ports)."""
        with tempfile.TemporaryDirectory() as folder:
            into, _ = verilog.written(config, Path(folder))
            texts = {path.stem: path.read_text() for path in into.glob("*.v")}
        return {name: (re.search(r"^// Source: (.*)$", text, re.M)[1], verilog.PORT.findall(text)) for name, text in texts.items()}

    def test_it_declares_the_ports(self):
        for config in ("card", "ecdsa", "msm_toy", *LONG):
            for module, (source, ports) in self.named(config).items():
                if source.endswith(" of SpinalHDL"):
                    continue
                text = (ROOT / source).read_text()
                for word in {re.match("[A-Za-z]+", name.removeprefix("io_"))[0] for _, _, name in ports if name.startswith("io_")}:
                    self.assertTrue(re.search(rf"\b{word}", text), f"{config}: {module} has a port {word}, which {source} does not declare")

    def test_modules_named_otherwise_than_their_class_have_one(self):
        found = self.named("modmul_toy_fp")
        self.assertEqual(found["ModMul_toy_fp"][0], "rtl/src/main/scala/proofmill/field/ModMul.scala")
        self.assertEqual(found["ModmulToyFpTop"][0], "rtl/src/main/scala/proofmill/top/FieldUnits.scala")

    def test_classes_of_one_name_are_told_apart(self):
        for package in ("micro", "pairing"):
            source, about = verilog.described(f"proofmill.{package}.Issue")
            self.assertEqual(Path(source).parent.name, package)
            self.assertIn(re.sub(r"\s+", " ", about)[:40], (ROOT / source).read_text())
        self.assertNotEqual(verilog.described("proofmill.micro.Issue")[1], verilog.described("proofmill.pairing.Issue")[1])

    def test_a_class_inside_another_and_a_library_are_named(self):
        self.assertIn("arith/ConstantTable.scala", verilog.described("proofmill.arith.ConstantTable$Table")[0])
        self.assertEqual(verilog.described("spinal.lib.StreamFifo")[0], "spinal.lib.StreamFifo of SpinalHDL")


class Tools(unittest.TestCase):
    def test_three_tools_read_it(self):
        with tempfile.TemporaryDirectory() as folder:
            for config in ("card", "ecdsa", "modmul_bn254_fp", *LONG):
                into, top = verilog.written(config, Path(folder))
                verilog.check(into, top)
                self.assertFalse([path for path in into.glob("*.v") if "_zz_" in path.read_text()])

    def test_what_is_asked_for_is_there(self):
        run(["make", "--no-print-directory", "verilog", "CONFIG=modadd_toy_fp"], cwd=ROOT)
        folder = ROOT / "target/verilog/modadd_toy_fp"
        self.assertEqual(sorted(path.name for path in folder.glob("*.v")), sorted((folder / "files.f").read_text().split()))
        wrong = subprocess.run(["make", "--no-print-directory", "verilog", "CONFIG=moon"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("there is no configuration moon", wrong.stdout)


if __name__ == "__main__":
    unittest.main()
