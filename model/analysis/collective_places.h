// SPDX-License-Identifier: GPL-3.0-or-later
// Where collectives stand in a program: after the operation that makes a value, for all who read it, or before one
// operation that reads it; or they are operations of the program themselves. By their numbers in the list.
#pragma once

#include <unordered_map>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

class CollectivePlaces {
public:
    CollectivePlaces() = default;
    /// Those that send anything. Without a list of them there are none.
    static CollectivePlaces of(const Snapshot& snapshot);

    [[nodiscard]] bool empty() const { return m_operations.empty(); }
    /// In the order in which they run; null for none.
    [[nodiscard]] const std::vector<int>* after(ValueId value) const;
    [[nodiscard]] const std::vector<int>* before(ValueId value, OperationId reader) const;
    /// All that stand before an operation, and after it; one that it is itself is in neither.
    [[nodiscard]] std::vector<int> beforeAll(const Operation& operation, OperationId id) const;
    [[nodiscard]] std::vector<int> afterAll(const Operation& operation) const;
    /// That the operation itself is, -1 for none.
    [[nodiscard]] int ofOperation(OperationId operation) const;
    /// Where it stands; invalid where the program has no place for it.
    [[nodiscard]] OperationId operationOf(int collective) const;
    [[nodiscard]] int count() const { return static_cast<int>(m_operations.size()); }

private:
    std::vector<OperationId> m_operations; ///< by collective
    std::unordered_map<std::uint32_t, std::vector<int>> m_after; ///< by value
    std::unordered_map<std::uint64_t, std::vector<int>> m_before; ///< by value and reader
    std::unordered_map<std::uint32_t, int> m_own; ///< by operation
};

} // namespace shardscope
