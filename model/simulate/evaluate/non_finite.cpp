// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/non_finite.h"

#include <algorithm>
#include <cmath>

#include "simulate/evaluate/compare.h"
#include "simulate/evaluate/element_types.h"

namespace shardscope::evaluate {

namespace {

constexpr std::array kinds{ NonFiniteKind::NotANumber, NonFiniteKind::Infinity };

} // namespace

std::int64_t firstNonFinite(const Array& array, NonFiniteKind kind)
{
    if (!isFloat(array.type.dtype) || !array.bytes)
        return -1;
    constexpr std::int64_t chunk = 1024;
    std::array<double, static_cast<std::size_t>(chunk)> numbers;
    for (std::int64_t begin = 0; begin < array.count(); begin += chunk) {
        const std::int64_t count = std::min(chunk, array.count() - begin);
        toDoubles(array.type.dtype, array.data() + begin * array.elementBytes(), numbers.data(), count);
        for (std::int64_t i = 0; i < count; ++i) {
            const double number = numbers[static_cast<std::size_t>(i)];
            if (kind == NonFiniteKind::NotANumber ? std::isnan(number) : std::isinf(number))
                return begin + i;
        }
    }
    return -1;
}

void NonFiniteWatch::given(const Arrays& arguments, std::int64_t device)
{
    for (const NonFiniteKind kind : kinds)
        for (std::size_t i = 0; i < arguments.size() && !seen(kind).held; ++i)
            if (const std::int64_t element = firstNonFinite(arguments[i], kind); element >= 0)
                seen(kind).held = NonFinite{ kind, {}, i, device, element, false, elementOf(arguments[i], element) };
}

void NonFiniteWatch::computed(
    OperationId operation, std::int64_t device, std::span<const Array> operands, std::span<const Array> results)
{
    const OpKind kindOfOperation = m_program.operation(operation).kind;
    const bool constant = kindOfOperation == OpKind::Constant || kindOfOperation == OpKind::SdyConstant;
    for (const NonFiniteKind kind : kinds) {
        Seen& own = seen(kind);
        if (own.produced || (constant && own.held))
            continue;
        for (std::size_t i = 0; i < results.size(); ++i) {
            const std::int64_t element = firstNonFinite(results[i], kind);
            if (element < 0)
                continue;
            const bool handedOn = std::any_of(operands.begin(), operands.end(),
                [&](const Array& operand) { return firstNonFinite(operand, kind) >= 0; });
            if (constant || !handedOn)
                (constant ? own.held : own.produced) =
                    NonFinite{ kind, operation, i, device, element, !constant, elementOf(results[i], element) };
            break;
        }
    }
}

const std::optional<NonFinite>& NonFiniteWatch::first(NonFiniteKind kind) const
{
    const Seen& own = m_seen[static_cast<std::size_t>(kind)];
    return own.produced ? own.produced : own.held;
}

} // namespace shardscope::evaluate
