// The card-side interface of the shell of an AWS F2 instance, in the shell's clock: PCIS brings the host's stores, PCIM takes what the card writes to the host's
// memory. Facts: "AWS Shell Interface Specification" of the F2 HDK. OCL is the shim's.
//
// What it drives in a cycle depends on the cycles before only; `cycle` takes what the card drives in it. It holds the card to the shell's rules, each
// of which would cost a user the instance's card: whole beats of 64 bytes, bursts within 4 KiB, contiguous bytes, and 8 us for everything that was
// begun. It has up to 32 reads under way on PCIS; over PCIM the card has none. One rule is the card's own: a page's descriptor is not written before the
// page is complete, for which the card waits for every write's response. `broken` names the first violated rule.
#ifndef PM_F2_SHELL_H
#define PM_F2_SHELL_H
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "memory.h"

template <class Noise>
class F2Shell {
  public:
    using Address = Memory::Address;
    using Data = Memory::Data;

    struct FromCard {
        // PCIS, on which the card answers.
        bool awready, wready, bvalid, arready, rvalid, rlast;
        uint16_t bid, rid;
        uint8_t bresp, rresp;
        // PCIM, on which the card is the manager.
        bool pawvalid, pwvalid, pbready, parvalid;
        Address paw;
        Data pw;
    };
    struct ToCard {
        bool awvalid = false, wvalid = false, bready = false, arvalid = false, rready = false;
        Address aw, ar;
        Data w;
        bool pawready = false, pwready = false, pbvalid = false;
        uint8_t pbresp = 0;
    };

    static constexpr uint16_t kId = 0x20;  // of the requests of the instance's processors
    static constexpr unsigned kPatience = 2000, kReads = 32, kWrites = 4;

    unsigned gap = 0, stall = 0;  // 256ths; with a stall of 256 PCIM is dead, and no rule is checked
    std::string broken;
    uint64_t written = 0;  // bursts in the host's memory

    explicit F2Shell(Noise &noise) : noise(noise) {}

    // Queues a store of the host: bursts of one or more lines, as a processor's buffers happen to be emptied.
    void store(uint64_t address, const uint8_t *bytes, size_t n) {
        for (size_t done = 0; done < n;) {
            Write burst;
            burst.address = {address + done, 0, 6, 1};
            const size_t most = 1 + noise.next256() % 64;
            do {
                const size_t at = (address + done) % kBeatBytes, here = std::min(n - done, kBeatBytes - at);
                Data line;
                std::memcpy(&line.bytes[at], bytes + done, here);
                line.strobes = (here == kBeatBytes ? ~uint64_t(0) : (uint64_t(1) << here) - 1) << at;
                burst.lines.push_back(line);
                done += here;
            } while (done < n && burst.lines.size() < most && (address + done) % kPage != 0);
            burst.lines.back().last = true;
            burst.address.len = uint8_t(burst.lines.size() - 1);
            writes.push_back(std::move(burst));
        }
    }
    size_t pending() const { return writes.size(); }

    // What PCIM reaches.
    void memory(uint64_t at, uint8_t *bytes, size_t n) {
        base = at;
        room = bytes;
        size = n;
    }

    const ToCard &drives() const { return out; }

    // The shell is in reset: nothing is under way. What the host has queued is lost.
    void reset() {
        writes.clear();
        reads.clear();
        posted.clear();
        out = {};
        addressStays = dataStays = false;
        unaddressed = unsent = opened = 0;
    }

    void cycle(const FromCard &card) {
        ++now;
        check(card);
        host(card);
        bursts(card);
        before = card;
    }

  private:
    static constexpr size_t kPage = 4096;
    struct Write {
        Address address;
        std::vector<Data> lines;
        size_t sent = 0;
        uint64_t since = 0;  // the card owes something of it, while it is under way
    };
    struct Read {
        unsigned left;
        uint64_t begun;
    };
    struct Post {
        Address address;
        std::vector<uint8_t> bytes;
        uint64_t begun, due = 0;
        bool whole = false;
    };

    Noise &noise;
    uint64_t now = 0;
    ToCard out;
    FromCard before{};
    bool addressStays = false, dataStays = false;  // what PCIM's `before` offered was not taken

    // PCIS: the first `opened` of the host's bursts are under way; what lies behind the first `unaddressed` has offered no address yet, and likewise data.
    std::deque<Write> writes;
    size_t unaddressed = 0, unsent = 0, opened = 0;
    std::deque<Read> reads;

    // PCIM.
    std::deque<Post> posted;
    uint64_t base = 0;
    uint8_t *room = nullptr;
    size_t size = 0;

    bool rests(unsigned share) { return share != 0 && noise.next256() < share; }
    void tell(const char *rule) {
        if (broken.empty() && stall < 256) broken = rule;
    }
    void late(uint64_t begun, const char *rule) {
        if (now - begun > kPatience) tell(rule);
    }

    // PCIS.
    void host(const FromCard &card) {
        if (out.awvalid && card.awready) {
            writes[unaddressed++].since = now;
            out.awvalid = false;
        }
        if (out.wvalid && card.wready) {
            Write &burst = writes[unsent];
            burst.since = now;
            if (++burst.sent == burst.lines.size()) ++unsent;
            out.wvalid = false;
        }
        if (card.bvalid && out.bready) {
            if (card.bid != kId || card.bresp != 0) tell("PCIS: a write's answer with another ID or an error");
            if (unaddressed == 0 || unsent == 0) {
                tell("PCIS: an answer before its write");
            } else {
                writes.pop_front();
                --unaddressed, --unsent, --opened;
            }
        }
        if (out.arvalid && card.arready) out.arvalid = false;
        if (card.rvalid && out.rready) {
            if (reads.empty()) {
                tell("PCIS: data that nobody asked for");
            } else {
                Read &read = reads.front();
                if (card.rid != kId || card.rlast != (read.left == 1)) tell("PCIS: a read's data with another ID or length");
                if (--read.left == 0) reads.pop_front();
            }
        }
        if (out.awvalid) late(writes[unaddressed].since, "PCIS: an address was not taken within 8 us");
        if (out.wvalid) late(writes[unsent].since, "PCIS: data was not taken within 8 us");
        if (std::min(unaddressed, unsent) > 0) late(writes[0].since, "PCIS: a write was not answered within 8 us");
        if (!reads.empty()) late(reads.front().begun, "PCIS: a read was not answered within 8 us");

        if (!out.awvalid && unaddressed < writes.size() && may_open(unaddressed) && !rests(gap)) {
            out.aw = writes[unaddressed].address;
            writes[unaddressed].since = now;
            out.awvalid = true;
        }
        if (!out.wvalid && unsent < writes.size() && may_open(unsent) && !rests(gap)) {
            out.w = writes[unsent].lines[writes[unsent].sent];
            writes[unsent].since = now;
            out.wvalid = true;
        }
        // Reads are not used; with gaps, some are generated all the same.
        if (!out.arvalid && gap != 0 && reads.size() < kReads && noise.next256() < 8) {
            const uint8_t len = noise.next256() % 4;
            out.ar = {uint64_t(noise.next256()) << 12, len, 6, 1};
            out.arvalid = true;
            reads.push_back({len + 1u, now});
        }
        out.bready = stall > 255 || !rests(stall);
        out.rready = stall > 255 || !rests(stall);
    }

    // Whether this one of the host's bursts is, or may be, under way.
    bool may_open(size_t i) {
        if (i < opened) return true;
        if (opened == kWrites) return false;
        ++opened;
        return true;
    }

    // PCIM.
    void bursts(const FromCard &card) {
        if (card.pawvalid && out.pawready) posted.push_back({card.paw, {}, now});
        if (card.pwvalid && out.pwready) {
            const auto burst = std::find_if(posted.begin(), posted.end(), [](const Post &post) { return !post.whole; });
            burst->bytes.insert(burst->bytes.end(), card.pw.bytes.begin(), card.pw.bytes.end());
            burst->whole = burst->bytes.size() == (burst->address.len + 1u) * kBeatBytes;
            burst->due = now + 5 + (stall ? noise.next256() / 2 : 0);
            if (card.pw.strobes != ~uint64_t(0)) tell("PCIM: bytes of a long write are not contiguous");
            if (card.pw.last != burst->whole) tell("PCIM: `last` is not on the last beat");
        }
        if (out.pbvalid && card.pbready) {
            out.pbvalid = false;
            posted.pop_front();
        }
        for (const Post &post : posted)
            if (!post.whole) late(post.begun, "PCIM: data did not follow its address within 8 us");
        if (out.pbvalid) late(posted.front().due, "PCIM: an answer was not taken within 8 us");

        if (!out.pbvalid && !posted.empty() && posted.front().whole && posted.front().due <= now) {
            out.pbresp = land(posted.front()) ? 0 : 2;
            out.pbvalid = true;
            posted.front().due = now;
        }
        out.pawready = !rests(stall);
        out.pwready = !rests(stall) && std::any_of(posted.begin(), posted.end(), [](const Post &post) { return !post.whole; });
    }

    bool land(const Post &post) {
        const uint64_t at = post.address.address - base;
        if (at >= size || size - at < post.bytes.size()) return false;
        std::memcpy(room + at, post.bytes.data(), post.bytes.size());
        ++written;
        return true;
    }

    void check(const FromCard &card) {
        if (card.pawvalid) {
            const uint64_t bytes = (card.paw.len + 1u) * kBeatBytes;
            if (card.paw.size != 6 || card.paw.burst != 1 || card.paw.address % kBeatBytes) tell("PCIM: not whole beats of 64 bytes");
            if (card.paw.address / kPage != (card.paw.address + bytes - 1) / kPage) tell("PCIM: a burst crosses 4 KiB");
        }
        if (card.pawvalid && !posted.empty()) tell("PCIM: a write begins before the one before it was answered");
        if (card.parvalid) tell("PCIM: a read, and this card has no need of any");
        if (addressStays && !(card.pawvalid && card.paw == before.paw)) tell("PCIM: an address that was offered went away");
        if (dataStays && !(card.pwvalid && card.pw == before.pw)) tell("PCIM: data that was offered went away");
        addressStays = card.pawvalid && !out.pawready;
        dataStays = card.pwvalid && !out.pwready;
    }
};
#endif
