// Random gaps in what a simulated card is given, and random refusals of what it offers.
#ifndef PM_JITTER_H
#define PM_JITTER_H
#include <cstdint>

// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled".
struct Noise {
    uint64_t state = 1;
    unsigned next256() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return unsigned((state * 0x2545F4914F6CDD1Dull) >> 56);
    }
};

struct Jitter {
    Noise noise;
    unsigned gap = 0, stall = 0;  // 256ths of the cycles

    bool gives() { return gap == 0 || noise.next256() >= gap; }
    bool takes() { return stall == 0 || noise.next256() >= stall; }
};
#endif
