# y with y^2 = x, for p = 3 mod 4: y = x^((p + 1) / 4); the flag tells whether x is a square. Of y and -y it is the one that is a square.
y = x ^ (p + 1) / 4
square = y * y
difference = square - x
flag is_square = zero difference
result x = y
