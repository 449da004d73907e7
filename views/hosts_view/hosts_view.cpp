// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/hosts_view/hosts_view.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <QStyledItemDelegate>
#include <QTableView>
#include <algorithm>
#include <array>
#include <vector>

#include "experiment/t5x_rules.h"
#include "sharding/text.h"
#include "views/panel/panel.h"
#include "views/theme/theme.h"
#include "views/widgets/boxes.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/row_table.h"
#include "words/dialects.h"
#include "words/topology_words.h"
#include "words/words.h"

namespace shardscope {

namespace {
constexpr QChar joiner(0x2060); ///< where no line may be broken

/// Names of arrays differ at their ends, whatever else is cut off at its end.
class ArraysDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override
    {
        QStyledItemDelegate::initStyleOption(option, index);
        option->textElideMode = index.column() == HostArraysModel::Array ? Qt::ElideLeft : Qt::ElideRight;
    }
};

/// A line is not broken after the dash of a range.
QString unbroken(QString text)
{
    constexpr QChar dash(0x2013);
    return text.replace(dash, QString(dash) + joiner);
}

} // namespace

HostsView::HostsView(Document* document, Selection* selection, QWidget* parent)
    : DockView(document, selection, parent, QPalette::Base)
    , m_hosts(new HostListModel(this))
    , m_arrays(new HostArraysModel(this))
    , m_empty(new EmptyPage(tr("What hosts hold is known once the experiment is analysed."), {}, this))
    , m_page(new QWidget(this))
    , m_list(new QListView(m_page))
    , m_title(new RoleLabel(RoleLabel::Size::Semibold, RoleLabel::Wrapped, &Theme::text, m_page))
    , m_writes(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, m_page))
    , m_batch(new RoleLabel(RoleLabel::Size::Normal, RoleLabel::Wrapped, &Theme::text, m_page))
    , m_table(new QTableView(m_page))
{
    m_list->setModel(m_hosts);
    m_list->setUniformItemSizes(true);
    m_list->setAccessibleName(tr("Hosts"));
    m_list->setFrameShape(QFrame::NoFrame);
    makeRowTable(m_table, m_arrays, tr("Arrays of the host"));
    m_table->setAlternatingRowColors(true);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->setItemDelegate(new ArraysDelegate(m_table));
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->horizontalHeader()->setStretchLastSection(true);

    auto* words = vbox({ 8, 6, 8, 6 }, 3, { m_title, m_writes, m_batch });
    words->addStretch(1); // the words stay at the top where there is no table
    auto* right = vbox({}, 0, { words, { m_table, 1 } });
    hbox(m_page, {}, 1, { m_list, { right, 1 } });
    vbox(this, {}, 0, { new StaleRibbon(document), { m_empty, 1 }, { m_page, 1 } });
    setFocusProxy(m_list);

    connect(m_list->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (!m_following && index.isValid())
            chooseHost(index.row());
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
        if (!m_following && index.isValid())
            m_selection->setTensor(index.data(HostArraysModel::PathRole).toString());
    });
    connect(document, &Document::snapshotChanged, this, &HostsView::showSnapshot);
    connect(selection, &Selection::changed, this, &HostsView::followSelection);
    showSnapshot();
}

QString HostsView::summary() const
{
    QStringList lines{ m_title->text(), m_writes->text() };
    if (!m_batch->text().isEmpty())
        lines << m_batch->text();
    return lines.join(QLatin1Char('\n')).remove(joiner);
}

void HostsView::showSnapshot()
{
    const SnapshotPtr snapshot = m_document->lastGood();
    const bool laidOut = snapshot && snapshot->laidOut();
    m_empty->setVisible(!laidOut);
    m_page->setVisible(laidOut);
    if (m_index && laidOut && &m_index->snapshot() == snapshot.get())
        return;
    m_index = laidOut ? std::make_shared<const HostIndex>(snapshot) : nullptr;
    {
        const QScopedValueRollback following(m_following, true);
        m_arrays->setHost(nullptr, std::nullopt);
        m_hosts->setIndex(m_index);
        fitList();
    }
    const QString figure =
        m_index ? words::counted(static_cast<qint64>(m_index->blocks().size()), words::Noun::Host) : QString();
    setKeyFigure(figure);
    showHost(std::max(m_hosts->rowOf(m_host), 0));
}

void HostsView::showHost(int row)
{
    if (!m_index || row >= m_hosts->rowCount())
        return;
    const QScopedValueRollback following(m_following, true);
    HostShare share = m_index->of(static_cast<std::size_t>(row));
    m_host = share.host;
    m_title->setText(unbroken(words::hostTitle(*m_index, share)));
    m_writes->setText(words::hostAddresses(*m_index, share) + QLatin1Char(' ') + words::hostWrites(share));
    const auto batch = m_index->batch(static_cast<std::size_t>(row));
    // Why a host has no chunks is said once.
    QString reads = batch && share.chunker ? words::hostBatch(*batch) : QString();
    if (const auto partitioner = t5xPartitioner(*m_index->snapshot().experiment); partitioner && *partitioner)
        reads += QLatin1Char(' ') + words::batchAxes(**partitioner, m_index->snapshot().mesh.get());
    m_batch->setText(unbroken(reads.trimmed()));
    m_batch->setVisible(!m_batch->text().isEmpty());
    m_table->setVisible(!m_index->snapshot().tensors.empty());
    // Without chunks there are neither replicas nor writers of them.
    for (const auto column : { HostArraysModel::Replica, HostArraysModel::Writes })
        m_table->setColumnHidden(column, !share.chunker);
    m_arrays->setHost(m_index, std::move(share));
    fitColumns();
    m_list->setCurrentIndex(m_hosts->index(row));
    const int array = m_arrays->rowOf(m_selection->tensor());
    m_table->setCurrentIndex(array < 0 ? QModelIndex() : m_arrays->index(array, 0));
}

void HostsView::fitList()
{
    constexpr int examined = 256; // hosts of one machine look alike; the last has the longest number
    const QFontMetrics text(font());
    int width = text.horizontalAdvance(tr("host %1").arg(88));
    for (int row = 0; row < m_hosts->rowCount(); row += row < examined ? 1 : std::max(1, m_hosts->rowCount() - 1 - row))
        width = std::max(width, text.horizontalAdvance(m_hosts->index(row).data().toString()));
    m_list->setFixedWidth(width + Metrics::scaled(28));
}

void HostsView::fitColumns()
{
    if (!isVisible())
        return;
    // The first rows tell how wide the others are.
    constexpr int examined = 64;
    const QFontMetrics text(font()), fixed(Metrics::fixed());
    const int padding = Metrics::scaled(14), maximum = Metrics::scaled(190), minimum = Metrics::scaled(84);
    std::array<int, HostArraysModel::ColumnCount> widths{}, usual{}; // of all cells, and of most of them
    int all = 0;
    for (int column = 0; column < HostArraysModel::ColumnCount; ++column) {
        const auto at = static_cast<std::size_t>(column);
        if (m_table->isColumnHidden(column) && column != HostArraysModel::Shape)
            continue;
        const bool isFixed = column == HostArraysModel::Shape || column == HostArraysModel::Spec;
        std::vector<int> cells;
        for (int row = 0; row < std::min(m_arrays->rowCount(), examined); ++row)
            cells.push_back((isFixed ? fixed : text).horizontalAdvance(m_arrays->index(row, column).data().toString()));
        std::sort(cells.begin(), cells.end());
        const int head = text.horizontalAdvance(m_arrays->headerData(column, Qt::Horizontal).toString());
        widths[at] = std::max(head, cells.empty() ? 0 : cells.back()) + padding;
        usual[at] = std::max(head, cells.empty() ? 0 : cells[cells.size() * 3 / 4]) + padding;
        all += widths[at];
    }
    // Where not all have room, the shape goes, which is in the tips and in other docks; then what few rows need is
    // given up; then names and chunks are shortened; how the array is sharded goes last.
    const int room = m_table->viewport()->width();
    const bool hideShape = all > room;
    m_table->setColumnHidden(HostArraysModel::Shape, hideShape);
    if (hideShape)
        all -= widths[HostArraysModel::Shape];
    const auto shorten = [&](HostArraysModel::Column column, int limit) {
        int& width = widths[column];
        const int less = std::clamp(all - room, 0, std::max(0, width - limit));
        width -= less;
        all -= less;
    };
    for (const auto column : { HostArraysModel::Chunk, HostArraysModel::Writes, HostArraysModel::Spec })
        shorten(column, usual[column]);
    for (const int limit : { maximum, minimum * 3 / 2, minimum }) {
        shorten(HostArraysModel::Array, limit);
        shorten(HostArraysModel::Chunk, limit);
    }
    shorten(HostArraysModel::Spec, minimum);
    shorten(HostArraysModel::Writes, minimum);
    for (int column = 0; column + 1 < HostArraysModel::ColumnCount; ++column)
        if (!m_table->isColumnHidden(column))
            m_table->setColumnWidth(column, widths[static_cast<std::size_t>(column)]);
}

void HostsView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitColumns();
}

void HostsView::showEvent(QShowEvent* event)
{
    DockView::showEvent(event);
    fitColumns();
}

void HostsView::chooseHost(int row)
{
    showHost(row);
    if (m_index)
        m_selection->setDevices(m_index->of(static_cast<std::size_t>(row)).devices);
}

void HostsView::followSelection()
{
    if (m_following || !m_index)
        return;
    const auto& devices = m_selection->devices();
    if (!devices.empty() && m_index->places().has(devices.front())) {
        const std::int32_t host = m_index->places().host(devices.front());
        const bool one = std::all_of(devices.begin(), devices.end(), [&](std::int32_t device) {
            return m_index->places().has(device) && m_index->places().host(device) == host;
        });
        if (const int row = m_hosts->rowOf(host); one && row >= 0 && host != m_host) {
            showHost(row);
            return;
        }
    }
    const QScopedValueRollback following(m_following, true);
    const int array = m_arrays->rowOf(m_selection->tensor());
    if (array != m_table->currentIndex().row())
        m_table->setCurrentIndex(array < 0 ? QModelIndex() : m_arrays->index(array, 0));
}

HostListModel::HostListModel(QObject* parent)
    : ColumnModel(parent)
{
    setColumns({ { {}, [this](int row) {
                      return (at(row).contiguous() ? tr("host %1") : tr("host %1, scattered")).arg(at(row).process);
                  } } });
}

void HostListModel::setIndex(std::shared_ptr<const HostIndex> index)
{
    refill(false, [&] { m_index = std::move(index); });
}

int HostListModel::rowOf(std::int32_t host) const
{
    if (!m_index)
        return -1;
    const auto& blocks = m_index->blocks();
    const auto found = std::lower_bound(blocks.begin(), blocks.end(), host,
        [](const HostBlock& block, std::int32_t process) { return block.process < process; });
    return found != blocks.end() && found->process == host ? static_cast<int>(found - blocks.begin()) : -1;
}

QVariant HostListModel::cell(int row, int, int role) const
{
    return role == Qt::ToolTipRole ? QVariant(words::counted(at(row).devices, words::Noun::Device)) : QVariant();
}

HostArraysModel::HostArraysModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Array"), [this](int row) { return words::tensorName(tensor(row).path); } },
        { tr("Chunk"), [this](int row) { return words::chunkText(at(row), tensor(row)); }, Look::Plain,
            tr("The part of each dimension that the host's devices hold") },
        { tr("Replica"),
            [this](int row) { return at(row).chunk ? words::count(at(row).chunk->replica) : QStringLiteral("–"); },
            Look::Number, tr("Its number among the hosts with the same chunk; number 0 writes it") },
        { tr("Writes"), [this](int row) { return words::writesText(at(row), m_share->host); }, Look::Plain,
            tr("What the host writes to a checkpoint of the train state") },
        { tr("Spec"), [this](int row) { return QString::fromStdString(toColumn(tensor(row).spec)); }, Look::Code },
        { tr("Shape"), [this](int row) { return words::shape(tensor(row).type.shape); }, Look::Code },
    });
}

void HostArraysModel::setHost(std::shared_ptr<const HostIndex> index, std::optional<HostShare> share)
{
    refill(false, [&] {
        m_index = std::move(index);
        m_share = std::move(share);
        m_arrays.assign(m_share ? m_index->snapshot().tensors.size() : 0, std::nullopt);
    });
}

const HostArray& HostArraysModel::at(int row) const
{
    const auto index = static_cast<std::size_t>(row);
    if (!m_arrays[index])
        m_arrays[index] = m_index->array(*m_share, index);
    return *m_arrays[index];
}

int HostArraysModel::rowOf(const QString& path) const
{
    const std::string wanted = path.toStdString();
    for (int row = 0; row < count(); ++row)
        if (tensor(row).path == wanted)
            return row;
    return -1;
}

QVariant HostArraysModel::cell(int row, int column, int role) const
{
    switch (role) {
    case PathRole:
        return QString::fromStdString(tensor(row).path);
    case Qt::ToolTipRole:
        return plainTip(words::hostArrayTip(at(row), tensor(row)));
    case Qt::ForegroundRole:
        return column == Writes && (!at(row).inCheckpoint || at(row).writer != m_share->host)
            ? QVariant(Theme::current().secondary)
            : QVariant();
    default:
        return {};
    }
}

} // namespace shardscope
