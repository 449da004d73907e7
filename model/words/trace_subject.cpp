// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/trace_subject.h"

#include <algorithm>

namespace shardscope {

int TraceSubject::axisIndex(const std::string& name) const
{
    const auto found = std::find(meshAxes.begin(), meshAxes.end(), name);
    return found == meshAxes.end() ? -1 : static_cast<int>(found - meshAxes.begin());
}

QString TraceSubject::dimensionName(int dimension) const
{
    const LogicalName& name = names[static_cast<std::size_t>(dimension)];
    return name.kind == LogicalName::Kind::Name ? QString::fromStdString(name.name) : QStringLiteral("None");
}

std::vector<int> TraceSubject::leftover() const
{
    std::vector<int> free;
    for (int axis = 0; axis < static_cast<int>(meshAxes.size()); ++axis) {
        const bool used =
            std::any_of(resolution.entries.begin(), resolution.entries.end(), [&](const ResolvedEntry& entry) {
                return std::find(
                           entry.entry.axes.begin(), entry.entry.axes.end(), meshAxes[static_cast<std::size_t>(axis)])
                    != entry.entry.axes.end();
            });
        if (!used)
            free.push_back(axis);
    }
    return free;
}

PartitionSpec TraceSubject::specAfter(int rule) const
{
    PartitionSpec spec = resolution.spec();
    for (std::size_t d = 0; d < resolution.dims.size() && d < spec.entries.size(); ++d) {
        const DimensionOutcome outcome = resolution.dims[d].outcome;
        const bool byRule = outcome == DimensionOutcome::SetByRule || outcome == DimensionOutcome::SetToNullByRule;
        if (byRule && resolution.dims[d].rule > rule)
            spec.entries[d] = SpecEntry::none();
    }
    return spec;
}

int TraceSubject::count(Verdict verdict) const
{
    return static_cast<int>(std::count_if(resolution.rules.begin(), resolution.rules.end(),
        [verdict](const RuleTrace& trace) { return trace.verdict == verdict; }));
}

} // namespace shardscope
