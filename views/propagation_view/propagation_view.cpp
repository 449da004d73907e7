// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/propagation_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "program/operation_path.h"
#include "views/panel/follow_link.h"
#include "views/panel/panel.h"
#include "views/propagation_view/sketch_widget.h"
#include "views/propagation_view/step_model.h"
#include "views/span_text/span_text.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr int playInterval = 900; ///< milliseconds per step: the axis travels for half of it

} // namespace

PropagationView::PropagationView(Document* document, Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_selection(selection)
    , m_model(new StepModel(this))
    , m_slider(new QSlider(Qt::Horizontal, this))
    , m_position(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_sentence(new SpanLabel(this))
    , m_sketch(new SketchWidget(this))
    , m_table(new QTableView(this))
    , m_content(new QWidget(this))
    , m_empty(new EmptyPage(tr("Propagation can be played once the problems below are solved."), QString(), this))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    setFocusPolicy(Qt::StrongFocus);
    m_first = button(QStringLiteral("first"), tr("What was given"), tr("Back to what was given (Home)"));
    m_back = button(QStringLiteral("previous"), tr("One step back"), tr("One step back (Left)"));
    m_play = button(QStringLiteral("run"), tr("Play"), tr("Play or stop (Space)"));
    m_forward = button(QStringLiteral("next"), tr("One step on"), tr("One step on (Right)"));
    m_last = button(QStringLiteral("last"), tr("The end"), tr("On to the end (End)"));
    connect(m_first, &QToolButton::clicked, this, [this] { setStep(0); });
    connect(m_back, &QToolButton::clicked, this, [this] { setStep(m_step - 1); });
    connect(m_play, &QToolButton::clicked, this, [this] { setPlaying(!isPlaying()); });
    connect(m_forward, &QToolButton::clicked, this, [this] { setStep(m_step + 1, true); });
    connect(m_last, &QToolButton::clicked, this, [this] { setStep(m_slider->maximum()); });
    m_slider->setAccessibleName(tr("Step of propagation"));
    m_slider->setPageStep(10);
    connect(m_slider, &QSlider::valueChanged, this, [this](int step) { setStep(step); });
    m_timer.setInterval(playInterval);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        setStep(m_step + 1, true);
        if (m_step == m_slider->maximum())
            setPlaying(false);
    });

    auto* head = new QHBoxLayout;
    head->setContentsMargins(8, 6, 8, 4);
    head->setSpacing(2);
    for (QToolButton* each : { m_first, m_back, m_play, m_forward, m_last })
        head->addWidget(each);
    head->addSpacing(6);
    head->addWidget(m_slider, 1);
    head->addSpacing(6);
    head->addWidget(m_position);
    auto* sentence = new QVBoxLayout;
    sentence->setContentsMargins(8, 0, 8, 4);
    sentence->addWidget(m_sentence);
    m_sentence->setMarks(AxisMarks::Chips);

    auto* scroll = new QScrollArea(this);
    scroll->setWidget(m_sketch);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->viewport()->setBackgroundRole(QPalette::Base);
    scroll->setMinimumHeight(m_sketch->minimumSizeHint().height());
    connect(m_sketch, &SketchWidget::tensorChosen, m_selection, &Selection::setTensor);

    m_table->setModel(m_model);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setTabKeyNavigation(false);
    m_table->setWordWrap(false);
    m_table->setTextElideMode(Qt::ElideMiddle);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_table->verticalHeader()->setDefaultSectionSize(Metrics::scaled(22));
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionsClickable(false);
    m_table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setAccessibleName(tr("Steps of propagation"));
    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            if (m_following || !current.isValid())
                return;
            setPlaying(false);
            setStep(current.data(StepModel::StepRole).toInt(), true);
            if (const QString path = current.data(StepModel::PathRole).toString(); !path.isEmpty())
                m_selection->setTensor(path);
        });

    auto* inner = new QVBoxLayout(m_content);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(0);
    inner->addLayout(head);
    inner->addLayout(sentence);
    inner->addWidget(scroll);
    inner->addWidget(m_table, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 0, 1, 1);
    column->addWidget(m_content);
    column->addWidget(m_empty);

    connect(selection, &Selection::changed, this, &PropagationView::followSelection);
    connect(
        m_sentence, &SpanLabel::linkActivated, this, [this](const QString& link) { followLink(*m_selection, link); });
    connect(document, &Document::snapshotChanged, this, &PropagationView::refresh);
    connect(document, &Document::replaced, this, &PropagationView::refresh);
    refresh();
}

QToolButton* PropagationView::button(const QString& name, const QString& text, const QString& tip)
{
    auto* made = new QToolButton(this);
    made->setIcon(icon(name));
    made->setAutoRaise(true);
    made->setAccessibleName(text);
    made->setToolTip(tip);
    return made;
}

void PropagationView::refresh()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    if (snapshot == m_model->snapshot() && snapshot)
        return;
    setPlaying(false);
    m_replay.reset();
    m_following = true;
    m_model->setSnapshot(snapshot);
    m_following = false;
    const bool playable = m_model->snapshot() != nullptr;
    m_content->setVisible(playable);
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
    if (figure != m_keyFigure) {
        m_keyFigure = figure;
        Q_EMIT keyFigureChanged();
    }
    showStep(false);
}

void PropagationView::setStep(int step, bool animated)
{
    step = std::clamp(step, 0, m_slider->maximum());
    if (step == m_step)
        return;
    m_step = step;
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
        sentence = { { tr("Step %1: a declared result takes over what is returned.").arg(m_step),
            words::Span::Style::Plain, -1 } };
    else
        sentence = words::propagationStep(*snapshot->program, *snapshot->mesh, *records.front());
    if (m_step > 0 && records.size() > 1) {
        const QString round = words::propagationRound(records.front()->round);
        sentence.push_back({ QLatin1Char(' ')
                + tr("In this step %1 arrivals.").arg(words::count(static_cast<std::int64_t>(records.size())))
                + (round.isEmpty() ? QString() : QLatin1Char(' ') + tr("The round allows %1.").arg(round)),
            words::Span::Style::Plain, -1 });
    }
    m_sentence->setText(std::move(sentence));
    m_sketch->show(*snapshot, *m_replay, static_cast<std::uint32_t>(m_step), animated);
    m_following = true;
    if (const int row = m_model->firstRowOf(m_step); row >= 0) {
        m_table->setCurrentIndex(m_model->index(row, 0));
        m_table->scrollTo(m_model->index(row, 0));
    } else {
        m_table->clearSelection();
    }
    m_following = false;
}

/// A tensor that is chosen elsewhere: the step that made it what it is.
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
    if (const OperationId chosen = findOperation(*snapshot->program, m_selection->operation().toStdString());
        chosen.valid() && !snapshot->program->operation(chosen).results.empty())
        value = snapshot->program->operation(chosen).results[0];
    if (value.valid())
        if (const std::uint32_t settled = m_replay->settledAt(value); settled > 0)
            setStep(static_cast<int>(settled));
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
