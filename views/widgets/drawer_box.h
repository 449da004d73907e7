// SPDX-License-Identifier: GPL-3.0-or-later
// The main part of a view with a drawer below it. Folded, the drawer is its head alone; unfolded it shares the height
// with the main part, by a line that can be dragged, or the width where the height is too little for two that are to be
// read together. Where there is no room for both it takes the main part's place.
#pragma once

#include <QWidget>
#include <functional>

class QSplitter;

namespace shardscope {

class Section;

class DrawerBox : public QWidget {
    Q_OBJECT
public:
    DrawerBox(QWidget* main, Section* drawer, QWidget* parent = nullptr);

    [[nodiscard]] Section* drawer() const { return m_drawer; }
    /// Unfolds it. Where there is room its body is as high as that at its width, until somebody drags the line.
    void setDrawerHeight(std::function<int(int width)> height);
    /// In a box lower than that the two stand beside each other, where there is the width for it.
    void setBesideBelow(int height);
    /// Shows the main part, which a drawer without room beside it may have replaced.
    void revealMain();
    /// Room for the higher one of the two.
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint().expandedTo(m_main->sizeHint()); }

protected:
    void resizeEvent(QResizeEvent*) override { arrange(); }
    void showEvent(QShowEvent*) override { arrange(); }
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Place { Folded, Below, Beside, Instead };
    void arrange();
    [[nodiscard]] Place place() const;
    [[nodiscard]] int headHeight() const; ///< with the line above it; 0 of a drawer that is hidden
    QWidget* m_main;
    Section* m_drawer;
    QSplitter* m_splitter;
    std::function<int(int width)> m_height;
    bool m_isDragged = false; ///< the line, since the drawer came there
    int m_besideBelow = 0;
    Place m_place = Place::Folded; ///< as it was arranged last
};

} // namespace shardscope
