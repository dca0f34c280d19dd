"""What `tools/verilog.py` writes otherwise than the generator means the same: on text by hand, and of whole units by proof."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import about  # noqa: E402
import rtl  # noqa: E402
import same_circuit  # noqa: E402
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
        verilog.tables(self.module, "none")
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

    def test_ports_have_no_prefix(self):
        text = COUNTERS.replace("io_step", "io_input").replace("io_sum", "io_total").replace("Part part_1 (", "Part io_part (")
        text = text.replace("assign io_total = total;", "wire [7:0] input_1 = io_input;\n  assign io_total = total;")
        modules = verilog.modules_of(text)
        verilog.plain_names(modules.values())
        part, top = modules["Part"].text, modules["Top"].text
        self.assertNotIn("io_", part + top)
        self.assertIn("input  wire [3:0]    input_port", part, "input is a word of Verilog")
        self.assertIn("output wire [7:0]    total_port", part, "total is a register there")
        self.assertIn("assign total_port = total;", part)
        self.assertIn("Part part (", top)
        self.assertIn(".total_port (total[7:0]     )", top)
        self.assertIn(".input_port (input_port[3:0])", top)

    def test_conditions_are_numbered(self):
        text = COUNTERS.replace("if((state == State_Idle))", "if(when_Part_l31)").replace("reg        [7:0]    total;", "wire when_Part_l31, when_Part_l31_1, condition;\n  reg        [7:0]    total;")
        modules = verilog.modules_of(text)
        verilog.plain_names(modules.values())
        self.assertIn("wire condition_1, condition_2, condition;", modules["Part"].body)
        self.assertIn("if(condition_1)", modules["Part"].body)

    def test_marks_of_a_vendor_are_left_out(self):
        self.assertNotIn("syn", self.module.body)


MEMORIES = f"""module Memories (
  (* dont_touch = "yes" *) output reg [15:0] io_word,
  input  wire          clk,
  input  wire          io_write,
  input  wire [8:0]    io_at,
  input  wire [8:0]    io_from,
  input  wire [9:0]    io_index,
  output reg  [15:0]   io_data,
  output reg  [15:0]   io_row
);

  wire       [16383:0] _zz_row;
  wire       [13:0]    _zz_row_1;
  (* ram_style = "distributed" *) reg [15:0] words [0:511];
  (* rom_style = "block" *) reg [15:0] facts [0:31];
  integer              i;
  initial for (i = 0; i < 32; i = i + 1) facts[i] = i * 16'h3b;
  assign _zz_row = 16384'h{random.Random(1).getrandbits(16384):x};
  assign _zz_row_1 = (io_index * 14'h10);
  always @(posedge clk) begin
    if (io_write) words[io_at] <= io_data;
    io_word <= words[io_from];
    io_data <= facts[io_from[4:0]];
    io_row <= _zz_row[_zz_row_1 +: 16];
  end

endmodule
"""


class Targets(unittest.TestCase):
    """Memories and tables are mapped with the family's attributes, which yosys follows."""

    def cells(self, target, flow, kinds):
        module = verilog.modules_of(MEMORIES)["Memories"]
        verilog.attributes(module, target)
        verilog.tables(module, target)
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "unit.v").write_text(module.text)
            counts = "; ".join(f"tee -a counts.txt select -count Memories/t:{kind}*" for kind in kinds)
            run([setup.yosys(), "-q", "-p", f"read_verilog unit.v; {flow} -top Memories; {counts}"], cwd=folder)
            found = re.findall(r"(\d+) objects", Path(folder, "counts.txt").read_text())
        return dict(zip(kinds, map(int, found), strict=True))

    def test_memories_and_tables_of_ecp5(self):
        """Of 512 words, of 32 and of a table of 1,024 yosys would make block, logic, and block."""
        told, not_told = (self.cells(target, "synth_ecp5 -run :map_gates", ["TRELLIS_DPR16X4", "DP16KD"]) for target in ("ecp5", "none"))
        self.assertGreater(told["TRELLIS_DPR16X4"], 0)
        self.assertEqual(told["DP16KD"], 1, "the facts")
        self.assertEqual(not_told["TRELLIS_DPR16X4"], 0)
        self.assertEqual(not_told["DP16KD"], 2, "the words and the table")

    def test_memories_of_ultrascale(self):
        """There the table is Vivado's to decide: yosys reads no attribute of a table's value."""
        told, not_told = (self.cells(target, "synth_xilinx -family xcup -run :fine", ["RAM64M8", "RAMB"]) for target in ("ultrascale+", "none"))
        self.assertGreater(told["RAM64M8"], 0)
        self.assertEqual(told["RAMB"], 2, "the facts and the table")
        self.assertEqual(not_told["RAM64M8"], 0)
        self.assertEqual(not_told["RAMB"], 2, "the words and the table")

    def test_each_target_has_its_own(self):
        texts = {}
        for target in verilog.TARGETS:
            module = verilog.modules_of(MEMORIES)["Memories"]
            verilog.attributes(module, target)
            verilog.tables(module, target)
            texts[target] = module.text
        self.assertNotIn("(*", texts["none"].replace("@(*)", ""))
        for part in ('(* ram_style = "distributed" *) reg [15:0] words', '(* dont_touch = "yes" *) output', '(* rom_style = "distributed" *) reg        [15:0]   _zz_row;'):
            self.assertIn(part, texts["ultrascale+"])
        self.assertNotRegex(texts["ecp5"], r"ram_style|rom_style|dont_touch")

    def test_an_attribute_that_nobody_knows_is_an_error(self):
        module = verilog.modules_of(MEMORIES.replace('ram_style = "distributed"', 'ram_style = "mixed"'))["Memories"]
        with self.assertRaisesRegex(verilog.Failed, 'ram_style = "mixed"'):
            verilog.attributes(module, "none")

    def test_ports_with_an_attribute_are_ports(self):
        self.assertIn(("output", "15", "io_word"), verilog.PORT.findall(verilog.modules_of(MEMORIES)["Memories"].ports))


COUNTERS = """module Part (
  input  wire          clk,
  input  wire [3:0]    io_step,
  output wire [7:0]    io_sum
);
  localparam State_Idle = 1'd0;
  reg        [7:0]    total;
  reg        [0:0]    state;
  assign io_sum = total;
  always @(posedge clk) begin
    if((state == State_Idle)) begin
      total <= (total + io_step);
    end
    state <= io_step[0];
  end
endmodule

module Top (
  input  wire          clk,
  input  wire [3:0]    io_step,
  output wire [7:0]    io_sum
);
  Part part_1 (
    .clk     (clk         ), //i
    .io_step (io_step[3:0]), //i
    .io_sum  (io_sum[7:0] )  //o
  );
endmodule
"""


class SameCircuit(unittest.TestCase):
    """`tools/same_circuit.py` accepts renamed and rearranged circuits, and rejects different ones."""

    def compared(self, *changes):
        text = COUNTERS
        for pattern, replacement in changes:
            text, count = re.subn(pattern, replacement, text)
            self.assertGreater(count, 0, pattern)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in (("old", COUNTERS), ("new", text)):
                Path(folder, name).mkdir()
                Path(folder, name, "Top.v").write_text(content)
                Path(folder, name, "manifest.json").write_text('{"top": "Top"}')
            return same_circuit.compare(Path(folder, "old"), Path(folder, "new"))[0]

    def test_names_do_not_matter(self):
        self.assertEqual(self.compared((r"\bPart\b", "Adder"), (r"\bio_step\b", "io_increment"), ("total", "accumulator"), ("State_Idle", "Idle")), "text")

    def test_order_and_wires_do_not_matter(self):
        moved = (r"  assign io_sum = total;\n", "  wire [7:0] alias;\n  assign io_sum = alias;\n  assign alias = total;\n")
        self.assertEqual(self.compared(moved), "graph")

    def test_a_register_may_be_declared_in_two_parts(self):
        parts = [(r"reg        \[7:0\]    total;", "reg [3:0] low, high;\n  wire [7:0] next_total = {high, low} + io_step;"),
                 (r"total <= \(total \+ io_step\);", "low <= next_total[3:0];\n      high <= next_total[7:4];"), (r"io_sum = total", "io_sum = {high, low}")]
        self.assertEqual(self.compared(*parts), "graph")

    def test_an_operator_a_constant_and_a_register_matter(self):
        for change in [(r"total \+ io_step", "total - io_step"), ("State_Idle = 1'd0", "State_Idle = 1'd1"), (r"io_step\[0\]", "io_step[1]"),
                       (r"assign io_sum = total", "reg [7:0] late;\n  always @(posedge clk) late <= total;\n  assign io_sum = late")]:
            self.assertEqual(self.compared(change), "", change)


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
        """The modules of a configuration: (the file, ports as the generator calls them)."""
        with tempfile.TemporaryDirectory() as folder:
            into, _ = verilog.written(config, Path(folder))
            texts = {path.stem: path.read_text() for path in into.glob("*.v")}
        generated = verilog.modules_of("".join(path.read_text() for path in rtl.verilog(ROOT / "target/rtl" / config)))
        return {name: (re.search(r"^// Source: (.*)$", text, re.M)[1], verilog.PORT.findall(generated[name.removeprefix(f"{config}_")].ports)) for name, text in texts.items()}

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
        self.assertEqual(found["modmul_toy_fp_ModMul_toy_fp"][0], "rtl/src/main/scala/proofmill/field/ModMul.scala")
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
                self.assertFalse([path for path in into.glob("*.v") if re.search(r"_zz_|\bio_|_io_|when_\w+_l_?\w*\d|\[\[", path.read_text())])

    def test_what_is_asked_for_is_there(self):
        run(["make", "--no-print-directory", "verilog", "CONFIG=modadd_toy_fp"], cwd=ROOT)
        folder = ROOT / "target/verilog/modadd_toy_fp"
        self.assertEqual(sorted(path.name for path in folder.glob("*.v")), sorted((folder / "files.f").read_text().split()))

    def test_an_unknown_name_is_answered_by_the_closest(self):
        for name, message in (("moon", "no circuit is called moon; `python3 tools/rtl.py` lists the cards and units"),
                              ("modmul_bn245_fp", "no circuit is called modmul_bn245_fp: did you mean modmul_bn254_fp, "),
                              ("modmul_toy_fp_twin", "take modmul_toy_fp"), ("card CANONICAL=1", "card: there is no form with canonical operands")):
            wrong = subprocess.run(["make", "--no-print-directory", "verilog", *f"CONFIG={name}".split()], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertNotEqual(wrong.returncode, 0)
            self.assertIn(message, wrong.stdout)
            self.assertLess(len(wrong.stdout), 500, wrong.stdout)

    def test_a_unit_on_canonical_integers_in_one_file(self):
        run(["make", "--no-print-directory", "verilog", "CONFIG=modmul_toy_fp", "CANONICAL=1", "SINGLE_FILE=1"], cwd=ROOT)
        folder = ROOT / "target/verilog/modmul_canonical_toy_fp"
        self.assertEqual([path.name for path in folder.glob("*.v")], ["modmul_canonical_toy_fp.v"])
        verilog.check(folder, "ModmulCanonicalToyFpTop")
        ports = {port["name"]: port for port in json.loads((folder / "about.json").read_text())["ports"]}
        self.assertEqual(list(ports), ["clk", "reset", "in_valid", "a", "b", "out_valid", "product"])
        for name in ("a", "b", "product"):
            self.assertEqual((ports[name]["low"], ports[name]["high"], ports[name]["signed"]), ("0", "96", False))

    def test_several_units_are_parts_of_one_design(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for config in ("modmul_bn254_fr", "modmul_bls12_381_fr", "modmul_toy_fp"):
                into, _ = verilog.written(config, Path(folder))
                files += [into / name for name in (into / "files.f").read_text().split()]
            self.assertEqual(len({path.name for path in files}), len(files))
            run(["iverilog", "-g2005", "-t", "null", *files])

    def test_it_is_written_for_the_target_that_is_asked_for(self):
        run(["make", "--no-print-directory", "verilog", "CONFIG=modmul_toy_fp", "TARGET=ecp5"], cwd=ROOT)
        self.assertIn("// Attributes: for ecp5\n", (ROOT / "target/verilog/modmul_toy_fp/ModmulToyFpTop.v").read_text())
        with tempfile.TemporaryDirectory() as folder:
            for target in verilog.TARGETS:
                into, _ = verilog.written("ecdsa", Path(folder), target)
                self.assertEqual('(* ram_style = "distributed" *)' in (into / "CanonicalQueue.v").read_text(), target == "ultrascale+")
                into, top = verilog.written("modmul_toy_fp", Path(folder), target)
                verilog.check(into, top)


class About(unittest.TestCase):
    """about.json follows its schema, and agrees with the Verilog and the generator."""

    CONFIGS = ["toy", "card", "ecdsa", "msm_toy", "poseidon_stream_small_twin", "ntt_bn254_small_twin", "vdf_64", "uart_toy", "xdma_toy", "f2_toy",
               "modmul_bn254_fp", "modmul_bls12_381_fp", "modmul_montgomery_toy_fp", "modsub_canonical_toy_fp", "canonical_toy_fp", "point_add_toy",
               "msm_core_toy", "ecdsa_items_toy"]

    def problems(self, documents):
        """The schema's complaints about each of some documents."""
        python = setup.python_tool("python", setup.SCHEMA_PACKAGES)
        code = ("import json, sys, jsonschema; schema, documents = json.load(sys.stdin); jsonschema.Draft202012Validator.check_schema(schema); "
                "print(json.dumps([[e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(d)] for d in documents]))")
        asked = json.dumps([json.loads(about.SCHEMA.read_text()), documents])
        return json.loads(subprocess.run([python, "-c", code], input=asked, stdout=subprocess.PIPE, text=True, check=True).stdout)

    def test_it_follows_its_schema(self):
        made = [about.about(rtl.manifest(folder)) for folder in rtl.generate_all(self.CONFIGS)]
        for config, problems in zip(self.CONFIGS, self.problems(made), strict=True):
            self.assertEqual(problems, [], config)

    def test_the_schema_sees_what_is_wrong(self):
        good = about.about(rtl.manifest(rtl.generate("modmul_toy_fp")))
        port = {**good["ports"][3], "role": "guest"}
        wrong = [{**good, "latency": "9"}, {**good, "options": "Options(4)"}, {**good, "ports": [port]}, {key: value for key, value in good.items() if key != "ports"}]
        for problems in self.problems(wrong):
            self.assertNotEqual(problems, [])

    def test_its_ports_are_those_of_the_module(self):
        for config in ("modmul_bn254_fp", "canonical_toy_fp", "point_add_toy"):
            with tempfile.TemporaryDirectory() as folder:
                into, top = verilog.written(config, Path(folder))
                facts, text = json.loads((into / "about.json").read_text()), (into / f"{top}.v").read_text()
            declared = {(way, int(high or 0) + 1, name) for way, high, name in verilog.PORT.findall(text)}
            self.assertEqual({(port["direction"], port["width"], port["name"]) for port in facts["ports"]}, declared, config)

    def test_bounds_are_multiples_of_p(self):
        facts = about.about(rtl.manifest(rtl.generate("modmul_bn254_fp")))
        product, p = facts["ports"][-1], int(facts["moduli"]["bn254_fp"])
        self.assertEqual((product["name"], product["low"], product["low_in_p"]), ("product", "0", 0))
        self.assertTrue(product["high_in_p"] - 0.01 < int(product["high"]) / p <= product["high_in_p"])
        digits = about.about(rtl.manifest(rtl.generate("modmul_bls12_381_fp")))["ports"][3]
        least, greatest = (sum(sign * int(digits["high"]) * abs(int(digits["base"]))**i for i in range(digits["digits"])) for sign in (-1, 1))
        self.assertEqual(about.represented({**digits, "width": digits["digit_width"]}), (least, greatest))


if __name__ == "__main__":
    unittest.main()
