// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of all operations, by the file that defines them. opRow() puts them in the order of OpKind.
#pragma once

#include <span>

#include "program/op_row.h"

namespace shardscope::ops {

[[nodiscard]] std::span<const OpRow> unaryRows();
[[nodiscard]] std::span<const OpRow> binaryRows();
[[nodiscard]] std::span<const OpRow> selectClampRows();
[[nodiscard]] std::span<const OpRow> compareConvertRows();
[[nodiscard]] std::span<const OpRow> constantIotaRows();
[[nodiscard]] std::span<const OpRow> broadcastRows();
[[nodiscard]] std::span<const OpRow> reshapeRows();
[[nodiscard]] std::span<const OpRow> transposeRows();
[[nodiscard]] std::span<const OpRow> dotGeneralRows();
[[nodiscard]] std::span<const OpRow> reduceRows();
[[nodiscard]] std::span<const OpRow> shardingConstraintRows();
[[nodiscard]] std::span<const OpRow> furtherRows();

} // namespace shardscope::ops
