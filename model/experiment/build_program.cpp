// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "experiment/builtin.h"
#include "program/over_mesh.h"
#include "stablehlo/read.h"

namespace shardscope {

namespace {

void place(Diagnostic& diagnostic, const ProgramModel& model)
{
    diagnostic.where.file = model.file.empty() ? "program" : model.file;
}

Result<BuiltProgram> read(const ProgramModel& model)
{
    Result<ReadProgram> read = readStableHlo(*model.text);
    if (!read) {
        place(read.error(), model);
        return tl::unexpected(std::move(read.error()));
    }
    for (Diagnostic& warning : read->warnings)
        place(warning, model);
    nameAsWritten(*read, *model.text);
    return BuiltProgram{ std::move(read->program), std::move(read->warnings) };
}

Result<BuiltProgram> plain(Result<Program> program)
{
    if (!program)
        return tl::unexpected(std::move(program.error()));
    return BuiltProgram{ std::move(*program), {} };
}

} // namespace

Result<BuiltProgram> buildProgram(const Experiment& experiment)
{
    if (const auto* mlp = std::get_if<MlpModel>(&experiment.model))
        return plain(buildMlp(mlp->settings));
    if (const auto* program = std::get_if<ProgramModel>(&experiment.model))
        return read(*program);
    return plain(buildArrays(std::get<ArraysModel>(experiment.model).arrays));
}

Result<Experiment> experimentOf(ProgramModel program, std::string title)
{
    Result<BuiltProgram> built = read(program);
    if (!built)
        return tl::unexpected(std::move(built.error()));
    Experiment experiment;
    experiment.title = std::move(title);
    experiment.mesh.axes = { { "x", 1 } };
    if (const std::optional<std::uint32_t> index = mainMesh(built->program)) {
        const Mesh& mesh = *built->program.meshes[*index].mesh;
        experiment.mesh.axes.assign(mesh.axes().begin(), mesh.axes().end());
        experiment.mesh.deviceOrder.assign(mesh.deviceOrder().begin(), mesh.deviceOrder().end());
        experiment.hardware.devices =
            DeviceSet{ "generic-cpu", "cpu", 1, static_cast<std::int32_t>(mesh.deviceCount()) };
    } else {
        experiment.hardware.devices = DeviceSet{ "generic-cpu", "cpu", 1, 1 };
    }
    experiment.model = std::move(program);
    return experiment;
}

} // namespace shardscope
