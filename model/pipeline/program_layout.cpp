// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/program_layout.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/edits.h"
#include "pipeline/given_shardings.h"
#include "pipeline/tensor_rows.h"
#include "program/name_values.h"
#include "program/over_mesh.h"
#include "program/verify_shardings.h"
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
std::shared_ptr<const Annotations> writtenOf(const Program& program)
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

} // namespace

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
    if (addFindings(snapshot, verify(written)) || addFindings(snapshot, verifyShardings(written)))
        return true;
    Result<Program> prepared = shardscope::prepared(written, setting);
    if (!prepared) {
        addFindings(snapshot, { std::move(prepared.error()) });
        return true;
    }
    nameValues(*prepared); // there are more values now: constants are copied for every use
    listFew(*prepared);
    const auto over = std::make_shared<const Program>(std::move(*prepared));
    snapshot.program = over;
    snapshot.annotations = writtenOf(written);
    if (stop.stop_requested())
        return false;

    PropagationInput input;
    input.program = over;
    input.strategy = engineStrategy(setting);
    input.options = engineOptions(setting);
    auto propagation = std::make_shared<PropagationResult>(propagate(input));
    // Rows and views speak of one mesh. What lies on another one (a single device) is whole there.
    const std::optional<std::uint32_t> main = mainMesh(*over);
    for (std::size_t v = 0; v < propagation->meshes.size(); ++v) {
        const std::uint32_t mesh = propagation->meshes[v];
        if (mesh != 0 && main && *over->meshes[mesh - 1].mesh != *over->meshes[*main].mesh)
            propagation->shardings[v] = TensorSharding::fullyReplicated(over->values[v].type.rank());
    }
    snapshot.propagation = std::move(propagation);
    snapshot.problems.push_back({ Diagnostic{ Code::ProgramNotRun, {}, {} }, {}, {} });
    if (stop.stop_requested())
        return false;
    addTensorRows(snapshot);
    return !stop.stop_requested();
}

} // namespace shardscope
