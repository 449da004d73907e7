// SPDX-License-Identifier: GPL-3.0-or-later
// Whoever works on memory of the devices wants their positions in the mesh, whatever ids stand there.
#pragma once

#include <memory>

#include "sharding/layout.h"

namespace shardscope {

/// The same layout on the same axes in plain order, where ids are positions: its holders() are positions of `layout`,
/// in the same order, and nothing has to be looked up in the device order.
[[nodiscard]] inline Layout inPlainOrder(const Layout& layout)
{
    const auto axes = layout.mesh().axes();
    auto mesh = Mesh::create({ axes.begin(), axes.end() });
    return Layout(std::make_shared<const Mesh>(std::move(mesh).value()), layout.sharding(), layout.shape());
}

/// The coordinates of a device along the axes over which an array is still to be added up, as one number below
/// Layout::addends().
[[nodiscard]] inline std::size_t addendAt(const Layout& layout, std::int64_t position)
{
    std::int64_t addend = 0;
    for (const AxisRef& ref : layout.sharding().unreduced) {
        const auto axis = static_cast<std::size_t>(ref.axis);
        const std::int64_t minor = layout.mesh().size(axis) / ref.next();
        addend = addend * ref.size + layout.mesh().coordinate(position, axis) / minor % ref.size;
    }
    return static_cast<std::size_t>(addend);
}

} // namespace shardscope
