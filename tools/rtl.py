"""Builds the Scala generators and runs them: `python3 tools/rtl.py CONFIG ...` writes target/rtl/<config>/, `--cards` or `--units`
those that `make test` simulates.

Maven resolves and compiles only when a source or the pom changed; the generators are run by plain `java`. A
configuration is generated again only when a generator or the specification changed. The generator lists the
configurations.
"""

import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from place import CACHE, ROOT, TARGET, Failed, alone, digest, main, run, write_whole

RTL = ROOT / "rtl"
BUILT = RTL / "target"
JAVA = ["java", "-Xss8m", "-XX:+UseParallelGC"]
#: The Scala compiler runs too briefly for optimisation: with the second of the JVM's compilers it takes twice the processor's time.
MAVEN = {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1"}


def sources(part):
    """Returns the sources of `main` or of `test`, and the pom."""
    return [RTL / "pom.xml", *sorted((RTL / "src" / part).glob("**/*.scala"))]


def facts():
    """Returns the files that generators read: of the specification, and those copied beside the Verilog."""
    read = [path for path in (ROOT / "spec").glob("*/*") if path.suffix in {".toml", ".slp", ".asm"}]
    return sorted([*read, *(RTL / "sim/twin").glob("*.h")])


def content(paths):
    return digest(*(part for path in paths for part in (str(path.relative_to(ROOT)), path)))


def build(part="main"):
    """Compiles changed sources, `test` with `main`. Returns the class path."""
    wanted = content(sources("main") + (sources("test") if part == "test" else []))
    stamp, classpath = BUILT / f"built-{part}", BUILT / "classpath.txt"
    with alone(f"rtl-{digest(str(RTL))}"):
        if not (stamp.exists() and stamp.read_text() == wanted and classpath.exists()):
            for old in BUILT.glob("built-*"):  # both parts are compiled into one folder of classes
                old.unlink()
            goals = ["compile" if part == "main" else "test-compile"]
            goals += ["dependency:build-classpath", f"-Dmdep.outputFile={classpath}", "-Dmdep.includeScope=test"]
            run(["mvn", "-q", "-B", *goals], cwd=RTL, env={**MAVEN, **os.environ})
            write_whole(BUILT / "built-main", content(sources("main")))
            write_whole(stamp, wanted)
    folders = [BUILT / "classes"] + ([BUILT / "test-classes"] if part == "test" else [])
    return ":".join([*map(str, folders), classpath.read_text()])


def is_test(main_class):
    return (RTL / "src/test/scala" / f"{main_class.replace('.', '/')}.scala").exists()


def command(main_class, *arguments):
    """Compiles rtl/ and returns the command that runs a class; test classes include the others."""
    return [*JAVA, "-cp", build("test" if is_test(main_class) else "main"), main_class, *map(str, arguments)]


def simulating():
    """Returns environment variables for the makefiles of SpinalHDL's simulator. Its models are small and run briefly: they share objects
    (compile_once.py), and g++ does not optimise them.
    """
    versions = digest(run(["verilator", "--version"]), run(["g++", "--version"]))
    compiler = shlex.join([sys.executable, "-IS", str(ROOT / "tools/compile_once.py")])
    return {"MAKEFLAGS": "OPT_FAST=-O0", "OBJCACHE": compiler, "PROOFMILL_OBJECTS": str(CACHE / "sim" / f"objects-{versions}")}


def java(main_class, *arguments):
    """Runs a class of rtl/ in the repository's root and returns its output."""
    return run(command(main_class, *arguments), cwd=ROOT)


def configs():
    """Returns the names of the generator's configurations."""
    return [line.split()[0] for line in java("proofmill.Generate", "--list").splitlines() if line.strip()]


def units():
    """Returns the names of the stand-alone units."""
    return java("proofmill.Generate", "--units").split()


def unknown(names, known):
    """Returns a message about names that no configuration has, with the closest ones; empty if all are known."""
    return "; ".join(f"no circuit is called {name}{closest(name, known)}" for name in names if name not in known)


def closest(name, known):
    parts = [part for part in re.split(r"[^a-z0-9]+", name.lower()) if part]
    near = difflib.get_close_matches(name, known, 5, 0.7)
    near += [other for other in known if other not in near and parts and all(part in other for part in parts)]
    return f": did you mean {', '.join(near[:5])}?" if near else "; `python3 tools/rtl.py` lists the cards and units"


def require(names, known=None):
    """Raises an error if a name is not among `known`, by default those of all configurations."""
    if message := unknown(names, known or configs() + units()):
        raise Failed(message)


#: Configurations that only `make test-long`, `make cycles` and `make area` read.
LONG = ("uart", "msm_bls12_377_g2_twin", "xdma_hbm_msm_bls12_381", "f2_msm_bls12_381", "ntt_16_twin", "ntt_twin", "ntt_64_twin", "ntt_bn254_twin", "ntt_bn254_large_twin", "ntt_bls12_381_twin", "ntt_bls12_381_large_twin", "ntt_bls12_381_small_twin",
        "groth16_bn254_twin", "groth16_bls12_381_twin", "groth16_bls12_381_small_twin", "uart_fast")


def simulated(names):
    """Returns the configurations that `make test` simulates: the behavioural model of a circuit if it has one; for toys and multipliers both."""
    both = ("modmul", "pairing")
    return [name for name in names if (f"{name}_twin" not in names or "toy" in name or name.startswith(both)) and name not in LONG]


def synthesised(asked, cards):
    """Returns (cards, units) of the requested configurations; by default `cards`, and all units. A behavioural model, which cannot be synthesised, is an error."""
    made = units()
    require(asked, made + configs() if asked else made)
    all_units = [unit for unit in made if not unit.endswith("_twin")]
    wanted = asked or [*cards, *all_units]
    if twins := [config for config in wanted if config.endswith("_twin")]:
        raise Failed(f"{', '.join(twins)}: twins are for simulation and have neither area nor clock")
    return [config for config in wanted if config not in all_units], [config for config in wanted if config in all_units]


def generate(config):
    """Returns the folder with the Verilog and the manifest of a configuration."""
    return generate_all([config])[0]


def generate_all(configs):
    """Returns the folders of several configurations. Missing ones are generated in one run of the generators."""
    wanted = content(sources("main") + facts())
    folders = [TARGET / "rtl" / config for config in configs]

    def stale():
        stamps = [folder / "generated-from" for folder in folders]
        return [folder for folder, stamp in zip(folders, stamps) if not stamp.exists() or stamp.read_text() != wanted]

    if not stale():
        return folders
    build()
    with alone(f"generate-{digest(str(ROOT))}"):
        missing = stale()
        if missing:
            (TARGET / "rtl").mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=".new-", dir=TARGET / "rtl") as scratch:
                try:
                    java("proofmill.Generate", "--configs", ",".join(folder.name for folder in missing), "--out", scratch)
                except Failed:
                    require([folder.name for folder in missing])
                    raise
                for folder in missing:
                    take(Path(scratch, folder.name), folder, wanted)
    return folders


#: All warnings of Verilator are errors, except those about style and about widths, which the generator has checked.
LINT = ["verilator", "--lint-only", "--no-timing", "-Wno-WIDTH", "-Wno-CMPCONST", "-Wno-UNSIGNED", "-Wno-style"]


#: An engine's module: its ports, and what is inside.
ENGINE = re.compile(r"^(module \w+Engine(?:_\d+)? \(.*?^\);).*?^endmodule", re.M | re.S)


def lint(config, around=False):
    """Raises an error if Verilator reports a fault of the Verilog: two drivers, a latch, a loop. `around`: without the engines."""
    folder = generate(config)
    with tempfile.TemporaryDirectory() as scratch:
        sources = [path.resolve() for path in verilog(folder)]
        if around:
            texts = {Path(scratch, path.name): path.read_text() for path in sources}
            if not any(ENGINE.search(text) for text in texts.values()):
                raise Failed(f"{config}: there is no engine to leave out")
            for path, text in texts.items():
                path.write_text(ENGINE.sub(r"\1\nendmodule", text))
            sources = list(texts)
        run([*LINT, "--top-module", manifest(folder)["top"], *sources], cwd=folder)


def take(made, folder, stamp):
    """Moves a generated folder to its place."""
    if not (made / "manifest.json").exists():
        raise Failed(f"proofmill.Generate wrote no manifest.json for {folder.name}")
    (made / "generated-from").write_text(stamp)
    shutil.rmtree(folder, ignore_errors=True)
    made.rename(folder)


def verilog(folder):
    """Returns the Verilog files of a generated folder."""
    found = sorted(folder.glob("*.v"))
    if not found:
        raise Failed(f"{folder}: no Verilog")
    return found


def manifest(folder):
    return json.loads((folder / "manifest.json").read_text())


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("configs", nargs="*", metavar="CONFIG", help="what to generate; nothing: list them")
    parser.add_argument("--run", metavar="CLASS", help="run this class of rtl/ instead; the other arguments are its own")
    parser.add_argument("--cards", action="store_true", help="generate in one run the cards that `make test` simulates")
    parser.add_argument("--units", action="store_true", help="likewise the stand-alone units")
    parser.add_argument("--lint", action="store_true", help="let Verilator read what is generated")
    parser.add_argument("--around", action="store_true", help="with --lint: of a card, all but its engines, which are linted as cards of their own")
    chosen = parser.parse_args()
    if chosen.cards or chosen.units:
        print(f"{len(generate_all(simulated(configs() * chosen.cards + units() * chosen.units)))} circuits")
        return 0
    if chosen.run:
        variables = simulating() if is_test(chosen.run) else {}
        return subprocess.call(command(chosen.run, *chosen.configs), cwd=ROOT, env={**os.environ, **variables})
    if not chosen.configs:
        print("cards:", *configs(), "", "units:", *units(), sep="\n")
    for config, folder in zip(chosen.configs, generate_all(chosen.configs)):
        if chosen.lint:
            lint(config, chosen.around)
        print(f"{folder.relative_to(ROOT)}: {', '.join(path.name for path in verilog(folder))}")
    return 0


if __name__ == "__main__":
    main(cli)
