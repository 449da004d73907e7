// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of all operations, by the file that defines them. opRow() puts them in the order of OpKind.
#pragma once

#include <span>

#include "program/op_row.h"

namespace shardscope::ops {

[[nodiscard]] std::span<const OpRow> unaryRows();
[[nodiscard]] std::span<const OpRow> binaryRows();
[[nodiscard]] std::span<const OpRow> compareConvertRows();
[[nodiscard]] std::span<const OpRow> constantIotaRows();
[[nodiscard]] std::span<const OpRow> broadcastRows();
[[nodiscard]] std::span<const OpRow> reshapeRows();
[[nodiscard]] std::span<const OpRow> transposeRows();
[[nodiscard]] std::span<const OpRow> dotGeneralRows();
[[nodiscard]] std::span<const OpRow> reduceRows();
[[nodiscard]] std::span<const OpRow> shardingConstraintRows();
[[nodiscard]] std::span<const OpRow> chloRows();
[[nodiscard]] std::span<const OpRow> chloBroadcastRows();
[[nodiscard]] std::span<const OpRow> slicePadRows();
[[nodiscard]] std::span<const OpRow> concatenateRows();
[[nodiscard]] std::span<const OpRow> dynamicSliceRows();
[[nodiscard]] std::span<const OpRow> gatherRows();
[[nodiscard]] std::span<const OpRow> scatterRows();
[[nodiscard]] std::span<const OpRow> sortRows();
[[nodiscard]] std::span<const OpRow> convolutionRows();
[[nodiscard]] std::span<const OpRow> reduceWindowRows();
[[nodiscard]] std::span<const OpRow> linearAlgebraRows();
[[nodiscard]] std::span<const OpRow> rngRows();
[[nodiscard]] std::span<const OpRow> batchNormRows();
[[nodiscard]] std::span<const OpRow> loopRows();
[[nodiscard]] std::span<const OpRow> callRows();
[[nodiscard]] std::span<const OpRow> customCallRows();
[[nodiscard]] std::span<const OpRow> tokenRows();
[[nodiscard]] std::span<const OpRow> collectiveRows();
[[nodiscard]] std::span<const OpRow> shardingRows();
[[nodiscard]] std::span<const OpRow> opaqueRows();

} // namespace shardscope::ops
