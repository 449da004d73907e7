// SPDX-License-Identifier: GPL-3.0-or-later
// XLA's shardings (mhlo.sharding) as shardings over a mesh, where a program has no Shardy shardings: over its one mesh,
// or over one that is made for them.
#include <algorithm>
#include <set>

#include "base/codes.h"
#include "sharding/hlo_sharding.h"
#include "stablehlo/reader.h"

namespace shardscope::mlir {

namespace {

/// Number of devices that a sharding speaks of; 0 if it says nothing of them.
std::int64_t devicesOf(const HloSharding& sharding)
{
    if (sharding.kind != HloSharding::Kind::Tiled)
        return 0;
    std::int64_t devices = 1;
    for (const std::int64_t size : sharding.tiles.dims())
        devices *= size;
    return devices;
}

/// A mesh whose axes are the pieces that tile sizes cut the devices into: tiles of 2 x 4 and of 8 devices make axes of
/// 2 and 4. Where the pieces do not fit into each other there is one axis, and shardings use parts of it.
Result<Mesh> meshFor(std::int64_t devices, const std::vector<HloSharding>& shardings)
{
    std::set<std::int64_t> cuts{ 1, devices };
    for (const HloSharding& sharding : shardings) {
        std::int64_t product = 1;
        if (devicesOf(sharding) == devices)
            for (const std::int64_t size : sharding.tiles.dims())
                cuts.insert(product *= size);
    }
    std::vector<MeshAxis> axes;
    std::int64_t before = 1;
    for (const std::int64_t cut : cuts) {
        if (cut % before != 0) {
            axes.assign(1, { "devices", devices });
            return Mesh::create(std::move(axes));
        }
        if (cut > before)
            axes.push_back({ "axis_" + std::to_string(axes.size()), cut / before });
        before = cut;
    }
    return Mesh::create(std::move(axes));
}

} // namespace

void Reader::noteHloSharding(ValueId value, const std::vector<NamedAttribute>& attributes, std::string_view owner)
{
    const auto found = std::find_if(
        attributes.begin(), attributes.end(), [](const NamedAttribute& a) { return a.name == "mhlo.sharding"; });
    if (found != attributes.end() && found->value.size() > 2 && found->value.front() == '"')
        m_hloShardings.push_back(
            { value, unescaped(found->value.substr(1, found->value.size() - 2)), found->position, std::string(owner) });
}

/// That they change nothing is worth a word where they ask for something that the value does not get otherwise: beside
/// Shardy's shardings, as Shardy's import has it, or where no mesh of the program can say the same.
void Reader::warnIgnored(const HloShardingText& sharding)
{
    const auto index = std::size_t{ sharding.value.index };
    const bool isGiven = index < m_program.valueShardings.size() && m_program.valueShardings[index] != 0;
    if (!isGiven && isTensor(typeOf(sharding.value).dtype))
        warn(Code::ShardingIgnored, { { "op", sharding.owner }, { "attribute", "mhlo.sharding" } }, sharding.position);
}

void Reader::applyHloShardings()
{
    if (m_hloShardings.empty())
        return;
    std::stable_sort(m_hloShardings.begin(), m_hloShardings.end(),
        [](const HloShardingText& a, const HloShardingText& b) { return a.position < b.position; });
    if (!m_program.shardings.empty()) {
        for (const HloShardingText& each : m_hloShardings)
            if (const Result<HloSharding> asked = parseHlo(each.text);
                !asked || asked->kind != HloSharding::Kind::Manual)
                warnIgnored(each);
        return;
    }
    std::unordered_map<std::string, std::size_t> indices;
    std::vector<HloSharding> shardings;
    std::int64_t devices = 0;
    for (const HloShardingText& each : m_hloShardings) {
        const std::string& text = each.text;
        const auto [found, added] = indices.emplace(text, shardings.size());
        if (!added)
            continue;
        Result<HloSharding> parsed = parseHlo(text);
        shardings.push_back(parsed ? std::move(*parsed) : HloSharding::of(HloSharding::Kind::Unknown));
        devices = std::max(devices, devicesOf(shardings.back()));
    }
    if (devices <= 1)
        return;
    std::uint32_t mesh = 0;
    const bool isDeclared = !m_program.meshes.empty();
    if (!isDeclared) {
        Result<Mesh> made = meshFor(devices, shardings);
        if (!made)
            return;
        m_program.meshes.push_back({ "mesh", std::make_shared<const Mesh>(std::move(*made)), {}, false });
    } else {
        const auto fits = [&](const ProgramMesh& m) { return m.mesh->deviceCount() == devices && !m.onlyDevice; };
        const auto found = std::find_if(m_program.meshes.begin(), m_program.meshes.end(), fits);
        if (found == m_program.meshes.end()) {
            for (const HloShardingText& each : m_hloShardings)
                if (devicesOf(shardings[indices[each.text]]) > 1)
                    warnIgnored(each);
            return;
        }
        mesh = static_cast<std::uint32_t>(found - m_program.meshes.begin());
    }
    for (const HloShardingText& each : m_hloShardings) {
        const TensorType& type = typeOf(each.value);
        if (!isTensor(type.dtype))
            continue;
        const HloSharding& asked = shardings[indices[each.text]];
        const Result<TensorSharding> on = toTensorSharding(asked, *m_program.meshes[mesh].mesh, type.rank());
        if (on)
            shard(each.value, addSharding({ mesh, *on, ReduceKind::Sum }));
        else if (isDeclared && devicesOf(asked) > 1)
            warnIgnored(each);
    }
}

} // namespace shardscope::mlir
