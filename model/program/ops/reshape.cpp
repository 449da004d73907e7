// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in rows.h.
#include <array>
#include <numeric>

#include "program/element_bits.h"
#include "program/ops/checks.h"
#include "program/ops/rows.h"
#include "program/ops/support.h"

namespace shardscope::ops {

namespace {

Result<TensorType> inferReshape(Types operands, const Attributes& attributes, const TensorType& hint)
{
    SHARDSCOPE_CHECK(expectNoAttributes("reshape", attributes));
    if (hint.dtype != operands[0].dtype || hint.elementCount() != operands[0].elementCount())
        return typeMismatch("reshape",
            toString(operands[0]) + " to " + toString(hint)
                + (hint.dtype != operands[0].dtype ? ", which has another element type"
                                                   : ", which has another number of elements"));
    return hint;
}

/// One of the two shapes on the walk: the dimension that is being taken apart, what is left of it, and the product of
/// the factors taken since both shapes last agreed.
struct Walk {
    const Shape& shape;
    std::int64_t dimension = 0;
    std::int64_t left = 1;
    std::int64_t product = 1;

    explicit Walk(const Shape& s)
        : shape(s)
    {
        load();
    }
    void load() { left = done() ? 1 : shape[at(dimension)]; }
    [[nodiscard]] bool done() const { return at(dimension) == shape.size(); }
    void take(std::int64_t factor)
    {
        left /= factor;
        product *= factor;
    }
};

// Both shapes are walked from the major end. While the products of what has been taken agree, their greatest common
// divisor becomes a common factor. Where it is 1 the shapes part, and the one that lags behind takes factors of its own
// until the products meet again. (2,3,8) -> (3,4,4): ([i, k, mn])->([j, lm, n]) with i=2 j=3 k=3 l=2 m=2 n=4.
FactorRule reshapeFactors(Types operands, const TensorType& result, const Attributes& attributes)
{
    if (result.elementCount() == 0)
        return noFactors(operands, result, attributes);
    RuleBuilder rule(operands, result);
    Walk in(operands[0].shape), out(result.shape);
    const auto addPrivate = [&](const Walk& walk, std::int64_t size) {
        const bool first = &walk == &in;
        rule.add(std::array{ first ? walk.dimension : absent }, first ? absent : walk.dimension, size);
    };
    // Goes on to the next dimension if nothing is left of this one; dimensions of size 1 have a factor of their own.
    const auto advance = [&](Walk& walk) {
        if (walk.done() || walk.left != 1)
            return false;
        if (walk.shape[at(walk.dimension)] == 1)
            addPrivate(walk, 1);
        ++walk.dimension;
        walk.load();
        return true;
    };
    while (true) {
        if (advance(in) || advance(out))
            continue;
        if (in.done() && out.done())
            break;
        if (in.product == out.product) {
            if (const std::int64_t common = std::gcd(in.left, out.left); common > 1) {
                rule.add(std::array{ in.dimension }, out.dimension, common);
                in.take(common);
                out.take(common);
                continue;
            }
        }
        Walk& after = in.product <= out.product ? in : out;
        const std::int64_t ahead = (&after == &in ? out : in).product;
        // Stop where the products meet, if this dimension can be sharded there.
        const std::int64_t missing = ahead % after.product == 0 ? ahead / after.product : 1;
        const std::int64_t factor = missing > 1 && after.left % missing == 0 ? missing : after.left;
        addPrivate(after, factor);
        after.take(factor);
    }
    return std::move(rule).build();
}

std::vector<ValueId> pullBackReshape(Builder& b, const Operation& operation, Cotangents cotangents, Wanted wanted)
{
    const ValueId c = cotangents[0];
    return { wanted[0] ? b.reshape(c, b.type(operation.operands[0]).shape) : ValueId() };
}

// The same bits as numbers of another type. Where these are narrower or wider, the last dimension of the tensor of the
// narrower ones runs over the parts of one other number.

Result<void> checkBitcast(const Subject& cast)
{
    SHARDSCOPE_CHECK(expectResults(cast, 1));
    const TensorType &from = cast.operands[0], &to = cast.results[0];
    const std::int64_t fromBits = elementBits(from.dtype), toBits = elementBits(to.dtype);
    Shape narrow = (fromBits < toBits ? from : to).shape, other = (fromBits < toBits ? to : from).shape;
    if (fromBits != toBits)
        other.push_back(std::max(fromBits, toBits) / std::min(fromBits, toBits));
    if (narrow != other || std::max(fromBits, toBits) % std::min(fromBits, toBits) != 0)
        return cast.mismatch(toString(from) + " to " + toString(to) + ", which has another number of bits");
    return {};
}

FactorRule bitcastRule(const Program& program, const Operation& operation, RuleOptions)
{
    const Shape& from = program.value(operation.operands[0]).type.shape;
    const Shape& to = program.value(operation.results[0]).type.shape;
    RuleBuilder rule(program, operation);
    for (std::size_t i = 0; i < std::max(from.size(), to.size()); ++i) {
        const auto d = static_cast<std::int64_t>(i);
        const bool inOperand = i < from.size(), inResult = i < to.size();
        rule.add(std::array{ inOperand ? d : absent }, inResult ? d : absent, inOperand ? from[i] : to[i],
            inOperand && inResult ? FactorKind::PassThrough : FactorKind::NeedReplication);
    }
    return std::move(rule).build();
}

constexpr std::array reshapeTable{
    OpRow{ OpKind::Reshape, "reshape", 1, false, inferReshape, reshapeFactors, movementCost, pullBackReshape },
    OpRow{ .kind = OpKind::BitcastConvert,
        .name = "bitcast_convert",
        .operandCount = 1,
        .rule = bitcastRule,
        .check = checkBitcast,
        .work = movementWork },
};

} // namespace

std::span<const OpRow> reshapeRows()
{
    return reshapeTable;
}

} // namespace shardscope::ops
