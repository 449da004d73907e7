// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/rematerialise.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "program/differentiate.h"
#include "program/region_values.h"

namespace shardscope {

namespace {

bool isParameterProduct(const Operation& operation)
{
    const auto* product = std::get_if<DotGeneralAttributes>(&operation.attributes);
    return operation.kind == OpKind::Dot || (product && product->lhsBatch.empty());
}

bool isKept(const Operation& operation, RematPolicy policy)
{
    if (operation.kind == OpKind::Rng)
        return true;
    if (operation.operands.empty() && operation.regions.empty())
        return false;
    return policy == RematPolicy::Gathered || (policy == RematPolicy::Dots && isParameterProduct(operation));
}

class Rematerialiser {
public:
    Rematerialiser(Builder& builder, const BackwardPass& pass, std::span<const RematRegion> regions,
        std::span<const std::int32_t> regionOf)
        : m_builder(builder)
        , m_pass(pass)
        , m_regions(regions)
        , m_regionOf(regionOf)
        , m_copies(regions.size())
    {
    }

    void run()
    {
        const std::vector<OperationId> operations = program().main().operations; // a copy: the builder adds to it
        auto id = std::find(operations.begin(), operations.end(), m_pass.after);
        const std::string scope = m_builder.scope();
        for (id += id == operations.end() ? 0 : 1; id != operations.end(); ++id)
            if (const std::int32_t region = regionDifferentiatedBy(*id); region >= 0)
                visit(*id, static_cast<std::size_t>(region));
        m_builder.setScope(scope);
    }

private:
    using Copies = std::unordered_map<ValueId, ValueId>;

    [[nodiscard]] const Program& program() const { return m_builder.program(); }
    [[nodiscard]] std::int32_t regionAt(OperationId id) const
    {
        return id.index < m_regionOf.size() ? m_regionOf[id.index] : -1;
    }
    /// Of what an operation of the backward pass is the derivative of; -1 for none.
    [[nodiscard]] std::int32_t regionDifferentiatedBy(OperationId id) const
    {
        const DerivativeOrigins& origins = m_pass.origins;
        const std::size_t place = id.index - origins.first;
        return id.index >= origins.first && place < origins.of.size() ? regionAt(origins.of[place]) : -1;
    }
    [[nodiscard]] bool isOfForwardPass(ValueId value) const
    {
        const OperationId definition = program().value(value).definition;
        return value != m_pass.cotangent && (!definition.valid() || definition.index < m_pass.origins.first);
    }

    void visit(OperationId id, std::size_t region)
    {
        const std::size_t count = program().operation(id).operands.size();
        for (std::size_t slot = 0; slot < count; ++slot) {
            const ValueId operand = program().operation(id).operands[slot];
            if (!isOfForwardPass(operand))
                continue;
            m_builder.setScope(program().scopes[program().operation(id).scope]);
            ValueId again;
            m_builder.before(id, RegionId(std::size_t{ 0 }), [&] { again = inBackwardPass(operand, region); });
            m_builder.setOperand(id, slot, again);
        }
    }

    /// Whether the region computes the value, and does so again.
    [[nodiscard]] bool isComputedAgain(ValueId value, std::size_t region) const
    {
        const OperationId definition = program().value(value).definition;
        return definition.valid() && regionAt(definition) == static_cast<std::int32_t>(region)
            && !isKept(program().operation(definition), m_regions[region].policy);
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
            needed.push_back(program().value(next).definition);
            const std::vector<ValueId> reads = readBy(needed.back());
            open.insert(open.end(), reads.begin(), reads.end());
        }
        std::sort(needed.begin(), needed.end()); // a builder adds definitions before uses
        needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
        for (const OperationId id : needed) {
            for (const ValueId read : readBy(id))
                keep(read, copies);
            m_builder.copy(id, copies, backwardScopeOf);
        }
        keep(value, copies);
        return copies.at(value);
    }

    [[nodiscard]] std::vector<ValueId> readBy(OperationId id) const
    {
        const Operation& operation = program().operation(id);
        std::vector<ValueId> reads(operation.operands.begin(), operation.operands.end());
        if (!operation.regions.empty()) {
            const std::vector<ValueId> outside = usedFromOutside(program(), operation);
            reads.insert(reads.end(), outside.begin(), outside.end());
        }
        return reads;
    }

    /// A value that has no copy yet is kept, behind a barrier.
    void keep(ValueId value, Copies& copies)
    {
        if (copies.contains(value))
            return;
        const Value like = program().value(value); // a copy: the builder grows
        const ValueId barrier = m_builder.add(OpKind::OptimizationBarrier, std::array{ value }, {}, like.type);
        copies.emplace(value, m_builder.named(barrier, {}, Role::Temporary, like.dimNames));
    }

    Builder& m_builder;
    const BackwardPass& m_pass;
    std::span<const RematRegion> m_regions;
    std::span<const std::int32_t> m_regionOf; ///< per operation of the forward pass
    std::vector<Copies> m_copies; ///< per region: by value of the forward pass
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

void rematerialise(Builder& builder, const BackwardPass& pass, std::span<const RematRegion> regions,
    std::span<const std::int32_t> regionOf)
{
    Rematerialiser(builder, pass, regions, regionOf).run();
}

std::function<bool(const Program& program, ValueId value)> keptOfLoops(RematPolicy policy)
{
    if (policy == RematPolicy::None || policy == RematPolicy::Gathered)
        return {};
    return [policy](const Program& program, ValueId value) {
        return isKept(program.operation(program.value(value).definition), policy);
    };
}

} // namespace shardscope
