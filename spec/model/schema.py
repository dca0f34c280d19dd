"""Checks JSON against the part of JSON Schema (draft 2020-12) that spec/vectors/schema.json uses.

An unknown keyword is an error, so every keyword of the schema is checked.
"""

import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
#: Keywords that apply to values of one type only.
APPLIES = {
    **dict.fromkeys(("properties", "required", "additionalProperties"), dict),
    **dict.fromkeys(("items", "minItems", "maxItems"), list),
    **dict.fromkeys(("minimum", "maximum"), int),
    **dict.fromkeys(("pattern", "minLength", "maxLength"), str),
}
DESCRIPTIVE = {"$schema", "title", "description", "$defs"}


def faults(value, schema, root, path="$"):
    """Every way in which a value breaks a schema, as texts that begin with the path to the fault."""
    found = []
    for keyword, wanted in schema.items():
        if keyword in DESCRIPTIVE:
            continue
        if keyword not in CHECKS:
            raise ValueError(f"schema: keyword {keyword} is not supported")
        if not isinstance(value, APPLIES.get(keyword, object)):
            continue
        found += CHECKS[keyword](value, wanted, schema, root, path)
    return found


def check_type(value, wanted, schema, root, path):
    right = isinstance(value, TYPES[wanted]) and not (wanted == "integer" and isinstance(value, bool))
    return [] if right else [f"{path}: not of type {wanted}"]


def check_ref(value, wanted, schema, root, path):
    target = root
    for part in wanted.removeprefix("#/").split("/"):
        target = target[part]
    return faults(value, target, root, path)


def check_one_of(value, wanted, schema, root, path):
    outcomes = [faults(value, option, root, path) for option in wanted]
    if sum(not outcome for outcome in outcomes) == 1:
        return []
    return [f"{path}: not exactly one of {len(wanted)} forms; nearest: {'; '.join(min(outcomes, key=len))}"]


def check_properties(value, wanted, schema, root, path):
    return [fault for key, part in wanted.items() if key in value for fault in faults(value[key], part, root, f"{path}.{key}")]


def check_additional(value, wanted, schema, root, path):
    others = [key for key in value if key not in schema.get("properties", {})]
    if wanted is False:
        return [f"{path}: {key} is not known" for key in others]
    return [fault for key in others for fault in faults(value[key], wanted, root, f"{path}.{key}")]


def check_items(value, wanted, schema, root, path):
    return [fault for i, item in enumerate(value) for fault in faults(item, wanted, root, f"{path}[{i}]")]


def simple(test, text):
    """A check that is one comparison."""
    def check(value, wanted, schema, root, path):
        return [] if test(value, wanted) else [f"{path}: {text} {wanted}"]
    return check


CHECKS = {
    "type": check_type,
    "$ref": check_ref,
    "oneOf": check_one_of,
    "properties": check_properties,
    "additionalProperties": check_additional,
    "items": check_items,
    "required": lambda value, wanted, schema, root, path: [f"{path}: {key} is missing" for key in wanted if key not in value],
    "const": simple(lambda value, wanted: value == wanted, "is not"),
    "pattern": simple(lambda value, wanted: re.search(wanted, value) is not None, "does not match"),
    "minLength": simple(lambda value, wanted: len(value) >= wanted, "is shorter than"),
    "maxLength": simple(lambda value, wanted: len(value) <= wanted, "is longer than"),
    "minItems": simple(lambda value, wanted: len(value) >= wanted, "has fewer items than"),
    "maxItems": simple(lambda value, wanted: len(value) <= wanted, "has more items than"),
    "minimum": simple(lambda value, wanted: value >= wanted, "is below"),
    "maximum": simple(lambda value, wanted: value <= wanted, "is above"),
}
