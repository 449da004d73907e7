// SPDX-License-Identifier: GPL-3.0-or-later
// Along which axes a value is partial, whether its sharding says so (unreduced axes) or not: the result of a product
// whose contracted dimension is sharded is partial by itself.
//
// Shardy's all_reduce and reduce_scatter reduce such a value. They leave it as it is where that has been done before.
#pragma once

#include <functional>
#include <vector>

#include "program/program.h"

namespace shardscope {

using FindSharding = std::function<const ProgramSharding*(ValueId)>;
/// Its factor rule, which nobody has given it, passes every dimension of every tensor through.
[[nodiscard]] bool passesEveryDimension(const Program& program, const Operation& operation);
/// The axes of the dimensions that the operation sums over (or takes the greatest of, ...).
[[nodiscard]] AxisList summedAxes(const Program& program, const Operation& operation, const FindSharding& shardingOf);

class PartialAxes {
public:
    explicit PartialAxes(const Program& program);
    struct Parts {
        AxisList axes;
        ReduceKind kind = ReduceKind::Sum; ///< how they are put together
    };
    [[nodiscard]] const Parts& of(ValueId value) const { return m_parts[value.index]; }

private:
    void visit(const Operation& operation);
    [[nodiscard]] Parts partsOfResult(const Operation& operation) const;

    const Program& m_program;
    FindSharding m_shardingOf;
    std::vector<Parts> m_parts; ///< by value
};

/// Of a program whose shardings are final. Error: NotExecutable {op, wrong: "whole_operand" or "other_kind", axes} for
/// an all_reduce or reduce_scatter along whose axes its operand cannot be partial, or is by another kind.
[[nodiscard]] Result<void> checkExplicitSums(const Program& program);

/// Of a program with explicit reshards, which reduce what operations leave partial: an all_reduce or reduce_scatter
/// keeps the axes along which its operand is partial still. What is left of a reduce_scatter is an all_slice.
///
///     %d = dot; %s = all_reduce {x} %d; reduce_scatter [{x}, {}] %s   ->   all_slice [{x}, {}] %s
[[nodiscard]] Program dropFinishedSums(Program program);

} // namespace shardscope
