// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/program_layout.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/edits.h"
#include "partition/export_shardings.h"
#include "partition/varying_axes.h"
#include "pipeline/given_shardings.h"
#include "pipeline/memory_placement.h"
#include "pipeline/tensor_rows.h"
#include "pipeline/value_meshes.h"
#include "program/name_values.h"
#include "program/over_mesh.h"
#include "program/verify_shardings.h"
#include "propagation/passes/pipelines.h"
#include "propagation/strategy.h"

namespace shardscope {

namespace {

/// What makes a program illegal, as problems. Returns whether there is any error.
bool addFindings(Snapshot& snapshot, std::vector<Diagnostic> findings)
{
    bool anyError = false;
    const auto* model = std::get_if<ProgramModel>(&snapshot.experiment->model);
    for (Diagnostic& finding : findings) {
        if (finding.where.line > 0)
            finding.where.file = model->file.empty() ? "program" : model->file;
        anyError = anyError || finding.severity() == Severity::Error;
        snapshot.problems.push_back({ std::move(finding), {}, {} });
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

/// Annotations, for those who ask what was written: the program's own, none of them by rules.
std::shared_ptr<Annotations> writtenOf(const Program& program)
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

/// Dimensions of size 1 of arguments that are given axes: those go where the array enters the program. Others that do
/// not divide are padded.
std::vector<DroppedAxes> droppedFrom(const TensorSharding& given, const TensorType& type, const Mesh& mesh)
{
    std::vector<DroppedAxes> dropped;
    const TensorSharding kept = dividing(given, type.shape, mesh);
    for (std::size_t d = 0; d < given.rank(); ++d) {
        if (kept.dims[d].axes == given.dims[d].axes || type.shape[d] > 1)
            continue;
        DroppedAxes& entry = dropped.emplace_back();
        entry.reason = DroppedAxes::Reason::Indivisible;
        entry.dimension = d;
        entry.size = type.shape[d];
        for (const AxisRef ref : given.dims[d].axes) {
            entry.axes.push_back(toString(mesh, ref));
            entry.partitions *= ref.size;
        }
    }
    return dropped;
}

/// W201 for each of them. `written` has the meshes that the annotations name by their numbers.
void addDropped(Snapshot& snapshot, Annotations& annotations, const Program& written)
{
    for (ResolvedAnnotation& annotation : annotations.arguments) {
        const auto* given = std::get_if<GivenSharding>(&annotation.written);
        const Value& value = snapshot.program->value(annotation.value);
        if (!given || !isTensor(value.type.dtype) || given->given->sharding.rank() != value.type.rank())
            continue;
        const Mesh& mesh = *written.meshes[given->given->mesh].mesh;
        annotation.dropped = droppedFrom(given->given->sharding, value.type, mesh);
        for (const DroppedAxes& dropped : annotation.dropped) {
            Diagnostic diagnostic{ Code::SilentlyReplicated,
                { { "dim", dropped.dimension }, { "size", dropped.size }, { "partitions", dropped.partitions },
                    { "axes", dropped.axes }, { "tensor", std::string(*value.path) } },
                {} };
            diagnostic.where.path = value.path;
            diagnostic.where.dimension = static_cast<int>(dropped.dimension);
            snapshot.problems.push_back({ std::move(diagnostic), {}, { annotation.value } });
        }
    }
}

} // namespace

Program programOf(const Snapshot& snapshot)
{
    const auto& model = std::get<ProgramModel>(snapshot.experiment->model);
    Program written = overMesh(*snapshot.asRead, snapshot.mesh);
    static_cast<void>(attachRules(written, model)); // what is wrong is among the snapshot's problems
    static_cast<void>(giveShardings(written, model));
    return written;
}

bool layOutProgram(Snapshot& snapshot, AnalysisCache&, std::stop_token stop)
{
    const PropagationSetting& setting = snapshot.experiment->propagation;
    const auto& model = std::get<ProgramModel>(snapshot.experiment->model);
    snapshot.asRead = snapshot.program;
    Program written = overMesh(*snapshot.asRead, snapshot.mesh);
    for (Diagnostic& wrong : attachRules(written, model)) {
        const Fix drop{ Fix::Kind::DropShardingRule, wrong.where.path };
        snapshot.problems.push_back({ std::move(wrong), { drop }, {} });
    }
    for (Problem& problem : giveShardings(written, model))
        snapshot.problems.push_back(std::move(problem));
    const bool illegal = addFindings(snapshot, verify(written));
    if (addFindings(snapshot, verifyShardings(written)) || illegal)
        return true;
    // Values in two memories keep a program from running, not from being looked at.
    addFindings(snapshot, placementFindings(written, snapshot.experiment->hardware.devices.platform));
    addFindings(snapshot, passes::groupConflicts(written));
    addFindings(snapshot, checkReplication(written));
    Result<Program> prepared = shardscope::prepared(written, setting);
    if (!prepared) {
        addFindings(snapshot, { std::move(prepared.error()) });
        return true;
    }
    nameValues(*prepared); // there are more values now: constants are copied for every use
    listFew(*prepared);
    const auto over = std::make_shared<const Program>(std::move(*prepared));
    snapshot.program = over;
    const std::shared_ptr<Annotations> annotations = writtenOf(written);
    addDropped(snapshot, *annotations, written);
    snapshot.annotations = annotations;
    if (stop.stop_requested())
        return false;

    PropagationInput input;
    input.program = over;
    input.strategy = engineStrategy(setting);
    input.options = engineOptions(setting);
    auto propagation = std::make_shared<PropagationResult>(propagate(input));
    const std::vector<std::string> elsewhere = bringToMainMesh(*propagation, *over);
    snapshot.propagation = std::move(propagation);
    Diagnostic notRun{ Code::ProgramNotRun, {}, {} };
    if (!elsewhere.empty())
        notRun.args.emplace_back("elsewhere", elsewhere);
    else if (!mainMesh(*snapshot.asRead) && snapshot.mesh->deviceCount() == 1)
        notRun.args.emplace_back("devices", std::int64_t{ 1 }); // it names no mesh, and was given none yet
    if (!notRun.args.empty())
        snapshot.problems.push_back({ std::move(notRun), {}, {} });
    if (stop.stop_requested())
        return false;
    addTensorRows(snapshot);
    return !stop.stop_requested();
}

} // namespace shardscope
