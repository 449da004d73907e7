// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/jax_code.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "interchange/rule_text.h"
#include "sharding/text.h"

namespace shardscope {

namespace {

/// As a string of Python.
std::string quotedPython(std::string_view text)
{
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            quoted += '\\';
        if (c == '\n')
            quoted += "\\n";
        else
            quoted += c;
    }
    return quoted + '"';
}

/// "(2, 4)", "(8,)", "()".
template <class List, class Form>
std::string tupleOf(const List& list, const Form& form)
{
    std::string text = "(";
    std::size_t count = 0;
    for (const auto& each : list)
        text += (count++ == 0 ? "" : ", ") + form(each);
    return text + (count == 1 ? ",)" : ")");
}

std::string meshCode(const Mesh& mesh)
{
    const std::string sizes = tupleOf(mesh.axes(), [](const MeshAxis& axis) { return std::to_string(axis.size); });
    const std::string names = tupleOf(mesh.axes(), [](const MeshAxis& axis) { return quotedPython(axis.name); });
    // JAX since 0.9 types the axes of make_mesh as explicit unless it is told; the compiler shall propagate, as here.
    const std::string types = ", axis_types=(AxisType.Auto,) * " + std::to_string(mesh.rank());
    if (mesh.deviceOrder().empty())
        return "mesh = jax.make_mesh(" + sizes + ", " + names + types + ")\n";
    std::string ids;
    for (const std::int32_t id : mesh.deviceOrder())
        ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    return "by_id = {device.id: device for device in jax.devices()}\n"
           "devices = [by_id[i] for i in ("
        + ids + ",)]\nmesh = Mesh(np.array(devices).reshape(" + sizes + "), " + names + types + ")\n";
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
    std::string text = "\n# " + comment + "\n";
    if (const std::size_t left = rules.list.size() - used.list.size(); left > 0)
        text += "# " + std::to_string(left) + " of " + std::to_string(rules.list.size())
            + " rules, which decide nothing here, are left out\n";
    return text + toPythonSource(used, variable);
}

/// Shardings in their short form: mesh axes of size 1, which shard nothing, are left out, and one axis stands without a
/// tuple.
class ShardingWriter {
public:
    explicit ShardingWriter(const Mesh& mesh)
        : m_mesh(mesh)
    {
    }
    std::string code(PartitionSpec spec, std::optional<MemoryKind> kind)
    {
        for (SpecEntry& entry : spec.entries) {
            m_leavesOpen = m_leavesOpen || entry.kind == SpecEntry::Kind::Unconstrained;
            shorten(entry);
        }
        std::string text = "NamedSharding(mesh, " + toJax(canonical(spec));
        if (kind)
            text += ", memory_kind=" + quotedPython(toString(*kind));
        return text + ')';
    }
    [[nodiscard]] bool leavesOpen() const { return m_leavesOpen; } ///< some dimension is UNCONSTRAINED
    [[nodiscard]] std::vector<std::string> leftOut() const ///< in the order of the mesh
    {
        std::vector<std::string> names;
        for (const MeshAxis& axis : m_mesh.axes())
            if (m_leftOut.contains(axis.name))
                names.push_back(axis.name);
        return names;
    }

private:
    void shorten(SpecEntry& entry)
    {
        if (entry.axes.empty())
            return;
        std::erase_if(entry.axes, [this](const std::string& name) {
            const auto& axes = m_mesh.axes();
            const bool isOne = std::any_of(axes.begin(), axes.end(),
                [&name](const MeshAxis& axis) { return axis.name == name && axis.size == 1; });
            if (isOne)
                m_leftOut.insert(name);
            return isOne;
        });
        if (entry.axes.empty())
            entry = SpecEntry::none();
    }
    const Mesh& m_mesh;
    std::set<std::string> m_leftOut;
    bool m_leavesOpen = false;
};

/// A dictionary of what has a path and a spec; nothing of none.
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
        m_lines += "    " + quotedPython(*value.path) + ": "
            + m_writer.code(*annotation.spec, row ? row->memoryKind : std::nullopt) + ",\n";
    }
    [[nodiscard]] std::string text(std::string_view comment, std::string_view name) const
    {
        return m_lines.empty() ? std::string()
                               : "\n# " + std::string(comment) + "\n" + std::string(name) + " = {\n" + m_lines + "}\n";
    }

private:
    const Snapshot& m_snapshot;
    ShardingWriter& m_writer;
    std::set<std::string> m_paths;
    std::string m_lines;
};

} // namespace

std::string jaxCode(const Snapshot& snapshot)
{
    if (!snapshot.mesh || !snapshot.program || !snapshot.annotations)
        return "# There is no layout: the experiment has errors.\n";
    std::string text = "import jax\n";
    if (!snapshot.mesh->deviceOrder().empty())
        text += "import numpy as np\n";
    text += snapshot.mesh->deviceOrder().empty()
        ? "from jax.sharding import AxisType, NamedSharding, PartitionSpec as P\n\n"
        : "from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P\n\n";
    ShardingWriter writer(*snapshot.mesh);
    ShardingDictionary arguments(snapshot, writer), constraints(snapshot, writer);
    for (const ResolvedAnnotation& annotation : snapshot.annotations->arguments)
        arguments.add(annotation);
    for (const ResolvedAnnotation& annotation : snapshot.annotations->constraints)
        constraints.add(annotation);
    if (writer.leavesOpen())
        text += "UNCONSTRAINED = P.UNCONSTRAINED\n\n";
    text += meshCode(*snapshot.mesh);
    if (const std::vector<std::string> names = writer.leftOut(); !names.empty())
        text += "# shardings below leave out mesh axes of size 1, which shard nothing: " + join(names, ", ") + "\n";
    const RulesSetting& rules = snapshot.experiment->rules;
    text += rulesCode(
        rules.rules, snapshot.ruleUses, "rules", "logical axis rules, as flax.linen.logical_axis_rules() takes them");
    for (std::size_t i = 0; i < rules.inner.size(); ++i) {
        const std::string number = std::to_string(i + 1);
        text += rulesCode(rules.inner[i].rules,
            i < snapshot.innerRuleUses.size() ? snapshot.innerRuleUses[i] : std::vector<RuleUse>(),
            "inner_rules_" + number,
            "those that are bound around " + rules.inner[i].within + ", in place of the others");
    }
    text += arguments.text("arguments of the step: in_shardings of jax.jit()", "shardings");
    text += constraints.text(
        "values within the step: jax.lax.with_sharding_constraint(value, constraints[path])", "constraints");
    return text;
}

} // namespace shardscope
