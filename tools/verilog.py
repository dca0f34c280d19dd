"""Writes readable Verilog of a card: `python3 tools/verilog.py CONFIG ... [--out FOLDER] [--target FAMILY]`.

FOLDER/<config>/ (target/verilog/<config>/) gets one file per module. A comment describes its purpose, its parts, its instances and its ports.
`files.f` lists the files for a simulator or a vendor's tool, parts before the modules that use them. `about.json` has the generator's
facts: ports and their bounds, latencies, commands (about.py). A configuration is a card or a stand-alone unit, as listed by `tools/rtl.py`.
`--single-file` writes all modules into one file, and `--canonical` takes the unit whose operands and results are canonical integers.

The logic is the generator's. Six things are rewritten for readers and tools: names of ports (`io_` is removed) and of intermediate values
(`_zz_next_1` becomes `next_part_1`), tables (`case` instead of a part of a long constant), shifts that keep only some bits (parts of a word
instead), marks for one vendor's synthesiser (removed), and attributes that select the implementation of a memory, table, register or
multiplier, in the form of the tools for `--target`.
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

import about
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
#: `io_` at the beginning of a port's name, or behind an instance's name; and a name that contains it, or a condition's.
PREFIX = re.compile(r"(?<![^_\W])io_")
PREFIXED = re.compile(r"\b(?:\w+_)?io_\w+\b|\bwhen_\w+?_l\d+(?:_\d+)*\b")
#: A condition, which the generator names after the line of its source.
CONDITION = re.compile(r"when_\w+?_l\d+(?:_\d+)*")
CONNECTION = re.compile(r"^  ([A-Z]\w*) (\w+) \(\n(.*?)^  \);", re.M | re.S)
LINK = re.compile(r"^    \.(\w+) *\((.*?) *\)(,?) *//(\w+)\n", re.M)
MARK = "\0"  # in front of a connected port, whose name is another module's
#: Words of Verilog 2005 and of SystemVerilog that the name of a port without its prefix could be.
KEYWORDS = set("always and assign begin buf case cell config context cover default design disable do edge else end endcase event final first for force "
               "fork function generate if import initial inout input instance integer join library local matches module negedge new not null or "
               "output packed parameter pos posedge priority pull0 pull1 pure rand real ref reg release repeat return scalared sequence signed small "
               "static strong0 strong1 table tagged task this time tri type union unique unsigned use var vectored void wait wand weak0 while wire "
               "with within wor xor".split())
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
        stem = re.sub(r"when_\w+?_l$", "condition", stem)
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


def plain_names(modules):
    """Removes `io_` from the names of ports, and of what is named after them, and numbers conditions. Names remain distinct."""
    renamed = {}

    def separate(taken, names, suffix=""):
        made = {}
        for name in names:
            base = new = "condition" if CONDITION.fullmatch(name) else PREFIX.sub("", name)
            turn = 0
            while new in taken or new in KEYWORDS or new[0].isdigit():
                turn += 1
                new = f"{base}_{suffix}{turn}" if turn > 1 or not suffix else f"{base}_{suffix}"
            taken.add(new)
            made[name] = new
        return made

    for module in modules:
        taken = set(re.findall(r"\b[A-Za-z]\w*\b", module.text))
        ports = [name for _, _, name in PORT.findall(module.ports) if name.startswith("io_")]
        names = separate(taken, ports, "port")
        outside = CONNECTION.sub(lambda found: re.sub(r"^    \.\w+", "", found[0], flags=re.M), module.body)
        inner = dict.fromkeys(match[0] for match in PREFIXED.finditer(outside))
        renamed[module.name] = names | separate(taken, [name for name in inner if name not in names])

    for module in modules:
        own = renamed[module.name]
        module.parts = [(part, own.get(name, name)) for part, name in module.parts]

        def connected(found):
            theirs = renamed.get(found[1], {})
            return re.sub(r"^(    \.)(\w+)", lambda port: f"{port[1]}{MARK}{theirs.get(port[2], port[2])}", found[0], flags=re.M)

        def plain(text):
            return PREFIXED.sub(lambda found: own.get(found[0], found[0]), text)

        module.ports = plain(module.ports)
        module.body = CONNECTION.sub(aligned, plain(CONNECTION.sub(connected, module.body)).replace(MARK, ""))


def aligned(found):
    """Returns an instance with its connections in columns."""
    rows = LINK.findall(found[3])
    name, value = (max((len(row[at]) for row in rows), default=0) for at in (0, 1))
    links = "".join(f"    .{port:{name}} ({net:{value}}){comma}{' ' * (not comma)} //{way}\n" for port, net, comma, way in rows)
    return found[0].replace(found[3], links) if found[3].count("\n") == len(rows) else found[0]


def name_after(config, modules, top):
    """Puts a unit's name in front of the names of its modules, so that several units can be parts of one design."""
    names = {module.name: f"{config}_{module.name}" for module in modules if module.name != top}
    for module in modules:
        module.body = re.sub(r"^  ([A-Z]\w*)(?= \w+ \($)", lambda found: f"  {names.get(found[1], found[1])}", module.body, flags=re.M)
        module.parts = [(names.get(part, part), name) for part, name in module.parts]
        module.name = names.get(module.name, module.name)


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
    text = path.read_text()
    found = [re.search(rf"/\*\*((?:(?!\*/).)*?)\*/\s*(?:[\w\[\]]+ )*(?:class|object) {each}\b", text, re.S) for each in (name, outer.rpartition(".")[2])]
    comment = next(filter(None, found), None)
    paragraph = re.split(r"\n\s*\*\s*\n", comment[1].strip())[0] if comment else ""
    about_it = " ".join(re.sub(r"^\s*\*", "", line).strip() for line in paragraph.splitlines())
    return str(path.relative_to(ROOT)), re.sub(r"\[\[([\w.]+)\]\]", r"\1", about_it)


def walk(modules, top):
    """Records the instances of each module. Returns the modules, parts before the modules that use them."""
    ordered = {}

    def visit(name, path):
        module = modules[name]
        module.places.append(path)
        for part, instance in module.parts:
            visit(part, f"{path}.{instance}")
        ordered.setdefault(name, module)

    for module in modules.values():
        module.places = []
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
    if "unit" in manifest:
        facts = about.about(manifest)
        pace = f"a result {facts['latency']} cycles after its operands, one a cycle; nothing waits" if facts["latency"] is not None else "a transfer is a cycle with valid and ready"
        yield f"A {manifest['unit']} of {manifest['instance']}: {pace}."
        yield from about.lines(facts)
    for engine in manifest.get("engines", []):
        facts = ", ".join(f"{name} = {value}" for name, value in engine.get("parameters", {}).items())
        yield f"Engine {engine['op']} ({engine.get('instance', '')}), registers at {engine['block']:#x}: {facts}"[: 2 * WIDTH]
    if "pcie" in manifest:
        yield "The bridge has the clock `clk`, the engines have `card_clk`, the memory has `memory_clk`; resets are active low. about.json says the rest."
    else:
        yield "All of it has one clock, `clk`, and a synchronous reset that is active high. about.json says the rest."


def written(config, out, target="ultrascale+", single=False):
    """Writes a configuration, with `single` into one file. Returns its folder and the name of its top module."""
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
    origin = {module.name: origins[module.name] for module in ordered}
    plain_names(ordered)
    if "unit" in manifest:
        origin |= {f"{config}_{name}": made for name, made in origin.items()}
        name_after(config, ordered, manifest["top"])
    walk({module.name: module for module in ordered}, manifest["top"])  # by present names
    unused = "".join(f"// verilator lint_off {kind}\n" for kind in [*UNUSED, *["DECLFILENAME"] * single])
    texts = {module.name: f"{header(module, config, manifest, origin[module.name], target)}\n{unused}\n{module.text}" for module in ordered}
    files = {config: "\n".join(texts.values())} if single else texts
    for name, text in files.items():
        (into / f"{name}.v").write_text(text)
    (into / "files.f").write_text("".join(f"{name}.v\n" for name in files))
    (into / "about.json").write_text(json.dumps(about.about(manifest), indent=2) + "\n")
    shutil.copy(about.SCHEMA, into)
    return into, manifest["top"]


def canonical(config, known):
    """Returns the name of the unit that computes the same on canonical integers."""
    kind, _, field = config.partition("_")
    if "canonical" in config:
        return config
    if f"{kind}_canonical_{field}" not in known:
        raise Failed(f"{config}: there is no form with canonical operands; there is one of modmul, modadd and modsub of each field")
    return f"{kind}_canonical_{field}"


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
    parser.add_argument("--single-file", action="store_true", help="write all modules into CONFIG.v")
    parser.add_argument("--canonical", action="store_true", help="the unit whose operands and results are integers in [0, p): of modmul, modadd and modsub")
    parser.add_argument("--check", action="store_true", help="lint it, and have three tools read it")
    chosen = parser.parse_args()
    known = rtl.configs() + rtl.units()
    for config in chosen.configs:
        if config.endswith("_twin") and config in known:
            raise Failed(f"{config}: twins are for our own simulation; take {config.removesuffix('_twin')}")
    known = [config for config in known if not config.endswith("_twin")]
    rtl.require(chosen.configs, known)
    for config in [canonical(config, known) for config in chosen.configs] if chosen.canonical else chosen.configs:
        folder, top = written(config, chosen.out, chosen.target, chosen.single_file)
        if chosen.check:
            check(folder, top)
        print(f"{folder}: {len(list(folder.glob('*.v')))} files, top {top}")
    return 0


if __name__ == "__main__":
    main(cli)
