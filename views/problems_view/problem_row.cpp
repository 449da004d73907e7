// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/problems_view/problem_row.h"

#include <QEvent>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <algorithm>

#include "geometry/flow_layout.h"
#include "views/theme/icons.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/plain_tip.h"
#include "words/things.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

int lineHeight()
{
    return Metrics::scaled(28);
}
int margin()
{
    return Metrics::scaled(8);
}

/// Buttons below the words wrap, too.
FlowLayout flowOf(const std::vector<QPushButton*>& buttons, int room)
{
    std::vector<int> widths;
    for (const QPushButton* button : buttons)
        widths.push_back(button->sizeHint().width());
    return FlowLayout::make(widths, room, Metrics::scaled(26), Metrics::scaled(6));
}

QString severityName(Severity severity)
{
    switch (severity) {
    case Severity::Error:
        return ProblemRow::tr("Error");
    case Severity::Warning:
        return ProblemRow::tr("Warning");
    case Severity::Info:
        break;
    }
    return ProblemRow::tr("Information");
}

} // namespace

ProblemRow::ProblemRow(const Problem& problem, const QString& place, Buttons buttons, bool alternate, QWidget* parent)
    : QWidget(parent)
    , m_severity(problem.diagnostic.severity())
    , m_alternate(alternate)
    , m_icon(new QLabel(this))
    , m_code(new RoleLabel(words::fromStd(problem.diagnostic.id()), RoleLabel::Size::Fixed, &Theme::text, this))
    , m_cause(new RoleLabel(RoleLabel::Size::Normal, &Theme::text, this))
    , m_place(new RoleLabel(place, RoleLabel::Size::Normal, &Theme::secondary, this))
{
    heightFollowsWidth(this);
    const words::ProblemText text = words::shown(problem.diagnostic);
    m_cause->setText(text.cause);
    QString tip = text.cause;
    if (!text.remedy.isEmpty())
        tip += u'\n' + text.remedy;
    setToolTip(plainTip(tip));
    setAccessibleName(u"%1 %2: %3"_s.arg(severityName(m_severity), m_code->text(), text.cause));
    setAccessibleDescription(text.remedy);
    m_icon->setAccessibleName(severityName(m_severity));

    const auto add = [this](const QString& label) {
        // A long name is shortened; who hears the label hears all of it.
        const QString shown = fontMetrics().elidedText(label, Qt::ElideMiddle, Metrics::scaled(200));
        auto* button = new QPushButton(shown, this);
        button->setProperty("small", true);
        if (shown != label) {
            describe(button, label, plainTip(label));
        }
        m_buttons.push_back(button);
        return button;
    };
    if (buttons.show) {
        m_show = add(tr("Show"));
        m_show->setAccessibleName(tr("Show %1").arg(place.isEmpty() ? text.cause : place));
        connect(m_show, &QPushButton::clicked, this, &ProblemRow::showRequested);
    }
    for (std::size_t i = 0; i < problem.fixes.size(); ++i) {
        m_fixes.push_back(add(words::fixLabel(problem.fixes[i])));
        m_fixes.back()->setEnabled(!buttons.findsFixes);
        connect(m_fixes.back(), &QPushButton::clicked, this, [this, i] { Q_EMIT fixRequested(static_cast<int>(i)); });
    }
    if (buttons.findsFixes && problem.fixes.empty())
        add(tr("Looking for what needs less…"))->setEnabled(false);
    if (buttons.dismiss)
        connect(add(tr("Dismiss")), &QPushButton::clicked, this, &ProblemRow::dismissed);
    applyIcon();
}

QRect ProblemRow::fillMenu(QMenu& menu) const
{
    for (QPushButton* button : m_buttons)
        addMenuAction(menu, button == m_show ? "show" : "button",
            button->accessibleName().isEmpty() || button == m_show ? button->text() : button->accessibleName(),
            [button] { button->click(); })
            ->setEnabled(button->isEnabled());
    menu.addSeparator();
    addCopyAction(menu, "copyProblem", tr("Copy as text"),
        QStringList{ m_code->text(), m_cause->text(), accessibleDescription() }.join(u' ').trimmed());
    return rect();
}

void ProblemRow::applyIcon()
{
    m_icon->setPixmap(
        severityIcon(m_severity).pixmap(QSize(Metrics::scaled(14), Metrics::scaled(14)), devicePixelRatioF()));
}

bool ProblemRow::narrowFor(int width) const
{
    int buttons = 0;
    for (const QPushButton* button : m_buttons)
        buttons += button->sizeHint().width() + Metrics::scaled(6);
    const int text = m_cause->fontMetrics().horizontalAdvance(m_cause->text());
    // Shortening a little is better than a second line; hiding much of the cause is not.
    return !m_buttons.empty() && width - buttons - Metrics::scaled(90) < text * 3 / 4;
}

int ProblemRow::heightForWidth(int width) const
{
    if (!narrowFor(width))
        return lineHeight();
    const int left = margin() + Metrics::scaled(22);
    const QRect text = m_cause->fontMetrics().boundingRect(
        QRect(0, 0, std::max(40, width - left - margin()), 10000), Qt::TextWordWrap, m_cause->text());
    const int rows =
        std::max(1, (text.height() + m_cause->fontMetrics().lineSpacing() - 1) / m_cause->fontMetrics().lineSpacing());
    return lineHeight() + rows * m_cause->fontMetrics().lineSpacing() + Metrics::scaled(4)
        + flowOf(m_buttons, width - margin() - left).height;
}

QSize ProblemRow::sizeHint() const
{
    return { Metrics::scaled(500), heightForWidth(Metrics::scaled(500)) };
}

int ProblemRow::defaultHeight()
{
    return lineHeight();
}

QSize ProblemRow::minimumSizeHint() const
{
    return { Metrics::scaled(120), lineHeight() };
}

void ProblemRow::arrange()
{
    m_narrow = narrowFor(width());
    const int side = Metrics::scaled(16), line = lineHeight(), gap = Metrics::scaled(6);
    int x = margin();
    m_icon->setGeometry(x, (line - side) / 2, side, side);
    x += Metrics::scaled(22);
    const int left = x;
    const int codeWidth = m_code->fontMetrics().horizontalAdvance(u"W000"_s) + Metrics::scaled(2);
    m_code->setGeometry(x, 0, codeWidth, line);
    x += codeWidth + Metrics::scaled(12);
    const int placeWanted =
        m_place->text().isEmpty() ? 0 : m_place->fontMetrics().horizontalAdvance(m_place->text()) + 2;

    if (m_narrow) {
        m_place->setElided(true, Qt::ElideMiddle);
        m_place->setGeometry(x, 0, std::max(0, width() - x - margin()), line);
        m_cause->setElided(false);
        m_cause->setWordWrap(true);
        m_cause->setAlignment(Qt::AlignLeft | Qt::AlignTop);
        const int textWidth = std::max(40, width() - left - margin());
        const QRect text =
            m_cause->fontMetrics().boundingRect(QRect(0, 0, textWidth, 10000), Qt::TextWordWrap, m_cause->text());
        m_cause->setGeometry(left, line - Metrics::scaled(4), textWidth, text.height() + 2);
        const FlowLayout flow = flowOf(m_buttons, width() - margin() - left);
        const QPoint corner(left, line + text.height() + Metrics::scaled(2));
        for (std::size_t i = 0; i < m_buttons.size(); ++i)
            m_buttons[i]->setGeometry(
                QRect(corner + flow.items[i].topLeft(), QSize(flow.items[i].width(), Metrics::scaled(20))));
        return;
    }

    int right = width() - margin();
    for (auto button = m_buttons.rbegin(); button != m_buttons.rend(); ++button) {
        const int wanted = (*button)->sizeHint().width();
        (*button)->setGeometry(right - wanted, (line - Metrics::scaled(20)) / 2, wanted, Metrics::scaled(20));
        right -= wanted + gap;
    }
    const int room = right - x - Metrics::scaled(4);
    m_cause->setWordWrap(false);
    m_cause->setElided(true);
    m_cause->setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int causeWanted = m_cause->fontMetrics().horizontalAdvance(m_cause->text()) + 2;
    // The place gives way first: the cause says most.
    const int placeWidth = std::clamp(room - causeWanted - Metrics::scaled(10), 0, placeWanted);
    const bool placeFits = placeWidth == placeWanted && placeWanted > 0;
    const int causeWidth = placeFits ? causeWanted : std::min(room, causeWanted);
    m_cause->setGeometry(x, 0, std::max(0, causeWidth), line);
    m_place->setElided(true, Qt::ElideMiddle);
    m_place->setGeometry(x + causeWidth + Metrics::scaled(10), 0, placeFits ? placeWidth : 0, line);
}

void ProblemRow::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange)
        applyIcon();
    if (event->type() == QEvent::FontChange || event->type() == QEvent::ApplicationFontChange) {
        arrange();
        updateGeometry();
    }
    QWidget::changeEvent(event);
}

void ProblemRow::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::current();
    QPainter(this).fillRect(rect(), m_alternate ? theme.alternateRow : theme.base);
}

} // namespace shardscope
