"""Draws plots of stored figures, one file per operation in `DRAWINGS`.

A plot has a column for a machine with AVX-512 IFMA and one for a machine without, as far as figures of them exist. The SVG contains the
colours for light and dark pages.
"""

import math
import re
from dataclasses import dataclass
from html import escape

#: Colours of lines, on light and on dark pages.
COLOURS = {
    "proofmill": ("#c2255c", "#ff6b9d"),
    "gnark-crypto": ("#1971c2", "#74b8f0"),
    "gnark": ("#1971c2", "#74b8f0"),
    "blst": ("#2b8a3e", "#69d08a"),
    "arkworks": ("#b35c00", "#f0a04b"),
    "halo2curves": ("#6741d9", "#b197fc"),
    "mcl": ("#087f8c", "#5cd0dc"),
    "rapidsnark": ("#2b8a3e", "#69d08a"),
    "snarkjs": ("#6741d9", "#b197fc"),
    "avx512ifma": ("#c2255c", "#ff6b9d"),
    "avx512": ("#1971c2", "#74b8f0"),
    "avx2": ("#2b8a3e", "#69d08a"),
    "bmi2": ("#b35c00", "#f0a04b"),
    "portable": ("#6741d9", "#b197fc"),
}
#: Names of curves in titles.
CURVES = {"bn254": "BN254", "bls12_381": "BLS12-381", "bls12_377": "BLS12-377"}
#: The paths of our code, slowest first.
PATHS = ("portable", "bmi2", "avx2", "avx512", "avx512ifma")
LEFT, TOP, WIDTH, HEIGHT, GAP = 56, 84, 300, 190, 30
#: Bars: widths for names and for figures, height, and distance between groups.
NAMES, FIGURES, BAR, BETWEEN = 190, 92, 18, 34
STYLE = """text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold } .grid { stroke: #ccc } .end { text-anchor: end } .middle { text-anchor: middle }
path { fill: none; stroke-width: 2 } .ours { fill: #c2255c } .peer { fill: #8a94a6 }"""
DARK = "text { fill: #ddd } .grid { stroke: #555 } .ours { fill: #ff6b9d } .peer { fill: #7d879a }"


@dataclass(frozen=True)
class Lines:
    """Lines over the size: one row per instance, both axes logarithmic, with the largest measured number of threads."""
    what: str
    axes: str
    metric: str  # a pattern of the rows that take part; its group is the logarithm of the size
    instances: str  # a pattern of theirs
    title: str  # of a panel, from its instance
    rate: bool  # millions a second, else seconds
    own: str = "proofmill"  # our line's name; nothing: the code path's

    def value(self, size, milliseconds):
        return 2**size / milliseconds / 1e3 if self.rate else milliseconds / 1e3


@dataclass(frozen=True)
class Bars:
    """Bars for some metrics: (instance, metric, threads, heading)."""
    what: str
    axes: str
    groups: tuple


DRAWINGS = {
    "prove": Lines("Groth16 proofs", "seconds for a proof over the number of constraints",
                   r"2\^(\d+) constraints, .*(?:fastest peer|slower peer)", r"(\w+)$", "{}", False),
    "msm": Lines("Multi-scalar multiplication", "millions of points a second over the number of points",
                 r"2\^(\d+) points, (?:fastest peer|slower peer|mcl)", r"(bn254|bls12_381)_g1$", "{} G1", True),
    "paths": Lines("MSM on each code path of a processor", "millions of points a second over the number of points",
                   r"2\^(\d+) points \(plot\)", r"(bn254|bls12_381)_g1$", "{} G1", True, own=""),
    "ntt": Bars("Number-theoretic transforms", "milliseconds for a transform from bytes to bytes on one thread; less is better", (
        ("bn254_fr", r"2\^20, bytes to bytes", 1, "BN254 scalar field, 2²⁰"),
        ("bls12_381_fr", r"2\^20, bytes to bytes", 1, "BLS12-381 scalar field, 2²⁰"),
        ("goldilocks", r"2\^22, bytes to bytes", 1, "Goldilocks, 2²²"))),
    "pairing": Bars("Pairings", "microseconds for a pairing on one thread; less is better", (
        ("bn254", "pairing", 1, "BN254"), ("bls12_381", "pairing", 1, "BLS12-381"), ("bls12_377", "pairing", 1, "BLS12-377"))),
    "ecdsa_verify": Bars("ECDSA verification on secp256k1", "thousands of signatures a second; more is better", (
        ("secp256k1", "batch", 1, "one thread"), ("secp256k1", "batch", 2, "two threads"),
        ("secp256k1", "batch with parsing", 2, "two threads, parsing keys and signatures too"))),
    "equihash_verify": Bars("Equihash verification", "thousands of headers a second, difficulty included; more is better", (
        ("equihash_200_9", r"headers, .*", 1, "(200,9), one thread"), ("equihash_200_9", r"headers, .*", 2, "(200,9), two threads"),
        ("equihash_144_5", r"headers, .*", 2, "(144,5), two threads"))),
}


def speed(content):
    """Returns the sort key of stored figures: our path, then the date."""
    isa = content["rows"][0].get("isa")
    return PATHS.index(isa) if isa in PATHS else -1, content["date"]


def two(contents):
    """Returns the fastest path with AVX-512 IFMA and the fastest one without, as far as they exist."""
    with_it = [content for content in contents if content["rows"][0]["isa"] == PATHS[-1]]
    without = [content for content in contents if content["rows"][0]["isa"] != PATHS[-1]]
    return [max(some, key=speed) for some in (with_it, without) if some]


def machine(content):
    """Returns a column's heading."""
    row = content["rows"][0]
    name = re.sub(r" \(.*?\)", "", row["processor"].split(",")[0])
    return name if "AVX" in name else f"{name}, {row['isa'].upper()}"


def max_threads(rows):
    return max(row["threads"] for row in rows)


def curves(drawing, rows):
    """Returns instance -> library -> [(log2 of the size, value)]. Ours is the one with a resident key, if there are two."""
    panels, most = {}, max_threads(rows)
    for row in rows:
        found, instance = re.match(drawing.metric, row["metric"]), re.match(drawing.instances, row["instance"])
        if not found or not instance or row["threads"] != most:
            continue
        size = int(found[1])
        panel = panels.setdefault(instance[1], {})
        ours = panel.setdefault(drawing.own or row["isa"], {})
        if "from files" not in row["metric"]:
            ours[size] = drawing.value(size, row["ours"])
        if row["peer"] is not None:
            panel.setdefault(row["peer_name"].split()[0], {})[size] = drawing.value(size, row["peer"])
    return {key: {who: sorted(line.items()) for who, line in panel.items()} for key, panel in panels.items()}


def style(names):
    """Returns the style sheet, with each line's colour for light and dark pages."""
    def rules(which):
        return "".join(f" path.{name} {{ stroke: {COLOURS[name][which]} }} text.{name} {{ fill: {COLOURS[name][which]} }}" for name in names)
    return f"<style>{STYLE}{rules(0)}\n@media (prefers-color-scheme: dark) {{ {DARK}{rules(1)} }}</style>"


def panel(title, lines, sizes, values, first):
    """Draws one pair of axes with its lines; only the first of a row has numbers on the left."""
    def x(size):
        return WIDTH * (size - sizes[0]) / max(1, sizes[-1] - sizes[0])

    def y(value):
        return HEIGHT * (1 - math.log(value / values[0]) / math.log(values[-1] / values[0]))
    parts = [f'<text class="title" y="-8">{title}</text>']
    for size in sizes:
        parts.append(f'<line class="grid" x1="{x(size):.1f}" x2="{x(size):.1f}" y1="0" y2="{HEIGHT}"/>')
        parts.append(f'<text class="middle" x="{x(size):.1f}" y="{HEIGHT + 16}">2<tspan dy="-4" font-size="9">{size}</tspan></text>')
    for value in values:
        parts.append(f'<line class="grid" x1="0" x2="{WIDTH}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>')
        if first:
            parts.append(f'<text class="end" x="-6" y="{y(value) + 4:.1f}">{value:g}</text>')
    for who, line in lines.items():
        points = " L".join(f"{x(size):.1f} {y(value):.1f}" for size, value in line)
        parts.append(f'<path class="{who}" d="M{points}"/>')
    return "\n".join(parts)


def ticks(least, most):
    """Returns 1, 2, 5, 10, ... around two values."""
    steps = [digit * 10.0**power for power in range(-4, 5) for digit in (1, 2, 5)]
    low = max(step for step in steps if step <= least)
    high = min(step for step in steps if step >= most and step > low)
    return [step for step in steps if low <= step <= high]


def document(what, axes, width, height, names, parts):
    """Returns the whole SVG, with the labels of the axes as its title."""
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">', f"<title>{what}: {axes}</title>",
                      style(names), f'<text x="0" y="16">{axes[0].upper() + axes[1:]}</text>', *parts, "</svg>"]) + "\n"


def lines(drawing, contents):
    """Draws one column per machine and one row per instance; for a single machine, one column per instance."""
    machines = {machine(content): curves(drawing, content["rows"]) for content in contents}
    instances = list(dict.fromkeys(instance for panels in machines.values() for instance in panels))
    names = [who for who in COLOURS if any(who in panel for panels in machines.values() for panel in panels.values())]
    grid = [[(name, instance) for name in machines] for instance in instances]
    grid = [[row[0] for row in grid]] if len(machines) == 1 else grid
    parts, right = [], LEFT
    for who in names:
        parts.append(f'<text class="{who} title" x="{right}" y="38">{who}</text>')
        right += 8 * len(who) + 20
    for down, row in enumerate(grid):
        shown = [value for name, instance in row for line in machines[name].get(instance, {}).values() for _, value in line]
        values = ticks(min(shown), max(shown))
        for across, (name, instance) in enumerate(row):
            drawn = machines[name].get(instance, {})
            sizes = sorted({size for line in drawn.values() for size, _ in line})
            if not sizes:
                continue
            title = f"{drawing.title.format(CURVES[instance])}: {name if drawing.own else name.rpartition(', ')[0]}"
            place = f"translate({LEFT + across * (WIDTH + GAP)} {TOP + down * (HEIGHT + 60)})"
            parts.append(f'<g transform="{place}">\n{panel(title, drawn, sizes, values, across == 0)}\n</g>')
    threads = " and ".join(sorted({str(max_threads(content["rows"])) for content in contents}))
    axes = f"{drawing.axes}, on {threads} thread{'s' * (threads != '1')}"
    width = max(LEFT + len(grid[0]) * (WIDTH + GAP), right - 20, 6.6 * len(axes))  # of the panels, the names, the first line
    return document(drawing.what, axes, round(width), TOP + len(grid) * (HEIGHT + 60) - 30, names, parts)


def who(peer_name):
    """Returns a peer's name without version and build."""
    return re.sub(r"\s\((?!default|unsafe)[^)]*\)|\s\d\S*|\s\+ \S+", "", peer_name)


def measured(group, rows, scale):
    """Returns library -> figure of a group; ours first."""
    instance, metric, threads, _ = group
    found = [row for row in rows if row["instance"] == instance and re.fullmatch(metric, row["metric"]) and row["threads"] == threads]
    return {"proofmill": found[0]["ours"] / scale, **{who(row["peer_name"]): row["peer"] and row["peer"] / scale for row in found}} if found else {}


def bars(drawing, contents):
    """Draws one column per machine and one group of bars per metric, all to one scale."""
    scale = 1000 if drawing.axes.startswith("thousands") else 1
    machines = {machine(content): [measured(group, content["rows"], scale) for group in drawing.groups] for content in contents}
    parts, down = [], 66
    for across, name in enumerate(machines):
        parts.append(f'<text class="title" x="{NAMES + across * (WIDTH + GAP)}" y="44">{name}</text>')
    for index, group in enumerate(drawing.groups):
        figures = {name: groups[index] for name, groups in machines.items()}
        everybody = list(dict.fromkeys(name for one in figures.values() for name in one))
        most = max((value for one in figures.values() for value in one.values() if value), default=None)
        if most is None:
            continue
        parts.append(f'<text class="title" x="0" y="{down}">{group[3]}</text>')
        for position, name in enumerate(everybody):
            y = down + 8 + position * BAR
            parts.append(f'<text class="end" x="{NAMES - 8}" y="{y + 13}">{name}</text>')
            for across, one in enumerate(figures.values()):
                left, value = NAMES + across * (WIDTH + GAP), one.get(name)
                width = (WIDTH - FIGURES) * (value or 0) / most
                label = "absent" if value is None else figure(value)
                parts.append(f'<rect class="{"ours" if name == "proofmill" else "peer"}" x="{left}" y="{y + 2}" width="{width:.1f}" height="{BAR - 4}"/>')
                parts.append(f'<text x="{left + width + 6:.1f}" y="{y + 13}">{label}</text>')
        down += len(everybody) * BAR + BETWEEN
    return document(drawing.what, drawing.axes, NAMES + len(machines) * (WIDTH + GAP), down - 12, [], parts)


def pairs(what, axes, entries):
    """Draws bars of (name, ours, published or None, publisher), each pair with its own scale."""
    parts, down = [], 44
    for name, ours, published, by in entries:
        parts.append(f'<text class="title" x="0" y="{down}">{escape(name)}</text>')
        shown = [("proofmill", ours)] + ([(escape(by), published)] if published else [])
        most = max(value for _, value in shown)
        for position, (one, value) in enumerate(shown):
            y, width = down + 6 + position * BAR, (WIDTH - FIGURES) * value / most
            parts.append(f'<text class="end" x="{NAMES - 8}" y="{y + 13}">{one}</text>')
            parts.append(f'<rect class="{"ours" if position == 0 else "peer"}" x="{NAMES}" y="{y + 2}" width="{width:.1f}" height="{BAR - 4}"/>')
            parts.append(f'<text x="{NAMES + width + 6:.1f}" y="{y + 13}">{figure(value)}</text>')
        down += len(shown) * BAR + BETWEEN
    return document(what, axes, round(max(NAMES + WIDTH + GAP, 6.6 * len(axes))), down - 12, [], parts)


def figure(value):
    """Formats a bar's length."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def svg(name, contents):
    """Returns the whole drawing of an operation."""
    drawing = DRAWINGS[name]
    return (lines if isinstance(drawing, Lines) else bars)(drawing, two(contents))
