"""Poseidon as circomlib uses it, and Poseidon2, from the primary numbers of spec/hashes.

    circom(2).hash([1, 2])
    poseidon2("poseidon2_bn254", 3).permutation([0, 1, 2])

Both permute a state in R_F / 2 full rounds, R_P partial ones and R_F / 2 full ones. A round adds constants, raises all elements (full
round) or the first (partial round) to a power, and multiplies by a matrix. Poseidon has one matrix, and adds constants to all elements
in every round. Poseidon2 has an outer matrix, before the first and in all full rounds, and an inner one in partial rounds, which add to
the first element alone.
"""

import tomllib

import field
import poseidon
from field import SPEC

#: Of the authors' rule for constants: the S-box is a power.
POWER = 0
#: The outer matrix of Poseidon2 for four elements.
BLOCK = [[5, 7, 1, 3], [4, 6, 1, 1], [1, 3, 5, 7], [1, 1, 4, 6]]


def facts(name):
    return tomllib.loads((SPEC / f"hashes/{name}.toml").read_text())


class Numbers:
    """What the LFSR gives, one after the other."""

    def __init__(self, modulus, *numbers):
        self.p, self.bits = modulus, modulus.bit_length()
        self.source = poseidon.grain(self.bits, *numbers, sbox=POWER)

    def reduced(self):
        return self.any() % self.p

    def below(self):
        """Those that are not below the modulus are skipped."""
        while True:
            if (value := self.any()) < self.p:
                return value

    def any(self):
        return int("".join(str(next(self.source)) for _ in range(self.bits)), 2)


class Permutation:
    """The numbers of an instance, and the permutation by definition. Without an inner matrix it is Poseidon."""

    def __init__(self, facts, width, partial):
        self.field = field.load(facts["field"])
        self.p, self.alpha, self.width = self.field.p, facts["alpha"], width
        self.half, self.partial = facts["full_rounds"] // 2, partial
        self.numbers = Numbers(self.p, width, facts["full_rounds"], partial)
        self.inner = None

    def is_full(self, turn):
        return not self.half <= turn < self.half + self.partial

    def product(self, matrix, state):
        return [sum(a * x for a, x in zip(row, state)) % self.p for row in matrix]

    def permutation(self, state):
        if self.inner:
            state = self.product(self.outer, state)
        for turn, constants in enumerate(self.constants):
            full = self.is_full(turn)
            state = [x + c for x, c in zip(state, constants)] + state[len(constants):]
            raised = self.width if full else 1
            state = [pow(x, self.alpha, self.p) for x in state[:raised]] + state[raised:]
            state = self.product(self.outer if full or not self.inner else self.inner, state)
        return state

    def hash(self, preimage):
        """circomlib's: the first element of a permuted state that begins with 0."""
        return self.permutation([0, *preimage])[0]


def circom(arity):
    found = facts("poseidon_circom")
    width = arity + 1
    it = Permutation(found, width, found["partial_rounds"][arity - found["least_arity"]])
    it.constants = [[it.numbers.below() for _ in range(width)] for _ in range(2 * it.half + it.partial)]
    x, y = ([it.numbers.reduced() for _ in range(width)] for _ in range(2))
    it.outer = [[pow(a + b, -1, it.p) for b in y] for a in x]
    return it


def arities():
    found = facts("poseidon_circom")
    return range(found["least_arity"], found["least_arity"] + len(found["partial_rounds"]))


def poseidon2(name, width):
    found = facts(name)
    chosen = next(entry for entry in found["widths"] if entry["width"] == width)
    it = Permutation(found, width, chosen["partial_rounds"])
    turns = range(2 * it.half + it.partial)
    it.constants = [[it.numbers.below() for _ in range(width if it.is_full(turn) else 1)] for turn in turns]
    if "diagonal" in chosen:
        it.candidate, diagonal = None, chosen["diagonal"]
        it.outer = [[1 + (i == j) for j in range(width)] for i in range(width)]
    else:
        it.candidate = chosen["candidate"]
        it.candidates = [[it.numbers.reduced() for _ in range(width)] for _ in range(it.candidate + 1)]
        diagonal, blocks = it.candidates[-1], width // 4
        it.outer = [[BLOCK[i % 4][j % 4] * (1 + (i // 4 == j // 4 and blocks > 1)) for j in range(width)] for i in range(width)]
    it.inner = [[diagonal[i] if i == j else 1 for j in range(width)] for i in range(width)]
    return it


def widths(name):
    return [entry["width"] for entry in facts(name)["widths"]]


# Whether a subspace trail is known: the minimal polynomials of the inner matrix and its powers, of which 2 width are looked at, have to be
# irreducible and of full degree (ePrint 2023/323, section 5.3). If that of the matrix is, its powers are elements of a field of p^width
# elements, and are of full degree unless they are in a smaller one.

def is_safe(diagonal, p):
    size = len(diagonal)
    modulus = characteristic(diagonal, p)
    x = [0, 1] + [0] * (size - 2)
    conjugates = [x]
    while len(conjugates) <= size:
        conjugates.append(power(conjugates[-1], p, modulus, p))
    if conjugates[size] != x:
        return False
    divisors = [size // q for q in range(2, size + 1) if size % q == 0 and all(q % r for r in range(2, q))]
    if any(not is_coprime([(a - b) % p for a, b in zip(conjugates[k], x)], modulus, p) for k in divisors):
        return False
    for exponent in range(2, 2 * size + 1):
        ours = power(x, exponent, modulus, p)
        if any(power(conjugates[k], exponent, modulus, p) == ours for k in divisors):
            return False
    return True


def characteristic(diagonal, p):
    """Of ones with this diagonal d, lowest coefficient first: the product of x - (d - 1), less its sum without a factor each."""
    roots = [(d - 1) % p for d in diagonal]

    def of(roots):
        found = [1]
        for root in roots:
            found = [(a - root * b) % p for a, b in zip([0, *found], [*found, 0])]
        return found
    total = of(roots)
    for skipped in range(len(roots)):
        for i, c in enumerate(of(roots[:skipped] + roots[skipped + 1:])):
            total[i] = (total[i] - c) % p
    return total


def times(a, b, modulus, p):
    """Modulo a polynomial whose highest coefficient is 1."""
    size = len(modulus) - 1
    wide = [0] * (2 * size - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            wide[i + j] += x * y
    for top in range(len(wide) - 1, size - 1, -1):
        factor = wide[top] % p
        for j in range(size):
            wide[top - size + j] -= factor * modulus[j]
    return [x % p for x in wide[:size]]


def power(base, exponent, modulus, p):
    found = [1] + [0] * (len(modulus) - 2)
    for bit in bin(exponent)[2:]:
        found = times(found, found, modulus, p)
        if bit == "1":
            found = times(found, base, modulus, p)
    return found


def is_coprime(a, b, p):
    """By Euclid."""
    def trimmed(values):
        while values and values[-1] == 0:
            values = values[:-1]
        return values
    a, b = trimmed(a), trimmed(b)
    while a:
        inverse = pow(a[-1], -1, p)
        while len(b) >= len(a):
            factor, shift = b[-1] * inverse % p, len(b) - len(a)
            b = trimmed([(x - factor * a[i - shift]) % p if i >= shift else x for i, x in enumerate(b[:-1])])
        a, b = b, a
    return len(b) == 1
