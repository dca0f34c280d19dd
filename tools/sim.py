"""`make sim`: a configuration of the card as a shared library that `sim:` loads, cycle for cycle the same circuit.
A unit that stands alone becomes a library too; rtl/sim/unit.py calls it.

1. The generators write Verilog and a manifest (tools/rtl.py).
2. Verilator turns the Verilog into C++.
3. The C++, Verilator's own support files and the shim of rtl/sim become one library with the functions of
   spec/wire/sim.h and nothing else outside.

The library is kept in the user's cache folder under a name made of everything it was made from; links say which
is the present one: ~/.cache/proofmill/sim/current/<config>.so and target/sim/<config>.so (of a unit, target/unit), with `-trace` behind
the configuration for a library that can write waveforms.
"""

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import rtl
from place import CACHE, ROOT, TARGET, Failed, alone, digest, link, main, made_whole, run

INTERFACE = ROOT / "spec/wire/sim.h"


@dataclass(frozen=True)
class Door:
    """What a Verilated circuit is called by: the library's file, the shim, the name that the shim has for the model,
    and what registers hold at first (Verilator's --x-initial; the shim of units draws it at random).
    """

    library: str
    shim: Path
    prefix: str
    initial: str
    links: tuple  # folders with a link to the present library of each configuration


CARD = Door("card.so", ROOT / "rtl/sim", "Vcard", "fast", (CACHE / "sim/current", TARGET / "sim"))
UNIT = Door("unit.so", ROOT / "rtl/sim/unit", "Vunit", "unique", (TARGET / "unit",))


def door_of(manifest):
    return UNIT if "unit" in manifest else CARD


VERILATE = [
    "verilator", "--cc", "--no-timing", "-O3", "--x-assign", "fast", "--noassert",
    "-Wno-fatal", "-Wno-WIDTH", "-Wno-UNOPTFLAT", "-Wno-CMPCONST", "-Wno-UNSIGNED", "-Wno-lint", "-Wno-style",
    "--output-split", "12000", "--output-split-cfuncs", "3000",
]
COMPILE = ["g++", "-std=c++17", "-fPIC", "-fvisibility=hidden", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-faligned-new", "-w"]
FAST, SLOW = "-O3", "-O1"  # what runs every cycle, and what runs once
BUNDLE = 500_000  # bytes of C++ that one compiler run takes


def needed(door):
    """Headers and sources of a shim."""
    found = sorted([*door.shim.glob("*.cpp"), *door.shim.glob("*.h")])
    if not any(path.suffix == ".cpp" for path in found):
        raise Failed(f"{door.shim.relative_to(ROOT)}: no shim (*.cpp)")
    return found


def verilator():
    if shutil.which("verilator") is None:
        raise Failed("there is no verilator: run `python3 tools/setup.py`, or `apt-get install verilator`")
    return run(["verilator", "--version"]).strip()


def name_of(folder, door, trace):
    """Everything that a library is made from, as a name."""
    data = [path for path in sorted(folder.iterdir()) if path.name != "generated-from"]
    here = [Path(__file__), INTERFACE, *needed(door)]
    return digest(verilator(), run(["g++", "--version"]), trace, *(part for path in [*data, *here] for part in (path.name, path)))


def build(config, trace=False):
    """The library's path; made when it is not there yet."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    door = door_of(manifest)
    name = name_of(folder, door, trace)
    final = CACHE / "sim" / name
    if not (final / door.library).exists():
        shutil.rmtree(final, ignore_errors=True)
        with made_whole(final) as scratch:
            compile_library(folder, door, {**manifest, "content": name, "traced": trace}, scratch)
    label = f"{config}-trace" if trace else config
    for folder in door.links:
        link(folder / f"{label}.so", final / door.library)
    return door.links[-1] / f"{label}.so"


def compile_library(folder, door, manifest, scratch):
    model = scratch / "model"
    trace = ["--trace"] if manifest["traced"] else []
    verilog = [path.resolve() for path in rtl.verilog(folder)]
    run([*VERILATE, *trace, "--x-initial", door.initial, "--prefix", door.prefix, "--top-module", manifest["top"], "-Mdir", model, *verilog], cwd=folder)

    (model / "manifest.h").write_text(manifest_header(manifest))
    parts = [path for path in model.glob("*.cpp") if not path.name.endswith("__ALL.cpp")]
    parts += [path for path in needed(door) if path.suffix == ".cpp"]
    parts += [path.resolve() for path in folder.glob("*.cpp")]  # what the Verilog calls
    objects = compile_parts(bundles(model, parts), model, manifest["traced"], [f"-I{model}", f"-I{INTERFACE.parent}"])
    run(["g++", "-shared", "-o", scratch / door.library, *objects, *support(manifest["traced"]), "-pthread"])
    shutil.rmtree(model)


def includes():
    """Verilator's own headers and sources."""
    return Path(run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()) / "include"


def compile_parts(parts, out, trace, flags):
    """Object files in `out` of C++ files."""
    known = [f"-DVM_TRACE={int(trace)}", *flags, f"-I{includes()}", f"-I{includes() / 'vltstd'}"]

    def compiled(part):
        made = out / f"{part.stem}.o"
        run([*COMPILE, SLOW if "Slow" in part.name else FAST, *known, "-c", part, "-o", made])
        return made

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(compiled, parts))


def bundles(folder, parts):
    """Files that include the parts, the long ones first so that no core waits at the end.

    Many short parts go into one: the headers in front of a short part take longer than the part.
    """
    made = []
    for slow in (False, True):
        chosen, size = [], 0
        alike = [part for part in parts if ("Slow" in part.name) == slow]
        for part in sorted(alike, key=lambda part: (-part.stat().st_size, part)):
            if not chosen or size + part.stat().st_size > BUNDLE:
                chosen, size = [], 0
                made.append((folder / f"bundle{len(made)}{'Slow' if slow else ''}.cc", chosen))
            chosen.append(part)
            size += part.stat().st_size
    for path, chosen in made:
        path.write_text("".join(f'#include "{part}"\n' for part in chosen))
    return [path for path, _ in made]


def support(trace):
    """Objects of Verilator's own files, which are the same in every library."""
    names = ["verilated.cpp", "verilated_threads.cpp", *(["verilated_vcd_c.cpp"] if trace else [])]
    final = CACHE / "sim" / f"support-{digest(verilator(), run(['g++', '--version']), trace, COMPILE, FAST)}"
    with alone("sim-support"):
        if not final.exists():
            with made_whole(final) as scratch:
                compile_parts([includes() / name for name in names], scratch, trace, [])
    return sorted(final.glob("*.o"))


def manifest_header(manifest):
    """The manifest as a C string literal, for pm_sim_manifest, and its memory channels as a macro."""
    text = json.dumps(manifest)
    memories = " ".join(f"X({j})" for j, _ in enumerate(manifest.get("memories", [])))
    return f"#define PM_SIM_MANIFEST {json.dumps(text)}\n#define PM_SIM_MEMORIES(X) {memories}\n"


def door():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="what to build; nothing: card")
    parser.add_argument("--trace", action="store_true", help="a library that can write waveforms (slower)")
    chosen = parser.parse_args()
    for config in chosen.configs or ["card"]:
        begin = time.monotonic()
        path = build(config, chosen.trace)
        print(f"{path.relative_to(ROOT)} -> {path.resolve()} ({time.monotonic() - begin:.1f} s)")
        sys.stdout.flush()


if __name__ == "__main__":
    main(door)
