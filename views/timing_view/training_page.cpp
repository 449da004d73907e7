// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/training_page.h"

#include <QBoxLayout>
#include <QPushButton>
#include <algorithm>
#include <utility>

#include "views/timing_view/timing_plots.h"
#include "views/widgets/boxes.h"
#include "words/run_words.h"
#include "words/timing_words.h"
#include "words/words.h"

namespace shardscope {

TrainingPage::TrainingPage(RunController* controller, QWidget* parent)
    : QWidget(parent)
    , m_controller(controller)
    , m_row(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_findingRow(new QWidget)
    , m_finding(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped))
    , m_find(new QPushButton(tr("Find where it begins")))
    , m_replay(new ReplayJob(this))
{
    m_row->setSpacing(8);
    m_find->setProperty("small", true);
    hbox(m_findingRow, { 8, 0, 8, 0 }, 8, { { m_finding, 1 }, { m_find, 0, Qt::AlignTop } });
    m_findingRow->hide();
    vbox(this, { 4, 4, 4, 4 }, 4, { m_findingRow, { m_row, 1 } });
    addCurve(0, &StepFigures::loss, tr("Loss"), tr("loss"));
    addCurve(1, &StepFigures::parameterNorm, tr("Parameters"), tr("norm of all parameters"));
    addCurve(2, &StepFigures::gradientNorm, tr("Gradients"), tr("norm of all gradients"));
    parameterPlot()->setAccessibleName(tr("Norm of all parameters after each step"));
    gradientPlot()->setAccessibleName(tr("Norm of all gradients in each step, before they are clipped"));
    lossPlot()->setAccessibleName(tr("Loss of each step"));

    connect(m_find, &QPushButton::clicked, this, &TrainingPage::find);
    connect(m_replay, &ReplayJob::finished, this, &TrainingPage::showFinding);
    connect(m_replay, &ReplayJob::progressed, this, &TrainingPage::showFinding);
}

void TrainingPage::addCurve(
    std::size_t place, std::optional<double> StepFigures::*figure, const QString& head, const QString& title)
{
    Curve& curve = m_curves[place];
    curve.figure = figure;
    curve.title = title;
    curve.frame = new QWidget;
    curve.caption = new RoleLabel(title, RoleLabel::Size::Small, &Theme::secondary);
    curve.caption->setContentsMargins(8, 0, 0, 0);
    curve.caption->setElided(true);
    curve.plot = new AccessibleStepPlot(head);
    curve.plot->setStepLabel(tr("step"));
    vbox(curve.frame, {}, 0, { curve.caption, { curve.plot, 1 } });
    m_row->addWidget(curve.frame, 1);
    connect(curve.plot, &plot::StepPlot::hovered, this, [&curve](qint64 step) {
        const QString text = step < 0 ? QString() : curve.plot->stepText(step);
        curve.plot->setToolTip(text);
        curve.caption->setText(step < 0 ? curve.title : text);
    });
}

void TrainingPage::setTheme(const plot::PlotTheme& theme)
{
    for (const Curve& curve : m_curves)
        curve.plot->setTheme(theme);
}

void TrainingPage::setBesideEachOther(bool beside)
{
    m_row->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void TrainingPage::setFigures(std::int64_t first, const std::vector<StepFigures>& figures, bool isOfRun)
{
    for (const Curve& curve : m_curves) {
        std::vector<std::optional<double>> numbers;
        for (const StepFigures& each : figures)
            numbers.push_back(each.*curve.figure);
        curve.frame->setVisible(std::any_of(
            numbers.begin(), numbers.end(), [](const std::optional<double>& number) { return number.has_value(); }));
        curve.plot->setFigures(first, std::move(numbers));
    }
    lossPlot()->setAccessibleDescription(words::lossSentence(first, figures));
    m_step = firstNonFiniteStep(first, figures);
    m_isOfRun = isOfRun;
    showFinding();
}

void TrainingPage::find()
{
    if (m_asked && m_replay->isWorking()) {
        m_asked.reset();
        m_replay->cancel();
    } else if (m_step) {
        m_asked = ReplayJob::Question{ m_controller->begun(), *m_step };
        m_replay->request(*m_asked, true, {});
    }
    showFinding();
}

void TrainingPage::showFinding()
{
    if (m_asked && (!m_step || !m_isOfRun || !(*m_asked == ReplayJob::Question{ m_controller->begun(), *m_step }))) {
        m_asked.reset(); // another run
        m_replay->cancel();
    }
    m_findingRow->setVisible(m_step.has_value());
    if (!m_step)
        return;
    const ReplayJob::Recorded* recorded = m_asked ? m_replay->recorded(*m_asked) : nullptr;
    const bool isWorking = m_asked && !recorded && m_replay->isWorking();
    QString text = tr("Step %1 is the first with a loss or a norm that is not finite.").arg(words::count(*m_step));
    if (recorded) {
        text = words::nonFiniteStep(*m_step, *recorded);
    } else if (isWorking) {
        const auto [done, all] = m_replay->progress();
        text = tr("Taking %1 again: operation %2 of %3.")
                   .arg(words::counted(*m_step, words::Noun::Step), words::count(done), words::count(all));
    }
    m_finding->setText(text);
    m_find->setText(isWorking ? tr("Cancel") : tr("Find where it begins"));
    m_find->setVisible(m_isOfRun && !recorded);
    m_find->setEnabled(isWorking || m_controller->state() == RunController::State::Idle);
}

} // namespace shardscope
