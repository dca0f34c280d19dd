"""Writes readable Verilog of a card: `python3 tools/verilog.py CONFIG ... [--out FOLDER] [--target FAMILY]`.

FOLDER/<config>/ (target/verilog/<config>/) gets one file per module. A comment describes its purpose, its parts, its instances and its ports.
`files.f` lists the files for a simulator or a vendor's tool, parts before the modules that use them. `about.json` is the generator's
manifest: latencies, commands, bounds of operands. A configuration is a card or a stand-alone unit, as listed by `tools/rtl.py`.

The logic is the generator's. Five things are rewritten for readers and tools: names of intermediate values (`_zz_next_1` becomes
`next_part_1`), tables (`case` instead of a part of a long constant), shifts that keep only some bits (parts of a word instead), marks for
one vendor's synthesiser (removed), and attributes that select the implementation of a memory, table, register or multiplier, in the form
of the tools for `--target`.
`--check` lints the output with Verilator, -Wall, and reads it with Icarus and yosys.
"""

import argparse
import json
import re
import shutil
import textwrap
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import rtl
import setup
from place import ROOT, TARGET, Failed, main, run

SCALA = ROOT / "rtl/src/main/scala/proofmill"
MODULE = re.compile(r"^module (\w+) \((.*?)^\);(.*?)^endmodule", re.M | re.S)
PORT = re.compile(r"^  (?:\(\*.*?\*\) )?(input|output) +(?:wire|reg) +(?:signed +)?(?:\[(\d+):0\] +)?(\w+)", re.M)
#: A declaration in a module, with its width.
OWN = re.compile(r"^  (?:\(\*.*?\*\) )?(?:(?:input|output) +)?(?:wire|reg) +(?:signed +)?(?:\[(\d+):0\])? +(\w+)(?= *[;,=\n]| *$)", re.M)
INSTANCE = re.compile(r"^  ([A-Z]\w*) (\w+) \($", re.M)
INTERMEDIATE = re.compile(r"\b_zz_(\w+)\b")
SHIFT = re.compile(r"^( +(?:assign )?(\w+) (?:<=|=) )\((\w+) >>> \d+'d(\d+)\);$", re.M)
#: A word of a table: the table as one constant, and the first bit of the word.
WORD = re.compile(r"((\w+)\[(\w+) \+: (\d+)\])")
CONSTANT = re.compile(r"^  assign (\w+) = \d+'([hb])([0-9a-f]+);$", re.M)
PLACE = re.compile(r"^  assign (\w+) = \((\w+(?:\[\d+:\d+\])?) \* \d+'([hb])([0-9a-f]+)\);$", re.M)
MARKS = re.compile(r"\(\* keep , syn_keep \*\) | ?/\* synthesis syn_keep = 1 \*/ ?")
ATTRIBUTE = re.compile(r'\(\* (\w+ = "\w+") \*\) ')
#: The generator's attributes, which are Vivado's.
ATTRIBUTES = ['ram_style = "distributed"', 'rom_style = "block"', 'dont_touch = "yes"', 'use_dsp = "yes"', 'ASYNC_REG = "TRUE"']


@dataclass(frozen=True)
class Target:
    """Attributes for the tools of a family. A table becomes logic, as its place in the pipeline assumes."""

    attributes: dict  # the generator's, as these tools know them; those that are not there are left out
    table: str = ""  # in front of a table's value
    case: str = ""  # in front of its `case`


TARGETS = {
    "ultrascale+": Target({name: f"(* {name} *) " for name in ATTRIBUTES}, table='(* rom_style = "distributed" *) '),
    # Attributes of Lattice's tools and of yosys, which both infer multipliers.
    "ecp5": Target({'ram_style = "distributed"': '(* syn_ramstyle = "distributed" *) ', 'rom_style = "block"': '(* syn_romstyle = "EBR" *) ',
                    'dont_touch = "yes"': "(* syn_preserve = 1, keep = 1 *) "}, case='(* syn_romstyle = "logic" *) '),
    "none": Target({}),
}
#: Warnings without a fault behind them, frequent in wide generated circuits: unused bits of a word, names of states.
UNUSED = ["UNUSEDSIGNAL", "UNUSEDPARAM"]
WIDTH = 100  # characters of a comment's line


@dataclass
class Module:
    name: str
    ports: str
    body: str
    parts: list = field(default_factory=list)  # (module, instance)
    places: list = field(default_factory=list)  # paths below the top

    @property
    def text(self):
        return f"module {self.name} ({self.ports});{self.body}endmodule\n"


def modules_of(text):
    """Returns the modules of a generated file by their names."""
    found = {match[1]: Module(*match.groups()) for match in MODULE.finditer(text)}
    for module in found.values():
        module.parts = [(part, name) for part, name in INSTANCE.findall(module.body) if part in found]
    return found


def widths(module):
    """Returns the width of each name that a module declares."""
    return {name: int(high or 0) + 1 for high, name in OWN.findall(module.ports + module.body)}


def plain_shifts(module):
    """Rewrites shifts whose upper bits are dropped as parts of a word."""
    known = widths(module)

    def part(match):
        to, of, by = known.get(match[2], 0), known.get(match[3], 0), int(match[4])
        if not to or not of or to != of - by:
            return match[0]
        return f"{match[1]}{match[3]}[{of - 1}:{by}];"

    module.body = SHIFT.sub(part, module.body)


def number(base, digits):
    return int(digits, {"h": 16, "b": 2}[base])


def attributes(module, target):
    """Rewrites attributes for a target."""
    def written(match):
        if match[1] not in ATTRIBUTES:
            raise Failed(f"{module.name} has an attribute that is not among ATTRIBUTES: {match[1]}")
        return TARGETS[target].attributes.get(match[1], "")

    module.ports, module.body = ATTRIBUTE.sub(written, module.ports), ATTRIBUTE.sub(written, module.body)


def tables(module, target):
    """Rewrites tables as `case`, which every tool maps to a memory or logic; the generator selects words of one long constant."""
    constants = {name: number(base, value) for name, base, value in CONSTANT.findall(module.body)}
    places = {name: (index, number(base, each)) for name, index, base, each in PLACE.findall(module.body)}
    known = widths(module)

    def uses(name):
        return len(re.findall(rf"\b{name}\b", module.body))

    def dropped(name):
        module.body = re.sub(rf"^  (?:wire .*\b{name};|assign {name} = .*;)\n", "", module.body, flags=re.M)

    for whole, table, place, each in WORD.findall(module.body):
        index, step = places.get(place, ("", 0))
        if table not in constants or step != int(each) or uses(table) != 3:  # declared, assigned, read
            continue
        sliced = re.fullmatch(r"\w+\[(\d+):(\d+)\]", index)
        bits = int(sliced[1]) - int(sliced[2]) + 1 if sliced else known[index]
        count = min(known[table] // step, 1 << bits)
        rows = [f"      {bits}'d{at}: {table} = {each}'h{constants[table] >> step * at & (1 << step) - 1:x};" for at in range(count)]
        if count < 1 << bits:
            rows.append(f"      default: {table} = {each}'h0; // not asked for")
        case = [f"  always @(*) begin // {count} words of {each} bits", f"    {TARGETS[target].case}case ({index})", *rows, "    endcase", "  end", ""]
        module.body = module.body.replace(whole, table)
        module.body = re.sub(rf"^  assign {table} = .*\n", lambda _: "\n".join(case), module.body, flags=re.M)
        module.body = re.sub(rf"^  wire .*\b{table};$", f"  {TARGETS[target].table}reg        [{step - 1}:0]   {table};", module.body, flags=re.M)
        if uses(place) == 2:
            dropped(place)


def readable_names(module):
    """Renames intermediate values after the value that they are a part of; names remain distinct."""
    taken = set(re.findall(r"\b[A-Za-z]\w*\b", module.text))
    names = {}
    for old in dict.fromkeys(INTERMEDIATE.findall(module.text)):
        depth, rest = 1, old
        while rest.startswith("_zz_"):
            depth, rest = depth + 1, rest.removeprefix("_zz_")
        stem, number = re.fullmatch(r"(\w*?)((?:_?\d+)?(?:_\d+)*)", rest.strip("_")).groups()
        number = f"_{number}" if number and number[0] != "_" else number
        if not stem or stem[0].isdigit():
            stem = f"value_{stem}".rstrip("_")
        base = f"{stem}_part{depth if depth > 1 else ''}{number}"
        new, turn = base, 0
        while new in taken:
            turn += 1
            new = f"{base}_{'abcdefghijklmnopqrstuvwxyz'[turn - 1]}" if turn <= 26 else f"{base}_v{turn}"
        taken.add(new)
        names[old] = new
    module.body = INTERMEDIATE.sub(lambda found: names[found[1]], module.body)
    module.ports = INTERMEDIATE.sub(lambda found: names[found[1]], module.ports)


@cache
def sources():
    """Returns the file of each top-level class, by its name with the package."""
    found = {}
    for path in sorted(SCALA.rglob("*.scala")):
        text = path.read_text()
        package = re.search(r"^package ([\w.]+)", text, re.M)[1]
        found |= {f"{package}.{name}": path for name in re.findall(r"^(?:[\w\[\]]+ )*(?:class|object|trait) (\w+)", text, re.M)}
    return found


def described(origin):
    """Returns the source of a module, and the first paragraph of its class's comment; `origin` is as in origins.json."""
    outer, *inner = origin.rstrip("$").split("$")
    if not origin.startswith("proofmill."):
        return f"{origin} of SpinalHDL", ""
    path = sources()[outer]
    name = inner[-1] if inner else outer.rpartition(".")[2]
    comment = re.search(rf"/\*\*((?:(?!\*/).)*?)\*/\s*(?:[\w\[\]]+ )*class {name}\b", path.read_text(), re.S)
    paragraph = re.split(r"\n\s*\*\s*\n", comment[1].strip())[0] if comment else ""
    return str(path.relative_to(ROOT)), " ".join(re.sub(r"^\s*\*", "", line).strip() for line in paragraph.splitlines())


def walk(modules, top):
    """Records the instances of each module. Returns the modules, parts before the modules that use them."""
    ordered = {}

    def visit(name, path):
        module = modules[name]
        module.places.append(path)
        for part, instance in module.parts:
            visit(part, f"{path}.{instance}")
        ordered.setdefault(name, module)

    visit(top, top)
    return list(ordered.values())


def header(module, config, manifest, origin, target):
    """Returns the comment above a module."""
    source, about = described(origin)
    lines = [f"{module.name}, a part of the configuration '{config}' of proofmill {manifest.get('version', '')}".rstrip()]
    if about:
        lines += ["", *textwrap.wrap(about, WIDTH)]
    lines += ["", f"Source: {source}", f"Attributes: for {target}"]
    if module.places[0] == module.name:
        lines += ["", *top_facts(manifest)]
    else:
        more = f", and {len(module.places) - 3} more" if len(module.places) > 3 else ""
        lines += ["", *textwrap.wrap(f"Stands at: {', '.join(module.places[:3])}{more}", WIDTH)]
    counts = {}
    for part, _ in module.parts:
        counts[part] = counts.get(part, 0) + 1
    if counts:
        made = ", ".join(f"{count} x {part}" if count > 1 else part for part, count in sorted(counts.items()))
        lines += ["", *textwrap.wrap(f"Made of: {made}", WIDTH)]
    lines += ["", "Ports:"]
    for direction, high, name in PORT.findall(module.ports):
        lines.append(f"  {direction:6} {name:40} {int(high or 0) + 1:>5} bit{'s' if high and high != '0' else ''}")
    return "".join(f"// {line}".rstrip() + "\n" for line in lines)


def top_facts(manifest):
    """Returns the facts of a manifest about the whole card or unit."""
    if "latency" in manifest:
        yield f"A {manifest['unit']} of {manifest['instance']}: a result {manifest['latency']} cycles after its operands, one a cycle."
    for engine in manifest.get("engines", []):
        facts = ", ".join(f"{name} = {value}" for name, value in engine.get("parameters", {}).items())
        yield f"Engine {engine['op']} ({engine.get('instance', '')}), registers at {engine['block']:#x}: {facts}"[: 2 * WIDTH]
    if "pcie" in manifest:
        yield "The bridge has the clock `clk`, the engines have `card_clk`, the memory has `memory_clk`; resets are active low. about.json says the rest."
    else:
        yield "All of it has one clock, `clk`, and a synchronous reset that is active high. about.json says the rest."


def written(config, out, target="ultrascale+"):
    """Writes a configuration and returns its folder."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    modules = modules_of("".join(path.read_text() for path in rtl.verilog(folder)))
    if manifest["top"] not in modules:
        raise Failed(f"{config}: there is no module {manifest['top']}")
    ordered = walk(modules, manifest["top"])
    origins = json.loads((folder / "origins.json").read_text())
    into = out / config
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    for module in ordered:
        module.body = MARKS.sub("", module.body)
        attributes(module, target)
        plain_shifts(module)
        tables(module, target)
        readable_names(module)
        text = header(module, config, manifest, origins[module.name], target)
        unused = "".join(f"// verilator lint_off {kind}\n" for kind in UNUSED)
        text += f"\n{unused}\n{module.text}"
        (into / f"{module.name}.v").write_text(text)
    (into / "files.f").write_text("".join(f"{module.name}.v\n" for module in ordered))
    shutil.copy(folder / "manifest.json", into / "about.json")
    return into, manifest["top"]


def check(folder, top):
    """Checks that Verilator reports no warnings and that Icarus and yosys read the files."""
    files = (folder / "files.f").read_text().split()
    run(["verilator", "--lint-only", "-Wall", "--top-module", top, *files], cwd=folder)
    run(["iverilog", "-g2005", "-t", "null", "-s", top, *files], cwd=folder)
    run([setup.yosys(), "-q", "-p", f"read_verilog {' '.join(files)}; hierarchy -check -top {top}"], cwd=folder)


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="+", metavar="CONFIG", help="a card or a unit, as `python3 tools/rtl.py` lists them")
    parser.add_argument("--out", type=Path, default=TARGET / "verilog", help="the folder (target/verilog)")
    parser.add_argument("--target", choices=TARGETS, default="ultrascale+", help="the family whose tools read attributes (ultrascale+)")
    parser.add_argument("--check", action="store_true", help="lint it, and have three tools read it")
    chosen = parser.parse_args()
    known = rtl.configs() + rtl.units()
    for config in chosen.configs:
        if config not in known:
            raise Failed(f"there is no configuration {config}; there are {', '.join(rtl.configs())}; and units such as {', '.join(rtl.units()[:5])}")
    for config in chosen.configs:
        if config.endswith("_twin"):
            raise Failed(f"{config}: twins are for our own simulation; take {config.removesuffix('_twin')}")
    for config in chosen.configs:
        folder, top = written(config, chosen.out, chosen.target)
        if chosen.check:
            check(folder, top)
        print(f"{folder}: {len(list(folder.glob('*.v')))} modules, top {top}")
    return 0


if __name__ == "__main__":
    main(cli)
