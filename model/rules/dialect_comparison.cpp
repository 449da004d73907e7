// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/dialect_comparison.h"

#include <algorithm>

namespace shardscope {

namespace {

const SpecEntry& entryAt(const PartitionSpec& spec, std::size_t dimension)
{
    static const SpecEntry none;
    return dimension < spec.entries.size() ? spec.entries[dimension] : none;
}

/// Whether both shard every dimension in the same way: () and None both replicate, an axis and a tuple of it are one.
bool sameSharding(const SpecEntry& a, const SpecEntry& b)
{
    const bool unconstrained = a.kind == SpecEntry::Kind::Unconstrained;
    return unconstrained == (b.kind == SpecEntry::Kind::Unconstrained) && a.axes == b.axes;
}

/// Number of the first dimension with another entry; `rank` if there is none.
std::size_t firstDifference(const PartitionSpec& a, const PartitionSpec& b, std::size_t rank)
{
    std::size_t dimension = 0;
    while (dimension < rank && sameSharding(entryAt(a, dimension), entryAt(b, dimension)))
        ++dimension;
    return dimension;
}

bool fires(const RuleTrace& trace)
{
    return trace.verdict == Verdict::Applied;
}

std::optional<DroppedAxes> droppedFrom(const SystemResult& result, std::size_t dimension)
{
    const auto found = std::find_if(result.dropped.begin(), result.dropped.end(), [dimension](const DroppedAxes& each) {
        return each.dimension == dimension && each.reason != DroppedAxes::Reason::NotInMesh;
    });
    return found == result.dropped.end() ? std::nullopt : std::optional(*found);
}

std::optional<DifferingStep> firstStep(const SystemResult& a, const SystemResult& b, std::size_t rank)
{
    DifferingStep step;
    if (!a.spec || !b.spec) {
        const bool same = !a.spec && !b.spec && a.error && b.error && a.error->code == b.error->code;
        step.kind = DifferingStep::Kind::Failure;
        step.bySecond = !b.spec;
        return same ? std::nullopt : std::optional(step);
    }
    const std::size_t dimension = firstDifference(*a.spec, *b.spec, rank);
    if (dimension == rank)
        return std::nullopt;
    const std::vector<RuleTrace>& first = a.resolution->rules;
    const std::vector<RuleTrace>& second = b.resolution->rules;
    for (std::size_t rule = 0; rule < std::min(first.size(), second.size()); ++rule)
        if (fires(first[rule]) != fires(second[rule])
            || (fires(first[rule]) && first[rule].dimension != second[rule].dimension)) {
            step.rule = rule;
            return step;
        }
    step.dimension = dimension;
    step.kind = DifferingStep::Kind::Dimension;
    for (const bool bySecond : { true, false })
        if (auto dropped = droppedFrom(bySecond ? b : a, dimension)) {
            step.kind = DifferingStep::Kind::Dropped;
            step.dropped = std::move(dropped);
            step.bySecond = bySecond;
            break;
        }
    return step;
}

} // namespace

const std::vector<RuleSystem>& ruleSystems()
{
    static const std::vector<RuleSystem> all = [] {
        std::vector<RuleSystem> systems;
        for (const Dialect dialect : { Dialect::FlaxLinen, Dialect::T5x, Dialect::MaxText, Dialect::MaxTextState })
            for (const FlaxVersion version : { FlaxVersion::Year2024, FlaxVersion::Current })
                systems.push_back({ dialect, version });
        return systems;
    }();
    return all;
}

SystemResult resolveIn(const RuleSystem& system, const NamedShape& array, const LogicalRules& rules, const Mesh& mesh)
{
    SystemResult result;
    Result<Resolution> resolution = resolve(array.names, rules, system.version);
    if (!resolution) {
        result.error = resolution.error();
        return result;
    }
    SpecOnMesh placed = onMesh(resolution->spec(), system.dialect, mesh, array.shape);
    result.spec = std::move(placed.spec);
    result.dropped = std::move(placed.dropped);
    result.resolution = std::move(*resolution);
    return result;
}

ArrayInDialects compareIn(const RuleSystem& first, const RuleSystem& second, const NamedShape& array,
    const LogicalRules& rules, const Mesh& mesh)
{
    ArrayInDialects compared{ resolveIn(first, array, rules, mesh), resolveIn(second, array, rules, mesh), {} };
    compared.step = firstStep(compared.first, compared.second, array.names.size());
    return compared;
}

} // namespace shardscope
