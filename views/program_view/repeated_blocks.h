// SPDX-License-Identifier: GPL-3.0-or-later
// Stretches of a program that do the same thing: the layers of a network, as they follow each other when a loop was
// written out.
//
//     dot add tanh  dot add tanh  dot add tanh  reduce   ->   three blocks of three operations, from the first one on
//
// Two stretches are the same if their operations are equal one by one (kind, attributes, types, bodies) and read from
// each other in the same way. What they read from outside may be any values, as long as values that are one value in
// the first stretch are one value in the second.
#pragma once

#include <span>
#include <vector>

#include "program/program.h"

namespace shardscope {

class BlockComparison {
public:
    explicit BlockComparison(const Program& program);
    /// Lists of operations in program order.
    [[nodiscard]] bool same(std::span<const OperationId> a, std::span<const OperationId> b);

private:
    bool sameLists(std::span<const OperationId> a, std::span<const OperationId> b);
    bool sameOperation(const Operation& a, const Operation& b);
    bool pair(ValueId a, ValueId b);

    const Program& m_program;
    std::vector<ValueId> m_partnerOfA, m_partnerOfB; ///< by value, of the comparison at work
    std::vector<ValueId> m_touchedA, m_touchedB;
};

/// `copies` blocks of `length` operations, from operation `first` of the list on.
struct RepeatedBlocks {
    int first = 0, length = 0, copies = 0;
    bool operator==(const RepeatedBlocks&) const = default;
};

/// Blocks of at least four operations that follow each other at least three times, from the first to the last; of
/// several ways to see them the one that covers most.
[[nodiscard]] std::vector<RepeatedBlocks> repeatedBlocks(
    const Program& program, std::span<const OperationId> operations, BlockComparison& comparison);

} // namespace shardscope
