// SPDX-License-Identifier: GPL-3.0-or-later
// Whether two stretches of a program do the same thing: their operations are equal one by one (kind, attributes, types,
// bodies) and read from each other in the same way. What they read from outside may be any values, as long as values
// that are one value in the first stretch are one value in the second.
//
// Calls are the same where their functions are, whatever these are called: a copy is made for each of several calls.
//
// How values are sharded does not count, be it by annotations or by constraints: repeat_differences.h tells of that.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "program/function_names.h"
#include "program/program.h"

namespace shardscope {

/// Operations of one list that follow each other, in program order.
using Stretch = std::span<const OperationId>;

/// The same for stretches that could be equal.
[[nodiscard]] std::uint64_t stretchLabel(const Program& program, Stretch operations);

class BlockComparison {
public:
    explicit BlockComparison(const Program& program);
    [[nodiscard]] bool same(Stretch a, Stretch b);
    /// Of bodies of functions: their arguments and what they return are the same, too.
    [[nodiscard]] bool same(RegionId a, RegionId b);

private:
    bool sameLists(Stretch a, Stretch b);
    bool sameRegions(RegionId a, RegionId b);
    bool sameAttributes(const Operation& a, const Operation& b);
    void forget();
    bool sameOperation(const Operation& a, const Operation& b);
    bool pair(ValueId a, ValueId b);

    const Program& m_program;
    FunctionNames m_functions;
    int m_calls = 0; ///< how deep the comparison is in functions
    std::set<std::pair<RegionId, RegionId>> m_called; ///< bodies that it has gone through
    std::vector<ValueId> m_partnerOfA, m_partnerOfB; ///< by value, of the comparison at work
    std::vector<ValueId> m_touchedA, m_touchedB;
};

} // namespace shardscope
