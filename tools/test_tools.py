"""The build tools' own promises: content names, whole builds, counting, reading Verilog, proving and refuting."""

import contextlib
import io
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock
from xml.etree import ElementTree

import area
import cells
import checked
import compile_once
import emulation
import formal
import host
import packages
import place
import plot
import report
import report_page
import sim
import synthesis
import test

VERILOG = """
module Top (
  input  wire          a,
  output wire [3:0]    b
);
  Pair pair_1 (
    .x (a)
  );
  Leaf leaf (
    .x (a)
  );
endmodule

module Pair (
  input  wire x
);
  Leaf left (
    .x (x)
  );
  Leaf right (
    .x (x)
  );
endmodule

module Leaf (
  input  wire x
);
  initial begin
    $readmemb("leaf.bin",rom);
  end
endmodule
"""


class Interfaces(unittest.TestCase):
    def test_features_that_are_lost_are_named(self):
        then = {"default": ["card", "pasta"], "card": [], "pasta": [], "dev": []}
        self.assertEqual(list(packages.lost("x", then, {**then, "more": []})), [])
        now = {"default": ["card"], "card": [], "pasta": []}
        self.assertEqual(list(packages.lost("x", then, now)), ["x: the feature dev is not there any more", "x: the feature pasta is not on by default any more"])


class Place(unittest.TestCase):
    def test_a_name_depends_on_every_part_and_on_where_parts_end(self):
        names = {place.digest(*parts) for parts in (("a", "b"), ("ab",), ("a", "b", ""), (b"a", "c"))}
        self.assertEqual(len(names), 4)

    def test_what_is_interrupted_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            final = Path(folder) / "made"
            with self.assertRaises(KeyboardInterrupt):
                with place.made_whole(final) as scratch:
                    (scratch / "half").touch()
                    raise KeyboardInterrupt
            self.assertEqual(list(Path(folder).iterdir()), [])

    def test_who_comes_second_keeps_the_first(self):
        with tempfile.TemporaryDirectory() as folder:
            final = Path(folder) / "made"
            with place.made_whole(final) as slow:
                (slow / "who").write_text("slow")
                with place.made_whole(final) as fast:
                    (fast / "who").write_text("fast")
            self.assertEqual((final / "who").read_text(), "fast")
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["made"])

    def test_what_is_cached_cannot_be_changed_by_other_users_whatever_the_umask(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder).resolve() / "cache"
            self.addCleanup(os.umask, os.umask(0o002))
            with mock.patch.object(place, "CACHE", cache):
                with place.made_whole(cache / "sim/made") as scratch:
                    (scratch / "card.so").touch()
                self.assertEqual(cache.stat().st_mode & 0o777, 0o700)
                link = Path(folder) / "target/sim/card.so"
                link.parent.mkdir(parents=True)
                place.link(link, cache / "sim/made/card.so")
                self.assertEqual(link.parent.stat().st_mode & 0o777, 0o700)
                cache.chmod(0o775)  # as earlier versions made it
                with place.alone("x"):
                    self.assertEqual(cache.stat().st_mode & 0o777, 0o700)

    def test_a_cache_of_another_user_is_refused(self):
        if os.geteuid() != 0:
            self.skipTest("only root can give a folder to another user")
        with tempfile.TemporaryDirectory() as folder:
            cache = Path(folder) / "cache"
            cache.mkdir()
            os.chown(cache, 4242, -1)
            with mock.patch.object(place, "CACHE", cache), self.assertRaisesRegex(place.Failed, "cache belongs to the user 4242"):
                place.write_whole(cache / "a", "b")

    def test_a_failing_command_is_an_error(self):
        with self.assertRaisesRegex(place.Failed, "false failed with status 1"):
            place.run(["false"])


class Counting(unittest.TestCase):
    def test_the_words_of_every_test_program(self):
        texts = {
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured\n": (12, 0, 1),
            "test result: ok. 2 passed; 0 failed; 0 ignored\nx\ntest result: FAILED. 1 passed; 3 failed; 0 ignored\n": (3, 3, 0),
            "Ran 29 tests in 1.4s\n\nOK\n": (29, 0, 0),
            "Ran 5 tests in 1s\n\nFAILED (failures=1, errors=2, skipped=1)\n": (1, 3, 1),
            "10 passed, 1 failed\n": (10, 1, 0),
            "SKIPPED: no real blocks\nx SKIPPED\n": (0, 0, 1),
            "SKIPPED level avx512: none\nSKIPPED level avx512: none\nSKIPPED level bmi2: none\n": (0, 0, 2),
        }
        for text, outcome in texts.items():
            self.assertEqual(test.counts(text), outcome, text)

    def test_a_stage_that_needs_a_failed_one_is_not_run_and_counts_as_failed(self):
        stages = [test.Stage("bad", "", [["false"]]), test.Stage("after", "", [["true"]], ("bad",)), test.Stage("good", "", [["true"]])]
        for jobs in (1, 2):
            with contextlib.redirect_stdout(io.StringIO()) as said:
                outcomes = test.run_all(stages, False, None, jobs)
                self.assertEqual(test.report(outcomes, 0), 1)
            self.assertEqual([outcome.result for outcome in outcomes], ["FAILED", "not run", "ok"])
            self.assertEqual(said.getvalue().splitlines()[-1], "1 passed, 2 failed, 0 skipped")

    def test_stages_that_use_the_same_do_not_run_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = ["sh", "-c", f"mkdir {folder}/x && sleep 0.1 && rmdir {folder}/x"]
            stages = [test.Stage(f"tried-{i}", "", [alone], uses="x") for i in range(4)]
            with contextlib.redirect_stdout(io.StringIO()):
                outcomes = test.run_all(stages, False, None, 3)
        self.assertEqual([outcome.result for outcome in outcomes], ["ok"] * 4)

    def test_stages_on_the_longest_path_start_first(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = lambda name, takes, needs=(): test.Stage(name, "", [["sh", "-c", f"echo {name} >> {folder}/order"]], needs, takes=takes)
            stages = [stage("short", 1), stage("long", 5), stage("first", 2), stage("after", 9, ("first",))]
            with contextlib.redirect_stdout(io.StringIO()):
                outcomes = test.run_all(stages, False, None)
            order = Path(folder, "order").read_text().split()
        self.assertEqual(order, ["first", "after", "long", "short"])
        self.assertEqual([outcome.stage for outcome in outcomes], ["short", "long", "first", "after"])

    def test_the_slowest_are_told(self):
        output = "built card in 12.5 s\nran cpu/all msm::sums in 3.25 s\nok     a circuit (4.0 s): for all time\nok   x\n"
        outcome = test.outcome_of("stage", output, 0, [], (1, 1))
        self.assertEqual((outcome.models, outcome.tests), ([(12.5, "card")], [(3.25, "stage: cpu/all msm::sums"), (4.0, "stage: a circuit")]))

    def test_a_program_that_is_not_there_fails_its_stage_only(self):
        stages = [test.Stage("bad", "", [["no-such-program"]]), test.Stage("good", "", [["true"]])]
        with contextlib.redirect_stdout(io.StringIO()):
            outcomes = test.run_all(stages, False, None)
        self.assertEqual([outcome.result for outcome in outcomes], ["FAILED", "ok"])

    def test_a_stage_that_passed_with_the_same_sources_is_skipped(self):
        with tempfile.TemporaryDirectory(dir=place.ROOT) as folder:
            folder = Path(folder)
            source, record = folder / "source", folder / "checked.txt"
            source.write_text("1")
            sources = (str(folder.relative_to(place.ROOT)) + "/source",)
            stages = [test.Stage("tried", "", [["false"]], sources=sources), test.Stage("after", "", [["true"]], ("tried",))]
            with mock.patch.object(checked, "RECORD", record), contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(checked.passed(stages), set())
                checked.record(stages)
                self.assertEqual(list(checked.read()), ["tried"], "only one has sources")
                self.assertEqual(checked.passed(stages), {"tried"})
                outcomes = test.run_all(stages, False, None, passed=checked.passed(stages))
                self.assertEqual(test.report(outcomes, 0), 0)
                source.write_text("2")
                self.assertEqual(checked.passed(stages), set())
        self.assertEqual([outcome.result for outcome in outcomes], ["skipped", "ok"])
        self.assertIn("skipped in tried: its sources have passed", said.getvalue())
        self.assertEqual(said.getvalue().splitlines()[-1], "1 passed, 0 failed, 1 skipped")

    def test_sources_of_stages_exist(self):
        for stage in test.STAGES:
            for source in stage.sources:
                self.assertTrue(checked.files([source]), f"{stage.name}: {source}")

    def test_every_stage_needs_only_earlier_ones(self):
        seen = set()
        for stage in test.STAGES:
            self.assertLessEqual(set(stage.needs), seen, stage.name)
            seen.add(stage.name)


class Host(unittest.TestCase):
    def test_a_level_needs_its_flags(self):
        self.assertEqual(host.levels_of(set()), ["portable"])
        self.assertEqual(host.levels_of({"bmi2", "adx", "avx2", "fma", "sse"}), ["portable", "bmi2", "avx2"])
        self.assertEqual(host.levels_of({"bmi2", "avx2", "fma"}), ["portable", "avx2"])
        self.assertEqual(host.levels_of({"avx512f", "avx512dq", "avx512vl", "avx512ifma"}), ["portable"])
        self.assertEqual(host.levels_of(set.union(*host.LEVELS.values())), list(host.LEVELS))

    def test_a_system_without_cpuinfo_has_no_flags(self):
        with mock.patch.object(host, "CPUINFO", Path("/nowhere/cpuinfo")):
            self.assertEqual(host.flags(), set())

    def test_kernels_that_cannot_run_are_omitted(self):
        self.assertEqual(host.variables_of(list(host.LEVELS)), {})
        self.assertEqual(host.variables_of(["portable", "bmi2", "avx2"]), {"PROOFMILL_BUILD": "native"})

    def test_every_level_has_the_prover_and_the_conformance_suite(self):
        for tests in (host.LEVEL_TESTS, host.SHORT_TESTS):
            self.assertLessEqual(set(tests), set(host.LEVEL_TESTS))
            self.assertTrue(any(test.startswith("prover::") for test in tests["proof/all"]))
            self.assertEqual(tests["testkit/all"], ["conformance::the_processor"])

    def test_programs_are_called_by_crate_and_target(self):
        def message(kind, name, test=True):
            return {"reason": "compiler-artifact", "manifest_path": "/host/cpu/Cargo.toml", "target": {"kind": [kind], "name": name},
                    "profile": {"test": test}, "executable": f"/{name}"}
        messages = [message("lib", "proofmill-cpu"), message("test", "all"), message("bin", "tool"), message("bin", "tool", test=False), {"reason": "other"}]
        self.assertEqual([program.name for program in host.programs_of(messages)], ["cpu/all", "cpu/tool-unit", "cpu/unit"])


    def test_filters_name_tests_that_exist(self):
        names = [*host.SAME_ON_LEVELS, *emulation.LONG, *(name for tests in (host.LEVEL_TESTS, host.SHORT_TESTS) for found in tests.values() for name in found)]
        for name in names:
            *modules, function = name.split("::")
            with self.subTest(name):
                sources = [path for path in host.ROOT.glob("host/*/tests/all/**/*.rs") if not modules or modules[-1] == path.stem]
                self.assertTrue(sources)
                self.assertTrue(any(re.search(rf"\bfn {function}", path.read_text()) for path in sources))


class CompileOnce(unittest.TestCase):
    COMPILER = """#!/bin/sh
echo "$@" >> {log}
while [ "$1" != -o ]; do shift; done
echo made > "$2"
"""

    def test_what_models_share_is_compiled_once_for_each_set_of_flags(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            log, compiler = folder / "log", folder / "compiler"
            compiler.write_text(self.COMPILER.format(log=log))
            compiler.chmod(0o755)

            def compiled(level, source):
                made = folder / "made.o"
                made.unlink(missing_ok=True)
                before = len(log.read_text().splitlines()) if log.exists() else 0
                with mock.patch.dict(compile_once.os.environ, PROOFMILL_OBJECTS=str(folder / "objects")):
                    self.assertEqual(compile_once.main([str(compiler), level, "-c", "-o", str(made), source]), 0)
                self.assertEqual(made.read_text(), "made\n")
                return [line.split()[-1] for line in log.read_text().splitlines()[before:] if ".gch" not in line]

            self.assertEqual(len(compiled("-O0", "/include/verilated.cpp")), 1)
            self.assertEqual(compiled("-O0", "/include/verilated.cpp"), [])
            self.assertEqual(len(compiled("-Os", "/include/verilated.cpp")), 1)
            self.assertEqual(len(compiled("-Os", "/include/verilated_threads.cpp")), 1)
            for _ in range(2):  # a model's own file, every time
                self.assertEqual(compiled("-O0", "Vtop.cpp"), ["Vtop.cpp"])
            self.assertEqual(log.read_text().count(".gch"), 1)


class Tables(unittest.TestCase):
    def test_constants_one_after_the_other_become_a_table(self):
        text = "a;\n    vlSelf->x[0U] = 0x5ULL;\n    vlSelf->x[1U] = 7U;\n    vlSelf->y[0xaU] = 1U;\n    vlSelf->y[0U] = vlSelf->x[0U];\nb;\n"
        table = "    {{ static const uint64_t table[] = {{{}}}; for (int i = 0; i < {}; i++) {}[{} + i] = table[i]; }}\n".format
        self.assertEqual(sim.with_tables(text), "a;\n" + table("0x5ULL, 7ULL", 2, "vlSelf->x", 0) + table("1ULL", 1, "vlSelf->y", 10)
                         + "    vlSelf->y[0U] = vlSelf->x[0U];\nb;\n")


class Area(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        path = Path(self.folder.name) / "Top.v"
        path.write_text(VERILOG)
        self.modules = area.Modules([path])

    def test_the_tree_is_multiplied_out(self):
        self.assertEqual(self.modules.below("Top"), {"Top": 1, "Pair": 1, "Leaf": 3})

    def test_a_black_box_keeps_its_ports_and_nothing_else(self):
        box = self.modules.shell_of("Pair")
        self.assertIn("input  wire x", box)
        self.assertNotIn("Leaf", box)

    def test_a_memory_file_is_part_of_the_module(self):
        self.assertEqual([path.name for path in self.modules.data["Leaf"]], ["leaf.bin"])

    def test_large_memories_are_ultraram(self):
        for bits, words, uram in ((72, 4096, False), (73, 4096, True), (1, 16384, False), (773, 16384, True)):
            text = f"  wire [7:0] x;\n  reg [{bits - 1}:0] memory [0:{words - 1}];\n  reg [15:0] small [0:15];\n"
            self.assertEqual(synthesis.synthesis_of(text).endswith("-uram"), uram, (bits, words))

    def test_what_is_hollow_has_registers_at_its_ports_and_nothing_below(self):
        path = Path(self.folder.name) / "Top.v"
        modules = area.Modules([path], {"Pair"})
        self.assertNotIn("Leaf", modules.below("Pair"))
        self.assertEqual(modules.ports("Top"), {"a": ("input", 1), "b": ("output", 4)})
        made = cells.hollow({"clk": ("input", 1), "x": ("input", 2), "y": ("output", 1)})
        self.assertEqual((made["ports"]["x"], made["ff"], made["nets"]), (["i", [2, 3]], [[5, 1, 0, 0], [6, 2, 0, 0], [7, 3, 0, 0], [4, 0, 0, 0]], 7))

    def test_small_modules_share_a_run(self):
        large = "  reg [771:0] memory [0:16383];\n"
        texts = {"A": 30_000 * "a", "B": 9_000 * "b", "C": 9_000 * "c", "D": 8_000 * "d", "E": large, "F": "f"}
        with mock.patch.multiple(synthesis, SHORT=10_000, BATCH=20_000):
            found = synthesis.batches(SimpleNamespace(text=texts), list(reversed(texts)))
        self.assertEqual([sorted(names) for names in found], [["A"], ["B", "C"], ["E"], ["D", "F"]])

    def test_totals(self):
        own = {"Top": {"ff": 1}, "Pair": {"lut": 5}, "Leaf": {"lut": 2, "bram": 0.5}}
        self.assertEqual(area.total_of(self.modules, own, "Top"), {"ff": 1, "lut": 11, "bram": 1.5})

    def test_cells(self):
        cells = {"LUT3": 4, "INV": 1, "SRL16E": 2, "RAM32M": 1, "FDRE": 7, "CARRY4": 3, "RAMB18E2": 1, "URAM288": 3, "DSP48E2": 1, "Leaf": 9, "BUFG": 1}
        expected = {"lut": 11, "srl": 2, "lutram": 4, "ff": 7, "carry8": 1.5, "bram": 0.5, "uram": 3, "dsp": 1}
        self.assertEqual(area.own_cost(self.modules, "Top", cells), expected)
        with self.assertRaisesRegex(place.Failed, r"3 of \$_XOR_"):
            area.own_cost(self.modules, "Top", {"$_XOR_": 3})


class Report(unittest.TestCase):
    ROWS = [
        {"op": "modmul", "instance": "i", "config": "c", "metric": "lut", "unit": "LUT", "value": 51000, "published": None, "published_by": None},
        {"op": "modmul", "instance": "i", "config": "c", "metric": "dsp", "unit": "DSP", "value": 216, "published": 345, "published_by": "P"},
        {"op": "other", "instance": "i", "config": "c", "metric": "lut", "unit": "LUT", "value": 1, "published": None, "published_by": None},
        {"op": "modmul", "instance": "i", "config": "c", "metric": "lut/Part", "unit": "LUT", "value": 7, "published": None, "published_by": None},
    ]
    CONTENT = {"date": "2026-01-02", "commit": "c", "command": "make area", "rows": ROWS}
    TEXT = "a\n<!-- figures area modmul -->\nold\n<!-- end -->\nb\n"
    PLACE = {"processor": "AMD Zen 3 (family 25 model 1), 2 threads", "vendor": "AuthenticAMD", "family": 25, "model": 1, "flags": "avx2",
             "isa": "avx2", "profile": "release", "commit": "c"}
    IFMA = {**PLACE, "processor": "AMD Zen 5 (family 26 model 2), 2 threads", "family": 26, "model": 2, "isa": "avx512ifma"}

    def test_circuits_stand_one_a_row(self):
        text = report.table(self.CONTENT, ["modmul"])
        self.assertEqual(text.splitlines()[0], "`make area`, 2026-01-02, commit c.")
        self.assertEqual(text.splitlines()[2], "| instance | config | lut | dsp | published |")
        self.assertEqual(text.splitlines()[4:], ["| i | c | 51,000 | 216 | P: 345 DSP |"])

    def test_other_rows_stand_as_they_are(self):
        rows = [{"metric": "per header", "value": 51000, "published": None, "kind": "measured"}]
        text = report.table({**self.CONTENT, "rows": rows})
        self.assertEqual(text.splitlines()[2:], ["| metric | value |", "|---|---|", "| per header | 51,000 |"])

    def test_a_table_names_its_machine_and_path_and_says_why_a_peer_is_absent(self):
        rows = [{"op": "msm", "metric": "m", "ours": 1.0, "peer_name": "gnark", "peer": None, "ratio": None, "absent": "no go", **self.PLACE}]
        lines = report.table({**self.CONTENT, "rows": rows}).splitlines()
        self.assertTrue(lines[0].startswith("**AMD Zen 3 (family 25 model 1), 2 threads, our path `avx2`**, profile `release`: "))
        self.assertEqual(lines[2:], ["| metric | ours | who | peer |", "|---|---|---|---|", "| m | 1 | gnark | absent: no go |"])

    def test_a_slower_peer_stands_in_the_table_of_proofs_only(self):
        rows = [{"op": op, "metric": f"{place} peer", "value": 1} for op in ("prove", "msm") for place in ("fastest", "slower", "absent")]
        shown = [(row["op"], row["metric"].split()[0]) for row in rows if not report.detail(row)]
        self.assertEqual(shown, [("prove", "fastest"), ("prove", "slower"), ("prove", "absent"), ("msm", "fastest"), ("msm", "absent")])

    def test_cycles_have_nanoseconds_and_what_they_cost_beside_them(self):
        row = {"op": "msm", "instance": "bn254_g1", "config": "msm_bn254_twin", "metric": "a point", "unit": "cycles", "value": 16.0, "kind": "measured"}
        sizes = [{**row, "instance": "bn254", "config": "msm_bn254", "metric": metric, "unit": "", "value": value} for metric, value in (("lut", 4000), ("dsp", 500), ("clock", 250))]
        figures = {"area-msm": [{"rows": sizes[:2]}], "timing": [{"rows": sizes[2:]}]}
        (weighed,) = report.weighed([row], figures)
        self.assertEqual([weighed[name] for name in ("ns, estimated", "K LUT cycles", "K DSP cycles")], [64, 64, 8])
        (plain,) = report.weighed([row], {})
        self.assertEqual(plain, row)

    def test_marked_places_are_filled_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "README.md"
            path.write_text(self.TEXT)
            wanted = self.TEXT.replace("old\n", report.table(self.CONTENT, ["modmul"]))
            self.assertEqual(report.filled(path, {"area": [self.CONTENT]}), wanted)
            with self.assertRaisesRegex(place.Failed, "no kept figures are called area"):
                report.filled(path, {})

    def test_two_machines_and_two_paths_of_one_are_kept_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            made, kept = Path(folder) / "made", Path(folder) / "kept"
            made.mkdir()
            for name, there in {"msm": self.PLACE, "msm@portable": {**self.PLACE, "isa": "portable"}}.items():
                (made / f"{name}.json").write_text(report.json.dumps([{"op": "msm", "metric": "m", "ours": 1.0, **there}]))
            (made / "area.json").write_text(report.json.dumps(self.ROWS))
            with mock.patch.multiple(report, MADE=made, KEPT=kept, commit=lambda: "c"):
                report.keep()
                (made / "msm.json").write_text(report.json.dumps([{"op": "msm", "metric": "m", "ours": 1.0, **self.IFMA}]))
                report.keep()
                figures = report.newest()
            spots = sorted(path.stem[10:] for path in kept.iterdir())
            self.assertEqual(spots, ["-area", "-msm@amd-25-1-avx2", "-msm@amd-25-1-portable", "-msm@amd-26-2-avx512ifma"])
            self.assertEqual([content["rows"][0]["isa"] for content in figures["msm"]], ["avx512ifma", "avx2", "portable"])
            self.assertEqual([content["rows"][0]["isa"] for content in plot.two(figures["msm"])], ["avx512ifma", "avx2"])

    def test_the_page_of_all_figures_needs_no_other_file(self):
        figures = report.newest()
        text = report_page.page(figures, lambda content: report.table(content, figures=figures))
        drawings = re.findall(r"<svg.*?</svg>", text, re.S)
        for drawing in drawings:
            ElementTree.fromstring(drawing)
        operations = [drawing.what for name, drawing in plot.DRAWINGS.items() if name in figures]
        headings = re.findall(r"<h2 id=\"[\w()-]+\">(.*?)</h2>", text)
        self.assertEqual(headings[:len(operations)], operations)
        self.assertEqual(headings[-len(report_page.CIRCUITS):], list(report_page.CIRCUITS))
        self.assertGreater(len(drawings), len(headings))
        self.assertEqual(set(re.findall(r"https?://[^\"]*", text)), {"http://www.w3.org/2000/svg"})
        for names in (r"<script", r"\bsrc=", r"@import", r"url\("):
            self.assertNotRegex(text, names)

    def test_words_of_figures_are_no_html(self):
        content = {**self.CONTENT, "rows": [{**self.ROWS[0], "published": 1, "published_by": "<b>&"}, *self.ROWS[1:]]}
        text = report_page.page({"area": [content]}, report.table)
        self.assertIn("&lt;b&gt;&amp;", text)
        self.assertNotIn("<b>", text)

    def test_totals_and_the_largest_parts_are_kept(self):
        def row(config, metric, value):
            return {"op": "o", "instance": "i", "config": config, "metric": metric, "value": value}
        parts = [row("c", f"{metric}/P{size}", size) for size in range(1, 16) for metric in ("lut", "ff")]
        rows = [row("c", "lut", 200), *parts, row("other", "lut/Small", 1), {"metric": "a/b"}]
        kept = report.largest(rows)
        self.assertEqual({r["metric"].split("/")[1] for r in kept if r.get("config") == "c" and "/" in r["metric"]}, {f"P{size}" for size in range(6, 16)})
        self.assertEqual(len(kept), 1 + 20 + 1 + 1)

    def test_a_plot_of_lines_has_everybody_in_every_panel(self):
        def row(size, peer, place, where):
            return {"instance": "bn254_g1", "metric": f"2^{size} points, {place} peer", "threads": 1, "ours": 2.0, "peer_name": peer, "peer": 8.0, **where}
        def content(where):
            rows = [row(10, "arkworks 0.6.0", "fastest", where), row(20, "arkworks 0.6.0", "fastest", where), row(20, "halo2curves 0.10.0", "slower", where)]
            return {"date": "2026-01-02", "rows": rows}
        self.assertEqual(plot.curves(plot.DRAWINGS["msm"], content(self.IFMA)["rows"])["bn254"]["arkworks"], [(10, 0.128), (20, 131.072)])
        for contents in ([content(self.PLACE)], [content(self.PLACE), content(self.IFMA)]):
            drawing = ElementTree.fromstring(plot.svg("msm", contents))
            paths = [path.get("class") for path in drawing.iter("{http://www.w3.org/2000/svg}path")]
            self.assertEqual(paths, ["proofmill", "arkworks", "halo2curves"] * len(contents))

    def test_a_plot_of_paths_names_ours_too(self):
        rows = [{"instance": "bn254_g1", "metric": f"2^{size} points (plot)", "threads": 1, "ours": 2.0, "peer_name": name, "peer": 8.0, **self.IFMA}
                for size in (10, 20) for name in ("bmi2", "avx2")]
        lines = plot.curves(plot.DRAWINGS["paths"], rows)["bn254"]
        self.assertEqual({name: len(line) for name, line in lines.items()}, {"avx512ifma": 2, "bmi2": 2, "avx2": 2})
        ElementTree.fromstring(plot.svg("paths", [{"date": "2026-01-02", "rows": rows}]))

    def test_a_plot_of_seconds_shows_ours_beside_a_key_that_stays(self):
        def row(form, peer, ours):
            return {"instance": "bn254", "metric": f"2^14 constraints, {form}, fastest peer", "threads": 2, "ours": ours, "peer_name": peer, "peer": 8000.0}
        rows = [row("key resident", "gnark 0.16.0", 200.0), row("from files", "snarkjs 0.7.6", 300.0)]
        lines = plot.curves(plot.DRAWINGS["prove"], rows)["bn254"]
        self.assertEqual(lines, {"gnark": [(14, 8.0)], "proofmill": [(14, 0.2)], "snarkjs": [(14, 8.0)]})

    def test_a_plot_of_bars_says_who_is_absent(self):
        def content(peer, where):
            rows = [{"instance": "bn254", "metric": "pairing", "threads": 1, "ours": 200.0, "peer_name": "mcl (mcl_rust 1.2.0)", "peer": peer, **where}]
            return {"date": "2026-01-02", "rows": rows}
        drawing = ElementTree.fromstring(plot.svg("pairing", [content(400.0, self.IFMA), content(None, self.PLACE)]))
        bars = [(bar.get("class"), bar.get("width")) for bar in drawing.iter("{http://www.w3.org/2000/svg}rect")]
        self.assertEqual(bars, [("ours", "104.0"), ("ours", "104.0"), ("peer", "208.0"), ("peer", "0.0")])
        words = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(words[1:], ["AMD Zen 5, AVX512IFMA", "AMD Zen 3, AVX2", "BN254", "proofmill", "200", "200", "mcl", "400", "absent"])

    def test_a_name_without_version(self):
        names = {"arkworks 0.6.0 (asm)": "arkworks", "equihash 0.3.1 (unsafe-verifier) + sha2": "equihash (unsafe-verifier)",
                 "Plonky3 0.9.0-rc.2 Radix2DitParallel (AVX-512)": "Plonky3 Radix2DitParallel", "gnark-crypto 0.22.0 (GOAMD64=v3)": "gnark-crypto"}
        self.assertEqual([plot.who(name) for name in names], list(names.values()))


COUNTER = """
module counter(input clk, input up);
  reg [3:0] n = 0;
  always @(posedge clk) n <= n == 9 ? 0 : n + up;
  always @(posedge clk) assert (n < LIMIT);
  always @(posedge clk) assume (ASSUMED);
endmodule
"""


class Make(unittest.TestCase):
    """What `make` would do; nothing is done."""

    def would(self, *arguments):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE") and name not in ("CONFIG", "OP")}
        done = subprocess.run(["make", "--dry-run", "--no-print-directory", *arguments], cwd=place.ROOT, env=clean, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def test_verilog_of_an_operation_is_that_of_its_circuits_and_not_of_twins(self):
        for operation in ("coprocessor", "ecdsa_verify", "equihash_solve", "equihash_verify", "msm", "ntt", "poseidon", "vdf"):
            for goal in ("verilog", "testbench"):
                status, said = self.would(goal, f"OP={operation}")
                self.assertEqual(status, 0, said)
                self.assertRegex(said, rf"tools/{goal}.py \w")
                self.assertNotIn("_twin", said)
            self.assertIn("tools/sim.py", self.would("cycles", f"OP={operation}")[1])
        self.assertIn("verilog.py ntt_twin", self.would("verilog", "CONFIG=ntt_twin")[1])  # which refuses it by name

    def test_an_operation_that_there_is_not_is_refused_before_anything_is_built(self):
        for goal in ("sim", "verilog", "testbench", "cycles"):
            status, said = self.would(goal, "OP=nttt")
            self.assertEqual((status, "there is no circuit for OP=nttt" in said, "tools/" in said), (2, True, False), said)
        for goal, status in (("cycles", 0), ("sim", 2), ("verilog", 2)):
            self.assertEqual(self.would(goal, "OP=top")[0], status, goal)
        self.assertRegex(self.would("cycles", "OP=top")[1], r"sim\.py .*f2_msm_toy\s+\S+ rtl/sim/top_cycles\.py")
        for goal in ("bench", "cycles"):
            status, said = self.would(goal)
            self.assertEqual((status, "OP is missing" in said, "tools/" in said), (2, True, False), said)


class Formal(unittest.TestCase):
    def proof(self, limit, assumed="1"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counter.sv"
            path.write_text(COUNTER.replace("LIMIT", str(limit)).replace("ASSUMED", assumed))
            return formal.prove(path, again=True)

    def test_a_recorded_proof_is_repeated_only_after_a_change(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "counter.sv"
            path.write_text(COUNTER.replace("LIMIT", "9").replace("ASSUMED", "1"))  # does not hold
            formal.write_record(Path(folder) / "record.txt", [(path.read_text(), "counter")])
            before = formal.recorded(Path(folder) / "record.txt")
            self.assertEqual(formal.prove(path, before=before)[0::2], (True, "proved before, as rtl/formal/proved.txt says"))
            path.write_text(path.read_text() + "\n")
            self.assertFalse(formal.prove(path, before=before)[0])

    def test_digests_do_not_depend_on_source_lines(self):
        digest = formal.digest_of
        text = "assign when_A_l12 = x; assign when_A_l30_1 = y; if(when_A_l12) z;"
        self.assertEqual(digest(text), digest(text.replace("l12", "l13").replace("l30", "l12")))
        self.assertNotEqual(digest(text), digest(text.replace("if(when_A_l12)", "if(when_A_l30_1)")))
        self.assertNotEqual(digest(text), digest(text.replace("= y", "= x")))

    def test_what_holds_is_shown(self):
        self.assertEqual(self.proof(10)[0::2], (True, "for all time, by induction"))

    def test_what_cannot_be_reached_needs_more_than_induction(self):
        self.assertEqual(self.proof(15)[0::2], (True, "for all time"))  # from 14, where it may stay, n would go on to 15

    def test_what_does_not_hold_is_refuted_with_a_waveform(self):
        shown, _, account = self.proof(9)
        self.assertFalse(shown)
        self.assertIn("waveform:", account)

    def test_assumptions_that_contradict_themselves_show_nothing(self):
        shown, _, account = self.proof(1, "n < 3 && n > 4")
        self.assertFalse(shown)
        self.assertIn("assumptions cannot be met", account)


if __name__ == "__main__":
    unittest.main()
