"""The engines' cost and the capacity of devices, from the kept figures of `make area`, `make timing` and `make cycles`:

    python3 tools/capacity.py            # prints the tables
    python3 tools/capacity.py --fill     # writes them into docs/rtl/README.md
    python3 tools/capacity.py --check    # fails when the page is not what this program makes

An engine fits as often as its LUTs fill 70 % and its DSPs 80 % of a device, and its block memories all of them. Rates are those of the engine's
estimated clock, without memory: the shell, bridges and memory controllers are not counted.
"""

import argparse
import re
from dataclasses import dataclass

import report
from place import ROOT, Failed, main, write_whole

PAGE = ROOT / "docs/rtl/README.md"
#: Shares of a device that engines may fill.
SHARES = {"lut": 0.7, "dsp": 0.8, "bram": 1, "uram": 1}
#: What a device has; from AMD's product tables DS962 (U55C) and DS890 (VU9P).
DEVICES = {
    "U55C": {"lut": 1_303_680, "dsp": 9_024, "bram": 2_016, "uram": 960},
    "VU9P": {"lut": 1_182_240, "dsp": 6_840, "bram": 2_160, "uram": 960},
}


@dataclass(frozen=True)
class Engine:
    """A row of the tables: the card whose area and clock are kept, and the row of cycles with the card that it was counted on."""

    title: str
    config: str
    op: str
    instance: str
    counted_on: str
    metric: str
    unit: str
    counted_as: str = ""  # the instance in the row of cycles, if it has another name there


#: An MSM's cycles for each point.
POINT = "a point of 2^22, windows of 16 bits (computed), 1 adder"
ENGINES = [
    Engine("MSM, BN254 G1", "msm_bn254", "msm", "bn254", "msm_bn254_twin", POINT, "points", "bn254_g1"),
    Engine("MSM, BLS12-381 G1", "msm_bls12_381", "msm", "bls12_381", "msm_bls12_381_twin", POINT, "points", "bls12_381_g1"),
    Engine("MSM, BLS12-377 G1", "msm_bls12_377", "msm", "bls12_377", "msm_bls12_377_twin", POINT, "points", "bls12_377_g1"),
    Engine("NTT, Goldilocks, 8 lanes", "ntt_small", "ntt", "goldilocks", "ntt_small_twin", "transform of 2^20, 8 lanes, ideal memory", "transforms of 2^20"),
    Engine("Poseidon, arity 2", "poseidon_2", "poseidon", "poseidon_bls12_381", "poseidon_twin", "per hash of arity 2 in a stream, steady", "hashes"),
    Engine("Poseidon, arity 4", "poseidon_4", "poseidon", "poseidon_bls12_381", "poseidon_twin", "per hash of arity 4 in a stream, steady", "hashes"),
    Engine("Poseidon, arity 8", "poseidon_8", "poseidon", "poseidon_bls12_381", "poseidon_twin", "per hash of arity 8 in a stream, steady", "hashes"),
    Engine("ECDSA, secp256k1", "ecdsa", "ecdsa_verify", "secp256k1", "ecdsa", "per signature in a stream, steady, 1 core", "signatures"),
    Engine("Equihash (200,9)", "card", "equihash_verify", "equihash_200_9", "card", "per header in a stream, steady", "headers"),
    Engine("Equihash solving, (200,9)", "equihash_solve_200_9", "equihash_solve", "equihash_200_9", "equihash_solve_200_9", "per header, hbm memory (computed)", "headers"),
    Engine("VDF, 1,024 bits", "vdf_1024", "vdf", "vdf_1024", "vdf_1024_twin", "squaring modulo 1024 bits, in a long request", "squarings"),
]


def figures():
    """Returns (op, instance, card, metric) -> value of the newest kept rows of circuits."""
    circuits = [content for name, contents in report.newest().items() if name.partition("-")[0] in ("area", "timing", "cycles") for content in contents]
    rows = [row for content in sorted(circuits, key=lambda content: content["date"]) for row in content["rows"]]
    return {(row["op"], row["instance"], row.get("config"), row["metric"]): row["value"] for row in rows}


def value(found, engine, *key):
    if key not in found:
        raise Failed(f"{engine.title}: no kept figure has {', '.join(map(str, key))}")
    return found[key]


def of(found, engine, metric):
    return value(found, engine, engine.op, engine.instance, engine.config, metric)


def cycles_of(found, engine):
    return value(found, engine, engine.op, engine.counted_as or engine.instance, engine.counted_on, engine.metric)


def cost(found):
    """Returns the table of engines."""
    lines = ["| engine | card | LUT | DSP | BRAM36 | URAM | clock, estimated | cycles | M LUT·cycles |", "|---|---|---|---|---|---|---|---|---|"]
    for engine in ENGINES:
        lut, dsp, bram = (of(found, engine, metric) for metric in ("lut", "dsp", "bram"))
        uram = found.get((engine.op, engine.instance, engine.config, "uram"), 0)
        cycles = cycles_of(found, engine)
        both = f"{cycles:,.0f} | {lut * cycles / 1e6:,.0f}" if cycles >= 1000 else f"{cycles:.4g} | {lut * cycles / 1e6:.3g}"
        lines.append(f"| {engine.title} | `{engine.config}` | {lut:,} | {dsp:,} | {bram:g} | {uram} | {of(found, engine, 'clock')} MHz | {both} |")
    return lines


def fits(found, engine, device):
    """Returns how often an engine fits, and the resource that limits it."""
    uses = {metric: found.get((engine.op, engine.instance, engine.config, metric), 0) for metric in SHARES}
    counts = {metric: int(SHARES[metric] * device[metric] / used) for metric, used in uses.items() if used}
    limit = min(counts, key=counts.get)
    return counts[limit], limit


def rate(per_second):
    """Returns a number per second with a prefix of its unit."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "K")):
        if per_second >= size:
            return f"{per_second / size:.3g} {unit}"
    return f"{per_second:.3g}"


def capacity(found):
    """Returns the table of devices."""
    names = {"lut": "LUT", "dsp": "DSP", "bram": "BRAM36", "uram": "URAM"}
    lines = ["| engine | " + " | ".join(DEVICES) + " | a second |", "|---" * (len(DEVICES) + 2) + "|"]
    for engine in ENGINES:
        each = 1e6 * of(found, engine, "clock") / cycles_of(found, engine)
        cells = []
        for device in DEVICES.values():
            count, limit = fits(found, engine, device)
            cells.append(f"{count} ({names[limit]}): {rate(count * each)}" if count else f"none ({names[limit]})")
        lines.append(f"| {engine.title} | {' | '.join(cells)} | {engine.unit} |")
    return lines


def by_function(found):
    """Returns the table of what the LUTs of each engine do, in percent; of engines that were counted so."""
    prefix, lines = "lut of ", ["| engine | LUT | percent of them by function |", "|---|---|---|"]
    for engine in ENGINES:
        own = {key[3].removeprefix(prefix): value for key, value in found.items()
               if key[:3] == (engine.op, engine.instance, engine.config) and key[3].startswith(prefix)}
        if own:
            whole = sum(own.values())
            shares = sorted(((round(100 * luts / whole), name) for name, luts in own.items()), key=lambda share: (-share[0], share[1]))
            lines.append(f"| {engine.title} | {whole:,} | {', '.join(f'{name} {share}' for share, name in shares if share)} |")
    return lines


def filled(page, found):
    tables = {"cost": cost(found), "functions": by_function(found), "devices": capacity(found)}

    def fill(match):
        return f"<!-- capacity {match[1]} -->\n" + "\n".join(tables[match[1]]) + "\n<!-- end -->"
    return re.sub(r"<!-- capacity (\w+) -->\n.*?<!-- end -->", fill, page, flags=re.S)


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fill", action="store_true", help="the page")
    parser.add_argument("--check", action="store_true", help="fails when the page differs from what this program makes")
    chosen = parser.parse_args()
    found = figures()
    if not (chosen.fill or chosen.check):
        print("\n".join([*cost(found), "", *by_function(found), "", *capacity(found)]))
        return 0
    before = PAGE.read_text()
    after = filled(before, found)
    if chosen.fill:
        write_whole(PAGE, after)
    elif before != after:
        raise Failed(f"{PAGE.relative_to(ROOT)} is not what tools/capacity.py makes: run it with --fill")
    return 0


if __name__ == "__main__":
    main(cli)
