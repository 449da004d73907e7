// SPDX-License-Identifier: GPL-3.0-or-later
// What comms, explain, partition and show say of collectives.
#pragma once

#include <optional>
#include <string>

#include "input.h"
#include "pipeline/collective_list.h"
#include "report.h"

namespace shardscope::cli {

/// An input, analysed, with its collectives. `text`: what the file holds, where it has been read already.
struct Communication {
    Input input;
    SnapshotPtr snapshot;
    CollectiveList list;
};
[[nodiscard]] tl::expected<Communication, Refused> loadCommunication(
    const std::string& file, std::optional<std::string> text = {});

/// The value that one works for: its path, or what it is made by; "-" for none.
[[nodiscard]] QString valueText(const CollectiveList& list, const CollectiveEntry& entry);
/// How often it runs in a step: "4"; "1 × ?" where nobody can tell before.
[[nodiscard]] QString timesText(const CollectiveEntry& entry);
/// Where it comes from: op_name and source, where they are known.
void addOrigin(Json& json, const CollectiveEntry& entry);
/// Everything about one of them; its groups if asked for.
[[nodiscard]] Json toJson(const CollectiveList& list, std::size_t index, bool groups);
/// "{data, model}" as a list of names.
[[nodiscard]] std::vector<std::string> axisNames(const AxisList& axes, const Mesh& mesh);
/// Whole bytes with separators: "≈ 8" of a mean over devices that is none.
[[nodiscard]] QString exactCount(Rational bytes);
/// "1.08 GiB (1,156,088,832 B)"; once where both are the same.
[[nodiscard]] QString bytesAndCount(Rational bytes);
/// "Every device sends", or that none sends more.
[[nodiscard]] QString whoSends(bool everyDevice);
/// Why sums leave out collectives that are listed.
void sayBranches(Console& console);
/// What ≈ stands for, where any of the bytes have it.
void sayRounded(Console& console, bool isRounded);

} // namespace shardscope::cli
