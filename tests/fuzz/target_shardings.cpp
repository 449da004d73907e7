// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of shardings in all forms. What they accept has a layout or a reason why not, and is printed and read
// again as the same.
#include "fuzz/fuzz.h"
#include "sharding/sharding_text.h"

namespace shardscope::fuzz {

namespace {

const MeshPtr& mesh()
{
    static const auto made = std::make_shared<const Mesh>(*Mesh::create({ { "x", 2 }, { "y", 8 }, { "z", 3 } }));
    return made;
}

/// Puts arrays of a few shapes there; whatever is refused is refused in order.
std::string lay(const Sharding& sharding)
{
    for (const Shape& shape : { Shape{}, Shape{ 48 }, Shape{ 7, 48 }, Shape{ 1, 2, 3 } }) {
        const Result<Layout> layout = layoutOf(sharding, shape, Uneven::Padded);
        if (!layout) {
            if (const std::string problem = checkError(layout.error(), ""); !problem.empty())
                return problem;
            continue;
        }
        const std::int64_t devices = layout->mesh().deviceCount();
        if (layout->distinctShards() * layout->copies() * layout->addends() != devices)
            return "shards, copies and addends are not the devices";
        if (layout->rangesAt(devices - 1).size() != shape.size())
            return "ranges of another rank";
        const Result<HloSharding> hlo = toHloSharding(sharding, shape.size());
        if (!hlo || !parseHlo(toHlo(*hlo)) || !(*parseHlo(toHlo(*hlo)) == *hlo))
            return "HLO text that cannot be read";
        if (const auto axes = toTensorSharding(sharding, *mesh(), shape.size()); axes && devices == 48)
            if (*parseShardy(toShardy(*axes, *mesh()), *mesh()) != *axes)
                return "Shardy text that is read differently";
    }
    return {};
}

std::string runSharding(std::string_view text)
{
    const Result<Sharding> sharding = parseSharding(text, mesh());
    if (!sharding)
        return checkError(sharding.error(), text);
    for (const JaxVersion version : { JaxVersion::Year2024, JaxVersion::Current }) {
        const std::string printed = toJax(*sharding, version);
        const Result<Sharding> again = parseSharding(printed, mesh());
        const auto* positional = std::get_if<PositionalSharding>(&*sharding);
        // Not shown in full, and without any axis, as JAX has none.
        if (positional && (positional->cellCount() > 1000 || positional->rank() == 0))
            continue;
        if (!again)
            return "cannot read its own text " + printed;
        if (toJax(*again, version) != printed)
            return "reads its own text differently: " + printed;
    }
    return lay(*sharding);
}

std::string runHlo(std::string_view text)
{
    const Result<HloSharding> sharding = parseHlo(text);
    if (!sharding)
        return checkError(sharding.error(), text);
    for (const HloForm form : { HloForm::AsIs, HloForm::V1, HloForm::V2 }) {
        const std::string printed = toHlo(*sharding, form);
        const Result<HloSharding> again = parseHlo(printed);
        if (!again)
            return "cannot read its own text " + printed.substr(0, 1000);
        if (!(*again == *sharding) || again->metadata != sharding->metadata)
            return "reads its own text differently: " + printed.substr(0, 1000);
    }
    return {};
}

std::string runShardy(std::string_view text)
{
    const Result<TensorSharding> sharding = parseShardy(text, *mesh());
    if (!sharding) {
        // The same reader has to stand meshes.
        const Result<Mesh> read = parseShardyMesh(text);
        if (read && !(parseShardyMesh(toShardy(*read, true)) == *read))
            return "reads its own mesh differently: " + toShardy(*read, true);
        const std::string problem = read ? std::string() : checkError(read.error(), text);
        return problem.empty() ? checkError(sharding.error(), text) : problem;
    }
    const std::string printed = toShardy(*sharding, *mesh());
    const Result<TensorSharding> again = parseShardy(printed, *mesh());
    if (!again)
        return "cannot read its own text " + printed;
    if (*again != *sharding)
        return "reads its own text differently: " + printed;
    return lay(ShardySharding{ mesh(), *sharding, {} });
}

} // namespace

Target shardingTarget()
{
    return { "sharding",
        {
            "NamedSharding(mesh=Mesh('x': 2, 'y': 8, 'z': 3), spec=PartitionSpec('x', ('y', 'z')), memory_kind=device)",
            "NamedSharding(Mesh(axis_sizes=(2, 8, 3), axis_names=('x', 'y', 'z'), axis_types=(Auto, Auto, Auto)), P())",
            "NamedSharding(mesh=Mesh(device_ids=array([[0, 1], [2, 3]]), axis_names=('a', 'b')), spec=P(None, 'a'))",
            "PositionalSharding([[{TPU 0, 4} {TPU 1, 5}]\n                    [{TPU 2, 6} {TPU 3, 7}]], "
            "memory_kind=pinned_host, shape=(2, 2))",
            "PositionalSharding(mesh.devices).reshape(6, -1).T.replicate(axis=0, keepdims=True).transpose(1, 0)",
            "PositionalSharding([0, 1, 2, 3]).reshape((2, 2)).replicate(None).with_memory_kind('device')",
            "SingleDeviceSharding(device=TpuDevice(id=0, process_index=0, coords=(0,0,0), core_on_chip=0))",
            "GSPMDSharding({devices=[2,1,24]<=[48] last_tile_dim_replicate}, memory_kind=unpinned_host)",
            "mhlo.sharding = \"{devices=[6,8]<=[2,8,3]T(0,2,1)}\"",
            "#sdy.sharding<@mesh, [{\"x\", \"y\":(1)2, ?}p1, {}], replicated={\"z\"}>",
            "P(('x', 'y'), None)",
        },
        runSharding, { { "P(", "'x#',", ")" }, { "PositionalSharding([", "#,", "])" } } };
}

Target hloTarget()
{
    return { "hlo",
        {
            "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
            "{devices=[2,2,2,2]<=[2,2,4]T(2,1,0) last_tile_dims={manual, replicated} shard_like 1}",
            "{devices=[2,2]0,2,1,3 last_tile_dims={unreduced}}",
            "{maximal device=7 metadata={op_name=\"a\" source_line=3}}",
            "{manual shard_as 1}",
            "{unknown}",
        },
        runHlo, { { "{devices=[200000]", "#,", "200000}" }, { "{devices=[", "#,", "1]<=[1]}" } } };
}

Target shardyTarget()
{
    return { "shardy",
        {
            "#sdy.sharding<@mesh, [{\"x\", ?}p0, {\"y\":(2)4}, {?}p3], replicated={\"y\":(1)2}, unreduced={\"z\"}>",
            "<mesh<[\"x\"=2, \"y\"=8, \"z\"=3]>, [{}, {\"z\", \"x\"}]>",
            "sdy.mesh @mesh = <[\"x\"=2, \"\\22y\"=2], device_ids=[3, 2, 1, 0]>",
        },
        runShardy, { { "<@mesh, [", "{\"x#\"},", "]>" }, { "<[", "\"x#\"=1,", "]>" } } };
}

} // namespace shardscope::fuzz
