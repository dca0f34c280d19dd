"""The kept figures as Markdown tables, so that no table is ever typed.

`--keep` first puts the rows that lie in target/bench into bench/results/<date>-<name>.json, with the machine and the
commit. The tables show the newest kept file of every name. `--fill` writes each table into the README, between the lines
`<!-- figures NAME -->` and `<!-- end -->`; operations behind the name leave out all others. With it go the plots of
docs/figures. `--check` only compares both.
"""

import argparse
import datetime
import json
import platform
import re
import subprocess
from pathlib import Path

import plot
from place import ROOT, TARGET, Failed, main, write_whole

MADE, KEPT, PLOTS = TARGET / "bench", ROOT / "bench/results", ROOT / "docs/figures"
#: Where figures are shown.
PAGE = ROOT / "README.md"
#: Columns that say the same in every row of a table are left out, and these always.
HIDDEN = {"kind"}


def machine():
    """The processor as it names itself, and how many there are."""
    info = Path("/proc/cpuinfo")
    names = re.findall(r"^model name\s*:\s*(.*)$", info.read_text(), re.M) if info.exists() else []
    return f"{len(names)} x {names[0]}" if names else platform.processor() or platform.machine()


def commit():
    """The checkout's commit, with `+` when something was changed since."""
    def git(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    return (git("rev-parse", "--short=12", "HEAD") or "none") + ("+" if git("status", "--porcelain") else "")


def keep():
    files = sorted(MADE.glob("*.json"))
    if not files:
        raise Failed("target/bench holds no figures: run `make bench`, `make cycles` or `make area`")
    today = commit()  # before the kept files themselves change the tree
    for path in files:
        made = datetime.date.fromtimestamp(path.stat().st_mtime).isoformat()
        content = {"date": made, "machine": machine(), "commit": today, "command": command(path.stem), "rows": json.loads(path.read_text())}
        write_whole(KEPT / f"{made}-{path.stem}.json", json.dumps(content, indent=1) + "\n")


def newest():
    """Name -> content of its newest kept file."""
    return {re.sub(r"^\d{4}-\d\d-\d\d-", "", path.stem): json.loads(path.read_text()) for path in sorted(KEPT.glob("*.json"))}


def number(value):
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def detail(row):
    """True for rows that are left to the data: a unit inside an engine, how a LUT is used, toys, slower modes, slower peers of all but proofs, sizes for a plot."""
    metric, hidden = str(row.get("metric", "")), ("slower mode", "(plot)") + (("slower peer",) if row.get("op") != "prove" else ())
    return "/" in metric or metric in {"lutram", "srl", "carry8", "muxf"} or "toy" in (row.get("config"), str(row.get("instance")).split("_")[0]) or metric.endswith(hidden)


#: What a circuit takes, in the order of its columns.
SIZES = ("lut", "ff", "dsp", "bram", "uram", "depth", "latency")


def sideways(rows):
    """One row for each circuit with its sizes as columns, and what was published for it in words."""
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


def table(content, ops=()):
    """The rows as Markdown, without the details; only those of some operations where these are given."""
    rows = [row for row in content["rows"] if not detail(row) and (not ops or row["op"] in ops)]
    if rows and all(row.get("metric") in SIZES and "config" in row for row in rows):
        rows = sideways(rows)
    columns = [column for column in dict.fromkeys(key for row in rows for key in row) if column not in HIDDEN]
    columns = [column for column in columns if any(row.get(column) is not None for row in rows)]
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(number(row.get(column)) for column in columns) + " |" for row in rows]
    return "\n".join(lines) + f"\n\n`{content['command']}`: {content['date']}, {content['machine']}, commit {content['commit']}.\n"


def command(name):
    """The command that makes figures of this name again."""
    if name.split("-")[0] == "area":
        return "make area" + (f" OP={name.removeprefix('area-')}" if "-" in name else "")
    return f"make cycles OP={name.removeprefix('cycles-')}" if name.startswith("cycles-") else f"make bench OP={name}"


def filled(path, figures):
    """A Markdown file with its marked places replaced; a place without figures is an error."""
    def fill(found):
        name, *ops = found[1].split()
        if name not in figures:
            raise Failed(f"{path}: no kept figures are called {name}; there are {', '.join(figures) or 'none'}")
        return f"<!-- figures {found[1]} -->\n{table(figures[name], ops)}<!-- end -->"
    text, count = re.subn(r"<!-- figures ([\w -]+?) -->\n.*?<!-- end -->", fill, path.read_text(), flags=re.S)
    if count == 0:
        raise Failed(f"{path}: no line `<!-- figures NAME -->`")
    return text


def shown(figures):
    """Path -> text of the page and of every plot that there are figures for."""
    return {PAGE: filled(PAGE, figures)} | {PLOTS / f"{name}.svg": plot.svg(name, figures[name]["rows"]) for name in plot.DRAWINGS if name in figures}


def door():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="keep the figures of target/bench")
    parser.add_argument("--fill", action="store_true", help="page and plots with the kept figures")
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
    if chosen.fill:
        for path, text in shown(figures).items():
            write_whole(path, text)
        return
    if not figures:
        raise Failed("bench/results is empty: `make report KEEP=1` keeps what lies in target/bench")
    for name, content in figures.items():
        print(f"## {name}\n\n{table(content)}")


if __name__ == "__main__":
    main(door)
