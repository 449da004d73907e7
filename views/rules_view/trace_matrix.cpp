// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/rules_view/trace_matrix.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "sharding/text.h"
#include "views/theme/theme.h"
#include "views/widgets/chip.h"
#include "words/rule_text.h"
#include "words/trace_words.h"
#include "words/words.h"

namespace shardscope {

TraceMatrix::TraceMatrix(QWidget* parent)
    : Canvas(tr("Rule trace"), parent)
{
}

void TraceMatrix::setSubject(TraceSubject subject)
{
    m_subject = std::move(subject);
    const int rules = static_cast<int>(m_subject.resolution.rules.size());
    if (m_current >= rules)
        m_current = rules - 1;
    arrange();
    tableChanged(this);
    updateGeometry();
    update();
}

void TraceMatrix::arrange()
{
    const auto px = [](int size) { return Metrics::scaled(size); };
    const QFontMetrics fixed(Metrics::fixed());
    TraceSizes sizes{ px(36), px(110), px(108), px(64), px(76), px(230), px(28), px(40), px(48) };
    int stacked = px(84);
    for (std::size_t i = 0; i < m_subject.rules.list.size(); ++i) {
        const int name = fixed.horizontalAdvance(QString::fromStdString(m_subject.rules.list[i].name.name)),
                  target = chipSize(targetOf(static_cast<int>(i))).width();
        sizes.rule = std::max(sizes.rule, name + target + px(32));
        stacked = std::max(stacked, std::max(name, target + px(17)) + px(8));
    }
    sizes.rule = std::min(sizes.rule, px(260));
    for (const RuleTrace& trace : m_subject.resolution.rules)
        sizes.verdict = std::max(
            sizes.verdict, QFontMetrics(Metrics::semibold()).horizontalAdvance(words::verdict(trace)) + px(44));
    sizes.reason = std::max(sizes.reason, sizes.verdict + px(150));
    for (int d = 0; d < static_cast<int>(m_subject.names.size()); ++d)
        sizes.narrowDimension = std::max(sizes.narrowDimension,
            std::min(QFontMetrics(Metrics::semibold()).horizontalAdvance(m_subject.dimensionName(d)) + px(8), px(108)));
    const auto layoutOf = [this](const TraceSizes& of) {
        return TraceLayout(
            static_cast<int>(m_subject.resolution.rules.size()), static_cast<int>(m_subject.names.size()), width(), of);
    };
    m_layout = layoutOf(sizes);
    m_isStacked = m_layout.minimumWidth > width();
    sizes.number = px(28);
    sizes.rule = std::min({ sizes.rule, stacked, px(118) });
    sizes.narrowDimension = std::min(sizes.narrowDimension, px(84));
    const TraceLayout narrow = layoutOf(sizes);
    m_minimumWidth = narrow.minimumWidth;
    if (m_isStacked)
        m_layout = narrow;
}

void TraceMatrix::setCurrentRule(int rule)
{
    const int last = static_cast<int>(m_subject.resolution.rules.size()) - 1;
    rule = std::clamp(rule, -1, last);
    if (rule == m_current)
        return;
    m_current = rule;
    if (rule >= 0) {
        const RuleTrace& trace = m_subject.resolution.rules[static_cast<std::size_t>(rule)];
        setAccessibleDescription(
            tr("rule %1 of %2, %3: %4")
                .arg(rule + 1)
                .arg(last + 1)
                .arg(words::verdict(trace),
                    words::plain(words::verdictReason(trace, m_subject.rules, m_subject.names, m_subject.meshAxes))));
    }
    update();
    tableCurrentChanged(this);
    Q_EMIT currentRuleChanged(rule);
}

QString TraceMatrix::targetOf(int rule) const
{
    return words::targetText(m_subject.rules.list[static_cast<std::size_t>(rule)].target);
}

void TraceMatrix::mousePressEvent(QMouseEvent* event)
{
    if (const auto rule = m_layout.ruleAt(event->pos()))
        setCurrentRule(*rule);
}

void TraceMatrix::keyPressEvent(QKeyEvent* event)
{
    const bool up = event->key() == Qt::Key_Up, down = event->key() == Qt::Key_Down;
    if (event->modifiers() & Qt::AltModifier && (up || down))
        Q_EMIT moveRequested(m_current, up ? -1 : 1);
    else if (const auto rule = rowAfter(
                 *event, m_current, static_cast<int>(m_subject.resolution.rules.size()), Qt::Horizontal | Qt::Vertical))
        setCurrentRule(*rule);
    else
        QWidget::keyPressEvent(event);
}

// The table.

QStringList TraceMatrix::tableHeads() const
{
    return { tr("#"), tr("Rule"), tr("Dimension"), tr("Verdict"), tr("Why") };
}

QString TraceMatrix::tableText(int row, int column) const
{
    if (row >= m_layout.rules) {
        if (column == 1)
            return tr("Result");
        if (column == 3)
            return QString::fromStdString(toColumn(m_subject.resolution.spec()));
        return column == 4 ? words::plain(words::leftOver(m_subject, true)) : QString();
    }
    const LogicalRule& rule = m_subject.rules.list[static_cast<std::size_t>(row)];
    const RuleTrace& trace = m_subject.resolution.rules[static_cast<std::size_t>(row)];
    switch (column) {
    case 0:
        return QString::number(row + 1);
    case 1:
        return QStringLiteral("%1 → %2").arg(
            rule.name.kind == LogicalName::Kind::Name ? QString::fromStdString(rule.name.name) : QStringLiteral("None"),
            targetOf(row));
    case 2:
        return trace.dimension >= 0 && trace.verdict != Verdict::NoSuchDimension
            ? m_subject.dimensionName(trace.dimension)
            : QString();
    case 3:
        return words::verdict(trace);
    default:
        return words::plain(words::verdictReason(trace, m_subject.rules, m_subject.names, m_subject.meshAxes));
    }
}

QRect TraceMatrix::tableRect(int row) const
{
    return row < m_layout.rules ? m_layout.row(row) : m_layout.result;
}

int TraceMatrix::tableRowAt(QPoint point) const
{
    return m_layout.result.contains(point) ? m_layout.rules : m_layout.ruleAt(point).value_or(-1);
}

void TraceMatrix::tableActivate(int row)
{
    if (row < m_layout.rules)
        setCurrentRule(row);
}

} // namespace shardscope
