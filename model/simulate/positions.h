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

} // namespace shardscope
