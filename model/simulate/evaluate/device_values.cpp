// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/device_values.h"

#include <algorithm>

#include "program/editor.h"
#include "program/value_shardings.h"
#include "program/wide_attributes.h"

namespace shardscope::evaluate {

DeviceValues::DeviceValues(const Program& given, const PartitionedProgram& parts)
    : m_pieces(parts.sharded.values.size())
{
    const Program &sharded = parts.sharded, &device = parts.device.program;
    const ValueShardings shardings(sharded);
    std::vector<AxisList> addends(sharded.values.size()); // over which a value is still to be added up
    std::vector<bool> inManual(sharded.operations.size());
    for (const RegionId body : bodies(sharded))
        walk(sharded, body, [&](OperationId id) {
            const Operation& operation = sharded.operation(id);
            if (operation.kind == OpKind::SdyAllReduce || operation.kind == OpKind::SdyReduceScatter)
                if (const auto* own = wideAs<SdyCollectiveAttributes>(operation.attributes)) {
                    AxisList axes = own->axes;
                    for (const AxisList& more : own->axesPerDimension)
                        for (const AxisRef& axis : more)
                            axes.push_back(axis);
                    for (const ValueId operand : operation.operands)
                        addends[operand.index] = axes;
                }
            if (operation.kind == OpKind::ManualComputation)
                walk(sharded, operation.regions[0], [&](OperationId inner) { inManual[inner.index] = true; });
        });
    const auto accept = [&](ValueId held, ValueId whole, ValueId meant) {
        const TensorType& type = sharded.value(whole).type;
        if (!isTensor(type.dtype) || held.index >= device.values.size() || held.index >= m_pieces.size())
            return;
        const ProgramSharding* found = shardings.of(whole);
        TensorSharding sharding = found ? found->sharding : TensorSharding::fullyReplicated(type.rank());
        if (!sharding.unreduced.empty() || sharding.rank() != type.rank())
            return;
        if (device.value(held).type != TensorType{ type.dtype, shardShape(sharding, type.shape) })
            return;
        const bool adds = !addends[held.index].empty();
        if (adds)
            sharding.unreduced = addends[held.index];
        m_pieces[held.index] = DevicePiece{ { type, std::move(sharding) }, meant, adds };
    };
    for (std::size_t v = 0; v < sharded.values.size(); ++v) {
        const ValueId value(v);
        const Value& held = sharded.values[v];
        if (!held.definition.valid() || inManual[held.definition.index])
            continue;
        const bool same =
            v < given.values.size() && given.values[v].definition.valid() && held.type == given.values[v].type;
        accept(value, value, same ? value : ValueId());
    }
    // What the body of a manual computation returns on a device is the device's piece of the computation's result.
    for (const RegionId body : bodies(sharded))
        walk(sharded, body, [&](OperationId id) {
            const Operation& operation = sharded.operation(id);
            if (operation.kind != OpKind::ManualComputation || inManual[id.index])
                return;
            const std::vector<ValueId>& returned = sharded.regions[operation.regions[0].index].results;
            for (std::size_t i = 0; i < std::min<std::size_t>(returned.size(), operation.results.size()); ++i)
                if (returned[i].index < given.values.size() && operation.results[i].index < given.values.size()
                    && sharded.value(returned[i]).definition.valid())
                    accept(returned[i], operation.results[i], operation.results[i]);
        });
}

} // namespace shardscope::evaluate
