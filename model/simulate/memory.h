// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the simulated devices.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/diagnostics.h"

namespace shardscope {

/// A block of memory at a multiple of 64 bytes; large ones on huge pages where the system has them. Not initialised.
class Arena {
public:
    Arena() = default;
    /// A null block when the system has no memory left; `bytes` >= 0.
    explicit Arena(std::int64_t bytes);
    ~Arena();
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&& other) noexcept;
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    [[nodiscard]] std::byte* data() const { return m_data; }
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    std::byte* m_data = nullptr;
    std::int64_t m_bytes = 0;
};

/// What a run may take, counted before it is taken.
class MemoryBudget {
public:
    explicit MemoryBudget(std::int64_t limit)
        : m_limit(limit)
    {
    }
    /// Errors: OutOfMemory {bytes: all that was asked for so far, limit}.
    Result<void> take(double bytes);
    Result<void> take(std::int64_t bytes) { return take(static_cast<double>(bytes)); }

private:
    std::int64_t m_limit;
    double m_taken = 0; ///< not integers: what is asked for may exceed them
};

/// Bytes of main memory in this machine, 0 if unknown.
[[nodiscard]] std::int64_t machineMemory();

} // namespace shardscope
