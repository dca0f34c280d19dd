// Fp2 = Fp[u] / (u^2 + N) for a small positive N, over a field of field.h: c0 + c1 u. Products by Karatsuba's method (formulas fp2_mul, fp2_sqr of
// spec/formulas).
#pragma once
#include "field.h"

template <class F, int N> struct Quadratic {
    static constexpr int LIMBS = 2 * F::LIMBS;
    static constexpr int BYTES = 2 * F::BYTES;
    typedef F Base;

    F c0, c1;

    static METHOD Quadratic zero() { return {F::zero(), F::zero()}; }
    static METHOD Quadratic one() { return {F::one(), F::zero()}; }
    static METHOD Quadratic load(const void *from) { return {F::load(from), F::load((const char *)from + F::BYTES)}; }
    METHOD void store(void *to) const { c0.store(to), c1.store((char *)to + F::BYTES); }
    METHOD bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    METHOD bool is_reduced() const { return c0.is_reduced() && c1.is_reduced(); }
    METHOD Quadratic to_montgomery() const { return {c0.to_montgomery(), c1.to_montgomery()}; }
    METHOD Quadratic to_canonical() const { return {c0.to_canonical(), c1.to_canonical()}; }
    METHOD Quadratic plus(const Quadratic &b) const { return {c0.plus(b.c0), c1.plus(b.c1)}; }
    METHOD Quadratic minus(const Quadratic &b) const { return {c0.minus(b.c0), c1.minus(b.c1)}; }
    METHOD Quadratic twice() const { return {c0.twice(), c1.twice()}; }
    METHOD Quadratic negative() const { return {c0.negative(), c1.negative()}; }

    METHOD Quadratic times(const Quadratic &b) const { return product(*this, b); }
    METHOD Quadratic squared() const { return square(*this); }

    METHOD Quadratic inverse() const {
        const F norm = c0.squared().plus(multiple(c1.squared())).inverse();
        return {c0.times(norm), c1.negative().times(norm)};
    }

  private:
    // Out of line: inlined, their code would not fit into a multiprocessor's cache and take minutes to compile. Arguments are values, which go in registers.
    static OUT_OF_LINE Quadratic product(Quadratic a, Quadratic b) {
        const F low = a.c0.times(b.c0), high = a.c1.times(b.c1);
        const F all = a.c0.plus(a.c1).times(b.c0.plus(b.c1));
        return {low.minus(multiple(high)), all.minus(low).minus(high)};
    }

    static OUT_OF_LINE Quadratic square(Quadratic a) {
        const F cross = a.c0.times(a.c1);
        const F norm = a.c0.plus(a.c1).times(a.c0.minus(multiple(a.c1)));
        // (c0 + c1) (c0 - N c1) + (N - 1) c0 c1
        return {norm.plus(multiple(cross).minus(cross)), cross.twice()};
    }

    static METHOD F multiple(const F &x) {
        static_assert(N == 1 || N == 5, "another non-residue needs its multiple here");
        return N == 1 ? x : x.twice().twice().plus(x);
    }
};
