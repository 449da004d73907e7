// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in propagation/passes.h.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/hash.h"
#include "program/function_names.h"
#include "program/op_row.h"
#include "propagation/pass_support.h"
#include "propagation/passes.h"

namespace shardscope::passes {

namespace {

/// Recognises constant expressions: constant, iota, and what is made of such by broadcast, reshape, slice, elementwise
/// operations and calls of functions that hold nothing else.
class ConstantExpressions {
public:
    explicit ConstantExpressions(const Editor& edit)
        : m_edit(edit)
    {
    }

    /// In program order, so that operands are known.
    void visit(OperationId id)
    {
        const Operation& operation = m_edit.operation(id);
        if (isPossible(operation)
            && std::all_of(operation.operands.begin(), operation.operands.end(),
                [&](ValueId operand) { return contains(m_edit.value(operand).definition); }))
            m_constants.insert(id.index);
        else if (operation.kind == OpKind::BroadcastInDim && m_edit.value(operation.operands[0]).type.rank() == 0)
            m_expansions.insert(id.index);
    }
    [[nodiscard]] bool contains(OperationId id) const { return id.valid() && m_constants.contains(id.index); }
    /// A constant expression or a scalar that is broadcast.
    [[nodiscard]] bool isSplit(OperationId id) const
    {
        return id.valid() && (m_constants.contains(id.index) || m_expansions.contains(id.index));
    }

private:
    bool isPossible(const Operation& operation)
    {
        switch (operation.kind) {
        case OpKind::Constant:
        case OpKind::SdyConstant:
        case OpKind::ChloConstant:
        case OpKind::Iota:
            return true;
        case OpKind::BroadcastInDim:
        case OpKind::Reshape:
        case OpKind::Slice:
            return true;
        case OpKind::ShardingConstraint:
            return false;
        case OpKind::Call: {
            const auto* call = attributesAs<CallAttributes>(operation.attributes);
            return call && isConstantFunction(call->callee);
        }
        default: {
            const OpRow& row = opRow(operation.kind);
            return row.elementwise && operation.regions.empty() && row.dialect != OpDialect::Sdy;
        }
        }
    }
    bool isConstantFunction(const std::string& name)
    {
        const auto [known, isNew] = m_functions.try_emplace(name, false); // false while it is being looked at
        if (!isNew)
            return known->second;
        const Function* function = m_names.find(m_edit.program(), name);
        if (!function)
            return false;
        const std::vector<OperationId>& operations = m_edit.region(function->body).operations;
        const bool constant = std::all_of(
            operations.begin(), operations.end(), [&](OperationId id) { return isPossible(m_edit.operation(id)); });
        m_functions[name] = constant;
        return constant;
    }

    const Editor& m_edit;
    std::unordered_set<std::uint32_t> m_constants, m_expansions;
    std::unordered_map<std::string, bool> m_functions;
    const FunctionNames m_names{ m_edit.program() };
};

class Splitter {
public:
    explicit Splitter(Program program)
        : m_edit(std::move(program))
        , m_constants(m_edit)
    {
        for (Operation& operation : m_edit.raw().operations)
            if (operation.kind == OpKind::Constant)
                operation.kind = OpKind::SdyConstant;
    }

    Program run() &&
    {
        for (const RegionId body : bodies(m_edit.program()))
            split(body);
        for (auto id = m_split.rbegin(); id != m_split.rend(); ++id)
            dropUnused(*id);
        return std::move(m_edit).finish();
    }

private:
    void split(RegionId region)
    {
        const std::vector<OperationId> operations = m_edit.region(region).operations;
        for (const OperationId id : operations) {
            m_constants.visit(id);
            if (m_constants.isSplit(id)) {
                m_split.push_back(id);
                continue;
            }
            if (m_edit.operation(id).kind != OpKind::ShardingGroup)
                for (std::size_t slot = 0; slot < m_edit.operation(id).operands.size(); ++slot)
                    if (const ValueId made = copyFor(m_edit.operation(id).operands[slot]); made.valid())
                        m_edit.setOperand(id, slot, made);
            const SmallVector<RegionId, 2> inner = m_edit.operation(id).regions;
            for (const RegionId current : inner)
                split(current);
        }
        for (std::size_t slot = 0; slot < m_edit.region(region).results.size(); ++slot)
            if (const ValueId made = copyFor(m_edit.region(region).results[slot]); made.valid())
                m_edit.setReturned(region, slot, made);
    }

    /// A copy of the expression for one use; invalid where none is needed.
    ValueId copyFor(ValueId value)
    {
        ValueMap map;
        return m_constants.isSplit(m_edit.value(value).definition) ? copy(value, map) : ValueId();
    }
    ValueId copy(ValueId value, ValueMap& map)
    {
        const OperationId definition = m_edit.value(value).definition;
        if (m_edit.value(value).type.rank() == 0 || !m_constants.isSplit(definition))
            return {};
        if (const auto known = map.find(value); known != map.end())
            return known->second;
        if (m_constants.contains(definition)) {
            const SmallVector<ValueId, 4> operands = m_edit.operation(definition).operands;
            for (const ValueId operand : operands)
                copy(operand, map);
        }
        const OperationId made = m_edit.copy(definition, map);
        m_edit.placeBefore(definition, made);
        // Whoever is grouped with the original is grouped with the copy.
        const UseList& list = m_edit.uses(value);
        const std::vector<Use> uses(list.begin(), list.end());
        for (const Use& use : uses)
            if (use.operation.valid() && m_edit.operation(use.operation).kind == OpKind::ShardingGroup) {
                ValueMap groupMap = map;
                m_edit.placeAfter(made, m_edit.copy(use.operation, groupMap));
            }
        return map.at(value);
    }

    void dropUnused(OperationId id)
    {
        std::vector<OperationId> groups;
        for (const ValueId result : m_edit.operation(id).results)
            for (const Use& use : m_edit.uses(result)) {
                if (!use.operation.valid() || m_edit.operation(use.operation).kind != OpKind::ShardingGroup)
                    return;
                groups.push_back(use.operation);
            }
        for (const OperationId group : groups)
            m_edit.erase(group);
        m_edit.erase(id);
    }

    Editor m_edit;
    ConstantExpressions m_constants;
    std::vector<OperationId> m_split; ///< in program order
};

class Merger {
public:
    explicit Merger(Program program)
        : m_edit(std::move(program))
    {
    }
    Program run() &&
    {
        for (const RegionId body : bodies(m_edit.program()))
            merge(body);
        return std::move(m_edit).finish();
    }

private:
    void merge(RegionId region)
    {
        std::unordered_multimap<std::uint64_t, OperationId> known;
        const std::vector<OperationId> operations = m_edit.region(region).operations;
        for (const OperationId id : operations) {
            for (const RegionId inner : m_edit.operation(id).regions)
                merge(inner);
            if (!isMergeable(m_edit.operation(id)))
                continue;
            const std::uint64_t key = keyOf(m_edit.operation(id));
            const auto [first, last] = known.equal_range(key);
            const auto same = std::find_if(first, last,
                [&](const auto& entry) { return areEqual(m_edit.operation(entry.second), m_edit.operation(id)); });
            if (same == last) {
                known.emplace(key, id);
                continue;
            }
            m_edit.replaceUses(m_edit.result(id), m_edit.result(same->second));
            m_edit.erase(id);
        }
    }
    [[nodiscard]] bool isMergeable(const Operation& operation) const
    {
        switch (operation.kind) {
        case OpKind::Constant:
        case OpKind::SdyConstant:
        case OpKind::ChloConstant:
        case OpKind::Iota:
            return operation.operands.empty();
        case OpKind::BroadcastInDim:
            return m_edit.value(operation.operands[0]).type.rank() == 0;
        default:
            return false;
        }
    }
    [[nodiscard]] std::uint64_t keyOf(const Operation& operation) const
    {
        Hasher hasher;
        hasher.add(operation.kind);
        const TensorType& type = m_edit.value(operation.results[0]).type;
        hasher.add(type.dtype);
        for (const std::int64_t size : type.shape)
            hasher.add(size);
        for (const ValueId operand : operation.operands)
            hasher.add(operand.index);
        hasher.add(m_edit.program().valueShardings[operation.results[0].index]);
        if (const auto* constant = std::get_if<ConstantAttributes>(&operation.attributes)) {
            for (const double number : constant->values)
                hasher.add(number);
            if (constant->bytes)
                hasher.add(
                    std::string_view(reinterpret_cast<const char*>(constant->bytes->data()), constant->bytes->size()));
        }
        return hasher.value();
    }
    [[nodiscard]] bool areEqual(const Operation& a, const Operation& b) const
    {
        const Program& program = m_edit.program();
        return a.kind == b.kind && a.operands == b.operands && a.attributes == b.attributes
            && m_edit.value(a.results[0]).type == m_edit.value(b.results[0]).type
            && program.valueShardings[a.results[0].index] == program.valueShardings[b.results[0].index]
            && program.dictionaries[a.extra] == program.dictionaries[b.extra];
    }

    Editor m_edit;
};

} // namespace

Program splitConstants(Program program)
{
    return Splitter(std::move(program)).run();
}

Program mergeConstants(Program program)
{
    return Merger(std::move(program)).run();
}

} // namespace shardscope::passes
