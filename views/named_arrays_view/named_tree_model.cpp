// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_tree_model.h"

#include <algorithm>
#include <map>

#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/chips_delegate.h"
#include "words/named_words.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

using Kind = NamedNode::Kind;

int append(std::vector<NamedNode>& nodes, NamedNode node)
{
    const int made = static_cast<int>(nodes.size());
    std::vector<int>& siblings = nodes[static_cast<std::size_t>(node.parent)].children;
    node.position = static_cast<int>(siblings.size());
    siblings.push_back(made);
    nodes.push_back(std::move(node));
    return made;
}

/// The child of that name among the groups below a node, made where there is none.
int groupBelow(std::vector<NamedNode>& nodes, std::map<std::pair<int, std::string>, int>& groups, int parent,
    const std::string& name)
{
    const auto [group, isNew] = groups.emplace(std::pair(parent, name), 0);
    if (isNew) {
        NamedNode node;
        node.kind = Kind::Group;
        node.parent = parent;
        node.name = name;
        group->second = append(nodes, std::move(node));
    }
    return group->second;
}

} // namespace

std::vector<NamedNode> namedNodes(const NamedTree& tree)
{
    std::vector<NamedNode> nodes(1);
    std::map<std::pair<int, std::string>, int> groups;
    for (std::size_t i = 0; i < tree.arrays.size(); ++i) {
        const NamedArraySetting& setting = tree.arrays[i].array;
        const std::string& path = setting.path;
        int parent = 0;
        std::size_t begin = 0;
        for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
            if (slash > begin)
                parent = groupBelow(nodes, groups, parent, path.substr(begin, slash - begin));
            begin = slash + 1;
        }
        NamedNode array;
        array.kind = Kind::Array;
        array.parent = parent;
        array.array = static_cast<int>(i);
        array.name = path.substr(begin);
        const int made = append(nodes, std::move(array));
        for (std::size_t d = 0; d < setting.names.size(); ++d) {
            NamedNode axis;
            axis.kind = Kind::Axis;
            axis.parent = made;
            axis.array = static_cast<int>(i);
            axis.dimension = static_cast<int>(d);
            axis.name = nameText(setting.names[d]);
            append(nodes, std::move(axis));
        }
    }
    return nodes;
}

NamedTreeModel::NamedTreeModel(NamedArrays* arrays, QObject* parent)
    : ColumnTreeModel(parent)
    , m_arrays(arrays)
    , m_nodes(namedNodes(arrays->tree()))
{
    using Look = ModelColumn::Look;
    const auto column = [this](const QString& title, int at, Look look = Look::Plain) {
        return ModelColumn{ title, [this, at](int item) { return shown(node(item), at, false); }, look, {} };
    };
    setColumns({ column(tr("Array"), Name), column(tr("Axes"), Axes), column(tr("Spec"), Spec),
        column(tr("As a mapping"), Mapping), column(tr("On a device"), LocalShape, Look::Number),
        column(tr("Per device"), Bytes, Look::Number) });
    connect(arrays, &NamedArrays::changed, this, &NamedTreeModel::refresh);
}

void NamedTreeModel::refresh()
{
    std::vector<NamedNode> nodes = namedNodes(m_arrays->tree());
    const bool same = std::ranges::equal(
        nodes, m_nodes, [](const NamedNode& one, const NamedNode& other) { return one.isAt(other); });
    refill(same, [&] { m_nodes = std::move(nodes); });
}

QModelIndex NamedTreeModel::indexOfArray(int array) const
{
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].kind == Kind::Array && m_nodes[i].array == array)
            return indexOf(static_cast<int>(i));
    return {};
}

const ArrayOutcome& NamedTreeModel::outcome(const NamedNode& node) const
{
    return m_arrays->outcomes()[static_cast<std::size_t>(node.array)];
}

std::vector<std::string> NamedTreeModel::axesIn(const NamedNode& node, int column) const
{
    const auto d = static_cast<std::size_t>(node.dimension);
    if (column == mappingColumn()) {
        if (node.array < 0 || node.name.empty())
            return {};
        const NamedTree& tree = m_arrays->tree(); // a part of the model may have rules of its own
        const std::vector<LogicalRule>& rules = rulesIn(tree.rules, listOf(array(node), tree));
        const auto found = std::ranges::find(rules, LogicalName::of(node.name), &LogicalRule::name);
        return found == rules.end() ? std::vector<std::string>() : found->target.axes;
    }
    if (column != Spec)
        return {};
    const PartitionSpec& spec = outcome(node).specified.spec;
    return d < spec.size() ? spec.axesOf(d) : std::vector<std::string>();
}

QString NamedTreeModel::axisText(const NamedNode& node, int column, bool editing) const
{
    const NamedArraySetting& of = array(node);
    const auto d = static_cast<std::size_t>(node.dimension);
    switch (column) {
    case Name:
        return editing ? words::fromStd(node.name) : named::dimensionName(of, d);
    case Axes:
        return QString::number(of.shape[d]);
    case Spec:
    case Mapping: {
        if (column == Mapping && mappingColumn() == Spec)
            return {};
        const std::vector<std::string> axes = axesIn(node, column);
        return editing ? named::joined(axes) : named::axesList(axes);
    }
    case LocalShape: {
        const std::optional<Layout>& layout = outcome(node).specified.layout;
        return layout ? QString::number(layout->shardShape()[d]) : QString();
    }
    default:
        return {};
    }
}

QString NamedTreeModel::shown(const NamedNode& node, int column, bool editing) const
{
    if (node.kind == Kind::Axis)
        return axisText(node, column, editing);
    if (node.kind != Kind::Array)
        return column == Name ? words::fromStd(node.name) : QString();
    const ArrayOutcome& result = outcome(node);
    switch (column) {
    case Name:
        return words::fromStd(editing ? array(node).path : node.name);
    case Axes:
        return words::fromStd(axesText(array(node).names, array(node).shape));
    case Spec:
        return result.ignored && !result.mapping ? tr("ignored") : named::specText(result.specified);
    case Mapping:
        if (!result.mapping)
            return {};
        return result.ignored ? tr("ignored") : named::specText(*result.mapping);
    case LocalShape:
        return result.specified.layout ? words::shape(result.specified.layout->shardShape()) : QString();
    case Bytes:
        return result.specified.layout ? words::bytes(static_cast<double>(result.specified.bytesPerDevice)) : QString();
    default:
        return {};
    }
}

bool NamedTreeModel::isWrong(const NamedNode& node, int column) const
{
    if (node.kind != Kind::Array)
        return false;
    const ArrayOutcome& result = outcome(node);
    return column == Mapping ? result.mapping && result.mapping->problem : result.specified.problem.has_value();
}

QString NamedTreeModel::tip(const NamedNode& node, int column) const
{
    if (node.kind != Kind::Array)
        return {};
    const ArrayOutcome& result = outcome(node);
    if (column == Mapping)
        return result.mapping ? named::readingText(array(node), *result.mapping) : QString();
    const bool worthSaying = result.specified.problem || result.ignored || result.meant;
    return worthSaying ? named::outcomeText(array(node), result) : QString();
}

QVariant NamedTreeModel::cell(int item, int column, int role) const
{
    const NamedNode& at = node(item);
    const bool ofAxis = at.kind == Kind::Axis && (column == Spec || column == mappingColumn());
    switch (role) {
    case Qt::EditRole:
        return shown(at, column, true);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
        const QString stated = tip(at, column);
        return stated.isEmpty() ? QVariant() : QVariant(stated);
    }
    case Qt::DecorationRole:
        return column == Name && isWrong(at, Spec) ? QVariant(severityIcon(Severity::Error)) : QVariant();
    case Qt::ForegroundRole:
        if ((column == Spec || column == Mapping) && isWrong(at, column))
            return Theme::current().error;
        return at.kind == Kind::Axis ? QVariant(Theme::current().secondary) : QVariant();
    case ChipsDelegate::AxesRole:
        return ofAxis ? QVariant(named::toList(axesIn(at, column))) : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return ofAxis ? QVariant(named::axisIndices(axesIn(at, column), *m_arrays->mesh())) : QVariant();
    default:
        return {};
    }
}

bool NamedTreeModel::canEdit(int item, int column) const
{
    const NamedNode& at = node(item);
    const bool list = m_arrays->tree().source == NamedTree::Source::List;
    if (at.kind == Kind::Array)
        return list && column <= Axes;
    return at.kind == Kind::Axis
        && ((column == Name && list) || (column == Axes && (list || !at.name.empty()))
            || (column == mappingColumn() && !at.name.empty()));
}

bool NamedTreeModel::edit(int item, int column, const QString& typed)
{
    const NamedNode at = node(item); // the nodes are made anew by what follows
    if (typed == shown(at, column, true))
        return false;
    if (at.kind == Kind::Array)
        return column == Name ? m_arrays->rename(at.array, typed) : m_arrays->setAxes(at.array, typed);
    if (column == Name)
        return m_arrays->setAxisName(at.array, at.dimension, typed);
    return column == Axes ? m_arrays->setAxisSize(at.array, at.dimension, typed) : m_arrays->map(at.name, typed);
}

MappingModel::MappingModel(NamedArrays* arrays, QObject* parent)
    : ColumnModel(parent)
    , m_arrays(arrays)
    , m_names(arrays->names())
{
    setColumns({
        { tr("Name"), [this](int row) { return words::fromStd(at(row).name); } },
        { tr("Mesh axes"),
            [this](int row) {
                return at(row).conflicts.empty()
                    ? named::axesList(at(row).axes)
                    : tr("%n rules that differ", nullptr, static_cast<int>(at(row).conflicts.size()));
            } },
        { tr("Used by"),
            [this](int row) {
                return at(row).uses == 0 ? tr("no array has it") : words::counted(at(row).uses, words::Noun::Array);
            } },
    });
    connect(arrays, &NamedArrays::changed, this, &MappingModel::refresh);
}

void MappingModel::refresh()
{
    const bool same = std::ranges::equal(m_arrays->names(), m_names, {}, &MappedName::name, &MappedName::name);
    refill(same, [&] { m_names = m_arrays->names(); });
}

int MappingModel::rowOf(const std::string& name) const
{
    const auto found = std::ranges::find(m_names, name, &MappedName::name);
    return found == m_names.end() ? -1 : static_cast<int>(found - m_names.begin());
}

QString MappingModel::tip(const MappedName& name) const
{
    if (!name.conflicts.empty())
        return named::conflictText(name);
    QStringList missing;
    for (const std::string& axis : name.axes)
        if (!m_arrays->mesh()->axisIndex(axis))
            missing << words::fromStd(axis);
    return missing.isEmpty() ? QString() : tr("The mesh has no axis %1").arg(missing.join(QStringLiteral(", ")));
}

QVariant MappingModel::cell(int row, int column, int role) const
{
    const MappedName& name = at(row);
    const bool axes = column == Axes;
    const bool chips = axes && name.conflicts.empty();
    switch (role) {
    case Qt::EditRole:
        return axes ? QVariant(named::joined(name.axes)) : QVariant();
    case Qt::ForegroundRole:
        if (axes && !name.conflicts.empty())
            return m_arrays->tree().isMapping() ? Theme::current().error : Theme::current().secondary;
        return name.axes.empty() || name.uses == 0 ? QVariant(Theme::current().secondary) : QVariant();
    case ChipsDelegate::AxesRole:
        return chips ? QVariant(named::toList(name.axes)) : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return chips ? QVariant(named::axisIndices(name.axes, *m_arrays->mesh())) : QVariant();
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
        const QString about = axes ? tip(name) : QString();
        return about.isEmpty() ? QVariant() : QVariant(about);
    }
    default:
        return {};
    }
}

bool MappingModel::edit(int row, int, const QString& typed)
{
    const std::string name = at(row).name; // the rows are made anew
    return m_arrays->map(name, typed);
}

} // namespace shardscope
