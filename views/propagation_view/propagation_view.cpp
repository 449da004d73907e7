// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/propagation_view/propagation_view.h"

#include <QHeaderView>
#include <QResizeEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <utility>

#include "program/operation_path.h"
#include "views/panel/panel.h"
#include "views/propagation_view/explicit_row.h"
#include "views/propagation_view/rule_row.h"
#include "views/propagation_view/step_model.h"
#include "views/span_text/span_text.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/low_room.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "words/strategy_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

PropagationView::PropagationView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_model(new StepModel(this))
    , m_table(table(m_model, tr("Steps of propagation")))
    , m_strategies(new StrategyBar(document, this))
    , m_rule(new RuleRow(document, this))
    , m_refusals(new ExplicitModel(this))
    , m_explicit(
          new ExplicitRow(selection, m_refusals, table(m_refusals, tr("What JAX's explicit mode would refuse")), this))
    , m_pages(new SegmentedBar({ tr("Steps"), tr("Differences") }, this))
    , m_pagesRow(new QWidget(this))
    , m_count(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::secondary, this))
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
    m_table->setItemDelegateForColumn(StepModel::Axis, new ChipsDelegate(m_table));
    m_pages->setAccessibleName(tr("Steps or differences"));
    hbox(m_pagesRow, { 8, 2, 8, 4 }, 8, { m_pages, { m_count, 1 } });
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_differencePage);
    m_stack->addWidget(m_same);
    m_pagesRow->hide();

    vbox(m_content, {}, 0, { m_strategies, m_rule, m_explicit, m_pagesRow, { m_stack, 1 } });
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

/// Differences, and below them what each strategy did for the one chosen.
QWidget* PropagationView::comparisonPage()
{
    m_differenceTable->setItemDelegate(new SpansDelegate(m_differenceTable));
    m_reasons->setMarks(AxisMarks::Chips);
    auto* page = new QWidget(this);
    auto* reasons = vbox({ 8, 4, 8, 4 }, styleSpacing, { m_reasons });
    vbox(page, {}, 0, { { m_differenceTable, 1 }, reasons });
    return page;
}

void PropagationView::connectAll()
{
    connect(
        m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) {
            if (m_following || !current.isValid())
                return;
            setStep(current.data(StepModel::StepRole).toInt());
            m_following = true;
            if (const QString path = current.data(StepModel::PathRole).toString(); !path.isEmpty())
                m_selection->setTensor(path);
            m_following = false;
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
    connect(m_document, &Document::snapshotChanged, this, &PropagationView::refresh);
    connect(m_document, &Document::replaced, this, &PropagationView::refresh);
}

void PropagationView::refresh()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const SnapshotPtr before = m_model->snapshot();
    if (snapshot == before && snapshot)
        return;
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
        const int steps = lastStep();
        figure = steps == 1 ? tr("1 step") : tr("%1 steps").arg(words::count(steps));
        fitColumns();
    }
    setKeyFigure(figure);
    // An edit shows where it leads.
    if (m_selection->step() >= 0 && playable)
        m_selection->setStep(lastStep());
    m_selectedStep = m_selection->step();
    showStep(lastStep());
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
    words::Text text;
    for (words::Text& reason : m_differences->reasons(row.row())) {
        if (!text.empty())
            text.push_back({ QStringLiteral(" "), words::Span::Style::Plain, -1 });
        text.insert(text.end(), reason.begin(), reason.end());
    }
    m_reasons->setText(std::move(text));
    // The step first: a tensor that is chosen would lead to the step in which it was settled.
    setStep(row.data(DifferenceModel::StepRole).toInt());
    m_following = true;
    if (const QString path = row.data(DifferenceModel::PathRole).toString(); !path.isEmpty()) {
        m_selection->setTensor(path);
        m_selection->setDimension(row.data(DifferenceModel::DimensionRole).toInt());
    }
    m_following = false;
}

void PropagationView::setStep(int step)
{
    step = std::clamp(step, 0, lastStep());
    m_operation = {};
    const bool following = std::exchange(m_following, true);
    m_selection->setStep(step);
    m_following = following;
    m_selectedStep = step;
    showStep(step);
}

void PropagationView::showStep(int step)
{
    m_step = std::clamp(step, 0, lastStep());
    m_model->setCurrentStep(m_step);
    showRule();
    showRow();
}

/// The rows of the step in the middle; those before it where it has none.
void PropagationView::showRow()
{
    const int row = m_model->firstRowOf(m_step);
    const int near = row >= 0 ? row : m_model->lastRowBefore(m_step);
    const bool following = std::exchange(m_following, true);
    if (row >= 0 && m_table->currentIndex().data(StepModel::StepRole) != m_step)
        m_table->setCurrentIndex(m_model->index(row, 0));
    else if (row < 0)
        m_table->setCurrentIndex({});
    if (near >= 0)
        m_table->scrollTo(m_model->index(near, 0), QAbstractItemView::PositionAtCenter);
    m_following = following;
}

/// What was sharded has the width that it needs before what it came from and through has any; a header makes no last
/// section narrower than its sections are at first.
void PropagationView::fitColumns()
{
    const int number = Metrics::scaled(56), axis = Metrics::scaled(90), least = Metrics::scaled(64);
    int rest = width() - m_table->verticalScrollBar()->sizeHint().width() - 2 - 2 * number - axis;
    for (const int c : { StepModel::Step, StepModel::Round })
        m_table->setColumnWidth(c, number);
    m_table->setColumnWidth(StepModel::Axis, axis);
    rest -= std::clamp(widthOf(StepModel::To), m_table->horizontalHeader()->defaultSectionSize(),
        std::max(rest - 2 * least, m_table->horizontalHeader()->defaultSectionSize()));
    const int most = Metrics::scaled(150), first = widthOf(StepModel::Operation), second = widthOf(StepModel::From);
    const int through = std::clamp(std::max(rest / 2, rest - second), least, std::min(std::max(first, least), most));
    m_table->setColumnWidth(StepModel::Operation, through);
    m_table->setColumnWidth(
        StepModel::From, std::clamp(rest - through, least, std::min(std::max(second, least), most)));
}

/// What the column takes, as some hundred of its rows say.
int PropagationView::widthOf(int column) const
{
    constexpr int examined = 300;
    const QFontMetrics metrics(m_table->font());
    int widest = metrics.horizontalAdvance(m_model->headerData(column, Qt::Horizontal).toString());
    for (int row = 0; row < m_model->rowCount(); row += std::max(m_model->rowCount() / examined, 1))
        widest = std::max(widest, metrics.horizontalAdvance(m_model->index(row, column).data().toString()));
    return widest + Metrics::scaled(14);
}

void PropagationView::resizeEvent(QResizeEvent* event)
{
    if (event->size().width() != event->oldSize().width())
        fitColumns();
    QTimer::singleShot(0, this, &PropagationView::showRow);
}

void PropagationView::showEvent(QShowEvent* event)
{
    DockView::showEvent(event);
    QTimer::singleShot(0, this, &PropagationView::showRow); // once the table has its height
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

/// The step at which the player stands. Of a tensor that is chosen elsewhere: the step that made it what it is.
void PropagationView::followSelection()
{
    const SnapshotPtr& snapshot = m_model->snapshot();
    const QString tensor = m_selection->tensor(), path = m_selection->operation();
    const bool isOther = std::exchange(m_selectedTensor, tensor) != tensor;
    const bool isOtherOperation = std::exchange(m_selectedOperation, path) != path;
    const int step = m_selection->step();
    const bool isOtherStep = std::exchange(m_selectedStep, step) != step;
    if (!snapshot || !m_replay || m_following)
        return;
    if (isOtherStep && step >= 0) {
        m_operation = {};
        showStep(step);
        return;
    }
    if ((!isOther && !isOtherOperation) || m_table->hasFocus())
        return;
    ValueId value = snapshot->program->find(tensor.toStdString());
    OperationId operation = findOperation(*snapshot->program, path.toStdString());
    if (operation.valid() && !snapshot->program->operation(operation).results.empty())
        value = snapshot->program->operation(operation).results[0];
    if (value.valid())
        if (const std::uint32_t settled = m_replay->settledAt(value); settled > 0) {
            if (step >= 0)
                setStep(static_cast<int>(settled)); // which is being looked at
            else
                showStep(static_cast<int>(settled));
        }
    if (!operation.valid() && value.valid())
        operation = snapshot->program->value(value).definition;
    if (!operation.valid() && !value.valid())
        return;
    m_operation = operation;
    showRule();
}

} // namespace shardscope
