// SPDX-License-Identifier: GPL-3.0-or-later
// What the dock of named arrays says, and how mesh axes are typed in it.
#pragma once

#include <QString>
#include <QStringList>
#include <QVariantList>

#include "views/named_arrays_view/named_state.h"

namespace shardscope::named {

[[nodiscard]] Shape dataShape(const std::variant<NamedArray, PlainArray>& array);
/// The mesh axes that a name stands for; none: it stays whole.
[[nodiscard]] QStringList axesOf(const NamedTree& tree, const Mesh& mesh, const std::string& name);
/// "bar", "pod, data", "not cut".
[[nodiscard]] QString axesList(const NamedTree& tree, const Mesh& mesh, const std::string& name);
/// Their places in the mesh, -1 for what is no axis of it.
[[nodiscard]] QVariantList axisIndices(const QStringList& axes, const Mesh& mesh);
/// "bar", "(pod, data)", "None", "" as one types them.
[[nodiscard]] std::vector<std::string> parseAxes(const QString& text);

/// What became of an array, in a sentence or two: its problem with what to do, or who holds what.
[[nodiscard]] QString outcomeText(const ArrayOutcome& outcome);

} // namespace shardscope::named
