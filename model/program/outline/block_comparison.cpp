// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/outline/block_comparison.h"

#include "program/calls.h"

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
    , m_functions(program)
    , m_partnerOfA(program.values.size())
    , m_partnerOfB(program.values.size())
{
}

bool BlockComparison::same(Stretch a, Stretch b)
{
    const bool equal = sameLists(a, b);
    forget();
    return equal;
}

bool BlockComparison::same(RegionId a, RegionId b)
{
    const bool equal = sameRegions(a, b);
    forget();
    return equal;
}

void BlockComparison::forget()
{
    for (const ValueId value : m_touchedA)
        m_partnerOfA[value.index] = {};
    for (const ValueId value : m_touchedB)
        m_partnerOfB[value.index] = {};
    m_touchedA.clear();
    m_touchedB.clear();
    m_called.clear();
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

bool BlockComparison::sameRegions(RegionId a, RegionId b)
{
    const Region &inA = m_program.regions[a.index], &inB = m_program.regions[b.index];
    if (inA.arguments.size() != inB.arguments.size() || inA.results.size() != inB.results.size())
        return false;
    for (std::size_t i = 0; i < inA.arguments.size(); ++i)
        if (!pair(inA.arguments[i], inB.arguments[i]))
            return false;
    if (!sameLists(inA.operations, inB.operations))
        return false;
    for (std::size_t i = 0; i < inA.results.size(); ++i)
        if (!pair(inA.results[i], inB.results[i]))
            return false;
    return true;
}

/// But for how values are sharded, and for what copies of a function are called.
bool BlockComparison::sameAttributes(const Operation& a, const Operation& b)
{
    if (std::holds_alternative<ConstraintAttributes>(a.attributes)
        && std::holds_alternative<ConstraintAttributes>(b.attributes))
        return true;
    if (attributesAs<OwnShardingAttributes>(a.attributes) && attributesAs<OwnShardingAttributes>(b.attributes))
        return true;
    if (a.attributes == b.attributes)
        return true;
    constexpr int deepest = 64; // calls in calls
    const std::string *calleeOfA = calleeOf(a), *calleeOfB = calleeOf(b);
    if (!calleeOfA || !calleeOfB || m_calls >= deepest || withCallee(a.attributes, *calleeOfB) != b.attributes)
        return false;
    const Function* inA = m_functions.find(m_program, *calleeOfA);
    const Function* inB = m_functions.find(m_program, *calleeOfB);
    if (!inA || !inB)
        return false;
    // What was the same before is so again: the values in it are partners.
    if (!m_called.emplace(inA->body, inB->body).second)
        return true;
    ++m_calls;
    const bool equal = sameRegions(inA->body, inB->body);
    --m_calls;
    return equal;
}

bool BlockComparison::sameOperation(const Operation& a, const Operation& b)
{
    if (a.kind != b.kind || a.operands.size() != b.operands.size() || a.results.size() != b.results.size()
        || a.regions.size() != b.regions.size()
        || (a.extra != b.extra && m_program.dictionaries[a.extra] != m_program.dictionaries[b.extra])
        || !sameAttributes(a, b))
        return false;
    for (std::size_t i = 0; i < a.operands.size(); ++i)
        if (!pair(a.operands[i], b.operands[i]))
            return false;
    for (std::size_t i = 0; i < a.regions.size(); ++i)
        if (!sameRegions(a.regions[i], b.regions[i]))
            return false;
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
