// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline/written_program.h"

#include "experiment/edits.h"
#include "pipeline/given_shardings.h"
#include "program/over_mesh.h"

namespace shardscope {

std::optional<Program> writtenProgram(const Snapshot& snapshot)
{
    const auto* model = std::get_if<ProgramModel>(&snapshot.experiment->model);
    if (!model || !snapshot.asRead || !snapshot.mesh)
        return std::nullopt;
    Program written = overMesh(*snapshot.asRead, snapshot.mesh);
    // What cannot be given is among the snapshot's problems.
    static_cast<void>(attachRules(written, *model));
    static_cast<void>(giveShardings(written, *model));
    return written;
}

} // namespace shardscope
