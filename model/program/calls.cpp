// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/calls.h"

namespace shardscope {

const std::string* calleeOf(const Operation& operation)
{
    if (const auto* call = attributesAs<CallAttributes>(operation.attributes))
        return &call->callee;
    const auto* composite = attributesAs<CompositeAttributes>(operation.attributes);
    return composite ? &composite->decomposition : nullptr;
}

Attributes withCallee(const Attributes& attributes, std::string callee)
{
    if (const auto* composite = attributesAs<CompositeAttributes>(attributes)) {
        CompositeAttributes changed = *composite;
        changed.decomposition = std::move(callee);
        return otherAttributes(std::move(changed));
    }
    return otherAttributes(CallAttributes{ std::move(callee) });
}

} // namespace shardscope
