"""The VDF of repeated squaring modulo an RSA modulus N: y = x^(2^t) mod N, and its proofs.

- Wesolowski, *Efficient verifiable delay functions*, ePrint 2018/623: one element, in the group of residues modulo sign.
- Pietrzak, *Simple verifiable delay functions*, ePrint 2018/627: an element for each halving of t, with the challenges of
  Lee, Gee, Soroush, Bingol, Huang, *Implementation study of cost-effective verification for Pietrzak's VDF in Ethereum
  smart contracts*, ePrint 2024/935.

Everything is an integer, computed from the definition.
"""

from hashlib import sha256

from keccak256 import keccak256

#: Bits of Wesolowski's challenge, as in Chia's VDF.
CHALLENGE_BITS = 264
#: The domain of its hash.
DOMAIN = b"proofmill/vdf/wesolowski/v1"
#: Bits of Pietrzak's challenges.
HALVING_BITS = 128


def evaluate(n, x, t):
    for _ in range(t):
        x = x * x % n
    return x


def canonical(n, value):
    """The representative of {value, -value} in [0, n / 2]."""
    return min(value, n - value)


def number_bytes(n, value):
    """A residue as big-endian bytes, as many as n has."""
    return value.to_bytes((n.bit_length() + 7) // 8, "big")


def is_probable_prime(n):
    """Miller and Rabin's test with the first 40 primes as bases."""
    bases = [p for p in range(2, 174) if all(p % q for q in range(2, p))]
    if n < 2 or any(n % p == 0 for p in bases):
        return n in bases
    s = ((n - 1) & -(n - 1)).bit_length() - 1
    return all(passes(n, base, s) for base in bases)


def passes(n, base, s):
    power = pow(base, (n - 1) >> s, n)
    return power == 1 or any(pow(power, 1 << i, n) == n - 1 for i in range(s))


def hash_prime(seed, bits, ones):
    """HashPrime of Chia's VDF (chiavdf, proof_common.h): hashes of a counter that starts after the seed, until a candidate is prime.

    `ones` are the bits that every candidate has, besides bit 0.
    """
    counter = int.from_bytes(seed, "big")
    while True:
        blob = b""
        while 8 * len(blob) < bits:
            counter = (counter + 1) % (1 << 8 * len(seed))
            blob += sha256(counter.to_bytes(len(seed), "big")).digest()
        candidate = int.from_bytes(blob[:bits // 8], "big")
        for bit in [0, *ones]:
            candidate |= 1 << bit
        if is_probable_prime(candidate):
            return candidate


def challenge(n, x, y, t):
    """Wesolowski's prime for a claim in the group modulo sign."""
    parts = (number_bytes(n, value) for value in (n, canonical(n, x), canonical(n, y)))
    seed = sha256(DOMAIN + t.to_bytes(8, "big") + b"".join(parts)).digest()
    return hash_prime(seed, CHALLENGE_BITS, [CHALLENGE_BITS - 1])


def prove(n, x, t):
    """Wesolowski's proof of y = x^(2^t)."""
    quotient = (1 << t) // challenge(n, x, evaluate(n, x, t), t)
    return canonical(n, pow(x, quotient, n))


def verify(n, x, y, t, proof):
    prime = challenge(n, x, y, t)
    found = pow(proof, prime, n) * pow(x, pow(2, t, prime), n) % n
    return canonical(n, found) == canonical(n, y)


def halving_challenge(n, x, y, v):
    """Pietrzak's challenge for x^(2^(t/2)) = v and v^(2^(t/2)) = y: the upper half of a hash of 256 bits."""
    return int.from_bytes(keccak256(b"".join(number_bytes(n, value) for value in (x, y, v)))[:HALVING_BITS // 8], "big")


def halved(n, x, y, t, v):
    """The claim of half the length that a halving leaves. An odd t gets one more squaring."""
    r = halving_challenge(n, x, y, v)
    y = y if t % 2 == 0 else y * y % n
    return pow(x, r, n) * v % n, pow(v, r, n) * y % n, (t + 1) // 2


def prove_by_halving(n, x, t, last):
    """Pietrzak's proof, until at most `last` squarings are left."""
    y, halvings = evaluate(n, x, t), []
    while t > last:
        halvings.append(evaluate(n, x, (t + 1) // 2))
        x, y, t = halved(n, x, y, t, halvings[-1])
    return halvings


def verify_by_halving(n, x, y, t, halvings):
    for v in halvings:
        if t < 2:
            return False
        x, y, t = halved(n, x, y, t, v)
    return evaluate(n, x, t) == y
