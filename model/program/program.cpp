// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/program.h"

#include <algorithm>

#include "program/other_attributes.h"

namespace shardscope {

std::size_t annotationRank(const Annotation& annotation)
{
    if (const auto* device = std::get_if<DeviceAxes>(&annotation))
        return device->spec.size();
    if (const auto* logical = std::get_if<LogicalAxes>(&annotation))
        return logical->names.size();
    if (const auto* specified = std::get_if<ExplicitSharding>(&annotation))
        return specified->specified->sharding.rank();
    return 0;
}

bool SharedAttributes::operator==(const SharedAttributes& other) const
{
    return held == other.held || *held == *other.held;
}

const Function* Program::function(std::string_view functionName) const
{
    const auto found =
        std::find_if(functions.begin(), functions.end(), [&](const Function& f) { return f.name == functionName; });
    return found == functions.end() ? nullptr : &*found;
}

ValueId Program::find(std::string_view path) const
{
    if (path.empty())
        return {};
    const auto found = std::find_if(values.begin(), values.end(), [&](const Value& v) { return v.path == path; });
    return found == values.end() ? ValueId() : ValueId(static_cast<std::size_t>(found - values.begin()));
}

Where placeOf(const Program& program, const Operation& operation)
{
    Where where;
    const SourcePlace& place = program.sources[operation.source < program.sources.size() ? operation.source : 0];
    where.line = static_cast<int>(place.line);
    where.column = static_cast<int>(place.column);
    return where;
}

std::vector<std::vector<OperationId>> usersOf(const Program& program)
{
    std::vector<std::vector<OperationId>> users(program.values.size());
    for (const Region& region : program.regions)
        for (const OperationId id : region.operations)
            for (const ValueId operand : program.operation(id).operands)
                users[operand.index].push_back(id);
    return users;
}

std::size_t operationCount(const Program& program)
{
    std::vector<RegionId> waiting;
    for (const Function& function : program.functions)
        waiting.push_back(function.body);
    if (program.functions.empty() && !program.regions.empty())
        waiting.push_back(RegionId(0));
    std::size_t count = 0;
    while (!waiting.empty()) {
        const Region& region = program.regions[waiting.back().index];
        waiting.pop_back();
        count += region.operations.size();
        for (const OperationId id : region.operations) {
            const Operation& operation = program.operation(id);
            waiting.insert(waiting.end(), operation.regions.begin(), operation.regions.end());
        }
    }
    return count;
}

} // namespace shardscope
