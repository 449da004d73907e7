// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/padding_constants.h"

#include <limits>
#include <memory>
#include <utility>

namespace shardscope {

ElementBytes bytesOf(std::vector<std::byte> bytes)
{
    return std::make_shared<const std::vector<std::byte>>(std::move(bytes));
}

ConstantAttributes zeroOf(DType dtype)
{
    return { {}, bytesOf(std::vector<std::byte>(static_cast<std::size_t>(byteSize(dtype)))) };
}

double identityOf(ReduceKind kind)
{
    switch (kind) {
    case ReduceKind::Max:
        return -std::numeric_limits<double>::infinity();
    case ReduceKind::Min:
        return std::numeric_limits<double>::infinity();
    case ReduceKind::Product:
    case ReduceKind::And:
        return 1;
    case ReduceKind::Sum:
    case ReduceKind::Or:
        break;
    }
    return 0;
}

} // namespace shardscope
