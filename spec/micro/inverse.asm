# 1 / x by Fermat's theorem: x^(p - 2), the same operations for every x. The flag tells that x is 0; then the result is 0.
flag is_zero = zero x
inverse = x ^ p - 2
result x = inverse
