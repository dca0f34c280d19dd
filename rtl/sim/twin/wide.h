// Integers of N 64-bit words in two's complement, for the behavioural models of circuits: bits that do not fit are cut
// off, as in a circuit. proofmill.arith.BehaviouralModel writes it beside the Verilog of each model.
#pragma once
#include <cstdint>

namespace wide {

template <int N>
struct Int {
    uint64_t word[N];

    Int(int64_t value = 0) {
        for (int i = 0; i < N; ++i) word[i] = i ? uint64_t(value >> 63) : uint64_t(value);
    }

    // `count` words in two's complement, least word first.
    static Int of(const uint64_t *words, int count) {
        Int r;
        for (int i = 0; i < N; ++i) r.word[i] = i < count ? words[i] : uint64_t(int64_t(words[count - 1]) >> 63);
        return r;
    }

    bool negative() const { return word[N - 1] >> 63; }
    uint64_t sign() const { return negative() ? ~uint64_t(0) : 0; }

    // 64 bits from bit `from`; what is not there has the sign.
    uint64_t bits(int from) const {
        const int i = from / 64, s = from % 64;
        const uint64_t low = i < N ? word[i] : sign(), high = i + 1 < N ? word[i + 1] : sign();
        return s ? low >> s | high << (64 - s) : low;
    }

    // The lowest `width` bits without, or with the top one of them as the sign.
    Int low(int width) const { return cut(width, 0); }
    Int low_signed(int width) const { return cut(width, bits(width - 1) & 1 ? ~uint64_t(0) : 0); }

    bool operator==(const Int &other) const {
        for (int i = 0; i < N; ++i)
            if (word[i] != other.word[i]) return false;
        return true;
    }
    bool operator<(const Int &other) const { return (*this - other).negative(); }  // of integers below 2^(64 N - 2)

    Int operator~() const {
        Int r;
        for (int i = 0; i < N; ++i) r.word[i] = ~word[i];
        return r;
    }
    Int operator-() const { return ~*this + Int(1); }
    Int operator+(const Int &other) const {
        Int r;
        unsigned __int128 sum = 0;
        for (int i = 0; i < N; ++i) {
            sum += (unsigned __int128)word[i] + other.word[i];
            r.word[i] = uint64_t(sum);
            sum >>= 64;
        }
        return r;
    }
    Int operator-(const Int &other) const {
        Int r;
        unsigned borrow = 0;
        for (int i = 0; i < N; ++i) {
            const unsigned __int128 difference = (unsigned __int128)word[i] - other.word[i] - borrow;
            r.word[i] = uint64_t(difference);
            borrow = unsigned(difference >> 64) & 1;
        }
        return r;
    }
    Int operator*(const Int &other) const {
        Int r;
        for (int i = 0; i < N; ++i) {
            unsigned __int128 carry = 0;
            for (int j = 0; i + j < N; ++j) {
                carry += (unsigned __int128)word[i] * other.word[j] + r.word[i + j];
                r.word[i + j] = uint64_t(carry);
                carry >>= 64;
            }
        }
        return r;
    }
    Int operator<<(int shift) const {
        Int r;
        for (int i = N - 1; i >= shift / 64; --i) {
            const int from = i - shift / 64, s = shift % 64;
            r.word[i] = word[from] << s | (s && from ? word[from - 1] >> (64 - s) : 0);
        }
        return r;
    }
    // Towards minus infinity.
    Int operator>>(int shift) const {
        Int r;
        for (int i = 0; i < N; ++i) r.word[i] = bits(shift + 64 * i);
        return r;
    }

private:
    Int cut(int width, uint64_t above) const {
        Int r;
        for (int i = 0; i < N; ++i) {
            const int left = width - 64 * i;
            const uint64_t mask = left >= 64 ? ~uint64_t(0) : left <= 0 ? 0 : (uint64_t(1) << left) - 1;
            r.word[i] = (word[i] & mask) | (above & ~mask);
        }
        return r;
    }
};

// floor(a / b) for b > 0, bit by bit: for a divisor that changes. Models of fast units multiply by constants instead.
template <int N>
Int<N> floor_divide(const Int<N> &a, const Int<N> &b) {
    const bool negative = a.negative();
    Int<N> rest, quotient, value = negative ? ~a : a;  // floor(a / b) = ~floor(~a / b)
    for (int i = 64 * N - 1; i >= 0; --i) {
        rest = (rest << 1) + Int<N>(value.bits(i) & 1);
        quotient = quotient << 1;
        if (!(rest < b)) {
            rest = rest - b;
            quotient.word[0] |= 1;
        }
    }
    return negative ? ~quotient : quotient;
}

// `sum` and, for each chunk of the bits `from` to `until - 1` of `x`, the entry of its table that the chunk chooses: integers of W words.
template <int W, int N>
Int<N> chunks(const Int<N> &sum, const Int<N> &x, int from, int until, int chunk, const uint64_t *table) {
    Int<W + 1> entries;
    for (; from < until; from += chunk) {
        const int size = until - from < chunk ? until - from : chunk;
        entries = entries + Int<W + 1>::of(table + (x.bits(from) & ((1u << size) - 1)) * W, W);
        table += W << size;
    }
    return sum + Int<N>::of(entries.word, W + 1);
}

// `width` bits from bit `at` of a vector as Verilator passes it, the top one of them the sign.
template <int N>
Int<N> load(const uint32_t *in, int at, int width) {
    Int<N> r;
    const int last = (at + width - 1) / 32;
    for (int i = 0; i < N && 64 * i < width; ++i)
        for (int j = 0; j < 3; ++j) {
            const int k = at / 32 + 2 * i + j, s = 32 * j - at % 32;
            if (k > last || s >= 64) continue;
            r.word[i] |= s < 0 ? uint64_t(in[k]) >> -s : uint64_t(in[k]) << s;
        }
    return r.low_signed(width);
}

// The lowest `width` bits of `x` into bits `at` and up of a vector of zeros.
template <int N>
void store(uint32_t *out, int at, int width, const Int<N> &x) {
    const Int<N> value = x.low(width < 64 * N ? width : 64 * N);
    for (int from = -(at % 32), k = at / 32; from < width; from += 32, ++k)
        out[k] |= uint32_t(from < 0 ? value.word[0] << -from : value.bits(from));
}

}  // namespace wide
