// SPDX-License-Identifier: GPL-3.0-or-later
#include "networks/annotation_dimensions.h"

#include <utility>

namespace shardscope {

namespace {

/// Entries may be fewer than the dimensions; those after the last are not written down here either.
template <class Entry>
std::vector<Entry> selectedEntries(const std::vector<Entry>& entries, const Dimensions& from, const Entry& other)
{
    std::vector<Entry> selected;
    std::size_t written = 0;
    for (const std::int64_t d : from) {
        const bool known = d >= 0 && static_cast<std::size_t>(d) < entries.size();
        selected.push_back(known ? entries[static_cast<std::size_t>(d)] : other);
        written = known ? selected.size() : written;
    }
    selected.resize(written);
    return selected;
}

} // namespace

Annotation withDimensions(const Annotation& annotation, const Dimensions& from)
{
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        return DeviceAxes{ { selectedEntries(device->spec.entries, from, SpecEntry::none()) } };
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        return LogicalAxes{ selectedEntries(logical->names, from, LogicalName::none()) };
    if (const auto* specified = std::get_if<ExplicitSharding>(&annotation)) {
        ProgramSharding sharding = *specified->specified;
        const DimensionSharding unsharded{ {}, false, -1 };
        sharding.sharding.dims = selectedEntries(*specified->specified->sharding.dims, from, unsharded);
        sharding.sharding.dims.resize(from.size(), unsharded);
        return ExplicitSharding{ std::make_shared<const ProgramSharding>(std::move(sharding)) };
    }
    return annotation;
}

} // namespace shardscope
