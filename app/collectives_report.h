// SPDX-License-Identifier: GPL-3.0-or-later
// What comms, explain and partition say of collectives.
#pragma once

#include <string_view>
#include <utility>

#include "pipeline/collective_list.h"
#include "report.h"

namespace shardscope::cli {

/// An input, analysed, with its collectives.
struct Communication {
    Input input;
    SnapshotPtr snapshot;
    CollectiveList list;
};
/// What keeps a command from its result, and its exit code: 2 for an input that cannot be read, 1 for one that has
/// errors or cannot be partitioned.
struct Refused {
    std::vector<Diagnostic> problems;
    int status = BadInput;
};
[[nodiscard]] tl::expected<Communication, Refused> loadCommunication(const std::string& file);
/// On the error stream, and as JSON if asked for. Returns its status.
[[nodiscard]] int refuse(const char* command, const JsonTarget& json, const Refused& refused);
/// Errors and warnings of the input, on the error stream.
void printFindings(const Input& input, const Snapshot& snapshot);

/// "reduced_factor", "operand_reshard", ...; "program" where that has the collective itself.
[[nodiscard]] std::string_view causeId(const CollectiveEntry& entry);
/// Everything about one of them; its groups if asked for.
[[nodiscard]] Json toJson(const CollectiveList& list, std::size_t index, bool groups);
/// "{data, model}" as a list of names.
[[nodiscard]] std::vector<std::string> axisNames(const AxisList& axes, const Mesh& mesh);
/// Whole bytes with separators; parts of a byte with one decimal.
[[nodiscard]] QString exactCount(Rational bytes);

} // namespace shardscope::cli
