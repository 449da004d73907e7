// SPDX-License-Identifier: GPL-3.0-or-later
#include "interchange/goldens_of.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "experiment/mesh_order.h"
#include "interchange/import.h"
#include "pipeline/annotate.h"

namespace shardscope {

namespace {

/// The same rules, read by another dialect. A mapping is Penzai's, whichever dialect stands beside it.
Experiment inDialect(Experiment experiment, Dialect dialect)
{
    experiment.rules.dialect = dialect;
    return experiment;
}

bool isOfState(Role role)
{
    return role == Role::Parameter || role == Role::Step || role == Role::Count || isOptimizerArray(role);
}

std::optional<PartitionSpec> specOf(const ResolvedAnnotation& resolved)
{
    if (!resolved.spec)
        return std::nullopt;
    return canonical(*resolved.spec);
}

LogicalNames namesOf(const Annotation& declared, std::size_t rank)
{
    const auto* logical = std::get_if<LogicalAxes>(&declared);
    LogicalNames names = logical ? logical->names : LogicalNames();
    names.resize(rank);
    return names;
}

void addState(MaxTextGoldens& goldens, const Program& program, const Annotations& annotations, bool isNetwork)
{
    for (const ResolvedAnnotation& resolved : annotations.arguments) {
        const Value& value = program.value(resolved.value);
        const std::optional<PartitionSpec> spec = specOf(resolved);
        if (!spec || (isNetwork && !isOfState(value.role)))
            continue;
        goldens.state.push_back(
            { maxTextPath(*value.path), value.type, true, namesOf(resolved.declared, value.type.rank()), *spec, {} });
    }
}

void addActivations(MaxTextGoldens& goldens, const Program& program, const Annotations& annotations)
{
    std::set<std::string> seen;
    for (const ResolvedAnnotation& resolved : annotations.constraints) {
        const Value& value = program.value(resolved.value);
        const std::optional<PartitionSpec> spec = specOf(resolved);
        if (!spec || !std::holds_alternative<LogicalAxes>(resolved.declared) || value.path.empty()
            || !seen.insert(*value.path).second)
            continue;
        goldens.activations.push_back(
            { *value.path, value.type, true, namesOf(resolved.declared, value.type.rank()), *spec, {} });
    }
}

} // namespace

Result<MaxTextGoldens> goldensOf(const Experiment& experiment)
{
    SHARDSCOPE_TRY(mesh, makeMesh(experiment.hardware.devices, experiment.mesh));
    SHARDSCOPE_TRY(built, buildProgram(experiment));
    MaxTextGoldens goldens;
    goldens.mesh.assign(mesh->axes().begin(), mesh->axes().end());
    const auto resolved = [&](Dialect dialect) {
        return resolveAnnotations(built->program, *mesh, inDialect(experiment, dialect));
    };
    addState(goldens, built->program, resolved(Dialect::MaxTextState),
        !std::holds_alternative<ArraysModel>(experiment.model));
    addActivations(goldens, built->program, resolved(Dialect::MaxText));
    return goldens;
}

Result<std::vector<std::optional<PartitionSpec>>> specsUnder(
    const Experiment& experiment, std::span<const GoldenArray> arrays, Dialect dialect)
{
    SHARDSCOPE_TRY(mesh, makeMesh(experiment.hardware.devices, experiment.mesh));
    Import import;
    import.rules = experiment.rules.rules;
    import.inner = experiment.rules.inner;
    import.mapping = !experiment.rules.rules.isSequence;
    import.mesh.assign(mesh->axes().begin(), mesh->axes().end());
    for (const GoldenArray& array : arrays)
        import.rows.push_back(
            { array.path, array.type, array.names.value_or(LogicalNames(array.type.rank(), LogicalName())), 0, 0 });
    SHARDSCOPE_TRY(listed, toExperiment(import));
    listed->rules.version = experiment.rules.version;
    SHARDSCOPE_TRY(built, buildProgram(*listed));
    std::vector<std::optional<PartitionSpec>> specs;
    for (const ResolvedAnnotation& resolved :
        resolveAnnotations(built->program, *mesh, inDialect(std::move(*listed), dialect)).arguments)
        specs.push_back(specOf(resolved));
    return specs;
}

std::vector<GoldenArray> withNames(const std::vector<GoldenArray>& arrays)
{
    std::vector<GoldenArray> named;
    std::copy_if(arrays.begin(), arrays.end(), std::back_inserter(named),
        [](const GoldenArray& array) { return array.names.has_value() && array.shapeKnown; });
    return named;
}

Result<MaxTextGoldens> goldensUnder(const Experiment& experiment, const MaxTextGoldens& goldens)
{
    MaxTextGoldens under;
    under.mesh = experiment.mesh.axes;
    const auto add = [&](std::vector<GoldenArray>& to, const std::vector<GoldenArray>& from,
                         Dialect dialect) -> Result<void> {
        std::vector<GoldenArray> named = withNames(from);
        SHARDSCOPE_TRY(specs, specsUnder(experiment, named, dialect));
        for (std::size_t i = 0; i < named.size() && i < specs->size(); ++i)
            if ((*specs)[i]) {
                named[i].spec = *(*specs)[i];
                to.push_back(std::move(named[i]));
            }
        return {};
    };
    SHARDSCOPE_CHECK(add(under.state, goldens.state, Dialect::MaxTextState));
    SHARDSCOPE_CHECK(add(under.activations, goldens.activations, Dialect::MaxText));
    return under;
}

} // namespace shardscope
