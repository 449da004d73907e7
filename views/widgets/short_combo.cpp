// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/short_combo.h"

#include <QHelpEvent>
#include <QStyleOptionComboBox>
#include <QStylePainter>
#include <QToolTip>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"

namespace shardscope {

namespace {

constexpr int widestChoice = 160; ///< that a column is made for a name of somebody's own

} // namespace

ShortCombo::ShortCombo(QWidget* parent)
    : QComboBox(parent)
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(this, &QComboBox::currentIndexChanged, this, [this] { updateGeometry(); });
    connect(this, &QComboBox::currentTextChanged, this, [this] { updateGeometry(); });
}

QString ShortCombo::shortText() const
{
    const QString text = currentData(shortTextRole).toString();
    return text.isEmpty() ? currentText() : text;
}

QString ShortCombo::shownText() const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    return fontMetrics().horizontalAdvance(currentText()) <= room.width() ? currentText() : shortText();
}

QSize ShortCombo::sizeFor(const QString& text) const
{
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QSize content(fontMetrics().horizontalAdvance(text) + 2, QComboBox::sizeHint().height());
    return { style()->sizeFromContents(QStyle::CT_ComboBox, &option, content, this).width(), content.height() };
}

QSize ShortCombo::minimumSizeHint() const
{
    const QSize size = sizeFor(shortText());
    return { std::min(size.width(), Metrics::scaled(widestChoice)), size.height() };
}

bool ShortCombo::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || shownText() == currentText())
        return QComboBox::event(event);
    const QString tip = toolTip().isEmpty() ? currentText() : currentText() + u'\n' + toolTip();
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainTip(tip), this);
    return true;
}

void ShortCombo::paintEvent(QPaintEvent*)
{
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = shownText();
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

} // namespace shardscope
