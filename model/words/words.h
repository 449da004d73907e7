// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences and numbers for people: one authority for the window and the command line. Everything is translatable.
// Style: say what is, then why, then what to do; plain verbs (shard, hold, copy, send, add up); a number with its unit
// in every consequence; no abbreviations in sentences, no blame, no exclamation.
#pragma once

#include <QString>
#include <QStringList>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "base/diagnostics.h"
#include "base/quantity.h"
#include "pipeline/snapshot.h"

namespace shardscope {
struct CollectiveList;
enum class Owner : std::uint8_t;
struct Explanation;
struct ValueCheck;
struct WhatIf;
} // namespace shardscope

namespace shardscope::words {

/// Text in parts, so that a view can colour mesh axes and a terminal can leave the marks out.
struct Span {
    enum class Style : std::uint8_t { Plain, Strong, Axis, Code };
    QString text;
    Style style = Style::Plain;
    int axis = -1; ///< mesh axis index for Axis
    QString link = {}; ///< where a click on it leads (words/links.h); empty for nowhere
    bool operator==(const Span&) const = default;
};
using Text = std::vector<Span>;
[[nodiscard]] QString plain(const Text& text);

// Numbers. 8 B, 16 KiB, 1 MiB: three significant digits, at most one decimal above 10; locale's digits. The unit is
// chosen for the number as it is printed: never 1,024 KiB.
[[nodiscard]] QString bytes(double value);
[[nodiscard]] QString bytes(Rational value); ///< "≈ 5 B" where devices send different numbers of bytes, in the mean 5.3
[[nodiscard]] QString seconds(double value); ///< µs below 1 ms, then ms, from 10 s on s
[[nodiscard]] QString meanAndDeviation(double mean, double deviation); ///< "12.4 ms ± 0.3 ms": both in the mean's unit
[[nodiscard]] QString count(qint64 value); ///< thousands by locale
/// Parts printed with so many decimals, so that they add up to the sum as printed: those that lose most are rounded up.
[[nodiscard]] std::vector<double> roundedParts(std::span<const double> parts, int decimals);
/// The sum of times and the times, in one unit, so that they add up as printed: "27.1 ms", "8.1 ms", "2.2 ms", "16.8
/// ms".
[[nodiscard]] QStringList secondsAddingUp(std::span<const double> seconds);
[[nodiscard]] QString ordinal(qint64 place); ///< "1st", "22nd", "113th"
/// What people count. A number and its noun go together: "1 device", "4 devices".
enum class Noun : std::uint8_t {
    Array,
    Byte,
    Chip,
    Collective,
    Device,
    Dimension,
    Element,
    Entry,
    Error,
    Host,
    Layer,
    Line,
    Loop,
    Operation,
    Rule,
    Run,
    Shard,
    Size,
    Slice,
    Step,
    Tensor,
    Thread,
    Warning
};
[[nodiscard]] QString counted(qint64 number, Noun noun);
[[nodiscard]] QString paddingOf(qint64 padding, qint64 room); ///< "1 of 8 is padding", "2 of 12 are padding"
[[nodiscard]] QString percent(double share); ///< "17 %"; one decimal below ten
[[nodiscard]] QString copies(qint64 value); ///< "× 2" with a thin space
/// "2 × 4"; where there are more than three axes and some are of size 1, the others by name: "fsdp 4 × tensor 8".
[[nodiscard]] QString meshSizes(const Mesh& mesh);
[[nodiscard]] QString meshSizes(std::span<const MeshAxis> axes);
/// "8 × 4": never with names, for where they stand beside it.
[[nodiscard]] QString meshNumbers(std::span<const MeshAxis> axes);
/// Whether axes of size 1, which shard nothing, are left out: where there are more than three axes.
[[nodiscard]] bool leavesOutOnes(std::span<const MeshAxis> axes);
/// "data 2 × model 4"; of more than three axes those of size 1 are left out.
[[nodiscard]] QString meshNames(std::span<const MeshAxis> axes);
[[nodiscard]] QString shape(std::span<const std::int64_t> shape); ///< "[1024, 256]"
[[nodiscard]] QString range(std::int64_t begin, std::int64_t end); ///< inclusive, en dash: "256–511"; end is exclusive
/// One line per dimension whose parts are not equal: "batch: 10 in 4 shards, 2 of 12 are padding".
[[nodiscard]] QStringList padding(const TensorRow& row);
[[nodiscard]] QString devices(std::span<const std::int32_t> ids); ///< "d0, d4", "d0 … d7", "16 devices: d1, d5, …, d61"

// Names.
[[nodiscard]] QString role(Role role); ///< "Parameters"
[[nodiscard]] QString owner(Owner owner, const Program& program); ///< "parameters"; of state as optimizerArrays()
[[nodiscard]] QString collective(CollectiveKind kind); ///< "all-reduce"
[[nodiscard]] QString verdict(const RuleTrace& trace); ///< "Applied", "Skipped"
/// A person's name for a path: "params/layers.0/W1" -> "Layer 0 / W1".
[[nodiscard]] QString tensorName(const std::string& path);

/// So many operands are named in a sentence, and how many more there are.
inline constexpr std::size_t fewOperands = 4, allOperands = std::numeric_limits<std::size_t>::max();
/// What a value is computed of: "the matrix product of x and Layer 0 / W1"; empty for arguments.
[[nodiscard]] QString definition(const Program& program, ValueId value, std::size_t most = fewOperands);

// Sentences.
struct ProblemText {
    QString cause; ///< one line: what and why
    QString remedy; ///< what would be right
    QString where; ///< place() without an experiment
    [[nodiscard]] QString inFull() const; ///< cause and remedy: "the batch cannot be split. Use 8 or 16."
};
/// With a capital letter and a full stop.
[[nodiscard]] QString sentence(QString text);
/// What each of them is called, for a list.
template <typename List, typename TextOf>
[[nodiscard]] QStringList texts(const List& list, TextOf textOf)
{
    QStringList all;
    for (const auto& each : list)
        all << textOf(each);
    return all;
}
/// Where it is, in words: "line 12, column 5; rule 3, batch", "mesh axis model", "params/layers.0/W1, dimension 0"; may
/// be empty. What has a number only is named with the help of the experiment that the diagnostic is about.
[[nodiscard]] QString place(const Diagnostic& diagnostic, const Experiment* experiment = nullptr);
/// "4 layers" of a problem that comes again in every layer, "3 tensors" of one that others have too; else its own
/// place.
[[nodiscard]] QString place(const Problem& problem, const Snapshot* snapshot, const Experiment* experiment);
[[nodiscard]] ProblemText describe(const Diagnostic& diagnostic);
/// "file:12:5: E124: cause. remedy" for terminals.
[[nodiscard]] QString oneLine(const Diagnostic& diagnostic);
[[nodiscard]] QString fixLabel(const Fix& fix); ///< "Fix: bind rules"

/// Why a rule did or did not fire for an array: "X already shards batch (rule 1)".
[[nodiscard]] Text verdictReason(const RuleTrace& trace, const LogicalRules& rules, const LogicalNames& names);

enum class Length : std::uint8_t { Tip, Paragraph, Derivation };
struct ExplanationText {
    QString title; ///< "Why W1 looks like this"
    QString shortTitle; ///< "Why W1", where the other one has no room; may be empty
    std::vector<Text> paragraphs;
    struct Cause {
        QString subject; ///< "hidden"
        Text reason; ///< "rule 2 hidden -> model"
        QString outcome; ///< "applied", "replicated"
    };
    std::vector<Cause> decidedBy;
};
[[nodiscard]] ExplanationText explanation(const Snapshot& snapshot, const Explanation& explanation, Length length);
struct WhatIfText {
    Text change; ///< "embed -> data"
    /// "per device 1 MiB → 512 KiB, sent 8.16 → 1.2 MiB per step, state and gradients 32 → 16 MiB"
    QString consequence;
    /// The same as changes, for columns: "−512 KiB", "+15.9 MiB", "0".
    QString perDevice, sent, state;
    bool isTrained = false; ///< `state` is that of parameters, gradients and moments, not of parameters alone
};
[[nodiscard]] WhatIfText whatIf(const Snapshot& snapshot, const WhatIf& whatIf);

/// "Sent 8.16 MiB per step: 8 MiB data, 164 KiB model", by mesh axes.
[[nodiscard]] QString sentSummary(const CollectiveList& list);

/// What a check found wrong with a value, tensor, device and element first; empty if it passed.
[[nodiscard]] QStringList checkFindings(const ValueCheck& check, const Program& program);

} // namespace shardscope::words
