// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in builtin.h.

#include "base/codes.h"
#include "experiment/builtin.h"
#include "hlo/to_stablehlo.h"
#include "networks/initializer.h"
#include "program/device_counts.h"
#include "program/explaining_mesh.h"
#include "program/over_mesh.h"
#include "propagation/calls/call_graph.h"

namespace shardscope {

namespace {

void place(Diagnostic& diagnostic, const ProgramModel& model)
{
    diagnostic.where.file = model.file.empty() ? "program" : model.file;
}

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

Result<SourceProgram> read(const ProgramModel& model)
{
    Result<ReadProgram> read = readProgram(*model.text, { .maximumOperations = passes::maximumOperations });
    if (!read) {
        place(read.error(), model);
        return tl::unexpected(std::move(read.error()));
    }
    for (Diagnostic& warning : read->warnings)
        place(warning, model);
    if (read->partitionedOver) // XLA's own calls are many, and nothing is to be propagated through them
        std::erase_if(
            read->warnings, [](const Diagnostic& warning) { return warning.code == Code::UnknownCustomCall; });
    // Said before the program is named and annotated, which of a large one takes several times the memory.
    if (Result<void> fits = passes::checkFlattened(read->program); !fits) {
        place(fits.error(), model);
        return tl::unexpected(std::move(fits.error()));
    }
    if (!read->partitionedOver && isPartitioned(read->program)) {
        const Mesh& mesh = read->partitionedOver.emplace(explainingMesh(read->program));
        read->partsOf = statedParts(read->program, mesh);
        for (Diagnostic& unused : unusedLabels(read->program, mesh, read->partsOf)) {
            place(unused, model);
            read->warnings.push_back(std::move(unused));
        }
    }
    declaredName(*read, *model.text);
    listFew(read->program);
    std::vector<Diagnostic> illegal = verify(read->program);
    return SourceProgram{ std::move(read->program), true, {}, std::move(read->warnings), std::move(illegal), {},
        std::move(read->partitionedOver), std::move(read->partsOf) };
}

Result<SourceProgram> plain(Result<Program> program, std::vector<ChosenInitial> initial = {}, bool initialise = false)
{
    SHARDSCOPE_CHECK(program);
    if (initialise)
        return plain(initializerOf(*program, initial));
    return SourceProgram{ std::move(*program), false, std::move(initial), {} };
}

} // namespace

Result<SourcePtr> sourceProgram(const Experiment& experiment)
{
    if (const auto* program = std::get_if<ProgramModel>(&experiment.model); program && program->source)
        return program->source;
    SHARDSCOPE_TRY(built, buildProgram(experiment));
    return std::make_shared<const SourceProgram>(std::move(*built));
}

Result<SourceProgram> buildProgram(const Experiment& experiment)
{
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return plain(buildMlp(mlp->settings), mlpInitials(mlp->settings), mlp->settings.initialise);
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
        SHARDSCOPE_TRY(source,
            plain(buildTransformer(transformer->settings), transformerInitials(transformer->settings.model),
                transformer->settings.initialise));
        source->stacks = stackedInitials(transformer->settings.model);
        return std::move(*source);
    }
    if (const auto* program = std::get_if<ProgramModel>(&experiment.model))
        return read(*program);
    return plain(buildArrays(std::get<ArraysModel>(experiment.model).arrays));
}

Result<Experiment> experimentOf(ProgramModel program, std::string title)
{
    SHARDSCOPE_TRY(built, read(program));
    Experiment experiment;
    experiment.title = std::move(title);
    experiment.mesh.axes = { { "x", 1 } };
    const auto layOutOver = [&experiment](const Mesh& mesh) {
        experiment.mesh.axes.assign(mesh.axes().begin(), mesh.axes().end());
        experiment.mesh.deviceOrder.assign(mesh.deviceOrder().begin(), mesh.deviceOrder().end());
        experiment.hardware.devices =
            DeviceSet{ "generic-cpu", "cpu", 1, static_cast<std::int32_t>(mesh.deviceCount()) };
    };
    if (built->isPartitioned()) {
        layOutOver(*built->partitionedOver);
    } else if (const std::optional<std::uint32_t> index = mainMesh(built->program)) {
        layOutOver(*built->program.meshes[*index].mesh);
    } else if (const DeviceCounts devices = statedDevices(built->program); devices.replicas == 1) {
        if (devices.partitions > 1)
            experiment.mesh.axes = { { "device", devices.partitions } };
        experiment.hardware.devices =
            DeviceSet{ "generic-cpu", "cpu", 1, static_cast<std::int32_t>(devices.partitions) };
    } else {
        experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 1 };
    }
    program.source = std::make_shared<const SourceProgram>(std::move(*built));
    experiment.model = std::move(program);
    return experiment;
}

} // namespace shardscope
