// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/program_code.h"

#include <optional>
#include <set>

#include "pipeline/given_shardings.h"
#include "pipeline/tensor_rows.h"
#include "pipeline/value_meshes.h"
#include "program/main_interface.h"
#include "propagation/propagate.h"
#include "report/split_axes.h"

namespace shardscope {

namespace {

class ProgramCode {
public:
    ProgramCode(const Snapshot& snapshot, ShardingWriter& writer)
        : m_snapshot(snapshot)
        , m_program(*snapshot.program)
        , m_main(*snapshot.program)
        , m_writer(writer)
        , m_axes(*snapshot.program, snapshot.mesh)
        , m_annotatedAxes(*snapshot.annotated, snapshot.mesh)
    {
    }

    std::string text()
    {
        std::string inputs, outputs, constraints, donated;
        const Region& main = m_program.main();
        for (std::size_t a = 0; a < m_main.arguments(); ++a) {
            const ValueId value = main.arguments[a];
            const ProgramSharding* declared = m_snapshot.annotated->shardingOf(value);
            inputs += line(
                value, heldSpec(value), nameOf(value, m_main.argumentName(a)), declared || m_snapshot.isPartitioned());
            if (m_main.isDonated(a))
                donated += (donated.empty() ? "" : " ") + std::to_string(a) + ',';
        }
        const PropagationResult& propagation = *m_snapshot.propagation;
        // What has been partitioned does not say of its results what they are shards of.
        for (std::size_t r = 0; r < m_main.results() && !m_snapshot.isPartitioned(); ++r) {
            const ValueId value = main.results[r];
            std::optional<TensorSharding> declared;
            if (r < propagation.resultMeshes.size() && propagation.resultMeshes[r] > 0
                && r < propagation.results.size())
                declared = onMesh(m_program, m_axes, propagation.results[r], propagation.resultMeshes[r] - 1);
            outputs += line(value, declared ? toPartitionSpec(*declared, *m_snapshot.mesh) : heldSpec(value),
                nameOf(value, m_main.resultName(r)), declared.has_value());
        }
        std::set<std::string> names;
        for (const Operation& operation : m_snapshot.annotated->operations) {
            if (operation.kind != OpKind::ShardingConstraint || operation.results.empty())
                continue;
            const ValueId value = operation.results[0];
            const ProgramSharding* declared = specifiedAt(*m_snapshot.annotated, { value });
            const std::optional<TensorSharding> along = declared
                ? onMesh(*m_snapshot.annotated, m_annotatedAxes, declared->sharding, declared->mesh)
                : std::nullopt;
            if (!along)
                continue;
            std::string name = nameOf(operation.operands[0], {});
            while (!names.insert(name).second)
                name += '\'';
            constraints += "    " + quotedPython(name) + ": " + m_writer.code(constraintSpec(*along), std::nullopt)
                + ',' + constraintComment(operation) + '\n';
        }
        return section(
                   "arguments of main in their order: in_shardings of jax.jit()", "in_shardings = (\n", inputs, ")\n")
            + section("arguments whose memory results may take: donate_argnums of jax.jit()", "donate_argnums = (",
                donated, ")\n")
            + section(
                "results of main in their order: out_shardings of jax.jit()", "out_shardings = (\n", outputs, ")\n")
            + section("values within the program: jax.lax.with_sharding_constraint(value, constraints[name])",
                "constraints = {\n", constraints, "}\n");
    }

private:
    static std::string section(
        std::string_view about, std::string_view begin, const std::string& lines, std::string_view end)
    {
        return lines.empty() ? std::string()
                             : "\n# " + std::string(about) + "\n" + std::string(begin) + lines + std::string(end);
    }
    [[nodiscard]] std::string nameOf(ValueId value, std::string_view known) const
    {
        const Value& of = m_program.value(value);
        if (known.size() >= 2 && known.front() == '"' && known.back() == '"') // as an attribute has it
            known = known.substr(1, known.size() - 2);
        if (!known.empty())
            return std::string(known);
        return of.path.empty() ? "without a name" : *of.path;
    }
    [[nodiscard]] PartitionSpec heldSpec(ValueId value) const
    {
        if (const TensorRow* row = m_snapshot.row(value))
            return row->spec;
        return toPartitionSpec(heldSharding(m_snapshot, value), *m_snapshot.mesh);
    }
    /// What is sharded over one of the program's meshes, along the axes of the snapshot's; nothing where those do not
    /// say it.
    [[nodiscard]] std::optional<TensorSharding> onMesh(
        const Program& program, MainAxes& axes, const TensorSharding& sharding, std::uint32_t mesh) const
    {
        if (axes.hasSameAxes(mesh))
            return renumbered(sharding, *program.meshes[mesh].mesh, *m_snapshot.mesh);
        const MeshInAxes* parts = axes.parts(mesh);
        return parts ? alongParts(sharding, *parts) : std::nullopt;
    }
    /// Open dimensions without axes are left to propagation.
    [[nodiscard]] PartitionSpec constraintSpec(const TensorSharding& declared) const
    {
        PartitionSpec spec = toPartitionSpec(declared, *m_snapshot.mesh);
        for (std::size_t d = 0; d < declared.rank(); ++d)
            if (declared.dims[d].open && declared.dims[d].axes.empty())
                spec.entries[d] = SpecEntry::unconstrained();
        return spec;
    }
    [[nodiscard]] std::string constraintComment(const Operation& operation) const
    {
        const Where where = placeOf(*m_snapshot.annotated, operation);
        return where.line > 0 ? pythonComment("line " + std::to_string(where.line)) : std::string();
    }
    [[nodiscard]] bool dividesEvenly(const Shape& shape, const PartitionSpec& spec) const
    {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            std::int64_t shards = 1;
            for (const std::string& axis : spec.axesOf(d))
                shards *= devicesAlong(*m_snapshot.mesh, axis);
            if (shape[d] % shards != 0)
                return false;
        }
        return true;
    }
    std::string line(ValueId value, const PartitionSpec& spec, const std::string& name, bool isStated)
    {
        if (!isTensor(m_program.value(value).type.dtype))
            return "    None," + pythonComment(name + ", which is no array") + '\n';
        const TensorRow* row = m_snapshot.row(value);
        if (!row && m_snapshot.isPartitioned())
            return "    None," + pythonComment(name + ", of which the text does not say what it is a shard of") + '\n';
        return "    " + m_writer.code(spec, row ? row->memoryKind : std::nullopt) + ','
            + pythonComment(name + (isStated ? "" : ", as propagated")
                + (dividesEvenly(m_program.value(value).type.shape, spec) ? ""
                                                                          : "; JAX refuses shards of unequal sizes"))
            + '\n';
    }

    const Snapshot& m_snapshot;
    const Program& m_program;
    MainInterface m_main;
    ShardingWriter& m_writer;
    MainAxes m_axes, m_annotatedAxes; ///< of the meshes of the program, and of the annotated one
};

} // namespace

std::string programCode(const Snapshot& snapshot, ShardingWriter& writer)
{
    return ProgramCode(snapshot, writer).text();
}

} // namespace shardscope
