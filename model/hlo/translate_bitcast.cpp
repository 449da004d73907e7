// SPDX-License-Identifier: GPL-3.0-or-later
// A part of Translator, which is declared in translator.h: bitcasts, by which a scheduled module says that the bytes of
// an array are those of another shape.
//
//     %b = f32[64,16]{1,0} bitcast(f32[16,64]{0,1} %a)     a transpose: the bytes lie as those of [64, 16] in rows
//     %b = f32[2,8]{1,0} bitcast(f32[16]{0} %a)            a reshape
#include <algorithm>
#include <numeric>

#include "base/text.h"
#include "hlo/mlir_text.h"
#include "hlo/translator.h"

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

Sizes inOrder(const HloShape& shape, const Sizes& order)
{
    Sizes sizes;
    for (const std::int64_t d : order)
        sizes.push_back(shape.sizes[static_cast<std::size_t>(d)]);
    return sizes;
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

std::string arrayType(DType dtype, const Sizes& sizes)
{
    return "tensor<" + join(sizes, "x") + (sizes.empty() ? "" : "x") + std::string(name(dtype)) + '>';
}

} // namespace

void Translator::bitcast(const HloInstruction& instruction)
{
    const Leaves operands = operandLeaves(instruction);
    if (operands.empty())
        return;
    const HloShape& from = m_module.shapes[operands[0].shape];
    const HloShape& to = m_module.shape(instruction);
    std::string value = nameOf(operands[0]);
    Sizes sizes(from.sizes.begin(), from.sizes.end());
    const Sizes wanted(to.sizes.begin(), to.sizes.end());
    const Sizes fromOrder = majorToMinor(from), toOrder = majorToMinor(to);
    DType dtype = from.dtype;
    bool isNew = false;
    const auto add = [&](std::string_view operation, const std::string& attributes, Sizes result, DType type) {
        value = step(instruction, operation, attributes, value, arrayType(dtype, sizes), arrayType(type, result));
        sizes = std::move(result);
        dtype = type;
        isNew = true;
    };
    const bool isSame = sizes == wanted && fromOrder == toOrder;
    if (!isSame && !liesInRows(from, fromOrder))
        add("transpose", arrayText("permutation", fromOrder), inOrder(from, fromOrder), dtype);
    if (dtype != to.dtype) // of the same width, or nothing is known of how elements are put together
        add("bitcast_convert", {}, Sizes(sizes), to.dtype);
    if (!isSame) {
        const bool isInRows = liesInRows(to, toOrder);
        if (Sizes laid = isInRows ? wanted : inOrder(to, toOrder); laid != sizes)
            add("reshape", {}, std::move(laid), dtype);
        if (!isInRows) {
            Sizes back(toOrder.size());
            for (std::size_t i = 0; i < toOrder.size(); ++i)
                back[static_cast<std::size_t>(toOrder[i])] = static_cast<std::int64_t>(i);
            add("transpose", arrayText("permutation", back), wanted, dtype);
        }
    }
    bind(instruction, isNew ? latestValue(instruction.shape) : operands);
}

} // namespace shardscope::hlo
