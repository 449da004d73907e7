// SPDX-License-Identifier: GPL-3.0-or-later
// What the values dock says about an array.
#pragma once

#include <QStringList>

#include "pipeline/snapshot.h"
#include "simulate/run/recorded_step.h"
#include "views/values_view/shown_values.h"

namespace shardscope {

/// Why a value cannot be read, and what to do.
[[nodiscard]] QString notHeldText(Held held, const std::string& path);
/// What one should know about the numbers: that they are parts, or were; that some devices are left out.
[[nodiscard]] QStringList valuesNotes(const ShownValues& shown, const TensorRow& row);
/// Which operation of a step that was taken again gave it: words::nonFinite() with the names of its program.
[[nodiscard]] QString nonFiniteSentence(const RecordedStep& step, const RecordedStep::FirstNonFinite& first);

} // namespace shardscope
