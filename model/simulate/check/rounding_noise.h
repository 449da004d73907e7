// SPDX-License-Identifier: GPL-3.0-or-later
// How much roundings matter in a program. Devices add up sums in another order than the reference does; what becomes of
// that further on depends on the program. So the reference is run a second time with sums that are off by about as much
// as another order makes them, and what changes is what roundings can change.
#pragma once

#include <map>

#include "simulate/run/run.h"

namespace shardscope {

/// Changes results of products, convolutions and sums, of floats alone. The same changes every time, and on every
/// device: they depend on the operation, on how often it was computed before, and on the element.
class RoundingNoise : public Observer {
public:
    explicit RoundingNoise(const Program& program)
        : m_program(program)
    {
    }
    void computed(OperationId operation, std::int64_t device, std::span<const kernels::Array> operands,
        std::span<kernels::Array> results) override;

private:
    const Program& m_program;
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> m_seen; ///< by operation and device
};

/// What to add to the tolerance of an array: a multiple of what the noise changed in it.
[[nodiscard]] double sensitivityOf(const kernels::Array& plain, const kernels::Array& noisy);

} // namespace shardscope
