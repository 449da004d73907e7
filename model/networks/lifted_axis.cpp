// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/lifted_axis.h"

#include <algorithm>
#include <utility>

namespace shardscope {

namespace {

/// Places before it that are not there yet are without a name.
template <class Entry>
void insertEntry(std::vector<Entry>& entries, std::int64_t index, Entry entry)
{
    const auto place = static_cast<std::size_t>(std::max<std::int64_t>(index, 0));
    entries.resize(std::max(entries.size(), place));
    entries.insert(entries.begin() + static_cast<std::ptrdiff_t>(place), std::move(entry));
}

LogicalName nameOf(const LiftedAxis& axis)
{
    return axis.name ? LogicalName::of(*axis.name) : LogicalName::none();
}

} // namespace

LogicalNames addAxis(LogicalNames names, const LiftedAxis& axis)
{
    insertEntry(names, axis.index, nameOf(axis));
    return names;
}

Annotation addAxis(const Annotation& annotation, const LiftedAxis& axis)
{
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        return LogicalAxes{ addAxis(logical->names, axis) };
    if (const auto* device = std::get_if<DeviceAxes>(&annotation)) {
        DeviceAxes outside = *device;
        insertEntry(outside.spec.entries, axis.index, axis.name ? SpecEntry::axis(*axis.name) : SpecEntry::none());
        return outside;
    }
    return annotation;
}

} // namespace shardscope
