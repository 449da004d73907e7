// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/memory_kind.h"

#include <algorithm>
#include <array>

#include "base/codes.h"

namespace shardscope {

namespace {

constexpr std::array kinds{ MemoryKind::Device, MemoryKind::PinnedHost, MemoryKind::UnpinnedHost };

std::vector<std::string> names(std::span<const MemoryKind> list)
{
    std::vector<std::string> result;
    for (const MemoryKind kind : list)
        result.emplace_back(toString(kind));
    return result;
}

} // namespace

std::string_view toString(MemoryKind kind)
{
    switch (kind) {
    case MemoryKind::Device:
        return "device";
    case MemoryKind::PinnedHost:
        return "pinned_host";
    case MemoryKind::UnpinnedHost:
        break;
    }
    return "unpinned_host";
}

std::span<const MemoryKind> memoryKinds()
{
    return kinds;
}

std::vector<MemoryKind> memoryKinds(std::string_view platform)
{
    std::vector<MemoryKind> result{ MemoryKind::Device, MemoryKind::PinnedHost };
    if (platform != "gpu")
        result.push_back(MemoryKind::UnpinnedHost);
    return result;
}

MemoryKind defaultMemoryKind(std::string_view platform)
{
    return platform == "cpu" ? MemoryKind::UnpinnedHost : MemoryKind::Device;
}

Result<MemoryKind> parseMemoryKind(std::string_view text)
{
    const auto found = std::ranges::find(kinds, text, [](MemoryKind kind) { return toString(kind); });
    if (found == kinds.end())
        return fail(Code::UnknownMemoryKind, { { "kind", text }, { "known", names(kinds) } });
    return *found;
}

Result<MemoryKind> settledMemoryKind(std::optional<MemoryKind> kind, std::string_view platform)
{
    const MemoryKind settled = kind.value_or(defaultMemoryKind(platform));
    const std::vector<MemoryKind> known = memoryKinds(platform);
    if (std::ranges::find(known, settled) == known.end())
        return fail(Code::UnknownMemoryKind,
            { { "kind", toString(settled) }, { "platform", platform }, { "known", names(known) } });
    return settled;
}

} // namespace shardscope
