// SPDX-License-Identifier: GPL-3.0-or-later
// A widget that paints what it shows by itself: what such widgets have in common. It takes the focus, follows the
// pointer, is arranged anew for another size or font and painted anew for another theme, shows a tool tip for what is
// under the pointer, zooms by Ctrl and the wheel or a pinch, and is a table for screen readers.
#pragma once

#include <QWidget>
#include <optional>

#include "views/widgets/painted_table.h"

class QEvent;
class QKeyEvent;
class QMenu;
class QPainter;

namespace shardscope {

/// Zoom gestures of touch pads and touch screens as whole steps, for views that zoom in levels.
class PinchZoom {
public:
    /// +1 for a step nearer, -1 for one further away, 0 for none (yet). `isGesture` tells whether the event was a zoom
    /// gesture at all; it is accepted then.
    struct Steps {
        bool isGesture = false;
        int count = 0;
    };
    Steps take(QEvent* event);

private:
    double m_pending = 0; ///< of a step
};

class Canvas : public QWidget, public PaintedTable {
    Q_OBJECT
public:
    explicit Canvas(const QString& name, QWidget* parent = nullptr);

protected:
    enum class Zooms : bool { No, ByLevels };
    Canvas(const QString& name, Zooms zooms, QWidget* parent);

    /// A tool tip and what it belongs to: it goes when the pointer leaves that.
    struct Tip {
        QString text; ///< as QToolTip takes it (plainTip)
        QRect rect;
    };
    [[nodiscard]] virtual Tip tipAt(QPoint) const { return { toolTip(), rect() }; }
    /// The size or the font is another one.
    virtual void arrange() { }
    /// The theme is another one.
    virtual void recolour() { }
    /// The pointer is there now; nowhere: it has left.
    virtual void hoverAt(std::optional<QPoint> point);
    /// Nearer (1) or further away (-1), keeping what is at the point in sight.
    virtual void zoomAt(int steps, QPoint at);
    /// The wheel was turned by so many eighths of a degree; false where there is nothing to scroll.
    virtual bool scrollBy(QPoint, Qt::KeyboardModifiers) { return false; }

    /// The row that an arrow key, a page key, Home or End leads to from `row`, of `count`; nothing for other keys.
    /// Left and right do as up and down where rows lie beside each other.
    [[nodiscard]] static std::optional<int> rowAfter(
        const QKeyEvent& event, int row, int count, Qt::Orientations along, int page = 1);
    /// Space and the keys for Return.
    [[nodiscard]] static bool isActivation(const QKeyEvent& event);
    /// Where the pointer is while it is over the widget.
    [[nodiscard]] std::optional<QPoint> pointer() const { return m_pointer; }
    /// Around all of the widget.
    void paintFocusFrame(QPainter& painter) const;

    bool event(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent*) override { arrange(); }
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    std::optional<QRect> fillMenu(QMenu& menu, std::optional<QPoint> place);
    Zooms m_zooms = Zooms::No;
    PinchZoom m_pinch;
    std::optional<QPoint> m_pointer;
};

} // namespace shardscope
