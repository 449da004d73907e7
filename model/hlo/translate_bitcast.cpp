// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Translator, which is declared in translator.h: bitcasts, by which a scheduled module says that the bytes of
// an array are those of another shape.
//
//     %b = f32[64,16]{1,0} bitcast(f32[16,64]{0,1} %a)     a transpose: the bytes lie as those of [64, 16] in rows
//     %b = f32[2,8]{1,0} bitcast(f32[16]{0} %a)            a reshape
//     %b = f32[2,2,8,128]{3,2,1,0} bitcast(f32[16,256]{1,0:T(8,128)} %a)
//                                                          a reshape to [2,8,2,128] and a transpose: four tiles in a
//                                                          row
#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>

#include "base/text.h"
#include "hlo/mlir_text.h"
#include "hlo/translator.h"
#include "program/types.h"

namespace shardscope::hlo {

namespace {

using Sizes = std::vector<std::int64_t>;

/// Dimensions, the major one first.
Sizes majorToMinor(const HloShape& shape)
{
    Sizes order(shape.minorToMajor.rbegin(), shape.minorToMajor.rend());
    const bool isStated = order.size() == shape.sizes.size()
        && std::all_of(order.begin(), order.end(),
            [&](std::int64_t d) { return d >= 0 && d < static_cast<std::int64_t>(shape.sizes.size()); });
    if (!isStated) {
        order.resize(shape.sizes.size());
        std::iota(order.begin(), order.end(), 0);
    }
    return order;
}

/// Whether the elements lie as in rows: only dimensions of size 1 are elsewhere.
bool liesInRows(const HloShape& shape, const Sizes& order)
{
    std::int64_t last = -1;
    for (const std::int64_t d : order) {
        if (shape.sizes[static_cast<std::size_t>(d)] == 1)
            continue;
        if (d < last)
            return false;
        last = d;
    }
    return true;
}

/// So many elements, each so far from the next one in an array in rows. A layout is a list of them, the major one
/// first: [16, 128] in rows is 16 at 128, 128 at 1, which is 2048 at 1.
struct Steps {
    std::int64_t size = 1, stride = 1;
    bool operator==(const Steps&) const = default;
};
using Layout = std::vector<Steps>;

Layout inRows(const Sizes& sizes)
{
    Layout layout(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t d = sizes.size(); d-- > 0;) {
        layout[d] = { sizes[d], stride };
        stride = saturatingProduct(stride, sizes[d]);
    }
    return layout;
}

/// With the last dimensions in tiles, which must not be filled up with padding; where there is one tile alone, it may.
std::optional<Layout> inTiles(Layout layout, const Sizes& tile, bool mayBePadded)
{
    if (layout.size() < tile.size())
        layout.insert(layout.begin(), tile.size() - layout.size(), Steps{});
    const std::size_t lead = layout.size() - tile.size();
    Layout tiles(layout.begin(), layout.begin() + static_cast<std::ptrdiff_t>(lead)), within;
    for (std::size_t d = 0; d < tile.size(); ++d) {
        const Steps own = layout[lead + d];
        const std::int64_t size = mayBePadded ? std::min(tile[d], own.size) : tile[d];
        if (size < 1 || own.size % size != 0)
            return std::nullopt;
        tiles.push_back({ own.size / size, saturatingProduct(own.stride, size) });
        within.push_back({ size, own.stride });
    }
    tiles.insert(tiles.end(), within.begin(), within.end());
    return tiles;
}

/// Equal for layouts that are the same.
Layout joined(const Layout& layout)
{
    Layout list;
    for (const Steps& steps : layout)
        if (steps.size == 1)
            continue;
        else if (!list.empty() && list.back().stride == saturatingProduct(steps.size, steps.stride))
            list.back() = { saturatingProduct(list.back().size, steps.size), steps.stride };
        else
            list.push_back(steps);
    return list;
}

/// Reads "8,128)" and goes on after it; nothing where it is something else.
std::optional<Sizes> readTile(std::string_view& text)
{
    Sizes tile;
    while (true) {
        std::int64_t size = 0;
        const char* const end = text.data() + text.size();
        const auto [next, wrong] = std::from_chars(text.data(), end, size);
        if (wrong != std::errc() || next == end || (*next != ',' && *next != ')'))
            return std::nullopt;
        tile.push_back(size);
        text.remove_prefix(static_cast<std::size_t>(next + 1 - text.data()));
        if (*next == ')')
            return tile;
    }
}

/// Of an array whose dimensions have these sizes, the major one first: "T(8,128)" of its layout.
struct Tiles {
    Sizes laid;
    Sizes tile; ///< of the last dimensions; empty without tiles
    std::string_view rest; ///< what each of them is divided into, "(2,1)"
    bool isKnown = true; ///< false: stated in a way that says nothing here

    /// Of the array, or of what is laid out already, with every tile divided further; nothing where that cannot be
    /// said.
    [[nodiscard]] std::optional<Layout> further(std::optional<Layout> layout, bool mayBePadded) const
    {
        std::string_view left = rest;
        while (layout && !left.empty()) {
            left.remove_prefix(1);
            const std::optional<Sizes> inner = readTile(left);
            layout = inner ? inTiles(std::move(*layout), *inner, mayBePadded) : std::nullopt;
        }
        return layout;
    }
    /// What the tiles are divided into parts rows: of "(2,1)" elements of two rows take turns.
    [[nodiscard]] bool partTiles() const
    {
        if (rest.empty())
            return false;
        Sizes within;
        for (std::size_t d = 0; d < tile.size(); ++d)
            within.push_back(std::min(size(d), tile[d]));
        const std::optional<Layout> layout = further(inRows(within), true);
        return !layout || joined(*layout).size() > 1;
    }
    /// Elements lie one after the other in both as they do in the other, whatever their sizes. Of tiles with padding
    /// nothing is known.
    [[nodiscard]] bool liesAs(const Tiles& other) const
    {
        const std::optional<Layout> own = further(inTiles(inRows(laid), tile, false), false);
        const std::optional<Layout> others = other.further(inTiles(inRows(other.laid), other.tile, false), false);
        return own && others && joined(*own) == joined(*others);
    }
    [[nodiscard]] std::size_t lead() const { return laid.size() - tile.size(); }
    [[nodiscard]] std::int64_t size(std::size_t d) const { return laid[lead() + d]; }

    /// Two tiles side by side, whose elements do not lie as those of rows.
    [[nodiscard]] bool partRows() const
    {
        bool isHigh = false;
        for (std::size_t d = 0; d < tile.size(); ++d) {
            if (isHigh && size(d) > tile[d])
                return true;
            isHigh = isHigh || std::min(size(d), tile[d]) > 1;
        }
        return false;
    }
    /// No tile is filled up with padding.
    [[nodiscard]] bool isEven() const
    {
        for (std::size_t d = 0; d < tile.size(); ++d)
            if (tile[d] < 1 || size(d) % tile[d] != 0)
                return false;
        return true;
    }
    [[nodiscard]] bool hasTilesOf(const Tiles& other) const
    {
        return tile == other.tile && rest == other.rest
            && std::equal(laid.end() - static_cast<std::ptrdiff_t>(tile.size()), laid.end(),
                other.laid.end() - static_cast<std::ptrdiff_t>(tile.size()), other.laid.end());
    }
    /// [16, 256] in tiles of [8, 128] as [2, 8, 2, 128].
    [[nodiscard]] Sizes divided() const
    {
        Sizes sizes(laid.begin(), laid.begin() + static_cast<std::ptrdiff_t>(lead()));
        for (std::size_t d = 0; d < tile.size(); ++d) {
            sizes.push_back(size(d) / tile[d]);
            sizes.push_back(tile[d]);
        }
        return sizes;
    }
    /// Of these the dimensions as elements lie: first those that count tiles, then those in a tile.
    [[nodiscard]] Sizes order() const
    {
        Sizes dimensions(lead());
        std::iota(dimensions.begin(), dimensions.end(), 0);
        for (const std::size_t within : { std::size_t{ 0 }, std::size_t{ 1 } })
            for (std::size_t d = 0; d < tile.size(); ++d)
                dimensions.push_back(static_cast<std::int64_t>(lead() + 2 * d + within));
        return dimensions;
    }
};

/// `text`: "f32[16,256]{1,0:T(8,128)(2,1)S(1)}".
Tiles tilesOf(std::string_view text, Sizes laid)
{
    Tiles tiles{ std::move(laid), {}, {} };
    const std::size_t colon = text.find(':');
    const std::size_t begin = colon == std::string_view::npos ? colon : text.find("T(", colon);
    if (begin == std::string_view::npos)
        return tiles;
    text.remove_prefix(begin + 2);
    std::optional<Sizes> tile = readTile(text);
    tiles.isKnown = tile.has_value();
    if (!tile)
        return tiles;
    tiles.tile = std::move(*tile);
    std::size_t end = 0;
    while (end < text.size() && text[end] == '(')
        end = std::min(text.find(')', end), text.size() - 1) + 1;
    tiles.rest = text.substr(0, end);
    if (tiles.tile.size() > tiles.laid.size()) // as with dimensions of size 1 in front
        tiles.laid.insert(tiles.laid.begin(), tiles.tile.size() - tiles.laid.size(), 1);
    return tiles;
}

Sizes permuted(const Sizes& sizes, const Sizes& order)
{
    Sizes found;
    for (const std::int64_t d : order)
        found.push_back(sizes[static_cast<std::size_t>(d)]);
    return found;
}

Sizes inverse(const Sizes& order)
{
    Sizes back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    return back;
}

std::string arrayType(DType dtype, const Sizes& sizes)
{
    return "tensor<" + join(sizes, "x") + (sizes.empty() ? "" : "x") + std::string(name(dtype)) + '>';
}

} // namespace

bool Translator::bitcast(const HloInstruction& instruction)
{
    const Leaves operands = operandLeaves(instruction);
    if (operands.empty())
        return true;
    const HloShape& from = m_module.shapes[operands[0].shape];
    const HloShape& to = m_module.shape(instruction);
    const Sizes own(from.sizes.begin(), from.sizes.end()), wanted(to.sizes.begin(), to.sizes.end());
    const Sizes fromOrder = majorToMinor(from), toOrder = majorToMinor(to);
    const Tiles fromTiles = tilesOf(m_module.view(from.text), permuted(own, fromOrder)),
                toTiles = tilesOf(m_module.view(to.text), permuted(wanted, toOrder));
    const bool isSame = own == wanted && fromOrder == toOrder;
    const bool areRows = !fromTiles.partRows() && !toTiles.partRows() && !fromTiles.partTiles() && !toTiles.partTiles();
    const bool changesTiles = !fromTiles.isKnown || !toTiles.isKnown
        || (!areRows && !fromTiles.hasTilesOf(toTiles) && !fromTiles.liesAs(toTiles));
    if (changesTiles
        && (!fromTiles.isKnown || !toTiles.isKnown || !fromTiles.isEven() || !toTiles.isEven() || from.dtype != to.dtype
            || ((!fromTiles.rest.empty() || !toTiles.rest.empty())
                && (fromTiles.tile != toTiles.tile || fromTiles.rest != toTiles.rest))))
        return false;
    std::string value = nameOf(operands[0]);
    Sizes sizes = own;
    DType dtype = from.dtype;
    bool isNew = false;
    const auto add = [&](std::string_view operation, const std::string& attributes, Sizes result, DType type) {
        value = step(instruction, operation, attributes, value, arrayType(dtype, sizes), arrayType(type, result));
        sizes = std::move(result);
        dtype = type;
        isNew = true;
    };
    const auto reshape = [&](Sizes result) {
        if (result != sizes)
            add("reshape", {}, std::move(result), dtype);
    };
    const auto transpose = [&](const Sizes& order) {
        add("transpose", arrayText("permutation", order), permuted(sizes, order), dtype);
    };
    const bool isMoved = !isSame || changesTiles;
    if (isMoved && !liesInRows(from, fromOrder))
        transpose(fromOrder);
    if (dtype != to.dtype) // of the same width, or nothing is known of how elements are put together
        add("bitcast_convert", {}, Sizes(sizes), to.dtype);
    if (changesTiles && fromTiles.partRows()) {
        reshape(fromTiles.divided());
        transpose(fromTiles.order());
    }
    if (changesTiles && toTiles.partRows()) {
        reshape(permuted(toTiles.divided(), toTiles.order()));
        transpose(inverse(toTiles.order()));
    }
    if (isMoved) {
        const bool isInRows = liesInRows(to, toOrder);
        reshape(isInRows ? wanted : permuted(wanted, toOrder));
        if (!isInRows)
            transpose(inverse(toOrder));
    }
    bind(instruction, isNew ? latestValue(instruction.shape) : operands);
    return true;
}

} // namespace shardscope::hlo
