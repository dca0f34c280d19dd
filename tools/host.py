"""The host's tests: `python3 tools/host.py [--build | --products] [--long] [--levels] [PROGRAM ...]`.

1. cargo builds the test programs of all crates, the command and the libraries; a program is called as its crate and its target, such as `cpu/all`.
   With PROOFMILL_PROGRAMS=FILE cargo's messages are written to this file; if it exists, nothing is built: `make test` builds in a stage of its own.
2. They run one after another, or those that are named, with one thread more than there are cores: some tests wait for time-outs.
3. `--long` runs the tests that are marked as long instead.
4. `--levels` runs what has a code path of its own for an instruction set, once on each level that this processor has below its best, which
   the tests use by themselves. PROOFMILL_ISA forces the level. A level that the processor lacks is SKIPPED by name; with
   PROOFMILL_REQUIRE_ISA=LEVEL,... it is a failure.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from place import PROFILE, ROOT, SHIPPED, Failed, main, write_whole

#: Levels of proofmill_algebra::Isa, slowest first, and the processor's flags that each needs.
LEVELS = {
    "portable": set(),
    "bmi2": {"bmi2", "adx"},
    "avx2": {"avx2", "fma"},
    "avx512": {"avx2", "fma", "avx512f"},
    "avx512ifma": {"avx2", "fma", "avx512f", "avx512dq", "avx512vl", "avx512ifma"},
}
#: Programs with tests that depend on the level, with the names of these tests (none: all).
LEVEL_TESTS = {
    "algebra/all": ["msm::", "ntt::", "pairing::"],
    "cpu/all": [],
    "proof/all": ["prover::", "groth16::"],
    "testkit/all": ["conformance::the_processor"],
}
#: Replaces LEVEL_TESTS, except in the long tests: every operation by the conformance suite, whole proofs, and two curves. Most tests of `algebra/all` and
#: many of `cpu/all` take every level by themselves.
SHORT_TESTS = {
    "algebra/all": ["msm::bn254_g1", "msm::bls12_381_g2"],
    "proof/all": ["prover::proofs_of_chains"],
    "testkit/all": LEVEL_TESTS["testkit/all"],
}
#: Long tests among these that add nothing about a level to `algebra/all` or to the same suite on all threads.
SAME_ON_LEVELS = ["plonkish_prover::a_damaged_key_gives_no_proof", "plonkish_prover::larger_circuits_are_proved", "msm::precomputed_multiples_change_no_result", "msm::more_points_than_a_chunk", "conformance::the_processor_conforms_on_one_thread"]
#: libtest reports the time of each test only with its unstable options.
TIMED = ["-Z", "unstable-options", "--report-time"]
CPUINFO = Path("/proc/cpuinfo")
SLOW = 1.0  # seconds from which a test's time is told


def flags():
    """Returns the processor's flags as the kernel reports them; none on systems other than Linux."""
    if not CPUINFO.exists():
        return set()
    found = re.search(r"^(?:flags|Features)\s*:(.*)$", CPUINFO.read_text(), re.M)
    return set(found[1].split()) if found else set()


def levels_of(flags):
    """Returns the levels of a processor with these flags, slowest first."""
    return [level for level, needed in LEVELS.items() if needed <= flags]


def variables_of(levels):
    """Returns the environment of cargo. The kernels of lanes are three quarters of the work, so those that cannot run on this processor are omitted.

    Without IFMA, unit tests of the lanes run on emulated ones, and in the long tests those of whole operations.
    """
    return {} if "avx512ifma" in levels else {"PROOFMILL_BUILD": "native"}


VARIABLES = variables_of(levels_of(flags()))


@dataclass(frozen=True)
class Program:
    name: str
    path: Path
    folder: Path  # in which cargo runs it


def programs(again=False):
    """Returns the test programs of all crates."""
    return programs_of(map(json.loads, messages(again).splitlines()))


def messages(again=False):
    """Returns cargo's messages about the build of everything, from the file PROOFMILL_PROGRAMS if it exists."""
    kept = Path(os.environ["PROOFMILL_PROGRAMS"]) if "PROOFMILL_PROGRAMS" in os.environ else None
    if kept and kept.exists() and not again:
        return kept.read_text()
    found = build()
    if kept:
        write_whole(kept, found)
    return found


def build():
    """Builds everything in one run, so that shared crates are compiled once, with the features of all. Returns cargo's messages."""
    return cargo_build("--workspace", "--lib", "--bins", "--examples", "--tests", **VARIABLES)


def build_products():
    """Builds the command and the libraries of `place.PRODUCTS`. Returns cargo's messages."""
    if PROFILE == "dev":
        return messages()
    return cargo_build("--profile", PROFILE, *(word for name in SHIPPED for word in ("--package", name)))


def cargo_build(*arguments, **variables):
    """Runs `cargo build`, and returns its messages."""
    command = ["cargo", "build", "--quiet", "--message-format=json-render-diagnostics", *arguments]
    done = subprocess.run(command, cwd=ROOT, env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(command)}` failed")
    return done.stdout


def programs_of(messages):
    """Returns the test programs in cargo's messages."""
    found = []
    for message in messages:
        if message.get("reason") == "compiler-artifact" and message["profile"]["test"] and message["executable"]:
            folder, name = Path(message["manifest_path"]).parent, message["target"]["name"]
            called = {"test": name, "bin": f"{name}-unit", "example": f"{name}-example"}.get(message["target"]["kind"][0], "unit")
            found.append(Program(f"{folder.name}/{called}", Path(message["executable"]), folder))
    return sorted(found, key=lambda program: program.name)


def run(program, arguments, least=0, **variables):
    """Runs a test program with its output passed through. Returns whether it succeeded and ran at least `least` tests."""
    environment = {"RUST_TEST_THREADS": str(1 + (os.cpu_count() or 1)), **os.environ, "RUSTC_BOOTSTRAP": "1", "CARGO_MANIFEST_DIR": str(program.folder), **variables}
    print(f"--- {program.name}", flush=True)
    command = [program.path, *TIMED, "--show-output", *arguments]
    tests = 0
    with subprocess.Popen(command, cwd=program.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as running:
        for line in running.stdout:
            tests += int((re.match(r"running (\d+) test", line) or [0, 0])[1])
            took = re.match(r"test (\S+).* \.\.\. ok <([\d.]+)s>$", line)
            if not took:
                sys.stdout.write(line)
            elif float(took[2]) >= SLOW:
                print(f"ran {program.name} {took[1]} in {took[2]} s", flush=True)
    if running.returncode != 0 or tests < least:
        print(f"FAILED {program.name}: {tests} tests, status {running.returncode}", flush=True)
    return running.returncode == 0 and tests >= least


def run_levels(programs):
    """Runs the tests on every level of this processor. Returns whether they passed and no required level is missing."""
    here, good = levels_of(flags()), True
    required = [level for level in os.environ.get("PROOFMILL_REQUIRE_ISA", "").split(",") if level]
    unknown = [level for level in required if level not in LEVELS]
    if unknown:
        raise Failed(f"PROOFMILL_REQUIRE_ISA: {', '.join(unknown)}: there are {', '.join(LEVELS)}")
    tests = LEVEL_TESTS if os.environ.get("PROOFMILL_LONG") else SHORT_TESTS
    for level in here[:-1]:
        print(f"level {level}", flush=True)
        for program in programs:
            if program.name in tests:
                skipped = [word for test in SAME_ON_LEVELS for word in ("--skip", test)]
                good &= run(program, [*tests[program.name], *skipped], least=1, PROOFMILL_ISA=level)
    print(f"level {here[-1]}: all tests of the host run on it")
    for level in LEVELS:
        if level not in here and level in required:
            print(f"FAILED level {level}: this processor has no {level}, and PROOFMILL_REQUIRE_ISA requires it\n0 passed, 1 failed")
            good = False
        elif level not in here:
            print(f"SKIPPED level {level}: this processor has no {level}")
    return good


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", action="store_true", help="only build")
    parser.add_argument("--products", action="store_true", help="only build the command and the libraries, in the profile PROOFMILL_PROFILE, or `release`")
    parser.add_argument("--long", action="store_true", help="the long tests instead")
    parser.add_argument("--levels", action="store_true", help="what depends on the instruction set, on each level")
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="such as cpu/all; nothing: all")
    chosen = parser.parse_args()
    if chosen.products:
        build_products()
        return 0
    built = programs(chosen.build)
    unknown = set(chosen.programs) - {program.name for program in built}
    if unknown:
        raise Failed(f"no program {', '.join(sorted(unknown))}; there are {', '.join(program.name for program in built)}")
    if chosen.build:
        print(f"{len(built)} programs")
        return 0
    wanted = [program for program in built if not chosen.programs or program.name in chosen.programs]
    if chosen.levels:
        return 0 if run_levels(wanted) else 1
    return 0 if all([run(program, ["--ignored"] if chosen.long else []) for program in wanted]) else 1


if __name__ == "__main__":
    main(cli)
