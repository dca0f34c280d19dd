"""Poseidon: its numbers, the published digests, and the proofs that its other forms are the same function."""

import json
import math
import random
import unittest

import poseidon
import published
from poseidon import ARITIES, FACTS, MOST_SCALED_WIDTH, Instance, Moving, Scaled

#: Filecoin's arities, and the rounds of each.
FILECOIN = {2: 55, 4: 56, 8: 57, 11: 57}


def partial_rounds(width):
    """R_P by the inequalities of ePrint 2019/458 for 256 bits, R_F = 6 and the security level; and 7.5 % more. Two full rounds
    more are the other part of the margin.
    """
    level, size = FACTS["security"], 256

    def is_secure(partial):
        interpolation = 0.43 * level + math.log2(width) - partial
        groebner = max(0.21 * size - partial, (0.14 * size - 1 - partial) / (width - 1))
        return max(interpolation, groebner) <= FACTS["full_rounds"] - 2
    return math.ceil(1.075 * next(partial for partial in range(200) if is_secure(partial)))


class Numbers(unittest.TestCase):
    def test_partial_rounds_follow_from_the_security_level(self):
        self.assertEqual((ARITIES[0], ARITIES[-1]), (2, 36))
        self.assertEqual(FACTS["partial_rounds"], [partial_rounds(arity + 1) for arity in ARITIES])

    def test_filecoins_rounds(self):
        for arity, partial in FILECOIN.items():
            self.assertEqual(Instance(arity).partial, partial)
            self.assertEqual(Instance(arity, "strengthened").partial, -(-5 * partial // 4))

    def test_tags(self):
        instance = Instance(8)
        self.assertEqual(instance.merkle_tree, 255)
        self.assertEqual([instance.constant_length(4), instance.variable_length, instance.encryption], [4 << 64, 1 << 64, 1 << 32])


class Published(unittest.TestCase):
    def test_digests(self):
        found = json.loads((published.FOLDER / "poseidon.json").read_text())
        for strength in poseidon.STRENGTHS:
            for arity in (2, 4, 11, 36):
                instance = Instance(arity, strength)
                self.assertEqual(instance.hash(range(arity)), int(found["merkle_tree"][strength][str(arity)], 16))
                if arity >= 4:
                    digest = instance.hash(range(4), instance.constant_length(4))
                    self.assertEqual(digest, int(found["constant_length 4"][strength][str(arity)], 16))


class OtherForms(unittest.TestCase):
    def states(self, instance, count):
        source = random.Random(instance.width)
        edges = [[0] * instance.width, [1] * instance.width, [instance.p - 1] * instance.width]
        return edges + [[source.randrange(instance.p) for _ in range(instance.width)] for _ in range(count)]

    def test_same_function_on_random_states(self):
        for strength in poseidon.STRENGTHS:
            for arity in (2, 3, 4, 8, 11):
                instance = Instance(arity, strength)
                forms = [Moving(instance)] + [Scaled(instance)] * (instance.width <= MOST_SCALED_WIDTH)
                for state in self.states(instance, 4):
                    for form in forms:
                        self.assertEqual(form.permutation(state), instance.permutation(state))

    def test_moving_form_of_the_largest(self):
        for arity in (12, 36):
            instance = Instance(arity)
            state = self.states(instance, 1)[-1]
            self.assertEqual(Moving(instance).permutation(state), instance.permutation(state))

    def test_scaled_matrix_is_small_and_hankel(self):
        for arity in range(2, MOST_SCALED_WIDTH):
            instance = Instance(arity)
            scaled = Scaled(instance)
            for i, row in enumerate(scaled.matrix()):
                for j, entry in enumerate(row):
                    self.assertEqual(entry, scaled.entries[i + j])
                    self.assertEqual(entry, scaled.multiple * instance.matrix[i][j] % instance.p)
            self.assertLess(max(scaled.entries), 1 << 44)
        self.assertEqual([Scaled(Instance(arity)).entries[0].bit_length() for arity in FILECOIN], [8, 17, 32, 44])

    def test_scaled_form_is_the_same_function(self):
        """A proof, for all states, round by round: with s = scale w before a round, s' = scale' w' after it.

        A round maps each element by a polynomial of degree 5 or less in that element, and then all of them linearly. Both
        forms' polynomials, brought to the same scale, agree in six points, so they are equal; and so do the linear maps on all
        units. At the end the scale is multiplied away.
        """
        for arity in FILECOIN:
            instance = Instance(arity)
            scaled, p = Scaled(instance), instance.p
            units = poseidon.units(instance.width)
            self.assertEqual(scaled.scales[0], 1)
            for turn in range(instance.rounds):
                scale, after = scaled.scales[turn : turn + 2]
                factor = scaled.factors[turn]
                # The scale between S-boxes and matrix.
                between = pow(scale, 5, p) if instance.is_full(turn) else scale
                for place in range(instance.width):
                    constant, other = instance.constants[turn][place], scaled.constants[turn][place]
                    raised = instance.is_full(turn) or place == 0
                    for w in range(6):
                        plain, inner = scale * w + constant, w + other
                        if raised:
                            plain, inner = pow(plain, 5, p), pow(inner, 5, p) * (1 if factor is None else factor)
                        self.assertEqual((plain - between * inner) % p, 0)
                for unit in units:
                    plain = instance.product(instance.matrix, [between * x for x in unit])
                    inner = instance.product(scaled.matrix(), unit)
                    self.assertEqual(plain, [after * x % p for x in inner])


if __name__ == "__main__":
    unittest.main()
