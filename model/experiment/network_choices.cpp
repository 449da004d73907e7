// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/network_choices.h"

#include <algorithm>

#include "base/codes.h"
#include "experiment/edits.h"
#include "experiment/model_settings.h"
#include "experiment/network_edits.h"

namespace shardscope {

namespace {

template <class Enumeration>
std::optional<int> numberOf(const std::optional<Enumeration>& value)
{
    return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

const MlpModel* mlpOf(const Experiment& experiment)
{
    return std::get_if<MlpModel>(&experiment.model);
}

const TransformerTraining* trainingOf(const Experiment& experiment)
{
    const auto* transformer = std::get_if<TransformerModel>(&experiment.model);
    return transformer ? &transformer->settings : nullptr;
}

struct ChoiceRow {
    std::string_view name;
    int largest; ///< of the numbers of the enumeration
    std::optional<int> (*read)(const Experiment&);
    Result<Experiment> (*write)(const Experiment&, int);
};

constexpr ChoiceRow choiceRows[] = {
    { "parameter_dtype", static_cast<int>(DType::C128),
        [](const Experiment& experiment) -> std::optional<int> {
            if (const MlpModel* mlp = mlpOf(experiment))
                return static_cast<int>(mlp->settings.dtype);
            const TransformerTraining* training = trainingOf(experiment);
            return training ? std::optional(static_cast<int>(training->model.parameterDtype)) : std::nullopt;
        },
        [](const Experiment& experiment, int value) {
            return withParameterType(experiment, static_cast<DType>(value));
        } },
    { "compute_dtype", static_cast<int>(DType::C128),
        [](const Experiment& experiment) -> std::optional<int> {
            const TransformerTraining* training = trainingOf(experiment);
            return training ? std::optional(static_cast<int>(training->model.computeDtype)) : std::nullopt;
        },
        [](const Experiment& experiment, int value) {
            return withComputeType(experiment, static_cast<DType>(value));
        } },
    { "optimizer", static_cast<int>(OptimizerKind::Adafactor),
        [](const Experiment& experiment) -> std::optional<int> {
            const TransformerTraining* training = trainingOf(experiment);
            return training ? std::optional(static_cast<int>(training->optimizer.kind)) : std::nullopt;
        },
        [](const Experiment& experiment, int value) {
            return withOptimizer(experiment, static_cast<OptimizerKind>(value));
        } },
    { "step", static_cast<int>(NetworkProgram::Initializer),
        [](const Experiment& experiment) { return numberOf(networkProgramOf(experiment)); },
        [](const Experiment& experiment, int value) {
            return withNetworkProgram(experiment, static_cast<NetworkProgram>(value));
        } },
    { "form", static_cast<int>(LayerForm::Scanned),
        [](const Experiment& experiment) -> std::optional<int> {
            if (const MlpModel* mlp = mlpOf(experiment))
                return static_cast<int>(mlp->settings.form);
            const TransformerTraining* training = trainingOf(experiment);
            return training ? std::optional(static_cast<int>(training->model.form)) : std::nullopt;
        },
        [](const Experiment& experiment, int value) {
            return withLayerForm(experiment, static_cast<LayerForm>(value));
        } },
};

struct SizeRow {
    std::string_view name;
    std::optional<std::int64_t> (*read)(const TransformerTraining&);
    Result<Experiment> (*write)(const Experiment&, std::int64_t);
};

/// Those of a transformer that are no dimension.
constexpr SizeRow sizeRows[] = {
    { "expert",
        [](const TransformerTraining& training) -> std::optional<std::int64_t> {
            return training.model.experts ? training.model.experts->experts : 0;
        },
        &withExperts },
    { "microbatches",
        [](const TransformerTraining& training) -> std::optional<std::int64_t> { return training.microbatches; },
        &withMicrobatches },
    { "sliding_window",
        [](const TransformerTraining& training) -> std::optional<std::int64_t> { return training.model.slidingWindow; },
        &withWindow },
    { "window_pattern", // of windows alone
        [](const TransformerTraining& training) {
            return training.model.slidingWindow > 0 ? std::optional(training.model.windowPattern) : std::nullopt;
        },
        &withWindowPattern },
};

template <class Row, std::size_t count>
const Row* rowNamed(const Row (&rows)[count], std::string_view name)
{
    const auto* const found =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.name == name; });
    return found == std::end(rows) ? nullptr : found;
}

constexpr std::string_view layersName = "layers_name";

} // namespace

std::optional<int> chosenOption(const Experiment& experiment, const std::string& name)
{
    const ChoiceRow* row = rowNamed(choiceRows, name);
    return row ? row->read(experiment) : std::nullopt;
}

Result<Experiment> withOption(const Experiment& experiment, const std::string& name, int value)
{
    const ChoiceRow* row = rowNamed(choiceRows, name);
    if (!row)
        return fail(Code::UnknownValue, { { "key", "setting" }, { "value", name } });
    if (value < 0 || value > row->largest)
        return fail(Code::OutOfRange, { { "key", name }, { "value", value }, { "min", 0 }, { "max", row->largest } });
    return row->write(experiment, value);
}

std::optional<std::string> textOption(const Experiment& experiment, const std::string& name)
{
    const MlpModel* mlp = mlpOf(experiment);
    if (!mlp || name != layersName || mlp->settings.form != LayerForm::Scanned)
        return std::nullopt;
    return mlp->settings.layersName.value_or(std::string());
}

Result<Experiment> withText(const Experiment& experiment, const std::string& name, const std::string& text)
{
    if (name != layersName)
        return fail(Code::UnknownValue, { { "key", "setting" }, { "value", name } });
    return withLayersName(experiment, text.empty() ? std::nullopt : std::optional(text));
}

std::optional<std::int64_t> shownSize(const Experiment& experiment, const std::string& name)
{
    if (!isNetwork(experiment)) // and not copied, however long
        return std::nullopt;
    if (const TransformerTraining* training = trainingOf(experiment))
        if (const SizeRow* row = rowNamed(sizeRows, name))
            return row->read(*training);
    ModelSetting model = experiment.model;
    const std::int64_t* size = sizeNamed(model, name);
    return size ? std::optional(*size) : std::nullopt;
}

Result<Experiment> withSize(const Experiment& experiment, const std::string& name, std::int64_t size)
{
    const SizeRow* row = rowNamed(sizeRows, name);
    return row ? row->write(experiment, size) : withDimension(experiment, name, size);
}

std::optional<double> shownDropout(const Experiment& experiment)
{
    const TransformerTraining* training = trainingOf(experiment);
    if (!training || !training->trainStep)
        return std::nullopt;
    return training->model.dropout;
}

} // namespace shardscope
