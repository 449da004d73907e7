// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/tensor_rows.h"

#include <algorithm>
#include <array>

namespace shardscope {

namespace {

constexpr std::array displayOrder{ Role::Parameter, Role::Gradient, Role::Mu, Role::Nu, Role::Input, Role::Activation,
    Role::Loss, Role::Step, Role::Count };

std::size_t rank(Role role)
{
    return static_cast<std::size_t>(std::find(displayOrder.begin(), displayOrder.end(), role) - displayOrder.begin());
}

/// Axes over which each program value was partial before an all-reduce completed it.
std::vector<AxisList> partialAxes(const Snapshot& snapshot)
{
    std::vector<AxisList> axes(snapshot.program->values.size());
    if (!snapshot.deviceProgram)
        return axes;
    for (const DeviceOp& op : snapshot.deviceProgram->ops)
        if (const Collective* collective = op.collective();
            collective && op.stem.valid() && collective->kind == CollectiveKind::AllReduce)
            axes[op.stem.index] = collective->axes;
    return axes;
}

} // namespace

void addTensorRows(Snapshot& snapshot)
{
    const Program& program = *snapshot.program;
    const std::vector<AxisList> partial = partialAxes(snapshot);
    std::vector<ValueId> shown;
    for (std::size_t i = 0; i < program.values.size(); ++i) {
        const Value& value = program.values[i];
        if (!value.path.empty() && !value.path.starts_with("next(") && rank(value.role) < displayOrder.size())
            shown.emplace_back(i);
    }
    std::stable_sort(shown.begin(), shown.end(),
        [&](ValueId a, ValueId b) { return rank(program.value(a).role) < rank(program.value(b).role); });
    // Gradients are made last layer first; they are listed in the order of their parameters.
    const auto gradients =
        std::equal_range(shown.begin(), shown.end(), Role::Gradient, [&](const auto& a, const auto& b) {
            const auto order = [&](const auto& x) {
                if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Role>)
                    return rank(x);
                else
                    return rank(program.value(x).role);
            };
            return order(a) < order(b);
        });
    std::vector<std::string> parameterPaths;
    for (const ValueId id : shown)
        if (program.value(id).role == Role::Parameter)
            parameterPaths.push_back("grad(" + program.value(id).path + ")");
    std::stable_sort(gradients.first, gradients.second, [&](ValueId a, ValueId b) {
        const auto position = [&](ValueId id) {
            return std::find(parameterPaths.begin(), parameterPaths.end(), program.value(id).path);
        };
        return position(a) < position(b);
    });

    snapshot.rowOfValue.assign(program.values.size(), -1);
    snapshot.tensors.reserve(shown.size());
    for (const ValueId id : shown) {
        const Value& value = program.value(id);
        const TensorSharding& sharding = snapshot.propagation->shardings[id.index];
        TensorRow row;
        row.value = id;
        row.path = value.path;
        row.role = value.role;
        row.type = value.type;
        row.dimNames = value.dimNames;
        row.spec = toPartitionSpec(sharding, *snapshot.mesh);
        row.layout = Layout(snapshot.mesh, sharding, value.type.shape);
        row.bytesPerDevice = TensorType{ value.type.dtype, row.layout.shardShape() }.byteCount();
        row.bytesInAll = value.type.byteCount();
        row.copies = row.layout.copies();
        row.partialBefore = partial[id.index];
        snapshot.rowOfValue[id.index] = static_cast<int>(snapshot.tensors.size());
        snapshot.tensors.push_back(std::move(row));
    }
}

} // namespace shardscope
