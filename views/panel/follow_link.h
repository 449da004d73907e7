// SPDX-License-Identifier: GPL-3.0-or-later
// What happens when somebody follows a link in a sentence.
#pragma once

#include <QString>

namespace shardscope {

class Selection;

/// Selects what the link (words/links.h) leads to. Returns the view that shows it, where that is not every view that
/// follows the selection: "program", "propagation", "rules"; else "".
QString followLink(Selection& selection, const QString& link);

} // namespace shardscope
