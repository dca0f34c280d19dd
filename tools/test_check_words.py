"""Each rule of check_words fails on a file that breaks it, and none on files that keep them."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import check_words
from place import Failed

FENCE = "```"
SCALA = "rtl/src/main/scala"
SOUND = {
    "README.md": "# Title\n\nLoads bases ([page](docs/a.md#two-words)). `make`\n\n| a table | " + "x " * 100 + "|\n\n"
    f"{FENCE}\nsums told here, the door\n{FENCE}\n",
    "docs/a.md": "# A\n\n## Two words\n\nA page with a [long link](" + "../" * 0 + "../README.md#title). There are two. The multiplier stands-in.\n",
    "host/op/src/lib.rs": '//! Requests of a device.\n\n/// Computes the sum of the terms.\n#[inline]\npub fn msm() {}\n\n/// A resident base.\npub struct Base {\n'
    '    /// The number of points.\n    pub count: u64,\n}\n// Plain comments are not checked: told.\nconst TEXT: &str = "told";\n'
    '#[cfg(test)]\nmod tests {\n    const TEXT: &str = "is told here";\n}\n',
    "host/op/tests/all/door.txt": "The house.\n",
    "rtl/src/main/scala/A.scala": "/** Adds two numbers. */\nclass Adder(room1x: Int)\n",
    "tools/a.py": '"""Builds a card."""\n\n\ndef program():\n    """Runs it: `told`."""\n    return "is told"\n',
    "host/bind/go/a.go": "package a\n\n// Open opens a device.\nfunc Open() {}\n",
    "host/bind/c/a.h": "// A device.\nvoid proofmill_open(void);\n",
    "Makefile": "help: ## this list\n",
}

#: Fault -> (files that have it, the message).
BROKEN = {
    "a term of a page": ({"docs/b.md": "A card is told of it.\n"}, "docs/b.md:1: 'told' (told); use logged"),
    "a term across two lines": ({"docs/b.md": "\nThe proof was given\nup.\n"}, "docs/b.md:2: 'given up'"),
    "a heading": ({"docs/b.md": "# The door\n"}, "'door'"),
    "a table": ({"docs/b.md": "| a | the room for it |\n"}, "'room'"),
    "an old name in code of a page": ({"docs/use/b.md": "Call `msm::sums`.\n"}, "the name `sums`"),
    "a long line": ({"docs/b.md": "long " * 25 + "\n"}, "docs/b.md:1: 124 characters"),
    "a link without a page": ({"docs/b.md": "[x](c.md)\n"}, "the link c.md leads nowhere"),
    "a link without a heading": ({"docs/b.md": "[x](a.md#three)\n"}, "has no such heading"),
    "a doc comment": ({"host/op/src/a.rs": "/// Tells the caller.\nfn a() {}\n"}, "host/op/src/a.rs:1: 'Tells'"),
    "a doc comment of a module": ({"host/op/src/a.rs": "//! Devices.\n//! A helper is used.\n"}, "host/op/src/a.rs:2: 'helper'"),
    "a help text": ({"host/cli/src/a.rs": "struct Arguments {\n    /// Leaves out the check\n    check: bool,\n}\n"}, "'Leaves out'"),
    "a message": ({"host/op/src/a.rs": 'fn a() { fail("the device is {} there", 1); }\n'}, None),
    "another message": ({"host/op/src/a.rs": 'fn a() {\n    fail("more than there is room for");\n}\n'}, "host/op/src/a.rs:2: 'room'"),
    "a raw message": ({"host/op/src/a.rs": 'fn a() { fail(r#"a "door" is open"#); }\n'}, "'door'"),
    "an opening": ({"host/op/src/a.rs": "/// What comes out.\npub struct Sum;\n"}, "begins with 'What comes'"),
    "an opening above attributes": ({"host/op/src/a.rs": "/// The same for many.\n#[must_use]\n#[inline]\npub const fn a() {}\n"}, "begins with 'The same'"),
    "an opening of a field": ({"host/op/src/a.rs": "/// A base.\npub struct A {\n    /// Whether it holds.\n    pub holds: bool,\n}\n"}, "host/op/src/a.rs:3: the doc comment begins with 'Whether it'"),
    "an opening of a module": ({"host/op/src/a.rs": "//! Does it verify?\n"}, "begins with 'Does it'"),
    "a public function": ({"host/op/src/a.rs": "pub fn park_all() {}\n"}, "the name `park_all` uses 'park'"),
    "a public field": ({"host/op/src/a.rs": "pub struct A {\n    pub publics: u64,\n}\n"}, "host/op/src/a.rs:2: the name `publics`"),
    "a sum of an engine": ({f"{SCALA}/Sums.scala": "class Sums(x: Int)\n"}, None),
    "an MSM": ({"host/op/src/a.rs": "pub struct Sums;\n"}, "the name `Sums` uses 'sums'"),
    "a variant": ({"host/op/src/a.rs": "pub enum A {\n    Here(u8),\n}\n"}, "host/op/src/a.rs:2: the name `Here`"),
    "a constant": ({"host/op/src/a.rs": "pub const MOST_SLOTS: u64 = 1;\n"}, "the name `MOST_SLOTS` uses 'most'"),
    "a Scala comment": ({"rtl/src/main/scala/B.scala": "/** A register for what is\n  * told. */\nclass B\n"}, "B.scala:2: 'told'"),
    "a Scala class": ({"rtl/src/main/scala/B.scala": "class CommandDoor(x: Int)\n"}, "the name `CommandDoor` uses 'door'"),
    "a docstring": ({"tools/b.py": 'def a():\n    """Asks the card."""\n'}, "tools/b.py:2: 'Asks'"),
    "an option's help": ({"tools/b.py": 'parser.add_argument("--x", help="what is left out")\n'}, "'left out'"),
    "a Python function": ({"tools/b.py": "def door():\n    pass\n"}, "the name `door`"),
    "a Go comment": ({"host/bind/go/b.go": "package a\n\n// A says it.\nfunc A() {}\n"}, "b.go:3: 'says'"),
    "a Go function": ({"host/bind/go/b.go": "package a\n\nfunc (d *Device) Publics() {}\n"}, "the name `Publics`"),
    "a C name": ({"host/bind/c/b.h": "void proofmill_park(void);\n"}, "the name `park`"),
    "a file": ({"host/op/src/house.rs": "\n"}, "the file name `house`"),
    "a make target": ({"Makefile": "lint: ## the rules of the house\n"}, "Makefile:1: 'of the house'"),
    "an exemption without need": ({check_words.ALLOWED: "docs/a.md:/told/  # an old page\n"}, "nothing needs the exemption docs/a.md:/told/"),
}


def checkout(folder, files):
    """A Git work tree with these files."""
    root = Path(folder)
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return root


def found(files, chosen=()):
    with tempfile.TemporaryDirectory() as folder:
        return [str(fault) for fault in check_words.faults(checkout(folder, files), chosen)]


class Rules(unittest.TestCase):
    def test_sound_files_have_no_faults(self):
        self.assertEqual(found(SOUND), [])

    def test_every_rule_finds_its_fault(self):
        for name, (files, message) in BROKEN.items():
            with self.subTest(name):
                faults = found({**SOUND, **files})
                if message is None:
                    self.assertEqual(faults, [])
                else:
                    self.assertTrue(any(message in fault for fault in faults), faults)

    def test_every_term_of_prose_is_found(self):
        examples = {"park": "is parked", "sums": "an MSM sum", "room": "a room", "door": "doors", "told": "said", "given up": "gives it up", "go on": "goes on", "asked": "is asked",
                    "here": "it is not there", "publics": "publics", "helper": "a helper", "redo": "redone", "plain words": "in words", "doubles": "in doubles", "twin": "its twins",
                    "card in software": "a card in software", "ready lines": "ready lines", "turn": "its turn", "apart": "far apart", "mend": "mended", "house": "the house",
                    "everybody": "nobody", "stand": "it stands", "left out": "left out", "pronoun": "his key", "personification": "the driver knows"}
        self.assertEqual(examples.keys(), {term.name for term in check_words.TERMS if term.prose})
        for name, text in examples.items():
            self.assertIn(f"({name})", " ".join(problem for _, problem in check_words.worded(f"Now {text}.")), name)

    def test_an_exemption_names_a_line_or_a_pattern_and_a_reason(self):
        page = {**SOUND, "docs/b.md": "He.\nThe door is told.\n"}
        self.assertEqual(len(found(page)), 3)
        allowed = "# exemptions\ndocs/b.md:1  # a quotation\ndocs/*.md:/'door'/  # the name of a film\n"
        self.assertEqual([fault.split(": ")[1] for fault in found({**page, check_words.ALLOWED: allowed})], ["'told' (told); use logged, reported, returned, notified"])
        with self.assertRaisesRegex(Failed, "not `PATH:LINE  # reason`"):
            found({**page, check_words.ALLOWED: "docs/b.md:1\n"})

    def test_pending_paths_are_checked_only_if_chosen(self):
        page = {**SOUND, "docs/old/b.md": "told\n", check_words.PENDING: "# pending\ndocs/old\n"}
        self.assertEqual(found(page), [])
        self.assertEqual(len(found(page, ["docs/old"])), 1)
        self.assertEqual(len(found({**page, "docs/older.md": "told\n"})), 1)

    def test_lines_with_a_term_are_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            root = checkout(folder, {"a.rs": "fn park_it() {}\n// parked, parked\nfn spark() {}\n", "b.md": "The doors, told.\nSums\n"})
            subprocess.run(["git", "add", "."], cwd=folder, check=True)
            files, lines = check_words.counts(root)
        self.assertEqual((files, lines["park"], lines["door"], lines["told"], lines["sums"], lines["room"]), (2, 2, 1, 1, 1, 0))


if __name__ == "__main__":
    unittest.main()
