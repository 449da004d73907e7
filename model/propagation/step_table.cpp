// SPDX-License-Identifier: GPL-3.0-or-later
#include "propagation/step_table.h"

#include <algorithm>

#include "base/hash.h"

namespace shardscope {

namespace {

std::uint64_t hashOf(const FactorRule& rule)
{
    Hasher hasher;
    hasher.add(rule.factors.size());
    for (const FactorRule::Factor& factor : rule.factors)
        hasher.add(factor.size).add(factor.kind).add(factor.blocked);
    for (const auto* tensors : { &rule.operands, &rule.results }) {
        hasher.add(tensors->size());
        for (const FactorRule::TensorMapping& mapping : *tensors) {
            hasher.add(mapping.size());
            for (const FactorRule::DimensionFactors& factors : mapping) {
                hasher.add(factors.size());
                for (const std::int32_t factor : factors)
                    hasher.add(factor);
            }
        }
    }
    return hasher.value();
}

std::uint32_t packed(StepKind kind)
{
    return static_cast<std::uint32_t>(kind.passThrough) | static_cast<std::uint32_t>(kind.others) << 2
        | std::uint32_t{ kind.elementwise } << 4 | std::uint32_t{ kind.fullAxes } << 5
        | std::uint32_t{ kind.basic } << 6;
}

std::uint64_t hashOf(std::uint32_t rule, std::uint32_t kind, std::span<const ShardingNumber> tensors)
{
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15ULL;
    std::uint64_t hash = (std::uint64_t{ rule } << 8 | kind) * odd;
    for (const ShardingNumber tensor : tensors)
        hash = (hash ^ (hash >> 29) ^ tensor) * odd;
    return hash ^ (hash >> 32);
}

} // namespace

bool projectAll(ShardingProjection& projection, const FactorRule& rule, const ShardingTable& shardings,
    std::span<const ShardingNumber> tensors)
{
    const std::size_t operands = rule.operands.size();
    projection.operands.resize(operands);
    projection.results.resize(rule.results.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const FactorRule::TensorMapping& mapping = i < operands ? rule.operands[i] : rule.results[i - operands];
        const TensorSharding& sharding = shardings[tensors[i]];
        if (sharding.rank() != mapping.size())
            return false;
        projectInto(i < operands ? projection.operands[i] : projection.results[i - operands], sharding, mapping, rule);
    }
    return true;
}

void directionsOf(SmallVector<Direction, 8>& directions, const FactorRule& rule, StepKind kind)
{
    directions.clear();
    for (const FactorRule::Factor& factor : rule.factors)
        directions.push_back(factor.kind == FactorKind::PassThrough ? kind.passThrough : kind.others);
}

StepTable::StepTable(const MeshTable& meshes, ShardingTable& shardings)
    : m_meshes(meshes)
    , m_shardings(shardings)
{
}

std::uint32_t StepTable::add(FactorRule rule)
{
    const std::uint64_t hash = hashOf(rule);
    const std::uint32_t found = m_ruleIndex.find(hash, [&](std::uint32_t n) { return m_rules[n] == rule; });
    if (found != HashIndex::none)
        return found;
    const auto made = static_cast<std::uint32_t>(m_rules.size());
    m_rules.push_back(std::move(rule));
    m_ruleIndex.insert(hash, made);
    return made;
}

std::optional<std::uint32_t> StepTable::commonMesh(std::span<const ShardingNumber> tensors) const
{
    std::optional<std::uint32_t> common;
    for (const ShardingNumber tensor : tensors) {
        const std::uint32_t mesh = m_shardings.mesh(tensor);
        if (mesh == 0)
            continue;
        if (!common || m_meshes.isEmpty(*common))
            common = mesh - 1;
        else if (!m_meshes.isEmpty(mesh - 1) && m_meshes.canonical(mesh - 1) != m_meshes.canonical(*common))
            return std::nullopt;
    }
    if (common && m_meshes.isMaximal(*common))
        return std::nullopt;
    return common;
}

std::span<const StepWrite> StepTable::step(std::uint32_t rule, StepKind kind, std::span<const ShardingNumber> tensors)
{
    const std::uint32_t code = packed(kind);
    const std::uint64_t hash = hashOf(rule, code, tensors);
    std::uint32_t found = m_index.find(hash, [&](std::uint32_t n) {
        const Outcome& outcome = m_outcomes[n];
        return outcome.rule == rule && outcome.kind == code
            && std::equal(tensors.begin(), tensors.end(), m_keys.begin() + outcome.firstTensor);
    });
    if (found == HashIndex::none) {
        found = static_cast<std::uint32_t>(m_outcomes.size());
        const auto firstWrite = static_cast<std::uint32_t>(m_writes.size());
        compute(rule, kind, tensors);
        m_outcomes.push_back({ rule, code, static_cast<std::uint32_t>(m_keys.size()), firstWrite,
            static_cast<std::uint32_t>(m_writes.size()) - firstWrite });
        m_keys.insert(m_keys.end(), tensors.begin(), tensors.end());
        m_index.insert(hash, found);
    }
    const Outcome& outcome = m_outcomes[found];
    return { m_writes.data() + outcome.firstWrite, outcome.writes };
}

void StepTable::compute(std::uint32_t number, StepKind kind, std::span<const ShardingNumber> tensors)
{
    const std::optional<std::uint32_t> mesh = commonMesh(tensors);
    const FactorRule& rule = m_rules[number];
    if (!mesh || !projectAll(m_before, rule, m_shardings, tensors))
        return;
    m_after = m_before;
    directionsOf(m_directions, rule, kind);
    const StepContext context{ rule, std::span<const Direction>(m_directions), kind.elementwise,
        kind.fullAxes ? &m_meshes.mesh(*mesh) : nullptr };
    const UpdatedTensors updated =
        kind.basic ? propagateBasic(m_after, context) : propagateAggressive(m_after, context);
    for (const std::uint32_t i : updated.operands)
        write(rule, *mesh, i, tensors[i]);
    const auto operands = static_cast<std::uint32_t>(rule.operands.size());
    for (const std::uint32_t i : updated.results)
        write(rule, *mesh, operands + i, tensors[operands + i]);
}

void StepTable::write(const FactorRule& rule, std::uint32_t mesh, std::uint32_t tensor, ShardingNumber old)
{
    const std::size_t operands = rule.operands.size();
    const bool isOperand = tensor < operands;
    const FactorRule::TensorMapping& mapping = isOperand ? rule.operands[tensor] : rule.results[tensor - operands];
    const TensorProjection& before = isOperand ? m_before.operands[tensor] : m_before.results[tensor - operands];
    const TensorProjection& after = isOperand ? m_after.operands[tensor] : m_after.results[tensor - operands];
    TensorSharding sharding = unproject(after, mapping, rule);
    for (std::size_t d = 0; d < sharding.dims.size(); ++d)
        sharding.dims[d].priority = m_shardings[old].dims[d].priority;
    StepWrite write{ tensor, old, static_cast<std::uint32_t>(m_moves.size()), 0 };
    if (!(sharding == m_shardings[old]))
        write.sharding = m_shardings.number(sharding, mesh + 1);
    for (std::size_t d = 0; d < mapping.size(); ++d) {
        const std::size_t count = effectiveFactors(after, mapping[d], rule);
        for (std::size_t i = 0; i < count; ++i) {
            const auto factor = static_cast<std::size_t>(mapping[d][i]);
            const AxisList& now = after.factors[factor]->axes;
            const AxisList& was = before.factors[factor]->axes;
            if (now == was)
                continue;
            const std::int16_t from = sourceOf(m_before, factor, now);
            for (const AxisRef& axis : now)
                if (std::find(was.begin(), was.end(), axis) == was.end())
                    m_moves.push_back({ axis, static_cast<std::int16_t>(factor), static_cast<std::int16_t>(d), from });
        }
    }
    write.moves = static_cast<std::uint32_t>(m_moves.size()) - write.firstMove;
    m_writes.push_back(write);
}

std::int16_t StepTable::sourceOf(const ShardingProjection& before, std::size_t factor, const AxisList& axes) const
{
    std::int16_t index = 0;
    for (const auto* tensors : { &before.operands, &before.results }) {
        for (const TensorProjection& tensor : *tensors) {
            const auto& sharding = tensor.factors[factor];
            if (sharding && isPrefixOf(std::span<const AxisRef>(axes), std::span<const AxisRef>(sharding->axes)))
                return index;
            ++index;
        }
    }
    return -1;
}

} // namespace shardscope
