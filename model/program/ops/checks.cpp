// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/ops/checks.h"

#include <limits>

#include "base/codes.h"
#include "program/element_bits.h"

namespace shardscope::ops {

Subject::Subject(const Program& p, const Operation& o)
    : program(p)
    , operation(o)
    , name(qualifiedName(o))
    , operands(p, o.operands)
    , results(p, o.results)
{
}

tl::unexpected<Error> Subject::operand(std::string detail) const
{
    return fail(Code::InvalidOperand, { { "op", name }, { "detail", std::move(detail) } });
}

std::string counted(std::size_t count, std::string_view noun)
{
    return std::to_string(count) + ' ' + std::string(noun) + (count == 1 ? "" : "s");
}

Result<void> expectOperands(const Subject& subject, std::size_t count)
{
    if (subject.operands.size() != count)
        return subject.operand(counted(subject.operands.size(), "operand") + " instead of " + std::to_string(count));
    return {};
}

Result<void> expectResults(const Subject& subject, std::size_t count)
{
    if (subject.results.size() != count)
        return subject.operand(counted(subject.results.size(), "result") + " instead of " + std::to_string(count));
    return {};
}

bool compatible(const TensorType& a, const TensorType& b)
{
    if (a.dtype == DType::Token || b.dtype == DType::Token)
        return a.dtype == b.dtype;
    if (a.dtype == DType::Other || b.dtype == DType::Other)
        return a == b;
    return a.dtype == b.dtype
        && std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(),
            [](std::int64_t x, std::int64_t y) { return x == y || x == dynamicSize || y == dynamicSize; });
}

Result<void> expectType(
    const Subject& subject, const std::string& what, const TensorType& found, const TensorType& wanted)
{
    if (!compatible(found, wanted))
        return subject.mismatch(what + " is " + toString(found) + " and should be " + toString(wanted));
    return {};
}

Result<void> expectShape(const Subject& subject, const std::string& what, const TensorType& found, const Shape& wanted)
{
    return expectType(subject, what, found, { found.dtype, wanted, found.other });
}

Result<void> expectScalar(const Subject& subject, const std::string& what, const TensorType& found)
{
    return expectShape(subject, what, found, {});
}

Result<void> expectOneType(const Subject& subject)
{
    for (std::size_t i = 1; i < subject.operands.size(); ++i)
        SHARDSCOPE_CHECK(expectType(subject, "operand " + std::to_string(i), subject.operands[i], subject.operands[0]));
    for (std::size_t i = 0; i < subject.results.size() && !subject.operands.empty(); ++i)
        SHARDSCOPE_CHECK(expectType(subject, "result " + std::to_string(i), subject.results[i], subject.operands[0]));
    return {};
}

Result<void> expectSameTypes(const Subject& subject)
{
    SHARDSCOPE_CHECK(expectResults(subject, subject.operands.size()));
    for (std::size_t i = 0; i < subject.results.size(); ++i)
        SHARDSCOPE_CHECK(expectType(subject, "result " + std::to_string(i), subject.results[i], subject.operands[i]));
    return {};
}

Result<void> expectEntries(const Subject& subject, const std::string& what, std::size_t found, std::size_t wanted)
{
    if (found != 0 && found != wanted)
        return subject.attribute(what + " has " + counted(found, "number") + " and should have "
            + std::to_string(wanted) + ", one per dimension");
    return {};
}

Result<void> expectBody(const Subject& subject, RegionId body, const std::string& what, Types arguments, Types results)
{
    const Region& region = subject.program.regions[body.index];
    const auto side = [&](const std::vector<ValueId>& found, Types wanted, const std::string& noun) -> Result<void> {
        if (found.size() != wanted.size())
            return subject.operand(
                "its " + what + " has " + counted(found.size(), noun) + " instead of " + std::to_string(wanted.size()));
        for (std::size_t i = 0; i < wanted.size(); ++i)
            SHARDSCOPE_CHECK(expectType(subject, noun + ' ' + std::to_string(i) + " of its " + what,
                subject.program.value(found[i]).type, wanted[i]));
        return {};
    };
    SHARDSCOPE_CHECK(side(region.arguments, arguments, "argument"));
    return side(region.results, results, "result");
}

Result<std::size_t> expectReducedInputs(const Subject& reduce)
{
    if (reduce.operands.size() < 2 || reduce.operands.size() % 2 != 0)
        return reduce.operand(
            counted(reduce.operands.size(), "operand") + "; as many initial values as inputs are needed");
    const std::size_t inputs = reduce.operands.size() / 2;
    SHARDSCOPE_CHECK(expectResults(reduce, inputs));
    return inputs;
}

Result<std::vector<TensorType>> expectReducedShapes(const Subject& reduce, const Shape& kept)
{
    const std::size_t inputs = reduce.results.size();
    const Shape& shape = reduce.operands[0].shape;
    std::vector<TensorType> scalars;
    for (std::size_t i = 0; i < inputs; ++i) {
        const std::string number = std::to_string(i);
        SHARDSCOPE_CHECK(expectShape(reduce, "input " + number, reduce.operands[i], shape));
        SHARDSCOPE_CHECK(expectScalar(reduce, "initial value " + number, reduce.operands[inputs + i]));
        SHARDSCOPE_CHECK(expectShape(reduce, "result " + number, reduce.results[i], kept));
        scalars.push_back({ reduce.operands[i].dtype, {} });
    }
    return scalars;
}

Result<void> expectReducer(
    const Subject& subject, RegionId body, const std::string& what, Types types, std::size_t results)
{
    const Region& region = subject.program.regions[body.index];
    const auto typeOf = [&](ValueId value) { return subject.program.value(value).type; };
    if (region.arguments.size() != 2 * types.size() || region.results.size() != results)
        return subject.operand("its " + what + " takes " + counted(region.arguments.size(), "argument")
            + " and returns " + std::to_string(region.results.size()) + " instead of "
            + std::to_string(2 * types.size()) + " and " + std::to_string(results));
    for (std::size_t i = 0; i < region.arguments.size(); ++i) {
        const TensorType type = typeOf(region.arguments[i]);
        const std::string argument = "argument " + std::to_string(i) + " of its " + what;
        SHARDSCOPE_CHECK(expectScalar(subject, argument, type));
        const DType wanted = types[i % types.size()].dtype; // may be computed in a wider type of the same kind
        if (type.dtype != wanted
            && (isFloat(type.dtype) != isFloat(wanted) || isInteger(type.dtype) != isInteger(wanted)
                || byteSize(type.dtype) < byteSize(wanted)))
            return subject.mismatch(
                argument + " is " + toString(type) + " and should be " + toString(TensorType{ wanted, {} }));
    }
    return {};
}

bool isInteger(DType dtype)
{
    return isTensor(dtype) && dtype != DType::Pred && !isFloat(dtype) && !isComplex(dtype);
}

std::int64_t largestInteger(DType dtype)
{
    const int bits = elementBits(dtype) - (isUnsignedInteger(dtype) ? 0 : 1);
    return bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{ 1 } << bits) - 1;
}

OperationCost noWork(const Program&, const Operation&)
{
    return {};
}

std::int64_t dilated(std::int64_t size, std::int64_t dilation)
{
    return size == 0 ? 0 : saturatingSum(saturatingProduct(size - 1, dilation), 1);
}

std::int64_t padded(std::int64_t size, std::int64_t before, std::int64_t after)
{
    for (const std::int64_t side : { before, after })
        if (__builtin_add_overflow(size, side, &size))
            size = side < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
    return size;
}

std::int64_t windowCount(std::int64_t paddedSize, std::int64_t window, std::int64_t stride)
{
    return paddedSize <= 0 || window > paddedSize ? 0 : (paddedSize - window) / stride + 1;
}

} // namespace shardscope::ops
