// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_tree_model.h"

#include <algorithm>
#include <map>

#include "views/named_arrays_view/chips_delegate.h"
#include "views/named_arrays_view/named_words.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

namespace {

using Kind = NamedNode::Kind;

/// The child of that name among the groups below a node, made where there is none.
int groupBelow(std::vector<NamedNode>& nodes, std::map<std::pair<int, std::string>, int>& groups, int parent,
    const std::string& name)
{
    const int made = static_cast<int>(nodes.size());
    if (const auto [group, isNew] = groups.emplace(std::pair(parent, name), made); !isNew)
        return group->second;
    NamedNode node;
    node.kind = Kind::Group;
    node.parent = parent;
    node.name = name;
    node.row = static_cast<int>(nodes[static_cast<std::size_t>(parent)].children.size());
    nodes[static_cast<std::size_t>(parent)].children.push_back(made);
    nodes.push_back(std::move(node));
    return made;
}

int append(std::vector<NamedNode>& nodes, NamedNode node)
{
    const int made = static_cast<int>(nodes.size());
    std::vector<int>& siblings = nodes[static_cast<std::size_t>(node.parent)].children;
    node.row = static_cast<int>(siblings.size());
    siblings.push_back(made);
    nodes.push_back(std::move(node));
    return made;
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
    : QAbstractItemModel(parent)
    , m_arrays(arrays)
    , m_nodes(namedNodes(arrays->tree()))
{
    connect(arrays, &NamedArrays::changed, this, &NamedTreeModel::refresh);
}

void NamedTreeModel::refresh()
{
    std::vector<NamedNode> nodes = namedNodes(m_arrays->tree());
    const bool same = std::ranges::equal(
        nodes, m_nodes, [](const NamedNode& one, const NamedNode& other) { return one.isAt(other); });
    if (!same)
        beginResetModel();
    m_nodes = std::move(nodes);
    if (!same) {
        endResetModel();
        return;
    }
    for (const NamedNode& node : m_nodes)
        if (const std::vector<int>& children = node.children; !children.empty())
            Q_EMIT dataChanged(createIndex(0, 0, static_cast<quintptr>(children.front())),
                createIndex(
                    static_cast<int>(children.size()) - 1, ColumnCount - 1, static_cast<quintptr>(children.back())));
}

const NamedNode& NamedTreeModel::node(const QModelIndex& index) const
{
    return m_nodes[index.isValid() ? static_cast<std::size_t>(index.internalId()) : 0];
}

QModelIndex NamedTreeModel::indexOfArray(int array) const
{
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].kind == Kind::Array && m_nodes[i].array == array)
            return createIndex(m_nodes[i].row, 0, static_cast<quintptr>(i));
    return {};
}

QModelIndex NamedTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, static_cast<quintptr>(node(parent).children[static_cast<std::size_t>(row)]));
}

QModelIndex NamedTreeModel::parent(const QModelIndex& index) const
{
    if (!index.isValid())
        return {};
    const int parent = node(index).parent;
    return parent == 0 ? QModelIndex()
                       : createIndex(m_nodes[static_cast<std::size_t>(parent)].row, 0, static_cast<quintptr>(parent));
}

int NamedTreeModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(node(parent).children.size());
}

int NamedTreeModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

int NamedTreeModel::mappingColumn() const
{
    return m_arrays->tree().isMapping() ? Spec : Mapping;
}

const ArrayOutcome& NamedTreeModel::outcome(const NamedNode& node) const
{
    return m_arrays->outcomes()[static_cast<std::size_t>(node.array)];
}

const NamedArraySetting& NamedTreeModel::array(const NamedNode& node) const
{
    return m_arrays->array(node.array);
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
    const PartitionSpec& spec = outcome(node).given.spec;
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
        const std::optional<Layout>& layout = outcome(node).given.layout;
        return layout ? QString::number(layout->shardShape()[d]) : QString();
    }
    default:
        return {};
    }
}

QString NamedTreeModel::text(const NamedNode& node, int column, bool editing) const
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
        return result.ignored && !result.mapping ? tr("ignored") : named::specText(result.given);
    case Mapping:
        if (!result.mapping)
            return {};
        return result.ignored ? tr("ignored") : named::specText(*result.mapping);
    case LocalShape:
        return result.given.layout ? words::shape(result.given.layout->shardShape()) : QString();
    case Bytes:
        return result.given.layout ? words::bytes(static_cast<double>(result.given.bytesPerDevice)) : QString();
    default:
        return {};
    }
}

bool NamedTreeModel::isWrong(const NamedNode& node, int column) const
{
    if (node.kind != Kind::Array)
        return false;
    const ArrayOutcome& result = outcome(node);
    return column == Mapping ? result.mapping && result.mapping->problem : result.given.problem.has_value();
}

QString NamedTreeModel::tip(const NamedNode& node, int column) const
{
    if (node.kind != Kind::Array)
        return {};
    const ArrayOutcome& result = outcome(node);
    if (column == Mapping)
        return result.mapping ? named::readingText(array(node), *result.mapping) : QString();
    const bool worthSaying = result.given.problem || result.ignored || result.meant;
    return worthSaying ? named::outcomeText(array(node), result) : QString();
}

QVariant NamedTreeModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const NamedNode& at = node(index);
    const int column = index.column();
    const bool ofAxis = at.kind == Kind::Axis && (column == Spec || column == mappingColumn());
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return text(at, column, role == Qt::EditRole);
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
        const QString said = tip(at, column);
        return said.isEmpty() ? QVariant() : QVariant(said);
    }
    case Qt::DecorationRole:
        return column == Name && isWrong(at, Spec) ? QVariant(severityIcon(Severity::Error)) : QVariant();
    case Qt::ForegroundRole:
        if ((column == Spec || column == Mapping) && isWrong(at, column))
            return Theme::current().error;
        return at.kind == Kind::Axis ? QVariant(Theme::current().secondary) : QVariant();
    case Qt::TextAlignmentRole:
        return column >= LocalShape ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                    : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case ChipsDelegate::AxesRole:
        return ofAxis ? QVariant(named::toList(axesIn(at, column))) : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return ofAxis ? QVariant(named::axisIndices(axesIn(at, column), *m_arrays->mesh())) : QVariant();
    default:
        return {};
    }
}

QVariant NamedTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section >= LocalShape ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                     : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Name:
        return tr("Array");
    case Axes:
        return tr("Axes");
    case Spec:
        return tr("Spec");
    case Mapping:
        return tr("As a mapping");
    case LocalShape:
        return tr("On a device");
    case Bytes:
        return tr("Per device");
    default:
        return {};
    }
}

Qt::ItemFlags NamedTreeModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::NoItemFlags;
    const NamedNode& at = node(index);
    const int column = index.column();
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (at.kind == Kind::Axis)
        flags |= Qt::ItemNeverHasChildren;
    const bool list = m_arrays->tree().source == NamedTree::Source::List;
    const bool typed = at.kind == Kind::Array ? list && column <= Axes
        : at.kind == Kind::Axis ? (column == Name && list) || (column == Axes && (list || !at.name.empty()))
            || (column == mappingColumn() && !at.name.empty())
                                : false;
    return typed ? flags | Qt::ItemIsEditable : flags;
}

bool NamedTreeModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    const QString typed = value.toString().trimmed();
    const NamedNode at = node(index); // the nodes are made anew by what follows
    const int column = index.column();
    if (typed == text(at, column, true) || !(flags(index) & Qt::ItemIsEditable))
        return false;
    if (at.kind == Kind::Array)
        return column == Name ? m_arrays->rename(at.array, typed) : m_arrays->setAxes(at.array, typed);
    if (column == Name)
        return m_arrays->setAxisName(at.array, at.dimension, typed);
    return column == Axes ? m_arrays->setAxisSize(at.array, at.dimension, typed) : m_arrays->map(at.name, typed);
}

} // namespace shardscope
