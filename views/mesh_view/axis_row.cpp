// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/axis_row.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "views/panel/panel.h"
#include "views/theme/icons.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chip.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/size_slider.h"

namespace shardscope {

AxisChip::AxisChip(QWidget* parent)
    : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setToolTip(tr("Double-click or F2 to rename, Delete to remove, Alt+Up and Alt+Down to move"));
}

void AxisChip::setAxis(const QString& name, int axis)
{
    m_name = name;
    m_axis = axis;
    setAccessibleName(tr("Mesh axis %1").arg(name));
    updateGeometry();
    update();
}

void AxisChip::setMarked(bool marked)
{
    m_marked = marked;
    update();
}

QSize AxisChip::sizeHint() const
{
    return chipSize(m_name).expandedTo({ Metrics::scaled(36), Metrics::scaled(20) });
}
void AxisChip::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const int height = chipSize(m_name).height();
    const QRect chip(0, (this->height() - height) / 2, width(), height);
    paintChip(painter, chip, m_name, m_axis, theme, m_marked ? ChipState::Applied : ChipState::Plain);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(theme.accent, 2));
        painter.drawRoundedRect(QRectF(chip).adjusted(1, 1, -1, -1), 3, 3);
    }
}

void AxisChip::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        Q_EMIT clicked();
}

void AxisChip::keyPressEvent(QKeyEvent* event)
{
    const bool alt = event->modifiers() & Qt::AltModifier;
    if (event->key() == Qt::Key_F2)
        startRenaming();
    else if (event->key() == Qt::Key_Delete)
        Q_EMIT removeRequested();
    else if (alt && event->key() == Qt::Key_Up)
        Q_EMIT moveRequested(-1);
    else if (alt && event->key() == Qt::Key_Down)
        Q_EMIT moveRequested(1);
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Space)
        Q_EMIT clicked();
    else
        QWidget::keyPressEvent(event);
}

void AxisChip::startRenaming()
{
    if (m_editor)
        return;
    // Over the row, so that a name longer than the chip can be seen whole.
    m_editor = new QLineEdit(m_name, parentWidget());
    m_editor->setAccessibleName(tr("New name of mesh axis %1").arg(m_name));
    placeEditor();
    m_editor->selectAll();
    m_editor->installEventFilter(this);
    m_editor->show();
    m_editor->setFocus();
    connect(m_editor, &QLineEdit::editingFinished, this, [this] { finishRenaming(true); });
}

void AxisChip::finishRenaming(bool accept)
{
    if (!m_editor)
        return;
    QLineEdit* editor = std::exchange(m_editor, nullptr);
    const QString name = editor->text().trimmed();
    const bool focused = editor->hasFocus();
    editor->removeEventFilter(this);
    editor->hide();
    editor->deleteLater();
    if (focused)
        setFocus();
    if (accept && !name.isEmpty() && name != m_name)
        Q_EMIT renamed(name);
}

bool AxisChip::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_editor && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        finishRenaming(false);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void AxisChip::placeEditor()
{
    if (m_editor)
        m_editor->setGeometry(x() - 2, y() + (height() - Metrics::scaled(24)) / 2,
            std::max(width() + 4, Metrics::scaled(110)), Metrics::scaled(24));
}

/// The chip of a row that was just made gets its place later than its editor.
void AxisChip::moveEvent(QMoveEvent* event)
{
    QWidget::moveEvent(event);
    placeEditor();
}

DragHandle::DragHandle(QWidget* parent)
    : QWidget(parent)
{
    setCursor(Qt::SizeVerCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Expanding);
    setAccessibleName(tr("Drag to reorder"));
}

void DragHandle::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const int side = Metrics::scaled(14);
    painter.drawPixmap((width() - side) / 2, (height() - side) / 2,
        iconPixmap(QStringLiteral("handle"), side, Theme::current().hint, devicePixelRatioF()));
}

void DragHandle::mousePressEvent(QMouseEvent* event)
{
    m_pressed = event->button() == Qt::LeftButton;
    m_start = event->globalPosition().toPoint();
}

void DragHandle::mouseMoveEvent(QMouseEvent* event)
{
    const QPoint here = event->globalPosition().toPoint();
    if (!m_pressed)
        return;
    if (!m_dragging && (here - m_start).manhattanLength() >= 4) {
        m_dragging = true;
        qApp->installEventFilter(this); // Esc gives the drag up, wherever the focus is
    }
    if (m_dragging)
        Q_EMIT dragged(here);
}

void DragHandle::mouseReleaseEvent(QMouseEvent* event)
{
    const bool was = std::exchange(m_dragging, false);
    m_pressed = false;
    if (!was)
        return;
    qApp->removeEventFilter(this);
    Q_EMIT dropped(event->globalPosition().toPoint());
}

bool DragHandle::eventFilter(QObject* watched, QEvent* event)
{
    const bool escape = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
    if (!m_dragging || !escape)
        return QWidget::eventFilter(watched, event);
    m_dragging = m_pressed = false;
    qApp->removeEventFilter(this);
    Q_EMIT cancelled();
    return true;
}

AxisRow::AxisRow(QWidget* parent)
    : QWidget(parent)
    , m_handle(new DragHandle(this))
    , m_chip(new AxisChip(this))
    , m_slider(new SizeSlider(this))
    , m_spin(new SizeSpinBox(this))
    , m_link(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
{
    hbox(this, { 4, 0, 8, 0 }, 6, { m_handle, m_chip, { m_slider, 1 }, m_spin, m_link });
    m_link->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setFixedHeight(Metrics::scaled(32));
    m_spin->setMinimumWidth(Metrics::scaled(46));
    tabOrder({ m_chip, m_slider, m_spin });
    connect(m_slider, &SizeSlider::sizeChosen, this, &AxisRow::sizeChosen);
    connect(m_slider, &SizeSlider::cancelled, this, &AxisRow::sizeCancelled);
    connect(m_spin, &QSpinBox::valueChanged, this, [this](int value) { Q_EMIT sizeChosen(value, false); });
}

void AxisRow::setContent(const Content& content)
{
    m_chip->setAxis(content.name, content.axis);
    m_chip->setMarked(content.marked);
    m_slider->setAxis(content.axis);
    m_slider->setSizes(content.sizes, content.size);
    const QString size = tr("Size of mesh axis %1").arg(content.name);
    m_slider->setAccessibleName(size);
    m_handle->setAccessibleName(tr("Drag to reorder mesh axis %1").arg(content.name));
    m_spin->setAccessibleName(size);
    m_slider->setToolTip(plainTip(tr("%1: drag, or Left and Right").arg(size)));
    m_spin->setToolTip(plainTip(tr("%1: type it, or Up and Down").arg(size)));
    m_spin->setSizes(content.sizes);
    const QSignalBlocker quiet(m_spin);
    m_spin->setValue(static_cast<int>(std::min<std::int64_t>(content.size, m_spin->maximum())));
    const int digits = std::max(2, static_cast<int>(QString::number(content.size).size()));
    m_spin->setFixedWidth(
        QFontMetrics(m_spin->font()).horizontalAdvance(QLatin1Char('0')) * digits + Metrics::scaled(32));
    m_linkLong = content.link;
    m_link->setToolTip(content.about);
    m_linkShort = content.linkShort;
    fitLink();
}

void AxisRow::fitLink()
{
    const bool room = width() >= Metrics::scaled(330);
    m_link->setText(room ? m_linkLong : m_linkShort);
    m_link->setMinimumWidth(
        QFontMetrics(Metrics::small()).horizontalAdvance(room ? QStringLiteral("ICI 45 GB/s") : QStringLiteral("DCN"))
        + 2);
}

} // namespace shardscope
