// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/sharding.h"

#include "base/codes.h"

namespace shardscope {

namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
    using Visitors::operator()...;
};

std::vector<std::int32_t> devicesOf(const Mesh& mesh)
{
    std::vector<std::int32_t> devices;
    devices.reserve(static_cast<std::size_t>(mesh.deviceCount()));
    for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
        devices.push_back(mesh.deviceAt(position));
    return devices;
}

/// The first dimension that does not divide by its parts.
Result<void> requireEven(const Layout& layout)
{
    for (std::size_t d = 0; d < layout.shape().size(); ++d)
        if (layout.shape()[d] % layout.shardGrid()[d] != 0)
            return fail(Code::Indivisible,
                { { "dim", d }, { "size", layout.shape()[d] }, { "partitions", layout.shardGrid()[d] } });
    return {};
}

tl::unexpected<Error> specTooLong(std::size_t entries, std::size_t rank)
{
    return fail(Code::SpecTooLong, { { "spec_len", entries }, { "rank", rank } });
}

/// The spec fits its mesh and an array of that rank.
Result<void> checkSpec(const NamedSharding& named, std::size_t rank)
{
    SHARDSCOPE_CHECK(validate(named.spec, *named.mesh));
    if (named.spec.size() > rank)
        return specTooLong(named.spec.size(), rank);
    return {};
}

Result<void> checkRank(const ShardySharding& shardy, std::size_t rank)
{
    if (shardy.sharding.rank() != rank)
        return fail(Code::RankMismatch, { { "sharding_rank", shardy.sharding.rank() }, { "rank", rank } });
    return {};
}

/// All that one device can do with an array is to hold it.
HloSharding onOneDevice(const HloSharding& sharding)
{
    const bool open = sharding.kind == HloSharding::Kind::Manual || sharding.kind == HloSharding::Kind::Unknown;
    return open ? sharding : HloSharding::of(HloSharding::Kind::Replicated);
}

} // namespace

bool ShardySharding::operator==(const ShardySharding& other) const
{
    return (mesh == other.mesh || *mesh == *other.mesh) && sharding == other.sharding && memoryKind == other.memoryKind;
}

std::vector<std::int32_t> devicesOf(const Sharding& sharding)
{
    return std::visit(Overloaded{
                          [](const NamedSharding& named) { return devicesOf(*named.mesh); },
                          [](const PositionalSharding& positional) { return positional.devices(); },
                          [](const SingleDeviceSharding& single) { return std::vector{ single.device.id }; },
                          [](const GspmdSharding& gspmd) { return gspmd.devices; },
                          [](const ShardySharding& shardy) { return devicesOf(*shardy.mesh); },
                      },
        sharding);
}

std::optional<MemoryKind> memoryKindOf(const Sharding& sharding)
{
    return std::visit(Overloaded{
                          [](const PositionalSharding& positional) { return positional.memoryKind(); },
                          [](const auto& other) { return other.memoryKind; },
                      },
        sharding);
}

Sharding withMemoryKind(Sharding sharding, std::optional<MemoryKind> kind)
{
    std::visit(Overloaded{
                   [&](PositionalSharding& positional) { positional = positional.withMemoryKind(kind); },
                   [&](auto& other) { other.memoryKind = kind; },
               },
        sharding);
    return sharding;
}

Result<HloSharding> toHloSharding(const Sharding& sharding, std::size_t rank)
{
    return std::visit(
        Overloaded{
            [&](const NamedSharding& named) -> Result<HloSharding> {
                SHARDSCOPE_CHECK(checkSpec(named, rank));
                return toHloSharding(named.spec, *named.mesh, rank);
            },
            [&](const PositionalSharding& positional) { return positional.toHloSharding(rank); },
            [&](const SingleDeviceSharding&) -> Result<HloSharding> {
                return HloSharding::of(HloSharding::Kind::Replicated);
            },
            [&](const GspmdSharding& gspmd) -> Result<HloSharding> {
                const bool tiled = gspmd.hlo.kind == HloSharding::Kind::Tiled;
                if (tiled && gspmd.hlo.tiledRank() != rank)
                    return fail(Code::RankMismatch, { { "sharding_rank", gspmd.hlo.tiledRank() }, { "rank", rank } });
                return gspmd.hlo;
            },
            [&](const ShardySharding& shardy) -> Result<HloSharding> {
                SHARDSCOPE_CHECK(checkRank(shardy, rank));
                return toHloSharding(shardy.sharding, *shardy.mesh);
            },
        },
        sharding);
}

Result<TensorSharding> toTensorSharding(const Sharding& sharding, const Mesh& mesh, std::size_t rank)
{
    if (const auto* shardy = std::get_if<ShardySharding>(&sharding); shardy && *shardy->mesh == mesh) {
        SHARDSCOPE_CHECK(checkRank(*shardy, rank));
        return shardy->sharding;
    }
    if (const auto* named = std::get_if<NamedSharding>(&sharding); named && *named->mesh == mesh) {
        SHARDSCOPE_CHECK(checkSpec(*named, rank));
        return toTensorSharding(named->spec, mesh, rank);
    }
    // By device numbers, then, which have to mean the same devices.
    if (devicesOf(sharding) != devicesOf(mesh))
        return fail(Code::NotOnMesh, { { "known", mesh.axisNames() } });
    SHARDSCOPE_TRY(hlo, toHloSharding(sharding, rank));
    return toTensorSharding(*hlo, mesh, rank);
}

Result<Layout> layoutOf(const Sharding& sharding, std::span<const std::int64_t> shape, Uneven uneven)
{
    Result<Layout> layout = std::visit(
        Overloaded{
            [&](const NamedSharding& named) -> Result<Layout> {
                SHARDSCOPE_CHECK(checkSpec(named, shape.size()));
                return Layout(named.mesh, toTensorSharding(named.spec, *named.mesh, shape.size()), Shape(shape));
            },
            [&](const ShardySharding& shardy) -> Result<Layout> {
                SHARDSCOPE_CHECK(checkRank(shardy, shape.size()));
                return Layout(shardy.mesh, shardy.sharding, Shape(shape));
            },
            [&](const PositionalSharding& positional) -> Result<Layout> {
                if (!positional.isFullyReplicated() && positional.rank() != shape.size())
                    return fail(
                        Code::RankMismatch, { { "sharding_rank", positional.rank() }, { "rank", shape.size() } });
                SHARDSCOPE_TRY(hlo, positional.toHloSharding(shape.size()));
                return layoutOf(*hlo, positional.devices(), shape);
            },
            [&](const SingleDeviceSharding& single) {
                return layoutOf(HloSharding::of(HloSharding::Kind::Replicated), std::vector{ single.device.id }, shape);
            },
            [&](const GspmdSharding& gspmd) { return layoutOf(gspmd.hlo, gspmd.devices, shape); },
        },
        sharding);
    if (layout && uneven == Uneven::Refused)
        SHARDSCOPE_CHECK(requireEven(*layout));
    return layout;
}

bool isEquivalent(const Sharding& a, const Sharding& b, std::size_t rank)
{
    if (memoryKindOf(a) != memoryKindOf(b) || devicesOf(a) != devicesOf(b))
        return false;
    Result<HloSharding> first = toHloSharding(a, rank);
    Result<HloSharding> second = toHloSharding(b, rank);
    if (!first || !second)
        return false;
    if (devicesOf(a).size() == 1) {
        *first = onOneDevice(*first);
        *second = onOneDevice(*second);
    }
    return *first == *second;
}

} // namespace shardscope
