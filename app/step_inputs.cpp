// SPDX-License-Identifier: GPL-3.0-or-later
#include "step_inputs.h"

#include <memory>

#include "networks/token_batches.h"
#include "networks/transformer_parameters.h"

namespace shardscope::cli {

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

} // namespace shardscope::cli
