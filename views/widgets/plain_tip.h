// SPDX-License-Identifier: GPL-3.0-or-later
// Tool tips take what looks like markup for it; names that a file gives are shown as they are written.
#pragma once

#include <QString>
#include <QTextDocument>

namespace shardscope {

/// A tool tip that shows exactly this text.
[[nodiscard]] inline QString plainTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? Qt::convertFromPlainText(text, Qt::WhiteSpaceNormal) : text;
}

} // namespace shardscope
