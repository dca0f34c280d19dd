# Is r the x coordinate, modulo n, of R = u1 G + u2 Q on a curve y^2 = x^3 + b with an endomorphism (x, y) -> (beta x, y)? Flags:
#   on_curve  y^2 = x^3 + b; else nothing more is computed
#   same_x, same_y  whether u1 G and u2 Q agree in a coordinate: with same_x alone R is the identity, and no other flag counts
#   match, match_n  whether r, or r + n, is the x coordinate of R
# The job is given u1 and u2 as items: list q has the digits of both halves of u2, odd multiples of Q and of its image, with the
# doublings that follow; list g has the digits of u1, multiples of G that need no doublings; and the flag u1_zero.
# Chains: X = XA - 2 XB, Y = YA - YB (lazy_dbl); no sum meets an exceptional case there, as the operation's model proves.

# 2 Q and Q for the same Z; then Q, 3 Q, 5 Q, … 15 Q, each for a Z of its own, H[i] times the one before.
DX DY PX[0] PY[0] xx yy = coz_dblu x y
right = x * xx
right = right + b
difference = yy - right
flag on_curve = zero difference
H[0] = 2 * y
for i = 1 .. 7
  PX[i] PY[i] DX DY H[i] = coz_zaddu DX DY PX[i-1] PY[i-1]
end

# All for the last Z, by which they are affine points of an isomorphic curve; `scale` is that Z. The endomorphism is the same there.
TX[7] = PX[7]
TY[7] = PY[7]
scale = H[7]
for i = 1 .. 7
  square = scale * scale
  cube = scale * square
  TX[7-i] = PX[7-i] * square
  TY[7-i] = PY[7-i] * cube
  scale = scale * H[7-i]
end
for i = 0 .. 7
  TX[i+8] = TX[i] * beta
  TY[i+8] = TY[i]
end
stop unless on_curve

# The first item of each chain, with Z = 1.
one = 1
take q
x1 = TX[q]
y1 = +-TY[q]
t = 3 * x1
XA = t * one
XB = x1 * one
t = 2 * y1
YA = t * one
YB = y1 * one
Z = one * one
take g
x2 = GX[g]
y2 = +-GY[g]
t = 3 * x2
UA = t * one
UB = x2 * one
t = 2 * y2
VA = t * one
VB = y2 * one
W = one * one

# The last doubling before an addition goes together with it, an addition of G with two others: so none of them waits.
do
  on count = 1, q : count - 1
    take q
    XA XB YA YB Z = lazy_dbl XA XB YA YB Z
    XA XB YA YB Z = lazy_madd XA XB YA YB Z TX[q] +-TY[q]
  end
  on count > 2, g : count - 2
    take g
    XA XB YA YB Z = lazy_dbl XA XB YA YB Z
    XA XB YA YB Z = lazy_dbl XA XB YA YB Z
    UA UB VA VB W = lazy_madd UA UB VA VB W GX[g] +-GY[g]
  end
  on count > 0 : count - 1
    XA XB YA YB Z = lazy_dbl XA XB YA YB Z
  end
  on q
    take q
    XA XB YA YB Z = lazy_madd XA XB YA YB Z TX[q] +-TY[q]
  end
  on g
    take g
    UA UB VA VB W = lazy_madd UA UB VA VB W GX[g] +-GY[g]
  end
end

# R, be it a sum, a double, or the first point alone: X3 / Z3^2.
t = 2 * XB
X1 = XA - t
Y1 = YA - YB
Z1 = Z * scale
t = 2 * UB
X2 = UA - t
Y2 = VA - VB
Z1Z1 = Z1 * Z1
Z2Z2 = W * W
U1 = X1 * Z2Z2
U2 = X2 * Z1Z1
t = Y1 * W
S1 = t * Z2Z2
t = Y2 * Z1
S2 = t * Z1Z1
H = U2 - U1
R = S2 - S1
flag same_x = zero H
flag same_y = zero R
t = U1 * U1
N = 3 * t
D = 2 * S1
N = same_x ? N : R
D = same_x ? D : H
DD = D * D
t = U1 + U2
t = t * DD
X3 = N * N
X3 = X3 - t
t = Z1 * W
Z3 = t * D
X3 = u1_zero ? X1 : X3
Z3 = u1_zero ? Z1 : Z3

# Is r Z3^2 = X3, or (r + n) Z3^2 = X3?
ZZ = Z3 * Z3
t = r * ZZ
difference = t - X3
flag match = zero difference
t = n * ZZ
difference = difference + t
flag match_n = zero difference
