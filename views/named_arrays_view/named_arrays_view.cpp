// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_arrays_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "document/document.h"
#include "experiment/mesh_order.h"
#include "sharding/text.h"
#include "views/named_arrays_view/chips_delegate.h"
#include "views/named_arrays_view/mapping_model.h"
#include "views/named_arrays_view/named_tree_model.h"
#include "views/named_arrays_view/named_words.h"
#include "views/panel/panel.h"
#include "views/shard_grid_view/grid_canvas.h"
#include "views/shard_grid_view/grid_tray.h"
#include "views/widgets/two_sides.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr DType dtypes[] = { DType::F32, DType::BF16, DType::F16, DType::F64, DType::I32, DType::I8 };

/// "array", "array2", ...: a path that no array has.
std::string freshPath(const NamedTree& tree)
{
    for (int number = 1;; ++number) {
        const std::string path = number == 1 ? "array" : "array" + std::to_string(number);
        if (std::ranges::find(tree.arrays, path, &WrittenArray::path) == tree.arrays.end())
            return path;
    }
}

/// The first letter that is not among the names.
std::string freshName(const NamedArray& array)
{
    for (char letter = 'a';; ++letter) {
        const std::string name = letter <= 'z' ? std::string(1, letter) : "axis" + std::to_string(letter);
        if (std::ranges::find(array.namedAxes, name, &NamedAxis::name) == array.namedAxes.end())
            return name;
    }
}

} // namespace

NamedArraysView::NamedArraysView(Document* document, Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_arrays(new NamedArrays(this))
    , m_treeModel(new NamedTreeModel(m_arrays, this))
    , m_mappingModel(new MappingModel(m_arrays, this))
    , m_notice(new RoleLabel(RoleLabel::Size::Small, &Theme::warning, this))
{
    m_notice->setWordWrap(true);
    m_notice->setContentsMargins(8, 3, 8, 3);
    m_notice->hide();
    QWidget* arrays = makeArraysSide();
    m_sides = new TwoSides(arrays, tr("Arrays"), makeResultSide(selection), tr("Shards"), this);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(1, 0, 1, 1);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_sides, 1);
    setFocusProxy(m_tree);

    connect(m_arrays, &NamedArrays::changed, this, &NamedArraysView::refresh);
    connect(m_treeModel, &QAbstractItemModel::modelReset, this, [this] {
        m_tree->expandAll();
        select(m_current);
    });
    connect(m_tree->selectionModel(), &QItemSelectionModel::currentChanged, this, &NamedArraysView::showArray);
    connect(document, &Document::experimentChanged, this, &NamedArraysView::followMesh);
    followMesh();
    select(0);
}

NamedArraysView::~NamedArraysView()
{
    // An editor that is open hands its text over when it loses the focus, which is after this.
    m_arrays->disconnect(this);
    m_treeModel->disconnect(this);
    m_tree->selectionModel()->disconnect(this);
}

QWidget* NamedArraysView::makeArraysSide()
{
    auto* side = new QWidget(this);
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
    m_tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_tree->header()->setSectionResizeMode(NamedTreeModel::Spec, QHeaderView::Stretch);
    m_tree->header()->setMinimumSectionSize(Metrics::scaled(56));

    m_mapping = new QTableView(side);
    m_mapping->setModel(m_mappingModel);
    m_mapping->setItemDelegate(new ChipsDelegate(m_mapping));
    m_mapping->setFrameShape(QFrame::NoFrame);
    m_mapping->setShowGrid(false);
    m_mapping->setAlternatingRowColors(true);
    m_mapping->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_mapping->setSelectionMode(QAbstractItemView::SingleSelection);
    m_mapping->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    m_mapping->setTabKeyNavigation(false);
    m_mapping->setCornerButtonEnabled(false);
    m_mapping->verticalHeader()->hide();
    m_mapping->verticalHeader()->setMinimumSectionSize(Metrics::scaled(16));
    m_mapping->verticalHeader()->setDefaultSectionSize(Metrics::scaled(24));
    m_mapping->horizontalHeader()->setHighlightSections(false);
    m_mapping->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    m_mapping->setAccessibleName(tr("Names of array axes and the mesh axes they are mapped to"));
    m_mapping->setToolTip(tr("Double-click, or press F2, to map a name: axis, or axis, axis; nothing leaves it whole"));

    const auto button = [side](const QString& label, const QString& tip) {
        auto* made = new QToolButton(side);
        made->setText(label);
        made->setToolTip(tip);
        made->setAccessibleName(label);
        return made;
    };
    auto* add = button(tr("Add array"), tr("Adds an array to the tree (Ins)"));
    add->setObjectName(QStringLiteral("addArray"));
    m_addAxis = button(tr("Add axis"), tr("Adds a named axis to the array"));
    m_addAxis->setObjectName(QStringLiteral("addAxis"));
    m_remove = button(tr("Remove"), tr("Removes the array or the axis (Del)"));
    m_remove->setObjectName(QStringLiteral("removeRow"));
    m_dtype = new QComboBox(side);
    for (const DType dtype : dtypes)
        m_dtype->addItem(words::fromStd(name(dtype)), static_cast<int>(dtype));
    m_dtype->setAccessibleName(tr("Type of the elements"));
    m_sameNames = new QCheckBox(tr("Names are mesh axes"), side);
    m_sameNames->setToolTip(tr("No mapping: a name stands for the mesh axis of the same name"));
    m_ignoreUnnamed = new QCheckBox(tr("Ignore arrays without names"), side);
    m_ignoreUnnamed->setToolTip(tr("Arrays written as [4, 8] have no names: an error, unless they are ignored"));

    m_outcome = new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, side);
    m_problem = new RoleLabel(RoleLabel::Size::Small, &Theme::error, side);
    for (RoleLabel* label : { m_outcome, m_problem })
        label->setWordWrap(true);
    side->setMinimumWidth(Metrics::scaled(380));

    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(8, 6, 8, 4);
    buttons->setSpacing(4);
    for (QToolButton* one : { add, m_addAxis, m_remove })
        buttons->addWidget(one);
    buttons->addStretch();
    buttons->addWidget(m_dtype);
    auto* checks = new QHBoxLayout;
    checks->setContentsMargins(8, 4, 8, 4);
    checks->setSpacing(8);
    checks->addWidget(m_sameNames);
    checks->addWidget(m_ignoreUnnamed);
    checks->addStretch();
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(buttons);
    column->addWidget(m_tree, 3);
    auto* words = new QVBoxLayout;
    words->setContentsMargins(8, 4, 8, 2);
    words->addWidget(m_outcome);
    words->addWidget(m_problem);
    column->addLayout(words);
    column->addLayout(checks);
    column->addWidget(m_mapping, 2);

    const auto change = [this](const auto& edit) {
        m_touched = true;
        NamedTree tree = m_arrays->tree();
        edit(tree);
        m_arrays->setTree(std::move(tree));
    };
    connect(add, &QToolButton::clicked, this, &NamedArraysView::addArray);
    connect(m_addAxis, &QToolButton::clicked, this, &NamedArraysView::addAxis);
    connect(m_remove, &QToolButton::clicked, this, &NamedArraysView::removeCurrent);
    connect(m_sameNames, &QCheckBox::toggled, this,
        [change](bool on) { change([on](NamedTree& tree) { tree.sameNames = on; }); });
    connect(m_ignoreUnnamed, &QCheckBox::toggled, this,
        [change](bool on) { change([on](NamedTree& tree) { tree.ignoreUnnamed = on; }); });
    connect(m_dtype, &QComboBox::activated, this, [this, change] {
        change([this](NamedTree& tree) { tree.dtype = static_cast<DType>(m_dtype->currentData().toInt()); });
    });
    return side;
}

QWidget* NamedArraysView::makeResultSide(Selection* selection)
{
    auto* side = new QWidget(this);
    m_title = new RoleLabel(RoleLabel::Size::Title, &Theme::text, side);
    m_title->setElided(true, Qt::ElideMiddle);
    m_spec = new RoleLabel(RoleLabel::Size::Fixed, &Theme::text, side);
    m_spec->setElided(true);
    m_bytes = new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, side);
    m_canvas = new GridCanvas(selection, side);
    m_canvas->setAccessibleName(tr("Shards of the selected named array"));
    m_tray = new GridTray(m_canvas, side);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(8, 6, 8, 4);
    head->setSpacing(2);
    for (RoleLabel* label : { m_title, m_spec, m_bytes })
        head->addWidget(label);
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(head);
    column->addWidget(m_tray);
    column->addWidget(m_canvas, 1);
    return side;
}

int NamedArraysView::currentArray() const
{
    const QModelIndex current = m_tree->currentIndex();
    return current.isValid() ? m_treeModel->node(current).array : -1;
}

void NamedArraysView::select(int array)
{
    const int count = static_cast<int>(m_arrays->tree().arrays.size());
    const QModelIndex index = m_treeModel->indexOfArray(std::min(array, count - 1));
    if (index.isValid())
        m_tree->setCurrentIndex(index);
    showArray();
}

void NamedArraysView::followMesh()
{
    const Experiment& experiment = *m_document->experiment();
    Result<Mesh> mesh = makeMesh(experiment.hardware.devices, experiment.mesh);
    m_notice->setVisible(!mesh);
    if (!mesh) {
        m_notice->setText(
            tr("The mesh cannot be used, so the last one is kept: %1.").arg(words::describe(mesh.error()).cause));
        return;
    }
    if (!m_arrays->tree().arrays.empty() && *mesh == *m_arrays->mesh())
        return;
    const NamedTree start = notebookTree(*mesh);
    // An edit of the tree comes from the user; before that the mapping goes with the mesh.
    const bool untouched =
        !m_touched && (m_arrays->tree().arrays.empty() || m_arrays->tree() == notebookTree(*m_arrays->mesh()));
    m_arrays->setMesh(std::make_shared<const Mesh>(std::move(*mesh)));
    if (untouched)
        m_arrays->setTree(start);
}

void NamedArraysView::refresh()
{
    const int problems = m_arrays->problemCount();
    QString figure = words::counted(static_cast<qint64>(m_arrays->tree().arrays.size()), words::Noun::Array);
    if (problems > 0)
        figure = tr("%1, %2 with a problem", "arrays").arg(figure).arg(problems);
    if (figure != m_keyFigure) {
        m_keyFigure = figure;
        Q_EMIT keyFigureChanged();
    }
    showArray();
}

void NamedArraysView::showArray()
{
    const int array = currentArray();
    const QModelIndex current = m_tree->currentIndex();
    if (array >= 0)
        m_current = array;
    m_remove->setEnabled(array >= 0);
    m_addAxis->setEnabled(array >= 0);
    if (array < 0 || array >= static_cast<int>(m_arrays->outcomes().size())) {
        for (RoleLabel* label : { m_title, m_spec, m_bytes, m_outcome, m_problem })
            label->clear();
        m_problem->hide();
        m_canvas->setEmptyText(m_arrays->tree().arrays.empty() ? tr("Add an array to see how its names cut it.")
                : current.isValid()                            ? tr("Choose one of the arrays of this group.")
                                                               : tr("Choose an array to see how the devices hold it."));
        m_canvas->setSubject(std::nullopt);
        m_tray->follow();
        m_shown.clear();
        return;
    }
    const ArrayOutcome& outcome = m_arrays->outcomes()[static_cast<std::size_t>(array)];
    const WrittenArray& written = m_arrays->tree().arrays[static_cast<std::size_t>(array)];
    const DType dtype = m_arrays->tree().dtype;
    m_title->setText(QString::fromStdString(written.path));
    m_problem->setVisible(outcome.problem.has_value());
    m_problem->setText(outcome.problem ? named::outcomeText(outcome) : QString());
    m_outcome->setVisible(!outcome.problem);
    m_outcome->setText(outcome.problem ? QString() : named::outcomeText(outcome));
    m_spec->setVisible(outcome.layout.has_value());
    m_bytes->setVisible(outcome.layout.has_value());
    if (!outcome.layout) {
        m_canvas->setEmptyText(outcome.problem ? tr("Who holds what is known once the array can be used.")
                                               : tr("An array that is ignored stays on its device."));
        m_canvas->setSubject(std::nullopt);
        m_tray->follow();
        m_shown.clear();
        return;
    }
    m_spec->setText(QStringLiteral("%1[%2]  %3 → %4")
                        .arg(words::fromStd(name(dtype)), QString::fromStdString(written.axes),
                            QString::fromStdString(toJax(outcome.spec)), words::shape(outcome.layout->shardShape())));
    m_bytes->setText(tr("%1 per device").arg(words::bytes(static_cast<double>(outcome.bytesPerDevice))));
    const DeviceSet& devices = m_document->experiment()->hardware.devices;
    const std::size_t rankBefore =
        m_canvas->subject() ? m_canvas->subject()->layout.shape().size() : static_cast<std::size_t>(-1);
    m_canvas->setSubject(GridSubject{ *outcome.layout, outcome.names, byteSize(dtype), devices.devicesPerHost,
        std::make_shared<const DevicePlaces>(devices) });
    if (m_shown != written.path || rankBefore != outcome.layout->shape().size()) {
        m_shown = written.path;
        m_canvas->setCurrentCell(std::nullopt);
        m_canvas->setChoice(GridLayout::defaultChoice(*outcome.layout));
    }
    m_tray->follow();
}

void NamedArraysView::addArray()
{
    m_touched = true;
    NamedTree tree = m_arrays->tree();
    tree.arrays.push_back({ freshPath(tree), "a 8, b 8" });
    m_current = static_cast<int>(tree.arrays.size()) - 1;
    m_arrays->setTree(std::move(tree));
    select(m_current);
    m_tree->setFocus(Qt::OtherFocusReason);
}

void NamedArraysView::addAxis()
{
    const int array = currentArray();
    if (array < 0)
        return;
    m_touched = true;
    NamedTree tree = m_arrays->tree();
    WrittenArray& written = tree.arrays[static_cast<std::size_t>(array)];
    const auto& read = m_arrays->outcomes()[static_cast<std::size_t>(array)].array;
    const auto* named = read ? std::get_if<NamedArray>(&*read) : nullptr;
    if (named) {
        NamedArray longer = *named;
        longer.namedAxes.push_back({ freshName(*named), 8 });
        written.axes = axesText(longer);
    } else if (read) {
        // Its sizes stay, in front of the name.
        NamedArray longer;
        longer.positionalShape = std::get<PlainArray>(*read).shape;
        longer.namedAxes.push_back({ "a", 8 });
        written.axes = axesText(longer);
    } else {
        return;
    }
    m_arrays->setTree(std::move(tree));
}

void NamedArraysView::removeCurrent()
{
    const QModelIndex current = m_tree->currentIndex();
    const int array = currentArray();
    if (array < 0)
        return;
    m_touched = true;
    const NamedNode node = m_treeModel->node(current);
    NamedTree tree = m_arrays->tree();
    const auto& read = m_arrays->outcomes()[static_cast<std::size_t>(array)].array;
    const auto* named = read ? std::get_if<NamedArray>(&*read) : nullptr;
    if (node.kind == NamedNode::Kind::Axis && named) {
        NamedArray shorter = *named;
        const auto d = static_cast<std::ptrdiff_t>(node.dimension);
        const auto positional = static_cast<std::ptrdiff_t>(named->positionalShape.size());
        if (d >= positional) {
            shorter.namedAxes.erase(shorter.namedAxes.begin() + (d - positional));
        } else {
            Shape sizes;
            for (std::ptrdiff_t i = 0; i < positional; ++i)
                if (i != d)
                    sizes.push_back(named->positionalShape[static_cast<std::size_t>(i)]);
            shorter.positionalShape = sizes;
        }
        tree.arrays[static_cast<std::size_t>(array)].axes = axesText(shorter);
    } else {
        tree.arrays.erase(tree.arrays.begin() + array);
        m_current = std::max(0, array - 1);
    }
    m_arrays->setTree(std::move(tree));
}

QString NamedArraysView::problemText() const
{
    return m_problem->text();
}

bool NamedArraysView::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_tree && event->type() == QEvent::Resize) // the figure stands beside the grid as well
        m_tree->setColumnHidden(NamedTreeModel::Bytes, m_tree->width() < Metrics::scaled(440));
    if (watched == m_tree && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Insert) {
            addArray();
            return true;
        }
        if (key->key() == Qt::Key_Delete) {
            removeCurrent();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace shardscope
