// SPDX-License-Identifier: GPL-3.0-or-later
// The painting of TraceMatrix (trace_matrix.h).
#include <QPainter>
#include <algorithm>

#include "sharding/text.h"
#include "views/rules_view/trace_matrix.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/chip.h"
#include "views/widgets/span_line.h"
#include "words/rule_text.h"
#include "words/trace_words.h"
#include "words/words.h"

namespace shardscope {

void TraceMatrix::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter painter(this);
    painter.fillRect(rect(), theme.base);
    if (m_subject.names.empty())
        return;
    painter.fillRect(m_layout.head, theme.window);
    painter.setPen(theme.border);
    painter.drawLine(m_layout.head.bottomLeft(), m_layout.head.bottomRight());
    const QRect head = m_layout.head;
    painter.setFont(Metrics::small());
    painter.setPen(theme.secondary);
    painter.drawText(QRect(0, 0, m_layout.ruleLeft - 10, head.height()), Qt::AlignRight | Qt::AlignVCenter,
        tr("#", "heading: number of the rule"));
    painter.drawText(QRect(m_layout.ruleLeft, 0, m_layout.firstDimension - m_layout.ruleLeft, head.height()),
        Qt::AlignLeft | Qt::AlignVCenter, tr("Rule"));
    painter.drawText(
        QRect(m_layout.verdictLeft + 12, 0, 200, head.height()), Qt::AlignLeft | Qt::AlignVCenter, tr("Verdict"));
    painter.setFont(Metrics::semibold());
    painter.setPen(theme.text);
    const QFontMetrics metrics(Metrics::semibold());
    for (int d = 0; d < m_layout.dimensions; ++d) {
        const QRect column = m_layout.dimension(d);
        painter.drawText(QRect(column.left(), 0, column.width(), head.height()), Qt::AlignCenter,
            metrics.elidedText(m_subject.dimensionName(d), Qt::ElideRight, column.width() - 4));
    }
    for (int rule = 0; rule < m_layout.rules; ++rule)
        paintRule(painter, rule, theme);
    paintResult(painter, theme);
    painter.setPen(theme.border);
    for (int d = 0; d <= m_layout.dimensions; ++d) {
        const int x = m_layout.firstDimension + d * m_layout.dimensionWidth;
        painter.drawLine(x, head.height(), x, m_layout.result.top());
    }
    painter.setPen(theme.strongLine);
    painter.drawLine(m_layout.result.topLeft(), m_layout.result.topRight());
    painter.setPen(theme.border);
    painter.drawLine(m_layout.result.bottomLeft(), m_layout.result.bottomRight());
    paintLeader(painter, theme);
    if (hasFocus()) {
        painter.setPen(QPen(theme.accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(
            m_current >= 0 ? m_layout.row(m_current).adjusted(1, 1, -1, -1) : rect().adjusted(1, 1, -1, -1));
    }
}

void TraceMatrix::paintRule(QPainter& painter, int rule, const Theme& theme) const
{
    const QRect row = m_layout.row(rule);
    const LogicalRule& declared = m_subject.rules.list[static_cast<std::size_t>(rule)];
    const RuleTrace& trace = m_subject.resolution.rules[static_cast<std::size_t>(rule)];
    if (rule == m_current) {
        painter.fillRect(row, theme.selectedRow);
        painter.fillRect(QRect(0, row.top(), 2, row.height()), theme.accent);
    }
    painter.setPen(theme.border);
    painter.drawLine(row.bottomLeft(), row.bottomRight());
    painter.setFont(font());
    painter.setPen(theme.text);
    painter.drawText(QRect(0, row.top(), m_layout.ruleLeft - 10, row.height()), Qt::AlignRight | Qt::AlignVCenter,
        QString::number(rule + 1));

    paintMapping(painter, rule, theme);
    const QString target = targetOf(rule);
    const int axis = declared.target.axes.empty() ? -1 : m_subject.axisIndex(declared.target.axes.front());
    painter.setRenderHint(QPainter::Antialiasing);
    for (int d = 0; d < m_layout.dimensions; ++d) {
        const QRect cell = m_layout.cell(rule, d);
        if (d == trace.dimension && trace.verdict != Verdict::NoSuchDimension) {
            paintChip(painter, m_layout.chip(cell), target, axis, theme,
                trace.verdict == Verdict::Applied ? ChipState::Applied : ChipState::Skipped);
        } else {
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.strongLine);
            painter.drawEllipse(QPointF(cell.center()) + QPointF(0.5, 0.5), 1.5, 1.5);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing, false);

    const QRect verdict = m_layout.verdict(rule);
    const int side = Metrics::scaled(14);
    const bool applied = trace.verdict == Verdict::Applied;
    const bool concerned = trace.verdict != Verdict::NoSuchDimension;
    int x = verdict.left() + 12;
    painter.drawPixmap(x, verdict.center().y() - side / 2 + 1,
        iconPixmap(applied ? QStringLiteral("ok") : QStringLiteral("skipped"), side,
            applied         ? theme.ok
                : concerned ? theme.warning
                            : theme.hint,
            devicePixelRatioF()));
    x += side + 6;
    painter.setFont(Metrics::semibold());
    painter.setPen(concerned ? theme.text : theme.secondary);
    const QString word = words::verdict(trace);
    painter.drawText(
        QRect(x, verdict.top(), verdict.right() - x, verdict.height()), Qt::AlignLeft | Qt::AlignVCenter, word);
    if (!m_layout.showsReasons)
        return;
    x += QFontMetrics(Metrics::semibold()).horizontalAdvance(word) + 12;
    paintSpans(painter, QRect(x, verdict.top(), verdict.right() - x - 6, verdict.height()),
        words::verdictReason(trace, m_subject.rules, m_subject.names, m_subject.meshAxes), font(), theme.secondary,
        theme);
}

/// The name of the rule and what it maps it to: beside each other, or stacked.
void TraceMatrix::paintMapping(QPainter& painter, int rule, const Theme& theme) const
{
    const LogicalRule& declared = m_subject.rules.list[static_cast<std::size_t>(rule)];
    const QString target = targetOf(rule);
    const QSize chip = chipSize(target);
    const QRect place(m_layout.ruleLeft, m_layout.row(rule).top(), m_layout.firstDimension - 8 - m_layout.ruleLeft,
        m_layout.row(rule).height());
    const int arrow = Metrics::scaled(17), chipWidth = std::min(chip.width(), Metrics::scaled(m_isStacked ? 90 : 120));
    QRect chipRect(place.right() + 1 - chipWidth, place.center().y() - chip.height() / 2 + 1, chipWidth, chip.height());
    QRect name(place);
    if (m_isStacked) {
        chipRect.moveBottomLeft({ place.left() + arrow, place.bottom() - 2 });
        name.setBottom(chipRect.top());
    } else {
        name.setRight(chipRect.left() - Metrics::scaled(18));
    }
    painter.setFont(Metrics::fixed());
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
        painter.fontMetrics().elidedText(declared.name.kind == LogicalName::Kind::Name
                ? QString::fromStdString(declared.name.name)
                : QStringLiteral("None"),
            Qt::ElideMiddle, name.width()));
    painter.setFont(font());
    painter.setPen(theme.secondary);
    painter.drawText(QRect(chipRect.left() - arrow, chipRect.top(), Metrics::scaled(14), chipRect.height()),
        Qt::AlignCenter, QStringLiteral("→"));
    paintChip(painter, chipRect, target,
        declared.target.axes.empty() ? -1 : m_subject.axisIndex(declared.target.axes.front()), theme);
}

void TraceMatrix::paintLeader(QPainter& painter, const Theme& theme) const
{
    if (m_current < 0 || m_current >= m_layout.rules)
        return;
    const RuleTrace& trace = m_subject.resolution.rules[static_cast<std::size_t>(m_current)];
    const bool busy = trace.verdict == Verdict::AxisBusy;
    const bool set = trace.verdict == Verdict::DimensionSet || trace.verdict == Verdict::BlockedByNull;
    if ((!busy && !set) || trace.byRule < 0 || trace.byRule >= m_current)
        return;
    const int column = busy ? trace.byDimension : trace.dimension;
    if (column < 0)
        return;
    const QRect from = m_layout.chip(m_layout.cell(m_current, trace.dimension));
    const QRect to = m_layout.chip(m_layout.cell(trace.byRule, column));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(theme.warning, 1.5, Qt::CustomDashLine, Qt::FlatCap);
    pen.setDashPattern({ 1.5, 2 });
    painter.setPen(pen);
    const QPointF tip(to.center().x() + 0.5, to.bottom() + 3);
    QPointF corner(tip.x(), from.center().y() + 0.5);
    if (busy && column != trace.dimension) {
        const qreal start = corner.x() < from.left() ? from.left() : from.right() + 1;
        painter.drawLine(QPointF(start, corner.y()), corner);
    } else {
        corner.setY(from.top());
    }
    painter.drawLine(corner, tip + QPointF(0, 5));
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.warning);
    painter.drawPolygon(QPolygonF{ tip, tip + QPointF(-4, 6), tip + QPointF(4, 6) });

    const QString text = busy ? tr("%1 is in use here").arg(QString::fromStdString(trace.busyAxis)) : tr("already set");
    QFont face = Metrics::small();
    face.setWeight(QFont::DemiBold);
    const QFontMetrics metrics(face);
    QRect plate(0, 0, metrics.horizontalAdvance(text) + 10, metrics.height() + 2);
    const int middle = static_cast<int>((corner.x() + from.center().x()) / 2);
    const int gap = std::abs(static_cast<int>(corner.x()) - from.center().x()) - from.width() / 2;
    if (busy && plate.width() + 8 <= gap)
        plate.moveCenter({ middle, from.center().y() });
    else // beside the upright line, where nothing else stands
        plate.moveTopLeft({ static_cast<int>(tip.x()) + 6, to.bottom() + 6 });
    if (plate.top() < m_layout.row(m_current).top() && plate.bottom() >= from.top() && plate.left() < from.right()
        && plate.right() > from.left())
        plate.moveBottom(from.top() - 2);
    painter.setPen(QPen(theme.warning, 1));
    painter.setBrush(theme.warningBackground);
    painter.drawRoundedRect(QRectF(plate).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.setFont(face);
    painter.setPen(theme.warning);
    painter.drawText(plate, Qt::AlignCenter, text);
    painter.restore();
}

void TraceMatrix::paintResult(QPainter& painter, const Theme& theme) const
{
    const QRect row = m_layout.result;
    painter.fillRect(row, theme.alternateRow);
    const int lineHeight = QFontMetrics(font()).height();
    const QRect text(12, row.center().y() - lineHeight, m_layout.firstDimension - 16, lineHeight);
    painter.setFont(Metrics::semibold());
    painter.setPen(theme.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, tr("Result"));
    painter.setFont(Metrics::fixed());
    const QString spec = QString::fromStdString(toColumn(m_subject.resolution.spec()));
    painter.drawText(text.translated(0, lineHeight), Qt::AlignLeft | Qt::AlignVCenter,
        QFontMetrics(Metrics::fixed()).elidedText(spec, Qt::ElideRight, text.width()));
    const QFontMetrics small(Metrics::small());
    for (int d = 0; d < m_layout.dimensions; ++d) {
        const QRect cell = m_layout.resultCell(d);
        const ResolvedEntry& entry = m_subject.resolution.entries[static_cast<std::size_t>(d)];
        if (!entry.entry.axes.empty()) {
            paintChip(painter, m_layout.chip(cell), words::targetText(entry.entry),
                m_subject.axisIndex(entry.entry.axes.front()), theme, ChipState::Applied);
            continue;
        }
        painter.setFont(Metrics::small());
        painter.setPen(theme.secondary);
        painter.drawText(QRect(cell.left(), cell.center().y() - small.height(), cell.width(), small.height()),
            Qt::AlignCenter, tr("replicated"));
        painter.drawText(QRect(cell.left(), cell.center().y(), cell.width(), small.height()), Qt::AlignCenter,
            words::replicatedBecause(m_subject, d));
    }
    const std::vector<int> leftover = m_subject.leftover();
    const QRect verdict(m_layout.verdictLeft + 12, row.top(), row.right() - m_layout.verdictLeft - 16, row.height());
    const int side = Metrics::scaled(14);
    painter.drawPixmap(verdict.left(), verdict.center().y() - side / 2 + 1,
        iconPixmap(leftover.empty() ? QStringLiteral("ok") : QStringLiteral("info"), side,
            leftover.empty() ? theme.ok : theme.info, devicePixelRatioF()));
    paintSpans(painter, verdict.adjusted(side + 6, 0, 0, 0), words::leftOver(m_subject, m_layout.showsReasons), font(),
        theme.secondary, theme);
}

} // namespace shardscope
