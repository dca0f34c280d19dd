"""The cards of proofmill.shell.GenerateShellTest, and the command line of the programs that test the shell on them."""

import argparse
import json
import random
import sys
from pathlib import Path

from card import ROOT, power_up_by

sys.path.insert(0, str(ROOT / "tools"))

import rtl  # noqa: E402
import sim  # noqa: E402
from place import CACHE, TARGET, alone, digest, made_whole, write_whole  # noqa: E402


def build():
    """Libraries of the test cards, by name; made by the same tools as those of real cards."""
    folder, stamp = TARGET / "rtl-test", TARGET / "rtl-test/generated-from"
    wanted = rtl.content(rtl.sources("main") + rtl.sources("test") + rtl.facts())
    with alone(f"generate-{digest(str(ROOT))}"):
        if not stamp.exists() or stamp.read_text() != wanted:
            rtl.java("proofmill.shell.GenerateShellTest", folder)
            write_whole(stamp, wanted)
    return {made.name: library(made) for made in sorted(path for path in folder.iterdir() if path.is_dir())}


def library(made):
    """The library of a card whose Verilog lies in this folder; `sim:` does not find it."""
    name = sim.name_of(made, sim.CARD, False)
    library = CACHE / "sim" / name / "card.so"
    if not library.exists():
        with made_whole(library.parent) as scratch:
            manifest = json.loads((made / "manifest.json").read_text())
            sim.compile_library(made, sim.CARD, {**manifest, "content": name, "traced": False}, scratch)
    return library


def main(description, checks, amount, default, help):
    """The command line of a test program: runs its checks, each with the cards, a random generator and the requested amount."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("names", nargs="*", help="which checks; nothing: all")
    parser.add_argument(f"--{amount}", type=int, default=default, help=help)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--libraries", type=Path, help="folder with <card>/<card>.so, instead of building them")
    chosen = parser.parse_args()
    seed = random.randrange(1 << 32) if chosen.seed is None else chosen.seed
    cards = build() if chosen.libraries is None else {p.stem: p for p in chosen.libraries.glob("*/*.so")}
    print(f"seed {seed}")
    power_up_by(seed)
    wanted = [check for check in checks if not chosen.names or check.__name__ in chosen.names]
    for check in wanted:
        print(f"{check.__name__}: {check(cards, random.Random(seed), getattr(chosen, amount))}", flush=True)
    print(f"{len(wanted)} passed, 0 failed")
