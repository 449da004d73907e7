// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mesh_view/mesh_view.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/slow_links.h"
#include "experiment/edits.h"
#include "experiment/mesh_order.h"
#include "views/device_map/device_map.h"
#include "views/mesh_view/axis_row.h"
#include "views/preview/edit_gesture.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/chip.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/flat_button.h"
#include "views/widgets/fold_button.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/short_combo.h"
#include "views/widgets/size_slider.h"
#include "views/widgets/tip_strip.h"
#include "views/widgets/zoom_trail.h"
#include "words/device_list.h"
#include "words/things.h"
#include "words/topology_words.h"
#include "words/words.h"

namespace shardscope {

namespace {

QString rate(double bytesPerSecond)
{
    return MeshView::tr("%1 GB/s").arg(QLocale().toString(bytesPerSecond / 1e9, 'g', 3));
}

/// Rows of the choice of orders; the last one is there while a mesh builder is at work.
enum OrderChoice { rowMajorChoice, columnMajorChoice, fileChoice, builtChoice };

} // namespace

MeshView::MeshView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent)
    , m_ribbon(new StaleRibbon(document, this, StaleRibbon::Shows::Previews))
    , m_head(new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, this))
    , m_tick(new QLabel(this))
    , m_fixed(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, this))
    , m_keep(new QCheckBox(tr("Keep product"), this))
    , m_messageBox(new QWidget(this))
    , m_messageText(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::error, m_messageBox))
    , m_fit(new QPushButton(m_messageBox))
    , m_others(new QHBoxLayout)
    , m_axes(new QVBoxLayout)
    , m_idle(new FoldButton(QString(), this))
    , m_tip(new TipStrip(false, this))
    , m_map(new DeviceMap(selection, tr("Device map"), DeviceMap::Room::Flat, this))
    , m_trail(new ZoomTrail(this))
    , m_captionBox(new QWidget(this))
    , m_caption(new RoleLabel(RoleLabel::Size::Small, RoleLabel::Wrapped, &Theme::secondary, m_captionBox))
    , m_zoomOut(new QToolButton(m_captionBox))
    , m_zoomIn(new QToolButton(m_captionBox))
    , m_order(new ShortCombo(this))
    , m_hardware(new RoleLabel(RoleLabel::Size::Small, &Theme::secondary, this))
    , m_pin(new QToolButton(this))
    , m_gesture(new EditGesture(document, this))
{
    m_keep->setChecked(true);
    m_keep->setAccessibleName(tr("Keep the product of the axis sizes"));
    m_keep->setToolTip(tr("When one axis grows, another one shrinks, so that the number of devices stays"));
    m_fit->setProperty("small", true);
    m_fit->setToolTip(tr("Gives the hardware as many devices as the mesh needs"));

    m_fixed->setText(tr("The program has been partitioned already; this mesh explains which devices exchange."));
    m_fixed->setContentsMargins(8, 0, 8, 2);
    m_fixed->hide();
    m_head->setElided(true, Qt::ElideLeft); // the number of devices, which stands last, is never shortened
    auto* head = hbox({ 8, 6, 8, 2 }, styleSpacing, { m_head, m_tick, boxStretch(), m_keep });
    hbox(m_messageBox, { 8, 3, 8, 3 }, styleSpacing, { { m_messageText, 1 }, m_others, m_fit });
    m_messageBox->setAutoFillBackground(true);
    m_messageBox->hide();
    m_messageBox->installEventFilter(this);
    m_map->installEventFilter(this);

    m_caption->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    makeSmallFlat(m_zoomOut, QStringLiteral("zoomout"), tr("More devices in the device map (-)"));
    makeSmallFlat(m_zoomIn, QStringLiteral("zoomin"), tr("Larger devices in the device map (+)"));
    hbox(m_captionBox, { 8, 0, 8, 0 }, 2, { { m_caption, 1 }, m_zoomOut, m_zoomIn });

    m_axes->setContentsMargins(0, 0, 0, 0);
    m_axes->setSpacing(0);
    m_idle->setObjectName(QStringLiteral("idleAxes"));
    m_idle->setToolTip(tr("They shard nothing: their sizes are shown when this is unfolded"));
    m_idle->hide();

    auto* add = m_add = new QPushButton(icon(QStringLiteral("add")), tr("Axis"), this);
    add->setObjectName(QStringLiteral("addAxis"));
    add->setIconSize(QSize(Metrics::scaled(12), Metrics::scaled(12)));
    describe(add, tr("Add a mesh axis"), tr("Adds a mesh axis of size 1, and asks for its name"));
    describe(m_order, tr("Order of the devices"), tr("Which device stands at which coordinates of the mesh"));
    m_order->addItems({ tr("Row-major"), tr("Column-major"), tr("As in the file") });
    m_order->setShortText(fileChoice, tr("From the file"));
    m_pin->setCheckable(true);
    makeSmallFlat(m_pin, QStringLiteral("pin"), tr("Pin the hardware"));
    auto* foot = hbox({ 8, 2, 8, 6 }, styleSpacing, { add, { m_order, 1 }, m_hardware, m_pin });
    vbox(this, { 1, 0, 1, 1 }, 2,
        { m_ribbon, head, m_fixed, m_axes, hbox({ 4, 0, 8, 0 }, styleSpacing, { m_idle, boxStretch() }), m_tip,
            { m_map, 1 }, m_trail, m_captionBox, foot });
    setTabOrder(m_keep, m_fit);
    tabOrder({ m_tip->closeButton(), m_map, m_zoomOut, m_zoomIn, add });

    connect(m_trail, &ZoomTrail::chosen, m_map, &DeviceMap::zoomTo);
    connect(m_map, &DeviceMap::currentChanged, this, &MeshView::showCaption);
    connect(m_map, &DeviceMap::zoomChanged, this, &MeshView::showCaption, Qt::QueuedConnection);
    connect(m_zoomOut, &QToolButton::clicked, m_map, [this] { m_map->zoomOut(); });
    connect(m_zoomIn, &QToolButton::clicked, m_map, [this] { m_map->zoomIn(); });
    connect(add, &QPushButton::clicked, this, &MeshView::addAxis);
    connect(m_keep, &QCheckBox::toggled, this, &MeshView::refresh);
    connect(m_idle, &QToolButton::toggled, this, &MeshView::showIdle);
    connect(m_order, &QComboBox::activated, this, &MeshView::setOrder);
    connect(m_fit, &QPushButton::clicked, this,
        [this] { edit(withDevicesForMesh(*m_document->experiment()), tr("devices for the mesh")); });
    connect(m_pin, &QToolButton::clicked, this, [this](bool pinned) {
        edit(withHardwarePinned(*m_document->experiment(), pinned), pinned ? tr("pin hardware") : tr("unpin hardware"));
    });
    connect(document, &Document::replaced, this, [this] { m_isOther = true; });
    connect(document, &Document::experimentChanged, this, &MeshView::refresh);
    connect(document, &Document::snapshotChanged, this, &MeshView::refreshMap);
    connect(document, &Document::snapshotChanged, this, &MeshView::followProgram);
    connect(document, &Document::previewChanged, this, &MeshView::refreshMap);
    connect(selection, &Selection::changed, this, [this] {
        refreshMap();
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            m_rows[i]->chip()->setMarked(!axisName(i).isEmpty() && m_selection->meshAxis() == axisName(i));
    });
    refresh();
    refreshMap();
}

MeshView::~MeshView()
{
    // A map that loses the focus while the window closes speaks to nobody that is half gone.
    m_map->disconnect(this);
}

bool MeshView::keepsProduct() const
{
    return m_keep->isChecked() && m_document->experiment()->mesh.axes.size() > 1; // one axis has no other to shrink
}
void MeshView::showCaption()
{
    const bool zoomable = m_map->canZoomIn() || m_map->canZoomOut();
    m_captionBox->setVisible(zoomable);
    m_trail->setPlaces(m_map->trail());
    // What is said of all squares takes as many lines as it needs; they stay while the pointer goes from square to
    // square.
    const QString tile = m_map->tileText(), current = m_map->currentText();
    const QString count = m_map->array() ? words::shardCount(*m_map->array()) + QLatin1Char('.') : QString();
    const QString ofAll = !tile.isEmpty() ? tile + QLatin1Char(' ') + count
        : m_map->canZoomIn()              ? count + QLatin1Char(' ') + tr("Zoom in to read names.")
                                          : count;
    const QFontMetrics metrics(Metrics::small());
    const int room = width() - 2 * 8 - 2 * (m_zoomIn->sizeHint().width() + 2);
    const int line = metrics.lineSpacing(),
              needed = metrics.boundingRect(0, 0, room, 0, Qt::TextWordWrap, ofAll).height();
    const int least = tile.isEmpty() ? line : 2 * line;
    m_caption->setFixedHeight(std::max(std::clamp(needed, least, 4 * line) + 2, Metrics::scaled(20)));
    m_caption->setText(current.isEmpty() ? ofAll : current);
    m_caption->setToolTip(plainTip(m_caption->text())); // in a narrow window more than four lines
    m_zoomIn->setEnabled(m_map->canZoomIn());
    m_zoomOut->setEnabled(m_map->canZoomOut());
    // Room that nobody else needs is of use to a map that does not show all of its devices by name.
    setSizePolicy(QSizePolicy::Preferred, zoomable ? QSizePolicy::Expanding : QSizePolicy::Preferred);
}

QString MeshView::axisName(std::size_t axis) const
{
    const std::vector<MeshAxis>& axes = m_document->experiment()->mesh.axes;
    return axis < axes.size() ? QString::fromStdString(axes[axis].name) : QString();
}

void MeshView::makeRows(std::size_t count)
{
    if (m_rows.size() > count && m_mergeId != 0) { // the axis in the hand may be gone: nothing will let go of it
        m_mergeId = 0;
        m_before.reset();
        m_gesture->end();
    }
    while (m_rows.size() > count) {
        AxisRow* row = m_rows.back();
        m_rows.pop_back();
        m_axes->removeWidget(row);
        // Hiding takes the focus away, and an editor that loses it reports what it holds: for an axis that is gone.
        for (QObject* sender : std::initializer_list<QObject*>{ row, row->chip(), row->handle() })
            disconnect(sender, nullptr, this, nullptr);
        row->hide();
        row->deleteLater(); // it may be the one whose signal led here
    }
    while (m_rows.size() < count) {
        const std::size_t axis = m_rows.size();
        auto* row = new AxisRow(this);
        m_rows.push_back(row);
        m_axes->addWidget(row);
        // After the row before it, before the tip and the map.
        tabOrder({ axis == 0 ? static_cast<QWidget*>(m_fit) : m_rows[axis - 1]->spinBox(), row->chip(), row->slider(),
            row->spinBox(), m_idle, m_tip->closeButton() });
        connect(row, &AxisRow::sizeChosen, this,
            [this, axis](qint64 size, bool dragging) { setSize(axis, size, dragging); });
        connect(row, &AxisRow::sizeCancelled, this, &MeshView::cancelSize);
        giveContextMenu(row, [this, row, axis](QMenu& menu, std::optional<QPoint>) {
            fillMenu(menu, axis);
            return row->chip()->geometry();
        });
        connect(row->chip(), &AxisChip::clicked, this, [this, axis] {
            const QString name = axisName(axis);
            if (name.isEmpty())
                return;
            m_selection->setMeshAxis(m_selection->meshAxis() == name ? QString() : name);
        });
        connect(row->chip(), &AxisChip::renamed, this, [this, axis](const QString& name) {
            const Experiment& now = *m_document->experiment();
            if (axis < now.mesh.axes.size())
                edit(withAxisRenamed(now, axis, name.toStdString()),
                    QStringLiteral("%1 → %2").arg(axisName(axis), name));
        });
        connect(row->chip(), &AxisChip::removeRequested, this, [this, axis] {
            const Experiment& now = *m_document->experiment();
            if (axis < now.mesh.axes.size())
                edit(withAxisRemoved(now, axis), tr("remove axis %1").arg(axisName(axis)));
        });
        connect(row->chip(), &AxisChip::moveRequested, this, [this, axis](int step) {
            const std::size_t to = rowBeside(axis, step);
            moveAxis(axis, to);
            if (to < m_rows.size())
                m_rows[to]->chip()->setFocus();
        });
        connect(
            row->handle(), &DragHandle::dragged, this, [this, axis](const QPoint& at) { dragRow(axis, at, false); });
        connect(row->handle(), &DragHandle::dropped, this, [this, axis](const QPoint& at) { dragRow(axis, at, true); });
        connect(row->handle(), &DragHandle::cancelled, this, [this] {
            m_dropLine = -1;
            m_gesture->end();
            update();
        });
    }
}

QWidget* MeshView::usualControl() const
{
    const auto shown = std::find_if(m_rows.begin(), m_rows.end(), [](const AxisRow* row) { return !row->isHidden(); });
    return shown == m_rows.end() ? static_cast<QWidget*>(m_map) : (*shown)->chip();
}

/// Rows of axes of size 1; one that gets that size stays where it is until it is folded.
void MeshView::showIdle(bool shown)
{
    const std::vector<MeshAxis>& axes = m_document->experiment()->mesh.axes;
    for (std::size_t i = 0; i < std::min(axes.size(), m_rows.size()); ++i)
        if (axes[i].size == 1)
            m_rows[i]->setVisible(shown);
}

void MeshView::fillMenu(QMenu& menu, std::size_t axis)
{
    const QString name = axisName(axis);
    if (name.isEmpty())
        return;
    AxisChip* chip = m_rows[axis]->chip();
    const bool marked = m_selection->meshAxis() == name;
    addMenuAction(
        menu, "selectAxis", marked ? tr("Do not mark it any more") : tr("Mark what is sharded along it"),
        [chip] { Q_EMIT chip->clicked(); }, tr("Space"));
    if (!m_fixed->isHidden()) {
        addCopyAction(menu, "copyAxis", tr("Copy name"), name);
        return;
    }
    addMenuAction(
        menu, "renameAxis", tr("Rename"),
        [chip] { QTimer::singleShot(0, chip, &AxisChip::startRenaming); }, // the menu gives the focus back first
        QStringLiteral("F2"));
    addMenuAction(
        menu, "moveUp", tr("Move up"), [chip] { Q_EMIT chip->moveRequested(-1); }, tr("Alt+Up"))
        ->setEnabled(rowBeside(axis, -1) != axis);
    addMenuAction(
        menu, "moveDown", tr("Move down"), [chip] { Q_EMIT chip->moveRequested(1); }, tr("Alt+Down"))
        ->setEnabled(rowBeside(axis, 1) != axis);
    menu.addSeparator();
    addCopyAction(menu, "copyAxis", tr("Copy name"), name);
    addMenuAction(
        menu, "deleteAxis", tr("Delete"), [chip] { Q_EMIT chip->removeRequested(); }, tr("Delete"));
}

void MeshView::refresh()
{
    const Experiment& now = *m_document->experiment();
    const std::vector<MeshAxis>& axes = now.mesh.axes;
    QStringList folded; // an axis may stand in another row now
    for (const AxisRow* row : m_rows)
        if (row->isHidden())
            folded << row->chip()->name();
    makeRows(axes.size());
    const auto mesh = makeMesh(now.hardware.devices, now.mesh);
    const auto links = mesh ? std::optional<SlowLinks>(std::in_place, now.hardware.devices, *mesh) : std::nullopt;
    int chipWidth = Metrics::scaled(44);
    for (const MeshAxis& axis : axes)
        chipWidth =
            std::max(chipWidth, std::min(chipSize(QString::fromStdString(axis.name)).width(), Metrics::scaled(96)));
    const std::int32_t perHost = now.hardware.devices.devicesPerHost;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const bool crosses = links && links->cross(fullAxis(*mesh, i));
        const QString link =
            crosses ? tr("DCN", "link between hosts or slices") : tr("ICI", "link within a host or a slice");
        const double speed = crosses ? now.hardware.dcnBytesPerSecond : now.hardware.iciBytesPerSecond;
        AxisRow::Content content;
        content.name = QString::fromStdString(axes[i].name);
        content.axis = static_cast<int>(i);
        content.size = axes[i].size;
        // The ticks stay while one of them is dragged to, though the hardware follows.
        content.sizes = possibleAxisSizes(m_before && !keepsProduct() ? *m_before : now, i, keepsProduct());
        content.link = link + QLatin1Char(' ') + rate(speed);
        content.about = crosses
            ? tr("%1: along this axis devices lie on different hosts or slices").arg(content.link)
            : tr("%1: along this axis devices are linked within a host or a slice").arg(content.link);
        content.linkShort = link;
        content.marked = m_selection->meshAxis() == content.name;
        m_rows[i]->setContent(content);
        m_rows[i]->setChipWidth(chipWidth);
    }
    // Names like "context_autoregressive" and rows of size 1 would leave the others no room.
    constexpr std::ptrdiff_t fewIdle = 3;
    const auto idle = std::count_if(axes.begin(), axes.end(), [](const MeshAxis& axis) { return axis.size == 1; });
    const bool folds = idle > fewIdle, isOther = std::exchange(m_isOther, false);
    if (folds && (isOther || m_idle->isHidden()))
        m_idle->setChecked(!isOther); // those that become idle in somebody's hand stay
    for (std::size_t i = 0; i < axes.size(); ++i)
        m_rows[i]->setVisible(!folds || axes[i].size != 1 || m_idle->isChecked()
            || !(isOther || folded.contains(m_rows[i]->chip()->name())));
    m_idle->setText(tr("%1 axes of size 1").arg(words::count(static_cast<qint64>(idle))));
    m_idle->setAccessibleName(m_idle->text());
    m_idle->setVisible(folds);
    const std::int64_t product = productOf(axes), devices = now.hardware.devices.count();
    const QString count = product < 0 ? tr("too many devices") : words::counted(product, words::Noun::Device);
    m_head->setText(axes.empty() ? tr("No axes: 1 device")
            : axes.size() == 1   ? count
                                 : tr("%1 = %2").arg(words::meshNumbers(axes), count));
    m_tick->setPixmap(product == devices
            ? iconPixmap(QStringLiteral("ok"), Metrics::scaled(14), Theme::current().ok, devicePixelRatioF())
            : iconPixmap(QStringLiteral("error"), Metrics::scaled(14), Theme::current().error, devicePixelRatioF()));
    m_tick->setAccessibleName(product == devices ? tr("fits the hardware") : tr("does not fit the hardware"));
    followProgram();
    showMessage(nullptr);
    {
        const QSignalBlocker quiet(m_order);
        const bool built = now.mesh.deviceOrder.empty() && now.mesh.order.method != OrderMethod::RowMajor;
        m_order->removeItem(builtChoice);
        if (built) {
            QString name = words::orderName(now.mesh);
            m_order->insertItem(builtChoice, name);
            m_order->setShortText(builtChoice, name.remove(QStringLiteral("create_")));
        }
        int choice = built ? builtChoice : rowMajorChoice;
        if (mesh && !now.mesh.deviceOrder.empty())
            choice = now.mesh.deviceOrder == columnMajorOrder(*mesh) ? columnMajorChoice : fileChoice;
        m_order->setCurrentIndex(choice);
        m_order->updateGeometry(); // it follows what it says
    }
    m_hardware->setText(tr("%1 × %2 %3")
                            .arg(now.hardware.devices.hosts)
                            .arg(perHost)
                            .arg(QString::fromStdString(now.hardware.devices.kind)));
    m_hardware->setToolTip(plainTip(words::deviceFacts(now.hardware.devices)));
    m_pin->setChecked(now.hardware.pinned);
    m_pin->setToolTip(now.hardware.pinned ? tr("The hardware stays when the mesh changes. Unpin it to let it follow")
                                          : tr("The hardware follows the mesh. Pin it to keep it"));
    setKeyFigure(words::meshNumbers(axes));
}

/// Where a program has been partitioned already there is no mesh to be edited, one to be looked at alone.
void MeshView::followProgram()
{
    const SnapshotPtr snapshot = m_document->snapshot();
    const bool isFixed = snapshot && snapshot->isPartitioned();
    m_fixed->setVisible(isFixed);
    m_keep->setVisible(!isFixed && m_rows.size() > 1);
    for (QWidget* control : std::initializer_list<QWidget*>{ m_add, m_order, m_pin })
        control->setVisible(!isFixed);
    for (AxisRow* row : m_rows)
        for (QWidget* control : std::initializer_list<QWidget*>{ row->slider(), row->spinBox(), row->handle() })
            control->setEnabled(!isFixed);
}

void MeshView::refreshMap()
{
    const SnapshotPtr preview = m_document->preview(), snapshot = preview ? preview : m_document->lastGood();
    if (!snapshot) {
        // Nothing was solved yet: the mesh alone can be drawn if it is one.
        const Experiment& now = *m_document->experiment();
        auto mesh = makeMesh(now.hardware.devices, now.mesh);
        m_map->setMesh(
            mesh ? std::make_shared<const Mesh>(std::move(*mesh)) : nullptr, now.hardware.devices, std::nullopt);
        return;
    }
    const TensorRow* row = snapshot->row(m_selection->tensor().toStdString());
    m_map->setMesh(snapshot->mesh, snapshot->experiment->hardware.devices,
        row ? std::optional<Layout>(row->layout) : std::nullopt);
}

void MeshView::setOrder(int choice)
{
    const Experiment& now = *m_document->experiment();
    const auto mesh = Mesh::create(now.mesh.axes);
    if (!mesh || choice == fileChoice || choice == builtChoice) {
        refresh();
        return;
    }
    if (choice == rowMajorChoice)
        edit(withOrder(now, {}), tr("row-major device order"));
    else
        edit(withDeviceOrder(now, columnMajorOrder(*mesh)), tr("column-major device order"));
}

} // namespace shardscope
