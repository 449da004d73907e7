// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_arrays_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <algorithm>
#include <array>

#include "sharding/text.h"
#include "views/named_arrays_view/named_tree_model.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/shard_grid_view/grid_tray.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chips_delegate.h"
#include "views/widgets/low_room.h"
#include "views/widgets/notice_strip.h"
#include "views/widgets/row_table.h"
#include "views/widgets/two_sides.h"
#include "words/dialects.h"
#include "words/named_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {
namespace {
constexpr std::size_t maxExpanded = 500; ///< arrays whose axes are shown from the beginning

QToolButton* makeButton(const char* id, const QString& label, const QString& tip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setObjectName(QLatin1String(id));
    button->setText(label);
    describe(button, label, tip);
    return button;
}

} // namespace

NamedArraysView::NamedArraysView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent)
    , m_arrays(new NamedArrays(document, this))
    , m_treeModel(new NamedTreeModel(m_arrays, this))
    , m_mappingModel(new MappingModel(m_arrays, this))
    , m_notice(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::warning, this))
    , m_refusal(new NoticeStrip(this))
    , m_sourceNotice(new NoticeStrip(this))
    , m_dialectNotice(new NoticeStrip(this))
    , m_empty(new EmptyPage(tr("The arrays of a program in a text have no names of axes, so that nothing can be mapped "
                               "to a mesh axis. As a list of arrays they can be named; the operations are left out."),
          tr("Make a list of arrays"), this))
{
    m_notice->setContentsMargins(8, 3, 8, 3);
    m_notice->hide();
    QWidget* arrays = makeArraysSide();
    m_sides = new TwoSides(arrays, tr("Arrays"), makeResultSide(), tr("Shards"), this);
    m_sides->setMinimumHeight(Metrics::scaled(300)); // some rows of both tables
    auto* content = new QWidget(this);
    vbox(content, {}, 0, { m_notice, m_refusal, m_sourceNotice, m_dialectNotice, { m_empty, 1 }, { m_sides, 1 } });
    vbox(this, { 1, 0, 1, 1 }, styleSpacing, { new LowRoom(content, this) });
    setFocusProxy(m_tree);

    connect(m_arrays, &NamedArrays::changed, this, &NamedArraysView::refresh);
    connect(m_arrays, &NamedArrays::refused, this, [this](const QString& what, const Diagnostic& why) {
        const words::ProblemText stated = words::describe(why);
        const QString place = why.where.column > 0 ? tr(" (column %1)").arg(why.where.column) : QString();
        m_refusal->say(
            Severity::Error, tr("%1: %2%3. %4 Nothing was changed.").arg(what, stated.cause, place, stated.remedy));
    });
    connect(document, &Document::experimentChanged, m_refusal, &NoticeStrip::dismiss);
    connect(m_empty, &EmptyPage::clicked, m_arrays, &NamedArrays::makeList);
    connect(m_treeModel, &QAbstractItemModel::modelReset, this, [this] {
        if (m_arrays->tree().arrays.size() <= maxExpanded)
            m_tree->expandAll();
        else
            m_tree->expandToDepth(0);
        select(m_current);
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &NamedArraysView::currentChanged);
    connect(selection, &Selection::changed, this, &NamedArraysView::followSelection);
    m_tree->expandAll();
    refresh();
    select(std::max(0, m_arrays->indexOf(selection->tensor().toStdString())));
}

NamedArraysView::~NamedArraysView()
{
    // An editor that is open hands its text over when it loses the focus, which is after this.
    m_arrays->disconnect(this);
    m_treeModel->disconnect(this);
    m_tree->selectionModel()->disconnect(this);
}

void NamedArraysView::makeTree(QWidget* side)
{
    m_tree = new QTreeView(side);
    m_tree->setModel(m_treeModel);
    m_tree->setItemDelegate(new ChipsDelegate(m_tree));
    m_tree->setFrameShape(QFrame::NoFrame);
    m_tree->setAlternatingRowColors(true);
    m_tree->setUniformRowHeights(true);
    m_tree->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_tree->setAccessibleName(tr("Named arrays"));
    m_tree->setIndentation(Metrics::scaled(16));
    m_tree->installEventFilter(this);
    m_tree->header()->setStretchLastSection(false);
    m_tree->header()->setMinimumSectionSize(Metrics::scaled(56));
}

void NamedArraysView::makeMapping(QWidget* side)
{
    m_mapping = new QTableView(side);
    makeRowTable(m_mapping, m_mappingModel, tr("Names of array axes and the mesh axes they are mapped to"));
    m_mapping->setItemDelegate(new ChipsDelegate(m_mapping));
    m_mapping->setAlternatingRowColors(true);
    m_mapping->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_mapping->setTextElideMode(Qt::ElideRight);
    m_mapping->verticalHeader()->setDefaultSectionSize(Metrics::scaled(24));
    m_mapping->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_mapping->setToolTip(
        tr("Double-click, or press F2, to map a name: axis, or axis, axis; nothing leaves it replicated"));
}

QWidget* NamedArraysView::makeArraysSide()
{
    auto* side = new QWidget(this);
    m_add = makeButton("addArray", tr("Add array"), tr("Adds an array to the list (Ins)"), side);
    m_addAxis = makeButton("addAxis", tr("Add axis"), tr("Adds a named axis to the array"), side);
    m_remove = makeButton("removeRow", tr("Remove"), tr("Removes the array or the axis (Del)"), side);
    m_dtype = new QComboBox(side);
    for (int type = 0; isArrayType(static_cast<DType>(type)); ++type)
        m_dtype->addItem(words::fromStd(name(static_cast<DType>(type))), type);
    describe(m_dtype, tr("Type of the array's elements"));
    makeTree(side);
    m_outcome = new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, side);
    m_problem = new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error, side);
    m_sameNames = makeButton("sameNames", tr("Names are mesh axes"),
        tr("Maps every name to the mesh axis of the same name, as Penzai does without a mapping"), side);
    m_ignoreUnnamed = new QCheckBox(tr("Ignore arrays without names"), side);
    m_ignoreUnnamed->setToolTip(
        tr("Shows what name_to_name_sharding does with ignore_unnamed_arrays: an array of which "
           "no dimension has a name is left alone instead of being an error. Nothing is "
           "changed in the experiment."));
    makeMapping(side);
    side->setMinimumWidth(Metrics::scaled(380));

    auto* buttons = hbox({ 8, 6, 8, 4 }, 4, { m_add, m_addAxis, m_remove, boxStretch(), m_dtype });
    auto* below = hbox({ 8, 4, 8, 4 }, 8, { m_sameNames, m_ignoreUnnamed, boxStretch() });
    auto* words = vbox({ 8, 4, 8, 2 }, styleSpacing, { m_outcome, m_problem });
    vbox(side, {}, 0, { buttons, { m_tree, 3 }, words, below, { m_mapping, 2 } });

    connect(m_add, &QToolButton::clicked, this, &NamedArraysView::addArray);
    connect(m_addAxis, &QToolButton::clicked, this, [this] {
        if (const int array = currentArray(); array >= 0)
            m_arrays->addAxis(array);
    });
    connect(m_remove, &QToolButton::clicked, this, &NamedArraysView::removeCurrent);
    connect(m_sameNames, &QToolButton::clicked, m_arrays, &NamedArrays::mapNamesToThemselves);
    connect(m_ignoreUnnamed, &QCheckBox::toggled, m_arrays, &NamedArrays::setIgnoreUnnamed);
    connect(m_dtype, &QComboBox::activated, this, [this] {
        if (const int array = currentArray(); array >= 0)
            m_arrays->setType(array, static_cast<DType>(m_dtype->currentData().toInt()));
    });
    return side;
}

QWidget* NamedArraysView::makeResultSide()
{
    auto* side = new QWidget(this);
    m_title = new RoleLabel(RoleLabel::Size::Title, &Theme::text, side);
    m_title->setElided(true, Qt::ElideMiddle);
    m_spec = new RoleLabel(RoleLabel::Size::Fixed, RoleLabel::Elided, &Theme::text, side);
    m_bytes = new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, side);
    m_canvas = new GridCanvas(m_selection, side);
    m_canvas->setAccessibleName(tr("Shards of the selected named array"));
    m_tray = new GridTray(m_canvas, side);
    auto* head = vbox({ 8, 6, 8, 4 }, 2, { m_title, m_spec, m_bytes });
    vbox(side, {}, 0, { head, m_tray, { m_canvas, 1 } });
    return side;
}

int NamedArraysView::currentArray() const
{
    const QModelIndex current = m_tree->currentIndex();
    return current.isValid() ? m_treeModel->node(current).array : -1;
}

void NamedArraysView::select(int array)
{
    const QScopedValueRollback following(m_following, true); // nobody chose it
    const int count = static_cast<int>(m_arrays->tree().arrays.size());
    const QModelIndex index = m_treeModel->indexOfArray(std::min(array, count - 1));
    if (index.isValid())
        m_tree->setCurrentIndex(index);
    showArray();
}

void NamedArraysView::currentChanged()
{
    showArray();
    const int array = currentArray();
    if (m_following || array < 0)
        return;
    const QScopedValueRollback following(m_following, true);
    m_selection->setTensor(words::fromStd(m_arrays->array(array).path));
}

void NamedArraysView::followSelection()
{
    if (m_following)
        return;
    const int array = m_arrays->indexOf(m_selection->tensor().toStdString());
    if (array >= 0 && array != currentArray())
        select(array);
}

void NamedArraysView::showEvent(QShowEvent* event)
{
    m_arrays->setFollowing(true);
    QWidget::showEvent(event);
    fitColumns();
}

void NamedArraysView::hideEvent(QHideEvent* event)
{
    m_arrays->setFollowing(false);
    QWidget::hideEvent(event);
}

void NamedArraysView::refresh()
{
    const NamedTree& tree = m_arrays->tree();
    m_empty->setVisible(tree.source == NamedTree::Source::Text);
    m_sides->setVisible(tree.source != NamedTree::Source::Text);
    const std::optional<Error>& mesh = m_arrays->meshProblem();
    m_notice->setVisible(mesh.has_value());
    if (mesh)
        m_notice->setText(
            tr("The mesh cannot be used, so the last one is kept: %1.").arg(words::describe(*mesh).cause));
    m_sameNames->setEnabled(std::ranges::any_of(m_arrays->names(),
        [this](const MappedName& name) { return name.uses > 0 && m_arrays->mesh()->axisIndex(name.name); }));
    sayState();
    fitColumns();

    const int problems = m_arrays->problemCount();
    QString figure = words::counted(static_cast<qint64>(tree.arrays.size()), words::Noun::Array);
    if (tree.source == NamedTree::Source::Text)
        figure.clear();
    else if (problems > 0)
        figure = tr("%1, %2 with a problem", "arrays").arg(figure).arg(problems);
    setKeyFigure(figure);
    showArray();
}

void NamedArraysView::sayState()
{
    const NamedTree& tree = m_arrays->tree();
    const auto tell = [](NoticeStrip* strip, QString& stated, const QString& text, const QString& button,
                          std::function<void()> action) {
        if (text == stated)
            return;
        stated = text;
        if (text.isEmpty())
            strip->dismiss();
        else
            strip->say(Severity::Info, text, button, std::move(action));
    };
    tell(m_sourceNotice, m_statedSource,
        tree.source != NamedTree::Source::Network
            ? QString()
            : tr(
                "Parameters and inputs of the network: sizes and the mapping can be changed here, other arrays only in "
                "a list of them."),
        tr("Make a list of arrays"), [this] { m_arrays->makeList(); });
    const QString system = words::systemName({ tree.rules.dialect, tree.rules.version });
    QStringList reading;
    if (!tree.isMapping())
        reading << tr(
            "%1 reads the rules in their order. Beside its specs: the rules as a mapping, as Penzai reads them.")
                       .arg(system);
    if (!tree.rules.inner.empty())
        reading << tr("The names below are mapped where no part of the model has rules of its own; those of parts are "
                      "edited under Rules.");
    if (tree.source == NamedTree::Source::Text)
        reading.clear();
    tell(m_dialectNotice, m_statedDialect, reading.join(QLatin1Char(' ')),
        tree.isMapping() ? QString() : tr("Read as a mapping"), [this] { m_arrays->readAsMapping(); });
}

void NamedArraysView::fitColumns()
{
    if (!isVisible())
        return;
    using Model = NamedTreeModel;
    const bool beside = !m_arrays->tree().isMapping();
    // With room for a scroll bar, which comes and goes.
    const int width = m_tree->width() - m_tree->verticalScrollBar()->sizeHint().width();
    m_tree->setColumnHidden(Model::Mapping, !beside);
    // The figures stand beside the grid as well.
    m_tree->setColumnHidden(Model::Bytes, width < Metrics::scaled(beside ? 640 : 440));
    m_tree->setColumnHidden(Model::LocalShape, beside && width < Metrics::scaled(520));
    std::array<int, Model::ColumnCount> wanted{};
    int all = 0;
    for (int column = 0; column < Model::ColumnCount; ++column) {
        if (m_tree->isColumnHidden(column))
            continue;
        int& size = wanted[static_cast<std::size_t>(column)];
        size = std::max(static_cast<QAbstractItemView*>(m_tree)->sizeHintForColumn(column),
            m_tree->header()->sectionSizeHint(column));
        all += size;
    }
    const auto shorten = [&](int column, int least) {
        int& size = wanted[static_cast<std::size_t>(column)];
        const int less = std::clamp(all - width, 0, std::max(0, size - Metrics::scaled(least)));
        size -= less;
        all -= less;
    };
    // Where not all has room: what is wrong with an array stands below as well, its axes in the rows under it.
    shorten(Model::Mapping, 130);
    shorten(Model::Spec, 110);
    shorten(Model::Axes, 64);
    shorten(Model::Name, 110);
    shorten(Model::Mapping, 72);
    shorten(Model::Spec, 72);
    wanted[Model::Spec] += std::max(0, width - all);
    for (int column = 0; column < Model::ColumnCount; ++column)
        if (!m_tree->isColumnHidden(column))
            m_tree->setColumnWidth(column, wanted[static_cast<std::size_t>(column)]);
}

void NamedArraysView::clearArray()
{
    for (RoleLabel* label : { m_title, m_spec, m_bytes, m_outcome, m_problem })
        label->clear();
    m_problem->hide();
    m_canvas->setEmptyText(m_arrays->tree().arrays.empty() ? tr("Add an array to see how its names shard it.")
            : m_tree->currentIndex().isValid()             ? tr("Choose one of the arrays of this group.")
                                                           : tr("Choose an array to see how the devices hold it."));
    m_canvas->setSubject(std::nullopt);
    m_tray->follow();
    m_shown.clear();
}

void NamedArraysView::showArray()
{
    const int array = currentArray();
    const NamedTree& tree = m_arrays->tree();
    const bool list = tree.source == NamedTree::Source::List;
    const bool known = array >= 0 && array < static_cast<int>(tree.arrays.size());
    if (known)
        m_current = array;
    m_add->setEnabled(list);
    m_remove->setEnabled(list && known);
    m_addAxis->setEnabled(list && known);
    m_dtype->setEnabled(list && known);
    if (!known) {
        clearArray();
        return;
    }
    const NamedArraySetting& setting = m_arrays->array(array);
    m_dtype->setCurrentIndex(m_dtype->findData(static_cast<int>(setting.dtype)));
    showOutcome(setting, m_arrays->outcomes()[static_cast<std::size_t>(array)]);
    showGrid(setting, m_arrays->outcomes()[static_cast<std::size_t>(array)]);
}

void NamedArraysView::showOutcome(const NamedArraySetting& array, const ArrayOutcome& outcome)
{
    const bool wrong = outcome.specified.problem.has_value();
    const QString stated = named::outcomeText(array, outcome);
    m_problem->setVisible(wrong);
    m_problem->setText(wrong ? stated : QString());
    m_outcome->setVisible(!wrong);
    m_outcome->setText(wrong ? QString() : stated);
}

void NamedArraysView::showGrid(const NamedArraySetting& array, const ArrayOutcome& outcome)
{
    const Reading& reading = outcome.specified;
    m_title->setText(words::fromStd(array.path));
    m_spec->setVisible(reading.layout.has_value());
    m_bytes->setVisible(reading.layout.has_value());
    if (!reading.layout) {
        m_canvas->setEmptyText(reading.problem ? tr("Who holds what is known once the array can be used.")
                                               : tr("An array that is ignored stays on its device."));
        m_canvas->setSubject(std::nullopt);
        m_tray->follow();
        m_shown.clear();
        return;
    }
    m_spec->setText(QStringLiteral("%1[%2]  %3 → %4")
                        .arg(words::fromStd(name(array.dtype)), words::fromStd(axesText(array.names, array.shape)),
                            words::fromStd(toJax(reading.spec)), words::shape(reading.layout->shardShape())));
    m_bytes->setText(tr("%1 per device").arg(words::bytes(static_cast<double>(reading.bytesPerDevice))));
    std::vector<std::string> names;
    for (const LogicalName& each : array.names)
        names.push_back(nameText(each));
    const DeviceSet& devices = m_document->experiment()->hardware.devices;
    const std::size_t rankBefore =
        m_canvas->subject() ? m_canvas->subject()->layout.shape().size() : static_cast<std::size_t>(-1);
    m_canvas->setSubject(GridSubject{ *reading.layout, std::move(names), byteSize(array.dtype), devices.devicesPerHost,
        std::make_shared<const DevicePlaces>(devices) });
    if (m_shown != array.path || rankBefore != reading.layout->shape().size()) {
        m_shown = array.path;
        m_canvas->setCurrentCell(std::nullopt);
        m_canvas->setChoice(GridLayout::defaultChoice(*reading.layout));
    }
    m_tray->follow();
}

void NamedArraysView::addArray()
{
    if (!m_add->isEnabled())
        return;
    m_current = static_cast<int>(m_arrays->tree().arrays.size());
    if (!m_arrays->addArray())
        return;
    select(m_current);
    m_tree->setFocus(Qt::OtherFocusReason);
}

void NamedArraysView::removeCurrent()
{
    const int array = currentArray();
    if (array < 0 || !m_remove->isEnabled())
        return;
    const NamedNode node = m_treeModel->node(m_tree->currentIndex());
    if (node.kind == NamedNode::Kind::Axis)
        m_arrays->removeAxis(array, node.dimension);
    else
        m_arrays->removeArray(array);
}

bool NamedArraysView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_tree && event->type() == QEvent::Resize)
        fitColumns();
    if (watched == m_tree && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Insert || key == Qt::Key_Delete) {
            if (key == Qt::Key_Insert)
                addArray();
            else
                removeCurrent();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
