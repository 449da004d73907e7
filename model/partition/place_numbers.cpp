// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/place_numbers.h"

#include <algorithm>
#include <cstdlib>

#include "program/constant_numbers.h"
#include "program/element_bits.h"
#include "program/ops/checks.h"

namespace shardscope {

namespace {

constexpr std::int64_t largestMesh = 65536; // devices
constexpr std::int64_t largestNumber = std::int64_t{ 1 } << 30; // no product of two of them leaves 64 bits

std::optional<std::int64_t> computed(OpKind kind, std::int64_t a, std::int64_t b)
{
    switch (kind) {
    case OpKind::Add:
        return a + b;
    case OpKind::Subtract:
        return a - b;
    case OpKind::Multiply:
        return a * b;
    case OpKind::Divide:
        return b == 0 ? std::nullopt : std::optional(a / b);
    case OpKind::Remainder:
        return b == 0 ? std::nullopt : std::optional(a % b);
    default:
        return std::nullopt;
    }
}

} // namespace

const std::vector<std::int64_t>* PlaceNumbers::add(const Operation& operation)
{
    if (operation.results.size() != 1 || m_mesh.deviceCount() > largestMesh)
        return nullptr;
    const TensorType& type = m_program.value(operation.results[0]).type;
    if (type.elementCount() != 1 || !ops::isInteger(type.dtype))
        return nullptr;
    std::optional<Numbers> numbers = numbersOf(operation);
    const bool couldWrap = numbers && std::any_of(numbers->begin(), numbers->end(), [&](std::int64_t number) {
        return std::abs(number) > largestNumber || (number < 0 && isUnsignedInteger(type.dtype));
    });
    if (!numbers || couldWrap)
        return nullptr;
    return &m_known.insert_or_assign(operation.results[0], std::move(*numbers)).first->second;
}

std::optional<PlaceNumbers::Numbers> PlaceNumbers::numbersOf(const Operation& operation) const
{
    const auto count = static_cast<std::size_t>(m_mesh.deviceCount());
    Numbers numbers(count);
    switch (operation.kind) {
    case OpKind::PartitionId:
        for (std::size_t place = 0; place < count; ++place)
            numbers[place] = m_mesh.deviceAt(static_cast<std::int64_t>(place));
        return numbers;
    case OpKind::Constant:
    case OpKind::SdyConstant:
        if (const std::optional<std::int64_t> number = element(operation.results[0], 0))
            return Numbers(count, *number);
        return std::nullopt;
    case OpKind::Convert:
    case OpKind::Reshape:
    case OpKind::BroadcastInDim:
        if (const Numbers* operand = known(operation.operands[0]))
            return *operand;
        return std::nullopt;
    case OpKind::DynamicSlice: { // of a table with a number for every place
        const Numbers* places = operation.operands.size() == 2 ? known(operation.operands[1]) : nullptr;
        for (std::size_t place = 0; places && place < count; ++place) {
            const std::optional<std::int64_t> number = element(operation.operands[0], (*places)[place]);
            if (!number)
                return std::nullopt;
            numbers[place] = *number;
        }
        return places ? std::optional(numbers) : std::nullopt;
    }
    default:
        break;
    }
    const Numbers* a = operation.operands.size() == 2 ? known(operation.operands[0]) : nullptr;
    const Numbers* b = a ? known(operation.operands[1]) : nullptr;
    for (std::size_t place = 0; b && place < count; ++place) {
        const std::optional<std::int64_t> number = computed(operation.kind, (*a)[place], (*b)[place]);
        if (!number)
            return std::nullopt;
        numbers[place] = *number;
    }
    return b ? std::optional(numbers) : std::nullopt;
}

std::optional<std::int64_t> PlaceNumbers::element(ValueId constant, std::int64_t index) const
{
    const Value& value = m_program.value(constant);
    const auto* own = value.definition.valid()
        ? std::get_if<ConstantAttributes>(&m_program.operation(value.definition).attributes)
        : nullptr;
    return own && index < value.type.elementCount() ? integerElement(*own, value.type, index) : std::nullopt;
}

} // namespace shardscope
