// Prime fields in Montgomery form: x 2^(32 N) modulo p, in N limbs of 32 bits, always below p.
//
// A field's parameters P are generated from the numbers in spec/fields: P::LIMBS; functions of a limb's number `modulus(i)`, `one(i)` (2^(32 N)
// modulo p), `square(i)` (2^(64 N) modulo p); P::NEGATIVE_INVERSE (-1/p modulo 2^32). LIMBS is even, and p < 2^(32 N - 1).
//
// `times` multiplies with a number in Montgomery form; the other factor, and then the product, may be in canonical form too. NTTs never leave it.
#pragma once
#include "limbs.h"

template <class P> struct Prime {
    static constexpr int LIMBS = P::LIMBS;
    static constexpr int BYTES = 4 * LIMBS;
    typedef Prime Base;
    typedef P Parameters;

    u32 v[LIMBS];

    static METHOD Prime zero() {
        Prime r;
        UNROLL for (int i = 0; i < LIMBS; i++) r.v[i] = 0;
        return r;
    }

    static METHOD Prime one() {
        Prime r;
        UNROLL for (int i = 0; i < LIMBS; i++) r.v[i] = P::one(i);
        return r;
    }

    static METHOD Prime load(const void *from) {
        Prime r;
        load_words<LIMBS>(r.v, from);
        return r;
    }

    METHOD void store(void *to) const { store_words<LIMBS>(to, v); }

    METHOD bool is_zero() const {
        u32 any = 0;
        UNROLL for (int i = 0; i < LIMBS; i++) any |= v[i];
        return any == 0;
    }

    // True for a canonical or Montgomery form, false for p and above.
    METHOD bool is_reduced() const {
        sub_cc(v[0], P::modulus(0));
        UNROLL for (int i = 1; i < LIMBS; i++) subc_cc(v[i], P::modulus(i));
        return subc(0, 0) != 0;
    }

    METHOD Prime to_montgomery() const {
        Prime square;
        UNROLL for (int i = 0; i < LIMBS; i++) square.v[i] = P::square(i);
        return times(square);
    }

    METHOD Prime to_canonical() const {
        Prime one = zero();
        one.v[0] = 1;
        return times(one);
    }

    METHOD Prime plus(const Prime &b) const {
        Prime r;
        r.v[0] = add_cc(v[0], b.v[0]);
        UNROLL for (int i = 1; i < LIMBS - 1; i++) r.v[i] = addc_cc(v[i], b.v[i]);
        r.v[LIMBS - 1] = addc(v[LIMBS - 1], b.v[LIMBS - 1]);
        return r.reduced();
    }

    METHOD Prime minus(const Prime &b) const {
        Prime r;
        r.v[0] = sub_cc(v[0], b.v[0]);
        UNROLL for (int i = 1; i < LIMBS; i++) r.v[i] = subc_cc(v[i], b.v[i]);
        const u32 borrow = subc(0, 0);
        r.v[0] = add_cc(r.v[0], P::modulus(0) & borrow);
        UNROLL for (int i = 1; i < LIMBS - 1; i++) r.v[i] = addc_cc(r.v[i], P::modulus(i) & borrow);
        r.v[LIMBS - 1] = addc(r.v[LIMBS - 1], P::modulus(LIMBS - 1) & borrow);
        return r;
    }

    METHOD Prime twice() const { return plus(*this); }

    METHOD Prime negative() const { return zero().minus(*this); }

    METHOD Prime squared() const { return times(*this); }

    // a b / 2^(32 N) by Montgomery's method, a limb of b at a time (CIOS), in two sums: of even and of odd columns (N. Emmart). A step
    // divides by 2^32, so that even and odd change places.
    METHOD Prime times(const Prime &b) const {
        u32 even[LIMBS], odd[LIMBS];
        products<LIMBS>(odd, v + 1, b.v[0]);
        products<LIMBS>(even, v, b.v[0]);
        reduce_step(even, odd);
        product_step(odd, even, b.v[1]);
        UNROLL for (int i = 2; i < LIMBS; i += 2) {
            product_step(even, odd, b.v[i]);
            product_step(odd, even, b.v[i + 1]);
        }
        Prime r;
        r.v[0] = add_cc(even[0], odd[1]);
        UNROLL for (int i = 1; i < LIMBS - 1; i++) r.v[i] = addc_cc(even[i], odd[i + 1]);
        r.v[LIMBS - 1] = addc(even[LIMBS - 1], 0);
        return r.reduced();
    }

    // x^(p - 2); 0 for 0.
    METHOD Prime inverse() const {
        u32 exponent[LIMBS];
        exponent[0] = sub_cc(P::modulus(0), 2);
        for (int i = 1; i < LIMBS; i++) exponent[i] = subc_cc(P::modulus(i), 0);
        Prime power = one();
        ROLLED for (int bit = 32 * LIMBS - 1; bit >= 0; bit--) {
            power = power.squared();
            if (exponent[bit / 32] >> bit % 32 & 1) power = power.times(*this);
        }
        return power;
    }

    // x below 2 p, brought below p.
    METHOD Prime reduced() const {
        Prime r;
        r.v[0] = sub_cc(v[0], P::modulus(0));
        UNROLL for (int i = 1; i < LIMBS; i++) r.v[i] = subc_cc(v[i], P::modulus(i));
        const bool is_below = subc(0, 0) != 0;
        UNROLL for (int i = 0; i < LIMBS; i++) r.v[i] = is_below ? v[i] : r.v[i];
        return r;
    }

  private:
    // Makes the lowest limb 0 by adding a multiple of p.
    static METHOD void reduce_step(u32 *even, u32 *odd) {
        u32 p[LIMBS];
        UNROLL for (int i = 0; i < LIMBS; i++) p[i] = P::modulus(i);
        const u32 quotient = mul_lo(even[0], P::NEGATIVE_INVERSE);
        add_products<LIMBS>(odd, p + 1, quotient);
        add_products<LIMBS>(even, p, quotient);
        odd[LIMBS - 1] = addc(odd[LIMBS - 1], 0);
    }

    // Divides the sum before, whose lowest limb odd[0] is 0, by 2^32, adds a b and reduces. `odd` comes as the even columns of that sum: its second limb
    // goes to the lowest column, the others two places down.
    METHOD void product_step(u32 *even, u32 *odd, u32 b) const {
        even[0] = add_cc(even[0], odd[1]);
        UNROLL for (int j = 0; j < LIMBS - 2; j += 2) {
            odd[j] = madc_lo_cc(v[j + 1], b, odd[j + 2]);
            odd[j + 1] = madc_hi_cc(v[j + 1], b, odd[j + 3]);
        }
        odd[LIMBS - 2] = madc_lo_cc(v[LIMBS - 1], b, 0);
        odd[LIMBS - 1] = madc_hi(v[LIMBS - 1], b, 0);
        add_products<LIMBS>(even, v, b);
        odd[LIMBS - 1] = addc(odd[LIMBS - 1], 0);
        reduce_step(even, odd);
    }
};
