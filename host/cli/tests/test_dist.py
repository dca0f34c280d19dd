"""What `make dist` writes, as people have it: unpacked or installed in a new folder, it makes a proof. The programs are those of the release profile,
which are built already; the stages of Python, Node and WebAssembly try the wheel and the npm packages."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import artifacts  # noqa: E402
import bill  # noqa: E402
import clib  # noqa: E402
import deb  # noqa: E402
import dist  # noqa: E402
import setup  # noqa: E402
from place import PROOFMILL, TARGET, Failed, run  # noqa: E402

#: Validates bills against the schema of CycloneDX.
VALIDATOR = ["cyclonedx-python-lib[json-validation]==11.12.0"]
VALIDATE = """
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
for path in sys.argv[1:]:
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(path).read()):
        sys.exit(f"{path}: {error}")
"""
ACTIONLINT = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"


class Distribution(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.enterClassContext(unittest.mock.patch.object(artifacts, "FOLDER", TARGET / "test/artifacts"))
        shutil.rmtree(artifacts.FOLDER, ignore_errors=True)
        cls.triple, cls.version = dist.target(), clib.version()
        run([PROOFMILL, "dev", "circuit", "chain", "--constraints", 60, "--out", cls.folder / "circuit"])
        cls.files = [cls.folder / "circuit" / name for name in ("INSECURE.zkey", "witness.wtns", "verification_key.json")]

    def unpacked(self, tarball):
        """Unpacks a tarball whose checksum is right into a new folder. Returns its only folder."""
        run(["sha256sum", "--check", "--quiet", f"{tarball.name}.sha256"], cwd=tarball.parent)
        folder = self.folder / f"unpacked {tarball.name}"
        with tarfile.open(tarball) as tar:
            tar.extractall(folder, filter="data")
        (found,) = folder.iterdir()
        return found

    def proves(self, program):
        """Runs an installed command without the environment of this machine."""
        with tempfile.TemporaryDirectory() as work:
            shutil.copy(self.files[2], work)
            for arguments in (["prove", *self.files[:2], "--output", "proof.json", "--public", "public.json"],
                              ["verify", "verification_key.json", "public.json", "proof.json"]):
                done = subprocess.run([program, *arguments], cwd=work, env={}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_the_command(self):
        packages, listing = dist.command_packages(self.triple)
        name = f"proofmill-{self.version}-{self.triple}"
        tarball = artifacts.write(f"{name}.tar.gz", name, dist.command_contents(PROOFMILL, listing), packages)
        folder = self.unpacked(tarball)
        self.assertEqual({path.name for path in folder.iterdir()}, {"proofmill", "THIRD-PARTY", *artifacts.LICENCES, *dist.PAGES})
        self.assertIn("clap_builder ", (folder / "THIRD-PARTY").read_text())
        self.proves(folder / "proofmill")
        again = artifacts.write("again.tar.gz", name, dist.command_contents(PROOFMILL, listing), packages)
        self.assertEqual(tarball.read_bytes(), again.read_bytes(), "the tarball depends on something else")

    @unittest.skipIf(shutil.which("dpkg-deb") is None, "there is no dpkg-deb")
    def test_the_package_for_debian(self):
        package = deb.build(PROOFMILL, self.version, "texts", self.folder)
        self.assertEqual(package.name, f"proofmill_{self.version}_{run(['dpkg', '--print-architecture']).strip()}.deb")
        fields = run(["dpkg-deb", "--field", package])
        self.assertRegex(fields, rf"(?m)^Version: {re.escape(self.version)}$")
        libc = re.search(r"^Depends: libc6 \(>= (2\.\d+)\), libgcc-s1$", fields, re.M)
        here = run(["dpkg-query", "--show", "--showformat", "${Version}", "libc6"]).strip()
        self.assertEqual(subprocess.run(["dpkg", "--compare-versions", here, "ge", libc[1]]).returncode, 0)
        owners = {line.split()[1] for line in run(["dpkg-deb", "--contents", package]).splitlines()}
        self.assertEqual(owners, {"root/root"})
        installed = self.folder / "installed"
        run(["dpkg-deb", "--extract", package, installed])
        self.proves(installed / "usr/bin/proofmill")
        self.assertTrue({"copyright", "THIRD-PARTY", "changelog.gz"} <= {path.name for path in (installed / "usr/share/doc/proofmill").iterdir()})

    def test_the_library_for_c(self):
        packages = artifacts.linked(self.triple, "proofmill-c")
        prefix = self.folder / "prefix"
        clib.install(prefix, clib.built_for_tests(), prefix="${pcfiledir}/../..")
        name = f"proofmill-c-{self.version}-{self.triple}"
        folder = self.unpacked(artifacts.write(f"{name}.tar.gz", name, dist.c_contents(prefix, packages), packages))
        self.assertTrue((folder / "lib/libproofmill.so").is_symlink())
        flags = run(["pkg-config", "--cflags", "--libs", "proofmill"], env={**os.environ, "PKG_CONFIG_PATH": str(folder / "lib/pkgconfig")})
        run(["cc", ROOT / "host/bind/c/examples/prove.c", *shlex.split(flags), "-pthread", "-o", folder / "prove"])
        done = subprocess.run([folder / "prove", *self.files], env={"LD_LIBRARY_PATH": str(folder / "lib")}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("\nvalid\n", done.stdout)

    def test_bills_of_materials(self):
        packages, _ = dist.command_packages(self.triple)
        path = self.folder / "proofmill.cdx.json"
        path.write_text(bill.of("proofmill.tar.gz", self.version, "0" * 64, packages))
        python = setup.python_tool("python", VALIDATOR)
        run([python, "-c", VALIDATE, path])
        broken = self.folder / "broken.cdx.json"
        broken.write_text(path.read_text().replace('"purl"', '"link"', 1))
        with self.assertRaises(Failed):
            run([python, "-c", VALIDATE, broken])
        self.assertTrue(all(bill.checksums().get((package["name"], package["version"])) for package in packages))

    def test_the_container_installs_the_package(self):
        text = (ROOT / "host/cli/Containerfile").read_text().replace("@package@", "proofmill_1_amd64.deb")
        self.assertIn("COPY proofmill_1_amd64.deb /tmp/", text)
        self.assertNotIn("@", text)

    @unittest.skipIf(shutil.which("go") is None, "actionlint needs Go")
    def test_the_release_workflow_has_no_faults(self):
        run(["go", "run", ACTIONLINT, ROOT / ".github/workflows/release.yml"], cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
