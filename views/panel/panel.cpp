// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/panel/panel.h"

#include <QComboBox>
#include <QEvent>
#include <QMimeData>
#include <QPainter>
#include <QToolButton>
#include <QUrl>
#include <algorithm>
#include <utility>

#include "views/theme/icons.h"
#include "views/widgets/boxes.h"
#include "views/widgets/elided_name.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

SnapshotPtr picturedSnapshot(const Document& document)
{
    const SnapshotPtr preview = document.preview();
    return preview ? preview : shownSnapshot(document);
}

SnapshotPtr shownSnapshot(const Document& document)
{
    const SnapshotPtr good = document.lastGood();
    return good ? good : document.snapshot();
}

QString droppedFile(const QMimeData* data)
{
    const QList<QUrl> urls = data->urls();
    return urls.size() == 1 && urls.front().isLocalFile() ? urls.front().toLocalFile() : QString();
}

void describe(QWidget* control, const QString& name, const QString& tip)
{
    control->setAccessibleName(name);
    control->setToolTip(tip);
}

void describe(QWidget* control, const QString& name)
{
    describe(control, name, name);
}

void addEntry(QComboBox* box, const QString& text, const QString& tip)
{
    box->addItem(text);
    box->setItemData(box->count() - 1, tip, Qt::ToolTipRole);
}

void heightFollowsWidth(QWidget* widget, QSizePolicy::Policy across, QSizePolicy::Policy down)
{
    QSizePolicy policy(across, down);
    policy.setHeightForWidth(true);
    widget->setSizePolicy(policy);
}

void fitBox(QComboBox* box, int characters)
{
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(characters);
}

RoleLabel::RoleLabel(const QString& text, Size size, Fit fit, QColor Theme::*colour, QWidget* parent)
    : QLabel(text, parent)
    , m_size(size)
    , m_colour(colour)
    , m_elided(fit == Elided)
{
    setWordWrap(fit == Wrapped);
    setTextFormat(Qt::PlainText);
    setForegroundRole(QPalette::WindowText); // also on a view that is filled with the base colour
    apply();
}

void RoleLabel::setColour(QColor Theme::*colour)
{
    m_colour = colour;
    apply();
}

void RoleLabel::setElided(bool elided, Qt::TextElideMode mode)
{
    m_elided = elided;
    m_mode = mode;
    updateGeometry();
}

void RoleLabel::apply()
{
    if (m_applying)
        return;
    m_applying = true;
    switch (m_size) {
    case Size::Normal:
        break;
    case Size::Small:
        setFont(Metrics::small());
        break;
    case Size::Semibold:
        setFont(Metrics::semibold());
        break;
    case Size::Title:
        setFont(Metrics::title());
        break;
    case Size::Fixed:
        setFont(Metrics::fixed());
        break;
    }
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, Theme::current().*m_colour);
    setPalette(colours);
    m_applying = false;
}

QSize RoleLabel::minimumSizeHint() const
{
    const QSize hint = QLabel::minimumSizeHint();
    return m_elided ? QSize(std::min(hint.width(), Metrics::scaled(24)), hint.height()) : hint;
}

void RoleLabel::paintEvent(QPaintEvent* event)
{
    if (!m_elided) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    const QRect area = contentsRect();
    const QString shown = m_mode == Qt::ElideMiddle ? elidedName(text(), fontMetrics(), area.width())
                                                    : fontMetrics().elidedText(text(), m_mode, area.width());
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(area, static_cast<int>(alignment()) | Qt::TextSingleLine, shown);
    const QString tip = shown == text() ? QString() : plainTip(text());
    if ((!tip.isEmpty() || toolTip() == m_tip) && toolTip() != tip) // one that somebody gave it stays
        setToolTip(tip);
    m_tip = tip;
}

void RoleLabel::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationFontChange)
        apply();
    QLabel::changeEvent(event);
}

StaleRibbon::StaleRibbon(Document* document, QWidget* parent, Shows shows)
    : QWidget(parent)
    , m_document(document)
    , m_shows(shows)
{
    if (m_shows == Shows::Previews) {
        m_apply = new QToolButton(this);
        m_apply->setText(tr("Apply"));
        m_apply->setToolTip(tr("Makes the change: one step that Undo takes back"));
        m_leave = new QToolButton(this);
        m_leave->setText(tr("Leave it"));
        m_leave->setToolTip(tr("Shows what is there again (Esc)"));
        auto* row = new QHBoxLayout(this);
        row->setContentsMargins(0, 0, 4, 0);
        row->setSpacing(2);
        row->addStretch(1);
        for (QToolButton* button : { m_apply, m_leave }) {
            button->setAutoRaise(true);
            button->setFont(Metrics::small());
            row->addWidget(button);
            connect(button, &QToolButton::clicked, document,
                [document, apply = button == m_apply] { Q_EMIT document->previewDecided(apply); });
        }
        connect(document, &Document::previewChanged, this, &StaleRibbon::follow);
    }
    connect(document, &Document::snapshotChanged, this, &StaleRibbon::follow);
    connect(document, &Document::staleChanged, this, &StaleRibbon::follow);
    follow();
}

void StaleRibbon::follow()
{
    // While an analysis runs, which takes milliseconds, a ribbon would only flicker.
    const SnapshotPtr newest = m_document->snapshot();
    const bool preview = isPreview();
    setFixedHeight(Metrics::scaled(preview ? 22 : 16));
    if (m_shows == Shows::Previews)
        for (QToolButton* button : { m_apply, m_leave }) {
            button->setVisible(preview);
            button->setAccessibleName(
                (button == m_apply ? tr("Apply %1") : tr("Leave %1 as it was")).arg(m_document->previewedChange()));
        }
    setAccessibleName(preview ? tr("Preview of %1").arg(m_document->previewedChange()) : tr("Stale"));
    setToolTip(preview ? tr("Nothing of the experiment has changed yet.")
                       : tr("The last valid layout. Problems says what is wrong with the present one."));
    setVisible(preview || (newest && !newest->laidOut() && m_document->lastGood()));
    update();
}

void StaleRibbon::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), isPreview() ? theme.selectedRow : theme.border);
    painter.setFont(Metrics::small());
    painter.setPen(theme.text);
    const QRect area = rect().adjusted(Metrics::scaled(8), 0, -Metrics::scaled(8), 0);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(
            isPreview() ? tr("Preview: %1").arg(m_document->previewedChange()) : tr("Stale: the last valid layout"),
            Qt::ElideRight, isPreview() ? std::max(0, m_apply->x() - area.left()) : area.width()));
}

EmptyPage::EmptyPage(const QString& sentence, const QString& button, QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel)
    , m_sentence(new RoleLabel(sentence, RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary))
    , m_button(new QPushButton(button))
{
    m_sentence->setAlignment(Qt::AlignCenter);
    vbox(this, { 12, 8, 12, 8 }, 8,
        { boxStretch(), { m_icon, 0, Qt::AlignHCenter }, m_sentence, { m_button, 0, Qt::AlignHCenter }, boxStretch() });
    m_icon->hide();
    m_button->setVisible(!button.isEmpty());
    connect(m_button, &QPushButton::clicked, this, &EmptyPage::clicked);
}

void EmptyPage::setIcon(const QString& name, QColor Theme::*colour)
{
    m_iconName = name;
    m_iconColour = colour;
    applyIcon();
}

void EmptyPage::applyIcon()
{
    m_icon->setVisible(!m_iconName.isEmpty());
    if (!m_iconName.isEmpty())
        m_icon->setPixmap(
            iconPixmap(m_iconName, Metrics::scaled(16), Theme::current().*m_iconColour, devicePixelRatioF()));
}

void EmptyPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyIcon();
    QWidget::changeEvent(event);
}

OverflowLabel::OverflowLabel(Size size, QColor Theme::*colour, std::function<bool(int width)> isNeeded, QWidget* parent)
    : RoleLabel(size, colour, parent)
    , m_isNeeded(std::move(isNeeded))
{
    setWordWrap(true);
}

int OverflowLabel::heightForWidth(int width) const
{
    return m_isNeeded(width) ? RoleLabel::heightForWidth(width) : 0;
}

} // namespace shardscope
