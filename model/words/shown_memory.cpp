// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/shown_memory.h"

#include <QHash>
#include <QStringList>
#include <algorithm>

#include "pipeline/memory_placement.h"
#include "words/memory_words.h"
#include "words/propagation_steps.h"
#include "words/tr.h"
#include "words/words.h"

namespace shardscope::words {

namespace {

QString textOf(const ShownMemory::Named& arrays)
{
    const QString bytes = words::bytes(static_cast<double>(arrays.bytes));
    if (arrays.count == 1)
        return Words::tr("%1 %2", "array, bytes").arg(arrays.name, bytes);
    const QString count = words::count(static_cast<qint64>(arrays.count));
    return arrays.equal
        ? Words::tr("%1 %2 × %3", "arrays, bytes of each, how many").arg(arrays.name, bytes, count)
        : Words::tr("%1 up to %2 × %3", "arrays, bytes of the largest, how many").arg(arrays.name, bytes, count);
}

} // namespace

std::array<std::int64_t, ownerCount> ShownMemory::atPeak() const
{
    return memory() ? memory()->atPeak : std::array<std::int64_t, ownerCount>{};
}

QString ShownMemory::ownerName(Owner owner) const
{
    return words::owner(owner, *snapshot->program);
}

ShownMemory::Largest ShownMemory::largest(Owner owner) const
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

std::vector<ShownMemory::Named> ShownMemory::named() const
{
    std::vector<Named> found;
    QHash<QString, std::size_t> places;
    if (planned)
        for (const PlannedMemory::Array& array : planned->arrays) {
            const QString name = words::heldName(*planned, array);
            const auto place = places.constFind(name);
            if (place == places.cend()) {
                places.insert(name, found.size());
                found.push_back({ name, array.bytes, 1, true });
                continue;
            }
            Named& others = found[*place];
            ++others.count;
            others.equal = others.equal && others.bytes == array.bytes;
        }
    return found;
}

QString ShownMemory::largest(const std::vector<Named>& names, std::size_t most)
{
    if (names.empty())
        return {};
    const std::size_t shown = std::min(most, names.size());
    QStringList told;
    for (std::size_t i = 0; i < shown; ++i)
        told << textOf(names[i]);
    const QString list = told.join(Words::tr("; "));
    qint64 more = 0;
    for (std::size_t i = shown; i < names.size(); ++i)
        more += static_cast<qint64>(names[i].count);
    return more == 0 ? Words::tr("Largest: %1").arg(list)
                     : Words::tr("Largest: %1; and %2 more").arg(list, words::count(more));
}

QString ShownMemory::peakWords() const
{
    return words::peakPlace(*planned);
}

} // namespace shardscope::words
