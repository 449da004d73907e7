// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/resolve_arrays.h"

#include "base/codes.h"
#include "pipeline/annotate.h"

namespace shardscope {

namespace {

std::int64_t shardBytes(const Layout& layout, DType dtype)
{
    std::int64_t bytes = byteSize(dtype);
    for (const std::int64_t size : layout.shardShape())
        bytes = saturatingProduct(bytes, size);
    return bytes;
}

/// What a constraint with the fallback does where it is not the plain resolution.
void applyFallback(
    const RulesSetting& rules, const std::string& path, ResolvedArray& array, std::vector<Diagnostic>& problems)
{
    if (rules.fallback == RulesFallback::AxisIsUnsharded || !rules.rules.isSequence)
        return;
    const RuleList list{ array.annotation->innerRules };
    const Result<ConstraintAction> action = logicalConstraint(std::get<LogicalAxes>(array.annotation->declared).names,
        readableRules(rules, list), rules.fallback, rules.version);
    if (!action) {
        Diagnostic problem = action.error();
        problem.where.path = path;
        if (problem.code == Code::UnmatchedAxis) // other errors are found without the fallback, too
            problems.push_back(std::move(problem));
    }
    array.constrained = action && action->constrain;
}

ResolvedArray resolveArray(const RulesSetting& rules, const MeshPtr& mesh, const Value& value,
    const ResolvedAnnotation& annotation, std::vector<Diagnostic>& problems)
{
    ResolvedArray array;
    array.annotation = &annotation;
    if (!annotation.resolution) {
        array.constrained = false;
        return array;
    }
    applyFallback(rules, value.path, array, problems);
    SpecOnMesh placed = rules.rules.isSequence
        ? onMesh(annotation.resolution->spec(), rules.dialect, *mesh, value.type.shape)
        : SpecOnMesh{ annotation.resolution->spec(), {} };
    array.spec = canonical(placed.spec);
    array.dropped = std::move(placed.dropped);
    if (!array.constrained)
        array.spec = PartitionSpec();
    if (validate(array.spec, *mesh, value.type.shape)) {
        array.layout.emplace(mesh, toTensorSharding(array.spec, *mesh, value.type.rank()), value.type.shape);
        array.bytesPerDevice = shardBytes(*array.layout, value.type.dtype);
    }
    return array;
}

} // namespace

Result<ResolvedArrays> resolveArrays(const Experiment& experiment, const MeshPtr& mesh)
{
    SHARDSCOPE_TRY(built, buildProgram(experiment));
    const Program& program = built->program;
    ResolvedArrays resolved;
    resolved.annotations = std::make_shared<const Annotations>(resolveAnnotations(program, *mesh, experiment));
    resolved.census = countRules(program, *resolved.annotations, experiment.rules);
    for (const Problem& problem :
        annotationProblems(program, *mesh, *resolved.annotations, resolved.census, experiment))
        if (problem.diagnostic.code != Code::RuleUnused)
            resolved.problems.push_back(problem.diagnostic);
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        resolved.arrays.push_back(resolveArray(experiment.rules, mesh, program.value(arguments[i]),
            resolved.annotations->arguments[i], resolved.problems));
    return resolved;
}

} // namespace shardscope
