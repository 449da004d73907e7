// SPDX-License-Identifier: GPL-3.0-or-later
// Scroll areas around a widget that is scrolled as one where it has less room than its minimum size.
#pragma once

#include <QEvent>
#include <QLayout>
#include <QScrollArea>
#include <QScrollBar>
#include <algorithm>

#include "views/theme/theme.h"

namespace shardscope {

/// Puts `content` into a scroll area without a frame that Tab skips. With `onlyUpright` it scrolls vertically alone:
/// the content is never wider than the area.
inline QScrollArea* makePlain(QScrollArea* area, QWidget* content, bool onlyUpright)
{
    area->setWidget(content);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->viewport()->setBackgroundRole(QPalette::Base);
    if (onlyUpright)
        area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

/// A scroll area that may be `minimum` pixels (before scaling) high and is at least as wide as its content's minimum.
/// The content shrinks to its minimum size before anything is scrolled; QScrollArea would keep content whose height
/// depends on its width at its preferred size.
class LowRoom : public QScrollArea {
public:
    explicit LowRoom(QWidget* content, QWidget* parent = nullptr, int minimum = 120)
        : QScrollArea(parent)
        , m_minimumHeight(minimum)
    {
        content->setBackgroundRole(QPalette::Base);
        setWidget(content);
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setFocusProxy(content);
        viewport()->setBackgroundRole(QPalette::Base);
    }
    [[nodiscard]] QSize minimumSizeHint() const override
    {
        return { minimumContentWidth() + verticalScrollBar()->sizeHint().width(), Metrics::scaled(m_minimumHeight) };
    }
    [[nodiscard]] QSize sizeHint() const override { return widget()->sizeHint(); }

protected:
    void resizeEvent(QResizeEvent* event) override
    {
        QScrollArea::resizeEvent(event);
        fit();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) {
            updateGeometry();
            fit();
        }
        return QScrollArea::eventFilter(watched, event);
    }

private:
    [[nodiscard]] int minimumContentWidth() const
    {
        return std::max(widget()->minimumSizeHint().width(), widget()->minimumWidth());
    }
    [[nodiscard]] int minimumContentHeight(int width) const
    {
        const QLayout* layout = widget()->layout();
        const int own = layout && layout->hasHeightForWidth() ? layout->minimumHeightForWidth(width)
                                                              : widget()->minimumSizeHint().height();
        return std::max(own, widget()->minimumHeight());
    }
    void fit()
    {
        const QSize room = maximumViewportSize();
        int width = std::max(room.width(), minimumContentWidth()), height = minimumContentHeight(width);
        if (height > room.height()) {
            width = std::max(room.width() - verticalScrollBar()->sizeHint().width(), minimumContentWidth());
            height = minimumContentHeight(width);
        }
        widget()->resize(width, std::max(height, room.height()));
    }
    int m_minimumHeight; ///< pixels of height, before they are scaled
};

} // namespace shardscope
