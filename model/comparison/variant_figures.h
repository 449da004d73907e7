// SPDX-License-Identifier: GPL-3.0-or-later
// What a variant makes of an experiment, in figures.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "analysis/analyse.h"
#include "experiment_file/variants.h"

namespace shardscope {

struct VariantFigures {
    std::optional<std::vector<MeshAxis>> mesh; ///< absent where there is none
    std::optional<std::int64_t> stateBytes; ///< per device, of parameters, gradients and moments
    std::optional<Rational> sentBytes; ///< per device and step
    std::optional<Diagnostic> problem; ///< why it makes no experiment, or one whose steps cannot run
    bool operator==(const VariantFigures&) const = default;
};
/// Nothing of them where stopped. `files` as in applyVariant().
[[nodiscard]] VariantFigures variantFigures(const Experiment& experiment, const Variant& variant,
    const FileSource& files, AnalysisCache& cache, const std::stop_token& stop = {});

} // namespace shardscope
