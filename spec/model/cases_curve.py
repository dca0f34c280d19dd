"""Vectors of the groups: additions, doublings, multiples, the endomorphism, and the way to Edwards form and back.

A point is [x, y], the identity null; in Edwards form there is no null, except for an image at infinity.
"""

import curve
from cases import Cases, painted_number, text

RANDOM = 4


def known_points(facts, which):
    """Name -> point of the subgroup."""
    group, g = facts.group(which), facts.generator(which)
    points = {"identity": None, "g": g, "g2": group.mul(2, g), "g3": group.mul(3, g), "minusG": group.neg(g)}
    for i in range(RANDOM):
        k = painted_number(facts.r, f"{facts.name} {which} point {i}")
        points[f"painted{i}"] = group.mul(k, g)
    return points


def outside(facts, which):
    """Points of the whole curve that are not in the subgroup: one of small x, and its multiple by r."""
    group = facts.group(which)
    if facts.cofactor(which) == 1:
        return {}
    point = next(p for x in group.field.candidates() for p in group.with_x(x) if not facts.in_subgroup(which, p))
    return {"outside": point, "outsideTimesR": group.mul(facts.r, point)}


def additions(facts, which, cases):
    group = facts.group(which)
    points = known_points(facts, which)
    pairs = [("identity", "identity"), ("identity", "g"), ("g", "identity"), ("g", "g"), ("g", "minusG"), ("g", "g2"), ("g2", "minusG")]
    pairs += [(f"painted{i}", f"painted{(i + 1) % RANDOM}") for i in range(RANDOM)]
    comments = {("g", "g"): "equal points", ("g", "minusG"): "opposite points"}
    extra = outside(facts, which)
    points |= extra
    pairs += [(name, "g") for name in extra] + [(name, name) for name in extra]
    for a, b in pairs:
        comment = comments.get((a, b), "the identity takes part" if "identity" in (a, b) else "two points")
        cases.add(f"{which}-add-{a}-{b}", comment, "add", group=which, operation="add",
                  p=text(points[a]), q=text(points[b]), result=text(group.add(points[a], points[b])))
    for name, p in points.items():
        cases.add(f"{which}-double-{name}", "doubling", "double", group=which, operation="double", p=text(p), result=text(group.add(p, p)))


def scalars(facts):
    r, bits = facts.r, facts.r.bit_length()
    _, eigenvalue = facts.endomorphism
    edge = {"0": 0, "1": 1, "2": 2, "3": 3, "rMinus2": r - 2, "rMinus1": r - 1, "r": r, "rPlus1": r + 1, "minus1": -1, "minus5": -5,
            "half": (r + 1) // 2, "lambda": eigenvalue, "lambdaPlus1": eigenvalue + 1, "minusLambda": -eigenvalue,
            "topBit": 1 << bits - 1, "allBits": (1 << bits) - 1}
    if bits > 64:
        edge |= {f"2to{k}": 1 << k for k in (63, 64, 127, 128, 192)} | {"2to128Minus1": (1 << 128) - 1}
    return edge | {f"painted{i}": painted_number(r, f"{facts.name} scalar {i}") for i in range(RANDOM)}


def multiples(facts, which, cases):
    group, points = facts.group(which), known_points(facts, which)
    for name, k in scalars(facts).items():
        base = "painted0" if name.startswith("painted") else "g"
        cases.add(f"{which}-mul-{name}", f"{name} times {base}", "mul", group=which, operation="mul",
                  p=text(points[base]), k=hex(k), result=text(group.mul(k, points[base])))
    cases.add(f"{which}-mul-ofTheIdentity", "a multiple of the identity", "mul", group=which, operation="mul", p=None, k="0x5", result=None)
    for name, p in outside(facts, which).items():
        cofactor = facts.cofactor(which)
        cases.add(f"{which}-mul-{name}ByCofactor", "into the subgroup", "mul", group=which, operation="mul",
                  p=text(p), k=hex(cofactor), result=text(group.mul(cofactor, p)))


def endomorphism(facts, cases):
    beta, eigenvalue = facts.endomorphism
    for name, p in known_points(facts, "g1").items():
        image = p and (facts.fp.mul(beta, p[0]), p[1])
        if facts.group("g1").mul(eigenvalue, p) != image:
            raise ValueError(f"{facts.name}: lambda is not the endomorphism's eigenvalue")
        cases.add(f"g1-endomorphism-{name}", "(beta x, y) = lambda (x, y)", "endomorphism", group="g1", operation="endomorphism",
                  p=text(p), result=text(image))


def edwards(facts, cases):
    made, points = facts.edwards_map, known_points(facts, "g1")
    images = {name: made.forth(p) for name, p in points.items()}
    for name, p in points.items():
        cases.add(f"edwards-map-{name}", "to Edwards form; the way back is the inverse", "edwards", group="g1", operation="to_edwards",
                  p=text(p), result=text(images[name]))
    for name, p in exceptional(facts).items():
        cases.add(f"edwards-map-{name}", "an exceptional point of the map; null is infinity", "edwards exceptional", group="g1",
                  operation="to_edwards", p=text(p), result=text(made.forth(p)))
    names = list(points)
    for a, b in zip(names, names[1:] + names[:1]):
        cases.add(f"edwards-add-{a}-{b}", "two points", "edwards add", group="edwards", operation="add",
                  p=text(images[a]), q=text(images[b]), result=text(made.edwards.add(images[a], images[b])))
    for a in names:
        cases.add(f"edwards-double-{a}", "doubling", "edwards double", group="edwards", operation="double",
                  p=text(images[a]), result=text(made.edwards.add(images[a], images[a])))


def exceptional(facts):
    """Returns the points of even order that are special cases of the map: the three with y = 0, and the two with t = -1.

    The roots of x^3 + b besides alpha are those of x^2 + alpha x + alpha^2, so -alpha (1 +- sqrt(-3)) / 2.
    """
    f, made, group = facts.fp, facts.edwards_map, facts.group("g1")
    root = f.sqrt(f.from_integer(-3))
    others = [f.mul(f.neg(made.alpha), f.mul(f.add(f.one, sign), f.inverse(2))) for sign in (root, f.neg(root))]
    quarter = f.sub(made.alpha, f.inverse(made.s))
    points = {"order2": (made.alpha, 0)}
    points |= {f"order2atInfinity{i}": (x, 0) for i, x in enumerate(others)}
    points |= {f"order4atInfinity{i}": point for i, point in enumerate(group.with_x(quarter))}
    for name, point in points.items():
        if not group.contains(point):
            raise ValueError(f"{facts.name}: {name} is not on the curve")
    return points


def contents():
    """Name -> content of spec/vectors/curve/<name>.json."""
    made = {}
    for name in curve.names():
        facts, cases = curve.load(name), Cases(name)
        for which in facts.groups:
            additions(facts, which, cases)
            multiples(facts, which, cases)
        endomorphism(facts, cases)
        if "edwards" in facts.fact:
            edwards(facts, cases)
        made[name] = {"schema": "../schema.json", "op": "curve", "curve": name, "cases": cases.found}
    return made
