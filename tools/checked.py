"""The record of stages of `make test` that passed: tools/checked.txt has a line for each, with the digest of the files that it depends on.

A stage is skipped on a change of other files. `python3 tools/test.py --record STAGE ...` runs stages and records those that pass.
"""

from place import ROOT, digest, write_whole

RECORD = ROOT / "tools/checked.txt"
#: Files that no recorded stage depends on: crates that embed specifications, and what tools leave.
OTHERS = (".rs", ".pyc", "Cargo.toml")
#: Likewise folders: what only the stage `formal` reads, which is not recorded.
PROOFS = {ROOT / "rtl/formal", ROOT / "rtl/src/main/scala/proofmill/formal"}


def files(sources):
    """Returns the files below paths that are relative to the repository."""
    found = [path for source in sources for path in ([ROOT / source] if (ROOT / source).is_file() else (ROOT / source).rglob("*"))]
    return sorted(path for path in found if path.is_file() and not path.name.endswith(OTHERS) and PROOFS.isdisjoint(path.parents) and "target" not in path.relative_to(ROOT).parts)


def content(sources):
    """Returns the digest of names and contents."""
    return digest(*(part for path in files(sources) for part in (path.relative_to(ROOT).as_posix(), path)))


def read():
    """Returns stage -> digest."""
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    return {stage: found for found, stage in map(str.split, lines)}


def passed(stages):
    """Returns the names of the stages whose sources have passed."""
    recorded = read()
    return {stage.name for stage in stages if stage.sources and recorded.get(stage.name) == content(stage.sources)}


def record(stages):
    """Adds stages that passed."""
    recorded = read() | {stage.name: content(stage.sources) for stage in stages if stage.sources}
    write_whole(RECORD, "".join(f"{found} {stage}\n" for stage, found in sorted(recorded.items())))
