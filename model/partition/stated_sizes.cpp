// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/stated_sizes.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

void fitStatedSizes(Operation& operation, const Shape& before, const Shape& now)
{
    const auto fit = [&](DimensionList& sizes) {
        for (std::size_t d = 0; d < std::min<std::size_t>(sizes.size(), before.size()); ++d)
            if (now[d] != before[d] && sizes[d] == before[d])
                sizes.edit()[d] = now[d];
    };
    if (const auto* slice = attributesAs<SliceAttributes>(operation.attributes)) {
        SliceAttributes fitted = *slice;
        fit(fitted.limits);
        operation.attributes = otherAttributes(std::move(fitted));
    } else if (const auto* dynamic = attributesAs<DynamicSliceAttributes>(operation.attributes)) {
        DynamicSliceAttributes fitted = *dynamic;
        fit(fitted.sizes);
        operation.attributes = otherAttributes(std::move(fitted));
    } else if (const auto* gather = attributesAs<GatherAttributes>(operation.attributes)) {
        GatherAttributes fitted = *gather;
        fit(fitted.sliceSizes);
        operation.attributes = otherAttributes(std::move(fitted));
    }
}

} // namespace shardscope
