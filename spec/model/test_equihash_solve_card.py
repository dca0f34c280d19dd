"""The candidates of the engine equihash_solve against the plain solver and the verifier."""

import unittest

import equihash_solve
import equihash_solve_card as card
import equihash_verify as equihash
from cases_equihash_verify import random_bytes


class Candidates(unittest.TestCase):
    def test_their_solutions_are_those_of_the_plain_solver(self):
        params, found = equihash.load_params("48_5"), 0
        for number in range(20):
            head = random_bytes(f"candidates {number}", params.header_bytes)
            for personalisation in (b"ZcashPoW", b"Toy_PoW_"):
                solutions = card.solutions(card.solve(params, head, personalisation))
                self.assertEqual(solutions, equihash_solve.solve(params, head, personalisation))
                found += len(solutions)
        self.assertGreater(found, 20)

    def test_every_candidate_adds_up_to_zero_in_order(self):
        params = equihash.load_params("96_5")
        head = bytes(params.header_bytes)
        candidates = card.solve(params, head)
        self.assertEqual(candidates, sorted(candidates))
        self.assertGreater(len(candidates), len(card.solutions(candidates)))
        for candidate in candidates:
            whole = head + params.compact_size + equihash.pack(params, candidate)
            mask = equihash.verify(params, whole, params.personalisation, (1 << 256) - 1)
            allowed = equihash.ERROR["duplicate_fnd"] | equihash.ERROR["difficulty_fail"] | equihash.ERROR["bad_idx_order"]
            self.assertEqual(mask & ~allowed, 0, candidate)
            self.assertEqual(bool(mask & equihash.ERROR["duplicate_fnd"]), len(set(candidate)) < params.indices)

    def test_leaves_are_put_in_the_verifiers_order(self):
        self.assertEqual(card.in_order([7, 2, 3, 5]), (2, 7, 3, 5))
        self.assertEqual(card.in_order([9, 8, 1, 4]), (1, 4, 8, 9))
        self.assertEqual(card.leaves((((1, 2), (3, 4)), ((5, 6), (7, 8)))), [1, 2, 3, 4, 5, 6, 7, 8])


if __name__ == "__main__":
    unittest.main()
