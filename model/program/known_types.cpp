// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/known_types.h"

#include <algorithm>

namespace shardscope {

bool hasKnownTypes(const Program& program, const Operation& operation)
{
    const auto isKnown = [&](ValueId value) {
        const TensorType& type = program.value(value).type;
        return type.dtype != DType::Other
            && std::find(type.shape.begin(), type.shape.end(), dynamicSize) == type.shape.end();
    };
    return std::all_of(operation.operands.begin(), operation.operands.end(), isKnown)
        && std::all_of(operation.results.begin(), operation.results.end(), isKnown);
}

bool isUnranked(const Program& program, const TensorType& type)
{
    return type.dtype == DType::Other && type.other < program.otherTypes.size()
        && program.otherTypes[type.other].starts_with("tensor<*");
}

} // namespace shardscope
