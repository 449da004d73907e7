// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/model_view/model_sizes.h"

#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"

namespace shardscope {

std::optional<std::int64_t> shownSize(const Experiment& experiment, const std::string& name)
{
    if (!isNetwork(experiment)) // and not copied, however long
        return std::nullopt;
    if (const auto* transformer = std::get_if<TransformerModel>(&experiment.model)) {
        const std::optional<ExpertSettings>& experts = transformer->settings.model.experts;
        if (name == "expert")
            return experts ? experts->experts : 0;
        if (name == "microbatches")
            return transformer->settings.microbatches;
        if (name == "sliding_window")
            return transformer->settings.model.slidingWindow;
        if (name == "window_pattern") // of windows alone
            return transformer->settings.model.slidingWindow > 0
                ? std::optional(transformer->settings.model.windowPattern)
                : std::nullopt;
    }
    ModelSetting model = experiment.model;
    const std::int64_t* size = sizeNamed(model, name);
    return size ? std::optional(*size) : std::nullopt;
}

Result<Experiment> withSize(const Experiment& experiment, const std::string& name, std::int64_t size)
{
    if (name == "expert")
        return withExperts(experiment, size);
    if (name == "microbatches")
        return withMicrobatches(experiment, size);
    if (name == "sliding_window")
        return withWindow(experiment, size);
    if (name == "window_pattern")
        return withWindowPattern(experiment, size);
    return withDimension(experiment, name, size);
}

std::optional<double> shownDropout(const Experiment& experiment)
{
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer || !transformer->settings.trainStep)
        return std::nullopt;
    return transformer->settings.model.dropout;
}

} // namespace shardscope
