// SPDX-License-Identifier: GPL-3.0-or-later
// penzai_name_to_name_sharding: trees of named arrays on a mesh.
#include "base/codes.h"
#include "conformance/forms.h"
#include "sharding/named_arrays.h"

namespace shardscope::conformance {

namespace {

Shape toShape(const Json& json)
{
    const auto numbers = json.get<std::vector<std::int64_t>>();
    return Shape(numbers.begin(), numbers.end());
}

ArrayLeaf toLeaf(const std::string& path, const Json& json)
{
    const std::string type = json.at("type");
    if (type == "named") {
        NamedArray array;
        for (const Json& axis : json.at("named_axes"))
            array.namedAxes.push_back({ axis.at(0), axis.at(1) });
        if (json.contains("positional_shape"))
            array.positionalShape = toShape(json.at("positional_shape"));
        return { path, std::move(array) };
    }
    if (type == "view") {
        NamedArrayView view;
        view.dataShape = toShape(json.at("data_shape"));
        view.dimensionOfName = json.at("data_axis_for_name").get<std::map<std::string, std::size_t>>();
        view.dimensionOfPosition = json.at("data_axis_for_logical_axis").get<std::vector<std::size_t>>();
        return { path, std::move(view) };
    }
    if (type != "plain")
        throw std::runtime_error("unknown type " + type);
    return { path, PlainArray{ toShape(json.at("shape")) } };
}

std::optional<NameToMesh> toMapping(const Json& json)
{
    if (json.is_null())
        return std::nullopt;
    NameToMesh mapping;
    for (const auto& [name, target] : json.items())
        mapping[name] = toSpec(Json::array({ target }))->entries.front();
    return mapping;
}

/// What the reference data call the errors of Penzai.
std::string penzaiErrorKind(const Error& error)
{
    return error.code == Code::UnknownAxis ? "unknown_mesh_axis" : std::string(error.kind());
}

Json leafJson(const LeafSharding& leaf)
{
    if (!leaf.sharding)
        return { { "sharding", nullptr } };
    Json json{ { "spec", toJson(canonical(leaf.sharding->spec)) },
        { "data_shape", std::vector<std::int64_t>(leaf.dataShape.begin(), leaf.dataShape.end()) } };
    const Result<Layout> layout = leaf.layout();
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
    Result<Mesh> mesh = toMesh(oneCase);
    if (!mesh)
        return unexpectedError(mesh.error());
    ArrayTree tree;
    for (const auto& [path, leaf] : oneCase.at("tree").items())
        tree.push_back(toLeaf(path, leaf));
    const auto sharded = nameToNameSharding(tree, std::make_shared<const Mesh>(std::move(*mesh)),
        toMapping(oneCase.at("axis_name_to_mesh_name")), oneCase.at("ignore_unnamed_arrays"));
    if (!sharded)
        return compareMembers(oneCase, { { "error", penzaiErrorKind(sharded.error()) } });
    Json expected = Json::object();
    for (const LeafSharding& leaf : *sharded)
        expected[leaf.path] = leafJson(leaf);
    return compareMembers(oneCase, { { "expected", expected } });
}

} // namespace shardscope::conformance
