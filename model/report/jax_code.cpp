// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/jax_code.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "experiment/model_settings.h"
#include "interchange/rule_text.h"
#include "report/program_code.h"
#include "report/python_code.h"
#include "report/split_axes.h"

namespace shardscope {

namespace {

std::string meshCode(const Mesh& mesh)
{
    const std::string sizes = pythonTuple(mesh.axes(), [](const MeshAxis& axis) { return std::to_string(axis.size); });
    const std::string names = pythonTuple(mesh.axes(), [](const MeshAxis& axis) { return quotedPython(axis.name); });
    // JAX since 0.9 types the axes of make_mesh as explicit unless it is told; the compiler shall propagate, as here.
    const std::string types = ", axis_types=(AxisType.Auto,) * " + std::to_string(mesh.rank());
    if (mesh.deviceOrder().empty())
        return "mesh = jax.make_mesh(" + sizes + ", " + names + types + ")\n";
    return "by_id = {device.id: device for device in jax.devices()}\n"
           "devices = [by_id[i] for i in ("
        + join(mesh.deviceOrder(), ", ") + ",)]\nmesh = Mesh(np.array(devices).reshape(" + sizes + "), " + names + types
        + ")\n";
}

/// The rules that decide something, one a line; how many there are beside them stands above. Without any annotation by
/// names none decides, and all are written.
std::string rulesCode(const LogicalRules& rules, const std::vector<RuleUse>& uses, const std::string& variable,
    const std::string& comment)
{
    if (rules.list.empty())
        return {};
    LogicalRules used{ {}, rules.isSequence };
    for (std::size_t i = 0; i < rules.list.size(); ++i)
        if (i < uses.size() && uses[i].uses + uses[i].inactiveUses > 0)
            used.list.push_back(rules.list[i]);
    if (used.list.empty())
        used = rules;
    std::string text = "\n# " + onOneLine(comment) + "\n";
    if (const std::size_t left = rules.list.size() - used.list.size(); left > 0)
        text += "# " + std::to_string(left) + " of " + std::to_string(rules.list.size())
            + " rules, which decide nothing here, are left out\n";
    return text + toPythonSource(used, variable);
}

/// "params/layers.12/W1" in three parts, by its first number of a layer; absent without one.
struct LayerPath {
    std::string before, after; ///< "params/layers.", "/W1"
    std::int64_t number = 0;
};

std::optional<LayerPath> layerPath(const std::string& path)
{
    for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1)) {
        std::size_t end = dot + 1;
        while (end < path.size() && path[end] >= '0' && path[end] <= '9')
            ++end;
        const std::size_t digits = end - dot - 1;
        const bool isNumber = digits > 0 && digits < 10 && (digits == 1 || path[dot + 1] != '0');
        if (isNumber && (end == path.size() || path[end] == '/'))
            return LayerPath{ path.substr(0, dot + 1), path.substr(end), std::stoll(path.substr(dot + 1, digits)) };
    }
    return std::nullopt;
}

/// A key as an f-string of Python with the number of the layer as {i}.
std::string keyOfLayers(const LayerPath& path)
{
    const auto escaped = [](std::string_view text) {
        std::string result;
        for (const char c : text)
            result += c == '{' || c == '}' ? std::string(2, c) : std::string(1, c);
        return result;
    };
    return "f" + quotedPython(escaped(path.before) + "{i}" + escaped(path.after));
}

/// A dictionary of what has a path and a spec; nothing of none. What is alike in several layers, one after the other,
/// is one line.
class ShardingDictionary {
public:
    ShardingDictionary(const Snapshot& snapshot, ShardingWriter& writer)
        : m_snapshot(snapshot)
        , m_writer(writer)
    {
    }
    void add(const ResolvedAnnotation& annotation)
    {
        const Value& value = m_snapshot.program->value(annotation.value);
        if (!annotation.spec || value.path.empty() || !m_paths.insert(*value.path).second)
            return;
        const TensorRow* row = m_snapshot.row(annotation.value);
        m_entries.push_back({ *value.path, m_writer.code(*annotation.spec, row ? row->memoryKind : std::nullopt) });
    }
    [[nodiscard]] std::string text(std::string_view comment, std::string_view name) const
    {
        return m_entries.empty()
            ? std::string()
            : "\n# " + std::string(comment) + "\n" + std::string(name) + " = {\n" + lines() + "}\n";
    }

private:
    struct Entry {
        std::string path, sharding;
    };

    [[nodiscard]] std::string lines() const
    {
        constexpr std::int64_t fewest = 3; // layers that are worth a loop
        // By what layers have in common: which of them there are.
        std::map<std::tuple<std::string, std::string, std::string>, std::set<std::int64_t>> alike;
        std::vector<std::optional<LayerPath>> paths;
        for (const Entry& entry : m_entries) {
            paths.push_back(layerPath(entry.path));
            if (const auto& path = paths.back())
                alike[{ path->before, path->after, entry.sharding }].insert(path->number);
        }
        std::string text;
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            const Entry& entry = m_entries[i];
            if (const auto& path = paths[i]) {
                const std::set<std::int64_t>& numbers = alike[{ path->before, path->after, entry.sharding }];
                std::int64_t first = path->number, end = path->number + 1;
                while (numbers.contains(first - 1))
                    --first;
                while (numbers.contains(end))
                    ++end;
                if (end - first >= fewest) {
                    if (path->number == first)
                        text += "    **{" + keyOfLayers(*path) + ": " + entry.sharding + " for i in range("
                            + (first == 0 ? "" : std::to_string(first) + ", ") + std::to_string(end) + ")},\n";
                    continue;
                }
            }
            text += "    " + quotedPython(entry.path) + ": " + entry.sharding + ",\n";
        }
        return text;
    }

    const Snapshot& m_snapshot;
    ShardingWriter& m_writer;
    std::set<std::string> m_paths;
    std::vector<Entry> m_entries;
};

/// `split`: the mesh with parts of axes as axes, where specs have such parts and it can be made.
std::string codeOf(const Snapshot& snapshot, const SplitAxes* split)
{
    const Mesh& mesh = split ? split->mesh() : *snapshot.mesh;
    std::string text = "import jax\n";
    if (!snapshot.mesh->deviceOrder().empty())
        text += "import numpy as np\n";
    text += snapshot.mesh->deviceOrder().empty()
        ? "from jax.sharding import AxisType, NamedSharding, PartitionSpec as P\n\n"
        : "from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P\n\n";
    ShardingWriter writer(mesh, split);
    const std::string program = sourceText(*snapshot.experiment) && snapshot.laidOut() && snapshot.annotated
        ? programCode(snapshot, writer)
        : std::string();
    ShardingDictionary arguments(snapshot, writer), constraints(snapshot, writer);
    for (const ResolvedAnnotation& annotation : snapshot.annotations->arguments)
        arguments.add(annotation);
    for (const ResolvedAnnotation& annotation : snapshot.annotations->constraints)
        constraints.add(annotation);
    const RulesSetting& rules = snapshot.experiment->rules;
    const std::set<std::string>& parts = writer.parts();
    if (!parts.empty() && !split && rules.rules.list.empty() && rules.inner.empty()) // rules name full axes
        if (const std::optional<SplitAxes> splitMesh = SplitAxes::of(mesh, parts))
            return codeOf(snapshot, &*splitMesh);
    if (split)
        text +=
            "# a PartitionSpec has no name for parts of axes: of the mesh " + onOneLine(split->explained()) + "\n\n";
    if (!parts.empty())
        text += "# a PartitionSpec has no name for parts of axes: give the mesh an axis for each of "
            + join(parts, ", ") + "\n\n";
    if (writer.leavesOpen())
        text += "UNCONSTRAINED = P.UNCONSTRAINED\n\n";
    text += meshCode(mesh);
    if (const std::vector<std::string> names = writer.leftOut(); !names.empty())
        text += "# shardings below leave out mesh axes of size 1, which shard nothing: " + join(names, ", ") + "\n";
    text += rulesCode(
        rules.rules, snapshot.ruleUses, "rules", "logical axis rules, as flax.linen.logical_axis_rules() takes them");
    for (std::size_t i = 0; i < rules.inner.size(); ++i) {
        const std::string number = std::to_string(i + 1);
        text += rulesCode(rules.inner[i].rules,
            i < snapshot.innerRuleUses.size() ? snapshot.innerRuleUses[i] : std::vector<RuleUse>(),
            "inner_rules_" + number,
            "those that are bound around " + rules.inner[i].within + ", in place of the others");
    }
    text += program;
    text += arguments.text("arguments of the step: in_shardings of jax.jit()", "shardings");
    text += constraints.text(
        "values within the step: jax.lax.with_sharding_constraint(value, constraints[path])", "constraints");
    return text;
}

} // namespace

std::string jaxCode(const Snapshot& snapshot)
{
    if (!snapshot.mesh || !snapshot.program || !snapshot.annotations)
        return "# There is no layout: the experiment has errors.\n";
    return codeOf(snapshot, nullptr);
}

} // namespace shardscope
