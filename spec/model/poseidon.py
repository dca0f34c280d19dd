"""Poseidon as Filecoin uses it, from the primary numbers of spec/hashes.

    instance = Instance(arity=2)
    instance.hash([0, 1])                               # with the tag of a Merkle tree
    instance.hash([7], tag=instance.constant_length(1))

The state is the tag and the preimage. A round adds a constant to each element, raises to the power of 5 each element (full round)
or the first (partial round), and multiplies by the matrix. The hash is the second element. The rounds are R_F / 2 full ones, R_P
partial ones, and R_F / 2 full ones.

Two other forms of the same function follow; test_poseidon.py proves that they are. `Scaled` is what circuits compute, and
processors for up to `MOST_SCALED_WIDTH` elements; `Moving` is what processors compute for more.
"""

import math
import tomllib
from fractions import Fraction

import field
from field import SPEC, number

FACTS = tomllib.loads((SPEC / "hashes/poseidon_bls12_381.toml").read_text())
#: Standard, or with a quarter more partial rounds.
STRENGTHS = ("standard", "strengthened")
ARITIES = range(FACTS["least_arity"], FACTS["least_arity"] + len(FACTS["partial_rounds"]))
#: Elements of the largest state whose matrix, scaled, has entries below 2^44.
MOST_SCALED_WIDTH = 12
#: The LFSR's state has its oldest bit highest; these bits of it make the next one.
TAPS = sum(1 << 79 - place for place in (0, 13, 23, 38, 51, 62))


def grain(size, width, full, partial, sbox=1):
    """The bits of the Grain LFSR of these numbers: 80 bits of state, of which the first 160 outputs are dropped. neptune calls the S-box
    x^5 number 1; the authors call all powers 0.

    Of the following pairs the second bit counts if the first is 1.
    """
    state = 0
    for value, length in ((1, 2), (sbox, 4), (size, 12), (width, 12), (full, 10), (partial, 10), ((1 << 30) - 1, 30)):
        state = state << length | value

    def shifted():
        nonlocal state
        bit = (state & TAPS).bit_count() & 1
        state = (state << 1 | bit) & (1 << 80) - 1
        return bit

    for _ in range(160):
        shifted()
    while True:
        counts, bit = shifted(), shifted()
        if counts:
            yield bit


class Instance:
    """The numbers of an arity and a strength, and the hash by definition."""

    def __init__(self, arity, strength="standard"):
        self.arity, self.width, self.strength = arity, arity + 1, strength
        self.field = field.load(FACTS["field"])
        self.p = self.field.p
        self.full = FACTS["full_rounds"]
        self.partial = FACTS["partial_rounds"][arity - FACTS["least_arity"]]
        if strength == "strengthened":
            self.partial = math.ceil(self.partial * Fraction(FACTS["strengthened"]))
        self.rounds = self.full + self.partial
        self.constants = self.round_constants()
        #: A Cauchy matrix, so it is MDS: 1 / (x_i + y_j) with x_i = i and y_j = width + j. It is symmetric.
        self.matrix = [[self.field.inverse(i + self.width + j) for j in range(self.width)] for i in range(self.width)]

    def round_constants(self):
        """A list a round. Numbers of as many bits as the modulus, highest bit first; those not below it are skipped."""
        bits = grain(self.field.bits, self.width, self.full, self.partial)

        def element():
            while True:
                value = int("".join(str(next(bits)) for _ in range(self.field.bits)), 2)
                if value < self.p:
                    return value
        return [[element() for _ in range(self.width)] for _ in range(self.rounds)]

    def is_full(self, turn):
        return not self.full // 2 <= turn < self.full // 2 + self.partial

    # What is hashed: the first element of the state.

    @property
    def merkle_tree(self):
        return (1 << self.arity) - 1

    def constant_length(self, length):
        return length * number(FACTS["tags"]["constant_length"])

    variable_length = number(FACTS["tags"]["variable_length"])
    encryption = number(FACTS["tags"]["encryption"])

    def product(self, matrix, state):
        return [sum(a * x for a, x in zip(row, state)) % self.p for row in matrix]

    def round(self, turn, state):
        state = [x + c for x, c in zip(state, self.constants[turn])]
        raised = self.width if self.is_full(turn) else 1
        state = [pow(x, FACTS["alpha"], self.p) for x in state[:raised]] + state[raised:]
        return self.product(self.matrix, state)

    def permutation(self, state):
        for turn in range(self.rounds):
            state = self.round(turn, state)
        return state

    def hash(self, preimage, tag=None):
        """Of at most as many elements as the arity; zeros follow them."""
        tag = self.merkle_tree if tag is None else tag
        return self.permutation([tag, *preimage, *[0] * (self.arity - len(preimage))])[1]


class Scaled:
    """The same with a matrix of small integers.

    With L = lcm(width, ..., 3 width - 2) the matrix L M has the integers L / (width + i + j), which depend on i + j alone (a Hankel
    matrix). Instead of the state s it keeps w, where s = scale w. A full round makes the scale of all elements its fifth power;
    in a partial round the first element is brought back to the scale of the others by a constant; the matrix divides the scale by L.
    """

    def __init__(self, instance):
        self.instance, p = instance, instance.p
        width = instance.width
        self.multiple = math.lcm(*range(width, 3 * width - 1))
        self.entries = [self.multiple // (width + k) for k in range(2 * width - 1)]
        inverse = pow(self.multiple, -1, p)
        self.scales, self.factors, scale = [1], [], 1
        for turn in range(instance.rounds):
            self.factors.append(None if instance.is_full(turn) else pow(scale, 4, p))
            scale = (pow(scale, 5, p) if instance.is_full(turn) else scale) * inverse % p
            self.scales.append(scale)
        self.constants = [
            [c * pow(scale, -1, p) % p for c in constants] for scale, constants in zip(self.scales, instance.constants)
        ]

    def matrix(self):
        width = self.instance.width
        return [[self.entries[i + j] for j in range(width)] for i in range(width)]

    def round(self, turn, state):
        p, factor = self.instance.p, self.factors[turn]
        state = [x + c for x, c in zip(state, self.constants[turn])]
        if factor is None:
            state = [pow(x, 5, p) for x in state]
        else:
            state = [pow(state[0], 5, p) * factor % p, *state[1:]]
        return self.instance.product(self.matrix(), state)

    def permutation(self, state):
        for turn in range(self.instance.rounds):
            state = self.round(turn, state)
        return [x * self.scales[-1] % self.instance.p for x in state]


class Moving:
    """The same with partial rounds of 2 width - 1 products, in coordinates that move along.

    The matrix is m, v (the first row), w (the first column) and the rest A. A partial round takes the first element x, raised to
    the power of 5, and the others y to m x + v y and w x + A y. With y = A^k z after k of them it is

        x' = m x + v A^k z,    z' = z + A^-(k + 1) w x,

    two vectors a round, and one multiplication by A^R_P in the end. Constants of the others go through A to later rounds.
    """

    def __init__(self, instance):
        self.instance, p = instance, instance.p
        matrix = instance.matrix
        first, last = instance.full // 2, instance.full // 2 + instance.partial
        self.corner, row = matrix[0][0], matrix[0][1:]
        column = [line[0] for line in matrix[1:]]
        rest = [line[1:] for line in matrix[1:]]
        inverse = inverted(rest, p)
        transposed = list(zip(*rest))
        self.rows, self.columns = [], []
        for _ in range(instance.partial):
            column = instance.product(inverse, column)
            self.rows.append(row)
            self.columns.append(column)
            row = instance.product(transposed, row)
        #: A^R_P, row by row.
        self.end = [self.moved(unit, transposed) for unit in units(instance.width - 1)]
        # The constants of all but the first element go through the matrix, until the next full round adds them.
        self.constants, carried = [list(c) for c in instance.constants], [0] * instance.width
        for turn in range(first, last):
            total = [(a + b) % p for a, b in zip(self.constants[turn], carried)]
            self.constants[turn] = total[:1]
            carried = instance.product(matrix, [0, *total[1:]])
        self.constants[last] = [(a + b) % p for a, b in zip(self.constants[last], carried)]

    def moved(self, row, transposed):
        for _ in range(self.instance.partial):
            row = self.instance.product(transposed, row)
        return row

    def permutation(self, state):
        instance, p = self.instance, self.instance.p
        first, last = instance.full // 2, instance.full // 2 + instance.partial
        for turn in range(first):
            state = instance.round(turn, state)
        x, z = state[0], state[1:]
        for k, (row, column) in enumerate(zip(self.rows, self.columns)):
            x = pow(x + self.constants[first + k][0], 5, p)
            x, z = (self.corner * x + sum(a * b for a, b in zip(row, z))) % p, [(b + c * x) % p for b, c in zip(z, column)]
        state = [x, *instance.product(self.end, z)]
        for turn in range(last, instance.rounds):
            state = [pow(a + c, 5, p) for a, c in zip(state, self.constants[turn])]
            state = instance.product(instance.matrix, state)
        return state


def units(count):
    return [[int(i == j) for j in range(count)] for i in range(count)]


def inverted(matrix, p):
    """Inverts a matrix by Gauss and Jordan. The matrices of Poseidon have no zero pivot."""
    size = len(matrix)
    rows = [list(row) + unit for row, unit in zip(matrix, units(size))]
    for i in range(size):
        by = pow(rows[i][i], -1, p)
        rows[i] = [x * by % p for x in rows[i]]
        for j in range(size):
            if j != i:
                factor = rows[j][i]
                rows[j] = [(x - factor * y) % p for x, y in zip(rows[j], rows[i])]
    return [row[size:] for row in rows]
