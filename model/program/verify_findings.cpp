// SPDX-License-Identifier: GPL-3.0-or-later
#include "program/verify_findings.h"

#include "base/text.h"
#include "program/op_row.h"
#include "program/program_mesh.h"

namespace shardscope::verification {

Diagnostic diagnosticAt(const Program& program, Code code, std::vector<Arg> args, const Place& place)
{
    Diagnostic made{ code, std::move(args), {} };
    std::uint32_t source = place.source;
    if (place.operation.valid()) {
        const Operation& operation = program.operation(place.operation);
        made.args.emplace_back("op", qualifiedName(operation));
        source = operation.source;
    } else if (place.function) {
        made.args.emplace_back("function", place.function->name);
        source = place.function->source;
    }
    made.args.emplace_back("role", place.role);
    if (place.index >= 0)
        made.args.emplace_back("index", place.index);
    if (source < program.sources.size()) {
        made.where.line = static_cast<int>(program.sources[source].line);
        made.where.column = static_cast<int>(program.sources[source].column);
    }
    if (place.value.valid())
        made.where.path = program.value(place.value).path;
    return made;
}

void Findings::add(Code code, std::vector<Arg> args, const Place& place)
{
    m_found.push_back(diagnosticAt(m_program, code, std::move(args), place));
}

std::string axesText(const ProgramMesh& mesh, std::span<const AxisRef> axes)
{
    return join(axes, ", ", [&](AxisRef ref) { return axisText(mesh, ref); });
}

std::string shardingText(const ProgramMesh& mesh, const TensorSharding& sharding)
{
    std::string text = "[";
    for (std::size_t i = 0; i < sharding.rank(); ++i) {
        const DimensionSharding& dim = sharding.dims[i];
        text += (i > 0 ? ", {" : "{") + axesText(mesh, dim.axes);
        text += dim.open ? (dim.axes.empty() ? "?}" : ", ?}") : "}";
    }
    text += "]";
    if (!sharding.unreduced.empty())
        text += ", unreduced={" + axesText(mesh, sharding.unreduced) + "}";
    return text;
}

} // namespace shardscope::verification
