// SPDX-License-Identifier: GPL-3.0-or-later
// XLA's HLO sharding text, versions 1 (device lists) and 2 (iotas).
// Declared in hlo_sharding.h.
#include "base/text.h"
#include "sharding/hlo_sharding.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

std::string_view toString(HloSharding::Subgroup type)
{
    switch (type) {
    case HloSharding::Subgroup::Manual:
        return "manual";
    case HloSharding::Subgroup::Unreduced:
        return "unreduced";
    case HloSharding::Subgroup::Replicated:
        break;
    }
    return "replicated";
}

std::string subgroupsText(const std::vector<HloSharding::Subgroup>& subgroups)
{
    if (subgroups.empty())
        return {};
    if (subgroups.size() == 1 && subgroups.front() == HloSharding::Subgroup::Replicated)
        return " last_tile_dim_replicate";
    return " last_tile_dims={" + join(subgroups, ", ", [](HloSharding::Subgroup type) { return toString(type); }) + "}";
}

std::string tilesText(const TileAssignment& tiles, HloForm form)
{
    if (form == HloForm::V1)
        return tiles.asList().text();
    if (form == HloForm::V2 && !tiles.isIota())
        if (const std::optional<TileAssignment> iota = tiles.asIota())
            return iota->text();
    return tiles.text();
}

} // namespace

std::string toHlo(const HloSharding& sharding, HloForm form)
{
    std::string text;
    switch (sharding.kind) {
    case HloSharding::Kind::Replicated:
        text = "{replicated";
        break;
    case HloSharding::Kind::Maximal:
        text = "{maximal device=" + std::to_string(sharding.device);
        break;
    case HloSharding::Kind::Manual:
        text = "{manual";
        break;
    case HloSharding::Kind::Unknown:
        text = "{unknown";
        break;
    case HloSharding::Kind::Unreduced:
        text = "{unreduced";
        break;
    case HloSharding::Kind::Tiled:
        text = "{devices=" + tilesText(sharding.tiles, form) + subgroupsText(sharding.subgroups);
        break;
    }
    if (sharding.group != HloSharding::Group::None)
        text += (sharding.group == HloSharding::Group::As ? " shard_as " : " shard_like ")
            + std::to_string(sharding.groupId);
    if (!sharding.metadata.empty())
        text += " metadata=" + sharding.metadata;
    return text + "}";
}

std::string toHlo(const PartitionSpec& spec, const Mesh& mesh, std::size_t rank)
{
    return toHlo(toHloSharding(spec, mesh, rank));
}

} // namespace shardscope
