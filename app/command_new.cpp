// SPDX-License-Identifier: GPL-3.0-or-later
// The command new, declared in commands.h.
#include <algorithm>
#include <memory>

#include <nlohmann/json.hpp>

#include "base/codes.h"
#include "command.h"
#include "commands.h"
#include "experiment/network_edits.h"
#include "experiment_file/experiment_file.h"
#include "experiment_file/file_words.h"
#include "input.h"
#include "network_input.h"
#include "networks/presets.h"
#include "networks/transformer_parameters.h"
#include "report.h"
#include "words/utf8.h"
#include "words/words.h"

namespace shardscope::cli {

namespace {

struct NewOptions {
    std::string preset;
    NetworkOptions network;
    std::optional<std::int64_t> batch, length, layers, microbatches;
    std::string optimizer;
    std::vector<std::string> constraints, specs; ///< "decoder/layers.*=batch,-,-"
    bool forward = false;
    std::string output;
    JsonTarget json;
};

int listPresets(const JsonTarget& json)
{
    if (!json.empty()) {
        Json out = envelope(json);
        out["presets"] = Json::array();
        for (const TransformerPreset& preset : transformerPresets())
            out["presets"].push_back({ { "id", preset.id }, { "title", preset.title }, { "family", preset.family },
                { "parameter_count", parameterCount(preset.settings) }, { "source", preset.source } });
        return emitJson(out, json, Done);
    }
    Table table{ "Id", "Title", "Family", "Layers>", "Width>", "Parameters>" };
    for (const TransformerPreset& preset : transformerPresets())
        table.rows.push_back({ words::fromStd(preset.id), words::fromStd(preset.title), words::fromStd(preset.family),
            words::count(preset.settings.layers), words::count(preset.settings.embed),
            words::count(parameterCount(preset.settings)) });
    Console().table(table, {});
    return Done;
}

Error unknownPreset(const std::string& id)
{
    std::vector<std::string> known;
    for (const TransformerPreset& preset : transformerPresets())
        known.emplace_back(preset.id);
    return unknownValue("--preset", id, std::move(known));
}

struct ChosenOption {
    std::string at;
    Annotation axes;
};
Result<ChosenOption> readChosen(const char* option, const std::string& text)
{
    const std::size_t sign = text.find('=');
    if (sign == 0 || sign == std::string::npos)
        return fail(Code::WrongType,
            { { "key", option }, { "expected", "GLOB=AXES, such as decoder/layers.*=batch,-,-" },
                { "found", '"' + text + '"' } });
    SHARDSCOPE_TRY(axes, parseChosenAxes(std::string_view(text).substr(sign + 1)));
    return ChosenOption{ text.substr(0, sign), std::move(*axes) };
}

Result<MadeNetwork> newNetwork(const NewOptions& options)
{
    const TransformerPreset* preset = findPreset(options.preset);
    if (!preset)
        return tl::unexpected(unknownPreset(options.preset));
    SHARDSCOPE_TRY(made, makeNetwork(preset->settings, std::string(preset->title), options.network));
    Experiment& experiment = made->experiment;
    experiment.notes = "Sizes: " + std::string(preset->source) + '.';
    TransformerTraining& training = std::get<TransformerModel>(experiment.model).settings;
    training.model.batch = options.batch.value_or(training.model.batch);
    training.model.length = options.length.value_or(training.model.length);
    training.model.layers = options.layers.value_or(training.model.layers);
    training.microbatches = options.microbatches.value_or(training.microbatches);
    training.trainStep = !options.forward;
    if (!options.optimizer.empty()) {
        const std::vector<std::string>& known = file_words::optimizers;
        training.optimizer.kind =
            static_cast<OptimizerKind>(std::find(known.begin(), known.end(), options.optimizer) - known.begin());
    }
    SHARDSCOPE_CHECK(checkTraining(training));
    for (const std::string& text : options.constraints) {
        SHARDSCOPE_TRY(option, readChosen("--constrain", text));
        SHARDSCOPE_TRY(chosen, withConstraint(experiment, option->at, std::move(option->axes)));
        experiment = std::move(*chosen);
    }
    for (const std::string& text : options.specs) {
        SHARDSCOPE_TRY(option, readChosen("--spec", text));
        SHARDSCOPE_TRY(chosen, withParameterSpec(experiment, option->at, std::move(option->axes)));
        experiment = std::move(*chosen);
    }
    return std::move(*made);
}

int makeNew(const NewOptions& options)
{
    if (options.preset.empty())
        return listPresets(options.json);
    const Result<MadeNetwork> made = newNetwork(options);
    if (!made)
        return reject(options.json, { made.error() });
    const std::string text = writeExperiment(made->experiment);
    if (options.json.empty())
        remarkRules(*made, options.network);
    const int status = options.output.empty() ? static_cast<int>(Done) : emitText(text, options.output, Done);
    if (options.json.empty()) {
        if (options.output.empty())
            writeTo(stdout, text);
        return status;
    }
    Json out = envelope(options.json);
    out["parameter_count"] = parameterCount(std::get<TransformerModel>(made->experiment.model).settings.model);
    if (!made->defaultRules.empty())
        out["default_rules"] = made->defaultRules;
    if (options.output.empty())
        out["text"] = text;
    else
        out["output"] = options.output;
    return emitJson(out, options.json, status);
}

} // namespace

void addNew(CLI::App& app, int& status)
{
    Command command(app, "new", "Make an experiment of a published transformer, or list those that there are");
    const auto options = std::make_shared<NewOptions>();
    constexpr std::int64_t most = std::int64_t{ 1 } << 40;
    const auto number = [&](const char* name, std::optional<std::int64_t>& value, const char* description) {
        command.addOption(name, value, description).wholeNumber(1, most).optionText("N");
    };
    command.addOption("--preset", options->preset, "The model, such as llama3-8b; without it all are listed")
        .optionText("ID");
    command.addOption("--mesh", options->network.mesh.mesh, "Axes and sizes: data=8,model=4").optionText("MESH");
    addDeviceCounts(command, options->network.mesh);
    command
        .addOption("--rules", options->network.rules,
            "The id of a published rule set, a file of rules, or the rules themselves, as in resolve (default: "
            "t5x-a2p2, "
            "t5x-moe or maxtext-base-2026-08, whichever the mesh is of)")
        .optionText("RULES");
    command
        .addOption("--axes", options->network.axisNames,
            "Whose names the dimensions of arrays have (default: those that the rules speak of)")
        .oneOf(file_words::axisNames)
        .optionText("NAMES");
    number("--batch", options->batch, "Sequences of a batch");
    number("--length", options->length, "Tokens of a sequence");
    number("--layers", options->layers, "Layers of the decoder (default: those of the model)");
    number("--microbatches", options->microbatches, "Parts of the batch, one after the other (default 1)");
    command.addOption("--optimizer", options->optimizer, "The optimizer (default adam)")
        .oneOf(file_words::optimizers)
        .optionText("NAME");
    command
        .addOption("--constrain", options->constraints,
            "A sharding constraint on the outputs of modules, GLOB=AXES: \"decoder/layers.*=batch,-,-\" by logical "
            "names, \"decoder/layers.*/mlp=P('data', None, 'model')\" by mesh axes. Can be given several times; the "
            "last "
            "one that fits a module counts")
        .repeated()
        .optionText("GLOB=AXES");
    command
        .addOption("--spec", options->specs,
            "Shardings of parameters in the place of what the rules say, as in --constrain: "
            "\"decoder/layers.*/mlp/wo/kernel=P('model')\". Can be given several times")
        .repeated()
        .optionText("GLOB=AXES");
    command.addFlag("--forward", options->forward, "The forward pass alone, without a train step");
    command.addOption("-o,--output", options->output, "File to write; standard output otherwise").optionText("OUT");
    command.addJson(options->json);
    command.setInput(options->preset);
    command.footer("`shardscope convert config.json --from hf` makes one of a model's file on Hugging Face.\n"
                   "Exit codes: 0 done; 2 arguments or output that cannot be used.");
    command.run(status, [options] { return makeNew(*options); });
}

} // namespace shardscope::cli
