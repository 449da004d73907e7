// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/values_view/numbers_model.h"

#include <QEvent>
#include <QHeaderView>
#include <QPainter>
#include <algorithm>

#include "views/theme/theme.h"
#include "views/widgets/context_menu.h"
#include "views/widgets/plain_tip.h"
#include "views/widgets/shard_colour.h"
#include "words/words.h"

namespace shardscope {

namespace {

constexpr std::int64_t pageRows = 32, pageColumns = 16;
constexpr std::size_t maxPages = 256;

/// The tint of a shard, lighter than where it is all that is seen: numbers stand on it.
QColor underNumbers(const QColor& tint, const QColor& base)
{
    const auto channel = [](int a, int b) { return (9 * a + 11 * b) / 20; };
    return { channel(tint.red(), base.red()), channel(tint.green(), base.green()), channel(tint.blue(), base.blue()) };
}

} // namespace

NumbersModel::NumbersModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void NumbersModel::setContent(std::optional<ShownValues> shown, ReadSample read)
{
    beginResetModel();
    m_shown = std::move(shown);
    m_read = std::move(read);
    m_pages.clear();
    endResetModel();
}

void NumbersModel::readAgain()
{
    if (rowCount() == 0 || columnCount() == 0)
        return;
    // Only once there is something else to show.
    std::vector<double> one;
    const Place first = placeOf(index(0, 0));
    if (!readPlane(*m_shown, m_read, first.position, { first.row }, { first.column }, one))
        return;
    m_pages.clear();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int NumbersModel::rowCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_shown || columnCount() == 0)
        return 0;
    const auto copies = m_shown->local ? static_cast<std::int64_t>(m_shown->positions.size()) : std::int64_t{ 1 };
    return static_cast<int>(std::min(m_shown->rowCount() * copies, maxLines));
}

int NumbersModel::columnCount(const QModelIndex& parent) const
{
    if (parent.isValid() || !m_shown)
        return 0;
    return static_cast<int>(std::min(m_shown->columnCount(), maxLines));
}

bool NumbersModel::hasMoreLines(const ShownValues& shown)
{
    const auto copies = shown.local ? static_cast<std::int64_t>(shown.positions.size()) : std::int64_t{ 1 };
    return shown.rowCount() * copies > maxLines || shown.columnCount() > maxLines;
}

QModelIndex NumbersModel::firstHeld() const
{
    if (!m_shown || m_shown->local || m_shown->positions.empty() || rowCount() == 0)
        return {};
    const std::vector<IndexRange> ranges = m_shown->subject.layout.rangesAt(m_shown->positions.front());
    const auto begin = [&](int dimension) {
        return dimension < 0
            ? 0
            : static_cast<int>(std::min(ranges[static_cast<std::size_t>(dimension)].begin, maxLines - 1));
    };
    return index(std::min(begin(m_shown->rows), rowCount() - 1), std::min(begin(m_shown->columns), columnCount() - 1));
}

NumbersModel::Place NumbersModel::placeOf(const QModelIndex& index) const
{
    if (!m_shown->local)
        return { -1, index.row(), index.column() };
    const std::int64_t rows = m_shown->rowCount();
    return { m_shown->positions[static_cast<std::size_t>(index.row() / rows)], index.row() % rows, index.column() };
}

std::optional<double> NumbersModel::number(const Place& place) const
{
    const std::int64_t firstRow = place.row / pageRows * pageRows,
                       firstColumn = place.column / pageColumns * pageColumns;
    const PageKey key{ place.position, firstRow, firstColumn };
    auto page = m_pages.find(key);
    if (page == m_pages.end()) {
        std::vector<std::int64_t> rows, columns;
        for (std::int64_t r = firstRow; r < std::min(firstRow + pageRows, m_shown->validRows(place.position)); ++r)
            rows.push_back(r);
        for (std::int64_t c = firstColumn;
             c < std::min(firstColumn + pageColumns, m_shown->validColumns(place.position)); ++c)
            columns.push_back(c);
        Page fresh{ {}, static_cast<std::int64_t>(columns.size()) };
        if (!readPlane(*m_shown, m_read, place.position, rows, columns, fresh.numbers))
            return std::nullopt;
        m_elementsRead += static_cast<std::int64_t>(fresh.numbers.size());
        if (m_pages.size() >= maxPages)
            m_pages.clear();
        page = m_pages.emplace(key, std::move(fresh)).first;
    }
    return page->second
        .numbers[static_cast<std::size_t>((place.row - firstRow) * page->second.columns + place.column - firstColumn)];
}

QString NumbersModel::tip(const Place& place) const
{
    const Layout& layout = m_shown->subject.layout;
    const auto global = m_shown->globalIndexAt(place.position, place.row, place.column);
    const QString own = m_shown->indexText(m_shown->indexAt(place.row, place.column));
    const QString device = place.position < 0 ? QString() : tr("d%1").arg(layout.mesh().deviceAt(place.position));
    if (!global)
        return tr("%1 on %2: padding").arg(own, device);
    const auto value = number(place);
    const QString text = value ? valueText(*value, m_shown->dtype, m_shown->difference) : tr("running");
    if (place.position >= 0)
        return tr("%1 on %2, in the array %3: %4").arg(own, device, m_shown->indexText(*global), text);
    const QString holders =
        listDevices(DeviceGroup::holders(layout, m_shown->shardAt(place.position, place.row, place.column)));
    return layout.addends() > 1 ? tr("%1: %2, sum of the partial values on %3").arg(own, text, holders)
                                : tr("%1: %2, on %3", "index: value, on d1 and d5").arg(own, text, holders);
}

QVariant NumbersModel::data(const QModelIndex& index, int role) const
{
    if (!m_shown || !checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Place place = placeOf(index);
    const Layout& layout = m_shown->subject.layout;
    const bool padding = place.position >= 0
        && (place.row >= m_shown->validRows(place.position) || place.column >= m_shown->validColumns(place.position));
    const auto elsewhere = [&] { // not on the device that was chosen
        return !m_shown->local && !m_shown->positions.empty()
            && !m_shown->holds(m_shown->positions.front(), m_shown->indexAt(place.row, place.column));
    };
    const auto fill = [&] {
        const Theme& theme = Theme::current();
        return padding || elsewhere() || layout.distinctShards() == 1
            ? theme.alternateRow
            : underNumbers(
                shardColour(theme, layout, m_shown->shardAt(place.position, place.row, place.column)), theme.base);
    };
    switch (role) {
    case Qt::DisplayRole: {
        if (padding || elsewhere())
            return padding ? tr("pad") : QString();
        const auto value = number(place);
        return value ? valueText(*value, m_shown->dtype, m_shown->difference) : QStringLiteral("…");
    }
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole:
        return Metrics::fixed();
    case Qt::BackgroundRole:
        return fill();
    case Qt::ForegroundRole:
        return padding ? Theme::current().secondary : Theme::current().textOn(fill());
    case Qt::ToolTipRole:
        return plainTip(tip(place));
    case Qt::AccessibleTextRole:
        return tip(place);
    case TopBorder:
    case LeftBorder: {
        const int dimension = role == TopBorder ? m_shown->rows : m_shown->columns;
        const std::int64_t line = role == TopBorder ? place.row : place.column;
        if (role == TopBorder && m_shown->local)
            return place.row == 0 && index.row() > 0 ? -2 : -1;
        if (dimension < 0 || line == 0 || m_shown->local)
            return -1;
        const std::int64_t block = layout.shardShape()[static_cast<std::size_t>(dimension)];
        return block > 0 && line % block == 0 ? m_shown->subject.firstAxis(dimension) : -1;
    }
    default:
        return {};
    }
}

QVariant NumbersModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role != Qt::DisplayRole || !m_shown || section < 0)
        return {};
    if (orientation == Qt::Horizontal || !m_shown->local)
        return words::count(section);
    const std::int64_t rows = std::max<std::int64_t>(m_shown->rowCount(), 1);
    const auto shard = static_cast<std::size_t>(section / rows);
    if (shard >= m_shown->positions.size())
        return {};
    return tr("d%1: %2", "device, its row")
        .arg(m_shown->subject.layout.mesh().deviceAt(m_shown->positions[shard]))
        .arg(words::count(section % rows));
}

void BorderDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const Theme& theme = Theme::current();
    const auto line = [&](int role, const QPoint& to) {
        const int axis = index.data(role).toInt();
        if (axis == -1)
            return;
        painter->save();
        painter->setPen(axis >= 0 ? theme.axisPen(axis, 2) : QPen(theme.strongLine, 2));
        painter->drawLine(option.rect.topLeft(), to);
        painter->restore();
    };
    line(NumbersModel::TopBorder, option.rect.topRight());
    line(NumbersModel::LeftBorder, option.rect.bottomLeft());
}

NumbersTable::NumbersTable(NumbersModel* model, QWidget* parent)
    : QTableView(parent)
{
    setModel(model);
    setItemDelegate(new BorderDelegate(this));
    setAccessibleName(tr("Numbers"));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionMode(QAbstractItemView::ContiguousSelection);
    setTabKeyNavigation(false);
    giveRowMenu(this, [](QMenu& menu, const QModelIndex& at) {
        addCopyAction(menu, "copyNumber", tr("Copy number"), at.data().toString());
        addCopyAction(menu, "copyPlace", tr("Copy number and place"), at.data(Qt::ToolTipRole).toString());
    });
    setCornerButtonEnabled(false);
    setWordWrap(false);
    for (QHeaderView* header : { horizontalHeader(), verticalHeader() }) {
        header->setSectionResizeMode(QHeaderView::Fixed); // no cell is asked for its size
        header->setHighlightSections(false);
        header->setMinimumSectionSize(1);
    }
    verticalHeader()->setDefaultAlignment(Qt::AlignRight | Qt::AlignVCenter);
    fit();
}

void NumbersTable::fit()
{
    const int text = QFontMetrics(Metrics::fixed()).horizontalAdvance(QStringLiteral("-1.2346e-10"));
    horizontalHeader()->setDefaultSectionSize(text + Metrics::scaled(12));
    verticalHeader()->setDefaultSectionSize(Metrics::scaled(22));
}

void NumbersTable::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange)
        fit();
    QTableView::changeEvent(event);
}

} // namespace shardscope
