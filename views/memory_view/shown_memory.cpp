// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory_view/shown_memory.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "words/planned_memory_words.h"
#include "words/propagation_steps.h"
#include "words/words.h"

namespace shardscope {

namespace {

struct MemoryWords {
    Q_DECLARE_TR_FUNCTIONS(MemoryWords)
};

QString withBytes(const QString& name, std::int64_t bytes)
{
    return MemoryWords::tr("%1 %2", "array, bytes").arg(name, words::bytes(static_cast<double>(bytes)));
}

} // namespace

const MemorySummary* ShownMemory::memory() const
{
    return program ? &program->memory : snapshot && snapshot->plan ? &snapshot->plan->memory : nullptr;
}

std::array<std::int64_t, ownerCount> ShownMemory::atPeak() const
{
    return memory() ? memory()->atPeak : std::array<std::int64_t, ownerCount>{};
}

ShownMemory::Biggest ShownMemory::biggest(Owner owner) const
{
    if (!program) {
        const TensorRow* row = snapshot ? biggestOf(*snapshot, owner) : nullptr;
        return row ? Biggest{ words::tensorName(row->path), QString::fromStdString(row->path), row->bytesPerDevice }
                   : Biggest{};
    }
    for (const PlannedMemory::Array& array : program->arrays)
        if (array.owner == owner)
            return { words::heldName(*program, array),
                snapshot->row(array.path) ? QString::fromStdString(array.path) : QString(), array.bytes };
    return {};
}

std::int64_t ShownMemory::newValues(Owner owner) const
{
    if (!memory() || (owner != Owner::Parameters && owner != Owner::Mu && owner != Owner::Nu))
        return 0;
    std::int64_t given = 0;
    for (const TensorRow& row : snapshot->tensors)
        if (shardscope::ownerOf(*snapshot->program, row.value) == owner && !isOnHost(*snapshot, row)
            && !snapshot->program->value(row.value).definition.valid())
            given = saturatingSum(given, row.bytesPerDevice);
    return std::max<std::int64_t>(0, memory()->atPeak[static_cast<std::size_t>(owner)] - given);
}

MemorySlice ShownMemory::sliceOf(const TensorRow& row) const
{
    if (!program)
        return snapshot && snapshot->plan ? shardscope::sliceOf(*snapshot, row) : MemorySlice{};
    MemorySlice slice;
    const auto& arrays = program->arrays;
    const auto found = std::find_if(arrays.begin(), arrays.end(),
        [&](const PlannedMemory::Array& array) { return !array.isCopy && array.path == row.path; });
    if (found == arrays.end())
        return slice;
    const std::int64_t own = atPeak()[static_cast<std::size_t>(found->owner)];
    if (own <= 0)
        return slice;
    slice.owner = found->owner;
    std::int64_t before = 0;
    for (auto other = arrays.begin(); other != found; ++other)
        if (other->owner == found->owner)
            before += other->bytes;
    const auto all = static_cast<double>(own);
    slice.begin = static_cast<double>(before) / all;
    slice.end = static_cast<double>(before + found->bytes) / all;
    return slice;
}

std::size_t ShownMemory::instructions() const
{
    return program ? program->moments.size() : snapshot && snapshot->plan ? snapshot->plan->instructions.size() : 0;
}

std::string ShownMemory::pathAt(std::size_t instruction) const
{
    if (instruction >= instructions())
        return {};
    if (program)
        return program->moments[instruction].path;
    const ValueId origin = snapshot->plan->instructions[instruction].origin;
    return origin.valid() ? std::string(*snapshot->program->value(origin).path) : std::string();
}

QString ShownMemory::operationAt(std::size_t instruction) const
{
    return program && instruction < instructions()
        ? words::operationName(program->program->operation(program->moments[instruction].operation))
        : QString();
}

QString ShownMemory::peakWords() const
{
    if (program)
        return words::peakPlace(*program);
    const auto count = instructions();
    if (count == 0)
        return MemoryWords::tr("all the time");
    const auto index = static_cast<std::size_t>(std::max(0, memory()->peakInstruction));
    if (index >= count)
        return MemoryWords::tr("at the end of the step");
    const std::string path = pathAt(index);
    const QString where =
        MemoryWords::tr("at instruction %1 of %2")
            .arg(words::count(static_cast<qint64>(index) + 1), words::count(static_cast<qint64>(count)));
    return path.empty() ? where : MemoryWords::tr("%1, %2", "place, tensor").arg(where, words::tensorName(path));
}

QString ShownMemory::largest(std::size_t most) const
{
    if (!program || program->arrays.empty())
        return {};
    const std::size_t shown = std::min(most, program->arrays.size());
    QStringList names;
    for (std::size_t i = 0; i < shown; ++i)
        names << withBytes(words::heldName(*program, program->arrays[i]), program->arrays[i].bytes);
    const QString list = names.join(MemoryWords::tr("; "));
    return shown == program->arrays.size()
        ? MemoryWords::tr("Largest: %1").arg(list)
        : MemoryWords::tr("Largest: %1; and %2 more")
              .arg(list, words::count(static_cast<qint64>(program->arrays.size() - shown)));
}

} // namespace shardscope
