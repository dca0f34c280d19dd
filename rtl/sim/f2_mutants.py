"""Can test_f2.py fail? Each fault below is put into the Verilog of its card, and one of its checks has to notice.

`python3 rtl/sim/f2_mutants.py [FAULT ...]`, part of the long tests: a fault takes a minute or two. Checks are as long as `--seconds 30` makes them, since some
faults show at rare moments only. A fault is a piece of the generated text that must be there
exactly once, and what replaces it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import rtl  # noqa: E402
import sim  # noqa: E402
from place import Failed, main  # noqa: E402

CARD = "f2_msm_toy"

# (name, check, pattern in the generated text, replacement)
FAULTS = [
    ("a store of another session is placed", "hosts", r"placed_valid <= \(.*;", "placed_valid <= (pcis_w_fire && open_1);"),
    ("a descriptor of another session counts", "rings", r"(assign rings_0_here = .*)\(rings_0_seen_session == session\)", r"\g<1>1'b1"),
    ("slots outlive their session", "rings", r"(rings_0_slot\] <= 1'b1;\s*end\s*if\(.*\) begin\s*rings_0_there <= ).*;", r"\g<1>rings_0_there;"),
    ("a host frees what another one reads", "rings", r"(assign sender_freed_0_valid = .*)\(registerPort_writeData.*\);", r"\g<1>1'b1);"),
    ("a page is written where none is free", "rings", r"assign collectors_0_ready = .*;", "assign collectors_0_ready = collectors_0_ends_io_pop_valid;"),
    ("replies outlive their session", "hosts", r"assign forget = .*;", "assign forget = 1'b0;"),
    ("closing does not wait for PCIM", "hosts", r"(assign when_SlotBridge_l\w+ = )\(! sender_busy\);", r"\g<1>1'b1;"),
    ("a page is taken whatever its number", "rings", r"(assign rings_0_here = .*)\(rings_0_seen_number == rings_0_number\)", r"\g<1>1'b1"),
    ("inward numbers have 11 bits", "numbers", r"rings_1_number <= \(rings_1_number \+ 16'h0001\);", "rings_1_number <= ((rings_1_number + 16'h0001) & 16'h07ff);"),
    ("outward numbers have 11 bits", "numbers", r"assign descriptor_number = number;", "assign descriptor_number = {5'd0, number[10:0]};"),
    ("the memory port's pages are freed by another session", "rings", r"(assign sender_freed_1_valid = .*)\(registerPort_writeData.*\);", r"\g<1>1'b1);"),
    ("pages are freed that are not written", "rings", r"(assign when_SlotSender_l\d+_1 = )\(freed_1_valid && .*;", r"\g<1>freed_1_valid;"),
    ("lines come where there is no room", "rings", r"assign streams_0_ready = .*;", "assign streams_0_ready = 1'b1;"),
    ("a descriptor does not wait for its page's answer", "packets", r"\.pcim_b_valid(\s*)\(outer_manager_b_valid\s*\)", r".pcim_b_valid\g<1>(1'b1)"),
    ("an error is told without all ones", "registers", r"(assign when_SlotBridge_l\w+ = )\(reads_toLow && .*;", r"\g<1>1'b0;"),
    ("a fault does not stop the pages", "shell", r"(assign begins = .*)\(! fault\)", r"\g<1>1'b1"),
    ("beats of 32 bytes", "packets", r"assign pcim_aw_payload_size = 3'b110;", "assign pcim_aw_payload_size = 3'b101;"),
    ("a page of 65 lines", "transfers", r"assign pcim_aw_payload_len = \{.*left\};", "assign pcim_aw_payload_len = ((left == 6'h3f) ? 8'h40 : {2'd0, left});"),
]


def library(folder, scratch, pattern, replacement):
    """The card with a fault, compiled in `scratch`."""
    faulty = scratch / "verilog"
    shutil.copytree(folder, faulty)
    (path,) = rtl.verilog(faulty)
    text, count = re.subn(pattern, replacement, path.read_text())
    if count != 1:
        raise Failed(f"{pattern}: {count} times in {path.name}")
    path.write_text(text)
    sim.compile_library(faulty, sim.CARD, {**rtl.manifest(folder), "content": "fault", "traced": False}, scratch)
    return scratch / sim.CARD.library


def noticed(folder, check, pattern, replacement):
    with tempfile.TemporaryDirectory() as scratch:
        made = library(folder, Path(scratch), pattern, replacement)
        test = [sys.executable, ROOT / "rtl/sim/test_f2.py", "--seed", "1", "--seconds", "30", check]
        done = subprocess.run(test, env={**os.environ, "PROOFMILL_F2": str(made)}, capture_output=True, text=True, timeout=3600)
        return done.returncode != 0, (done.stderr or done.stdout).strip().splitlines()[-1]


def cli():
    folder = rtl.generate(CARD)
    wanted = sys.argv[1:]
    outcomes = []
    for name, check, pattern, replacement in FAULTS:
        if not wanted or name in wanted:
            good, said = noticed(folder, check, pattern, replacement)
            outcomes.append(good)
            print(f"{'ok    ' if good else 'FAILED'} {check}: {name}: {said if good else 'not noticed'}", flush=True)
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    main(cli)
