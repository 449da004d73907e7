// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/widgets/search_field.h"

#include <QAction>
#include <QKeyEvent>

#include "views/theme/icons.h"
#include "views/theme/theme.h"

namespace shardscope {

SearchField::SearchField(const QString& iconName, const QString& placeholder, const QString& accessibleName)
    : m_hint(placeholder)
{
    setPlaceholderText(placeholder);
    setAccessibleName(accessibleName);
    setToolTip(m_hint); // it may not have room for all of it
    setClearButtonEnabled(true);
    addAction(icon(iconName, IconColor::Secondary), QLineEdit::LeadingPosition)->setText(accessibleName);
}

void SearchField::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT nextRequested(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return;
    case Qt::Key_Down:
        Q_EMIT downRequested();
        return;
    case Qt::Key_Escape:
        if (text().isEmpty())
            break;
        clear();
        return;
    default:
        break;
    }
    QLineEdit::keyPressEvent(event);
}

void SearchField::resizeEvent(QResizeEvent* event)
{
    QLineEdit::resizeEvent(event);
    const int room = width() - Metrics::scaled(44); // beside the icon
    const bool fits = fontMetrics().horizontalAdvance(m_hint) <= room;
    setPlaceholderText(fits ? m_hint : m_hint.section(QLatin1Char(' '), 0, 0) + QChar(0x2026));
}

} // namespace shardscope
