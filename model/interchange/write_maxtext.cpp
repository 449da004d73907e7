// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in maxtext_config.h.
#include <algorithm>
#include <cctype>
#include <set>

#include "base/codes.h"
#include "base/text.h"
#include "interchange/maxtext_config.h"
#include "interchange/maxtext_of.h"
#include "interchange/yaml_text.h"

namespace shardscope {

namespace {

std::string listText(const std::vector<std::string>& names)
{
    return "[" + join(names, ", ", quoteYaml) + "]";
}

std::string entryText(const SpecEntry& entry)
{
    if (entry.kind == SpecEntry::Kind::Single)
        return quoteYaml(entry.axes.front());
    return entry.kind == SpecEntry::Kind::Tuple ? listText(entry.axes) : "null";
}

std::string keyText(const char* prefix, const std::string& axis)
{
    const std::string key = prefix + parallelismKey(axis) + "_parallelism";
    const bool word = std::all_of(
        key.begin(), key.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
    return word ? key : quoteYaml(key);
}

Result<void> checkRule(std::size_t index, const LogicalRule& rule)
{
    const auto noWord = [&](const char* found) {
        return fail(Code::WrongType,
            { { "key", "rule " + std::to_string(index + 1) },
                { "expected", "a name, and mesh axes or None, for MaxText" }, { "found", found } });
    };
    if (rule.arity != 2)
        return fail(Code::RuleArity, { { "rule", index }, { "length", rule.arity } });
    if (rule.nested)
        return fail(Code::NestedTuple);
    if (rule.name.kind == LogicalName::Kind::None)
        return noWord("a rule for None");
    if (rule.name.kind == LogicalName::Kind::Unconstrained || rule.target.kind == SpecEntry::Kind::Unconstrained)
        return noWord("UNCONSTRAINED");
    return {};
}

} // namespace

Result<std::string> writeMaxText(const MaxTextConfig& config, bool otherAxes)
{
    if (!config.rules.isSequence)
        return fail(Code::RulesType);
    std::string text;
    if (!config.axes.empty()) {
        std::vector<std::string> names;
        for (const MaxTextAxis& axis : config.axes)
            names.push_back(axis.name);
        text += "mesh_axes: " + listText(names) + "\n";
    }
    text += "logical_axis_rules: [\n";
    for (std::size_t i = 0; i < config.rules.list.size(); ++i) {
        const LogicalRule& rule = config.rules.list[i];
        SHARDSCOPE_CHECK(checkRule(i, rule));
        text += "  [" + quoteYaml(rule.name.name) + ", " + entryText(rule.target) + "],\n";
    }
    text += "]\n";
    if (config.dataSharding.size() > 0)
        text += "data_sharding: [" + join(config.dataSharding.entries, ", ", entryText) + "]\n";
    if (!config.inputNames.empty())
        text += "input_data_sharding_logical_axes: " + listText(config.inputNames) + "\n";
    std::set<std::string> written; // stage and pipeline, model and tensor share a key
    for (const auto& [prefix, size] : { std::pair("dcn_", &MaxTextAxis::dcn), std::pair("ici_", &MaxTextAxis::ici) })
        for (const MaxTextAxis& axis : config.axes)
            if (const std::string key = keyText(prefix, axis.name);
                (otherAxes || isMaxTextAxis(axis.name)) && written.insert(key).second)
                text += key + ": " + std::to_string(axis.*size) + "\n";
    return text;
}

} // namespace shardscope
