// The three clocks behind a bridge for PCIe or the shell of AWS F2, and the resets of either side.
#ifndef PM_CLOCKS_H
#define PM_CLOCKS_H
#include <algorithm>
#include <cstdint>

// The clock whose edge comes next. Periods in ps, of no common measure that matters.
enum Clock { kBridge, kCard, kMemory };
class Clocks {
  public:
    Clock next() {
        const Clock first = Clock(std::min_element(due, due + 3) - due);
        due[first] += kPeriod[first];
        return first;
    }

  private:
    static constexpr uint64_t kPeriod[] = {4000, 3333, 3077};
    uint64_t due[3] = {1000, 3333, 500};
};

// The last of the card's cycles in which a domain is in reset, or stalled.
struct Resets {
    uint64_t bridge = 0, memory = 0, card_clock = 0;
};
#endif
