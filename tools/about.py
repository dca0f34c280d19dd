"""The `about.json` of `make verilog`: the generator's facts about a card or a unit, in plain fields. Its schema is rtl/about.schema.json."""

import tomllib
from fractions import Fraction
from functools import cache

from place import ROOT

SCHEMA = ROOT / "rtl/about.schema.json"
#: What units of a field compute, by the first word of their name.
COMPUTES = {"modmul": "a b mod p", "modadd": "a + b mod p", "modsub": "a - b mod p", "reduce": "a mod p, of a longer sum", "canonical": "the integer a scale mod p, from 0 to p - 1"}
CARD = ("config", "top", "version", "cmd_cap", "mailbox", "memories", "engines", "multipliers")
CARD_PARTS = ("serial", "pcie", "slots")


@cache
def modulus(field):
    """Returns the modulus of a field of spec/fields."""
    return int(tomllib.loads((ROOT / f"spec/fields/{field}.toml").read_text())["modulus"], 16)


def represented(entry):
    """Returns (least, greatest) of the integers that a port's digits represent."""
    least = greatest = 0
    base, low, high = (int(entry[name]) for name in ("base", "low", "high"))
    for _ in range(entry["digits"]):
        least, greatest = sorted((least * base, greatest * base))
        least, greatest = least + low, greatest + high
    return least, greatest


def rounded(value, up):
    """Returns a fraction with two decimals, rounded away from the interval's inside, so that the bound still holds."""
    hundred = value * 100
    return float(Fraction(-(-hundred.numerator // hundred.denominator) if up else hundred.numerator // hundred.denominator, 100))


def port(entry, direction):
    """Returns the description of an operand (`input`) or a result (`output`)."""
    made = {
        "name": entry["name"],
        "direction": direction,
        "role": "operand" if direction == "input" else "result",
        "width": entry["width"] * entry["digits"],
        "digits": entry["digits"],
        "digit_width": entry["width"],
        "signed": entry["signed"],
    }
    if not entry["field"]:
        return made
    p = modulus(entry["field"])
    least, greatest = represented(entry)
    return made | {
        "field": entry["field"],
        "base": entry["base"] if entry["digits"] > 1 else None,
        "scale": entry["scale"],
        "low": entry["low"],
        "high": entry["high"],
        "low_in_p": rounded(Fraction(least, p), up=False),
        "high_in_p": rounded(Fraction(greatest, p), up=True),
    }


def signal(name, direction, role):
    return {"name": name, "direction": direction, "role": role, "width": 1, "digits": 1, "digit_width": 1, "signed": False}


def unit(manifest):
    waits = manifest["latency"] < 0
    ports = [signal("clk", "input", "clock"), signal("reset", "input", "reset"), signal("in_valid", "input", "valid")]
    ports += [signal("in_ready", "output", "ready")] * waits
    ports += [port(entry, "input") for entry in manifest["operands"]]
    ports += [signal("out_valid", "output", "valid")] + [signal("out_ready", "input", "ready")] * waits
    ports += [port(entry, "output") for entry in manifest["results"]]
    fields = sorted({entry["field"] for entry in (*manifest["operands"], *manifest["results"]) if entry["field"]})
    return {
        "kind": "unit",
        "config": manifest["config"],
        "top": manifest["top"],
        "unit": manifest["unit"],
        "instance": manifest["instance"],
        "computes": COMPUTES.get(manifest["unit"].split("_")[0]),
        "moduli": {field: str(modulus(field)) for field in fields},
        "handshake": "valid_ready" if waits else "valid",
        "latency": None if waits else manifest["latency"],
        "interval": None if waits else 1,
        "ports": ports,
        "multipliers": manifest["multipliers"],
    }


def about(manifest):
    """Returns the facts of a manifest of the generator for users of the Verilog."""
    facts = unit(manifest) if "unit" in manifest else {
        "kind": "card", **{name: manifest[name] for name in (*CARD, *CARD_PARTS) if name in manifest}}
    return {"$schema": SCHEMA.name, **facts}


def decimal(value):
    """Returns an integer with at most 20 digits, or the beginning of a longer one."""
    text = str(value)
    return text if len(text) <= 20 else f"{text[:12]}… ({len(text.lstrip('-'))} digits)"


def lines(facts):
    """Yields lines about a unit's ports for the comment above its module: what an operand and a result are."""
    for each in facts["ports"]:
        if "field" not in each:
            continue
        digits = "an integer" if each["digits"] == 1 else f"{each['digits']} digits of {each['digit_width']} bits, the lowest first, in base {each['base']}"
        kind = "signed" if each["signed"] else "unsigned"
        bounds = f"from {each['low_in_p']:g} p to {each['high_in_p']:g} p (rounded outward)" if each["signed"] else "from 0 to p - 1"
        scale = "" if each["scale"] == "1" else f", divided by {decimal(int(each['scale']))}"
        yield f"{each['name']}: {digits}, {kind}, {bounds}{scale}, modulo p of {each['field']}"
