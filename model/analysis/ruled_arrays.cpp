// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/ruled_arrays.h"

namespace shardscope {

std::vector<RuledArray> ruledArrays(const Snapshot& snapshot, const RulesSetting& rules)
{
    std::vector<RuledArray> found;
    if (!snapshot.annotations || !snapshot.program)
        return found;
    for (const auto* annotations : { &snapshot.annotations->arguments, &snapshot.annotations->constraints })
        for (const ResolvedAnnotation& annotation : *annotations) {
            const auto* logical = std::get_if<LogicalAxes>(&annotation.declared);
            const Value& value = snapshot.program->value(annotation.value);
            if (logical && logical->names.size() == value.type.shape.size())
                found.push_back({ { value.path, logical->names, value.type.shape },
                    listOfArray(*snapshot.experiment, rules, *value.path) });
        }
    return found;
}

} // namespace shardscope
