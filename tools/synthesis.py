"""Synthesis of generated Verilog for UltraScale+ with yosys, for `make area` and `make timing`.

Every module is synthesised once, with the modules it instantiates as black boxes, and kept in the user's cache
folder under its content: so a module with fifty instances is synthesised once, and a change to one module costs one
synthesis. Nothing is optimised across module borders. Small modules share a run of yosys, which takes seconds to read its libraries.
"""

import collections
import gzip
import json
import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import cells
import setup
from place import CACHE, Failed, digest, run

SYNTHESIS = "synth_xilinx -family xcup -flatten -noiopad"
URAM_BITS = 4096 * 72
#: The module that all engines of a card are in.
SHELL = "Shell"
PORT = re.compile(r"^\s*(input|output)\s+(?:wire|reg)?\s*(?:\[(\d+):0\])?\s*(\w+)", re.M)
#: Characters of modules that share a run, and of all modules of a run.
SHORT, BATCH = 20_000, 60_000
MEMORY = re.compile(r"^\s*reg\s+(?:\[(\d+):0\]\s+)?\w+\s*\[0:(\d+)\]", re.M)


class Modules:
    """The modules of some Verilog files: their text, their ports, and what they instantiate. Hollow modules are replaced by
    registers at their ports.
    """

    def __init__(self, files, hollow=()):
        self.text = {}
        for path in files:
            for found in re.finditer(r"^module\s+(\w+)\b.*?^endmodule\b", path.read_text(), re.S | re.M):
                self.text[found[1]] = found[0] + "\n"
        names = "|".join(map(re.escape, self.text))
        instance = re.compile(rf"^\s+({names})\s+(?:#\(.*?\)\s*)?(\w+)\s*\(", re.M | re.S)
        self.instances = {
            name: [(child[1], child[2]) for child in instance.finditer(text[text.index(");"):])]
            for name, text in self.text.items()
        }
        self.hollow = {name for name in self.text if name in hollow}
        self.instances |= {name: [] for name in self.hollow}
        # A memory's contents are in a file beside the Verilog; they are part of the module.
        folder = files[0].parent
        self.data = {name: [folder / f for f in re.findall(r'\$readmem[bh]\("([^"]+)"', text)] for name, text in self.text.items()}
        self.folder = folder

    def children(self, name):
        return collections.Counter(child for child, _ in self.instances[name])

    def shell_of(self, name):
        """Returns the module's ports without its body."""
        head = self.text[name]
        return f"(* blackbox *)\n{head[:head.index(');') + 2]}\nendmodule\n"

    def ports(self, name):
        """Returns name -> (direction, bits)."""
        head = self.text[name][:self.text[name].index(");")]
        return {port: (direction, int(top or 0) + 1) for direction, top, port in PORT.findall(head)}

    def below(self, name):
        """Returns every module of the tree under a module with its number of instances, including the module itself."""
        total = collections.Counter({name: 1})
        for child, count in self.children(name).items():
            for module, inner in self.below(child).items():
                total[module] += count * inner
        return total


def board(manifest):
    """Returns the board of a card's top level, or None if it has all its ports."""
    return "uart" if "serial" in manifest else "f2" if "slots" in manifest else "xdma" if "pcie" in manifest else None


def synthesis_of(text):
    """Returns the yosys command for a module. Large memories use UltraRAM, as a designer would choose."""
    largest = max(((int(top or 0) + 1) * (int(last) + 1) for top, last in MEMORY.findall(text)), default=0)
    return f"{SYNTHESIS} -uram" if largest > URAM_BITS else SYNTHESIS


def kept_of(modules, name, version):
    """Returns the file of a module's netlist in the cache."""
    inside = modules.text[name] + "".join(modules.shell_of(child) for child in sorted(modules.children(name)))
    return CACHE / "netlist" / f"{digest(version, synthesis_of(modules.text[name]), cells.FORM, inside, *modules.data[name])}.json.gz"


def synthesise(modules, names, version):
    """Synthesises modules that have the same command (see `cells`), and stores their netlists.

    Several modules are instances under one top and keep their hierarchy, so the result is the same as alone (test_synthesis.py).
    """
    children = {child for name in names for child in modules.children(name)} - set(names)
    stays = "(* keep_hierarchy *)\n" if len(names) > 1 else ""
    inside = "".join(stays + modules.text[name] for name in names) + "".join(map(modules.shell_of, sorted(children)))
    top = names[0]
    if len(names) > 1:
        top = "batch"
        inside += "module batch;\n" + "".join(f"(* keep *) {name} unit_{i} ();\n" for i, name in enumerate(names)) + "endmodule\n"
    # yosys is WebAssembly and can only access its working folder: all files are copied to it.
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "unit.v").write_text(inside)
        for file in {file for name in names for file in modules.data[name]}:
            shutil.copy(file, scratch)
        command = synthesis_of(modules.text[names[0]])
        script = f"read_verilog unit.v; {command} -top {top}; tee -q -o stat.json stat -json; write_json unit.json"
        run([setup.yosys(), "-q", "-p", script], cwd=scratch)
        counts = json.loads(Path(scratch, "stat.json").read_text())["modules"]
        netlists = json.loads(Path(scratch, "unit.json").read_text())["modules"]
    for name in names:
        kept = kept_of(modules, name, version)
        kept.parent.mkdir(parents=True, exist_ok=True)
        scratch = kept.with_name(f".{kept.name}-{os.getpid()}")
        made = {"counts": counts[f"\\{name}"]["num_cells_by_type"], **cells.compact(netlists[name], modules.text)}
        scratch.write_bytes(gzip.compress(json.dumps(made).encode(), 6))
        scratch.replace(kept)


def batches(modules, names):
    """Returns modules in lists, the longest first: those with much text alone, the others together up to `BATCH`."""
    found, together, size = [], [], 0
    for name in sorted(names, key=lambda name: -len(modules.text[name])):
        text = modules.text[name]
        if len(text) > SHORT or synthesis_of(text) != SYNTHESIS:
            found.append([name])
            continue
        if size + len(text) > BATCH:
            found.append(together)
            together, size = [], 0
        together.append(name)
        size += len(text)
    return found + [together] * bool(together)


def synthesise_all(modules, top, jobs=None):
    """Returns name -> netlist of all modules under the top, each with the counts of its cells."""
    if top not in modules.text:
        raise Failed(f"{modules.folder}: no module {top}")
    version = run([setup.yosys(), "-V"])
    below = set(modules.below(top))
    kept = {name: kept_of(modules, name, version) for name in below - modules.hollow}
    missing = [name for name, file in kept.items() if not file.exists()]
    with ThreadPoolExecutor(jobs or os.cpu_count()) as workers:
        list(workers.map(lambda names: synthesise(modules, names, version), batches(modules, missing)))
    made = {name: {"counts": {}, **cells.hollow(modules.ports(name))} for name in below & modules.hollow}
    return {name: read(file) for name, file in kept.items()} | made


def read(kept):
    """Reads a netlist that `synthesise` stored."""
    return json.loads(gzip.decompress(kept.read_bytes()))
