// SPDX-License-Identifier: GPL-3.0-or-later
// What tests/program/interpret.h asks for elements that only move: slice, concatenate, and gather.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "program/other_attributes.h"
#include "program/program.h"

namespace shardscope::test {

/// Where an element of the result comes from: which operand, and where in it.
struct ElementOrigin {
    std::size_t operand = 0;
    std::vector<std::int64_t> index;
};
using OriginOf = std::function<ElementOrigin(const std::vector<std::int64_t>& index)>;

/// Of an operation that moves elements; empty for any other. `shapeOf` gives the shapes of its operands, and `number`
/// an element of its second operand, row-major.
inline OriginOf originsOf(const Operation& op, const std::function<Shape(std::size_t operand)>& shapeOf,
    const std::function<std::int64_t(std::int64_t element)>& number)
{
    if (const auto* slice = attributesAs<SliceAttributes>(op.attributes))
        return [slice](const std::vector<std::int64_t>& index) {
            ElementOrigin from{ 0, index };
            for (std::size_t d = 0; d < index.size(); ++d)
                from.index[d] = slice->starts[d] + index[d] * entryOr(slice->strides, d, 1);
            return from;
        };
    if (op.kind == OpKind::Concatenate) {
        const auto along = static_cast<std::size_t>(attributesAs<DimensionAttributes>(op.attributes)->dimension);
        return [along, shapeOf](const std::vector<std::int64_t>& index) {
            ElementOrigin from{ 0, index };
            for (; from.index[along] >= shapeOf(from.operand)[along]; ++from.operand)
                from.index[along] -= shapeOf(from.operand)[along];
            return from;
        };
    }
    if (const auto* gather = attributesAs<GatherAttributes>(op.attributes))
        // Without batching dimensions. An index vector is the last dimension of the indices, or a single number.
        return [gather, shapeOf, number](const std::vector<std::int64_t>& index) {
            const Shape operand = shapeOf(0), indices = shapeOf(1);
            const auto isIn = [](const Dimensions& list, std::size_t d) {
                return std::find(list.begin(), list.end(), static_cast<std::int64_t>(d)) != list.end();
            };
            std::int64_t place = 0; // of the index vector
            std::vector<std::int64_t> offsets;
            for (std::size_t d = 0, batch = 0; d < index.size(); ++d) {
                if (isIn(gather->offsetDims, d))
                    offsets.push_back(index[d]);
                else
                    place = place * indices[batch++] + index[d];
            }
            ElementOrigin from{ 0, std::vector<std::int64_t>(operand.size(), 0) };
            for (std::size_t d = 0, offset = 0; d < operand.size(); ++d)
                if (!isIn(gather->collapsedSliceDims, d))
                    from.index[d] = offsets[offset++];
            const auto entries = static_cast<std::int64_t>(gather->startIndexMap.size());
            for (std::int64_t i = 0; i < entries; ++i) {
                const auto d = static_cast<std::size_t>(gather->startIndexMap[static_cast<std::size_t>(i)]);
                const std::int64_t last = operand[d] - gather->sliceSizes[d];
                from.index[d] += std::clamp<std::int64_t>(number(place * entries + i), 0, last);
            }
            return from;
        };
    return {};
}

} // namespace shardscope::test
