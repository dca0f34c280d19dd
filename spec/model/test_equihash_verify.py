"""The model against published facts: sizes, the published card's masks, zcashd's rule for targets, and a solver."""

import unittest

import equihash_verify as equihash
from cases_equihash_verify import CHAIN, Header, flipped, random_bytes, stored, with_bits
from equihash_solve import solve

MAIN = equihash.POW_LIMIT["main"]


class Sizes(unittest.TestCase):
    def test_headers_are_as_long_as_published(self):
        for instance, total in (("200_9", 1487), ("144_5", 241), ("48_5", 177)):
            self.assertEqual(equihash.load_params(instance).total_bytes, total)

    def test_compact_size_changes_form_where_it_must(self):
        expected = {0: "00", 0xFC: "fc", 0xFD: "fdfd00", 1344: "fd4005", 0xFFFF: "fdffff", 0x10000: "fe00000100"}
        for count, form in expected.items():
            self.assertEqual(equihash.compact_size(count).hex(), form)

    def test_pack_is_the_inverse_of_unpack(self):
        for instance in ("200_9", "144_5", "48_5"):
            params = equihash.load_params(instance)
            solution = random_bytes(instance, params.solution_bytes)
            self.assertEqual(equihash.pack(params, equihash.unpack(params, solution)), solution)

    def test_first_index_is_in_the_top_bits(self):
        params = equihash.load_params("200_9")
        indices = equihash.unpack(params, b"\x00\x00\x0f\xff" + bytes(1340))
        self.assertEqual(indices[:3], [1, 0x7FF << 10, 0])

    def test_wrong_sizes_are_refused(self):
        params = equihash.load_params("48_5")
        with self.assertRaisesRegex(ValueError, "header: 176 bytes, expected 177"):
            equihash.verify(params, bytes(176))
        with self.assertRaisesRegex(ValueError, "personalisation: 7 bytes"):
            equihash.verify(params, bytes(177), b"ZcashPo")


class Block346(unittest.TestCase):
    """Masks of the published card's own simulation (0x0b where it omitted the limit and returned 0x0a)."""

    def setUp(self):
        self.params = equihash.load_params("200_9")
        self.header = stored(CHAIN / "mainnet-346.hex")

    def mask(self, header, network=MAIN):
        return equihash.verify(self.params, header, pow_limit=network)

    def test_valid(self):
        self.assertEqual(self.mask(self.header), 0)

    def test_last_solution_bit_flipped(self):
        self.assertEqual(self.mask(flipped(self.header, -1, 1)), 0x03)

    def test_nonce_or_header_bits_changed(self):
        self.assertEqual(self.mask(flipped(self.header, 110, 4)), 0x0B)
        self.assertEqual(self.mask(flipped(self.header, 40, 4)), 0x0B)

    def test_regtest_bits(self):
        header = with_bits(self.header, 0x207FFFFF)
        self.assertEqual(self.mask(header, 2**256 - 1), 0x0A)
        self.assertEqual(self.mask(header), 0x0B)

    def test_size_altered(self):
        changed = flipped(self.header, 141, 1)
        self.assertEqual(self.mask(changed), 0x21)
        self.assertEqual(self.mask(changed, None), 0x20)


class Targets(unittest.TestCase):
    def test_compact_targets(self):
        expected = {
            0x1E03C3BF: (0x03C3BF << 216, True), 0x1F07FFFF: (0x07FFFF << 224, True), 0x01003456: (0, True),
            0x01123456: (0x12, True), 0x02123456: (0x1234, True), 0x03123456: (0x123456, True),
            0x1E800001: (1 << 216, False), 0x00800000: (0, True), 0x04923456: (0x12345600, False),
            0x220000FF: (0xFF << 248, True), 0x22000100: (0x100 << 248, False), 0x2100FFFF: (0xFFFF << 240, True),
            0x21010000: (0x010000 << 240, False), 0x23000001: (1 << 256, False), 0x23000000: (0, True),
        }
        for bits, outcome in expected.items():
            self.assertEqual(equihash.target_of(bits), outcome, f"{bits:08x}")

    def test_published_table_of_block_346(self):
        """The hash stays that of block 346, only the target changes: the rule alone."""
        number = int.from_bytes(equihash.sha256d(stored(CHAIN / "mainnet-346.hex")), "little")
        passes = {0x1E03C3BF, 0x1F07FFFF, 0x1F000100, 0x1E00EFF2}
        fails = {0x1E00EFF1, 0x1E000100, 0x1E000001, 0x1E800001, 0x1D00FFFF, 0x1D7FFFFF, 0x1C7FFFFF, 0, 0x207FFFFF, 0x22000001, 0x23000001}
        for bits in passes | fails:
            target, allowed = equihash.target_of(bits)
            self.assertEqual(allowed and 0 < target <= MAIN and number <= target, bits in passes, f"{bits:08x}")


class Toy(unittest.TestCase):
    def setUp(self):
        self.params = equihash.load_params("48_5")

    def solutions(self, count, **how):
        for i in range(count):
            head = random_bytes(f"toy {i}", self.params.header_bytes)
            for indices in solve(self.params, head, **how):
                yield indices, head + self.params.compact_size + equihash.pack(self.params, indices)

    def test_everything_the_solver_finds_is_valid(self):
        masks = [equihash.verify(self.params, header) for _, header in self.solutions(20)]
        self.assertGreater(len(masks), 10)
        self.assertEqual(set(masks), {0})

    def test_only_repeats_are_wrong_when_repeats_are_allowed(self):
        for indices, header in self.solutions(20, repeats=True):
            repeated = len(set(indices)) < len(indices)
            self.assertEqual(equihash.verify(self.params, header), equihash.ERROR["duplicate_fnd"] if repeated else 0)

    def test_no_single_index_can_be_changed(self):
        """Exhaustive: every place, every other index."""
        _, header = next(self.solutions(20))
        parts = Header(self.params, header)
        for place in range(self.params.indices):
            for index in range(1 << self.params.index_bits):
                if index != parts.indices[place]:
                    self.assertNotEqual(equihash.verify(self.params, parts.with_index(place, index)), 0)

    def test_a_sibling_swap_is_an_order_fault_at_every_node(self):
        _, header = next(self.solutions(20))
        parts = Header(self.params, header)
        for level in range(self.params.k):
            half = 1 << level
            for start in range(0, self.params.indices, 2 * half):
                swapped = parts.with_indices(parts.swapped(start, start + half, half))
                self.assertEqual(equihash.verify(self.params, swapped), equihash.ERROR["bad_idx_order"])


if __name__ == "__main__":
    unittest.main()
