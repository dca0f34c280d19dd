"""Keccak-256 as Ethereum uses it: the sponge of Keccak-f[1600] with a rate of 1,088 bits and the padding 10*1
(Bertoni, Daemen, Peeters, Van Assche, *The Keccak reference*, version 3.0). The lanes are integers of 64 bits.
"""

RATE = 136
MASK = (1 << 64) - 1


def rotated(lane, by):
    return (lane << by | lane >> (64 - by)) & MASK if by % 64 else lane


def round_constants():
    """The constants of iota: bits of the linear feedback shift register x^8 + x^6 + x^5 + x^4 + 1."""
    register = 1
    for _ in range(24):
        constant = 0
        for j in range(7):
            constant |= (register & 1) << ((1 << j) - 1)
            register = register << 1 ^ (0x171 if register >> 7 else 0)
        yield constant


def permutation(a):
    """Keccak-f[1600] of a[x][y]."""
    for constant in round_constants():
        c = [a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4] for x in range(5)]
        d = [c[x - 1] ^ rotated(c[(x + 1) % 5], 1) for x in range(5)]
        a = [[a[x][y] ^ d[x] for y in range(5)] for x in range(5)]
        b = [[0] * 5 for _ in range(5)]
        b[0][0], x, y = a[0][0], 1, 0
        for t in range(24):
            moved = rotated(a[x][y], (t + 1) * (t + 2) // 2 % 64)
            x, y = y, (2 * x + 3 * y) % 5
            b[x][y] = moved
        a = [[b[x][y] ^ (~b[(x + 1) % 5][y] & b[(x + 2) % 5][y] & MASK) for y in range(5)] for x in range(5)]
        a[0][0] ^= constant
    return a


def keccak256(message):
    """Returns the digest of 32 bytes."""
    padded = bytearray(message + b"\x01" + bytes(-(len(message) + 1) % RATE))
    padded[-1] |= 0x80
    a = [[0] * 5 for _ in range(5)]
    for start in range(0, len(padded), RATE):
        for i in range(RATE // 8):
            a[i % 5][i // 5] ^= int.from_bytes(padded[start + 8 * i:][:8], "little")
        a = permutation(a)
    return b"".join(a[i][0].to_bytes(8, "little") for i in range(4))
