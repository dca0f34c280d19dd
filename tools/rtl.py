"""Builds the Scala generators and runs them: `python3 tools/rtl.py [CONFIG ...]` writes target/rtl/<config>/.

Maven resolves and compiles only when a source or the pom changed; the generators are run by plain `java`. A
configuration is generated anew only when a generator or the specification changed. Which configurations there
are, the generator says.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from place import ROOT, TARGET, Failed, alone, digest, main, run, write_whole

RTL = ROOT / "rtl"
BUILT = RTL / "target"
JAVA = ["java", "-Xss8m"]


def sources(part):
    """Sources of `main` or of `test`, and the pom."""
    return [RTL / "pom.xml", *sorted((RTL / "src" / part).glob("**/*.scala"))]


def facts():
    """Files of the specification that generators read."""
    return sorted(path for path in (ROOT / "spec").glob("*/*") if path.suffix in {".toml", ".slp"})


def content(paths):
    return digest(*(part for path in paths for part in (str(path.relative_to(ROOT)), path)))


def build(part="main"):
    """Compiles what changed, `test` with `main`; the class path."""
    wanted = content(sources("main") + (sources("test") if part == "test" else []))
    stamp, classpath = BUILT / f"built-{part}", BUILT / "classpath.txt"
    with alone(f"rtl-{digest(str(RTL))}"):
        if not (stamp.exists() and stamp.read_text() == wanted and classpath.exists()):
            for old in BUILT.glob("built-*"):  # both parts are compiled into one folder of classes
                old.unlink()
            goals = ["compile" if part == "main" else "test-compile"]
            goals += ["dependency:build-classpath", f"-Dmdep.outputFile={classpath}", "-Dmdep.includeScope=test"]
            run(["mvn", "-q", "-B", *goals], cwd=RTL)
            write_whole(BUILT / "built-main", content(sources("main")))
            write_whole(stamp, wanted)
    folders = [BUILT / "classes"] + ([BUILT / "test-classes"] if part == "test" else [])
    return ":".join([*map(str, folders), classpath.read_text()])


def command(main_class, *arguments):
    """The command that runs a class of rtl/, which it compiles first; test classes see the others."""
    tests = RTL / "src/test/scala" / f"{main_class.replace('.', '/')}.scala"
    return [*JAVA, "-cp", build("test" if tests.exists() else "main"), main_class, *map(str, arguments)]


def java(main_class, *arguments):
    """Runs a class of rtl/ in the repository's root; its output."""
    return run(command(main_class, *arguments), cwd=ROOT)


def configs():
    """Names of the configurations that the generator knows."""
    return [line.split()[0] for line in java("proofmill.Generate", "--list").splitlines() if line.strip()]


def units():
    """Names of the units that the generator makes by themselves."""
    return java("proofmill.Generate", "--units").split()


def generate(config):
    """Folder with the Verilog and the manifest of a configuration."""
    out = TARGET / "rtl" / config
    stamp = out / "generated-from"
    wanted = content(sources("main") + facts())
    if stamp.exists() and stamp.read_text() == wanted:
        return out
    build()
    with alone(f"generate-{digest(str(ROOT))}"):
        out.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{config}-", dir=out.parent))
        try:
            scratch.chmod(0o755)
            java("proofmill.Generate", "--config", config, "--out", scratch)
            if not (scratch / "manifest.json").exists():
                raise Failed(f"proofmill.Generate --config {config} wrote no manifest.json")
            (scratch / "generated-from").write_text(wanted)
            shutil.rmtree(out, ignore_errors=True)
            scratch.rename(out)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return out


def verilog(folder):
    """The Verilog of a generated folder."""
    found = sorted(folder.glob("*.v"))
    if not found:
        raise Failed(f"{folder}: no Verilog")
    return found


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def door():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="what to generate; nothing: list them")
    parser.add_argument("--run", metavar="CLASS", help="run this class of rtl/ instead; the other arguments are its own")
    chosen = parser.parse_args()
    if chosen.run:
        return subprocess.call(command(chosen.run, *chosen.configs), cwd=ROOT)
    if not chosen.configs:
        print("\n".join(configs()))
    for config in chosen.configs:
        folder = generate(config)
        print(f"{folder.relative_to(ROOT)}: {', '.join(path.name for path in verilog(folder))}")
    return 0


if __name__ == "__main__":
    main(door)
