// SPDX-License-Identifier: GPL-3.0-or-later
// The chip that stands for a mesh axis: its name in its colour, in a frame of it.
#pragma once

#include <QAbstractButton>
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

/// A mesh axis that shards a dimension or not: a chip that is switched by a click or by Space.
class AxisToggle : public QAbstractButton {
    Q_OBJECT
public:
    /// `axis` is the number of the mesh axis, for its colour; -1 for a switch that is none.
    AxisToggle(const QString& name, int axis, QWidget* parent = nullptr);
    /// Where it stands among several that shard the dimension, from 1; 0 = alone or not at all.
    void setPlace(int place);
    [[nodiscard]] int place() const { return m_place; }

    [[nodiscard]] QSize sizeHint() const override { return chipSize(shown()) + QSize(4, 4); }
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    [[nodiscard]] QString shown() const
    {
        return m_place == 0 ? text() : QStringLiteral("%1 · %2").arg(m_place).arg(text());
    }
    int m_axis;
    int m_place = 0;
};

} // namespace shardscope
