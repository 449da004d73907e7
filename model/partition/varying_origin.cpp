// SPDX-License-Identifier: GPL-3.0-or-later
// From what a value has an axis over which it varies.
// Declared in varying_axes.h.
#include <map>
#include <set>

#include "partition/varying_axes.h"
#include "program/calls.h"

namespace shardscope {

namespace {

/// From which values another one may have an axis: those that vary over it, of what it is computed from.
class Origins {
public:
    Origins(const Program& program, const std::vector<AxisSet>& values, std::size_t axis)
        : m_program(program)
        , m_values(values)
        , m_axis(axis)
    {
        for (std::size_t i = 0; i < program.operations.size(); ++i) {
            for (const RegionId region : program.operations[i].regions)
                m_owners[region.index].push_back(OperationId(i));
            if (const std::string* callee = calleeOf(program.operations[i]))
                if (const Function* function = program.function(*callee))
                    m_owners[function->body.index].push_back(OperationId(i));
        }
        for (std::size_t i = 0; i < program.regions.size(); ++i)
            for (const ValueId argument : program.regions[i].arguments)
                m_regionOf[argument.index] = i;
    }

    /// The nearest one that has it from no other.
    [[nodiscard]] ValueId of(ValueId value) const
    {
        std::vector<ValueId> queue{ value };
        std::set<std::uint32_t> seen{ value.index };
        for (std::size_t next = 0; next < queue.size(); ++next) {
            const std::vector<ValueId> sources = sourcesOf(queue[next]);
            if (sources.empty())
                return queue[next];
            for (const ValueId source : sources)
                if (seen.insert(source.index).second)
                    queue.push_back(source);
        }
        return value;
    }

private:
    [[nodiscard]] bool varies(ValueId value) const { return contains(m_values[value.index], m_axis); }
    void add(std::vector<ValueId>& sources, const std::vector<ValueId>& from, std::size_t index) const
    {
        if (index < from.size() && varies(from[index]))
            sources.push_back(from[index]);
    }
    [[nodiscard]] const std::vector<ValueId>& resultsOf(RegionId region) const
    {
        return m_program.regions[region.index].results;
    }

    [[nodiscard]] std::vector<ValueId> sourcesOf(ValueId value) const
    {
        std::vector<ValueId> sources;
        const Value& own = m_program.value(value);
        if (!own.definition.valid())
            return ofArgument(value);
        const Operation& op = m_program.operation(own.definition);
        const std::string* callee = calleeOf(op);
        const Function* function = callee ? m_program.function(*callee) : nullptr;
        if (function) {
            add(sources, resultsOf(function->body), own.index);
            return sources;
        }
        const std::vector<ValueId> operands(op.operands.begin(), op.operands.end());
        if (op.kind == OpKind::While) {
            add(sources, operands, own.index);
            add(sources, resultsOf(op.regions[1]), own.index);
            add(sources, resultsOf(op.regions[0]), 0);
            return sources;
        }
        if (op.kind == OpKind::If || op.kind == OpKind::Case) {
            for (const RegionId branch : op.regions)
                add(sources, resultsOf(branch), own.index);
            add(sources, operands, 0);
            return sources;
        }
        for (std::size_t i = 0; i < operands.size(); ++i)
            add(sources, operands, i);
        return sources;
    }
    [[nodiscard]] std::vector<ValueId> ofArgument(ValueId argument) const
    {
        std::vector<ValueId> sources;
        const std::size_t index = m_program.value(argument).index;
        const auto region = m_regionOf.find(argument.index);
        const auto owners = region == m_regionOf.end() ? m_owners.end() : m_owners.find(region->second);
        if (owners == m_owners.end())
            return sources;
        for (const OperationId id : owners->second) {
            const Operation& op = m_program.operation(id);
            if (const auto own = manualBody(m_program, op);
                own && index < own->arguments.size() && contains(own->arguments[index], m_axis))
                continue; // it is sharded here
            add(sources, { op.operands.begin(), op.operands.end() }, index);
            if (op.kind != OpKind::While)
                continue;
            add(sources, resultsOf(op.regions[1]), index);
            add(sources, resultsOf(op.regions[0]), 0);
        }
        return sources;
    }

    const Program& m_program;
    const std::vector<AxisSet>& m_values;
    std::size_t m_axis;
    std::map<std::size_t, std::vector<OperationId>>
        m_owners; ///< per region: the operations that it is a body of, or calls
    std::map<std::uint32_t, std::size_t> m_regionOf; ///< per argument
};

} // namespace

ValueId VaryingAxes::origin(const Program& program, ValueId value, std::size_t axis) const
{
    return Origins(program, values, axis).of(value);
}

} // namespace shardscope
