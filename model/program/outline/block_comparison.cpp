// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/block_comparison.h"

#include "program/wide_attributes.h"

namespace shardscope {

namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value)
{
    return (seed ^ value) * 0x9e3779b97f4a7c15ULL + (seed >> 7);
}

std::uint64_t label(const Program& program, const Operation& operation)
{
    std::uint64_t seed = mixed(static_cast<std::uint64_t>(operation.kind), operation.operands.size());
    seed = mixed(seed, operation.attributes.index());
    for (const ValueId result : operation.results) {
        const TensorType& type = program.value(result).type;
        seed = mixed(seed, static_cast<std::uint64_t>(type.dtype));
        for (const std::int64_t size : type.shape)
            seed = mixed(seed, static_cast<std::uint64_t>(size));
    }
    return seed;
}

/// But for how values are sharded.
bool sameAttributes(const Attributes& a, const Attributes& b)
{
    if (std::holds_alternative<ConstraintAttributes>(a) && std::holds_alternative<ConstraintAttributes>(b))
        return true;
    if (wideAs<OwnShardingAttributes>(a) && wideAs<OwnShardingAttributes>(b))
        return true;
    return a == b;
}

} // namespace

std::uint64_t stretchLabel(const Program& program, Stretch operations)
{
    if (operations.size() == 1)
        return label(program, program.operation(operations.front()));
    std::uint64_t seed = operations.size();
    for (const OperationId id : operations)
        seed = mixed(seed, label(program, program.operation(id)));
    return seed;
}

BlockComparison::BlockComparison(const Program& program)
    : m_program(program)
    , m_partnerOfA(program.values.size())
    , m_partnerOfB(program.values.size())
{
}

bool BlockComparison::same(Stretch a, Stretch b)
{
    const bool equal = sameLists(a, b);
    for (const ValueId value : m_touchedA)
        m_partnerOfA[value.index] = {};
    for (const ValueId value : m_touchedB)
        m_partnerOfB[value.index] = {};
    m_touchedA.clear();
    m_touchedB.clear();
    return equal;
}

bool BlockComparison::sameLists(Stretch a, Stretch b)
{
    if (a.size() != b.size())
        return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!sameOperation(m_program.operation(a[i]), m_program.operation(b[i])))
            return false;
    return true;
}

bool BlockComparison::sameOperation(const Operation& a, const Operation& b)
{
    if (a.kind != b.kind || a.operands.size() != b.operands.size() || a.results.size() != b.results.size()
        || a.regions.size() != b.regions.size() || !sameAttributes(a.attributes, b.attributes)
        || (a.extra != b.extra && m_program.dictionaries[a.extra] != m_program.dictionaries[b.extra]))
        return false;
    for (std::size_t i = 0; i < a.operands.size(); ++i)
        if (!pair(a.operands[i], b.operands[i]))
            return false;
    for (std::size_t i = 0; i < a.regions.size(); ++i) {
        const Region& inA = m_program.regions[a.regions[i].index];
        const Region& inB = m_program.regions[b.regions[i].index];
        if (inA.arguments.size() != inB.arguments.size() || inA.results.size() != inB.results.size())
            return false;
        for (std::size_t k = 0; k < inA.arguments.size(); ++k)
            if (!pair(inA.arguments[k], inB.arguments[k]))
                return false;
        if (!sameLists(inA.operations, inB.operations))
            return false;
        for (std::size_t k = 0; k < inA.results.size(); ++k)
            if (!pair(inA.results[k], inB.results[k]))
                return false;
    }
    for (std::size_t i = 0; i < a.results.size(); ++i)
        if (!pair(a.results[i], b.results[i]))
            return false;
    return true;
}

bool BlockComparison::pair(ValueId a, ValueId b)
{
    ValueId& partnerOfA = m_partnerOfA[a.index];
    ValueId& partnerOfB = m_partnerOfB[b.index];
    if (partnerOfA.valid() || partnerOfB.valid())
        return partnerOfA == b && partnerOfB == a;
    if (!(m_program.value(a).type == m_program.value(b).type))
        return false;
    partnerOfA = b;
    partnerOfB = a;
    m_touchedA.push_back(a);
    m_touchedB.push_back(b);
    return true;
}

} // namespace shardscope
