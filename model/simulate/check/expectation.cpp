// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/check/expectation.h"

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "program/extra_text.h"
#include "program/other_attributes.h"
#include "simulate/kernels/text_value.h"
#include "stablehlo/element_values.h"

namespace shardscope {

namespace {

using kernels::Array;

std::string_view nameOf(const Operation& op)
{
    if (const auto* opaque = attributesAs<OpaqueAttributes>(op.attributes))
        return opaque->name;
    if (const auto* call = attributesAs<CustomCallAttributes>(op.attributes))
        return call->target;
    return {};
}

/// The number that an attribute begins with: "0.1 : f64".
double numberOf(std::string_view text, double otherwise)
{
    const std::string held(text);
    char* end = nullptr;
    const double value = std::strtod(held.c_str(), &end);
    return end == held.c_str() ? otherwise : value;
}

std::string elementText(const Array& array, std::int64_t index)
{
    std::string text;
    mlir::appendElement(text, array.type.dtype, array.data() + index * array.elementBytes());
    return text;
}

/// How many numbers of the type lie between two, plus one; a large number where one of them is NaN or infinite alone.
std::int64_t stepsBetween(const Array& a, const Array& b, std::int64_t index)
{
    const double x = kernels::numberAt(a, index), y = kernels::numberAt(b, index);
    constexpr std::int64_t far = INT64_MAX;
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) && std::isnan(y) ? 0 : far;
    if (x == y)
        return 0;
    if (std::isinf(x) || std::isinf(y))
        return far;
    const auto place = [&](const Array& array) {
        std::int64_t bits = 0;
        const auto bytes = static_cast<std::size_t>(array.elementBytes());
        std::memcpy(&bits, array.data() + index * array.elementBytes(), bytes);
        const std::int64_t sign = std::int64_t{ 1 } << (bytes * 8 - 1);
        if (bytes == 8)
            return bits < 0 ? -(bits & INT64_MAX) : bits;
        return (bits & sign) != 0 ? -(bits & (sign - 1)) : bits;
    };
    const std::int64_t from = place(a), to = place(b);
    // Of opposite signs they may be further apart than there are numbers.
    if ((from < 0) != (to < 0) && (std::abs(from) > far / 2 || std::abs(to) > far / 2))
        return far;
    return std::abs(from - to);
}

bool agree(const Array& a, const Array& b, std::int64_t index, std::string_view how, double tolerance, double steps)
{
    if (isComplex(a.type.dtype)) {
        const Array parts = kernels::partsOf(a), others = kernels::partsOf(b);
        return agree(parts, others, 2 * index, how, tolerance, steps)
            && agree(parts, others, 2 * index + 1, how, tolerance, steps);
    }
    const bool floats = isFloat(a.type.dtype);
    if (!floats)
        return std::memcmp(a.data() + index * a.elementBytes(), b.data() + index * b.elementBytes(),
                   static_cast<std::size_t>(a.elementBytes()))
            == 0;
    const double x = kernels::numberAt(a, index), y = kernels::numberAt(b, index);
    if (std::isnan(x) || std::isnan(y))
        return std::isnan(x) && std::isnan(y);
    if (x == y)
        return true;
    if (how == "eq")
        return false;
    if (how == "almost_eq")
        return std::fabs(x - y) <= tolerance;
    return static_cast<double>(stepsBetween(a, b, index)) <= steps;
}

} // namespace

bool isExpectation(const Operation& op)
{
    const std::string_view name = nameOf(op);
    for (const std::string_view known : { "check.expect_eq", "check.expect_eq_const", "check.expect_almost_eq",
             "check.expect_almost_eq_const", "check.expect_close" })
        if (name == known)
            return true;
    return false;
}

std::optional<Expectation> Expectation::of(const Program& program, OperationId id)
{
    const Operation& op = program.operation(id);
    Expectation made;
    made.m_operation = id;
    std::string_view how = nameOf(op);
    how.remove_prefix(std::string_view("check.expect_").size());
    const bool isConstant = how.ends_with("_const");
    if (isConstant)
        how.remove_suffix(std::string_view("_const").size());
    if (op.operands.size() < (isConstant ? 1U : 2U))
        return std::nullopt;
    made.m_how = how;
    made.m_tolerance = numberOf(extraText(program, op, "tolerance"), 1e-4);
    made.m_steps = numberOf(extraText(program, op, "max_ulp_difference"), 3);
    if (isConstant) {
        made.m_expected = kernels::valueOfText(extraText(program, op, "value"), program.value(op.operands[0]).type);
        if (!made.m_expected)
            return std::nullopt;
    }
    return made;
}

ExpectationFinding Expectation::compare(std::span<const Array> operands, std::int64_t device) const
{
    const Array& value = operands[0];
    const Array& expected = m_expected ? *m_expected : operands[1];
    ExpectationFinding finding{ m_operation, device, -1, {}, {} };
    if (value.type != expected.type) {
        finding.value = toString(value.type);
        finding.expected = toString(expected.type);
        return finding;
    }
    for (std::int64_t i = 0; i < value.count(); ++i)
        if (!agree(value, expected, i, m_how, m_tolerance, m_steps)) {
            finding.element = i;
            finding.value = elementText(value, i);
            finding.expected = elementText(expected, i);
            break;
        }
    return finding;
}

} // namespace shardscope
