// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in edits.h.
#include "experiment/edits.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/edit_support.h"
#include "experiment/model_settings.h"

namespace shardscope {

namespace {

Result<Experiment> unknown(std::string_view key, const std::string& value, std::vector<std::string> known)
{
    std::string nearest = nearestName(value, known);
    return fail(Code::UnknownValue,
        { { "key", key }, { "value", value }, { "known", std::move(known) }, { "nearest", std::move(nearest) } });
}

constexpr std::int64_t maxLayers = 4096;

} // namespace

Result<Experiment> withPlatform(const Experiment& before, std::string platform)
{
    const std::vector<std::string> known{ "cpu", "gpu", "tpu" };
    if (std::find(known.begin(), known.end(), platform) == known.end())
        return unknown("platform", platform, known);
    Experiment after = before;
    DeviceSet& devices = after.hardware.devices;
    // A grid of chips is one of TPUs.
    if (devices.hasChipGrid() && platform != "tpu")
        devices = DeviceSet::ofHosts("generic-" + platform, platform, devices.hosts, devices.devicesPerHost);
    // A generic device says nothing but its platform; a named one keeps its name.
    if (devices.kind == "generic-" + devices.platform)
        devices.kind = "generic-" + platform;
    devices.platform = std::move(platform);
    return after;
}

Result<Experiment> withDimension(const Experiment& before, const std::string& name, std::int64_t size)
{
    const bool layers = isNetwork(before) && name == "layers";
    const std::int64_t largest = layers ? maxLayers : edit_support::maximumSize;
    if (size < 1 || size > largest)
        return fail(Code::OutOfRange, { { "key", name }, { "value", size }, { "min", 1 }, { "max", largest } });
    Experiment after = before;
    if (isNetwork(before)) {
        std::int64_t* value = sizeNamed(after.model, name);
        if (!value)
            return unknown("dims", name, sizeNames(before.model));
        *value = size;
        if (auto* transformer = std::get_if<TransformerModel>(&after.model)) {
            TransformerSettings& settings = transformer->settings.model;
            if (settings.latent) // whose keys have no heads of their own
                settings.kvHeads = settings.heads;
            SHARDSCOPE_CHECK(checkTraining(transformer->settings));
        }
        return after;
    }
    std::vector<std::string> known;
    bool changed = false;
    auto* model = std::get_if<ArraysModel>(&after.model);
    if (!model) // the sizes of a program are those of its text
        return fail(Code::InvalidAttribute, { { "op", name }, { "wrong", "size" } });
    for (NamedArraySetting& array : model->arrays) {
        for (std::size_t i = 0; i < std::min(array.names.size(), array.shape.size()); ++i) {
            if (array.names[i].kind != LogicalName::Kind::Name)
                continue;
            if (std::find(known.begin(), known.end(), array.names[i].name) == known.end())
                known.push_back(array.names[i].name);
            if (array.names[i].name == name) {
                array.shape[i] = size;
                changed = true;
            }
        }
    }
    if (!changed)
        return unknown("dims", name, std::move(known));
    return after;
}

Result<Experiment> withLogicalYConstraint(const Experiment& before)
{
    Experiment after = before;
    auto* mlp = std::get_if<MlpModel>(&after.model);
    if (!mlp)
        return fail(Code::InvalidAttribute, { { "op", "y" }, { "wrong", "constraint" } });
    mlp->settings.yConstraint = MlpSettings::Axes::Logical;
    return after;
}

Result<Experiment> withDeviceAxes(const Experiment& before, const std::string& dimension, SpecEntry target)
{
    Experiment after = before;
    auto* mlp = std::get_if<MlpModel>(&after.model);
    if (!mlp)
        return fail(Code::InvalidAttribute, { { "op", dimension }, { "wrong", "device axes" } });
    const std::vector<std::string> known{ "batch", "embed", "hidden" };
    if (std::find(known.begin(), known.end(), dimension) == known.end())
        return unknown("device_axes", dimension, known);
    mlp->settings.deviceAxes[dimension] = std::move(target);
    return after;
}

Result<Experiment> withValueSharding(
    const Experiment& before, const std::string& value, std::optional<std::string> sharding)
{
    Experiment after = before;
    auto* program = std::get_if<ProgramModel>(&after.model);
    if (!program)
        return fail(Code::InvalidAttribute, { { "op", value }, { "wrong", "sharding" } });
    std::vector<ValueSharding>& all = program->shardings;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const ValueSharding& specified) { return specified.value == value; });
    if (found == all.end() && sharding)
        all.push_back({ value, std::move(*sharding) });
    else if (found != all.end() && sharding)
        found->sharding = std::move(*sharding);
    else if (found != all.end())
        all.erase(found);
    return after;
}

} // namespace shardscope
