// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words.h.
#include <algorithm>

#include "analysis/explain.h"
#include "words/tr.h"
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
        QStringList sizes;
        for (const std::int64_t size : whatIf.sizes)
            sizes << count(size);
        text.change = { { Words::tr("mesh %1").arg(sizes.join(QStringLiteral(" × "))), Span::Style::Plain, -1 } };
    }
    QStringList consequences;
    const std::int64_t difference = whatIf.bytesPerDeviceAfter - whatIf.bytesPerDeviceBefore;
    if (difference == 0)
        consequences << Words::tr("the same %1 per device").arg(bytes(static_cast<double>(whatIf.bytesPerDeviceAfter)));
    else
        consequences << Words::tr("each device holds %1 of it instead of %2")
                            .arg(bytes(static_cast<double>(whatIf.bytesPerDeviceAfter)),
                                bytes(static_cast<double>(whatIf.bytesPerDeviceBefore)));
    if (!(whatIf.sentBefore == whatIf.sentAfter))
        consequences << Words::tr("sent %1 → %2 per step").arg(bytes(whatIf.sentBefore), bytes(whatIf.sentAfter));
    const bool trained = std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(),
        [](const TensorRow& row) { return isOptimizerArray(row.role); });
    const QString before = bytes(static_cast<double>(whatIf.stateBytesBefore));
    const QString after = bytes(static_cast<double>(whatIf.stateBytesAfter));
    if (before != after)
        consequences << (trained ? Words::tr("parameters to moments %1 → %2") : Words::tr("all parameters %1 → %2"))
                            .arg(before, after);
    text.consequence = consequences.join(QStringLiteral("; "));
    return text;
}

} // namespace shardscope::words
