// SPDX-License-Identifier: GPL-3.0-or-later
// Icons of the window: SVG drawings on a 16 px grid in resources/icons, in the colour that the theme in force gives
// them at the moment of painting, so that one QIcon serves light and dark.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPixmap>
#include <QString>

#include "base/diagnostics.h"

namespace shardscope {

enum class IconColor : std::uint8_t { Text, Secondary, OnAccent, Accent, Failure, Warning, Ok, Info };

/// The icon resources/icons/<name>.svg; disabled it is drawn at 38 %.
[[nodiscard]] QIcon icon(const QString& name, IconColor color = IconColor::Text);
/// The same as a picture of `size` logical pixels in a given colour.
[[nodiscard]] QPixmap iconPixmap(const QString& name, int size, const QColor& color, qreal devicePixelRatio);
/// Octagon, triangle or circle, in the colour of the severity.
[[nodiscard]] QIcon severityIcon(Severity severity);

} // namespace shardscope
