// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/snapshot.h"

#include <algorithm>

#include "base/codes.h"

namespace shardscope {

bool ResolvedAnnotation::indivisible() const
{
    return problem && problem->code == Code::Indivisible;
}

bool Annotations::nameArguments() const
{
    return std::any_of(arguments.begin(), arguments.end(),
        [](const ResolvedAnnotation& each) { return std::holds_alternative<LogicalAxes>(each.declared); });
}

bool Annotations::nameAnything() const
{
    const auto isNamed = [](const ResolvedAnnotation& each) {
        return std::holds_alternative<LogicalAxes>(each.declared);
    };
    return nameArguments() || std::any_of(results.begin(), results.end(), isNamed)
        || std::any_of(constraints.begin(), constraints.end(), isNamed);
}

const TensorRow* Snapshot::row(ValueId value) const
{
    if (!value.valid() || value.index >= rowOfValue.size() || rowOfValue[value.index] < 0)
        return nullptr;
    return &tensors[static_cast<std::size_t>(rowOfValue[value.index])];
}

const TensorRow* Snapshot::row(std::string_view path) const
{
    const auto found =
        std::find_if(tensors.begin(), tensors.end(), [&](const TensorRow& tensor) { return tensor.path == path; });
    return found == tensors.end() ? nullptr : &*found;
}

int Snapshot::errorCount() const
{
    return static_cast<int>(std::count_if(
        problems.begin(), problems.end(), [](const Problem& p) { return p.diagnostic.severity() == Severity::Error; }));
}

int Snapshot::warningCount() const
{
    return static_cast<int>(std::count_if(problems.begin(), problems.end(),
        [](const Problem& p) { return p.diagnostic.severity() == Severity::Warning; }));
}

} // namespace shardscope
