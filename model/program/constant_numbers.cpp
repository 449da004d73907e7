// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/constant_numbers.h"

#include "program/element_bits.h"
#include "program/ops/checks.h"

namespace shardscope {

std::optional<std::int64_t> integerElement(
    const ConstantAttributes& constant, const TensorType& type, std::int64_t index)
{
    const std::int64_t size = byteSize(type.dtype);
    if (!ops::isInteger(type.dtype) || size == 0 || index < 0)
        return std::nullopt;
    if (constant.bytes) {
        const std::int64_t elements = static_cast<std::int64_t>(constant.bytes->size()) / size;
        const std::int64_t at = elements == 1 ? 0 : index;
        if (at >= elements)
            return std::nullopt;
        const std::int64_t number = integerAt(type.dtype, constant.bytes->data() + at * size);
        return isUnsignedInteger(type.dtype) && number < 0 ? std::nullopt : std::optional(number);
    }
    const std::vector<double>& values = constant.values;
    const std::size_t at = values.size() == 1 ? 0 : static_cast<std::size_t>(index);
    if (at >= values.size() || values[at] != static_cast<double>(static_cast<std::int64_t>(values[at])))
        return std::nullopt;
    return static_cast<std::int64_t>(values[at]);
}

} // namespace shardscope
