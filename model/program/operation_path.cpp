// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/operation_path.h"

#include "base/text.h"

namespace shardscope {

std::string operationPath(const Program& program, OperationId operation)
{
    for (const ValueId result : program.operation(operation).results)
        if (const std::string& path = program.value(result).path; !path.empty())
            return path;
    return '%' + std::to_string(operation.index);
}

OperationId findOperation(const Program& program, std::string_view path)
{
    if (path.starts_with('%')) {
        const auto number = wholeNumber<std::size_t>(path.substr(1));
        return number && *number < program.operations.size() ? OperationId(*number) : OperationId();
    }
    const ValueId value = path.empty() ? ValueId() : program.find(path);
    return value.valid() ? program.value(value).definition : OperationId();
}

} // namespace shardscope
