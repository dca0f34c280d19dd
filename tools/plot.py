"""A plot of kept figures: multi-scalar multiplication, millions of points a second over the number of points.

A column a curve, a row a number of threads, both axes logarithmic. The SVG says its colours for light and dark pages itself.
"""

import math
import re

#: Whose line has which colour, on light and on dark.
COLOURS = {
    "proofmill": ("#c2255c", "#ff6b9d"),
    "gnark-crypto": ("#1971c2", "#74b8f0"),
    "blst": ("#2b8a3e", "#69d08a"),
    "arkworks": ("#b35c00", "#f0a04b"),
    "halo2curves": ("#6741d9", "#b197fc"),
    "mcl": ("#087f8c", "#5cd0dc"),
}
LEFT, TOP, WIDTH, HEIGHT, GAP = 56, 64, 250, 190, 26
STYLE = """text { font: 12px sans-serif; fill: #333 } .title { font-weight: bold } .grid { stroke: #ddd } .end { text-anchor: end } .middle { text-anchor: middle }
path { fill: none; stroke-width: 2 }"""
DARK = "text { fill: #ccc } .grid { stroke: #444 }"


def curves(rows):
    """(threads, instance) -> who -> [(log2 of the points, millions of points a second)], in G1."""
    panels = {}
    for row in rows:
        found = re.match(r"2\^(\d+) points, (?:fastest peer|slower peer|mcl)", row["metric"])
        if not found or not row["instance"].endswith("_g1"):
            continue
        size = int(found[1])
        panel = panels.setdefault((row["threads"], row["instance"].removesuffix("_g1")), {})
        for who, value in (("proofmill", row["ours"]), (row["peer_name"].split()[0], row["peer"])):
            panel.setdefault(who, {})[size] = 2**size / value / 1e3
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


def svg(rows):
    """The whole drawing."""
    panels = curves(rows)
    names = [name for name in COLOURS if any(name in lines for lines in panels.values())]
    threads = sorted({key[0] for key in panels})
    instances = list(dict.fromkeys(key[1] for key in panels))
    width = LEFT + len(instances) * (WIDTH + GAP)
    height = TOP + len(threads) * (HEIGHT + 60)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
             "<title>Multi-scalar multiplication: millions of points a second over the number of points</title>", style(names),
             f'<text x="{LEFT}" y="16">Millions of points a second over the number of points</text>']
    for number, name in enumerate(names):
        parts.append(f'<text class="{name} title" x="{LEFT + 110 * number}" y="36">{name}</text>')
    for down, count in enumerate(threads):
        shown = [value for key, lines in panels.items() if key[0] == count for line in lines.values() for _, value in line]
        values = ticks(min(shown), max(shown))
        for right, instance in enumerate(instances):
            lines = panels.get((count, instance), {})
            sizes = sorted({size for line in lines.values() for size, _ in line})
            if not sizes:
                continue
            title = f"{instance} G1, {count} thread{'s' if count > 1 else ''}"
            place = f"translate({LEFT + right * (WIDTH + GAP)} {TOP + down * (HEIGHT + 60)})"
            parts.append(f'<g transform="{place}">\n{panel(title, lines, sizes, values, right == 0)}\n</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"
