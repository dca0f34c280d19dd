"""What `tools/testbench.py` writes and `boards/ooc` runs: toys in Icarus, replies that are wrong, and the vendor's script without the vendor.

With PROOFMILL_LONG=1 real engines too, in Verilator.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import testbench  # noqa: E402
from place import ROOT, run  # noqa: E402

#: Vivado's commands, which only say that they were called.
STAND_IN = """
foreach command {read_verilog read_xdc synth_design opt_design place_design phys_opt_design route_design report_utilization report_timing write_checkpoint} {
    proc $command {args} "puts \\"$command \\$args\\""
}
proc get_cells {args} { return {a b} }
proc get_timing_paths {args} { return path }
proc get_property {name of} { return 0.5 }
set argv [list $folder]
source $script
"""


class Benches(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_toys_answer_as_the_model(self):
        for card in ("toy", "msm_toy"):
            testbench.examine(card, self.folder, "icarus", ["+stall"])

    def test_units_answer_as_integers(self):
        """One digit, digits in base z, Montgomery's form, canonical integers, and a unit that waits."""
        for config in ("modmul_toy_fp", "modmul_bls12_381_fr", "modmul_montgomery_toy_fp", "modsub_canonical_toy_fp", "canonical_toy_fp"):
            testbench.examine_unit(config, self.folder, "icarus", [])
        with self.assertRaisesRegex(testbench.Failed, "ecdsa_items_toy: there are test benches of modmul, "):
            testbench.examine_unit("ecdsa_items_toy", self.folder, "icarus", [])

    def test_a_wrong_residue_is_seen(self):
        folder = testbench.unit_bench.written("modmul_toy_fp", self.folder, testbench.rtl.manifest(testbench.rtl.generate("modmul_toy_fp")))
        rows = (folder / "residues.hex").read_text().splitlines()
        rows[5] = f"{int(rows[5], 16) ^ 1:x}"
        (folder / "residues.hex").write_text("\n".join(rows))
        build, start = testbench.commands(folder, "icarus", [], ["testbench.v"])
        run(build, cwd=folder)
        self.assertIn("FAILED: 200 results of 200, 1 wrong", run(start, cwd=folder))

    def test_a_wrong_reply_and_a_missing_one_are_seen(self):
        folder, asked = testbench.written("toy", self.folder)
        build, start = testbench.commands(folder, "icarus", [])
        run(build, cwd=folder)
        replies = (folder / "replies.hex").read_text()
        verdict = int(replies.split()[-1], 16)
        spoilt = replies.replace(f"{verdict:035x}", f"{verdict ^ 1 << 64:035x}")
        for text, told in ((spoilt, "FAILED: 1 words wrong"), (replies + replies.split()[0] + "\n", "FAILED: 0 words wrong")):
            (folder / "replies.hex").write_text(text)
            sizes = re.sub(r"(REPLY_WORDS) = \d+", rf"\1 = {len(text.split())}", (folder / "sizes.vh").read_text())
            (folder / "sizes.vh").write_text(re.sub(r"(PATIENCE) = \d+", r"\1 = 2000", sizes))
            run(build, cwd=folder)
            self.assertIn(told, run(start, cwd=folder))
        self.assertEqual(len(asked), 3)

    def test_waves_have_the_signals_of_the_save_file(self):
        folder, _ = testbench.written("toy", self.folder)
        build, start = testbench.commands(folder, "icarus", ["+waves"])
        run(build, cwd=folder)
        run(start, cwd=folder)
        waves = (folder / "waves.vcd").read_text()
        shown = [line.split("[")[0].split(".")[-1] for line in (folder / "waves.gtkw").read_text().splitlines() if line.startswith("testbench.")]
        self.assertGreater(len(shown), 30)
        for name in shown:
            self.assertRegex(waves, rf"\$var \w+ +\d+ \S+ {name} ")

    def test_what_has_none_is_refused(self):
        for config, message in (("ecdsa_items_toy", "there are test benches of modmul"), ("moon", "no circuit is called moon"), ("toyy", "did you mean toy?")):
            done = subprocess.run([sys.executable, "tools/testbench.py", config], cwd=ROOT, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(message, done.stderr)

    @unittest.skipUnless(os.environ.get("PROOFMILL_LONG"), "real engines: make test-long")
    def test_real_engines_answer_as_the_model(self):
        for card in ("ecdsa", "ntt_small", "poseidon_2", "vdf_64", "equihash_solve_48_5"):
            testbench.examine(card, self.folder, "verilator", [])


class OutOfContext(unittest.TestCase):
    @unittest.skipUnless(shutil.which("tclsh"), "there is no tclsh")
    def test_the_script_asks_for_what_is_there(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder, _ = testbench.written("toy", Path(scratch))
            script = f"set folder {folder}\nset script {ROOT / 'boards/ooc/ooc.tcl'}\n{STAND_IN}"
            said = run(["tclsh"], input=script)
            read = [line.split()[1] for line in said.splitlines() if line.startswith("read_verilog")]
            self.assertEqual(read, [str(folder / name) for name in (folder / "files.f").read_text().split()])
            self.assertIn("synth_design -top ToyTop -part xcvu9p-flga2104-2-i -mode out_of_context", said)
            self.assertIn("LUT 2, FF 2, DSP 2, BRAM36 3.0, URAM 2, 285.7 MHz", said)
            self.assertIn("create_clock -name clk -period 4.0", (folder / "clock.xdc").read_text())


if __name__ == "__main__":
    unittest.main()
