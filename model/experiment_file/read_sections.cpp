// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in sections.h.
#include "experiment_file/sections.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/rule_edits.h"
#include "experiment_file/file_words.h"
#include "program/roles.h"
#include "program/step_state.h"

namespace shardscope {

namespace words = file_words;

namespace {

using Type = JsonNode::Type;

/// One mesh axis, ["data", 2]; absent if anything is wrong with it.
std::optional<MeshAxis> readAxis(const ValueCursor& value)
{
    if (value.type() != Type::Array || value.node().children.size() != 2) {
        value.wrongType("a pair [name, size]");
        return std::nullopt;
    }
    const auto parts = value.asList("parts", 2);
    const auto name = (*parts)[0].asAxisName();
    const ValueCursor number = (*parts)[1].called(name ? "size of " + *name : "axes");
    const auto size = number.isBeyondIntegers() ? number.asInteger(1, maximumDevices) : number.asInteger();
    if (!name || !size)
        return std::nullopt;
    if (*size < 1) {
        (*parts)[1].report(Code::InvalidAxisSize, { { "axis", *name }, { "size", *size } });
        return std::nullopt;
    }
    return MeshAxis{ *name, *size };
}

void readMethod(const ValueCursor& value, OrderSetting& order)
{
    if (const auto index = value.asOneOf(words::orders))
        order.method = static_cast<OrderMethod>(*index);
}

/// Slices along axes: { "data": 2 }.
void readDcn(const ValueCursor& value, std::vector<MeshAxis>& dcn)
{
    if (value.type() != Type::Object) {
        value.wrongType("an object of axes and numbers such as { \"data\": 2 }");
        return;
    }
    if (value.node().children.size() > maximumMeshAxes) {
        value.report(Code::TooLarge,
            { { "what", "mesh axes" }, { "count", value.node().children.size() }, { "limit", maximumMeshAxes } });
        return;
    }
    auto object = value.asObject();
    for (std::size_t i = 0; i < value.node().children.size(); ++i) {
        const std::string& name = value.node().children[i].key;
        const auto number = object->find(name);
        if (!isValidName(name))
            number->wrongType("the name of a mesh axis");
        else if (const auto size = number->asInteger(1, maximumDevices))
            dcn.push_back({ name, *size });
    }
}

/// A method with what it is told.
void readOrder(const ValueCursor& value, OrderSetting& order)
{
    auto object = value.asObject();
    if (const auto method = object->require("method"))
        readMethod(*method, order);
    object->read("allow_split_physical_axes", order.sharePhysicalAxes);
    object->read("contiguous_submeshes", order.contiguousSubmeshes);
    object->read("process_is_granule", order.byHost);
    if (const auto dcn = object->find("dcn"))
        readDcn(*dcn, order.dcn);
    if (const auto submesh = object->find("submesh")) {
        if (const auto sizes = submesh->asList("sizes", 4))
            for (const ValueCursor& each : *sizes)
                if (const auto size = each.asInteger(0, maximumDevices))
                    order.submesh.push_back(static_cast<std::int32_t>(*size));
    }
    object->finish();
}

void readDeviceOrder(const ValueCursor& value, std::int64_t devices, MeshSetting& mesh)
{
    if (value.type() == Type::String) {
        readMethod(value, mesh.order);
        return;
    }
    if (value.type() == Type::Object) {
        readOrder(value, mesh.order);
        return;
    }
    if (value.type() != Type::Array) {
        value.wrongType("\"row-major\", another order by name, or a list of device ids");
        return;
    }
    const auto ids = value.asList("device ids", static_cast<std::size_t>(maximumDevices));
    if (!ids || devices == 0)
        return;
    if (static_cast<std::int64_t>(ids->size()) != devices) {
        value.report(
            Code::InvalidAttribute, { { "op", "device_order" }, { "named", ids->size() }, { "devices", devices } });
        return;
    }
    std::vector<bool> seen(ids->size());
    std::vector<std::int32_t> read;
    for (const ValueCursor& id : *ids) {
        const auto device = id.asInteger(0, devices - 1);
        if (!device)
            return;
        if (seen[static_cast<std::size_t>(*device)]) {
            id.report(
                Code::InvalidAttribute, { { "op", "device_order" }, { "device", *device }, { "devices", devices } });
            return;
        }
        seen[static_cast<std::size_t>(*device)] = true;
        read.push_back(static_cast<std::int32_t>(*device));
    }
    mesh.deviceOrder = std::move(read);
}

std::optional<LogicalRule> readRule(const ValueCursor& value, std::size_t index)
{
    if (value.type() != Type::Array) {
        value.wrongType("a rule [name, axes]");
        return std::nullopt;
    }
    const std::vector<JsonNode>& parts = value.node().children;
    if (parts.size() != 2) {
        value.report(Code::RuleArity, { { "rule", index }, { "length", parts.size() } });
        return std::nullopt;
    }
    const auto cursors = value.asList("parts", 2);
    const auto name = readLogicalName((*cursors)[0]);
    const auto target = readSpecEntry((*cursors)[1]);
    if (!name || !target)
        return std::nullopt;
    return LogicalRule{ *name, *target };
}

} // namespace

std::optional<LogicalName> readLogicalName(const ValueCursor& value)
{
    if (value.isNull())
        return LogicalName::none();
    const auto name = value.asName();
    if (!name)
        return std::nullopt;
    return *name == words::unconstrained ? LogicalName::unconstrained() : LogicalName::of(*name);
}

std::optional<SpecEntry> readSpecEntry(const ValueCursor& value)
{
    if (value.isNull())
        return SpecEntry::none();
    if (value.type() == Type::String) {
        const auto name = value.asName();
        if (!name)
            return std::nullopt;
        return *name == words::unconstrained ? SpecEntry::unconstrained() : SpecEntry::axis(*name);
    }
    if (value.type() != Type::Array) {
        value.wrongType("a mesh axis, a list of mesh axes or null");
        return std::nullopt;
    }
    const auto elements = value.asList("mesh axes", maximumMeshAxes);
    if (!elements)
        return std::nullopt;
    SpecEntry entry = SpecEntry::tuple({});
    bool right = true;
    for (const ValueCursor& element : *elements) {
        if (element.type() == Type::Array) {
            element.report(Code::NestedTuple, {});
            right = false;
            continue;
        }
        const auto name = element.asAxisName();
        if (!name) {
            right = false;
        } else if (std::find(entry.axes.begin(), entry.axes.end(), *name) != entry.axes.end()) {
            element.report(Code::AxisUsedTwice, { { "axes", std::vector<std::string>{ *name } } });
            right = false;
        } else {
            entry.axes.push_back(*name);
        }
    }
    return right ? std::optional(entry) : std::nullopt;
}

void readMesh(const ValueCursor& value, MeshSetting& mesh)
{
    auto object = value.asObject();
    if (!object)
        return;
    std::int64_t devices = 0; // 0 = the axes are wrong
    if (const auto axes = object->require("axes")) {
        if (const auto elements = axes->asList("mesh axes", maximumMeshAxes)) {
            mesh.axes.clear();
            devices = 1;
            for (const ValueCursor& element : *elements) {
                auto axis = readAxis(element);
                if (!axis) {
                    devices = 0;
                    continue;
                }
                const auto same = [&](const MeshAxis& other) { return other.name == axis->name; };
                if (std::any_of(mesh.axes.begin(), mesh.axes.end(), same)) {
                    element.report(Code::DuplicateAxis, { { "axis", axis->name } });
                } else if (axis->size > maximumDevices || devices * axis->size > maximumDevices) {
                    element.report(
                        Code::TooLarge, { { "what", "devices" }, { "axis", axis->name }, { "limit", maximumDevices } });
                    devices = 0;
                } else {
                    devices *= axis->size;
                }
                mesh.axes.push_back(std::move(*axis));
            }
        }
    }
    if (const auto order = object->find("device_order"))
        readDeviceOrder(*order, devices, mesh);
    object->finish();
}

namespace {

void readRuleList(const ValueCursor& list, LogicalRules& rules)
{
    if (list.type() == Type::Object)
        list.report(Code::RulesType, {});
    else if (const auto elements = list.asList("rules", words::maximumRules))
        for (std::size_t i = 0; i < elements->size(); ++i)
            if (auto rule = readRule((*elements)[i], i))
                rules.list.push_back(std::move(*rule));
}

/// Rules for a part of the model. A list whose part is wrong is left out.
void readInnerRules(const ValueCursor& value, RulesSetting& rules)
{
    auto object = value.asObject();
    if (!object)
        return;
    InnerRules inner;
    inner.rules.isSequence = rules.rules.isSequence;
    bool right = false;
    if (const auto within = object->require("within"))
        if (auto path = within->asString()) {
            const Result<void> valid = checkWithin(rules, *path);
            right = valid.has_value();
            if (!right)
                within->report(valid.error().code, valid.error().args);
            inner.within = std::move(*path);
        }
    if (const auto list = object->require("rules"))
        readRuleList(*list, inner.rules);
    object->finish();
    if (right)
        rules.inner.push_back(std::move(inner));
}

} // namespace

void readRules(const ValueCursor& value, RulesSetting& rules)
{
    auto object = value.asObject();
    if (!object)
        return;
    if (const auto dialect = object->find("dialect"))
        if (const auto index = dialect->asOneOf(words::dialects)) {
            rules.rules.isSequence = *index != words::mappingDialect;
            if (rules.rules.isSequence)
                rules.dialect = static_cast<Dialect>(*index);
        }
    object->read("version", words::flaxVersions, rules.version);
    object->read("fallback", words::fallbacks, rules.fallback);
    object->read("bound_when_traced", rules.boundWhenTraced);
    object->read("constraint_mesh", words::constraintMeshes, rules.constraintMesh);
    if (const auto list = object->find("list"))
        readRuleList(*list, rules.rules);
    if (const auto inner = object->find("inner"))
        if (const auto elements = inner->asList("parts with rules", maxInnerRules))
            for (const ValueCursor& element : *elements)
                readInnerRules(element, rules);
    object->finish();
}

void readPlacement(const ValueCursor& value, PlacementSetting& placement)
{
    auto object = value.asObject();
    if (!object)
        return;
    object->read("params_on_devices", placement.paramsOnDevices);
    object->finish();
}

void readPropagation(const ValueCursor& value, PropagationSetting& propagation)
{
    auto object = value.asObject();
    if (!object)
        return;
    object->read("strategy", strategyNames(), propagation.strategy);
    object->read("conservative", propagation.conservative);
    object->read("user_priorities", propagation.userPriorities);
    object->finish();
}

namespace {

void readInitial(const ValueCursor& value, std::vector<ChosenInitial>& initial)
{
    forEachNamed(value, [&](const std::string& name, const ValueCursor& entry) {
        const auto text = entry.asString();
        if (!text)
            return;
        Result<InitialValue> chosen = parseInitialValue(*text);
        if (chosen) {
            initial.push_back({ name, std::move(*chosen) });
            return;
        }
        for (Arg& arg : chosen.error().args)
            if (arg.name == "key")
                arg.value = name;
        entry.report(chosen.error().code, std::move(chosen.error().args));
    });
}

void readState(const ValueCursor& value, std::string& state)
{
    auto text = value.asString();
    if (!text)
        return;
    if (auto checked = checkStateText(*text); !checked)
        value.report(checked.error().code, std::move(checked.error().args));
    else
        state = std::move(*text);
}

void readRoles(const ValueCursor& value, std::vector<ChosenRole>& roles)
{
    static const std::vector<std::string> known = [] {
        std::vector<std::string> names;
        for (const Role role : choosableRoles())
            names.emplace_back(name(role));
        return names;
    }();
    forEachNamed(value, [&](const std::string& name, const ValueCursor& entry) {
        if (const auto index = entry.asOneOf(known))
            roles.push_back({ name, choosableRoles()[*index] });
    });
}

} // namespace

void readRun(const ValueCursor& value, RunSetting& run)
{
    auto object = value.asObject();
    if (!object)
        return;
    object->read("seed", run.seed);
    object->read("runs", run.runs, 1, words::maximumRuns);
    object->read("loops", run.loops, 1, words::maximumLoops);
    object->read("share_replicas", run.shareReplicas);
    if (const auto initial = object->find("initial"))
        readInitial(*initial, run.initial);
    if (const auto state = object->find("state"))
        readState(*state, run.state);
    if (const auto roles = object->find("roles"))
        readRoles(*roles, run.roles);
    object->finish();
}

void readAcknowledged(const ValueCursor& value, std::vector<Acknowledgement>& acknowledged)
{
    static const std::vector<std::string> warnings = [] {
        std::vector<std::string> ids;
        for (const CodeRow& row : codeRegistry())
            if (row.severity == Severity::Warning)
                ids.emplace_back(row.id);
        return ids;
    }();
    forEachObject(value, "acknowledged warnings", words::maximumAcknowledged, [&](ObjectCursor& object) {
        Acknowledgement known;
        if (const auto finding = object.require("finding"))
            if (const auto index = finding->asOneOf(warnings))
                known.finding = warnings[*index];
        if (const auto at = object.find("at"))
            known.at = at->asString().value_or(std::string());
        if (const auto reason = object.require("reason"))
            known.reason = reason->asString().value_or(std::string());
        acknowledged.push_back(std::move(known));
    });
}

} // namespace shardscope
