// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export/remake_constants.h"

#include "program/editor.h"

namespace shardscope::passes {

namespace {

/// Made of nothing, or of one number that every device holds.
bool isMadeAnywhere(const Program& program, const Operation& operation)
{
    switch (operation.kind) {
    case OpKind::Constant:
    case OpKind::SdyConstant:
    case OpKind::Iota:
        return true;
    case OpKind::BroadcastInDim: {
        const ValueId scalar = operation.operands[0];
        const ProgramSharding* sharding = program.shardingOf(scalar);
        return program.value(scalar).type.rank() == 0 && (!sharding || sharding->sharding.unreduced.empty());
    }
    default:
        return false;
    }
}

const ProgramSharding* targetOf(const Operation& reshard)
{
    const auto* own = attributesAs<OwnShardingAttributes>(reshard.attributes);
    return own && own->sharding ? &*own->sharding : nullptr;
}

bool isRemade(const Program& program, OperationId id)
{
    const Operation& operation = program.operation(id);
    if (operation.kind != OpKind::Reshard)
        return false;
    const OperationId definition = program.value(operation.operands[0]).definition;
    const ProgramSharding* before = program.shardingOf(operation.operands[0]);
    const ProgramSharding* target = targetOf(operation);
    return definition.valid() && isMadeAnywhere(program, program.operation(definition)) && target
        && target->sharding.unreduced.empty() && (!before || before->sharding.unreduced.empty());
}

} // namespace

Canonicalized remakeConstants(Program program)
{
    std::vector<OperationId> found;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            if (isRemade(program, id))
                found.push_back(id);
        });
    if (found.empty())
        return { std::move(program), {}, false };
    Editor edit(std::move(program));
    Origins copies;
    for (const OperationId id : found) {
        const ValueId value = edit.operation(id).operands[0];
        const OperationId original = edit.value(value).definition;
        const ProgramSharding target = *targetOf(edit.operation(id));
        ValueMap map;
        const OperationId copy = edit.copy(original, map);
        edit.placeBefore(id, copy);
        edit.setSharding(edit.result(copy), target);
        edit.replaceUses(edit.result(id), edit.result(copy));
        edit.erase(id);
        copies.emplace_back(copy, original);
        if (edit.uses(value).empty())
            edit.erase(original);
    }
    return { std::move(edit).finish(), std::move(copies), true };
}

} // namespace shardscope::passes
