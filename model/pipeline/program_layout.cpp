// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/program_layout.h"

#include <algorithm>

#include "base/codes.h"
#include "base/hash.h"
#include "experiment/edits.h"
#include "partition/export_shardings.h"
#include "partition/varying_axes.h"
#include "pipeline/device_stages.h"
#include "pipeline/given_shardings.h"
#include "pipeline/memory_placement.h"
#include "pipeline/tensor_rows.h"
#include "pipeline/value_meshes.h"
#include "program/name_values.h"
#include "program/over_mesh.h"
#include "program/roles.h"
#include "program/step_state.h"
#include "program/verify_shardings.h"
#include "propagation/pass_pipelines.h"
#include "propagation/strategy.h"

namespace shardscope {

namespace {

/// What makes a program illegal, as problems. Returns whether there is any error.
bool addFindings(std::vector<Problem>& problems, const ProgramModel& model, std::vector<Diagnostic> findings)
{
    bool anyError = false;
    for (Diagnostic& finding : findings) {
        if (finding.where.line > 0)
            finding.where.file = model.file.empty() ? "program" : model.file;
        anyError = anyError || finding.severity() == Severity::Error;
        problems.push_back({ std::move(finding), {}, {} });
    }
    return anyError;
}

/// Of a large program the values between its arguments and its results are not listed one by one.
void listFew(Program& program)
{
    if (program.values.size() <= maximumProgramRows)
        return;
    for (Value& value : program.values)
        if (value.role == Role::Activation)
            value.role = Role::Temporary;
    for (const ValueId result : program.main().results)
        if (program.value(result).definition.valid())
            program.values[result.index].role = Role::Activation;
}

/// The program's own annotations, none of them by rules.
std::shared_ptr<Annotations> annotationsOf(const Program& program)
{
    auto annotations = std::make_shared<Annotations>();
    const auto add = [](std::vector<ResolvedAnnotation>& list, ValueId value, const ProgramSharding* sharding) {
        ResolvedAnnotation& annotation = list.emplace_back();
        annotation.value = value;
        if (sharding)
            annotation.written = GivenSharding{ std::make_shared<const ProgramSharding>(*sharding) };
    };
    const Region& main = program.main();
    for (const ValueId argument : main.arguments)
        add(annotations->arguments, argument, program.shardingOf(argument));
    for (std::size_t r = 0; r < main.results.size(); ++r) {
        const ShardingIndex index = program.functions.empty() || r >= program.functions.front().resultShardings.size()
            ? 0
            : program.functions.front().resultShardings[r];
        add(annotations->results, main.results[r], index == 0 ? nullptr : &program.shardings[index - 1]);
    }
    for (const OperationId id : main.operations) {
        const Operation& operation = program.operation(id);
        if (operation.kind != OpKind::ShardingConstraint)
            continue;
        ResolvedAnnotation& annotation = annotations->constraints.emplace_back();
        annotation.value = operation.results[0];
        annotation.operation = id;
        annotation.written = std::get<ConstraintAttributes>(operation.attributes).annotation;
    }
    return annotations;
}

/// Rows and views speak of one mesh. Shardings on others with the same axes speak of those; what lies on a mesh with
/// other axes (or on a single device) is drawn unsharded. Returns the names of the meshes with other axes.
std::vector<std::string> bringToMainMesh(PropagationResult& propagation, const Program& program)
{
    std::vector<std::string> elsewhere;
    const std::optional<std::uint32_t> main = mainMesh(program);
    for (std::size_t v = 0; main && v < propagation.meshes.size(); ++v) {
        if (propagation.meshes[v] == 0)
            continue;
        const ProgramMesh& own = program.meshes[propagation.meshes[v] - 1];
        const Mesh& mesh = *program.meshes[*main].mesh;
        TensorSharding& sharding = propagation.shardings[v];
        if (*own.mesh == mesh)
            continue;
        if (inAxisOrderOf(mesh, *own.mesh)) {
            sharding = renumbered(std::move(sharding), *own.mesh, mesh);
            continue;
        }
        if (!sharding.isFullyReplicated() && !own.isMaximal()
            && std::find(elsewhere.begin(), elsewhere.end(), own.name) == elsewhere.end())
            elsewhere.push_back(own.name);
        sharding = TensorSharding::fullyReplicated(program.values[v].type.rank());
    }
    return elsewhere;
}

/// Dimensions of size 1 of arguments that are sharded: those go where the array enters the program. Others that do
/// not divide are padded.
std::vector<DroppedAxes> droppedFrom(const TensorSharding& sharding, const TensorType& type, const Mesh& mesh)
{
    std::vector<DroppedAxes> dropped;
    const TensorSharding kept = dividing(sharding, type.shape, mesh);
    for (std::size_t d = 0; d < sharding.rank(); ++d) {
        if (kept.dims[d].axes == sharding.dims[d].axes || type.shape[d] > 1)
            continue;
        DroppedAxes& entry = dropped.emplace_back();
        entry.reason = DroppedAxes::Reason::Indivisible;
        entry.dimension = d;
        entry.size = type.shape[d];
        for (const AxisRef ref : sharding.dims[d].axes) {
            entry.axes.push_back(toString(mesh, ref));
            entry.partitions *= ref.size;
        }
    }
    return dropped;
}

/// W201 for each of them. `annotated` has the meshes that the annotations name by their numbers.
void addDropped(
    std::vector<Problem>& problems, Annotations& annotations, const Program& program, const Program& annotated)
{
    for (ResolvedAnnotation& annotation : annotations.arguments) {
        const auto* own = std::get_if<GivenSharding>(&annotation.written);
        const Value& value = program.value(annotation.value);
        if (!own || !isTensor(value.type.dtype) || own->given->sharding.rank() != value.type.rank())
            continue;
        const Mesh& mesh = *annotated.meshes[own->given->mesh].mesh;
        annotation.dropped = droppedFrom(own->given->sharding, value.type, mesh);
        for (const DroppedAxes& dropped : annotation.dropped) {
            Diagnostic diagnostic{ Code::SilentlyReplicated,
                { { "dim", dropped.dimension }, { "size", dropped.size }, { "partitions", dropped.partitions },
                    { "axes", dropped.axes }, { "tensor", std::string(*value.path) } },
                {} };
            diagnostic.where.path = value.path;
            diagnostic.where.dimension = static_cast<int>(dropped.dimension);
            problems.push_back({ std::move(diagnostic), {}, { annotation.value } });
        }
    }
}

TextLayoutInput inputOf(const Snapshot& snapshot)
{
    const Experiment& experiment = *snapshot.experiment;
    const auto& model = std::get<ProgramModel>(experiment.model);
    TextLayoutInput input{ snapshot.asRead, *snapshot.mesh, model, experiment.propagation,
        experiment.hardware.devices.platform, experiment.run.state, experiment.run.roles };
    static const auto none = std::make_shared<const std::string>();
    input.model.text = none; // `asRead` is what was read of it
    return input;
}

std::uint64_t hashOf(const TextLayoutInput& input)
{
    Hasher hasher;
    hasher.add(reinterpret_cast<std::uintptr_t>(input.asRead.get()));
    for (const MeshAxis& axis : input.mesh.axes())
        hasher.add(axis.name).add(axis.size);
    for (const std::int32_t device : input.mesh.deviceOrder())
        hasher.add(device);
    hasher.add(input.propagation.strategy).add(input.propagation.conservative).add(input.propagation.userPriorities);
    hasher.add(input.platform).add(std::string_view(input.state)).add(input.roles.size());
    return hasher.value(); // shardings and rules are few, and are compared
}

/// Null if stopped.
std::shared_ptr<const TextLayout> layOut(const TextLayoutInput& input, const MeshPtr& mesh, std::stop_token stop)
{
    auto layout = std::make_shared<TextLayout>();
    layout->mesh = mesh;
    std::vector<Problem>& problems = layout->problems;
    const auto add = [&](std::vector<Diagnostic> findings) {
        return addFindings(problems, input.model, std::move(findings));
    };
    auto annotated = std::make_shared<Program>(overMesh(*input.asRead, mesh));
    for (Diagnostic& wrong : attachRules(*annotated, input.model)) {
        const Fix drop{ Fix::Kind::DropShardingRule, wrong.where.path };
        problems.push_back({ std::move(wrong), { drop }, {} });
    }
    for (Problem& problem : giveShardings(*annotated, input.model))
        problems.push_back(std::move(problem));
    passes::PipelineOptions options;
    options.strategy = engineStrategy(input.propagation);
    options.propagation = engineOptions(input.propagation);
    layout->annotated = annotated;
    layout->deviceStages = std::make_shared<const DeviceStages>(annotated, DeviceStages::Shardings::Annotated, options);
    const bool illegal = add(verify(*annotated));
    if (add(verifyShardings(*annotated)) || illegal)
        return layout;
    // Values in two memories keep a program from running, not from being looked at.
    add(placementFindings(*annotated, input.platform));
    add(passes::groupConflicts(*annotated));
    add(checkReplication(*annotated));
    Result<Program> prepared = shardscope::prepared(*annotated, input.propagation);
    if (!prepared) {
        add({ std::move(prepared.error()) });
        return layout;
    }
    nameValues(*prepared); // there are more values now: constants are copied for every use
    listFew(*prepared);
    giveRoles(*prepared, rolesOf(*prepared, stateOf(*prepared, input.state), input.roles));
    layout->program = std::make_shared<const Program>(std::move(*prepared));
    const std::shared_ptr<Annotations> annotations = annotationsOf(*annotated);
    addDropped(problems, *annotations, *layout->program, *annotated);
    layout->annotations = annotations;
    if (stop.stop_requested())
        return nullptr;

    auto propagation =
        std::make_shared<PropagationResult>(propagate({ layout->program, options.strategy, options.propagation }));
    const std::vector<std::string> elsewhere = bringToMainMesh(*propagation, *layout->program);
    layout->propagation = std::move(propagation);
    Diagnostic notRun{ Code::ProgramNotRun, {}, {} };
    if (!elsewhere.empty())
        notRun.args.emplace_back("elsewhere", elsewhere);
    else if (!mainMesh(*input.asRead) && mesh->deviceCount() == 1)
        notRun.args.emplace_back("devices", std::int64_t{ 1 }); // it names no mesh, and was given none yet
    if (!notRun.args.empty())
        problems.push_back({ std::move(notRun), {}, {} });
    return stop.stop_requested() ? nullptr : layout;
}

} // namespace

const Program& programOf(const Snapshot& snapshot)
{
    return *snapshot.annotated;
}

bool layOutProgram(Snapshot& snapshot, AnalysisCache& cache, std::stop_token stop)
{
    snapshot.asRead = snapshot.program;
    TextLayoutInput input = inputOf(snapshot);
    auto& layouts = cache.impl().texts;
    const std::uint64_t hash = hashOf(input);
    std::shared_ptr<const TextLayout> layout = layouts.find(hash, input);
    if (!layout) {
        layout = layOut(input, snapshot.mesh, stop);
        if (!layout)
            return false;
        const std::size_t weight = 2 * input.asRead->values.size(); // what is partitioned weighs as much again
        layouts.insert(hash, std::move(input), layout, weight);
    }
    snapshot.mesh = layout->mesh;
    snapshot.annotated = layout->annotated;
    snapshot.imported = layout->program;
    snapshot.deviceStages = layout->deviceStages;
    snapshot.problems.insert(snapshot.problems.end(), layout->problems.begin(), layout->problems.end());
    if (layout->program)
        snapshot.program = layout->program;
    snapshot.annotations = layout->annotations;
    snapshot.propagation = layout->propagation;
    if (snapshot.propagation)
        addTensorRows(snapshot);
    return !stop.stop_requested();
}

} // namespace shardscope
