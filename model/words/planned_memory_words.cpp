// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in words/memory_words.h.
#include <QStringList>
#include <algorithm>

#include "words/memory_words.h"
#include "words/propagation_steps.h"
#include "words/tr.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::words {

QString heldName(const PlannedMemory& memory, const PlannedMemory::Array& array)
{
    const QString name = array.path.empty() ? QString() : tensorName(array.path);
    if (!array.maker.valid())
        return name.isEmpty() ? Words::tr("an argument") : name;
    const QString made = operationName(memory.program->operation(array.maker));
    if (name.isEmpty())
        return made;
    return array.isCopy ? Words::tr("%1, by %2", "array, operation").arg(name, made) : name;
}

QString peakPlace(const PlannedMemory& memory)
{
    if (memory.moments.empty())
        return Words::tr("all the time");
    const QString where = Words::tr("at instruction %1 of %2", "number, count")
                              .arg(count(std::max(memory.memory.peakInstruction, 0) + 1),
                                  count(static_cast<qint64>(memory.moments.size())));
    const QString what = memory.peakOperation.valid()
        ? Words::tr("%1, %2", "place, operation")
              .arg(where, operationName(memory.program->operation(memory.peakOperation)))
        : where;
    return memory.peakPath.empty() ? what
                                   : Words::tr("%1, for %2", "place, array").arg(what, tensorName(memory.peakPath));
}

QString peakWithoutKept(const MemorySummary& memory)
{
    const QString peak = bytes(static_cast<double>(memory.peakWithoutKept));
    if (peak == bytes(static_cast<double>(memory.peakBytes)))
        return {};
    return Words::tr("Gradients stay to the end of the step, so that they can be looked at; freed after their last "
                     "reader, the peak would be %1.")
        .arg(peak);
}

} // namespace shardscope::words
