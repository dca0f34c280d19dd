"""The field processor's model on words written by hand: what each operation does, and when."""

import unittest

import micro

P = 97


def word(operation, **fields):
    """An instruction word; by default it waits for all results."""
    unit = "mul" if operation == "mul" else "linear"
    values = {"unit": int(unit == "linear"), **fields}
    layout = micro.LAYOUT["common"] + micro.LAYOUT[unit]
    if unit == "linear":
        values["operation"] = micro.LAYOUT["operations"].index(operation)
        layout += micro.LAYOUT["jump" if operation in ("jump", "end") else "sum"]
    packed, at = 0, 0
    for name, bits in layout:
        value = values.pop(name, 0)
        assert value >> bits == 0, f"{name}: {value}"
        packed, at = packed | value << at, at + bits
    assert not values, f"no fields {values}"
    return packed


def settle(place, register, **fields):
    return word("settle", dst=place, a_bank=micro.SUMS, a_reg=register, a_when=1, wait_exact=1, **fields)


def repeat(target):
    return word("jump", value=target, when=1, test=2, than=0, less=1)


END = word("end", wait_exact=1)


def machine(*words, contexts=2, multipliers=1, constants=(), tables=(), **feed):
    return micro.Machine({
        "modulus": P, "scale": 1, "contexts": contexts, "multipliers": multipliers, "mul": 10, "linear": 4, "canonical": 5, "results": 2, "tables": tables,
        "slices": 1, "slice_bits": 7, "constants": list(constants), "windows": [{"number": 0, "bits": 2}],
        "entries": [{"name": "test", "address": 0}], "words": [*words, END],
        "given": 1, **feed,
    })


def answer(processor, k=0, x=0, y=0):
    (found,), _ = processor.run([micro.Job(0, [k], [x, y])])
    return found


class Operations(unittest.TestCase):
    def test_a_product_of_sums(self):
        both = [word("load", dst=0, value=0), word("load", dst=1, value=1)]
        product = word("mul", dst=3, a_bank=1, a_reg=0, a_shift=2, b_bank=1, b_reg=1, b_minus=1, b_on=1, c_bank=1, c_reg=1)
        move = word("add", dst=2, a_bank=0, a_reg=3, a_when=1)
        self.assertEqual(answer(machine(*both, product, move, settle(8, 2)), x=5, y=7), ((4 * 5 - 7) * 7 % P, 0, 0))

    def test_a_loop(self):
        """x * 2^(count + 1)."""
        double = word("add", dst=0, a_bank=1, a_shift=1, a_when=1)
        program = [word("load", dst=0, value=0), word("count", value=4), double, repeat(2), settle(8, 0)]
        self.assertEqual(answer(machine(*program), x=3), (3 * 2**5 % P, 0, 0))

    def test_digits_are_booths(self):
        """The digits of k in base 4, -2 … 2, of which the table's element is the magnitude times 10."""
        table = [word("rom", dst=i, value=i) for i in range(3)]
        for place in range(4):
            look = word("add", dst=5, a_bank=1, a_lookup=1, a_signed=1, a_when=1)
            program = machine(*table, word("digit", dst=0, value=place), look, settle(8, 5), constants=(0, 10, 20))
            for k in range(64):
                found = answer(program, k=k)[0]
                signed = (found if found < P // 2 else found - P) // 10
                low, high, below = k >> 2 * place & 1, k >> 2 * place + 1 & 1, k << 1 >> 2 * place & 1
                self.assertEqual(signed, low - 2 * high + below)

    def test_the_digits_sum_up_to_the_number(self):
        model = machine()
        context = micro.Context()
        for k in range(64):
            context.job = micro.Job(0, [k], [])
            digits = [model.digit(context, {"number": 0, "bits": 2}, place) for place in range(4)]
            self.assertEqual(sum((-m if minus else m) * 4**i for i, (m, minus) in enumerate(digits)), k)

    def test_flags_choose(self):
        """Flag 1 is set if x is 0; the result is y then, else x."""
        both = [word("load", dst=0, value=0), word("load", dst=1, value=1)]
        choose = word("add", dst=2, flag=1, a_bank=1, a_reg=1, a_when=2, b_bank=1, b_reg=0, b_when=3, wait_exact=1)
        program = machine(*both, settle(1, 0), choose, settle(9, 2))
        self.assertEqual(answer(program, x=0, y=9), (0, 9, 2))
        self.assertEqual(answer(program, x=P, y=9), (0, 9, 2))
        self.assertEqual(answer(program, x=3, y=9), (0, 3, 0))

    def test_a_program_that_is_not_there(self):
        self.assertEqual(machine().run([micro.Job(1, [0], [0, 0])])[0], [(0, 0, 255)])


    def test_a_triple(self):
        both = [word("load", dst=0, value=0), word("load", dst=1, value=1)]
        product = word("mul", dst=3, a_bank=1, a_reg=0, a_shift=2, a_triple=1, b_bank=1, b_reg=1, b_minus=1, b_on=1, c_bank=1, c_reg=1)
        move = word("add", dst=2, a_bank=0, a_reg=3, a_when=1)
        self.assertEqual(answer(machine(*both, product, move, settle(8, 2)), x=5, y=7), ((12 * 5 - 7) * 7 % P, 0, 0))

    def test_an_element_of_a_table(self):
        look = [word("take", dst=1, digit=1), word("table", dst=0, value=0, digit=1, a_signed=1)]
        processor = machine(*look, settle(8, 0), tables=[[11, 12, 13]], feed=3)
        for magnitude, minus in ((0, False), (2, False), (1, True)):
            (found,), _ = processor.run([micro.Job(0, [0], [0, 0], ([], [(magnitude, minus, None)]))])
            self.assertEqual(found[0], (-1) ** minus * (11 + magnitude) % P)


class Items(unittest.TestCase):
    """Multiplies x by the items: adds a digit of the first list, then doubles as often as its count."""

    PROGRAM = [
        word("load", dst=0, value=0), word("load", dst=3, value=1), word("add", dst=1),
        word("jump", value=9, when=1, lists=1), word("jump", value=13, when=1),
        word("add", dst=1, a_bank=1, a_reg=1, a_shift=1, a_when=1), word("jump", value=5, when=1, test=2, than=0, less=1),
        word("jump", value=9, when=1, lists=1), word("jump", value=13, when=1),
        word("take", dst=0, digit=0), word("add", dst=1, a_bank=1, a_reg=1, a_when=1, b_bank=1, b_reg=0, b_when=1),
        word("jump", value=5, when=1, test=2, than=0, less=1), word("jump", value=7, when=1),
        word("add", dst=2, a_bank=1, a_reg=1, a_when=2, b_bank=1, b_reg=3, b_when=3, flag=7), settle(8, 2),
    ]

    def answers(self, *items, given=1, feed=5):
        processor = machine(*self.PROGRAM, feed=feed, contexts=4)
        return processor.run([micro.Job(0, [0], [3, 50], (list(one), []), given) for one in items])

    def test_they_are_taken_from_the_last_one_down(self):
        first, second = [(0, False, 0)], [(0, False, 0), (0, False, 2), (0, False, 3)]
        answers, _ = self.answers(first, second, [])
        self.assertEqual([found[0] for found in answers], [3, 3 * (1 + 4 * (1 + 8)) % P, 0])

    def test_a_given_flag_chooses(self):
        answers, _ = self.answers([(0, False, 0)], given=0)
        self.assertEqual(answers, [(50, 0, 0)])

    def test_a_job_waits_until_it_is_fed(self):
        early, late = (self.answers([(0, False, 0)], feed=feed)[1][0] for feed in (50, 90))
        self.assertEqual(late - early, 40)

    def test_of_an_empty_list_nothing_is_taken(self):
        (found,), _ = machine(word("take", dst=1, digit=1), word("table", dst=0, digit=1), settle(8, 0), tables=[[11, 12]], feed=3).run(
            [micro.Job(0, [0], [0, 0], ([], []))])
        self.assertEqual(found[0], 11)

    def test_an_end_that_asks_the_lists_waits_until_the_job_is_fed(self):
        for lists, waits in ((0, False), (3, True)):
            processor = machine(word("end", wait_exact=1, lists=lists), feed=200)
            _, (left,) = processor.run([micro.Job(0, [0], [0, 0], ([], []))])
            self.assertEqual(left > 200, waits)


class Cycles(unittest.TestCase):
    def test_a_dependent_product_waits_for_the_first(self):
        square = word("mul", dst=0, a_bank=1, c_bank=1)
        for waits, apart in ((0, 10), (1, 2)):
            trace = []
            machine(word("load", dst=0), square, word("mul", dst=1, wait_mul=waits)).run([micro.Job(0, [0], [2, 0])], trace)
            products = [line for line in trace if line.bank == micro.PRODUCTS]
            self.assertEqual(products[1].cycle - products[0].cycle, apart)

    def test_answers_keep_the_order_of_the_jobs(self):
        long = [word("count", value=40), repeat(1)]
        for multipliers in (1, 2):
            processor = machine(*long, END, word("load", dst=0, value=0), settle(8, 0), contexts=4, multipliers=multipliers)
            processor.image["entries"].append({"name": "short", "address": 3})
            jobs = [micro.Job(i % 3 % 2, [0], [i, 0]) for i in range(20)]
            answers, left = processor.run(jobs)
            self.assertEqual([found[0] for found in answers], [i if i % 3 == 1 else 0 for i in range(20)])
            self.assertEqual(left, sorted(left))

    def test_two_multipliers_take_turns(self):
        products = [word("mul", dst=0, wait_mul=15, wait_lin=15)] * 60
        for multipliers in (1, 2):
            processor = machine(word("load", dst=0), *products, contexts=8, multipliers=multipliers)
            _, left = processor.run([micro.Job(0, [0], [2, 0])] * 8)
            self.assertTrue(8 * 60 <= left[-1] * multipliers <= 8 * 60 + 50, left)


if __name__ == "__main__":
    unittest.main()
