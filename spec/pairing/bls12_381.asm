# Programs of the pairing processor for BLS12-381. Every name is an element of Fp2; x[0:3] stands for x0 x1 x2.
# An element of Fp12 is six of them, c0.c0 c0.c1 c0.c2 c1.c0 c1.c1 c1.c2; its conjugate has the last three negated.
# The curve's parameter is -x with x = 0xd201000000010000, binary 1101001 0^8 1 0^31 1 0^16.

# f l, squared; T = 2 T, and l the tangent there at P
routine double loop
  e[0:6] = fp12_mul_014 f[0:6] l[0:3]
  f[0:6] = fp12_sqr e[0:6]
  X Y Z ly lx l0 = line_dbl_jacobian X Y Z
  l1 = lx . xP
  l2 = ly . yP

# f l; T = T + Q, and l the chord at P
routine add
  f[0:6] = fp12_mul_014 f[0:6] l[0:3]
  X Y Z ly lx l0 = line_add_jacobian X Y Z xQ yQ
  l1 = lx . xP
  l2 = ly . yP

# f = the Miller value of a, a point of G1, and b, one of G2, before the conjugation for the parameter's sign. What they lack to be on
# their curves, y^2 - x^3 - b, goes to d while the first doubling is made; the verdict is waited for where it has had the time to come.
routine miller
  xP = load_fp a 0
  yP = load_fp a 1
  xQ = load b 0
  yQ = load b 2
  X = xQ
  Y = yQ
  one = constant one
  f0 = one
  f[1:6] = constant zero
  X Y Z ly lx l0 = line_dbl_jacobian X Y one
  l1 = lx . xP
  l2 = ly . yP
  xx = xP . xP
  uu = xQ * xQ
  xxx = xx . xP
  uuu = uu * xQ
  yy = yP . yP
  vv = yQ * yQ
  e = yy - xxx
  b = 4 * one
  e = e - b
  store_fp d 0 e
  w = vv - uuu
  h = xi one
  h = 4 * h
  w = w - h
  store d 1 w
  call add
  repeat 2 double
  wait
  call add
  repeat 3 double
  call add
  repeat 9 double
  call add
  repeat 32 double
  call add
  repeat 16 double
  f[0:6] = fp12_mul_014 f[0:6] l[0:3]

routine square loop
  t[0:6] = fp12_cyclotomic_sqr t[0:6]

# Four squarings: one begins before the one before it has ended.
routine square_four loop
  t[0:6] = fp12_cyclotomic_sqr t[0:6]
  t[0:6] = fp12_cyclotomic_sqr t[0:6]
  t[0:6] = fp12_cyclotomic_sqr t[0:6]
  t[0:6] = fp12_cyclotomic_sqr t[0:6]

routine times
  t[0:6] = fp12_mul t[0:6] g[0:6]

# t = g^x
routine power
  t[0:6] = g[0:6]
  repeat 1 square
  call times
  repeat 2 square
  call times
  repeat 3 square
  call times
  repeat 2 square_four
  repeat 1 square
  call times
  repeat 8 square_four
  call times
  repeat 4 square_four

# g = f^-3 (p^12 - 1) / r: the easy part of f over its conjugate, then (z - 1)^2 (z + p) (z^2 + p^2 - 1) + 3 of Hayashida, Hayasaka,
# Teruya, ePrint 2020/875, where z = -x, and a conjugate is an inverse.
routine final
  n[0:3] = fp12_norm f[0:6]
  m[0:3] s = fp6_adjoint n[0:3]
  sc = conj s
  q = s * sc
  invert q
  wait
  q = inverse
  s = sc . q
  n[0:3] = fp6_mul_fp2 m[0:3] s
  # n = 1 / (f fbar), so f over its conjugate is f f n
  e[0:6] = fp12_sqr f[0:6]
  f[0:3] = fp6_mul e[0:3] n[0:3]
  f[3:6] = fp6_mul e[3:6] n[0:3]
  call easy
  call times
  h[0:6] = t[0:6]
  g[0:6] = t[0:6]
  call power
  f[0:3] = t[0:3]
  f[3:6] = - t[3:6]
  e[0:3] = h[0:3]
  e[3:6] = - h[3:6]
  g[0:6] = fp12_mul f[0:6] e[0:6]
  call power
  e[0:3] = t[0:3]
  e[3:6] = - t[3:6]
  d[0:3] = g[0:3]
  d[3:6] = - g[3:6]
  g[0:6] = fp12_mul e[0:6] d[0:6]
  call power
  call frobenius
  e[0:3] = t[0:3]
  e[3:6] = - t[3:6]
  g[0:6] = fp12_mul e[0:6] f[0:6]
  call power
  f[0:6] = g[0:6]
  g[0:6] = t[0:6]
  call power
  call inner
  call times
  g[0:6] = t[0:6]
  t[0:6] = fp12_cyclotomic_sqr h[0:6]
  e[0:6] = fp12_mul t[0:6] h[0:6]
  g[0:6] = fp12_mul g[0:6] e[0:6]

# t = f^(p^2), g = f
routine easy
  g[0:6] = f[0:6]
  t0 = f0
  c1 = constant frobenius2_2
  t1 = f1 . c1
  c2 = constant frobenius2_4
  t2 = f2 . c2
  c3 = constant frobenius2_1
  t3 = f3 . c3
  c4 = constant frobenius2_3
  t4 = f4 . c4
  c5 = constant frobenius2_5
  t5 = f5 . c5

# f = g^p
routine frobenius
  k[0:6] = conj g[0:6]
  f0 = k0
  c1 = constant frobenius1_2
  f1 = k1 * c1
  c2 = constant frobenius1_4
  f2 = k2 * c2
  c3 = constant frobenius1_1
  f3 = k3 * c3
  c4 = constant frobenius1_3
  f4 = k4 * c4
  c5 = constant frobenius1_5
  f5 = k5 * c5

# g = f^(p^2 - 1), where f was the third power's base
routine inner
  c1 = constant frobenius2_2
  c2 = constant frobenius2_4
  c3 = constant frobenius2_1
  c4 = constant frobenius2_3
  c5 = constant frobenius2_5
  e0 = f0
  e1 = f1 . c1
  e2 = f2 . c2
  e3 = f3 . c3
  e4 = f4 . c4
  e5 = f5 . c5
  d[0:3] = f[0:3]
  d[3:6] = - f[3:6]
  g[0:6] = fp12_mul e[0:6] d[0:6]

entry miller_loop
  call miller
  store c 0 f[0:6]

# The next line of the table at b, at P: l0 + l1 v + v w.
routine next_line
  k = digit 0 0
  l0 = k . yQ
  k = digit 0 2
  l1 = k . xP

# f l, squared, and the next line
routine ready_double loop
  e[0:6] = fp12_mul_014_one f[0:6] l[0:2]
  f[0:6] = fp12_sqr e[0:6]
  k = digit 0 0
  l0 = k . yQ
  k = digit 0 2
  l1 = k . xP

# f l, and the next line. A product reads f, so f is written by sums of their own.
routine ready_add
  e[0:6] = fp12_mul_014_one f[0:6] l[0:2]
  z[0:3] = constant zero
  f[0:3] = e[0:3] + z[0:3]
  f[3:6] = e[3:6]
  k = digit 0 0
  l0 = k . yQ
  k = digit 0 2
  l1 = k . xP

# The Miller value of a, a point of G1, and of the point whose lines are at b, scaled so that their third coefficient is 1. What the point of G1
# lacks to be on its curve goes to d.
entry miller_lines
  xP = load_fp a 0
  yP = load_fp a 1
  xx = xP . xP
  xxx = xx . xP
  yy = yP . yP
  e = yy - xxx
  one = constant one
  b = 4 * one
  e = e - b
  store_fp d 0 e
  wait
  invert yP
  wait
  yQ = inverse
  xP = xP . yQ
  k = digit 0 0
  f0 = k . yQ
  k = digit 0 2
  f1 = k . xP
  f2 = constant zero
  f3 = constant zero
  f4 = constant one
  f5 = constant zero
  call next_line
  repeat 2 ready_double
  call ready_add
  repeat 3 ready_double
  call ready_add
  repeat 9 ready_double
  call ready_add
  repeat 32 ready_double
  call ready_add
  repeat 16 ready_double
  e[0:6] = fp12_mul_014_one f[0:6] l[0:2]
  store c 0 e[0:6]

entry final_exp
  f[0:6] = load a 0
  call final
  store c 0 g[0:6]

entry ate_pairing
  call miller
  call final
  store c 0 g[0:6]

entry fe12_mul
  f[0:6] = load a 0
  e[0:6] = load b 0
  g[0:6] = fp12_mul f[0:6] e[0:6]
  store c 0 g[0:6]

entry fe12_sqr
  f[0:6] = load a 0
  g[0:6] = fp12_sqr f[0:6]
  store c 0 g[0:6]

entry fe12_add
  f[0:6] = load a 0
  e[0:6] = load b 0
  g[0:6] = f[0:6] + e[0:6]
  store c 0 g[0:6]

entry fe12_sub
  f[0:6] = load a 0
  e[0:6] = load b 0
  g[0:6] = f[0:6] - e[0:6]
  store c 0 g[0:6]

# 0 for 0: one over f is its conjugate times one over the norm
entry fe12_inv
  f[0:6] = load a 0
  n[0:3] = fp12_norm f[0:6]
  m[0:3] s = fp6_adjoint n[0:3]
  sc = conj s
  q = s * sc
  invert q
  wait
  q = inverse
  s = sc . q
  n[0:3] = fp6_mul_fp2 m[0:3] s
  g[0:3] = fp6_mul f[0:3] n[0:3]
  e[0:3] = - f[3:6]
  g[3:6] = fp6_mul e[0:3] n[0:3]
  store c 0 g[0:6]

entry fe2_add
  f0 = load a 0
  e0 = load b 0
  g0 = f0 + e0
  store c 0 g0

entry fe2_sub
  f0 = load a 0
  e0 = load b 0
  g0 = f0 - e0
  store c 0 g0

entry fe2_mul
  f0 = load a 0
  e0 = load b 0
  g0 = f0 * e0
  store c 0 g0

entry fe2_inv
  s = load a 0
  sc = conj s
  q = s * sc
  invert q
  wait
  q = inverse
  g0 = sc . q
  store c 0 g0

entry fe_add
  f0 = load_fp a 0
  e0 = load_fp b 0
  g0 = f0 + e0
  store_fp c 0 g0

entry fe_sub
  f0 = load_fp a 0
  e0 = load_fp b 0
  g0 = f0 - e0
  store_fp c 0 g0

entry fe_mul
  f0 = load_fp a 0
  e0 = load_fp b 0
  g0 = f0 . e0
  store_fp c 0 g0

entry fe_inv
  q = load_fp a 0
  invert q
  wait
  q = inverse
  store_fp c 0 q

# What a point at a lacks to be on its curve, y^2 - x^3 - b z^6, to c: 0 on the curve.
entry g1_affine_equation
  x = load_fp a 0
  y = load_fp a 1
  one = constant one
  xx = x . x
  xxx = xx . x
  yy = y . y
  e = yy - xxx
  b = 4 * one
  e = e - b
  store_fp c 0 e

entry g1_jacobian_equation
  x = load_fp a 0
  y = load_fp a 1
  z = load_fp a 2
  xx = x . x
  zz = z . z
  xxx = xx . x
  zzz = zz . z
  yy = y . y
  z6 = zzz . zzz
  e = yy - xxx
  b = 4 * z6
  e = e - b
  store_fp c 0 e

entry g2_affine_equation
  x = load a 0
  y = load a 2
  one = constant one
  xx = x * x
  xxx = xx * x
  yy = y * y
  e = yy - xxx
  b = xi one
  b = 4 * b
  e = e - b
  store c 0 e

entry g2_jacobian_equation
  x = load a 0
  y = load a 2
  z = load a 4
  xx = x * x
  zz = z * z
  xxx = xx * x
  zzz = zz * z
  yy = y * y
  z6 = zzz * zzz
  e = yy - xxx
  b = xi z6
  b = 4 * b
  e = e - b
  store c 0 e

# The affine form of a Jacobian point at a, to c.
entry g1_normal
  q = load_fp a 2
  invert q
  wait
  i = inverse
  x = load_fp a 0
  y = load_fp a 1
  ii = i . i
  iii = ii . i
  x = x . ii
  y = y . iii
  store_fp c 0 x
  store_fp c 1 y

entry g2_normal
  s = load a 4
  sc = conj s
  q = s * sc
  invert q
  wait
  q = inverse
  i = sc . q
  x = load a 0
  y = load a 2
  ii = i * i
  iii = ii * i
  x = x * ii
  y = y * iii
  store c 0 x
  store c 2 y

# Multiples of points, in projective coordinates (x / z, y / z) with formulas that are complete: both curves have an odd number of points. An
# entry of a table takes six slots.

# Entries 0 and 1 at c of the affine point at a: the identity, and the point.
entry g1_begin
  x = load_fp a 0
  y = load_fp a 1
  one = constant one
  zero = constant zero
  store_fp c 0 zero
  store_fp c 1 one
  store_fp c 2 zero
  store_fp c 6 x
  store_fp c 7 y
  store_fp c 8 one

# Entries 2 k and 2 k + 1 at c of entry k at a and entry 1 at b.
entry g1_table
  X = load_fp a 0
  Y = load_fp a 1
  Z = load_fp a 2
  xQ = load_fp b 0
  yQ = load_fp b 1
  zQ = load_fp b 2
  repeat 1 g1_double
  store_fp c 0 X
  store_fp c 1 Y
  store_fp c 2 Z
  call g1_plus
  store_fp c 6 X
  store_fp c 7 Y
  store_fp c 8 Z

# 16 times the point at a and the one at b, to c.
entry g1_window
  X = load_fp a 0
  Y = load_fp a 1
  Z = load_fp a 2
  xQ = load_fp b 0
  yQ = load_fp b 1
  zQ = load_fp b 2
  repeat 4 g1_double
  call g1_plus
  store_fp c 0 X
  store_fp c 1 Y
  store_fp c 2 Z

entry g1_add
  X = load_fp a 0
  Y = load_fp a 1
  Z = load_fp a 2
  xQ = load_fp b 0
  yQ = load_fp b 1
  zQ = load_fp b 2
  call g1_plus
  store_fp c 0 X
  store_fp c 1 Y
  store_fp c 2 Z

# The affine form with z = 1 at c of the point at a; (1, 1, 0) of the identity.
entry g1_finish
  q = load_fp a 2
  invert q
  wait
  i = inverse
  x = load_fp a 0
  y = load_fp a 1
  z = load_fp a 2
  one = constant one
  e = z . i
  x = x . i
  y = y . i
  o = one - e
  x = x + o
  y = y + o
  store_fp c 0 x
  store_fp c 1 y
  store_fp c 2 e

# Affine coordinates at c of an entry 0 or 1 at a.
entry g1_affine
  x = load_fp a 0
  y = load_fp a 1
  z = load_fp a 2
  x = x . z
  y = y . z
  store_fp c 0 x
  store_fp c 1 y

entry g2_begin
  x = load a 0
  y = load a 2
  one = constant one
  zero = constant zero
  store c 0 zero
  store c 2 one
  store c 4 zero
  store c 6 x
  store c 8 y
  store c 10 one

# The multiples 0 to 15 of the affine point at b: entries 0 to 7 at a, 8 to 15 at c.
entry g2_table
  call g2_multiples

# 16 times the point at a and the one at b, to c.
entry g2_window
  X = load a 0
  Y = load a 2
  Z = load a 4
  xQ = load b 0
  yQ = load b 2
  zQ = load b 4
  repeat 1 g2_double_four
  call g2_plus
  store c 0 X
  store c 2 Y
  store c 4 Z

entry g2_add
  X = load a 0
  Y = load a 2
  Z = load a 4
  xQ = load b 0
  yQ = load b 2
  zQ = load b 4
  call g2_plus
  store c 0 X
  store c 2 Y
  store c 4 Z

# The affine form with z = 1 at c of the point at a; (1, 1, 0) of the identity.
entry g2_finish
  z = load a 4
  sc = conj z
  q = z * sc
  invert q
  wait
  q = inverse
  i = sc . q
  x = load a 0
  y = load a 2
  z = load a 4
  one = constant one
  e = z * i
  x = x * i
  y = y * i
  o = one - e
  x = x + o
  y = y + o
  store c 0 x
  store c 2 y
  store c 4 e

# Affine coordinates at c of an entry 0 or 1 at a.
entry g2_affine
  x = load a 0
  y = load a 2
  z = load a 4
  x = x * z
  y = y * z
  store c 0 x
  store c 2 y

routine g1_double loop
  X Y Z = rcb_dbl X Y Z over fp

routine g1_plus
  X Y Z = rcb_add X Y Z xQ yQ zQ over fp

# What three bits choose of a point P = (X : Y : V / 6), for g1_bits: entries 0 to 7 at a have what X, Y and V are multiplied by, two numbers each.
# The first ones, by the lower two bits, make the identity (0 : Y : 0), P, phi^2(P), or P + phi^2(P) = -phi(P), where phi (x, y) = (beta x, y); the
# second ones, by the highest bit, the identity or P.
routine g1_choices
  zero = constant zero
  one = constant one
  beta = constant frobenius2_2
  square = constant frobenius2_4
  minus = - one
  sixth = constant sixth
  store_fp a 0 zero
  store_fp a 1 zero
  store_fp a 2 one
  store_fp a 3 one
  store_fp a 4 zero
  store_fp a 5 zero
  store_fp a 6 one
  store_fp a 7 zero
  store_fp a 8 one
  store_fp a 9 one
  store_fp a 10 sixth
  store_fp a 11 zero
  store_fp a 12 square
  store_fp a 13 zero
  store_fp a 14 one
  store_fp a 15 one
  store_fp a 16 sixth
  store_fp a 17 zero
  store_fp a 18 beta
  store_fp a 19 zero
  store_fp a 20 minus
  store_fp a 21 one
  store_fp a 22 sixth
  store_fp a 23 zero
  store_fp a 24 zero
  store_fp a 25 one
  store_fp a 26 one
  store_fp a 27 one
  store_fp a 28 zero
  store_fp a 29 sixth
  store_fp a 30 one
  store_fp a 31 one
  store_fp a 32 one
  store_fp a 33 one
  store_fp a 34 sixth
  store_fp a 35 sixth
  store_fp a 36 square
  store_fp a 37 one
  store_fp a 38 one
  store_fp a 39 one
  store_fp a 40 sixth
  store_fp a 41 sixth
  store_fp a 42 beta
  store_fp a 43 one
  store_fp a 44 minus
  store_fp a 45 one
  store_fp a 46 sixth
  store_fp a 47 sixth

# Two bits more of what digits choose, side by side: by digit 0 of P = (X : Y : V / 6) and by digit 1 of 2 P, for the sums t[0:3] and t[3:6]. P = 4 P.
# What is chosen of 2 P, f[0:3], is added in the next turn: so no doubling waits for a sum.
routine g1_bits loop
  t[3:6] = rcb_add t[3:6] f[0:3] over pairs
  a = digit 0 0
  b = digit 0 2
  c = digit 0 4
  x = X & a
  y = Y & b
  z = V & c
  t[0:3] = rcb_add t[0:3] x y z over pairs
  X Y V U = rcb_dbl_scaled X Y V U over pairs
  a = digit 1 0
  b = digit 1 2
  c = digit 1 4
  f0 = X & a
  f1 = Y & b
  f2 = V & c
  X Y V U = rcb_dbl_scaled X Y V U over pairs

# The sum of k0 P + k1 phi^2(P), 128 bits each, from the lowest ones up, of the affine point P at d, to c + 48; behind it the z of
# x^2 P + phi(P) by the bits of x^2, which is 0 if P is in the subgroup, and for no other point of the curve (Scott, ePrint 2021/1130).
# Both are made at a time: c0 of a name is of the first one, c1 of the second, and P's coordinates stand in both. The choices go to a, where b is, too.
entry g1_multiply
  call g1_choices
  x = load_fp d 0
  y = load_fp d 1
  X = xi x
  Y = xi y
  one = constant one
  beta = constant frobenius2_2
  o = xi one
  v = xi beta
  V = 6 * o
  U = 8 * v
  u = 4 * o
  U = U + u
  t[0:6] = constant zero
  f[0:3] = constant zero
  t1 = o
  t4 = o
  f1 = o
  repeat 33 g1_bits
  repeat 32 g1_bits
  u = load_fp d 0
  v = load_fp d 1
  one = constant one
  beta = constant frobenius2_2
  u = u . beta
  x y z = rcb_add t[0:6] over pairs
  store_fp c 48 x
  store_fp c 49 y
  store_fp c 50 z
  # c0 of x - xi x is c1 of x
  a = xi x
  b = xi y
  e = xi z
  x = x - a
  y = y - b
  z = z - e
  x y z = rcb_add x y z u v one over fp
  store_fp c 51 z

# Multiples of the affine point at d: xQ yQ zQ is it, X Y Z is twice that, and t, h, f[0:3] are 3 to 7 times.
routine g2_multiples
  call g2_to_three
  call g2_to_seven
  call g2_to_eleven
  call g2_to_fifteen

routine g2_to_three
  xQ = load d 0
  yQ = load d 2
  zQ = constant one
  zero = constant zero
  store a 0 zero
  store a 2 zQ
  store a 4 zero
  store a 6 xQ
  store a 8 yQ
  store a 10 zQ
  X Y Z = rcb_dbl xQ yQ zQ
  store a 12 X
  store a 14 Y
  store a 16 Z
  t[0:3] = rcb_add X Y Z xQ yQ zQ
  store a 18 t[0:3]

routine g2_to_seven
  t[3:6] = rcb_dbl X Y Z
  store a 24 t[3:6]
  h[0:3] = rcb_add t[3:6] xQ yQ zQ
  store a 30 h[0:3]
  h[3:6] = rcb_dbl t[0:3]
  store a 36 h[3:6]
  f[0:3] = rcb_add h[3:6] xQ yQ zQ
  store a 42 f[0:3]

routine g2_to_eleven
  x y z = rcb_dbl t[3:6]
  store c 0 x
  store c 2 y
  store c 4 z
  x y z = rcb_add x y z xQ yQ zQ
  store c 6 x
  store c 8 y
  store c 10 z
  u v w = rcb_dbl h[0:3]
  store c 12 u
  store c 14 v
  store c 16 w
  u v w = rcb_add u v w xQ yQ zQ
  store c 18 u
  store c 20 v
  store c 22 w

routine g2_to_fifteen
  x y z = rcb_dbl h[3:6]
  store c 24 x
  store c 26 y
  store c 28 z
  x y z = rcb_add x y z xQ yQ zQ
  store c 30 x
  store c 32 y
  store c 34 z
  u v w = rcb_dbl f[0:3]
  store c 36 u
  store c 38 v
  store c 40 w
  u v w = rcb_add u v w xQ yQ zQ
  store c 42 u
  store c 44 v
  store c 46 w

routine g2_double loop
  X Y Z = rcb_dbl X Y Z

routine g2_double_four loop
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_dbl X Y Z

routine g2_plus
  X Y Z = rcb_add X Y Z xQ yQ zQ

# |x| times the point (X : Y : Z).
routine g2_times_x
  xQ = X
  yQ = Y
  zQ = Z
  repeat 1 g2_double
  call g2_plus
  repeat 2 g2_double
  call g2_plus
  repeat 3 g2_double
  call g2_plus
  repeat 2 g2_double_four
  repeat 1 g2_double
  call g2_plus
  repeat 8 g2_double_four
  call g2_plus
  repeat 4 g2_double_four

# z of |x| P + psi(P) at c, psi (X : Y : Z) = (xi^((p - 1) / 6) conj X : conj Y : xi^((p - 1) / 2) conj Z), the untwisted Frobenius: 0 if
# the affine point P at a is in the subgroup, and for no other one of the curve (the same).
entry g2_subgroup
  X = load a 0
  Y = load a 2
  Z = constant one
  call g2_times_x
  u = load a 0
  v = load a 2
  u = conj u
  v = conj v
  c1 = constant frobenius1_1
  w = constant frobenius1_3
  u = u * c1
  x y z = rcb_add X Y Z u v w
  store c 0 z

# 16 times the sum so far, and |x|^i times the entry of digit i, which is psi^i of it in the subgroup, negative if i is odd; and 16 times
# h[0:3], which becomes |x| times the point beside it.
routine g2_digits loop
  xa = digit 0 0
  ya = digit 0 2
  za = digit 0 4
  xb = digit 1 0
  yb = digit 1 2
  zb = digit 1 4
  xb = conj xb
  yb = conj yb
  zb = conj zb
  c1 = constant frobenius1_1
  d1 = constant frobenius1_3
  xb = xb * c1
  yb = - yb
  zb = zb * d1
  xc = digit 2 0
  yc = digit 2 2
  zc = digit 2 4
  c2 = constant frobenius2_1
  xc = xc . c2
  zc = - zc
  xd = digit 3 0
  yd = digit 3 2
  zd = digit 3 4
  xd = conj xd
  yd = conj yd
  zd = conj zd
  c3 = constant frobenius3_1
  d3 = constant frobenius3_3
  xd = xd * c3
  yd = - yd
  zd = zd * d3
  x y z = rcb_add xa ya za xb yb zb
  u v w = rcb_add xc yc zc xd yd zd
  x y z = rcb_add x y z u v w
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_dbl X Y Z
  X Y Z = rcb_add X Y Z x y z
  h[0:3] = rcb_dbl h[0:3]
  h[0:3] = rcb_dbl h[0:3]
  h[0:3] = rcb_dbl h[0:3]
  h[0:3] = rcb_dbl h[0:3]

routine g2_also_plus
  h[0:3] = rcb_add h[0:3] xQ yQ zQ

# The sum of k0 P + k1 |x| P + k2 |x|^2 P + k3 |x|^3 P by their digits, of the affine point P at d, to c + 48; behind it the z of
# |x| P + psi(P), as of g2_subgroup. P's multiples go to a and c, as of g2_table; b is a.
entry g2_multiply
  call g2_multiples
  X = constant zero
  Y = constant one
  Z = constant zero
  h0 = constant zero
  h1 = constant one
  h2 = constant zero
  repeat 1 g2_digits
  h[0:3] = load c 30
  repeat 1 g2_digits
  u = load a 12
  v = load a 14
  w = load a 16
  h[0:3] = rcb_add h[0:3] u v w
  repeat 2 g2_digits
  call g2_also_plus
  repeat 8 g2_digits
  call g2_also_plus
  repeat 4 g2_digits
  store c 48 X
  store c 50 Y
  store c 52 Z
  u = conj xQ
  v = conj yQ
  c1 = constant frobenius1_1
  w = constant frobenius1_3
  u = u * c1
  x y z = rcb_add h[0:3] u v w
  store c 54 z
