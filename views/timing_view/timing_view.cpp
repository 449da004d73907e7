// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/timing_view/timing_view.h"

#include <QBoxLayout>
#include <QEvent>
#include <QLabel>
#include <QStackedWidget>
#include <algorithm>
#include <span>

#include "views/panel/obstacle.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/timing_view/timing_plots.h"
#include "views/timing_view/training_page.h"
#include "views/widgets/boxes.h"
#include "views/widgets/low_room.h"
#include "views/widgets/row_table.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t maximumBars = 64;
/// Device times are the mean of so many of the newest steps, so that bars do not dance.
constexpr std::size_t stepsForBars = 50;

plot::PlotTheme plotTheme(const Theme& theme)
{
    return { theme.base, theme.border, theme.plotGrid, theme.text, theme.secondary, theme.accent,
        mixed(theme.base, theme.accent, theme.dark ? 0.22 : 0.12), Metrics::small() };
}

/// Light, middle and strong of one hue: communication stands out, and the three differ without any colour sight.
struct TimeColours {
    QColor compute, communication, wait;
    explicit TimeColours(const Theme& theme)
        : compute(theme.computeBackward)
        , communication(mixed(theme.base, theme.text, 0.72))
        , wait(theme.wait)
    {
    }
};

QTableView* makeTable(QAbstractItemModel* model, const QString& name)
{
    auto* table = new QTableView;
    makeRowTable(table, model, name);
    table->setAlternatingRowColors(true);
    table->setTextElideMode(Qt::ElideRight);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    if (model->columnCount() > 3)
        table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    return table;
}

} // namespace

TimingView::TimingView(Document* document, Selection* selection, RunController* controller, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_controller(controller)
    , m_sentence(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided))
    , m_failureIcon(new QLabel)
    , m_failure(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped))
    , m_share(new QPushButton(tr("Share copies")))
    , m_failureRow(new QWidget)
    , m_pauseButton(new QPushButton(tr("Pause")))
    , m_trainingButton(new QPushButton(tr("Training")))
    , m_tableButton(new QPushButton(tr("View as table")))
    , m_head(new QWidget)
    , m_pages(new QStackedWidget)
    , m_empty(new EmptyPage(tr("No step has run yet."), tr("Run step")))
    , m_steps(new AccessibleStepPlot(tr("Time")))
    , m_caption(new RoleLabel(tr("time of each step"), RoleLabel::Size::Small, RoleLabel::Elided, &Theme::secondary))
    , m_legend(new TimeLegend)
    , m_devices(new AccessibleBarsPlot)
    , m_training(new TrainingPage(controller))
    , m_stepRows(new StepTimesModel(this))
    , m_deviceRows(new DeviceTimesModel(this))
    , m_stageRows(new CompiledStagesModel(this))
{
    makeFailureRow();
    makeHead();
    vbox(this, {}, 0, { m_failureRow, m_head, { m_pages, 1 } });
    m_pages->addWidget(m_empty);
    m_pages->addWidget(new LowRoom(makePlots(), nullptr, 72));
    m_pages->addWidget(makeTables());
    m_pages->addWidget(new LowRoom(m_training, nullptr, 72));
    m_pages->addWidget(new EmptyPage(tr("The steps of this program give no loss and update no parameters.")));

    connect(m_pauseButton, &QPushButton::clicked, this, [this] { m_controller->setPaused(!m_controller->isPaused()); });
    connect(m_trainingButton, &QPushButton::toggled, this, &TimingView::refresh);
    connect(m_tableButton, &QPushButton::toggled, this, &TimingView::refresh);
    connect(m_empty, &EmptyPage::clicked, this, [this] {
        if (!obstacleOf(*m_document, *m_controller))
            m_controller->runStep();
    });
    connect(m_document, &Document::snapshotChanged, this, [this] {
        showEmpty();
        if (isTable())
            m_stageRows->setStages(m_document->cache().counts());
    });
    connect(m_controller, &RunController::stepped, this, &TimingView::follow);
    connect(m_controller, &RunController::timeitFinished, this, &TimingView::follow);
    connect(m_controller, &RunController::stateChanged, this, &TimingView::follow);
    connect(m_controller, &RunController::failed, this, &TimingView::showFailure);
    connect(m_document, &Document::experimentChanged, m_failureRow, &QWidget::hide);
    setFocusProxy(m_trainingButton);
    applyTheme();
    showEmpty();
    follow();
}

void TimingView::makeFailureRow()
{
    hbox(m_failureRow, { 8, 6, 8, 0 }, 6,
        { { m_failureIcon, 0, Qt::AlignTop }, { m_failure, 1 }, { m_share, 0, Qt::AlignTop } });
    m_share->setProperty("small", true);
    m_share->setToolTip(
        tr("Devices that hold the same data share one copy on this machine (share_replicas), and the step is run"));
    connect(m_share, &QPushButton::clicked, this, &TimingView::shareCopies);
    m_failureRow->hide();
}

void TimingView::makeHead()
{
    m_tableButton->setToolTip(tr("The times of every step in rows, in place of the plots"));
    for (QPushButton* button : { m_trainingButton, m_tableButton }) {
        button->setCheckable(true);
        button->setProperty("small", true);
    }
    m_trainingButton->setToolTip(tr("Loss and norms of each step"));
    m_pauseButton->setProperty("small", true);
    m_pauseButton->hide();
    hbox(m_head, { 8, 6, 8, 0 }, 8, { { m_sentence, 1 }, m_pauseButton, m_trainingButton, m_tableButton });
}

/// The times of the steps beside those of the devices.
QWidget* TimingView::makePlots()
{
    auto* plots = new QWidget;
    m_plots = new QBoxLayout(QBoxLayout::LeftToRight, plots);
    m_plots->setContentsMargins(4, 4, 4, 4);
    m_plots->setSpacing(8);
    m_caption->setContentsMargins(8, 0, 0, 0);
    m_plots->addLayout(vbox({}, 0, { m_caption, { m_steps, 1 } }), 3);
    m_plots->addLayout(vbox({}, 0, { hbox({ 8, 0, 0, 0 }, styleSpacing, { { m_legend, 1 } }), { m_devices, 1 } }), 4);

    m_steps->setAccessibleName(tr("Step times"));
    m_devices->setAccessibleName(tr("Compute, communication and wait per device"));
    m_steps->setStepLabel(tr("step"));
    m_legend->setToolTip(
        tr("Compute and communication are measured. Wait is how long a device would have waited for the "
           "others of its groups, had all devices run at once. This machine plays them one after another where it has "
           "fewer cores."));

    connect(m_steps, &plot::StepPlot::hovered, this, [this](qint64 step) {
        const QString text = step < 0 ? QString() : m_steps->stepText(step);
        m_steps->setToolTip(text);
        m_caption->setText(step < 0 ? tr("time of each step") : text);
    });
    connect(m_devices, &plot::DeviceBarsPlot::hovered, this, &TimingView::hoverBar);
    connect(m_devices, &plot::DeviceBarsPlot::clicked, this, [this](int bar) {
        if (bar >= 0 && bar < static_cast<int>(m_bars.size()))
            m_selection->setDevices(
                deviceIds(m_bars[static_cast<std::size_t>(bar)].first, m_bars[static_cast<std::size_t>(bar)].count));
    });
    return plots;
}

QWidget* TimingView::makeTables()
{
    auto* tables = new QWidget;
    hbox(tables, { 0, 6, 0, 0 }, 8,
        { { makeTable(m_stepRows, tr("Times of steps")), 1 }, { makeTable(m_deviceRows, tr("Times of devices")), 1 },
            { makeTable(m_stageRows, tr("Compiling")), 1 } });
    return tables;
}

/// The devices of a bar are highlighted in all views; -1 = none.
void TimingView::hoverBar(int bar)
{
    showLegend(bar);
    if (bar < 0 || bar >= static_cast<int>(m_bars.size())) {
        m_devices->setToolTip({});
        m_selection->setHoveredDevices({});
        return;
    }
    const DeviceBar& shown = m_bars[static_cast<std::size_t>(bar)];
    const std::vector<std::int32_t> ids = deviceIds(shown.first, shown.count);
    m_devices->setToolTip(
        tr("%1\ncompute %2\ncommunication %3\nwait %4")
            .arg(words::devices(std::span<const std::int32_t>(ids)), words::seconds(shown.times.compute),
                words::seconds(shown.times.communication), words::seconds(shown.times.wait)));
    m_selection->setHoveredDevices(ids);
}

std::vector<std::int32_t> TimingView::deviceIds(std::size_t first, std::size_t count) const
{
    const SnapshotPtr snapshot = m_isKept ? m_data.of : shownSnapshot(*m_document);
    std::vector<std::int32_t> ids;
    for (std::size_t position = first; position < first + count; ++position) {
        const bool known =
            snapshot && snapshot->mesh && static_cast<std::int64_t>(position) < snapshot->mesh->deviceCount();
        ids.push_back(known ? snapshot->mesh->deviceAt(static_cast<std::int64_t>(position))
                            : static_cast<std::int32_t>(position));
    }
    return ids;
}

void TimingView::follow()
{
    if (m_controller->state() != RunController::State::Idle)
        m_failureRow->hide();
    const auto kept = m_controller->history().empty() ? m_controller->kept() : nullptr;
    show(kept ? *kept : m_controller->timings(), kept != nullptr);
}

/// With the mesh that it was measured on, where that is no longer what the devices hold.
QString TimingView::marked(const QString& sentence) const
{
    if (!m_isKept)
        return sentence;
    const QString mesh = words::meshSizes(*m_data.of->mesh);
    if (m_data.current)
        return tr("Earlier on this mesh, %1: %2", "2 × 4, a sentence").arg(mesh, sentence);
    return m_data.stopped ? tr("On mesh %1, until an edit stopped the run: %2", "2 × 4, a sentence").arg(mesh, sentence)
                          : tr("On mesh %1, before the edit: %2", "2 × 4, a sentence").arg(mesh, sentence);
}

void TimingView::show(RunController::Timings timing, bool isKept)
{
    m_data = std::move(timing);
    m_isKept = isKept;
    refresh();
}

void TimingView::showEmpty()
{
    const std::optional<Obstacle> obstacle = obstacleOf(*m_document, *m_controller);
    const bool isShownAbove = m_controller->refusal() && !m_failureRow->isHidden();
    m_empty->setSentence(obstacle && !isShownAbove ? obstacle->stepText() : tr("No step has run yet."));
    m_empty->setButton(obstacle ? QString() : tr("Run step"));
}

void TimingView::refresh()
{
    // Arrays alone have no step.
    const SnapshotPtr snapshot = m_document->snapshot();
    const bool some = !m_data.history.empty() && !(snapshot && hasNoStep(*snapshot));
    m_head->setVisible(some);
    const RunController::State state = m_controller->state();
    const bool paused = m_controller->isPaused();
    m_pauseButton->setVisible(state == RunController::State::Timing || state == RunController::State::Continuous);
    m_pauseButton->setText(paused ? tr("Continue") : tr("Pause"));
    m_pauseButton->setToolTip(paused ? tr("Take the next step, and those after it") : tr("Take no further step"));
    const bool curves = isTraining() && !isTable();
    m_pages->setCurrentIndex(!some ? 0 : isTable() ? 2 : !curves ? 1 : hasFigures(m_data.figures) ? 3 : 4);
    QString figure;
    std::vector<double> seconds;
    for (const StepTiming& step : m_data.history)
        seconds.push_back(step.wall);
    const std::int64_t first = m_data.stepsDone - static_cast<std::int64_t>(seconds.size()) + 1;
    std::vector<DeviceTimes> devices;
    std::optional<plot::MeanBand> band;
    if (some) {
        // Steps that ran after a benchmark are newer than its figures.
        const std::int64_t newer = m_data.timeit && m_data.timeitSteps
            ? std::clamp<std::int64_t>(
                m_data.stepsDone - m_data.timeitSteps->second, 0, static_cast<std::int64_t>(seconds.size()))
            : 0;
        const std::size_t counted = newer > 0 ? static_cast<std::size_t>(newer) : seconds.size();
        const TimeStatistics all = statistics(std::span<const double>(seconds).last(counted));
        const bool timeit = m_data.timeit && !m_data.timeit->perLoop.empty() && newer == 0;
        const bool isMean = timeit || !all.isUneven();
        const double typical = timeit ? m_data.timeit->mean : all.usual(); // of uneven steps the median, without a band
        const double deviation = timeit ? m_data.timeit->deviation : isMean ? all.deviation : 0;
        QString text = timeit ? words::timeitSentence(*m_data.timeit) : words::stepsSentence(all);
        if (timeit && m_data.timeitSteps)
            text =
                (m_data.timeitSteps->first == m_data.timeitSteps->second ? tr("Timed step %1: %2", "2, a sentence")
                                                                         : tr("Timed steps %1: %2", "2–8, a sentence"))
                    .arg(words::range(m_data.timeitSteps->first, m_data.timeitSteps->second + 1), text);
        if (state == RunController::State::Timing) {
            const auto [done, total] = m_controller->progress();
            text = (paused ? tr("Paused after step %1 of %2: %3") : tr("Step %1 of %2: %3"))
                       .arg(words::count(done), words::count(total), words::stepsSentence(all));
        } else if (paused) {
            text = tr("Paused after step %1: %2", "12, a sentence")
                       .arg(words::count(m_data.stepsDone), words::stepsSentence(all));
        }
        m_sentence->setText(marked(text));
        figure = tr("%1 per step").arg(words::seconds(typical));
        if (m_isKept)
            figure = tr("%1 on %2", "9.42 ms per step, 2 × 4").arg(figure, words::meshSizes(*m_data.of->mesh));
        if (timeit || counted > 1)
            band = plot::MeanBand{ typical, deviation,
                (isMean ? tr("mean %1") : tr("median %1")).arg(words::seconds(typical)) };
        if (timeit && !m_data.timeit->devices.empty()) {
            devices = m_data.timeit->devices;
        } else {
            const std::span<const StepTiming> steps(m_data.history);
            devices = meanDevices(steps.last(std::min(counted, stepsForBars)));
        }
        // Of the steps that are shown; bars that end early wait for nobody any more.
        if (const double atOnce = longestOf(devices); devices.size() > 1 && atOnce > 0) {
            const QString both = tr("%1; %2 if the %3 ran at once", "9.42 ms per step, 3.1 ms, 8 devices");
            m_sentence->setText(marked(both.arg(text, words::seconds(atOnce),
                words::counted(static_cast<qint64>(devices.size()), words::Noun::Device))));
        }
    }

    if (isTable()) {
        m_stepRows->setTimes(first, seconds, m_data.figures);
        m_deviceRows->setDevices(devices, deviceIds(0, devices.size()));
        m_stageRows->setStages(m_document->cache().counts());
    } else if (curves) {
        showTraining(m_data.stepsDone - static_cast<std::int64_t>(m_data.figures.size()) + 1);
    } else {
        m_steps->setSteps(first, seconds);
        m_steps->setBand(band);
        m_bars = deviceBars(devices, maximumBars);
        const TimeColours colours(Theme::current());
        QStringList labels, names;
        plot::BarSeries compute{ tr("compute"), colours.compute, {} };
        plot::BarSeries communication{ tr("communication"), colours.communication, {} };
        plot::BarSeries wait{ tr("wait"), colours.wait, {} };
        for (const DeviceBar& bar : m_bars) {
            const std::vector<std::int32_t> ids = deviceIds(bar.first, bar.count);
            names << words::devices(std::span<const std::int32_t>(ids));
            labels << (bar.count == 1 ? tr("d%1").arg(ids.front()) : tr("d%1–d%2").arg(ids.front()).arg(ids.back()));
            compute.seconds.push_back(bar.times.compute);
            communication.seconds.push_back(bar.times.communication);
            wait.seconds.push_back(bar.times.wait);
        }
        m_mean = devices.empty() ? DeviceTimes{} : meanOf(devices);
        m_devices->setTimes(m_bars, names);
        m_devices->setBars(labels, { compute, communication, wait });
        showLegend(m_devices->current());
        m_steps->setAccessibleDescription(m_sentence->text());
        m_devices->setAccessibleDescription(m_legend->accessibleName());
    }
    setKeyFigure(figure);
}

/// Curves in place of times; `first` is the number of the first step with figures.
void TimingView::showTraining(std::int64_t first)
{
    m_training->setFigures(first, m_data.figures, !m_isKept);
    if (!m_data.figures.empty())
        m_sentence->setText(marked(words::lossSentence(first, m_data.figures)));
}

void TimingView::showLegend(int bar)
{
    // Of the bar pointed at, else the mean over all devices.
    const bool one = bar >= 0 && bar < static_cast<int>(m_bars.size());
    const DeviceBar shown = one ? m_bars[static_cast<std::size_t>(bar)] : DeviceBar{ 0, 1, m_mean };
    const TimeColours colours(Theme::current());
    const double parts[] = { shown.times.compute, shown.times.communication, shown.times.wait };
    const QStringList figures = words::secondsAddingUp(parts);
    const std::vector<std::int32_t> ids = deviceIds(shown.first, shown.count);
    m_legend->setEntries({ { one ? words::devices(std::span<const std::int32_t>(ids)) : tr("mean"), figures[0], {} },
        { tr("compute"), figures[1], colours.compute }, { tr("communication"), figures[2], colours.communication },
        { tr("wait"), figures[3], colours.wait } });
}

void TimingView::showFailure(const Diagnostic& diagnostic)
{
    const words::ProblemText text = words::describe(diagnostic);
    m_failure->setText(words::sentence(text.inFull()));
    m_failureIcon->setPixmap(severityIcon(diagnostic.severity())
                                 .pixmap(QSize(Metrics::scaled(14), Metrics::scaled(14)), devicePixelRatioF()));
    m_share->setVisible(diagnostic.arg("shared_bytes") && !m_document->experiment()->run.shareReplicas);
    m_failureRow->show();
    showEmpty();
}

void TimingView::shareCopies()
{
    Experiment after = *m_document->experiment();
    after.run.shareReplicas = true;
    if (m_document->edit(std::move(after), tr("share copies")))
        m_controller->runStep();
}

void TimingView::applyTheme()
{
    const plot::PlotTheme colours = plotTheme(Theme::current());
    m_steps->setTheme(colours);
    m_devices->setTheme(colours);
    m_training->setTheme(colours);
}

void TimingView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        applyTheme();
        refresh();
    }
    QWidget::changeEvent(event);
}

void TimingView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    // Beside each other where that takes no more width than they need, and where there is no height for anything else.
    const bool beside =
        width() >= Metrics::scaled(480) || (width() >= Metrics::scaled(400) && height() < Metrics::scaled(240));
    m_plots->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_training->setBesideEachOther(width() >= Metrics::scaled(600)); // three plots
}

} // namespace shardscope
