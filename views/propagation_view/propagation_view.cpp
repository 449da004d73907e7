// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/propagation_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>

#include "program/operation_path.h"
#include "views/panel/follow_link.h"
#include "views/panel/panel.h"
#include "views/propagation_view/difference_model.h"
#include "views/propagation_view/explicit_row.h"
#include "views/propagation_view/rule_row.h"
#include "views/propagation_view/sketch_widget.h"
#include "views/propagation_view/step_model.h"
#include "views/propagation_view/strategy_bar.h"
#include "views/span_text/span_text.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/low_room.h"
#include "views/widgets/plain_scroll.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/spans_delegate.h"
#include "words/propagation_steps.h"
#include "words/strategy_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {
namespace {
constexpr int playInterval = 900; ///< milliseconds per step: the axis travels for half of it

} // namespace

PropagationView::PropagationView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_model(new StepModel(this))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_position(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_sentence(new SpanLabel(this))
    , m_sketch(new SketchWidget(this))
    , m_table(table(m_model, tr("Steps of propagation")))
    , m_strategies(new StrategyBar(document, this))
    , m_rule(new RuleRow(document, this))
    , m_refusals(new ExplicitModel(this))
    , m_explicit(
          new ExplicitRow(selection, m_refusals, table(m_refusals, tr("What JAX's explicit mode would refuse")), this))
    , m_pages(new SegmentedBar({ tr("Steps"), tr("Differences") }, this))
    , m_pagesRow(new QWidget(this))
    , m_count(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary, this))
    , m_stack(new QStackedWidget(this))
    , m_differences(new DifferenceModel(this))
    , m_differenceTable(table(m_differences, tr("What the two strategies shard differently")))
    , m_reasons(new SpanLabel(this))
    , m_differencePage(comparisonPage())
    , m_same(new EmptyPage(QString(), QString(), this))
    , m_content(new QWidget(this))
    , m_empty(new EmptyPage(tr("Propagation can be played once the problems below are solved."), QString(), this))
    , m_cache(std::make_shared<AnalysisCache>())
    , m_job(this, [this](const ComparisonPtr& comparison) {
        if (comparison)
            showComparison(comparison);
    })
{
    setFocusPolicy(Qt::StrongFocus);
    QLayout* const head = player();
    m_sentence->setMarks(AxisMarks::Chips);
    auto* sentence = vbox({ 8, 0, 8, 4 }, styleSpacing, { m_sentence });

    QScrollArea* scroll = makePlain(new QScrollArea(this), m_sketch, false);
    scroll->setMinimumHeight(m_sketch->minimumSizeHint().height());

    m_pages->setAccessibleName(tr("Steps or differences"));
    hbox(m_pagesRow, { 8, 2, 8, 4 }, 8, { m_pages, { m_count, 1 } });
    m_count->setElided(true);
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_differencePage);
    m_stack->addWidget(m_same);
    m_pagesRow->hide();

    vbox(m_content, {}, 0,
        { m_strategies, head, sentence, { scroll, 3 }, m_rule, m_explicit, m_pagesRow, { m_stack, 4 } });
    m_room = new LowRoom(m_content, this);
    vbox(this, { 1, 0, 1, 1 }, styleSpacing, { m_room, m_empty });
    connectAll();
    refresh();
}

QTableView* PropagationView::table(QAbstractItemModel* model, const QString& name)
{
    auto* view = new QTableView(this);
    makeRowTable(view, model, name);
    view->horizontalHeader()->setSectionsClickable(false);
    view->horizontalHeader()->setStretchLastSection(true);
    view->setMinimumHeight(Metrics::scaled(66));
    return view;
}

/// The buttons and the slider.
QLayout* PropagationView::player()
{
    m_first = makeFlat(
        new QToolButton(this), QStringLiteral("first"), tr("What was given"), tr("Back to what was given (Home)"));
    m_back =
        makeFlat(new QToolButton(this), QStringLiteral("previous"), tr("One step back"), tr("One step back (Left)"));
    m_play = makeFlat(new QToolButton(this), QStringLiteral("run"), tr("Play"), tr("Play or stop (Space)"));
    m_forward = makeFlat(new QToolButton(this), QStringLiteral("next"), tr("One step on"), tr("One step on (Right)"));
    m_last = makeFlat(new QToolButton(this), QStringLiteral("last"), tr("The end"), tr("On to the end (End)"));
    m_slider->setAccessibleName(tr("Step of propagation"));
    m_slider->setPageStep(10);
    m_timer.setInterval(playInterval);
    auto* head = hbox({ 8, 4, 8, 4 }, 2,
        { m_first, m_back, m_play, m_forward, m_last, boxSpace(6), { m_slider, 1 }, boxSpace(6), m_position });
    return head;
}

/// Differences, and below them what each strategy did for the one chosen.
QWidget* PropagationView::comparisonPage()
{
    m_differenceTable->setItemDelegate(new SpansDelegate(m_differenceTable));
    m_reasons->setMarks(AxisMarks::Coloured);
    auto* page = new QWidget(this);
    auto* reasons = vbox({ 8, 4, 8, 4 }, styleSpacing, { m_reasons });
    vbox(page, {}, 0, { { m_differenceTable, 1 }, reasons });
    return page;
}

void PropagationView::connectAll()
{
    connect(m_first, &QToolButton::clicked, this, [this] { setStep(0); });
    connect(m_back, &QToolButton::clicked, this, [this] { setStep(m_step - 1); });
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    connect(m_forward, &QToolButton::clicked, this, [this] { setStep(m_step + 1, true); });
    connect(m_last, &QToolButton::clicked, this, [this] { setStep(m_slider->maximum()); });
    connect(m_slider, &QSlider::valueChanged, this, [this](int step) { setStep(step); });
    connect(&m_timer, &QTimer::timeout, this, [this] {
        setStep(m_step + 1, true);
        if (m_step == m_slider->maximum())
            setPlaying(false);
    });
    connect(m_sketch, &SketchWidget::tensorChosen, m_selection, &Selection::setTensor);
    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            if (m_following || !current.isValid())
                return;
            setPlaying(false);
            setStep(current.data(StepModel::StepRole).toInt(), true);
            if (const QString path = current.data(StepModel::PathRole).toString(); !path.isEmpty())
                m_selection->setTensor(path);
        });
    connect(m_differenceTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
        [this](const QModelIndex& current) {
            if (current.isValid())
                showDifference(current);
        });
    // A row that is the current one already is chosen again by a click.
    connect(m_differenceTable, &QTableView::clicked, this, &PropagationView::showDifference);
    connect(m_pages, &SegmentedBar::currentChanged, this, [this] { showComparison(m_differences->comparison()); });
    connect(m_strategies, &StrategyBar::comparedChanged, this, &PropagationView::compare);
    connect(m_selection, &Selection::changed, this, &PropagationView::followSelection);
    connect(
        m_sentence, &SpanLabel::linkActivated, this, [this](const QString& link) { followLink(*m_selection, link); });
    connect(m_document, &Document::snapshotChanged, this, &PropagationView::refresh);
    connect(m_document, &Document::replaced, this, &PropagationView::refresh);
}

void PropagationView::refresh()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const SnapshotPtr before = m_model->snapshot();
    if (snapshot == before && snapshot)
        return;
    setPlaying(false);
    m_replay.reset();
    m_operation = {};
    m_following = true;
    m_model->setSnapshot(snapshot);
    m_following = false;
    if (before && m_model->snapshot() && before->source == m_model->snapshot()->source) {
        m_operation = m_rule->operation(); // stays in sight, whatever became of its rule
        keepSelection(*before, *m_model->snapshot());
    }
    const bool playable = m_model->snapshot() != nullptr;
    m_room->setVisible(playable);
    m_empty->setVisible(!playable);
    QString figure;
    if (playable) {
        m_replay.emplace(*m_model->snapshot()->propagation);
        const auto steps = static_cast<int>(m_replay->steps());
        const QSignalBlocker quiet(m_slider);
        m_slider->setRange(0, steps);
        m_step = steps; // an edit shows where it leads
        figure = steps == 1 ? tr("1 step") : tr("%1 steps").arg(words::count(steps));
        for (const int c : { StepModel::Step, StepModel::Round, StepModel::Axis })
            m_table->setColumnWidth(c, Metrics::scaled(56));
        for (const int c : { StepModel::Operation, StepModel::From })
            m_table->setColumnWidth(c, Metrics::scaled(150));
    } else {
        m_step = 0;
        m_sketch->clear();
    }
    setKeyFigure(figure);
    showStep(false);
    compare();
    m_explicit->setSnapshot(m_model->snapshot());
}

/// Another strategy may prepare a text in another way and name its values otherwise: what was chosen stays chosen.
void PropagationView::keepSelection(const Snapshot& before, const Snapshot& now)
{
    const ValueId value = before.program->find(m_selection->tensor().toStdString());
    if (!value.valid() || value.index >= now.program->values.size())
        return;
    m_following = true;
    if (const QString path = words::fromStd(now.program->value(value).path); !path.isEmpty())
        m_selection->setTensor(path);
    m_following = false;
}

void PropagationView::compareWith(const std::optional<PropagationSetting>& setting)
{
    m_strategies->setCompared(setting);
}

/// Asks for the comparison that is wanted now, if it is not there.
void PropagationView::compare()
{
    const SnapshotPtr& snapshot = m_model->snapshot();
    const std::optional<PropagationSetting> setting = m_strategies->comparedSetting();
    if (!snapshot || !setting) {
        m_job.cancel();
        showComparison(nullptr);
        return;
    }
    const ComparisonPtr& known = m_differences->comparison();
    if (known && known->first == snapshot && known->setting == *setting)
        return;
    const bool wasShown = m_pagesRow->isVisibleTo(this);
    m_job.request([snapshot, setting = *setting, cache = m_cache](const std::stop_token& stop) -> ComparisonPtr {
        return compareStrategies(snapshot, setting, *cache, stop);
    });
    showComparison(nullptr);
    if (!wasShown)
        m_pages->setCurrent(1); // who asks for differences wants to see them
}

QString PropagationView::comparisonText() const
{
    const ComparisonPtr& comparison = m_differences->comparison();
    if (!m_strategies->comparedSetting())
        return {};
    if (!comparison)
        return tr("The two strategies are being compared.");
    if (!comparison->second->laidOut())
        return tr("%1 does not get as far as shardings here, so that there is nothing to compare.")
            .arg(m_differences->secondName());
    return comparison->differences.empty()
        ? words::sameShardings(m_differences->firstName(), m_differences->secondName())
        : words::differenceCount(comparison->differences);
}

void PropagationView::showComparison(const ComparisonPtr& comparison)
{
    if (comparison != m_differences->comparison()) {
        m_differences->setComparison(comparison);
        m_reasons->setText({ { tr("Choose a row to see what each strategy did."), words::Span::Style::Plain, -1 } });
        const int widths[] = { 130, 96, 132, 132, 130 };
        for (int column = 0; column < DifferenceModel::Since; ++column)
            m_differenceTable->setColumnWidth(column, Metrics::scaled(widths[column]));
    }
    const bool wanted = m_strategies->comparedSetting().has_value() && m_model->snapshot();
    m_pagesRow->setVisible(wanted);
    const bool hasRows = m_differences->rowCount() > 0;
    m_same->setSentence(comparisonText());
    m_count->setText(hasRows ? comparisonText() : QString());
    m_stack->setCurrentWidget(!wanted || m_pages->current() == 0 ? static_cast<QWidget*>(m_table)
            : hasRows                                            ? m_differencePage
                                                                 : static_cast<QWidget*>(m_same));
}

void PropagationView::showDifference(const QModelIndex& row)
{
    setPlaying(false);
    words::Text text;
    for (words::Text& reason : m_differences->reasons(row.row())) {
        if (!text.empty())
            text.push_back({ QStringLiteral(" "), words::Span::Style::Plain, -1 });
        text.insert(text.end(), reason.begin(), reason.end());
    }
    m_reasons->setText(std::move(text));
    // The step first: a tensor that is chosen would lead to the step in which it was settled.
    setStep(row.data(DifferenceModel::StepRole).toInt(), true);
    m_following = true;
    if (const QString path = row.data(DifferenceModel::PathRole).toString(); !path.isEmpty()) {
        m_selection->setTensor(path);
        m_selection->setDimension(row.data(DifferenceModel::DimensionRole).toInt());
    }
    m_following = false;
}

void PropagationView::setStep(int step, bool animated)
{
    step = std::clamp(step, 0, m_slider->maximum());
    if (step == m_step)
        return;
    m_step = step;
    m_operation = {};
    showStep(animated);
}

void PropagationView::setPlaying(bool plays)
{
    if (plays == isPlaying())
        return;
    if (plays) {
        if (m_step == m_slider->maximum())
            setStep(0);
        m_timer.start();
    } else {
        m_timer.stop();
    }
    m_play->setIcon(icon(plays ? QStringLiteral("stop") : QStringLiteral("run")));
    m_play->setAccessibleName(plays ? tr("Stop") : tr("Play"));
}

void PropagationView::showStep(bool animated)
{
    const SnapshotPtr& snapshot = m_model->snapshot();
    showRule();
    if (!snapshot || !m_replay)
        return;
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(m_step);
    m_model->setCurrentStep(m_step);
    m_position->setText(m_step == 0 ? tr("given") : tr("%1 of %2").arg(m_step).arg(m_slider->maximum()));
    m_first->setEnabled(m_step > 0);
    m_back->setEnabled(m_step > 0);
    m_forward->setEnabled(m_step < m_slider->maximum());
    m_last->setEnabled(m_step < m_slider->maximum());
    m_play->setEnabled(m_slider->maximum() > 0);

    const auto records = m_replay->recordsOf(static_cast<std::uint32_t>(m_step));
    words::Text sentence;
    if (m_step == 0)
        sentence = { { records.empty()
                ? tr("Nothing is given: no value has a sharding of its own.")
                : tr("What is given: annotations, constraints and declared results, %1 axes in all.")
                      .arg(words::count(static_cast<std::int64_t>(records.size()))),
            words::Span::Style::Plain, -1 } };
    else if (records.empty())
        sentence = { { tr("The declared result takes the sharding of the returned value."), words::Span::Style::Plain,
            -1 } };
    else
        sentence = words::propagationStep(*snapshot->program, *snapshot->mesh, *records.front());
    if (m_step > 0 && records.size() > 1) {
        const QString round = words::propagationRound(records.front()->round);
        sentence.push_back({ QLatin1Char(' ')
                + tr("%1 dimensions get an axis in this step.")
                      .arg(words::count(static_cast<std::int64_t>(records.size())))
                + (round.isEmpty() ? QString() : QLatin1Char(' ') + round),
            words::Span::Style::Plain, -1 });
    }
    m_sentence->setText(std::move(sentence));
    m_sketch->show(*snapshot, *m_replay, static_cast<std::uint32_t>(m_step), animated);
    m_following = true;
    if (const int row = m_model->firstRowOf(m_step); row >= 0) {
        m_table->setCurrentIndex(m_model->index(row, 0));
        m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
    } else {
        m_table->clearSelection();
    }
    m_following = false;
}

/// The rule of the operation of the step, unless another one was chosen.
void PropagationView::showRule()
{
    const SnapshotPtr& snapshot = m_model->snapshot();
    OperationId operation = m_operation;
    if (!operation.valid() && m_replay)
        if (const auto records = m_replay->recordsOf(static_cast<std::uint32_t>(m_step));
            !records.empty() && !records.front()->seed)
            operation = records.front()->operation;
    m_rule->show(snapshot, operation);
}

/// A tensor that is chosen elsewhere: the step that made it what it is, and the operation that computes it.
void PropagationView::followSelection()
{
    const SnapshotPtr& snapshot = m_model->snapshot();
    if (!snapshot || !m_replay || m_following || isPlaying() || m_table->hasFocus() || m_sketch->hasFocus())
        return;
    if (const int step = m_selection->step(); step != m_selectedStep) {
        m_selectedStep = step;
        if (step >= 0) {
            setStep(step);
            return;
        }
    }
    ValueId value = snapshot->program->find(m_selection->tensor().toStdString());
    OperationId operation = findOperation(*snapshot->program, m_selection->operation().toStdString());
    if (operation.valid() && !snapshot->program->operation(operation).results.empty())
        value = snapshot->program->operation(operation).results[0];
    if (value.valid())
        if (const std::uint32_t settled = m_replay->settledAt(value); settled > 0)
            setStep(static_cast<int>(settled));
    if (!operation.valid() && value.valid())
        operation = snapshot->program->value(value).definition;
    if (!operation.valid() && !value.valid())
        return;
    m_operation = operation;
    showRule();
}

void PropagationView::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Space:
        setPlaying(!isPlaying());
        return;
    case Qt::Key_Left:
        setStep(m_step - 1);
        return;
    case Qt::Key_Right:
        setStep(m_step + 1, true);
        return;
    case Qt::Key_Home:
        setStep(0);
        return;
    case Qt::Key_End:
        setStep(m_slider->maximum());
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace shardscope
