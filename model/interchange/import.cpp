// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/import.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/builtin.h"
#include "experiment/model_settings.h"
#include "experiment/rule_lists.h"

namespace shardscope {

namespace {

Result<void> checkName(const std::string& what, const std::string& name)
{
    if (isValidName(name))
        return {};
    return fail(Code::WrongType,
        { { "key", what }, { "expected", "a name without control characters" },
            { "found", name.empty() ? "an empty name" : "a control character" } });
}

/// What a file of experiments could hold.
Result<void> checkRules(const LogicalRules& rules)
{
    if (!rules.isSequence)
        return fail(Code::RulesType);
    for (std::size_t i = 0; i < rules.list.size(); ++i) {
        const LogicalRule& rule = rules.list[i];
        const std::string what = "rule " + std::to_string(i + 1);
        if (rule.arity != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", rule.arity } });
        if (rule.nested)
            return fail(Code::NestedTuple, { { "rule", i + 1 } });
        if (rule.name.kind == LogicalName::Kind::Name)
            SHARDSCOPE_CHECK(checkName(what, rule.name.name));
        const std::vector<std::string>& axes = rule.target.axes;
        if (axes.size() > maximumMeshAxes)
            return fail(Code::TooLarge,
                { { "what", "mesh axes of a rule" }, { "count", axes.size() }, { "limit", maximumMeshAxes } });
        for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
            SHARDSCOPE_CHECK(checkName(what, *axis));
            if (std::find(axes.begin(), axis, *axis) != axis)
                return fail(Code::AxisUsedTwice, { { "axes", std::vector<std::string>{ *axis } }, { "rule", i + 1 } });
        }
    }
    return {};
}

Result<NamedArraySetting> toArray(const ParameterRow& row)
{
    SHARDSCOPE_CHECK(checkName("path", row.path));
    for (const LogicalName& name : row.names)
        if (name.kind == LogicalName::Kind::Name)
            SHARDSCOPE_CHECK(checkName(row.path, name.name));
    return NamedArraySetting{ row.path, row.names, row.type.shape, row.type.dtype };
}

} // namespace

void takeMesh(const MaxTextMesh& mesh, Import& import)
{
    import.mesh = mesh.meshAxes();
    import.deviceOrder = mesh.deviceOrder;
    import.hosts = mesh.slices;
}

Result<void> spreadOverHosts(DeviceSet& devices, std::int64_t deviceCount, std::int64_t hosts)
{
    if (hosts < 1 || deviceCount % hosts != 0)
        return fail(Code::DevicesMismatch, { { "of", "hosts" }, { "product", deviceCount }, { "devices", hosts } });
    devices.hosts = static_cast<std::int32_t>(hosts);
    devices.devicesPerHost = static_cast<std::int32_t>(deviceCount / hosts);
    return {};
}

Result<Experiment> toExperiment(const Import& import)
{
    Experiment experiment;
    experiment.title = import.title;
    SHARDSCOPE_TRY(mesh, Mesh::create(import.mesh, import.deviceOrder));
    experiment.mesh = { import.mesh, import.deviceOrder };
    SHARDSCOPE_CHECK(spreadOverHosts(experiment.hardware.devices, mesh->deviceCount(), import.hosts));
    LogicalRules listed = import.rules;
    listed.isSequence = listed.isSequence || import.mapping;
    SHARDSCOPE_CHECK(checkRules(listed));
    experiment.rules.dialect = import.dialect;
    experiment.rules.rules = std::move(listed);
    experiment.rules.inner = import.inner;
    setSequence(experiment.rules, !import.mapping);
    ArraysModel model;
    for (const ParameterRow& row : import.rows) {
        Result<NamedArraySetting> array = toArray(row);
        if (!array) {
            array.error().where.path = row.path;
            array.error().where.line = row.line;
            array.error().where.column = row.column;
            return tl::unexpected(std::move(array.error()));
        }
        model.arrays.push_back(std::move(*array));
    }
    experiment.model = std::move(model);
    return experiment;
}

std::vector<ParameterRow> toRows(const Experiment& experiment)
{
    std::vector<ParameterRow> rows;
    for (const NamedArraySetting& array : listedArrays(experiment)) {
        ParameterRow& row = rows.emplace_back();
        row.path = array.path;
        row.type = { array.dtype, array.shape };
        row.names = array.names;
    }
    if (!rows.empty())
        return rows;
    const Result<SourceProgram> built = buildProgram(experiment);
    if (!built)
        return rows;
    const Program& program = built->program;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const Value& value = program.value(arguments[i]);
        if (value.role != Role::Parameter)
            continue;
        ParameterRow& row = rows.emplace_back();
        row.path = value.path;
        row.type = value.type;
        if (const auto* logical = std::get_if<LogicalAxes>(&program.argumentAnnotations[i]))
            row.names = logical->names;
        row.names.resize(row.type.rank());
    }
    return rows;
}

} // namespace shardscope
