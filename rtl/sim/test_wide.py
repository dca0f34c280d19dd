"""The integers of the behavioural models (`rtl/sim/twin/wide.h`) against Python's."""

import ctypes
import random
import tempfile
import unittest
from pathlib import Path

import unit
from unit import ROOT

from place import run  # noqa: E402, of tools/, which `unit` has put on the path

WORDS = 5
BITS = 64 * WORDS
SEED = unit.seed()

#: What C++ does with a, b and a number of bits k, and what that is of integers, before it is cut to BITS bits.
OPERATIONS = {
    "a + b": lambda a, b, k: a + b,
    "a - b": lambda a, b, k: a - b,
    "a * b": lambda a, b, k: a * b,
    "-a": lambda a, b, k: -a,
    "~a": lambda a, b, k: ~a,
    "a << k": lambda a, b, k: a << k,
    "a >> k": lambda a, b, k: a >> k,
    "a.low(k)": lambda a, b, k: a & (1 << k) - 1,
    "a.low_signed(k)": lambda a, b, k: signed(a, k),
    "I(int64_t(a.bits(k)))": lambda a, b, k: signed(a >> k, 64),
    "I(a == b)": lambda a, b, k: int(a == b),
    "I((a >> 2) < (b >> 2))": lambda a, b, k: int(a >> 2 < b >> 2),
    "floor_divide(a >> 2, I(1) + (b >> 2).low(k))": lambda a, b, k: (a >> 2) // (1 + ((b >> 2) & (1 << k) - 1)),
}
SOURCE = """
#include "wide.h"
using namespace wide;
using I = Int<%d>;
extern "C" void operate(int operation, const uint64_t *x, const uint64_t *y, int k, uint64_t *out) {
    const I a = I::of(x, I().size), b = I::of(y, I().size);
    I r;
    switch (operation) { %s }
    for (int i = 0; i < I().size; ++i) out[i] = r.word[i];
}
extern "C" void move(const uint32_t *in, int at, int width, uint32_t *out, int to) { store(out, to, width, load<I().size>(in, at, width)); }
"""


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (value >> bits - 1 << bits)


def library(folder):
    cases = " ".join(f"case {i}: r = {text}; break;" for i, text in enumerate(OPERATIONS))
    text = (SOURCE % (WORDS, cases)).replace("I().size", str(WORDS))
    Path(folder, "wide.cpp").write_text(text)
    run(["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-fsanitize=undefined", "-fno-sanitize-recover", f"-I{ROOT / 'rtl/sim/twin'}",
         Path(folder, "wide.cpp"), "-o", Path(folder, "wide.so")])
    return ctypes.CDLL(str(Path(folder, "wide.so")))


def numbers(source):
    """Integers of BITS bits, near a power of two or anywhere."""
    near = signed((1 << source.randrange(BITS)) + source.randrange(-2, 3), BITS)
    return source.choice((near, -near, source.randrange(-3, 4), signed(source.getrandbits(source.randrange(1, BITS + 1)), BITS)))


class Wide(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            cls.library = library(folder)

    def test_operations(self):
        source, array = random.Random(SEED), ctypes.c_uint64 * WORDS

        def words(value):
            return array(*(value >> 64 * i & 2**64 - 1 for i in range(WORDS)))

        for operation, (text, meaning) in enumerate(OPERATIONS.items()):
            for _ in range(2000):
                a, b, k = numbers(source), numbers(source), source.randrange(1, BITS)
                b, out = source.choice((a, b, b, b)), array()
                self.library.operate(operation, words(a), words(b), k, out)
                found = sum(word << 64 * i for i, word in enumerate(out))
                self.assertEqual(found, meaning(signed(a, BITS), signed(b, BITS), k) & (1 << BITS) - 1, f"{text}: a {a}, b {b}, k {k}")

    def test_vectors(self):
        """`load` and `store`: bits from anywhere in a vector to anywhere in another, and no others."""
        source, array = random.Random(SEED), ctypes.c_uint32 * 20
        for _ in range(5000):
            width = source.randrange(1, 300)
            at, to, value = source.randrange(640 - width), source.randrange(640 - width), source.getrandbits(640)
            vector, out = array(*(value >> 32 * i & 2**32 - 1 for i in range(20))), array()
            self.library.move(vector, at, width, out, to)
            found = sum(word << 32 * i for i, word in enumerate(out))
            self.assertEqual(found, (value >> at & (1 << width) - 1) << to, f"{width} bits from {at} to {to}")


if __name__ == "__main__":
    unittest.main()
