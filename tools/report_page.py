"""Generates a self-contained HTML page of the stored figures: `page` for `make report HTML=FILE`, and `template` for
`proofmill bench --html`, into which the command inserts its measurements.

Each operation has a section: its plot with a panel per machine, then its tables, folded. Sections of circuits compare cycles and area with
published ones. The page follows the reader's light or dark setting; on a narrow screen panels are below each other.
"""

import datetime
import html
import re

import plot

#: Sections of circuits: heading, label of the bars, beginning of the names of stored figures, the metrics.
CIRCUITS = {
    "Cycles of the circuits": ("cycles in simulation for one of a stream, published ones at their own sizes; less is better", "cycles-", r"per .*, steady.*|a point of .*"),
    "Size of the circuits": ("thousands of LUT for UltraScale+, as yosys counts them; less is better", "area", "lut"),
}
#: Minimum scale of a plot: its smallest letters have nine pixels.
READABLE = 0.77
STYLE = """:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ccc; --faint: #f4f4f6 }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181d; --line: #444; --faint: #20232a } }
body { margin: 0 auto; max-width: 84rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper) }
h1 { font-size: 1.6rem } h2 { margin-top: 2.5rem; border-top: 1px solid var(--line); padding-top: 1rem } h3 { font-size: 1rem; margin-bottom: 0 }
.panels { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 28rem), 1fr)); gap: 1rem 2rem } .panels figure { margin: 0; max-width: 36rem; overflow-x: auto }
svg { width: 100%; height: auto } nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .85rem } td, th { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left }
th { background: var(--faint) } summary { cursor: pointer; margin: .5rem 0 }"""


def panels(drawing, contents):
    """Returns the SVGs of an operation: one per machine, and for lines one per instance."""
    made = []
    for content in plot.two(contents):
        if isinstance(drawing, plot.Bars):
            made.append(plot.bars(drawing, [content]))
            continue
        instances = dict.fromkeys(row["instance"] for row in content["rows"])
        for instance in instances:
            rows = [row for row in content["rows"] if row["instance"] == instance]
            if plot.curves(drawing, rows):
                made.append(plot.lines(drawing, [{**content, "rows": rows}]))
    return made


def of_circuits(axes, begins, metric, figures):
    """Returns an SVG for each stored figures of circuits: bars of ours and of published ones."""
    scale, made = 1000 if axes.startswith("thousands") else 1, []
    for name, contents in figures.items():
        if name == "area-algebra":  # units, of which there are too many
            continue
        entries = []
        for row in contents[0]["rows"] if name.startswith(begins) else ():
            if not re.fullmatch(metric, str(row["metric"])) or row.get("op") in ("shell", "top") or "config" not in row or row["config"] == "toy":
                continue
            label = row["instance"] if row["config"] == "card" else row["config"].removesuffix("_twin")  # a card of two engines
            label += f": {row['metric'].partition(',')[0]}" if begins == "cycles-" else ""
            by = re.split("[,;(]", str(row["published_by"]))[0].strip()
            entries.append((label, row["value"] / scale, row["published"] and row["published"] / scale, by))
        if entries:
            made.append(plot.pairs(entries[0][0], axes, entries))
    return made


def cells(tag, line):
    return "".join(f"<{tag}>{html.escape(cell.strip())}</{tag}>" for cell in line.strip("| \n").split(" | "))


def tables(text):
    """Converts tables in Markdown to HTML, each with the lines above it."""
    made, rows = [], []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|--"):
            continue
        if line.startswith("|"):
            rows.append(f"<tr>{cells('td' if rows else 'th', line)}</tr>")
        elif rows:
            made.append(f'<div class="wide"><table>{"".join(rows)}</table></div>')
            rows = []
        if line and not line.startswith("|"):
            made.append(f"<p>{html.escape(line.replace('**', '').replace('`', ''))}</p>")
    return "\n".join(made)


def readable(svg):
    """Sets a minimum width of an SVG, so that its letters are large enough on a telephone. A wider SVG scrolls inside its frame."""
    return re.sub(r'viewBox="0 0 (\d+)', lambda found: f'style="min-width: {READABLE * int(found[1]):.0f}px" {found[0]}', svg, count=1)


def section(heading, drawn, texts):
    figures = "".join(f"<figure>{readable(one)}</figure>" for one in drawn)
    summary = "All rows" if any("|" in text for text in texts) else "Where"
    folded = f"<details><summary>{summary}</summary>\n{tables(chr(10).join(texts))}\n</details>" if texts else ""
    return f'<h2 id="{anchor(heading)}">{html.escape(heading)}</h2>\n<div class="panels">{figures}</div>\n{folded}'


def anchor(heading):
    return heading.lower().replace(" ", "-")


def sections(figures, table):
    """Returns heading -> plots and texts of the tables."""
    made = {}
    for name, drawing in plot.DRAWINGS.items():
        if name in figures:
            made[drawing.what] = (panels(drawing, figures[name]), [table(content) for content in figures[name]])
    for name, contents in figures.items():
        if name not in plot.DRAWINGS and "-" not in name and name not in ("area", "timing", "ecp5"):
            made[name.capitalize()] = ([], [table(content) for content in contents])
    for heading, (axes, begins, metric) in CIRCUITS.items():
        named = [name for name in figures if name.startswith(begins)]
        if named:
            made[heading] = (of_circuits(axes, begins, metric, figures), [table(figures[name][0]) for name in named])
    return made


def page(figures, table):
    """Returns the page. `figures`: name -> stored contents, newest first; `table`: formats a content's rows as Markdown."""
    said = f"Measured figures, each with its machine, code path, command and commit; made on {datetime.date.today().isoformat()}."
    return document("proofmill: figures", STYLE, said, {}, sections(figures, table))


def template(figures, origin):
    """Returns the page of `proofmill bench`: the stored plots, each with its machine, without tables, below the place of its own plots."""
    found = {heading: parts for heading, parts in sections(figures, lambda content: origin(content)).items() if parts[0]}
    style = f"{STYLE}\n{plot.STYLE}{series(0)}\n@media (prefers-color-scheme: dark) {{ {plot.DARK}{series(1)} }}"
    said = "First what was measured on this machine. Below stand kept figures, ours and other libraries' from one run on the machine that is named, and those of circuits."
    return document("proofmill bench", style, said, {"this-machine": "This machine", "phases-of-a-proof": "Phases of a proof"}, found, "<!-- measured -->")


def series(which):
    """Returns the colours of lines by number, on light or dark pages."""
    colours = [plot.COLOURS[name][which] for name in ("proofmill", "gnark", "blst", "arkworks", "halo2curves", "mcl")]
    return "".join(f" path.s{number} {{ stroke: {colour} }} text.s{number} {{ fill: {colour} }}" for number, colour in enumerate(colours))


def document(title, style, said, links, found, above=""):
    """Returns the HTML: introduction, links, sections."""
    links = links | {anchor(heading): heading for heading in found}
    links = "".join(f'<a href="#{to}">{html.escape(text)}</a>' for to, text in links.items())
    body = "\n".join(section(heading, *parts) for heading, parts in found.items())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
<h1>{title}</h1>
<p>{said}</p>
<nav>{links}</nav>
{above}
{body}
</html>
"""
