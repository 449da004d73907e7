// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/unreduced_axes.h"

#include <algorithm>

#include "program/body.h"
#include "program/verify_findings.h"

namespace shardscope {

namespace {

/// The one mesh of all shardings; null where they are on several, or on none with axes.
const ProgramMesh* commonMeshOfBoth(const Program& program, std::span<const ProgramSharding* const> first,
    std::span<const ProgramSharding* const> second)
{
    const ProgramMesh* common = nullptr;
    for (const auto& side : { first, second })
        for (const ProgramSharding* sharding : side) {
            if (!sharding)
                continue;
            const ProgramMesh& mesh = program.meshes[sharding->mesh];
            if (mesh.mesh->rank() == 0)
                continue;
            if (common && common->mesh != mesh.mesh && *common->mesh != *mesh.mesh)
                return nullptr;
            common = &mesh;
        }
    return common;
}

AxisList unreducedOf(std::span<const ProgramSharding* const> side)
{
    AxisList axes;
    for (const ProgramSharding* sharding : side)
        if (sharding)
            for (const AxisRef ref : sharding->sharding.unreduced)
                if (std::find(axes.begin(), axes.end(), ref) == axes.end())
                    axes.push_back(ref);
    return axes;
}

/// The kind of the first sharding with such an axis that has another kind.
std::optional<ReduceKind> otherKind(std::span<const ProgramSharding* const> side, const AxisList& axes, ReduceKind kind)
{
    for (const ProgramSharding* sharding : side)
        if (sharding && sharding->unreducedKind != kind && anyOverlap(sharding->sharding.unreduced, axes))
            return sharding->unreducedKind;
    return {};
}

} // namespace

AxisList axesMinus(const AxisList& a, const AxisList& b)
{
    AxisList rest = a;
    for (const AxisRef taken : b) {
        AxisList next;
        for (const AxisRef axis : rest) {
            if (!overlaps(axis, taken) || !canCoexist(axis, taken)) {
                next.push_back(axis);
                continue;
            }
            if (taken.pre > axis.pre)
                next.push_back({ axis.axis, axis.pre, taken.pre / axis.pre });
            if (taken.next() < axis.next())
                next.push_back({ axis.axis, static_cast<std::int32_t>(taken.next()),
                    static_cast<std::int32_t>(axis.next() / taken.next()) });
        }
        rest = std::move(next);
    }
    return rest;
}

std::optional<ReduceKind> bodyKind(const Program& program, const Region& body)
{
    std::optional<ReduceKind> common;
    for (const ValueId returned : body.results) {
        const OperationId definition = program.value(returned).definition;
        if (!definition.valid())
            return {};
        const std::optional<ReduceKind> kind = reductionBy(program.operation(definition).kind);
        const bool unreduces = kind == ReduceKind::Sum || kind == ReduceKind::Max || kind == ReduceKind::Min;
        if (!unreduces || (common && *common != *kind))
            return {};
        common = kind;
    }
    return common;
}

std::optional<std::vector<Arg>> checkTransition(const Program& program,
    std::span<const ProgramSharding* const> operands, std::span<const ProgramSharding* const> results,
    std::optional<ReduceKind> mayIntroduce, std::optional<ReduceKind> mayRemove)
{
    const AxisList before = unreducedOf(operands), after = unreducedOf(results);
    if (before.empty() && after.empty())
        return {};
    const ProgramMesh* mesh = commonMeshOfBoth(program, operands, results);
    if (!mesh)
        return {};
    using Args = std::vector<Arg>;
    const auto text = [&](const AxisList& axes) { return verification::axesText(*mesh, axes); };
    const auto check = [&](const AxisList& axes, std::span<const ProgramSharding* const> side,
                           std::optional<ReduceKind> may, const char* wrong) -> std::optional<Args> {
        if (axes.empty())
            return {};
        if (!may)
            return Args{ { "wrong", wrong }, { "axes", text(axes) } };
        if (const auto other = otherKind(side, axes, *may))
            return Args{ { "wrong", std::string(wrong) + "_kind" }, { "axes", text(axes) },
                { "found", reduceKindName(*other) }, { "expected", reduceKindName(*may) } };
        return {};
    };
    if (auto found = check(axesMinus(after, before), results, mayIntroduce, "introduced"))
        return found;
    if (auto found = check(axesMinus(before, after), operands, mayRemove, "removed"))
        return found;
    for (const ProgramSharding* operand : operands)
        if (operand && !operand->sharding.unreduced.empty())
            if (const auto other = otherKind(results, operand->sharding.unreduced, operand->unreducedKind))
                return Args{ { "wrong", "kind" }, { "axes", text(operand->sharding.unreduced) },
                    { "found", reduceKindName(*other) }, { "expected", reduceKindName(operand->unreducedKind) } };
    return {};
}

} // namespace shardscope
