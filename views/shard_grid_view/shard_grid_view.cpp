// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/shard_grid_view/shard_grid_view.h"

#include <QClipboard>
#include <QFrame>
#include <QGridLayout>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QToolButton>

#include "partition/manual_values.h"
#include "program/name_values.h"
#include "sharding/text.h"
#include "views/panel/obstacle.h"
#include "views/panel/panel.h"
#include "views/shard_grid_view/grid_tray.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/span_line.h"
#include "views/widgets/zoom_trail.h"
#include "words/memory_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

/// Names longer than this give way to the sizes beside them.
constexpr qsizetype longestName = 18;

QString shortened(const QString& name)
{
    const qsizetype side = (longestName - 1) / 2;
    return name.size() <= longestName ? name : name.left(side) + QChar(0x2026) + name.right(side);
}

/// "f32[embed 1024, hidden 1024@model]" with the sharded sizes in their axis' colour.
words::Text arrayText(const TensorRow& row, bool full)
{
    using Style = words::Span::Style;
    words::Text text{ { words::fromStd(name(row.type.dtype)) + QLatin1Char('['), Style::Code, -1 } };
    for (std::size_t d = 0; d < row.type.shape.size(); ++d) {
        QString lead = d == 0 ? QString() : QStringLiteral(", ");
        if (d < row.dimNames.size() && !row.dimNames[d].empty()) {
            const QString name = words::fromStd(row.dimNames[d]);
            lead += (full ? name : shortened(name)) + QLatin1Char(' ');
        }
        const AxisList& axes = row.layout.sharding().dims[d].axes;
        const QString size = QString::number(row.type.shape[d]);
        if (axes.empty()) {
            text.push_back({ lead + size, Style::Code, -1 });
            continue;
        }
        text.push_back({ lead, Style::Code, -1 });
        QString before = size + QLatin1Char('@');
        for (const AxisRef& ref : axes) {
            text.push_back(
                { before + QString::fromStdString(toString(row.layout.mesh(), ref)), Style::Axis, ref.axis });
            before = QStringLiteral(",");
        }
    }
    text.push_back({ QStringLiteral("]"), Style::Code, -1 });
    return text;
}

} // namespace

ShardGridView::ShardGridView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent)
    , m_ribbon(new StaleRibbon(document, this, StaleRibbon::Shows::Previews))
    , m_array(new SpanLine(this))
    , m_spec(new SpanLine(this))
    , m_total(new RoleLabel(RoleLabel::Size::Normal, &Theme::secondary, this))
    , m_perDevice(new RoleLabel(RoleLabel::Size::Semibold, &Theme::text, this))
    , m_notice(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Elided, &Theme::error, this))
    , m_partial(new QToolButton(this))
    , m_canvas(new GridCanvas(selection, this))
    , m_empty(new EmptyPage(QString(), QString(), this))
    , m_tray(new GridTray(m_canvas, this))
    , m_trail(new ZoomTrail(this))
    , m_head(new QWidget(this))
{
    m_partial->setText(tr("Before the sum"));
    m_partial->setCheckable(true);
    describe(m_partial, tr("Show the array before its partial values are added up"),
        tr("What the devices hold before the all-reduce: partial values that still have to be added up"));
    m_array->setBaseFont(Metrics::fixed());
    m_spec->setBaseFont(Metrics::fixed());
    m_spec->setMuted(true);
    m_array->setAccessibleName(tr("Array"));
    m_spec->setAccessibleName(tr("Partition spec and local shape"));
    for (RoleLabel* label : { m_total, m_perDevice })
        label->setAlignment(Qt::AlignRight | Qt::AlignVCenter);

    auto* head = new QGridLayout;
    head->setContentsMargins(8, 6, 8, 0);
    head->setVerticalSpacing(2);
    head->addWidget(m_array, 0, 0);
    head->addWidget(m_total, 0, 1);
    head->addWidget(m_spec, 1, 0);
    head->addWidget(m_perDevice, 1, 1);
    head->addWidget(m_notice, 2, 0, 1, 2);
    head->setColumnStretch(0, 1);

    m_tray->addControl(m_partial);
    auto* line = new QFrame(this);
    line->setFrameShape(QFrame::HLine);
    line->setForegroundRole(QPalette::Mid);
    line->setFixedHeight(1);

    vbox(m_head, {}, 0, { head, m_tray, line });
    vbox(this, { 1, 0, 1, 1 }, 0, { m_ribbon, m_head, { m_canvas, 1 }, m_trail, { m_empty, 1 } });
    m_empty->setBackgroundRole(QPalette::Base); // as the picture that it stands for
    m_empty->setAutoFillBackground(true);
    connect(m_empty, &EmptyPage::clicked, this, [this] {
        const SnapshotPtr snapshot = m_document->lastGood();
        if (snapshot && !snapshot->tensors.empty())
            m_selection->setTensor(QString::fromStdString(snapshot->tensors.front().path));
    });
    setFocusProxy(m_canvas);

    connect(m_canvas, &GridCanvas::zoomChanged, this, [this] { m_trail->setPlaces(m_canvas->trail()); });
    connect(m_trail, &ZoomTrail::chosen, m_canvas, &GridCanvas::zoomTo);
    m_partial->setObjectName(QStringLiteral("beforeTheSum"));
    connect(m_partial, &QToolButton::toggled, this, &ShardGridView::refresh);
    connect(document, &Document::snapshotChanged, this, &ShardGridView::refresh);
    connect(document, &Document::previewChanged, this, &ShardGridView::refresh);
    connect(selection, &Selection::changed, this, [this] {
        if (m_selection->tensor() != m_shown)
            refresh();
    });
    giveContextMenu(m_canvas, [this](QMenu& menu, std::optional<QPoint> place) { return fillMenu(menu, place); });
    refresh();
}

std::optional<QRect> ShardGridView::fillMenu(QMenu& menu, std::optional<QPoint> place)
{
    if (!m_canvas->subject())
        return std::nullopt;
    const std::optional<GridCell> cell = place ? m_canvas->grid().cellAt(*place) : m_canvas->currentCell();
    const int row = place ? m_canvas->tableRowAt(*place) : m_canvas->tableCurrentRow();
    const int column = place ? m_canvas->tableColumnAt(*place) : m_canvas->tableCurrentColumn();
    if (cell && row >= 0 && column >= 0) {
        m_canvas->setCurrentCell(cell);
        addMenuAction(
            menu, "selectDevices", tr("Select the devices that hold it"),
            [this, row, column] { m_canvas->tableActivateCell(row, column); }, tr("Space"));
        addCopyAction(menu, "copyCell", tr("Copy what is said of it"),
            QStringList{ m_canvas->tableText(row, column), m_canvas->tableDescription(row, column) }.join(
                QStringLiteral(", ")));
    }
    addMenuAction(menu, "copyGrid", tr("Copy the grid as text"), [this] {
        if (m_canvas->subject())
            QGuiApplication::clipboard()->setText(gridText(m_canvas->subject()->layout));
    });
    menu.addSeparator();
    addMenuAction(
        menu, "zoomIn", tr("Zoom in"), [this, cell] { m_canvas->zoomIn(cell); }, QStringLiteral("+"))
        ->setEnabled(m_canvas->canZoomIn());
    addMenuAction(
        menu, "zoomOut", tr("Zoom out"), [this] { m_canvas->zoomOut(); }, QStringLiteral("-"))
        ->setEnabled(m_canvas->canZoomOut());
    menu.addSeparator();
    addMenuAction(
        menu, "explain", tr("Explain the array"), [this] { Q_EMIT dockRequested(QStringLiteral("explain")); });
    addMenuAction(
        menu, "whatif", tr("Try another sharding"), [this] { Q_EMIT dockRequested(QStringLiteral("whatif")); });
    return cell && row >= 0 && column >= 0 ? m_canvas->tableCellRect(row, column) : m_canvas->rect();
}

/// As jax.debug.visualize_array_sharding prints it.
QString ShardGridView::gridText(const Layout& layout) const
{
    GridTextOptions options;
    if (const SnapshotPtr snapshot = pictured())
        options.platform =
            QString::fromStdString(snapshot->experiment->hardware.devices.platform).toUpper().toStdString();
    QStringList lines;
    for (const std::string& line : toGridText(layout, options))
        lines << QString::fromStdString(line);
    return lines.join(QLatin1Char('\n'));
}

SnapshotPtr ShardGridView::pictured() const
{
    const SnapshotPtr preview = m_document->preview();
    return preview ? preview : m_document->lastGood();
}

void ShardGridView::refresh()
{
    const SnapshotPtr snapshot = pictured();
    const TensorRow* row = snapshot ? snapshot->row(m_selection->tensor().toStdString()) : nullptr;
    const bool any = row != nullptr;
    m_partial->setVisible(any && !row->partialBefore.empty());
    m_head->setVisible(any);
    if (any) {
        showRow(*row);
    } else {
        m_array->setText({});
        m_spec->setText({});
        m_total->clear();
        m_perDevice->clear();
        m_shown.clear();
        m_canvas->setSubject(std::nullopt);
        showEmpty();
    }
    // Nothing is said while the first analysis runs, and the canvas keeps the focus.
    const bool waits = !any && !m_document->lastGood() && !obstacleOf(*m_document);
    m_canvas->setVisible(any || waits);
    m_empty->setVisible(!any && !waits);
    setKeyFigure(any ? words::tensorName(row->path) : QString());
}

void ShardGridView::showEmpty()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const bool some = snapshot && !snapshot->tensors.empty();
    const std::optional<Obstacle> obstacle = some ? std::nullopt : obstacleOf(*m_document);
    const bool isPartitioned = snapshot && snapshot->isPartitioned();
    const QString selected = m_selection->tensor();
    const bool isManual = snapshot && snapshot->program && !selected.isEmpty()
        && ManualValues(*snapshot->program).of(valueNamed(*snapshot->program, selected.toStdString()));
    m_empty->setSentence(isManual
            ? tr(
                "%1 is in the body of a manual computation: every device has an array of its own. The explanation says "
                "along which axes they differ.")
                  .arg(words::tensorName(selected.toStdString()))
            : isPartitioned && !m_selection->tensor().isEmpty()
            ? tr("This program has been partitioned already, and its text does not say of what array this is a part.")
            : isPartitioned && !some
            ? tr("This program has been partitioned already, and its text does not say of what arrays its values are "
                 "parts.")
            : some     ? tr("Choose a tensor to see how the devices hold it.")
            : obstacle ? obstacle->layoutText()
                       : tr("The experiment is being analysed."));
    m_empty->setButton(some ? tr("Show the first one") : QString());
}

void ShardGridView::showRow(const TensorRow& row)
{
    const SnapshotPtr snapshot = pictured();
    const Mesh& mesh = row.layout.mesh();
    GridSubject subject{ row.layout, row.dimNames, byteSize(row.type.dtype),
        snapshot->experiment->hardware.devices.devicesPerHost,
        std::make_shared<const DevicePlaces>(snapshot->experiment->hardware.devices) };
    const bool partial = m_partial->isChecked() && !row.partialBefore.empty();
    if (partial)
        subject.layout = row.layoutBefore;
    m_array->setText(arrayText(row, false));
    m_array->setToolTip(plainTip(words::plain(arrayText(row, true))));
    m_array->setAccessibleDescription(words::plain(arrayText(row, true)));
    const Layout& shown = subject.layout;
    QString spec = QStringLiteral("%1 → %2").arg(
        QString::fromStdString(toColumn(partial ? toPartitionSpec(shown.sharding(), mesh) : row.spec)),
        words::shape(shown.shardShape()));
    m_total->setText(tr("%1 in all").arg(words::bytes(static_cast<double>(row.bytesInAll))));
    m_perDevice->setText(
        tr("%1 per device")
            .arg(words::bytes(static_cast<double>(TensorType{ row.type.dtype, shown.shardShape() }.byteCount()))));
    if (partial) {
        QStringList axes;
        for (const AxisRef& ref : row.partialBefore)
            axes << QString::fromStdString(toString(mesh, ref));
        spec = tr("%1, partial over %2").arg(spec, axes.join(QStringLiteral(", ")));
    }
    if (row.memoryKind)
        spec = tr("%1, %2", "spec, memory").arg(spec, words::memoryPlace(*row.memoryKind));
    m_spec->setText({ { spec, words::Span::Style::Code, -1 } });
    m_notice->setVisible(row.indivisible);
    if (row.indivisible)
        m_notice->setText(
            tr("Does not divide, no step can run: %1.").arg(words::padding(row).join(QStringLiteral("; "))));
    m_canvas->setSubject(std::move(subject));
    const QString path = QString::fromStdString(row.path);
    if (path != m_shown) {
        m_shown = path;
        m_canvas->setCurrentCell(std::nullopt);
        m_canvas->setChoice(GridLayout::defaultChoice(row.layout));
    }
    m_tray->follow();
}

void ShardGridView::keyPressEvent(QKeyEvent* event)
{
    if (!m_tray->chooseByKey(event->key(), event->modifiers()))
        QWidget::keyPressEvent(event);
}

} // namespace shardscope
