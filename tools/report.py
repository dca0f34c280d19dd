"""Generates Markdown tables and plots from stored figures, so that no table is typed by hand.

`--keep` first stores the rows in target/bench as bench/results/<date>-<name>[@<machine and path>].json. Tables and
plots show the newest stored file of every name, machine and code path. Measurements on two machines, or on two paths of
one, are never in the same table. `--fill` writes the tables into docs/figures.md, between the lines `<!-- figures NAME -->` and
`<!-- end -->`; operations after the name select rows. It also writes the plots of docs/figures. `--check` only compares
both.
"""

import argparse
import datetime
import json
import re
import subprocess
from pathlib import Path

import plot
import report_page
from place import ROOT, TARGET, Failed, main, write_whole

MADE, KEPT, PLOTS = TARGET / "bench", ROOT / "bench/results", ROOT / "docs/figures"
#: The page with the figures.
PAGE = ROOT / "docs/figures.md"
#: The page of `proofmill bench`, into which the command inserts its own figures.
TEMPLATE = ROOT / "host/cli/src/bench/page.html"
#: Cycles of the coprocessor's instructions, for the command's listings.
CYCLES = ROOT / "host/cli/src/coprocessor/cycles.json"
#: The keys of a row that describe machine and build; tables show them once.
PLACE = ("processor", "vendor", "family", "model", "flags", "isa", "profile", "commit")
#: Columns that are in no table.
HIDDEN = {"kind", "absent", *PLACE}
#: Number of a circuit's parts to store, those with the most LUTs.
PARTS = 10


def commit():
    """Returns the checkout's commit, with `+` if the work tree has changes."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return (git("rev-parse", "--short=12", "HEAD") or "none") + ("+" if git("status", "--porcelain") else "")


def spot(row):
    """Returns the machine and the path of a row as part of a file's name; empty for a circuit, which does not depend on the machine."""
    if "isa" not in row:
        return ""
    vendor = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}.get(row["vendor"], "cpu")
    return f"@{vendor}-{row['family']}-{row['model']}-{row['isa']}"


def largest(rows):
    """Returns the rows with only the largest parts of each circuit. A part's metrics are called `lut/PART`."""
    def circuit(row):
        return row["op"], row["instance"], row["config"]
    parts = {}
    for row in rows:
        metric, _, part = str(row["metric"]).partition("/")
        if metric == "lut" and part and "config" in row:
            parts.setdefault(circuit(row), []).append((row["value"], part))
    kept = {key: {part for _, part in sorted(sizes, reverse=True)[:PARTS]} for key, sizes in parts.items()}
    return [row for row in rows if "/" not in str(row["metric"]) or "config" not in row or row["metric"].split("/", 1)[1] in kept.get(circuit(row), ())]


def text_of(content):
    """Formats a stored file, one line per row."""
    head = json.dumps({key: value for key, value in content.items() if key != "rows"}, indent=1)
    rows = ",\n".join("  " + json.dumps(row) for row in content["rows"])
    return f'{head[:-2]},\n "rows": [\n{rows}\n ]\n}}\n'


def keep():
    files = sorted(MADE.glob("*.json"))
    if not files:
        raise Failed("target/bench holds no figures: run `make bench`, `make cycles`, `make area` or `make timing`")
    today = commit()  # before the kept files themselves change the tree
    for path in files:
        made, name = datetime.date.fromtimestamp(path.stat().st_mtime).isoformat(), path.stem.partition("@")[0]
        spots = {}
        for row in json.loads(path.read_text()):
            spots.setdefault(spot(row), []).append(row)
        for where, rows in spots.items():
            content = {"date": made, "commit": rows[0].get("commit", today), "command": command(name), "rows": largest(rows)}
            write_whole(KEPT / f"{made}-{name}{where}.json", text_of(content))


def newest():
    """Returns name -> the newest stored contents, one per machine and path, the fastest path first."""
    found = {}
    for path in sorted(KEPT.glob("*.json")):
        name, _, where = re.sub(r"^\d{4}-\d\d-\d\d-", "", path.stem).partition("@")
        found.setdefault(name, {})[where] = json.loads(path.read_text())
    return {name: sorted(contents.values(), key=plot.speed, reverse=True) for name, contents in found.items()}


def number(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def detail(row):
    """Returns whether tables omit a row: a unit inside an engine, the use of LUTs, toys, slower modes, slower peers except for proofs, sizes for plots, inefficient uses of memory."""
    metric, hidden = str(row.get("metric", "")), ("slower mode", "(plot)", "addresses not hashed") + (("slower peer",) if row.get("op") != "prove" else ())
    return "/" in metric or metric in {"lutram", "srl", "carry8", "muxf"} or "toy" in (row.get("config"), str(row.get("instance")).split("_")[0]) or metric.endswith(hidden)


#: Resources of a circuit, in the order of the columns.
SIZES = ("lut", "ff", "dsp", "bram", "uram", "depth", "latency")


def sideways(rows):
    """Returns one row per circuit with its sizes as columns, and the published ones as text."""
    circuits = {}
    for row in rows:
        one = circuits.setdefault((row["op"], row["instance"], row["config"]), {})
        one["op"], one["instance"], one["config"] = row["op"], row["instance"], row["config"]
        one[row["metric"]] = row["value"]
        if row["published"] is not None:
            one.setdefault("published", []).append((f"{number(row['published'])} {row['unit']}", row["published_by"]))
    for one in circuits.values():
        said = one.pop("published", [])
        one["published"] = f"{said[0][1]}: {', '.join(what for what, _ in said)}" if said else None
    return list(circuits.values())


def circuit(row):
    """Returns the circuit of a row: operation, configuration without the mark of its behavioural model, and the beginning of its instance."""
    return row["op"], row["config"].removesuffix("_twin"), row["instance"].removesuffix("_g1")


def known(figures):
    """Returns circuit -> clock, LUTs and DSPs, from the newest stored figures."""
    found = {}
    for name, contents in figures.items():
        for row in contents[0]["rows"] if name.split("-")[0] in ("area", "timing") else ():
            if row.get("metric") in ("clock", "lut", "dsp"):
                found.setdefault(circuit(row), {})[row["metric"]] = row["value"]
    return found


def weighed(rows, figures):
    """Adds to rows of cycles the nanoseconds at the clock that `make timing` estimates, and the products of time with LUTs and with DSPs.
    Unknown values are omitted.
    """
    about = known(figures)
    for row in rows:
        size = about.get(circuit(row), {}) if row.get("unit") == "cycles" and "config" in row else {}
        more = {"ns, estimated": 1000 / size["clock"]} if "clock" in size else {}
        if str(row.get("metric")).startswith(("per ", "a point", "transform of 2^24")):  # what goes through it, not what one alone takes
            more |= {"K LUT cycles": size.get("lut", 0) / 1000, "K DSP cycles": size.get("dsp", 0) / 1000}
        yield {**row, **{name: row["value"] * by for name, by in more.items() if by}}


def origin(content):
    """Returns machine, date and command of the rows."""
    row = content["rows"][0]
    where = f"**{row['processor']}, our path `{row['isa']}`**, profile `{row['profile']}`: " if "isa" in row else ""
    return f"{where}`{content['command']}`, {content['date']}, commit {content['commit']}."


def table(content, ops=(), figures={}):
    """Formats the rows as Markdown, without the details; only those of `ops`, if given. `figures`: all stored figures."""
    rows = [row for row in weighed(content["rows"], figures) if not detail(row) and (not ops or row["op"] in ops)]
    if rows and all(row.get("metric") in SIZES and "config" in row for row in rows):
        rows = sideways(rows)
    rows = [{**row, "peer": f"absent: {row['absent']}"} if row.get("absent") else row for row in rows]
    same = {"op"} if len({row.get("op") for row in rows}) == 1 else set()
    columns = [column for column in dict.fromkeys(key for row in rows for key in row) if column not in HIDDEN | same]
    columns = [column for column in columns if any(row.get(column) is not None for row in rows)]
    lines = [origin(content), "", "| " + " | ".join(columns).replace("peer_name", "who") + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(number(row.get(column)) for column in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def command(name):
    """Returns the command that measures figures of this name."""
    if name.split("-")[0] == "area":
        return "make area" + (f" OP={name.removeprefix('area-')}" if "-" in name else "")
    if name == "timing":
        return "make timing"
    if name == "paths":
        return "make bench-paths"
    if name == "ecp5":
        return "python3 tools/ecp5.py"
    return f"make cycles OP={name.removeprefix('cycles-')}" if name.startswith("cycles-") else f"make bench OP={name}"


def filled(path, figures):
    """Returns a Markdown file with its marked places replaced, one table per machine and path. A place without figures is an error."""
    def fill(found):
        name, *ops = found[1].split()
        if name not in figures:
            raise Failed(f"{path}: no kept figures are called {name}; there are {', '.join(figures) or 'none'}")
        tables = "\n".join(table(content, ops, figures) for content in figures[name])
        return f"<!-- figures {found[1]} -->\n{tables}<!-- end -->"
    text, count = re.subn(r"<!-- figures ([\w -]+?) -->\n.*?<!-- end -->", fill, path.read_text(), flags=re.S)
    if count == 0:
        raise Failed(f"{path}: no line `<!-- figures NAME -->`")
    return text


def cycles(figures):
    """Returns `NAME TYPE` -> cycles of an instruction whose operands are complete, as JSON."""
    if "cycles-coprocessor" not in figures:
        raise Failed(f"{CYCLES.relative_to(ROOT)} shows kept figures, of which none are called cycles-coprocessor")
    rows = {row["metric"]: row["value"] for row in figures["cycles-coprocessor"][0]["rows"]}
    return json.dumps({metric.removesuffix(", residues"): value for metric, value in rows.items() if metric.endswith(", residues")}, indent=1) + "\n"


def shown(figures):
    """Returns path -> text of the page, of the command's embedded files, and of every plot with figures."""
    return {PAGE: filled(PAGE, figures), TEMPLATE: report_page.template(figures, origin), CYCLES: cycles(figures)} | {PLOTS / f"{name}.svg": plot.svg(name, figures[name]) for name in plot.DRAWINGS if name in figures}


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="keep the figures of target/bench")
    parser.add_argument("--fill", action="store_true", help="page, plots and what the command carries, with the kept figures")
    parser.add_argument("--html", metavar="FILE", type=Path, help="one page with plots and all tables, which needs no other file")
    parser.add_argument("--check", action="store_true", help="fails when the page or a plot does not show the kept figures")
    chosen = parser.parse_args()
    if chosen.keep:
        keep()
    figures = newest()
    if chosen.check:
        for path, text in shown(figures).items():
            if not path.exists() or path.read_text() != text:
                raise Failed(f"{path.relative_to(ROOT)} does not show the figures of bench/results: run `make report`")
        return
    if chosen.html:
        if not figures:
            raise Failed("bench/results is empty: `make report KEEP=1` keeps what lies in target/bench")
        chosen.html.parent.mkdir(parents=True, exist_ok=True)
        write_whole(chosen.html, report_page.page(figures, lambda content: table(content, figures=figures)))
        print(chosen.html)
    if chosen.fill:
        for path, text in shown(figures).items():
            write_whole(path, text)
    if chosen.fill or chosen.html:
        return
    if not figures:
        raise Failed("bench/results is empty: `make report KEEP=1` keeps what lies in target/bench")
    for name, contents in figures.items():
        print(f"## {name}\n\n" + "\n".join(map(table, contents)))


if __name__ == "__main__":
    main(cli)
