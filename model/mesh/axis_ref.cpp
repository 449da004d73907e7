// SPDX-License-Identifier: GPL-3.0-or-later
#include "mesh/axis_ref.h"

#include <algorithm>
#include <numeric>

namespace shardscope {

AxisRef fullAxis(const Mesh& mesh, std::size_t axis)
{
    return { static_cast<std::int32_t>(axis), 1, static_cast<std::int32_t>(mesh.size(axis)) };
}

bool isFull(const Mesh& mesh, AxisRef ref)
{
    return ref.pre == 1 && ref.size == mesh.size(static_cast<std::size_t>(ref.axis));
}

std::string toString(const Mesh& mesh, AxisRef ref)
{
    std::string text = mesh.axis(static_cast<std::size_t>(ref.axis)).name;
    if (!isFull(mesh, ref))
        text += ":(" + std::to_string(ref.pre) + ")" + std::to_string(ref.size);
    return text;
}

bool overlaps(AxisRef a, AxisRef b)
{
    return a.axis == b.axis && a.pre < b.next() && b.pre < a.next();
}

bool anyOverlap(std::span<const AxisRef> a, std::span<const AxisRef> b)
{
    return std::any_of(a.begin(), a.end(), [&](AxisRef axis) {
        return std::any_of(b.begin(), b.end(), [&](AxisRef other) { return overlaps(axis, other); });
    });
}

bool contains(AxisRef a, AxisRef b)
{
    return a.axis == b.axis && a.pre <= b.pre && a.next() >= b.next();
}

bool isPrefixOf(AxisRef a, AxisRef b)
{
    return contains(b, a) && a.pre == b.pre;
}

bool canCoexist(AxisRef a, AxisRef b)
{
    if (a.axis != b.axis)
        return true;
    const std::int64_t pre1 = std::min(a.pre, b.pre);
    const std::int64_t pre2 = std::max(a.pre, b.pre);
    const std::int64_t next1 = std::min(a.next(), b.next());
    const std::int64_t next2 = std::max(a.next(), b.next());
    if (next1 > pre2)
        return next1 % pre2 == 0 && pre2 % pre1 == 0 && next2 % next1 == 0;
    return pre2 % next1 == 0;
}

std::optional<AxisRef> prefixWithoutOverlap(AxisRef a, AxisRef b)
{
    if (!canCoexist(a, b))
        return std::nullopt;
    if (!overlaps(a, b))
        return a;
    if (a.pre >= b.pre)
        return std::nullopt;
    return AxisRef{ a.axis, a.pre, b.pre / a.pre };
}

bool isSuffixOf(AxisRef a, AxisRef b)
{
    return contains(b, a) && a.next() == b.next();
}

std::optional<AxisRef> suffixWithoutOverlap(AxisRef a, AxisRef b)
{
    if (!canCoexist(a, b))
        return std::nullopt;
    if (!overlaps(a, b))
        return a;
    if (a.next() <= b.next())
        return std::nullopt;
    return AxisRef{ a.axis, static_cast<std::int32_t>(b.next()), static_cast<std::int32_t>(a.next() / b.next()) };
}

std::optional<AxisRef> greatestCommonPrefix(AxisRef a, AxisRef b)
{
    if (a.axis != b.axis || a.pre != b.pre || !canCoexist(a, b))
        return std::nullopt;
    return a.size <= b.size ? a : b;
}

bool canMerge(AxisRef a, AxisRef b)
{
    return a.axis == b.axis && a.next() == b.pre;
}

AxisRef merge(AxisRef a, AxisRef b)
{
    return { a.axis, a.pre, a.size * b.size };
}

std::optional<AxisRef> overlap(AxisRef a, AxisRef b)
{
    if (!overlaps(a, b) || !canCoexist(a, b))
        return std::nullopt;
    const std::int64_t pre = std::max(a.pre, b.pre);
    const std::int64_t next = std::min(a.next(), b.next());
    return AxisRef{ a.axis, static_cast<std::int32_t>(pre), static_cast<std::int32_t>(next / pre) };
}

std::int64_t product(std::span<const AxisRef> axes)
{
    std::int64_t result = 1;
    for (const AxisRef& ref : axes)
        result *= ref.size;
    return result;
}

void appendMerged(AxisList& list, AxisRef ref)
{
    if (!list.empty() && canMerge(list.back(), ref))
        list.back() = merge(list.back(), ref);
    else
        list.push_back(ref);
}

bool isPrefixOf(std::span<const AxisRef> shorter, std::span<const AxisRef> longer)
{
    if (shorter.empty())
        return true;
    if (shorter.size() > longer.size())
        return false;
    const std::size_t last = shorter.size() - 1;
    return std::equal(shorter.begin(), shorter.begin() + static_cast<std::ptrdiff_t>(last), longer.begin())
        && isPrefixOf(shorter[last], longer[last]);
}

AxisList dividing(std::span<const AxisRef> axes, std::int64_t size)
{
    AxisList result;
    for (const AxisRef& axis : axes) {
        const std::int64_t fits = std::gcd(size, std::int64_t{ axis.size });
        if (fits > 1 || axis.size == 1)
            result.push_back({ axis.axis, axis.pre, static_cast<std::int32_t>(fits) });
        if (fits != axis.size)
            break;
        size /= fits;
    }
    return result;
}

} // namespace shardscope
