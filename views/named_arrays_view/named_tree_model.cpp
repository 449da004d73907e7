// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/named_arrays_view/named_tree_model.h"

#include <algorithm>

#include "base/codes.h"
#include "sharding/text.h"
#include "views/named_arrays_view/chips_delegate.h"
#include "views/named_arrays_view/named_words.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "words/words.h"

namespace shardscope {

namespace {

using Kind = NamedNode::Kind;

/// The child of that name among the groups below a node, made where there is none.
int groupBelow(std::vector<NamedNode>& nodes, int parent, const std::string& name)
{
    for (const int child : nodes[static_cast<std::size_t>(parent)].children)
        if (const NamedNode& node = nodes[static_cast<std::size_t>(child)];
            node.kind == Kind::Group && node.name == name)
            return child;
    const int made = static_cast<int>(nodes.size());
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

std::vector<NamedNode> namedNodes(const NamedTree& tree, const std::vector<ArrayOutcome>& outcomes)
{
    std::vector<NamedNode> nodes(1);
    for (std::size_t i = 0; i < tree.arrays.size(); ++i) {
        const std::string& path = tree.arrays[i].path;
        int parent = 0;
        std::size_t begin = 0;
        for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', begin)) {
            if (slash > begin)
                parent = groupBelow(nodes, parent, path.substr(begin, slash - begin));
            begin = slash + 1;
        }
        NamedNode array;
        array.kind = Kind::Array;
        array.parent = parent;
        array.array = static_cast<int>(i);
        array.name = path.substr(begin);
        const int made = append(nodes, std::move(array));
        for (std::size_t d = 0; d < outcomes[i].names.size(); ++d) {
            NamedNode axis;
            axis.kind = Kind::Axis;
            axis.parent = made;
            axis.array = static_cast<int>(i);
            axis.dimension = static_cast<int>(d);
            axis.name = outcomes[i].names[d];
            append(nodes, std::move(axis));
        }
    }
    return nodes;
}

NamedTreeModel::NamedTreeModel(NamedArrays* arrays, QObject* parent)
    : QAbstractItemModel(parent)
    , m_arrays(arrays)
    , m_nodes(namedNodes(arrays->tree(), arrays->outcomes()))
{
    connect(arrays, &NamedArrays::changed, this, &NamedTreeModel::refresh);
}

void NamedTreeModel::refresh()
{
    std::vector<NamedNode> nodes = namedNodes(m_arrays->tree(), m_arrays->outcomes());
    const bool same = std::ranges::equal(
        nodes, m_nodes, [](const NamedNode& one, const NamedNode& other) { return one.isAt(other); });
    if (!same)
        beginResetModel();
    m_nodes = std::move(nodes);
    if (!same) {
        endResetModel();
        return;
    }
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (const std::vector<int>& children = m_nodes[i].children; !children.empty())
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

QString NamedTreeModel::text(const NamedNode& node, int column, bool editing) const
{
    if (node.kind == Kind::Group)
        return column == Name ? QString::fromStdString(node.name) : QString();
    const WrittenArray& written = m_arrays->tree().arrays[static_cast<std::size_t>(node.array)];
    const ArrayOutcome& outcome = m_arrays->outcomes()[static_cast<std::size_t>(node.array)];
    const bool axis = node.kind == Kind::Axis;
    const auto d = static_cast<std::size_t>(std::max(node.dimension, 0));
    switch (column) {
    case Name:
        if (axis)
            return node.name.empty() && !editing ? tr("dimension %1").arg(node.dimension)
                                                 : QString::fromStdString(node.name);
        return QString::fromStdString(editing ? written.path : node.name);
    case Axes:
        if (!axis)
            return QString::fromStdString(written.axes);
        return outcome.array ? QString::number(named::dataShape(*outcome.array)[d]) : QString();
    case Spec:
        if (axis)
            return named::axesList(m_arrays->tree(), *m_arrays->mesh(), node.name);
        if (outcome.problem && !outcome.layout)
            return words::describe(*outcome.problem).cause;
        return outcome.ignored ? tr("ignored") : QString::fromStdString(toColumn(outcome.spec));
    case LocalShape:
        if (!outcome.layout)
            return {};
        return axis ? QString::number(outcome.layout->shardShape()[d]) : words::shape(outcome.layout->shardShape());
    case Bytes:
        return axis || !outcome.layout ? QString() : words::bytes(static_cast<double>(outcome.bytesPerDevice));
    default:
        return {};
    }
}

QString NamedTreeModel::tip(const NamedNode& node) const
{
    if (node.kind == Kind::Group)
        return {};
    return named::outcomeText(m_arrays->outcomes()[static_cast<std::size_t>(node.array)]);
}

QVariant NamedTreeModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const NamedNode& at = node(index);
    const bool leaf = at.kind == Kind::Array || at.kind == Kind::Axis;
    const ArrayOutcome* outcome = leaf ? &m_arrays->outcomes()[static_cast<std::size_t>(at.array)] : nullptr;
    const bool wrong = at.kind == Kind::Array && outcome->problem;
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
    case Qt::EditRole:
        return text(at, column, role == Qt::EditRole);
    case Qt::ToolTipRole:
        return wrong || (outcome && (outcome->ignored || outcome->penzaiSpec)) ? QVariant(tip(at)) : QVariant();
    case Qt::DecorationRole:
        return column == Name && wrong ? QVariant(severityIcon(Severity::Error)) : QVariant();
    case Qt::ForegroundRole:
        if (column == Spec && wrong)
            return Theme::current().error;
        return at.kind == Kind::Axis ? QVariant(Theme::current().secondary) : QVariant();
    case Qt::TextAlignmentRole:
        return column >= LocalShape ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                    : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::AccessibleDescriptionRole:
        return wrong ? QVariant(tip(at)) : QVariant();
    case ChipsDelegate::AxesRole:
        return column == Spec && at.kind == Kind::Axis
            ? QVariant(named::axesOf(m_arrays->tree(), *m_arrays->mesh(), at.name))
            : QVariant();
    case ChipsDelegate::AxisIndicesRole:
        return column == Spec && at.kind == Kind::Axis ? QVariant(
                   named::axisIndices(named::axesOf(m_arrays->tree(), *m_arrays->mesh(), at.name), *m_arrays->mesh()))
                                                       : QVariant();
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
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (at.kind == Kind::Axis)
        flags |= Qt::ItemNeverHasChildren;
    const bool array = at.kind == Kind::Array, axis = at.kind == Kind::Axis && !at.name.empty();
    const bool mapped = axis && index.column() == Spec && !m_arrays->tree().sameNames;
    if (((array || axis) && index.column() <= Axes) || (at.kind == Kind::Axis && index.column() == Axes) || mapped)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool NamedTreeModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (!index.isValid() || role != Qt::EditRole)
        return false;
    const QString text = value.toString().trimmed();
    const NamedNode at = node(index); // the nodes are made anew by what follows
    if (text == this->text(at, index.column(), true))
        return false;
    return at.kind == Kind::Array ? setArray(at, index.column(), text)
        : at.kind == Kind::Axis   ? setAxis(at, index.column(), text)
                                  : false;
}

bool NamedTreeModel::setArray(const NamedNode& node, int column, const QString& text)
{
    NamedTree tree = m_arrays->tree();
    WrittenArray& written = tree.arrays[static_cast<std::size_t>(node.array)];
    if (column == Name) {
        if (text.isEmpty())
            return false;
        written.path = text.toStdString();
    } else if (column == Axes) {
        written.axes = text.toStdString();
    } else {
        return false;
    }
    m_arrays->setTree(std::move(tree));
    return true;
}

bool NamedTreeModel::setAxis(const NamedNode& node, int column, const QString& text)
{
    NamedTree tree = m_arrays->tree();
    if (column == Spec) {
        setMapping(tree, node.name, named::parseAxes(text));
        m_arrays->setTree(std::move(tree));
        return true;
    }
    const ArrayOutcome& outcome = m_arrays->outcomes()[static_cast<std::size_t>(node.array)];
    const auto* named = outcome.array ? std::get_if<NamedArray>(&*outcome.array) : nullptr;
    if (!named || text.isEmpty())
        return false;
    // The part of the text that is meant, as it is typed: what cannot be read is an error of the array.
    std::vector<std::string> parts;
    for (const std::int64_t size : named->positionalShape)
        parts.push_back(std::to_string(size));
    for (const NamedAxis& axis : named->namedAxes)
        parts.push_back(axis.name + ' ' + std::to_string(axis.size));
    const auto d = static_cast<std::size_t>(node.dimension);
    const std::size_t positional = named->positionalShape.size();
    if (d < positional)
        parts[d] = text.toStdString();
    else if (column == Name)
        parts[d] = text.toStdString() + ' ' + std::to_string(named->namedAxes[d - positional].size);
    else
        parts[d] = node.name + ' ' + text.toStdString();
    std::string written;
    for (const std::string& part : parts)
        written += (written.empty() ? "" : ", ") + part;
    tree.arrays[static_cast<std::size_t>(node.array)].axes = std::move(written);
    m_arrays->setTree(std::move(tree));
    return true;
}

} // namespace shardscope
