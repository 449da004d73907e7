// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/element_bits.h"

namespace shardscope {

int elementBits(DType dtype)
{
    switch (dtype) {
    case DType::Pred:
        return 1;
    case DType::I2:
    case DType::U2:
        return 2;
    case DType::I4:
    case DType::U4:
    case DType::F4E2M1FN:
        return 4;
    case DType::F6E2M3FN:
    case DType::F6E3M2FN:
        return 6;
    default:
        return static_cast<int>(8 * byteSize(dtype));
    }
}

bool isUnsignedInteger(DType dtype)
{
    switch (dtype) {
    case DType::U2:
    case DType::U4:
    case DType::U8:
    case DType::U16:
    case DType::U32:
    case DType::U64:
        return true;
    default:
        return false;
    }
}

} // namespace shardscope
