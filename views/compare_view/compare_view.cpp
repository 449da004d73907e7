// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/compare_view/compare_view.h"

#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableView>
#include <QTreeView>
#include <algorithm>

#include "experiment_file/differences.h"
#include "experiment_file/variants.h"
#include "views/compare_view/compare_model.h"
#include "views/compare_view/meshes_pane.h"
#include "views/compare_view/pin_choices.h"
#include "views/compare_view/runs_pane.h"
#include "views/compare_view/variants_pane.h"
#include "views/panel/panel.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/two_sides.h"
#include "words/comparison_words.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

std::optional<StepTime> timeOfInputs(const RunLog& log, std::uint64_t inputs)
{
    const KeptRun* run = log.timeOf(inputs);
    return run ? std::optional(StepTime{ run->time, run->deviation }) : std::nullopt;
}

/// What one experiment holds and sends, in the column of B.
std::vector<CompareRow> figuresOfOne(const SnapshotPtr& snapshot)
{
    std::vector<CompareRow> rows = compareRows(compareSnapshots(snapshot, snapshot, {}, {}));
    for (CompareRow& row : rows) {
        row.before.clear();
        row.difference.clear();
    }
    return rows;
}

} // namespace

CompareView::CompareView(Document* document, Selection* selection, RunController* controller, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_log(document, controller)
    , m_model(new CompareModel(this))
    , m_nameOfA(new RoleLabel(RoleLabel::Size::Normal))
    , m_nameOfB(new RoleLabel(RoleLabel::Size::Normal))
    , m_pin(new QPushButton(tr("Pin A")))
    , m_file(new QPushButton(tr("File as A…")))
    , m_unpin(new QPushButton(tr("Unpin")))
    , m_failure(new RoleLabel(RoleLabel::Size::Normal, &Theme::error))
    , m_sentence(new RoleLabel(RoleLabel::Size::Normal))
    , m_tree(new QTreeView)
    , m_choices(new PinChoices)
    , m_kept(new SegmentedBar({ tr("Variants"), tr("Runs"), tr("Meshes") }))
    , m_variants(new VariantsPane(document))
    , m_runs(new RunsPane(&m_log))
    , m_meshes(new MeshesPane(document))
    , m_job(this, [this](PinnedSide side) { receive(std::move(side)); })
{
    auto* kept = new QWidget;
    describe(m_kept, tr("What is kept"),
        tr("Variants of this experiment, runs with their times, and other meshes of as many devices"));
    vbox(kept, {}, 0,
        { hbox({ 8, 6, 8, 0 }, 12, { m_kept, boxStretch(), m_variants->keepButton() }), { m_variants, 1 },
            { m_runs, 1 }, { m_meshes, 1 } });
    connect(m_kept, &SegmentedBar::currentChanged, this, [this](int shown) {
        m_keptByHand = true;
        showKept(shown);
    });
    connect(m_variants->keepButton(), &QPushButton::clicked, this, [this] { m_kept->setCurrent(0); });
    m_sides = new TwoSides(makeComparison(), tr("Comparison"), kept, tr("Variants, runs, meshes"));
    m_sides->setRoomForBoth(Metrics::scaled(760)); // in less, names would be shortened on both sides
    vbox(this, {}, 0, { { m_sides, 1 } });

    connect(m_pin, &QPushButton::clicked, this, &CompareView::pin);
    connect(m_file, &QPushButton::clicked, this, &CompareView::askForFile);
    connect(m_unpin, &QPushButton::clicked, this, &CompareView::unpin);
    connect(m_variants, &VariantsPane::pinRequested, this, &CompareView::pinVariant);
    connect(m_runs, &RunsPane::pinRequested, this, &CompareView::pinExperiment);
    connect(m_meshes, &MeshesPane::pinRequested, this, &CompareView::pinExperiment);
    connect(m_tree, &QTreeView::activated, this, [this](const QModelIndex& index) {
        if (const QString path = index.data(CompareModel::PathRole).toString(); !path.isEmpty())
            m_selection->setTensor(path);
    });
    connect(m_tree, &QTreeView::collapsed, this,
        [this](const QModelIndex& index) { m_folded.insert(m_model->row(index).name); });
    connect(m_tree, &QTreeView::expanded, this,
        [this](const QModelIndex& index) { m_folded.remove(m_model->row(index).name); });
    giveRowMenu(m_tree, [this](QMenu& menu, const QModelIndex& row) {
        const CompareRow& each = m_model->row(row);
        // Without A there is nothing that it differs from.
        const QStringList cells = m_comparison ? QStringList{ each.name, each.before, each.after, each.difference }
                                               : QStringList{ each.name, each.after };
        addCopyAction(menu, "copyRow", tr("Copy row"), cells.join(QLatin1Char('\t')));
        if (m_comparison)
            addCopyAction(menu, "copySentence", tr("Copy sentence"), sentence());
    });
    connect(m_document, &Document::snapshotChanged, this, [this] {
        // Analyses are of what was edited last; another edit may have come since it was pinned.
        if (m_pinLater && !m_document->isStale()) {
            if (m_document->snapshot()->experiment == m_pinLater) {
                setPinned({ m_document->snapshot(), m_awaited });
                return;
            }
            pinExperiment(m_pinLater, m_awaited);
        }
        follow();
    });
    connect(m_document, &Document::fileChanged, this, &CompareView::showSides);
    connect(m_document, &Document::experimentChanged, this, &CompareView::showChoices); // its variants
    connect(m_document, &Document::replaced, this, [this] { m_keptByHand = false; });
    connect(&m_log, &RunLog::changed, this, &CompareView::showChoices);
    m_timesDelay.setSingleShot(true);
    m_timesDelay.setInterval(200);
    connect(&m_timesDelay, &QTimer::timeout, this, &CompareView::followTimes);
    connect(&m_log, &RunLog::changed, this, [this] {
        if (m_comparison && !m_timesDelay.isActive())
            m_timesDelay.start();
    });
    showSides();
}

QWidget* CompareView::makeComparison()
{
    auto* side = new QWidget;
    const auto letter = [](const QString& text) { return new RoleLabel(text, RoleLabel::Size::Semibold); };
    for (RoleLabel* name : { m_nameOfA, m_nameOfB })
        name->setElided(true, Qt::ElideMiddle);
    for (QPushButton* button : { m_pin, m_file, m_unpin })
        button->setProperty("small", true);
    m_pin->setToolTip(tr("What is open now becomes A"));
    m_file->setToolTip(tr("An experiment or a program in another file becomes A"));
    for (RoleLabel* sentence : { m_failure, m_sentence })
        sentence->setWordWrap(true);
    m_failure->hide();

    m_tree->setModel(m_model);
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setUniformRowHeights(true);
    m_tree->setAlternatingRowColors(true);
    m_tree->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_tree->setItemDelegateForColumn(CompareModel::Bar, new DifferenceBars(m_tree));
    m_tree->setTextElideMode(Qt::ElideMiddle);
    m_tree->setIndentation(Metrics::scaled(12));
    QHeaderView* head = m_tree->header();
    head->setStretchLastSection(false);
    head->setMinimumSectionSize(Metrics::scaled(48));
    head->setSectionResizeMode(CompareModel::Name, QHeaderView::Stretch);
    for (const int column : { CompareModel::Before, CompareModel::Difference })
        m_tree->setColumnWidth(column, Metrics::scaled(92));
    m_tree->setColumnWidth(CompareModel::Bar, Metrics::scaled(72));

    // Buttons beside a name would leave nothing of it in a small window.
    auto* buttons = hbox({ 8, 6, 8, 6 }, 6, { m_pin, m_file, m_unpin, boxStretch() });
    auto* first = hbox({ 8, 0, 8, 0 }, 6, { letter(QStringLiteral("A")), { m_nameOfA, 1 } });
    auto* second = hbox({ 8, 4, 8, 4 }, 6, { letter(QStringLiteral("B")), { m_nameOfB, 1 } });
    auto* words = vbox({ 8, 0, 8, 6 }, 4, { m_failure, m_sentence });
    vbox(side, {}, 0, { buttons, first, second, words, m_choices, { m_tree, 1 } });
    return side;
}

bool CompareView::isWorking() const
{
    return m_pinLater || m_job.isWorking() || m_variants->isWorking() || m_runs->isWorking() || m_meshes->isWorking();
}

QString CompareView::failure() const
{
    return m_failure->text();
}

void CompareView::showFailure(const std::vector<Diagnostic>& errors)
{
    m_failure->setText(errorLines(errors));
    m_failure->setVisible(!errors.empty());
}

void CompareView::pin()
{
    m_job.cancel(); // a file that would come later
    if (m_document->isStale())
        await(m_document->experiment(), m_document->displayName());
    else
        setPinned({ m_document->snapshot(), m_document->displayName() });
}

void CompareView::unpin()
{
    m_job.cancel();
    setPinned({});
}

void CompareView::await(ExperimentPtr experiment, const QString& name)
{
    m_pinLater = std::move(experiment);
    m_awaited = name;
    showSides();
}

void CompareView::pinExperiment(ExperimentPtr experiment, const QString& name)
{
    await(nullptr, name);
    m_job.request([experiment = std::move(experiment), name](
                      const std::stop_token& stop) { return pinnedSide(experiment, name, stop); });
}

void CompareView::pinFile(const QString& path)
{
    await(nullptr, QFileInfo(path).fileName());
    m_job.request([path](const std::stop_token& stop) { return pinnedFile(path, stop); });
}

void CompareView::pinVariant(int variant)
{
    const ExperimentPtr now = m_document->experiment();
    const auto index = static_cast<std::size_t>(variant);
    if (variant < 0 || index >= now->variants.size())
        return;
    auto applied = applyVariant(*now, now->variants[index], filesOfDocument(*m_document));
    showFailure(applied ? std::vector<Diagnostic>() : applied.error());
    if (applied)
        pinExperiment(std::make_shared<const Experiment>(std::move(applied->experiment)),
            words::fromStd(now->variants[index].name));
}

void CompareView::askForFile()
{
    const QString folder =
        m_document->filePath().isEmpty() ? QString() : QFileInfo(m_document->filePath()).absolutePath();
    const QString path = QFileDialog::getOpenFileName(this, tr("Compare with"), folder,
        tr("Experiments and programs (*.json *.mlir *.stablehlo *.hlo *.txt);;All files (*)"));
    if (!path.isEmpty())
        pinFile(path);
}

void CompareView::receive(PinnedSide side)
{
    if (side.snapshot) {
        setPinned(std::move(side));
        return;
    }
    await(nullptr, {});
    showFailure(side.errors);
}

void CompareView::setPinned(PinnedSide side)
{
    showFailure({});
    m_pinLater = nullptr;
    m_awaited.clear();
    m_a = std::move(side);
    m_inputsOfA = m_a.snapshot ? hashOfInputs(*m_a.snapshot->experiment) : 0;
    m_variants->setComparedWith(m_a.snapshot ? m_a.snapshot->experiment : nullptr);
    m_comparison.reset();
    follow();
}

void CompareView::follow()
{
    m_due = true;
    if (isVisible())
        compareSides();
}

void CompareView::showEvent(QShowEvent* event)
{
    DockView::showEvent(event);
    showChoices(); // other files may have been open meanwhile
    if (m_due)
        compareSides();
}

void CompareView::compareSides()
{
    m_due = false;
    const SnapshotPtr now = shownSnapshot(*m_document);
    if (!m_a.snapshot || !now) {
        m_comparison.reset();
        setRows(now ? figuresOfOne(now) : std::vector{ CompareRow() }, false);
        showSides();
        return;
    }
    const bool isFirst = !m_comparison;
    m_inputsOfB = hashOfInputs(*now->experiment);
    m_comparison =
        compareSnapshots(m_a.snapshot, now, timeOfInputs(m_log, m_inputsOfA), timeOfInputs(m_log, m_inputsOfB));
    // What is dragged somewhere in the window makes B change: the bars keep the scale of its start.
    const bool isDragged = QApplication::mouseButtons() != Qt::NoButton;
    setRows(compareRows(*m_comparison), isDragged && !isFirst);
    showSides();
}

void CompareView::followTimes()
{
    if (!m_comparison)
        return;
    const auto before = timeOfInputs(m_log, m_inputsOfA), after = timeOfInputs(m_log, m_inputsOfB);
    if (before == m_comparison->timeBefore && after == m_comparison->timeAfter)
        return;
    m_comparison->timeBefore = before;
    m_comparison->timeAfter = after;
    if (isVisible())
        setRows(compareRows(*m_comparison), true);
    else
        m_due = true;
}

void CompareView::setRows(std::vector<CompareRow> rows, bool dragging)
{
    m_model->setRows(std::move(rows), dragging);
    for (int section = 0; section < m_model->rowCount(); ++section) {
        const QModelIndex index = m_model->index(section, CompareModel::Name);
        m_tree->setExpanded(index, !m_folded.contains(m_model->row(index).name));
    }
}

QWidget* CompareView::usualControl() const
{
    return m_comparison ? static_cast<QWidget*>(m_tree) : m_choices;
}

void CompareView::showSides()
{
    const bool any = m_comparison.has_value();
    QWidget *const usual = usualControl(), *const other = any ? static_cast<QWidget*>(m_choices) : m_tree;
    const QWidget* const focus = QApplication::focusWidget();
    const bool hasTurned = m_choices->isHidden() != any, hadFocus = focus == other || other->isAncestorOf(focus);
    m_tree->setAccessibleName(any ? tr("What differs between A and B") : tr("What B holds and sends"));
    for (const int column : { CompareModel::Before, CompareModel::Difference, CompareModel::Bar })
        m_tree->setColumnHidden(column, !any);
    m_tree->setColumnWidth(CompareModel::After, Metrics::scaled(any ? 92 : 72)); // alone beside a narrow list
    m_sentence->setVisible(any);
    m_sides->setShares(any ? 3 : 1, 2); // what can be A is a short list
    usual->show();
    if (hasTurned && hadFocus)
        usual->setFocus(Qt::OtherFocusReason);
    m_choices->setVisible(!any);
    showChoices();
    m_unpin->setEnabled(m_a.snapshot || !m_awaited.isEmpty());
    m_unpin->setToolTip(m_unpin->isEnabled() ? tr("Nothing is compared with any more") : tr("Nothing is pinned as A"));
    const auto named = [](const QString& name, const MeshPtr& mesh) {
        return mesh ? tr("%1, %2", "name of an experiment, its mesh").arg(name, words::meshSizes(*mesh)) : name;
    };
    m_nameOfA->setText(!m_awaited.isEmpty() ? tr("%1, once it is analysed", "name of an experiment").arg(m_awaited)
            : m_a.snapshot                  ? named(m_a.name, m_a.snapshot->mesh)
                                            : tr("nothing pinned"));
    const SnapshotPtr now = shownSnapshot(*m_document);
    m_nameOfB->setText(named(m_document->displayName(), now ? now->mesh : nullptr));
    m_sentence->setText(any
            ? (words::largestDifference(*m_comparison) + QLatin1Char(' ') + words::renamedAxes(*m_comparison)).trimmed()
            : QString());
    setKeyFigure(!any ? QString()
            : m_comparison->nothing()
            ? tr("no difference")
            : tr("%1 → %2", "meshes")
                  .arg(m_a.snapshot->mesh ? words::meshSizes(*m_a.snapshot->mesh) : QString(),
                      m_comparison->after->mesh ? words::meshSizes(*m_comparison->after->mesh) : QString()));
}

void CompareView::showChoices()
{
    if (!m_keptByHand) {
        const bool variants = m_a.snapshot || !m_document->experiment()->variants.empty();
        const QSignalBlocker blocker(m_kept);
        m_kept->setCurrent(variants ? 0 : 2);
        showKept(m_kept->current());
    }
    if (m_comparison || !isVisible()) // a list that nobody sees is made when it is shown
        return;
    std::vector<PinChoice> choices{ { m_document->displayName(), tr("open now"), {}, [this] { pin(); } } };
    const std::vector<Variant>& variants = m_document->experiment()->variants;
    for (std::size_t i = 0; i < variants.size(); ++i)
        choices.push_back(
            { words::fromStd(variants[i].name), tr("variant"), {}, [this, i] { pinVariant(static_cast<int>(i)); } });
    const std::vector<KeptRun>& runs = m_log.runs();
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
        choices.push_back({ tr("%1, %2", "name of an experiment, its mesh").arg(run->name, run->mesh),
            tr("run %1").arg(words::count(static_cast<qint64>(run->number))), {},
            [this, experiment = run->experiment, name = run->name] { pinExperiment(experiment, name); } });
    for (const QString& path : m_recentFiles ? m_recentFiles() : QStringList())
        if (path != m_document->filePath())
            choices.push_back({ QFileInfo(path).fileName(), tr("last file"), path, [this, path] { pinFile(path); } });
    choices.push_back({ tr("Another file…"), {}, {}, [this] { askForFile(); } });
    m_choices->model()->setChoices(std::move(choices));
}

void CompareView::showMeshes()
{
    m_kept->setCurrent(2);
    m_sides->bar()->setCurrent(1);
}

void CompareView::showKept(int shown)
{
    m_variants->setVisible(shown == 0);
    m_runs->setVisible(shown == 1);
    m_meshes->setVisible(shown == 2);
}

} // namespace shardscope
