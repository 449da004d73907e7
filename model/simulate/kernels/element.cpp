// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulate/kernels/element.h"

#include "simulate/kernels/array.h"

namespace shardscope {

namespace {

/// The element alone, as an array that does not own it.
kernels::Array elementAt(DType dtype, std::byte* array, std::int64_t index)
{
    return { { dtype, {} },
        std::shared_ptr<std::byte[]>(std::shared_ptr<std::byte[]>(), array + index * byteSize(dtype)), {} };
}

} // namespace

void storeOther(DType dtype, std::byte* array, std::int64_t index, double value)
{
    kernels::Array element = elementAt(dtype, array, index);
    kernels::setNumber(element, 0, value);
}

double loadOther(DType dtype, const std::byte* array, std::int64_t index)
{
    return kernels::numberAt(elementAt(dtype, const_cast<std::byte*>(array), index), 0);
}

} // namespace shardscope
