// Points of y^2 = x^3 + b. Bases are affine, in Montgomery form, (0, 0) for the identity. Sums are (X, Y, ZZ, ZZZ) with x = X / ZZ, y = Y / ZZZ,
// ZZ^3 = ZZZ^2, and ZZ = 0 for the identity (EFD, short Weierstrass curves, XYZZ; formulas xyzz_* of spec/formulas). Exceptional cases
// branch: points and scalars show in the time.
#pragma once

template <class F> struct Affine {
    static constexpr int BYTES = 2 * F::BYTES;
    F x, y;

    static METHOD Affine load(const void *from) { return {F::load(from), F::load((const char *)from + F::BYTES)}; }
    METHOD void store(void *to) const { x.store(to), y.store((char *)to + F::BYTES); }
    METHOD bool is_identity() const { return x.is_zero() && y.is_zero(); }
};

template <class F> struct Sum {
    static constexpr int BYTES = 4 * F::BYTES;
    F x, y, zz, zzz;

    static METHOD Sum identity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }
    METHOD bool is_identity() const { return zz.is_zero(); }

    static METHOD Sum load(const void *from) {
        const char *at = (const char *)from;
        return {F::load(at), F::load(at + F::BYTES), F::load(at + 2 * F::BYTES), F::load(at + 3 * F::BYTES)};
    }

    METHOD void store(void *to) const {
        char *at = (char *)to;
        x.store(at), y.store(at + F::BYTES), zz.store(at + 2 * F::BYTES), zzz.store(at + 3 * F::BYTES);
    }

    static METHOD Sum of(const Affine<F> &point) {
        if (point.is_identity()) return identity();
        return {point.x, point.y, F::one(), F::one()};
    }

    // dbl-2008-s-1
    METHOD Sum twice() const { return doubled(*this); }

    // madd-2008-s
    METHOD void add(const Affine<F> &point) {
        if (point.is_identity()) return;
        if (is_identity()) {
            *this = of(point);
            return;
        }
        const F p = point.x.times(zz).minus(x), r = point.y.times(zzz).minus(y);
        if (p.is_zero()) {
            *this = r.is_zero() ? doubled(of(point)) : identity();
            return;
        }
        const F pp = p.squared(), ppp = p.times(pp), q = x.times(pp);
        x = r.squared().minus(ppp).minus(q.twice());
        y = r.times(q.minus(x)).minus(y.times(ppp));
        zz = zz.times(pp);
        zzz = zzz.times(ppp);
    }

    // add-2008-s
    METHOD void add(const Sum &b) { *this = added(*this, b); }

  private:
    // Out of line, for the sake of code size and of the time to compile: not where most of the time goes. Arguments are values, so that the caller's stay in
    // registers.
    static OUT_OF_LINE Sum doubled(Sum a) {
        const F u = a.y.twice(), v = u.squared(), w = u.times(v), s = a.x.times(v);
        const F xx = a.x.squared(), m = xx.twice().plus(xx);
        const F x3 = m.squared().minus(s.twice());
        return {x3, m.times(s.minus(x3)).minus(w.times(a.y)), v.times(a.zz), w.times(a.zzz)};
    }

    static OUT_OF_LINE Sum added(Sum a, Sum b) {
        if (b.is_identity()) return a;
        if (a.is_identity()) return b;
        const F u1 = a.x.times(b.zz), s1 = a.y.times(b.zzz);
        const F p = b.x.times(a.zz).minus(u1), r = b.y.times(a.zzz).minus(s1);
        if (p.is_zero()) return r.is_zero() ? doubled(a) : identity();
        const F pp = p.squared(), ppp = p.times(pp), q = u1.times(pp);
        const F x3 = r.squared().minus(ppp).minus(q.twice());
        return {x3, r.times(q.minus(x3)).minus(s1.times(ppp)), a.zz.times(b.zz).times(pp), a.zzz.times(b.zzz).times(ppp)};
    }
};
