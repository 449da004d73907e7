// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/parallel_call.h"

#include "program/extra_text.h"
#include "program/other_attributes.h"

namespace shardscope {

bool isParallelCall(const Operation& operation)
{
    const auto* opaque =
        operation.kind == OpKind::Opaque ? attributesAs<OpaqueAttributes>(operation.attributes) : nullptr;
    return opaque && opaque->name == "interpreter.run_parallel";
}

ParallelCall parallelCall(const Program& program, const Operation& operation)
{
    const std::string_view text = extraText(program, operation, "programs");
    ParallelCall found;
    std::int64_t rows = 0, names = 0;
    std::string_view name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '[')
            ++rows;
        if (text[i] != '@')
            continue;
        std::size_t end = i + 1;
        while (end < text.size() && text[end] != ',' && text[end] != ']' && text[end] != ' ')
            ++end;
        const std::string_view own = text.substr(i + 1, end - i - 1);
        if (names++ > 0 && own != name)
            return {};
        name = own;
    }
    --rows; // the list itself
    if (rows < 1 || names % rows != 0)
        return {};
    found.function = program.function(name);
    found.replicas = rows;
    found.partitions = names / rows;
    return found;
}

} // namespace shardscope
