// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in explain.h.
#include "analysis/change.h"
#include "analysis/explain.h"
#include "experiment/rule_edits.h"
#include "pipeline/collective_list.h"

#include <algorithm>
#include <new>

namespace shardscope {

namespace {

constexpr std::size_t maxMappings = 2;
constexpr std::size_t maxMeshes = 2;

int collectiveCount(const Snapshot& snapshot)
{
    return snapshot.collectives ? static_cast<int>(snapshot.collectives->entries.size()) : 0;
}

/// Completes a what-if by analysing the changed experiment; false if that has errors or is as it was.
bool complete(
    WhatIf& whatIf, const Snapshot& before, const std::string& path, AnalysisCache& cache, const std::stop_token& stop)
{
    const SnapshotPtr after = analyse(std::make_shared<const Experiment>(whatIf.after), before.revision, cache, stop);
    if (!after || !after->ok())
        return false;
    const TensorRow* rowBefore = before.row(path);
    const TensorRow* rowAfter = after->row(path);
    if (!rowBefore || !rowAfter)
        return false;
    whatIf.bytesPerDeviceBefore = rowBefore->bytesPerDevice;
    whatIf.bytesPerDeviceAfter = rowAfter->bytesPerDevice;
    whatIf.stateBytesBefore = stateBytes(before);
    whatIf.stateBytesAfter = stateBytes(*after);
    whatIf.sentBefore = before.sent.step;
    whatIf.sentAfter = after->sent.step;
    whatIf.collectivesBefore = collectiveCount(before);
    whatIf.collectivesAfter = collectiveCount(*after);
    // What changes nothing answers no question; neither does a sum that is the same as far as it is said.
    const double state = static_cast<double>(std::max(whatIf.stateBytesBefore, whatIf.stateBytesAfter));
    const double less = static_cast<double>(std::min(whatIf.stateBytesBefore, whatIf.stateBytesAfter));
    constexpr double stated = 0.995; // sums have three digits
    return rowBefore->spec != rowAfter->spec || whatIf.bytesPerDeviceBefore != whatIf.bytesPerDeviceAfter
        || less < stated * state || whatIf.sentBefore != whatIf.sentAfter
        || whatIf.collectivesBefore != whatIf.collectivesAfter;
}

void addMappings(std::vector<WhatIf>& all, const Snapshot& snapshot, const Explanation& explanation,
    AnalysisCache& cache, const std::stop_token& stop)
{
    const std::string& path = snapshot.program->value(explanation.value).path;
    if (!explanation.annotation || !explanation.annotation->resolution)
        return;
    std::size_t added = 0;
    for (const DimensionReason& dim : explanation.dims) {
        if (!dim.axes.empty() || dim.name.empty())
            continue;
        for (const AxisRef& axis : explanation.copiedAlong) {
            if (added == maxMappings || stop.stop_requested())
                return;
            if (!isFull(*snapshot.mesh, axis))
                continue; // a rule has no name for a part of an axis
            const std::string& axisName = snapshot.mesh->axis(static_cast<std::size_t>(axis.axis)).name;
            Result<Experiment> after = withNameMapped(
                *snapshot.experiment, { explanation.annotation->innerRules }, dim.name, SpecEntry::axis(axisName));
            if (!after)
                continue;
            WhatIf whatIf;
            whatIf.kind = WhatIf::Kind::MapName;
            whatIf.name = dim.name;
            whatIf.axis = axisName;
            whatIf.after = std::move(*after);
            if (complete(whatIf, snapshot, path, cache, stop)) {
                all.push_back(std::move(whatIf));
                ++added;
            }
        }
    }
}

void addMeshes(std::vector<WhatIf>& all, const Snapshot& snapshot, ValueId value, AnalysisCache& cache,
    const std::stop_token& stop)
{
    const std::string& path = snapshot.program->value(value).path;
    std::size_t added = 0;
    for (std::size_t axis = 0; axis < snapshot.mesh->rank() && added < maxMeshes && !stop.stop_requested(); ++axis) {
        const std::int64_t doubled = snapshot.mesh->size(axis) * 2;
        Result<Experiment> after = withAxisSize(*snapshot.experiment, axis, doubled, true);
        if (!after)
            continue;
        WhatIf whatIf;
        whatIf.kind = WhatIf::Kind::Mesh;
        for (const MeshAxis& a : after->mesh.axes)
            whatIf.sizes.push_back(a.size);
        const bool known =
            std::any_of(all.begin(), all.end(), [&](const WhatIf& earlier) { return earlier.sizes == whatIf.sizes; });
        whatIf.after = std::move(*after);
        if (!known && complete(whatIf, snapshot, path, cache, stop)) {
            all.push_back(std::move(whatIf));
            ++added;
        }
    }
}

} // namespace

std::vector<WhatIf> whatIfs(const Snapshot& snapshot, ValueId value, AnalysisCache& cache, const std::stop_token& stop)
{
    std::vector<WhatIf> all;
    if (!snapshot.ok() || !value.valid())
        return all;
    try {
        addMappings(all, snapshot, explain(snapshot, value), cache, stop);
        addMeshes(all, snapshot, value, cache, stop);
    } catch (const std::bad_alloc&) { // somebody else needs the memory more
    }
    return all;
}

} // namespace shardscope
