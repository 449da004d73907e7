// SPDX-License-Identifier: GPL-3.0-or-later
// The chip that stands for a mesh axis: its name in its colour, in a frame of it.
#pragma once

#include <QColor>
#include <QRect>
#include <QString>

class QPainter;

namespace shardscope {

struct Theme;

enum class ChipState : std::uint8_t {
    Plain,
    Applied, ///< a rule that fired: stronger frame
    Skipped, ///< dashed and struck through, without colour
    Target, ///< a drop would land here: accent outline
};

/// Width and height of a chip with this text at the application's font.
[[nodiscard]] QSize chipSize(const QString& text);
/// `axis` is the index of the mesh axis, -1 for a name that is no axis of the mesh.
void paintChip(QPainter& painter, const QRect& rect, const QString& text, int axis, const Theme& theme,
    ChipState state = ChipState::Plain);
/// Background of chips and of whatever else belongs to a mesh axis: 12 % of its colour over the base.
[[nodiscard]] QColor axisTint(const Theme& theme, int axis);

} // namespace shardscope
