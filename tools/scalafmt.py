"""Checks that the Scala sources are formatted. `--write` formats them. The rules are in .scalafmt.conf."""

import argparse

from place import CACHE, ROOT, digest, main, made_whole, run

POM = ROOT / "tools/scalafmt/pom.xml"
#: Without optimisation, since it runs only briefly.
JAVA = ["java", "-XX:TieredStopAtLevel=1"]


def classpath():
    """Returns the class path of the formatter's jars. Runs Maven once per pom."""
    place = CACHE / f"scalafmt-{digest(POM)}"
    if not place.is_dir():
        with made_whole(place) as scratch:
            run(["mvn", "-q", "-B", "-f", POM, "dependency:build-classpath", f"-Dmdep.outputFile={scratch / 'classpath'}"])
    return (place / "classpath").read_text()


def cli():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="format instead of only looking")
    how = [] if parser.parse_args().write else ["--check"]
    print(run([*JAVA, "-cp", classpath(), "org.scalafmt.cli.Cli", "--non-interactive", *how, "rtl/src"], cwd=ROOT), end="")


if __name__ == "__main__":
    main(cli)
