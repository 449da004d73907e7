// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/device_program_of.h"

#include <algorithm>
#include <limits>

#include "base/codes.h"
#include "partition/shardy_collective.h"
#include "program/op_row.h"
#include "program/value_shardings.h"
#include "program/wide_attributes.h"

namespace shardscope {

namespace {

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

class FormFinder {
public:
    FormFinder(ProgramPtr program, MeshPtr mesh, const ShardedProgram& sharded, std::vector<TensorSharding> held)
        : m_program(*program)
        , m_sharded(sharded.program)
        , m_inserted(sharded.inserted)
        , m_copies(sharded.copies)
        , m_shardings(sharded.program)
        , m_held(std::move(held))
    {
        m_out.program = std::move(program);
        m_out.mesh = std::move(mesh);
    }

    Result<DeviceProgram> run()
    {
        for (std::size_t v = 0; v < m_program.values.size(); ++v)
            addValue(ValueId(v), m_held[v]);
        m_formOf.assign(m_sharded.values.size(), nothing);
        findOrigins();
        findStanding();
        for (const ValueId argument : m_sharded.main().arguments)
            take(argument);
        for (const ValueId argument : m_sharded.main().arguments)
            fulfilConstraints(argument);
        for (const OperationId id : m_sharded.main().operations) {
            const Operation& operation = m_sharded.operation(id);
            if (isPadding(id)) {
                m_formOf[operation.results[0].index] =
                    operation.operands.empty() ? nothing : m_formOf[operation.operands[0].index];
                continue;
            }
            if (const Result<void> done = isShardyCollective(operation.kind) ? exchange(id) : compute(id); !done)
                return tl::unexpected<Error>(done.error());
        }
        for (const ValueId result : m_sharded.main().results)
            m_out.results.emplace_back(m_formOf[result.index]);
        return std::move(m_out);
    }

private:
    [[nodiscard]] TensorSharding shardingOf(ValueId value) const
    {
        const ProgramSharding* found = m_shardings.of(value);
        return found ? found->sharding : TensorSharding::fullyReplicated(m_sharded.value(value).type.rank());
    }
    [[nodiscard]] const Reason* reasonOf(OperationId id) const
    {
        const auto found = std::lower_bound(m_inserted.begin(), m_inserted.end(), id,
            [](const passes::Inserted& one, OperationId wanted) { return one.operation < wanted; });
        return found != m_inserted.end() && found->operation == id ? &found->reason : nullptr;
    }

    /// The operation of the program that this one is, or is a copy of.
    [[nodiscard]] OperationId originalOf(OperationId id) const
    {
        if (id.index < m_program.operations.size())
            return id;
        const auto found =
            std::find_if(m_copies.begin(), m_copies.end(), [id](const auto& copy) { return copy.first == id; });
        return found != m_copies.end() ? found->second : OperationId();
    }
    /// Makes an array longer or shorter so that its shards are of one size. Shards of plans are padded as they are:
    /// the array stays what it is. And the number of which the padding is made, which has no form.
    [[nodiscard]] bool isPadding(OperationId id) const
    {
        const OpKind kind = m_sharded.operation(id).kind;
        return (kind == OpKind::Pad || kind == OpKind::Slice || kind == OpKind::Constant) && !originalOf(id).valid();
    }

    std::uint32_t addValue(ValueId origin, TensorSharding sharding)
    {
        const TensorType& type = m_program.value(origin).type;
        m_out.values.push_back({ origin, { type.dtype, shardShape(sharding, type.shape) }, std::move(sharding) });
        return static_cast<std::uint32_t>(m_out.values.size() - 1);
    }

    /// Of every value the one of the program that it is a form of, and the axes over which it is partial.
    void findOrigins()
    {
        m_origins.resize(m_sharded.values.size());
        m_partial.resize(m_sharded.values.size());
        for (std::size_t v = 0; v < std::min(m_program.values.size(), m_origins.size()); ++v)
            m_origins[v] = ValueId(v);
        for (const OperationId id : m_sharded.main().operations) {
            const Operation& operation = m_sharded.operation(id);
            if (id.index >= m_program.operations.size() && !operation.results.empty()) {
                if (const OperationId original = originalOf(id); original.valid())
                    m_origins[operation.results[0].index] = m_program.operation(original).results[0];
                else if (!operation.operands.empty())
                    m_origins[operation.results[0].index] = m_origins[operation.operands[0].index];
            }
            if (!isShardyCollective(operation.kind))
                continue;
            const auto& attributes = *wideAs<SdyCollectiveAttributes>(operation.attributes);
            if (operation.kind == OpKind::SdyAllReduce)
                m_partial[operation.operands[0].index] = attributes.axes;
            else if (operation.kind == OpKind::SdyReduceScatter)
                m_partial[operation.operands[0].index] =
                    axesOf(collectiveOf(attributes, CollectiveKind::ReduceScatter));
        }
    }

    /// Of every value of the program the one that stands for it: what its operation gives, that with its parts added
    /// up, or what a constraint's operand was resharded to.
    void findStanding()
    {
        m_standing.assign(m_program.values.size(), ValueId());
        m_isPlaced.resize(m_sharded.values.size());
        const auto isFinal = [&](ValueId value, ValueId origin) {
            return m_partial[value.index].empty() && shardingOf(value).isEquivalent(m_held[origin.index]);
        };
        for (const ValueId argument : m_sharded.main().arguments) {
            m_isPlaced[argument.index] = true;
            m_standing[argument.index] = argument;
        }
        for (const OperationId id : m_sharded.main().operations) {
            const Operation& operation = m_sharded.operation(id);
            for (const ValueId result : operation.results)
                m_isPlaced[result.index] = true;
            const ValueId result = operation.results[0];
            if (!isShardyCollective(operation.kind)) {
                if (const ValueId origin = m_origins[result.index]; origin.valid() && originalOf(id).valid()
                    && isFinal(result, origin) && (origin == result || !m_standing[origin.index].valid()))
                    m_standing[origin.index] = result;
                continue;
            }
            const ValueId origin = m_origins[result.index];
            const Reason* reason = reasonOf(id);
            if (!origin.valid() || !reason)
                continue;
            const OperationId maker = m_program.value(origin).definition;
            const bool completes =
                (reason->kind == Reason::Kind::ReducedFactor || reason->kind == Reason::Kind::ResultReshard)
                && reason->operation == maker;
            if ((completes || !m_standing[origin.index].valid()) && isFinal(result, origin))
                m_standing[origin.index] = result;
            if (reason->kind == Reason::Kind::ConstraintReshard && reason->operation.index < m_program.operations.size()
                && m_program.operation(reason->operation).kind == OpKind::ShardingConstraint)
                if (const ValueId constrained = m_program.operation(reason->operation).results[0];
                    isFinal(result, constrained))
                    m_standing[constrained.index] = result;
        }
        // Constraints that change nothing stand for their operand.
        for (const OperationId id : m_program.main().operations) {
            const Operation& operation = m_program.operation(id);
            if (operation.kind != OpKind::ShardingConstraint || m_standing[operation.results[0].index].valid())
                continue;
            const ValueId operand = m_standing[operation.operands[0].index];
            if (operand.valid() && isFinal(operand, operation.results[0]))
                m_standing[operation.results[0].index] = operand;
        }
        m_constraintsAt.resize(m_sharded.values.size());
        for (const OperationId id : m_program.main().operations) {
            const Operation& operation = m_program.operation(id);
            if (operation.kind != OpKind::ShardingConstraint)
                continue;
            if (const ValueId standing = m_standing[operation.results[0].index]; standing.valid())
                m_constraintsAt[standing.index].push_back(id);
        }
    }

    /// The value of the plan that a value becomes, and the constraints that it fulfils.
    void take(ValueId value)
    {
        const ValueId origin = m_origins[value.index];
        if (m_standing[origin.index] == value) {
            m_formOf[value.index] = origin.index;
        } else {
            TensorSharding sharding = shardingOf(value);
            for (const AxisRef axis : m_partial[value.index])
                sharding.unreduced.push_back(axis);
            std::sort(sharding.unreduced.begin(), sharding.unreduced.end());
            m_formOf[value.index] = addValue(origin, std::move(sharding));
        }
    }
    void fulfilConstraints(ValueId value)
    {
        for (const OperationId id : m_constraintsAt[value.index]) {
            DeviceOp op;
            op.action = id;
            op.operands.push_back(DeviceValueId(m_formOf[value.index]));
            op.origin = m_program.operation(id).results[0];
            op.results.push_back(DeviceValueId(op.origin.index));
            m_out.ops.push_back(std::move(op));
        }
    }

    /// The form of what an operation reads: of the value that the program names, where that one stands for it.
    [[nodiscard]] std::uint32_t formRead(OperationId original, std::size_t slot, ValueId value) const
    {
        const auto& operands = m_program.operation(original).operands;
        const bool isNamed = slot < operands.size() && m_standing[operands[slot].index] == value;
        return isNamed ? operands[slot].index : m_formOf[value.index];
    }
    Result<void> compute(OperationId id)
    {
        const Operation& operation = m_sharded.operation(id);
        const OperationId original = originalOf(id);
        if (!original.valid()) // masks padding, for the operation that reads it
            return {};
        if (operation.results.size() != 1)
            return notExecutable(id);
        DeviceOp op;
        op.action = original;
        for (std::size_t slot = 0; slot < operation.operands.size(); ++slot) {
            const std::uint32_t form = formRead(original, slot, operation.operands[slot]);
            if (form == nothing)
                return readsPadding(id, slot);
            op.operands.push_back(DeviceValueId(form));
        }
        take(operation.results[0]);
        op.results.push_back(DeviceValueId(m_formOf[operation.results[0].index]));
        op.origin = m_origins[operation.results[0].index];
        m_out.ops.push_back(std::move(op));
        fulfilConstraints(operation.results[0]);
        return {};
    }

    Result<void> exchange(OperationId id)
    {
        const Operation& operation = m_sharded.operation(id);
        const ValueId operand = operation.operands[0];
        const ValueId result = operation.results[0];
        const std::optional<CollectiveKind> kind = shardyCollectiveKind(operation.kind);
        if (!kind || !m_origins[result.index].valid() || m_formOf[operand.index] == nothing)
            return notExecutable(id);
        Collective collective = collectiveOf(*wideAs<SdyCollectiveAttributes>(operation.attributes), *kind);
        const DeviceValue& before = m_out.values[m_formOf[operand.index]];
        if (*kind == CollectiveKind::CollectivePermute)
            collective.axes = permutedAxes(shardingOf(operand), shardingOf(result), *m_out.mesh);
        collective.sentBytes =
            sentBytes(*wideAs<SdyCollectiveAttributes>(operation.attributes), collective, before.localType.byteCount());
        DeviceOp op;
        op.operands.push_back(DeviceValueId(m_formOf[operand.index]));
        op.origin = m_origins[result.index];
        take(result);
        op.results.push_back(DeviceValueId(m_formOf[result.index]));
        if (const Reason* reason = reasonOf(id))
            op.reason = *reason;
        op.action = std::move(collective);
        m_out.ops.push_back(std::move(op));
        fulfilConstraints(result);
        return {};
    }

    /// What the operation adds up along a dimension of shards that are not of one size.
    [[nodiscard]] tl::unexpected<Error> readsPadding(OperationId id, std::size_t slot) const
    {
        const Operation& operation = m_sharded.operation(id);
        const ValueId masked = operation.operands[slot];
        const ValueId operand = m_program.operation(id).operands[slot];
        const Shape& shape = m_program.value(operand).type.shape;
        const Shape padded = m_sharded.value(masked).type.shape;
        std::size_t dim = 0;
        while (dim + 1 < shape.size() && (dim >= padded.size() || padded[dim] == shape[dim]))
            ++dim;
        const TensorSharding sharding = shardingOf(masked);
        const std::int64_t partitions = dim < sharding.rank() ? shardCount(sharding.dims[dim]) : 1;
        const std::string own = m_program.value(operand).path;
        const std::string path = own.empty() ? std::string(m_program.value(operation.results[0]).path) : own;
        return fail(Code::NotExecutable,
            { { "op", opRow(operation.kind).name }, { "operand", slot }, { "dim", dim },
                { "size", dim < shape.size() ? shape[dim] : 0 }, { "partitions", partitions } },
            { {}, 0, 0, {}, path, static_cast<int>(dim) });
    }
    [[nodiscard]] tl::unexpected<Error> notExecutable(OperationId id) const
    {
        return fail(Code::NotExecutable, { { "op", opRow(m_sharded.operation(id).kind).name } });
    }

    const Program& m_program;
    const Program& m_sharded;
    const std::vector<passes::Inserted>& m_inserted;
    const passes::Origins& m_copies;
    ValueShardings m_shardings;
    std::vector<TensorSharding> m_held; ///< per value of the program
    DeviceProgram m_out;
    // Per value of the sharded program.
    std::vector<ValueId> m_origins;
    std::vector<AxisList> m_partial;
    std::vector<std::uint32_t> m_formOf;
    std::vector<bool> m_isPlaced;
    std::vector<std::vector<OperationId>> m_constraintsAt;
    std::vector<ValueId> m_standing; ///< per value of the program
};

} // namespace

Result<DeviceProgram> deviceProgramOf(
    ProgramPtr program, MeshPtr mesh, const ShardedProgram& sharded, std::vector<TensorSharding> held)
{
    return FormFinder(std::move(program), std::move(mesh), sharded, std::move(held)).run();
}

} // namespace shardscope
