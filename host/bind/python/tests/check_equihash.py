"""Equihash solving from Python."""

import unittest

import proofmill

HEADERS = [bytes([7] * 108 + [nonce] + [0] * 31) for nonce in range(8)]


class Solutions(unittest.TestCase):
    def test_solutions_are_whole_headers(self):
        solved = proofmill.equihash_solve(HEADERS, n=48, k=5)
        self.assertEqual(len(solved), len(HEADERS))
        whole = [header for headers in solved for header in headers]
        self.assertTrue(whole)
        self.assertTrue(all(proofmill.equihash_verify_batch(whole, n=48, k=5, network="none")))
        self.assertTrue(all(header.startswith(HEADERS[index]) for index, headers in enumerate(solved) for header in headers))
        self.assertEqual(proofmill.equihash_solve(b"".join(HEADERS), n=48, k=5, max_bytes=1 << 20), solved)
        self.assertNotEqual(proofmill.equihash_solve(HEADERS, n=48, k=5, personalisation=b"BgoldPoW"), solved)
        self.assertEqual(proofmill.equihash_solve([], n=48, k=5), [])

    def test_mistakes(self):
        for problem, arguments in {
            r"headers\[1\]: 139 bytes": dict(headers=[HEADERS[0], HEADERS[0][1:]]),
            "headers: 141 bytes": dict(headers=HEADERS[0] + b"1"),
            "headers: int": dict(headers=3),
            "personalisation: 3 bytes": dict(headers=HEADERS, personalisation=b"Zec"),
            "personalisation: str": dict(headers=HEADERS, personalisation="ZcashPoW"),
            "max_bytes: -1": dict(headers=HEADERS, max_bytes=-1),
            r"max_bytes: 1; \(200,9\) takes at least": dict(headers=HEADERS, max_bytes=1),
            r"\(200,8\)": dict(headers=HEADERS, k=8),
        }.items():
            with self.subTest(problem), self.assertRaisesRegex(proofmill.ArgumentError, problem):
                proofmill.equihash_solve(**arguments)
        with self.assertRaises(proofmill.UnsupportedError):
            proofmill.equihash_solve(HEADERS, n=192, k=7)


if __name__ == "__main__":
    unittest.main()
