// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/rematerialise.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "program/differentiate.h"

namespace shardscope {

namespace {

bool isRandom(OpKind kind)
{
    return kind == OpKind::Rng || kind == OpKind::RngBitGenerator;
}

bool isKept(const Operation& operation, RematPolicy policy)
{
    if (operation.results.size() != 1 || !operation.regions.empty() || isRandom(operation.kind))
        return true;
    if (operation.operands.empty())
        return false;
    const auto* product = std::get_if<DotGeneralAttributes>(&operation.attributes);
    return policy == RematPolicy::Gathered || (policy == RematPolicy::Dots && product && product->lhsBatch.empty());
}

class Rematerialiser {
public:
    Rematerialiser(Builder& builder, BackwardPass pass, std::span<const RematRegion> regions)
        : m_builder(builder)
        , m_pass(std::move(pass))
        , m_regions(regions)
        , m_regionOf(regionsOf(builder.program(), regions))
        , m_copies(regions.size())
    {
    }

    std::vector<ValueId> run() &&
    {
        const std::string outside = m_builder.scope();
        Builder::Tail tail = m_builder.takeFrom(m_pass.first);
        m_firstValue = m_builder.program().values.size();
        for (std::size_t i = 0; i < tail.operations.size(); ++i) {
            Operation& operation = tail.operations[i];
            const std::string scope = m_builder.program().scopes[operation.scope];
            const std::int32_t region = m_pass.regions[i];
            m_builder.setScope(scope);
            for (ValueId& operand : operation.operands)
                if (operand.index >= m_firstValue)
                    operand = m_again[operand.index - m_firstValue];
                else if (region >= 0)
                    operand = inBackwardPass(operand, static_cast<std::size_t>(region));
            m_builder.setScope(scope);
            m_again.push_back(added(operation, tail.values[i]));
        }
        for (ValueId& gradient : m_pass.gradients)
            if (gradient.index >= m_firstValue)
                gradient = m_again[gradient.index - m_firstValue];
        m_builder.setScope(outside);
        return std::move(m_pass.gradients);
    }

private:
    using Copies = std::unordered_map<ValueId, ValueId>;

    ValueId added(const Operation& operation, const Value& like)
    {
        const ValueId value = m_builder.add(operation.kind, operation.operands, operation.attributes, like.type);
        return m_builder.named(value, like.path, like.role, like.dimNames);
    }

    /// Whether the region computes the value, and does so again.
    [[nodiscard]] bool isComputedAgain(ValueId value, std::size_t region) const
    {
        const OperationId definition = m_builder.program().value(value).definition;
        return definition.valid() && m_regionOf[definition.index] == static_cast<std::int32_t>(region)
            && !isKept(m_builder.program().operation(definition), m_regions[region].policy);
    }

    /// What the backward pass of a region reads in the place of a value of the forward pass.
    ValueId inBackwardPass(ValueId value, std::size_t region)
    {
        Copies& copies = m_copies[region];
        std::vector<OperationId> needed;
        std::unordered_set<ValueId> seen;
        std::vector<ValueId> open{ value };
        while (!open.empty()) {
            const ValueId next = open.back();
            open.pop_back();
            if (copies.contains(next) || !seen.insert(next).second || !isComputedAgain(next, region))
                continue;
            const OperationId definition = m_builder.program().value(next).definition;
            needed.push_back(definition);
            for (const ValueId operand : m_builder.program().operation(definition).operands)
                open.push_back(operand);
        }
        std::sort(needed.begin(), needed.end()); // a builder adds definitions before uses
        const std::string scope = m_builder.scope();
        for (const OperationId id : needed) {
            Operation operation = m_builder.program().operation(id); // copies: the builder grows
            Value like = m_builder.program().value(operation.results[0]);
            like.path = {}; // that of the original
            m_builder.setScope(backwardScopeOf(m_builder.program().scopes[operation.scope]));
            for (ValueId& operand : operation.operands)
                operand = kept(operand, copies);
            copies.emplace(operation.results[0], added(operation, like));
        }
        m_builder.setScope(scope);
        return kept(value, copies);
    }

    /// The copy, or what is kept behind a barrier.
    ValueId kept(ValueId value, Copies& copies)
    {
        if (value == m_pass.cotangent)
            return value;
        if (const auto found = copies.find(value); found != copies.end())
            return found->second;
        const Value like = m_builder.program().value(value);
        const ValueId barrier =
            m_builder.add(OpKind::OptimizationBarrier, std::array{ value }, {}, TensorType(like.type));
        copies.emplace(value, m_builder.named(barrier, {}, Role::Temporary, like.dimNames));
        return barrier;
    }

    Builder& m_builder;
    BackwardPass m_pass;
    std::span<const RematRegion> m_regions;
    std::vector<std::int32_t> m_regionOf; ///< per operation
    std::vector<Copies> m_copies; ///< per region: by value of the forward pass
    std::size_t m_firstValue = 0; ///< of the backward pass
    std::vector<ValueId> m_again; ///< per value of the backward pass
};

} // namespace

std::vector<std::int32_t> regionsOf(const Program& program, std::span<const RematRegion> regions)
{
    std::vector<std::int32_t> list(program.operations.size(), -1);
    const std::vector<OperationId>& operations = program.main().operations;
    for (std::size_t r = 0; r < regions.size(); ++r)
        if (regions[r].policy != RematPolicy::None)
            for (std::size_t i = regions[r].first; i < std::min(regions[r].last, operations.size()); ++i)
                list[operations[i].index] = static_cast<std::int32_t>(r);
    return list;
}

std::vector<ValueId> rematerialise(Builder& builder, BackwardPass pass, std::span<const RematRegion> regions)
{
    return Rematerialiser(builder, std::move(pass), regions).run();
}

} // namespace shardscope
