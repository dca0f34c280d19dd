"""Every rule of check_layout fails on a checkout that breaks it, and none on one that keeps it."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import check_layout

SCALA = "rtl/src/main/scala/proofmill"
SOUND = {
    "spec/wire/shell.toml": "",
    "spec/wire/twist.toml": "",
    "spec/model/twist.py": "",
    "spec/vectors/twist/a.json": "",
    "host/op/src/twist.rs": "",
    "host/cpu/src/twist.rs": "",
    "host/card/src/driver/twist.rs": "",
    "spec/wire/fold.toml": "planned = true\n",
    "host/op/src/fold.rs": "",
    "host/cpu/src/fold.rs": "",
    "host/op/src/registry.rs": "operations! {\n    Twist = twist::Request;\n    Fold = fold::Request;\n}\n",
    "spec/Cargo.toml": "",
    "host/algebra/Cargo.toml": '[build-dependencies]\nproofmill-spec = "1"\n',
    "host/op/Cargo.toml": '[dependencies]\nproofmill-algebra = "1"\nserde = "1"\n',
    "host/cpu/Cargo.toml": '[dependencies]\nproofmill-op = "1"\n[dev-dependencies]\nproofmill-testkit = "1"\n',
    "bench/Cargo.toml": '[dependencies]\nproofmill-device = "1"\n',
    f"{SCALA}/engine/Engine.scala": "package proofmill.engine\nimport proofmill.spec.Wire\n",
    f"{SCALA}/engine/twist/Twist.scala": "package proofmill.engine.twist\nimport proofmill.engine.Engine\n// proofmill.shell uses this\n"
    "class Twist(a: Int = 1)\n    extends Port {\n}\ncase class Row(a: Int) extends Bundle\n",
    f"{SCALA}/shell/Row.scala": "abstract class Port(a: Int) extends Component {\n}\n\ncase class Row(a: Int) extends Bundle\n",
    f"{SCALA}/shell/Shell.scala": "import proofmill.{engine, spec}\n",
    f"{SCALA}/shell/Gate.scala": "class Gate extends Component {\n  val a = in(Bool()) // level: open\n\n  /** Words. */\n"
    "  val b, c = out(Bits(8 bits))\n  val d =\n    slave(Flow(\n      Bits(8 bits)\n    )) // pulse\n  val e = list.in(a)\n"
    "  // Results.\n  private val f = Vec.fill(2)(master(Event))\n}\n",
    f"{SCALA}/formal/GateProof.scala": "class GateProof extends Component {\n  val a = in(Bool())\n}\n",
    "host/cpu/src/sound.rs": "// an unsafe { block in a comment\nconst A: &str = \"unsafe { }\";\nconst B: char = '\"';\n// SAFETY: f has no rules\nfn g() {\n    unsafe { f() }\n}\n",
    "docs/design/unsafe.md": "| `host/cpu` | 1 | calls | tests |\n",
    "Cargo.lock": 'source = "registry+https://github.com/rust-lang/' + "crates" + '.io-index"\n',
}
HOST = ".".join(("files.pythonhosted", "org"))


def gate(ports):
    """Returns a circuit with these ports."""
    return {f"{SCALA}/shell/Gate.scala": f"class Gate extends Component {{\n{ports}}}\n"}


#: An inventory with a block more.
LISTED = {"docs/design/unsafe.md": "| `host/cpu` | 1 | calls | tests |\n| `host/op` | 1 | calls | tests |\n"}
#: Broken rule -> (files that break it, part of the message).
BROKEN = {
    "an engine names the shell": ({f"{SCALA}/engine/twist/Twist.scala": "import proofmill.shell.Shell\n"}, "engine names shell"),
    "in a group": ({f"{SCALA}/spec/A.scala": "import proofmill.{spec => s, engine}\n"}, "spec names engine"),
    "in full": ({f"{SCALA}/spec/A.scala": "val x = proofmill.arith.Adder()\n"}, "spec names arith"),
    "an engine names another": ({f"{SCALA}/engine/twist/Twist.scala": "import proofmill.engine.msm.Bucket\n"}, "engine twist names engine msm"),
    "a new package": ({f"{SCALA}/misc/A.scala": ""}, "misc is not in the layout"),
    "op depends on cpu": ({"host/op/Cargo.toml": '[dependencies]\nproofmill-cpu = "1"\n'}, "op has cpu"),
    "cpu builds with device": ({"host/cpu/Cargo.toml": '[build-dependencies]\nproofmill-device = "1"\n'}, "cpu has device"),
    "for one machine only": ({"host/cpu/Cargo.toml": '[target."cfg(unix)".dependencies]\nproofmill-device = "1"\n'}, "cpu has device"),
    "a test needs the CLI": ({"host/cpu/Cargo.toml": '[dev-dependencies]\nproofmill-cli = "1"\n'}, "cpu has cli"),
    "a new crate": ({"host/misplaced/Cargo.toml": ""}, "misplaced is not in the layout"),
    "host reads rtl": ({"host/op/src/twist.rs": 'include_str!("../../../rtl/pom.xml")\n'}, "reads a file of rtl/"),
    "rtl reads host": ({f"{SCALA}/spec/A.scala": 'Files.read("../host/op/src/twist.rs")\n'}, "reads a file of host/"),
    "no driver": ({"host/card/src/driver/twist.rs": None}, "driver/twist.rs is missing"),
    "no wire file": ({"spec/wire/fold.toml": None}, "wire/fold.toml is missing"),
    "an engine that is planned": ({"host/card/src/driver/fold.rs": ""}, "is planned, but"),
    "spec depends on algebra": ({"spec/Cargo.toml": '[dependencies]\nproofmill-algebra = "1"\n'}, "spec has algebra"),
    "no vectors": ({"spec/vectors/twist/a.json": None}, "vectors/twist/*.json is missing"),
    "two circuits": ({f"{SCALA}/shell/Twist.scala": "class Twist extends Port(1) {\n}\n"}, "Twist: a circuit's name"),
    "a circuit and another class": ({f"{SCALA}/spec/Twist.scala": "case class Twist(x: Int)\n"}, "Twist: a circuit's name"),
    "a port without a comment": (gate("  val a = in(Bool())\n"), "Gate.scala:2: the port a has no comment"),
    "several ports": (gate("  val a, b = in(Bool())\n"), "the port a, b has no comment"),
    "a port below a documented one": (gate("  val a = in(Bool()) // level\n  val b = out(Bool())\n"), "3: the port b"),
    "a group's second port": (gate("\n  /** Levels. */\n  val a = in(Bool())\n  val b = out(Bool())\n"), "5: the port b"),
    "a private port": (gate("  private val a = in(Bool())\n"), "the port a has"),
    "an override": (gate("  override val a: Seq[Axi4] = Seq(master(Axi4(axi)))\n"), "the port a has"),
    "ports of a list": (gate("  val a = Vec.fill(2)(slave(Event))\n"), "the port a has"),
    "a port in two lines": (gate("  val a =\n    slave(Event)\n  val b = 1 // one\n"), "the port a has"),
    "a registry's host": ({"host/op/Cargo.toml": f"# from {HOST}\n"}, "names the host"),
    "an unsafe block without a reason": ({"host/op/src/twist.rs": "fn f() {\n    unsafe { g() }\n}\n", **LISTED}, "twist.rs:2: unsafe code without"),
    "an unsafe implementation": ({"host/op/src/twist.rs": "unsafe impl Send for A {}\n", **LISTED}, "twist.rs:1: unsafe code without"),
    "unsafe code that is not listed": ({"host/op/src/twist.rs": "// SAFETY: g has no rules\nfn f() { unsafe { g() } }\n"}, "host/op has 1 unsafe blocks and implementations, but 0"),
    "listed code that is gone": (LISTED, "host/op has 0 unsafe blocks and implementations, but 1"),
    "a predictable name": ({"host/op/src/twist.rs": 'let file = std::env::temp_' + 'dir().join("x");\n'}, "a name in the shared folder"),
    "a predictable name in Python": ({"host/op/a.py": 'open(tempfile.gettemp' + 'dir() + "/x")\n'}, "a name in the shared folder"),
    "a host in the lock": ({"Cargo.lock": f'source = "registry+https://{HOST}"\n'}, "names the host"),
}


class Layout(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            for name, text in {**SOUND, **files}.items():
                if text is not None:
                    path = root / name
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            return [fault for check in check_layout.CHECKS for fault in check(root)]

    def test_a_sound_layout_has_no_faults(self):
        self.assertEqual(self.faults({}), [])

    def test_every_breach_is_found_and_named(self):
        for name, (files, complaint) in BROKEN.items():
            with self.subTest(name):
                faults = self.faults(files)
                self.assertEqual(len(faults), 1, faults)
                self.assertIn(complaint, faults[0])


if __name__ == "__main__":
    unittest.main()
