// SPDX-License-Identifier: GPL-3.0-or-later
// Shardy's MLIR notation. Axes of size 1 are kept, other than in HLO.
// Declared in sharding_text.h.
#include <algorithm>

#include "base/text.h"
#include "sharding/sharding_text.h"

namespace shardscope {

namespace {

/// A string attribute as MLIR prints it.
std::string quotedAxis(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '\\') {
            result += "\\\\";
        } else if (c == '"' || byte < 0x20 || byte >= 0x7f) {
            result += '\\';
            result += digits[byte / 16];
            result += digits[byte % 16];
        } else {
            result += c;
        }
    }
    return result + '"';
}

/// Whether a name can stand without quotes where people type shardings.
bool isWord(std::string_view name)
{
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !name.empty() && letter(name.front())
        && std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

enum class Names : std::uint8_t { Quoted, Bare };

std::string refText(AxisRef ref, const Mesh& mesh, Names names)
{
    const std::string& name = mesh.axis(static_cast<std::size_t>(ref.axis)).name;
    std::string text = names == Names::Bare && isWord(name) ? name : quotedAxis(name);
    if (!isFull(mesh, ref))
        text += ":(" + std::to_string(ref.pre) + ")" + std::to_string(ref.size);
    return text;
}

std::string refsText(const AxisList& refs, const Mesh& mesh, Names names)
{
    return join(refs, ", ", [&](AxisRef ref) { return refText(ref, mesh, names); });
}

std::string bodyText(const TensorSharding& sharding, const Mesh& mesh, Names names)
{
    std::string result = "[";
    for (std::size_t d = 0; d < sharding.rank(); ++d) {
        const DimensionSharding& dim = sharding.dims[d];
        result += (d == 0 ? "{" : ", {") + refsText(dim.axes, mesh, names);
        if (dim.open)
            result += dim.axes.empty() ? "?" : ", ?";
        result += '}';
        if (dim.priority >= 0)
            result += 'p' + std::to_string(dim.priority);
    }
    result += ']';
    if (!sharding.replicated.empty())
        result += ", replicated={" + refsText(sharding.replicated, mesh, names) + '}';
    if (!sharding.unreduced.empty())
        result += ", unreduced={" + refsText(sharding.unreduced, mesh, names) + '}';
    return result;
}

} // namespace

std::string toShardy(const PartitionSpec& spec, std::size_t rank)
{
    std::string result = "<@mesh, [";
    for (std::size_t d = 0; d < rank; ++d) {
        result += d == 0 ? "{" : ", {";
        if (d < spec.size() && spec.entries[d].kind == SpecEntry::Kind::Unconstrained)
            result += '?';
        result += join(spec.axesOf(d), ", ", quotedAxis) + '}';
    }
    return result + "]>";
}

std::string toShardy(const TensorSharding& sharding, const Mesh& mesh)
{
    return "<@mesh, " + bodyText(sharding, mesh, Names::Quoted) + '>';
}

std::string dimensionsText(const TensorSharding& sharding, const Mesh& mesh)
{
    return bodyText(sharding, mesh, Names::Bare);
}

std::string toShardy(const Mesh& mesh, bool deviceIds)
{
    std::string result = "<[";
    for (std::size_t axis = 0; axis < mesh.rank(); ++axis)
        result += (axis == 0 ? "" : ", ") + quotedAxis(mesh.axis(axis).name) + '=' + std::to_string(mesh.size(axis));
    result += ']';
    if (deviceIds && !mesh.deviceOrder().empty()) {
        result += ", device_ids=[";
        for (std::int64_t position = 0; position < mesh.deviceCount(); ++position)
            result += (position == 0 ? "" : ", ") + std::to_string(mesh.deviceAt(position));
        result += ']';
    }
    return result + '>';
}

} // namespace shardscope
