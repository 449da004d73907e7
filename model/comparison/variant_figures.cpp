// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison/variant_figures.h"

#include <memory>
#include <utility>

#include "analysis/change.h"

namespace shardscope {

VariantFigures variantFigures(const Experiment& experiment, const Variant& variant, const FileSource& files,
    AnalysisCache& cache, const std::stop_token& stop)
{
    VariantFigures figures;
    auto applied = applyVariant(experiment, variant, files);
    if (!applied) {
        figures.problem = applied.error().front();
        return figures;
    }
    const SnapshotPtr snapshot =
        analyse(std::make_shared<const Experiment>(std::move(applied->experiment)), 1, cache, stop);
    if (!snapshot)
        return figures;
    if (snapshot->mesh)
        figures.mesh.emplace(snapshot->mesh->axes().begin(), snapshot->mesh->axes().end());
    if (snapshot->laidOut())
        figures.stateBytes = stateBytes(*snapshot);
    if (snapshot->ok())
        figures.sentBytes = snapshot->sent.step;
    if (snapshot->errorCount() > 0)
        figures.problem = snapshot->problems.front().diagnostic;
    return figures;
}

} // namespace shardscope
