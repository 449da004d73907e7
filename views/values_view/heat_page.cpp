// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/heat_page.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QResizeEvent>
#include <optional>

#include "views/values_view/heat_canvas.h"
#include "views/values_view/heat_legend.h"

namespace shardscope {

HeatPage::HeatPage(Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_canvas(new HeatCanvas(selection, this))
    , m_side(new QWidget(this))
    , m_both(new QBoxLayout(QBoxLayout::TopToBottom, this))
    , m_sideColumn(new QBoxLayout(QBoxLayout::TopToBottom, m_side))
    , m_legend(new HeatLegend(m_side))
    , m_reduction(new QComboBox(m_side))
    , m_verdict(new RoleLabel(RoleLabel::Size::Small, &Theme::ok, m_side))
    , m_note(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, m_side))
    , m_pointed(new RoleLabel(RoleLabel::Size::Small, &Theme::text, m_side))
{
    m_reduction->addItems({ tr("Largest magnitude"), tr("Mean") });
    describe(m_reduction, tr("What a point of the heat map shows"),
        tr("What a point shows where it stands for several elements"));
    m_reduction->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    m_verdict->setToolTip(
        tr("Whether the differences are those of other roundings. Runs in Compare checks a step operation "
           "by operation."));
    m_note->setAccessibleName(tr("What the heat map shows"));
    m_pointed->setAccessibleName(tr("Element pointed at"));
    m_both->setContentsMargins(0, 4, 0, 4);
    m_both->setSpacing(4);
    m_both->addWidget(m_canvas, 1);
    m_both->addWidget(m_side);
    arrange();
    setFocusProxy(m_canvas);
    connect(m_canvas, &HeatCanvas::dataChanged, this, &HeatPage::follow);
    connect(m_canvas, &HeatCanvas::pointed, this, [this](const QString& text) {
        m_pointed->setText(text);
        showLines();
    });
    connect(m_reduction, &QComboBox::currentIndexChanged, this, [this] { setContent(m_shown, m_read); });
}

HeatReduction HeatPage::chosenReduction() const
{
    return m_reduction->currentIndex() == 1 ? HeatReduction::Mean : HeatReduction::Largest;
}

void HeatPage::setContent(std::optional<ShownValues> shown, ReadSample read)
{
    m_shown = std::move(shown);
    m_read = std::move(read);
    m_canvas->setContent(m_shown, m_read, chosenReduction());
}

void HeatPage::follow()
{
    if (!m_shown)
        return;
    const HeatData& heat = m_canvas->data();
    m_legend->setContent(heat.all, m_shown->dtype, m_shown->difference, m_shown->subject.layout.isUneven());
    QString note = heat.panels.empty() ? QString() : heatNote(heat, chosenReduction());
    std::optional<bool> agrees;
    if (m_shown->difference && !heat.panels.empty()) {
        const QString measure =
            differenceNote(heat.all, m_shown->referenceMagnitude, m_shown->allowedDifference, m_shown->dtype);
        if (!measure.isEmpty())
            note = measure + QLatin1Char(' ') + note;
        agrees = agreesWithReference(heat.all, m_shown->allowedDifference);
    }
    m_verdict->setText(agrees ? (*agrees ? tr("Agrees:") : tr("Differs:")) : QString());
    m_verdict->setColour(agrees == false ? &Theme::error : &Theme::ok);
    m_note->setText(note);
    showLines();
}

void HeatPage::showLines()
{
    const bool noted = m_legend->isColumn() || m_pointed->text().isEmpty();
    m_pointed->setVisible(!m_pointed->text().isEmpty());
    m_note->setVisible(noted);
    m_verdict->setVisible(noted && !m_verdict->text().isEmpty());
}

void HeatPage::arrange()
{
    const bool beside = isBeside();
    while (m_sideColumn->count() > 0)
        delete m_sideColumn->takeAt(0);
    m_legend->setColumn(beside);
    for (RoleLabel* label : { m_note, m_pointed }) {
        label->setWordWrap(beside);
        label->setElided(!beside, Qt::ElideMiddle);
    }
    m_both->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_side->setMinimumWidth(beside ? Metrics::scaled(190) : 0);
    m_side->setMaximumWidth(beside ? Metrics::scaled(190) : QWIDGETSIZE_MAX);
    m_sideColumn->setContentsMargins(8, beside ? 8 : 0, 8, 0);
    m_sideColumn->setSpacing(beside ? 10 : 2);
    if (beside) {
        m_sideColumn->addWidget(m_reduction);
        m_sideColumn->addWidget(m_legend);
        m_sideColumn->addWidget(m_verdict);
        m_sideColumn->addWidget(m_note);
        m_sideColumn->addWidget(m_pointed);
        m_sideColumn->addStretch(1);
    } else {
        auto* line = new QHBoxLayout;
        line->setSpacing(8);
        line->addWidget(m_legend, 1);
        line->addWidget(m_reduction);
        m_sideColumn->addLayout(line);
        auto* noted = new QHBoxLayout;
        noted->setSpacing(4);
        noted->addWidget(m_verdict);
        noted->addWidget(m_note, 1);
        m_sideColumn->addLayout(noted);
        m_sideColumn->addWidget(m_pointed);
    }
    showLines();
}

void HeatPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (isBeside() != m_legend->isColumn())
        arrange();
}

} // namespace shardscope
