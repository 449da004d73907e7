// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/planned_memory_words.h"

#include <QStringList>

#include "words/propagation_steps.h"
#include "words/tr.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::words {

QString memoryPart(PlannedMemory::Part part)
{
    switch (part) {
    case PlannedMemory::Part::Arguments:
        return Words::tr("arguments");
    case PlannedMemory::Part::Values:
        return Words::tr("values");
    case PlannedMemory::Part::Exchanges:
        break;
    }
    return Words::tr("for exchanges", "arrays that partitioning adds");
}

QString heldName(const PlannedMemory& memory, const PlannedMemory::Array& array)
{
    const QString name = array.path.empty() ? QString() : tensorName(array.path);
    if (!array.maker.valid())
        return name.isEmpty() ? Words::tr("an argument") : name;
    const QString made = operationName(memory.program->operation(array.maker));
    if (name.isEmpty())
        return made;
    return array.part == PlannedMemory::Part::Exchanges ? Words::tr("%1, by %2", "array, operation").arg(name, made)
                                                        : name;
}

QString peakPlace(const PlannedMemory& memory)
{
    if (!memory.peakOperation.valid())
        return Words::tr("at the start, before any operation");
    const QString what = operationName(memory.program->operation(memory.peakOperation));
    const QString where = memory.memory.peakInstruction < 0
        ? Words::tr("at %1", "an operation").arg(what)
        : Words::tr("at operation %1 of %2, %3", "number, count, operation")
              .arg(count(memory.memory.peakInstruction + 1), count(static_cast<qint64>(memory.moments.size())), what);
    return memory.peakPath.empty()
        ? where
        : Words::tr("%1, which gives %2", "place, array").arg(where, tensorName(memory.peakPath));
}

QString peakParts(const PlannedMemory& memory)
{
    QStringList parts;
    for (const auto part :
        { PlannedMemory::Part::Arguments, PlannedMemory::Part::Values, PlannedMemory::Part::Exchanges })
        if (memory.bytesOf(part) > 0)
            parts << Words::tr("%1 %2", "part, bytes")
                         .arg(memoryPart(part), bytes(static_cast<double>(memory.bytesOf(part))));
    return parts.join(Words::tr(", "));
}

QString argumentsLetGo(const PlannedMemory& memory)
{
    const std::int64_t before = memory.memory.stateBytes - memory.bytesOf(PlannedMemory::Part::Arguments);
    return before <= 0
        ? QString()
        : Words::tr("%1 of arguments are let go before that, after they were read for the last time. JAX "
                    "does so with donated arguments; others stay to the end.")
              .arg(bytes(static_cast<double>(before)));
}

} // namespace shardscope::words
