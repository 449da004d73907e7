// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about programs that were executed: what differs from the reference, where NaN and infinity come from.
#pragma once

#include <QStringList>

#include "simulate/check/check.h"
#include "simulate/check/non_finite.h"
#include "simulate/run/recorded_step.h"
#include "simulate/run/value_reader.h"

namespace shardscope::words {

/// "stablehlo.log in line 12"; of a program without lines the module: "stablehlo.log in decoder/layers.0/mlp".
[[nodiscard]] QString operationPlace(const Program& program, OperationId operation);

/// Of the first value that does not agree: "It is the first value that differs; stablehlo.add in line 12 computes it.",
/// and what to do about it, where that is known.
[[nodiscard]] QStringList firstDifference(const Program& program, const ValueCheck& first);

/// Whose values an element is one of: the reference, or the devices, whose elements count in their own shard.
enum class Runs : std::uint8_t { Reference, Devices };
/// "stablehlo.log in line 12 gives the first NaN: element [3] of %2, from operands without one." `value` is the name of
/// what holds it, empty where it has none, `index` its index there.
[[nodiscard]] QString nonFinite(
    const Program& program, const NonFinite& found, Runs runs, const QString& value, const Shape& index);
/// Which operation of a step that was taken again gave it, with the names of the step's program.
[[nodiscard]] QString nonFinite(const RecordedStep& step, const RecordedStep::FirstNonFinite& first);
/// The same of step `number`, the first whose loss or norms are not finite: "Step 12: The first NaN is ...", or why
/// that cannot be said.
[[nodiscard]] QString nonFiniteStep(std::int64_t number, const Result<RecordedStepPtr>& recorded);

/// Why the devices do not hold a value, and what to do; "" for one that can be read.
[[nodiscard]] QString notHeld(Held held, const std::string& path);

} // namespace shardscope::words
