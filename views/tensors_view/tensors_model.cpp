// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/tensors_view/tensors_model.h"

#include <algorithm>

#include "program/roles.h"
#include "sharding/text.h"
#include "views/span_text/span_text.h"
#include "views/theme/icons.h"
#include "views/theme/theme.h"
#include "views/widgets/plain_tip.h"
#include "words/memory_words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

TensorColumn columnOf(int section)
{
    return static_cast<TensorColumn>(section);
}

/// "1 MiB"; "16 MiB + 8 MiB host" above rows of both kinds.
QString bytesText(const TensorNode& item)
{
    const QString host = words::bytes(static_cast<double>(item.hostBytes));
    if (item.onHost)
        return host;
    const QString own = words::bytes(static_cast<double>(item.bytes));
    return item.hostBytes == 0 ? own : TensorsModel::tr("%1 + %2 host", "on the device, on the host").arg(own, host);
}

} // namespace

TensorsModel::TensorsModel(QObject* parent)
    : ColumnTreeModel(parent)
{
    using Look = ModelColumn::Look;
    setColumns({
        { tr("Name"), [this](int item) { return node(item).name; } },
        { tr("Shape, global → local"), [this](int item) { return extent(node(item)); }, Look::Code,
            tr("Shape of the full array, and of the shard that one device holds") },
        { tr("Spec"),
            [this](int item) {
                return node(item).kind == TensorNode::Kind::Folded ? tr("same, folded") : node(item).spec;
            },
            Look::Plain, tr("Mesh axes that shard each dimension; - means not sharded") },
        { tr("Per device"), [this](int item) { return bytesText(node(item)); }, Look::Number,
            tr("Bytes that one device holds") },
        { tr("Copies"),
            [this](int item) { return node(item).copies > 0 ? words::copies(node(item).copies) : QString(); },
            Look::Number, tr("Devices that hold the same shard") },
    });
    m_tree.nodes.emplace_back();
}

void TensorsModel::setSnapshot(SnapshotPtr snapshot)
{
    if (m_snapshot == snapshot)
        return;
    m_snapshot = std::move(snapshot);
    rebuild();
}

void TensorsModel::setFilter(const TensorFilter& filter)
{
    if (m_filter == filter)
        return;
    m_filter = filter;
    rebuild();
}

void TensorsModel::rebuild()
{
    TensorTree tree;
    if (m_snapshot) {
        tree = TensorTree::build(*m_snapshot, m_filter);
        if (m_sortColumn >= 0)
            tree.sort(*m_snapshot, columnOf(m_sortColumn), m_sortOrder == Qt::DescendingOrder);
    } else {
        tree.nodes.emplace_back();
    }
    refill(m_tree.sameStructure(tree), [&] { m_tree = std::move(tree); });
}

void TensorsModel::sort(int column, Qt::SortOrder order)
{
    m_sortColumn = column;
    m_sortOrder = order;
    rebuild();
}

const TensorRow* TensorsModel::row(const TensorNode& node) const
{
    return node.row >= 0 && m_snapshot ? &m_snapshot->tensors[static_cast<std::size_t>(node.row)] : nullptr;
}

QModelIndex TensorsModel::find(const QString& path) const
{
    const int id = m_snapshot && !path.isEmpty() ? m_tree.find(*m_snapshot, path.toStdString()) : -1;
    return indexOf(id);
}

QModelIndex TensorsModel::findKey(const QString& key) const
{
    for (std::size_t i = 1; i < m_tree.nodes.size(); ++i)
        if (m_tree.nodes[i].key == key)
            return indexOf(static_cast<int>(i));
    return {};
}

QString TensorsModel::path(const QModelIndex& index) const
{
    const TensorRow* tensor = index.isValid() ? row(node(itemOf(index))) : nullptr;
    return tensor ? QString::fromStdString(tensor->path) : QString();
}

words::Text TensorsModel::specSpans(const TensorNode& item) const
{
    return axisSpans(
        item.spec, m_snapshot && m_snapshot->mesh ? m_snapshot->mesh->axisNames() : std::vector<std::string>());
}

QString TensorsModel::extent(const TensorNode& item) const
{
    const TensorRow* tensor = row(item);
    if (!tensor)
        return {};
    if (tensor->type.shape == tensor->layout.shardShape())
        return words::shape(tensor->type.shape);
    return words::shape(tensor->type.shape) + u" → "_s + words::shape(tensor->layout.shardShape());
}

/// Whether the role of an argument or a result is a guess, or chosen; "" where the program says so.
QString TensorsModel::roleSource(const Snapshot& snapshot, ValueId value)
{
    if (!snapshot.source->guessesRoles && snapshot.experiment->run.roles.empty())
        return {};
    const Program& program = *snapshot.program;
    const Region& main = program.main();
    const std::string& path = program.value(value).path;
    const std::vector<ChosenRole>& chosen = snapshot.experiment->run.roles;
    std::optional<std::size_t> choice;
    const auto result = std::find(main.results.begin(), main.results.end(), value);
    if (std::find(main.arguments.begin(), main.arguments.end(), value) != main.arguments.end())
        choice = roleChoice(chosen, "arg", program.value(value).index, path);
    else if (result != main.results.end())
        choice = roleChoice(chosen, "result", static_cast<std::size_t>(result - main.results.begin()), path);
    else
        return {};
    const QString role = words::role(program.value(value).role);
    return choice ? tr("%1, as chosen.", "role").arg(role)
                  : tr("%1: guessed from its name or its place in the state.", "role").arg(role);
}

QString TensorsModel::toolTip(const TensorNode& item) const
{
    const auto perDevice = [](std::int64_t bytes) {
        return tr("%1 per device").arg(words::counted(bytes, words::Noun::Byte));
    };
    QString exact = item.onHost ? tr("%1, in host memory").arg(perDevice(item.hostBytes)) : perDevice(item.bytes);
    if (!item.onHost && item.hostBytes > 0)
        exact += u'\n' + tr("%1, in host memory").arg(perDevice(item.hostBytes));
    const TensorRow* tensor = row(item);
    if (!tensor)
        return plainTip(item.name + u'\n' + exact);
    QStringList lines{ QString::fromStdString(tensor->path) };
    // Names do not say what a value is: h and y of a layer differ by a relu.
    if (const QString of = words::definition(*m_snapshot->program, tensor->value); !of.isEmpty())
        lines << of;
    lines << QStringList{ QString::fromStdString(toJax(tensor->spec)) + u",  "_s + extent(item), exact };
    if (const QString role = roleSource(*m_snapshot, tensor->value); !role.isEmpty())
        lines << role;
    if (item.everywhere)
        lines << tr("Every device holds all of it.");
    else if (tensor->copies > 1)
        lines << tr("Each shard is held by %1.").arg(words::counted(tensor->copies, words::Noun::Device));
    else
        lines << tr("Each shard is held once.");
    lines << words::padding(*tensor);
    if (const words::Text memory = words::memoryReason(*m_snapshot, tensor->value); !memory.empty())
        lines << words::plain(memory);
    if (item.indivisible)
        lines << tr("It does not divide, so no step can run.");
    return plainTip(lines.join(u'\n'));
}

QString TensorsModel::mark(const TensorNode& item)
{
    if (item.padded && item.onHost)
        return tr("PAD, HOST", "the array is padded, and lies in host memory");
    if (item.padded) // groups too: whoever has the rows folded finds them
        return tr("PAD", "the array is padded");
    if (item.onHost)
        return tr("HOST", "the array lies in host memory");
    return item.everywhere && item.kind == TensorNode::Kind::Tensor ? tr("ALL") : QString();
}

QVariant TensorsModel::cell(int id, int column, int role) const
{
    const TensorNode& item = node(id);
    const TensorRow* tensor = row(item);
    const bool name = column == static_cast<int>(TensorColumn::Name);
    const bool spec = column == static_cast<int>(TensorColumn::Spec);
    const bool folded = item.kind == TensorNode::Kind::Folded;
    switch (role) {
    case Qt::ToolTipRole:
        return toolTip(item);
    case Qt::FontRole:
        if (spec && !folded)
            return Metrics::fixed();
        return name && item.kind == TensorNode::Kind::Group ? QVariant(Metrics::semibold()) : QVariant();
    case SpansRole:
        return !spec ? QVariant()
            : folded ? QVariant::fromValue(words::Text{ { text(id, column), words::Span::Style::Plain, -1 } })
                     : QVariant::fromValue(specSpans(item));
    case Qt::AccessibleTextRole:
        if (column == static_cast<int>(TensorColumn::Copies) && item.everywhere)
            return tr("%1, all devices").arg(text(id, column));
        if (name && item.indivisible)
            return tr("%1, does not divide").arg(item.name);
        if (spec && (item.padded || item.onHost))
            return (item.padded && item.onHost ? tr("%1, padded, in host memory")
                    : item.padded              ? tr("%1, padded")
                                               : tr("%1, in host memory"))
                .arg(text(id, column));
        return text(id, column);
    case PathRole:
        return tensor ? QString::fromStdString(tensor->path) : QString();
    case KeyRole:
        return item.key;
    case KindRole:
        return static_cast<int>(item.kind);
    case MarkRole:
        return mark(item);
    case Qt::DecorationRole:
        if (name && item.indivisible && item.kind == TensorNode::Kind::Tensor)
            return severityIcon(Severity::Error);
        return {};
    case WrongRole:
        return item.indivisible;
    case QuietRole:
        return spec && folded;
    default:
        return {};
    }
}

TensorColumnWidths TensorColumnWidths::fit(int width, const TensorColumnWidths& wanted, int shortName)
{
    TensorColumnWidths result = wanted;
    result.shape = 0;
    const int others = wanted.spec + wanted.bytes + wanted.copies;
    if (width - others - wanted.shape >= wanted.name) {
        result.shape = wanted.shape;
        result.name = width - others - wanted.shape;
        return result;
    }
    // Numbers are never shortened. Copies go first, then specs give way, then names; after that the table scrolls.
    int rest = width - wanted.bytes;
    if (rest < shortName + wanted.spec + wanted.copies)
        result.copies = 0;
    rest -= result.copies;
    const int minimumSpec = std::min(wanted.spec, shortName * 7 / 10);
    result.spec = std::clamp(rest - shortName, minimumSpec, wanted.spec);
    result.name = std::max(rest - result.spec, shortName * 3 / 5);
    return result;
}

} // namespace shardscope
