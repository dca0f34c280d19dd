"""Compares generated circuits without regard to names: `python3 tools/same_circuit.py OLD NEW [CONFIG ...]`.

OLD and NEW are folders as `python3 tools/rtl.py` writes them (copies of `target/rtl`), one folder per configuration. A circuit passes if one of
two comparisons shows that it is the same, bit for bit and cycle for cycle:

1. text: the Verilog of each module is equal after identifiers are numbered in the order of their first appearance, enumeration constants are
   replaced by their values, and instances name the digest of their module and the positions of its ports;
2. graph: from the modules that differ in text, yosys makes a netlist of cells, memories and registers. Partition refinement merges signals that no
   sequence of inputs can distinguish. Both tops must have equivalent outputs at equal positions, and every class must have the same number of
   register bits in both.

The manifest must be equal, too. Names that only simulators use (strings of states) are ignored.
"""

import argparse
import json
import re
import tempfile
from collections import Counter
from functools import cached_property
from pathlib import Path

import setup
from place import Failed, digest, main, run

MODULE = re.compile(r"^module (\w+) \((.*?)^endmodule", re.M | re.S)
PORT = re.compile(r"^\s*(?:\(\*.*?\*\) )?(input|output)\s+(?:wire|reg)\s+(?:signed\s+)?(\[\d+:0\])?\s*(\w+)", re.M)
CONSTANT = re.compile(r"^\s*localparam (\w+) = ([\w']+);\n", re.M)
TOKEN = re.compile(r"""\(\*\s+\w.*?\*\)          # an attribute
    | "[^"]*" | \d*'s?[bodh][0-9a-fxz_]+ | \d+     # constants
    | \$?[A-Za-z_][\w$]* | <=|>=|==|!=|===|!==|<<<?|>>>?|&&|\|\||\+:|-: | \S""", re.X | re.I)
KEYWORDS = set("module endmodule input output inout wire reg signed assign always initial begin end if else case casez endcase default posedge negedge "
               "or integer for function endfunction localparam parameter generate endgenerate assert assume cover".split())


def without_simulation(text):
    """Removes comments and code that synthesis ignores."""
    kept, depth = [], 0
    for line in re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S).splitlines():
        word = line.split()[:1]
        if word == ["`ifndef"] and "SYNTHESIS" in line or depth and word in (["`ifdef"], ["`ifndef"]):
            depth += 1
        elif depth and word == ["`endif"]:
            depth -= 1
        elif not depth:
            kept.append(line)
    return "\n".join(kept) + "\n"


class Module:
    """A module of a generated file: its tokens and its ports in their order."""

    def __init__(self, name, text, design):
        constants = dict(CONSTANT.findall(text))
        self.name, self.design = name, design
        text = CONSTANT.sub("", text)
        self.ports = [found[2] for found in PORT.findall(text)]
        self.box = ", ".join(f"{way} {width} p{i}" for i, (way, width, _) in enumerate(PORT.findall(text)))
        self.tokens = [constants.get(token, token) for token in TOKEN.findall(text)]

    def named(self, own, part):
        """The tokens; `own` names the module's identifiers, `part` the modules of its instances, whose ports become their positions."""
        instance, previous = None, ""
        for token in self.tokens:
            if token in self.design and token != self.name and previous != ".":
                instance = self.design[token]
                yield part(instance)
            elif previous == "." and instance and token in instance.ports:
                yield f"p{instance.ports.index(token)}"
            elif re.match(r"[A-Za-z_]", token) and token not in KEYWORDS:
                yield own(token)
            else:
                yield token
            previous = token
            if token == ";":
                instance = None

    @cached_property
    def canonical(self):
        """The text with identifiers numbered in the order of their appearance."""
        numbers = {}
        return " ".join(self.named(lambda name: f"n{numbers.setdefault(name, len(numbers))}", lambda module: f"m_{module.digest}"))

    @cached_property
    def digest(self):
        return digest(self.canonical)


def design_of(folder):
    """The modules of a configuration by their names."""
    design = {}
    for path in sorted(folder.glob("*.v")):
        for found in MODULE.finditer(without_simulation(path.read_text())):
            design[found[1]] = Module(found[1], found[0], design)
    if not design:
        raise Failed(f"{folder}: no Verilog")
    return design


#: Passes of yosys: cells of whole words, and if these differ, multiplexers and registers of single bits, so that it does not matter which bits
#: are declared as one register.
PASSES = ["proc; flatten; memory_collect; opt_clean",
          "proc; flatten; memory_collect; opt_clean; pmuxtree; simplemap t:$dff t:$mux t:$not t:$and t:$or t:$xor; opt_clean"]


def netlist(design, top, same, passes):
    """Returns the cells and registers of a design by yosys; modules whose digests are in `same` remain black boxes."""
    boxes = {module.digest: module for module in design.values() if module.digest in same}
    text = [f"(* blackbox *) module b_{name} ({module.box}); endmodule" for name, module in boxes.items()]
    for module in design.values():
        if module.digest not in same:
            text.append(" ".join(module.named(lambda name: "m_" + name if name == module.name else name,
                                              lambda part: f"b_{part.digest}" if part.digest in same else f"m_{part.name}")))
    # Instances of the modules that stay get their ports by position, so their own ports are named by position, too.
    for i, module in enumerate(m for m in design.values() if m.digest not in same):
        at = len(boxes) + i
        for number, port in enumerate(module.ports):
            text[at] = re.sub(rf"(?<![.\w]){re.escape(port)}\b", f"p{number}", text[at])
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "d.v").write_text("\n".join(text).replace("< =", "<="))
        run([setup.yosys(), "-q", "-p", f"read_verilog d.v; hierarchy -top m_{top}; {passes}; write_json d.json"], cwd=scratch)
        return json.loads(Path(scratch, "d.json").read_text())["modules"][f"m_{top}"]


STATEFUL = re.compile(r"\$_?([A-Z]*DFF|DLATCH|a?s?dffe?|aldff|sdffce|dffsr|mem|dlatch)")
UNNAMED = {"MEMID"}


class Graph:
    """A netlist whose signals are classified: signals of one class carry equal values at all times, whatever the inputs are."""

    def __init__(self, module):
        initial = {}
        for net in module["netnames"].values():
            value = net["attributes"].get("init")
            if value:
                initial |= {bit: value[-1 - i] for i, bit in enumerate(net["bits"]) if i < len(value)}
        self.colour, self.cells = {}, []
        for number, port in enumerate(module["ports"].values()):
            if port["direction"] == "input":
                self.colour |= {bit: hash(("input", number, i)) for i, bit in enumerate(port["bits"])}
        self.outputs = [port["bits"] for port in module["ports"].values() if port["direction"] == "output"]
        for cell in module["cells"].values():
            ways = cell.get("port_directions", {})
            parameters = tuple(sorted((k, v) for k, v in cell["parameters"].items() if k not in UNNAMED))
            ins = [bit for port, bits in sorted(cell["connections"].items()) if ways[port] != "output" for bit in bits]
            outs = [(port, i, bit) for port, bits in sorted(cell["connections"].items()) if ways[port] == "output" for i, bit in enumerate(bits)]
            kind = hash((cell["type"], parameters))
            stateful = not cell["type"].startswith("$") or STATEFUL.match(cell["type"])
            self.cells.append((kind, ins, outs, bool(stateful)))
            if stateful:
                self.colour |= {bit: hash((kind, port, i, initial.get(bit))) for port, i, bit in outs}
        self.state = [bit for _, _, outs, stateful in self.cells if stateful for _, _, bit in outs]
        self.ordered = self.order()

    def order(self):
        """The cells without state, each after those that it reads."""
        driver = {bit: cell for cell in self.cells if not cell[3] for _, _, bit in cell[2]}
        done, ordered = set(), []
        for root in driver.values():
            stack = [root]
            while stack:
                cell = stack[-1]
                missing = [driver[bit] for bit in cell[1] if bit in driver and id(driver[bit]) not in done and driver[bit] is not cell]
                if id(cell) in done or not missing:
                    stack.pop()
                    if id(cell) not in done:
                        done.add(id(cell))
                        ordered.append(cell)
                elif len(stack) > len(driver) + 1:
                    raise Failed("a loop of logic without a register")
                else:
                    stack.append(missing[0])
        return ordered

    def refine(self):
        """Colours of all signals from those of the inputs and the state, and then the next ones of the state."""
        colour = self.colour
        for kind, ins, outs, _ in self.ordered:
            mark = hash((kind, *(colour.get(bit, bit) for bit in ins)))
            colour |= {bit: hash((mark, port, i)) for port, i, bit in outs}
        self.result = [[colour.get(bit, bit) for bit in bits] for bits in self.outputs]
        following = {}
        for kind, ins, outs, stateful in self.cells:
            if stateful:
                mark = hash((kind, *(colour.get(bit, bit) for bit in ins)))
                following |= {bit: hash((colour[bit], mark)) for _, _, bit in outs}
        self.colour |= following
        return Counter(following.values())


def same_graph(old, new):
    """Whether two netlists are equivalent and have equally many register bits of each class."""
    graphs = Graph(old), Graph(new)
    classes = 0
    while True:
        before, after = (graph.refine() for graph in graphs)
        if before != after or graphs[0].result != graphs[1].result:
            return False
        if len(before) == classes:
            return True
        classes = len(before)


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def compare(old, new):
    """Returns the method that proved two folders of a configuration equal, or an empty string and the difference."""
    about, about_new = manifest(old), manifest(new)
    if {**about, "top": 0} != {**about_new, "top": 0}:
        return "", "the manifests differ"
    before, after = design_of(old), design_of(new)
    first, second = before[about["top"]], after[about_new["top"]]
    if first.digest == second.digest:
        return "text", ""
    same = {module.digest for module in before.values()} & {module.digest for module in after.values()}
    differing = [module.name for module in after.values() if module.digest not in same]
    for passes in PASSES:
        if same_graph(netlist(before, first.name, same, passes), netlist(after, second.name, same, passes)):
            return "graph", f"{len(differing)} modules differ in text"
    return "", "modules that differ: " + ", ".join(differing)


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=Path, help="folder of generated circuits")
    parser.add_argument("new", type=Path, help="folder of the circuits to compare with")
    parser.add_argument("configs", nargs="*", help="configurations (all of OLD)")
    chosen = parser.parse_args()
    ways = Counter()
    for config in chosen.configs or sorted(path.name for path in chosen.old.iterdir() if (path / "manifest.json").exists()):
        way, about = compare(chosen.old / config, chosen.new / config)
        ways[way] += 1
        if way != "text":
            print(f"{config}: {f'same {way}; {about}' if way else f'DIFFERENT: {about}'}", flush=True)
    print(f"{ways['text']} circuits have the same text, {ways['graph']} the same graph, {ways['']} differ")
    return 1 if ways[""] else 0


if __name__ == "__main__":
    main(cli)
