// SPDX-License-Identifier: GPL-3.0-or-later
// What the view of named arrays says, and how mesh axes are typed in it.
#pragma once

#include <QString>
#include <QStringList>
#include <QVariantList>

#include "experiment/named_state.h"

namespace shardscope::named {

/// "embed", "dimension 1" for one without a name.
[[nodiscard]] QString dimensionName(const NamedArraySetting& array, std::size_t dimension);
[[nodiscard]] QString joined(const std::vector<std::string>& axes); ///< "pod, data"
/// "bar", "pod, data", "not sharded".
[[nodiscard]] QString axesList(const std::vector<std::string>& axes);
[[nodiscard]] QStringList toList(const std::vector<std::string>& axes);
/// Their places in the mesh, -1 for what is no axis of it.
[[nodiscard]] QVariantList axisIndices(const std::vector<std::string>& axes, const Mesh& mesh);
/// "bar", "(pod, data)", "None", "" as one types them.
[[nodiscard]] std::vector<std::string> parseAxes(const QString& text);
/// "rules 1 and 4 map it to different axes" for a name whose rules a mapping cannot join.
[[nodiscard]] QString conflictText(const MappedName& name);

/// "P(bar, foo, -)", or why there is none.
[[nodiscard]] QString specText(const Reading& reading);
/// What became of an array, in a sentence or two: its problem with what to do, or who holds what.
[[nodiscard]] QString readingText(const NamedArraySetting& array, const Reading& reading);
/// The same of all that is known of it: what it becomes, and what it would be as a mapping.
[[nodiscard]] QString outcomeText(const NamedArraySetting& array, const ArrayOutcome& outcome);

} // namespace shardscope::named
