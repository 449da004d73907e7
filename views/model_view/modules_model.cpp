// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/modules_model.h"

#include <QStringList>
#include <algorithm>
#include <utility>

#include "analysis/parameter_coverage.h"
#include "analysis/select_modules.h"
#include "experiment/rule_lists.h"
#include "networks/chosen_parts.h"
#include "sharding/text.h"
#include "views/span_text/span_text.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/coverage_words.h"
#include "words/spec_text.h"
#include "words/utf8.h"

namespace shardscope {

namespace {

std::vector<TreeNode> placesOf(const ParameterTree& tree)
{
    std::vector<TreeNode> places(tree.nodes.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
        places[i].parent = tree.nodes[i].parent;
        places[i].children = tree.nodes[i].children;
        for (std::size_t k = 0; k < places[i].children.size(); ++k)
            places[static_cast<std::size_t>(places[i].children[k])].position = static_cast<int>(k);
    }
    return places;
}

bool sameItems(const ParameterTree& a, const ParameterTree& b)
{
    return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
        [](const ParameterNode& x, const ParameterNode& y) {
            return x.kind == y.kind && x.path == y.path && x.children == y.children;
        });
}

QString sizeText(std::int64_t size)
{
    return words::bytes(static_cast<double>(size));
}

} // namespace

ModulesModel::ModulesModel(QObject* parent)
    : ColumnTreeModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Module"), [this](int item) { return nameText(item); } },
        { tr("Parameters"), [this](int item) { return words::count(parameterNode(item).parameters); }, Look::Number,
            tr("Numbers that are trained") },
        { tr("Bytes"), [this](int item) { return sizeText(parameterNode(item).bytes); }, Look::Number,
            tr("Bytes of the full arrays") },
        { tr("Per device"), [this](int item) { return sizeText(parameterNode(item).bytesPerDevice); }, Look::Number,
            tr("Bytes that one device holds") },
        { tr("Shape"), [this](int item) { return extent(item); }, Look::Code,
            tr("Shape of the full array, and of the shard that one device holds") },
        { tr("Logical names"), [this](int item) { return names(item); }, Look::Plain,
            tr("Names of the dimensions, by which rules shard them") },
        { tr("Spec"), [this](int item) { return spec(item); }, Look::Plain,
            tr("Mesh axes that shard each dimension; - means not sharded") },
    });
    m_tree.nodes.emplace_back();
    m_nodes = placesOf(m_tree);
}

void ModulesModel::setSnapshot(SnapshotPtr snapshot)
{
    if (m_snapshot == snapshot)
        return;
    m_snapshot = std::move(snapshot);
    m_ownSpecs = OwnSpecs(m_snapshot);
    rebuild();
}

void ModulesModel::setFilter(const QString& filter)
{
    if (std::exchange(m_filter, filter) == filter)
        return;
    rebuild();
}

void ModulesModel::rebuild()
{
    ParameterTree tree;
    if (m_snapshot)
        tree = parameterTree(*m_snapshot, m_filter.toStdString());
    else
        tree.nodes.emplace_back();
    refill(sameItems(m_tree, tree), [&] {
        m_tree = std::move(tree);
        m_nodes = placesOf(m_tree);
    });
}

QModelIndex ModulesModel::find(const QString& path) const
{
    return indexOf(m_snapshot && !path.isEmpty() ? m_tree.find(*m_snapshot, path.toStdString()) : -1);
}

QString ModulesModel::path(const QModelIndex& index) const
{
    const TensorRow* tensor = index.isValid() ? row(itemOf(index)) : nullptr;
    return tensor ? words::fromStd(tensor->path) : QString();
}

const TensorRow* ModulesModel::row(int item) const
{
    const int number = parameterNode(item).row;
    return number >= 0 && m_snapshot ? &m_snapshot->tensors[static_cast<std::size_t>(number)] : nullptr;
}

QString ModulesModel::nameText(int item) const
{
    const ParameterNode& module = parameterNode(item);
    if (module.kind != ParameterNode::Kind::Repeated)
        return words::fromStd(module.name);
    return tr("%1 … %2 %3", "first layer, last layer, how many")
        .arg(words::fromStd(module.name), words::fromStd(module.last),
            words::copies(static_cast<qint64>(module.children.size())));
}

QString ModulesModel::extent(int item) const
{
    const TensorRow* tensor = row(item);
    if (!tensor)
        return {};
    const QString full = words::shape(tensor->type.shape);
    if (tensor->type.shape == tensor->layout.shardShape())
        return full;
    return tr("%1 → %2", "shape of the array, of a shard").arg(full, words::shape(tensor->layout.shardShape()));
}

QString ModulesModel::names(int item) const
{
    if (const QString constraint = constraintText(item); !constraint.isEmpty())
        return tr("output: %1", "what it is constrained to").arg(constraint);
    const TensorRow* tensor = row(item);
    if (!tensor)
        return {};
    QStringList list;
    for (const std::string& name : namesOfDimensions(*m_snapshot, *tensor))
        list << (name.empty() ? QStringLiteral("-") : words::fromStd(name));
    return list.join(QStringLiteral(", "));
}

QString ModulesModel::spec(int item) const
{
    const TensorRow* tensor = shownTensor(item);
    if (!tensor)
        return {};
    const QString text = words::specText(*tensor);
    const OwnSpec* own = m_ownSpecs.of(*tensor);
    return own ? QStringLiteral("%1   %2").arg(text, words::wasByRules(*own)) : text;
}

const TensorRow* ModulesModel::shownTensor(int item) const
{
    const int constrained = parameterNode(item).constrained;
    return constrained >= 0 && m_snapshot ? &m_snapshot->tensors[static_cast<std::size_t>(constrained)] : row(item);
}

QString ModulesModel::constraintText(int item) const
{
    const int index = parameterNode(item).constraint;
    const TransformerSettings* network = index >= 0 && m_snapshot ? transformerOf(*m_snapshot) : nullptr;
    return network ? words::fromStd(chosenAxesText(network->constraints[static_cast<std::size_t>(index)].axes))
                   : QString();
}

QModelIndexList ModulesModel::selected(const QString& selector) const
{
    QModelIndexList rows;
    for (const int node : selectModules(m_tree, selector.toStdString()))
        rows << indexOf(node);
    return rows;
}

bool ModulesModel::hasConstraint(const QModelIndex& index) const
{
    return index.isValid() && parameterNode(itemOf(index)).constraint >= 0;
}

bool ModulesModel::hasOwnSpec(const QModelIndex& index) const
{
    return index.isValid() && parameterNode(itemOf(index)).ownSpec >= 0;
}

QStringList ModulesModel::globs(const QModelIndexList& rows, bool arrays) const
{
    const TransformerSettings* network = m_snapshot ? transformerOf(*m_snapshot) : nullptr;
    if (!network)
        return {};
    std::vector<int> nodes;
    for (const QModelIndex& index : rows)
        if (index.column() == Module)
            nodes.push_back(itemOf(index));
    return words::texts(globsOf(m_tree, nodes, *network, arrays), &words::fromStd);
}

bool ModulesModel::canEdit(int item, int column) const
{
    return column == Spec && row(item) && transformerOf(*m_snapshot);
}

bool ModulesModel::edit(int item, int, const QString& typed)
{
    const bool isOwn = parameterNode(item).ownSpec >= 0;
    if (typed == cell(item, Spec, Qt::EditRole).toString() || (typed.isEmpty() && !isOwn))
        return false;
    Q_EMIT specTyped(words::fromStd(row(item)->path), typed);
    return true;
}

QString ModulesModel::toolTip(int item) const
{
    const ParameterNode& module = parameterNode(item);
    QStringList lines{ words::fromStd(module.path),
        tr("%1 parameters, %2, %3 per device")
            .arg(words::count(module.parameters), words::counted(module.bytes, words::Noun::Byte),
                words::counted(module.bytesPerDevice, words::Noun::Byte)) };
    if (const QString constraint = constraintText(item); !constraint.isEmpty())
        lines << tr("A constraint on its output: %1").arg(constraint);
    if (const TensorRow* tensor = row(item))
        if (const OwnSpec* own = m_ownSpecs.of(*tensor))
            lines << tr("Its own spec, chosen for %1; it %2.").arg(words::fromStd(own->at), words::wasByRules(*own));
    if (module.indivisible)
        lines << (module.kind == ParameterNode::Kind::Array
                ? tr("It does not divide, so no step can run.")
                : tr("An array below does not divide, so no step can run."));
    return plainTip(lines.join(QLatin1Char('\n')));
}

QVariant ModulesModel::cell(int item, int column, int role) const
{
    const ParameterNode& module = parameterNode(item);
    switch (role) {
    case Qt::ToolTipRole:
        return toolTip(item);
    case Qt::FontRole:
        return column == Spec ? QVariant(Metrics::fixed()) : QVariant();
    case SpansRole:
        return column == Spec && m_snapshot && m_snapshot->mesh
            ? QVariant::fromValue(axisSpans(text(item, column), m_snapshot->mesh->axisNames()))
            : QVariant();
    case Qt::EditRole:
        return column == Spec && row(item) ? QVariant(words::fromStd(toJax(row(item)->spec))) : QVariant();
    case Qt::DecorationRole:
        if (column == Names && module.constraint >= 0)
            return icon(QStringLiteral("lock"), IconColor::Accent);
        return column == Module && module.indivisible ? QVariant(severityIcon(Severity::Error)) : QVariant();
    case Qt::AccessibleTextRole:
        return column == Module && module.indivisible ? tr("%1, does not divide").arg(text(item, column))
                                                      : text(item, column);
    case PathRole:
        return row(item) ? words::fromStd(module.path) : QString();
    case KeyRole:
        return words::fromStd(module.path);
    default:
        return {};
    }
}

} // namespace shardscope
