// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/device_program.h"

namespace shardscope {

Layout DeviceProgram::layout(DeviceValueId id) const
{
    const DeviceValue& held = value(id);
    return Layout(mesh, held.sharding, program->value(held.origin).type.shape);
}

std::vector<CollectiveUse> collectives(const DeviceProgram& program)
{
    const std::vector<bool> isOfLoss = scalarsOfLoss(*program.program);
    std::vector<CollectiveUse> uses;
    for (std::size_t i = 0; i < program.ops.size(); ++i) {
        const Collective* collective = program.ops[i].collective();
        if (!collective)
            continue;
        uses.push_back({ DeviceOpId(i), collective->kind, axesOf(*collective), collective->sentBytes,
            isOfLoss[program.ops[i].origin.index] });
    }
    return uses;
}

SentBytes sentBytes(const DeviceProgram& program)
{
    SentBytes sum;
    for (const CollectiveUse& use : collectives(program))
        (use.scalarLoss ? sum.scalarLoss : sum.step) += use.sentBytes;
    return sum;
}

} // namespace shardscope
