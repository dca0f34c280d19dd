"""Post-route clocks of control-heavy parts: real place and route, on Lattice ECP5 with yosys and nextpnr.

The engines target other devices: these have slower LUTs of four inputs, another carry chain, no UltraRAM. In contrast to `make timing`, wires
are routed, with the effects of congestion and fan-out. Parts are taken out of their card with the registers in them. Ports are unconnected
(nextpnr's out-of-context mode), so paths between a port and a register do not count.

| part | content |
|---|---|
| decision | the MSM core of the toy curve with 2^9 buckets: flags, table, delay lines, a narrow adder |
| flags | its flags alone |
| shell | packets, registers and routing around no engine |
| leaf | of the Equihash leaf pipe, which does not fit, one of its 94 equal parts: a G of BLAKE2b in two cycles |
| lane | the toy field processor: issue, registers, terms, a narrow multiplier |
| issue | its contexts and the choice among them, alone |
| goldilocks | eight lanes of the NTT over Goldilocks: its core of 64 points, which has shifts and no product |
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

import rtl
import setup
import synthesis
from place import TARGET, Failed, main, run, write_whole

DEVICE = ["--85k", "--package", "CABGA756", "--speed", "8"]
#: Part -> (operation, configuration, module by the beginning of its name or nothing for the whole).
PARTS = {
    "decision": ("msm", "msm_core_toy_wide", None),
    "flags": ("msm", "msm_core_toy_wide", "CandidateFlags"),
    "shell": ("shell", "shell", None),
    "leaf": ("equihash_verify", "toy", "Blake2bG"),
    "lane": ("micro", "micro_toy", None),
    "issue": ("micro", "micro_toy", "Contexts"),
    "goldilocks": ("ntt", "ntt_small", "ShiftTransform"),
}


def module_of(modules, top, name):
    found = [module for module in modules.below(top) if name is None and module == top or name and re.fullmatch(rf"{name}(_\d+)?", module)]
    if not found:
        raise Failed(f"{top} has no module {name}")
    return found[0]


def clock(config, name, seed=1):
    """Returns (MHz, cells of slices) of a module of a configuration after place and route."""
    folder = rtl.generate(config)
    modules = synthesis.Modules(rtl.verilog(folder))
    module = module_of(modules, rtl.manifest(folder)["top"], name)
    below = sorted(modules.below(module))
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "part.v").write_text("".join(modules.text[one] for one in below))
        for file in {file for one in below for file in modules.data[one]}:
            Path(scratch, file.name).write_bytes(file.read_bytes())
        run([setup.yosys(), "-q", "-p", f"read_verilog part.v; synth_ecp5 -top {module} -json part.json"], cwd=scratch)
        run([setup.router(), *DEVICE, "--out-of-context", "--freq", "200", "--timing-allow-fail", "--seed", seed, "--quiet",
             "--json", "part.json", "--report", "report.json"], cwd=scratch)
        report = json.loads(Path(scratch, "report.json").read_text())
    clocks = [one["achieved"] for one in report["fmax"].values()]
    if len(clocks) != 1:
        raise Failed(f"{module} has {len(clocks)} clocks")
    return clocks[0], {cell: use["used"] for cell, use in report["utilization"].items() if use["used"]}


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; nothing: all")
    parser.add_argument("--out", type=Path, default=TARGET / "bench/ecp5.json", help="where the rows go")
    chosen = parser.parse_args()
    if unknown := set(chosen.parts) - set(PARTS):
        raise Failed(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    rows = []
    for part in chosen.parts or PARTS:
        op, config, module = PARTS[part]
        mhz, used = clock(config, module)
        print(f"{part:10}{mhz:8.1f} MHz  {', '.join(f'{count:,} {cell}' for cell, count in sorted(used.items()))}", flush=True)
        rows.append({"op": op, "instance": part, "config": config, "metric": "clock after place and route, ECP5-85F speed 8", "unit": "MHz",
                     "value": round(mhz, 1), "published": None, "published_by": None, "kind": "measured"})
    write_whole(chosen.out, json.dumps(rows, indent=1) + "\n")
    print(f"{chosen.out}: {len(rows)} rows", file=sys.stderr)


if __name__ == "__main__":
    main(cli)
