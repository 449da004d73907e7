// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/export/export_program.h"

#include <algorithm>
#include <map>

#include "partition/export/canonicalize_collectives.h"
#include "partition/pad_uneven.h"
#include "partition/partial_axes.h"
#include "partition/reshard_to_collectives.h"
#include "program/editor.h"
#include "program/value_shardings.h"

namespace shardscope::passes {

namespace {

// A constant that is needed in another sharding is made in that sharding, without an exchange.
//
//     %c = constant [{}]; %r = reshard %c [{x}]; %s = add %a, %r
// becomes
//     %r = constant [{x}]; %s = add %a, %r

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

/// Instead of a reshard of a constant, an iota or a scalar that is broadcast: a copy of that operation with the
/// reshard's sharding. `origins` holds each copy with its original, which goes where nothing else reads it.
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

/// Attributes that only propagation reads, or that tell about it.
bool isOfPropagation(const std::string& name)
{
    return name == "sdy.sharding_rule" || name == "sdy.propagation_edges" || name == "sdy.sharding_origins"
        || name == "sdy.sharding_origin_name";
}

void dropRules(Program& program)
{
    for (Dictionary& dictionary : program.dictionaries)
        dictionary.erase(std::remove_if(dictionary.begin(), dictionary.end(),
                             [](const NamedText& entry) { return isOfPropagation(entry.name); }),
            dictionary.end());
}

bool isShardyExchange(OpKind kind)
{
    return kind == OpKind::Reshard || isShardyCollective(kind);
}

/// Of every exchange that stands in the program: its own reason, that of what it comes from, or itself.
std::vector<Inserted> reasonsOf(
    const Program& program, const std::vector<Inserted>& inserted, const std::map<OperationId, OperationId>& origins)
{
    std::map<OperationId, Reason> known;
    for (const Inserted& one : inserted)
        known.emplace(one.operation, one.reason);
    std::vector<Inserted> reasons;
    for (const RegionId body : bodies(program))
        walk(program, body, [&](OperationId id) {
            if (!isShardyExchange(program.operation(id).kind))
                return;
            OperationId origin = id;
            for (auto from = origins.find(origin); from != origins.end(); from = origins.find(origin))
                origin = from->second;
            const auto reason = known.find(origin);
            reasons.push_back({ id,
                reason != known.end() ? reason->second : Reason{ Reason::Kind::ConstraintReshard, origin, -1, 0 } });
        });
    std::sort(
        reasons.begin(), reasons.end(), [](const Inserted& a, const Inserted& b) { return a.operation < b.operation; });
    return reasons;
}

} // namespace

Result<Exported> insertCollectives(Program program, const ExportOptions& options)
{
    SHARDSCOPE_TRY(reshards,
        insertExplicitReshards(std::move(program),
            !options.explicitCollectives ? ReshardVersion::Minimal
                : options.exchangesHalos ? ReshardVersion::FullWithHalos
                                         : ReshardVersion::Full));
    program = std::move(reshards->program);
    std::map<OperationId, OperationId> origins;
    const auto take = [&](Canonicalized outcome) {
        origins.insert(outcome.origins.begin(), outcome.origins.end());
        program = std::move(outcome.program);
    };
    TrueShapes trueShapes;
    Origins copies;
    if (options.explicitCollectives) {
        if (options.dropFinishedSums)
            program = shardscope::dropFinishedSums(std::move(program));
        take(canonicalizeReshards(std::move(program)));
        if (options.mergeReshards)
            take(mergeReshards(std::move(program)));
        if (options.remakeConstants) {
            Canonicalized remade = remakeConstants(std::move(program));
            copies = std::move(remade.origins);
            program = std::move(remade.program);
        }
        if (options.padUneven) {
            PaddedProgram padded = shardscope::padUneven(std::move(program));
            origins.insert(padded.origins.begin(), padded.origins.end());
            program = std::move(padded.program);
            trueShapes = std::move(padded.trueShapes);
        }
        Origins steps;
        program = reshardToCollectives(std::move(program),
            { .keepRedundant = options.keepRedundantReshards,
                .optimal = options.optimalReshards,
                .even = options.padUneven },
            &steps);
        origins.insert(steps.begin(), steps.end());
    }
    take(canonicalizeCollectives(std::move(program), options.explicitCollectives && options.splitSums));
    if (options.explicitCollectives && options.mergeReshards)
        program = dropUnusedCollectives(std::move(program));
    dropRules(program);
    std::vector<Inserted> inserted = reasonsOf(program, reshards->inserted, origins);
    addExchanged(trueShapes, program);
    return Exported{ std::move(program), std::move(inserted), std::move(trueShapes), std::move(copies) };
}

} // namespace shardscope::passes
