// SPDX-License-Identifier: GPL-3.0-or-later
// The sharding of any value of a program, wherever the program keeps it.
#pragma once

#include <span>
#include <unordered_map>

#include "program/program.h"

namespace shardscope {

/// Finds what Program::shardingOf() does not know: results of constraints, reshards, edges and collectives have the
/// operation's own sharding, those of manual and named computations one of the operation's list; arguments of their
/// bodies likewise, without the manual axes; what a loop's bodies are given lies as what the loop returns. Refers to
/// the program.
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
/// They, constraints and reshards: in full the result is the operand.
[[nodiscard]] bool changesOnlySharding(OpKind kind);
/// The value that reshards and collectives have made the form of that stands here.
[[nodiscard]] ValueId beforeExchanges(const Program& program, ValueId value);
/// The sharding without these axes, as it is inside a computation where they are manual.
[[nodiscard]] ProgramSharding withoutAxes(
    const Program& program, const ProgramSharding& sharding, std::span<const std::string> axes);

} // namespace shardscope
