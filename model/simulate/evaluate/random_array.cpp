// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/evaluate/random_array.h"

#include <algorithm>
#include <cmath>

#include "program/element_bits.h"
#include "simulate/philox.h"

namespace shardscope::evaluate {

Array randomArray(const TensorType& type, std::uint64_t seed, std::uint32_t number)
{
    Array array = Array::zeros(type);
    const DType dtype = type.dtype;
    const bool isSigned = !isUnsignedInteger(dtype);
    const std::uint32_t values = 1U << std::min(std::max(elementBits(dtype) - (isSigned ? 1 : 0), 1), 3);
    const std::int64_t count = array.count();
    for (std::int64_t block = 0; block * 4 < count; ++block) {
        const auto place = static_cast<std::uint64_t>(block);
        const auto bits =
            philox({ static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32), number, 0 },
                { static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32) });
        for (std::int64_t i = block * 4; i < std::min(block * 4 + 4, count); ++i) {
            const std::uint32_t drawn = bits[static_cast<std::size_t>(i - block * 4)];
            if (dtype == DType::F8E8M0FNU)
                setNumber(array, i, std::ldexp(1.0, -static_cast<int>(drawn & 3)));
            else if (isFloat(dtype))
                setNumber(array, i, static_cast<double>(drawn >> 8) * 0x1p-23 - 1);
            else
                setInteger(array, i, drawn % values);
        }
    }
    return array;
}

} // namespace shardscope::evaluate
