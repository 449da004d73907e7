// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <charconv>

#include "partition/partition.h"
#include "program/op_row.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

constexpr std::array reductionNames{ "add", "maximum", "minimum", "multiply", "and", "or" };
constexpr std::array comparisonNames{ "EQ", "NE", "LT", "LE", "GT", "GE" };
constexpr std::size_t largestGroupText = 512; ///< device ids; beyond that groups are summed up

std::string number(double value)
{
    std::array<char, 32> buffer{};
    return { buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr };
}

std::string list(const Dimensions& dimensions)
{
    std::string text;
    for (const std::int64_t dimension : dimensions)
        text += (text.empty() ? "[" : ", ") + std::to_string(dimension);
    return text.empty() ? "[]" : text + ']';
}

struct AttributeText {
    std::string operator()(const ConstantAttributes& a) const
    {
        return a.values.size() == 1 ? " dense<" + number(a.values[0]) + '>'
                                    : " dense<" + std::to_string(a.values.size()) + " values>";
    }
    std::string operator()(const DotGeneralAttributes& a) const
    {
        return (a.lhsBatch.empty() ? "" : ", batching_dims = " + list(a.lhsBatch) + " x " + list(a.rhsBatch))
            + ", contracting_dims = " + list(a.lhsContracting) + " x " + list(a.rhsContracting);
    }
    std::string operator()(const BroadcastAttributes& a) const { return ", dims = " + list(a.dimensions); }
    std::string operator()(const TransposeAttributes& a) const { return ", dims = " + list(a.permutation); }
    std::string operator()(const ReduceAttributes& a) const
    {
        return std::string(" applies ") + reductionNames[static_cast<std::size_t>(a.kind)]
            + " across dimensions = " + list(a.dimensions);
    }
    std::string operator()(const CompareAttributes& a) const
    {
        return std::string(", ") + comparisonNames[static_cast<std::size_t>(a.direction)];
    }
    std::string operator()(const IotaAttributes& a) const { return " dim = " + std::to_string(a.dimension); }
    template <class Other>
    std::string operator()(const Other&) const
    {
        return {};
    }
};

class Printer {
public:
    explicit Printer(const DeviceProgram& program)
        : m_device(program)
        , m_program(*program.program)
        , m_mesh(*program.mesh)
    {
    }

    std::string print()
    {
        std::string text = "module @" + m_program.name + " {\n  sdy.mesh @mesh = " + toShardy(m_mesh) + '\n';
        text += "  func.func public @main(";
        const std::vector<ValueId>& arguments = m_program.main().arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i)
            text += (i == 0 ? "\n      " : ",\n      ") + typed(DeviceValueId(arguments[i].index));
        text += ") -> (";
        for (std::size_t i = 0; i < m_device.results.size(); ++i)
            text += (i == 0 ? "" : ", ") + toString(m_device.value(m_device.results[i]).localType);
        text += ") {\n";
        for (const DeviceOp& op : m_device.ops)
            text += "    " + line(op) + '\n';
        text += "    return";
        for (std::size_t i = 0; i < m_device.results.size(); ++i)
            text += (i == 0 ? " " : ", ") + nameOf(m_device.results[i]);
        return text + "\n  }\n}\n";
    }

private:
    std::string nameOf(DeviceValueId id) const
    {
        const std::string& path = m_program.value(m_device.value(id).stem).path;
        const std::string plain = '%' + std::to_string(id.index);
        if (path.empty())
            return plain;
        return id.index < m_program.values.size() ? '%' + quoted(path) : plain;
    }
    static std::string quoted(const std::string& path) { return '"' + path + '"'; }

    std::string typed(DeviceValueId id) const
    {
        return nameOf(id) + ": " + toString(m_device.value(id).localType) + ' '
            + toShardy(m_device.value(id).sharding, m_mesh);
    }

    std::string line(const DeviceOp& op) const
    {
        std::string text = nameOf(op.results[0]) + " = ";
        const Collective* collective = op.collective();
        std::string note;
        if (collective) {
            text += name(collective->kind);
        } else {
            const Operation& operation = m_program.operation(std::get<OperationId>(op.action));
            text += name(operation.kind);
        }
        for (std::size_t i = 0; i < op.operands.size(); ++i)
            text += (i == 0 ? " " : ", ") + nameOf(op.operands[i]);
        if (collective) {
            text += exchange(*collective);
        } else {
            const Operation& operation = m_program.operation(std::get<OperationId>(op.action));
            text += std::visit(AttributeText(), operation.attributes);
        }
        text += " : " + toString(m_device.value(op.results[0]).localType);
        if (collective)
            text += "  // sends " + number(collective->sentBytes.value()) + " bytes" + because(op);
        return text;
    }

    std::string because(const DeviceOp& op) const
    {
        if (!op.reason)
            return {};
        const std::string& path = m_program.value(op.stem).path;
        const std::string of = path.empty() ? "" : " of " + path;
        switch (op.reason->kind) {
        case Reason::Kind::ReducedFactor:
        case Reason::Kind::PartialOperand:
            return ", partial sum" + of;
        case Reason::Kind::OperandReshard:
            return ", reshard" + of + " as an operand";
        case Reason::Kind::ResultReshard:
            return ", reshard" + of + " as a result";
        case Reason::Kind::ConstraintReshard:
            return ", reshard" + of + " for its constraint";
        case Reason::Kind::ReturnReshard:
            return ", reshard" + of + " for its return";
        case Reason::Kind::BorderReshard:
            return ", reshard" + of + " at a loop, branch or computation";
        case Reason::Kind::CallReshard:
            return ", reshard" + of + " for a call";
        case Reason::Kind::SingleDevice:
            return ", moved" + of + " to or from a single device";
        case Reason::Kind::Halo:
            return ", halo" + of;
        }
        return {};
    }

    std::string axes(const AxisList& list) const
    {
        std::string text;
        for (const AxisRef& axis : list)
            text += (text.empty() ? "{" : ", ") + quoted(toString(m_mesh, axis));
        return text.empty() ? "{}" : text + '}';
    }

    std::string exchange(const Collective& collective) const
    {
        std::string text;
        switch (collective.kind) {
        case CollectiveKind::AllReduce:
        case CollectiveKind::CollectivePermute:
            text = ' ' + axes(collective.axes);
            break;
        case CollectiveKind::AllToAll:
            text = ' ' + axes(collective.moved) + ": " + std::to_string(collective.sourceDimension) + "->"
                + std::to_string(collective.targetDimension);
            break;
        case CollectiveKind::AllGather:
        case CollectiveKind::AllSlice:
        case CollectiveKind::ReduceScatter:
            for (const AxisList& list : collective.perDimension)
                text += (text.empty() ? " [" : ", ") + axes(list);
            text += ']';
            break;
        }
        if (collective.kind == CollectiveKind::AllReduce || collective.kind == CollectiveKind::ReduceScatter)
            text += std::string(" applies ") + reductionNames[static_cast<std::size_t>(collective.reduction)];
        if (collective.kind == CollectiveKind::AllSlice)
            return text;
        return text + ", replica_groups = " + groups(axesOf(collective));
    }

    std::string groups(const AxisList& list) const
    {
        const std::int64_t size = product(list);
        if (static_cast<std::size_t>(m_mesh.deviceCount()) > largestGroupText)
            return std::to_string(m_mesh.deviceCount() / size) + " groups of " + std::to_string(size);
        std::string text;
        for (const std::vector<std::int32_t>& group : axisGroups(m_mesh, list)) {
            std::string members;
            for (const std::int32_t position : group)
                members += (members.empty() ? "[" : ", ") + std::to_string(m_mesh.deviceAt(position));
            text += (text.empty() ? "[" : ", ") + members + ']';
        }
        return text + ']';
    }

    const DeviceProgram& m_device;
    const Program& m_program;
    const Mesh& m_mesh;
};

} // namespace

std::string print(const DeviceProgram& program)
{
    return Printer(program).print();
}

} // namespace shardscope
