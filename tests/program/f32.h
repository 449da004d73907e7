// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

#include "program/types.h"

namespace shardscope::test {

inline TensorType f32(Shape shape)
{
    return { DType::F32, std::move(shape), 0 };
}

} // namespace shardscope::test
