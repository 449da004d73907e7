// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/collectives_view/collectives_model.h"

#include <QBrush>
#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "analysis/explain.h"
#include "views/theme/theme.h"
#include "words/collective_texts.h"
#include "words/collective_words.h"
#include "words/links.h"
#include "words/operation_words.h"
#include "words/origin.h"
#include "words/propagation_steps.h"
#include "words/rule_names.h"
#include "words/utf8.h"

namespace shardscope {

CollectivesModel::CollectivesModel(QObject* parent)
    : ColumnModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { QStringLiteral("#"), [](int row) { return words::count(row + 1); }, Look::Number,
            tr("In order of execution") },
        { tr("Collective"), [this](int row) { return words::collective(entry(row).kind); } },
        { tr("Axes"), [this](int row) { return words::axesText(*entry(row).mesh, entry(row).axes); } },
        { tr("Value"),
            [this](int row) {
                return named(row).valid() ? words::exchangedName(*m_list, entry(row), named(row)) : QString();
            },
            Look::Plain, tr("The value that it works for") },
        { tr("Sent"), [this](int row) { return words::bytes(entry(row).sentBytes); }, Look::Number,
            tr("What one device sends each time, by the ring model") },
        { tr("Times"), [this](int row) { return words::timesText(entry(row)); }, Look::Number,
            tr("How often in a step: the turns of the loops around it") },
        { tr("Per step"), [this](int row) { return words::bytes(entry(row).sentPerStep()); }, Look::Number,
            tr("What one device sends in a step") },
        { tr("Groups"), [this](int row) { return words::groupsText(entry(row)); }, Look::Number,
            tr("Groups × devices of each group") },
        { tr("Layer"),
            [this](int row) {
                const CollectiveEntry& e = entry(row);
                return keyOf(e, CollectiveKey::Layer).empty() ? QString() : words::keyName(e, CollectiveKey::Layer);
            } },
        { tr("Source"), [this](int row) { return words::fromStd(entry(row).source); }, Look::Plain,
            tr("File and line that the operation comes from") },
        { tr("Operation"),
            [this](int row) {
                const CollectiveEntry& e = entry(row);
                return e.reason && e.reason->operation.valid()
                    ? words::operationName(m_list->program->operation(e.reason->operation))
                    : e.reason ? tr("return", "what a function gives back, in place of an operation")
                               : words::fromStd(e.operationName);
            },
            Look::Plain, tr("The operation that needs it") },
        { tr("Cause"), [this](int row) { return words::causeName(entry(row)); }, Look::Plain,
            tr("What it is needed for") },
        { tr("Decided by"), [this](int row) { return words::plain(rule(row)); }, Look::Plain,
            tr("Who asked for the sharding that it runs along") },
    });
}

void CollectivesModel::setList(CollectiveListPtr list, SnapshotPtr snapshot)
{
    beginResetModel();
    m_list = std::move(list);
    m_snapshot = std::move(snapshot);
    m_rules.clear();
    m_named = m_list ? words::namedForms(*m_list->program) : std::vector<ValueId>();
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
    m_idle[Source] = all([](const CollectiveEntry& e) { return e.source.empty(); });
    m_idle[Rule] = !m_list || !m_snapshot || !m_snapshot->propagation || m_snapshot->isPartitioned();
    endResetModel();
}

void CollectivesModel::setMarked(const QString& path)
{
    if (std::exchange(m_marked, path) == path)
        return;
    m_markedValue = m_list && !path.isEmpty() ? m_list->program->find(path.toStdString()) : ValueId();
    touch({ Qt::BackgroundRole });
}

void CollectivesModel::setStale(bool stale)
{
    if (std::exchange(m_stale, stale) == stale)
        return;
    touch({ Qt::ForegroundRole });
}

const words::Text& CollectivesModel::rule(int row) const
{
    const auto known = m_rules.find(row);
    if (known != m_rules.end())
        return known->second;
    return m_rules.emplace(row, m_idle[Rule] ? words::Text() : words::ruleAfter(*m_list, entry(row), *m_snapshot))
        .first->second;
}

ValueId CollectivesModel::named(int row) const
{
    const ValueId value = entry(row).value;
    return value.valid() && value.index < m_named.size() ? m_named[value.index] : ValueId();
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

QVariant CollectivesModel::cell(int row, int column, int role) const
{
    const CollectiveEntry& e = entry(row);
    switch (role) {
    case Qt::ToolTipRole:
        return tip(row, column);
    case Qt::ForegroundRole:
        if (m_stale || !isExchange(e) || (column == PerStep || column == Sent ? e.sentBytes == Rational(0) : false))
            return QBrush(Theme::current().secondary);
        return column == Number ? QVariant(QBrush(Theme::current().secondary)) : QVariant();
    case Qt::BackgroundRole:
        return isMarked(row) ? QVariant(QBrush(mixed(Theme::current().base, Theme::current().selectedRow, 0.5)))
                             : QVariant();
    case AxesRole:
        return column == Axes ? QVariant(words::namesOf(*e.mesh, e.axes)) : QVariant();
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
        for (const int each : { Kind, Axes, Tensor, Layer, Source, Through, Cause })
            all << text(row, each);
        return all.join(QLatin1Char(' '));
    }
    default:
        return {};
    }
}

CollectivesFilter::CollectivesFilter(CollectivesModel* model, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setSourceModel(model);
    setSortRole(CollectivesModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
    setSortLocaleAware(true);
}

void CollectivesFilter::setFilter(CollectiveFilter filter)
{
    if (filter == m_filter)
        return;
    m_filter = std::move(filter);
    m_words = m_filter.text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    invalidateFilter();
}

bool CollectivesFilter::passes(int row, std::optional<CollectiveKey> except) const
{
    const CollectiveEntry& entry = m_model->entry(row);
    for (const CollectiveKey key :
        { CollectiveKey::Kind, CollectiveKey::Axes, CollectiveKey::Layer, CollectiveKey::Source }) {
        const auto& wanted = m_filter.keys[static_cast<std::size_t>(key)];
        if (wanted && key != except && keyOf(entry, key) != *wanted)
            return false;
    }
    if (m_words.isEmpty())
        return true;
    const QString text = m_model->index(row, 0).data(CollectivesModel::TextRole).toString();
    return std::all_of(
        m_words.begin(), m_words.end(), [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool CollectivesFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    return !parent.isValid() && m_model->list() && passes(row, std::nullopt);
}

CollectiveList CollectivesFilter::passing(std::optional<CollectiveKey> except) const
{
    CollectiveList list;
    if (!m_model->list())
        return list;
    list.program = m_model->list()->program;
    list.mesh = m_model->list()->mesh;
    for (int row = 0; row < m_model->rowCount(); ++row)
        if (passes(row, except))
            list.entries.push_back(m_model->entry(row));
    return list;
}

} // namespace shardscope
