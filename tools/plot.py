"""Plots of kept figures: what `DRAWINGS` names.

A column an instance, a row a number of threads (side by side for a single instance), both axes logarithmic. The SVG says
its colours for light and dark pages itself.
"""

import math
import re
from dataclasses import dataclass

#: Whose line has which colour, on light and on dark.
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
}
LEFT, TOP, WIDTH, HEIGHT, GAP = 56, 64, 250, 190, 26
STYLE = """text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold } .grid { stroke: #ddd } .end { text-anchor: end } .middle { text-anchor: middle }
path { fill: none; stroke-width: 2 }"""
DARK = "text { fill: #ccc } .grid { stroke: #444 }"


@dataclass(frozen=True)
class Drawing:
    """What the plot of an operation shows."""
    what: str
    axes: str
    metric: str  # a pattern of the rows that take part; its group is the logarithm of the size
    instances: str  # a pattern of theirs
    title: str  # of a panel, from its instance
    rate: bool  # millions a second, else seconds

    def value(self, size, milliseconds):
        return 2**size / milliseconds / 1e3 if self.rate else milliseconds / 1e3


DRAWINGS = {
    "msm": Drawing("Multi-scalar multiplication", "millions of points a second over the number of points",
                   r"2\^(\d+) points, (?:fastest peer|slower peer|mcl)", r"(\w+)_g1$", "{} G1", True),
    "prove": Drawing("Groth16 proofs", "seconds for a proof over the number of constraints",
                     r"2\^(\d+) constraints, .*(?:fastest peer|slower peer)", r"(\w+)$", "{}", False),
}


def curves(drawing, rows):
    """(threads, instance) -> who -> [(log2 of the size, value)]. Ours is that beside a key that stays, where there are two."""
    panels = {}
    for row in rows:
        found, instance = re.match(drawing.metric, row["metric"]), re.match(drawing.instances, row["instance"])
        if not found or not instance:
            continue
        size = int(found[1])
        panel = panels.setdefault((row["threads"], instance[1]), {})
        ours = panel.setdefault("proofmill", {})
        if "from files" not in row["metric"]:
            ours[size] = drawing.value(size, row["ours"])
        panel.setdefault(row["peer_name"].split()[0], {})[size] = drawing.value(size, row["peer"])
    return {key: {who: sorted(line.items()) for who, line in panel.items()} for key, panel in panels.items()}


def style(names):
    """The style sheet: each line's colour twice."""
    def rules(which):
        return "".join(f" .{name} {{ stroke: {COLOURS[name][which]} }} text.{name} {{ fill: {COLOURS[name][which]}; stroke: none }}" for name in names)
    return f"<style>{STYLE}{rules(0)}\n@media (prefers-color-scheme: dark) {{ {DARK}{rules(1)} }}</style>"


def panel(title, lines, sizes, values, first):
    """One pair of axes with its lines; only the first of a row has numbers on the left."""
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
    """1, 2, 5, 10, ... around two values."""
    steps = [digit * 10.0**power for power in range(-4, 5) for digit in (1, 2, 5)]
    low = max(step for step in steps if step <= least)
    high = min(step for step in steps if step >= most and step > low)
    return [step for step in steps if low <= step <= high]


def svg(name, rows):
    """The whole drawing of an operation."""
    drawing = DRAWINGS[name]
    panels = curves(drawing, rows)
    names = [who for who in COLOURS if any(who in lines for lines in panels.values())]
    threads = sorted({key[0] for key in panels})
    instances = list(dict.fromkeys(key[1] for key in panels))
    # A row a number of threads; a single instance has them side by side.
    grid = [[(count, instance) for instance in instances] for count in threads]
    grid = [[row[0] for row in grid]] if len(instances) == 1 else grid
    width = LEFT + len(grid[0]) * (WIDTH + GAP)
    height = TOP + len(grid) * (HEIGHT + 60)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
             f"<title>{drawing.what}: {drawing.axes}</title>", style(names), f'<text x="{LEFT}" y="16">{drawing.axes.capitalize()}</text>']
    for number, who in enumerate(names):
        parts.append(f'<text class="{who} title" x="{LEFT + 110 * number}" y="36">{who}</text>')
    for down, row in enumerate(grid):
        shown = [value for key in row for line in panels.get(key, {}).values() for _, value in line]
        values = ticks(min(shown), max(shown))
        for right, (count, instance) in enumerate(row):
            lines = panels.get((count, instance), {})
            sizes = sorted({size for line in lines.values() for size, _ in line})
            if not sizes:
                continue
            title = f"{drawing.title.format(instance)}, {count} thread{'s' if count > 1 else ''}"
            place = f"translate({LEFT + right * (WIDTH + GAP)} {TOP + down * (HEIGHT + 60)})"
            parts.append(f'<g transform="{place}">\n{panel(title, lines, sizes, values, right == 0)}\n</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"
