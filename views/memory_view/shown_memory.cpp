// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory_view/shown_memory.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "pipeline/memory_placement.h"
#include "words/memory_words.h"
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
    return planned ? &planned->memory : nullptr;
}

std::array<std::int64_t, ownerCount> ShownMemory::atPeak() const
{
    return memory() ? memory()->atPeak : std::array<std::int64_t, ownerCount>{};
}

QString ShownMemory::ownerName(Owner owner) const
{
    return words::owner(owner, *snapshot->program);
}

ShownMemory::Biggest ShownMemory::biggest(Owner owner) const
{
    if (!planned)
        return {};
    for (const PlannedMemory::Array& array : planned->arrays)
        if (array.owner == owner)
            return { words::heldName(*planned, array),
                snapshot->row(array.path) ? QString::fromStdString(array.path) : QString(), array.bytes };
    return {};
}

std::int64_t ShownMemory::newValues(Owner owner) const
{
    if (!memory() || (owner != Owner::Parameters && owner != Owner::Mu && owner != Owner::Nu))
        return 0;
    std::int64_t specified = 0;
    for (const TensorRow& row : snapshot->tensors)
        if (shardscope::ownerOf(*snapshot->program, row.value) == owner && !isOnHost(*snapshot, row)
            && !snapshot->program->value(row.value).definition.valid())
            specified = saturatingSum(specified, row.bytesPerDevice);
    return std::max<std::int64_t>(0, memory()->atPeak[static_cast<std::size_t>(owner)] - specified);
}

MemorySlice ShownMemory::sliceOf(const TensorRow& row) const
{
    MemorySlice slice;
    if (!planned)
        return slice;
    const auto& arrays = planned->arrays;
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
    return planned ? planned->moments.size() : 0;
}

std::string ShownMemory::pathAt(std::size_t instruction) const
{
    return instruction < instructions() ? planned->moments[instruction].path : std::string();
}

QString ShownMemory::operationAt(std::size_t instruction) const
{
    return planned && instruction < instructions()
        ? words::operationName(planned->program->operation(planned->moments[instruction].operation))
        : QString();
}

QString ShownMemory::peakWords() const
{
    return words::peakPlace(*planned);
}

QString ShownMemory::largest(std::size_t most) const
{
    if (!planned || planned->arrays.empty())
        return {};
    const std::size_t shown = std::min(most, planned->arrays.size());
    QStringList names;
    for (std::size_t i = 0; i < shown; ++i)
        names << withBytes(words::heldName(*planned, planned->arrays[i]), planned->arrays[i].bytes);
    const QString list = names.join(MemoryWords::tr("; "));
    return shown == planned->arrays.size()
        ? MemoryWords::tr("Largest: %1").arg(list)
        : MemoryWords::tr("Largest: %1; and %2 more")
              .arg(list, words::count(static_cast<qint64>(planned->arrays.size() - shown)));
}

} // namespace shardscope
