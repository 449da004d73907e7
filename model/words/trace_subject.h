// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string>
#include <vector>

#include "sharding/logical_rules.h"

namespace shardscope {

/// One array's names, the rules, and what became of them.
struct TraceSubject {
    LogicalNames names;
    LogicalRules rules;
    Resolution resolution;
    std::vector<std::string> meshAxes;

    [[nodiscard]] int axisIndex(const std::string& name) const;
    [[nodiscard]] QString dimensionName(int dimension) const;
    /// Mesh axes that the result does not use.
    [[nodiscard]] std::vector<int> leftover() const;
    /// The spec as it stands once the rules up to and with `rule` have been read.
    [[nodiscard]] PartitionSpec specAfter(int rule) const;
    /// How many rules came out so.
    [[nodiscard]] int count(Verdict verdict) const;
};

} // namespace shardscope
