// SPDX-License-Identifier: GPL-3.0-or-later
// Declared in write_support.h.
#include <string_view>

#include "experiment/transformer_fields.h"
#include "experiment_file/file_words.h"
#include "experiment_file/json_text.h"
#include "experiment_file/quantity_text.h"
#include "experiment_file/write_support.h"

namespace shardscope {

namespace words = file_words;

namespace {

std::string fieldText(std::int64_t number)
{
    return std::to_string(number);
}
std::string fieldText(double number)
{
    return printReal(number);
}
std::string fieldText(bool value)
{
    return truth(value);
}
std::string fieldText(DType dtype)
{
    return quoteJson(name(dtype));
}
std::string fieldText(const std::optional<DType>& dtype)
{
    return dtype ? fieldText(*dtype) : "null";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string fieldText(Enum word)
{
    return quoteJson(words::wordsOf(word)[static_cast<std::size_t>(word)]);
}

/// The keys that forEach() gives a visitor of the settings, with their values.
template <class ForEach>
Members membersOf(const ForEach& forEach)
{
    Members members;
    forEach(
        [&](std::string_view key, const auto& value, const auto&...) { members.emplace_back(key, fieldText(value)); });
    return members;
}

/// Those that are not as in `plain`, the members of default settings.
Members differing(Members members, const Members& plain)
{
    Members kept;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i] != plain[i])
            kept.push_back(std::move(members[i]));
    return kept;
}

Members optionsOf(const TransformerSettings& settings)
{
    return membersOf([&](const auto& visit) { forEachOption(settings, visit); });
}
Members optionsOf(const OptimizerSettings& settings)
{
    return membersOf([&](const auto& visit) { forEachOptimizerOption(settings, visit); });
}
Members optionsOf(const AdafactorSettings& settings)
{
    return membersOf([&](const auto& visit) { forEachAdafactorOption(settings, visit); });
}

/// One line for each.
std::vector<std::string> chosenTexts(
    const ObjectWriter& writer, const std::string& pointer, const std::vector<ChosenSharding>& chosen)
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        std::string key = "names", entries;
        const auto add = [&](const std::string& text) { entries.append(entries.empty() ? "" : ", ").append(text); };
        if (const auto* logical = std::get_if<LogicalAxes>(&chosen[i].axes))
            for (const LogicalName& name : logical->names)
                add(nameJson(name));
        if (const auto* device = std::get_if<DeviceAxes>(&chosen[i].axes)) {
            key = "spec";
            for (const SpecEntry& entry : device->spec.entries)
                add(entryText(entry));
        }
        texts.push_back(writer.line(
            pointerTo(pointer, i), { { "at", quoteJson(chosen[i].at) }, { std::move(key), '[' + entries + ']' } }));
    }
    return texts;
}

/// The first ones always, of shared experts and of routers what is not as by default.
Members membersOfExperts(const ExpertSettings& experts)
{
    constexpr std::size_t alwaysListed = 5;
    const auto all = [](const ExpertSettings& of) {
        return membersOf([&](const auto& visit) { forEachExpertOption(of, visit); });
    };
    Members members = all(experts), plain = all(ExpertSettings()), kept;
    for (std::size_t i = 0; i < members.size(); ++i)
        if (i < alwaysListed || members[i] != plain[i])
            kept.push_back(std::move(members[i]));
    return kept;
}

void append(Members& members, Members more)
{
    for (auto& member : more)
        members.push_back(std::move(member));
}

} // namespace

std::string transformerText(const ObjectWriter& writer, const TransformerSettings& settings)
{
    Members members{ { "preset", quoteJson(words::presets[3]) }, { "layers", std::to_string(settings.layers) },
        { "dims", writer.line("/model/dims", membersOf([&](const auto& visit) { forEachSize(settings, visit); })) } };
    append(members, differing(optionsOf(settings), optionsOf(TransformerSettings())));
    if (settings.experts)
        members.emplace_back("experts", writer.line("/model/experts", membersOfExperts(*settings.experts)));
    if (settings.latent)
        members.emplace_back("latent", writer.line("/model/latent", membersOf([&](const auto& visit) {
            forEachLatentOption(*settings.latent, visit);
        })));
    const auto addChosen = [&](const std::string& key, const std::vector<ChosenSharding>& chosen) {
        if (!chosen.empty())
            members.emplace_back(key, ObjectWriter::list(chosenTexts(writer, "/model/" + key, chosen)));
    };
    addChosen("constraints", settings.constraints);
    addChosen("parameter_specs", settings.parameterSpecs);
    return writer.block("/model", std::move(members), 1);
}

std::string stepText(const ObjectWriter& writer, const TransformerTraining& training)
{
    const OptimizerSettings& optimizer = training.optimizer;
    Members members{ { "optimizer", quoteJson(words::optimizers[static_cast<std::size_t>(optimizer.kind)]) } };
    append(members, membersOf([&](const auto& visit) { forEachAdamNumber(optimizer, visit); }));
    append(
        members, { { "train", truth(training.trainStep) }, { "microbatches", std::to_string(training.microbatches) } });
    if (training.initialise)
        members.emplace_back("initialise", truth(true));
    append(members, differing(optionsOf(optimizer), optionsOf(OptimizerSettings())));
    if (optimizer.adafactor != AdafactorSettings() || writer.hasAdditions("/step/adafactor"))
        members.emplace_back("adafactor", writer.line("/step/adafactor", optionsOf(optimizer.adafactor)));
    return writer.block("/step", std::move(members), 1);
}

} // namespace shardscope
