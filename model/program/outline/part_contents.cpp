// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/part_contents.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "program/calls.h"

namespace shardscope {

namespace {

/// How much an operation tells of what it stands in.
enum class Telling : std::uint8_t { Nothing, Elements, Arrays, Call, Collective, Product, Loop };

Telling tellingOf(const Operation& operation)
{
    using enum OpKind;
    if (isCollective(operation.kind))
        return Telling::Collective;
    switch (operation.kind) {
    case While:
        return Telling::Loop;
    case DotGeneral:
    case Dot:
    case Convolution:
    case ChloRaggedDot:
        return Telling::Product;
    case SdyAllGather:
    case SdyAllReduce:
    case SdyAllSlice:
    case SdyAllToAll:
    case SdyCollectivePermute:
    case SdyReduceScatter:
        return Telling::Collective;
    case Call:
    case CustomCall:
    case Composite:
    case If:
    case Case:
        return Telling::Call;
    case Reduce:
    case VariadicReduce:
    case ReduceWindow:
    case SelectAndScatter:
    case Gather:
    case Scatter:
    case Sort:
    case DynamicSlice:
    case DynamicUpdateSlice:
    case Cholesky:
    case TriangularSolve:
    case Fft:
    case Rng:
    case RngBitGenerator:
    case BatchNormInference:
    case BatchNormTraining:
    case BatchNormGrad:
    case ChloTopK:
        return Telling::Arrays;
    case Constant:
    case SdyConstant:
    case Iota:
    case Convert:
    case BitcastConvert:
    case BroadcastInDim:
    case Reshape:
    case Transpose:
    case Slice:
    case Pad:
    case Concatenate:
    case ShardingConstraint:
    case OptimizationBarrier:
    case Tuple:
    case GetTupleElement:
    case AfterAll:
    case CreateToken:
    case PartitionId:
    case ReplicaId:
    case DataFlowEdge:
    case FuncDataFlowEdge:
        return Telling::Nothing;
    default:
        return Telling::Elements;
    }
}

/// What is named alike in a sum.
using AlikeName = std::pair<OpKind, std::string_view>;

AlikeName nameOf(const Operation& operation)
{
    if (const std::string* callee = calleeOf(operation))
        return { operation.kind, nameWithoutNumber(*callee) };
    if (const auto* call = attributesAs<CustomCallAttributes>(operation.attributes))
        return { operation.kind, call->target };
    if (const auto* opaque = attributesAs<OpaqueAttributes>(operation.attributes))
        return { operation.kind, opaque->name };
    return { operation.kind, {} };
}

struct Sum {
    Telling telling = Telling::Nothing;
    PartContent content;
    double elements = 0; ///< that they make
};

class Contents {
public:
    Contents(const Program& program, const ProgramOutline& outline)
        : m_program(program)
        , m_outline(outline)
    {
    }

    /// What tells less than `least` does not count.
    void add(int index, Telling least)
    {
        const ProgramPart& part = m_outline.part(index);
        if (part.kind == PartKind::Operation) {
            const Operation& operation = m_program.operation(part.operation);
            const Telling telling = tellingOf(operation);
            if (telling >= least)
                add(part.operation, operation, telling);
            if (part.children.empty() || telling == Telling::Arrays)
                return; // bodies of those say how two elements become one
            if (telling == Telling::Call)
                least = std::max(least, Telling::Collective); // the rest is what its name says
        }
        for (const int child : part.children)
            add(child, least);
    }

    [[nodiscard]] std::vector<Sum> sums() const
    {
        std::vector<Sum> all;
        for (const auto& [name, sum] : m_sums)
            all.push_back(sum);
        std::sort(all.begin(), all.end(), [](const Sum& a, const Sum& b) {
            return std::tuple(b.telling, b.elements, a.content.operation.index)
                < std::tuple(a.telling, a.elements, b.content.operation.index);
        });
        return all;
    }

private:
    void add(OperationId id, const Operation& operation, Telling telling)
    {
        Sum& sum = m_sums[nameOf(operation)];
        if (sum.content.count++ == 0) {
            sum.content.operation = id;
            sum.telling = telling;
        }
        for (const ValueId result : operation.results) {
            double elements = 1;
            for (const std::int64_t size : m_program.value(result).type.shape)
                elements *= static_cast<double>(std::max<std::int64_t>(size, 1));
            sum.elements += elements;
        }
    }

    const Program& m_program;
    const ProgramOutline& m_outline;
    std::map<AlikeName, Sum> m_sums;
};

} // namespace

std::string_view nameWithoutNumber(std::string_view name)
{
    const std::size_t last = name.find_last_not_of("0123456789");
    const bool isNumbered = last != std::string_view::npos && last > 0 && last + 1 < name.size()
        && (name[last] == '_' || name[last] == '.');
    return isNumbered ? nameWithoutNumber(name.substr(0, last)) : name;
}

std::vector<PartContent> contentsOf(const Program& program, const ProgramOutline& outline, int part, std::size_t most)
{
    Contents contents(program, outline);
    contents.add(part, Telling::Nothing);
    std::vector<PartContent> found;
    Telling first = Telling::Nothing;
    for (const Sum& sum : contents.sums()) {
        if (found.size() == most)
            break;
        if (found.empty())
            first = sum.telling;
        else if (first > Telling::Elements && sum.telling <= Telling::Elements)
            break; // hardly worth a word beside that
        found.push_back(sum.content);
    }
    return found;
}

} // namespace shardscope
