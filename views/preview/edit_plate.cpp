// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/preview/edit_plate.h"

#include <QApplication>
#include <QCursor>
#include <QEvent>
#include <QPainter>
#include <QScreen>
#include <algorithm>

#include "views/preview/edit_gesture.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/chip.h"

namespace shardscope {

namespace {

int plateMargin()
{
    return Metrics::scaled(8);
}
int iconSide()
{
    return Metrics::scaled(14);
}
/// Widest line; what is longer is shortened.
int widestLine()
{
    return Metrics::scaled(420);
}

} // namespace

EditPlate::EditPlate(QWidget* window)
    : QWidget(window, Qt::ToolTip | Qt::FramelessWindowHint | Qt::WindowTransparentForInput)
{
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
}

void EditPlate::watch(EditGesture* gesture)
{
    m_gestures << gesture;
    connect(gesture, &EditGesture::changed, this, [this, gesture] { follow(gesture); });
    connect(gesture, &QObject::destroyed, this, [this, gesture] {
        m_gestures.removeAll(gesture);
        if (m_shown == gesture)
            dismiss();
    });
}

void EditPlate::follow(EditGesture* gesture)
{
    if (gesture->isActive())
        m_shown = gesture; // the newest one
    else if (m_shown == gesture)
        return dismiss();
    if (!m_shown)
        return;
    setAccessibleName(text());
    place();
    if (isHidden()) {
        qApp->installEventFilter(this); // it goes with the pointer
        show();
    }
    update();
}

void EditPlate::dismiss()
{
    m_shown = nullptr;
    qApp->removeEventFilter(this);
    hide();
    Q_EMIT left();
}

std::vector<EditPlate::Line> EditPlate::lines() const
{
    std::vector<Line> all;
    if (!m_shown)
        return all;
    all.push_back({ Line::Role::Title, m_shown->title() });
    if (const auto& preview = m_shown->preview()) {
        for (const EditPreview::Part& part : preview->parts(true))
            all.push_back({ part.changes ? Line::Role::Change : Line::Role::Same, part.text });
        if (const QString problem = preview->problemText(); !problem.isEmpty())
            all.push_back({ Line::Role::Problem, problem });
    }
    all.push_back({ Line::Role::Hint, tr("Esc takes it back") });
    return all;
}

QString EditPlate::text() const
{
    QStringList parts;
    for (const Line& line : lines())
        if (line.role != Line::Role::Hint && !line.text.isEmpty())
            parts << line.text;
    return parts.join(QStringLiteral(", "));
}

QFont EditPlate::faceOf(const Line& line) const
{
    return line.role == Line::Role::Title ? Metrics::semibold()
        : line.role == Line::Role::Hint   ? Metrics::small()
                                          : font();
}

int EditPlate::widthOf(const Line& line) const
{
    const int more = line.role == Line::Role::Problem                              ? iconSide() + Metrics::scaled(4)
        : m_shown && line.role == Line::Role::Title && !m_shown->ghost().isEmpty() ? chipSize(m_shown->ghost()).width()
                                                                                   : 0;
    return std::min(QFontMetrics(faceOf(line)).horizontalAdvance(line.text), widestLine()) + more + 2;
}

/// Right of the pointer and below it, on the other side where the screen ends.
void EditPlate::place()
{
    const std::vector<Line> all = lines();
    int width = 0;
    for (const Line& line : all)
        width = std::max(width, widthOf(line));
    const int height = static_cast<int>(all.size()) * Metrics::scaled(18);
    resize(width + 2 * plateMargin(), height + plateMargin());
    const QRect beside = m_shown->place().value_or(QRect(QCursor::pos(), QSize(1, 1)));
    const QScreen* at = QGuiApplication::screenAt(beside.center());
    const QRect screen = (at ? at : parentWidget()->screen())->availableGeometry();
    const int gap = Metrics::scaled(14);
    QPoint corner(beside.right() + gap, m_shown->place() ? beside.top() : beside.bottom() + gap);
    if (corner.x() + this->width() > screen.right())
        corner.setX(std::max(screen.left(), beside.left() - gap - this->width()));
    if (corner.y() + this->height() > screen.bottom())
        corner.setY(std::max(screen.top(), beside.top() - gap - this->height()));
    move(corner);
}

bool EditPlate::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::MouseMove && m_shown && !m_shown->place())
        place();
    return QWidget::eventFilter(watched, event);
}

void EditPlate::paintEvent(QPaintEvent*)
{
    if (!m_shown)
        return;
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.selectedRow);
    painter.setPen(QPen(theme.accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    QRect line(plateMargin(), plateMargin() / 2, width() - 2 * plateMargin(), Metrics::scaled(18));
    for (const Line& each : lines()) {
        int x = line.left();
        QString text = each.text;
        if (const QString ghost = each.role == Line::Role::Title ? m_shown->ghost() : QString(); !ghost.isEmpty()) {
            const QSize chip = chipSize(ghost);
            paintChip(painter, QRect(QPoint(x, line.center().y() - chip.height() / 2), chip), ghost, -1, theme);
            x += chip.width() + Metrics::scaled(2);
            if (text.startsWith(ghost))
                text.remove(0, ghost.size());
        } else if (each.role == Line::Role::Problem) {
            painter.drawPixmap(x, line.center().y() - iconSide() / 2,
                iconPixmap(QStringLiteral("error"), iconSide(), theme.error, devicePixelRatioF()));
            x += iconSide() + Metrics::scaled(4);
        }
        painter.setFont(faceOf(each));
        painter.setPen(each.role == Line::Role::Problem                          ? theme.error
                : each.role == Line::Role::Same || each.role == Line::Role::Hint ? theme.secondary
                                                                                 : theme.text);
        const QRect room(x, line.top(), line.right() - x + 1, line.height());
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
            painter.fontMetrics().elidedText(text, Qt::ElideRight, room.width()));
        line.translate(0, line.height());
    }
}

} // namespace shardscope
