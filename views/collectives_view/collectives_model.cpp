// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collectives_model.h"

#include <QBrush>
#include <algorithm>

#include "views/collectives_view/collective_rule.h"
#include "views/collectives_view/collective_texts.h"
#include "views/theme/theme.h"
#include "words/collective_words.h"
#include "words/definitions.h"
#include "words/operation_words.h"
#include "words/propagation_steps.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

/// Halfway to the colour of the selected row.
QColor markedRow(const Theme& theme)
{
    const auto half = [](int a, int b) { return (a + b) / 2; };
    return { half(theme.base.red(), theme.selectedRow.red()), half(theme.base.green(), theme.selectedRow.green()),
        half(theme.base.blue(), theme.selectedRow.blue()) };
}

bool isNumber(int column)
{
    switch (column) {
    case CollectivesModel::Number:
    case CollectivesModel::Groups:
    case CollectivesModel::Sent:
    case CollectivesModel::Times:
    case CollectivesModel::PerStep:
        return true;
    default:
        return false;
    }
}

} // namespace

CollectivesModel::CollectivesModel(QObject* parent)
    : QAbstractTableModel(parent)
{
}

void CollectivesModel::setList(CollectiveListPtr list, SnapshotPtr snapshot)
{
    beginResetModel();
    m_list = std::move(list);
    m_snapshot = std::move(snapshot);
    m_rules.clear();
    m_named = m_list ? namedForms(*m_list->program) : std::vector<ValueId>();
    m_stale = false;
    const QString marked = std::exchange(m_marked, QString());
    m_markedValue = {};
    if (m_list && !marked.isEmpty()) {
        m_marked = marked;
        m_markedValue = m_list->program->find(marked.toStdString());
    }
    const auto all = [this](auto is) {
        return !m_list || std::all_of(m_list->entries.begin(), m_list->entries.end(), is);
    };
    m_idle[Times] = m_idle[PerStep] = all([](const CollectiveEntry& e) { return e.timesKnown && e.times == 1; });
    m_idle[Kind] = all([this](const CollectiveEntry& e) { return e.kind == m_list->entries.front().kind; });
    // One set of axes is named where a collective is shown.
    m_idle[Axes] = all([this](const CollectiveEntry& e) {
        return e.axes == m_list->entries.front().axes && *e.mesh == *m_list->entries.front().mesh;
    });
    m_idle[Layer] = all([](const CollectiveEntry& e) { return keyOf(e, CollectiveKey::Layer).empty(); });
    m_idle[Rule] = !m_list || !m_snapshot || !m_snapshot->propagation;
    endResetModel();
}

const CollectiveEntry& CollectivesModel::entry(int row) const
{
    return m_list->entries[static_cast<std::size_t>(row)];
}

bool CollectivesModel::isIdle(int column) const
{
    return m_idle[column];
}

void CollectivesModel::setMarked(const QString& path)
{
    if (path == m_marked)
        return;
    m_marked = path;
    m_markedValue = m_list && !path.isEmpty() ? m_list->program->find(path.toStdString()) : ValueId();
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), { Qt::BackgroundRole });
}

bool CollectivesModel::isMarked(int row) const
{
    return m_markedValue.valid() && named(row) == m_markedValue;
}

void CollectivesModel::setStale(bool stale)
{
    if (stale == m_stale)
        return;
    m_stale = stale;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), { Qt::ForegroundRole });
}

const words::Text& CollectivesModel::rule(int row) const
{
    const auto known = m_rules.find(row);
    if (known != m_rules.end())
        return known->second;
    return m_rules.emplace(row, m_idle[Rule] ? words::Text() : ruleBehind(*m_list, entry(row), *m_snapshot))
        .first->second;
}

ValueId CollectivesModel::named(int row) const
{
    const ValueId value = entry(row).value;
    return value.valid() && value.index < m_named.size() ? m_named[value.index] : ValueId();
}

int CollectivesModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !m_list ? 0 : static_cast<int>(m_list->entries.size());
}

int CollectivesModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString CollectivesModel::text(int row, int column) const
{
    const CollectiveEntry& e = entry(row);
    switch (column) {
    case Number:
        return words::count(row + 1);
    case Kind:
        return words::collective(e.kind);
    case Axes:
        return axesText(*e.mesh, e.axes);
    case Groups:
        return groupsText(e);
    case Sent:
        return words::bytes(e.sentBytes);
    case Times:
        return timesText(e);
    case PerStep:
        return words::bytes(e.sentPerStep());
    case Tensor:
        return named(row).valid() ? words::operandName(*m_list->program, named(row)) : QString();
    case Layer:
        return keyOf(e, CollectiveKey::Layer).empty() ? QString() : keyName(e, CollectiveKey::Layer);
    case Through:
        return e.reason && e.reason->operation.valid()
            ? words::operationName(m_list->program->operation(e.reason->operation))
            : tr("return", "what a function gives back, in place of an operation");
    case Cause:
        return words::causeName(e);
    case Rule:
        return words::plain(rule(row));
    default:
        return {};
    }
}

QString CollectivesModel::tip(int row, int column) const
{
    const CollectiveEntry& e = entry(row);
    switch (column) {
    case Axes:
    case Groups:
        return QStringLiteral("%1: %2").arg(words::groupCounts(e), words::groupList(e));
    case Sent:
    case Times:
    case PerStep:
        return words::plain(words::collectiveCost(e));
    case Layer:
        return words::fromStd(e.scope);
    case Cause:
        return words::plain(words::collectiveCause(*m_list, e));
    case Through:
        if (e.reason && e.reason->operation.valid())
            return words::operationTitle(*m_list->program, e.reason->operation);
        return {};
    default:
        return words::collectiveTitle(*m_list, static_cast<std::size_t>(row));
    }
}

QVariant CollectivesModel::sortKey(int row, int column) const
{
    const CollectiveEntry& e = entry(row);
    switch (column) {
    case Number:
        return row;
    case Groups:
        return QVariant::fromValue<qlonglong>(e.groupSize);
    case Sent:
        return e.sentBytes.value();
    case Times:
        return QVariant::fromValue<qlonglong>(e.times);
    case PerStep:
        return e.sentPerStep().value();
    default:
        return text(row, column);
    }
}

QVariant CollectivesModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || !m_list)
        return {};
    const int row = index.row(), column = index.column();
    const CollectiveEntry& e = entry(row);
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case Qt::ToolTipRole:
        return tip(row, column);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue<int>(
            static_cast<int>(isNumber(column) ? Qt::AlignRight | Qt::AlignVCenter : Qt::AlignLeft | Qt::AlignVCenter));
    case Qt::ForegroundRole:
        if (m_stale || !isExchange(e) || (column == PerStep || column == Sent ? e.sentBytes == Rational(0) : false))
            return QBrush(Theme::current().secondary);
        return column == Number ? QVariant(QBrush(Theme::current().secondary)) : QVariant();
    case Qt::BackgroundRole:
        return isMarked(row) ? QVariant(QBrush(markedRow(Theme::current()))) : QVariant();
    case AxesRole: {
        QStringList names;
        if (column == Axes)
            for (const AxisRef& axis : e.axes)
                names << words::fromStd(toString(*e.mesh, axis));
        return column == Axes ? QVariant(names) : QVariant();
    }
    case AxisIndicesRole: {
        QVariantList indices;
        for (const AxisRef& axis : e.axes)
            indices << axis.axis;
        return column == Axes ? QVariant(indices) : QVariant();
    }
    case SortRole:
        return sortKey(row, column);
    case PathRole:
        return named(row).valid() ? words::fromStd(m_list->program->value(named(row)).path) : QString();
    case TextRole: {
        QStringList all;
        for (const int each : { Kind, Axes, Tensor, Layer, Through, Cause })
            all << text(row, each);
        return all.join(QLatin1Char(' '));
    }
    default:
        return {};
    }
}

QVariant CollectivesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue<int>(
            static_cast<int>((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter));
    if (role == Qt::ToolTipRole)
        switch (section) {
        case Number:
            return tr("In order of execution");
        case Groups:
            return tr("Groups × devices of each group");
        case Sent:
            return tr("What one device sends each time, by the ring model");
        case Times:
            return tr("How often in a step: the turns of the loops around it");
        case PerStep:
            return tr("What one device sends in a step");
        case Tensor:
            return tr("The value that it works for");
        case Through:
            return tr("The operation that needs it");
        case Cause:
            return tr("What it is needed for");
        case Rule:
            return tr("Who asked for the sharding that it runs along");
        default:
            return {};
        }
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Number:
        return QStringLiteral("#");
    case Kind:
        return tr("Collective");
    case Axes:
        return tr("Axes");
    case Groups:
        return tr("Groups");
    case Sent:
        return tr("Sent");
    case Times:
        return tr("Times");
    case PerStep:
        return tr("Per step");
    case Tensor:
        return tr("Value");
    case Layer:
        return tr("Layer");
    case Through:
        return tr("Operation");
    case Cause:
        return tr("Cause");
    case Rule:
        return tr("Decided by");
    default:
        return {};
    }
}

} // namespace shardscope
