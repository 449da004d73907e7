// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/ragged_dot.h"

#include <algorithm>
#include <charconv>

#include "program/extra_text.h"
#include "program/ops/checks.h"

namespace shardscope {

namespace {

/// The numbers after "name = [": nothing where the text does not have them, or has them wrong.
std::optional<Dimensions> listOf(std::string_view text, std::string_view name)
{
    const std::size_t begin = text.find(name);
    if (begin == std::string_view::npos)
        return Dimensions();
    text.remove_prefix(begin + name.size());
    const std::size_t open = text.find_first_not_of(" \n\t=");
    if (open == std::string_view::npos || text[open] != '[')
        return std::nullopt;
    text.remove_prefix(open + 1);
    Dimensions numbers;
    while (true) {
        text.remove_prefix(std::min(text.find_first_not_of(" \n\t,"), text.size()));
        if (text.empty())
            return std::nullopt;
        if (text.front() == ']')
            return numbers;
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc())
            return std::nullopt;
        numbers.push_back(number);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    }
}

bool has(const Dimensions& dims, std::int64_t dim)
{
    return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

/// Each once, and within the rank.
bool areDimensions(std::initializer_list<const Dimensions*> lists, std::size_t rank)
{
    Dimensions seen;
    for (const Dimensions* list : lists)
        for (const std::int64_t dim : *list) {
            if (dim < 0 || dim >= static_cast<std::int64_t>(rank) || has(seen, dim))
                return false;
            seen.push_back(dim);
        }
    return true;
}

Dimensions others(std::size_t rank, std::initializer_list<const Dimensions*> lists)
{
    Dimensions dims;
    for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(rank); ++dim)
        if (std::none_of(lists.begin(), lists.end(), [dim](const Dimensions* list) { return has(*list, dim); }))
            dims.push_back(dim);
    return dims;
}

void append(Dimensions& to, const Dimensions& from, std::size_t count)
{
    for (std::size_t i = 0; i < count; ++i)
        to.push_back(from[i]);
}

std::size_t placeOf(const Dimensions& dims, std::int64_t dim)
{
    return static_cast<std::size_t>(std::find(dims.begin(), dims.end(), dim) - dims.begin());
}

} // namespace

Result<RaggedDot> raggedDotOf(const Program& program, const Operation& operation)
{
    const ops::Subject subject(program, operation);
    const std::string attribute = "ragged_dot_dimension_numbers";
    const std::string_view text = extraText(program, operation, attribute);
    if (text.empty())
        return subject.attribute(attribute + " is missing");
    const auto lhsBatch = listOf(text, "lhs_batching_dimensions"), rhsBatch = listOf(text, "rhs_batching_dimensions"),
               lhsContracting = listOf(text, "lhs_contracting_dimensions"),
               rhsContracting = listOf(text, "rhs_contracting_dimensions"),
               ragged = listOf(text, "lhs_ragged_dimensions"), group = listOf(text, "rhs_group_dimensions");
    if (!lhsBatch || !rhsBatch || !lhsContracting || !rhsContracting || !ragged || !group)
        return subject.attribute(attribute + " is not readable: lists of numbers like lhs_ragged_dimensions = [0]");
    const Shape &left = subject.operands[0].shape, &right = subject.operands[1].shape;
    if (ragged->size() != 1)
        return subject.attribute("one ragged dimension is needed, not " + std::to_string(ragged->size()));
    if (!areDimensions({ &*lhsBatch, &*lhsContracting }, left.size())
        || !areDimensions({ &*rhsBatch, &*rhsContracting, &*group }, right.size())
        || !areDimensions({ &*ragged }, left.size()))
        return subject.attribute("a dimension is named twice, or the operand has no such dimension");
    if (lhsBatch->size() != rhsBatch->size() || lhsContracting->size() != rhsContracting->size())
        return subject.attribute("both sides need as many batch dimensions, and as many contracted ones");

    RaggedDot dot;
    dot.dims.lhsBatch = *lhsBatch;
    dot.dims.rhsBatch = *rhsBatch;
    dot.dims.lhsContracting = *lhsContracting;
    dot.dims.rhsContracting = *rhsContracting;
    dot.ragged = ragged->front();
    dot.mode = has(*lhsBatch, dot.ragged)  ? RaggedMode::Batch
        : has(*lhsContracting, dot.ragged) ? RaggedMode::Contracted
                                           : RaggedMode::Free;
    if (group->size() != (dot.mode == RaggedMode::Free ? 1 : 0))
        return subject.attribute(dot.mode == RaggedMode::Free
                ? "the right side needs one dimension of groups where a free dimension is ragged"
                : "the right side has no dimension of groups where a batch or contracted dimension is ragged");
    if (!group->empty())
        dot.group = group->front();
    dot.leftFree = others(left.size(), { &*lhsBatch, &*lhsContracting });
    dot.rightFree = others(right.size(), { &*rhsBatch, &*rhsContracting, &*group });
    if (dot.mode != RaggedMode::Batch)
        dot.before = *lhsBatch;
    const Dimensions& line = dot.mode == RaggedMode::Free ? dot.leftFree
        : dot.mode == RaggedMode::Contracted              ? *lhsContracting
                                                          : *lhsBatch;
    append(dot.before, line, placeOf(line, dot.ragged));
    for (std::size_t i = 0; i < lhsBatch->size(); ++i)
        if (left[static_cast<std::size_t>((*lhsBatch)[i])] != right[static_cast<std::size_t>((*rhsBatch)[i])])
            return subject.mismatch("batch dimensions of different sizes");
    for (std::size_t i = 0; i < lhsContracting->size(); ++i)
        if (left[static_cast<std::size_t>((*lhsContracting)[i])]
            != right[static_cast<std::size_t>((*rhsContracting)[i])])
            return subject.mismatch("contracted dimensions of different sizes");

    const Shape& sizes = subject.operands[2].shape;
    Shape wanted;
    for (const std::int64_t dim : dot.before)
        wanted.push_back(left[static_cast<std::size_t>(dim)]);
    if (sizes.empty()
        || (sizes.size() > 1
            && !(sizes.size() == wanted.size() + 1 && std::equal(wanted.begin(), wanted.end(), sizes.begin()))))
        return subject.mismatch("group sizes are " + toString(subject.operands[2])
            + "; one line of sizes is needed, or one for each place before the ragged dimension");
    if (dot.group >= 0 && right[static_cast<std::size_t>(dot.group)] != sizes.back())
        return subject.mismatch("the right side has " + std::to_string(right[static_cast<std::size_t>(dot.group)])
            + " groups, " + std::to_string(sizes.back()) + " sizes are given");
    return dot;
}

Shape raggedDotShape(const RaggedDot& dot, const Shape& left, const Shape& right, const Shape& groups)
{
    Shape shape;
    if (dot.mode == RaggedMode::Contracted)
        shape.push_back(groups.back());
    for (const std::int64_t dim : *dot.dims.lhsBatch)
        shape.push_back(left[static_cast<std::size_t>(dim)]);
    for (const std::int64_t dim : dot.leftFree)
        shape.push_back(left[static_cast<std::size_t>(dim)]);
    for (const std::int64_t dim : dot.rightFree)
        shape.push_back(right[static_cast<std::size_t>(dim)]);
    return shape;
}

} // namespace shardscope
