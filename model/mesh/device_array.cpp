// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/device_array.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/codes.h"
#include "base/text.h"
#include "base/trimmed.h"

namespace shardscope {

namespace {

std::string sizesText(const auto& shape)
{
    return shape.empty() ? "()" : join(shape, "x");
}

} // namespace

std::string shapeText(std::span<const std::int64_t> shape)
{
    return sizesText(shape);
}

std::string shapeText(std::span<const std::int32_t> shape)
{
    return sizesText(shape);
}

Result<MeshShape> parseMeshShape(std::string_view text)
{
    std::string_view rest = trimmed(text);
    if (rest.empty())
        return fail(Code::Syntax, { { "expected", "sizes of axes such as 4x16" }, { "found", "nothing" } });
    const bool bracketed = (rest.front() == '(' && rest.back() == ')') || (rest.front() == '[' && rest.back() == ']');
    if (bracketed && rest.size() > 1)
        rest = trimmed(rest.substr(1, rest.size() - 2));
    MeshShape shape;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(",x"), rest.size());
        const std::string_view entry = trimmed(rest.substr(0, end));
        const bool dangling = end + 1 == rest.size() && rest[end] == 'x'; // a comma may stand last: (8,)
        rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
        std::int64_t size = 0;
        const auto [stopped, error] = std::from_chars(entry.data(), entry.data() + entry.size(), size);
        if (entry.empty() || dangling || stopped != entry.data() + entry.size())
            return fail(Code::MeshShapeNotIntegers, { { "found", std::string(entry.empty() ? "nothing" : entry) } });
        if (error == std::errc::result_out_of_range) // the devices are never so many
            size = entry.starts_with('-') ? std::numeric_limits<std::int64_t>::min()
                                          : std::numeric_limits<std::int64_t>::max();
        shape.push_back(size);
    }
    return shape;
}

} // namespace shardscope
