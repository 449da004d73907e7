// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include <algorithm>

#include "analysis/explain.h"
#include "words/tr.h"
#include "words/value_changes.h"
#include "words/words.h"

namespace shardscope::words {

WhatIfText whatIf(const Snapshot& snapshot, const WhatIf& whatIf)
{
    WhatIfText text;
    if (whatIf.kind == WhatIf::Kind::MapName) {
        const auto axis = snapshot.mesh->axisIndex(whatIf.axis);
        text.change = { { fromStd(whatIf.name) + QStringLiteral(" → "), Span::Style::Plain, -1 },
            { fromStd(whatIf.axis), Span::Style::Axis, axis ? static_cast<int>(*axis) : -1 } };
    } else {
        std::vector<MeshAxis> axes(snapshot.mesh->axes().begin(), snapshot.mesh->axes().end());
        for (std::size_t axis = 0; axis < axes.size(); ++axis)
            axes[axis].size = whatIf.sizes[axis];
        text.change = { { Words::tr("mesh %1").arg(meshSizes(axes)), Span::Style::Plain, -1 } };
    }
    QStringList consequences;
    const std::int64_t difference = whatIf.bytesPerDeviceAfter - whatIf.bytesPerDeviceBefore;
    if (difference == 0)
        consequences << Words::tr("the same %1 per device").arg(bytes(static_cast<double>(whatIf.bytesPerDeviceAfter)));
    else
        consequences
            << Words::tr("per device %1").arg(bytesStep(whatIf.bytesPerDeviceBefore, whatIf.bytesPerDeviceAfter));
    text.perDevice = bytesChange(static_cast<double>(difference));
    if (!(whatIf.sentBefore == whatIf.sentAfter))
        consequences
            << Words::tr("sent %1 per step").arg(amountStep(bytes(whatIf.sentBefore), bytes(whatIf.sentAfter)));
    text.sent = bytesChange(whatIf.sentAfter.value() - whatIf.sentBefore.value());
    const bool trained = std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(),
        [](const TensorRow& row) { return isOptimizerArray(row.role); });
    text.state = bytesChange(static_cast<double>(whatIf.stateBytesAfter - whatIf.stateBytesBefore));
    text.isTrained = trained;
    if (whatIf.stateBytesBefore != whatIf.stateBytesAfter)
        consequences << (trained ? Words::tr("state and gradients %1") : Words::tr("all parameters %1"))
                            .arg(bytesStep(whatIf.stateBytesBefore, whatIf.stateBytesAfter));
    text.consequence = consequences.join(QStringLiteral(", "));
    return text;
}

} // namespace shardscope::words
