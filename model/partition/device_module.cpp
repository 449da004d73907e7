// SPDX-License-Identifier: GPL-3.0-or-later
#include "partition/device_module.h"

#include <algorithm>
#include <array>

#include "base/codes.h"
#include "program/wide_attributes.h"

namespace shardscope {

namespace {

/// Builds the program over global shapes with collectives of Shardy, which localize() takes.
class ModuleBuilder {
public:
    explicit ModuleBuilder(const DeviceProgram& device)
        : m_device(device)
    {
    }

    Result<Program> run() &&
    {
        const Program& network = *m_device.program;
        m_out.name = network.name;
        m_out.scopes = network.scopes;
        m_out.state = network.state;
        m_out.meshes.push_back({ "mesh", m_device.mesh });
        Function main;
        main.name = "main";
        main.body = RegionId(0);
        m_out.functions.push_back(std::move(main));
        m_out.regions.emplace_back();
        for (std::size_t i = 0; i < m_device.values.size(); ++i)
            addNetworkValue(i);
        m_out.regions[0].arguments = network.main().arguments;
        findReductions();
        for (std::size_t i = 0; i < m_device.values.size(); ++i)
            m_out.valueShardings[i] = intern(shardingOf(DeviceValueId(i)));
        for (const DeviceOp& op : m_device.ops)
            if (const Result<void> added = add(op); !added)
                return tl::unexpected(added.error());
        for (const DeviceValueId result : m_device.results)
            m_out.regions[0].results.push_back(ValueId(result.index));
        return std::move(m_out);
    }

private:
    void addNetworkValue(std::size_t index)
    {
        const Program& network = *m_device.program;
        const DeviceValue& own = m_device.values[index];
        const Value& origin = network.value(own.origin);
        Value value;
        value.type = paddedType(own);
        if (index < network.values.size()) {
            value.path = origin.path;
            value.role = origin.role;
            value.dimNames = origin.dimNames;
            value.index = origin.index; // of arguments; others are told when their operation is added
        }
        m_out.values.push_back(std::move(value));
        m_out.valueShardings.push_back(0);
    }

    /// The global array with the padding of its shards.
    static TensorType paddedType(const DeviceValue& value)
    {
        TensorType type = value.localType;
        for (std::size_t d = 0; d < type.rank(); ++d)
            type.shape[d] *= shardCount(value.sharding.dims[d]);
        return type;
    }

    /// How the parts of a value are put together: as the collective does that reads them.
    void findReductions()
    {
        m_reductions.assign(m_device.values.size(), ReduceKind::Sum);
        for (const DeviceOp& op : m_device.ops)
            if (const Collective* collective = op.collective())
                for (const DeviceValueId operand : op.operands)
                    m_reductions[operand.index] = collective->reduction;
    }

    [[nodiscard]] ProgramSharding shardingOf(DeviceValueId id) const
    {
        return { 0, m_device.value(id).sharding, m_reductions[id.index] };
    }
    ShardingIndex intern(ProgramSharding sharding)
    {
        m_out.shardings.push_back(std::move(sharding));
        return static_cast<ShardingIndex>(m_out.shardings.size());
    }

    ValueId addValue(TensorType type, const ProgramSharding& sharding)
    {
        Value value;
        value.type = std::move(type);
        m_out.values.push_back(std::move(value));
        m_out.valueShardings.push_back(intern(sharding));
        return ValueId(m_out.values.size() - 1);
    }

    void addOperation(Operation operation)
    {
        const OperationId id(m_out.operations.size());
        for (std::size_t r = 0; r < operation.results.size(); ++r) {
            Value& result = m_out.values[operation.results[r].index];
            result.definition = id;
            result.index = static_cast<std::uint32_t>(r);
        }
        m_out.regions[0].operations.push_back(id);
        m_out.operations.push_back(std::move(operation));
    }

    Result<void> add(const DeviceOp& op)
    {
        Operation operation;
        for (const DeviceValueId operand : op.operands)
            operation.operands.push_back(ValueId(operand.index));
        for (const DeviceValueId result : op.results)
            operation.results.push_back(ValueId(result.index));
        if (const Collective* collective = op.collective())
            return addExchange(op, *collective, std::move(operation));
        const Operation& own = m_device.program->operation(std::get<OperationId>(op.action));
        operation.kind = own.kind;
        operation.scope = own.scope;
        if (own.kind == OpKind::ShardingConstraint)
            operation.attributes = ConstraintAttributes{};
        else
            operation.attributes = own.attributes;
        addOperation(std::move(operation));
        return {};
    }

    Result<void> addExchange(const DeviceOp& op, const Collective& collective, Operation operation)
    {
        SdyCollectiveAttributes attributes;
        attributes.out = shardingOf(op.results[0]);
        attributes.kind = collective.reduction;
        switch (collective.kind) {
        case CollectiveKind::AllReduce:
            operation.kind = OpKind::SdyAllReduce;
            attributes.axes = collective.axes;
            break;
        case CollectiveKind::AllGather:
            operation.kind = OpKind::SdyAllGather;
            attributes.axesPerDimension = collective.perDimension;
            break;
        case CollectiveKind::ReduceScatter:
            operation.kind = OpKind::SdyReduceScatter;
            attributes.axesPerDimension = collective.perDimension;
            break;
        case CollectiveKind::AllSlice:
            operation.kind = OpKind::SdyAllSlice;
            attributes.axesPerDimension = collective.perDimension;
            break;
        case CollectiveKind::AllToAll:
            operation.kind = OpKind::SdyAllToAll;
            attributes.moves = { { collective.moved, collective.sourceDimension, collective.targetDimension } };
            break;
        case CollectiveKind::CollectivePermute:
            operation.kind = OpKind::SdyCollectivePermute;
            break;
        }
        operation.attributes = wide(std::move(attributes));
        return addFitted(op, std::move(operation));
    }

    /// Around the exchange dimensions change between their true length, where nothing divides them, and the length that
    /// their shards make together.
    Result<void> addFitted(const DeviceOp& op, Operation operation)
    {
        const DeviceValue &from = m_device.value(op.operands[0]), &to = m_device.value(op.results[0]);
        TensorType source = paddedType(from), target = paddedType(to);
        TensorType before = source, after = target; // what the exchange itself takes and returns
        for (std::size_t d = 0; d < source.rank(); ++d) {
            if (source.shape[d] == target.shape[d])
                continue;
            if (shardCount(from.sharding.dims[d]) == 1)
                before.shape[d] = target.shape[d];
            else if (shardCount(to.sharding.dims[d]) == 1)
                after.shape[d] = source.shape[d];
            else
                return fail(Code::NotExecutable,
                    { { "op", std::string(name(op.collective()->kind)) }, { "operand", 0 }, { "dim", d },
                        { "size", m_device.program->value(from.origin).type.shape[d] },
                        { "partitions", shardCount(to.sharding.dims[d]) } });
        }
        if (before != source) {
            const ValueId padded = addValue(before, shardingOf(op.operands[0]));
            addPadding(operation.operands[0], padded, source, before);
            operation.operands[0] = padded;
        }
        const ValueId result = operation.results[0];
        if (after != target)
            operation.results[0] = addValue(after, shardingOf(op.results[0]));
        const ValueId made = operation.results[0];
        addOperation(std::move(operation));
        if (made != result)
            addSlice(made, result, target);
        return {};
    }

    void addPadding(ValueId value, ValueId padded, const TensorType& from, const TensorType& to)
    {
        const ValueId zero = addValue({ from.dtype, {} }, { 0, TensorSharding::fullyReplicated(0), ReduceKind::Sum });
        Operation constant;
        constant.kind = OpKind::Constant;
        constant.attributes = ConstantAttributes{ { 0.0 } };
        constant.results.push_back(zero);
        addOperation(std::move(constant));
        Dimensions none(from.rank()), high;
        for (std::size_t d = 0; d < from.rank(); ++d)
            high.push_back(to.shape[d] - from.shape[d]);
        Operation pad;
        pad.kind = OpKind::Pad;
        pad.attributes = wide(PadAttributes{ none, high, none });
        pad.operands = { value, zero };
        pad.results.push_back(padded);
        addOperation(std::move(pad));
    }

    void addSlice(ValueId value, ValueId result, const TensorType& to)
    {
        Dimensions starts(to.rank()), strides, limits;
        for (std::size_t d = 0; d < to.rank(); ++d) {
            strides.push_back(1);
            limits.push_back(to.shape[d]);
        }
        Operation slice;
        slice.kind = OpKind::Slice;
        slice.attributes = wide(SliceAttributes{ starts, limits, strides });
        slice.operands.push_back(value);
        slice.results.push_back(result);
        addOperation(std::move(slice));
    }

    const DeviceProgram& m_device;
    Program m_out;
    std::vector<ReduceKind> m_reductions; ///< by device value
};

} // namespace

Result<SpmdProgram> deviceModule(const DeviceProgram& device)
{
    Result<Program> program = ModuleBuilder(device).run();
    if (!program)
        return tl::unexpected(program.error());
    Result<SpmdProgram> local = localize(std::move(*program));
    if (!local)
        return local;
    if (std::vector<Diagnostic> wrong = verify(local->program); !wrong.empty())
        return tl::unexpected(std::move(wrong.front()));
    return local;
}

} // namespace shardscope
