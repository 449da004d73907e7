// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/propagate_program.h"

#include <algorithm>
#include <unordered_map>

#include "program/other_attributes.h"
#include "propagation/data_flow.h"
#include "propagation/sharding_groups.h"
#include "sharding/sharding_edit.h"

namespace shardscope {

namespace {

class Writer {
public:
    Writer(const Program& program, const PropagationResult& result, bool dropPriorities)
        : m_input(program)
        , m_meshes(program.meshes)
        , m_result(result)
        , m_dropPriorities(dropPriorities)
        , m_program(program)
    {
        m_program.valueShardings.resize(program.values.size(), 0);
        for (const ProgramSharding& sharding : program.shardings)
            m_numbers.push_back(number(sharding));
        for (const ShardingGroup& group : shardingGroups(program))
            noteGroup(group);
    }

    Program write()
    {
        mark();
        for (const Region& region : m_input.regions)
            for (const OperationId id : region.operations)
                writeOperation(id);
        for (const Region& region : m_input.regions)
            for (const ValueId argument : region.arguments)
                if (m_holds[argument.index] != 0)
                    writeValue(argument);
        writeResults();
        return std::move(m_program);
    }

private:
    /// Arguments of functions hold shardings of their own; those of other bodies do not. The sharding of what an edge
    /// operation stands on is kept by that.
    void mark()
    {
        m_hasEdge.assign(m_input.values.size(), 0);
        for (const Operation& operation : m_input.operations)
            if (operation.kind == OpKind::DataFlowEdge)
                m_hasEdge[operation.operands[0].index] = 1;
        m_holds.assign(m_input.values.size(), 0);
        const auto markBody = [&](const Region& body) {
            for (const ValueId argument : body.arguments)
                m_holds[argument.index] = 1;
        };
        if (m_input.functions.empty())
            markBody(m_input.main());
        for (const Function& function : m_input.functions)
            markBody(m_input.regions[function.body.index]);
    }

    /// What one member of a group is given, all of them are.
    void noteGroup(const ShardingGroup& group)
    {
        for (const ValueId member : group.members) {
            const ProgramSharding* specified = m_input.shardingOf(member);
            if (!specified || isFullyOpen(specified->sharding))
                continue;
            for (const ValueId other : group.members)
                m_groupSharding.emplace(other, specified);
            return;
        }
    }

    [[nodiscard]] bool hasSharding(ValueId value) const { return m_result.meshes[value.index] != 0; }
    /// What propagation found for the value, in the place of `old`.
    [[nodiscard]] ProgramSharding found(const TensorSharding& sharding, std::uint32_t mesh, const ProgramSharding* old)
    {
        ProgramSharding made{ mesh - 1, sharding, old ? old->unreducedKind : ReduceKind::Sum };
        if (m_dropPriorities || !old || !(old->sharding == sharding))
            dropPriorities(made.sharding);
        return made;
    }
    [[nodiscard]] ProgramSharding found(ValueId value, const ProgramSharding* old)
    {
        return found(m_result.shardings[value.index], m_result.meshes[value.index], old);
    }

    ShardingNumber number(const ProgramSharding& sharding)
    {
        return m_table.number(
            sharding.sharding, sharding.mesh * 8 + static_cast<std::uint32_t>(sharding.unreducedKind));
    }
    ShardingIndex index(ProgramSharding sharding)
    {
        const ShardingNumber wanted = number(sharding);
        if (m_indexOf.size() <= wanted)
            m_indexOf.resize(wanted + 1, 0);
        if (m_indexOf[wanted] == 0) {
            const auto known = std::find(m_numbers.begin(), m_numbers.end(), wanted);
            m_indexOf[wanted] = static_cast<ShardingIndex>(known - m_numbers.begin()) + 1;
            if (known == m_numbers.end()) {
                m_program.shardings.push_back(std::move(sharding));
                m_numbers.push_back(wanted);
            }
        }
        return m_indexOf[wanted];
    }
    void writeValue(ValueId value)
    {
        if (!hasSharding(value) || m_hasEdge[value.index] != 0)
            return;
        const auto group = m_groupSharding.find(value);
        m_program.valueShardings[value.index] =
            index(found(value, group == m_groupSharding.end() ? m_input.shardingOf(value) : group->second));
    }
    void writeOperation(OperationId id)
    {
        Operation& operation = m_program.operations[id.index];
        if (auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
            const auto* specified = std::get_if<ExplicitSharding>(&constraint->annotation);
            if (hasSharding(operation.results[0]))
                constraint->annotation = ExplicitSharding{ std::make_shared<const ProgramSharding>(
                    found(operation.results[0], specified ? specified->specified.get() : nullptr)) };
            return;
        }
        if (const auto* own = attributesAs<OwnShardingAttributes>(operation.attributes)) {
            if (hasSharding(operation.results[0]))
                operation.attributes = otherAttributes(
                    OwnShardingAttributes{ found(operation.results[0], own->sharding ? &*own->sharding : nullptr) });
            return;
        }
        if (const auto* collective = attributesAs<SdyCollectiveAttributes>(operation.attributes)) {
            SdyCollectiveAttributes changed = *collective;
            changed.out = found(operation.results[0], &collective->out);
            operation.attributes = otherAttributes(std::move(changed));
            return;
        }
        if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes)) {
            ManualComputationAttributes changed = *manual;
            if (!operation.regions.empty())
                writeBoundary(changed.in, m_input.regions[operation.regions[0].index].arguments, manual->manualAxes);
            writeBoundary(changed.out, operation.results, {});
            operation.attributes = otherAttributes(std::move(changed));
            return;
        }
        if (const auto* named = attributesAs<NamedComputationAttributes>(operation.attributes)) {
            NamedComputationAttributes changed = *named;
            if (!operation.regions.empty())
                writeBoundary(changed.in, m_input.regions[operation.regions[0].index].arguments, {});
            writeBoundary(changed.out, operation.results, {});
            operation.attributes = otherAttributes(std::move(changed));
            return;
        }
        for (const ValueId result : operation.results)
            writeValue(result);
    }
    /// Shardings of what crosses the boundary of a body; the arguments inside are known without the manual axes.
    template <class Values>
    void writeBoundary(
        std::vector<ProgramSharding>& boundary, const Values& values, const std::vector<std::string>& manualAxes)
    {
        if (boundary.empty() && std::any_of(values.begin(), values.end(), [&](ValueId v) { return hasSharding(v); })) {
            std::uint32_t mesh = 0;
            for (const ValueId value : values)
                mesh = mesh == 0 ? m_result.meshes[value.index] : mesh;
            for (const ValueId value : values)
                boundary.push_back(
                    { mesh - 1, TensorSharding::open(m_input.value(value).type.rank()), ReduceKind::Sum });
        }
        for (std::size_t i = 0; i < std::min<std::size_t>(boundary.size(), values.size()); ++i) {
            if (!hasSharding(values[i]) || m_hasEdge[values[i].index] != 0)
                continue;
            ProgramSharding changed = found(values[i], &boundary[i]);
            if (!manualAxes.empty()) {
                // The manual axes stay where they are; those that are not mentioned stay so.
                ManualView view = manualView(boundary[i], manualAxes, m_meshes);
                view.replicated.clear();
                for (const AxisRef& axis : boundary[i].sharding.replicated)
                    if ((view.axes >> axis.axis & 1U) != 0)
                        view.replicated.push_back(axis);
                changed.sharding = withManualAxes(std::move(changed.sharding), view);
            }
            boundary[i] = std::move(changed);
        }
    }
    void writeResults()
    {
        const std::vector<std::uint32_t>& meshes = m_result.resultMeshes;
        if (m_program.functions.empty() || std::all_of(meshes.begin(), meshes.end(), [](auto m) { return m == 0; }))
            return;
        std::vector<ShardingIndex>& declared = m_program.functions.front().resultShardings;
        declared.resize(m_result.results.size(), 0);
        for (std::size_t r = 0; r < declared.size(); ++r) {
            const ProgramSharding* old = declared[r] == 0 ? nullptr : &m_input.shardings[declared[r] - 1];
            if (meshes[r] != 0)
                declared[r] = index(found(m_result.results[r], meshes[r], old));
        }
    }

    const Program& m_input;
    const MeshTable m_meshes;
    const PropagationResult& m_result;
    bool m_dropPriorities;
    Program m_program;
    std::vector<char> m_holds; ///< per ValueId: an argument with a sharding of its own
    std::unordered_map<ValueId, const ProgramSharding*> m_groupSharding; ///< per member of a group
    std::vector<char> m_hasEdge; ///< per ValueId: an edge operation stands on it
    ShardingTable m_table;
    std::vector<ShardingNumber> m_numbers; ///< per sharding of the program
    std::vector<ShardingIndex> m_indexOf; ///< by number; 0 = not looked up yet
};

} // namespace

Program withShardings(const Program& program, const PropagationResult& result, bool dropPriorities)
{
    return Writer(program, result, dropPriorities).write();
}

PropagatedProgram propagateProgram(const Program& program, Strategy strategy, const PropagationOptions& options)
{
    PropagatedProgram propagated;
    std::optional<ResolvedGroups> resolved;
    if (!shardingGroups(program).empty()) {
        resolved = resolveShardingGroups(program);
        propagated.groupConflicts = std::move(resolved->conflicts);
    }
    const Program& source = resolved ? resolved->program : program;
    PropagationInput input;
    input.program = ProgramPtr(&source, [](const Program*) {}); // lives longer than the input
    input.strategy = strategy;
    input.options = options;
    propagated.result = propagate(input);
    propagated.program = withShardings(source, propagated.result, strategy == Strategy::Full);
    return propagated;
}

} // namespace shardscope
