// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in experiment/edits.h.
#include <algorithm>

#include "base/codes.h"
#include "experiment/edits.h"

namespace shardscope {

Result<Experiment> withMemoryKind(const Experiment& before, const std::string& path, std::optional<MemoryKind> kind)
{
    Experiment after = before;
    auto* model = std::get_if<ArraysModel>(&after.model);
    if (!model)
        return fail(Code::InvalidAttribute, { { "op", path }, { "wrong", "memory" } });
    const auto array = std::find_if(
        model->arrays.begin(), model->arrays.end(), [&](const NamedArraySetting& each) { return each.path == path; });
    if (array == model->arrays.end()) {
        std::vector<std::string> known;
        for (const NamedArraySetting& each : model->arrays)
            known.push_back(each.path);
        return fail(Code::UnknownTensor, { { "path", path }, { "nearest", nearestName(path, known) } });
    }
    if (kind)
        SHARDSCOPE_CHECK(settledMemoryKind(kind, before.hardware.devices.platform));
    array->memoryKind = kind;
    return after;
}

Result<Experiment> withParamsOnDevices(const Experiment& before, bool onDevices)
{
    if (std::holds_alternative<ProgramModel>(before.model))
        return fail(Code::InvalidAttribute, { { "op", "params_on_devices" }, { "wrong", "memory" } });
    Experiment after = before;
    after.placement.paramsOnDevices = onDevices;
    return after;
}

} // namespace shardscope
