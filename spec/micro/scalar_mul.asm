# k (x, y) on y^2 = x^3 + b of odd order, in the same order of operations for every k and every point.
# y = 0 stands for the identity, as operand and as result; no point of odd order has it.
# Complete formulas (Renes, Costello, Batina, ePrint 2015/1060); Booth digits of 4 bits, so the table has 0 P … 8 P.
window d = k 4

# The operand: (0 : 1 : 0) if y = 0.
flag identity = zero y
X[0] = 0
Y[0] = 1
Z[0] = 0
X[1] = identity ? 0 : x
Y[1] = identity ? 1 : y
Z[1] = identity ? 0 : 1
for j = 2 .. 8
  X[j] Y[j] Z[j] = rcb_add X[j-1] Y[j-1] Z[j-1] X[1] Y[1] Z[1]
end

# From the top digit down: 16 times what there is, plus a multiple of P.
digit d = last
X1 = X[d]
Y1 = +-Y[d]
Z1 = Z[d]
loop i = last - 1 .. 0
  digit d = i
  X2 = X[d]
  Y2 = +-Y[d]
  Z2 = Z[d]
  for j = 1 .. 4
    X1 Y1 Z1 = rcb_dbl X1 Y1 Z1
  end
  X1 Y1 Z1 = rcb_add X1 Y1 Z1 X2 Y2 Z2
end

# Affine again; of the identity both coordinates are 0, because the inverse of 0 is.
flag identity = zero Z1
inverse = Z1 ^ p - 2
x1 = X1 * inverse
y1 = Y1 * inverse
result x = x1
result y = y1
