// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the simulated devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.h"
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
    /// On huge pages, where the system has them.
    [[nodiscard]] static bool isLarge(std::int64_t bytes);
    /// What a block of so many bytes really takes.
    [[nodiscard]] static double bytesTaken(std::int64_t bytes);

private:
    std::byte* m_data = nullptr;
    std::int64_t m_bytes = 0;
};

/// Counts memory before it is taken. Sums are doubles: what is asked for may exceed integers.
class MemoryBudget {
public:
    explicit MemoryBudget(double limit)
        : m_limit(limit)
    {
    }
    /// Adds everything up and refuses nothing: whoever is handed it works out sizes and takes no memory for them.
    static MemoryBudget counter(double limit)
    {
        MemoryBudget budget(limit);
        budget.m_counts = true;
        return budget;
    }
    [[nodiscard]] bool onlyCounts() const { return m_counts; }
    [[nodiscard]] bool isExceeded() const { return m_taken > m_limit; }
    [[nodiscard]] double taken() const { return m_taken; }
    /// Errors: OutOfMemory {bytes: all that was asked for so far, limit}, unless it only counts.
    Result<void> take(double bytes);
    Result<void> take(std::int64_t bytes) { return take(static_cast<double>(bytes)); }

private:
    double m_limit;
    double m_taken = 0;
    bool m_counts = false;
};

/// Bytes of main memory that this process can still take without anybody being swapped or killed: what the system has
/// available, less where a control group or a resource limit leaves less. Nothing if unknown. `root` stands before
/// /proc and /sys.
[[nodiscard]] std::optional<std::int64_t> availableMemory(const std::string& root = {});

} // namespace shardscope
