// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/values_view.h"

#include <QComboBox>
#include <QFrame>
#include <QStackedWidget>
#include <algorithm>
#include <utility>

#include "base/codes.h"
#include "sharding/text.h"
#include "simulate/check/compare.h"
#include "views/panel/obstacle.h"
#include "views/theme/theme.h"
#include "views/values_view/control_groups.h"
#include "views/values_view/heat_page.h"
#include "views/values_view/initial_choice.h"
#include "views/values_view/numbers_model.h"
#include "views/values_view/plane_bar.h"
#include "views/values_view/step_bar.h"
#include "views/widgets/boxes.h"
#include "views/widgets/low_room.h"
#include "views/widgets/segmented_bar.h"
#include "views/widgets/step_player.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr std::int64_t maxListedDevices = 4096;
constexpr std::int64_t maxLocalDevices = GridLayout::maximumPanels;

} // namespace

ValuesView::ValuesView(Document* document, Selection* selection, RunController* controller, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_controller(controller)
    , m_replay(new ReplayJob(this))
    , m_ribbon(new StaleRibbon(document, this))
    , m_steps(new StepBar(this))
    , m_head(new QWidget(this))
    , m_array(new RoleLabel(RoleLabel::Size::Fixed, RoleLabel::Elided, &Theme::text, this))
    , m_when(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary, this))
    , m_device(new QComboBox(this))
    , m_extent(new SegmentedBar({ tr("Global"), tr("Local") }, this))
    , m_form(new SegmentedBar({ tr("Heat map"), tr("Numbers") }, this))
    , m_content(new SegmentedBar({ tr("Values"), tr("Difference"), tr("Since start") }, this))
    , m_plane(new PlaneBar(this))
    , m_notice(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_initial(new InitialChoice(document, this))
    , m_nextStep(new NextStepChoice(document, this))
    , m_pages(new QStackedWidget(this))
    , m_empty(new EmptyPage(QString(), QString(), this))
    , m_heat(new HeatPage(selection, this))
    , m_heatRoom(new LowRoom(m_heat, this))
    , m_numbers(new NumbersModel(this))
    , m_table(new NumbersTable(m_numbers, this))
{
    makeControls();
    setFocusProxy(m_pages);
    m_steps->player()->serve(this);

    for (SegmentedBar* bar : { m_extent, m_form, m_content })
        connect(bar, &SegmentedBar::currentChanged, this, &ValuesView::refresh);
    connect(m_device, &QComboBox::currentIndexChanged, this, [this](int index) {
        if (m_following)
            return;
        m_selection->setDevices(index <= 0 ? DeviceGroup() : DeviceGroup{ m_device->itemData(index).toInt() });
        refresh();
    });
    connect(m_plane, &PlaneBar::planeChosen, this, [this](int rows, int columns, const Shape& index) {
        m_shown.rows = rows;
        m_shown.columns = columns;
        m_shown.index = index;
        m_otherPlane = true;
        refresh();
    });
    connect(m_replay, &ReplayJob::finished, this, &ValuesView::refresh);
    connect(m_replay, &ReplayJob::progressed, this, &ValuesView::followProgress);
    connect(m_initial, &InitialChoice::chosen, this, &ValuesView::runAgain);
    connect(m_nextStep, &NextStepChoice::chosen, this, &ValuesView::refresh);
    connect(m_steps, &StepBar::stepChosen, this, &ValuesView::chooseStep);
    connect(m_steps, &StepBar::toggled, this, &ValuesView::refresh);
    connect(m_empty, &EmptyPage::clicked, this, &ValuesView::act);
    connect(document, &Document::snapshotChanged, this, &ValuesView::refresh);
    connect(document, &Document::experimentChanged, this, [this] { m_failure.clear(); });
    connect(selection, &Selection::changed, this, [this] {
        const int before = m_device->currentIndex();
        followDevices();
        if (m_choosing)
            return;
        if (followOperation())
            return refresh();
        if (std::exchange(m_selected, m_selection->tensor()) != m_selection->tensor())
            m_atOperation = false;
        if (m_selection->tensor() != m_path || m_device->currentIndex() != before)
            refresh();
    });
    connect(controller, &RunController::stateChanged, this, &ValuesView::refresh);
    connect(controller, &RunController::stepped, this, &ValuesView::refresh);
    connect(controller, &RunController::failed, this, [this](const Diagnostic& diagnostic) {
        m_failure = words::describe(diagnostic).inFull();
        refresh();
    });
    refresh();
}

void ValuesView::makeControls()
{
    m_array->setAccessibleName(tr("Array"));
    m_notice->setContentsMargins(8, 0, 8, 4);
    describe(m_device, tr("Device"), tr("Whose part of the array is shown"));
    m_device->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    describe(m_form, tr("Heat map or numbers"), tr("A colour for every number, or the numbers themselves"));
    describe(m_extent, tr("Indices of the array or of a device"),
        tr("Global: the array. Local: what each device holds, padding included."));
    describe(m_content, tr("Values or differences"),
        tr("Difference: what the devices hold less what one device, without any sharding, computes "
           "in the same number of steps from the same values. Since start: less what the array held "
           "before the first step."));

    auto* line = hbox({ 8, 6, 8, 0 }, styleSpacing, { { m_array, 1 }, m_when });
    auto* bars = hbox({}, 8, { m_extent, m_form, boxStretch(1) });
    auto* lists = hbox({}, 8, { m_content, m_device, boxStretch(1) });

    auto* rule = new QFrame(this);
    rule->setFrameShape(QFrame::HLine);
    rule->setForegroundRole(QPalette::Mid);
    rule->setFixedHeight(1);
    vbox(m_head, {}, 0, { line, new ControlGroups(bars, lists, m_head), m_plane, m_notice, rule });

    for (QWidget* page : std::initializer_list<QWidget*>{ m_empty, m_heatRoom, m_table })
        m_pages->addWidget(page);
    vbox(this, { 1, 0, 1, 1 }, 0, { m_ribbon, m_steps, m_head, argumentBar(), { m_pages, 1 } });
}

/// What an argument starts from and what it holds then; without height where no argument is selected.
QWidget* ValuesView::argumentBar()
{
    auto* bar = new ControlGroups(hbox({}, styleSpacing, { m_initial }), hbox({}, styleSpacing, { m_nextStep }), this);
    bar->layout()->setContentsMargins(0, 0, 0, 0);
    bar->layout()->setSpacing(0);
    return bar;
}

void ValuesView::showEmpty(const QString& sentence, const QString& button)
{
    m_head->hide();
    m_empty->setSentence(sentence);
    m_empty->setButton(button);
    m_pages->setCurrentWidget(m_empty);
    m_heat->setContent(std::nullopt, {});
    m_numbers->setContent(std::nullopt, {});
    m_path.clear();
    m_value = {};
    m_reader.reset();
    setKeyFigure({});
}

void ValuesView::refresh()
{
    followSteps();
    if (const auto found = subject())
        showSubject(*found);
    replay();
    followArgument();
}

void ValuesView::followArgument()
{
    if (!isVisible())
        return;
    const std::string argument = m_atOperation ? std::string() : m_selection->tensor().toStdString();
    m_initial->follow(m_document->lastGood(), argument);
    m_nextStep->follow(m_document->lastGood(), argument);
}

void ValuesView::showEvent(QShowEvent* event)
{
    DockView::showEvent(event);
    followArgument();
}

/// What was shown is shown again, with other numbers.
void ValuesView::runAgain()
{
    if (m_controller->stepsDone() > 0)
        m_controller->runStep();
    refresh();
}

void ValuesView::listDevices(const Mesh& mesh)
{
    if (m_listed && *m_listed == mesh)
        return;
    m_listed = std::make_shared<const Mesh>(mesh);
    m_following = true;
    m_device->clear();
    m_device->addItem(tr("All devices"), -1);
    std::vector<std::int32_t> ids;
    for (std::int64_t p = 0; p < std::min(mesh.deviceCount(), maxListedDevices); ++p)
        ids.push_back(mesh.deviceAt(p));
    std::sort(ids.begin(), ids.end());
    for (const std::int32_t id : ids)
        m_device->addItem(tr("Device %1").arg(id), id);
    m_following = false;
    followDevices();
}

/// One selected device is the one whose numbers are shown.
void ValuesView::followDevices()
{
    const DeviceGroup& group = m_selection->deviceGroup();
    const int at = group.size() == 1 ? m_device->findData(group.deviceAt(0)) : 0;
    m_following = true;
    m_device->setCurrentIndex(std::max(at, 0));
    m_following = false;
}

/// What the controls ask for. The plane stays while the array does.
ShownValues ValuesView::chosenOf(const Subject& subject) const
{
    const Layout& layout = subject.layout;
    ShownValues shown;
    shown.subject = GridSubject{ layout, subject.row->dimNames, byteSize(subject.dtype) };
    shown.dtype = subject.dtype;
    shown.difference = m_content->current() != 0;
    shown.fromStart = m_content->current() == 2;
    // Parts have nothing in the reference that they could be compared with.
    shown.local = m_extent->current() == 1 && !(shown.difference && layout.addends() > 1);
    if (m_device->currentIndex() > 0)
        shown.positions = { layout.mesh().positionOf(m_device->currentData().toInt()) };
    else if (shown.local)
        for (std::int64_t p = 0; p < std::min<std::int64_t>(layout.mesh().deviceCount(), maxLocalDevices); ++p)
            shown.positions.push_back(p);
    shown.takeDefaultPlane();
    if (QString::fromStdString(subject.row->path) == m_path && m_shown.rank() == shown.rank()) {
        shown.rows = m_shown.rows;
        shown.columns = m_shown.columns;
        for (std::size_t d = 0; d < shown.rank(); ++d)
            shown.index[d] = std::clamp<std::int64_t>(
                m_shown.index[d], 0, std::max<std::int64_t>(shown.size(static_cast<int>(d)) - 1, 0));
    }
    return shown;
}

void ValuesView::showHead(const Subject& subject)
{
    m_head->show();
    const QString array = words::fromStd(name(subject.dtype)) + words::shape(subject.layout.shape());
    m_array->setText(subject.own ? tr("%1 on every device", "f32[4, 8]").arg(array)
                                 : QStringLiteral("%1, %2 → %3")
                                       .arg(array, QString::fromStdString(toColumn(subject.row->spec)),
                                           words::shape(subject.layout.shardShape())));
    const QString steps = words::count(m_controller->stepsDone());
    m_when->setText(m_controller->state() != RunController::State::Idle ? tr("a step is running")
            : m_reader                                                  ? tr("in step %1").arg(steps)
            : m_shown.fromStart ? tr("after step %1, less at the start").arg(steps)
                                : tr("after step %1").arg(steps));
    m_plane->setShown(m_shown);
    setKeyFigure(tr("%1, step %2", "tensor, number").arg(words::tensorName(subject.row->path), steps));
}

void ValuesView::showSubject(const Subject& subject)
{
    const QString path = QString::fromStdString(subject.row->path);
    const bool running = m_controller->state() != RunController::State::Idle;
    listDevices(subject.layout.mesh());
    const ShownValues shown = chosenOf(subject);
    const bool otherPlace = path != m_path || shown.positions != m_shown.positions || shown.local != m_shown.local;
    const bool otherContent = otherPlace || shown.difference != m_shown.difference
        || shown.fromStart != m_shown.fromStart || std::exchange(m_otherPlane, false);
    m_path = path;
    m_value = subject.value;
    m_reader = subject.recorded;
    m_shown = shown;
    showHead(subject);

    if (shown.isEmpty()) {
        showText(m_notice, QString());
        m_empty->setSentence(tr("This array has no elements: one of its dimensions has size 0."));
        m_empty->setButton({});
        m_pages->setCurrentWidget(m_empty);
        return;
    }
    const ReplayJob::Reference* answer = shown.difference && !m_reader ? compared() : nullptr;
    if (answer && *answer && **answer) {
        HeatSummary all;
        for (const double value : ***answer)
            all.add(value);
        m_shown.referenceMagnitude = all.magnitude();
        // Roundings of a step are those of the next one's numbers.
        if (const auto asked = question(); asked && !shown.fromStart)
            m_shown.allowedDifference =
                static_cast<double>(asked->steps) * roundingShare(shown.dtype) * all.rootMeanSquare();
    }
    if (const QString sentence = whyNotCompared(); !sentence.isEmpty()) {
        m_empty->setSentence(sentence);
        m_empty->setButton(tr("Show the values"));
        m_pages->setCurrentWidget(m_empty);
        return;
    }
    showNotice(subject);
    if (question() && shown.difference && !m_reader && !(answer && *answer && **answer)) {
        showReferenceWork();
        return;
    }
    // Only one of the two reads, and what was read stays until a step that runs is over.
    const bool heat = m_form->current() == 0;
    QWidget* const page = heat ? m_heatRoom : static_cast<QWidget*>(m_table);
    const bool samePage = m_pages->currentWidget() == page;
    if (running && samePage && !otherContent)
        return;
    m_heat->setContent(heat ? std::optional(m_shown) : std::nullopt, reader());
    const auto place = m_table->currentIndex();
    const int firstRow = m_table->rowAt(0), firstColumn = m_table->columnAt(0);
    m_numbers->setContent(heat ? std::nullopt : std::optional(m_shown), reader());
    m_pages->setCurrentWidget(page);
    if (heat)
        return;
    if (otherPlace || !samePage) {
        m_table->scrollTo(m_numbers->firstHeld(), QAbstractItemView::PositionAtTop);
    } else { // the same cells with other numbers
        m_table->setCurrentIndex(m_numbers->index(place.row(), place.column()));
        m_table->scrollTo(m_numbers->index(firstRow, firstColumn), QAbstractItemView::PositionAtTop);
    }
}

const ReplayJob::Reference* ValuesView::compared() const
{
    const auto asked = question();
    return asked && m_shown.difference && !m_reader ? m_replay->reference(
               *asked, m_value, m_shown.fromStart ? ReplayJob::Against::Start : ReplayJob::Against::Reference)
                                                    : nullptr;
}

QString ValuesView::whyNotCompared() const
{
    if (m_reader && m_shown.fromStart)
        return tr("These numbers are those of an operation in the middle of a step. Arrays are compared with the start "
                  "after a step.");
    const ReplayJob::Reference* answer = compared();
    if (m_shown.fromStart && answer && *answer && !**answer)
        return tr("This array is computed in the step, and there is none at the start: parameters, the optimizer's "
                  "state and other arguments are compared with it.");
    const TensorType type{ m_shown.dtype, m_shown.subject.layout.shape() };
    if (m_reader
            ? m_shown.difference && !m_reader->array().hasReference()
            : answer && *answer && **answer && static_cast<std::int64_t>((**answer)->size()) != type.elementCount())
        return tr("This array is one that the partition has put in, or there was no room to keep what it would be "
                  "compared with.");
    return {};
}

void ValuesView::showNotice(const Subject& subject)
{
    QStringList sentences = m_shown.notes(*subject.row);
    if (!subject.note.isEmpty())
        sentences.prepend(subject.note);
    if (m_controller->state() != RunController::State::Idle)
        sentences.prepend(
            tr("A step is running: the numbers are those before it, and new ones can be read when it is over."));
    if (m_form->current() == 1 && NumbersModel::hasMoreLines(m_shown))
        sentences << tr("The first %1 rows and columns are listed.").arg(words::count(NumbersModel::maxLines));
    showText(m_notice, sentences.join(QLatin1Char(' ')));
}

/// Takes the place of numbers that are not there yet.
void ValuesView::showReferenceWork()
{
    const ReplayJob::Reference* answer = compared();
    QString sentence, button;
    if (m_shown.fromStart && answer && !*answer) {
        sentence = tr("What the array began with cannot be made: %1.").arg(words::describe(answer->error()).cause);
    } else if (m_shown.fromStart) {
        sentence = tr("What the array began with is being made.");
    } else if (answer && !*answer && answer->error().code == Code::OutOfMemory) {
        const Diagnostic& failure = answer->error();
        sentence = tr("The unsharded reference would need %1 of memory on this machine, and %2 are there. Make the "
                      "arrays smaller to compare.")
                       .arg(words::bytes(static_cast<double>(failure.number("bytes"))),
                           words::bytes(static_cast<double>(failure.number("limit"))));
    } else if (answer && !*answer) {
        sentence = tr("There is no unsharded reference: %1.").arg(words::describe(answer->error()).cause);
    } else {
        const auto [done, all] = m_replay->progress();
        sentence = all > 0 ? tr("The unsharded reference is being computed: operation %1 of %2.")
                                 .arg(words::count(done), words::count(all))
                           : tr("The unsharded reference is being computed.");
    }
    button = tr("Show the values");
    m_empty->setSentence(sentence);
    m_empty->setButton(button);
    m_pages->setCurrentWidget(m_empty);
}

void ValuesView::followProgress()
{
    followSteps();
    const bool waits = m_shown.difference && !m_head->isHidden() && question() && !m_reader && m_value.valid();
    if (waits && !compared())
        showReferenceWork();
}

} // namespace shardscope
