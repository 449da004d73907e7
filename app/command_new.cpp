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
    std::string from; ///< another experiment
    NetworkOptions network;
    std::optional<std::int64_t> batch, length, layers, microbatches;
    std::string optimizer, remat, form;
    bool embedByOneHot = false;
    std::vector<std::string> constraints, specs; ///< "decoder/layers.*=batch,-,-"
    std::vector<std::string> withoutConstraints, withoutSpecs; ///< "decoder/layers.*"
    bool forward = false, paramsOnHost = false;
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

/// The layers that were asked for. Where those without experts would be all of them, one keeps its experts.
void takeLayers(TransformerSettings& settings, std::int64_t layers)
{
    settings.layers = layers;
    if (settings.experts && settings.experts->denseLayers >= layers)
        settings.experts->denseLayers = layers - 1;
}

Result<MadeNetwork> presetNetwork(const NewOptions& options)
{
    const TransformerPreset* preset = findPreset(options.preset);
    if (!preset)
        return tl::unexpected(unknownPreset(options.preset));
    SHARDSCOPE_TRY(made, makeNetwork(preset->settings, std::string(preset->title), options.network));
    made->experiment.notes = "The sizes are those of " + std::string(preset->source) + '.';
    return std::move(*made);
}

tl::expected<MadeNetwork, std::vector<Diagnostic>> startOf(const NewOptions& options)
{
    if (options.from.empty()) {
        Result<MadeNetwork> made = presetNetwork(options);
        if (!made)
            return tl::unexpected(std::vector<Diagnostic>{ std::move(made.error()) });
        return std::move(*made);
    }
    SHARDSCOPE_TRY(input, loadExperiment(options.from));
    if (!std::holds_alternative<TransformerModel>(input->experiment.model))
        return tl::unexpected(std::vector<Diagnostic>{ Error{ Code::WrongType,
            { { "key", "--from" }, { "expected", "an experiment of a transformer" },
                { "found", "one of another model: " + input->name } },
            {} } });
    return MadeNetwork{ std::move(input->experiment), {} };
}

/// The number of a word of the files among those that they have for its enumeration.
template <class Enum>
Enum wordIn(const std::vector<std::string>& words, const std::string& word)
{
    return static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
}

Result<Experiment> changed(Experiment experiment, const NewOptions& options)
{
    TransformerTraining& training = std::get<TransformerModel>(experiment.model).settings;
    training.model.batch = options.batch.value_or(training.model.batch);
    training.model.length = options.length.value_or(training.model.length);
    if (options.layers)
        takeLayers(training.model, *options.layers);
    training.microbatches = options.microbatches.value_or(training.microbatches);
    if (options.forward)
        training.trainStep = false;
    if (!options.optimizer.empty())
        training.optimizer.kind = wordIn<OptimizerKind>(file_words::optimizers, options.optimizer);
    if (!options.remat.empty())
        training.model.remat = wordIn<RematPolicy>(file_words::remats, options.remat);
    if (training.model.remat == RematPolicy::Gathered && options.from.empty())
        training.model.form = LayerForm::Unrolled; // a loop has no such policy
    if (!options.form.empty())
        training.model.form = wordIn<LayerForm>(file_words::forms, options.form);
    training.model.embedByOneHot = training.model.embedByOneHot || options.embedByOneHot;
    SHARDSCOPE_CHECK(checkTraining(training));
    if (options.paramsOnHost)
        experiment.placement.paramsOnDevices = false;
    for (const std::string& at : options.withoutConstraints) {
        SHARDSCOPE_TRY(without, withoutConstraints(experiment, at));
        experiment = std::move(*without);
    }
    for (const std::string& at : options.withoutSpecs) {
        SHARDSCOPE_TRY(without, withoutParameterSpecs(experiment, at));
        experiment = std::move(*without);
    }
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
    return experiment;
}

/// How many layers without experts there are, where fewer layers leave fewer of them.
std::optional<std::int64_t> fewerDenseLayers(const Experiment& before, const Experiment& after)
{
    const auto dense = [](const Experiment& experiment) {
        const auto& experts = std::get<TransformerModel>(experiment.model).settings.model.experts;
        return experts ? experts->denseLayers : 0;
    };
    if (dense(after) == dense(before))
        return {};
    return dense(after);
}

/// Of a MaxText file mesh and rules are taken: its keys that say what options here say, of those that were not given.
struct NotTaken {
    std::vector<std::string> keys, options;
};
NotTaken notTaken(const MadeNetwork& made, const NewOptions& options)
{
    struct Row {
        const char* key;
        const char* option;
        bool isSet;
    };
    const Row rows[] = { { "per_device_batch_size", "--batch", options.batch.has_value() },
        { "max_target_length", "--length", options.length.has_value() },
        { "base_num_decoder_layers", "--layers", options.layers.has_value() },
        { "gradient_accumulation_steps", "--microbatches", options.microbatches.has_value() },
        { "opt_type", "--optimizer", !options.optimizer.empty() },
        { "remat_policy", "--remat", !options.remat.empty() }, { "scan_layers", "--form", !options.form.empty() } };
    NotTaken found;
    for (const Row& row : rows)
        if (!row.isSet && std::find(made.passedOver.begin(), made.passedOver.end(), row.key) != made.passedOver.end()) {
            found.keys.emplace_back(row.key);
            found.options.emplace_back(row.option);
        }
    return found;
}

QString listedNames(const std::vector<std::string>& names)
{
    QStringList list;
    for (const std::string& name : names)
        list << words::fromStd(name);
    return list.join(QStringLiteral(", "));
}

int makeNew(const NewOptions& options)
{
    if (options.preset.empty() && options.from.empty())
        return listPresets(options.json);
    const auto made = startOf(options);
    if (!made)
        return reject(options.json, made.error());
    const Result<Experiment> experiment = changed(made->experiment, options);
    if (!experiment)
        return reject(options.json, { experiment.error() });
    const std::string text = writeExperiment(*experiment);
    const std::optional<std::int64_t> denseLayers = fewerDenseLayers(made->experiment, *experiment);
    const NotTaken left = notTaken(*made, options);
    if (options.json.empty()) {
        if (options.from.empty())
            remarkRules(*made, options.network);
        if (!left.keys.empty())
            Console(stderr).line(QStringLiteral("Of the MaxText file mesh and rules are taken, and not %1: use %2.")
                                     .arg(listedNames(left.keys), listedNames(left.options)),
                Emphasis::Faint);
        if (denseLayers)
            Console(stderr).line(
                QStringLiteral("Layers without experts: %1 of %2, so that one has experts (\"dense_layers\" in the "
                               "file).")
                    .arg(words::count(*denseLayers), words::count(*options.layers)),
                Emphasis::Faint);
        remarkProblems(*experiment);
    }
    const int status = options.output.empty() ? static_cast<int>(Done) : emitText(text, options.output, Done);
    if (options.json.empty()) {
        if (options.output.empty())
            writeTo(stdout, text);
        return status;
    }
    Json out = envelope(options.json);
    out["parameter_count"] = parameterCount(std::get<TransformerModel>(experiment->model).settings.model);
    if (!made->warnings.empty())
        out["problems"] = toJson(made->warnings);
    if (!made->defaultRules.empty())
        out["default_rules"] = made->defaultRules;
    if (denseLayers)
        out["dense_layers"] = *denseLayers;
    if (!left.keys.empty())
        out["not_taken"] = left.keys;
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
    const auto number = [&](const char* name, std::optional<std::int64_t>& value, const char* description,
                            std::int64_t most = std::int64_t{ 1 } << 40) {
        command.addOption(name, value, description).wholeNumber(1, most).optionText("N");
    };
    Option from = command.addOption("--from", options->from,
        "An experiment of a transformer in the place of a preset, with its mesh and its rules");
    from.optionText("EXPERIMENT");
    from.excludes(
        command.addOption("--preset", options->preset, "The model, such as llama3-8b; without it all are listed")
            .optionText("ID"));
    from.excludes(
        command.addOption("--mesh", options->network.mesh.mesh, "Axes and sizes: data=8,model=4").optionText("MESH"));
    addDeviceCounts(command, options->network.mesh);
    from.excludes(command
                      .addOption("--rules", options->network.rules,
                          "The id of a published rule set, a file of rules, or the rules themselves, as in resolve "
                          "(default: t5x-a2p2, t5x-moe or maxtext-base-2026-08, whichever the mesh is of)")
                      .optionText("RULES"));
    from.excludes(command
                      .addOption("--axes", options->network.axisNames,
                          "Whose names the dimensions of arrays have (default: those that the rules speak of)")
                      .oneOf(file_words::axisNames)
                      .optionText("NAMES"));
    number("--batch", options->batch, "Sequences of a batch");
    number("--length", options->length, "Tokens of a sequence");
    number(
        "--layers", options->layers, "Layers of the decoder (default: those of the model)", file_words::maximumLayers);
    number("--microbatches", options->microbatches, "Parts of the batch, one after the other (default 1)");
    command.addOption("--optimizer", options->optimizer, "The optimizer (default adam)")
        .oneOf(file_words::optimizers)
        .optionText("NAME");
    command
        .addOption("--remat", options->remat,
            "What the backward pass keeps of each layer: none (everything), full (its input), dots (also products with "
            "parameters), gathered (everything but what devices have gathered)")
        .oneOf(file_words::remats)
        .optionText("POLICY");
    command
        .addOption("--form", options->form,
            "Layers one after the other (unrolled), or as a loop over stacked parameters (scanned; the default of "
            "presets)")
        .oneOf(file_words::forms)
        .optionText("FORM");
    command.addFlag("--embed-by-one-hot", options->embedByOneHot,
        "Rows of the embedding are found by a product with one-hot vectors (MaxText's use_iota_embed)");
    command
        .addOption("--constrain", options->constraints,
            "A sharding constraint on the outputs of modules, GLOB=AXES: \"decoder/layers.*=batch,-,-\" by logical "
            "names, \"decoder/layers.*/mlp=P('data', None, 'model')\" by mesh axes. Can be given several times; the "
            "last one that fits a module counts")
        .repeated()
        .optionText("GLOB=AXES");
    command
        .addOption("--spec", options->specs,
            "Shardings of parameters in the place of what the rules say, as in --constrain: "
            "\"decoder/layers.*/mlp/wo/kernel=P('model')\". Can be given several times")
        .repeated()
        .optionText("GLOB=AXES");
    command
        .addOption("--without-constraint", options->withoutConstraints,
            "Takes the constraints on modules that the glob fits away again, as \"decoder/layers.*\". Can be given "
            "several times")
        .repeated()
        .optionText("GLOB");
    command
        .addOption("--without-spec", options->withoutSpecs,
            "Takes the shardings of parameters that the glob fits away again. Can be given several times")
        .repeated()
        .optionText("GLOB");
    command.addFlag("--forward", options->forward, "The forward pass alone, without a train step");
    command.addFlag("--params-on-host", options->paramsOnHost,
        "Parameters rest in pinned host memory, as with params_on_devices=False of T5X");
    command.addOption("-o,--output", options->output, "File to write; standard output otherwise").optionText("OUT");
    command.addJson(options->json);
    command.setInput(options->preset);
    command.footer("`shardscope convert config.json --from hf` makes one of a model's file on Hugging Face.\n"
                   "Exit codes: 0 done; 2 arguments or output that cannot be used.");
    command.run(status, [options] { return makeNew(*options); });
}

} // namespace shardscope::cli
