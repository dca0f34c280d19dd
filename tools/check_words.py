"""Checks the language rules of CONTRIBUTING.md: `python3 tools/check_words.py [PATH ...] [--counts [--at COMMIT]]`.

- terms: replaced terms in pages, doc comments, docstrings, help texts and messages, and in public names and file names;
- lines: prose lines of Markdown have at most 120 characters; tables, code and link targets do not count;
- openings: the doc comment of a public Rust item begins with a verb in the third person or a noun phrase;
- links: relative links of Markdown, with their anchors, lead somewhere.

`words_allowed.txt` lists exemptions, each with its reason. `words_pending.txt` lists paths that are not checked yet.
`--counts` prints the number of lines with each term instead, in the work tree or at a commit.
"""

import argparse
import ast
import fnmatch
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from place import ROOT, Failed, main

LONGEST = 120
ALLOWED, PENDING = "tools/words_allowed.txt", "tools/words_pending.txt"
#: Generated files, texts of other people, and the list of renames.
SKIPPED = ["bench/results/*", "spec/vectors/*", "spec/model/published/*", "*.lock", "*.svg", "*.ipynb", "*package-lock.json",
           "tools/words_*.txt", "tools/check_words.py", "tools/test_check_words.py"]


@dataclass(frozen=True)
class Term:
    name: str
    prose: str  # a pattern, case-insensitive; empty: not checked in prose
    identifiers: tuple  # lower-case parts of identifiers, parts of longer ones joined by _
    instead: str
    where: str = ""  # identifiers are checked in paths that begin with this pattern


MACHINES = "backend|binding|bindings|builder|caller|card|cards|circuit|code|command|crate|device|devices|driver|engine|engines|function|host|library|" \
           "machine|model|module|page|parser|processor|program|prover|register|registers|request|reply|response|service|software|test|tests|verifier"

TERMS = [
    Term("park", r"\bpark(s|ed|ing)?\b", ("park", "parked", "parks"), "load, resident"),
    Term("sums", r"\bMSM sums?\b|\bsums? (of an MSM|of MSMs)\b|\blists? of sums\b", ("sums", "sum_of"), "msm, msm_batch", r"host/(?!algebra)|docs/use|[A-Z]"),
    Term("room", r"\brooms?\b", ("room", "rooms"), "max_bytes, memory limit; crate, package, directory; space"),
    Term("door", r"\bdoors?\b", ("door", "doors"), "interface, port, entry point, binding"),
    Term("told", r"\b(told|tells?|telling|says?|said|saying)\b", ("told", "tells", "tell", "says", "said"), "logged, reported, returned, notified"),
    Term("given up", r"\b(gives?|given|gave|giving)( \w+){0,3} up\b", ("given_up", "give_up", "gives_up"), "cancelled, abandoned"),
    Term("go on", r"\b(goes|going|went) on\b", ("go_on", "goes_on", "covered_by", "of_work"), "continue, check, linked_to, with_cancel"),
    Term("asked", r"\b(asks?|asked|asking)\b", ("asked", "asks", "ask"), "requested, called, submitted"),
    Term("here", r"\b(is|are|was|were|lies?) (not )?there(?=[.,;:)]|$| (when|where|if|beside|for|to|only|too|anyway|at|in|as)\b)|\b(elsewhere|here)\b",
         ("here", "elsewhere"), "host, device, local, remote; exists, on this machine"),
    Term("publics", r"\bpublics\b", ("publics",), "public_inputs"),
    Term("helper", r"\bhelpers?\b", ("helper", "helpers"), "fallback"),
    Term("redo", r"\bred(o|oes|one|oing)\b", ("redo", "redone"), "retry"),
    Term("plain words", r"\b(plain|in) words\b", (), "64-bit limbs, scalar path"),
    Term("doubles", r"\b(in|of|as|on|to|by) doubles\b", (), "floating-point limbs"),
    Term("twin", r"\btwins?\b", ("twin", "twins"), "behavioural model; counterpart"),
    Term("card in software", r"\bcards? in software\b", (), "software model of the card"),
    Term("ready lines", r"\bready lines?\b", ("ready_lines",), "precomputed line coefficients"),
    Term("turn", r"\b(by|its|their|the|a|of|per|whose|take|takes) turns?\b(?! out)", (), "cycle, issue slot, time slice; alternate"),
    Term("apart", r"\bapart\b(?! from)", ("apart",), "separate, out of line"),
    Term("mend", r"\bmend(s|ed|ing)?\b", ("mend", "mended"), "fix, fixed"),
    Term("house", r"\b(the|of the|our) house\b|\bhouse rules?\b", ("house",), "repository layout, dependency rules"),
    Term("everybody", r"\b(every|any|some|no)body\b", (), "a passive or a named subject; public"),
    Term("stand", r"\b(stands?|stood)\b(?!-)", (), "is, is in"),
    Term("left out", r"\b(left|leave|leaves|leaving) out\b", ("left_out",), "omitted, missing, not implemented"),
    Term("pronoun", r"\b(he|she|his|him|her|himself|herself)\b", (), "it, they, or the noun"),
    Term("personification", rf"\b({MACHINES}) (knows?|wants?|speaks?|thinks?|believes?|learns?|sees?|hears?|forgets?|remembers?)\b", (),
         "has, requires, uses, detects, reads"),
    Term("names", "", ("most", "watched_by", "devices_beside"), "msm, max, with_progress, devices_with_fallback"),
]
#: Parts of identifiers that are rejected only as a whole name or at its beginning.
FIRST_ONLY = {"sum_of": "whole", "most": "first", "here": "whole", "tell": "first", "ask": "first", "says": "whole"}

#: How the doc comment of a public item does not begin.
OPENING = re.compile(r"(What|Which|Whether|Who|Whom|Whose|How|Where|When|Why|The same|Is|Are|Was|Were|Does|Do|Did|Told|Said|Asked|Likewise|"
                     r"As|Of|To|By|If|In|It|They|All|So)\b(?!-)")
PUBLIC = re.compile(r"pub (?:(?:unsafe|async|const|extern \"C\") )*(?:(fn|struct|enum|union|trait|const|static|type|mod) (?:mut )?)?(\w+)")
#: Names that other languages make public: pattern and what it must not begin with.
NAMES = {".scala": re.compile(r"^\s*(?:(?:case|final|sealed|abstract|implicit|override|lazy) )*(?:class|trait|object|def) (\w+)", re.M),
         ".go": re.compile(r"^func (?:\([^)]*\) )?([A-Z]\w*)|^type ([A-Z]\w*)", re.M),
         ".h": re.compile(r"\b(proofmill_\w+|PROOFMILL_\w+)\b"),
         ".pyi": re.compile(r"^\s*(?:def|class) ([a-z]\w*)", re.M)}
RUST = re.compile(r"(?P<doc>//[/!][^\n]*)|//[^\n]*|/\*.*?\*/|(?<![\w])b?r(?P<hash>#*)\"(?P<raw>.*?)\"(?P=hash)|(?<![\w'])b?\"(?P<text>(?:\\.|[^\"\\])*)\"|'(?:\\.|[^'\\])'", re.S)


@dataclass(frozen=True)
class Fault:
    path: str
    line: int
    text: str  # the line, for the exemptions
    problem: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.problem}"


def blank(pattern, text, flags=0):
    """The text with spaces in place of what the pattern finds, so that lines and columns stay."""
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=flags)


def without_code(text):
    """Markdown without code, link targets and comments."""
    text = blank(r"^( *)(```|~~~).*?^\1\2[^\n]*$", text, re.M | re.S)
    text = blank(r"<!--.*?-->", text, re.S)
    text = blank(r"(`+)(?!`).*?(?<!`)\1(?!`)", text, re.S)
    return blank(r"(?<=\])\([^)\s]*\)", text)


def parts(name):
    """`fooBar_BAZ` -> [foo, bar, baz]."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def named(name, path):
    """Terms that an identifier of a file uses."""
    words = parts(name)
    for term in TERMS:
        for wanted in term.identifiers if re.match(term.where, path) else ():
            chain = wanted.split("_")
            where = [i for i in range(len(words)) if words[i:i + len(chain)] == chain]
            rule = FIRST_ONLY.get(wanted)
            if where and (rule is None or where[0] == 0 and (rule == "first" and len(words) > 1 or rule == "whole" and len(words) == len(chain))):
                yield f"the name `{name}` uses '{wanted}' ({term.name}); use {term.instead}"
                break


def worded(text):
    """Pairs of an offset and a problem in prose."""
    for term in TERMS:
        for found in re.finditer(term.prose, text, re.I) if term.prose else ():
            shown = " ".join(found[0].split())
            yield found.start(), f"'{shown}' ({term.name}); use {term.instead}"


class File:
    """A file's text with the faults that checks find in it."""

    def __init__(self, root, path):
        self.path = path
        self.text = (root / path).read_text(errors="replace")
        self.lines = self.text.splitlines() or [""]
        self.faults = []

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def fault(self, line, problem):
        shown = self.lines[line - 1] if line <= len(self.lines) else ""
        self.faults.append(Fault(self.path, line, shown, problem))

    def prose(self, text, base=0):
        """Checks prose that begins at an offset of the file; a phrase may cross a line's end."""
        flat = re.sub(r"\n[ \t]*(//[/!]|\*(?!/)|#)?", lambda found: " " * len(found[0]), text)
        for offset, problem in worded(flat):
            self.fault(self.line_of(base + offset), problem)

    def names(self, name, line):
        for problem in named(name, self.path):
            self.fault(line, problem)


def markdown(file):
    """Pages: terms, terms in inline code, and lengths of lines."""
    text = blank(r"<!-- figures [^>]*-->.*?<!-- end -->", file.text, re.S)  # made by tools/report.py
    prose = without_code(text)
    file.prose(prose)
    fenced = blank(r"^( *)(```|~~~).*?^\1\2[^\n]*$", text, re.M | re.S)
    for code in re.finditer(r"`([^`\n]+)`", fenced):
        for name in re.findall(r"[A-Za-z_]\w*", code[1]) if "/" not in code[1] and "_twin" not in code[1] and not code[1].startswith("make ") else ():
            file.names(name, file.line_of(code.start()))
    for number, line in enumerate(fenced.splitlines(), 1):
        shown = re.sub(r"\]\([^)\s]*\)", "]", line).rstrip()
        if len(shown) > LONGEST and not line.lstrip().startswith("|"):
            file.fault(number, f"{len(shown)} characters; a prose line has at most {LONGEST}")


def rust(file):
    """Doc comments, openings of public items, messages and public names."""
    tests = re.search(r"#\[cfg\(test\)\]\s*mod \w+ \{", file.text)
    text = file.text[:tests.start()] if tests else file.text
    testing = "/tests/" in f"/{file.path}" or file.path.endswith("tests.rs") or "/benches/" in f"/{file.path}"
    code = list(text)
    comments, begin, end = [], None, None

    def block():
        if begin is not None:
            comments.append((begin, end))

    for found in RUST.finditer(text):
        for i in range(*found.span()):
            code[i] = code[i] if code[i] == "\n" else " "
        if found["doc"] and not found["doc"].startswith("////"):
            if begin is not None and not text[end:found.start()].strip() and text.count("\n", end, found.start()) == 1:
                end = found.end()
            else:
                block()
                begin, end = found.span()
        elif not testing and (content := found["text"] or found["raw"]) and " " in content.strip():
            file.prose(blank(r"\{[^}]*\}|`[^`]*`", content), found.start() + found[0].index('"') + 1)
    block()
    code = "".join(code)
    for begin, end in comments:
        comment = blank(r"//[/!]", text[begin:end])
        file.prose(without_code(comment), begin)
        follows = re.sub(r"^(\s*#\[[^\n]*\]\s*\n)*\s*", "", code[end:end + 2000])
        first = comment.strip().split("\n")[0].strip()
        inner = text[begin:begin + 3] == "//!"
        if (inner or PUBLIC.match(follows)) and OPENING.match(first):
            file.fault(file.line_of(begin), f"the doc comment begins with '{' '.join(first.split()[:2])}'; begin with a verb in the third person or a noun phrase")
    if not testing:
        for found in PUBLIC.finditer(code):
            if re.match(r"(?:^|[\s({,])", code[found.start() - 1:found.start()] or " "):
                file.names(found[2], file.line_of(found.start()))
        for enum in re.finditer(r"\bpub enum \w+[^{]*\{(.*?)^\}", code, re.S | re.M):
            for variant in re.finditer(r"^    ([A-Z]\w*)", enum[1], re.M):
                file.names(variant[1], file.line_of(enum.start(1) + variant.start()))


def python(file):
    """Docstrings, help texts of options, and public names."""
    try:
        tree = ast.parse(file.text)
    except SyntaxError:
        return
    starts = [0]
    for line in file.text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body and isinstance(node.body[0], ast.Expr) \
                and isinstance(node.body[0].value, ast.Constant) and isinstance(node.body[0].value.value, str):
            value = node.body[0].value
            file.prose(blank(r"`[^`\n]*`", "\n".join(file.lines[value.lineno - 1:value.end_lineno])), starts[value.lineno - 1])
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith(("_", "test_")):
            file.names(node.name, node.lineno)
        if isinstance(node, ast.keyword) and node.arg in ("help", "description", "epilog") and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            file.prose(blank(r"`[^`\n]*`", "\n".join(file.lines[node.value.lineno - 1:node.value.end_lineno])), starts[node.value.lineno - 1])


def commented(file):
    """Doc comments of Scala; comments of C headers, Go and TOML; names."""
    suffix = Path(file.path).suffix
    pattern = {".scala": r"/\*\*.*?\*/", ".h": r"/\*.*?\*/|//[^\n]*", ".hpp": r"/\*.*?\*/|//[^\n]*", ".go": r"(?m:^\s*//[^\n]*)", ".toml": r"(?m:^\s*#[^\n]*)"}.get(suffix)
    for found in re.finditer(pattern, file.text, re.S) if pattern else ():
        file.prose(blank(r"`[^`]*`", found[0]), found.start())
    if suffix in NAMES:
        code = blank(r"/\*.*?\*/|//[^\n]*", file.text, re.S)
        seen = set()
        for found in NAMES[suffix].finditer(code):
            name = next(group for group in found.groups() if group)
            if name not in seen:
                seen.add(name)
                file.names(name.removeprefix("proofmill_").removeprefix("PROOFMILL_"), file.line_of(found.start()))


def makefile(file):
    """Help texts of targets."""
    for found in re.finditer(r"^[a-z-]+:.*?## ([^\n]*)", file.text, re.M):
        file.prose(found[1], found.start(1))


CHECKS = {".md": markdown, ".rs": rust, ".py": python, ".pyi": commented, ".scala": commented, ".h": commented, ".hpp": commented, ".go": commented, ".toml": commented}


def anchors(text):
    """Anchors of a page's headings, as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)", blank(r"^( *)```.*?^\1```", text, re.M | re.S), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        found.add(re.sub(r"[^\w\- ]", "", heading).replace(" ", "-"))
    return found


def links(root, file):
    """Relative links that lead nowhere."""
    text = blank(r"^( *)```.*?^\1```", file.text, re.M | re.S)
    for found in re.finditer(r"\]\(([^)\s]+)\)", text):
        link = found[1]
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        path = root / os.path.normpath(Path(file.path).parent / target) if target else root / file.path
        if not path.exists():
            file.fault(file.line_of(found.start()), f"the link {link} leads nowhere")
        elif anchor and path.suffix == ".md" and anchor not in anchors(path.read_text()):
            file.fault(file.line_of(found.start()), f"the link {link} has no such heading")


def tracked(root):
    """Text files that are in the repository or would be added to it."""
    listing = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, stdout=subprocess.PIPE, check=True)
    names = sorted(set(listing.stdout.decode().split("\0")) - {""})
    return [name for name in names if (root / name).is_file() and not (root / name).is_symlink() and not any(fnmatch.fnmatch(name, pattern) for pattern in SKIPPED)]


def entries(root, name):
    """Lines of a list, without comments."""
    path = root / name
    return [line.rstrip() for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")] if path.exists() else []


@dataclass
class Exemption:
    path: str
    line: int  # 0: any
    pattern: str
    used: bool = False

    def covers(self, fault):
        return fnmatch.fnmatch(fault.path, self.path) and self.line in (0, fault.line) and re.search(self.pattern, f"{fault.text}\n{fault.problem}") is not None


def allowed(root):
    """`PATH:LINE  # reason` or `PATH:/PATTERN/  # reason`."""
    found = []
    for line in entries(root, ALLOWED):
        parsed = re.fullmatch(r"(\S+?):(?:(\d+)|/(.*)/)\s+# (\S.*)", line)
        if not parsed:
            raise Failed(f"{ALLOWED}: not `PATH:LINE  # reason` or `PATH:/PATTERN/  # reason`: {line}")
        found.append(Exemption(parsed[1], int(parsed[2] or 0), parsed[3] or ""))
    return found


def under(name, pending):
    return any(name == entry or name.startswith(entry.rstrip("/") + "/") or fnmatch.fnmatch(name, entry) for entry in pending)


def faults(root, chosen=()):
    """All faults; of chosen paths, pending or not."""
    exemptions, pending = allowed(root), [] if chosen else entries(root, PENDING)
    found = []
    for name in tracked(root):
        if under(name, pending) or chosen and not under(name, chosen):
            continue
        check = makefile if Path(name).name == "Makefile" else CHECKS.get(Path(name).suffix)
        file = File(root, name)
        if check:
            check(file)
        if name.endswith(".md"):
            links(root, file)
        for problem in named(Path(name).stem, name) if check else ():
            file.fault(1, problem.replace("the name", "the file name", 1))
        for fault in file.faults:
            covering = next((it for it in exemptions if it.covers(fault)), None)
            if covering:
                covering.used = True
            else:
                found.append(fault)
    if not chosen:
        found += [Fault(ALLOWED, 1, "", f"nothing needs the exemption {it.path}:{it.line or f'/{it.pattern}/'}") for it in exemptions
                  if not it.used and not under(it.path, pending)]
    return found


def counts(root, commit=None):
    """Lines of text files with each term, as a word or as a part of an identifier."""
    listing = subprocess.run(["git", "ls-tree", "-rz", "--name-only", commit] if commit else ["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE, check=True)
    names = [name for name in listing.stdout.decode().split("\0") if name and not any(fnmatch.fnmatch(name, pattern) for pattern in SKIPPED) and name != "docs/figures.md"]
    lines = {}
    for term in TERMS:
        patterns = [r"(^|[^a-z])" + wanted + r"([^a-z]|$)" for wanted in term.identifiers if wanted not in FIRST_ONLY]
        patterns += [term.prose.replace(r"(?=[.,;:)]|$| (when|where|if|beside|for|to|only|too|anyway|at|in|as)\b)", "")] if term.prose else []
        if not patterns:
            continue
        command = ["git", "grep", "-hIiP", "|".join(f"(?:{pattern})" for pattern in patterns), *([commit] if commit else []), "--"]
        output = subprocess.run([*command, ":(top)", *(f":(exclude,top,glob)**/{pattern}" if "/" not in pattern else f":(exclude,top){pattern}" for pattern in [*SKIPPED, "docs/figures.md"])],
                                cwd=root, stdout=subprocess.PIPE).stdout
        lines[term.name] = output.count(b"\n")
    return len(names), lines


def program():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="*", metavar="PATH", help="check these files and folders only, pending or not")
    parser.add_argument("--counts", action="store_true", help="print the lines with each term")
    parser.add_argument("--at", metavar="COMMIT", help="with --counts: of this commit")
    parser.add_argument("--root", type=Path, default=ROOT, help="another checkout")
    arguments = parser.parse_args()
    if arguments.counts:
        files, lines = counts(arguments.root, arguments.at)
        print(f"{files} files")
        print("\n".join(f"{name:<18} {number:>6}" for name, number in lines.items()))
        return 0
    chosen = [os.path.relpath(path, arguments.root) if os.path.isabs(path) else os.path.normpath(path) for path in arguments.paths]
    found = faults(arguments.root, chosen)
    print("\n".join(map(str, found)) if found else f"no faults; {len(entries(arguments.root, PENDING))} paths are pending")
    return 1 if found else 0


if __name__ == "__main__":
    main(program)
