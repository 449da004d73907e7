// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include "program/editor.h"
#include "program/other_attributes.h"
#include "program/value_shardings.h"
#include "propagation/passes.h"

namespace shardscope::passes {

Program constraintsToReshards(Program program)
{
    for (Operation& operation : program.operations)
        if (operation.kind == OpKind::ShardingConstraint)
            if (const ProgramSharding* sharding = ownSharding(operation)) {
                operation.attributes = otherAttributes(OwnShardingAttributes{ *sharding });
                operation.kind = OpKind::Reshard;
            }
    return program;
}

Program dropUnusedReshards(Program program)
{
    Editor edit(std::move(program));
    for (std::size_t i = edit.program().operations.size(); i-- > 0;) { // users stand after what they use, mostly
        OperationId id(i);
        while (edit.regionOf(id).valid() && edit.operation(id).kind == OpKind::Reshard
            && edit.uses(edit.result(id)).empty()) {
            const OperationId before = edit.value(edit.operation(id).operands[0]).definition;
            edit.erase(id);
            if (!before.valid())
                break;
            id = before;
        }
    }
    return std::move(edit).finish();
}

} // namespace shardscope::passes
