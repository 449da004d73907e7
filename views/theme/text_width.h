// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of short texts that columns, legends and bars ask for again after every edit.
#pragma once

#include <QFont>
#include <QString>

namespace shardscope {

/// Pixels that a text takes in a line, as QFontMetrics::horizontalAdvance() counts them. A text is measured once for
/// each font. For the window's thread alone.
[[nodiscard]] int textWidth(const QFont& font, const QString& text);

} // namespace shardscope
