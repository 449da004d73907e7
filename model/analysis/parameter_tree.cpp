// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/parameter_tree.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "experiment/rule_lists.h"
#include "networks/chosen_parts.h"
#include "program/path.h"
#include "program/types.h"

namespace shardscope {

namespace {

constexpr std::string_view parameterPrefix = "params/", constraintSuffix = "/constraint",
                           microbatchPrefix = "microbatches.";

std::string_view withoutPrefix(std::string_view path)
{
    if (path.starts_with(parameterPrefix))
        path.remove_prefix(parameterPrefix.size());
    return path;
}

std::vector<std::string_view> partsOf(std::string_view path)
{
    std::vector<std::string_view> parts;
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/')) {
        parts.push_back(path.substr(0, slash));
        path.remove_prefix(slash + 1);
    }
    parts.push_back(path);
    return parts;
}

std::string lowered(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return result;
}

/// "layers.12" is layer 12 of "layers", and so are "layers_12" and "block_12", as Flax counts; "wi_0" and "wi_1" are
/// two kernels that differ.
struct NumberedName {
    std::string_view base;
    std::int64_t number = -1; ///< -1: no number
};
NumberedName numbered(std::string_view name)
{
    const std::size_t end = name.find_last_of("._");
    if (end == std::string_view::npos || end == 0 || end + 1 == name.size())
        return { name, -1 };
    const std::string_view base = name.substr(0, end);
    if (name[end] == '_' && !base.ends_with("layer") && !base.ends_with("layers") && !base.ends_with("block")
        && !base.ends_with("blocks"))
        return { name, -1 };
    std::int64_t number = -1;
    const char* last = name.data() + name.size();
    const auto [at, error] = std::from_chars(name.data() + end + 1, last, number);
    if (error != std::errc() || at != last || number < 0)
        return { name, -1 };
    return { base, number };
}

class ParameterTreeBuilder {
public:
    explicit ParameterTreeBuilder(const Snapshot& snapshot)
        : m_snapshot(snapshot)
        , m_network(transformerOf(snapshot))
    {
        m_nodes.emplace_back();
    }

    void add(int row)
    {
        const TensorRow& tensor = m_snapshot.tensors[static_cast<std::size_t>(row)];
        const std::string_view inner = withoutPrefix(tensor.path);
        std::string path(std::string_view(tensor.path).substr(0, tensor.path.size() - inner.size()));
        const std::vector<std::string_view> parts = partsOf(inner);
        int parent = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i > 0)
                path += '/';
            path += parts[i];
            const bool isArray = i + 1 == parts.size();
            // An array beside a module of its name is a node of its own.
            const auto known = isArray ? m_modules.end() : m_modules.find({ parent, std::string(parts[i]) });
            if (known != m_modules.end()) {
                parent = known->second;
                continue;
            }
            const int id = append(parent, isArray ? ParameterNode::Kind::Array : ParameterNode::Kind::Module);
            node(id).name = parts[i];
            node(id).path = path;
            if (!isArray)
                m_modules.emplace(std::pair(parent, std::string(parts[i])), id);
            parent = id;
        }
        ParameterNode& array = node(parent);
        array.row = row;
        array.parameters = tensor.type.elementCount();
        array.bytes = tensor.bytesInAll;
        array.bytesPerDevice = tensor.bytesPerDevice;
        array.indivisible = tensor.indivisible;
        if (m_network)
            array.ownSpec = indexOf(m_network->parameterSpecs, tensor.path);
    }

    ParameterTree finish() &&
    {
        addConstraints();
        const int count = static_cast<int>(m_nodes.size());
        for (int id = 0; id < count; ++id) // from above: what is compared is not folded yet
            fold(id);
        sum(0);
        return { std::move(m_nodes) };
    }

private:
    ParameterNode& node(int id) { return m_nodes[static_cast<std::size_t>(id)]; }

    /// The one that counts for the path.
    static int indexOf(const std::vector<ChosenSharding>& chosen, std::string_view path)
    {
        const ChosenSharding* found = chosenFor(chosen, path);
        return found ? static_cast<int>(found - chosen.data()) : -1;
    }

    void addConstraints()
    {
        if (!m_network || m_network->constraints.empty())
            return;
        // Every microbatch has its own values; those of the first one stand for all.
        std::map<std::string_view, int> outputs;
        for (std::size_t i = 0; i < m_snapshot.tensors.size(); ++i) {
            std::string_view path = m_snapshot.tensors[i].path;
            if (!path.ends_with(constraintSuffix))
                continue;
            if (path.starts_with(microbatchPrefix))
                path.remove_prefix(path.find('/') + 1);
            outputs.emplace(path.substr(0, path.size() - constraintSuffix.size()), static_cast<int>(i));
        }
        const std::vector<std::string> modules = constrainableModules(*m_network);
        const std::set<std::string_view> known(modules.begin(), modules.end());
        for (ParameterNode& module : m_nodes) {
            const std::string_view path = withoutPrefix(module.path);
            if (module.kind != ParameterNode::Kind::Module || !known.contains(path))
                continue;
            module.constraint = indexOf(m_network->constraints, path);
            const auto output = outputs.find(path);
            if (module.constraint >= 0 && output != outputs.end())
                module.constrained = output->second;
        }
    }

    int append(int parent, ParameterNode::Kind kind)
    {
        const int id = static_cast<int>(m_nodes.size());
        ParameterNode added;
        added.kind = kind;
        added.parent = parent;
        m_nodes.push_back(std::move(added));
        if (parent >= 0)
            node(parent).children.push_back(id);
        return id;
    }

    /// Both hold equal arrays in equal places, whatever they are called themselves.
    bool alike(int first, int second)
    {
        const ParameterNode &a = node(first), &b = node(second);
        if (a.kind != b.kind)
            return false;
        if (a.kind == ParameterNode::Kind::Array) {
            const TensorRow& x = m_snapshot.tensors[static_cast<std::size_t>(a.row)];
            const TensorRow& y = m_snapshot.tensors[static_cast<std::size_t>(b.row)];
            return x.type == y.type && x.spec == y.spec && x.dimNames == y.dimNames
                && x.layout.shardShape() == y.layout.shardShape() && x.copies == y.copies
                && x.memoryKind == y.memoryKind && x.indivisible == y.indivisible && a.ownSpec == b.ownSpec;
        }
        return a.constraint == b.constraint
            && std::equal(a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
                [&](int x, int y) { return node(x).name == node(y).name && alike(x, y); });
    }

    /// Modules below `id` that are repeated get a node for all of them.
    void fold(int id)
    {
        const std::vector<int> before = std::exchange(node(id).children, {});
        std::vector<int> after;
        for (std::size_t i = 0; i < before.size();) {
            const std::string name = node(before[i]).name; // a copy: append() moves the nodes
            const NumberedName first = numbered(name);
            std::size_t end = i + 1;
            if (first.number >= 0 && node(before[i]).kind == ParameterNode::Kind::Module)
                while (end < before.size() && follows(first, static_cast<std::int64_t>(end - i), before[end])
                    && alike(before[i], before[end]))
                    ++end;
            if (end == i + 1) {
                after.push_back(before[i]);
            } else {
                const int all = append(-1, ParameterNode::Kind::Repeated);
                ParameterNode& repeated = node(all);
                repeated.parent = id;
                repeated.name = name;
                repeated.last = node(before[end - 1]).name;
                repeated.constraint = node(before[i]).constraint;
                repeated.constrained = node(before[i]).constrained;
                const std::string& path = node(before[i]).path;
                repeated.path = path.substr(0, path.size() - repeated.name.size()) + std::string(first.base)
                    + repeated.name[first.base.size()] + '*';
                for (std::size_t k = i; k < end; ++k) {
                    repeated.children.push_back(before[k]);
                    node(before[k]).parent = all;
                }
                after.push_back(all);
            }
            i = end;
        }
        node(id).children = std::move(after);
    }

    bool follows(const NumberedName& first, std::int64_t steps, int next)
    {
        const NumberedName other = numbered(node(next).name);
        return other.base == first.base && other.number == first.number + steps;
    }

    void sum(int id)
    {
        const std::vector<int> children = node(id).children;
        for (const int child : children) {
            sum(child);
            ParameterNode& own = node(id);
            const ParameterNode& below = node(child);
            own.parameters = saturatingSum(own.parameters, below.parameters);
            own.bytes = saturatingSum(own.bytes, below.bytes);
            own.bytesPerDevice = saturatingSum(own.bytesPerDevice, below.bytesPerDevice);
            own.indivisible = own.indivisible || below.indivisible;
        }
    }

    const Snapshot& m_snapshot;
    const TransformerSettings* m_network;
    std::vector<ParameterNode> m_nodes;
    std::map<std::pair<int, std::string>, int> m_modules; ///< by their place
};

struct KindRow {
    ModuleKind kind;
    std::string_view name;
    std::array<std::string_view, 4> within; ///< of which the name of a part has one
};
constexpr std::array kindTable{
    KindRow{ ModuleKind::Attention, "attention", { "attention", "attn", "attention", "attn" } },
    KindRow{ ModuleKind::Mlp, "mlp", { "mlp", "feed_forward", "feedforward", "ffn" } },
    KindRow{ ModuleKind::Experts, "experts", { "expert", "moe", "expert", "moe" } },
    KindRow{ ModuleKind::Norm, "norm", { "norm", "ln_", "norm", "norm" } },
    KindRow{ ModuleKind::Embedding, "embedding", { "embed", "wte", "wpe", "embed" } },
    KindRow{ ModuleKind::Logits, "logits", { "logits", "lm_head", "logits", "logits" } },
};
static_assert(kindTable.size() == moduleKindCount);

const KindRow& kindRow(ModuleKind kind)
{
    return kindTable[static_cast<std::size_t>(kind)];
}

} // namespace

bool isOfKind(std::string_view part, ModuleKind kind)
{
    const std::string name = lowered(part);
    const auto has = [&](ModuleKind wanted) {
        const auto& within = kindRow(wanted).within;
        return std::any_of(
            within.begin(), within.end(), [&](std::string_view word) { return name.find(word) != std::string::npos; });
    };
    // Norms are called after what they stand before.
    return has(kind) && (kind == ModuleKind::Norm || !has(ModuleKind::Norm));
}

std::string_view moduleKindName(ModuleKind kind)
{
    return kindRow(kind).name;
}

std::optional<ModuleKind> parseModuleKind(std::string_view name)
{
    const std::string wanted = lowered(name);
    for (const KindRow& row : kindTable)
        if (row.name == wanted)
            return row.kind;
    return std::nullopt;
}

bool choosesParameter(std::string_view filter, std::string_view path)
{
    while (filter.starts_with(' '))
        filter.remove_prefix(1);
    while (filter.ends_with(' ') || filter.ends_with('/'))
        filter.remove_suffix(1);
    if (filter.empty())
        return true;
    const std::string_view inner = withoutPrefix(path);
    if (const std::optional<ModuleKind> kind = parseModuleKind(filter)) {
        const std::vector<std::string_view> parts = partsOf(inner);
        return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) { return isOfKind(part, *kind); });
    }
    if (filter.find_first_of("*?") == std::string_view::npos)
        return lowered(path).find(lowered(filter)) != std::string::npos;
    const std::string_view glob = withoutPrefix(filter);
    for (std::size_t end = inner.find('/'); end != std::string_view::npos; end = inner.find('/', end + 1))
        if (globMatches(glob, inner.substr(0, end)))
            return true;
    return globMatches(glob, inner);
}

int ParameterTree::find(const Snapshot& snapshot, std::string_view path) const
{
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (nodes[i].row >= 0 && snapshot.tensors[static_cast<std::size_t>(nodes[i].row)].path == path)
            return static_cast<int>(i);
    return -1;
}

std::optional<PartByItself> partByItself(const TransformerSettings& network, const Value& value)
{
    std::string_view path = *value.path;
    if (value.role == Role::Parameter && !value.definition.valid()) {
        path = networkPartPath(path);
        return PartByItself{ path, false, chosenFor(network.parameterSpecs, path) };
    }
    if (path.starts_with(microbatchPrefix))
        path.remove_prefix(path.find('/') + 1);
    if (!path.ends_with(constraintSuffix))
        return std::nullopt;
    path.remove_suffix(constraintSuffix.size());
    return PartByItself{ path, true, chosenFor(network.constraints, path) };
}

const TransformerSettings* transformerOf(const Snapshot& snapshot)
{
    const auto* model = snapshot.experiment ? std::get_if<TransformerModel>(&snapshot.experiment->model) : nullptr;
    return model ? &model->settings.model : nullptr;
}

ParameterTree parameterTree(const Snapshot& snapshot, std::string_view filter)
{
    ParameterTreeBuilder builder(snapshot);
    for (std::size_t i = 0; i < snapshot.tensors.size(); ++i) {
        const TensorRow& row = snapshot.tensors[i];
        if (isParameter(snapshot, row) && choosesParameter(filter, row.path))
            builder.add(static_cast<int>(i));
    }
    return std::move(builder).finish();
}

bool isParameter(const Snapshot& snapshot, const TensorRow& row)
{
    return row.role == Role::Parameter && !snapshot.program->value(row.value).definition.valid();
}

const LogicalNames* logicalNamesOf(const Snapshot& snapshot, const TensorRow& row)
{
    if (!snapshot.annotations)
        return nullptr;
    const std::vector<ResolvedAnnotation>& arguments = snapshot.annotations->arguments;
    const auto found = std::find_if(arguments.begin(), arguments.end(),
        [&](const ResolvedAnnotation& annotation) { return annotation.value == row.value; });
    const auto* logical = found == arguments.end() ? nullptr : std::get_if<LogicalAxes>(&found->declared);
    return logical ? &logical->names : nullptr;
}

std::vector<std::string> namesOfDimensions(const Snapshot& snapshot, const TensorRow& row)
{
    const LogicalNames* logical = logicalNamesOf(snapshot, row);
    if (!logical)
        return row.dimNames;
    std::vector<std::string> names;
    for (const LogicalName& name : *logical)
        names.push_back(name.name);
    return names;
}

} // namespace shardscope
