// SPDX-License-Identifier: GPL-3.0-or-later
// Operations that stand for functions, and the barrier that only keeps values together.
// Declared in rows.h.
#include <algorithm>
#include <array>

#include "program/ops/checks.h"
#include "program/ops/rows.h"

namespace shardscope::ops {

namespace {

/// The function of that name takes the operands and gives the results.
Result<void> expectFunction(const Subject& call, const std::string& callee)
{
    const Function* function = call.program.function(callee);
    if (!function)
        return call.operand("there is no function @" + callee);
    // What a function itself lacks is said of the function.
    if (function->body.index >= call.program.regions.size())
        return {};
    const Region& body = call.program.regions[function->body.index];
    const auto isThere = [&](ValueId value) { return value.index < call.program.values.size(); };
    if (!std::all_of(body.arguments.begin(), body.arguments.end(), isThere)
        || !std::all_of(body.results.begin(), body.results.end(), isThere))
        return {};
    const auto side = [&](const std::vector<ValueId>& own, const TypeList& specified,
                          const char* what) -> Result<void> {
        if (own.size() != specified.size())
            return call.operand(
                "@" + callee + " has " + counted(own.size(), what) + ", the call " + std::to_string(specified.size()));
        for (std::size_t i = 0; i < own.size(); ++i)
            SHARDSCOPE_CHECK(expectType(call, std::string(what) + ' ' + std::to_string(i) + " of the call",
                specified[i], call.program.value(own[i]).type));
        return {};
    };
    SHARDSCOPE_CHECK(side(body.arguments, call.operands, "argument"));
    return side(body.results, call.results, "result");
}

Result<void> checkCall(const Subject& call)
{
    SHARDSCOPE_TRY(own, call.otherAttributes<CallAttributes>());
    return expectFunction(call, (*own)->callee);
}

Result<void> checkComposite(const Subject& call)
{
    SHARDSCOPE_TRY(own, call.otherAttributes<CompositeAttributes>());
    return expectFunction(call, (*own)->decomposition);
}

/// The cotangents pass a barrier of their own, so that nothing is moved across it on the way back either.
std::vector<ValueId> pullBackBarrier(Builder& b, const Operation&, Cotangents cotangents, Wanted wanted)
{
    std::vector<ValueId> held;
    for (std::size_t i = 0; i < cotangents.size(); ++i)
        if (wanted[i] && cotangents[i].valid())
            held.push_back(cotangents[i]);
    std::vector<ValueId> pulled(cotangents.size());
    if (held.empty())
        return pulled;
    held = b.addSeveral(OpKind::OptimizationBarrier, held, typesOf(b.program(), held));
    for (std::size_t i = 0, next = 0; i < cotangents.size(); ++i)
        if (wanted[i] && cotangents[i].valid())
            pulled[i] = held[next++];
    return pulled;
}

constexpr std::array callTable{
    // the work is that of the function
    OpRow{ .kind = OpKind::Call,
        .name = "call",
        .factors = noFactors,
        .dialect = OpDialect::Func,
        .check = checkCall,
        .work = noWork,
        .anyType = true },
    OpRow{ .kind = OpKind::Composite,
        .name = "composite",
        .factors = noFactors,
        .check = checkComposite,
        .work = noWork,
        .anyType = true,
        .regionCount = -1 },
    OpRow{ .kind = OpKind::OptimizationBarrier,
        .name = "optimization_barrier",
        .factors = noFactors,
        .pullback = pullBackBarrier,
        .check = expectSameTypes,
        .work = noWork,
        .anyType = true },
};

} // namespace

std::span<const OpRow> callRows()
{
    return callTable;
}

} // namespace shardscope::ops
