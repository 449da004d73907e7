// SPDX-License-Identifier: GPL-3.0-or-later
#include "hlo/groups.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/codes.h"
#include "hlo/scanner.h"

namespace shardscope {

namespace {

using hlo::Scanner;

/// A device number.
bool readDevice(Scanner& s, std::int32_t& device)
{
    std::int64_t number = 0;
    (void)s.peek();
    const std::size_t position = s.position();
    if (!s.integer(number))
        return false;
    if (number < 0 || number >= maximumDevices)
        return s.problem(Code::OutOfRange,
            { { "key", "device" }, { "value", number }, { "min", 0 }, { "max", maximumDevices - 1 } }, position);
    device = static_cast<std::int32_t>(number);
    return true;
}

bool readLists(Scanner& s, HloGroups& groups)
{
    if (!s.require('{'))
        return false;
    if (s.accept('}'))
        return true;
    groups.form = HloGroups::Form::List;
    std::set<std::int32_t> seen;
    do {
        std::vector<std::int32_t>& list = groups.lists.emplace_back();
        if (!s.require('{'))
            return false;
        if (s.accept('}'))
            continue;
        do {
            std::int32_t device = 0;
            (void)s.peek();
            const std::size_t position = s.position();
            if (!readDevice(s, device))
                return false;
            if (!seen.insert(device).second)
                return s.problem(Code::DeviceTwice, { { "device", device }, { "what", "groups" } }, position);
            list.push_back(device);
        } while (s.accept(','));
        if (!s.require('}'))
            return false;
    } while (s.accept(','));
    return s.require('}');
}

bool makeTiles(
    Scanner& s, std::size_t position, Shape dims, Shape reshape, TileAssignment::Permutation order, HloGroups& groups)
{
    Result<TileAssignment> tiles = TileAssignment::iota(std::move(dims), std::move(reshape), std::move(order));
    if (!tiles)
        return s.problem(tiles.error().code, std::move(tiles.error().args), position);
    groups.tiles = std::move(*tiles);
    return true;
}

/// "[4,2]<=[2,4]T(1,0)"
bool readIota(Scanner& s, HloGroups& groups)
{
    groups.form = HloGroups::Form::Iota;
    const std::size_t position = s.position();
    std::vector<std::int64_t> dims, reshape, order;
    if (!s.integers('[', ']', dims))
        return false;
    if (dims.size() != 2)
        return s.expectedAt(position, "the number of groups and that of their members");
    if (!s.require("<=") || !s.integers('[', ']', reshape))
        return false;
    if (s.accept('T')) {
        if (!s.integers('(', ')', order))
            return false;
    } else {
        order.resize(reshape.size());
        std::iota(order.begin(), order.end(), 0);
    }
    if (reshape.size() > maximumTileDimensions || order.size() > maximumTileDimensions)
        return s.problem(Code::TooLarge,
            { { "what", "dimensions" }, { "count", std::max(reshape.size(), order.size()) },
                { "limit", maximumTileDimensions } },
            position);
    TileAssignment::Permutation permutation;
    for (const std::int64_t dimension : order)
        permutation.push_back(static_cast<std::int32_t>(std::clamp<std::int64_t>(dimension, -1, 1000)));
    return makeTiles(s, position, Shape(dims.begin(), dims.end()), Shape(reshape.begin(), reshape.end()),
        std::move(permutation), groups);
}

/// An axis of a mesh that stands in the text, or a part of one: what lies before it, it, what lies after it.
struct NamedAxis {
    std::string_view name;
    std::int64_t size = 1;
};
struct AxisPart {
    std::size_t axis = 0;
    std::int64_t pre = 1, size = 1;
};

bool readAxisName(Scanner& s, std::string_view& name)
{
    if (!s.require('\''))
        return false;
    const std::size_t begin = s.position();
    while (s.raw() != '\'' && s.raw() != '\n' && s.raw() != '\0')
        s.step();
    name = s.view(s.since(begin));
    return s.require('\'');
}

bool readAxes(Scanner& s, std::vector<NamedAxis>& axes)
{
    if (!s.require("mesh") || !s.require('['))
        return false;
    if (s.accept(']'))
        return true;
    do {
        NamedAxis axis;
        if (!readAxisName(s, axis.name) || !s.require('='))
            return false;
        (void)s.peek();
        const std::size_t position = s.position();
        if (!s.integer(axis.size))
            return false;
        if (axis.size < 1 || axis.size > maximumDevices)
            return s.problem(Code::OutOfRange,
                { { "key", "size" }, { "value", axis.size }, { "min", 1 }, { "max", maximumDevices } }, position);
        axes.push_back(axis);
    } while (s.accept(','));
    return s.require(']');
}

/// "'y':(1)2"
bool readPart(Scanner& s, const std::vector<NamedAxis>& axes, AxisPart& part)
{
    std::string_view name;
    (void)s.peek();
    const std::size_t position = s.position();
    if (!readAxisName(s, name))
        return false;
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const NamedAxis& axis) { return axis.name == name; });
    if (found == axes.end())
        return s.problem(Code::UnknownAxis, { { "axis", name } }, position);
    part = { static_cast<std::size_t>(found - axes.begin()), 1, found->size };
    if (!s.accept(':'))
        return true;
    if (!s.require('(') || !s.integer(part.pre) || !s.require(')') || !s.integer(part.size))
        return false;
    if (part.pre < 1 || part.size < 1 || found->size % part.pre != 0 || found->size / part.pre % part.size != 0)
        return s.expectedAt(position, "a part of the axis");
    return true;
}

/// "mesh['x'=2,'y'=4] {'x'}": a grid in which the axes that exchange come last.
bool readMesh(Scanner& s, HloGroups& groups)
{
    groups.form = HloGroups::Form::Mesh;
    const std::size_t position = s.position();
    std::vector<NamedAxis> axes;
    std::vector<AxisPart> parts;
    if (!readAxes(s, axes) || !s.require('{'))
        return false;
    if (!s.accept('}')) {
        do
            if (!readPart(s, axes, parts.emplace_back()))
                return false;
        while (s.accept(','));
        if (!s.require('}'))
            return false;
    }
    if (axes.size() + 2 * parts.size() > maximumTileDimensions)
        return s.problem(Code::TooLarge,
            { { "what", "axes" }, { "count", axes.size() + 2 * parts.size() }, { "limit", maximumTileDimensions } },
            position);
    Shape grid;
    TileAssignment::Permutation order, exchanging(parts.size());
    std::int64_t members = 1, devices = 1;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        std::vector<std::size_t> here;
        for (std::size_t p = 0; p < parts.size(); ++p)
            if (parts[p].axis == a)
                here.push_back(p);
        std::sort(here.begin(), here.end(), [&](std::size_t x, std::size_t y) { return parts[x].pre < parts[y].pre; });
        std::int64_t done = 1;
        const auto rest = [&](std::int64_t upTo) {
            if (upTo == done)
                return;
            order.push_back(static_cast<std::int32_t>(grid.size()));
            grid.push_back(upTo / done);
            done = upTo;
        };
        for (const std::size_t p : here) {
            if (parts[p].pre < done || parts[p].pre % done != 0)
                return s.problem(Code::AxisUsedTwice,
                    { { "axes", std::vector<std::string>{ std::string(axes[a].name) } } }, position);
            rest(parts[p].pre);
            exchanging[p] = static_cast<std::int32_t>(grid.size());
            grid.push_back(parts[p].size);
            done *= parts[p].size;
            members *= parts[p].size;
        }
        rest(axes[a].size);
        devices *= axes[a].size;
        if (devices > maximumDevices)
            return s.problem(Code::TooLarge, { { "what", "devices" }, { "limit", maximumDevices } }, position);
    }
    for (const std::int32_t dimension : exchanging)
        order.push_back(dimension);
    return makeTiles(s, position, { devices / members, members }, std::move(grid), std::move(order), groups);
}

} // namespace

std::int64_t HloGroups::count() const
{
    return form == Form::Iota || form == Form::Mesh ? tiles.dims()[0] : static_cast<std::int64_t>(lists.size());
}

std::int64_t HloGroups::size() const
{
    if (form == Form::Iota || form == Form::Mesh)
        return tiles.dims()[1];
    std::size_t largest = 0;
    for (const std::vector<std::int32_t>& list : lists)
        largest = std::max(largest, list.size());
    return static_cast<std::int64_t>(largest);
}

std::vector<std::vector<std::int32_t>> HloGroups::expanded(std::int64_t devices) const
{
    if (form == Form::List || !lists.empty())
        return lists;
    std::vector<std::int32_t> all;
    if (form == Form::All) {
        all.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(devices, 0, maximumDevices)));
        std::iota(all.begin(), all.end(), 0);
        return { std::move(all) };
    }
    all = tiles.devices();
    std::vector<std::vector<std::int32_t>> out;
    const auto members = static_cast<std::ptrdiff_t>(size());
    for (auto first = all.begin(); first != all.end(); first += members)
        out.emplace_back(first, first + members);
    return out;
}

std::int64_t HloGroups::memberCount() const
{
    if (form == Form::Iota || form == Form::Mesh)
        return tiles.size();
    std::int64_t count = 0;
    for (const std::vector<std::int32_t>& list : lists)
        count += static_cast<std::int64_t>(list.size());
    return count;
}

std::int64_t HloGroups::deviceEnd() const
{
    if (form == Form::Iota || form == Form::Mesh)
        return tiles.size();
    std::int64_t end = 0;
    for (const std::vector<std::int32_t>& list : lists)
        for (const std::int32_t device : list)
            end = std::max<std::int64_t>(end, device + 1);
    return end;
}

Result<HloGroups> readGroups(const HloModule& module, TextSpan value)
{
    mlir::FirstError firstError;
    Scanner s(module.text, value.begin, std::size_t{ value.begin } + value.length, firstError);
    HloGroups groups;
    const char first = s.peek();
    const bool isRead = first == '[' ? readIota(s, groups) : first == 'm' ? readMesh(s, groups) : readLists(s, groups);
    if (!isRead || (!s.atEnd() && !s.expected("the end of the groups")))
        return tl::unexpected(std::move(*firstError.error));
    return groups;
}

Result<std::vector<std::pair<std::int32_t, std::int32_t>>> readPairs(const HloModule& module, TextSpan value)
{
    mlir::FirstError firstError;
    Scanner s(module.text, value.begin, std::size_t{ value.begin } + value.length, firstError);
    std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
    std::set<std::int32_t> senders, receivers;
    const auto readPair = [&] {
        std::pair<std::int32_t, std::int32_t>& pair = pairs.emplace_back();
        (void)s.peek();
        const std::size_t position = s.position();
        if (!s.require('{') || !readDevice(s, pair.first) || !s.require(',') || !readDevice(s, pair.second)
            || !s.require('}'))
            return false;
        const bool sends = senders.insert(pair.first).second;
        if (sends && receivers.insert(pair.second).second)
            return true;
        return s.problem(
            Code::DeviceTwice, { { "device", sends ? pair.second : pair.first }, { "what", "pairs" } }, position);
    };
    const auto readAll = [&] {
        if (!s.require('{') || s.accept('}'))
            return firstError.error == std::nullopt;
        do
            if (!readPair())
                return false;
        while (s.accept(','));
        return s.require('}');
    };
    if (!readAll() || (!s.atEnd() && !s.expected("the end of the pairs")))
        return tl::unexpected(std::move(*firstError.error));
    return pairs;
}

} // namespace shardscope
