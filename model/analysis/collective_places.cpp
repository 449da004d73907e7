// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/collective_places.h"

#include <algorithm>

#include "pipeline/collective_list.h"
#include "pipeline/tensor_rows.h"

namespace shardscope {

namespace {

std::uint64_t keyOfReader(ValueId value, OperationId reader)
{
    return static_cast<std::uint64_t>(value.index) << 32 | reader.index;
}

/// The operand that it is sent for; invalid where all who read the value read what comes of it.
ValueId operandOf(const Program& program, const CollectiveEntry& entry)
{
    if (!entry.reason || entry.reason->operation.index >= program.operations.size())
        return {};
    const Reason& reason = *entry.reason;
    if (reason.kind == Reason::Kind::ReducedFactor || reason.kind == Reason::Kind::ResultReshard
        || reason.kind == Reason::Kind::ReturnReshard)
        return {};
    const auto& operands = program.operation(reason.operation).operands;
    if (reason.slot >= 0 && static_cast<std::size_t>(reason.slot) < operands.size())
        return operands[static_cast<std::size_t>(reason.slot)];
    if (std::find(operands.begin(), operands.end(), entry.value) != operands.end())
        return entry.value;
    return reason.kind == Reason::Kind::ConstraintReshard && !operands.empty() ? operands[0] : ValueId();
}

/// The operation of the program that it is; invalid where partitioning has put it in.
OperationId ownOperation(const Program& program, const CollectiveList& list, const CollectiveEntry& entry)
{
    if (entry.reason)
        return {};
    OperationId own = entry.operation;
    if (own.index >= program.operations.size() && list.sharded)
        for (const auto& [copy, original] : list.sharded->copies)
            if (copy == entry.operation)
                own = original;
    return own.index < program.operations.size() ? own : OperationId();
}

} // namespace

CollectivePlaces CollectivePlaces::of(const Snapshot& snapshot)
{
    CollectivePlaces places;
    if (!snapshot.collectives || !snapshot.program)
        return places;
    const Program& program = *snapshot.program;
    const std::vector<CollectiveEntry>& entries = snapshot.collectives->entries;
    places.m_operations.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const CollectiveEntry& entry = entries[i];
        const int number = static_cast<int>(i);
        if (entry.sentBytes == Rational(0))
            continue;
        if (const ValueId operand = operandOf(program, entry); operand.valid()) {
            places.m_before[keyOfReader(operand, entry.reason->operation)].push_back(number);
            places.m_operations[i] = entry.reason->operation;
            continue;
        }
        if (const OperationId own = ownOperation(program, *snapshot.collectives, entry); own.valid()) {
            places.m_operations[i] = own;
            places.m_own.try_emplace(own.index, number);
            continue;
        }
        if (!entry.reason || entry.value.index >= program.values.size()) // of what partitioning has made
            continue;
        const ValueId value = sameValue(program, entry.value).back();
        const OperationId definition = program.value(value).definition;
        if (!definition.valid())
            continue;
        places.m_operations[i] = definition;
        places.m_after[value.index].push_back(number);
    }
    return places;
}

const std::vector<int>* CollectivePlaces::after(ValueId value) const
{
    const auto found = m_after.find(value.index);
    return found == m_after.end() ? nullptr : &found->second;
}

const std::vector<int>* CollectivePlaces::before(ValueId value, OperationId reader) const
{
    const auto found = m_before.find(keyOfReader(value, reader));
    return found == m_before.end() ? nullptr : &found->second;
}

std::vector<int> CollectivePlaces::beforeAll(const Operation& operation, OperationId id) const
{
    std::vector<int> all;
    for (const ValueId operand : operation.operands)
        if (const std::vector<int>* chain = before(operand, id))
            all.insert(all.end(), chain->begin(), chain->end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end()); // of an operand that is read twice
    return all;
}

std::vector<int> CollectivePlaces::afterAll(const Operation& operation) const
{
    std::vector<int> all;
    for (const ValueId result : operation.results)
        if (const std::vector<int>* chain = after(result))
            all.insert(all.end(), chain->begin(), chain->end());
    return all;
}

int CollectivePlaces::ofOperation(OperationId operation) const
{
    const auto found = m_own.find(operation.index);
    return found == m_own.end() ? -1 : found->second;
}

OperationId CollectivePlaces::operationOf(int collective) const
{
    return collective >= 0 && collective < count() ? m_operations[static_cast<std::size_t>(collective)] : OperationId();
}

} // namespace shardscope
