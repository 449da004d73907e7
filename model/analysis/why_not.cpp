// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/why_not.h"

#include <algorithm>

#include "partition/manual_values.h"
#include "propagation/strategy.h"

namespace shardscope {

namespace {

bool holds(const DimensionSharding& dim, AxisRef full)
{
    return std::any_of(dim.axes.begin(), dim.axes.end(), [&](AxisRef ref) { return overlaps(ref, full); });
}

} // namespace

std::vector<AbsentAxis> absentAxes(const Snapshot& snapshot, ValueId value, int dimension, const std::stop_token& stop)
{
    if (!snapshot.propagation || snapshot.isPartitioned() || !snapshot.annotations || !value.valid()
        || value.index >= snapshot.propagation->shardings.size())
        return {};
    const TensorSharding& sharding = snapshot.propagation->shardings[value.index];
    std::vector<AbsentAxis> absent;
    const std::optional<ManualValue> own = ManualValues(*snapshot.program).of(value);
    for (std::size_t axis = 0; axis < snapshot.mesh->rank(); ++axis) {
        const AxisRef full = fullAxis(*snapshot.mesh, axis);
        const bool used = std::any_of(
            sharding.dims.begin(), sharding.dims.end(), [&](const DimensionSharding& dim) { return holds(dim, full); });
        const bool isManual = own && contains(own->manual, axis); // every device has an array of its own along it
        if (full.size <= 1 || isManual || (used && dimension < 0))
            continue;
        for (std::size_t d = 0; d < sharding.rank(); ++d)
            if ((dimension < 0 || static_cast<std::size_t>(dimension) == d) && !holds(sharding.dims[d], full))
                absent.push_back({ d, full, {} });
    }
    if (absent.empty())
        return absent;
    if (stop.stop_requested())
        return {};
    std::vector<AbsentFrom> asked;
    for (const AbsentAxis& each : absent)
        asked.push_back({ each.dimension, each.axis });
    const PropagationSetting& setting = snapshot.experiment->propagation;
    const auto blockers = firstBlockers(
        { snapshot.program, engineStrategy(setting), engineOptions(setting) }, *snapshot.propagation, value, asked);
    for (std::size_t i = 0; i < absent.size(); ++i)
        absent[i].blocker = blockers[i];
    std::stable_partition(
        absent.begin(), absent.end(), [](const AbsentAxis& each) { return each.blocker.has_value(); });
    return absent;
}

} // namespace shardscope
