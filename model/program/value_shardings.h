// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding of any value of a program, also where the program stores it with an operation rather than per value.
//
//     %1 = sdy.reshard %0 <@mesh, [{"x"}, {}]>     of(%1) is [{x}, {}], stored with the reshard
#pragma once

#include <span>
#include <unordered_map>

#include "program/program.h"

namespace shardscope {

/// Extends Program::shardingOf():
/// - results of constraints, reshards, data flow edges and collectives have the sharding of their operation;
/// - results of manual and named computations have theirs from the operation's list of out_shardings, and arguments of
///   the bodies theirs from in_shardings, without the manual axes;
/// - arguments of a loop's bodies have the shardings of the loop's results.
/// The program must outlive this object.
class ValueShardings {
public:
    explicit ValueShardings(const Program& program);
    /// Null for a value without a sharding.
    [[nodiscard]] const ProgramSharding* of(ValueId value) const;

private:
    void addLoop(const Operation& loop, std::span<const ValueId> arguments);

    const Program& m_program;
    std::unordered_map<std::uint32_t, ProgramSharding> m_bodyArguments;
};

/// The sharding that the operation itself carries: of a constraint (ExplicitSharding), reshard, edge or collective.
/// Null for none.
[[nodiscard]] const ProgramSharding* ownSharding(const Operation& operation);
/// Shardy's collectives: the result is the operand in another sharding.
[[nodiscard]] bool isShardyCollective(OpKind kind);
/// Shardy's collectives, constraints and reshards: as a global array the result equals the operand.
[[nodiscard]] bool changesOnlySharding(OpKind kind);
/// Follows reshards and collectives back to the value that they began with.
[[nodiscard]] ValueId beforeExchanges(const Program& program, ValueId value);
/// The sharding inside a computation in which these axes are manual: without them.
[[nodiscard]] ProgramSharding withoutAxes(
    const Program& program, const ProgramSharding& sharding, std::span<const std::string> axes);

} // namespace shardscope
