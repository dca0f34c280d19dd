//! Composition and squaring: NUCOMP and NUDUPL (Shanks; Cohen, Algorithms 5.4.8 and 5.4.9; Jacobson and van der
//! Poorten, *Computational aspects of NUCOMP*, ANTS 2002).
//!
//! Gauss's product of (a1, b1, c1) and (a2, b2, c2), after division of a1, a2 and multiplication of c2 by the common
//! factor s, is (A, B, C) = (a1 a2, b2 + 2 a2 k, ·) with a2 k = (b1 - b2)/2 =: m (mod a1) (Cohen, Algorithm 5.4.7). A
//! has twice the digits of a1. Instead of reducing this form, let r = c k + d a1 be a remainder of Euclid's algorithm
//! for (a1, k). With h = (b1 + b2)/2, and because b2 = h - m,
//!
//!   A d² + B d c + C c² = (a2 r² + b2 r c + c2 c²) / a1 = r M + c N,
//!   M = (a2 r - m c) / a1,   N = (h r + c2 c) / a1,
//!
//! and both divisions are exact. Two consecutive remainders (r2, c2'), (r1, c1') are a substitution of determinant -σ,
//! where σ is the sign of c1'. The product has the reduced candidate
//!
//!   a' = r1 M + c1' N,   b' = -b1 - 2 σ (r2 M + c2' N),   c' = (b'² - D) / 4 a',
//!
//! with M and N taken at r1. Stopping at r1 ≤ |D|^(1/4) balances r1 and c1', so that few steps of reduction remain.

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed};

use super::euclid::{self, Remainders};
use super::{ClassGroup, Form};

impl ClassGroup {
    /// Composes two forms of this group.
    pub(super) fn nucomp(&self, f: &Form, g: &Form) -> Form {
        let (f, g) = if f.a <= g.a { (f, g) } else { (g, f) };
        let (mut a1, mut a2, mut c2) = (f.a.clone(), g.a.clone(), g.c.clone());
        let (h, m): (BigInt, BigInt) = ((&f.b + &g.b) >> 1, (&f.b - &g.b) >> 1);
        let (d, v) = gcd(&a1, &a2);
        let mut k = &m * v;
        if !d.is_one() {
            // s = gcd(d, h) = u d + v h
            let (s, v) = gcd(&d, &h);
            let u = (&s - &v * &h) / &d;
            k = k * u - v * &c2;
            (a1, a2, c2) = (a1 / &s, a2 / &s, c2 * s);
        }
        let r = self.remainders(&a1, k);
        let (r1, c1) = (r.r1(), r.c1());
        let big_m = (a2 * &r1 - m * &c1) / &a1;
        let big_n = (h * &r1 + c2 * &c1) / &a1;
        self.candidate(&f.b, &r, big_m, big_n)
    }

    /// Squares a form of this group: composition with a1 = a2, m = 0 and M = r1.
    pub(super) fn nudupl(&self, f: &Form) -> Form {
        let (s, v) = gcd(&f.a, &f.b);
        let k = -v * &f.c;
        let r =
            if s.is_one() { self.remainders(&f.a, k) } else { self.remainders(&(&f.a / &s), k) };
        let r1 = r.r1();
        let big_n = (&f.b * &r1 + &f.c * &s * r.c1()) / (&f.a / s);
        self.candidate(&f.b, &r, r1, big_n)
    }

    /// Stops Euclid's algorithm for (a1, k mod a1) at |D|^(1/4).
    fn remainders(&self, a1: &BigInt, k: BigInt) -> Remainders {
        euclid::partial(a1.magnitude(), k.mod_floor(a1).magnitude(), &self.quartic_root)
    }

    /// Computes (a', b', c') of the module comment and reduces it.
    fn candidate(&self, b1: &BigInt, r: &Remainders, big_m: BigInt, big_n: BigInt) -> Form {
        let a = r.r1() * &big_m + r.c1() * &big_n;
        let cross: BigInt = (r.r2() * big_m + r.c2() * big_n) << 1;
        let b = if r.sign() == Sign::Minus { cross - b1 } else { -cross - b1 };
        // The representative of b modulo 2 a in (-a, a].
        let double = &a << 1;
        let mut b = b.mod_floor(&double);
        if b > a {
            b -= double;
        }
        let c = (&b * &b - &self.discriminant) / (&a << 2);
        Form { a, b, c }.reduce()
    }
}

/// Computes g = gcd(a, b) and a c with c b = g (mod a), for a positive `a`.
fn gcd(a: &BigInt, b: &BigInt) -> (BigInt, BigInt) {
    let (g, c) = euclid::gcd(a.magnitude(), &(b.magnitude() % a.magnitude()));
    (g.into(), if b.is_negative() { -c } else { c })
}
