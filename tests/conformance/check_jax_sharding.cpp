// SPDX-License-Identifier: GPL-3.0-or-later
// jax_named_sharding and jax_sharding_equivalence.
#include <map>

#include "conformance/forms.h"
#include "sharding/sharding.h"
#include "sharding/text.h"

namespace shardscope::conformance {

namespace {

Json results(const NamedSharding& sharding, const Layout& layout)
{
    const Mesh& mesh = layout.mesh();
    const std::size_t rank = layout.shape().size();
    Json actual;
    actual["shard_shape"] = Json::array();
    for (const std::int64_t size : layout.shardShape())
        actual["shard_shape"].push_back(size);
    actual["index"] = Json::array();
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        actual["index"].push_back({ mesh.deviceAt(position), rangesJson(layout.rangesAt(position)) });
    actual["is_fully_replicated"] = layout.distinctShards() == 1;

    // Shards of an array without elements have the same (empty) ranges and count once, in the reference.
    std::map<std::vector<std::pair<std::int64_t, std::int64_t>>, std::vector<std::int32_t>> groups;
    const std::vector<std::vector<std::int32_t>> replicas = layout.replicaGroups();
    for (std::size_t shard = 0; shard < replicas.size(); ++shard) {
        std::vector<std::pair<std::int64_t, std::int64_t>> key;
        for (const IndexRange& range : layout.rangesOfShard(static_cast<std::int64_t>(shard)))
            key.emplace_back(range.begin, range.end);
        std::vector<std::int32_t>& group = groups[key];
        group.insert(group.end(), replicas[shard].begin(), replicas[shard].end());
    }
    actual["num_distinct_shards"] = groups.size();
    actual["replica_groups"] = Json::array();
    for (const auto& [ranges, group] : groups)
        actual["replica_groups"].push_back(group);

    actual["canonical_spec"] = toJson(canonical(sharding.spec));
    actual["hlo"] = toHlo(sharding.spec, mesh, rank);
    actual["sdy"] = toShardy(sharding.spec, rank);
    actual["sdy_mesh"] = toShardy(mesh);
    return actual;
}

Result<NamedSharding> toSharding(const Json& mesh, const Json& spec)
{
    Result<Mesh> m = toMesh(mesh);
    if (!m)
        return tl::unexpected(std::move(m.error()));
    Result<PartitionSpec> s = toSpec(spec);
    if (!s)
        return tl::unexpected(std::move(s.error()));
    return NamedSharding{ std::make_shared<const Mesh>(std::move(*m)), std::move(*s) };
}

} // namespace

CaseResult checkJaxNamedSharding(const Json& oneCase, const Json&)
{
    const auto shape = oneCase.at("shape").get<std::vector<std::int64_t>>();
    const Result<NamedSharding> sharding = toSharding(oneCase, oneCase.at("spec"));
    const Result<Layout> layout =
        sharding ? layoutOf(*sharding, shape) : Result<Layout>(tl::unexpected(sharding.error()));
    if (!layout)
        return compareMembers(oneCase, { { "error", errorLike(oneCase.value("error", Json()), layout.error()) } });
    return compareMembers(oneCase, results(*sharding, *layout));
}

CaseResult checkJaxShardingEquivalence(const Json& oneCase, const Json&)
{
    const Result<NamedSharding> first = toSharding(oneCase.at("mesh1"), oneCase.at("spec1"));
    const Result<NamedSharding> second = toSharding(oneCase.at("mesh2"), oneCase.at("spec2"));
    if (!first || !second)
        return unexpectedError(first ? second.error() : first.error());
    return compareMembers(oneCase,
        { { "equal", *first == *second },
            { "equivalent",
                isEquivalent(Sharding(*first), Sharding(*second), oneCase.at("ndim").get<std::size_t>()) } });
}

} // namespace shardscope::conformance
