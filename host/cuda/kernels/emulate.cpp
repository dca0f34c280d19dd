// Launches kernels of the emulation (emulate.h): the library behind `cuda:emulated`.
//
// Memory of the emulated GPU is the process's, allocated here so that AddressSanitizer watches it. Launches run one at a time, block after block.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <ucontext.h>
#include <vector>

#include "platform.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulation {

Place place;
const Kernel *kernels;

namespace {

constexpr std::size_t STACK_BYTES = 1 << 17;

// The threads of a block, as fibers that take turns at barriers.
class Fibers {
  public:
    // Runs one block.
    void run(const Kernel &kernel, void **arguments, u32 block, u32 threads, void *shared, bool is_reversed) {
        kernel_ = &kernel, arguments_ = arguments;
        contexts_.resize(threads), done_.assign(threads, false);
        while (stacks_.size() < threads) stacks_.emplace_back(STACK_BYTES);
        for (u32 thread = 0; thread < threads; thread++) {
            getcontext(&contexts_[thread]);
            contexts_[thread].uc_stack.ss_sp = stacks_[thread].data();
            contexts_[thread].uc_stack.ss_size = STACK_BYTES;
            contexts_[thread].uc_link = &scheduler_;
            makecontext(&contexts_[thread], enter, 0);
        }
        for (u32 left = threads; left > 0;) {
            for (u32 i = 0; i < threads; i++) {
                const u32 thread = is_reversed ? threads - 1 - i : i;
                if (done_[thread]) continue;
                place = {thread, threads, block, shared};
                switch_to(thread);
                left -= done_[thread];
            }
        }
    }

    // Lets the other threads run until they wait, too.
    void wait() {
        const Place own = place;
        leave(false, own.thread);
        place = own;
    }

    static Fibers &instance() {
        static Fibers fibers;
        return fibers;
    }

  private:
    static void enter() {
        Fibers &fibers = instance();
        const u32 thread = place.thread;
        fibers.arrived(nullptr);
        fibers.kernel_->run(fibers.arguments_);
        fibers.done_[thread] = true;
        fibers.leave(true, thread);
    }

    void switch_to(u32 thread) {
#if defined(__SANITIZE_ADDRESS__)
        void *fake = nullptr;
        __sanitizer_start_switch_fiber(&fake, stacks_[thread].data(), STACK_BYTES);
        swapcontext(&scheduler_, &contexts_[thread]);
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
        swapcontext(&scheduler_, &contexts_[thread]);
#endif
    }

    void leave(bool for_good, u32 thread) {
#if defined(__SANITIZE_ADDRESS__)
        void *fake = nullptr;
        __sanitizer_start_switch_fiber(for_good ? nullptr : &fake, scheduler_stack_, scheduler_bytes_);
        swapcontext(&contexts_[thread], &scheduler_);
        arrived(fake);
#else
        (void)for_good;
        swapcontext(&contexts_[thread], &scheduler_);
#endif
    }

    void arrived(void *fake) {
#if defined(__SANITIZE_ADDRESS__)
        __sanitizer_finish_switch_fiber(fake, &scheduler_stack_, &scheduler_bytes_);
#else
        (void)fake;
#endif
    }

    const Kernel *kernel_ = nullptr;
    void **arguments_ = nullptr;
    ucontext_t scheduler_;
    const void *scheduler_stack_ = nullptr;
    std::size_t scheduler_bytes_ = 0;
    std::vector<ucontext_t> contexts_;
    std::vector<std::vector<char>> stacks_;
    std::vector<char> done_;
};

} // namespace

void wait_at_barrier() { Fibers::instance().wait(); }

} // namespace emulation

#pragma GCC visibility push(default)
extern "C" {

// Null where there is not so much; what is in it is arbitrary.
void *proofmill_emulated_allocate(std::size_t bytes) {
    void *memory = nullptr;
    if (posix_memalign(&memory, 256, bytes)) return nullptr;
    std::memset(memory, 0xa5, bytes);
    return memory;
}

void proofmill_emulated_free(void *memory) { std::free(memory); }

// 0, or 1 if there is no such kernel, 2 if memory for its block is missing.
int proofmill_emulated_launch(const char *module, const char *name, u32 blocks, u32 threads, u32 shared_bytes, void **arguments) {
    static std::mutex mutex;
    const std::lock_guard<std::mutex> lock(mutex);
    const emulation::Kernel *kernel = emulation::kernels;
    while (kernel && (std::strcmp(kernel->module, module) || std::strcmp(kernel->name, name))) kernel = kernel->next;
    if (!kernel) return 1;
    // Nothing may depend on the order of blocks, or of threads between two barriers: every other launch reverses both.
    static bool is_reversed;
    is_reversed = !is_reversed;
    for (u32 i = 0; i < blocks; i++) {
        const u32 block = is_reversed ? blocks - 1 - i : i;
        void *shared = proofmill_emulated_allocate(shared_bytes + 1);
        if (!shared) return 2;
        if (kernel->is_cooperative) {
            emulation::Fibers::instance().run(*kernel, arguments, block, threads, shared, is_reversed);
        } else {
            for (u32 j = 0; j < threads; j++) {
                emulation::place = {is_reversed ? threads - 1 - j : j, threads, block, shared};
                kernel->run(arguments);
            }
        }
        std::free(shared);
    }
    return 0;
}

// The version of this interface.
u32 proofmill_emulated_version() { return 1; }
}
#pragma GCC visibility pop
