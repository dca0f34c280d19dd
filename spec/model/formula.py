"""Formulas: straight-line programs of spec/formulas (its README defines the form), read, evaluated, counted, flattened.

A program of the tower becomes one of the field below by putting for every line the formula of that operation:
`flatten` does it once, so an `over fp6` program goes through it twice on its way to the base field.
"""

import re
from collections import Counter
from dataclasses import dataclass, replace

from field import SPEC

FOLDER = SPEC / "formulas"
NAME = r"[A-Za-z]\w*"
HEADS = ("formula", "source", "over", "inputs", "constants", "outputs")
#: What a letter of a program is made of: its parts are one floor lower.
PARTS = {"fp2": 2, "fp6": 3}


class Malformed(ValueError):
    """The error of a malformed program; its text has the position and the reason."""


@dataclass(frozen=True)
class Line:
    """target = left op right; for "scale" left is an integer, for "neg" there is no right."""

    target: str
    op: str  # add, sub, mul, neg, scale
    left: object
    right: str | None = None

    @property
    def reads(self):
        return [name for name in (self.left, self.right) if isinstance(name, str)]


@dataclass(frozen=True)
class Formula:
    name: str
    source: str
    over: str | None
    inputs: tuple
    constants: tuple
    outputs: tuple
    lines: tuple
    comment: str = ""

    def evaluate(self, ring, values, constants=None):
        """The outputs' values, in their order. `values` and `constants` go by name."""
        known = {name: values[name] for name in self.inputs}
        known |= {name: (constants or {})[name] for name in self.constants}
        for line in self.lines:
            known[line.target] = apply(ring, line, known)
        return tuple(known[name] for name in self.outputs)

    def cost(self):
        """How many operations of each kind: mul, sqr, constant (products with one), add, neg, scale."""
        return Counter(self.kind(line) for line in self.lines)

    def kind(self, line):
        if line.op == "mul":
            if set(line.reads) & set(self.constants):
                return "constant"
            return "sqr" if line.left == line.right else "mul"
        return "add" if line.op == "sub" else line.op


def apply(ring, line, known):
    if line.op == "neg":
        return ring.neg(known[line.left])
    if line.op == "scale":
        return ring.scale(line.left, known[line.right])
    return getattr(ring, line.op)(known[line.left], known[line.right])


def parse(text, where):
    """The formula of a file's text; Malformed, with `where` and the line's number, when it breaks the form."""
    heads, lines, comments = {}, [], []
    for at, raw in enumerate(text.splitlines(), 1):
        code, _, remark = raw.partition("#")
        if not code.strip():
            comments.append(remark.strip())
            continue
        word, _, rest = code.strip().partition(" ")
        if word in HEADS and not rest.lstrip().startswith("="):
            if word in heads or lines:
                raise Malformed(f"{where}:{at}: `{word}` stands twice or after the first line of the program")
            heads[word] = rest.strip()
        else:
            lines.append((at, parse_line(code.strip(), f"{where}:{at}")))
    for needed in ("formula", "source", "inputs", "outputs"):
        if not heads.get(needed):
            raise Malformed(f"{where}: `{needed}` is missing")
    if heads.get("over", "fp2") not in PARTS:
        raise Malformed(f"{where}: over {heads['over']}: no such field, there are {', '.join(PARTS)}")
    names = {head: tuple(heads.get(head, "").split()) for head in ("inputs", "constants", "outputs")}
    found = Formula(heads["formula"], heads["source"], heads.get("over"), **names,
                    lines=tuple(line for _, line in lines), comment=" ".join(filter(None, comments)))
    check_names(found, lines, where)
    return found


def parse_line(code, where):
    match = re.fullmatch(rf"({NAME})\s*=\s*(.*)", code)
    if not match:
        raise Malformed(f"{where}: `{code}` is no assignment")
    target, right = match.groups()
    if binary := re.fullmatch(rf"({NAME})\s*([-+*])\s*({NAME})", right):
        return Line(target, {"+": "add", "-": "sub", "*": "mul"}[binary[2]], binary[1], binary[3])
    if scaled := re.fullmatch(rf"(\d+)\s*\*\s*({NAME})", right):
        return Line(target, "scale", int(scaled[1]), scaled[2])
    if negated := re.fullmatch(rf"-\s*({NAME})", right):
        return Line(target, "neg", negated[1])
    raise Malformed(f"{where}: `{right}` is not one operation")


def check_names(formula, numbered, where):
    """Every name once, read only after that; constants only as factors; nothing computed in vain."""
    known = set()
    for name in formula.inputs + formula.constants:
        if name in known:
            raise Malformed(f"{where}: {name} is given twice")
        known.add(name)
    for at, line in numbered:
        for name in line.reads:
            if name not in known:
                raise Malformed(f"{where}:{at}: {name} is read before it is given")
            if name in formula.constants and line.op != "mul":
                raise Malformed(f"{where}:{at}: constant {name} is no factor here")
        if line.target in known:
            raise Malformed(f"{where}:{at}: {line.target} is given twice")
        known.add(line.target)
    for name in formula.outputs:
        if name not in known:
            raise Malformed(f"{where}: output {name} is never given")
    read = {name for line in formula.lines for name in line.reads} | set(formula.outputs)
    for name in sorted(known - read):
        raise Malformed(f"{where}: {name} is never read")


def load(name):
    """The formula of spec/formulas/<name>.slp."""
    path = FOLDER / f"{name}.slp"
    found = parse(path.read_text(), path.name)
    if found.name != name:
        raise Malformed(f"{path.name}: is called {found.name}")
    return found


def names():
    return sorted(path.stem for path in FOLDER.glob("*.slp"))


def parts(name, count):
    """The names of a letter's coordinates, one floor down."""
    return tuple(f"{name}_{i}" for i in range(count))


def flatten(formula, choice=None, over=None):
    """The same program one floor down: `over fp6` becomes `over fp2`, `over fp2` one of the base field.

    `choice` is a curve's [formulas] table, which may name other formulas for fp2_mul and fp2_sqr; `over` is the ring of a
    formula for any ring. A constant c of Fp2 becomes the constants c_0 and c_1; v of Fp6
    disappears into fp6_mul_v. beta and xi come up as constants.
    """
    over = formula.over or over
    flat = Flattening(over, choice or {})
    for line in formula.lines:
        flat.line(formula, line)
    split = [part for name in formula.inputs for part in parts(name, flat.count)]
    outputs = [flat.named(part) for name in formula.outputs for part in parts(name, flat.count)]
    found = replace(formula, over="fp2" if over == "fp6" else None, inputs=tuple(split), outputs=tuple(outputs),
                    constants=tuple(sorted(flat.constants)), lines=tuple(flat.lines), comment="")
    check_names(found, list(enumerate(found.lines, 1)), f"{formula.name}, flattened")
    return found


class Flattening:
    """The lines so far, and the names of coordinates that an operation passes on unchanged."""

    def __init__(self, over, choice):
        self.over, self.choice, self.count = over, choice, PARTS[over]
        self.lines, self.constants, self.alias = [], set(), {}

    def named(self, part):
        return self.alias.get(part, part)

    def chosen(self, role):
        return load(self.choice.get(role, role))

    def line(self, formula, line):
        if line.op != "mul":
            for i in range(self.count):
                lowered = [self.named(f"{name}_{i}") if isinstance(name, str) else name for name in (line.left, line.right)]
                self.lines.append(Line(f"{line.target}_{i}", line.op, *lowered))
            return
        constants = [name for name in line.reads if name in formula.constants]
        if constants:
            factor = line.right if line.left in constants else line.left
            self.by_constant(line.target, constants[0], factor)
        elif line.left == line.right:
            self.splice(self.chosen(f"{self.over}_sqr"), line.target, {"a": line.left})
        else:
            self.splice(self.chosen(f"{self.over}_mul"), line.target, {"a": line.left, "b": line.right})

    def by_constant(self, target, constant, factor):
        if self.over == "fp6":
            if constant != "v":
                raise Malformed(f"no formula multiplies Fp6 by the constant {constant}")
            self.splice(self.chosen("fp6_mul_v"), target, {"a": factor})
        else:
            bound = {"k0": f"{constant}_0", "k1": f"{constant}_1"}
            self.splice(self.chosen("fp2_mul_constant"), target, {"a": factor}, bound)

    def splice(self, operation, target, letters, bound=None):
        """The lines of an operation, its inputs a0 … and b0 … being the coordinates of two letters."""
        names = {f"{a}{i}": self.named(f"{letter}_{i}") for a, letter in letters.items() for i in range(self.count)}
        names |= {name: (bound or {}).get(name, name) for name in operation.constants}
        self.constants |= {names[name] for name in operation.constants}
        given = set(names)
        for place, output in enumerate(operation.outputs):
            if output in given:
                self.alias[f"{target}_{place}"] = names[output]
            else:
                names[output] = f"{target}_{place}"
        for line in operation.lines:
            names.setdefault(line.target, f"{target}_{line.target}")
            lowered = [names[name] if isinstance(name, str) else name for name in (line.left, line.right)]
            self.lines.append(Line(names[line.target], line.op, *lowered))
