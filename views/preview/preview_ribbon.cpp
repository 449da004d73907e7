// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/preview/preview_ribbon.h"

#include <QEvent>
#include <QPainter>

#include "views/preview/edit_gesture.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace shardscope {

namespace {

/// What Problems lists is said there, and beside its cause.
QString problemText(const EditPreview& preview)
{
    return preview.problemId.isEmpty() ? preview.problem
                                       : PreviewRibbon::tr("%1, see Problems", "E102").arg(preview.problemId);
}

} // namespace

PreviewRibbon::PreviewRibbon(QWidget* bar)
    : QWidget(bar)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    bar->installEventFilter(this);
    hide();
}

void PreviewRibbon::watch(EditGesture* gesture)
{
    m_gestures << gesture;
    connect(gesture, &EditGesture::changed, this, [this, gesture] { follow(gesture); });
    connect(gesture, &QObject::destroyed, this, [this, gesture] {
        m_gestures.removeAll(gesture);
        if (m_shown == gesture) {
            m_shown = nullptr;
            hide();
        }
    });
}

void PreviewRibbon::follow(EditGesture* gesture)
{
    if (gesture->isActive())
        m_shown = gesture; // the newest one
    else if (m_shown == gesture)
        m_shown = nullptr;
    if (!m_shown) {
        hide();
        return;
    }
    place();
    setAccessibleName(text());
    show();
    raise();
    update();
}

void PreviewRibbon::place()
{
    const QRect room = parentWidget()->rect();
    const int height = std::min(room.height(), Metrics::scaled(28));
    setGeometry(room.left() + 2, room.top() + (room.height() - height) / 2, room.width() - 4, height);
}

QString PreviewRibbon::text() const
{
    if (!m_shown || !m_shown->isActive())
        return {};
    QStringList parts{ m_shown->title() };
    if (const auto& preview = m_shown->preview()) {
        for (const EditPreview::Part& part : preview->parts(true))
            parts << part.text;
        if (const QString problem = problemText(*preview); !problem.isEmpty())
            parts << problem;
    }
    return parts.join(QStringLiteral(", "));
}

bool PreviewRibbon::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        place();
    // Who comes for the controls below has read enough.
    if (event->type() == QEvent::Enter && m_shown && !m_shown->isHeld())
        m_shown->end();
    return QWidget::eventFilter(watched, event);
}

void PreviewRibbon::paintEvent(QPaintEvent*)
{
    if (!m_shown)
        return;
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(theme.selectedRow);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setRenderHint(QPainter::Antialiasing, false);

    const int margin = Metrics::scaled(12);
    int x = margin, right = width() - margin;
    if (m_shown->isHeld()) {
        const QString hint = tr("Esc takes it back");
        painter.setFont(Metrics::small());
        painter.setPen(theme.secondary);
        const int needed = painter.fontMetrics().horizontalAdvance(hint);
        if (right - needed > width() * 2 / 3) {
            painter.drawText(QRect(right - needed, 0, needed + 1, height()), Qt::AlignRight | Qt::AlignVCenter, hint);
            right -= needed + margin;
        }
    }
    // One part after the other; what does not fit any more is shortened, and then left out.
    const auto write = [&](const QString& text, const QFont& face, const QColor& colour) {
        if (right - x < Metrics::scaled(40))
            return;
        painter.setFont(face);
        painter.setPen(colour);
        const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, right - x);
        painter.drawText(QRect(x, 0, right - x, height()), Qt::AlignLeft | Qt::AlignVCenter, shown);
        x += painter.fontMetrics().horizontalAdvance(shown) + margin;
    };
    const auto separate = [&] {
        painter.fillRect(QRect(x - 1, height() / 2 - 7, 1, 14), theme.strongLine);
        x += margin;
    };
    write(m_shown->title(), Metrics::semibold(), theme.text);
    const auto& preview = m_shown->preview();
    if (!preview)
        return;
    for (const EditPreview::Part& part : preview->parts(true)) {
        separate();
        write(part.text, font(), part.changes ? theme.text : theme.secondary);
    }
    const QString problem = problemText(*preview);
    if (problem.isEmpty())
        return;
    separate();
    const int side = Metrics::scaled(14);
    painter.drawPixmap(
        x, (height() - side) / 2, iconPixmap(QStringLiteral("error"), side, theme.error, devicePixelRatioF()));
    x += side + Metrics::scaled(4);
    write(problem, font(), theme.error);
}

} // namespace shardscope
