// SPDX-License-Identifier: GPL-3.0-or-later
// A program as text, line by line, each with the operation and the value that it shows. The text is held once, as
// bytes; lines become strings when they are looked at.
//
// There are two: the program as the printer writes it, with the shardings that propagation found, and the text that it
// was read from, which problems speak of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pipeline/snapshot.h"

namespace shardscope {

struct ProgramText {
    std::string text;
    std::vector<std::size_t> starts; ///< of the lines; one more, after the last line
    std::vector<OperationId> operations; ///< by line; invalid where it shows none
    std::vector<ValueId> values; ///< by line: the first value that is defined there
    std::vector<int> lineOfOperation, lineOfValue; ///< by id, -1 for none
    int longest = 0; ///< in bytes, up to `longestShown`

    /// As StableHLO, one argument per line, with the shardings of the snapshot where it has any. Names of values stand
    /// after their lines where they are more than numbers.
    static ProgramText printed(const Snapshot& snapshot);
    /// As it was read; `program` (null where it could not be) has the lines of its operations.
    static ProgramText sourceText(std::string text, const Program* program);

    [[nodiscard]] int lines() const { return static_cast<int>(operations.size()); }
    [[nodiscard]] std::string_view line(int index) const;
    /// The line to show for a value, and for an operation; -1 for none.
    [[nodiscard]] int lineOf(ValueId value) const;
    [[nodiscard]] int lineOf(OperationId operation) const;
    /// Lines that contain the text, whatever the case of plain letters, ascending.
    [[nodiscard]] std::vector<int> find(std::string_view wanted) const;
    /// Same number of lines, about the same operations and values.
    [[nodiscard]] bool hasLinesOf(const ProgramText& other) const;

    /// Of a longer line the beginning is shown.
    static constexpr int longestShown = 2000;

private:
    void split();
    void link(const std::vector<std::uint32_t>& operationLines, const std::vector<std::uint32_t>& valueLines);
};

} // namespace shardscope
