// SPDX-License-Identifier: GPL-3.0-or-later
#include "stablehlo/same_program.h"

#include <algorithm>

#include "program/op_row.h"
#include "program/other_attributes.h"

namespace shardscope {

namespace {

class ProgramPair {
public:
    ProgramPair(const Program& a, const Program& b, bool locations)
        : m_a(a)
        , m_b(b)
        , m_locations(locations)
        , m_values(a.values.size())
    {
    }

    std::string run()
    {
        if (m_a.name != m_b.name)
            return "names of the programs";
        if (!sameDictionary(m_a.extra, m_b.extra))
            return "attributes of the module";
        for (const ProgramMesh& mesh : m_a.meshes) {
            // The one in the same place, if it is equal: a mesh that is written twice is there twice.
            auto found = m_b.meshes.begin() + static_cast<std::ptrdiff_t>(std::min(m_meshes.size(), m_b.meshes.size()));
            if (found == m_b.meshes.end() || !(*found == mesh))
                found = std::find(m_b.meshes.begin(), m_b.meshes.end(), mesh);
            if (found == m_b.meshes.end())
                return "mesh @" + mesh.name;
            m_meshes.push_back(static_cast<std::uint32_t>(found - m_b.meshes.begin()));
        }
        if (m_a.meshes.size() != m_b.meshes.size())
            return "number of meshes";
        if (m_a.functions.size() != m_b.functions.size())
            return "number of functions";
        if (m_a.state != m_b.state && m_a.functions.empty())
            return "state";
        if (m_a.functions.empty()) {
            m_where = "@main";
            return sameRegion(RegionId(0), RegionId(0)) ? std::string() : m_where;
        }
        for (std::size_t i = 0; i < m_a.functions.size(); ++i)
            if (!sameFunction(m_a.functions[i], m_b.functions[i]))
                return m_where;
        return {};
    }

private:
    bool differs(const std::string& what)
    {
        m_where += ": " + what;
        return false;
    }

    [[nodiscard]] bool sameDictionary(std::uint32_t a, std::uint32_t b) const
    {
        return m_a.dictionaries[a] == m_b.dictionaries[b];
    }
    [[nodiscard]] bool sameType(const TensorType& a, const TensorType& b) const
    {
        return a.dtype == b.dtype && a.shape == b.shape
            && (a.dtype != DType::Other || m_a.otherTypes[a.other] == m_b.otherTypes[b.other]);
    }
    [[nodiscard]] ProgramSharding onOther(ProgramSharding sharding) const
    {
        sharding.mesh = m_meshes[sharding.mesh];
        return sharding;
    }
    [[nodiscard]] bool sameSharding(ShardingIndex a, ShardingIndex b) const
    {
        if (a == 0 || b == 0)
            return a == b;
        return onOther(m_a.shardings[a - 1]) == m_b.shardings[b - 1];
    }

    bool sameValue(ValueId a, ValueId b)
    {
        const Value &one = m_a.value(a), &other = m_b.value(b);
        m_values[a.index] = b;
        if (!sameType(one.type, other.type))
            return differs("type");
        if (one.index != other.index || one.role != other.role || one.path != other.path
            || one.dimNames != other.dimNames)
            return differs("name or role of a value");
        const ProgramSharding *left = m_a.shardingOf(a), *right = m_b.shardingOf(b);
        if ((left == nullptr) != (right == nullptr) || (left && onOther(*left) != *right))
            return differs("sharding of a value");
        return true;
    }

    template <class List>
    bool sameOperands(const List& a, const List& b)
    {
        return std::equal(
            a.begin(), a.end(), b.begin(), b.end(), [this](ValueId x, ValueId y) { return m_values[x.index] == y; });
    }

    bool sameFunction(const Function& a, const Function& b)
    {
        m_where = '@' + a.name;
        if (a.name != b.name || a.isPublic != b.isPublic || !sameDictionary(a.extra, b.extra))
            return differs("head of the function");
        const auto sameExtras = [this](const std::vector<std::uint32_t>& x, const std::vector<std::uint32_t>& y) {
            for (std::size_t i = 0; i < std::max(x.size(), y.size()); ++i)
                if (!sameDictionary(i < x.size() ? x[i] : 0, i < y.size() ? y[i] : 0))
                    return false;
            return true;
        };
        if (!sameExtras(a.argumentExtras, b.argumentExtras) || !sameExtras(a.resultExtras, b.resultExtras))
            return differs("attributes of arguments or results");
        for (std::size_t i = 0; i < std::max(a.resultShardings.size(), b.resultShardings.size()); ++i)
            if (!sameSharding(i < a.resultShardings.size() ? a.resultShardings[i] : 0,
                    i < b.resultShardings.size() ? b.resultShardings[i] : 0))
                return differs("sharding of result " + std::to_string(i));
        return sameRegion(a.body, b.body);
    }

    bool sameRegion(RegionId a, RegionId b)
    {
        const Region &one = m_a.regions[a.index], &other = m_b.regions[b.index];
        if (one.arguments.size() != other.arguments.size())
            return differs("number of arguments");
        for (std::size_t i = 0; i < one.arguments.size(); ++i)
            if (!sameValue(one.arguments[i], other.arguments[i]))
                return false;
        if (one.operations.size() != other.operations.size())
            return differs("number of operations, " + std::to_string(one.operations.size()) + " and "
                + std::to_string(other.operations.size()));
        const std::string where = m_where;
        for (std::size_t i = 0; i < one.operations.size(); ++i) {
            const Operation& left = m_a.operation(one.operations[i]);
            m_where = where + ", operation " + std::to_string(i) + " (" + qualifiedName(left) + ')';
            if (!sameOperation(left, m_b.operation(other.operations[i])))
                return false;
        }
        m_where = where;
        return sameOperands(one.results, other.results) || differs("returned values");
    }

    bool sameOperation(const Operation& a, const Operation& b)
    {
        if (a.kind != b.kind || qualifiedName(a) != qualifiedName(b))
            return differs("kind, " + qualifiedName(b));
        if (!sameOperands(a.operands, b.operands))
            return differs("operands");
        if (!sameAttributes(a.attributes, b.attributes))
            return differs("attributes");
        if (!sameDictionary(a.extra, b.extra))
            return differs("kept attributes");
        if (m_locations && m_a.sources[a.source].location != m_b.sources[b.source].location)
            return differs("location");
        if (m_locations && scope(m_a, a) != scope(m_b, b))
            return differs("scope");
        if (a.regions.size() != b.regions.size() || a.results.size() != b.results.size())
            return differs("number of bodies or results");
        for (std::size_t i = 0; i < a.regions.size(); ++i)
            if (!sameRegion(a.regions[i], b.regions[i]))
                return false;
        for (std::size_t i = 0; i < a.results.size(); ++i)
            if (!sameValue(a.results[i], b.results[i]))
                return false;
        return true;
    }

    static std::string_view scope(const Program& program, const Operation& op)
    {
        return op.scope < program.scopes.size() ? std::string_view(program.scopes[op.scope]) : std::string_view();
    }

    [[nodiscard]] bool sameAttributes(const Attributes& a, const Attributes& b) const
    {
        if (a.index() != b.index())
            return false;
        if (const auto* constraint = std::get_if<ConstraintAttributes>(&a)) {
            const auto* specified = std::get_if<ExplicitSharding>(&constraint->annotation);
            const auto* other = std::get_if<ExplicitSharding>(&std::get<ConstraintAttributes>(b).annotation);
            if (specified && other)
                return onOther(*specified->specified) == *other->specified;
            return a == b;
        }
        const auto onOtherMeshes = [this](std::vector<ProgramSharding> list) {
            for (ProgramSharding& sharding : list)
                sharding = onOther(std::move(sharding));
            return list;
        };
        if (const auto* own = attributesAs<OwnShardingAttributes>(a); own && own->sharding)
            return otherAttributes(OwnShardingAttributes{ onOther(*own->sharding) }) == b;
        if (const auto* manual = attributesAs<ManualComputationAttributes>(a))
            return otherAttributes(ManualComputationAttributes{
                       onOtherMeshes(manual->in), onOtherMeshes(manual->out), manual->manualAxes })
                == b;
        if (const auto* named = attributesAs<NamedComputationAttributes>(a))
            return otherAttributes(
                       NamedComputationAttributes{ named->name, onOtherMeshes(named->in), onOtherMeshes(named->out) })
                == b;
        if (const auto* collective = attributesAs<SdyCollectiveAttributes>(a)) {
            SdyCollectiveAttributes other = *collective;
            other.out = onOther(std::move(other.out));
            return otherAttributes(std::move(other)) == b;
        }
        return a == b;
    }

    const Program& m_a;
    const Program& m_b;
    bool m_locations;
    std::vector<ValueId> m_values; ///< by ValueId of a: the same value of b
    std::vector<std::uint32_t> m_meshes; ///< by index of a: the same mesh of b
    std::string m_where;
};

} // namespace

std::string difference(const Program& a, const Program& b, bool locations)
{
    return ProgramPair(a, b, locations).run();
}

} // namespace shardscope
