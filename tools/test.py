"""The stages of `make test`: `python3 tools/test.py [--long] [--record] [--jobs N] [STAGE ...]`.

One more stage than cores runs at a time, since many use one core only or wait. Stages on the longest path start first. The output of a
stage is written to target/test/STAGE.log and printed when it ends. A failing stage does not stop the others, except those that depend on it.
A stage whose sources are those of tools/checked.txt has passed before, and is SKIPPED unless it is named (checked.py).
The summary at the end lists the result of every stage, including those that did not run, the slowest models and tests, and skipped tests. The
exit status is 0 only if all stages ran and none failed.
"""

import argparse
import os
import re
import subprocess
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

import checked
import emulation
import place
from host import VARIABLES
from place import ROOT, TARGET, Failed

PYTHON = [sys.executable]
POSEIDON = ["poseidon_small_twin", "poseidon_twin"]
#: Cards with structural arithmetic, which take too long to simulate.
POSEIDON_CIRCUITS = ["poseidon_2", "poseidon_4", "poseidon_8", "poseidon_11", "poseidon", "poseidon_stream"]
MSM_TOYS = ["msm_toy", "msm_toy_two", "msm_toy_bn_g2"]
#: In G2 of BN254 the host is tested on a card for whole proofs.
MSM_CURVES = ["msm_bn254_twin", "msm_bn254_two_twin", "msm_bls12_381_twin", "msm_bls12_381_g2_twin", "msm_bls12_377_twin"]
#: Cards with structural multipliers, and those of one curve more.
MSM_CIRCUITS = ["msm_bn254", "msm_bn254_g2", "msm_bls12_381", "msm_bls12_381_g2", "msm_bls12_377_g2_twin"]
#: The workspaces of the bench's peers, which are compiled only for measurements.
PEERS = ["--manifest-path", "bench/peers/Cargo.toml"]
PLONKY = ["--manifest-path", "bench/peers/plonky/Cargo.toml"]
#: The workspace of the tests against other Poseidon libraries.
HASHES = ["--manifest-path", "interop/hashes/Cargo.toml"]
#: cargo for tests.
DEBUG = ["env", *(f"{name}={value}" for name, value in VARIABLES.items()), "cargo"]
#: Builds without the default features: that of `make run`, and of crates that other projects depend on directly.
SMALLER = [("cli", ["--features", "dev"]), ("algebra", []), ("testkit", [])]


def smaller(crate, features):
    """Returns the command that checks a build without the default features."""
    return [*DEBUG, "clippy", "--package", f"proofmill-{crate}", "--no-default-features", *features, "--quiet", "--", "-D", "warnings"]


#: Builds the command and the libraries in the profile that tests use.
BUILD_PRODUCTS = [*PYTHON, "tools/host.py", "--products"]
#: Cards with structural multipliers.
VDF_CIRCUITS = ["vdf_64", "vdf_64_two"]
SOLVERS = ["equihash_solve_48_5_wide", "equihash_solve_48_5_narrow", "equihash_solve_96_5"]
#: Cards too large to be simulated.
SOLVER_CIRCUITS = ["equihash_solve_144_5", "equihash_solve_200_9"]
LIBRARIES = ["card", "toy", "shell", "mailbox", "ecdsa", "ecdsa_two", *MSM_TOYS, *MSM_CURVES, *POSEIDON, "vdf_1024_twin", "ntt_small_twin", "ntt_bn254_small_twin", "groth16_bn254_small_twin", "coprocessor_twin", "coprocessor_1024_twin", "equihash_solve_48_5",
             "uart_shell", "uart_toy", "xdma_toy", "xdma_msm_toy", "xdma_msm_bls12_381_twin", "xdma_ntt_poseidon_small_twin", "f2_msm_toy", "f2_toy",
             "f2_groth16_bn254_small_twin"]


@dataclass
class Stage:
    name: str
    why: str
    commands: list
    needs: tuple = ()
    long: list = field(default_factory=list)  # more commands of `make test-long`
    uses: str = ""  # a resource that only one stage uses at a time
    takes: int = 30  # seconds of a core with empty caches, roughly
    sources: tuple = ()  # all that it depends on, apart from tools that are installed: it is repeated only when one of these files has changed


def python(script, *arguments):
    return [*PYTHON, f"tools/{script}.py", *arguments]


#: What the executable specification and its vectors depend on, what units of the circuits and simulated cards do, and what the Verilog for people does.
SPECIFICATION = ("spec", "examples/headers")
UNITS = ("rtl", "spec", "tools/rtl.py", "tools/sim.py", "tools/compile_once.py")
EXPORT = (*UNITS, "tools/verilog.py", "tools/about.py", "tools/testbench.py", "tools/unit_bench.py", "tools/same_circuit.py", "boards", "Makefile")
STAGES = [
    Stage("setup", "dependencies of the build", [python("setup")]),
    Stage("rustfmt", "Rust is formatted",
          [["cargo", "fmt", *manifest, "--all", "--check"] for manifest in ([], PEERS, PLONKY, HASHES)], ("setup",)),
    Stage("scalafmt", "Scala is formatted", [python("scalafmt")], ("setup",), uses="mvn"),
    Stage("layout", "dependency rules, counterparts of operations, comments of ports, no registry hosts", [python("check_layout")]),
    Stage("words", "standard terms in pages, messages, comments and names; links of pages", [python("check_words")]),
    Stage("figures", "docs/figures.md, the pages of engines and of cluster capacity and the plots show those of bench/results",
          [python("report", "--check"), python("cluster_model", "--check"), python("capacity", "--check")], ("setup",)),
    Stage("deny", "licences and sources of the crates of others", [python("deny")], ("setup",)),
    Stage("clippy", "no warnings",
          [[*DEBUG, "clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], smaller(*SMALLER[0])],
          ("setup",),
          [*(smaller(*build) for build in SMALLER[1:]),
           ["cargo", "clippy", *PEERS, "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"], ["cargo", "test", *PEERS, "--workspace", "--quiet"]],
          uses="target/debug", takes=200),
    Stage("verilog", "all cards, generated in one run", [python("rtl", "--cards")], ("setup",), uses="mvn", takes=240),
    Stage("units", "all units, generated in one run", [python("rtl", "--units")], ("verilog",), uses="mvn", takes=150, sources=UNITS),
    Stage("export", "Verilog for people: linted, read by three tools, the same as what is simulated, with test benches",
          [[*PYTHON, "rtl/sim/test_verilog.py"], [*PYTHON, "rtl/sim/test_testbench.py"]], ("verilog",), takes=320, sources=EXPORT),
    Stage("sim", "the card in Verilator", [python("sim", *LIBRARIES), python("sim", "--trace", "toy")], ("verilog",), [python("sim", "groth16_bls12_381_small_twin")], takes=600),
    Stage("programs", "the host's tests are built", [python("host", "--build")], ("setup",), uses="target/debug", takes=1170),
    Stage("machines", "no warnings for Windows, a proof on AArch64; in the long checks all targets, and more programs in emulators",
          [python("machines")], ("programs",), [python("machines", "--long")], uses="target/debug", takes=140),
    Stage("emulation", "the kernels of GPUs, as a library for this processor", [python("emulation")], ("programs",), takes=60),
    # Offline: what the crates depend on was fetched to build the programs.
    Stage("packages", "each public crate is complete by itself", [python("packages", "--check")], ("programs",), uses="target/debug"),
    Stage("tools", "the build tools", [[*PYTHON, "-m", "unittest", "discover", "-s", "tools", "-p", "test_*.py"]], ("setup",)),
    Stage("model", "the executable specification, and the vectors are what it makes",
          [[*PYTHON, "-m", "unittest", "discover", "-s", "spec/model", "-p", "test_*.py"], [*PYTHON, "spec/model/vectors.py", "--check"]], takes=600, sources=SPECIFICATION),
    Stage("rtl", "units of the circuit", [python("rtl", "--run", "proofmill.RtlTests")], ("verilog",), takes=320, sources=UNITS),
    Stage("multipliers", "field arithmetic in Verilator",
          [[*PYTHON, "rtl/sim/test_wide.py"], [*PYTHON, "rtl/sim/test_multipliers.py"]], ("units",), takes=450, sources=UNITS),
    Stage("adders", "point adders in Verilator", [[*PYTHON, "rtl/sim/test_point_adders.py"], [*PYTHON, "rtl/sim/test_batch_adder.py"]], ("units",), takes=250, sources=UNITS),
    Stage("micro", "field processors in Verilator", [[*PYTHON, "rtl/sim/test_micro.py"], [*PYTHON, "rtl/sim/test_micro_ecdsa.py"]], ("units",), takes=60, sources=UNITS),
    Stage("pairing", "the pairing processor in Verilator", [[*PYTHON, "rtl/sim/test_pairing.py"]], ("units",), takes=200, sources=UNITS),
    Stage("items", "scalars of ECDSA in Verilator", [[*PYTHON, "rtl/sim/test_ecdsa_units.py"]], ("units",), sources=UNITS),
    Stage("layers", "linear layers and inputs of Poseidon in Verilator", [[*PYTHON, "rtl/sim/test_poseidon_units.py"]], ("units",), sources=UNITS),
    Stage("core", "buckets and tail of MSM in Verilator", [[*PYTHON, "rtl/sim/test_msm_core.py"]], ("units",), takes=100, sources=UNITS),
    Stage("shell", "100,000 packets, registers, mailbox", [[*PYTHON, "rtl/sim/test_shell.py"]], ("sim",),
          [[*PYTHON, "rtl/sim/test_shell.py", "--packets", "1000000"]], takes=60),
    Stage("memory", "channels of the card's memory, and resets in the middle of bursts", [[*PYTHON, "rtl/sim/test_memory.py"]], ("verilog",),
          [[*PYTHON, "rtl/sim/test_memory.py", "--turns", "4000"]], takes=60, sources=UNITS),
    Stage("engines", "vectors, garbage and resets on the real engines", [[*PYTHON, "rtl/sim/test_engines.py"]], ("sim",),
          [[*PYTHON, "rtl/sim/test_engines.py", "--seconds", "300"]], takes=60),
    Stage("ecdsa", "defects, vectors, garbage and resets on the ECDSA engine", [[*PYTHON, "rtl/sim/test_ecdsa.py"]], ("sim",),
          [[*PYTHON, "rtl/sim/test_ecdsa.py", "--seconds", "300"]], takes=220, sources=UNITS),
    Stage("msm", "toys exhaustively, every curve, garbage and resets on the MSM engine", [python("sim", "msm_bn254_g2_twin"), [*PYTHON, "rtl/sim/test_msm.py"]], ("sim",),
          [[*PYTHON, "rtl/sim/test_msm.py", "--seconds", "300", *MSM_TOYS], python("sim", *MSM_CIRCUITS), [*PYTHON, "rtl/sim/test_msm.py", *MSM_CIRCUITS]], takes=700, sources=UNITS),
    Stage("hashes", "vectors, trees, refusals, garbage and resets on the Poseidon engine, and published streams",
          [[*PYTHON, "rtl/sim/test_poseidon.py"], [*PYTHON, "rtl/sim/test_streams.py"]], ("sim",),
          [python("rtl", "--lint", *POSEIDON_CIRCUITS), python("sim", "poseidon_small"),
           [*PYTHON, "rtl/sim/test_streams.py", "--seconds", "120", "poseidon_stream_twin"],
           [*PYTHON, "rtl/sim/test_poseidon.py", "--seconds", "60", "poseidon_small"],
           [*PYTHON, "rtl/sim/test_poseidon.py", "--seconds", "300"]], takes=45),
    Stage("coprocessor", "vectors, random programs, interrupts and resets on the coprocessor", [[*PYTHON, "rtl/sim/test_coprocessor.py"]], ("sim",),
          [python("sim", "coprocessor"), [*PYTHON, "rtl/sim/test_coprocessor.py", "--seconds", "60", "coprocessor"],
           [*PYTHON, "rtl/sim/test_coprocessor.py", "--rounds", "10000", "coprocessor_twin"]], takes=140, sources=UNITS),
    Stage("vdf", "squarings, refusals, garbage and resets on the VDF engine",
          [python("sim", *VDF_CIRCUITS), [*PYTHON, "rtl/sim/test_vdf.py", *VDF_CIRCUITS, "vdf_1024_twin"]], ("sim",),
          [python("sim", "vdf_1024"), [*PYTHON, "rtl/sim/test_vdf.py", "--seconds", "60", *VDF_CIRCUITS, "vdf_1024"]], takes=60, sources=UNITS),
    Stage("solver", "candidates, garbage, errors of the memory and resets on the engine that solves Equihash",
          [python("sim", *SOLVERS), [*PYTHON, "rtl/sim/test_equihash_solve.py"]], ("sim",),
          [python("rtl", "--lint", *SOLVER_CIRCUITS), [*PYTHON, "rtl/sim/test_equihash_solve.py", "--seconds", "120"]], takes=60, sources=UNITS),
    Stage("ntt", "all sizes of one pass, refusals, garbage and resets on the NTT engine", [[*PYTHON, "rtl/sim/test_ntt.py"]], ("sim",), takes=90, sources=UNITS),
    Stage("serial", "cards on a serial line: rates, framing, damage, registers", [[*PYTHON, "rtl/sim/test_uart.py"]], ("sim",)),
    Stage("bridge", "cards behind a bridge for PCIe and behind the shell of AWS F2: three clocks, the memory port, resets of either side, dying hosts; cycles that the top levels of boards add",
          [[*PYTHON, "rtl/sim/test_xdma.py"], [*PYTHON, "rtl/sim/test_f2.py"], [*PYTHON, "rtl/sim/top_cycles.py"], [*PYTHON, "rtl/sim/test_stripes.py"],
           python("rtl", "--lint", "uart_shell", "xdma_toy", "f2_toy"),
           python("rtl", "--lint", "--around", "xdma_msm_bls12_381_twin", "f2_groth16_bn254_small_twin")], ("sim",),
          [[*PYTHON, "rtl/sim/test_xdma.py", "--seconds", "60"], [*PYTHON, "rtl/sim/test_f2.py", "--seconds", "60"], [*PYTHON, "rtl/sim/f2_mutants.py"],
           python("rtl", "--lint", "uart", "xdma_msm_bls12_381", "xdma_hbm_msm_bls12_381", "f2_msm_bls12_381")], takes=100),
    # The kernels run in the stage `host` too.
    Stage("gpu", "the kernels of GPUs with AddressSanitizer", [], ("emulation",), [python("emulation", "--sanitize")], takes=100),
    Stage("host", "all crates, on cpu:, sim: and cuda:emulated", [python("host")], ("sim", "programs", "emulation"), [python("host", "--long"), ["cargo", "test", "--package", "proofmill-algebra", "--features", "emulation", "--lib", "--test", "all", "--quiet"]], takes=1190),
    Stage("miri", "tests of pure code in Miri, which finds undefined behaviour", [], ("setup",), [python("miri")], takes=200),
    # After the stage that takes longest, and in a release build, since debug assertions look at values.
    Stage("timing", "functions in constant time, by a statistical test on each level of this processor", [], ("host",),
          [["cargo", "test", "--release", "--package", "proofmill-algebra", "--test", "all", "--quiet", "timing::", "--", "--ignored", "--show-output"]], uses="target/release", takes=600),
    Stage("levels", "the host on each instruction-set level of this processor", [python("host", "--levels")], ("sim", "programs"), takes=430),
    Stage("docs", "documented examples and links",
          [[*DEBUG, "doc", "--workspace", "--no-deps", "--quiet"], [*DEBUG, "test", "--workspace", "--doc", "--quiet"]], ("setup",), uses="target/debug", takes=150),
    # What it builds is checked in the stage `clippy`, and the demonstration runs in the stage `host`.
    Stage("run", "make run, and the errors for features that it omits", [], ("setup",), [["make", "--no-print-directory", "run"], python("omitted")], uses="target/release", takes=290),
    # Otherwise tests use the command and the libraries that are built with the programs.
    Stage("release", "the conformance suite on the program that people use", [], ("run",), [BUILD_PRODUCTS, [str(place.output("release") / "proofmill"), "selftest"]], uses="target/release"),
    Stage("port", "the host's transport on a simulated card behind a pseudo-terminal",
          [BUILD_PRODUCTS, [*PYTHON, "rtl/sim/test_serial_port.py"]], ("sim", "programs", "release"), takes=60),
    Stage("interop", "proofs of and for snarkjs, with circuits of circom and the keys of a ceremony, and contracts in an EVM",
          [BUILD_PRODUCTS, [*PYTHON, "-m", "unittest", "discover", "-s", "interop", "-p", "test_*.py"]],
          ("sim", "programs", "release", "emulation"), takes=370),
    # The vectors, which are of an independent program, hold the same functions to published values in every run.
    Stage("digests", "Poseidon beside neptune, light-poseidon, taceo-poseidon2 and zkhash", [], ("setup",), [python("digests", "--long")]),
    Stage("bindings", "Rust, C, C++, Python, Go, Node and WebAssembly, as users get them",
          [BUILD_PRODUCTS,
           *([*PYTHON, "-m", "unittest", "discover", "-s", f"host/{folder}/tests", "-p", "test_*.py"]
             for folder in ("cli", "bind/rust", "bind/c", "bind/python", "bind/go", "bind/node", "bind/wasm"))],
          ("programs", "release"), [[*PYTHON, "host/bind/go/tests/long_gnark.py"]], takes=620),
    Stage("formal", "proofs of control, and faults that they refute", [python("formal"), [*PYTHON, "rtl/formal/mutants.py", "--folder", "target/formal"]], ("setup",),
          [python("formal", "--long"), [*PYTHON, "rtl/formal/mutants.py", "--long", "--folder", "target/formal"]], takes=60),
    Stage("area", "the counts come out", [python("area", "shell", "--out", "target/test/area.json")], ("setup",), [python("area")]),
]
#: The list of test programs that this run has built.
PROGRAMS = TARGET / "test/programs.json"
GROUPS = {"lint": ["setup", "rustfmt", "clippy", "scalafmt", "layout", "words", "figures", "deny", "tools"]}


def environment():
    """Returns the environment of the host's tests. Incremental compilation is off, because everything is compiled once."""
    import zebra_test
    found = {
        "PROOFMILL_SIM_DIR": str(TARGET / "sim"),
        "PROOFMILL_CUDA_DIR": str(emulation.FOLDER),
        "PROOFMILL_PROGRAMS": str(PROGRAMS),
        "CARGO_INCREMENTAL": "0",
        "RUSTDOCFLAGS": "-D warnings",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        found["PROOFMILL_ZEBRA_TEST_DIR"] = zebra_test.folder()
    except (Failed, FileNotFoundError) as problem:
        print(f"no real blocks, so their tests will be skipped: {problem}")
    return {**os.environ, **found}


@dataclass
class Outcome:
    stage: str
    result: str  # ok, skipped, FAILED, not run
    seconds: float = 0.0
    processor: float = 0.0  # seconds of all cores together
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    note: str = ""
    models: list = field(default_factory=list)  # (seconds, name) of those that were built
    tests: list = field(default_factory=list)   # likewise, of those whose time is told
    absent: list = field(default_factory=list)  # what was skipped


def counts(output):
    """Returns (passed, failed, skipped) from a stage's output: that of cargo, of unittest and of the tests of circuits."""
    passed = failed = skipped = 0
    for found in re.finditer(r"^test result: .*?(\d+) passed; (\d+) failed; (\d+) ignored", output, re.M):
        passed, failed, skipped = passed + int(found[1]), failed + int(found[2]), skipped + int(found[3])
    for found in re.finditer(r"^(\d+) passed, (\d+) failed$", output, re.M):
        passed, failed = passed + int(found[1]), failed + int(found[2])
    for found in re.finditer(r"^Ran (\d+) tests? in .*\n+(OK|FAILED)(?: \((.*)\))?$", output, re.M):
        bad = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", found[3] or ""))
        lost = sum(int(n) for n in re.findall(r"skipped=(\d+)", found[3] or ""))
        passed, failed, skipped = passed + max(0, int(found[1]) - bad - lost), failed + bad, skipped + lost
    return passed, failed, skipped + len(skips(output))


def skips(output):
    """Returns the skipped tests in a stage's output; an instruction-set level only once, since many tests report it."""
    found = re.findall(r"^\s*SKIPPED\b:? ?(.*)$", output, re.M)
    levels = dict.fromkeys(text for text in found if text.startswith("level "))
    return [text for text in found if text not in levels] + list(levels)


#: Lines with the build time of a model, and with the run time of a test.
MODEL = re.compile(r"^built (\S+) in ([\d.]+) s$", re.M)
RAN = re.compile(r"^(?:ran (.+?) in ([\d.]+) s|ok +(.+?) \(([\d.]+) s\).*)$", re.M)


def times(pattern, output):
    """Returns pairs of seconds and name."""
    found = ([group for group in match if group] for match in pattern.findall(output))
    return [(float(seconds), name) for name, seconds in found]


def execute(stage, commands, env, live):
    """Runs a stage. Writes its output to a file and, if `live`, to the terminal, and counts its tests."""
    begin, output, processor, status = time.monotonic(), [], 0.0, 0
    log = TARGET / "test" / f"{stage.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "w", buffering=1) as file:
        for command in commands:
            try:
                running = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            except FileNotFoundError:
                file.write(f"there is no {command[0]}\n")
                status = 127
                break
            with running:
                for line in running.stdout:
                    file.write(line)
                    output.append(line)
                    if live:
                        print(line, end="", flush=True)
                _, ended, used = os.wait4(running.pid, 0)
                status = running.returncode = os.waitstatus_to_exitcode(ended)
                processor += used.ru_utime + used.ru_stime
            if status != 0:
                break
    return outcome_of(stage.name, "".join(output), status, command, (time.monotonic() - begin, processor))


def outcome_of(stage, output, status, command, taken):
    passed, failed, skipped = counts(output)
    good = status == 0 and failed == 0
    if not passed and not failed:  # a stage that counts nothing is one check
        passed, failed = int(good), int(not good)
    elif not good and not failed:
        failed = 1
    note = "" if status == 0 else f"`{' '.join(command)[:90]}` ended with {status}"
    tests = [(seconds, f"{stage}: {name}") for seconds, name in times(RAN, output)]
    return Outcome(stage, "ok" if good else "FAILED", *taken, passed, failed, skipped, note, times(MODEL, output), tests, skips(output))


def paths_of(stages):
    """Returns the seconds of each stage with the longest chain of stages that need it."""
    paths = {}
    for stage in reversed(stages):
        paths[stage.name] = stage.takes + max((paths[later.name] for later in stages if stage.name in later.needs), default=0)
    return paths


#: Results with which a stage's dependents run.
GOOD = ("ok", "skipped")


def run_all(stages, long, env, jobs=1, passed=()):
    """Runs the stages but those that `passed`, and returns their outcomes. Up to `jobs` run at a time, the longest paths first, once their dependencies and
    resources are available.
    """
    before = f"its sources have passed: {checked.RECORD.relative_to(ROOT)}"
    outcomes = {name: Outcome(name, "skipped", skipped=1, absent=[before]) for name in passed}
    running, waiting = {}, [stage for stage in stages if stage.name not in outcomes]
    wanted = {stage.name for stage in stages}

    def begin(stage):
        print(f"\n=== {stage.name}: {stage.why}", flush=True)
        return workers.submit(execute, stage, stage.commands + (stage.long if long else []), env, jobs == 1)

    paths = paths_of(stages)
    waiting.sort(key=lambda stage: -paths[stage.name])
    with ThreadPoolExecutor(jobs) as workers:
        while waiting or running:
            for stage in list(waiting):
                needs = [name for name in stage.needs if name in wanted]
                bad = [name for name in needs if name in outcomes and outcomes[name].result not in GOOD]
                used = {other.uses for other in running.values()} - {""}
                if bad:
                    outcomes[stage.name] = Outcome(stage.name, "not run", note=f"needs {', '.join(bad)}")
                elif len(running) < jobs and stage.uses not in used and all(name in outcomes for name in needs):
                    running[begin(stage)] = stage
                else:
                    continue
                waiting.remove(stage)
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                stage = running.pop(done)
                outcomes[stage.name] = done.result()
                if jobs > 1:
                    show(outcomes[stage.name])
    return [outcomes[stage.name] for stage in stages]


def show(outcome):
    """Prints the output of a stage that ran in parallel with others."""
    print(f"\n--- {outcome.stage} ended after {outcome.seconds:.1f} s, {outcome.processor:.1f} s of cores: {outcome.result}")
    print((TARGET / "test" / f"{outcome.stage}.log").read_text(), end="", flush=True)


def report(outcomes, seconds):
    print(f"\n{'stage':12}{'result':>9}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}{'of cores':>10}")
    for o in outcomes:
        print(f"{o.stage:12}{o.result:>9}{o.passed:>8}{o.failed:>8}{o.skipped:>9}{o.seconds:>9.1f}{o.processor:>10.1f}  {o.note}".rstrip())
    for what, rows in (("models to build", [row for o in outcomes for row in o.models]), ("tests", [row for o in outcomes for row in o.tests])):
        if rows:
            print(f"\nslowest {what}")
        for taken, name in sorted(rows, reverse=True)[:10]:
            print(f"{taken:>9.1f} s  {name}")
    absent = sorted({f"{o.stage}: {text}" for o in outcomes for text in o.absent})
    print("\n" + "\n".join(f"skipped in {text}" for text in absent) + "\n" * bool(absent), end="")
    missing = [o.stage for o in outcomes if o.result == "not run"]
    print(f"{seconds / 60:.1f} minutes" + (f"; not run: {', '.join(missing)}" if missing else ""))
    passed, failed, skipped = (sum(getattr(o, what) for o in outcomes) for what in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed + len(missing)} failed, {skipped} skipped")
    return 0 if all(o.result in GOOD for o in outcomes) else 1


def with_needs(names):
    """Returns the names of stages and of those that they need."""
    found = set(names)
    for stage in reversed(STAGES):
        if stage.name in found:
            found |= set(stage.needs)
    return found


def main():
    names = [stage.name for stage in STAGES]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--long", action="store_true", help="the long checks too")
    parser.add_argument("--record", action="store_true", help="run the stages that have a record, or those that are named, and record in tools/checked.txt those that pass")
    parser.add_argument("--jobs", type=int, default=1 + (os.cpu_count() or 1), help="stages at a time; 1 prints their output immediately (default: %(default)s)")
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"{', '.join(names + list(GROUPS))}; nothing: all")
    chosen = parser.parse_args()
    unknown = set(chosen.stages) - set(names) - set(GROUPS)
    if unknown:
        parser.error(f"no stage {', '.join(sorted(unknown))}; there are {', '.join(names + list(GROUPS))}")
    every = with_needs(stage.name for stage in STAGES if stage.sources) if chosen.record else set(names)
    wanted = {name for given in chosen.stages for name in GROUPS.get(given, [given])} or every
    only_long = {stage.name for stage in STAGES if not stage.commands}
    if only_long & set(chosen.stages) and not chosen.long:
        parser.error(f"{', '.join(only_long & set(chosen.stages))}: only with --long")
    begin = time.monotonic()
    PROGRAMS.unlink(missing_ok=True)
    stages = [stage for stage in STAGES if stage.name in wanted and (chosen.long or stage.name not in only_long)]
    long = {"PROOFMILL_LONG": "1", "PROOFMILL_PROFILE": "release"} if chosen.long else {"PROOFMILL_PROFILE": "dev"}
    passed = set() if chosen.long or chosen.record else checked.passed(stage for stage in stages if stage.name not in chosen.stages)
    outcomes = run_all(stages, chosen.long, {**environment(), **long}, min(chosen.jobs, len(stages)), passed)
    if chosen.record:
        checked.record(stage for stage, outcome in zip(stages, outcomes) if outcome.result == "ok")
    return report(outcomes, time.monotonic() - begin)


if __name__ == "__main__":
    sys.exit(main())
