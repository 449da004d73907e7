// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/tensor_tree.h"

#include <QCollator>
#include <QStringList>
#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "experiment/rule_lists.h"
#include "pipeline/memory_placement.h"
#include "program/types.h"
#include "sharding/text.h"
#include "words/memory_words.h"
#include "words/optimizer_words.h"
#include "words/spec_text.h"
#include "words/tensor_path.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope {

using namespace Qt::StringLiterals;

namespace {

struct LayerRows {
    QString layers;
    std::int64_t number = -1;
    std::vector<int> rows; ///< into Snapshot::tensors
};

bool accepts(
    const TensorRow& row, const words::TensorPath& parts, const QString& group, const QStringList& wordsOfFilter)
{
    if (wordsOfFilter.isEmpty())
        return true;
    QString hay =
        words::fromStd(row.path) + u' ' + parts.leaf + u' ' + group + u' ' + words::fromStd(toColumn(row.spec));
    if (parts.layer >= 0)
        hay += u' ' + TensorTree::tr("Layer %1").arg(parts.layer);
    for (const std::string& name : row.dimNames)
        hay += u' ' + words::fromStd(name);
    if (row.memoryKind)
        hay += u' ' + words::memoryKind(*row.memoryKind);
    return std::all_of(wordsOfFilter.begin(), wordsOfFilter.end(),
        [&](const QString& word) { return hay.contains(word, Qt::CaseInsensitive); });
}

/// What is on screen of two rows is the same, their layer aside.
bool looksLike(const TensorRow& a, const TensorRow& b)
{
    return words::parseTensorPath(a.path).leaf == words::parseTensorPath(b.path).leaf && a.type == b.type
        && a.spec == b.spec && a.layout.shardShape() == b.layout.shardShape() && a.bytesPerDevice == b.bytesPerDevice
        && a.copies == b.copies && a.dimNames == b.dimNames && a.indivisible == b.indivisible
        && a.memoryKind == b.memoryKind;
}

bool looksLike(const Snapshot& snapshot, const LayerRows& a, const LayerRows& b)
{
    return a.layers == b.layers
        && std::equal(a.rows.begin(), a.rows.end(), b.rows.begin(), b.rows.end(), [&](int x, int y) {
               return looksLike(
                   snapshot.tensors[static_cast<std::size_t>(x)], snapshot.tensors[static_cast<std::size_t>(y)]);
           });
}

class TreeBuilder {
public:
    TreeBuilder(const Snapshot& snapshot, TensorTree& tree)
        : m_snapshot(snapshot)
        , m_nodes(tree.nodes)
    {
        m_nodes.push_back({});
    }

    int add(int parent, TensorNode::Kind kind, const QString& key, const QString& name)
    {
        const int id = static_cast<int>(m_nodes.size());
        TensorNode node;
        node.kind = kind;
        node.parent = parent;
        node.name = name;
        TensorNode& above = m_nodes[static_cast<std::size_t>(parent)];
        node.key = parent == 0 ? key : QString(above.key + u'/' + key);
        node.position = static_cast<int>(above.children.size());
        above.children.push_back(id);
        m_nodes.push_back(std::move(node));
        return id;
    }

    /// Rows of one kind: those without a layer as they stand, layers in order of their numbers, folded where equal.
    void addRows(int parent, const std::vector<int>& rows)
    {
        std::vector<LayerRows> runs; // single rows have number -1
        for (const int row : rows) {
            const words::TensorPath parts =
                words::parseTensorPath(m_snapshot.tensors[static_cast<std::size_t>(row)].path);
            auto run = parts.layer < 0 ? runs.end() : std::find_if(runs.begin(), runs.end(), [&](const LayerRows& r) {
                return r.number == parts.layer && r.layers == parts.layers;
            });
            if (run == runs.end())
                run = runs.insert(runs.end(), { parts.layers, parts.layer, {} });
            run->rows.push_back(row);
        }
        sortLayers(runs);
        std::vector<Named> others; // without a layer
        for (const LayerRows& run : runs)
            if (run.number < 0)
                others.push_back(named(run.rows.front()));
        const bool nests = others.size() > maxFlat; // then they stand where the first of them does
        for (std::size_t i = 0; i < runs.size();) {
            if (runs[i].number < 0) {
                if (nests)
                    addPaths(parent, std::exchange(others, {}));
                else
                    addTensor(parent, named(runs[i].rows.front()));
                ++i;
                continue;
            }
            addLayer(parent, runs[i]);
            std::size_t end = i + 1;
            while (end < runs.size() && runs[end].number == runs[end - 1].number + 1
                && looksLike(m_snapshot, runs[i], runs[end]))
                ++end;
            if (end - i >= 3) {
                const QString from = QString::number(runs[i + 1].number), to = QString::number(runs[end - 1].number);
                const int folded = add(parent, TensorNode::Kind::Folded, runs[i].layers + u".fold"_s,
                    TensorTree::tr("Layers %1–%2").arg(from, to));
                for (std::size_t k = i + 1; k < end; ++k)
                    addLayer(folded, runs[k]);
                i = end;
            } else {
                ++i;
            }
        }
    }

    /// Bytes, copies and specs of everything above the tensors.
    void sum(int id)
    {
        const std::vector<int> children = m_nodes[static_cast<std::size_t>(id)].children;
        for (const int child : children)
            sum(child);
        if (children.empty())
            return;
        TensorNode& node = m_nodes[static_cast<std::size_t>(id)];
        const TensorNode& first = m_nodes[static_cast<std::size_t>(children.front())];
        node.copies = first.copies;
        node.spec = first.spec;
        node.everywhere = first.everywhere;
        node.onHost = first.onHost;
        for (const int child : children) {
            const TensorNode& below = m_nodes[static_cast<std::size_t>(child)];
            node.bytes = saturatingSum(node.bytes, below.bytes);
            node.hostBytes = saturatingSum(node.hostBytes, below.hostBytes);
            node.onHost = node.onHost && below.onHost;
            node.copies = node.copies == below.copies ? node.copies : 0;
            node.everywhere = node.everywhere && below.everywhere;
            node.padded = node.padded || below.padded;
            node.indivisible = node.indivisible || below.indivisible;
            if (node.spec != below.spec)
                node.spec.clear();
        }
    }

private:
    /// Layers of one stack stand together, where its first layer appeared, in order of their numbers.
    static void sortLayers(std::vector<LayerRows>& runs)
    {
        std::map<QString, std::size_t> first;
        std::vector<std::size_t> rank(runs.size());
        for (std::size_t i = 0; i < runs.size(); ++i)
            rank[i] = runs[i].number < 0 ? i : first.try_emplace(runs[i].layers, i).first->second;
        std::vector<std::size_t> order(runs.size());
        std::iota(order.begin(), order.end(), std::size_t{ 0 });
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(rank[a], runs[a].number) < std::pair(rank[b], runs[b].number);
        });
        std::vector<LayerRows> sorted;
        sorted.reserve(runs.size());
        for (const std::size_t i : order)
            sorted.push_back(std::move(runs[i]));
        runs = std::move(sorted);
    }

    void addLayer(int parent, const LayerRows& layer)
    {
        const qsizetype slash = layer.layers.lastIndexOf(u'/');
        const QString stack = layer.layers.mid(slash + 1);
        QString name = stack == u"layers"_s ? TensorTree::tr("Layer %1").arg(layer.number)
                                            : QString(stack + u' ' + QString::number(layer.number));
        if (slash > 0)
            name = layer.layers.left(slash) + u" / "_s + name;
        const int id = add(parent, TensorNode::Kind::Layer, layer.layers + u'.' + QString::number(layer.number), name);
        std::vector<Named> tensors;
        for (const int row : layer.rows)
            tensors.push_back(named(row));
        addPaths(id, tensors);
    }

    struct Named {
        int row = 0;
        QString name; ///< what is left of its path: "mlp/wo/kernel"
    };
    static constexpr std::size_t maxFlat = 8; ///< so many names below each other are read without parts

    [[nodiscard]] Named named(int row) const
    {
        // A value that a text numbers is called as everywhere else: "%arg0".
        const std::string& path = m_snapshot.tensors[static_cast<std::size_t>(row)].path;
        const QString leaf = words::parseTensorPath(path).leaf;
        return { row, leaf == words::fromStd(path) ? words::tensorName(path) : leaf };
    }

    /// Few as they stand. Of many, those whose names begin with the same part below that part; the parts that all of
    /// them have in common are one node.
    void addPaths(int parent, const std::vector<Named>& tensors)
    {
        if (tensors.size() <= maxFlat) {
            for (const Named& tensor : tensors)
                addTensor(parent, tensor);
            return;
        }
        const auto firstPart = [](const QString& name) {
            return name.left(std::max(name.indexOf(u'/'), qsizetype{ 0 }));
        };
        std::unordered_map<QString, std::vector<Named>> below;
        for (const Named& tensor : tensors)
            if (const QString part = firstPart(tensor.name); !part.isEmpty())
                below[part].push_back({ tensor.row, tensor.name.mid(part.size() + 1) });
        for (const Named& tensor : tensors) {
            const auto found = below.find(firstPart(tensor.name));
            if (found == below.end() || found->second.size() == 1) {
                addTensor(parent, tensor);
                continue;
            }
            std::vector<Named> inside = std::exchange(found->second, {});
            if (inside.empty()) // added with the first of them
                continue;
            QString name = found->first;
            for (QString next = firstPart(inside.front().name); !next.isEmpty()
                 && std::all_of(
                     inside.begin(), inside.end(), [&](const Named& each) { return firstPart(each.name) == next; });
                 next = firstPart(inside.front().name)) {
                name += u" / "_s + next;
                for (Named& each : inside)
                    each.name.remove(0, next.size() + 1);
            }
            addPaths(add(parent, TensorNode::Kind::Part, name, name), inside);
        }
    }

    void addTensor(int parent, const Named& tensor)
    {
        const TensorRow& row = m_snapshot.tensors[static_cast<std::size_t>(tensor.row)];
        const int id = add(parent, TensorNode::Kind::Tensor, words::fromStd(row.path), tensor.name);
        TensorNode& node = m_nodes[static_cast<std::size_t>(id)];
        node.row = tensor.row;
        node.onHost = isOnHost(m_snapshot, row);
        (node.onHost ? node.hostBytes : node.bytes) = row.bytesPerDevice;
        node.copies = row.copies;
        node.spec = words::specText(row);
        node.padded = row.layout.isUneven();
        node.indivisible = row.indivisible;
        node.everywhere =
            m_snapshot.mesh && m_snapshot.mesh->deviceCount() > 1 && row.copies == m_snapshot.mesh->deviceCount();
    }

    const Snapshot& m_snapshot;
    std::vector<TensorNode>& m_nodes;
};

} // namespace

TensorGroup groupOf(Role role, bool hasParameters)
{
    switch (role) {
    case Role::Parameter:
        return TensorGroup::Parameters;
    case Role::Gradient:
        return TensorGroup::Gradients;
    case Role::Mu:
    case Role::Nu:
    case Role::Master:
        return TensorGroup::Moments;
    case Role::Count:
    case Role::Step:
        return TensorGroup::Counters;
    case Role::Input:
        return hasParameters ? TensorGroup::Activations : TensorGroup::Inputs;
    case Role::Constant:
        return hasParameters ? TensorGroup::Activations : TensorGroup::Constants;
    case Role::Activation:
    case Role::Loss:
    case Role::Temporary:
        break;
    }
    return TensorGroup::Activations;
}

QString TensorTree::groupName(TensorGroup group, const Experiment* experiment)
{
    switch (group) {
    case TensorGroup::Parameters:
        return tr("Parameters");
    case TensorGroup::Inputs:
        return tr("Inputs");
    case TensorGroup::Gradients:
        return tr("Gradients");
    case TensorGroup::Moments:
        return experiment ? words::optimizerState(*experiment) : tr("Optimizer state");
    case TensorGroup::Activations:
        return tr("Activations");
    case TensorGroup::Constants:
        return tr("Constants");
    case TensorGroup::Counters:
        return tr("Step, count");
    }
    return {};
}

TensorTree TensorTree::build(const Snapshot& snapshot, const TensorFilter& filter)
{
    const QStringList filterWords = filter.text.simplified().split(u' ', Qt::SkipEmptyParts);
    std::array<std::vector<int>, tensorGroupCount> groups;
    std::vector<int> mu, nu, master;
    const bool hasParameters = std::any_of(snapshot.tensors.begin(), snapshot.tensors.end(),
        [](const TensorRow& row) { return row.role == Role::Parameter; });
    for (std::size_t i = 0; i < snapshot.tensors.size(); ++i) {
        const TensorRow& row = snapshot.tensors[i];
        // A new value lies where the old one lay and looks the same.
        if (row.path.starts_with("next("))
            continue;
        const TensorGroup group = groupOf(row.role, hasParameters);
        if ((filter.group && *filter.group != group)
            || !accepts(
                row, words::parseTensorPath(row.path), groupName(group, snapshot.experiment.get()), filterWords))
            continue;
        groups[static_cast<std::size_t>(group)].push_back(static_cast<int>(i));
        if (group == TensorGroup::Moments)
            (row.role == Role::Mu ? mu : row.role == Role::Nu ? nu : master).push_back(static_cast<int>(i));
    }

    TensorTree tree;
    TreeBuilder builder(snapshot, tree);
    static constexpr std::array<QLatin1StringView, tensorGroupCount> keys{ "Parameters"_L1, "Inputs"_L1, "Gradients"_L1,
        "Moments"_L1, "Activations"_L1, "Constants"_L1, "Counters"_L1 };
    for (std::size_t g = 0; g < tensorGroupCount; ++g) {
        if (groups[g].empty())
            continue;
        const auto group = static_cast<TensorGroup>(g);
        const int id = builder.add(0, TensorNode::Kind::Group, keys[g], groupName(group, snapshot.experiment.get()));
        if (group != TensorGroup::Moments) {
            builder.addRows(id, groups[g]);
            continue;
        }
        const auto addPart = [&](const QString& key, const QString& title, const std::vector<int>& rows) {
            if (!rows.empty())
                builder.addRows(builder.add(id, TensorNode::Kind::Part, key, title), rows);
        };
        addPart(u"mu"_s, tr("%1, first moments").arg(words::optimizerArrays(*snapshot.program, Role::Mu)), mu);
        addPart(u"nu"_s, tr("%1, second moments").arg(words::optimizerArrays(*snapshot.program, Role::Nu)), nu);
        addPart(u"master"_s, tr("master weights"), master);
    }
    builder.sum(0);
    return tree;
}

void TensorTree::sort(const Snapshot& snapshot, TensorColumn column, bool descending)
{
    QCollator collator;
    collator.setNumericMode(true);
    collator.setCaseSensitivity(Qt::CaseInsensitive);
    const auto elements = [&](const TensorNode& node) {
        return node.row < 0 ? std::int64_t{ 0 }
                            : snapshot.tensors[static_cast<std::size_t>(node.row)].type.elementCount();
    };
    const auto less = [&](int first, int second) {
        const TensorNode& a = nodes[static_cast<std::size_t>(descending ? second : first)];
        const TensorNode& b = nodes[static_cast<std::size_t>(descending ? first : second)];
        switch (column) {
        case TensorColumn::Name:
            return collator.compare(a.name, b.name) < 0;
        case TensorColumn::Extent:
            return elements(a) < elements(b);
        case TensorColumn::Spec:
            return a.spec < b.spec;
        case TensorColumn::Bytes:
            return saturatingSum(a.bytes, a.hostBytes) < saturatingSum(b.bytes, b.hostBytes);
        case TensorColumn::Copies:
            return a.copies < b.copies;
        }
        return false;
    };
    for (TensorNode& node : nodes) {
        std::stable_sort(node.children.begin(), node.children.end(), less);
        for (std::size_t i = 0; i < node.children.size(); ++i)
            nodes[static_cast<std::size_t>(node.children[i])].position = static_cast<int>(i);
    }
}

int TensorTree::find(const Snapshot& snapshot, std::string_view path) const
{
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].row >= 0 && snapshot.tensors[static_cast<std::size_t>(nodes[i].row)].path == path)
            return static_cast<int>(i);
    return -1;
}

bool TensorTree::sameStructure(const TensorTree& other) const
{
    return std::equal(nodes.begin(), nodes.end(), other.nodes.begin(), other.nodes.end(),
        [](const TensorNode& a, const TensorNode& b) {
            return a.kind == b.kind && a.key == b.key && a.children == b.children;
        });
}

} // namespace shardscope
