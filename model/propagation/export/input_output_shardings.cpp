// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>

#include "program/calls.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"
#include "sharding/sharding_edit.h"

namespace shardscope::passes {

namespace {

bool keepDivisorOf(DimensionSharding& dim, std::int64_t size)
{
    if (size < 0)
        return false;
    AxisList kept = dividing(dim.axes, size);
    if (kept == dim.axes)
        return false;
    dim.axes = std::move(kept);
    dim.priority = -1;
    return true;
}

bool keepDivisorsOf(ProgramSharding& sharding, const TensorType& type)
{
    bool changed = false;
    for (std::size_t d = 0; d < std::min(sharding.sharding.dims.size(), type.rank()); ++d)
        changed = keepDivisorOf(sharding.sharding.dims[d], type.shape[d]) || changed;
    return changed;
}

/// Changes the sharding of an argument, or of a declared result.
template <class Change>
void changeIndex(Editor& edit, ShardingIndex& index, const TensorType& type, const Change& change)
{
    if (index == 0)
        return;
    ProgramSharding sharding = edit.program().shardings[index - 1];
    if (change(sharding, type))
        index = edit.intern(sharding);
}

template <class Change>
void changeBoundary(Editor& edit, std::size_t function, const Change& change)
{
    const Region& body = edit.region(edit.program().functions[function].body);
    for (const ValueId argument : body.arguments)
        changeIndex(edit, edit.raw().valueShardings[argument.index], edit.value(argument).type, change);
    std::vector<ShardingIndex>& results = edit.raw().functions[function].resultShardings;
    for (std::size_t i = 0; i < std::min(results.size(), body.results.size()); ++i)
        changeIndex(edit, results[i], edit.value(body.results[i]).type, change);
}

} // namespace

Program keepDivisors(Program program, DivisorBoundaries boundaries)
{
    Editor edit(std::move(program));
    for (std::size_t f = 0; f < edit.program().functions.size() && boundaries == DivisorBoundaries::All; ++f)
        changeBoundary(edit, f, keepDivisorsOf);
    const std::size_t count = edit.program().operations.size();
    for (std::size_t i = 0; i < count; ++i) {
        const OperationId id(i);
        const Operation& operation = edit.operation(id);
        if (!edit.regionOf(id).valid())
            continue;
        if (isCall(operation.kind) && boundaries == DivisorBoundaries::All)
            for (const ValueId result : operation.results)
                changeIndex(edit, edit.raw().valueShardings[result.index], edit.value(result).type, keepDivisorsOf);
        const auto* found = attributesAs<ManualComputationAttributes>(operation.attributes);
        if (!found)
            continue;
        ManualComputationAttributes manual = *found;
        bool changed = false;
        for (std::size_t k = 0; k < std::min<std::size_t>(manual.in.size(), operation.operands.size()); ++k)
            changed = keepDivisorsOf(manual.in[k], edit.value(operation.operands[k]).type) || changed;
        for (std::size_t k = 0; k < std::min<std::size_t>(manual.out.size(), operation.results.size()); ++k)
            changed = keepDivisorsOf(manual.out[k], edit.value(operation.results[k]).type) || changed;
        if (changed)
            edit.raw().operations[i].attributes = otherAttributes(std::move(manual));
    }
    return std::move(edit).finish();
}

Program removeSubAxes(Program program)
{
    Editor edit(std::move(program));
    for (std::size_t f = 0; f < edit.program().functions.size(); ++f)
        if (isMain(edit.program(), f))
            changeBoundary(edit, f, [&](ProgramSharding& sharding, const TensorType&) {
                const Mesh& mesh = *edit.program().meshes[sharding.mesh].mesh;
                bool changed = false;
                for (DimensionSharding& dim : sharding.sharding.dims) {
                    const auto part = std::find_if(
                        dim.axes.begin(), dim.axes.end(), [&](AxisRef axis) { return !isFull(mesh, axis); });
                    if (!dim.open || part == dim.axes.end())
                        continue;
                    dim.axes.erase(part, dim.axes.end());
                    changed = true;
                }
                return changed;
            });
    return std::move(edit).finish();
}

Program closeShardings(Program program)
{
    mapShardings(program, [](ProgramSharding sharding) {
        closeDimensions(sharding.sharding);
        sharding.sharding.replicated.clear();
        return sharding;
    });
    return program;
}

} // namespace shardscope::passes
