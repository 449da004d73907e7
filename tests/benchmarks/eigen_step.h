// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulated devices are measured against: the same train step written with Eigen alone. Compiled for the
// machine it is built on, with all optimisations, unlike the product.
#pragma once

#include <cstdint>
#include <memory>

namespace shardscope::bench {

struct StepSize {
    std::int64_t layers = 4, batch = 8, width = 1024;
};

/// Multiplications and additions of a thread in a step of peakStep().
inline constexpr double peakFlops = 2.0 * 12 * 16 * 2'000'000;

/// A train step of the MLP, including Adam, on state of its own.
class PlainStep {
public:
    virtual ~PlainStep() = default;
    virtual float step() = 0; ///< returns the loss
};

// The translation unit is built twice: with everything the machine has, and with 32-byte vectors only, which g++ makes
// faster Eigen code of on some machines. The better one counts.
#define SHARDSCOPE_PLAIN_STEPS(space)                                                                                  \
    namespace space {                                                                                                  \
    /* Unsharded: one copy of the state. Threads share products and Adam by rows of the parameters. */                 \
    [[nodiscard]] std::unique_ptr<PlainStep> eigenStep(const StepSize& size, int threads);                             \
    /* Eight devices on a mesh data=2, model=4 as a straightforward program would have them: a loop over devices, */   \
    /* products by Eigen, gradients stored, sums over groups, Adam last. Every device has its own copies. */           \
    [[nodiscard]] std::unique_ptr<PlainStep> deviceLoopStep(const StepSize& size, int threads);                        \
    /* The least memory traffic that a step needs, with Adam's arithmetic on it and nothing else: reads the */         \
    /* parameters once for the forward pass, then reads and writes parameters and moments, all of that per copy. */    \
    [[nodiscard]] std::unique_ptr<PlainStep> floorStep(const StepSize& size, int copies, int threads);                 \
    /* Multiply-adds in registers and nothing else, peakFlops of them per thread. */                                   \
    [[nodiscard]] std::unique_ptr<PlainStep> peakStep(int threads);                                                    \
    /* A product of two square matrices; threads share its rows. */                                                    \
    [[nodiscard]] std::unique_ptr<PlainStep> eigenProduct(std::int64_t size, int threads);                             \
    }
SHARDSCOPE_PLAIN_STEPS(native)
SHARDSCOPE_PLAIN_STEPS(narrow)
#undef SHARDSCOPE_PLAIN_STEPS

} // namespace shardscope::bench
