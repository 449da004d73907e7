// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/topology_view/topology_view.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QEvent>
#include <QSignalBlocker>
#include <QToolButton>
#include <utility>

#include "base/codes.h"
#include "mesh/axis_path.h"
#include "mesh/submesh_failure.h"
#include "sharding/text.h"
#include "views/device_map/device_colours.h"
#include "views/device_map/device_map.h"
#include "views/theme/theme.h"
#include "views/topology_view/device_controls.h"
#include "views/widgets/boxes.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/span_line.h"
#include "views/widgets/zoom_trail.h"
#include "words/device_list.h"
#include "words/topology_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr auto byShard = -1, byHost = -2, noPath = -1; ///< in place of a mesh axis

/// "Mesh: model across, data down", shorter where there is no room for that.
void setHead(SpanLine* line, const QString& name, const DeviceField& field)
{
    const auto head = [&](bool brief) {
        words::Text text{ { name, words::Span::Style::Strong } };
        for (const words::Span& span : field.heading(brief))
            text.push_back(span);
        return text;
    };
    line->setText(head(false), head(true));
}

} // namespace

TopologyView::TopologyView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_controls(new DeviceControls(document, this))
    , m_reason(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::text, this))
    , m_colours(new QComboBox(this))
    , m_paths(new QComboBox(this))
    , m_pathText(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_maps(new QBoxLayout(QBoxLayout::LeftToRight))
    , m_machineSide{ new SpanLine(this), new QToolButton(this), new QToolButton(this), new ZoomTrail(this),
        new DeviceMap(selection, tr("Machine"), DeviceMap::Room::Square, this) }
    , m_meshSide{ new SpanLine(this), new QToolButton(this), new QToolButton(this), new ZoomTrail(this),
        new DeviceMap(selection, tr("Mesh"), DeviceMap::Room::Square, this) }
    , m_machine(m_machineSide.map)
    , m_meshMap(m_meshSide.map)
    , m_caption(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this))
{
    m_colours->setAccessibleName(tr("What colours tell"));
    describe(m_paths, tr("Mesh axis drawn as a path"), tr("Draws the way along that mesh axis over the machine"));
    m_caption->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    // As wide as usual entries; names of arrays are shortened here, not in the list that opens.
    for (QComboBox* box : { m_colours, m_paths }) {
        fitBox(box, 18);
        box->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    }
    m_maps->setSpacing(8);
    addSide(m_machineSide);
    addSide(m_meshSide);

    auto* shown = hbox({}, 8, { m_colours, m_paths, boxStretch() });
    auto* inner = vbox({ 8, 6, 8, 4 }, 4, { m_controls, m_reason, shown, m_pathText, { m_maps, 1 }, m_caption });
    vbox(this, {}, 0, { new StaleRibbon(document), { inner, 1 } });
    setFocusProxy(m_controls);

    for (DeviceMap* map : { m_machine, m_meshMap }) {
        map->setDescription([this](std::int32_t device) { return describeDevice(device); });
        map->setHolding([this](std::int32_t device) { return holdingOf(device); });
        connect(map, &DeviceMap::currentChanged, this, &TopologyView::showCurrent);
    }
    connect(m_colours, &QComboBox::activated, this, [this] {
        m_colour = m_colours->currentData().toInt();
        refreshColours();
        showCurrent(); // tiles have other colours
    });
    connect(m_paths, &QComboBox::activated, this, [this] {
        m_path = m_paths->currentData().toInt();
        if (const std::optional<std::size_t> axis = axisIn(m_paths))
            m_selection->setMeshAxis(words::fromStd(m_shownMesh->axis(*axis).name));
        refreshPath();
    });
    connect(document, &Document::experimentChanged, this, &TopologyView::refresh);
    connect(document, &Document::snapshotChanged, this, &TopologyView::refreshMesh);
    connect(selection, &Selection::changed, this, [this] {
        if (const auto axis =
                m_shownMesh ? m_shownMesh->axisIndex(m_selection->meshAxis().toStdString()) : std::nullopt)
            m_path = static_cast<int>(*axis);
        refreshChoices();
        refreshColours();
        refreshPath();
    });
    refresh();
    refreshMesh();
}

TopologyView::~TopologyView()
{
    // A map that loses the focus while the window closes speaks to nobody that is half gone.
    for (DeviceMap* map : { m_machine, m_meshMap })
        map->disconnect(this);
}

void TopologyView::addSide(const Side& side)
{
    side.head->setBaseFont(Metrics::small());
    side.head->setMuted(true);
    const QString name = side.map->accessibleName();
    makeSmallFlat(side.zoomOut, QStringLiteral("zoomout"), tr("%1: more devices (-)").arg(name));
    makeSmallFlat(side.zoomIn, QStringLiteral("zoomin"), tr("%1: larger devices (+)").arg(name));
    auto* top = hbox({}, 2, { { side.head, 1 }, side.zoomOut, side.zoomIn });
    m_maps->addLayout(vbox({}, 0, { top, side.trail, { side.map, 1 } }), 1);
    const auto refreshZoom = [this, side] {
        side.zoomOut->setEnabled(side.map->canZoomOut());
        side.zoomIn->setEnabled(side.map->canZoomIn());
        side.trail->setPlaces(side.map->trail());
        if (m_places)
            showCurrent();
    };
    connect(side.zoomOut, &QToolButton::clicked, side.map, [map = side.map] { map->zoomOut(); });
    connect(side.zoomIn, &QToolButton::clicked, side.map, [map = side.map] { map->zoomIn(); });
    connect(side.trail, &ZoomTrail::chosen, side.map, &DeviceMap::zoomTo);
    // A trail that appears takes room from the map, which says so again: at the end of what is going on.
    connect(side.map, &DeviceMap::zoomChanged, this, refreshZoom, Qt::QueuedConnection);
    refreshZoom();
}
void TopologyView::refresh()
{
    const DeviceSet& devices = m_document->experiment()->hardware.devices;
    const bool others = !m_places || !(m_places->set() == devices);
    if (others)
        m_places = std::make_shared<const DevicePlaces>(devices);
    setKeyFigure(words::counted(devices.count(), words::Noun::Device));
    if (others) {
        auto field = std::make_shared<const DeviceField>(machineField(*m_places));
        setHead(m_machineSide.head, tr("Machine: "), *field);
        m_machine->setField(std::move(field), hostsOf(*m_places));
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
    // Sizes that do not fit the devices are the mesh's: they are said beside it.
    const bool ofSizes = problem && problem->diagnostic.code == Code::DevicesMismatch;
    m_controls->showProblem(ofSizes ? nullptr : problem);
    const auto fits = [&](const SnapshotPtr& snapshot) {
        return snapshot && snapshot->mesh && snapshot->experiment->hardware.devices == now.hardware.devices;
    };
    const QString failure = markFailure(problem);
    const SnapshotPtr shown = fits(newest) ? newest : !problem && fits(good) ? good : nullptr;
    m_shownMesh = shown ? shown->mesh : nullptr;
    m_positions.assign(static_cast<std::size_t>(m_places->count()), -1);
    if (m_shownMesh) {
        auto field = std::make_shared<const DeviceField>(meshField(m_shownMesh));
        for (std::int64_t position = 0; position < m_shownMesh->deviceCount(); ++position)
            if (const std::int32_t device = m_shownMesh->deviceAt(position); m_places->has(device))
                m_positions[static_cast<std::size_t>(device)] = position;
        setHead(m_meshSide.head, tr("Mesh: "), *field);
        m_meshMap->setField(std::move(field), hostsOf(*m_places));
    } else {
        m_meshSide.head->setText({ { tr("Mesh"), words::Span::Style::Strong } });
        m_meshMap->setEmptyText(!failure.isEmpty() ? failure
                : ofSizes                          ? tr("The mesh does not fit these devices: Mesh says why.")
                : problem ? tr("There is no mesh yet: the message above says why, and what would work.")
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

QString TopologyView::markFailure(const Problem* problem)
{
    std::vector<MapRegion> regions;
    QStringList stated;
    if (problem) {
        // The submesh that was tried: chosen, or that of T5X's table.
        const std::vector<std::int64_t> sizes = [&] {
            const auto read = parseShape(problem->diagnostic.text("submesh"));
            return read ? std::vector<std::int64_t>(read->begin(), read->end()) : std::vector<std::int64_t>();
        }();
        if (const auto failure =
                submeshFailure(m_places->set(), HardwareMesh(sizes.begin(), sizes.end()), problem->diagnostic.code)) {
            regions.push_back({ MapRegion::Kind::Asked, failure->first });
            stated << tr("There is no mesh yet. In the machine the frame is the submesh, as far as it goes.");
            for (const SubmeshFailure::Part& part : failure->parts) {
                if (!part.devices.empty())
                    regions.push_back({ MapRegion::Kind::Wrong, part.devices });
                stated << words::submeshFailureText(*failure, part);
            }
        }
    }
    m_machine->setRegions(std::move(regions));
    return stated.join(QLatin1Char('\n'));
}

/// Axes of the mesh for colours and path; what was chosen stays by name.
void TopologyView::refreshChoices()
{
    const auto fill = [this](QComboBox* box, const std::optional<int>& chosen, auto&& addOthers, auto&& name) {
        const QSignalBlocker quiet(box);
        box->clear();
        if (m_shownMesh)
            for (std::size_t axis = 0; axis < m_shownMesh->rank(); ++axis)
                box->addItem(name(words::fromStd(m_shownMesh->axis(axis).name)), static_cast<int>(axis));
        addOthers(box);
        int index = chosen ? box->findData(*chosen) : -1;
        if (index < 0) // the last axis: it communicates most
            index = m_shownMesh && m_shownMesh->rank() > 0 ? static_cast<int>(m_shownMesh->rank()) - 1 : 0;
        box->setCurrentIndex(index);
        box->view()->setMinimumWidth(box->view()->sizeHintForColumn(0) + Metrics::scaled(16));
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

std::optional<std::size_t> TopologyView::axisIn(const QComboBox* box) const
{
    const int axis = box->currentData().toInt();
    return m_shownMesh && axis >= 0 && axis < static_cast<int>(m_shownMesh->rank())
        ? std::optional(static_cast<std::size_t>(axis))
        : std::nullopt;
}

void TopologyView::refreshColours()
{
    const Theme& theme = Theme::current();
    const std::optional<std::size_t> axis = axisIn(m_colours);
    DeviceFills fills;
    if (axis) {
        fills = fillsAlongAxis(theme, *m_shownMesh, *axis);
    } else if (m_shownMesh && m_colours->currentData() == byShard) {
        if (const TensorRow* row = shownTensor())
            fills = fillsByShard(theme, row->layout);
    }
    if (fills.colours.empty())
        fills = fillsByHost(theme, *m_places);
    m_machine->setFills(fills);
    m_meshMap->setFills(std::move(fills));
    for (DeviceMap* map : { m_machine, m_meshMap })
        map->holdingChanged();
    const std::int64_t shared = axis ? neighboursPerGroup(m_shownMesh->size(*axis)) : 1;
    m_colours->setToolTip(shared > 1 ? tr("One colour for every %1 neighbours along the axis").arg(words::count(shared))
                                     : tr("Both maps bear the same colours; dashed lines go around hosts"));
}

void TopologyView::refreshPath()
{
    const std::optional<std::size_t> axis = axisIn(m_paths);
    m_pathText->setText(axis ? words::axisSteps(words::fromStd(m_shownMesh->axis(*axis).name),
                            axisSteps(*m_shownMesh, *m_places, *axis), m_places->slicesAreFast())
                             : words::wrapText(m_places->set()));
    showCurrent();
}

/// Through the group of the device that is pointed at, or else selected, or else the first one.
void TopologyView::showPath()
{
    MapPath path;
    if (const std::optional<std::size_t> axis = axisIn(m_paths)) {
        std::optional<std::int64_t> position;
        if (const std::optional<std::int32_t> device = currentDevice())
            position = positionOf(*device);
        if (!position && !m_selection->devices().empty())
            position = positionOf(m_selection->devices().front());
        path.axis = static_cast<int>(*axis);
        path.devices = axisGroup(*m_shownMesh, *axis, position.value_or(0));
    }
    m_machine->setPath(std::move(path));
}

std::optional<std::int32_t> TopologyView::currentDevice() const
{
    const std::optional<std::int32_t> device = m_machine->currentDevice();
    return device ? device : m_meshMap->currentDevice();
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
    QString stated = placeText(*m_places, device);
    if (const auto position = positionOf(device); position && m_shownMesh && m_shownMesh->rank() > 0)
        stated += QStringLiteral("; ") + meshPlaceText(*m_shownMesh, *position);
    return stated;
}

const TensorRow* TopologyView::shownTensor() const
{
    SnapshotPtr good = m_document->lastGood();
    if (!good || !m_shownMesh)
        return nullptr;
    // Paths are compared one by one, and meshes device by device.
    if (m_foundRow.snapshot != good || m_foundRow.mesh != m_shownMesh || m_foundRow.tensor != m_selection->tensor()) {
        const TensorRow* row = good->row(m_selection->tensor().toStdString());
        if (row && !(row->layout.mesh() == *m_shownMesh))
            row = nullptr;
        m_foundRow = { std::move(good), m_shownMesh, m_selection->tensor(), row };
    }
    return m_foundRow.row;
}

QStringList TopologyView::holdingOf(std::int32_t device) const
{
    const std::optional<std::int64_t> position = positionOf(device);
    if (!position || !m_shownMesh)
        return {};
    QStringList lines;
    if (m_shownMesh->rank() > 0)
        lines << meshPlaceText(*m_shownMesh, *position);
    const TensorRow* row = shownTensor();
    if (!row)
        return lines;
    const std::vector<IndexRange> ranges = row->layout.rangesAt(*position);
    constexpr qsizetype maxLines = 5;
    for (std::size_t dim = 0; dim < ranges.size() && lines.size() < maxLines; ++dim) {
        if (row->layout.shardGrid()[dim] == 1)
            continue;
        const QString name = dim < row->dimNames.size() && !row->dimNames[dim].empty()
            ? words::fromStd(row->dimNames[dim])
            : tr("dimension %1").arg(dim);
        lines << name + QLatin1Char(' ')
                + (ranges[dim].size() > 0 ? words::range(ranges[dim].begin, ranges[dim].end) : tr("padding only"));
    }
    if (row->layout.distinctShards() == 1)
        lines << tr("all of it");
    lines << words::bytes(static_cast<double>(row->bytesPerDevice));
    return lines;
}

/// "16,384 devices, 16 different shards. 1,024 groups of 16 devices along model."
QString TopologyView::counts() const
{
    const TensorRow* row = shownTensor();
    QString stated =
        row ? words::shardCount(row->layout) : words::counted(m_places->set().count(), words::Noun::Device);
    stated += QLatin1Char('.');
    const std::optional<std::size_t> axis = axisIn(m_paths);
    if (!axis)
        return stated;
    const std::int64_t size = m_shownMesh->size(*axis);
    const std::int64_t groups = m_shownMesh->deviceCount() / size;
    const QString devices = words::counted(size, words::Noun::Device);
    const QString name = words::fromStd(m_shownMesh->axis(*axis).name);
    return stated + QLatin1Char(' ')
        + (groups == 1
                ? tr("1 group of %1 along %2.", "devices, axis").arg(devices, name)
                : tr("%1 groups of %2 along %3.", "number, devices, axis").arg(words::count(groups), devices, name));
}

void TopologyView::showCurrent()
{
    showPath();
    // As many lines for what is pointed at as for all: the maps stay where they are.
    const QString machine = m_machine->tileText(), mesh = m_meshMap->tileText();
    const int lines = machine.isEmpty() && mesh.isEmpty() ? 1 : 2;
    m_caption->setFixedHeight(lines * QFontMetrics(Metrics::small()).lineSpacing() + 2);
    for (const DeviceMap* map : { m_machine, m_meshMap })
        if (const QString stated = map->currentText(); !stated.isEmpty()) {
            m_caption->setText(stated);
            return;
        }
    QStringList stated{ counts() };
    if (!machine.isEmpty())
        stated << tr("Machine: %1", "Each tile is 64 devices: x 8 × y 8.").arg(machine);
    if (!mesh.isEmpty())
        stated << tr("Mesh: %1", "Each tile is 64 devices: data 64.").arg(mesh);
    m_caption->setText(stated.join(QLatin1Char(' ')));
}

void TopologyView::resizeEvent(QResizeEvent*)
{
    // Beside each other where that makes both maps larger.
    m_maps->setDirection(width() >= height() ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    if (m_places)
        showCurrent();
}

void TopologyView::changeEvent(QEvent* event)
{
    if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) && m_places)
        refreshColours();
    QWidget::changeEvent(event);
}

} // namespace shardscope
