// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/select_modules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "analysis/parameter_coverage.h"
#include "experiment/rule_lists.h"
#include "networks/chosen_parts.h"
#include "networks/chosen_sharding.h"

namespace shardscope {

namespace {

std::string_view withoutSpaces(std::string_view text)
{
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' ') || text.ends_with('/'))
        text.remove_suffix(1);
    return text;
}

/// "layers.*/attention" of "layers.*.attention": numbers of layers stay after their dot.
std::string withSlashes(std::string_view text)
{
    std::string result(text);
    for (std::size_t i = 0; i < result.size(); ++i) {
        const bool ofLayer = i + 1 < result.size()
            && (result[i + 1] == '*' || result[i + 1] == '?' || (result[i + 1] >= '0' && result[i + 1] <= '9'));
        if (result[i] == '.' && !ofLayer)
            result[i] = '/';
    }
    return result;
}

/// Whether a glob or a path fits a path, or the last parts of it.
bool fitsEnd(std::string_view glob, std::string_view path)
{
    return selects(glob, path) || selects(std::string("**/").append(glob), path);
}

class ModuleSelector {
public:
    explicit ModuleSelector(std::string_view text)
    {
        const std::size_t slash = text.rfind('/');
        m_kind = parseModuleKind(text.substr(slash == std::string_view::npos ? 0 : slash + 1));
        m_text = m_kind ? text.substr(0, slash == std::string_view::npos ? 0 : slash) : text;
    }

    [[nodiscard]] bool means(const ParameterNode& node) const
    {
        if (node.kind != ParameterNode::Kind::Module && node.kind != ParameterNode::Kind::Array)
            return false;
        if (!m_kind)
            return fitsEnd(m_text, node.path);
        if (node.kind != ParameterNode::Kind::Module || !isOfKind(node.name, *m_kind))
            return false;
        const std::size_t slash = node.path.rfind('/');
        return m_text.empty() || (slash != std::string::npos && fitsEnd(m_text, node.path.substr(0, slash)));
    }
    [[nodiscard]] bool isOfOneKind() const { return m_kind.has_value(); }

private:
    std::optional<ModuleKind> m_kind;
    std::string m_text;
};

std::vector<int> nodesOf(const ParameterTree& tree, const ModuleSelector& selector)
{
    std::vector<bool> meant(tree.nodes.size());
    const auto visit = [&](const auto& self, int id, bool inside) -> void {
        const auto at = static_cast<std::size_t>(id);
        meant[at] = selector.means(tree.nodes[at]) && !(inside && selector.isOfOneKind());
        for (const int child : tree.nodes[at].children)
            self(self, child, inside || meant[at]);
    };
    visit(visit, 0, false);
    std::vector<int> nodes;
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
        const ParameterNode& node = tree.nodes[i];
        if (node.kind == ParameterNode::Kind::Repeated)
            meant[i] = std::all_of(node.children.begin(), node.children.end(),
                [&](int child) { return meant[static_cast<std::size_t>(child)]; });
        if (meant[i])
            nodes.push_back(static_cast<int>(i));
    }
    return nodes;
}

} // namespace

std::vector<int> selectModules(const ParameterTree& tree, std::string_view selector)
{
    selector = withoutSpaces(selector);
    constexpr std::string_view every = "every ";
    if (selector.starts_with(every))
        selector = withoutSpaces(selector.substr(every.size()));
    if (selector.empty())
        return {};
    std::vector<int> nodes = nodesOf(tree, ModuleSelector(selector));
    if (nodes.empty() && selector.find('/') == std::string_view::npos)
        nodes = nodesOf(tree, ModuleSelector(withSlashes(selector)));
    return nodes;
}

std::vector<std::string> globsOf(
    const ParameterTree& tree, const std::vector<int>& nodes, const TransformerSettings& network, bool arrays)
{
    // How many there are of each part, and which of them are selected.
    std::map<std::string, std::size_t> known;
    for (const std::string& path : arrays ? parameterPaths(network) : constrainableModules(network))
        ++known[withoutLayerNumbers(path)];
    std::map<std::string, std::set<std::string>> selected;
    for (const int at : nodes) {
        const ParameterNode& node = tree.nodes[static_cast<std::size_t>(at)];
        if ((node.kind == ParameterNode::Kind::Array) != arrays)
            continue;
        const std::string path(networkPartPath(node.path));
        const std::string part = withoutLayerNumbers(path);
        if (!known.contains(part))
            continue;
        if (node.kind != ParameterNode::Kind::Repeated)
            selected[part].insert(path);
        for (const int child : node.kind == ParameterNode::Kind::Repeated ? node.children : std::vector<int>())
            selected[part].emplace(networkPartPath(tree.nodes[static_cast<std::size_t>(child)].path));
    }
    std::vector<std::string> globs;
    for (const auto& [part, paths] : selected)
        if (paths.size() == known[part] && paths.size() > 1)
            globs.push_back(part);
        else
            globs.insert(globs.end(), paths.begin(), paths.end());
    return globs;
}

} // namespace shardscope
