// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/canvas.h"

#include <QGestureEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QNativeGestureEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/theme/theme.h"
#include "views/widgets/context_menu.h"

namespace shardscope {

Canvas::Canvas(const QString& name, QWidget* parent)
    : Canvas(name, Zooms::No, parent)
{
}

Canvas::Canvas(const QString& name, Zooms zooms, QWidget* parent)
    : QWidget(parent)
    , m_zooms(zooms)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    if (!name.isEmpty())
        setAccessibleName(name);
    if (zooms == Zooms::ByLevels)
        grabGesture(Qt::PinchGesture);
    giveContextMenu(this, [this](QMenu& menu, std::optional<QPoint> place) { return fillMenu(menu, place); });
}

/// What is said of the row, or of the cell where cells have places of their own.
std::optional<QRect> Canvas::fillMenu(QMenu& menu, std::optional<QPoint> place)
{
    const int row = place ? tableRowAt(*place) : tableCurrentRow();
    if (row < 0 || row >= tableRowCount())
        return std::nullopt;
    const int column = place ? tableColumnAt(*place) : tableCurrentColumn();
    QStringList lines;
    for (int each = 0; each < tableColumnCount(); ++each)
        lines << tr("%1: %2", "head of a column, cell").arg(tableHeader(each), tableText(row, each));
    const bool isCell = column >= 0 && column < tableColumnCount() && tableCellRect(row, column) != tableRect(row);
    if (isCell)
        lines = { tableText(row, column), tableDescription(row, column) };
    lines.removeAll(QString());
    addMenuAction(
        menu, "choose", tr("Select"),
        [this, row, column, isCell] {
            if (row >= tableRowCount() || (isCell && column >= tableColumnCount()))
                return; // something else is shown by now
            if (isCell)
                tableActivateCell(row, column);
            else
                tableActivate(row);
        },
        tr("Return"));
    addCopyAction(menu, "copyRow", tr("Copy as text"), lines.join(QLatin1Char('\n')));
    return isCell ? tableCellRect(row, column) : tableRect(row);
}

void Canvas::hoverAt(std::optional<QPoint>) { }

void Canvas::zoomAt(int, QPoint) { }

std::optional<int> Canvas::rowAfter(const QKeyEvent& event, int row, int count, Qt::Orientations along, int page)
{
    const bool across = along.testFlag(Qt::Horizontal), down = along.testFlag(Qt::Vertical);
    std::optional<int> next;
    switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        if (across)
            next = event.key() == Qt::Key_Left ? row - 1 : row + 1;
        break;
    case Qt::Key_Up:
    case Qt::Key_Down:
        if (down)
            next = event.key() == Qt::Key_Up ? row - 1 : row + 1;
        break;
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        if (page > 1)
            next = event.key() == Qt::Key_PageUp ? row - page : row + page;
        break;
    case Qt::Key_Home:
        next = 0;
        break;
    case Qt::Key_End:
        next = count - 1;
        break;
    default:
        break;
    }
    return next ? std::optional(std::min(std::max(*next, 0), count - 1)) : std::nullopt;
}

bool Canvas::isActivation(const QKeyEvent& event)
{
    return event.key() == Qt::Key_Space || event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter;
}

void Canvas::paintFocusFrame(QPainter& painter) const
{
    painter.setPen(QPen(Theme::current().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

bool Canvas::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const Tip tip = tipAt(help->pos()); !tip.text.isEmpty())
            QToolTip::showText(help->globalPos(), tip.text, this, tip.rect);
        else
            QToolTip::hideText();
        return true;
    }
    if (m_zooms == Zooms::ByLevels)
        if (const PinchZoom::Steps steps = m_pinch.take(event); steps.isGesture) {
            if (steps.count != 0)
                zoomAt(steps.count > 0 ? 1 : -1, m_pointer.value_or(rect().center()));
            return true;
        }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut)
        update();
    return QWidget::event(event);
}

void Canvas::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    switch (event->type()) {
    case QEvent::FontChange:
    case QEvent::ApplicationFontChange:
    case QEvent::StyleChange:
        arrange();
        updateGeometry();
        update();
        break;
    case QEvent::PaletteChange:
    case QEvent::ApplicationPaletteChange:
        recolour();
        update();
        break;
    default:
        break;
    }
}

void Canvas::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position().toPoint();
    hoverAt(m_pointer);
}

void Canvas::leaveEvent(QEvent*)
{
    m_pointer.reset();
    hoverAt(std::nullopt);
}

void Canvas::wheelEvent(QWheelEvent* event)
{
    const QPoint turned = event->angleDelta();
    if (m_zooms == Zooms::ByLevels && event->modifiers() & Qt::ControlModifier) {
        if (turned.y() != 0)
            zoomAt(turned.y() > 0 ? 1 : -1, event->position().toPoint());
        event->accept();
        return;
    }
    event->setAccepted(scrollBy(turned, event->modifiers()));
}

PinchZoom::Steps PinchZoom::take(QEvent* event)
{
    constexpr double perStep = 0.3; // growth by so much is one step
    if (event->type() == QEvent::NativeGesture) {
        const auto* gesture = static_cast<QNativeGestureEvent*>(event);
        if (gesture->gestureType() == Qt::BeginNativeGesture)
            m_pending = 0;
        if (gesture->gestureType() != Qt::ZoomNativeGesture)
            return {};
        m_pending += gesture->value() / perStep;
    } else if (event->type() == QEvent::Gesture) {
        const auto* pinch = static_cast<QPinchGesture*>(static_cast<QGestureEvent*>(event)->gesture(Qt::PinchGesture));
        if (!pinch)
            return {};
        if (pinch->state() == Qt::GestureStarted)
            m_pending = 0;
        if (pinch->scaleFactor() > 0)
            m_pending += std::log(pinch->scaleFactor()) / perStep;
    } else {
        return {};
    }
    event->accept();
    const int steps = m_pending >= 1 ? 1 : m_pending <= -1 ? -1 : 0;
    m_pending -= steps;
    return { true, steps };
}

} // namespace shardscope
