"""Tests the crate as users get it: a new project depends on the package and contains the Rust examples of README.md and docs/use/rust.md and the
program of `prover.rs`. cargo checks it; the long tests run it. Also runs the commands of README.md in order, and checks the features that
docs/use/install.md lists."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import packages  # noqa: E402
from place import BUILT, PROOFMILL, TARGET, run  # noqa: E402

#: Definitions that an example needs around it, by a text that it contains.
AROUND = {
    "circuit.zkey": "",
    "load_bases": 'let points = proofmill::msm::multiples("bls12_381_g1".parse()?, 1, 8)?; let scalars = vec![1; 256];',
    "others": """use proofmill::algebra::{bn254, curve::Affine};
        let device = proofmill::open("cpu:")?;
        let theirs = [ark_bn254::G1Affine::new_unchecked(1.into(), 2.into())];
        let others = [ark_bn254::Fr::from(5)];""",
}


def examples(page, language=""):
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M)


class Project(unittest.TestCase):
    def test_a_new_project_depends_on_the_packages(self):
        found = packages.crates()
        chosen = [word for name in found for word in ("--package", name)]
        run(["cargo", "package", "--quiet", "--allow-dirty", "--offline", "--no-verify", *chosen], cwd=ROOT)
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            for name, package in found.items():
                with tarfile.open(BUILT / f"package/{name}-{package['version']}.crate") as archive:
                    archive.extractall(folder, filter="data")
            project = folder / "project"
            (project / "src").mkdir(parents=True)
            patches = "\n".join(f'{name} = {{ path = "../{name}-{package["version"]}" }}' for name, package in found.items())
            version = found["proofmill"]["version"]
            (project / "Cargo.toml").write_text(f"""[package]
name = "project"
version = "0.1.0"
edition = "2024"

[dependencies]
proofmill = {{ version = "{version}", default-features = false, features = ["arkworks"] }}
ark-bn254 = "0.6"
serde_json = "1"

[patch.crates-io]
{patches}
""")
            shutil.copy(ROOT / "Cargo.lock", project)  # the versions that are there
            texts = examples("README.md", "rust") + examples("docs/use/rust.md", "rust")
            self.assertEqual(len(texts), 3)
            program = ["mod prover;\ntype Outcome = Result<(), Box<dyn std::error::Error>>;"]
            shutil.copy(HERE / "prover.rs", project / "src")
            for number, text in enumerate(texts):
                before = next(before for word, before in AROUND.items() if word in text)
                program.append(f"fn example{number}() -> Outcome {{\n{before}\n{text}\nOk(())\n}}")
            program.append("fn main() -> Outcome {" + "".join(f"example{number}()?;" for number in range(len(texts))) + 'prover::run()?; println!("all went well"); Ok(()) }')
            (project / "src/main.rs").write_text("\n".join(program))
            run([PROOFMILL, "dev", "circuit", "chain", "--constraints", 60, "--out", project])
            (project / "INSECURE.zkey").rename(project / "circuit.zkey")
            tree = run(["cargo", "tree", "--offline", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"], cwd=project)
            for part in ("proofmill-card", "proofmill-cuda", "proofmill-remote", "proofmill-testkit", "libloading"):
                self.assertNotIn(part, tree)
            environment = {**os.environ, "PROOFMILL_BUILD": "native", "CARGO_TARGET_DIR": str(TARGET / "test/project"), "CARGO_INCREMENTAL": "0",
                           "CARGO_PROFILE_DEV_DEBUG": "false"}  # names of lines take a quarter of the time
            if not os.environ.get("PROOFMILL_LONG"):
                run(["cargo", "check", "--quiet", "--offline"], cwd=project, env=environment)
                return
            self.assertIn("all went well", run(["cargo", "run", "--quiet", "--offline"], cwd=project, env=environment))
            self.assertTrue((project / "proof.json").exists())


class Readme(unittest.TestCase):
    def test_its_commands_end_well(self):
        lines = [line.partition("   #")[0].strip() for text in examples("README.md") for line in text.splitlines() if line.startswith("proofmill ")]
        self.assertGreater(len(lines), 14)
        simulations = os.environ.get("PROOFMILL_SIM_DIR")
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "examples").symlink_to(ROOT / "examples")
            # `circuit.zkey` is the reader's own: a small one, since a simulated card takes minutes for the one that is made.
            circuit = "made" if os.environ.get("PROOFMILL_LONG") else "small"
            run([PROOFMILL, "dev", "circuit", "chain", "--constraints", 60, "--out", folder / "small"])
            for link, to in (("circuit.zkey", "INSECURE.zkey"), ("witness.wtns", "witness.wtns")):
                (folder / link).symlink_to(f"{circuit}/{to}")
            for line in lines:
                if "sim:" in line and (simulations is None or "selftest" in line):  # the stage `host` runs the suite on all simulations
                    continue
                done = subprocess.run([PROOFMILL, *line.split()[1:]], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, f"{line}: {done.stdout[-500:]}")


class Install(unittest.TestCase):
    """docs/use/install.md, but for what compiles: other stages do that."""

    def test_the_features_are_these(self):
        rows = re.findall(r"^\| `(\w+)` \| (yes|no)? *\| (yes|no)? *\|", (ROOT / "docs/use/install.md").read_text(), re.M)
        for crate, column in (("cli", 1), ("proofmill", 2)):
            features = tomllib.loads((ROOT / f"host/{crate}/Cargo.toml").read_text())["features"]
            told = {row[0]: row[column] for row in rows if row[column]}
            self.assertEqual({name for name, by_default in told.items() if by_default == "yes"}, set(features["default"]), crate)
            self.assertLessEqual(told.keys(), features.keys(), crate)

    def test_features_can_be_chosen(self):
        lines = [words.split() for words in re.findall(r"`(cargo build --release --package [^`…]+)`", (ROOT / "docs/use/install.md").read_text())]
        self.assertEqual(len(lines), 1)
        tree = run(["cargo", "tree", "--offline", "--edges", "normal", "--prefix", "none", *lines[0][3:]], cwd=ROOT)
        self.assertIn("proofmill-proof ", tree)
        self.assertNotIn("proofmill-card", tree)
        self.assertNotIn("proofmill-cuda", tree)

    def test_the_library_is_added(self):
        lines = [line.partition("   #")[0].split() for text in examples("docs/use/install.md") for line in text.splitlines() if line.startswith("cargo add")]
        self.assertEqual([line[3] for line in lines], ["--path", "--git"])
        with tempfile.TemporaryDirectory() as folder:
            run(["cargo", "init", "--quiet", "--lib", "--name", "project", folder])
            run([*(word.replace("PATH/", f"{ROOT}/") for word in lines[0]), "--quiet", "--offline"], cwd=folder)
            self.assertIn("proofmill", tomllib.loads((Path(folder) / "Cargo.toml").read_text())["dependencies"])


if __name__ == "__main__":
    unittest.main()
