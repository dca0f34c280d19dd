# x = 1 / x by Fermat: x^(p - 2), the same operations for every x; the inverse of 0 is 0.
program inverse
result x = x ^ p - 2
