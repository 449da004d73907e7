// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/initial_shardings.h"

#include <algorithm>
#include <unordered_map>

#include "program/other_attributes.h"
#include "propagation/data_flow.h"
#include "sharding/sharding_edit.h"

namespace shardscope {

namespace {

/// What asks for a sharding: an operation, and which of its tensors that is. Operands count first.
struct Asker {
    OperationId operation = {};
    std::int16_t tensor = -1;
};

class Collector {
public:
    Collector(const Program& program, const MeshTable& meshes, ShardingTable& shardings)
        : m_program(program)
        , m_meshes(meshes)
        , m_shardings(shardings)
    {
        m_found.values.reserve(m_program.values.size());
        for (const Value& value : m_program.values)
            m_found.values.push_back(m_shardings.absent(value.type.rank()));
    }

    InitialShardings collect()
    {
        std::vector<char> isArgument(m_program.values.size(), 0);
        for (const ValueId argument : m_program.main().arguments)
            isArgument[argument.index] = 1;
        findAskers();
        for (std::size_t v = 0; v < m_program.valueShardings.size(); ++v)
            if (const ProgramSharding* sharding = m_program.shardingOf(ValueId(v)))
                set(isArgument[v] != 0 ? SeedKind::Argument : SeedKind::Constraint, ValueId(v), *sharding, askerOf(v));
        for (std::size_t o = 0; o < m_program.operations.size(); ++o)
            ofAttributes(OperationId(o));
        closeTaken();
        const std::vector<ShardingIndex> none;
        const std::vector<ShardingIndex>& declared =
            m_program.functions.empty() ? none : m_program.functions.front().resultShardings;
        for (std::size_t r = 0; r < m_program.main().results.size(); ++r) {
            const ShardingIndex index = r < declared.size() ? declared[r] : 0;
            const ProgramSharding* sharding = index == 0 ? nullptr : &m_program.shardings[index - 1];
            declare(r, sharding ? &sharding->sharding : nullptr, sharding ? sharding->mesh + 1 : 0);
        }
        return std::move(m_found);
    }

private:
    void set(SeedKind kind, ValueId value, const ProgramSharding& sharding, const Asker& asker = {})
    {
        if (sharding.mesh >= m_meshes.meshes().size())
            return; // of a mesh that is not declared: the program is not legal
        annotate(kind, value, sharding.sharding, sharding.mesh + 1, asker);
    }
    void annotate(
        SeedKind kind, ValueId value, const TensorSharding& sharding, std::uint32_t mesh, const Asker& asker = {})
    {
        m_found.values[value.index] = m_shardings.number(sharding, mesh);
        addSeeds(kind, value, sharding, -1, asker);
    }
    void declare(std::size_t result, const TensorSharding* sharding, std::uint32_t mesh)
    {
        const ValueId returned = m_program.main().results[result];
        if (sharding) {
            m_found.results.push_back(m_shardings.number(*sharding, mesh));
            addSeeds(SeedKind::Result, returned, *sharding, static_cast<std::int32_t>(result));
        } else {
            m_found.results.push_back(m_shardings.absent(m_program.value(returned).type.rank()));
        }
    }
    void addSeeds(
        SeedKind kind, ValueId value, const TensorSharding& sharding, std::int32_t result, const Asker& asker = {})
    {
        PropagationStep seed;
        seed.seed = kind;
        seed.to = value;
        seed.result = result;
        seed.operation = asker.operation;
        seed.toTensor = asker.tensor;
        for (std::size_t d = 0; d < sharding.dims.size(); ++d) {
            seed.toDimension = static_cast<std::int16_t>(d);
            for (const AxisRef& axis : sharding.dims[d].axes) {
                seed.axis = axis;
                m_found.records.push_back(seed);
            }
        }
    }

    void setResults(OperationId id, const std::vector<ProgramSharding>& shardings)
    {
        const Operation& operation = m_program.operation(id);
        for (std::size_t i = 0; i < std::min<std::size_t>(operation.results.size(), shardings.size()); ++i)
            set(SeedKind::Constraint, operation.results[i], shardings[i],
                { id, static_cast<std::int16_t>(operation.operands.size() + i) });
    }
    void setArguments(
        OperationId id, const std::vector<ProgramSharding>& shardings, const std::vector<std::string>& manualAxes)
    {
        const Operation& operation = m_program.operation(id);
        if (operation.regions.empty())
            return;
        const std::vector<ValueId>& arguments = m_program.regions[operation.regions[0].index].arguments;
        for (std::size_t i = 0; i < std::min(arguments.size(), shardings.size()); ++i) {
            const ManualView view = manualView(shardings[i], manualAxes, m_meshes);
            const Asker asker{ id, static_cast<std::int16_t>(i) };
            ProgramSharding sharding = shardings[i];
            sharding.sharding = withoutManualAxes(sharding.sharding, view);
            set(SeedKind::Constraint, arguments[i], sharding, asker);
            if (i < operation.operands.size())
                addBoundarySeeds(arguments[i], operation.operands[i], view, asker);
        }
    }
    /// The axes that a computation takes over shard its operand, not the argument of its body.
    void addBoundarySeeds(ValueId argument, ValueId operand, const ManualView& view, const Asker& asker)
    {
        PropagationStep seed;
        seed.seed = SeedKind::Constraint;
        seed.operation = asker.operation;
        seed.toTensor = asker.tensor;
        seed.from = operand;
        seed.to = argument;
        for (std::size_t d = 0; d < view.dims.size(); ++d) {
            seed.toDimension = static_cast<std::int16_t>(d);
            for (const AxisRef& axis : view.dims[d]) {
                seed.axis = axis;
                m_found.records.push_back(seed);
            }
        }
    }
    /// A pass may have given a value what a constraint or a computation asks of it: these are named then.
    void findAskers()
    {
        if (m_program.valueShardings.empty())
            return;
        const auto note = [&](ValueId value, OperationId id, std::size_t operand, const ProgramSharding& asked) {
            const ProgramSharding* own = m_program.shardingOf(value);
            if (own && m_program.value(value).definition.valid() && *own == asked)
                m_askers.emplace(value.index, Asker{ id, static_cast<std::int16_t>(operand) });
        };
        for (std::size_t o = 0; o < m_program.operations.size(); ++o) {
            const Operation& operation = m_program.operations[o];
            if (const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
                if (const auto* specified = std::get_if<ExplicitSharding>(&constraint->annotation))
                    note(operation.operands.front(), OperationId(o), 0, *specified->specified);
            } else if (const auto* manual = attributesAs<ManualComputationAttributes>(operation.attributes)) {
                for (std::size_t i = 0; i < std::min<std::size_t>(operation.operands.size(), manual->in.size()); ++i)
                    note(operation.operands[i], OperationId(o), i, manual->in[i]);
            }
        }
    }
    [[nodiscard]] Asker askerOf(std::size_t value) const
    {
        const auto found = m_askers.find(static_cast<std::uint32_t>(value));
        return found == m_askers.end() ? Asker() : found->second;
    }

    /// What a collective takes and gives fits together as it is written: neither takes another axis.
    void setCollective(OperationId id, const SdyCollectiveAttributes& collective)
    {
        const Operation& operation = m_program.operation(id);
        ProgramSharding out = collective.out;
        closeDimensions(out.sharding);
        set(SeedKind::Constraint, operation.results.front(), out,
            { id, static_cast<std::int16_t>(operation.operands.size()) });
        if (out.mesh < m_meshes.meshes().size())
            m_taken.emplace_back(operation.operands.front(), out.mesh + 1);
    }
    /// Once all shardings are known.
    void closeTaken()
    {
        for (const auto& [value, mesh] : m_taken) {
            ShardingNumber& number = m_found.values[value.index];
            TensorSharding sharding = m_shardings[number];
            closeDimensions(sharding);
            const std::uint32_t own = m_shardings.mesh(number);
            number = m_shardings.number(sharding, own == 0 ? mesh : own);
        }
    }

    /// Shardings that stand in attributes belong to results, or to the arguments of a body.
    void ofAttributes(OperationId id)
    {
        const Operation& operation = m_program.operation(id);
        const Asker result{ id, static_cast<std::int16_t>(operation.operands.size()) };
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&operation.attributes)) {
            if (const auto* specified = std::get_if<ExplicitSharding>(&constraint->annotation))
                set(SeedKind::Constraint, operation.results.front(), *specified->specified, result);
            return;
        }
        const auto* otherAttributes = std::get_if<SharedAttributes>(&operation.attributes);
        if (!otherAttributes)
            return;
        const OtherAttributesVariant& attributes = otherAttributes->held->value;
        if (const auto* own = std::get_if<OwnShardingAttributes>(&attributes)) {
            if (own->sharding)
                set(SeedKind::Constraint, operation.results.front(), *own->sharding, result);
        } else if (const auto* manual = std::get_if<ManualComputationAttributes>(&attributes)) {
            setResults(id, manual->out);
            setArguments(id, manual->in, manual->manualAxes);
        } else if (const auto* named = std::get_if<NamedComputationAttributes>(&attributes)) {
            setResults(id, named->out);
            setArguments(id, named->in, {});
        } else if (const auto* collective = std::get_if<SdyCollectiveAttributes>(&attributes)) {
            setCollective(id, *collective);
        }
    }

    const Program& m_program;
    const MeshTable& m_meshes;
    ShardingTable& m_shardings;
    InitialShardings m_found;
    std::unordered_map<std::uint32_t, Asker> m_askers; ///< by ValueId
    std::vector<std::pair<ValueId, std::uint32_t>> m_taken; ///< by collectives, with the number of their mesh
};

} // namespace

InitialShardings initialShardings(const Program& program, const MeshTable& meshes, ShardingTable& shardings)
{
    return Collector(program, meshes, shardings).collect();
}

} // namespace shardscope
