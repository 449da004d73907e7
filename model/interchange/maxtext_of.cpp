// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/maxtext_of.h"

#include <algorithm>
#include <array>

namespace shardscope {

MaxTextForm maxTextForm(const LogicalRules& rules, const MeshSetting& mesh, std::int64_t slices)
{
    MaxTextForm form;
    form.config.rules = rules;
    if (auto split = splitOverSlices(mesh.axes, mesh.deviceOrder, slices)) {
        form.config.axes = std::move(*split);
        return form;
    }
    for (const MeshAxis& axis : mesh.axes)
        form.config.axes.push_back({ axis.name, axis.size, 1 });
    if (!mesh.deviceOrder.empty())
        form.notKept.emplace_back("device_order");
    if (slices > 1)
        form.notKept.emplace_back("hosts");
    return form;
}

std::int64_t maxTextSlices(const DeviceSet& devices)
{
    return devices.hasChipGrid() ? devices.slices : devices.hosts;
}

bool isMaxTextAxis(std::string_view axis)
{
    constexpr std::array<std::string_view, 13> keys{ "diloco", "data", "fsdp", "fsdp_transpose", "sequence", "context",
        "context_usp_ulysses", "context_autoregressive", "tensor", "tensor_sequence", "pipeline", "expert",
        "autoregressive" };
    return std::find(keys.begin(), keys.end(), parallelismKey(axis)) != keys.end();
}

} // namespace shardscope
