// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/program_view/text_delegate.h"

#include <QApplication>
#include <QPainter>
#include <cmath>

#include "pipeline/text_line.h"
#include "views/program_view/text_pane.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/search_field.h"
#include "words/utf8.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

constexpr int gap = 8; ///< on both sides of the numbers

int markSize()
{
    return Metrics::scaled(12);
}

} // namespace

TextDelegate::TextDelegate(TextPane* pane)
    : QStyledItemDelegate(pane)
    , m_pane(pane)
{
}

int TextDelegate::gutter() const
{
    const int digits = std::max(3, static_cast<int>(std::log10(std::max(1, m_pane->model()->rowCount()))) + 1);
    const int marks = m_pane->which() == TextPane::Which::Declared ? markSize() + 2 : 0;
    return QFontMetrics(Metrics::fixed()).horizontalAdvance(u'0') * digits + 2 * gap + marks;
}

QSize TextDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const
{
    const QFontMetrics metrics(Metrics::fixed());
    const ProgramText* text = m_pane->model()->text();
    const int letters = text ? text->longest : 0;
    return { metrics.horizontalAdvance(u'0') * (letters + 4) + gutter(), metrics.height() + 3 };
}

void TextDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const Theme& theme = Theme::current();
    QStyleOptionViewItem styled(option);
    initStyleOption(&styled, index);
    styled.text.clear();
    const QStyle* style = styled.widget ? styled.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &styled, painter, styled.widget);

    const ProgramText* text = m_pane->model()->text();
    if (!text || index.row() >= text->lines())
        return;
    painter->save();
    const QFont font = Metrics::fixed();
    const QFontMetricsF metrics(font);
    painter->setFont(font);
    const bool selected = option.state & QStyle::State_Selected;
    const QRect rect = option.rect;
    const qreal baseline = rect.top() + (rect.height() - metrics.height()) / 2 + metrics.ascent();
    const int numbers = gutter();
    painter->setPen(selected ? theme.secondary : theme.hint);
    const QString number = QString::number(index.row() + 1);
    painter->drawText(QPointF(rect.left() + numbers - gap - metrics.horizontalAdvance(number), baseline), number);
    if (const ProgramTextModel::Mark* mark = m_pane->model()->mark(index.row())) {
        const QColor colour = mark->severity == Severity::Error ? theme.error
            : mark->severity == Severity::Warning               ? theme.warning
                                                                : theme.info;
        if (!selected) {
            QColor tint = colour;
            tint.setAlpha(26);
            painter->fillRect(rect.adjusted(numbers - gap / 2, 0, 0, 0), tint);
        }
        severityIcon(mark->severity)
            .paint(
                painter, QRect(rect.left() + 3, rect.top() + (rect.height() - markSize()) / 2, markSize(), markSize()));
    }

    const Mesh* mesh = m_pane->snapshot() ? m_pane->snapshot()->mesh.get() : nullptr;
    std::string_view line = text->line(index.row());
    const bool shortened = line.size() > static_cast<std::size_t>(ProgramText::longestShown);
    line = line.substr(0, ProgramText::longestShown);
    const bool marks = !m_pane->markedName().empty() && m_pane->isInMarkedFunction(index.row());
    const bool linked = text->operations[static_cast<std::size_t>(index.row())].valid()
        || text->values[static_cast<std::size_t>(index.row())].valid();
    const QString wanted = m_pane->searchField()->text();
    const QRectF clip = painter->hasClipping() ? painter->clipBoundingRect() : QRectF(rect);
    qreal x = rect.left() + numbers;
    const qreal begin = x;
    if (!wanted.isEmpty()) {
        const QString full = words::fromStd(line);
        for (qsizetype at = full.indexOf(wanted, 0, Qt::CaseInsensitive); at >= 0;
             at = full.indexOf(wanted, at + wanted.size(), Qt::CaseInsensitive)) {
            QColor found = theme.warning;
            found.setAlpha(theme.dark ? 110 : 80);
            painter->fillRect(QRectF(begin + metrics.horizontalAdvance(full.left(at)), rect.top() + 1,
                                  metrics.horizontalAdvance(full.mid(at, wanted.size())), rect.height() - 2),
                found);
        }
    }
    for (const TextPart& part : textParts(line, mesh)) {
        const std::string_view bytes = line.substr(part.begin, part.end - part.begin);
        const QString shown = words::fromStd(bytes);
        const qreal width = metrics.horizontalAdvance(shown);
        if (x > clip.right())
            break;
        if (x + width >= clip.left()) {
            switch (part.role) {
            case TextPart::Role::Axis:
                painter->setPen(selected ? theme.text : theme.meshAxis(part.axis));
                break;
            case TextPart::Role::Quiet:
                painter->setPen(theme.secondary);
                break;
            case TextPart::Role::Value:
            case TextPart::Role::Plain:
                painter->setPen(linked || selected ? theme.text : theme.secondary);
                break;
            }
            if (marks && part.role == TextPart::Role::Value && bytes == m_pane->markedName()) {
                painter->setRenderHint(QPainter::Antialiasing);
                QPen frame(theme.accent, 1);
                painter->save();
                painter->setPen(frame);
                painter->drawRoundedRect(QRectF(x - 1.5, rect.top() + 1.5, width + 3, rect.height() - 3), 2, 2);
                painter->restore();
                painter->setRenderHint(QPainter::Antialiasing, false);
            }
            painter->drawText(QPointF(x, baseline), shown);
        }
        x += width;
    }
    if (shortened) {
        painter->setPen(theme.secondary);
        painter->drawText(QPointF(x, baseline), u" …"_s);
    }
    painter->restore();
}

} // namespace shardscope
