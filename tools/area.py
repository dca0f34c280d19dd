"""`make area [OP=...]`: the resources of each unit and each engine in an UltraScale+ device, counted by yosys.

Engines are measured inside their card; multipliers, adders and processors (OP=algebra) by themselves.

Modules are synthesised one by one (`synthesis`) and their counts kept. Totals go up the tree of instances by multiplication.

LUTs are those of yosys, with one output each. A vendor tool puts two small functions into one LUT6 with two
outputs and reports fewer. LUTs used as memory (LUTRAM) and as shift registers (SRL) are in the LUT count and
are also listed separately. yosys builds CARRY4; two of them are one CARRY8. A RAMB18 is half a BRAM. A memory
larger than one UltraRAM (4096 words of 72 bits) is built of several. Nothing is optimised across module borders. The depth is
the number of cells on the slowest path from register to register, across module borders, as found by `make timing`; eight bits of a carry
chain are one cell.

For a board's top level (OP=top), the parts around the shell are counted, in a table: bridge, clock crossings, firewalls, width converters. The shell and the engines are not, since other cards have them.
"""

import argparse
import collections
import json
import re
import sys
from pathlib import Path

import rtl
import timing
from place import TARGET, Failed, main, write_whole
from synthesis import SHELL, SYNTHESIS, Modules, board, synthesise_all

METRICS = {"lut": "LUT", "ff": "FF", "dsp": "DSP", "bram": "BRAM36", "uram": "URAM288", "lutram": "LUT", "srl": "LUT", "carry8": "CARRY8", "muxf": "MUXF"}

#: The groups of rows: stand-alone units, engines, the shell, and the parts of boards' top levels around it.
OPS = ["algebra", "coprocessor", "ecdsa_verify", "equihash_solve", "equihash_verify", "msm", "ntt", "poseidon", "vdf", "shell", "top"]
#: The default cards.
CARDS = ["card", "toy", "ecdsa", "msm_bn254", "msm_bn254_g2", "msm_bls12_381", "msm_bls12_381_g2", "msm_bls12_377",
         "poseidon_2", "poseidon_4", "poseidon_8", "poseidon_11", "poseidon", "coprocessor",
         "ntt_small", "ntt", "ntt_bn254", "vdf_1024", "equihash_solve_200_9", "equihash_solve_144_5"]

#: Resources of published circuits for the same operation.
PUBLISHED = {
    ("equihash_verify", "equihash_200_9"): ({"lut": 87914, "ff": 54362, "dsp": 0, "bram": 6}, "zcash-fpga (VU37P, Vivado)"),
    ("ecdsa_verify", "secp256k1"): ({"lut": 98792, "ff": 61909, "dsp": 144, "bram": 2}, "zcash-fpga (VU37P, Vivado)"),
    ("poseidon", "poseidon_bls12_381"): ({"lut": 533000, "dsp": 4108}, "TRIDENT (C1100, arities 2, 8 and 11)"),
    ("ntt", "goldilocks"): ({"lut": 327700, "dsp": 2880, "bram": 136, "uram": 64}, "Nantucket (C1100, 2^24 elements in 1.146 M cycles)"),
    ("modmul", "bls12_381_fp"): ({"dsp": 345}, "zcash-fpga"),
    ("modmul", "bls12_377_fp"): ({"dsp": 324, "lut": 43100, "ff": 46900, "latency": 39}, "CycloneMSM (VU9P)"),
    ("modmul", "bls12_381_fr"): ({"dsp": 324, "latency": 43}, "TRIDENT"),
    ("modmul", "secp256k1_fp"): ({"dsp": 144, "latency": 8}, "zcash-fpga"),
    ("modmul", "goldilocks"): ({"dsp": 12}, "Nantucket"),
}

#: What the LUTs of a class do, and those of the classes below it that are not listed; of all others: control and memory.
FUNCTIONS = {
    "products": "Product Squarer ColumnSums",
    "reduction": "ModMul ReduceUnit Reducer",
    "conversions": "Settle Canonical PoseidonEntry DigestCollector ResidueEncoder ZeroTest",
    "point formula": "FormulaPipeline BatchAdder QuadraticMul",
    "inversion": "InversionTree QuadraticInverter FieldInverter Quotients",
    "buckets": "BatchBucketAdder",
    "butterflies": "ShiftTransform RadixFour Quad Difference",
    "twiddle factors": "Factors Powers Twiddles",
    "shuffles": "Shuffle ShiftColumns",
    "linear layers": "Linear Matrix Symmetric",
    "S-boxes": "SBox FullSBoxes PartialSBoxes",
    "scalars": "Scalars GlvSplit DigitRecoder",
    "field processor": "Lane",
    "pairing processor": "PairingProcessor",
    "BLAKE2b": "MixG MixHalf MessageOrder Midstate LeafHash LeafHashRing",
    "SHA-256": "Sha256d",
    "pairs of strings": "BucketPairs",
    "partition": "Partition",
    "index checks": "LeafCheck OrderCheck Merge MergeQueue Duplicates Grouping IndexCutter",
}
FUNCTION_OF = {name: function for function, names in FUNCTIONS.items() for name in names.split()}
REST = "control and memory"

#: Distributed memories with their LUTs.
LUTRAM = {
    "RAM32X1S": 1, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4, "RAM512X1S": 8, "RAM32X1D": 2, "RAM64X1D": 2,
    "RAM128X1D": 4, "RAM256X1D": 8, "RAM32M": 4, "RAM64M": 4, "RAM32M16": 8, "RAM64M8": 8, "RAM64X8SW": 8, "RAM32X16DR8": 8,
}
#: Modules that are one DSP48E2 each. yosys packs registers and adders into the DSP48E1 of 7 series only (test_synthesis.py maps tiles there).
TILE = "DspTile"
FREE = {"BUFG", "GND", "VCC", "$scopeinfo"}


def cost_of(cell):
    """Returns the metrics of a cell, or None for an unknown primitive."""
    if re.fullmatch(r"LUT[1-6]|INV", cell):
        return {"lut": 1}
    if cell in LUTRAM:
        return {"lut": LUTRAM[cell], "lutram": LUTRAM[cell]}
    if re.fullmatch(r"SRL16E?|SRLC16E?|SRLC32E", cell):
        return {"lut": 1, "srl": 1}
    if re.fullmatch(r"FD[RSCP]E(_1)?|LD[CP]E", cell):
        return {"ff": 1}
    if re.fullmatch(r"DSP48E\d", cell):
        return {"dsp": 1}
    if re.fullmatch(r"RAMB36E\d|RAMB18E\d", cell):
        return {"bram": 1 if "36" in cell else 0.5}
    if cell == "URAM288":
        return {"uram": 1}
    if cell in ("CARRY4", "CARRY8"):
        return {"carry8": 1 if cell == "CARRY8" else 0.5}
    if re.fullmatch(r"MUXF[789]", cell):
        return {"muxf": 1}
    return {} if cell in FREE else None


def own_cost(modules, name, cells):
    """Returns the metrics of a module without its children. A tile is one DSP, which contains its registers and its adder, or some LUTs if it is tiny."""
    dsps = cells.get("DSP48E2", 0)
    if name.startswith(TILE) and dsps:
        if dsps > 1:
            raise Failed(f"{name}: yosys used {dsps} DSPs for a tile")
        return collections.Counter(dsp=1)
    total = collections.Counter()
    for cell, count in cells.items():
        cost = {} if cell in modules.text else cost_of(cell)
        if cost is None:
            raise Failed(f"{name}: yosys used {count} of {cell}, which is not a known primitive")
        for metric, amount in cost.items():
            total[metric] += amount * count
    return total


def measure(files, top, hollow=()):
    """Returns (modules, name -> metrics of the module itself, name -> its netlist) for all modules under the top, except those inside hollow ones."""
    modules = Modules(files, hollow)
    made = synthesise_all(modules, top)
    return modules, {name: own_cost(modules, name, one["counts"]) for name, one in made.items()}, made


def family(name):
    """Returns a module's name without its widths and number: those of a family differ in them only."""
    return re.sub(r"_\d+$", "", re.sub(r"\d+(x|to)\d+([a-z]+\d*)?", "", name))


def families(modules, own, top):
    """Returns family -> instances, and family -> their total without their children, of the modules under the top."""
    counts, totals = collections.Counter(), collections.defaultdict(collections.Counter)
    for module, count in modules.below(top).items():
        counts[family(module)] += count
        totals[family(module)].update({metric: amount * count for metric, amount in own[module].items()})
    return counts, totals


def total_of(modules, own, name):
    total = collections.Counter()
    for module, count in modules.below(name).items():
        for metric, amount in own[module].items():
            total[metric] += count * amount
    return total


def engine_modules(modules, top, manifest):
    """Yields (op, instance, module) of every engine: the shell's child whose instance name ends with the engine's."""
    for engine in manifest["engines"]:
        found = [
            module for parent in modules.below(top) for module, name in modules.instances[parent]
            if name.endswith(engine["instance"]) and "Engine" in module
        ]
        if len(found) != 1:
            raise Failed(f"{top}: {len(found)} instances in the Verilog are called {engine['instance']}, expected 1")
        yield engine["op"], engine["instance"], found[0]


def rows_of(config, op, instance, part, cost, more=()):
    """Returns one row per metric, of UltraRAM only if it is used; `part` names the unit inside the engine, and is empty for the whole."""
    published, by = PUBLISHED.get((op, instance), ({}, None)) if not part else ({}, None)
    for metric, unit, value in [*((metric, unit, cost[metric]) for metric, unit in METRICS.items() if cost[metric] or metric != "uram"), *more]:
        yield one_row(config, op, instance, f"{metric}/{part}" if part else metric, unit, value, published.get(metric), by if metric in published else None)


def one_row(config, op, instance, metric, unit, value, published=None, by=None):
    return {
        "op": op, "instance": instance, "config": config, "metric": metric, "unit": unit, "value": int(value) if value == int(value) else value,
        "published": published, "published_by": by, "kind": "measured",
    }


def area(config, wanted_op):
    """Returns the rows of a card: every engine, its units, and the shell; none for a card without the wanted operation."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    if wanted_op == "top":
        return top_area(config, folder, manifest)
    if wanted_op not in (None, "shell", *(engine["op"] for engine in manifest["engines"])):
        return []
    modules, own, _ = measure(rtl.verilog(folder), manifest["top"])
    around = total_of(modules, own, manifest["top"])
    rows = []
    for op, instance, module in engine_modules(modules, manifest["top"], manifest):
        whole = total_of(modules, own, module)
        around.subtract(whole)
        if wanted_op in (None, op):
            rows += rows_of(config, op, instance, "", whole)
            table(f"{op} {instance} ({config})", module, modules, own)
            for unit, cost in families(modules, own, module)[1].items():
                rows += rows_of(config, op, instance, unit, cost)
            done = functions(modules, own, module, json.loads((folder / "origins.json").read_text()))
            print("by function: " + ", ".join(f"{name} {luts:,}" for name, luts in done.most_common()))
            rows += [one_row(config, op, instance, f"lut of {name}", "LUT", luts) for name, luts in done.items()]
    if wanted_op in (None, "shell"):
        rows += rows_of(config, "shell", config, "", around)
        print(f"\nshell ({config}): " + ", ".join(f"{around[m]:,g} {m}" for m in METRICS))
    return rows


def top_area(config, folder, manifest):
    """Returns the rows of a board's top level and its parts; none for a card without a board."""
    made_for = board(manifest)
    if made_for is None:
        return []
    modules, own, _ = measure(rtl.verilog(folder), manifest["top"], {SHELL})
    counts, parts = collections.Counter(), collections.defaultdict(collections.Counter)
    for module, count in modules.below(manifest["top"]).items():
        if module != SHELL:
            name = re.sub(r"_\d+$", "", module)
            counts[name] += count
            parts[name].update({metric: count * amount for metric, amount in own[module].items()})
    whole = total_of(modules, own, manifest["top"])
    show(f"top of {config} without its shell", [(name, counts[name], cost) for name, cost in parts.items()], whole)
    rows = list(rows_of(config, "top", made_for, "", whole))
    for name, cost in parts.items():
        rows += rows_of(config, "top", made_for, name, cost)
    return rows


def unit_area(config):
    """Returns the rows of a stand-alone unit, and its line in the table of units."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    modules, own, made = measure(rtl.verilog(folder), manifest["top"])
    whole = total_of(modules, own, manifest["top"])
    depth = timing.depth(made, manifest["top"])
    latency = manifest["latency"]
    more = [("depth", "cells", depth), *([("latency", "cycles", latency)] if latency >= 0 else [])]  # -1: no fixed one
    rows = list(rows_of(config, manifest["unit"], manifest["instance"], "", whole, more))
    published = " ".join(f"{row['published']} {row['unit']} ({row['published_by']})" for row in rows if row["published"] is not None)
    print(f"{config:36}" + "".join(f"{whole[metric]:>10,g}" for metric in METRICS) + f"{depth:>8}{latency if latency >= 0 else '':>9}  {published}", flush=True)
    return rows


def units_area(configs):
    """Prints a table of stand-alone units and returns their rows."""
    print(f"\nunits, yosys {SYNTHESIS}\n{'unit':36}" + "".join(f"{metric:>10}" for metric in METRICS) + f"{'depth':>8}{'latency':>9}  published")
    return [row for config in configs for row in unit_area(config)]


def functions(modules, own, top, origins):
    """Returns function -> LUTs of all modules under the top; a module without a function has that of the module above it."""
    total = collections.Counter()

    def visit(name, count, above):
        function = FUNCTION_OF.get(re.split(r"[.$]", origins.get(name, ""))[-1], above)
        total[function] += count * own[name]["lut"]
        for child, times in modules.children(name).items():
            visit(child, count * times, function)

    visit(top, 1, REST)
    return +total


def table(title, top, modules, own):
    """Prints every family of modules under the top: its instances, and their total without their children."""
    counts, totals = families(modules, own, top)
    show(title, [(name, counts[name], cost) for name, cost in totals.items()], total_of(modules, own, top))


def show(title, lines, whole):
    print(f"\n{title}, yosys {SYNTHESIS}")
    print(f"{'unit':36}{'count':>7}" + "".join(f"{metric:>10}" for metric in METRICS))
    for name, count, cost in sorted(lines, key=lambda line: -line[2]["lut"]):
        print(f"{name:36}{count:>7}" + "".join(f"{cost[metric]:>10,g}" for metric in METRICS))
    print(f"{'total':43}" + "".join(f"{whole[metric]:>10,g}" for metric in METRICS))


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--op", choices=OPS, help="only this operation's engines, or `shell`, or `top` for boards' top levels, or `algebra` for the stand-alone units")
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="what to measure; nothing: those of CARDS, boards' tops and all units")
    parser.add_argument("--out", type=Path, help="where the rows go; else target/bench/area.json, or area-OP.json for one operation")
    chosen = parser.parse_args()
    cards, units = rtl.synthesised(chosen.configs, timing.TOPS if chosen.op == "top" else CARDS)
    rows = [row for config in cards for row in area(config, chosen.op)] if chosen.op != "algebra" else []
    if chosen.op is None and not chosen.configs:
        rows += [row for config in timing.TOPS for row in area(config, "top")]
    if chosen.op in (None, "algebra") and units:
        rows += units_area(units)
    if not rows:
        raise Failed(f"--op {chosen.op}: no such operation in {', '.join(cards + units)}")
    out = chosen.out or TARGET / "bench" / (f"area-{chosen.op}.json" if chosen.op else "area.json")
    write_whole(out, json.dumps(rows, indent=1) + "\n")
    print(f"\n{out}: {len(rows)} rows", file=sys.stderr)


if __name__ == "__main__":
    main(cli)
