// SPDX-License-Identifier: GPL-3.0-or-later
// penzai_name_to_name_sharding: trees of named arrays on a mesh, each resolved as an array of an experiment whose rules
// are a mapping.
#include <algorithm>

#include "conformance/error_names.h"
#include "conformance/forms.h"
#include "rules/name_to_name.h"
#include "sharding/sharding.h"

namespace shardscope::conformance {

namespace {

/// An array as rules see it: dimensions without names of a named array come first, those of a view last.
struct NamedLeaf {
    LogicalNames names;
    std::vector<std::size_t> dimensions; ///< of the data, by position in `names`
    Shape shape; ///< of the data
    bool isPlain = false;

    void add(LogicalName name, std::size_t dimension)
    {
        names.push_back(std::move(name));
        dimensions.push_back(dimension);
    }
};

NamedLeaf toLeaf(const Json& json)
{
    const std::string type = json.at("type");
    NamedLeaf leaf;
    if (type == "named") {
        if (json.contains("positional_shape"))
            leaf.shape = toShape(json.at("positional_shape"));
        for (std::size_t i = 0; i < leaf.shape.size(); ++i)
            leaf.add(LogicalName::none(), i);
        for (const Json& axis : json.at("named_axes")) {
            leaf.add(LogicalName::of(axis.at(0)), leaf.shape.size());
            leaf.shape.push_back(axis.at(1));
        }
    } else if (type == "view") {
        leaf.shape = toShape(json.at("data_shape"));
        for (const auto& [name, dimension] : json.at("data_axis_for_name").items())
            leaf.add(LogicalName::of(name), dimension);
        for (const Json& dimension : json.at("data_axis_for_logical_axis"))
            leaf.add(LogicalName::none(), dimension);
    } else if (type == "plain") {
        leaf.shape = toShape(json.at("shape"));
        leaf.isPlain = true;
    } else {
        throw std::runtime_error("unknown type " + type);
    }
    return leaf;
}

/// Without a mapping names stand for mesh axes of the same name.
LogicalRules toMapping(const Json& json, const Mesh& mesh)
{
    LogicalRules rules;
    rules.isSequence = false;
    if (json.is_null())
        for (const std::string& axis : mesh.axisNames())
            rules.list.push_back({ LogicalName::of(axis), SpecEntry::axis(axis) });
    else
        for (const auto& [name, target] : json.items())
            rules.list.push_back({ LogicalName::of(name), toSpec(Json::array({ target }))->entries.front() });
    return rules;
}

Result<PartitionSpec> leafSpec(const NamedLeaf& leaf, const LogicalRules& rules, const Mesh& mesh)
{
    PartitionSpec spec;
    spec.entries.resize(leaf.names.size(), SpecEntry::none());
    const bool hasName = std::any_of(leaf.names.begin(), leaf.names.end(),
        [](const LogicalName& name) { return name.kind == LogicalName::Kind::Name; });
    if (!hasName)
        return spec;
    const Result<Resolution> resolution = resolveMapping(leaf.names, rules);
    if (!resolution)
        return tl::unexpected(resolution.error());
    const PartitionSpec resolved = resolution->spec();
    for (std::size_t i = 0; i < resolved.entries.size(); ++i)
        spec.entries[leaf.dimensions[i]] = resolved.entries[i];
    if (Result<void> valid = validate(spec, mesh); !valid)
        return tl::unexpected(std::move(valid.error()));
    return spec;
}

Json leafJson(const NamedLeaf& leaf, const NamedSharding& sharding)
{
    Json json{ { "spec", toJson(canonical(sharding.spec)) },
        { "data_shape", std::vector<std::int64_t>(leaf.shape.begin(), leaf.shape.end()) } };
    const Result<Layout> layout = layoutOf(sharding, leaf.shape);
    if (!layout) {
        json["device_put_error"] = layout.error().kind();
        return json;
    }
    json["shard_shape"] = std::vector<std::int64_t>(layout->shardShape().begin(), layout->shardShape().end());
    json["num_distinct_shards"] = layout->distinctShards();
    json["fully_replicated"] = layout->distinctShards() == 1;
    return json;
}

} // namespace

CaseResult checkPenzaiNameToNameSharding(const Json& oneCase, const Json&)
{
    Result<Mesh> made = toMesh(oneCase);
    if (!made)
        return unexpectedError(made.error());
    const auto mesh = std::make_shared<const Mesh>(std::move(*made));
    const LogicalRules rules = toMapping(oneCase.at("axis_name_to_mesh_name"), *mesh);
    Json expected = Json::object();
    for (const auto& [path, json] : oneCase.at("tree").items()) {
        const NamedLeaf leaf = toLeaf(json);
        if (leaf.isPlain) { // such an array has no names for rules to read
            if (!oneCase.at("ignore_unnamed_arrays"))
                return compareMembers(oneCase, { { "error", "non_named_leaf" } });
            expected[path] = { { "sharding", nullptr } };
            continue;
        }
        Result<PartitionSpec> spec = leafSpec(leaf, rules, *mesh);
        if (!spec)
            return compareMembers(oneCase, { { "error", errorName(Vocabulary::Penzai, spec.error()) } });
        expected[path] = leafJson(leaf, { mesh, std::move(*spec) });
    }
    return compareMembers(oneCase, { { "expected", expected } });
}

} // namespace shardscope::conformance
