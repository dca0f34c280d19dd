"""`make sim`: a configuration of the card as a shared library that `sim:` loads, cycle for cycle the same circuit.
A stand-alone unit becomes a library too; rtl/sim/unit.py calls it.

1. The generators write Verilog and a manifest (tools/rtl.py).
2. Verilator turns the Verilog into C++.
3. The C++, Verilator's own support files and the shim of rtl/sim become one library with the functions of
   spec/wire/sim.h and nothing else outside. A card on a serial line has those of spec/wire/serial.h.

The library is stored in the user's cache folder under a digest of its inputs. Links lead to the present
one: ~/.cache/proofmill/sim/current/<config>.so and target/sim/<config>.so (of a unit, target/unit), with `-trace` behind
the configuration for a library that can write waveforms.
"""

import argparse
import json
import os
import re
import shutil
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

import rtl
from place import CACHE, ROOT, TARGET, Failed, alone, digest, link, main, made_whole, run

INTERFACES = [ROOT / "spec/wire/sim.h", ROOT / "spec/wire/serial.h"]


@dataclass(frozen=True)
class Interface:
    """The interface of a Verilated circuit: the library's file, the shim, the shim's name of the model, and the initial
    values of registers (Verilator's --x-initial; for `unique` the shim draws them at random).
    """

    library: str
    shim: Path
    prefix: str
    initial: str
    links: tuple  # folders with a link to the present library of each configuration


CARD = Interface("card.so", ROOT / "rtl/sim", "Vcard", "unique", (CACHE / "sim/current", TARGET / "sim"))
UNIT = Interface("unit.so", ROOT / "rtl/sim/unit", "Vunit", "unique", (TARGET / "unit",))
SERIAL = Interface("serial.so", ROOT / "rtl/sim/serial", "Vserial", "fast", (TARGET / "sim",))


def interface_of(manifest):
    return UNIT if "unit" in manifest else SERIAL if "serial" in manifest else CARD


#: Verilator joins the bits of expressions such as a[1] ^ b[32] ^ ~c[31] wrongly (its issues 4059, 4709, 4837, 5186; our widest
#: products met it in 5.006), so it may not.
EXACT = "-fno-const-bit-op-tree"
VERILATE = [
    "verilator", "--cc", "--no-timing", "-O3", EXACT, "--x-assign", "fast", "--noassert",
    "-Wno-fatal", "-Wno-WIDTH", "-Wno-UNOPTFLAT", "-Wno-CMPCONST", "-Wno-UNSIGNED", "-Wno-lint", "-Wno-style",
    "--output-split", "12000", "--output-split-cfuncs", "3000",
]
#: With these Verilator writes less C++, which runs slower.
SHORT = ["-fno-inline", "-fno-expand"]
COMPILE = ["g++", "-std=c++17", "-fPIC", "-fvisibility=hidden", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-faligned-new", "-w"]
FAST, SLOW = "-O3", "-O0"  # what runs every cycle, and what runs once
#: Units that run for so few cycles that they are sooner done when g++ does not optimise them.
BRIEF = ("point_add", "modmul", "modadd", "modsub", "reduce", "canonical", "pairing_structure")
BUNDLE = 500_000  # bytes of C++ that one compiler run takes
COMPILERS = threading.BoundedSemaphore(os.cpu_count())


def level_of(manifest):
    """Returns the optimisation level of code that runs every cycle."""
    return SLOW if manifest.get("unit", "").startswith(BRIEF) else FAST


def needed(interface):
    """Returns the headers and sources of a shim."""
    found = sorted([*interface.shim.glob("*.cpp"), *interface.shim.glob("*.h")])
    if not any(path.suffix == ".cpp" for path in found):
        raise Failed(f"{interface.shim.relative_to(ROOT)}: no shim (*.cpp)")
    return found


@cache
def verilator():
    if shutil.which("verilator") is None:
        raise Failed("there is no verilator: run `python3 tools/setup.py`, or `apt-get install verilator`")
    return run(["verilator", "--version"]).strip()


def name_of(folder, interface, trace):
    """Returns the digest of all inputs of a library."""
    data = [path for path in sorted(folder.iterdir()) if path.name not in ("generated-from", "origins.json")]
    here = [Path(__file__), *INTERFACES, *needed(interface)]
    return digest(verilator(), compiler(), trace, *(part for path in [*data, *here] for part in (path.name, path)))


def build(config, trace=False):
    """Returns the library's path. Builds the library if it does not exist."""
    folder = rtl.generate(config)
    manifest = rtl.manifest(folder)
    interface = interface_of(manifest)
    name = name_of(folder, interface, trace)
    final = CACHE / "sim" / name
    if not (final / interface.library).exists():
        shutil.rmtree(final, ignore_errors=True)
        with made_whole(final) as scratch:
            compile_library(folder, interface, {**manifest, "content": name, "traced": trace}, scratch)
    label = f"{config}-trace" if trace else config
    for folder in interface.links:
        link(folder / f"{label}.so", final / interface.library)
    return interface.links[-1] / f"{label}.so"


def compile_library(folder, interface, manifest, scratch):
    begin, model, level = time.monotonic(), scratch / "model", level_of(manifest)
    trace = ["--trace"] if manifest["traced"] else []
    short = SHORT if level == SLOW else []
    verilog = [path.resolve() for path in rtl.verilog(folder)]
    run([*VERILATE, *short, *trace, "--x-initial", interface.initial, "--prefix", interface.prefix, "--top-module", manifest["top"], "-Mdir", model, *verilog], cwd=folder)

    (model / "manifest.h").write_text(manifest_header(manifest))
    if interface is UNIT:
        (model / "ports.h").write_text(ports_header(manifest))
    parts = [path for path in model.glob("*.cpp") if not path.name.endswith("__ALL.cpp")]
    for part in parts:
        if is_slow(part):
            part.write_text(with_tables(part.read_text()))
    levels = {part: SLOW if is_slow(part) else level for part in parts}
    levels |= {path: FAST for path in needed(interface) if path.suffix == ".cpp"}
    levels |= {path.resolve(): FAST for path in folder.glob("*.cpp")}  # what the Verilog calls
    objects = compile_parts(bundles(model, levels), model, manifest["traced"], [f"-I{model}", f"-I{INTERFACES[0].parent}"])
    run(["g++", "-shared", "-o", scratch / interface.library, *objects, *support(manifest["traced"]), "-pthread"])
    shutil.rmtree(model)
    print(f"built {folder.name}{'-trace' if trace else ''} in {time.monotonic() - begin:.1f} s", file=sys.stderr, flush=True)


#: An element of a table of constants, as Verilator sets it.
ELEMENT = re.compile(r"^ *(vlSelf->\w+)\[(\w+?)U\] = (\w+?)U(?:LL)?;\n", re.M)


def with_tables(text):
    """C++ in which tables of constants are set by loops: g++ takes a minute for a long one that is set line by line."""
    made, rows, place = [], [], 0

    def finish():
        nonlocal rows
        if rows:
            (name, first, _), values = rows[0], ", ".join(f"{value}ULL" for _, _, value in rows)
            made.append(f"    {{ static const uint64_t table[] = {{{values}}}; for (int i = 0; i < {len(rows)}; i++) {name}[{first} + i] = table[i]; }}\n")
        rows = []

    for found in ELEMENT.finditer(text):
        name, index, value = found[1], int(found[2], 0), found[3]
        if found.start() != place or not rows or (name, index) != (rows[0][0], rows[0][1] + len(rows)):
            finish()
            made.append(text[place:found.start()])
        rows.append((name, index, value))
        place = found.end()
    finish()
    return "".join([*made, text[place:]])


@cache
def compiler():
    return run(["g++", "--version"])


@cache
def includes():
    """Verilator's own headers and sources."""
    return Path(run(["verilator", "--getenv", "VERILATOR_ROOT"]).strip()) / "include"


def is_slow(part):
    return "Slow" in part.name


def compile_parts(parts, out, trace, flags):
    """Object files in `out` of pairs of a C++ file and its level."""
    known = [f"-DVM_TRACE={int(trace)}", *flags]

    def compiled(entry):
        part, level = entry
        made = out / f"{part.stem}.o"
        header = compiled_header(level, trace)
        with COMPILERS:
            run([*COMPILE, level, f"-I{header.parent}", "-include", header.name, *known, *include_flags(), "-c", part, "-o", made])
        return made

    with ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(compiled, parts))


def include_flags():
    return [f"-I{includes()}", f"-I{includes() / 'vltstd'}"]


def compiled_header(level, trace):
    """Verilator's header, which every part begins with, as g++ keeps it when it has read it."""
    text = '#include "verilated.h"\n'
    final = CACHE / "sim" / f"header-{digest(verilator(), compiler(), trace, COMPILE, level, text)}"
    with alone("sim-header"):
        if not final.exists():
            with made_whole(final) as scratch:
                (scratch / "model.h").write_text(text)
                run([*COMPILE, level, f"-DVM_TRACE={int(trace)}", *include_flags(), "-x", "c++-header", scratch / "model.h", "-o", scratch / "model.h.gch"])
    return final / "model.h"


def bundles(folder, levels):
    """Pairs of a file that includes parts and their level, the long ones first so that no core waits at the end.

    Many short parts go into one: the headers in front of a short part take longer than the part.
    """
    made = []
    for level in sorted(set(levels.values()), reverse=True):
        chosen, size = [], 0
        alike = [part for part in levels if levels[part] == level]
        for part in sorted(alike, key=lambda part: (-part.stat().st_size, part)):
            if not chosen or size + part.stat().st_size > BUNDLE:
                chosen, size = [], 0
                made.append((folder / f"bundle{len(made)}.cc", level, chosen))
            chosen.append(part)
            size += part.stat().st_size
    for path, _, chosen in made:
        path.write_text("".join(f'#include "{part}"\n' for part in chosen))
    return [(path, level) for path, level, _ in made]


def support(trace):
    """Objects of Verilator's own files, which are the same in every library."""
    names = ["verilated.cpp", "verilated_threads.cpp", *(["verilated_vcd_c.cpp"] if trace else [])]
    final = CACHE / "sim" / f"support-{digest(verilator(), compiler(), trace, COMPILE, FAST)}"
    with alone("sim-support"):
        if not final.exists():
            with made_whole(final) as scratch:
                compile_parts([(includes() / name, FAST) for name in names], scratch, trace, [])
    return sorted(final.glob("*.o"))


def manifest_header(manifest):
    """The manifest as a C string literal, for pm_sim_manifest, and its memory channels as a macro."""
    text = json.dumps(manifest)
    memories = " ".join(f"X({j})" for j, _ in enumerate(manifest.get("memories", [])))
    rates = "".join(f"#define PM_SERIAL_{rate.upper()} {value}\n" for rate, value in manifest.get("serial", {}).items())
    pcie = manifest.get("pcie", {})
    rates += f"#define PM_SIM_PCIE {int('pcie' in manifest)}\n#define PM_SIM_DOOR {int(pcie.get('door', False))}\n#define PM_SIM_F2 {int('slots' in manifest)}\n"
    return f"#define PM_SIM_MANIFEST {json.dumps(text)}\n#define PM_SIM_MEMORIES(X) {memories}\n{rates}"


def port_words(port):
    """Returns the 32-bit values of a unit's port; Verilator's 64-bit ports are two, and so are narrower ports in our arrays."""
    return max(2, -(-port["width"] * port["digits"] // 32))


def ports_header(manifest):
    """Returns C++ that accesses a unit's ports by name, for its shim."""
    def accesses(ports, access):
        starts = accumulate((port_words(port) for port in ports), initial=0)
        return " ".join(f"{access}(unit.{port['name']}, words + {start});" for port, start in zip(ports, starts))

    waits = manifest["latency"] < 0
    return f"""namespace ports {{
void put_operands(Vunit& unit, const uint32_t* words) {{ {accesses(manifest["operands"], "put")} }}
void get_results(const Vunit& unit, uint32_t* words) {{ {accesses(manifest["results"], "get")} }}
bool in_ready(const Vunit& unit) {{ return {"unit.in_ready" if waits else "true"}; }}
// Returns whether a valid result is accepted: always where the unit has no ready.
bool set_out_ready(Vunit& unit, bool ready) {{ {"return unit.out_ready = ready;" if waits else "(void)unit; (void)ready; return true;"} }}
}}  // namespace ports
"""


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="what to build; nothing: card")
    parser.add_argument("--trace", action="store_true", help="a library that can write waveforms (slower)")
    chosen = parser.parse_args()
    configs = chosen.configs or ["card"]
    rtl.generate_all(configs)
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        for path in workers.map(lambda config: build(config, chosen.trace), configs):
            print(f"{path.relative_to(ROOT)} -> {path.resolve()}", flush=True)


if __name__ == "__main__":
    main(cli)
