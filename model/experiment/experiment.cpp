// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/experiment.h"

#include <algorithm>

#include "base/hash.h"

namespace shardscope {

namespace {

void add(Hasher& hasher, const SpecEntry& entry)
{
    hasher.add(entry.kind).add(entry.axes.size());
    for (const std::string& axis : entry.axes)
        hasher.add(std::string_view(axis));
}

void add(Hasher& hasher, const LogicalName& name)
{
    hasher.add(name.kind).add(std::string_view(name.name));
}

void add(Hasher& hasher, const HardwareSetting& hardware)
{
    const DeviceSet& devices = hardware.devices;
    hasher.add(std::string_view(devices.kind)).add(std::string_view(devices.platform));
    hasher.add(devices.hosts).add(devices.devicesPerHost).add(devices.coresPerChip).add(devices.slices);
    for (std::size_t i = 0; i < 3; ++i)
        hasher.add(devices.chips[i]).add(devices.hostChips[i]);
    hasher.add(devices.own.size());
    for (const DevicePlace& place : devices.own) {
        hasher.add(place.id).add(place.process).add(place.core).add(place.slice);
        for (const std::int32_t coordinate : place.coordinates)
            hasher.add(coordinate);
    }
    hasher.add(hardware.iciBytesPerSecond).add(hardware.dcnBytesPerSecond).add(hardware.memoryPerDevice);
    hasher.add(hardware.pinned);
}

void add(Hasher& hasher, const MeshSetting& mesh)
{
    hasher.add(mesh.axes.size());
    for (const MeshAxis& axis : mesh.axes)
        hasher.add(std::string_view(axis.name)).add(axis.size);
    hasher.add(mesh.deviceOrder.size());
    for (const std::int32_t device : mesh.deviceOrder)
        hasher.add(device);
    const OrderSetting& order = mesh.order;
    hasher.add(order.method).add(order.sharePhysicalAxes).add(order.contiguousSubmeshes).add(order.byHost);
    hasher.add(order.dcn.size());
    for (const MeshAxis& axis : order.dcn)
        hasher.add(std::string_view(axis.name)).add(axis.size);
    hasher.add(order.submesh.size());
    for (const std::int32_t size : order.submesh)
        hasher.add(size);
}

void add(Hasher& hasher, const LogicalRules& rules)
{
    hasher.add(rules.isSequence).add(rules.list.size());
    for (const LogicalRule& rule : rules.list) {
        add(hasher, rule.name);
        add(hasher, rule.target);
        hasher.add(rule.nested).add(rule.arity);
    }
}

void add(Hasher& hasher, const RulesSetting& rules)
{
    hasher.add(rules.dialect).add(rules.version).add(rules.fallback).add(rules.boundWhenTraced);
    add(hasher, rules.rules);
    hasher.add(rules.inner.size());
    for (const InnerRules& inner : rules.inner) {
        hasher.add(std::string_view(inner.within));
        add(hasher, inner.rules);
    }
}

void add(Hasher& hasher, const MlpModel& model)
{
    const MlpSettings& s = model.settings;
    hasher.add(s.layers).add(s.batch).add(s.embed).add(s.hidden).add(s.dtype).add(s.loss);
    hasher.add(s.adam.learningRate).add(s.adam.beta1).add(s.adam.beta2).add(s.adam.epsilon);
    hasher.add(s.inputGradient).add(s.trainStep).add(s.axes).add(s.yConstraint).add(s.deviceAxes.size());
    for (const auto& [name, entry] : s.deviceAxes) {
        hasher.add(std::string_view(name));
        add(hasher, entry);
    }
}

void add(Hasher& hasher, const ProgramModel& model)
{
    hasher.add(std::string_view(model.file)).add(std::string_view(*model.text)).add(model.shardingRules.size());
    for (const RuleOverride& own : model.shardingRules)
        hasher.add(std::string_view(own.path)).add(std::string_view(own.rule));
    hasher.add(model.shardings.size());
    for (const ValueSharding& given : model.shardings)
        hasher.add(std::string_view(given.value)).add(std::string_view(given.sharding));
}

void add(Hasher& hasher, const ArraysModel& model)
{
    hasher.add(model.arrays.size());
    for (const NamedArraySetting& array : model.arrays) {
        hasher.add(std::string_view(array.path)).add(array.names.size());
        for (const LogicalName& name : array.names)
            add(hasher, name);
        hasher.add(array.shape.size());
        for (const std::int64_t size : array.shape)
            hasher.add(size);
        hasher.add(array.dtype).add(array.memoryKind ? 1 + static_cast<int>(*array.memoryKind) : 0);
    }
}

} // namespace

std::uint64_t hash(const Experiment& experiment)
{
    Hasher hasher;
    hasher.add(std::string_view(experiment.title)).add(std::string_view(experiment.notes));
    add(hasher, experiment.hardware);
    add(hasher, experiment.mesh);
    add(hasher, experiment.rules);
    hasher.add(experiment.model.index());
    std::visit([&](const auto& model) { add(hasher, model); }, experiment.model);
    hasher.add(experiment.propagation.strategy)
        .add(experiment.propagation.conservative)
        .add(experiment.propagation.userPriorities);
    hasher.add(experiment.placement.paramsOnDevices);
    hasher.add(experiment.run.seed)
        .add(experiment.run.runs)
        .add(experiment.run.loops)
        .add(experiment.run.shareReplicas)
        .add(experiment.run.initial.size());
    for (const ChosenInitial& chosen : experiment.run.initial)
        hasher.add(std::string_view(chosen.argument)).add(std::string_view(toString(chosen.value)));
    hasher.add(std::string_view(experiment.run.state)).add(experiment.run.roles.size());
    for (const ChosenRole& chosen : experiment.run.roles)
        hasher.add(std::string_view(chosen.argument)).add(chosen.role);
    hasher.add(experiment.acknowledged.size());
    for (const Acknowledgement& known : experiment.acknowledged)
        for (const std::string* text : { &known.finding, &known.at, &known.reason })
            hasher.add(std::string_view(*text));
    hasher.add(experiment.innerNotes.size());
    for (const auto& [pointer, notes] : experiment.innerNotes)
        hasher.add(std::string_view(pointer)).add(std::string_view(notes));
    hasher.add(experiment.unknownKeys.size());
    for (const UnknownKey& unknown : experiment.unknownKeys)
        for (const std::string* text : { &unknown.pointer, &unknown.key, &unknown.after, &unknown.json })
            hasher.add(std::string_view(*text));
    hasher.add(experiment.formatMinor);
    return hasher.value();
}

bool isValidName(std::string_view name)
{
    return !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
        const auto code = static_cast<unsigned char>(c);
        return code < 0x20 || code == 0x7f;
    });
}

Result<Mesh> makeMesh(const MeshSetting& setting)
{
    return Mesh::create(setting.axes, setting.deviceOrder);
}

} // namespace shardscope
