// SPDX-License-Identifier: GPL-3.0-or-later
// Shardings that an experiment gives values of its program in place of what the program's text says.
//
//     { "arg0": "[{data}, {}]" }, main(%arg0: ... [{}, {model}]): propagation begins with [{data}, {}]
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

/// Whose sharding a name of the experiment stands for: a value, or a result of main.
struct ShardedPlace {
    ValueId value; ///< for a result what is returned
    int result = -1;
    [[nodiscard]] bool exists() const { return value.valid(); }
    bool operator==(const ShardedPlace&) const = default;
};
/// Of the program as it was read.
[[nodiscard]] ShardedPlace shardedPlace(const Program& program, std::string_view name);
/// The name; "" for a value whose sharding cannot be given: it stands where an operation gives its own to several.
[[nodiscard]] std::string nameOf(const Program& program, const ShardedPlace& place);
/// The sharding that the program has there; null for none.
[[nodiscard]] const ProgramSharding* specifiedAt(const Program& program, const ShardedPlace& place);

/// What the experiment gives its program besides: of a text its shardings and sharding rules, without the text itself.
[[nodiscard]] ProgramModel specifiedBy(const Experiment& experiment);
/// Puts them in. The program lies over the experiment's mesh. What cannot be put in is reported at its JSON pointer,
/// and leaves what the text says: UnknownValue, RankMismatch and the errors of parseDimensions().
[[nodiscard]] std::vector<Problem> giveShardings(Program& program, const ProgramModel& model);

} // namespace shardscope
