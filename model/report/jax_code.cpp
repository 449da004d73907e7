// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/jax_code.h"

#include <set>

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

std::string shardingCode(const PartitionSpec& spec, std::optional<MemoryKind> kind)
{
    std::string text = "NamedSharding(mesh, " + toJax(spec);
    if (kind)
        text += ", memory_kind=" + quotedPython(toString(*kind));
    return text + ')';
}

/// A dictionary of what has a path and a spec; nothing of none.
class ShardingDictionary {
public:
    explicit ShardingDictionary(const Snapshot& snapshot)
        : m_snapshot(snapshot)
    {
    }
    void add(const ResolvedAnnotation& annotation)
    {
        const Value& value = m_snapshot.program->value(annotation.value);
        if (!annotation.spec || value.path.empty() || !m_paths.insert(*value.path).second)
            return;
        const TensorRow* row = m_snapshot.row(annotation.value);
        m_lines += "    " + quotedPython(*value.path) + ": "
            + shardingCode(*annotation.spec, row ? row->memoryKind : std::nullopt) + ",\n";
    }
    [[nodiscard]] std::string text(std::string_view comment, std::string_view name) const
    {
        return m_lines.empty() ? std::string()
                               : "\n# " + std::string(comment) + "\n" + std::string(name) + " = {\n" + m_lines + "}\n";
    }

private:
    const Snapshot& m_snapshot;
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
    text += meshCode(*snapshot.mesh);
    const LogicalRules& rules = snapshot.experiment->rules.rules;
    if (!rules.list.empty())
        text +=
            "\n# logical axis rules, as flax.linen.logical_axis_rules() takes them\nrules = " + toPython(rules) + "\n";
    ShardingDictionary arguments(snapshot), constraints(snapshot);
    for (const ResolvedAnnotation& annotation : snapshot.annotations->arguments)
        arguments.add(annotation);
    for (const ResolvedAnnotation& annotation : snapshot.annotations->constraints)
        constraints.add(annotation);
    text += arguments.text("arguments of the step: in_shardings of jax.jit()", "shardings");
    text += constraints.text(
        "values within the step: jax.lax.with_sharding_constraint(value, constraints[path])", "constraints");
    return text;
}

} // namespace shardscope
