// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/topology_view.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <algorithm>
#include <utility>

#include "document/document.h"
#include "document/selection.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "mesh/axis_path.h"
#include "mesh/device_presets.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/topology_view/device_colours.h"
#include "views/topology_view/field_map.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/span_line.h"
#include "words/topology_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr auto byShard = -1, byHost = -2, noPath = -1; ///< in place of a mesh axis

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

/// One axis after the other as "data=2, model=1", or sizes as "2, 2, 1, 1".
QString optionText(const OrderSetting& order)
{
    QStringList parts;
    if (order.method == OrderMethod::Hybrid)
        for (const MeshAxis& axis : order.dcn)
            parts << QStringLiteral("%1=%2").arg(text(axis.name)).arg(axis.size);
    else
        for (const std::int32_t size : order.submesh)
            parts << QString::number(size);
    return parts.join(QStringLiteral(", "));
}

} // namespace

TopologyView::TopologyView(Document* document, Selection* selection, QWidget* parent)
    : QWidget(parent)
    , m_document(document)
    , m_selection(selection)
    , m_presets(new QComboBox(this))
    , m_auto(new QPushButton(tr("Auto mesh"), this))
    , m_facts(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_orders(new QComboBox(this))
    , m_share(new QCheckBox(tr("Share physical axes"), this))
    , m_option(new QLineEdit(this))
    , m_messageBox(new QWidget(this))
    , m_messageText(new RoleLabel(RoleLabel::Size::Small, &Theme::error, m_messageBox))
    , m_fixes(new QHBoxLayout)
    , m_reason(new RoleLabel(RoleLabel::Size::Small, &Theme::text, this))
    , m_colours(new QComboBox(this))
    , m_paths(new QComboBox(this))
    , m_pathText(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_maps(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_machineHead(new SpanLine(this))
    , m_meshHead(new SpanLine(this))
    , m_machine(new FieldMap(selection, tr("Machine"), this))
    , m_meshMap(new FieldMap(selection, tr("Mesh"), this))
    , m_caption(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
{
    setBackgroundRole(QPalette::Base);
    setAutoFillBackground(true);
    addPresets();
    m_auto->setToolTip(tr("Lets JAX's create_device_mesh put the devices in an order that suits the hardware"));
    m_orders->setAccessibleName(tr("Order of the devices in the mesh"));
    for (const OrderMethod method : { OrderMethod::RowMajor, OrderMethod::AsListed, OrderMethod::CreateDeviceMesh,
             OrderMethod::MakeMesh, OrderMethod::Hybrid, OrderMethod::T5x }) {
        MeshSetting setting;
        setting.order.method = method;
        m_orders->addItem(tr("Order: %1").arg(words::orderName(setting)), static_cast<int>(method));
    }
    m_share->setToolTip(tr("Parts of one direction of the hardware may go to several mesh axes"));
    m_option->setClearButtonEnabled(true);
    m_colours->setAccessibleName(tr("What colours tell"));
    m_paths->setAccessibleName(tr("Mesh axis drawn as a path"));
    for (RoleLabel* label : { m_reason, m_pathText, m_messageText })
        label->setWordWrap(true);
    m_facts->setElided(true);
    m_caption->setElided(true);
    for (SpanLine* head : { m_machineHead, m_meshHead }) {
        head->setBaseFont(Metrics::small());
        head->setMuted(true);
    }

    auto* devices = new QHBoxLayout;
    devices->setSpacing(8);
    devices->addWidget(m_presets);
    devices->addWidget(m_facts, 1);
    auto* order = new QHBoxLayout;
    order->setSpacing(8);
    order->addWidget(m_orders);
    order->addWidget(m_share);
    order->addWidget(m_option, 1);
    order->addStretch();
    order->addWidget(m_auto);
    auto* message = new QHBoxLayout(m_messageBox);
    message->setContentsMargins(8, 4, 8, 4);
    message->addWidget(m_messageText, 1);
    message->addLayout(m_fixes);
    m_messageBox->setAutoFillBackground(true);
    m_messageBox->hide();
    auto* shown = new QHBoxLayout;
    shown->setSpacing(8);
    shown->addWidget(m_colours);
    shown->addWidget(m_paths);
    shown->addWidget(m_pathText, 1);

    const auto column = [this](SpanLine* head, FieldMap* map) {
        auto* box = new QVBoxLayout;
        box->setSpacing(0);
        box->addWidget(head);
        box->addWidget(map, 1);
        m_maps->addLayout(box, 1);
    };
    m_maps->setSpacing(8);
    column(m_machineHead, m_machine);
    column(m_meshHead, m_meshMap);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(new StaleRibbon(document));
    auto* inner = new QVBoxLayout;
    inner->setContentsMargins(8, 6, 8, 4);
    inner->setSpacing(4);
    inner->addLayout(devices);
    inner->addLayout(order);
    inner->addWidget(m_messageBox);
    inner->addWidget(m_reason);
    inner->addLayout(shown);
    inner->addLayout(m_maps, 1);
    inner->addWidget(m_caption);
    layout->addLayout(inner, 1);
    setFocusProxy(m_presets);

    const auto describe = [this](std::int32_t device) { return describeDevice(device); };
    for (FieldMap* map : { m_machine, m_meshMap }) {
        map->setDescription(describe);
        connect(map, &FieldMap::currentChanged, this, &TopologyView::showCurrent);
    }
    connect(m_presets, &QComboBox::activated, this, [this] { chooseDevices(m_presets->currentText()); });
    connect(
        m_presets->lineEdit(), &QLineEdit::returnPressed, this, [this] { chooseDevices(m_presets->currentText()); });
    connect(m_auto, &QPushButton::clicked, this, [this] {
        const Experiment& now = *m_document->experiment();
        setOrder(automaticOrder(now.hardware.devices, now.mesh), tr("auto mesh"));
    });
    connect(m_orders, &QComboBox::activated, this, [this] {
        if (!m_orders->currentData().isValid())
            return;
        OrderSetting chosen = m_document->experiment()->mesh.order;
        chosen.method = static_cast<OrderMethod>(m_orders->currentData().toInt());
        setOrder(std::move(chosen), m_orders->currentText());
    });
    connect(m_share, &QCheckBox::clicked, this, [this](bool share) {
        OrderSetting chosen = m_document->experiment()->mesh.order;
        chosen.sharePhysicalAxes = share;
        setOrder(std::move(chosen), share ? tr("share physical axes") : tr("whole physical axes"));
    });
    connect(m_option, &QLineEdit::editingFinished, this, &TopologyView::setOption);
    connect(m_colours, &QComboBox::activated, this, [this] {
        m_colour = m_colours->currentData().toInt();
        refreshColours();
    });
    connect(m_paths, &QComboBox::activated, this, [this] {
        const int axis = m_paths->currentData().toInt();
        m_path = axis;
        if (m_shownMesh && axis >= 0 && axis < static_cast<int>(m_shownMesh->rank()))
            m_selection->setMeshAxis(text(m_shownMesh->axis(static_cast<std::size_t>(axis)).name));
        refreshPath();
    });
    connect(document, &Document::experimentChanged, this, &TopologyView::refresh);
    connect(document, &Document::snapshotChanged, this, &TopologyView::refreshMesh);
    connect(selection, &Selection::changed, this, [this] {
        if (const auto axis =
                m_shownMesh ? m_shownMesh->axisIndex(m_selection->meshAxis().toStdString()) : std::nullopt) {
            m_path = static_cast<int>(*axis);
        }
        refreshChoices();
        refreshColours();
        refreshPath();
    });
    refresh();
    refreshMesh();
}

/// Grouped by kind; whatever else a text names can be typed.
void TopologyView::addPresets()
{
    struct Group {
        const char* name;
        std::vector<const char*> sets;
    };
    const std::vector<Group> groups{
        { "CPU", { "cpu:8", "cpu:2x4", "cpu:16" } },
        { "GPU", { "gpu:8", "gpu:4x8", "gpu:32x8" } },
        { "TPU v2", { "tpu-v2:2x2", "tpu-v2:4x4", "tpu-v2:8x8", "tpu-v2:16x16" } },
        { "TPU v3", { "tpu-v3:2x2", "tpu-v3:4x4", "tpu-v3:16x16", "tpu-v3:32x32" } },
        { "TPU v4", { "tpu-v4:2x2x1", "tpu-v4:4x4x4", "tpu-v4:8x8x8", "tpu-v4:16x16x16", "2*tpu-v4:4x4x4" } },
        { "TPU v5e", { "tpu-v5e:2x4", "tpu-v5e:4x4", "tpu-v5e:16x16", "2*tpu-v5e:16x16" } },
        { "TPU v5p", { "tpu-v5p:2x2x2", "tpu-v5p:4x4x8", "tpu-v5p:8x8x16" } },
        { "TPU v6e", { "tpu-v6e:2x4", "tpu-v6e:4x4", "tpu-v6e:16x16" } },
        { "TPU v7", { "tpu-v7:2x2x1", "tpu-v7:4x4x4", "tpu-v7:8x16x16" } },
    };
    m_presets->setEditable(true);
    m_presets->setInsertPolicy(QComboBox::NoInsert);
    m_presets->setMinimumContentsLength(16);
    m_presets->setMaxVisibleItems(24);
    m_presets->setAccessibleName(tr("Devices"));
    m_presets->setToolTip(tr("cpu:8, gpu:4x8 (hosts × devices), tpu-v4:4x4x4 (chips), 2*tpu-v5e:16x16 (two slices)"));
    QStringList names;
    for (const Group& group : groups) {
        m_presets->addItem(QString::fromLatin1(group.name));
        const int heading = m_presets->count() - 1;
        m_presets->setItemData(heading, 0, Qt::UserRole - 1); // neither selectable nor enabled
        for (const char* set : group.sets) {
            const QString name = QString::fromLatin1(set);
            m_presets->addItem(name);
            names << name;
            if (const Result<DeviceSet> devices = parseDevices(set))
                m_presets->setItemData(m_presets->count() - 1, words::deviceFacts(*devices), Qt::ToolTipRole);
        }
    }
    auto* completer = new QCompleter(names, m_presets);
    completer->setFilterMode(Qt::MatchContains);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    m_presets->setCompleter(completer);
    m_presets->lineEdit()->setAccessibleName(tr("Devices"));
}

QString TopologyView::facts() const
{
    return m_facts->text();
}
QString TopologyView::reason() const
{
    return m_reason->text();
}
QString TopologyView::message() const
{
    return m_messageBox->isVisibleTo(this) ? m_messageText->text() : QString();
}
QString TopologyView::pathText() const
{
    return m_pathText->text();
}

std::vector<QPushButton*> TopologyView::fixButtons() const
{
    std::vector<QPushButton*> buttons;
    for (int i = 0; i < m_fixes->count(); ++i)
        if (auto* button = qobject_cast<QPushButton*>(m_fixes->itemAt(i)->widget()))
            buttons.push_back(button);
    return buttons;
}

bool TopologyView::edit(Result<Experiment> after, const QString& text)
{
    std::optional<Diagnostic> refused;
    if (!after)
        refused = after.error();
    const bool done = m_document->edit(std::move(after), text);
    if (done)
        return true;
    refresh();
    if (refused) {
        const words::ProblemText said = words::describe(*refused);
        setMessage(said.cause + QStringLiteral(". ") + said.remedy, {});
    }
    return false;
}

bool TopologyView::chooseDevices(const QString& chosen)
{
    const Experiment& now = *m_document->experiment();
    Result<DeviceSet> devices = parseDevices(chosen.toStdString());
    if (!devices) {
        if (chosen.toStdString() == toText(now.hardware.devices)) // an own list has no short form
            return true;
        const words::ProblemText said = words::describe(devices.error());
        setMessage(said.cause + QStringLiteral(". ") + said.remedy, {});
        return false;
    }
    if (*devices == now.hardware.devices) {
        refreshMesh();
        return true;
    }
    return edit(withDevices(now, std::move(*devices)), tr("devices %1").arg(chosen));
}

void TopologyView::setOrder(OrderSetting order, const QString& text)
{
    edit(withOrder(*m_document->experiment(), std::move(order)), text);
}

void TopologyView::setOption()
{
    OrderSetting order = m_document->experiment()->mesh.order;
    const QString given = m_option->text().trimmed();
    if (given == optionText(order))
        return;
    const QStringList parts = given.split(QLatin1Char(','), Qt::SkipEmptyParts);
    bool right = true;
    order.dcn.clear();
    order.submesh.clear();
    for (const QString& part : parts) {
        bool number = false;
        const qsizetype equals = part.indexOf(QLatin1Char('='));
        const int size = part.mid(equals + 1).trimmed().toInt(&number);
        right = right && number && size >= 0 && (order.method == OrderMethod::Hybrid) == (equals > 0);
        if (order.method == OrderMethod::Hybrid)
            order.dcn.push_back({ part.left(std::max<qsizetype>(equals, 0)).trimmed().toStdString(), size });
        else
            order.submesh.push_back(size);
    }
    if (right) {
        setOrder(std::move(order), m_option->accessibleName());
        return;
    }
    setMessage(order.method == OrderMethod::Hybrid
            ? tr("The slices along axes are written as data=2. Leave it empty for as the axes can take them.")
            : tr("A submesh is written as four sizes: 2, 2, 1, 1. Leave it empty for that of T5X's table."),
        {});
}

void TopologyView::setMessage(const QString& said, const std::vector<Fix>& fixes)
{
    while (m_fixes->count() > 0) {
        QLayoutItem* item = m_fixes->takeAt(0);
        if (QWidget* old = item->widget()) {
            old->hide();
            old->deleteLater();
        }
        delete item;
    }
    constexpr std::size_t mostButtons = 2;
    for (std::size_t i = 0; i < std::min(fixes.size(), mostButtons); ++i) {
        auto* button = new QPushButton(words::fixLabel(fixes[i]), m_messageBox);
        button->setProperty("small", true);
        const Fix fix = fixes[i];
        connect(button, &QPushButton::clicked, this,
            [this, fix] { edit(applyFix(*m_document->experiment(), fix), words::fixLabel(fix)); });
        m_fixes->addWidget(button);
    }
    QPalette colours = m_messageBox->palette();
    colours.setColor(QPalette::Window, Theme::current().errorBackground);
    m_messageBox->setPalette(colours);
    m_messageText->setText(said);
    m_messageBox->setVisible(!said.isEmpty());
}

void TopologyView::refresh()
{
    const Experiment& now = *m_document->experiment();
    const DeviceSet& devices = now.hardware.devices;
    {
        const QSignalBlocker quiet(m_presets);
        const QString name = text(toText(devices));
        m_presets->setCurrentIndex(m_presets->findText(name, Qt::MatchFixedString));
        m_presets->setEditText(name);
    }
    const QString facts = words::deviceFacts(devices);
    m_facts->setText(facts);
    m_facts->setToolTip(plainTip(facts + QStringLiteral("\n") + words::wrapText(devices)));
    {
        const QSignalBlocker quiet(m_orders);
        const bool explicitly = !now.mesh.deviceOrder.empty();
        const int methods = static_cast<int>(OrderMethod::T5x) + 1;
        m_orders->removeItem(methods);
        if (explicitly)
            m_orders->addItem(tr("Order: %1").arg(words::orderName(now.mesh)));
        m_orders->setCurrentIndex(explicitly ? methods : static_cast<int>(now.mesh.order.method));
    }
    const OrderSetting& order = now.mesh.order;
    const bool built = now.mesh.deviceOrder.empty();
    m_share->setVisible(
        built && (order.method == OrderMethod::CreateDeviceMesh || order.method == OrderMethod::Hybrid));
    m_share->setChecked(order.sharePhysicalAxes);
    const bool hybrid = order.method == OrderMethod::Hybrid;
    m_option->setVisible(built && (hybrid || order.method == OrderMethod::T5x));
    m_option->setAccessibleName(hybrid ? tr("Slices along axes") : tr("Model-parallel submesh"));
    m_option->setPlaceholderText(hybrid ? tr("slices along axes: as they fit") : tr("submesh: from the table"));
    m_option->setToolTip(hybrid ? tr("How many slices stand along each mesh axis, as data=2")
                                : tr("The part of the machine that one model takes: x, y, z, cores"));
    m_option->setText(optionText(order));

    const bool others = !m_places || !(m_places->set() == devices);
    if (others)
        m_places = std::make_shared<const DevicePlaces>(devices);
    const QString figure = words::counted(devices.count(), words::Noun::Device);
    if (figure != m_keyFigure) {
        m_keyFigure = figure;
        Q_EMIT keyFigureChanged();
    }
    if (others) {
        auto field = std::make_shared<const DeviceField>(machineField(*m_places));
        std::vector<std::int32_t> hosts(static_cast<std::size_t>(devices.count()), -1);
        for (std::int32_t id = 0; id < devices.count(); ++id)
            if (m_places->has(id))
                hosts[static_cast<std::size_t>(id)] = m_places->host(id);
        words::Text head{ { tr("Machine: "), words::Span::Style::Strong } };
        for (const words::Span& span : field->heading())
            head.push_back(span);
        m_machineHead->setText(std::move(head));
        m_machine->setField(std::move(field), std::move(hosts));
    }
    refreshMesh();
}

void TopologyView::refreshMesh()
{
    const Experiment& now = *m_document->experiment();
    // The newest analysis says why there is no mesh; an older one whose devices are these still shows where they stood.
    const SnapshotPtr newest = m_document->snapshot(), good = m_document->lastGood();
    const Problem* problem = nullptr;
    if (newest)
        for (const Problem& each : newest->problems)
            if (!problem && each.diagnostic.severity() == Severity::Error
                && each.diagnostic.where.pointer.starts_with("/mesh"))
                problem = &each;
    if (problem) {
        const words::ProblemText said = words::describe(problem->diagnostic);
        setMessage(text(problem->diagnostic.id()) + QLatin1Char(' ') + said.cause + QStringLiteral(". ") + said.remedy,
            problem->fixes);
    } else {
        setMessage({}, {});
    }
    const auto fits = [&](const SnapshotPtr& snapshot) {
        return snapshot && snapshot->mesh && snapshot->experiment->hardware.devices == now.hardware.devices;
    };
    const SnapshotPtr shown = fits(newest) ? newest : !problem && fits(good) ? good : nullptr;
    m_shownMesh = shown ? shown->mesh : nullptr;
    m_positions.assign(static_cast<std::size_t>(m_places->count()), -1);
    if (m_shownMesh) {
        auto field = std::make_shared<const DeviceField>(meshField(*m_shownMesh));
        std::vector<std::int32_t> hosts(static_cast<std::size_t>(m_places->count()), -1);
        for (std::int64_t position = 0; position < m_shownMesh->deviceCount(); ++position) {
            const std::int32_t device = m_shownMesh->deviceAt(position);
            if (!m_places->has(device))
                continue;
            m_positions[static_cast<std::size_t>(device)] = position;
            hosts[static_cast<std::size_t>(device)] = m_places->host(device);
        }
        words::Text head{ { tr("Mesh: "), words::Span::Style::Strong } };
        for (const words::Span& span : field->heading())
            head.push_back(span);
        m_meshHead->setText(std::move(head));
        m_meshMap->setField(std::move(field), std::move(hosts));
    } else {
        m_meshHead->setText({ { tr("Mesh"), words::Span::Style::Strong } });
        m_meshMap->setEmptyText(problem ? tr("There is no mesh yet: the message above says why, and what would work.")
                                        : tr("The experiment is being analysed."));
        m_meshMap->setField(nullptr, {});
    }
    const bool reasoned = shown && shown->orderReason;
    m_reason->setText(
        reasoned ? words::orderReason(shown->experiment->mesh, *shown->orderReason).join(QLatin1Char(' ')) : QString());
    m_reason->setVisible(reasoned);
    refreshChoices();
    refreshColours();
    refreshPath();
    showCurrent();
}

/// Axes of the mesh for colours and path; what was chosen stays by name.
void TopologyView::refreshChoices()
{
    const auto fill = [this](QComboBox* box, const std::optional<int>& chosen, auto&& addOthers, auto&& name) {
        const QSignalBlocker quiet(box);
        box->clear();
        if (m_shownMesh)
            for (std::size_t axis = 0; axis < m_shownMesh->rank(); ++axis)
                box->addItem(name(text(m_shownMesh->axis(axis).name)), static_cast<int>(axis));
        addOthers(box);
        int index = chosen ? box->findData(*chosen) : -1;
        if (index < 0) // the last axis: it communicates most
            index = m_shownMesh && m_shownMesh->rank() > 0 ? static_cast<int>(m_shownMesh->rank()) - 1 : 0;
        box->setCurrentIndex(index);
    };
    const QString tensor = m_selection->tensor();
    fill(
        m_colours, m_colour,
        [&](QComboBox* box) {
            if (m_shownMesh && !tensor.isEmpty())
                box->addItem(tr("Colour: shard of %1").arg(words::tensorName(tensor.toStdString())), byShard);
            box->addItem(tr("Colour: host"), byHost);
        },
        [](const QString& axis) { return tr("Colour: %1").arg(axis); });
    fill(
        m_paths, m_path, [](QComboBox* box) { box->addItem(tr("No path"), noPath); },
        [](const QString& axis) { return tr("Path along %1").arg(axis); });
}

void TopologyView::refreshColours()
{
    const Theme& theme = Theme::current();
    const int choice = m_colours->currentData().toInt();
    std::vector<QRgb> fills;
    if (m_shownMesh && choice >= 0 && choice < static_cast<int>(m_shownMesh->rank())) {
        fills = coloursAlongAxis(theme, *m_shownMesh, static_cast<std::size_t>(choice));
    } else if (m_shownMesh && choice == byShard) {
        const SnapshotPtr good = m_document->lastGood();
        const TensorRow* row = good ? good->row(m_selection->tensor().toStdString()) : nullptr;
        if (row && row->layout.mesh() == *m_shownMesh)
            fills = coloursByShard(theme, row->layout);
    }
    if (fills.empty())
        fills = coloursByHost(theme, *m_places);
    m_machine->setFills(fills);
    m_meshMap->setFills(std::move(fills));
    const std::int64_t shared = m_shownMesh && choice >= 0 && choice < static_cast<int>(m_shownMesh->rank())
        ? neighboursPerColour(m_shownMesh->size(static_cast<std::size_t>(choice)))
        : 1;
    m_colours->setToolTip(shared > 1 ? tr("One colour for every %1 neighbours along the axis").arg(words::count(shared))
                                     : tr("Both maps bear the same colours; dashed lines go around hosts"));
}

void TopologyView::refreshPath()
{
    const int axis = m_paths->currentData().toInt();
    FieldPath path;
    if (!m_shownMesh || axis < 0 || axis >= static_cast<int>(m_shownMesh->rank())) {
        m_pathText->setText(words::wrapText(m_places->set()));
        m_machine->setPath(path);
        m_meshMap->setPath(path);
        return;
    }
    constexpr std::int64_t mostOthers = 1024; // devices, beyond which single lines cannot be told apart
    const auto index = static_cast<std::size_t>(axis);
    const Mesh& mesh = *m_shownMesh;
    std::int64_t position = 0;
    if (!m_selection->devices().empty())
        position = positionOf(m_selection->devices().front()).value_or(0);
    path.axis = axis;
    path.devices = axisGroup(mesh, index, position);
    if (mesh.deviceCount() <= mostOthers)
        for (std::int64_t first = 0; first < mesh.deviceCount(); ++first)
            if (mesh.coordinate(first, index) == 0 && mesh.deviceAt(first) != path.devices.front())
                path.others.push_back(axisGroup(mesh, index, first));
    m_machine->setPath(std::move(path));
    m_meshMap->setPath({});
    const AxisSteps steps = axisSteps(mesh, *m_places, index);
    m_pathText->setText(words::axisSteps(text(mesh.axis(index).name), steps, m_places->slicesAreFast())
        + QLatin1Char(' ') + (m_places->set().hasChipGrid() ? words::wrapText(m_places->set()) : QString()));
}

std::optional<std::int64_t> TopologyView::positionOf(std::int32_t device) const
{
    if (device < 0 || static_cast<std::size_t>(device) >= m_positions.size()
        || m_positions[static_cast<std::size_t>(device)] < 0)
        return std::nullopt;
    return m_positions[static_cast<std::size_t>(device)];
}

QString TopologyView::describeDevice(std::int32_t device) const
{
    if (!m_places->has(device))
        return QStringLiteral("d%1").arg(device);
    QString said = placeText(*m_places, device);
    if (const auto position = positionOf(device); position && m_shownMesh && m_shownMesh->rank() > 0)
        said += QStringLiteral("; ") + meshPlaceText(*m_shownMesh, *position);
    return said;
}

void TopologyView::showCurrent()
{
    std::optional<std::int32_t> device = m_machine->currentDevice();
    if (!device)
        device = m_meshMap->currentDevice();
    const std::int64_t tile = std::max(m_machine->layoutOfCells().cellsPerTile(), std::int64_t{ 1 });
    m_caption->setText(device ? describeDevice(*device)
            : tile > 1        ? tr("A pixel is one of every %1 devices.").arg(words::count(tile))
                              : tr("Point at a device to see its place; click it to see its path."));
}

void TopologyView::resizeEvent(QResizeEvent*)
{
    // Beside each other where that makes both maps larger.
    m_maps->setDirection(width() >= height() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void TopologyView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) {
        if (m_places)
            refreshColours();
    }
    QWidget::changeEvent(event);
}

} // namespace shardscope
