// SPDX-License-Identifier: GPL-3.0-or-later
#include "analysis/step_inputs.h"

#include <memory>
#include <utility>

#include "analysis/initial_setting.h"
#include "networks/token_batches.h"
#include "networks/training_text.h"
#include "networks/transformer_parameters.h"

namespace shardscope {

Result<std::map<std::size_t, StepSource>> textInputs(
    const Program& program, const Experiment& experiment, const std::string& text)
{
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    if (!transformer)
        return {};
    const TransformerSettings& settings = transformer->settings.model;
    const std::int64_t encoder = settings.encoderLayers > 0 ? encoderLength(settings) : 0;
    SHARDSCOPE_TRY(created,
        TokenBatches::create(text, { settings.batch, settings.length, encoder }, settings.vocab, experiment.run.seed));
    const auto batches = std::make_shared<const TokenBatches>(std::move(*created));

    std::map<std::size_t, StepSource> sources;
    const std::vector<ValueId>& arguments = program.main().arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& path = program.value(arguments[i]).path;
        if (path == "tokens")
            sources[i] = [batches](std::int64_t step) { return batches->tokens(step); };
        else if (path == "targets")
            sources[i] = [batches](std::int64_t step) { return batches->targets(step); };
        else if (path == "encoder_tokens")
            sources[i] = [batches](std::int64_t step) { return batches->encoderTokens(step); };
    }
    return sources;
}

InitialValues withTrainingText(InitialValues values, const Snapshot& snapshot)
{
    if (!snapshot.program || !snapshot.experiment)
        return values;
    auto sources = textInputs(*snapshot.program, *snapshot.experiment, std::string(trainingText()));
    if (!sources || sources->empty())
        return values;
    const std::vector<ArgumentStart> starts = argumentStarts(*snapshot.program, values);
    std::erase_if(*sources, [&](const auto& source) { return starts[source.first].reason == InitialReason::Chosen; });
    values.perStep = std::move(*sources);
    return values;
}

InitialValues trainingValuesOf(const Snapshot& snapshot)
{
    return withTrainingText(initialValuesOf(snapshot), snapshot);
}

} // namespace shardscope
