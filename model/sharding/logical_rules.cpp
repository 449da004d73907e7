// SPDX-License-Identifier: GPL-3.0-or-later
#include "sharding/logical_rules.h"

#include <algorithm>
#include <iterator>

#include "base/codes.h"

namespace shardscope {

namespace {

bool isNull(const SpecEntry& entry)
{
    return entry.kind == SpecEntry::Kind::None || (entry.kind == SpecEntry::Kind::Tuple && entry.axes.empty());
}

/// Names that stand on more than one dimension, in the order of their first occurrence. The 2024 version counts
/// Unconstrained as a name like any other; it is never listed.
struct Repeated {
    bool any = false;
    std::vector<std::string> names;
};

Repeated repeatedNames(const LogicalNames& names, FlaxVersion version)
{
    Repeated repeated;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const LogicalName& name = names[i];
        const bool counts = name.kind == LogicalName::Kind::Name
            || (name.kind == LogicalName::Kind::Unconstrained && version == FlaxVersion::Year2024);
        const auto here = names.begin() + static_cast<std::ptrdiff_t>(i);
        if (!counts || std::find(names.begin(), here, name) != here
            || std::find(here + 1, names.end(), name) == names.end())
            continue;
        repeated.any = true;
        if (name.kind == LogicalName::Kind::Name)
            repeated.names.push_back(name.name);
    }
    return repeated;
}

/// The dimension that makes `axis` busy, or -1.
int holderOf(const std::string& axis, const std::vector<ResolvedEntry>& entries)
{
    for (std::size_t d = 0; d < entries.size(); ++d) {
        const std::vector<std::string>& axes = entries[d].entry.axes;
        if (entries[d].assigned && std::find(axes.begin(), axes.end(), axis) != axes.end())
            return static_cast<int>(d);
    }
    return -1;
}

/// In the 2024 version an Unconstrained entry counts as an axis of that name in the busy test.
int holderOfUnconstrained(const std::vector<ResolvedEntry>& entries)
{
    for (std::size_t d = 0; d < entries.size(); ++d)
        if (entries[d].assigned && entries[d].entry.kind == SpecEntry::Kind::Unconstrained)
            return static_cast<int>(d);
    return -1;
}

/// Fills in why the rule cannot be applied; false when all its axes are free.
bool findBusyAxis(const LogicalRule& rule, const Resolution& resolution, FlaxVersion version, RuleTrace& trace)
{
    const auto blame = [&](int dimension, std::string axis) {
        trace.verdict = Verdict::AxisBusy;
        trace.byDimension = dimension;
        trace.byRule = resolution.dims[static_cast<std::size_t>(dimension)].rule;
        trace.busyAxis = std::move(axis);
    };
    if (rule.target.kind == SpecEntry::Kind::Unconstrained) {
        const int holder = version == FlaxVersion::Year2024 ? holderOfUnconstrained(resolution.entries) : -1;
        if (holder >= 0)
            blame(holder, "UNCONSTRAINED");
        return holder >= 0;
    }
    const std::vector<std::string>& axes = rule.target.axes;
    const auto isBusy = [&](const std::string& axis) { return holderOf(axis, resolution.entries) >= 0; };
    const auto busy = std::find_if(axes.begin(), axes.end(), isBusy);
    if (busy == axes.end())
        return false;
    blame(holderOf(*busy, resolution.entries), *busy);
    std::copy_if(axes.begin(), axes.end(), std::back_inserter(trace.lostAxes),
        [&](const std::string& axis) { return !isBusy(axis); });
    return true;
}

RuleTrace applyRule(
    std::size_t index, const LogicalRule& rule, const LogicalNames& names, FlaxVersion version, Resolution& resolution)
{
    RuleTrace trace;
    trace.rule = index;
    const auto named = std::find(names.begin(), names.end(), rule.name);
    if (named == names.end())
        return trace;
    trace.dimension = static_cast<int>(named - names.begin());
    const auto dimension = static_cast<std::size_t>(trace.dimension);
    ResolvedEntry& entry = resolution.entries[dimension];
    DimensionTrace& outcome = resolution.dims[dimension];
    if (entry.assigned) {
        trace.verdict = isNull(entry.entry) && outcome.rule >= 0 ? Verdict::BlockedByNull : Verdict::DimensionSet;
        trace.byDimension = trace.dimension;
        trace.byRule = outcome.rule;
        return trace;
    }
    if (findBusyAxis(rule, resolution, version, trace)) {
        if (outcome.outcome != DimensionOutcome::AllRulesSkipped)
            outcome = { DimensionOutcome::AllRulesSkipped, static_cast<int>(index) };
        return trace;
    }
    entry = { true, rule.target, rule.nested };
    outcome = { isNull(rule.target) ? DimensionOutcome::SetToNullByRule : DimensionOutcome::SetByRule,
        static_cast<int>(index) };
    trace.verdict = Verdict::Applied;
    return trace;
}

/// How the dimensions stand before the first rule: the current version settles unnamed and unconstrained ones at once.
void begin(const LogicalNames& names, FlaxVersion version, Resolution& resolution)
{
    resolution.entries.reserve(names.size());
    resolution.dims.reserve(names.size());
    for (const LogicalName& name : names) {
        ResolvedEntry entry;
        DimensionTrace trace;
        if (name.kind == LogicalName::Kind::None)
            trace.outcome = DimensionOutcome::Unnamed;
        if (version == FlaxVersion::Current && name.kind != LogicalName::Kind::Name) {
            entry.assigned = true;
            if (name.kind == LogicalName::Kind::Unconstrained) {
                entry.entry = SpecEntry::unconstrained();
                trace.outcome = DimensionOutcome::Unconstrained;
            }
        }
        resolution.entries.push_back(std::move(entry));
        resolution.dims.push_back(trace);
    }
}

std::vector<std::string> unassignedNames(const LogicalNames& names, const Resolution& resolution)
{
    std::vector<std::string> result;
    for (std::size_t d = 0; d < names.size(); ++d) {
        if (resolution.entries[d].assigned)
            continue;
        if (names[d].kind == LogicalName::Kind::Name)
            result.push_back(names[d].name);
        else
            result.emplace_back(names[d].kind == LogicalName::Kind::None ? "None" : "UNCONSTRAINED");
    }
    return result;
}

} // namespace

PartitionSpec Resolution::spec() const
{
    PartitionSpec result;
    result.entries.reserve(entries.size());
    for (const ResolvedEntry& entry : entries)
        result.entries.push_back(entry.assigned ? entry.entry : SpecEntry::none());
    return result;
}

Result<Resolution> resolve(const LogicalNames& names, const LogicalRules& rules, FlaxVersion version)
{
    if (Repeated repeated = repeatedNames(names, version); repeated.any)
        return fail(Code::DuplicateDimension, { { "dims", std::move(repeated.names) } });
    if (!rules.isSequence)
        return fail(Code::RulesType);
    Resolution resolution;
    begin(names, version, resolution);
    resolution.rules.reserve(rules.list.size());
    for (std::size_t i = 0; i < rules.list.size(); ++i) {
        if (rules.list[i].arity != 2)
            return fail(Code::RuleArity, { { "rule", i }, { "length", rules.list[i].arity } });
        resolution.rules.push_back(applyRule(i, rules.list[i], names, version, resolution));
    }
    return resolution;
}

Result<ConstraintAction> logicalConstraint(
    const std::optional<LogicalNames>& names, const LogicalRules& rules, RulesFallback fallback, FlaxVersion version)
{
    ConstraintAction action;
    if (!names || rules.list.empty())
        return action;
    if (version == FlaxVersion::Year2024 && std::any_of(names->begin(), names->end(), [](const LogicalName& name) {
            return name.kind == LogicalName::Kind::Unconstrained;
        }))
        return fail(Code::NotALogicalSpec);
    SHARDSCOPE_TRY(resolution, resolve(*names, rules, version));
    if (fallback != RulesFallback::AxisIsUnsharded) {
        if (std::vector<std::string> unmatched = unassignedNames(*names, *resolution); !unmatched.empty()) {
            if (fallback == RulesFallback::RaiseError)
                return fail(Code::UnmatchedAxis, { { "dims", std::move(unmatched) } });
            action.resolution = std::move(*resolution);
            return action;
        }
    }
    for (std::size_t d = 0; d < resolution->entries.size(); ++d) {
        if (!resolution->entries[d].nested)
            continue;
        Where where;
        where.dimension = static_cast<int>(d);
        return fail(Code::NestedTuple, { { "dim", d } }, std::move(where));
    }
    action.constrain = true;
    action.spec = canonical(resolution->spec());
    action.resolution = std::move(*resolution);
    return action;
}

bool constraintApplies(const ConstraintGate& gate, FlaxVersion version)
{
    const bool anyMesh = gate.globalMesh || gate.explicitMesh;
    return anyMesh && (version == FlaxVersion::Current || gate.platform != "cpu");
}

} // namespace shardscope
