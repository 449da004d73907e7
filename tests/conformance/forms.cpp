// SPDX-License-Identifier: GPL-3.0-or-later
#include "conformance/forms.h"

#include <stdexcept>

#include "base/codes.h"

namespace shardscope::conformance {

namespace {

bool isUnconstrained(const Json& json)
{
    if (!json.is_object())
        return false;
    if (json.at("special") != "UNCONSTRAINED")
        throw std::runtime_error("unknown special value " + json.dump());
    return true;
}

/// The axes of a target in one list, whatever its nesting.
void addAxes(const Json& list, bool inner, LogicalRule& rule)
{
    rule.nested = rule.nested || inner;
    for (const Json& item : list) {
        if (item.is_array())
            addAxes(item, true, rule);
        else
            rule.target.axes.push_back(item.get<std::string>());
    }
}

LogicalName toName(const Json& json)
{
    if (json.is_null())
        return LogicalName::none();
    return isUnconstrained(json) ? LogicalName::unconstrained() : LogicalName::of(json.get<std::string>());
}

LogicalRule toRule(const Json& name, const Json& target)
{
    LogicalRule rule;
    rule.name = toName(name);
    if (target.is_null())
        return rule;
    if (target.is_array()) {
        rule.target = SpecEntry::tuple({});
        addAxes(target, false, rule);
    } else if (isUnconstrained(target)) {
        rule.target = SpecEntry::unconstrained();
    } else {
        rule.target = SpecEntry::axis(target.get<std::string>());
    }
    return rule;
}

Json toJson(const ArgValue& value)
{
    return std::visit([](const auto& v) { return Json(v); }, value);
}

} // namespace

Shape toShape(const Json& json)
{
    const auto sizes = json.get<std::vector<std::int64_t>>();
    return Shape(sizes.begin(), sizes.end());
}

Json rangesJson(const std::vector<IndexRange>& ranges)
{
    Json json = Json::array();
    for (const IndexRange& range : ranges)
        json.push_back({ range.begin, range.end });
    return json;
}

Result<PartitionSpec> toSpec(const Json& json)
{
    PartitionSpec spec;
    for (const Json& entry : json) {
        const LogicalRule rule = toRule(nullptr, entry);
        if (rule.nested)
            return fail(Code::NestedTuple);
        spec.entries.push_back(rule.target);
    }
    return spec;
}

Json toJson(const SpecEntry& entry)
{
    switch (entry.kind) {
    case SpecEntry::Kind::None:
        return nullptr;
    case SpecEntry::Kind::Single:
        return entry.axes.front();
    case SpecEntry::Kind::Tuple:
        return entry.axes;
    case SpecEntry::Kind::Unconstrained:
        break;
    }
    return { { "special", "UNCONSTRAINED" } };
}

Json toJson(const PartitionSpec& spec)
{
    Json json = Json::array();
    for (const SpecEntry& entry : spec.entries)
        json.push_back(toJson(entry));
    return json;
}

Json listsJson(const PartitionSpec& spec, std::size_t rank)
{
    Json json = Json::array();
    for (const SpecEntry& entry : spec.entries)
        json.push_back(entry.axes.empty() ? Json(nullptr) : Json(entry.axes));
    while (json.size() < rank)
        json.push_back(nullptr);
    return json;
}

Result<Mesh> toMesh(const Json& json)
{
    const Json& sizes = json.contains("mesh_shape") ? json.at("mesh_shape") : json.at("shape");
    const Json& names = json.at("axis_names");
    std::vector<MeshAxis> axes;
    for (std::size_t i = 0; i < names.size(); ++i)
        axes.push_back({ names.at(i).get<std::string>(), sizes.at(i).get<std::int64_t>() });
    if (json.contains("device_ids") && !json.at("device_ids").is_null())
        return Mesh::createOver(std::move(axes), json.at("device_ids").get<std::vector<std::int32_t>>());
    return Mesh::create(std::move(axes));
}

std::optional<LogicalNames> toNames(const Json& json)
{
    if (json.is_null())
        return std::nullopt;
    LogicalNames names;
    for (const Json& name : json)
        names.push_back(toName(name));
    return names;
}

LogicalRules toRules(const Json& json)
{
    LogicalRules rules;
    if (json.is_object()) {
        rules.isSequence = false;
        for (const auto& [name, target] : json.at("dict").items())
            rules.list.push_back(toRule(name, target));
        return rules;
    }
    if (json.is_null())
        return rules;
    for (const Json& item : json) {
        if (item.size() == 2) {
            rules.list.push_back(toRule(item.at(0), item.at(1)));
            continue;
        }
        LogicalRule wrong;
        wrong.arity = item.size();
        rules.list.push_back(wrong);
    }
    return rules;
}

Json toJson(const LogicalRules& rules)
{
    Json json = Json::array();
    for (const LogicalRule& rule : rules.list)
        json.push_back(
            { rule.name.kind == LogicalName::Kind::Name ? Json(rule.name.name) : Json(nullptr), toJson(rule.target) });
    return json;
}

Json errorLike(const Json& expected, const Error& error)
{
    if (!expected.is_object())
        return error.kind();
    Json json = { { "kind", error.kind() } };
    for (const auto& [key, value] : expected.items())
        if (const ArgValue* arg = key == "kind" ? nullptr : error.arg(key))
            json[key] = toJson(*arg);
    return json;
}

CaseResult unexpectedError(const Error& error)
{
    return CaseResult::failed("unexpected error " + std::string(error.kind()));
}

std::vector<double> numbersIn(const Json& json)
{
    if (json.is_number())
        return { json.get<double>() };
    std::vector<double> numbers;
    for (const Json& item : json) {
        const std::vector<double> inner = numbersIn(item);
        numbers.insert(numbers.end(), inner.begin(), inner.end());
    }
    return numbers;
}

std::string lineOf(const Diagnostic& found)
{
    std::string line(found.kind());
    for (const Arg& arg : found.args)
        line += " " + arg.name + "=" + found.text(arg.name);
    return line;
}

} // namespace shardscope::conformance
