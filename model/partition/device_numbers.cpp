// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/device_numbers.h"

#include <cstring>
#include <limits>

namespace shardscope {

DType countingType(std::int64_t most)
{
    return most > std::numeric_limits<std::int32_t>::max() ? DType::I64 : DType::I32;
}

ElementBytes countBytes(DType type, std::span<const std::int64_t> numbers)
{
    const auto width = static_cast<std::size_t>(byteSize(type));
    std::vector<std::byte> bytes(numbers.size() * width);
    std::byte* at = bytes.data();
    for (const std::int64_t number : numbers) {
        if (type == DType::I64) {
            std::memcpy(at, &number, sizeof(number));
        } else {
            const auto narrow = static_cast<std::int32_t>(number);
            std::memcpy(at, &narrow, sizeof(narrow));
        }
        at += width;
    }
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t towardsZero = a / b;
    return a % b < 0 ? towardsZero - 1 : towardsZero;
}

} // namespace shardscope
