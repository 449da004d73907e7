// SPDX-License-Identifier: GPL-3.0-or-later
// Two parts of a view: beside or above each other where both have room, else one at a time, chosen by a bar.
#pragma once

#include <QWidget>
#include <utility>

class QSplitter;

namespace shardscope {

class SegmentedBar;

class TwoSides : public QWidget {
    Q_OBJECT
public:
    TwoSides(QWidget* first, const QString& firstName, QWidget* second, const QString& secondName,
        QWidget* parent = nullptr);

    /// The bar that chooses where there is room for one alone.
    [[nodiscard]] SegmentedBar* bar() const { return m_bar; }
    /// Beside each other only from this width and height on, even where less would do.
    void setRoomForBoth(int width, int height = 0);
    /// How they share the width from now on: what was dragged holds until the shares are other ones.
    void setShares(int first, int second);
    /// Room for the wider one of the two.
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent*) override { arrange(); }

private:
    void arrange();
    QWidget* m_first;
    QWidget* m_second;
    SegmentedBar* m_bar;
    QSplitter* m_splitter;
    int m_widthForBoth = 0, m_heightForBoth = 0;
    std::pair<int, int> m_shares;
};

} // namespace shardscope
